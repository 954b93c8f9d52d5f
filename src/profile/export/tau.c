/* SPDX-License-Identifier: GPL-3.0-or-later */
/* TAU's profiles, one file for each rank: "profile.RANK.0.0" with a line for each function: name,
 * calls, calls that it has made, own and whole time in µs, and its group. */
#include "profile/export/private.h"

#define WHOLE ".TAU application" /* what TAU calls all of it */

/* Nothing in a name can be escaped. */
static void
append_name (GString *text, const ProfileExportFunction *function)
{
    g_autofree char *name = g_strdelimit (g_strdup (function->name), "\"\n\r", '\'');
    g_autofree char *file = g_strdelimit (g_strdup (function->file), "\"\n\r{}", '\'');

    g_string_append_printf (text, "\"%s", name);
    if (*file != '\0') {
        g_string_append_printf (text, " [{%s} {%u,0}]", file, function->line);
    }
    g_string_append (text, "\" ");
}

static const char *
choose_group (const ProfileExportFunction *function)
{
    if (g_str_has_prefix (function->name, "MPI_")
        || g_str_has_prefix (function->name, "PMPI_")) {
        return "MPI";
    }
    return function->language == JOB_LANGUAGE_PYTHON ? "TAU_PYTHON" : "TAU_USER";
}

static void
append_numbers (GString *text, guint64 calls, guint64 inner, double self, double total,
                const char *group)
{
    g_string_append_printf (text, "%" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT " ", calls, inner);
    profile_text_append_number (text, self * G_USEC_PER_SEC, 0);
    g_string_append_c (text, ' ');
    profile_text_append_number (text, total * G_USEC_PER_SEC, 0);
    g_string_append_printf (text, " 0 GROUP=\"%s\"\n", group);
}

/* TAU's metadata: the number of a child process is no rank's. */
static void
append_process (GString *text, const ProfileModel *model, guint index)
{
    g_autofree char *name = NULL, *escaped = NULL;

    if (profile_model_is_child (model, index)) {
        name = profile_model_format_rank (BASE_TEXT_ENGLISH, model, index);
        escaped = g_markup_escape_text (name, -1);
        g_string_append_printf (text,
                                " <metadata><attribute><name>Process</name><value>%s</value>"
                                "</attribute></metadata>",
                                escaped);
    }
}

static GString *
format_rank (const ProfileExportTable *table, guint index)
{
    g_autoptr (ProfileExportCosts) costs = profile_export_costs_new (table, index);
    GString *text = g_string_new (NULL);
    guint n = 1;

    for (guint32 i = 0; i < table->functions->len; i++) {
        n += !profile_export_cost_is_nothing (&costs->functions[i]);
    }
    g_string_append_printf (text,
                            "%u templated_functions_MULTI_TIME\n"
                            "# Name Calls Subrs Excl Incl ProfileCalls #",
                            n);
    append_process (text, table->model, index);
    g_string_append (text, "\n\"" WHOLE "\" ");
    append_numbers (text, 1, costs->n_samples, 0, costs->total, "TAU_DEFAULT");
    for (guint32 i = 0; i < table->functions->len; i++) {
        const ProfileExportFunction *function = profile_export_table_get (table, i);
        const ProfileExportCost *cost = &costs->functions[i];

        if (!profile_export_cost_is_nothing (cost)) {
            append_name (text, function);
            append_numbers (text, cost->n_total, cost->n_inner, cost->self, cost->total,
                            choose_group (function));
        }
    }
    g_string_append (text, "0 aggregates\n0 userevents\n");
    return text;
}

gboolean
profile_export_tau (const ProfileExportTable *table, const char *path, GError **error)
{
    if (!g_file_test (path, G_FILE_TEST_IS_DIR) && !profile_export_make_folder (path, error)) {
        return FALSE;
    }
    for (guint i = 0; i < profile_model_get_n_ranks (table->model); i++) {
        g_autofree char *file = g_strdup_printf ("%s/profile.%u.0.0", path,
                                                 profile_model_get_rank (table->model, i));
        GString *text = format_rank (table, i);
        gboolean ok = profile_text_save (file, text->str, text->len, error);

        g_string_free (text, TRUE);
        if (!ok) {
            return FALSE;
        }
    }
    return TRUE;
}
