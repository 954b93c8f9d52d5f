/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the files that inspect ranks. */
#pragma once
#include "engine/private.h"

/* An inspection of one rank; sampled: it was running and resumes after engine_inspect_close. */
typedef struct {
    EngineProcess *process;
    gboolean sampled;
} EngineInspection;

gboolean engine_inspect_open (EngineInspection *look, EngineProcess *process, GError **error);
void engine_inspect_close (EngineInspection *look);
JobRankSet *engine_inspect_dup_slot (const EngineProcess *process);
/* A final answer of this rank. */
JobEvent *engine_inspect_new_event (const EngineInspection *look, JobEventKind kind,
                                    guint64 request);
gboolean engine_inspect_answer_text (EngineInspection *look, guint64 request, const char *text);
/* Python's innermost user frame of the main thread, without stopping it; NULL. */
JobLocation *engine_inspect_dup_running_place (EngineProcess *process);
/* NULL when the thread cannot be read; the caller frees it. */
Stack *engine_inspect_read_stack (EngineThread *thread, guint max_frames);
/* Shown frame `number` of the selected thread, borrowed from the cached stack. NOT_FOUND. */
JobFrame *engine_inspect_find_frame (EngineProcess *process, guint32 number, GError **error);
/* The frame of the place that the state line names: the innermost with a line outside of libraries and
 * interpreter; NULL: none. Of a stack that was read. */
JobFrame *engine_inspect_find_place_frame (EngineProcess *process);
/* The number, among the shown frames, of the frame that every command means: the one that the
 * user has selected; until then the one of the state line, which with just-my-code is the
 * innermost outside of libraries. */
guint32 engine_inspect_get_selected (EngineProcess *process);
/* The same frame, for what `request` asks (NULL: any): registers are those of the innermost one until
 * the user has chosen. */
const JobFrame *engine_inspect_find_value_frame (EngineProcess *process,
                                                 const JobRequest *request, GError **error);
GPtrArray *engine_inspect_dup_shown (EngineProcess *process, const Stack *stack);

/* ---- inspect-native.c ---- */
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
    IndexContext context;
} EngineNative;
/* Of the native frame `number`. FAULT: its registers are not known; NOT_FOUND: no file is there. */
gboolean engine_native_open (EngineNative *scope, EngineThread *thread, const Stack *stack,
                             guint number, GError **error);
/* How many frames are inlined into this one of the stack, at its place. */
guint engine_inspect_count_inlined (const Stack *stack, const JobFrame *frame);
/* Of a shown frame, which may be inlined. */
gboolean engine_native_open_frame (EngineNative *scope, EngineThread *thread,
                                   const Stack *stack, const JobFrame *frame, GError **error);
/* An IndexContext's call; scope: EngineNative. It says so when the thread is inside MPI. */
/* IndexContext's note_change: earlier reads may be outdated. */
void engine_native_note_change (gpointer scope);
gboolean engine_native_call (gpointer scope, const IndexCall *call, IndexCallResult *ret_result,
                             char **ret_problem);
/* An IndexContext's read_register; frame: a StackNativeFrame. */
gboolean engine_native_read_register (gpointer frame, guint number, guint64 *ret_value);
guint64 engine_native_get_tls_offset (const StackModule *module); /* below fs_base; 0 unknown */
/* The thread's block of the module with the loader's number; its registers are loaded. FALSE: it has none. */
gboolean engine_native_find_tls_block (EngineThread *thread, guint64 number,
                                       guint64 *ret_block);

/* ---- inspect-outside.c ---- */
/* The name in `no symbol "x"`; NULL. */
char *engine_inspect_dup_missing (const GError *error);
/* Binds text, which could not be bound for *error, with functions of other files. The thread is
 * stopped. NULL: *error says why, the same or a later one. */
const IndexProgram *engine_inspect_bind_outside (EngineNative *scope, const char *text,
                                                 GError **error);
/* inspect-kept.c. The expression with the user's own values that it names (INDEX_KEPT_MARK). Caller owns. */
char *engine_inspect_dup_with_kept (EngineProcess *process, const char *text);
/* Of IndexContext: find_kept and keep; user is an EngineNative. */
GBytes *engine_native_find_kept (gpointer user, const char *name);
/* Of IndexContext: note_value; user is an EngineNative. engine_kept_add_shown is called when the value has
 * been shown, and gives it the next number. */
void engine_native_note_value (gpointer user, const char *type, const guint8 *bytes,
                               gsize size);
void engine_kept_add_shown (EngineProcess *process,
                            const JobValue *value); /* NULL: it was not shown */
void engine_native_keep (gpointer user, const char *name, const char *type, const guint8 *bytes,
                         gsize size);

/* ---- inspect-info.c ---- */
gboolean engine_inspect_answer_info (EngineInspection *look, const JobRequest *request,
                                     GError **error);
/* The same of a frame that is none but the selected one. */
gboolean engine_inspect_answer_info_in (EngineInspection *look, const JobRequest *request,
                                        const JobFrame *frame, GError **error);

/* ---- inspect-printf.c ---- */
gboolean engine_inspect_answer_printf (EngineInspection *look, const JobRequest *request,
                                       const JobFrame *frame, GError **error);
/* An integer of Python's in gdb's letter; others stay as they are. */
void engine_inspect_apply_letter (JobValue *value, char letter);

/* ---- inspect-values.c ---- */
/* The expression's value in that frame of the selected thread, by gdb's letter ('\0': as its type is).
 * What only Python itself can compute cannot be had. */
JobValue *engine_inspect_evaluate_here (EngineInspection *look, const JobFrame *frame,
                                        const char *text, char letter, GError **error);
/* By what can be read in the frame, or in native code be called. */
gboolean engine_inspect_answer_in_frame (EngineInspection *look, const JobRequest *request,
                                         const JobFrame *frame, GError **error);
/* Arguments and locals, "(n=3, p=0x…)", into each frame of the thread's stack that has none. */
void engine_inspect_fill_variables (EngineThread *thread, const Stack *stack,
                                    GPtrArray *frames);

/* The selected frame with what a bound program needs, for as long as the frame lives. */
typedef struct {
    char *path;     /* of the module */
    guint64 lookup; /* link-time pc that scopes are looked up with */
    guint inline_depth;
    guint64 bias, fs_base, tls_offset;
    StackNativeFrame frame;
    gboolean is_outer; /* not the innermost native frame */
} EngineScope;
/* UNSUPPORTED for Python frames. return_address: where the frame returns to; 0 unknown. */
gboolean engine_inspect_find_scope (EngineProcess *process, EngineScope *ret_scope,
                                    guint64 *ret_return_address, GError **error);
void engine_scope_clear (EngineScope *scope);
/* context borrows all; frame: the scope's, or the same frame later. */
void engine_scope_fill_context (const EngineScope *scope, EngineProcess *process,
                                StackNativeFrame *frame, IndexContext *ret_context);

/* ---- inspect-code.c ---- */
gboolean engine_inspect_answer_code (EngineInspection *look, const JobRequest *request,
                                     GError **error);
/* "<work+4>" of an address in code; ret_low (may be NULL): where work begins. NULL: no name. */
char *engine_inspect_dup_symbol (EngineProcess *process, guint64 address, guint64 *ret_low);
/* Instructions of [low, high) mixed with source lines; high G_MAXUINT64: `count` of them without. */
gboolean engine_inspect_append_code (EngineProcess *process, GString *text, guint64 low,
                                     guint64 high, guint count, GError **error);

/* ---- inspect-registers.c, inspect-memory.c ---- */
gboolean engine_inspect_answer_registers (EngineInspection *look, const JobRequest *request,
                                          GError **error);
gboolean engine_inspect_answer_memory (EngineInspection *look, const JobRequest *request,
                                       GError **error);
/* The Python thread that the stopped thread is; NULL. */
const PythonThread *engine_inspect_find_python_thread (GArray *threads, EngineThread *thread);
