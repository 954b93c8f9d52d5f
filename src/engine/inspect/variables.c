/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arguments and locals in the frames of a stack. */
#include "engine/inspect/private.h"

#define MAX_LOCALS 100u /* of a frame */

static void
append_value (EngineNative *scope, const EvaluateProgram *program, GString *text)
{
    const EvaluateLimits *limits = &scope->process->engine->limits;
    g_autoptr (JobValue) value = NULL;

    if (!engine_inspect_is_object_type (evaluate_program_get_type_name (program))
        && evaluate_program_append_plain (program, &scope->context, limits, text)) {
        return;
    }
    value = evaluate_program_run (program, &scope->context, limits, NULL);
    engine_inspect_show_object (scope, limits, &value);
    g_string_append (text, value != NULL ? value->text : "?");
}

/* "(name=value, …)"; text: room for it. Caller owns. */
static char *
format_native_variables (EngineNative *scope, GPtrArray *programs, guint count, GString *text)
{
    g_string_assign (text, "(");
    for (guint i = 0; i < count; i++) {
        const EvaluateProgram *program = g_ptr_array_index (programs, i);

        g_string_append (text, i > 0 ? ", " : "");
        g_string_append (text, evaluate_program_get_name (program));
        g_string_append_c (text, '=');
        append_value (scope, program, text);
    }
    g_string_append_c (text, ')');
    return g_strndup (text->str, text->len);
}

static GPtrArray *
bind_variables (EngineNative *scope, EvaluateVariables which)
{
    return index_client_bind_variables (scope->process->symbols,
                                        stack_module_get_file (scope->module), scope->lookup,
                                        scope->inline_depth, which, NULL);
}

/* depth: of those inlined there; text: room for it. */
static void
fill_native_variables (EngineThread *thread, const Stack *stack, JobFrame *frame, guint depth,
                       GString *text)
{
    EngineNative scope;
    GPtrArray *programs;

    if (frame->location.line == 0
        || !engine_native_open_inlined (&scope, thread, stack, frame, depth, NULL))
        return;
    programs = bind_variables (&scope, EVALUATE_VARIABLES_ARGUMENTS);
    if (programs == NULL)
        return;
    frame->arguments = format_native_variables (&scope, programs, programs->len, text);
    programs = bind_variables (&scope, EVALUATE_VARIABLES_OWN);
    if (programs != NULL && programs->len > 0)
        frame->locals = format_native_variables (&scope, programs,
                                                 MIN (programs->len, MAX_LOCALS), text);
}

static void
fill_python_variables (EngineProcess *process, const Stack *stack, JobFrame *frame)
{
    PythonLimits limits = PYTHON_LIMITS_DEFAULT;
    const PythonFrame *python = engine_inspect_find_python_frame (stack, frame, NULL);
    g_autoptr (GPtrArray) values = python != NULL
                                       ? python_frame_read_locals (process->runtime, python,
                                                                   &limits, NULL)
                                       : NULL;
    GString *text;

    if (values == NULL || values->len == 0)
        return;
    text = g_string_new ("(");
    for (guint i = 0; i < MIN (values->len, MAX_LOCALS); i++) {
        const JobValue *value = g_ptr_array_index (values, i);

        g_string_append_printf (text, "%s%s=%s", i > 0 ? ", " : "", value->name,
                                value->text != NULL ? value->text : "?");
    }
    g_string_append_c (text, ')');
    frame->locals = g_string_free (text, FALSE);
}

/* How many are inlined into the frame, as engine_inspect_count_inlined counts; at: where the one before it was, 0 at first. */
static guint
count_inlined (const Stack *stack, const JobFrame *frame, guint *at)
{
    guint depth = 0;

    while (*at < stack->frames->len && g_ptr_array_index (stack->frames, *at) != frame)
        (*at)++;
    for (guint i = *at; i-- > 0;) {
        const JobFrame *other = g_ptr_array_index (stack->frames, i);

        if (job_frame_is_python (other))
            continue;
        if (other->native_index != frame->native_index)
            break;
        depth++;
    }
    return depth + (frame->native_index == 0 ? stack->n_hidden : 0);
}

BASE_FREE (free_view, JobFrame, view, g_free (view->arguments); g_free (view->locals))

GPtrArray *
engine_inspect_dup_full (EngineThread *thread, const Stack *stack, const GPtrArray *frames)
{
    GPtrArray *full = g_ptr_array_new_full (frames->len, free_view);
    g_autoptr (GString) text = g_string_sized_new (256);
    guint at = 0;

    for (guint i = 0; i < frames->len; i++) {
        const JobFrame *frame = g_ptr_array_index ((GPtrArray *) frames, i);
        JobFrame *view = g_new (JobFrame, 1);

        *view = *frame;
        view->arguments = g_strdup (frame->arguments);
        view->locals = g_strdup (frame->locals);
        g_ptr_array_add (full, view);
        if (view->arguments != NULL || view->locals != NULL)
            continue;
        if (job_frame_is_python (view))
            fill_python_variables (thread->process, stack, view);
        else
            fill_native_variables (thread, stack, view, count_inlined (stack, frame, &at),
                                   text);
    }
    return full;
}
