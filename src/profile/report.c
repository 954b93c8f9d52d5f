/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The page: what comes first, and the sections about what was measured as a whole. */
#include "profile/balance.h"
#include "profile/report-private.h"
#include "profile/summary.h"
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

double
profile_report_sum_class (const ProfileReport *report, JobClass class)
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
        work[i] = profile_balance_get_work (report->model, i);
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
    profile_page_add_number (
        report->page,
        profile_report_get_share (report,
                                  profile_report_sum_class (report, JOB_CLASS_NATIVE)
                                      + profile_report_sum_class (report, JOB_CLASS_PYTHON)),
        1);
    profile_page_add_number (
        report->page,
        profile_report_get_share (report, profile_report_sum_class (report, JOB_CLASS_MPI)), 1);
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
        sums[class] = profile_report_sum_class (report, class);
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

ProfilePage *
profile_report_new (const ProfileModel *model, const ProfileReportFacts *facts)
{
    g_autofree char *title = facts->command != NULL
                                 ? g_strdup_printf ("Profile of %s", facts->command)
                                 : g_strdup ("Profile");
    g_autofree char *idle = profile_report_describe_idle (model);
    g_autofree char *crowding = profile_format_crowding (model);
    ProfileReport report = { profile_page_new (title), model, profile_model_get_n_ranks (model),
                             0 };

    for (guint class = 0; class < JOB_N_CLASSES; class ++) {
        report.total += profile_report_sum_class (&report, class);
    }
    add_cards (&report);
    if (profile_model_get_n_samples (model) == 0) {
        profile_page_add_text (report.page, "Nothing was sampled: no rank ran.", TRUE);
    }
    if (idle != NULL) {
        profile_page_add_text (report.page, idle, TRUE);
    }
    if (crowding != NULL) {
        g_autofree char *sentence = g_strdup_printf (
            "%s: other ranks, threads or programs had it. Time in a class is longer by that.",
            crowding);

        profile_page_add_text (report.page, sentence, TRUE);
    }
    add_facts (&report, facts);
    add_classes (&report);
    profile_report_add_ranks (&report);
    profile_report_add_functions (&report);
    profile_report_add_lines (&report);
    profile_report_add_mpi (&report);
    profile_report_add_waits (&report);
    profile_report_add_io (&report);
    profile_report_add_files (&report);
    profile_report_add_threads (&report);
    profile_report_add_locks (&report);
    profile_report_add_machine (&report);
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
