/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The scanner: all functions, inlined calls, line rows and symbols of one file, written as an
 * index (index/format.h). */
#pragma once
#include "symbol/dwarf.h"

/* Writes the index of the file to `path`, through a temporary name beside it. elf_path: the
 * path recorded in the index. DENIED when it cannot be written. */
gboolean symbol_scan_write (SymbolDwarf *dwarf, const char *elf_path, const char *path,
                            GError **error);
/* The same, to an empty file open for writing; fd stays the caller's. */
gboolean symbol_scan_write_fd (SymbolDwarf *dwarf, const char *elf_path, int fd,
                               GError **error);
