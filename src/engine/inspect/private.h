/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of an answer. */
#pragma once
#include "engine/inspect/inspect.h"
#include "machine/vectors.h"

/* ---- inspection of a rank ---- */
/* A final answer of this rank. */
JobEvent *engine_inspect_new_event (const EngineInspection *look, JobEventKind kind,
                                    guint64 request);
gboolean engine_inspect_answer_text (EngineInspection *look, guint64 request, const char *text);
/* Takes the list, of JobDetail. */
gboolean engine_inspect_answer_details (EngineInspection *look, guint64 request,
                                        GPtrArray *details);

/* ---- what has no debug information ---- */
/* Why: it was compiled so, or cannot be read; caller owns. */
char *engine_inspect_dup_undescribed (EngineProcess *process, guint64 pc,
                                      const JobLocation *place);
/* FALSE, NOT_FOUND: nothing is known of the frame's variables. */
gboolean engine_inspect_check_described (EngineProcess *process, const JobFrame *frame,
                                         GError **error);

/* ---- without a stop ---- */
/* FALSE: it is no WHERE with UNSTOPPED of a rank that runs. */
gboolean engine_inspect_answer_unstopped (EngineProcess *process, const JobRequest *request);

/* ---- Fortran ---- */
/* Binds text, which could not be bound for *error, with its CLASS objects as what they are now. NULL: that does not help,
 * and *error is what it was. */
const EvaluateProgram *engine_inspect_bind_dynamic (EngineNative *scope, const char *text,
                                                    GError **error);
/* The value of `text`, which the program computes, with the type that it has now: "(ring) ( … )". NULL: it is no CLASS
 * variable, an array, or nothing is known of it. */
JobValue *engine_inspect_evaluate_class (EngineNative *scope, const EvaluateProgram *program,
                                         const char *text, const EvaluateLimits *limits);
/* ---- Cython ---- */
/* The value, which the program has computed in the scope, as Python shows it, if it is an object of Python in a function
 * of Cython's. */
void engine_inspect_show_object (EngineNative *scope, const EvaluateLimits *limits,
                                 JobValue **value);
/* FALSE: the text does not begin with the name of such an object and a subscript, which in C would make it the first of
 * an array. Else its value as Python has it, of constants and of what the function's variables are, or NULL and the
 * error. */
gboolean engine_inspect_evaluate_item (EngineNative *scope, const char *text,
                                       const EvaluateLimits *limits, JobValue **ret_value,
                                       GError **error);
/* Of a Cython module's variable that is no variable in C, its members and subscripts. NULL: the text does not begin with
 * one, or it is not known. */
JobValue *engine_inspect_evaluate_global (EngineNative *scope, const char *text,
                                          const EvaluateLimits *limits);
/* The name of a type is that of such an object. */
gboolean engine_inspect_is_object_type (const char *type);
/* TRUE: it shows the expression's value so. */
gboolean engine_inspect_is_object (const EngineNative *scope, const char *text);
/* TRUE: a variable of Cython's that has no value yet, which Python's frames do not list either. */
gboolean engine_inspect_is_unset_object (const EngineNative *scope, const JobValue *value);
/* A namelist, "( a = 1, b = 2 )", as gdb shows it. NULL: the text is no name of one. */
JobValue *engine_inspect_evaluate_namelist (EngineNative *scope, const char *asked,
                                            const EvaluateLimits *limits);
/* Its type, "Type NAME", expand: with a line for each variable, as gdb shows it. NULL: the text is no name of one. Caller
 * owns. */
char *engine_inspect_write_namelist (EngineNative *scope, const char *asked, gboolean expand);

/* ---- code ---- */
gboolean engine_inspect_answer_code (EngineInspection *look, const JobRequest *request,
                                     GError **error);
/* "<work+4>" of an address in code; ret_low (may be NULL): where work begins. NULL: no name. */
char *engine_inspect_dup_symbol (EngineProcess *process, guint64 address, guint64 *ret_low);
/* Instructions of [low, high) mixed with source lines; high G_MAXUINT64: `count` of them without. With their bytes. */
gboolean engine_inspect_list_code (EngineProcess *process, GPtrArray *details, guint64 low,
                                   guint64 high, guint count, gboolean with_bytes,
                                   GError **error);

/* ---- dump ---- */
gboolean engine_inspect_dump (EngineInspection *look, const JobRequest *request,
                              GError **error);

/* ---- find ---- */
gboolean engine_inspect_answer_find (EngineInspection *look, const JobRequest *request,
                                     GError **error);

/* ---- info ---- */
/* Of EnginePlace, at least one: where the request says, or where the frame (NULL: there is none) is. */
GPtrArray *engine_inspect_find_places (EngineProcess *process, const JobRequest *request,
                                       const JobFrame *frame, GError **error);
gboolean engine_inspect_answer_info (EngineInspection *look, const JobRequest *request,
                                     GError **error);

/* ---- values that the user keeps ---- */
/* The expression with the user's own values that it names (EVALUATE_KEPT_MARK). Caller owns. */
char *engine_inspect_dup_with_kept (EngineProcess *process, const char *text);
/* Of EvaluateContext: find_kept and keep; user is an EngineNative. */
GBytes *engine_native_find_kept (gpointer user, const char *name);
void engine_native_keep (gpointer user, const char *name, const char *type, const guint8 *bytes,
                         gsize size);

/* ---- memory ---- */
gboolean engine_inspect_answer_memory (EngineInspection *look, const JobRequest *request,
                                       GError **error);

/* ---- native frames ---- */
/* Of a shown frame, which may be inlined. */
gboolean engine_native_open_frame (EngineNative *scope, EngineThread *thread,
                                   const Stack *stack, const JobFrame *frame, GError **error);
/* The same, where engine_inspect_count_inlined is known: it looks through all frames. */
gboolean engine_native_open_inlined (EngineNative *scope, EngineThread *thread,
                                     const Stack *stack, const JobFrame *frame, guint depth,
                                     GError **error);
/* "work", "table+8", "vtable for shapes::Derived+16"; NULL: no symbol is there. Caller owns. */
char *engine_native_dup_symbol (EngineProcess *process, guint64 address);
/* An EvaluateContext's call; scope: EngineNative. It says so when the thread is inside MPI. */
/* EvaluateContext's note_change: earlier reads may be outdated. */
void engine_native_note_change (gpointer scope);
gboolean engine_native_call (gpointer scope, const EvaluateCall *call,
                             MachineResult *ret_result, GError **error);
/* An EvaluateContext's read_register; frame: a StackNativeFrame. */
gboolean engine_native_read_register (gpointer frame, guint number, guint64 *ret_value);
guint64 engine_native_get_tls_offset (const StackModule *module); /* below fs_base; 0 unknown */

/* ---- where an expression's names are looked for ---- */
typedef struct {
    const char *text;
    gboolean is_type, expand; /* whatis; ptype */
} EngineBound;

/* Neither the program's file nor a library of the user's own. */
gboolean engine_inspect_is_library (const StackModule *module);
/* In a library's frame: what the frame and its unit know, else what the program's files have. FALSE: it is no such
 * frame, or neither knows the names: look as in any other. TRUE: *ret_program, or NULL with an error. Another file's
 * program has its scope. */
gboolean engine_inspect_bind_first (EngineNative *scope, const EngineBound *bound,
                                    const EvaluateProgram **ret_program, GError **error);
/* In the frame's file. Of a rank that has ended the variables of the main function's own are asked for last: those that
 * are not on its stack are there yet. */
const EvaluateProgram *engine_inspect_bind_here (EngineNative *scope, const EngineBound *bound,
                                                 GError **error);
/* A name that the frame's file does not have may be a global one of another file of the program, or
 * (in_libraries) a variable that a library shares: errno, stdout. *error is that of bind_here. */
const EvaluateProgram *engine_inspect_bind_elsewhere (EngineNative *scope,
                                                      const EngineBound *bound,
                                                      gboolean in_libraries, GError **error);

/* ---- names of other files ---- */
/* The name in `no symbol "x"`; NULL. */
char *engine_inspect_dup_missing (const GError *error);
/* Replaces the text's macros by what they are where the scope is. */
void engine_inspect_expand (EngineNative *scope, char **text);
/* Binds text, which could not be bound for *error, with functions of other files. The thread is
 * stopped. NULL: *error says why, the same or a later one. */
const EvaluateProgram *engine_inspect_bind_outside (EngineNative *scope, const char *text,
                                                    GError **error);
/* A function of another file of which that chooses one when the program runs (STT_GNU_IFUNC), such as strlen: where calls are
 * not possible, the address of the code that chooses, which has the function's name. FALSE: there is none of that name. */
gboolean engine_inspect_find_chosen (const EngineNative *scope, const char *name,
                                     guint64 *ret_address);

/* ---- printf ---- */
/* Up to the next comma outside of brackets and quotes, behind which *at is then (NULL: at the end). NULL: there is none.
 * Caller owns. */
char *engine_inspect_take_expression (const char **at);
/* FALSE, with an error: the value is not known. */
gboolean engine_inspect_check_value (const JobValue *value, const char *expression,
                                     GError **error);
gboolean engine_inspect_answer_printf (EngineInspection *look, const JobRequest *request,
                                       const JobFrame *frame, GError **error);

/* ---- object ---- */
gboolean engine_inspect_answer_object (EngineInspection *look, const JobRequest *request,
                                       const JobFrame *frame, GError **error);

/* ---- registers ---- */
gboolean engine_inspect_answer_registers (EngineInspection *look, const JobRequest *request,
                                          GError **error);

/* ---- values ---- */
/* What the walker has read of the frame. NULL with an error: it has not. */
const PythonFrame *engine_inspect_find_python_frame (const Stack *stack, const JobFrame *frame,
                                                     GError **error);
/* variables.c: frames of the thread's stack, in their order, with arguments and locals, "(n=3, p=0x…)". Their names are
 * the stack's. Caller owns the list. */
GPtrArray *engine_inspect_dup_full (EngineThread *thread, const Stack *stack,
                                    const GPtrArray *frames);
/* TRUE: there is a register of the machine in the expression; $1 and $name are values that were kept. */
gboolean engine_inspect_names_register (const char *text);

/* Where the wider registers of its threads are in an extended state of one of them. */
MachineVectors engine_inspect_find_vectors (const EngineProcess *process, GBytes *state);

/* ---- threads that have not stopped ---- */
gboolean engine_inspect_is_waiting (const EngineThread *thread);
/* As the thread waits in the kernel: what stands in memory. NULL: it does not wait, or has gone on meanwhile. */
Stack *engine_inspect_read_waiting (EngineThread *thread, PythonRuntime *runtime,
                                    const PythonThread *python_thread);
/* In English, marked for translation; NULL: it stands still. */
const char *engine_inspect_explain_running (const EngineThread *thread);
/* Its stack is missing in an answer: says so if it has not stopped. */
void engine_inspect_tell_missing (EngineThread *thread);
/* Sets the error of a rank without any stack; FALSE. */
gboolean engine_inspect_refuse_stack (const EngineProcess *process, GError **error);

/* ---- values that are kept ---- */
/* As a convenience variable; type NULL: it is void from now on. */
void engine_kept_set (EngineProcess *process, const char *name, const char *type,
                      const void *bytes, gsize size);
/* The bytes of the value that was evaluated last; NULL: they are not known, or too many. */
GBytes *engine_kept_take_noted (EngineProcess *process);
