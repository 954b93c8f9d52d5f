/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A row for each function of all ranks, and then of each rank. */
#include "profile/export/private.h"

/* An empty field: nobody knows. */
static void
append_counts (GString *text, const ProfileExportCosts *costs, guint32 function)
{
    for (guint i = 0; i < JOB_N_COUNTS; i++) {
        g_string_append_c (text, ',');
        if (costs->counted & 1u << i) {
            g_string_append_printf (text, "%" G_GUINT64_FORMAT,
                                    costs->counts[function].values[i]);
        }
    }
}

static void
append_head (GString *text, gboolean is_traced)
{
    g_string_append (text, "rank,function,file,line,language,self_s,total_s,");
    g_string_append (text, is_traced ? "calls,primitive_calls" : "self_samples,total_samples");
    for (guint i = 0; i < JOB_N_COUNTS && !is_traced; i++) {
        g_string_append_printf (text, ",self_%s",
                                job_metric_get_info (job_count_get_metric (i))->name);
    }
    g_string_append (text, "\r\n");
}

static void
append_rows (GString *text, const ProfileExportTable *table, guint index, const char *rank)
{
    g_autoptr (ProfileExportCosts) costs = profile_export_costs_new (table, index);

    for (guint32 i = 0; i < table->functions->len; i++) {
        const ProfileExportFunction *function = profile_export_table_get (table, i);
        const ProfileExportCost *cost = &costs->functions[i];

        if (profile_export_cost_is_nothing (cost)) {
            continue;
        }
        g_string_append_printf (text, "%s,", rank);
        profile_text_append_csv (text, function->name);
        g_string_append_c (text, ',');
        profile_text_append_csv (text, function->file);
        g_string_append_printf (text, ",%u,%s,", function->line,
                                job_language_get_name (function->language));
        profile_text_append_number (text, cost->self, 6);
        g_string_append_c (text, ',');
        profile_text_append_number (text, cost->total, 6);
        g_string_append_printf (text, ",%" G_GUINT64_FORMAT ",%" G_GUINT64_FORMAT,
                                table->is_traced ? cost->n_total : cost->n_self,
                                table->is_traced ? cost->n_primitive : cost->n_total);
        if (!table->is_traced) {
            append_counts (text, costs, i);
        }
        g_string_append (text, "\r\n");
    }
}

gboolean
profile_export_csv (const ProfileExportTable *table, const char *path, GError **error)
{
    GString *text = g_string_new (NULL);
    gboolean ok;

    append_head (text, table->is_traced);
    append_rows (text, table, PROFILE_ALL_RANKS, "all");
    for (guint i = 0; i < profile_model_get_n_ranks (table->model); i++) {
        g_autofree char *rank
            = profile_model_is_child (table->model, i)
                  ? profile_model_format_rank (BASE_TEXT_ENGLISH, table->model, i)
                  : g_strdup_printf ("%u", profile_model_get_rank (table->model, i));

        append_rows (text, table, i, rank);
    }
    ok = profile_text_save (path, text->str, text->len, error);
    g_string_free (text, TRUE);
    return ok;
}
