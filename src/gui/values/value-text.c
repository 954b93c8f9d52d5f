/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gui/values/value-text.h"
#include <glib/gi18n.h>
#include <string.h>

enum { MAX_TEXT = 120 };

JobRankSet *
gui_value_text_dup_ranks (const JobValueRow *row)
{
    JobRankSet *set = job_rank_set_new ();

    for (guint i = 0; i < row->groups->len; i++) {
        job_rank_set_merge (set, ((JobValueGroup *) row->groups->pdata[i])->ranks);
    }
    return set;
}

char *
gui_value_text_format_across (const JobValueRow *row, const JobRankSet *everybody)
{
    g_autoptr (JobRankSet) ranks = gui_value_text_dup_ranks (row);
    JobValueSummary summary;

    if (row->groups->len <= 1 && !job_rank_set_equal (ranks, everybody)) {
        g_autofree char *text = job_rank_set_format_brief (ranks);

        return g_strdup_printf (_ ("only %s"), text);
    }
    if (row->groups->len <= 1) {
        return g_strdup (_ ("same"));
    }
    if (job_value_row_summarise (row, &summary)) {
        gboolean is_integer = job_value_row_is_integer (row);
        g_autofree char *min = job_value_format_number (summary.min, is_integer);
        g_autofree char *max = job_value_format_number (summary.max, is_integer);
        char *text = g_strdup_printf ("[%s..%s]", min, max);

        job_value_summary_clear (&summary);
        return text;
    }
    return g_strdup_printf (ngettext ("%u value", "%u values", row->groups->len),
                            row->groups->len);
}

static char *
shorten (const char *text)
{
    g_autofree char *valid = g_utf8_make_valid (text != NULL ? text : "", -1);

    if (g_utf8_strlen (valid, -1) > MAX_TEXT) {
        g_autofree char *head = g_utf8_substring (valid, 0, MAX_TEXT);

        return g_strconcat (head, "…", NULL);
    }
    return g_steal_pointer (&valid);
}

char *
gui_value_text_format_groups (const JobValueRow *row)
{
    GString *text = g_string_new (NULL);
    JobValueSummary summary;
    guint rest;
    guint32 rest_ranks;
    g_autoptr (GPtrArray) groups = job_value_row_choose (row, JOB_VALUE_MAX_SHOWN, &rest,
                                                         &rest_ranks);

    for (guint i = 0; i < groups->len; i++) {
        const JobValueGroup *group = g_ptr_array_index (groups, i);
        g_autofree char *ranks = job_rank_set_format_brief (group->ranks);
        g_autofree char *value = shorten (group->value->text);

        g_string_append_printf (text, "%s%s: %s", i > 0 ? "\n" : "", ranks, value);
    }
    if (rest > 0) {
        g_string_append_c (text, '\n');
        g_string_append_printf (text,
                                ngettext ("and %u more value", "and %u more values", rest),
                                rest);
    }
    if (row->groups->len > 2 && job_value_row_summarise (row, &summary)) {
        gboolean is_integer = job_value_row_is_integer (row);
        g_autofree char *min = job_value_format_number (summary.min, is_integer);
        g_autofree char *max = job_value_format_number (summary.max, is_integer);

        g_string_append_c (text, '\n');
        g_string_append_printf (text, _ ("from %s at %u to %s at %u, mean %.6g"), min,
                                summary.min_rank, max, summary.max_rank, summary.mean);
        job_value_summary_clear (&summary);
    }
    return g_string_free (text, FALSE);
}

const char *
gui_value_text_get_short (const JobValue *value)
{
    const char *text = value->text != NULL ? value->text : "";
    gsize length = value->type != NULL ? strlen (value->type) : 0;

    return length > 0 && text[0] == '(' && strncmp (text + 1, value->type, length) == 0
                   && g_str_has_prefix (text + 1 + length, ") ")
               ? text + length + 3
               : text;
}
