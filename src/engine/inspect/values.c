/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values in the selected frame: native by bound programs, Python by the agent or the walker. */
#include "engine/control/control.h"
#include "engine/inspect/private.h"
#include "engine/modules/modules.h"

#include <string.h>

/* Says where the name was looked for, in the contract's words. */
static void
name_frame_in_error (GError **error, const JobFrame *frame)
{
    if (error == NULL || *error == NULL
        || !g_error_matches (*error, BASE_ERROR, BASE_ERROR_NOT_FOUND)
        || strstr ((*error)->message, " in frame ") != NULL || frame->location.function == NULL)
        return;
    g_autofree char *message = g_strdup_printf ("%s in frame %s", (*error)->message,
                                                frame->location.function);
    g_free ((*error)->message);
    (*error)->message = g_steal_pointer (&message);
}

/* The object that the value is a base of, by its vtable; NULL: it is none, or nobody knows. */
static JobValue *
evaluate_whole (EngineNative *scope, const EvaluateProgram *program, const char *text,
                const EvaluateLimits *limits)
{
    static const char prefix[] = "vtable for ";
    guint64 vtable;
    g_autofree char *symbol = evaluate_program_find_vtable (program, &scope->context, &vtable)
                                  ? scope->context.describe_address (scope, vtable)
                                  : NULL;
    char *end;

    if (symbol == NULL || !g_str_has_prefix (symbol, prefix))
        return NULL;
    end = strrchr (symbol, '+');
    if (end != NULL)
        *end = 0;
    if (strcmp (symbol + strlen (prefix), evaluate_program_get_type_name (program)) == 0)
        return NULL;
    g_autofree char *whole = g_strdup_printf ("\001%s\001%s", symbol + strlen (prefix), text);
    const EvaluateProgram *better = index_client_bind (scope->process->symbols,
                                                       stack_module_get_file (scope->module),
                                                       scope->lookup, scope->inline_depth,
                                                       whole, NULL);
    JobValue *value = better == NULL
                          ? NULL
                          : evaluate_program_run (better, &scope->context, limits, NULL);
    if (value == NULL || value->is_problem) {
        job_value_free (value);
        return NULL;
    }
    g_autofree char *plain = value->text;
    value->text = g_strdup_printf ("(%s) %s", symbol + strlen (prefix), plain);
    return value;
}

/* A value that nobody knows because it was in a frame, of a rank that has none any more. */
static gboolean
fail_frameless (const EngineProcess *process, const char *asked, const JobValue *value,
                guint used, GError **error)
{
    if (!process->ended || value == NULL || !value->is_problem
        || (used & (EVALUATE_USED_FRAME | EVALUATE_USED_REGISTER)) == 0)
        return FALSE;
    base_error_set (
        error, BASE_ERROR_GONE,
        "cannot print %s: it was on a stack or in a register, and the rank has ended", asked);
    return TRUE;
}

/* ret_called: whether it called functions of the program; NULL: it must not. ret_used: EVALUATE_USED_…; may be NULL. */
static JobValue *
evaluate_native (EngineThread *thread, const Stack *stack, const JobFrame *frame,
                 const char *asked, const EvaluateLimits *limits, gboolean *ret_called,
                 guint *ret_used, GError **error)
{
    EngineProcess *process = thread->process;
    EngineNative scope;
    const EvaluateProgram *program;
    g_autoptr (GError) local = NULL;
    g_autofree char *text = engine_inspect_dup_with_kept (process, asked);
    EngineBound bound = { .text = text };
    guint used = 0;
    JobValue *value = NULL;

    engine_kept_add_shown (process, NULL); /* nothing is noted of this one yet */
    if (!engine_native_open_frame (&scope, thread, stack, frame, error))
        return NULL;
    if (engine_inspect_evaluate_item (&scope, asked, limits, &value, error))
        return value;
    value = engine_inspect_evaluate_global (&scope, asked, limits);
    if (value != NULL)
        return value;
    if (!engine_inspect_bind_first (&scope, &bound, &program, &local)) {
        program = engine_inspect_bind_here (&scope, &bound, &local);
        if (program == NULL)
            program = engine_inspect_bind_dynamic (&scope, text, &local);
        if (program == NULL && g_error_matches (local, BASE_ERROR, BASE_ERROR_NOT_FOUND)) {
            engine_inspect_expand (&scope, &text); /* its macros are this place's */
            bound.text = text;
            program = engine_inspect_bind_elsewhere (&scope, &bound, FALSE, &local);
        }
        if (program == NULL && ret_called != NULL)
            program = engine_inspect_bind_outside (&scope, text, &local);
        if (program == NULL && g_error_matches (local, BASE_ERROR, BASE_ERROR_NOT_FOUND))
            program = engine_inspect_bind_elsewhere (&scope, &bound, TRUE, &local);
    }
    if (program == NULL) {
        value = engine_inspect_evaluate_namelist (&scope, text, limits);
        if (value != NULL)
            return value;
        name_frame_in_error (&local, frame);
        g_propagate_error (error, g_steal_pointer (&local));
        return NULL;
    }
    scope.context.find_kept = engine_native_find_kept;
    scope.context.note_value = engine_native_note_value;
    value = evaluate_whole (&scope, program, text, limits);
    if (value == NULL)
        value = engine_inspect_evaluate_class (&scope, program, text, limits);
    if (value == NULL) {
        /* a condition calls, but changes nothing */
        gboolean may_change = ret_called != NULL && engine_process_is_stopped (process);

        scope.context.keep = may_change ? engine_native_keep : NULL;
        scope.context.call = ret_called != NULL ? engine_native_call : NULL;
        scope.context.note_change = may_change ? engine_native_note_change : NULL;
        scope.context.used = &used;
        value = evaluate_program_run (program, &scope.context, limits, error);
        engine_inspect_show_object (&scope, limits, &value);
    }
    if (fail_frameless (process, asked, value, used, error))
        g_clear_pointer (&value, job_value_free);
    if (ret_called != NULL)
        *ret_called = scope.has_called;
    if (ret_used != NULL)
        *ret_used = used;
    return value;
}

gboolean
engine_inspect_find_scope (EngineProcess *process, const char *text, EngineScope *ret_scope,
                           guint64 *ret_return_address, GError **error)
{
    const JobFrame *frame = engine_inspect_find_value_frame (process, NULL, error);
    const EngineBound bound = { .text = text };
    g_autoptr (GError) local = NULL;
    const EvaluateProgram *program;
    EngineNative scope;

    if (frame == NULL)
        return FALSE;
    if (job_frame_is_python (frame)) {
        base_error_set (
            error, BASE_ERROR_UNSUPPORTED,
            "cannot watch a Python variable: break on a line with a condition instead");
        return FALSE;
    }
    if (!engine_native_open_frame (&scope, engine_process_get_selected (process),
                                   process->stack, frame, error))
        return FALSE;
    if (engine_inspect_bind_first (&scope, &bound, &program, &local)) {
        if (program == NULL) {
            g_propagate_error (error, g_steal_pointer (&local));
            return FALSE;
        }
    } else if (engine_inspect_bind_here (&scope, &bound, &local) == NULL
               && g_error_matches (local, BASE_ERROR, BASE_ERROR_NOT_FOUND)
               && engine_inspect_bind_elsewhere (&scope, &bound, FALSE, &local) == NULL) {
        engine_inspect_bind_elsewhere (&scope, &bound, TRUE, &local);
    }
    *ret_scope = (EngineScope){ .path = g_strdup (stack_module_get_file (scope.module)),
                                .lookup = scope.lookup,
                                .inline_depth = scope.inline_depth,
                                .bias = scope.module->bias,
                                .fs_base = scope.context.fs_base,
                                .tls_offset = scope.context.tls_offset,
                                .frame = *scope.native,
                                .is_outer = frame->native_index > 0 };
    *ret_return_address = 0;
    for (guint i = frame->native_index + 1; i < process->stack->n_native; i++) {
        const StackNativeFrame *outer = &process->stack->native[i];

        *ret_return_address = outer->pc;
        if (!outer->is_tail_call)
            break;
    }
    return TRUE;
}

void
engine_scope_clear (EngineScope *scope)
{
    g_clear_pointer (&scope->path, g_free);
}

void
engine_scope_fill_context (const EngineScope *scope, EngineProcess *process,
                           StackNativeFrame *frame, EvaluateContext *ret_context)
{
    *ret_context = (EvaluateContext){ .memory = engine_process_get_memory (process),
                                      .read_register = engine_native_read_register,
                                      .user = frame,
                                      .bias = scope->bias,
                                      .cfa = frame->cfa,
                                      .fs_base = scope->fs_base,
                                      .tls_offset = scope->tls_offset };
}

const PythonFrame *
engine_inspect_find_python_frame (const Stack *stack, const JobFrame *frame, GError **error)
{
    if (stack->python == NULL || frame->native_index >= stack->python->len) {
        base_error_set (error, BASE_ERROR_FAULT, "cannot read the Python frame");
        return NULL;
    }
    return g_ptr_array_index (stack->python, frame->native_index);
}

static JobValue *
evaluate_python (EngineProcess *process, const Stack *stack, const JobFrame *frame,
                 const char *text, const EvaluateLimits *shown, GError **error)
{
    PythonLimits limits = PYTHON_LIMITS_DEFAULT;
    const PythonFrame *python = engine_inspect_find_python_frame (stack, frame, error);
    JobValue *value;

    if (python == NULL)
        return NULL;
    limits.depth = shown->depth;
    limits.items = shown->items;
    limits.bytes = shown->bytes;
    limits.compared = ENGINE_MAX_COMPARED;
    value = python_frame_evaluate (process->runtime, python, text, &limits, error);
    if (value == NULL)
        name_frame_in_error (error, frame);
    return value;
}

/* The innermost frame's registers and where it begins, without looking for the frames outside. */
static gboolean
fill_innermost (EngineThread *thread, StackNativeFrame *frame)
{
    EngineProcess *process = thread->process;
    g_autoptr (GArray) frames = NULL;
    StackCfaRule rule;
    guint64 base;

    if (!stack_find_cfa_rule (engine_process_get_modules (process),
                              machine_registers_get_pc (&thread->registers), &rule)
        || !machine_registers_get (&thread->registers, rule.number, &base)) {
        frames = stack_unwind (engine_process_get_modules (process),
                               engine_process_get_memory (process), &thread->registers, 1);
        if (frames->len > 0)
            *frame = g_array_index (frames, StackNativeFrame, 0);
        return frames->len > 0;
    }
    *frame = (StackNativeFrame){ .pc = machine_registers_get_pc (&thread->registers),
                                 .sp = machine_registers_get_sp (&thread->registers),
                                 .cfa = base + (guint64) rule.offset };
    for (guint i = 0; i < G_N_ELEMENTS (frame->registers); i++)
        if (machine_registers_get (&thread->registers, i, &frame->registers[i]))
            frame->valid |= 1u << i;
    return TRUE;
}

/* The innermost native frame alone, for conditions of hot breakpoints. NULL: the long way tells. */
static JobValue *
evaluate_innermost (EngineThread *thread, const char *text)
{
    EngineProcess *process = thread->process;
    StackModule *module = stack_modules_find (engine_process_get_modules (process),
                                              machine_registers_get_pc (&thread->registers));
    const EvaluateProgram *program;
    StackNativeFrame frame;
    EvaluateContext context;
    JobValue *value;

    /* Where there is Python, the innermost frame may be one of its own. */
    if (module == NULL || process->symbols == NULL
        || (!module->is_user && engine_runtime_find (process) != NULL))
        return NULL;
    program = index_client_bind (process->symbols, stack_module_get_file (module),
                                 machine_registers_get_pc (&thread->registers) - module->bias,
                                 engine_inspect_is_library (module) ? EVALUATE_OWN_UNIT : 0,
                                 text, NULL);
    if (program == NULL || !fill_innermost (thread, &frame))
        return NULL;
    context = (EvaluateContext){ .memory = engine_process_get_memory (process),
                                 .user = &frame,
                                 .read_register = engine_native_read_register,
                                 .bias = module->bias,
                                 .cfa = frame.cfa,
                                 .fs_base
                                 = machine_registers_get_thread_pointer (&thread->registers),
                                 .tls_offset = engine_native_get_tls_offset (module) };
    value = evaluate_program_run (program, &context, &process->engine->limits, NULL);
    if (value != NULL && value->is_problem)
        g_clear_pointer (&value, job_value_free);
    return value;
}

/* has_halted: all threads of the process stand still, and functions may be called. */
static JobValue *
evaluate_in_frame (EngineThread *thread, guint32 number, const char *expression,
                   gboolean has_halted, guint *ret_used, GError **error)
{
    EngineProcess *process = thread->process;
    g_autoptr (Stack) stack = engine_inspect_read_stack (thread, number == 0 ? 2 : 0);
    g_autoptr (GPtrArray) shown = NULL;
    const JobFrame *frame;
    gboolean has_called = FALSE;

    if (stack == NULL) {
        base_error_set (error, BASE_ERROR_FAULT, "cannot read the stack");
        return NULL;
    }
    shown = engine_inspect_dup_shown (process, stack);
    if (number >= shown->len) {
        base_error_set (error, BASE_ERROR_NOT_FOUND, "no frame %u", number);
        return NULL;
    }
    frame = g_ptr_array_index (shown, number);
    return job_frame_is_python (frame)
               ? evaluate_python (process, stack, frame, expression, &process->engine->limits,
                                  error)
               : evaluate_native (thread, stack, frame, expression, &process->engine->limits,
                                  has_halted ? &has_called : NULL, ret_used, error);
}

JobValue *
engine_inspect_evaluate (EngineThread *thread, guint32 number, const char *expression,
                         GError **error)
{
    EngineProcess *process = thread->process;
    g_autoptr (JobValue) value = NULL;
    g_autoptr (GError) local = NULL;
    guint used = 0;

    if (number == 0 && engine_process_get_modules (process) != NULL
        && engine_thread_load_registers (thread)) {
        value = evaluate_innermost (thread, expression);
        if (value != NULL)
            return g_steal_pointer (&value);
    }
    value = evaluate_in_frame (thread, number, expression, FALSE, &used, &local);
    /* what is not found may be a library's function without debug information, which only calls want */
    if (value != NULL ? (used & EVALUATE_USED_CALL) == 0
                      : !g_error_matches (local, BASE_ERROR, BASE_ERROR_NOT_FOUND)) {
        if (value == NULL)
            g_propagate_error (error, g_steal_pointer (&local));
        return g_steal_pointer (&value);
    }
    g_clear_pointer (&value, job_value_free);
    if (!engine_process_halt (process)) {
        base_error_set (error, BASE_ERROR_GONE, "the rank has ended");
        return NULL;
    }
    value = evaluate_in_frame (thread, number, expression, TRUE, NULL, error);
    engine_process_release (process);
    return g_steal_pointer (&value);
}

static void
emit_table (EngineInspection *look, guint64 request, JobValueTable *table)
{
    JobEvent *event = engine_inspect_new_event (look, JOB_EVENT_VALUES, request);

    event->table = table;
    engine_emit (look->process->engine, event);
}

static void
add_value (JobValueTable *table, const EngineProcess *process, const char *name,
           const JobValue *value)
{
    g_autoptr (JobRankSet) slot = engine_inspect_dup_slot (process);

    job_value_table_add (table, name, slot, value);
}

/* Python waits in C (MPI, BLAS, a system call) and what is asked is no name or expression that its
 * frame knows: it may be C of the library that it called. NULL: the frame says all. */
static const JobFrame *
find_called_frame (EngineProcess *process, const JobFrame *frame, const GError *error)
{
    const JobFrame *innermost = engine_inspect_find_frame (process, 0, NULL);

    if (process->selected_frame != 0 || process->frame_is_chosen || innermost == NULL
        || job_frame_is_python (innermost)
        || !(g_error_matches (error, BASE_ERROR, BASE_ERROR_NOT_FOUND)
             || g_error_matches (error, BASE_ERROR, BASE_ERROR_INVALID)))
        return NULL;
    return innermost;
}

JobValue *
engine_inspect_evaluate_here (EngineInspection *look, const JobFrame *frame, const char *text,
                              char letter, GError **error)
{
    EvaluateLimits limits = look->process->engine->limits;

    limits.letter = letter;
    return engine_inspect_evaluate_within (look, frame, text, &limits, error);
}

JobValue *
engine_inspect_evaluate_within (EngineInspection *look, const JobFrame *frame, const char *text,
                                const EvaluateLimits *limits, GError **error)
{
    EngineProcess *process = look->process;
    gboolean may_call = !look->sampled && process->core == NULL && !process->ended,
             has_called = FALSE;
    JobValue *value;

    if (job_frame_is_python (frame)) {
        value = evaluate_python (process, process->stack, frame, text, limits, error);
        if (value != NULL)
            engine_inspect_apply_letter (value, limits->letter);
        return value;
    }
    return evaluate_native (engine_process_get_selected (process), process->stack, frame, text,
                            limits, may_call ? &has_called : NULL, NULL, error);
}

static gboolean
answer_print (EngineInspection *look, const JobRequest *request, const JobFrame *frame,
              GError **error)
{
    EngineProcess *process = look->process;
    gboolean may_call = !look->sampled && process->core == NULL && !process->ended
                        && (request->flags & JOB_REQUEST_CALLS_NOTHING) == 0,
             has_called = FALSE;
    g_autoptr (GError) python_error = NULL;
    g_autoptr (JobValueTable) table = NULL;
    g_autoptr (JobValue) value = NULL;
    EvaluateLimits limits = engine_find_limits (process->engine, request);

    limits.letter = request->text2 != NULL ? request->text2[0] : '\0';
    if (job_frame_is_python (frame)) {
        value = engine_inspect_evaluate_within (look, frame, request->text, &limits,
                                                &python_error);
        frame = value == NULL ? find_called_frame (process, frame, python_error) : frame;
    }
    if (value == NULL && frame != NULL) {
        /* What does not fit on a line is compared with the other ranks' all the same. */
        limits.compared = ENGINE_MAX_COMPARED;
        value = evaluate_native (engine_process_get_selected (process), process->stack, frame,
                                 request->text, &limits, may_call ? &has_called : NULL, NULL,
                                 error);
    }
    engine_kept_add_shown (process, value);
    if (value == NULL && python_error != NULL) {
        g_clear_error (error);
        g_propagate_error (error, g_steal_pointer (&python_error));
    }
    if (has_called)
        engine_inspect_read_again (process, 0);
    if (value == NULL)
        return FALSE;
    if (request->verb == JOB_VERB_CALL && !value->is_problem
        && g_strcmp0 (value->type, "void") == 0) {
        engine_emit_accepted (process, request->id);
        return TRUE;
    }
    table = job_value_table_new ();
    add_value (table, process, request->text, value);
    emit_table (look, request->id, g_steal_pointer (&table));
    return TRUE;
}

static gboolean
answer_array (EngineInspection *look, const JobRequest *request, const JobFrame *frame,
              GError **error)
{
    EngineProcess *process = look->process;
    g_autoptr (GBytes) bytes = NULL;
    g_autofree char *shape = NULL;
    const EvaluateProgram *program = NULL;
    const PythonFrame *python;
    EngineNative scope;
    JobEvent *event;

    if (job_frame_is_python (frame)) {
        python = engine_inspect_find_python_frame (process->stack, frame, error);
        bytes = python == NULL ? NULL
                               : python_frame_read_array (process->runtime, python,
                                                          request->text, &shape, error);
    } else {
        EngineBound bound = { .text = request->text };

        if (engine_native_open_frame (&scope, engine_process_get_selected (process),
                                      process->stack, frame, error)
            && !engine_inspect_bind_first (&scope, &bound, &program, error))
            program = engine_inspect_bind_here (&scope, &bound, error);
        bytes = program == NULL
                    ? NULL
                    : evaluate_program_read_array (program, &scope.context, &shape, error);
    }
    if (bytes == NULL) {
        name_frame_in_error (error, frame);
        return FALSE;
    }
    event = engine_inspect_new_event (look, JOB_EVENT_ARRAY, request->id);
    event->text = g_steal_pointer (&shape);
    event->bytes = g_steal_pointer (&bytes);
    engine_emit (process->engine, event);
    return TRUE;
}

static gboolean
answer_python_variables (EngineInspection *look, const JobRequest *request,
                         const JobFrame *frame, GError **error)
{
    PythonLimits limits = PYTHON_LIMITS_DEFAULT;
    EngineProcess *process = look->process;
    const PythonFrame *python = engine_inspect_find_python_frame (process->stack, frame, error);
    g_autoptr (JobValueTable) table = NULL;
    g_autoptr (GPtrArray) values = NULL;

    if (python == NULL)
        return FALSE;
    limits.depth = process->engine->limits.depth;
    limits.items = process->engine->limits.items;
    limits.bytes = process->engine->limits.bytes;
    limits.compared = ENGINE_MAX_COMPARED_LOCALS;
    values = request->verb == JOB_VERB_GLOBALS
                 ? python_frame_read_globals (process->runtime, python, &limits, error)
                 : python_frame_read_locals (process->runtime, python, &limits, error);
    if (values == NULL)
        return FALSE;
    table = job_value_table_new ();
    for (guint i = 0; i < values->len; i++) {
        const JobValue *value = g_ptr_array_index (values, i);
        add_value (table, process, value->name, value);
    }
    emit_table (look, request->id, g_steal_pointer (&table));
    return TRUE;
}

/* No other variable has its name. */
static gboolean
is_alone (const GPtrArray *programs, guint number)
{
    const char *name = evaluate_program_get_name (g_ptr_array_index (programs, number));

    return !BASE_ANY (i, programs->len,
                      i != number
                          && g_strcmp0 (evaluate_program_get_name (g_ptr_array_index (programs,
                                                                                      i)),
                                        name)
                                 == 0);
}

static gboolean
answer_native_variables (EngineInspection *look, const JobRequest *request,
                         const JobFrame *frame, EvaluateVariables which, GError **error)
{
    EngineProcess *process = look->process;
    g_autoptr (JobValueTable) table = job_value_table_new ();
    EvaluateLimits limits = process->engine->limits;
    guint64 spent
        = 0; /* of ENGINE_MAX_COMPARED_LOCALS, as no value is asked for more than a share */
    EngineNative scope;
    GPtrArray *programs;

    if (!engine_native_open_frame (&scope, engine_process_get_selected (process),
                                   process->stack, frame, error))
        return FALSE;
    programs = index_client_bind_variables (process->symbols,
                                            stack_module_get_file (scope.module), scope.lookup,
                                            scope.inline_depth, which, error);
    if (programs == NULL) {
        name_frame_in_error (error, frame);
        return FALSE;
    }
    scope.context.spent = &spent;
    for (guint i = 0; i < programs->len; i++) {
        const EvaluateProgram *program = g_ptr_array_index (programs, i);
        g_autoptr (JobValue) value = NULL;

        limits.compared = PYTHON_SHARE (ENGINE_MAX_COMPARED_LOCALS - spent);
        if (is_alone (programs, i))
            value = engine_inspect_evaluate_class (&scope, program,
                                                   evaluate_program_get_name (program),
                                                   &limits);
        if (value == NULL)
            value = evaluate_program_run (program, &scope.context, &limits, error);
        engine_inspect_show_object (&scope, &limits, &value);
        if (value == NULL)
            return FALSE;
        if (engine_inspect_is_unset_object (&scope, value))
            continue;
        add_value (table, process, evaluate_program_get_name (program), value);
    }
    emit_table (look, request->id, g_steal_pointer (&table));
    return TRUE;
}

/* What could not be stored says so itself, within < and >; why the place or the value is not known follows. */
static void
set_problem (GError **error, const JobValue *value)
{
    g_autoptr (JobText) text = job_value_dup_said (value);
    const JobText *inner = value->said != NULL ? job_text_get_argument (text, 0) : NULL;

    if (g_str_has_prefix (value->text, "<cannot ")) {
        job_text_raise (inner != NULL ? inner : text, BASE_ERROR_INVALID, error);
    } else {
        base_error_set_because (error, BASE_ERROR_INVALID, "cannot assign: %s", value->text);
    }
}

/* As the expression LHS = EXPR, of which the value is not told. */
static gboolean
answer_assignment (EngineInspection *look, const JobRequest *request, const JobFrame *frame,
                   GError **error)
{
    EngineProcess *process = look->process;
    g_autofree char *text = job_request_dup_assignment (request);
    g_autoptr (JobValue) value = NULL;
    gboolean has_changed = FALSE;

    if (look->sampled) {
        base_error_set (error, BASE_ERROR_BUSY, "cannot set a variable: the rank is running");
        return FALSE;
    }
    value = evaluate_native (engine_process_get_selected (process), process->stack, frame, text,
                             &process->engine->limits, &has_changed, NULL, error);
    if (has_changed)
        engine_inspect_read_again (process, 0);
    if (value == NULL)
        return FALSE;
    if (value->is_problem) {
        set_problem (error, value);
        return FALSE;
    }
    engine_emit_accepted (process, request->id);
    return TRUE;
}

static gboolean
answer_type (EngineInspection *look, const JobRequest *request, const JobFrame *frame,
             GError **error)
{
    EngineProcess *process = look->process;
    g_autofree char *type = NULL;

    if (job_frame_is_python (frame)) {
        g_autoptr (JobValue) value = evaluate_python (process, process->stack, frame,
                                                      request->text, &process->engine->limits,
                                                      error);
        if (value == NULL)
            return FALSE;
        type = g_strdup (value->type != NULL ? value->type : "unknown");
    } else {
        EngineNative scope;
        const EvaluateProgram *program;
        EngineBound bound;
        g_autofree char *asked = engine_inspect_dup_with_kept (process, request->text);
        g_autofree char *flagged = request->text2 != NULL
                                       ? g_strdup_printf ("/%s %s", request->text2, asked)
                                       : NULL;
        if (!engine_native_open_frame (&scope, engine_process_get_selected (process),
                                       process->stack, frame, error))
            return FALSE;
        bound = (EngineBound){ .text = flagged != NULL ? flagged : asked,
                               .is_type = TRUE,
                               .expand = request->verb == JOB_VERB_PTYPE };
        if (!engine_inspect_bind_first (&scope, &bound, &program, error))
            program = engine_inspect_bind_here (&scope, &bound, error);
        type = program == NULL ? engine_inspect_write_namelist (&scope, asked, bound.expand)
                               : NULL;
        if (program == NULL && type == NULL) {
            name_frame_in_error (error, frame);
            return FALSE;
        }
        if (program != NULL) {
            scope.context.find_kept = engine_native_find_kept;
            type = evaluate_program_write_type (program, &scope.context);
        } else {
            g_clear_error (error);
        }
    }
    JobEvent *event = engine_inspect_new_event (look, JOB_EVENT_TEXT, request->id);
    /* one with offsets has it already, behind its heading */
    event->text = g_strconcat (g_str_has_prefix (type, "/*") ? "" : "type = ", type, NULL);
    event->text2 = g_steal_pointer (&type);
    engine_emit (process->engine, event);
    return TRUE;
}

gboolean
engine_inspect_answer_in_frame (EngineInspection *look, const JobRequest *request,
                                const JobFrame *frame, GError **error)
{
    gboolean is_python = job_frame_is_python (frame);

    switch (request->verb) {
    case JOB_VERB_PRINT:
    case JOB_VERB_CALL: return answer_print (look, request, frame, error);
    case JOB_VERB_PRINTF: return engine_inspect_answer_printf (look, request, frame, error);
    case JOB_VERB_ARRAY: return answer_array (look, request, frame, error);
    case JOB_VERB_LOCALS:
    case JOB_VERB_GLOBALS:
        return is_python ? answer_python_variables (look, request, frame, error)
                         : answer_native_variables (look, request, frame,
                                                    request->verb == JOB_VERB_GLOBALS
                                                        ? EVALUATE_VARIABLES_GLOBALS
                                                        : EVALUATE_VARIABLES_LOCALS,
                                                    error);
    case JOB_VERB_WHATIS:
    case JOB_VERB_PTYPE: return answer_type (look, request, frame, error);
    case JOB_VERB_SET:
        if (!is_python)
            return answer_assignment (look, request, frame, error);
        break;
    default: break;
    }
    if (is_python)
        base_error_set (
            error, BASE_ERROR_BUSY,
            "cannot run Python code here: the rank is not stopped at a Python line; "
            "step to one first");
    else
        base_error_set (
            error, BASE_ERROR_INVALID,
            "the selected frame is not a Python frame: choose one with up, down or frame");
    return FALSE;
}
