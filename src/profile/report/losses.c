/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The section of a report that says which events are lost. */
#include "profile/losses.h"
#include "profile/report/private.h"
#include "base/array.h"

#define MOST_ROWS 100u

BASE_ORDER (compare_losses, ProfileLoss,
            BASE_BY_DOWN (n_events) ?: BASE_BY (rank) ?: BASE_BY (thread))

/* Where what is there begins or ends, in s since the beginning of the run. */
static void
add_edge (ProfileReport *report, const ProfileLoss *loss, ProfileKept kept)
{
    gint64 begin_us = profile_model_get_info (report->model)->begin_us;

    if ((loss->kept == kept || (loss->kept == PROFILE_KEPT_SOME && kept == PROFILE_KEPT_FIRST))
        && loss->edge_us > begin_us && begin_us > 0) {
        profile_page_add_number (report->page,
                                 (double) (loss->edge_us - begin_us) / G_USEC_PER_SEC, 3);
    } else {
        profile_page_add_cell (report->page, NULL);
    }
}

void
profile_report_add_losses (ProfileReport *report)
{
    static const ProfileColumn columns[] = {
        { N_ ("Rank"), NULL, PROFILE_COLUMN_NUMBER, NULL },
        { N_ ("Thread"), NULL, PROFILE_COLUMN_NUMBER, NULL },
        { N_ ("Events lost"), NULL, PROFILE_COLUMN_NUMBER, NULL },
        { N_ ("Recorded from"), "s", PROFILE_COLUMN_NUMBER, NULL },
        { N_ ("Recorded until"), "s", PROFILE_COLUMN_NUMBER, NULL },
    };
    const GArray *losses = profile_model_get_losses (report->model);
    g_autoptr (GArray) sorted = g_array_new (FALSE, FALSE, sizeof (ProfileLoss));

    if (losses->len == 0) {
        return;
    }
    g_array_append_vals (sorted, losses->data, losses->len);
    g_array_sort (sorted, compare_losses);
    profile_report_begin_section (report, N_ ("Lost events"));
    profile_report_begin_table (report, PROFILE_TABLE_PLAIN, columns, G_N_ELEMENTS (columns));
    for (guint i = 0; i < MIN (sorted->len, MOST_ROWS); i++) {
        const ProfileLoss *loss = &g_array_index (sorted, ProfileLoss, i);

        profile_page_add_count (report->page, loss->rank);
        if (loss->thread > 0) {
            profile_page_add_count (report->page, loss->thread);
        } else {
            profile_report_add_word (report, N_ ("others"));
        }
        profile_page_add_count (report->page, loss->n_events);
        add_edge (report, loss, PROFILE_KEPT_LAST);
        add_edge (report, loss, PROFILE_KEPT_FIRST);
    }
}
