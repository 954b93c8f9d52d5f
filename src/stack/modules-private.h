/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The internals of a process's modules, shared by the files of this folder. */
#pragma once
#include "stack/file-private.h"
#include "stack/stack.h"
#include <libunwind.h>

/* One module; the public part comes first, so that a pointer to it is a pointer to this. */
typedef struct {
    StackModule module;
    StackFile *file;
    guint64 device, inode; /* of the mapping, and its path */
    const char *path;
    char *open_path;   /* can be opened from here; NULL: the file has no name */
    StackStamp stamp;  /* of open_path when it was found */
    gint64 checked_us; /* when open_path was last seen to have this stamp */
    gboolean has_stamp;
    gboolean is_gone;           /* the mapped file was deleted; open_path is no real name */
    pid_t pid;                  /* 0 for a core's */
    guint64 map_start, map_end; /* of the first mapping */
    StackFile *table;           /* search table made by pddt; NULL: eh_frame_hdr's, or none */
    guint64 table_address, table_count; /* where unwinding reads it; not in a rank's memory */
    gboolean image_tried;
    char *loss;            /* why the last attempt failed; NULL: it has not */
    gboolean is_late;      /* the last attempt had no answer in time */
    gboolean is_system;    /* under /lib or /usr/lib, or the vdso */
    gboolean is_no_python; /* its file has been looked at: it is no interpreter */
} StackModuleEntry;

/* A mapping whose bytes are those of a file. */
typedef struct {
    guint64 start, end, offset;
    StackFile *file;
} StackSpan;

struct _StackModules {
    guint n_references;
    pid_t pid;
    BaseMemoryReader *memory;
    IndexClient *client;
    GPtrArray *entries; /* of StackModuleEntry, sorted by start */
    GArray *spans;      /* of StackSpan, sorted by start */
    GArray *
        code; /* of StackSpan without files: executable memory that does not change meanwhile */
    StackSpan generated; /* the same of a process, as last found */
    gint64 generated_until_us;
    unw_addr_space_t space;
    const struct _StackModules *before; /* during creation: reuse its open files; NULL */
};

/* origin.c */
void stack_origin_note (StackModuleEntry *entry);
char *stack_origin_dup_link (pid_t pid, guint64 start, guint64 end);
char *stack_origin_dup_copy (const guint8 *bytes, gsize size);

StackModuleEntry *stack_modules_find_entry (const StackModules *modules, guint64 address);
const StackSpan *stack_modules_find_span (const StackModules *modules, guint64 address);
/* cfa.c: how to go from code at that pc to its caller, as the unwind tables of its file have it. */
#define STACK_ROW_SAME (1 << 30) /* the caller's value is in the register */
#define STACK_ROW_UNDEFINED (STACK_ROW_SAME + 1)
typedef struct {
    guint64 address;   /* its key: pc without the module's bias */
    StackCfaRule rule; /* number MACHINE_N_GENERAL: not told */
    gint64
        depth; /* CFA - stack pointer, as the code tells; 0: not asked yet; -1: it does not */
    gboolean has_other_stack; /* the caller's stack is another one */
    gboolean
        is_plain; /* the caller's stack pointer is the CFA, and what follows tells the rest */
    gint32 pc_at; /* offset from the CFA, or STACK_ROW_UNDEFINED: nothing is outside */
    gint32 saved_at[MACHINE_N_PRESERVED]; /* the same, or STACK_ROW_SAME */
} StackRow;
/* Never NULL; valid until the next call for that file. */
const StackRow *stack_find_row (StackModules *modules, guint64 pc);
/* If the thread is about to switch stacks (the end of longjmp), sets registers to those of
 * setjmp's caller, as far as callees preserve them. FALSE: it is not. */
gboolean stack_step_to_other_stack (StackModules *modules, BaseMemoryReader *memory,
                                    MachineRegisters *registers);
/* cfa.c: the frame pointer of a function that has its frame by it, at pc with that stack pointer, as far as the code
 * alone tells. */
gboolean stack_find_frame_pointer (StackModules *modules, guint64 pc, guint64 sp,
                                   guint64 *ret_pointer);
/* unwind.c: only those registers are known. */
GArray *stack_unwind_known (StackModules *modules, BaseMemoryReader *memory,
                            const MachineRegisters *registers, guint32 known, guint max_frames);
/* The same, all of it, as libunwind tells it: slower, and the measure of the other. */
GArray *stack_unwind_by_library (StackModules *modules, BaseMemoryReader *memory,
                                 const MachineRegisters *registers, guint32 known);
/* tails.c: adds the frames of functions that left by tail calls, as far as the path is
 * unambiguous. Takes native, caller owns the result. */
GArray *stack_add_tail_calls (StackModules *modules, BaseMemoryReader *memory, GArray *native);
/* The accessors of libunwind; arg is a snapshot of unwind.c. */
unw_addr_space_t stack_unwind_get_space (void);
