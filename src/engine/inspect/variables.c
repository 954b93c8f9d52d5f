/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arguments and locals in the frames of a stack. */
#include "engine/inspect/private.h"

#define MAX_LOCALS 100u /* of a frame */

/* "(name=value, …)" */
static char *
format_native_variables (EngineNative *scope, GPtrArray *programs, guint first, guint end)
{
    GString *text = g_string_new ("(");

    for (guint i = first; i < end; i++) {
        const EvaluateProgram *program = g_ptr_array_index (programs, i);
        const EvaluateLimits *limits = &scope->process->engine->limits;
        g_autoptr (JobValue) value = evaluate_program_run (program, &scope->context, limits,
                                                           NULL);

        engine_inspect_show_object (scope, limits, &value);
        g_string_append (text, i > first ? ", " : "");
        g_string_append (text, evaluate_program_get_name (program));
        g_string_append_c (text, '=');
        g_string_append (text, value != NULL ? value->text : "?");
    }
    g_string_append_c (text, ')');
    return g_string_free (text, FALSE);
}

static GPtrArray *
bind_variables (EngineNative *scope, EvaluateVariables which)
{
    return index_client_bind_variables (scope->process->symbols,
                                        stack_module_get_file (scope->module), scope->lookup,
                                        scope->inline_depth, which, NULL);
}

/* depth: of those inlined there. */
static void
fill_native_variables (EngineThread *thread, const Stack *stack, JobFrame *frame, guint depth)
{
    EngineNative scope;
    GPtrArray *programs;
    guint n_arguments;

    if (frame->location.line == 0
        || !engine_native_open_inlined (&scope, thread, stack, frame, depth, NULL))
        return;
    programs = bind_variables (&scope, EVALUATE_VARIABLES_ARGUMENTS);
    if (programs == NULL)
        return;
    n_arguments = programs->len;
    frame->arguments = format_native_variables (&scope, programs, 0, n_arguments);
    programs = bind_variables (&scope, EVALUATE_VARIABLES_LOCALS);
    if (programs != NULL && programs->len > n_arguments)
        frame->locals = format_native_variables (&scope, programs, n_arguments,
                                                 MIN (programs->len, n_arguments + MAX_LOCALS));
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

GPtrArray *
engine_inspect_dup_full (EngineThread *thread, const Stack *stack, const GPtrArray *frames)
{
    GPtrArray *full = g_ptr_array_new_with_free_func ((GDestroyNotify) job_frame_free);
    guint at = 0;

    for (guint i = 0; i < frames->len; i++) {
        const JobFrame *frame = g_ptr_array_index ((GPtrArray *) frames, i);
        JobFrame *copy = job_frame_dup (frame);

        g_ptr_array_add (full, copy);
        if (copy->arguments != NULL || copy->locals != NULL)
            continue;
        if (job_frame_is_python (copy))
            fill_python_variables (thread->process, stack, copy);
        else
            fill_native_variables (thread, stack, copy, count_inlined (stack, frame, &at));
    }
    return full;
}
