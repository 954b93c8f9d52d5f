/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A frame's variables, and where expressions begin: names, found as the frame's code finds them. */
#include "base/error.h"
#include "python/point-private.h"
#include <string.h>

#define MAX_LOCALS 500u
#define MAX_NAME 200

typedef struct {
    PythonPrinter *printer;
    GPtrArray *values;
    gboolean is_module;
} Locals;

/* In a module's frame every import and function is a variable: not what one looks for. */
static gboolean
is_noise (PythonRuntime *runtime, const char *name, guint64 object)
{
    const PythonType *type = python_find_object_type (runtime, object);

    return g_str_has_prefix (name, "__")
           || (type != NULL
               && (strcmp (type->full_name, "module") == 0
                   || strcmp (type->full_name, "function") == 0
                   || strcmp (type->full_name, "builtin_function_or_method") == 0
                   || (type->flags & PYTHON_FLAG_TYPE) != 0));
}

static gboolean
add_local (const char *name, guint64 object, gpointer user)
{
    Locals *locals = user;

    if (!locals->is_module || !is_noise (locals->printer->runtime, name, object)) {
        JobValue *value;

        locals->printer->nodes = locals->printer->limits.nodes;
        value = python_print (locals->printer, name, object);
        locals->printer->limits.compared
            -= python_value_compare (locals->printer->runtime, value, object,
                                     PYTHON_SHARE (locals->printer->limits.compared));
        g_ptr_array_add (locals->values, value);
    }
    return locals->values->len < MAX_LOCALS;
}

static gboolean
is_module_frame (PythonRuntime *runtime, const PythonFrame *frame)
{
    guint64 globals = 0;
    guint64 locals = 0;

    return python_read_u64 (runtime, frame->frame + (guint64) runtime->layout->frame_globals,
                            &globals)
           && python_read_u64 (runtime, frame->frame + (guint64) runtime->layout->frame_locals,
                               &locals)
           && globals == locals;
}

GPtrArray *
python_frame_read_locals (PythonRuntime *runtime, const PythonFrame *frame,
                          const PythonLimits *limits, GError **error)
{
    PythonPrinter printer = { .runtime = runtime, .limits = *limits, .nodes = limits->nodes };
    g_autoptr (GPtrArray) values
        = g_ptr_array_new_with_free_func ((GDestroyNotify) job_value_free);
    Locals locals = { &printer, values, is_module_frame (runtime, frame) };

    if (!python_locals_foreach (runtime, frame->frame, add_local, &locals)) {
        g_set_error (error, BASE_ERROR, BASE_ERROR_CORRUPT,
                     "cannot read locals of %s: the frame contradicts itself", frame->function);
        return NULL;
    }
    return g_steal_pointer (&values);
}

static gboolean
add_global (guint64 key, guint64 value, gpointer user)
{
    Locals *globals = user;
    gboolean cut;
    g_autofree char *name = python_read_str (globals->printer->runtime, key, MAX_NAME, &cut);

    return name == NULL || cut || add_local (name, value, user);
}

GPtrArray *
python_frame_read_globals (PythonRuntime *runtime, const PythonFrame *frame,
                           const PythonLimits *limits, GError **error)
{
    PythonPrinter printer = { .runtime = runtime, .limits = *limits, .nodes = limits->nodes };
    g_autoptr (GPtrArray) values
        = g_ptr_array_new_with_free_func ((GDestroyNotify) job_value_free);
    Locals globals = { &printer, values, TRUE };
    guint64 dict = 0;

    if (!python_read_u64 (runtime, frame->frame + (guint64) runtime->layout->frame_globals, &dict)
        || !python_dict_foreach (runtime, dict, add_global, &globals)) {
        g_set_error (error, BASE_ERROR, BASE_ERROR_CORRUPT,
                     "cannot read globals of %s: they contradict themselves", frame->function);
        return NULL;
    }
    return g_steal_pointer (&values);
}

typedef struct {
    const char *name;
    guint64 object;
} NameSearch;

static gboolean
match_local (const char *name, guint64 object, gpointer user)
{
    NameSearch *search = user;

    if (strcmp (name, search->name) == 0) {
        search->object = object;
        return FALSE;
    }
    return TRUE;
}

static gboolean
find_name (PythonRuntime *runtime, const PythonFrame *frame, const char *name,
           guint64 *ret_object)
{
    const PythonLayout *layout = runtime->layout;
    NameSearch search = { name, 0 };
    const gint32 scopes[] = { layout->frame_globals, layout->frame_builtins };

    python_locals_foreach (runtime, frame->frame, match_local, &search);
    for (guint i = 0; i < G_N_ELEMENTS (scopes) && search.object == 0; i++) {
        guint64 dict = 0;

        python_read_u64 (runtime, frame->frame + (guint64) scopes[i], &dict);
        if (dict != 0) {
            python_dict_find_str (runtime, dict, name, &search.object);
        }
    }
    *ret_object = search.object;
    return search.object != 0;
}

PythonPoint *
python_evaluation_find_name (PythonEvaluation *evaluation, const char *name, GError **error)
{
    guint64 object = 0;

    return find_name (evaluation->runtime, evaluation->frame, name, &object)
               ? python_point_new_object (evaluation, object)
               : python_point_miss (error, "symbol", name);
}

/* Says for whom a refusal is: "cannot evaluate "x.f()" without running code: it is a call". */
static void
name_expression (GError **error, const char *text)
{
    static const char prefix[] = "cannot evaluate it without";
    char *message;

    if (error != NULL && *error != NULL && g_str_has_prefix ((*error)->message, prefix)) {
        message = g_strdup_printf ("cannot evaluate \"%s\" without%s", text,
                                   (*error)->message + strlen (prefix));
        g_free ((*error)->message);
        (*error)->message = message;
    }
}

JobValue *
python_frame_evaluate (PythonRuntime *runtime, const PythonFrame *frame, const char *text,
                       const PythonLimits *limits, GError **error)
{
    PythonPrinter printer = { .runtime = runtime, .limits = *limits, .nodes = limits->nodes };
    PythonEvaluation evaluation = { runtime, frame, NULL, 0, 0 };
    PythonPoint *point = python_expression_evaluate (&evaluation, text, error);
    JobValue *value = NULL;

    if (point != NULL) {
        evaluation.depth = 0;
        value = python_point_print (&evaluation, &printer, point);
        evaluation.depth = 0;
        python_point_compare (&evaluation, value, point, limits->compared);
    } else {
        name_expression (error, text);
    }
    g_clear_pointer (&evaluation.points, g_ptr_array_unref);
    return value;
}

GBytes *
python_frame_read_array (PythonRuntime *runtime, const PythonFrame *frame, const char *text,
                         char **ret_shape, GError **error)
{
    PythonEvaluation evaluation = { runtime, frame, NULL, 0, 0 };
    PythonPoint *point = python_expression_evaluate (&evaluation, text, error);
    GBytes *bytes = NULL;

    if (point == NULL) {
        name_expression (error, text);
    } else {
        evaluation.depth = 0;
        point = python_point_enter (&evaluation, point);
        if (point->kind == PYTHON_POINT_ARRAY) {
            bytes = python_array_copy (runtime, point->array, ret_shape, error);
        } else {
            g_set_error (error, BASE_ERROR, BASE_ERROR_UNSUPPORTED,
                         "cannot show \"%s\" as an array: not a numpy array", text);
        }
    }
    g_clear_pointer (&evaluation.points, g_ptr_array_unref);
    return bytes;
}
