/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A stopped thread to frames: native unwinding with libunwind over own accessors, names and lines
 * from the index, and the blend with Python frames by stack address. */
#pragma once
#include "base/memory-reader.h"
#include "index/client.h"
#include "job/frame.h"
#include "python/python.h"
#include "target/registers.h"

/* The ELF files of one process with what unwinding and naming need. Rebuilt when maps change. */
typedef struct _StackModules StackModules;

typedef struct {
    guint64 start, end;    /* mapped range, first to last segment */
    guint64 bias;
    const char *path;      /* in the process; openable path may differ (containers) */
    guint64 eh_frame_hdr;  /* address in the process; 0 none */
    guint64 fde_count;
    IndexImage *image;     /* NULL until asked for, or when it could not be had */
    guint64 tls_size, tls_align; /* PT_TLS of the main program */
    gboolean is_executable;
    gboolean is_user;      /* has lines, and is not a system library or interpreter */
} StackModule;

/* maps: GArray of TargetMap (target/maps.h). client may be NULL. before: the same process's modules of
 * an older map, whose files need not be opened again; NULL. */
StackModules *stack_modules_new (const GArray *maps, pid_t pid, BaseMemoryReader *memory, IndexClient *client,
                                 const StackModules *before);
void stack_modules_free (StackModules *modules);
guint stack_modules_get_count (const StackModules *modules);
StackModule *stack_modules_get (StackModules *modules, guint index);
StackModule *stack_modules_find (StackModules *modules, guint64 address);
/* Opens the index at first use; NULL when there is none (said once by a g_message). */
IndexImage *stack_module_open_image (StackModules *modules, StackModule *module);
/* It is opened anew at the next question. */
void stack_module_forget_image (StackModule *module);
/* The file to ask pddt-symbols about, borrowed until the next call: never another one that stands
 * under the same name by now. When there is none any more the answer is a name that index/client.h
 * refuses with a sentence about it. */
const char *stack_module_get_file (const StackModule *module);
/* TRUE when that is so. */
gboolean stack_module_is_gone (const StackModule *module);
/* GArray of PythonImage for python_runtime_open; paths borrowed from modules. */
GArray *stack_modules_list_python_images (StackModules *modules);

/* contents.c: the memory of a process that has ended, as its files alone tell it: each variable has the value
 * that the loader had given it before the program's first instruction. What that took from other files
 * cannot be read, and nothing of a file that has been changed or removed since. */
typedef struct _StackContents StackContents;
/* modules: of that process, which is not asked any more, and outlive it. */
StackContents *stack_contents_new (StackModules *modules);
void stack_contents_free (StackContents *contents); /* NULL is fine */
BaseMemoryReader *stack_contents_get_memory (StackContents *contents); /* read-only */
/* TRUE: something that the program could change has been read since the look began. */
void stack_contents_begin_look (StackContents *contents);
gboolean stack_contents_was_used (const StackContents *contents);

typedef struct {
    guint64 pc, cfa, sp;
    guint64 registers[17];    /* DWARF numbers */
    guint32 valid;            /* bit n: registers[n] is known in this frame */
    guint32 unsaved;          /* bit n: registers[n] is still in the thread's own register */
    guint64 saved_at[6];      /* rbx, rbp, r12 to r15: where a callee, or a signal, has saved it; 0: nowhere */
    gboolean is_signal;       /* the pc is where a signal interrupted: look up pc itself */
    gboolean is_trampoline;   /* the code that a signal handler returns to */
    gboolean is_incomplete;   /* nothing outside this frame is certain */
    gboolean is_tail_call;    /* it left by a jump, and is on no stack: pc is behind the jump */
    gboolean is_after_gap;    /* between it and its caller others left by jumps, nobody knows which */
    guint unwound;            /* number of the frame, or of the one that it jumped to, without those */
} StackNativeFrame;

/* Where the register of that DWARF number is kept while the frame's callees run. FALSE: not in memory. */
gboolean stack_native_find_saved (const StackNativeFrame *frame, guint number, guint64 *ret_address);

typedef struct {
    GPtrArray *frames;        /* of JobFrame, innermost first, blended; interpreter frames are
                                 flagged, not left out: stack_hide_interpreter does that */
    GArray *native;           /* of StackNativeFrame, innermost first; JobFrame.native_index */
    GPtrArray *python;        /* of PythonFrame or NULL */
    gboolean incomplete;      /* the unwind broke */
    guint n_hidden;           /* innermost inlined frames that stack_hide_inlined took out */
} Stack;

/* Walks one stopped thread. python NULL or python_thread NULL: native only. max 0: all. */
Stack *stack_read (StackModules *modules, BaseMemoryReader *memory, const TargetRegisters *registers,
                   PythonRuntime *python, const PythonThread *python_thread, guint max_frames);
/* Takes out that many of the frames that are inlined into the innermost native one: calls that begin at
 * its pc, before which the thread is said to stand. The outermost one stays. */
void stack_hide_inlined (Stack *stack, guint n);
void stack_free (Stack *stack);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Stack, stack_free)
/* Only the innermost n native frames without names, for stepping: cheap. GArray of
 * StackNativeFrame. */
GArray *stack_unwind (StackModules *modules, BaseMemoryReader *memory, const TargetRegisters *registers, guint max_frames);
/* Whether the function that pc is code of has been entered by the call, or the tail call's jump, that
 * ends at site, and not again since by tail calls of its own. UNKNOWN: the instruction does not say
 * whom it calls, ret_entry is where the function begins; the rest is so. */
typedef enum { STACK_ENTRY_SURE, STACK_ENTRY_UNKNOWN, STACK_ENTRY_OTHER } StackEntry;
StackEntry stack_find_entry (StackModules *modules, BaseMemoryReader *memory, guint64 pc, guint64 site,
                             guint64 *ret_entry);
/* Where the frame of code at pc begins: that far from the value of a register (DWARF number) at pc.
 * FALSE: the tables say it otherwise, or nothing. As long as the modules are the same. */
typedef struct {
    guint number;
    gint64 offset;
} StackCfaRule;
gboolean stack_find_cfa_rule (StackModules *modules, guint64 pc, StackCfaRule *ret_rule);
/* The piece of code around pc, [start, end), that the unwind tables of its own file tell: a function, or a
 * part of one. FALSE: they tell nothing of it. */
gboolean stack_find_code_range (StackModules *modules, guint64 pc, guint64 *ret_start, guint64 *ret_end);
/* Frames to show: without INTERPRETER ones (borrowed array elements, new array). */
GPtrArray *stack_dup_shown (const Stack *stack, gboolean interpreter_frames);
/* The contract's place: innermost frame with a line outside libraries and interpreter; inside MPI
 * the function word is the MPI call ("MPI_Recv", P of PMPI_ stripped) and file and line are its
 * caller's. Caller owns; falls back to the innermost frame that has any name; NULL when none. */
JobLocation *stack_dup_place (const Stack *stack);
