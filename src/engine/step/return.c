/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `return [EXPR]`: leaves the selected function at once, as if it had returned EXPR, with its
 * caller's registers as unwound. */
#include "engine/control/control.h"
#include "engine/inspect/inspect.h"
#include "engine/python/python.h"
#include "engine/step/private.h"
#include <glib/gi18n.h>
#include <string.h>

#define XMM0_OFFSET 160u /* in the extended state, SDM volume 1, 10.5.1 */

/* What is to be returned. */
typedef struct {
    gboolean is_given, is_real;
    guint64 bits;
} Returned;

static gboolean
is_real_type (const char *type)
{
    return strstr (type, "double") != NULL || strstr (type, "float") != NULL
           || g_str_has_prefix (type, "real(");
}

/* The bits of EXPR, in the type that the function returns. */
static gboolean
evaluate (EngineInspection *look, const JobFrame *frame, const JobRequest *request,
          Returned *ret_returned, GError **error)
{
    EngineProcess *process = look->process;
    EngineReturned *plan = engine_returned_new (process, frame->pc);
    g_autofree char *type = plan != NULL ? g_strdup (engine_returned_get_type (plan)) : NULL;
    gboolean is_fortran = frame->location.language == JOB_LANGUAGE_FORTRAN;
    g_autofree char *text = NULL;
    g_autoptr (JobValue) value = NULL;
    char *end = NULL;

    engine_returned_free (plan);
    if (type == NULL || strcmp (type, "void") == 0 || strstr (type, "long double") != NULL) {
        const char *name = frame->location.function != NULL ? frame->location.function : "??";

        if (type == NULL) {
            base_error_set (error, BASE_ERROR_UNSUPPORTED,
                            "cannot return a value: %s has an unknown type", name);
        } else if (strcmp (type, "void") == 0) {
            base_error_set (error, BASE_ERROR_UNSUPPORTED,
                            "cannot return a value: %s returns nothing", name);
        } else {
            base_error_set (error, BASE_ERROR_UNSUPPORTED,
                            "cannot return a value: %s returns a long double", name);
        }
        return FALSE;
    }
    text = is_fortran ? g_strdup (request->text)
                      : g_strdup_printf ("(%s) (%s)", type, request->text);
    value = engine_inspect_evaluate_here (look, frame, text, 'x', error);
    if (value == NULL) {
        return FALSE;
    }
    ret_returned->bits = g_str_has_prefix (value->text, "0x")
                             ? g_ascii_strtoull (value->text + 2, &end, 16)
                             : 0;
    if (value->is_problem || end == NULL || *end != '\0') {
        base_error_set (error, BASE_ERROR_UNSUPPORTED,
                        "cannot return a %s: only numbers and pointers; return without a value",
                        type);
        return FALSE;
    }
    ret_returned->is_given = TRUE;
    ret_returned->is_real = is_real_type (is_fortran && value->type != NULL ? value->type
                                                                            : type);
    return TRUE;
}

static gboolean
write_real (EngineThread *thread, guint64 bits)
{
    g_autoptr (GBytes) state = target_thread_read_extended (thread->tid);
    gsize size = 0;
    const guint8 *bytes = state != NULL ? g_bytes_get_data (state, &size) : NULL;
    g_autofree guint8 *copy = NULL;
    g_autoptr (GBytes) changed = NULL;

    if (bytes == NULL || size < XMM0_OFFSET + sizeof bits) {
        return FALSE;
    }
    copy = g_memdup2 (bytes, size);
    memcpy (copy + XMM0_OFFSET, &bits, sizeof bits);
    changed = g_bytes_new (copy, size);
    return target_thread_write_extended (thread->tid, changed);
}

/* The frame that the selected one returns to. */
static const StackNativeFrame *
find_caller (EngineProcess *process, const JobFrame *frame, GError **error)
{
    const Stack *stack = process->stack;
    const StackNativeFrame *caller;
    const char *reason = NULL;

    if (job_frame_is_python (frame)) {
        reason = N_ ("Python cannot leave a function in the middle");
    } else if (frame->flags & JOB_FRAME_INLINED) {
        reason = N_ ("the call is inlined");
    } else if (frame->native_index < stack->n_native
               && stack->native[frame->native_index].is_incomplete) {
        reason = N_ ("its caller's registers are not known");
    } else if (frame->native_index + 1 >= stack->n_native) {
        reason = N_ ("this is the outermost frame");
    }
    caller = reason == NULL ? &stack->native[frame->native_index + 1] : NULL;
    if (caller != NULL && (caller->is_tail_call || caller->is_signal || caller->unwound == 0)) {
        reason = N_ ("its caller's registers are not known");
    }
    if (reason != NULL) {
        base_error_set_because (error, BASE_ERROR_UNSUPPORTED, "cannot return: %s", reason);
        return NULL;
    }
    return caller;
}

static gboolean
leave (EngineInspection *look, const JobRequest *request, GError **error)
{
    EngineProcess *process = look->process;
    EngineThread *thread = engine_process_get_selected (process);
    const JobFrame *frame = engine_inspect_find_value_frame (process, NULL, error);
    const StackNativeFrame *caller = frame != NULL ? find_caller (process, frame, error) : NULL;
    Returned returned = { 0 };
    StackNativeFrame kept;

    if (caller == NULL) {
        return FALSE;
    }
    kept = *caller;
    if (request->text != NULL && !evaluate (look, frame, request, &returned, error)) {
        return FALSE;
    }
    if (!engine_thread_load_registers (thread)
        || (returned.is_real && !write_real (thread, returned.bits))) {
        base_error_set (error, BASE_ERROR_FAULT,
                        "cannot return: the registers cannot be written");
        return FALSE;
    }
    for (guint i = 0; i < G_N_ELEMENTS (kept.registers); i++) {
        if (kept.valid & 1u << i) {
            machine_registers_set (&thread->registers, i, kept.registers[i]);
        }
    }
    if (returned.is_given && !returned.is_real) {
        machine_registers_set_result (&thread->registers, returned.bits);
    }
    thread->registers_changed = TRUE;
    return TRUE;
}

void
engine_return (EngineProcess *process, const JobRequest *request)
{
    EngineInspection look = { .process = process };
    g_autoptr (GError) error = NULL;

    if (engine_process_get_selected (process) == NULL || engine_python_is_stop (process)) {
        base_error_set (&error, BASE_ERROR_UNSUPPORTED,
                        "cannot return: Python cannot leave a function in the middle");
        engine_emit_failure (process, request->id, error);
    } else if (engine_thread_has_shadow_stack (engine_process_get_selected (process))) {
        base_error_set (&error, BASE_ERROR_UNSUPPORTED,
                        "cannot return: the program has a shadow stack (CET), which allows no "
                        "returns from outside");
        engine_emit_failure (process, request->id, error);
    } else if (!leave (&look, request, &error)) {
        engine_emit_failure (process, request->id, error);
    } else {
        engine_step_stop_in_place (process, engine_process_get_selected (process), request->id);
    }
}
