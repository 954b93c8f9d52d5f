/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the frames of a stopped thread: native unwinding by libunwind with pddt's own
 * accessors, names and lines from the index, blended with Python frames by stack address. */
#pragma once
#include "base/memory-reader.h"
#include "index/client.h"
#include "job/frame.h"
#include "python/python.h"
#include "machine/registers.h"

/* The ELF files of one process with what unwinding and naming need. Rebuilt when maps change. */
typedef struct _StackModules StackModules;

typedef struct {
    guint64 start, end; /* mapped range, first to last segment */
    guint64 bias;
    const char *path;     /* in the process; openable path may differ (containers) */
    guint64 eh_frame_hdr; /* address in the process; 0 none */
    guint64 fde_count;
    IndexImage *image;                        /* NULL until requested, or if there is none */
    guint64 tls_address, tls_size, tls_align; /* PT_TLS of the main program; without the bias */
    gboolean is_executable;
    gboolean is_user; /* has lines, and is not a system library or interpreter */
} StackModule;

/* maps: GArray of TargetMap (target/maps.h). client may be NULL. before: the same process's modules of
 * an older map, whose files need not be opened again; NULL. */
StackModules *stack_modules_new (const GArray *maps, pid_t pid, BaseMemoryReader *memory,
                                 IndexClient *client, const StackModules *before);
/* To name later what was seen now: freed as often as that and made. */
StackModules *stack_modules_ref (StackModules *modules);
void stack_modules_free (StackModules *modules); /* NULL: nothing */
/* NULL, of a process whose map could not be read, has none. */
guint stack_modules_get_count (const StackModules *modules);
StackModule *stack_modules_get (StackModules *modules, guint index);
StackModule *stack_modules_find (StackModules *modules, guint64 address);
/* Where the file's section of that name is in the process. FALSE: there is none that is loaded. */
gboolean stack_module_find_section (const StackModule *module, const char *name,
                                    guint64 *ret_start, guint64 *ret_size);
/* What the mapped file has at the address: code without traps, tables of symbols, without a word to the process.
 * FALSE: no file tells all of it, or the mapping can be written. Data that is read-only only once the loader has relocated
 * it is in memory different. */
gboolean stack_modules_read_file (const StackModules *modules, guint64 address, gpointer data,
                                  gsize size);
/* TRUE: the code there is a library's or unknown, so that a frame in it is not the user's own. */
gboolean stack_modules_has_library_at (StackModules *modules, guint64 address);
/* TRUE when the address is executable; for a process as it is now. */
gboolean stack_modules_is_code (StackModules *modules, guint64 address);
/* Opens the index on first use; NULL when there is none (logged once by g_message). */
IndexImage *stack_module_open_image (StackModules *modules, StackModule *module);
/* Why there is none though the file may have names and lines; borrowed, until it is asked for again. NULL: there is one, or
 * nobody has asked. */
const char *stack_module_get_loss (const StackModule *module);
/* The last attempt had no answer in time. */
gboolean stack_module_is_late (const StackModule *module);
/* Reopens it on the next request. */
void stack_module_forget_image (StackModule *module);
/* The file for pddt-symbols to read, borrowed until the next call; never another file that has
 * taken its name. When the file is gone, returns a name that index/client.h refuses with an
 * explanation. */
const char *stack_module_get_file (const StackModule *module);
/* TRUE when the file is gone. */
gboolean stack_module_is_gone (const StackModule *module);
/* GArray of PythonImage for python_runtime_open; paths borrowed from modules. Without those that are known to be no
 * interpreter. */
GArray *stack_modules_list_python_images (StackModules *modules);
/* It has found none among them: whoever lists them again, also after other files have been mapped, gets only those. */
void stack_modules_note_no_python (StackModules *modules);

/* contents.c: the memory of a process that has ended, as its files alone tell it: each variable has the value
 * that the loader had given it before the program's first instruction. What that took from other files
 * cannot be read, and nothing of a file that has been changed or removed since. */
typedef struct _StackContents StackContents;
/* modules: of that process, which is not asked any more, and outlive it. */
StackContents *stack_contents_new (StackModules *modules);
void stack_contents_free (StackContents *contents);                    /* NULL is fine */
BaseMemoryReader *stack_contents_get_memory (StackContents *contents); /* read-only */
/* TRUE: something that the program could change has been read since the last reset. */
void stack_contents_reset_used (StackContents *contents);
gboolean stack_contents_was_used (const StackContents *contents);

typedef struct {
    guint64 pc, cfa, sp;
    guint64 registers[MACHINE_N_GENERAL]; /* DWARF numbers */
    guint32 valid;                        /* bit n: registers[n] is known in this frame */
    guint32 unsaved; /* bit n: registers[n] is still in the thread's own register */
    guint64 saved_at[MACHINE_N_PRESERVED]; /* where a callee or a signal saved it; 0:
                                 nowhere */
    gboolean is_signal;     /* the pc is where a signal interrupted: look up pc itself */
    gboolean is_trampoline; /* the code that a signal handler returns to */
    gboolean is_incomplete; /* nothing outside this frame is certain */
    gboolean is_tail_call;  /* it left by a jump and has no stack frame: pc is after the
                                 jump */
    gboolean is_after_gap;  /* unknown functions between it and its caller left by jumps */
    guint unwound;          /* number of the frame, or of the one that it jumped to, not
                                 counting tail calls */
} StackNativeFrame;

/* Where the register (DWARF number) is saved while the frame's callees run. FALSE: not in
 * memory. */
gboolean stack_native_find_saved (const StackNativeFrame *frame, guint number,
                                  guint64 *ret_address);

typedef struct {
    GPtrArray *frames; /* of JobFrame, innermost first, blended; includes interpreter
                                 frames, flagged (see stack_dup_shown) */
    /* innermost first, by JobFrame.native_index; as many as there are, because each rank keeps a stack */
    StackNativeFrame *native;
    guint n_native;
    GPtrArray *python;   /* of PythonFrame or NULL */
    gboolean incomplete; /* unwinding failed */
    guint n_hidden;      /* innermost inlined frames removed by stack_hide_inlined */
} Stack;

/* Walks one stopped thread. python NULL or python_thread NULL: native only. max 0: all. */
Stack *stack_read (StackModules *modules, BaseMemoryReader *memory,
                   const MachineRegisters *registers, PythonRuntime *python,
                   const PythonThread *python_thread, guint max_frames);
/* The same with the Python frames (taken; NULL: none) that were read before. */
Stack *stack_make (StackModules *modules, BaseMemoryReader *memory,
                   const MachineRegisters *registers, PythonRuntime *python,
                   GPtrArray *python_frames, guint max_frames);
/* The same, all of it, of a thread that waits: see machine_registers_fill_waiting. */
Stack *stack_make_waiting (StackModules *modules, BaseMemoryReader *memory,
                           const MachineRegisters *registers, PythonRuntime *python,
                           GPtrArray *python_frames);
/* Removes n of the frames inlined into the innermost native one: calls that begin at its pc,
 * which the thread has not entered yet as the user sees it. The outermost frame stays. */
void stack_hide_inlined (Stack *stack, guint n);
void stack_free (Stack *stack);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Stack, stack_free)
/* Only the innermost n native frames without names, for stepping: cheap. GArray of
 * StackNativeFrame. */
GArray *stack_unwind (StackModules *modules, BaseMemoryReader *memory,
                      const MachineRegisters *registers, guint max_frames);
/* The same of a thread that waits: see machine_registers_fill_waiting. Where another register decides it ends, incomplete;
 * only the frame pointer is found, if the code tells how far it is from sp. */
GArray *stack_unwind_waiting (StackModules *modules, BaseMemoryReader *memory,
                              const MachineRegisters *registers);
/* Whether the call or tail call that ends at site entered the function of pc, without further
 * tail calls of its own since. UNKNOWN: the call is indirect, but everything else fits;
 * *ret_entry is the function's start. */
typedef enum { STACK_ENTRY_SURE, STACK_ENTRY_UNKNOWN, STACK_ENTRY_OTHER } StackEntry;
StackEntry stack_find_entry (StackModules *modules, BaseMemoryReader *memory, guint64 pc,
                             guint64 site, guint64 *ret_entry);
/* The CFA of code at pc as register (DWARF number) plus offset. FALSE: the tables define it in
 * another way or not at all. Valid as long as the modules are the same. */
typedef struct {
    guint number;
    gint64 offset;
} StackCfaRule;
gboolean stack_find_cfa_rule (StackModules *modules, guint64 pc, StackCfaRule *ret_rule);
/* The range of code around pc, [start, end), in its file's unwind tables: a function or a part
 * of one. FALSE: none. */
gboolean stack_find_code_range (StackModules *modules, guint64 pc, guint64 *ret_start,
                                guint64 *ret_end);
/* Frames to show: without INTERPRETER ones (borrowed array elements, new array). */
GPtrArray *stack_dup_shown (const Stack *stack, gboolean interpreter_frames);
/* The name that a place has inside a call of a library, by the call's frame (borrowed); NULL: it is none. */
typedef const char *(*StackFindCall) (const JobFrame *frame);
/* The contract's place: innermost frame with a line outside libraries and interpreter; inside a call that
 * find_call (may be NULL) knows, the function word is the call's and file and line are its caller's. Caller
 * owns; falls back to the innermost frame that has any name; NULL when none. */
JobLocation *stack_dup_place (const Stack *stack, StackFindCall find_call);
