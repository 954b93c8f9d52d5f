/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fills in the blanks of a type's text: bounds and lengths known only at run time. */

#include "evaluate/program-private.h"

#define MAX_DIMENSIONS 16

static gboolean
is_text (const EvaluateRun *run, const EvaluateType *array)
{
    return (array->flags & EVALUATE_TYPE_FORTRAN) != 0
           && evaluate_run_get_type (run, array->target)->kind == EVALUATE_TYPE_UCHAR;
}

/* One dimension as it is written; NULL: it is not known. */
static char *
write_dimension (EvaluateRun *run, const EvaluateValue *value, guint level,
                 const EvaluateType *array)
{
    gboolean is_cut = level < value->n_sections,
             is_fortran = (array->flags & EVALUATE_TYPE_FORTRAN) != 0;
    gint64 lower, count;

    lower = is_cut ? 1 : evaluate_run_find_lower (run, array);
    if (!is_cut && is_fortran && array->count == G_MAXUINT64
        && array->codes[EVALUATE_CODE_UPPER].size == 0)
        return lower == 1 ? g_strdup ("*") : g_strdup_printf ("%" G_GINT64_FORMAT ":*", lower);
    if (!is_cut && !evaluate_run_knows_count (run, array))
        return NULL;
    count = is_cut ? value->sections[level].count
                   : (gint64) evaluate_run_find_count (run, array);
    if (!is_fortran)
        return g_strdup_printf ("[%" G_GINT64_FORMAT "]", count);
    return lower == 1 ? g_strdup_printf ("%" G_GINT64_FORMAT, count)
                      : g_strdup_printf ("%" G_GINT64_FORMAT ":%" G_GINT64_FORMAT, lower,
                                         lower + count - 1);
}

static char *
write_bounds (EvaluateRun *run, const EvaluateValue *value, guint n_dimensions)
{
    const EvaluateType *array = evaluate_run_get_type (run, value->type);
    gboolean is_fortran = (array->flags & EVALUATE_TYPE_FORTRAN) != 0;
    g_autoptr (GString) text = g_string_new (NULL);

    for (guint i = 0; i < n_dimensions;
         i++, array = evaluate_run_get_type (run, array->target)) {
        g_autofree char *dimension = array->kind == EVALUATE_TYPE_ARRAY
                                         ? write_dimension (run, value, i, array)
                                         : NULL;
        if (dimension == NULL)
            return NULL;
        /* the outermost first: C's first, Fortran's last */
        if (is_fortran) {
            g_string_prepend (text, i > 0 ? "," : "");
            g_string_prepend (text, dimension);
        } else {
            g_string_append (text, dimension);
        }
    }
    return is_fortran ? g_strdup_printf ("(%s)", text->str) : g_strdup (text->str);
}

/* NULL: it is not known. */
static char *
fill_in (const EvaluateProgram *program, const EvaluateContext *context, const guint8 *code,
         gsize size, guint64 n_dimensions)
{
    static const EvaluateLimits limits = EVALUATE_LIMITS_DEFAULT;
    g_auto (EvaluateRun) run = { program, context, &limits, 0 };
    EvaluateValue value = { 0 };
    const EvaluateType *type;
    char *text = NULL;

    if (n_dimensions > MAX_DIMENSIONS || !evaluate_run_code (&run, code, size, &value, NULL))
        return NULL;
    guint rank;
    if (n_dimensions == 0
        && (evaluate_run_get_type (&run, value.type)->flags & EVALUATE_TYPE_RANKED)) {
        gboolean is_known = evaluate_run_take_rank (&run, &value, &rank)
                            && evaluate_run_resolve (&run, &value);

        text = is_known ? rank > 0 ? write_bounds (&run, &value, rank) : g_strdup ("") : NULL;
        evaluate_value_clear (&value);
        return text;
    }
    type = evaluate_run_get_type (&run, value.type);
    if (type->kind == EVALUATE_TYPE_ARRAY) {
        /* bounds that lie in the frame are known though the array is not */
        gboolean is_there = evaluate_run_resolve (&run, &value);
        gboolean is_described = type->codes[EVALUATE_CODE_DATA].size > 0
                                || type->codes[EVALUATE_CODE_EXISTS].size > 0;

        if (n_dimensions == 0 && is_text (&run, type) && value.n_sections > 0)
            text = g_strdup_printf ("character (%" G_GINT64_FORMAT ")",
                                    value.sections[0].count);
        else if (n_dimensions == 0 && is_text (&run, type)
                 && evaluate_run_knows_count (&run, type))
            text = g_strdup_printf ("character*%" G_GUINT64_FORMAT,
                                    evaluate_run_find_count (&run, type));
        else if (n_dimensions > 0 && (is_there || !is_described))
            text = write_bounds (&run, &value, (guint) n_dimensions);
    }
    evaluate_value_clear (&value);
    return text;
}

/* What is filled in, by the blanks' numbers; NULL where it is not known. */
static GPtrArray *
fill_all (const EvaluateProgram *program, const EvaluateContext *context)
{
    BaseCursor cursor = BASE_CURSOR_INIT (program->code, program->code_size);
    GPtrArray *texts = g_ptr_array_new_with_free_func (g_free);

    while (base_cursor_get_left (&cursor) > 0) {
        guint64 n_dimensions = base_cursor_read_uleb (&cursor),
                size = base_cursor_read_uleb (&cursor);
        const guint8 *code = base_cursor_read_bytes (&cursor, size);

        if (cursor.failed || code == NULL)
            break;
        g_ptr_array_add (texts, context != NULL
                                    ? fill_in (program, context, code, size, n_dimensions)
                                    : NULL);
    }
    return texts;
}

char *
evaluate_program_write_type (const EvaluateProgram *program, const EvaluateContext *context)
{
    static const char mark[] = { EVALUATE_BLANK_MARK, 0 };
    g_autoptr (GPtrArray) texts = fill_all (program, context);
    g_auto (GStrv) pieces = g_strsplit (program->name, mark, -1);
    GString *whole = g_string_new (NULL);

    /* text, number, otherwise, text, number, otherwise, text */
    for (guint i = 0; pieces[i] != NULL; i += 3) {
        g_string_append (whole, pieces[i]);
        if (pieces[i + 1] == NULL || pieces[i + 2] == NULL)
            break;
        guint64 number = g_ascii_strtoull (pieces[i + 1], NULL, 10);
        const char *known = number < texts->len ? g_ptr_array_index (texts, number) : NULL;
        g_string_append (whole, known != NULL ? known : pieces[i + 2]);
    }
    return g_string_free (whole, FALSE);
}
