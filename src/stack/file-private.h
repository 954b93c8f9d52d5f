/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One ELF file (or the copied vdso) that ranks have mapped, shared by all ranks of the host: its
 * program headers and, page by page, the bytes that unwinding asks for. Pages are copied with
 * pread, so a file that is cut short while it is mapped does no harm. */
#pragma once
#include "base/elf.h"

/* Identifies a file and its content. */
typedef struct {
    guint64 device, inode;
    gint64 seconds, nanoseconds;
} StackStamp;

typedef struct _StackFile StackFile;

/* path: can be opened from here. inode 0: not checked. NULL when it is no x86-64 ELF file,
 * cannot be opened, or is another file than the mapped one. */
StackFile *stack_file_open (const char *path, guint64 inode);
/* Copies the bytes of an image that is in no file. NULL when they are no ELF image. */
StackFile *stack_file_new_from_bytes (const void *data, gsize size);
/* The same for bytes without ELF headers. */
StackFile *stack_file_new_plain (const void *data, gsize size);
StackFile *stack_file_ref (StackFile *file);
void stack_file_unref (StackFile *file); /* NULL is fine */
/* TRUE when all size bytes at the file offset exist; any thread may call. */
gboolean stack_file_read (StackFile *file, guint64 offset, void *data, gsize size);
/* Its bytes as an ELF image; the file outlives it. */
BaseElfImage stack_file_get_image (StackFile *file);
const Elf64_Phdr *stack_file_get_headers (const StackFile *file, guint *ret_count);
/* Of cfa.c: its rows by their first member, which the thread that unwinds alone uses. */
GHashTable *stack_file_get_rows (StackFile *file);
/* Borrowed; NULL: its bytes are from no file. */
const StackStamp *stack_file_get_stamp (const StackFile *file);
