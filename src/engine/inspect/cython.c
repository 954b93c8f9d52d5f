/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Objects of Python in functions of Cython: their types in C say only that they are objects. */
#include "engine/control/control.h"
#include "engine/inspect/private.h"
#include "engine/modules/modules.h"

#include <string.h>

#define MAX_INLINED 64u

static gboolean
is_in_c (const char *file)
{
    static const char *const ends[] = { "c", "cc", "cpp", "cxx", "C", "h", NULL };
    const char *dot = strrchr (file, '.');

    return dot != NULL && g_strv_contains (ends, dot + 1);
}

/* And stands in a line of its source: in lines of C it is seen that variables have no values yet. */
static gboolean
is_cython (const EngineNative *scope)
{
    IndexFrame frames[MAX_INLINED];
    IndexImage *image = NULL;
    guint n = engine_modules_find_image (scope->process, scope->lookup + scope->module->bias,
                                         &image)
                          != NULL
                      && image != NULL
                  ? index_image_find_frames (image, scope->lookup, frames, MAX_INLINED)
                  : 0;

    for (guint i = 0; i < n; i++)
        if (frames[i].is_cython)
            return frames[0].file != NULL && !is_in_c (frames[0].file);
    return FALSE;
}

static gboolean
is_object (const char *type)
{
    return type != NULL && g_str_has_suffix (type, " *") && !g_str_has_suffix (type, " * *")
           && !g_str_has_suffix (type, "**")
           && (strcmp (type, "PyObject *") == 0 || strcmp (type, "struct _object *") == 0
               || strcmp (type, "PyTypeObject *") == 0
               || g_str_has_prefix (type, "struct __pyx_obj_")
               || g_str_has_prefix (type, "PyArrayObject *"));
}

gboolean
engine_inspect_is_object (const EngineNative *scope, const char *text)
{
    const EvaluateProgram *program
        = is_cython (scope) ? index_client_bind (scope->process->symbols,
                                                 stack_module_get_file (scope->module),
                                                 scope->lookup, scope->inline_depth, text, NULL)
                            : NULL;

    return program != NULL && is_object (evaluate_program_get_type_name (program));
}

gboolean
engine_inspect_is_unset_object (const EngineNative *scope, const JobValue *value)
{
    return value->text != NULL && is_object (value->type)
           && g_str_has_suffix (value->text, "0x0") && is_cython (scope);
}

/* Further parts can be asked for only where they are members in C, too. */
static void
end_parts (JobValue *value)
{
    value->expandable = value->children != NULL;
    for (guint i = 0; value->children != NULL && i < value->children->len; i++)
        end_parts (g_ptr_array_index (value->children, i));
}

static PythonLimits
get_limits (const EvaluateLimits *limits)
{
    PythonLimits shown = PYTHON_LIMITS_DEFAULT;

    shown.depth = limits->depth;
    shown.items = limits->items;
    shown.bytes = limits->bytes;
    shown.compared = limits->compared;
    return shown;
}

/* The end of "names" or "self.names" in what begins so and goes on with a subscript; 0: in no other. */
static gsize
find_subscript (const char *text)
{
    gsize at = 0;

    for (;;) {
        gsize length = strspn (text + at, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "_");

        if (length == 0 || g_ascii_isdigit (text[at]))
            return 0;
        at += length;
        if (text[at] != '.')
            return text[at] == '[' ? at : 0;
        at++;
    }
}

gboolean
engine_inspect_evaluate_item (EngineNative *scope, const char *text,
                              const EvaluateLimits *limits, JobValue **ret_value,
                              GError **error)
{
    EngineProcess *process = scope->process;
    gsize at = find_subscript (text);
    g_autofree char *base = g_strndup (text, at), *rest = g_strconcat ("_", text + at, NULL);
    PythonLimits shown = get_limits (limits);
    PythonRuntime *runtime = at > 0 && engine_inspect_is_object (scope, base)
                                 ? engine_runtime_find (process)
                                 : NULL;
    const EvaluateProgram *program
        = runtime != NULL
              ? index_client_bind (process->symbols, stack_module_get_file (scope->module),
                                   scope->lookup, scope->inline_depth, base, NULL)
              : NULL;
    g_autoptr (JobValue) pointer = program != NULL
                                       ? evaluate_program_run (program, &scope->context, limits,
                                                               NULL)
                                       : NULL;
    const char *address = pointer != NULL && pointer->text != NULL && !pointer->is_problem
                              ? strstr (pointer->text, "0x")
                              : NULL;
    guint64 object = address != NULL ? g_ascii_strtoull (address, NULL, 16) : 0;

    if (object == 0)
        return FALSE;
    *ret_value = python_object_evaluate (runtime, object, rest, &shown, error);
    if (*ret_value != NULL) {
        g_free ((*ret_value)->name);
        (*ret_value)->name = g_strdup (text);
        end_parts (*ret_value);
        engine_inspect_apply_letter (*ret_value, limits->letter);
    }
    return TRUE;
}

void
engine_inspect_read_object (EngineProcess *process, const EvaluateLimits *limits,
                            JobValue **value)
{
    PythonLimits shown = get_limits (limits);
    const char *address = *value != NULL && (*value)->text != NULL && !(*value)->is_problem
                                  && limits->letter == '\0' && is_object ((*value)->type)
                              ? strstr ((*value)->text, "0x")
                              : NULL;
    guint64 object = address != NULL ? g_ascii_strtoull (address, NULL, 16) : 0;
    PythonRuntime *runtime = object != 0 ? engine_runtime_find (process) : NULL;
    JobValue *read;

    if (runtime == NULL)
        return;
    read = python_value_read (runtime, (*value)->name, object, &shown);
    if (read == NULL || read->is_problem) {
        job_value_free (read);
        return;
    }
    end_parts (read);
    job_value_free (*value);
    *value = read;
}

void
engine_inspect_show_object (EngineNative *scope, const EvaluateLimits *limits, JobValue **value)
{
    if (*value != NULL && is_object ((*value)->type) && is_cython (scope))
        engine_inspect_read_object (scope->process, limits, value);
}
