/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How much went through MPI, as the recorder of MPI calls has counted it: the time in MPI is sampled, these are exact. */
#include "profile/report/private.h"

/* Since the rank's start, or, where it ran already, since it was measured. FALSE: its recorder did not say. */
static gboolean
find_count (const ProfileReport *report, guint index, JobMetric metric, guint64 *ret_count)
{
    const char *command = profile_model_get_info (report->model)->command;
    const GArray *metrics = profile_samples_get_metrics (report->model, index);
    guint64 most = profile_samples_find_most (report->model, index, metric);
    guint64 first = metrics->len > 0 ? g_array_index (metrics, JobMetrics, 0).values[metric]
                                     : JOB_METRIC_UNKNOWN;
    gboolean is_launched = command != NULL && *command != '\0';

    *ret_count = most - (is_launched || first == JOB_METRIC_UNKNOWN ? 0 : first);
    return most != JOB_METRIC_UNKNOWN;
}

/* Of all ranks; a part of them is no answer. */
static gboolean
sum_counts (const ProfileReport *report, JobMetric metric, guint64 *ret_sum)
{
    gboolean is_known = report->n_ranks > 0;

    *ret_sum = 0;
    for (guint i = 0; i < report->n_ranks; i++) {
        guint64 count;

        if (find_count (report, i, metric, &count)) {
            *ret_sum += count;
        } else if (!profile_model_is_child (report->model, i)) {
            is_known = FALSE;
        }
    }
    return is_known;
}

/* What is too short for the samples has no rate. */
static void
add_rate (ProfileReport *report, gboolean is_known, guint64 count, double seconds)
{
    if (is_known && seconds > 0) {
        profile_page_add_number (report->page, (double) count / seconds, 1);
    } else {
        profile_page_add_cell (report->page, NULL);
    }
}

static void
add_row (ProfileReport *report, const char *kind, JobMetric calls, JobMetric more_calls,
         JobMetric bytes, double seconds)
{
    guint64 n = 0, n_more = 0, n_bytes = 0;
    gboolean is_known = sum_counts (report, calls, &n)
                        && sum_counts (report, more_calls, &n_more)
                        && sum_counts (report, bytes, &n_bytes);

    n += more_calls != calls ? n_more : 0;
    profile_report_add_word (report, kind);
    profile_report_add_known (report, is_known, n);
    profile_report_add_known (report, is_known, n_bytes);
    profile_page_add_number (report->page, seconds, 3);
    add_rate (report, is_known, n, seconds);
    add_rate (report, is_known, n_bytes, seconds);
}

void
profile_report_add_traffic (ProfileReport *report, double messages_s, double collectives_s,
                            double moves_s)
{
    static const ProfileColumn columns[] = {
        { N_ ("Kind"), NULL, PROFILE_COLUMN_TEXT, NULL },
        { N_ ("Calls"), NULL, PROFILE_COLUMN_NUMBER, NULL },
        { N_ ("Data"), N_ ("bytes"), PROFILE_COLUMN_BYTES, NULL },
        { N_ ("Time"), "s", PROFILE_COLUMN_NUMBER, NULL },
        { N_ ("Calls in a second there"), NULL, PROFILE_COLUMN_NUMBER, NULL },
        { N_ ("Data in a second there"), N_ ("bytes"), PROFILE_COLUMN_BYTES, NULL },
    };
    guint64 any;

    profile_report_begin_table (report, PROFILE_TABLE_PLAIN, columns, G_N_ELEMENTS (columns));
    add_row (report, N_ ("point-to-point"), JOB_METRIC_MPI_SENDS, JOB_METRIC_MPI_RECEIVES,
             JOB_METRIC_MPI_SENT, messages_s);
    add_row (report, N_ ("collective"), JOB_METRIC_MPI_COLLECTIVES, JOB_METRIC_MPI_COLLECTIVES,
             JOB_METRIC_MPI_COLLECTED, collectives_s);
    add_row (report, N_ ("one-sided"), JOB_METRIC_MPI_MOVES, JOB_METRIC_MPI_MOVES,
             JOB_METRIC_MPI_MOVED, moves_s);
    profile_report_add_text (
        report,
        sum_counts (report, JOB_METRIC_MPI_SENDS, &any) ? N_ (
            "Counted exactly by the recorder of MPI calls: messages sent and received, with "
            "the bytes that were sent; collective operations, with the bytes that each rank's "
            "own arguments describe; one-sided operations, with the bytes that they put, get or "
            "accumulate. A second is one of a rank in such calls.")
        : report->is_foreign
            ? N_ ("The archive does not say how many calls and bytes these were.")
            : N_ (
                "Calls and bytes were not counted: a rank was without the recorder of MPI calls, or "
                "did not call MPI."),
        FALSE);
}
