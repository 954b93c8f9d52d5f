/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One line for each stack, "a;b;c N" with N samples, or µs of a trace, as flamegraph.pl and many others read it. */
#include "profile/export/private.h"

/* The file tells apart functions of one name. A semicolon would be a call. */
static char *
format_function (const ProfileExportFunction *function)
{
    g_autofree char *file = g_path_get_basename (function->file);
    char *text = *function->file != '\0' ? g_strdup_printf ("%s (%s)", function->name, file)
                                         : g_strdup (function->name);

    return g_strdelimit (text, ";\n\r", ':');
}

gboolean
profile_export_collapsed (const ProfileExportTable *table, const char *path, GError **error)
{
    g_autoptr (ProfileExportStacks) stacks = profile_export_stacks_new (table);
    g_autoptr (ProfileExportCosts) costs = profile_export_costs_new (table, PROFILE_ALL_RANKS);
    g_autofree guint64 *samples = g_new0 (guint64, stacks->stacks->len);
    g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
    g_autoptr (GArray) ends = g_array_new (FALSE, TRUE, sizeof (gsize));
    GString *text = g_string_new (NULL), *stack = g_string_new (NULL);
    gboolean ok;

    for (guint32 number = 0; number < table->n_contexts; number++) {
        samples[stacks->stack_of[number]]
            += table->is_traced ? (guint64) (costs->seconds[number] * G_USEC_PER_SEC + 0.5)
                                : costs->samples[number];
    }
    for (guint32 i = 0; i < table->functions->len; i++) {
        g_ptr_array_add (names, format_function (profile_export_table_get (table, i)));
    }
    if (samples[0] > 0) {
        g_string_append_printf (text, "%s %" G_GUINT64_FORMAT "\n",
                                (char *) g_ptr_array_index (names, 0), samples[0]);
    }
    for (guint32 i = 0; i + 1 < stacks->stacks->len; i++) {
        const ProfileExportStack *at = profile_export_stacks_get (stacks, stacks->order[i]);

        g_array_set_size (ends, at->depth + 1);
        g_string_truncate (stack, g_array_index (ends, gsize, at->depth - 1));
        g_string_append_printf (stack, "%s%s", at->depth > 1 ? ";" : "",
                                (char *) g_ptr_array_index (names, at->function));
        g_array_index (ends, gsize, at->depth) = stack->len;
        if (samples[stacks->order[i]] > 0) {
            g_string_append_printf (text, "%s %" G_GUINT64_FORMAT "\n", stack->str,
                                    samples[stacks->order[i]]);
        }
    }
    ok = profile_text_save (path, text->str, text->len, error);
    g_string_free (text, TRUE);
    g_string_free (stack, TRUE);
    return ok;
}
