/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The page: what comes first, and the sections about what was measured as a whole. */
#include "profile/report-private.h"
#include <math.h>

#define LEAST_ADVICE 5.0 /* percent of the time, from which on a class is worth a try */
#define UNEVEN 20.0      /* percent: ranks that differ so much wait for each other */

double
profile_report_get_share (const ProfileReport *report, double seconds)
{
    return report->total > 0 ? 100 * seconds / report->total : 0;
}

double
profile_report_get_imbalance (const ProfileReport *report, const double *values)
{
    double most = 0, sum = 0;
    guint n = 0;

    for (guint i = 0; i < report->n_ranks; i++) {
        if (!profile_model_is_child (report->model, i)) {
            most = MAX (most, values[i]);
            sum += values[i];
            n++;
        }
    }
    return n > 1 && sum > 0 ? 100 * (most * n / sum - 1) : 0;
}

static double
sum_class (const ProfileReport *report, JobClass class)
{
    double sum = 0;

    for (guint i = 0; i < report->n_ranks; i++) {
        sum += profile_model_get_class (report->model, i, class);
    }
    return sum;
}

static double
get_work_imbalance (const ProfileReport *report)
{
    g_autofree double *work = g_new0 (double, report->n_ranks + 1);

    for (guint i = 0; i < report->n_ranks; i++) {
        work[i] = profile_report_get_work (report->model, i);
    }
    return profile_report_get_imbalance (report, work);
}

/* ---- the head ---- */

static void
add_cards (ProfileReport *report)
{
    static const ProfileColumn columns[] = {
        { "Wall time", "s", PROFILE_COLUMN_NUMBER, NULL },
        { "Ranks", NULL, PROFILE_COLUMN_NUMBER, NULL },
        { "Computing", "%", PROFILE_COLUMN_NUMBER, NULL },
        { "MPI", "%", PROFILE_COLUMN_NUMBER, NULL },
        { "Work imbalance", "%", PROFILE_COLUMN_NUMBER, NULL },
        { "Samples", NULL, PROFILE_COLUMN_NUMBER, NULL },
        { "Samples missed", NULL, PROFILE_COLUMN_NUMBER, NULL },
        { "Child processes", NULL, PROFILE_COLUMN_NUMBER, NULL },
    };
    guint n_children = profile_model_get_n_children (report->model);
    double longest = 0;

    for (guint i = 0; i < report->n_ranks; i++) {
        longest = MAX (longest, profile_model_get_duration (report->model, i));
    }
    profile_page_begin_table (report->page, PROFILE_TABLE_CARDS, columns,
                              G_N_ELEMENTS (columns) - (n_children == 0 ? 1 : 0));
    profile_page_add_number (report->page, longest, 2);
    profile_page_add_count (report->page, report->n_ranks - n_children);
    profile_page_add_number (report->page,
                             profile_report_get_share (report,
                                                       sum_class (report, JOB_CLASS_NATIVE)
                                                           + sum_class (report,
                                                                        JOB_CLASS_PYTHON)),
                             1);
    profile_page_add_number (report->page,
                             profile_report_get_share (report,
                                                       sum_class (report, JOB_CLASS_MPI)),
                             1);
    profile_page_add_number (report->page, get_work_imbalance (report), 1);
    profile_page_add_count (report->page, profile_model_get_n_samples (report->model));
    profile_page_add_count (report->page, profile_model_get_n_dropped (report->model));
    if (n_children > 0) {
        profile_page_add_count (report->page, n_children);
    }
}

static void
add_facts (ProfileReport *report, const ProfileReportFacts *facts)
{
    static const ProfileColumn columns[] = {
        { "Command", NULL, PROFILE_COLUMN_CODE, NULL },
        { "Started", NULL, PROFILE_COLUMN_TEXT, NULL },
        { "Samples a second", NULL, PROFILE_COLUMN_NUMBER, NULL },
    };

    profile_page_begin_table (report->page, PROFILE_TABLE_PLAIN, columns,
                              G_N_ELEMENTS (columns));
    profile_page_add_cell (report->page, facts->command != NULL ? facts->command : "not known");
    profile_page_add_cell (report->page, facts->begun != NULL ? facts->begun : "not known");
    if (facts->rate > 0) {
        profile_page_add_count (report->page, facts->rate);
    } else {
        profile_page_add_cell (report->page, NULL);
    }
}

/* ---- classes ---- */

static const char *
get_advice (const ProfileReport *report, JobClass class)
{
    switch (class) {
    case JOB_CLASS_NATIVE:
        return "Compiled code computes. Start with the first functions and lines below: compiler "
               "options, vectorisation, memory access, or a library that does it faster.";
    case JOB_CLASS_PYTHON:
        return "The interpreter computes. Move the first lines below into array operations, a library, "
               "or compiled code.";
    case JOB_CLASS_MPI:
        return get_work_imbalance (report) >= UNEVEN
                   ? "The ranks' work differs, so part of this is waiting for the slowest: distribute "
                     "the work evenly first (see Ranks)."
                   : "The ranks' work is even, so this is communication: fewer and larger messages, "
                     "collectives, or non-blocking calls while computing.";
    case JOB_CLASS_IO:
        return "Read and write in larger pieces, less often, or in parallel (MPI-IO, HDF5); check "
               "which file system it is.";
    case JOB_CLASS_NETWORK:
        return "Sockets outside MPI. See in the functions below who uses them.";
    case JOB_CLASS_LOCK:
        return "Threads wait for each other: do less while holding a lock, or give each thread its own "
               "data. In Python only one thread at a time holds the interpreter.";
    case JOB_CLASS_WAIT:
        return "Sleeping, or waiting for something outside the rank: a timer, a pipe, another process. "
               "See in the functions below what for.";
    case JOB_CLASS_OPENMP:
        return "Threads wait for their team: distribute loops evenly (schedule), make serial "
               "parts shorter, or use fewer threads.";
    case JOB_CLASS_ACCELERATOR:
        return "In the accelerator's library: transfer less, and compute or communicate while it works.";
    default: return "";
    }
}

static gint
compare_seconds (gconstpointer a, gconstpointer b, gpointer user)
{
    const double *sums = user;
    double left = sums[*(const guint *) a], right = sums[*(const guint *) b];

    return (left < right) - (left > right);
}

/* Half of the 95 % interval of a share, in points. */
static double
get_uncertainty (const ProfileReport *report, double share)
{
    double p = CLAMP (share / 100, 0, 1);
    double n = (double) MAX (profile_model_get_n_samples (report->model), 1);

    return 100 * 1.96 * sqrt (p * (1 - p) / n);
}

static void
add_classes (ProfileReport *report)
{
    static const ProfileColumn columns[] = {
        { "What the ranks did", NULL, PROFILE_COLUMN_TEXT, NULL },
        { "Time", "s", PROFILE_COLUMN_NUMBER, NULL },
        { "Share", "%", PROFILE_COLUMN_SHARE, NULL },
        { "95 % interval", "± points", PROFILE_COLUMN_NUMBER, NULL },
        { "What to try next", NULL, PROFILE_COLUMN_TEXT, NULL },
    };
    double sums[JOB_N_CLASSES];
    guint order[JOB_N_CLASSES];

    for (guint class = 0; class < JOB_N_CLASSES; class ++) {
        sums[class] = sum_class (report, class);
        order[class] = class;
    }
    g_qsort_with_data (order, JOB_N_CLASSES, sizeof *order, compare_seconds, sums);
    profile_page_begin_section (report->page, "Time");
    profile_page_begin_table (report->page, PROFILE_TABLE_PLAIN, columns,
                              G_N_ELEMENTS (columns));
    for (guint i = 0; i < JOB_N_CLASSES; i++) {
        double share = profile_report_get_share (report, sums[order[i]]);

        profile_page_add_cell (report->page, job_class_get_name (order[i]));
        profile_page_add_number (report->page, sums[order[i]], 3);
        profile_page_add_number (report->page, share, 1);
        profile_page_add_number (report->page, get_uncertainty (report, share), 1);
        profile_page_add_cell (report->page,
                               share >= LEAST_ADVICE ? get_advice (report, order[i]) : "");
    }
    profile_page_add_text (
        report->page,
        "The first thread of each rank always counts; other threads count only "
        "while they run.",
        FALSE);
}

/* ---- what is known as one number ---- */

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

static void
add_known (ProfileReport *report, gboolean is_known, guint64 number)
{
    if (is_known) {
        profile_page_add_count (report->page, number);
    } else {
        profile_page_add_cell (report->page, NULL);
    }
}

static void
add_io (ProfileReport *report)
{
    static const ProfileColumn columns[] = {
        { "Time in files", "s", PROFILE_COLUMN_NUMBER, NULL },
        { "Time in sockets", "s", PROFILE_COLUMN_NUMBER, NULL },
        { "Read from storage", "bytes", PROFILE_COLUMN_NUMBER, NULL },
        { "Written to storage", "bytes", PROFILE_COLUMN_NUMBER, NULL },
    };
    guint64 bytes;
    gboolean is_known;

    profile_page_begin_section (report->page, "Input and output");
    profile_page_begin_table (report->page, PROFILE_TABLE_CARDS, columns,
                              G_N_ELEMENTS (columns));
    profile_page_add_number (report->page, sum_class (report, JOB_CLASS_IO), 3);
    profile_page_add_number (report->page, sum_class (report, JOB_CLASS_NETWORK), 3);
    is_known = find_growth (report, JOB_METRIC_READ, &bytes);
    add_known (report, is_known, bytes);
    is_known = find_growth (report, JOB_METRIC_WRITTEN, &bytes);
    add_known (report, is_known, bytes);
}

static void
add_threads (ProfileReport *report)
{
    static const ProfileColumn columns[] = {
        { "Most threads in a rank", NULL, PROFILE_COLUMN_NUMBER, NULL },
        { "Other threads ran", "s", PROFILE_COLUMN_NUMBER, NULL },
        { "Other threads waited", "s", PROFILE_COLUMN_NUMBER, NULL },
        { "Waiting for locks", "s", PROFILE_COLUMN_NUMBER, NULL },
        { "OpenMP wait", "s", PROFILE_COLUMN_NUMBER, NULL },
    };
    double ran = 0, waited = 0;
    guint most = 0;

    for (guint i = 0; i < report->n_ranks; i++) {
        most = MAX (most, profile_model_get_n_threads (report->model, i));
        ran += profile_model_get_others (report->model, i);
        waited += profile_model_get_idle (report->model, i);
    }
    profile_page_begin_section (report->page, "Threads");
    profile_page_begin_table (report->page, PROFILE_TABLE_CARDS, columns,
                              G_N_ELEMENTS (columns));
    profile_page_add_count (report->page, most);
    profile_page_add_number (report->page, ran, 3);
    profile_page_add_number (report->page, waited, 3);
    profile_page_add_number (report->page, sum_class (report, JOB_CLASS_LOCK), 3);
    profile_page_add_number (report->page, sum_class (report, JOB_CLASS_OPENMP), 3);
}

static void
add_machine (ProfileReport *report)
{
    static const ProfileColumn columns[] = {
        { "Time in accelerators' libraries", "s", PROFILE_COLUMN_NUMBER, NULL },
        { "Accelerator utilisation", "%", PROFILE_COLUMN_NUMBER, NULL },
        { "Memory of a rank, mean", "bytes", PROFILE_COLUMN_NUMBER, NULL },
        { "Memory of a rank, peak", "bytes", PROFILE_COLUMN_NUMBER, NULL },
        { "Energy", "J", PROFILE_COLUMN_NUMBER, NULL },
    };
    guint64 mean = 0, peak = 0;
    gboolean is_known = find_memory (report, &mean, &peak);

    profile_page_begin_section (report->page, "Accelerators, memory and energy");
    profile_page_begin_table (report->page, PROFILE_TABLE_CARDS, columns,
                              G_N_ELEMENTS (columns));
    profile_page_add_number (report->page, sum_class (report, JOB_CLASS_ACCELERATOR), 3);
    profile_page_add_cell (report->page, NULL);
    add_known (report, is_known, mean);
    add_known (report, is_known, peak);
    profile_page_add_cell (report->page, NULL);
}

ProfilePage *
profile_report_new (const ProfileModel *model, const ProfileReportFacts *facts)
{
    g_autofree char *title = facts->command != NULL
                                 ? g_strdup_printf ("Profile of %s", facts->command)
                                 : g_strdup ("Profile");
    g_autofree char *idle = profile_report_describe_idle (model);
    ProfileReport report = { profile_page_new (title), model, profile_model_get_n_ranks (model),
                             0 };

    for (guint class = 0; class < JOB_N_CLASSES; class ++) {
        report.total += sum_class (&report, class);
    }
    add_cards (&report);
    if (profile_model_get_n_samples (model) == 0) {
        profile_page_add_text (report.page, "Nothing was sampled: no rank ran.", TRUE);
    }
    if (idle != NULL) {
        profile_page_add_text (report.page, idle, TRUE);
    }
    add_facts (&report, facts);
    add_classes (&report);
    profile_report_add_ranks (&report);
    profile_report_add_functions (&report);
    profile_report_add_lines (&report);
    profile_report_add_mpi (&report);
    add_io (&report);
    add_threads (&report);
    add_machine (&report);
    return report.page;
}

gboolean
profile_report_write (const ProfileModel *model, const char *path,
                      const ProfileReportFacts *facts, GError **error)
{
    g_autoptr (ProfilePage) page = NULL;

    if (!profile_page_check_path (path, error)) {
        return FALSE;
    }
    page = profile_report_new (model, facts);
    return profile_page_save (page, path, error);
}
