/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What cProfile writes and pstats reads: a dictionary in CPython's marshal format
 * (Python/marshal.c), and the table that pstats prints of it. */
#include "profile/export/private.h"
#include <string.h>

static void
put_u32 (GByteArray *to, guint32 number)
{
    guint32 bytes = GUINT32_TO_LE (number);

    g_byte_array_append (to, (const guint8 *) &bytes, sizeof bytes);
}

static void
put_type (GByteArray *to, char type)
{
    g_byte_array_append (to, (const guint8 *) &type, 1);
}

static void
put_text (GByteArray *to, const char *text)
{
    gsize size = MIN (strlen (text), G_MAXINT32);

    put_type (to, 'u');
    put_u32 (to, (guint32) size);
    g_byte_array_append (to, (const guint8 *) text, (guint) size);
}

/* What has no place in 32 bits is a list of digits of 15 bits, the lowest first. */
static void
put_integer (GByteArray *to, guint64 number)
{
    guint32 n_digits = 0;

    if (number <= G_MAXINT32) {
        put_type (to, 'i');
        put_u32 (to, (guint32) number);
        return;
    }
    for (guint64 rest = number; rest > 0; rest >>= 15) {
        n_digits++;
    }
    put_type (to, 'l');
    put_u32 (to, n_digits);
    for (; number > 0; number >>= 15) {
        const guint8 digit[] = { number & 0xff, number >> 8 & 0x7f };

        g_byte_array_append (to, digit, sizeof digit);
    }
}

static void
put_double (GByteArray *to, double number)
{
    guint64 bytes;

    memcpy (&bytes, &number, sizeof bytes);
    bytes = GUINT64_TO_LE (bytes);
    put_type (to, 'g');
    g_byte_array_append (to, (const guint8 *) &bytes, sizeof bytes);
}

static void
put_tuple (GByteArray *to, guint32 n_items)
{
    put_type (to, '(');
    put_u32 (to, n_items);
}

static void
put_function (GByteArray *to, const ProfileExportFunction *function)
{
    put_tuple (to, 3);
    put_text (to, *function->file != '\0' ? function->file : "~");
    put_integer (to, function->line);
    put_text (to, function->short_name);
}

/* Primitive and all calls, own and whole time. Of a caller they come in the other order. */
static void
put_cost (GByteArray *to, const ProfileExportCost *cost, gboolean is_caller)
{
    put_integer (to, is_caller ? cost->n_total : cost->n_primitive);
    put_integer (to, is_caller ? cost->n_primitive : cost->n_total);
    put_double (to, cost->self);
    put_double (to, cost->total);
}

/* Numbers of calls, each by its callee. */
static GArray *
sort_calls (const ProfileExportTable *table, guint32 *first)
{
    guint n = table->functions->len;
    GArray *calls = g_array_sized_new (FALSE, TRUE, sizeof (guint32), table->calls->len);
    g_autofree guint32 *next = g_new0 (guint32, (gsize) n + 1);

    g_array_set_size (calls, table->calls->len);
    for (guint i = 0; i < table->calls->len; i++) {
        first[g_array_index (table->calls, ProfileExportCall, i).callee + 1]++;
    }
    for (guint i = 1; i <= n; i++) {
        first[i] += first[i - 1];
    }
    memcpy (next, first, ((gsize) n + 1) * sizeof *next);
    for (guint32 i = 0; i < table->calls->len; i++) {
        guint32 callee = g_array_index (table->calls, ProfileExportCall, i).callee;

        g_array_index (calls, guint32, next[callee]++) = i;
    }
    return calls;
}

static GByteArray *
format_profile (const ProfileExportTable *table, const ProfileExportCosts *costs,
                const GArray *calls, const guint32 *first)
{
    GByteArray *to = g_byte_array_new ();

    put_type (to, '{');
    for (guint32 i = 0; i < table->functions->len; i++) {
        if (profile_export_cost_is_nothing (&costs->functions[i])) {
            continue;
        }
        put_function (to, profile_export_table_get (table, i));
        put_tuple (to, 5);
        put_cost (to, &costs->functions[i], FALSE);
        put_type (to, '{');
        for (guint32 j = first[i]; j < first[i + 1]; j++) {
            guint32 call = g_array_index (calls, guint32, j);

            if (!profile_export_cost_is_nothing (&costs->calls[call])) {
                guint32 caller = g_array_index (table->calls, ProfileExportCall, call).caller;

                put_function (to, profile_export_table_get (table, caller));
                put_tuple (to, 4);
                put_cost (to, &costs->calls[call], TRUE);
            }
        }
        put_type (to, '0');
    }
    put_type (to, '0');
    return to;
}

/* ---- the table ---- */

static gint
compare_own (gconstpointer a, gconstpointer b, gpointer user)
{
    const ProfileExportCosts *costs = user;
    const ProfileExportCost *left = &costs->functions[*(const guint32 *) a];
    const ProfileExportCost *right = &costs->functions[*(const guint32 *) b];

    return (left->self < right->self) - (left->self > right->self);
}

static void
append_column (GString *text, double number)
{
    gsize begin = text->len;

    profile_text_append_number (text, number, 3);
    while (text->len - begin < 8) {
        g_string_insert_c (text, (gssize) begin, ' ');
    }
    g_string_append_c (text, ' ');
}

/* "5", or "242785/1" where some are made inside others, as pstats has it. */
static void
append_calls (GString *text, const ProfileExportCost *cost)
{
    g_autofree char *all = g_strdup_printf ("%" G_GUINT64_FORMAT, cost->n_total);
    g_autofree char *both = g_strdup_printf ("%s/%" G_GUINT64_FORMAT, all, cost->n_primitive);

    g_string_append_printf (text, "%9s ", cost->n_primitive != cost->n_total ? both : all);
}

static void
append_row (GString *text, const ProfileExportFunction *function, const ProfileExportCost *cost)
{
    double n = (double) MAX (cost->n_total, 1),
           n_primitive = (double) MAX (cost->n_primitive, 1);

    append_calls (text, cost);
    append_column (text, cost->self);
    append_column (text, cost->self / n);
    append_column (text, cost->total);
    append_column (text, cost->total / n_primitive);
    g_string_append_printf (text, "%s:%u(%s)\n", *function->file != '\0' ? function->file : "~",
                            function->line, function->short_name);
}

static GString *
format_table (const ProfileExportTable *table, const ProfileExportCosts *costs)
{
    GString *text = g_string_new (NULL);
    g_autoptr (GArray) order = g_array_new (FALSE, FALSE, sizeof (guint32));

    for (guint32 i = 0; i < table->functions->len; i++) {
        if (!profile_export_cost_is_nothing (&costs->functions[i])) {
            g_array_append_val (order, i);
        }
    }
    g_array_sort_with_data (order, compare_own, (gpointer) costs);
    g_string_append_printf (text, "         %" G_GUINT64_FORMAT " %s in ", costs->n_samples,
                            table->is_traced ? "function calls" : "samples");
    profile_text_append_number (text, costs->total, 3);
    g_string_append (text, " seconds\n\n   Ordered by: internal time\n");
    if (!table->is_traced) {
        g_string_append (
            text,
            "   ncalls is the number of samples that had the function on the stack: a sampled "
            "profile counts no calls.\n"
            "   A line is the one where most of the function's own time went.\n");
    }
    g_string_append (
        text, "\n   ncalls  tottime  percall  cumtime  percall filename:lineno(function)\n");
    for (guint i = 0; i < order->len; i++) {
        guint32 number = g_array_index (order, guint32, i);

        append_row (text, profile_export_table_get (table, number), &costs->functions[number]);
    }
    return text;
}

static char *
dup_table_path (const char *path)
{
    gsize stem = g_str_has_suffix (path, ".prof") ? strlen (path) - strlen (".prof")
                                                  : strlen (path);

    return g_strdup_printf ("%.*s.txt", (int) stem, path);
}

static gboolean
save_rank (const ProfileExportTable *table, guint index, const char *path, const GArray *calls,
           const guint32 *first, GError **error)
{
    g_autoptr (ProfileExportCosts) costs = profile_export_costs_new (table, index);
    g_autoptr (GByteArray) profile = format_profile (table, costs, calls, first);
    g_autofree char *table_path = dup_table_path (path);
    GString *text = format_table (table, costs);
    gboolean ok = profile_text_save (path, profile->data, profile->len, error)
                  && profile_text_save (table_path, text->str, text->len, error);

    g_string_free (text, TRUE);
    return ok;
}

gboolean
profile_export_pstats (const ProfileExportTable *table, const char *path, GError **error)
{
    g_autofree guint32 *first = g_new0 (guint32, (gsize) table->functions->len + 1);
    g_autoptr (GArray) calls = sort_calls (table, first);
    gboolean ok = save_rank (table, PROFILE_ALL_RANKS, path, calls, first, error);

    for (guint i = 0; ok && i < profile_model_get_n_ranks (table->model); i++) {
        g_autofree char *rank_path
            = profile_export_dup_rank_path (table->model, path,
                                            profile_model_get_rank (table->model, i));

        ok = save_rank (table, i, rank_path, calls, first, error);
    }
    return ok;
}
