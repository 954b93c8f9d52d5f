/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of this folder know about a process's modules beyond the public face. */
#pragma once
#include "stack/file-private.h"
#include "stack/stack.h"
#include <libunwind.h>

/* One module; the public part comes first, so that a pointer to it is a pointer to this. */
typedef struct {
    StackModule module;
    StackFile *file;
    guint64 device, inode;   /* of the mapping, and its path */
    const char *path;
    char *open_path;         /* openable from here; NULL for the vdso */
    StackFile *table;        /* search table made by us; NULL: eh_frame_hdr's, or none */
    guint64 table_address, table_count; /* where unwinding reads it, in no rank's memory */
    gboolean image_tried;
    gboolean is_system;      /* under /lib or /usr/lib, or the vdso */
} StackModuleEntry;

/* A mapping whose bytes are those of a file. */
typedef struct {
    guint64 start, end, offset;
    StackFile *file;
} StackSpan;

struct _StackModules {
    pid_t pid;
    BaseMemoryReader *memory;
    IndexClient *client;
    GPtrArray *entries;      /* of StackModuleEntry, sorted by start */
    GArray *spans;           /* of StackSpan, sorted by start */
    unw_addr_space_t space;
    const struct _StackModules *before; /* while being made: whose files are open; NULL */
};

StackModuleEntry *stack_modules_find_entry (const StackModules *modules, guint64 address);
const StackSpan *stack_modules_find_span (const StackModules *modules, guint64 address);
/* The accessors of libunwind; arg is a snapshot of unwind.c. */
unw_addr_space_t stack_unwind_get_space (void);
