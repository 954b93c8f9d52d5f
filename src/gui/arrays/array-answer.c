/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gui/arrays/array-answer.h"
#include <glib/gi18n.h>
#include "gui/arrays/array-data.h"
#include "base/array.h"

BASE_ORDER (compare_ranks, guint32, BASE_COMPARE (*left, *right))

/* The bytes that a rank has answered with. */
static const JobEvent *
find_answer (const GPtrArray *events, guint32 rank)
{
    return BASE_FIND (events, const JobEvent, event,
                      event->kind == JOB_EVENT_ARRAY
                          && job_rank_set_contains (event->ranks, rank));
}

GPtrArray *
gui_array_answer_read (const GPtrArray *events, GArray *ret_ranks, GError **error)
{
    g_autoptr (GPtrArray) arrays
        = g_ptr_array_new_with_free_func ((GDestroyNotify) gui_array_data_free);

    BASE_EACH (events, const JobEvent, event) {
        JobRankIter iter = { 0 };
        guint32 rank;

        while (event->kind == JOB_EVENT_ARRAY
               && job_rank_set_next (event->ranks, &iter, &rank)) {
            g_array_append_val (ret_ranks, rank);
        }
    }
    g_array_sort (ret_ranks, compare_ranks);
    for (guint i = 0; i < ret_ranks->len; i++) {
        const JobEvent *event = find_answer (events, g_array_index (ret_ranks, guint32, i));
        GuiArrayData *data = gui_array_data_new (event->text, job_event_get_bytes (event),
                                                 error);

        if (data == NULL) {
            return NULL;
        }
        g_ptr_array_add (arrays, data);
    }
    return g_steal_pointer (&arrays);
}

char *
gui_array_answer_format_failures (const SessionAnswer *answer)
{
    GString *text = g_string_new (NULL);

    BASE_EACH (answer->failures, const JobEvent, event) {
        g_autofree char *ranks = job_rank_set_format (event->ranks);
        g_autofree char *why = job_event_dup_shown (event);

        g_string_append_printf (text, "%s%s: %s", text->len > 0 ? "\n" : "", ranks, why);
    }
    if (!job_rank_set_is_empty (answer->missing)) {
        g_autofree char *ranks = job_rank_set_format (answer->missing);

        g_string_append_printf (text, text->len > 0 ? "\n%s: %s" : "%s: %s", ranks,
                                _ ("no answer"));
    }
    return g_string_free (text, text->len == 0);
}
