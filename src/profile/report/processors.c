/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How well the ranks' code used the processors, as these have counted it themselves. */
#include "profile/report/private.h"
#include "base/array.h"
#include <errno.h>

/* ---- of ranks ---- */

/* Of one rank, from the first time that it was asked to the last. FALSE: it is not known. */
static gboolean
find_count (const ProfileReport *report, guint index, JobMetric metric, double *ret_count)
{
    const GArray *metrics = profile_samples_get_metrics (report->model, index);
    guint64 least = JOB_METRIC_UNKNOWN, most = 0;

    for (guint i = 0; i < metrics->len; i++) {
        guint64 value = g_array_index (metrics, JobMetrics, i).values[metric];

        if (value != JOB_METRIC_UNKNOWN) {
            least = MIN (least, value);
            most = MAX (most, value);
        }
    }
    *ret_count = least != JOB_METRIC_UNKNOWN ? (double) (most - least) : 0;
    return least != JOB_METRIC_UNKNOWN;
}

/* A quotient of two counts, by which ranks are compared. */
typedef struct {
    const char *name;
    JobMetric part, other; /* of part and other together; JOB_N_METRICS: of whole */
    JobMetric whole;
    double factor;
    guint digits;
} Ratio;

/* xgettext:no-c-format */
#define MEMORY_TITLE N_ ("Cycles that waited for memory, %")

static const Ratio ratios[] = {
    { N_ ("Instructions per cycle"), JOB_METRIC_INSTRUCTIONS, JOB_N_METRICS, JOB_METRIC_CYCLES,
      1, 2 },
    { MEMORY_TITLE, JOB_METRIC_STALLS, JOB_N_METRICS, JOB_METRIC_CYCLES, 100, 1 },
    { N_ ("Cache misses per 1000 instructions"), JOB_METRIC_CACHE_MISSES, JOB_N_METRICS,
      JOB_METRIC_INSTRUCTIONS, 1000, 2 },
    /* xgettext:no-c-format */
    { N_ ("Vector instructions of those of floating point, %"), JOB_METRIC_VECTORS,
      JOB_METRIC_SCALARS, JOB_N_METRICS, 100, 1 },
};

/* FALSE: one of them is not known, or there was nothing to count. */
static gboolean
get_parts (const ProfileReport *report, const Ratio *ratio, guint index, double *ret_part,
           double *ret_whole)
{
    double other;

    if (!find_count (report, index, ratio->part, ret_part)) {
        return FALSE;
    }
    if (ratio->other == JOB_N_METRICS) {
        return find_count (report, index, ratio->whole, ret_whole);
    }
    *ret_whole = 0;
    if (!find_count (report, index, ratio->other, &other)) {
        return FALSE;
    }
    *ret_whole = *ret_part + other;
    return TRUE;
}

/* Of all ranks together, and the ranks at both ends. */
typedef struct {
    double mean, least, most;
    guint rank_least, rank_most; /* indices */
    gboolean is_known;           /* of every rank */
} Spread;

static Spread
find_spread (const ProfileReport *report, const Ratio *ratio)
{
    Spread spread = { .is_known = report->n_ranks > 0 };
    double parts = 0, wholes = 0;
    guint n = 0;

    for (guint i = 0; i < report->n_ranks && spread.is_known; i++) {
        double part, whole, value;

        if (profile_model_is_child (report->model, i)) {
            continue;
        }
        if (!get_parts (report, ratio, i, &part, &whole)) {
            spread.is_known = FALSE;
        } else if (whole > 0) {
            value = ratio->factor * part / whole;
            if (n == 0 || value < spread.least) {
                spread.least = value;
                spread.rank_least = i;
            }
            if (n == 0 || value > spread.most) {
                spread.most = value;
                spread.rank_most = i;
            }
            parts += part;
            wholes += whole;
            n++;
        }
    }
    spread.is_known &= wholes > 0;
    spread.mean = wholes > 0 ? ratio->factor * parts / wholes : 0;
    return spread;
}

/* FALSE: there is none to show. */
static gboolean
add_ratios (ProfileReport *report)
{
    static const ProfileColumn columns[] = {
        { N_ ("What the processors counted"), NULL, PROFILE_COLUMN_TEXT, NULL },
        { N_ ("All ranks"), NULL, PROFILE_COLUMN_NUMBER, NULL },
        { N_ ("Least"), NULL, PROFILE_COLUMN_NUMBER, NULL },
        { N_ ("Rank with the least"), NULL, PROFILE_COLUMN_NUMBER, NULL },
        { N_ ("Most"), NULL, PROFILE_COLUMN_NUMBER, NULL },
        { N_ ("Rank with the most"), NULL, PROFILE_COLUMN_NUMBER, NULL },
    };
    gboolean any = FALSE;

    for (guint i = 0; i < G_N_ELEMENTS (ratios); i++) {
        Spread spread = find_spread (report, &ratios[i]);

        if (!spread.is_known) {
            continue;
        }
        if (!any) {
            profile_report_begin_table (report, PROFILE_TABLE_PLAIN, columns,
                                        G_N_ELEMENTS (columns));
        }
        any = TRUE;
        profile_report_add_word (report, ratios[i].name);
        profile_page_add_number (report->page, spread.mean, ratios[i].digits);
        profile_page_add_number (report->page, spread.least, ratios[i].digits);
        profile_page_add_count (report->page,
                                profile_model_get_rank (report->model, spread.rank_least));
        profile_page_add_number (report->page, spread.most, ratios[i].digits);
        profile_page_add_count (report->page,
                                profile_model_get_rank (report->model, spread.rank_most));
    }
    return any;
}

/* Why the kernel of a rank's host has counted nothing, errno; 0: it has; -1: it was not asked. */
static int
find_error (const ProfileReport *report)
{
    int error = -1;

    for (guint i = 0; i < report->n_ranks; i++) {
        guint64 said = profile_samples_find_most (report->model, i, JOB_METRIC_NO_COUNTERS);

        if (said != JOB_METRIC_UNKNOWN && !profile_model_is_child (report->model, i)) {
            error = MAX (error, said <= G_MAXINT ? (int) said : 0);
        }
    }
    return error;
}

static const char *
explain_error (int error)
{
    switch (error) {
    case ENOENT:
    case ENODEV:
    case EOPNOTSUPP:
        return N_ (
            "Not measured: a host's processor, or the virtual machine that it is, has no counters for "
            "its programs (perf_event_open).");
    case EACCES:
    case EPERM:
        return N_ (
            "Not measured: a host's kernel does not allow this user to count. It does where its setting "
            "kernel.perf_event_paranoid is 2 or less, and where the container, if there is one, allows "
            "perf_event_open.");
    case EINVAL:
    case E2BIG:
        return N_ (
            "Not measured: a host's kernel is older than 5.13, and cannot tell a rank's threads from "
            "its child processes when it counts.");
    case ENOSYS: return N_ ("Not measured: a host's kernel has no perf_event_open.");
    case EMFILE:
    case ENFILE:
        return N_ (
            "Not measured: too many open files would be needed to count all threads (ulimit -n).");
    case -1:
        return N_ ("Not measured: --metrics leaves counters out, or the archive has none.");
    default: return N_ ("Not measured: a host's kernel refused to count (perf_event_open).");
    }
}

/* ---- of hosts ---- */

typedef struct {
    gint64 first_us, last_us;
    guint64 first, last; /* µs of its processors */
    guint64 n_cores;
} Busy;

static void
note_busy (Busy *busy, const JobMetrics *metrics)
{
    guint64 us = metrics->values[JOB_METRIC_NODE_BUSY];

    if (us == JOB_METRIC_UNKNOWN) {
        return;
    }
    if (busy->n_cores == 0 || metrics->time_us < busy->first_us) {
        busy->first_us = metrics->time_us;
        busy->first = us;
    }
    if (busy->n_cores == 0 || metrics->time_us > busy->last_us) {
        busy->last_us = metrics->time_us;
        busy->last = us;
    }
    busy->n_cores = metrics->values[JOB_METRIC_NODE_CORES] != JOB_METRIC_UNKNOWN
                        ? metrics->values[JOB_METRIC_NODE_CORES]
                        : busy->n_cores;
}

static GHashTable *
list_busy (const ProfileReport *report)
{
    GHashTable *hosts = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, g_free);

    for (guint i = 0; i < report->n_ranks; i++) {
        const char *name = profile_model_get_process (report->model, i)->host;
        const GArray *metrics = profile_samples_get_metrics (report->model, i);
        Busy *busy = g_hash_table_lookup (hosts, name != NULL ? name : "");

        if (busy == NULL) {
            busy = g_new0 (Busy, 1);
            g_hash_table_insert (hosts, (gpointer) (name != NULL ? name : ""), busy);
        }
        for (guint j = 0; j < metrics->len; j++) {
            note_busy (busy, &g_array_index (metrics, JobMetrics, j));
        }
    }
    return hosts;
}

/* In percent of all processors of all hosts. FALSE: one of them has not said it twice. */
static gboolean
find_load (GHashTable *hosts, double *ret_share, guint64 *ret_cores)
{
    double used = 0, had = 0;
    gpointer value;
    gboolean is_whole = TRUE;

    *ret_cores = 0;
    BASE_WALK (hosts, NULL, &value) {
        const Busy *busy = value;
        double us = (double) (busy->last_us - busy->first_us);

        *ret_cores = MAX (*ret_cores, busy->n_cores);
        is_whole &= us > 0 && busy->last >= busy->first;
        used += (double) (busy->last - busy->first);
        had += us * (double) busy->n_cores;
    }
    *ret_share = had > 0 ? MIN (100 * used / had, 100) : 0;
    return is_whole && had > 0;
}

static void
add_load (ProfileReport *report)
{
    static const ProfileColumn columns[] = {
        { N_ ("Processors of the largest host"), NULL, PROFILE_COLUMN_NUMBER, NULL },
        { N_ ("Used by all programs there"), "%", PROFILE_COLUMN_NUMBER, NULL },
    };
    g_autoptr (GHashTable) hosts = list_busy (report);
    guint64 n_cores;
    double share;
    gboolean is_known = find_load (hosts, &share, &n_cores);

    profile_report_begin_table (report, PROFILE_TABLE_CARDS, columns, G_N_ELEMENTS (columns));
    if (n_cores > 0) {
        profile_page_add_count (report->page, n_cores);
    } else {
        profile_page_add_cell (report->page, NULL);
    }
    if (is_known) {
        profile_page_add_number (report->page, share, 1);
    } else {
        profile_page_add_cell (report->page, NULL);
    }
}

void
profile_report_add_processors (ProfileReport *report)
{
    int error = find_error (report);

    profile_report_begin_section (report, N_ ("Processors"));
    add_load (report);
    if (error != 0) {
        profile_report_add_text (report, explain_error (error), FALSE);
    } else if (!add_ratios (report)) {
        profile_report_add_text (report, N_ ("The processors have counted nothing."), FALSE);
    } else {
        profile_report_add_text (
            report,
            N_ ("Counted in all threads of the ranks, outside the kernel. What is not listed, these processors "
                "do not count, or pddt does not know their event. Where a processor has too few counters, they take "
                "turns, and what was counted stands for all of the time."),
            FALSE);
    }
}
