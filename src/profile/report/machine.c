/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What ranks and hosts have used: each is one number, or was not measured. */
#include "profile/report/private.h"
#include "base/array.h"
#include <string.h>

/* ---- of ranks ---- */

/* Of all ranks together, from the first time that each was asked to the last. FALSE: some did not say. */
static gboolean
find_growth (const ProfileReport *report, JobMetric metric, guint64 *ret_growth)
{
    *ret_growth = 0;
    for (guint i = 0; i < report->n_ranks; i++) {
        const GArray *metrics = profile_samples_get_metrics (report->model, i);
        guint64 first = metrics->len > 0 ? g_array_index (metrics, JobMetrics, 0).values[metric]
                                         : JOB_METRIC_UNKNOWN;

        if (first != JOB_METRIC_UNKNOWN) {
            *ret_growth += profile_samples_find_most (report->model, i, metric) - first;
        } else if (!profile_model_is_child (report->model, i)) {
            return FALSE;
        }
    }
    return report->n_ranks > 0;
}

/* Of the ranks, without their child processes: the mean of all that they said, and the most. FALSE: some did
 * not say. */
static gboolean
find_memory (const ProfileReport *report, guint64 *ret_mean, guint64 *ret_peak)
{
    double sum = 0;
    guint n = 0;

    *ret_peak = 0;
    for (guint i = 0; i < report->n_ranks; i++) {
        const GArray *metrics = profile_samples_get_metrics (report->model, i);
        guint n_before = n;

        if (profile_model_is_child (report->model, i)) {
            continue;
        }
        for (guint j = 0; j < metrics->len; j++) {
            guint64 value = g_array_index (metrics, JobMetrics, j).values[JOB_METRIC_RSS];

            if (value != JOB_METRIC_UNKNOWN) {
                sum += (double) value;
                *ret_peak = MAX (*ret_peak, value);
                n++;
            }
        }
        if (n == n_before) {
            return FALSE;
        }
    }
    *ret_mean = n > 0 ? (guint64) (sum / n) : 0;
    return n > 0;
}

void
profile_report_add_known (ProfileReport *report, gboolean is_known, guint64 number)
{
    if (is_known) {
        profile_page_add_count (report->page, number);
    } else {
        profile_page_add_cell (report->page, NULL);
    }
}

static void
add_decimal (ProfileReport *report, gboolean is_known, double number, guint digits)
{
    if (is_known) {
        profile_page_add_number (report->page, number, digits);
    } else {
        profile_page_add_cell (report->page, NULL);
    }
}

/* Samples tell all classes apart; a trace has those of the calls that it records. */
static gboolean
has_samples (const ProfileReport *report)
{
    return !report->is_foreign
           && (!report->is_traced || profile_model_is_filled (report->model));
}

/* is_recorded: in a trace of pddt. That nothing was spent there says an archive which would have it. */
static void
add_class (ProfileReport *report, JobClass class, gboolean is_recorded)
{
    double seconds = profile_report_sum_class (report, class);
    gboolean is_known = seconds > 0 || has_samples (report)
                        || (is_recorded && !report->is_foreign);

    add_decimal (report, is_known, seconds, 3);
}

void
profile_report_add_io (ProfileReport *report)
{
    static const ProfileColumn columns[] = {
        { N_ ("Time in files"), "s", PROFILE_COLUMN_NUMBER, NULL },
        { N_ ("Time in sockets"), "s", PROFILE_COLUMN_NUMBER, NULL },
        { N_ ("Read from storage"), N_ ("bytes"), PROFILE_COLUMN_BYTES, NULL },
        { N_ ("Written to storage"), N_ ("bytes"), PROFILE_COLUMN_BYTES, NULL },
    };
    guint64 bytes;
    gboolean is_known;

    profile_report_begin_section (report, N_ ("Input and output"));
    profile_report_begin_table (report, PROFILE_TABLE_CARDS, columns, G_N_ELEMENTS (columns));
    add_class (report, JOB_CLASS_IO, TRUE);
    add_class (report, JOB_CLASS_NETWORK, FALSE);
    is_known = find_growth (report, JOB_METRIC_READ, &bytes);
    profile_report_add_known (report, is_known, bytes);
    is_known = find_growth (report, JOB_METRIC_WRITTEN, &bytes);
    profile_report_add_known (report, is_known, bytes);
}

/* It counts from the beginning of the measurement. FALSE: the kernel of some did not say. */
static gboolean
find_queued (const ProfileReport *report, double *ret_s)
{
    *ret_s = 0;
    for (guint i = 0; i < report->n_ranks; i++) {
        guint64 us = profile_samples_find_most (report->model, i, JOB_METRIC_QUEUED);

        if (us != JOB_METRIC_UNKNOWN) {
            *ret_s += (double) us / G_USEC_PER_SEC;
        } else if (!profile_model_is_child (report->model, i)) {
            return FALSE;
        }
    }
    return report->n_ranks > 0;
}

void
profile_report_add_threads (ProfileReport *report)
{
    static const ProfileColumn columns[] = {
        { N_ ("Most threads in a rank"), NULL, PROFILE_COLUMN_NUMBER, NULL },
        { N_ ("Other threads ran"), "s", PROFILE_COLUMN_NUMBER, NULL },
        { N_ ("Other threads waited"), "s", PROFILE_COLUMN_NUMBER, NULL },
        { N_ ("Waiting for locks"), "s", PROFILE_COLUMN_NUMBER, NULL },
        { N_ ("OpenMP wait"), "s", PROFILE_COLUMN_NUMBER, NULL },
        { N_ ("Waiting for a processor"), "s", PROFILE_COLUMN_NUMBER, NULL },
    };
    double ran = 0, waited = 0, queued = 0;
    gboolean is_queued_known;
    guint most = 0;

    for (guint i = 0; i < report->n_ranks; i++) {
        most = MAX (most, profile_model_get_n_threads (report->model, i));
        ran += profile_model_get_others (report->model, i);
        waited += profile_model_get_idle (report->model, i);
    }
    profile_report_begin_section (report, N_ ("Threads"));
    profile_report_begin_table (report, PROFILE_TABLE_CARDS, columns, G_N_ELEMENTS (columns));
    profile_page_add_count (report->page, most);
    add_decimal (report, has_samples (report), ran, 3);
    add_decimal (report, has_samples (report), waited, 3);
    add_class (report, JOB_CLASS_LOCK, TRUE);
    add_class (report, JOB_CLASS_OPENMP, TRUE);
    is_queued_known = find_queued (report, &queued);
    add_decimal (report, is_queued_known, queued, 3);
    if (report->is_traced && !report->is_foreign) {
        profile_report_add_text (
            report,
            N_ ("A trace has OpenMP's parallel regions and what threads wait for in them; of runtimes that offer OMPT, as "
                "LLVM's and Intel's, loops and sections, too. Of programs that make tasks with GCC's libgomp it has no waits "
                "at barriers, because tasks run there, and a libgomp that is linked statically is not seen."),
            FALSE);
    }
}

/* ---- of hosts ---- */

/* What one host has said of a metric. */
typedef struct {
    guint64 least, most;
    double sum;
    guint n;
} Said;

static void
note_metric (Said *said, guint64 value)
{
    if (value != JOB_METRIC_UNKNOWN) {
        said->least = said->n == 0 ? value : MIN (said->least, value);
        said->most = MAX (said->most, value);
        said->sum += (double) value;
        said->n++;
    }
}

/* Host to Said, of all hosts: one of the ranks of each tells, now this one and now that one. Caller owns. */
static GHashTable *
list_hosts (const ProfileReport *report, JobMetric metric)
{
    GHashTable *hosts = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, g_free);

    for (guint i = 0; i < report->n_ranks; i++) {
        const char *name = profile_model_get_process (report->model, i)->host;
        const GArray *metrics = profile_samples_get_metrics (report->model, i);
        Said *said = g_hash_table_lookup (hosts, name != NULL ? name : "");

        if (said == NULL) {
            said = g_new0 (Said, 1);
            g_hash_table_insert (hosts, (gpointer) (name != NULL ? name : ""), said);
        }
        for (guint j = 0; j < metrics->len; j++) {
            note_metric (said, g_array_index (metrics, JobMetrics, j).values[metric]);
        }
    }
    return hosts;
}

/* Of all hosts together. needs_all: a part of them is no answer. FALSE: it was not measured. */
static gboolean
sum_hosts (const ProfileReport *report, JobMetric metric, gboolean needs_all, Said *ret_said)
{
    g_autoptr (GHashTable) hosts = list_hosts (report, metric);
    gpointer value;
    gboolean is_whole = TRUE;

    memset (ret_said, 0, sizeof *ret_said);
    BASE_WALK (hosts, NULL, &value) {
        const Said *said = value;

        is_whole &= said->n > 0;
        ret_said->least += said->least;
        ret_said->most += said->most;
        ret_said->sum += said->n > 0 ? said->sum / said->n : 0;
        ret_said->n += said->n > 0;
    }
    return ret_said->n > 0 && (is_whole || !needs_all);
}

/* The host with the most of it. */
static gboolean
find_fullest (const ProfileReport *report, JobMetric metric, guint64 *ret_most)
{
    g_autoptr (GHashTable) hosts = list_hosts (report, metric);
    gpointer value;
    gboolean is_known = FALSE;

    *ret_most = 0;
    BASE_WALK (hosts, NULL, &value) {
        *ret_most = MAX (*ret_most, ((const Said *) value)->most);
        is_known |= ((const Said *) value)->n > 0;
    }
    return is_known;
}

static double
find_duration (const ProfileReport *report)
{
    double longest = 0;

    for (guint i = 0; i < report->n_ranks; i++) {
        longest = MAX (longest, profile_model_get_duration (report->model, i));
    }
    return longest;
}

/* Used memory in percent of that host's own, where most of it was used. FALSE: no host has said both. */
static gboolean
find_share (const ProfileReport *report, double *ret_share)
{
    gboolean is_known = FALSE;

    *ret_share = 0;
    for (guint i = 0; i < report->n_ranks; i++) {
        const GArray *metrics = profile_samples_get_metrics (report->model, i);

        for (guint j = 0; j < metrics->len; j++) {
            const guint64 *values = g_array_index (metrics, JobMetrics, j).values;
            guint64 used = values[JOB_METRIC_NODE_USED], all = values[JOB_METRIC_NODE_TOTAL];

            if (used != JOB_METRIC_UNKNOWN && all != JOB_METRIC_UNKNOWN && all > 0) {
                *ret_share = MAX (*ret_share, 100.0 * (double) used / (double) all);
                is_known = TRUE;
            }
        }
    }
    return is_known;
}

static void
add_memory (ProfileReport *report)
{
    static const ProfileColumn columns[] = {
        { N_ ("Memory of a rank, mean"), N_ ("bytes"), PROFILE_COLUMN_BYTES, NULL },
        { N_ ("Memory of a rank, peak"), N_ ("bytes"), PROFILE_COLUMN_BYTES, NULL },
        { N_ ("Used on a host, peak"), N_ ("bytes"), PROFILE_COLUMN_BYTES, NULL },
        { N_ ("Memory of the largest host"), N_ ("bytes"), PROFILE_COLUMN_BYTES, NULL },
        { N_ ("Used on the fullest host, peak"), "%", PROFILE_COLUMN_NUMBER, NULL },
    };
    double share;
    guint64 mean = 0, peak = 0;
    gboolean is_known = find_memory (report, &mean, &peak);

    profile_report_begin_section (report, N_ ("Memory"));
    profile_report_begin_table (report, PROFILE_TABLE_CARDS, columns, G_N_ELEMENTS (columns));
    profile_report_add_known (report, is_known, mean);
    profile_report_add_known (report, is_known, peak);
    is_known = find_fullest (report, JOB_METRIC_NODE_USED, &peak);
    profile_report_add_known (report, is_known, peak);
    is_known = find_fullest (report, JOB_METRIC_NODE_TOTAL, &peak);
    profile_report_add_known (report, is_known, peak);
    is_known = find_share (report, &share);
    add_decimal (report, is_known, share, 1);
}

static void
add_energy (ProfileReport *report)
{
    static const ProfileColumn columns[] = {
        { N_ ("Energy"), "J", PROFILE_COLUMN_NUMBER, NULL },
        { N_ ("Mean power"), "W", PROFILE_COLUMN_NUMBER, NULL },
        { N_ ("Hosts"), NULL, PROFILE_COLUMN_NUMBER, NULL },
    };
    double seconds = find_duration (report);
    Said said;
    gboolean is_known = sum_hosts (report, JOB_METRIC_ENERGY, TRUE, &said);
    double joules = (double) (said.most - said.least) / 1e6;

    profile_report_begin_section (report, N_ ("Energy"));
    profile_report_begin_table (report, PROFILE_TABLE_CARDS, columns, G_N_ELEMENTS (columns));
    add_decimal (report, is_known, joules, 1);
    add_decimal (report, is_known && seconds > 0, seconds > 0 ? joules / seconds : 0, 1);
    profile_report_add_known (report, is_known, said.n);
    profile_report_add_text (
        report,
        is_known ? N_ ("Of the hosts' processors, with all programs that ran there "
                       "meanwhile.")
                 : N_ ("Not measured: not every host's kernel shows the energy of its "
                       "processors to this user."),
        FALSE);
}

static void
add_accelerators (ProfileReport *report)
{
    static const ProfileColumn columns[] = {
        { N_ ("Time in accelerators' libraries"), "s", PROFILE_COLUMN_NUMBER, NULL },
        { N_ ("Use of accelerators, mean"), "%", PROFILE_COLUMN_NUMBER, NULL },
        { N_ ("Memory of accelerators, peak"), N_ ("bytes"), PROFILE_COLUMN_BYTES, NULL },
        { N_ ("Power of accelerators, mean"), "W", PROFILE_COLUMN_NUMBER, NULL },
    };
    Said use, memory, power;
    gboolean has_use = sum_hosts (report, JOB_METRIC_GPU_USE, FALSE, &use);
    gboolean has_memory = sum_hosts (report, JOB_METRIC_GPU_MEMORY, FALSE, &memory);
    gboolean has_power = sum_hosts (report, JOB_METRIC_GPU_POWER, FALSE, &power);

    profile_report_begin_section (report, N_ ("Accelerators"));
    profile_report_begin_table (report, PROFILE_TABLE_CARDS, columns, G_N_ELEMENTS (columns));
    add_class (report, JOB_CLASS_ACCELERATOR, FALSE);
    add_decimal (report, has_use, use.sum / MAX (use.n, 1), 1);
    profile_report_add_known (report, has_memory, memory.most);
    add_decimal (report, has_power, power.sum / 1000, 1);
    if (!has_use && !has_memory && !has_power) {
        profile_report_add_text (
            report,
            N_ ("Not measured: --metrics leaves accelerators out, or pddt has found no "
                "NVIDIA driver (libnvidia-ml.so.1) that answers."),
            FALSE);
    }
}

static gboolean
has_metrics (const ProfileReport *report)
{
    return BASE_ANY (i, report->n_ranks,
                     profile_samples_get_metrics (report->model, i)->len > 0);
}

void
profile_report_add_machine (ProfileReport *report)
{
    if (report->is_foreign || (report->is_traced && !has_metrics (report))) {
        profile_report_begin_section (report,
                                      N_ ("Processors, memory, energy and accelerators"));
        profile_report_add_text (
            report,
            report->is_foreign
                ? N_ ("Not known: of these pddt reads only what it has measured itself.")
                : N_ ("Not measured: a trace records calls. pddt --profile measures them."),
            FALSE);
    } else {
        profile_report_add_processors (report);
        add_memory (report);
        add_energy (report);
        add_accelerators (report);
    }
    if (report->is_foreign) {
        return;
    }
    profile_report_begin_section (report, N_ ("Not measured"));
    profile_report_add_text (
        report,
        N_ ("pddt does not measure the kernels and warp stalls of accelerators (CUPTI)."),
        FALSE);
}
