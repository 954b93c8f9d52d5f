/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fortran's namelists, and its CLASS variables, whose dynamic type only the rank knows: the symbol that their _vptr points to
 * names it. */
#include "engine/inspect/private.h"
#include <string.h>

#define MAX_OBJECTS 32u /* in one expression */
#define NAME_LETTERS                                                                           \
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_" /* of Fortran */

static JobValue *
evaluate (EngineNative *scope, const char *text)
{
    EvaluateLimits limits = EVALUATE_LIMITS_DEFAULT;
    const EvaluateProgram *program = index_client_bind (scope->process->symbols,
                                                        stack_module_get_file (scope->module),
                                                        scope->lookup, scope->inline_depth,
                                                        text, NULL);

    return program != NULL ? evaluate_program_run (program, &scope->context, &limits, NULL)
                           : NULL;
}

/* "shapes_Ring" of "(…) 0x5555555591e0 <__shapes_MOD___vtab_shapes_Ring>"; NULL. Caller owns. */
static char *
dup_vtab (const char *shown)
{
    static const char word[] = "__vtab_";
    const char *from = shown != NULL ? strstr (shown, word) : NULL;
    gsize length = from != NULL ? strcspn (from + strlen (word), ".+>") : 0;
    const char *end = from != NULL ? from + strlen (word) + length : NULL;

    /* a number makes the name of a local one unique */
    return length > 0 && *end != '+' ? g_strndup (from + strlen (word), length) : NULL;
}

/* What the object, or the element of an array, is; NULL: it is no CLASS variable, or nothing is known. Caller owns. */
static char *
find_class (EngineNative *scope, const char *object)
{
    const char *bracket = g_str_has_suffix (object, ")") ? object + strlen (object) - 1 : NULL;
    int depth = 0;

    for (guint i = 0; i < 2; i++) {
        g_autofree char *text = g_strconcat (object, "%_vptr", NULL);
        g_autofree char *array = NULL;
        g_autoptr (JobValue) value = NULL;

        if (i > 0) {
            for (; bracket != NULL && bracket > object; bracket--) {
                depth += (*bracket == ')') - (*bracket == '(');
                if (depth == 0) {
                    break;
                }
            }
            if (bracket == NULL || bracket == object) {
                return NULL;
            }
            array = g_strndup (object, (gsize) (bracket - object));
            g_free (text);
            text = g_strconcat (array, "%_vptr", NULL);
        }
        value = evaluate (scope, text);
        if (value != NULL && !value->is_problem) {
            return dup_vtab (value->text);
        }
    }
    return NULL;
}

static gboolean
is_name (char c)
{
    return g_ascii_isalnum (c) || c == '_' || c == '$';
}

/* Where the object begins whose component stands behind `end`: a%b(i,j), with what was put before brackets here. */
static gsize
find_beginning (const char *text, gsize end)
{
    gsize at = end;

    for (;;) {
        while (at > 0 && text[at - 1] == ' ') {
            at--;
        }
        while (at > 0 && text[at - 1] == ')') {
            int depth = 0;

            do {
                at--;
                depth += (text[at] == ')') - (text[at] == '(');
            } while (at > 0 && depth > 0);
        }
        while (at > 0 && is_name (text[at - 1])) {
            at--;
        }
        if (at > 0 && text[at - 1] == EVALUATE_CLASS_MARK) {
            for (at--; at > 0 && text[at - 1] != EVALUATE_CLASS_MARK; at--) {
            }
            return at > 0 ? at - 1 : 0;
        }
        if (at == 0 || text[at - 1] != '%') {
            return at;
        }
        at--;
    }
}

/* The text with each CLASS object whose component is taken as what it is now. NULL: there is none, or nothing is known of
 * them. Caller owns. */
static char *
dup_dynamic (EngineNative *scope, const char *text)
{
    g_autoptr (GString) whole = g_string_new (text);
    guint n = 0;
    char quote = '\0';

    for (gsize at = 0; at < whole->len && n < MAX_OBJECTS; at++) {
        char c = whole->str[at];

        if (quote != '\0' || c == '"' || c == '\'') {
            quote = quote == '\0' ? c : c == quote ? '\0' : quote;
        } else if (c == '%') {
            gsize begin = find_beginning (whole->str, at);
            g_autofree char *object = g_strstrip (g_strndup (whole->str + begin, at - begin));
            g_autofree char *class = *object != '\0' ? find_class (scope, object) : NULL;
            g_autofree char *known = class != NULL
                                         ? g_strdup_printf ("%c%s%c(%s)", EVALUATE_CLASS_MARK,
                                                            class, EVALUATE_CLASS_MARK, object)
                                         : NULL;

            if (known != NULL) {
                g_string_erase (whole, (gssize) begin, (gssize) (at - begin));
                g_string_insert (whole, (gssize) begin, known);
                at = begin + strlen (known);
                n++;
            }
        }
    }
    return n > 0 ? g_strdup (whole->str) : NULL;
}

const EvaluateProgram *
engine_inspect_bind_dynamic (EngineNative *scope, const char *text, GError **error)
{
    g_autofree char *dynamic = g_error_matches (*error, BASE_ERROR, BASE_ERROR_INVALID)
                                       && strchr (text, '%') != NULL
                                   ? dup_dynamic (scope, text)
                                   : NULL;
    const EvaluateProgram *program
        = dynamic != NULL
              ? index_client_bind (scope->process->symbols,
                                   stack_module_get_file (scope->module), scope->lookup,
                                   scope->inline_depth, dynamic, NULL)
              : NULL;

    if (program != NULL) {
        g_clear_error (error);
    }
    return program;
}

JobValue *
engine_inspect_evaluate_class (EngineNative *scope, const EvaluateProgram *program,
                               const char *text, const EvaluateLimits *limits)
{
    const char *type = evaluate_program_get_type_name (program);
    g_autofree char *class = type != NULL && strstr (type, "__class_") != NULL
                                 ? find_class (scope, text)
                                 : NULL;
    g_autofree char *known = class != NULL ? g_strdup_printf ("%c%s%c(%s)", EVALUATE_CLASS_MARK,
                                                              class, EVALUATE_CLASS_MARK, text)
                                           : NULL;
    const EvaluateProgram *better
        = known != NULL ? index_client_bind (scope->process->symbols,
                                             stack_module_get_file (scope->module),
                                             scope->lookup, scope->inline_depth, known, NULL)
                        : NULL;
    JobValue *value = better != NULL
                          ? evaluate_program_run (better, &scope->context, limits, NULL)
                          : NULL;

    if (value == NULL || value->is_problem) {
        job_value_free (value);
        return NULL;
    }
    if (value->text != NULL) {
        g_autofree char *plain = value->text;
        const char *name = evaluate_program_get_type_name (better);

        name += g_str_has_prefix (name, "struct ") ? strlen ("struct ") : 0;
        value->text = g_strdup_printf ("(%s) %s", name, plain);
        value->is_number = FALSE;
    }
    return value;
}

/* ---- namelists ---- */

/* Names of the variables of the namelist that the text is; NULL: it is none. Caller owns. */
static char **
find_members (EngineNative *scope, const char *name)
{
    return name[0] == '\0' || name[strspn (name, NAME_LETTERS)] != '\0'
               ? NULL
               : index_client_find_namelist (scope->process->symbols,
                                             stack_module_get_file (scope->module),
                                             scope->lookup, scope->inline_depth, name);
}

/* A line of a type, "integer(kind=4) :: v(5)" of "integer(kind=4) (5)". */
static void
append_member (EngineNative *scope, GString *text, const char *name)
{
    const EvaluateProgram *program
        = index_client_bind_type (scope->process->symbols,
                                  stack_module_get_file (scope->module), scope->lookup,
                                  scope->inline_depth, name, FALSE, NULL);
    g_autofree char *type = program != NULL
                                ? evaluate_program_write_type (program, &scope->context)
                                : g_strdup ("<not known>");
    char *bounds = strncmp (type, "PTR TO", 6) != 0 ? strrchr (type, ' ') : NULL;

    if (bounds != NULL && bounds[1] == '(') {
        *bounds++ = '\0';
    } else {
        bounds = NULL;
    }
    g_string_append_printf (text, "\n    %s :: %s%s", type, name, bounds != NULL ? bounds : "");
}

char *
engine_inspect_write_namelist (EngineNative *scope, const char *asked, gboolean expand)
{
    g_autofree char *name = g_strstrip (g_strdup (asked));
    g_auto (GStrv) names = find_members (scope, name);
    GString *text;

    if (names == NULL) {
        return NULL;
    }
    text = g_string_new (NULL);
    g_string_printf (text, "Type %s", name);
    for (guint i = 0; expand && names[i] != NULL; i++) {
        if (names[i][0] == '?') {
            g_string_append_printf (text,
                                    "\n    <hidden by another variable of that name> :: %s",
                                    names[i] + 1);
        } else {
            append_member (scope, text, names[i]);
        }
    }
    if (expand) {
        g_string_append_printf (text, "\nEnd Type %s", name);
    }
    return g_string_free (text, FALSE);
}

JobValue *
engine_inspect_evaluate_namelist (EngineNative *scope, const char *asked,
                                  const EvaluateLimits *limits)
{
    IndexClient *symbols = scope->process->symbols;
    g_autofree char *path = g_strdup (stack_module_get_file (scope->module));
    g_autofree char *name = g_strstrip (g_strdup (asked));
    g_auto (GStrv) names = find_members (scope, name);
    JobValue *list;
    GString *text;

    if (names == NULL)
        return NULL;
    list = job_value_new (name, "namelist", "");
    text = g_string_new ("( ");
    for (guint i = 0; names[i] != NULL; i++) {
        const EvaluateProgram *program = names[i][0] != '?'
                                             ? index_client_bind (symbols, path, scope->lookup,
                                                                  scope->inline_depth, names[i],
                                                                  NULL)
                                             : NULL;
        JobValue *value = program != NULL
                              ? evaluate_program_run (program, &scope->context, limits, NULL)
                              : NULL;

        g_string_append_printf (text, "%s%s = %s", i > 0 ? ", " : "",
                                names[i] + (names[i][0] == '?'),
                                value != NULL ? value->text
                                : names[i][0] == '?'
                                    ? "<hidden by another variable of that name>"
                                    : "<not known>");
        g_clear_pointer (&value, job_value_free);
    }
    g_string_append (text, " )");
    g_free (list->text);
    list->text = g_string_free (text, FALSE);
    return list;
}
