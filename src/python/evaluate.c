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
        base_error_set (error, BASE_ERROR_CORRUPT,
                        "cannot read locals of %s: the frame is inconsistent", frame->function);
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

    if (!python_read_u64 (runtime, frame->frame + (guint64) runtime->layout->frame_globals,
                          &dict)
        || !python_dict_foreach (runtime, dict, add_global, &globals)) {
        base_error_set (error, BASE_ERROR_CORRUPT,
                        "cannot read globals of %s: they are inconsistent", frame->function);
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
find_global (PythonRuntime *runtime, const PythonFrame *frame, const char *name,
             guint64 *ret_object)
{
    const PythonLayout *layout = runtime->layout;
    const gint32 scopes[] = { layout->frame_globals, layout->frame_builtins };

    *ret_object = 0;
    for (guint i = 0; i < G_N_ELEMENTS (scopes) && *ret_object == 0; i++) {
        guint64 dict = 0;

        python_read_u64 (runtime, frame->frame + (guint64) scopes[i], &dict);
        if (dict != 0) {
            python_dict_find_str (runtime, dict, name, ret_object);
        }
    }
    return *ret_object != 0;
}

static gboolean
find_name (PythonRuntime *runtime, const PythonFrame *frame, const char *name,
           guint64 *ret_object)
{
    NameSearch search = { name, 0 };

    python_locals_foreach (runtime, frame->frame, match_local, &search);
    if (search.object == 0 && python_code_has_variable (runtime, frame->code, name)) {
        return FALSE; /* it has no value yet, and is not the module's of the same name */
    }
    *ret_object = search.object;
    return search.object != 0 || find_global (runtime, frame, name, ret_object);
}

/* From 3.12 on it may be a comprehension's variable that is part of the function's code, or the function's own. */
static PythonPoint *
miss_name (PythonEvaluation *evaluation, const char *name, GError **error)
{
    guint64 object;

    if (evaluation->runtime->layout->chain != PYTHON_CHAIN_SHIMS
        || !python_code_has_variable (evaluation->runtime, evaluation->frame->code, name)
        || !find_global (evaluation->runtime, evaluation->frame, name, &object)) {
        return python_point_miss (error, PYTHON_MISS_SYMBOL, name);
    }
    base_error_set (
        error, BASE_ERROR_NOT_FOUND,
        "\"%s\" is not known here: the function's variable of that name has no value, "
        "and the module has one, too, which the module's frame shows",
        name);
    return NULL;
}

/* ---- private names ---- */

/* "A.m" and "A.m.<locals>.inner" are in A. */
static char *
find_class_in_name (const char *qualified)
{
    g_auto (GStrv) parts = g_strsplit (qualified, ".", -1);
    guint at = g_strv_length (parts);

    for (at = at > 0 ? at - 1 : 0; at > 0; at -= 2) {
        if (strcmp (parts[at - 1], "<locals>") != 0) {
            return g_strdup (parts[at - 1]);
        }
        if (at < 2) {
            break;
        }
    }
    return NULL;
}

/* The function, or what a property, class or static method has of it, runs this code. */
static gboolean
has_code (PythonRuntime *runtime, guint64 object, guint64 code, gboolean is_wrapper)
{
    enum { FIRST = 16, LAST = 136, LAST_OF_WRAPPER = 32 };
    const PythonType *type = python_find_object_type (runtime, object);
    gboolean is_function = type != NULL && strcmp (type->full_name, "function") == 0;
    guint64 part;

    if (type == NULL || (!is_function && is_wrapper)) {
        return FALSE;
    }
    for (guint64 at = FIRST; at <= (is_function ? LAST : LAST_OF_WRAPPER); at += 8) {
        if (python_read_u64 (runtime, object + at, &part)
            && (is_function ? part == code
                            : part != 0 && has_code (runtime, part, code, TRUE))) {
            return TRUE;
        }
    }
    return FALSE;
}

static gboolean
take_first (const char *name, guint64 object, gpointer user)
{
    *(guint64 *) user = object;
    return FALSE;
}

/* Before 3.11 code has no qualified name: the class of the first argument, or a base of it, has the code. */
static char *
find_class_by_code (PythonRuntime *runtime, const PythonFrame *frame)
{
    guint64 self = 0, found;
    const PythonType *type;

    python_locals_foreach (runtime, frame->frame, take_first, &self);
    type = self != 0 ? python_find_object_type (runtime, self) : NULL;
    if (type != NULL && (type->flags & PYTHON_FLAG_TYPE) != 0) {
        type = python_find_type (runtime, self);
    }
    for (guint i = 0; type != NULL && i < python_type_get_n_bases (runtime, type); i++) {
        const PythonType *base = python_find_type (runtime,
                                                   python_type_get_base (runtime, type, i));

        if (base != NULL && base->dict != 0
            && python_dict_find_str (runtime, base->dict, frame->function, &found)
            && has_code (runtime, found, frame->code, FALSE)) {
            return g_strdup (base->name);
        }
    }
    return NULL;
}

/* The class in whose body the frame's code is written; NULL: in none. */
static char *
find_class (PythonRuntime *runtime, const PythonFrame *frame)
{
    const PythonCode *code = python_find_code (runtime, frame->code);
    const char *dot;

    if (code != NULL && (code->flags & PYTHON_FLAG_OPTIMIZED) == 0) {
        dot = strrchr (frame->function, '.');
        return strcmp (frame->function, "<module>") != 0
                   ? g_strdup (dot != NULL ? dot + 1 : frame->function)
                   : NULL;
    }
    return runtime->layout->minor >= 11 ? find_class_in_name (frame->function)
                                        : find_class_by_code (runtime, frame);
}

char *
python_evaluation_mangle (PythonEvaluation *evaluation, const char *name)
{
    g_autofree char *class = NULL;
    const char *plain;

    if (!g_str_has_prefix (name, "__") || g_str_has_suffix (name, "__")
        || evaluation->frame == NULL || evaluation->frame->function == NULL) {
        return NULL;
    }
    class = find_class (evaluation->runtime, evaluation->frame);
    for (plain = class; plain != NULL && *plain == '_'; plain++) {
    }
    return plain != NULL && *plain != '\0' ? g_strdup_printf ("_%s%s", plain, name) : NULL;
}

PythonPoint *
python_evaluation_find_name (PythonEvaluation *evaluation, const char *name, GError **error)
{
    g_autofree char *mangled = python_evaluation_mangle (evaluation, name);
    guint64 object = 0;

    if (evaluation->frame == NULL) {
        return strcmp (name, "_") == 0 ? python_point_new_object (evaluation, evaluation->root)
                                       : python_point_miss (error, PYTHON_MISS_SYMBOL, name);
    }
    return (mangled != NULL
            && find_name (evaluation->runtime, evaluation->frame, mangled, &object))
                   || find_name (evaluation->runtime, evaluation->frame, name, &object)
               ? python_point_new_object (evaluation, object)
               : miss_name (evaluation, name, error);
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

/* Frees the evaluation's points. */
static JobValue *
evaluate (PythonEvaluation *evaluation, const char *text, const PythonLimits *limits,
          GError **error)
{
    PythonPrinter printer
        = { .runtime = evaluation->runtime, .limits = *limits, .nodes = limits->nodes };
    PythonPoint *point = python_expression_evaluate (evaluation, text, error);
    JobValue *value = NULL;

    if (point != NULL) {
        evaluation->depth = 0;
        value = python_point_print (evaluation, &printer, point);
        evaluation->depth = 0;
        python_point_compare (evaluation, value, point, limits->compared);
    } else {
        name_expression (error, text);
    }
    g_clear_pointer (&evaluation->points, g_ptr_array_unref);
    return value;
}

JobValue *
python_frame_evaluate (PythonRuntime *runtime, const PythonFrame *frame, const char *text,
                       const PythonLimits *limits, GError **error)
{
    PythonEvaluation evaluation = { .runtime = runtime, .frame = frame };

    return evaluate (&evaluation, text, limits, error);
}

JobValue *
python_object_evaluate (PythonRuntime *runtime, guint64 object, const char *text,
                        const PythonLimits *limits, GError **error)
{
    PythonEvaluation evaluation = { .runtime = runtime, .root = object };

    return evaluate (&evaluation, text, limits, error);
}

/* Of the point, which may be NULL with error set; frees the evaluation's points. */
static GBytes *
read_array (PythonEvaluation *evaluation, PythonPoint *point, const char *text,
            char **ret_shape, GError **error)
{
    GBytes *bytes = NULL;

    if (point == NULL) {
        name_expression (error, text);
    } else {
        evaluation->depth = 0;
        point = python_point_enter (evaluation, point);
        if (point->kind == PYTHON_POINT_ARRAY) {
            bytes = python_array_copy (evaluation->runtime, point->array, ret_shape, error);
        } else {
            base_error_set (error, BASE_ERROR_UNSUPPORTED,
                            "cannot show \"%s\" as an array: not a numpy array", text);
        }
    }
    g_clear_pointer (&evaluation->points, g_ptr_array_unref);
    return bytes;
}

GBytes *
python_frame_read_array (PythonRuntime *runtime, const PythonFrame *frame, const char *text,
                         char **ret_shape, GError **error)
{
    PythonEvaluation evaluation = { runtime, frame, NULL, 0, 0 };
    PythonPoint *point = python_expression_evaluate (&evaluation, text, error);

    return read_array (&evaluation, point, text, ret_shape, error);
}

GBytes *
python_object_read_array (PythonRuntime *runtime, guint64 object, const char *text,
                          char **ret_shape, GError **error)
{
    PythonEvaluation evaluation = { runtime, NULL, NULL, 0, 0 };

    return read_array (&evaluation, python_point_new_object (&evaluation, object), text,
                       ret_shape, error);
}
