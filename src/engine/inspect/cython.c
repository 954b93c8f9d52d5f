/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Objects of Python in functions of Cython: their types in C say only that they are objects. */
#include "engine/control/control.h"
#include "engine/inspect/private.h"
#include "engine/modules/modules.h"

#include <string.h>

#define MAX_INLINED 64u
#define NAME G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "_"

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

    return BASE_CHOOSE (i, n, frames[i].is_cython,
                        frames[0].file != NULL && !is_in_c (frames[0].file), FALSE);
}

gboolean
engine_inspect_is_object_type (const char *type)
{
    return type != NULL && (type[0] == 'P' || type[0] == 's')
           && (strcmp (type, "PyObject *") == 0 || strcmp (type, "struct _object *") == 0
               || strcmp (type, "PyTypeObject *") == 0
               || g_str_has_prefix (type, "struct __pyx_obj_")
               || g_str_has_prefix (type, "PyArrayObject *"))
           && g_str_has_suffix (type, " *") && !g_str_has_suffix (type, " * *")
           && !g_str_has_suffix (type, "**");
}

gboolean
engine_inspect_is_object (const EngineNative *scope, const char *text)
{
    const EvaluateProgram *program
        = is_cython (scope) ? index_client_bind (scope->process->symbols,
                                                 stack_module_get_file (scope->module),
                                                 scope->lookup, scope->inline_depth, text, NULL)
                            : NULL;

    return program != NULL
           && engine_inspect_is_object_type (evaluate_program_get_type_name (program));
}

gboolean
engine_inspect_is_unset_object (const EngineNative *scope, const JobValue *value)
{
    return value->text != NULL && engine_inspect_is_object_type (value->type)
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
        gsize length = strspn (text + at, NAME);

        if (length == 0 || g_ascii_isdigit (text[at]))
            return 0;
        at += length;
        if (text[at] != '.')
            return text[at] == '[' ? at : 0;
        at++;
    }
}

/* The expression is bound where the scope is. NULL: it cannot be. */
static JobValue *
evaluate_in_c (EngineNative *scope, const char *text, const EvaluateLimits *limits)
{
    const EvaluateProgram *program = index_client_bind (scope->process->symbols,
                                                        stack_module_get_file (scope->module),
                                                        scope->lookup, scope->inline_depth,
                                                        text, NULL);

    return program != NULL ? evaluate_program_run (program, &scope->context, limits, NULL)
                           : NULL;
}

/* The object of Python's whose address the expression gives; 0: there is none. */
static guint64
find_object (EngineNative *scope, const char *text, const EvaluateLimits *limits)
{
    g_autoptr (JobValue) pointer = evaluate_in_c (scope, text, limits);
    const char *address = pointer != NULL && pointer->text != NULL && !pointer->is_problem
                              ? strstr (pointer->text, "0x")
                              : NULL;

    return address != NULL ? g_ascii_strtoull (address, NULL, 16) : 0;
}

/* As Python writes it, if it is an integer or a string that is not too long. NULL: it is not. */
static char *
write_value (EngineNative *scope, const char *text)
{
    EvaluateLimits limits = EVALUATE_LIMITS_DEFAULT;
    g_autoptr (JobValue) value = NULL;
    gsize n_digits;

    if (!engine_inspect_evaluate_item (scope, text, &limits, &value, NULL)) {
        value = evaluate_in_c (scope, text, &limits);
        engine_inspect_show_object (scope, &limits, &value);
    }
    if (value == NULL || value->is_problem || value->text == NULL)
        return NULL;
    n_digits = strspn (value->text, "-" G_CSET_DIGITS);
    if (n_digits > 0 && (value->text[n_digits] == '\0' || value->text[n_digits] == ' '))
        return g_strndup (value->text, n_digits); /* "97 'a'" */
    return (*value->text == '\'' || *value->text == '"') && strstr (value->text, "…") == NULL
                   && strstr (value->text, "...") == NULL
               ? g_strdup (value->text)
               : NULL;
}

static gsize
measure_quoted (const char *text)
{
    gsize at = 1;

    for (; text[at] != '\0' && text[at] != *text; at++)
        at += text[at] == '\\' && text[at + 1] != '\0' ? 1 : 0;
    return text[at] != '\0' ? at + 1 : at;
}

/* How long what begins the text is: something in quotes; a name, with its members and subscripts; else a character. */
static gsize
measure (const char *text)
{
    gsize at = strspn (text, NAME ".");
    guint depth = 0;

    if (*text == '\'' || *text == '"')
        return measure_quoted (text);
    if (at == 0)
        return *text != '\0' ? 1 : 0;
    while (text[at] == '[' || (depth > 0 && text[at] != '\0')) {
        depth += text[at] == '[' ? 1 : 0;
        depth -= text[at] == ']' ? 1 : 0;
        at += text[at] == '\'' || text[at] == '"' ? measure_quoted (text + at) : 1;
    }
    return at;
}

/* The text with the values of the function's variables in place of their names, which Python does not know there. */
static char *
write_values (EngineNative *scope, const char *text)
{
    GString *written = g_string_new (NULL);

    for (gsize n; (n = measure (text)) > 0; text += n) {
        g_autofree char *part = g_strndup (text, n);
        g_autofree char *value = g_ascii_isalpha (*part) || *part == '_'
                                     ? write_value (scope, part)
                                     : NULL;

        g_string_append (written, value != NULL ? value : part);
    }
    return g_string_free (written, FALSE);
}

/* The value of Python's expression, in which "_" is the object. */
static JobValue *
evaluate_in_python (EngineNative *scope, guint64 object, const char *text, const char *rest,
                    const EvaluateLimits *limits, GError **error)
{
    PythonRuntime *runtime = engine_runtime_find (scope->process);
    PythonLimits shown = get_limits (limits);
    JobValue *value = runtime != NULL
                          ? python_object_evaluate (runtime, object, rest, &shown, error)
                          : NULL;

    if (value != NULL) {
        g_free (value->name);
        value->name = g_strdup (text);
        end_parts (value);
        engine_inspect_apply_letter (value, limits->letter);
    }
    return value;
}

gboolean
engine_inspect_evaluate_item (EngineNative *scope, const char *text,
                              const EvaluateLimits *limits, JobValue **ret_value,
                              GError **error)
{
    gsize at = find_subscript (text);
    g_autofree char *base = g_strndup (text, at), *rest = NULL, *written = NULL;
    guint64 object = at > 0 && engine_inspect_is_object (scope, base)
                             && engine_runtime_find (scope->process) != NULL
                         ? find_object (scope, base, limits)
                         : 0;

    if (object == 0)
        return FALSE;
    written = write_values (scope, text + at);
    rest = g_strconcat ("_", written, NULL);
    *ret_value = evaluate_in_python (scope, object, text, rest, limits, error);
    return TRUE;
}

JobValue *
engine_inspect_evaluate_global (EngineNative *scope, const char *text,
                                const EvaluateLimits *limits)
{
    gsize n = strspn (text, NAME);
    g_autofree char *name = g_strndup (text, n), *rest = NULL, *written = NULL;
    guint64 names;

    if (n == 0 || g_ascii_isdigit (*text) || strchr (".[", text[n]) == NULL
        || !is_cython (scope)
        || index_client_bind (scope->process->symbols, stack_module_get_file (scope->module),
                              scope->lookup, scope->inline_depth, name, NULL)
               != NULL)
        return NULL;
    names = find_object (scope, "__pyx_d", limits);
    if (names == 0) /* since Cython 3, if the module's state is one structure */
        names = find_object (scope, "__pyx_mstate_global->__pyx_d", limits);
    if (names == 0)
        return NULL;
    written = write_values (scope, text + n);
    rest = g_strdup_printf ("_[\"%s\"]%s", name, written);
    return evaluate_in_python (scope, names, text, rest, limits, NULL);
}

void
engine_inspect_read_object (EngineProcess *process, const EvaluateLimits *limits,
                            JobValue **value)
{
    PythonLimits shown = get_limits (limits);
    const char *address = *value != NULL && (*value)->text != NULL && !(*value)->is_problem
                                  && limits->letter == '\0'
                                  && engine_inspect_is_object_type ((*value)->type)
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
    if (*value != NULL && engine_inspect_is_object_type ((*value)->type) && is_cython (scope))
        engine_inspect_read_object (scope->process, limits, value);
}
