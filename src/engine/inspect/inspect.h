/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Answers about a rank: stack, values, code, registers, memory. A running one is halted meanwhile. */
#pragma once
#include "engine/private.h"

/* ---- inspection of a rank ---- */
void engine_inspect_handle (Engine *engine, const JobRequest *request); /* all query verbs */
/* "MPI_Recv" (P of PMPI_ stripped) of a frame of an MPI, also of one that is part of the program; NULL of any other
 * frame, and of a function of that name with lines: it is the user's own. */
const char *engine_inspect_find_call (const JobFrame *frame);
/* Place of the stopped process's thread. */
JobLocation *engine_inspect_dup_place (EngineProcess *process, EngineThread *thread);
/* Stack of the selected thread, cached until the process moves. */
Stack *engine_inspect_get_stack (EngineProcess *process);
/* Shown frame `number` of the selected thread, borrowed from the cached stack. NOT_FOUND. */
JobFrame *engine_inspect_find_frame (EngineProcess *process, guint32 number, GError **error);
/* How many bytes of a named value, and of all of a frame's values together, are compared with
 * other ranks. */
#define ENGINE_MAX_COMPARED (G_GUINT64_CONSTANT (1) << 30)
#define ENGINE_MAX_COMPARED_LOCALS (G_GUINT64_CONSTANT (128) << 20)
/* Discards cached stack and values; the selected frame stays selected, n_deeper frames further
 * out, because it has made as many calls since. */
void engine_inspect_read_again (EngineProcess *process, guint32 n_deeper);
/* Until the next request of the rank: the thread and the frame that this one's client has selected. What
 * was selected for others is theirs, and is said by their requests. */
void engine_inspect_use_selection (EngineProcess *process, const JobRequest *request);
/* To who has selected a frame: it is another one by number since code of the request was run. */
void engine_inspect_tell_frame (EngineProcess *process, guint64 request);
/* An inspection of one rank; sampled: it was running and resumes after engine_inspect_close. */
typedef struct {
    EngineProcess *process;
    gboolean sampled;
} EngineInspection;
gboolean engine_inspect_open (EngineInspection *look, EngineProcess *process, GError **error);
void engine_inspect_close (EngineInspection *look);
JobRankSet *engine_inspect_dup_slot (const EngineProcess *process);
/* Python's innermost user frame of the main thread, without stopping it; NULL. */
JobLocation *engine_inspect_dup_running_place (EngineProcess *process);
/* The same of another thread, by its number in the kernel. NULL: it runs no Python, or none of the program's. */
JobLocation *engine_inspect_dup_running_place_of (EngineProcess *process, pid_t tid);
/* NULL when the thread cannot be read; the caller frees it. */
Stack *engine_inspect_read_stack (EngineThread *thread, guint max_frames);
/* The number, among the shown frames, of the frame that every command means: the one that the
 * user has selected; until then the one of the state line, which with just-my-code is the
 * innermost outside of libraries. */
guint32 engine_inspect_get_selected (EngineProcess *process);
/* The same frame, for what `request` asks (NULL: any): registers are those of the innermost one until
 * the user has chosen. */
const JobFrame *engine_inspect_find_value_frame (EngineProcess *process,
                                                 const JobRequest *request, GError **error);
GPtrArray *engine_inspect_dup_shown (EngineProcess *process, const Stack *stack);
/* Answers a question for values without running code, where the code that was run has not answered. FALSE: it
 * cannot be answered so. */
gboolean engine_inspect_answer_from_outside (EngineProcess *process, const JobRequest *request);
/* The Python thread that the stopped thread is; NULL. */
const PythonThread *engine_inspect_find_python_thread (GArray *threads, EngineThread *thread);

/* Joins the reasons why it could not be read and not be run (NULL: not tried) into one error,
 * which the caller owns. */
GError *engine_inspect_join_errors (const GError *read_error, const GError *run_error);

/* ---- info ---- */
/* Answers INFO about a frame that is not the selected one. */
gboolean engine_inspect_answer_info_in (EngineInspection *look, const JobRequest *request,
                                        const JobFrame *frame, GError **error);

/* ---- Cython ---- */
/* A value whose type in C is a pointer to an object of Python becomes what Python shows of it; any other, and what is no
 * object there, stays as it is. */
void engine_inspect_read_object (EngineProcess *process, const EvaluateLimits *limits,
                                 JobValue **value);

/* ---- values that the user keeps ---- */
void engine_kept_make (EngineProcess *process); /* its part of a new one */
void engine_kept_free (EngineProcess *process);
/* Of EvaluateContext: note_value; user is an EngineNative. engine_kept_add_shown is called when the value has
 * been shown, and gives it the next number. */
void engine_native_note_value (gpointer user, const char *type, const guint8 *bytes,
                               gsize size);
void engine_kept_add_shown (EngineProcess *process,
                            const JobValue *value); /* NULL: it was not shown */

/* ---- native frames ---- */
/* A native frame with what a bound program needs. Valid while the stack lives. */
typedef struct {
    EngineProcess *process;
    EngineThread *thread;
    const Stack *stack;
    guint number; /* of the native frame */
    const StackNativeFrame *native;
    const StackModule *module;
    guint64 lookup; /* link-time pc that scopes are looked up with */
    guint inline_depth;
    gboolean has_called; /* the program's code ran: earlier reads may be outdated */
    EvaluateContext context;
} EngineNative;
/* How many frames are inlined into this one of the stack, at its place. */
guint engine_inspect_count_inlined (const Stack *stack, const JobFrame *frame);
/* The thread's block of the module with the loader's number; its registers are loaded. FALSE: it has none. */
gboolean engine_native_find_tls_block (EngineThread *thread, guint64 number,
                                       guint64 *ret_block);

/* ---- printf ---- */
/* An integer of Python's in gdb's letter; others stay as they are. */
void engine_inspect_apply_letter (JobValue *value, char letter);

/* ---- values ---- */
/* Value of an expression in the frame of a stopped thread, native or Python by the frame. For
 * conditions of breakpoints: frame 0. Where functions are to be called, the process is halted for that. */
JobValue *engine_inspect_evaluate (EngineThread *thread, guint32 frame, const char *expression,
                                   GError **error);
/* The expression's value in that frame of the selected thread, by gdb's letter ('\0': as its type is).
 * What only Python itself can compute cannot be had. */
JobValue *engine_inspect_evaluate_here (EngineInspection *look, const JobFrame *frame,
                                        const char *text, char letter, GError **error);
/* The same with other limits and letter than the user's. */
JobValue *engine_inspect_evaluate_within (EngineInspection *look, const JobFrame *frame,
                                          const char *text, const EvaluateLimits *limits,
                                          GError **error);
/* By what can be read in the frame, or in native code be called. */
gboolean engine_inspect_answer_in_frame (EngineInspection *look, const JobRequest *request,
                                         const JobFrame *frame, GError **error);
/* The selected frame with what a bound program needs, for as long as the frame lives. */
typedef struct {
    char *path;     /* of the module */
    guint64 lookup; /* link-time pc that scopes are looked up with */
    guint inline_depth;
    guint64 bias, fs_base, tls_offset;
    StackNativeFrame frame;
    gboolean is_outer; /* not the innermost native frame */
} EngineScope;
/* The selected frame's, or where the expression's names are if its file does not know them. UNSUPPORTED for Python
 * frames. return_address: where the frame returns to; 0 unknown. */
gboolean engine_inspect_find_scope (EngineProcess *process, const char *text,
                                    EngineScope *ret_scope, guint64 *ret_return_address,
                                    GError **error);
void engine_scope_clear (EngineScope *scope);
/* context borrows all; frame: the scope's, or the same frame later. */
void engine_scope_fill_context (const EngineScope *scope, EngineProcess *process,
                                StackNativeFrame *frame, EvaluateContext *ret_context);

/* ---- what a thread waits for ---- */
/* Adds what the thread waits for, of other threads' mutexes or ends, with those behind it and circles of other
 * threads; otherwise (taken; NULL: nothing) if it waits for no thread. Also of a paused rank and of a core. */
void engine_add_lock_waits (EngineProcess *process, pid_t tid, JobWait *otherwise,
                            JobMessageQueue *queue);
/* Makes a JOB_WAIT_FUTEX or _SHARED of a running rank, whose owner no memory tells, the function that the thread waits
 * in. */
void engine_wait_find_function (EngineProcess *process, pid_t tid, JobWait *wait);
/* Notes the line outside of libraries where the thread waits, if it is known without a stop. */
void engine_wait_find_line (EngineProcess *process, EngineThread *thread, JobWait *wait);

/* ---- a rank that has ended ---- */
/* A request with JOB_REQUEST_ENDED, or one that only a living rank can answer. */
void engine_remains_answer (EngineProcess *process, const JobRequest *request);
