/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of an ELF file that finding a CPython needs: exported symbols and sections. */
#pragma once
#include <glib.h>

typedef struct _PythonElf PythonElf;

PythonElf *python_elf_open (const char *path); /* NULL when it is no x86-64 ELF file */
void python_elf_free (PythonElf *elf);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PythonElf, python_elf_free)
/* A defined symbol of .dynsym: link-time address and size. */
gboolean python_elf_find_symbol (PythonElf *elf, const char *name, guint64 *ret_address,
                                 guint64 *ret_size);
gboolean python_elf_find_section (PythonElf *elf, const char *name, guint64 *ret_address);
