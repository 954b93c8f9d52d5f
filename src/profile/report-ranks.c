/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How the ranks differ. */
#include "profile/balance.h"
#include "profile/report-private.h"

#define MAX_ROWS 64u /* more ranks share rows */

const char *
profile_report_get_colour (JobClass class)
{
    static const char *const colours[JOB_N_CLASSES] = {
        [JOB_CLASS_NATIVE] = "#2f9e44",      [JOB_CLASS_PYTHON] = "#94c93d",
        [JOB_CLASS_MPI] = "#3b7ddd",         [JOB_CLASS_IO] = "#f08c1a",
        [JOB_CLASS_NETWORK] = "#d9480f",     [JOB_CLASS_LOCK] = "#c2255c",
        [JOB_CLASS_WAIT] = "#9aa0a6",        [JOB_CLASS_OPENMP] = "#c9a227",
        [JOB_CLASS_ACCELERATOR] = "#8e4ec6",
    };

    return colours[class];
}

static const char *
name_ranks (const JobRankSet *set)
{
    return job_rank_set_get_count (set) == 1 ? "rank" : "ranks";
}

char *
profile_report_describe_idle (const ProfileModel *model)
{
    g_autoptr (ProfileBalance) balance = profile_balance_new (model);
    g_autofree char *text = NULL;

    if (job_rank_set_is_empty (balance->idle)) {
        return NULL;
    }
    text = job_rank_set_format (balance->idle);
    return g_strdup_printf (
        "%u of %u ranks did nothing: %s %s worked less than 5 %% as long as rank %u, the busiest.",
        job_rank_set_get_count (balance->idle), balance->n_ranks, name_ranks (balance->idle),
        text, balance->busiest);
}

/* ---- the section ---- */

static void
add_spread (ProfileReport *report, const char *name, const double *values)
{
    guint least = G_MAXUINT, most = 0, n = 0;
    double sum = 0;

    for (guint i = 0; i < report->n_ranks; i++) {
        if (!profile_model_is_child (report->model, i)) {
            least = least == G_MAXUINT || values[i] < values[least] ? i : least;
            most = n == 0 || values[i] > values[most] ? i : most;
            sum += values[i];
            n++;
        }
    }
    least = least == G_MAXUINT ? 0 : least;
    profile_page_add_cell (report->page, name);
    profile_page_add_number (report->page, values[least], 3);
    profile_page_add_count (report->page, profile_model_get_rank (report->model, least));
    profile_page_add_number (report->page, sum / MAX (n, 1), 3);
    profile_page_add_number (report->page, values[most], 3);
    profile_page_add_count (report->page, profile_model_get_rank (report->model, most));
    profile_page_add_number (report->page, profile_report_get_imbalance (report, values), 1);
}

static void
add_spreads (ProfileReport *report)
{
    static const ProfileColumn columns[] = {
        { "Time of each rank", NULL, PROFILE_COLUMN_TEXT, NULL },
        { "Least", "s", PROFILE_COLUMN_NUMBER, NULL },
        { "Rank with the least", NULL, PROFILE_COLUMN_NUMBER, NULL },
        { "Mean", "s", PROFILE_COLUMN_NUMBER, NULL },
        { "Most", "s", PROFILE_COLUMN_NUMBER, NULL },
        { "Rank with the most", NULL, PROFILE_COLUMN_NUMBER, NULL },
        { "Imbalance", "%", PROFILE_COLUMN_NUMBER, NULL },
    };
    g_autofree double *work = g_new0 (double, report->n_ranks);
    g_autofree double *mpi = g_new0 (double, report->n_ranks);

    for (guint i = 0; i < report->n_ranks; i++) {
        work[i] = profile_balance_get_work (report->model, i);
        mpi[i] = profile_model_get_class (report->model, i, JOB_CLASS_MPI);
    }
    profile_page_begin_table (report->page, PROFILE_TABLE_PLAIN, columns,
                              G_N_ELEMENTS (columns));
    add_spread (report, "Work", work);
    add_spread (report, "MPI", mpi);
    profile_page_add_text (
        report->page,
        "Work is everything except MPI and waiting. Imbalance is how far the highest rank is above the mean.",
        FALSE);
}

/* Ranks from first to before end. */
static void
add_row (ProfileReport *report, guint first, guint end, const gboolean *is_shown)
{
    g_autoptr (JobRankSet) ranks = job_rank_set_new ();
    g_autofree char *text = NULL;
    double sums[JOB_N_CLASSES] = { 0 }, whole = 0;

    for (guint i = first; i < end; i++) {
        job_rank_set_add (ranks, profile_model_get_rank (report->model, i));
        for (guint class = 0; class < JOB_N_CLASSES; class ++) {
            double seconds = profile_model_get_class (report->model, i, class);

            sums[class] += seconds;
            whole += seconds;
        }
    }
    text = job_rank_set_format (ranks);
    profile_page_add_cell (report->page, text);
    profile_page_add_number (report->page, whole / (end - first), 3);
    for (guint class = 0; class < JOB_N_CLASSES; class ++) {
        if (is_shown[class]) {
            profile_page_add_number (report->page, whole > 0 ? 100 * sums[class] / whole : 0,
                                     1);
        }
    }
}

static void
add_rows (ProfileReport *report)
{
    guint step = (report->n_ranks + MAX_ROWS - 1) / MAX_ROWS;
    gboolean is_shown[JOB_N_CLASSES] = { FALSE };
    ProfileColumn columns[2 + JOB_N_CLASSES] = {
        { step > 1 ? "Ranks" : "Rank", NULL, PROFILE_COLUMN_TEXT, NULL },
        { step > 1 ? "Time of each, mean" : "Time", "s", PROFILE_COLUMN_NUMBER, NULL },
    };
    guint n_columns = 2;

    for (guint class = 0; class < JOB_N_CLASSES; class ++) {
        for (guint i = 0; i < report->n_ranks && !is_shown[class]; i++) {
            is_shown[class] = profile_model_get_class (report->model, i, class) > 0;
        }
        if (is_shown[class]) {
            columns[n_columns++] = (ProfileColumn){ job_class_get_name (class), "%",
                                                    PROFILE_COLUMN_SHARE,
                                                    profile_report_get_colour (class) };
        }
    }
    profile_page_begin_table (report->page, PROFILE_TABLE_STACKED, columns, n_columns);
    for (guint first = 0; first < report->n_ranks; first += step) {
        add_row (report, first, MIN (first + step, report->n_ranks), is_shown);
    }
}

static void
add_children (ProfileReport *report)
{
    g_autoptr (JobRankSet) children = job_rank_set_new ();

    for (guint i = 0; i < report->n_ranks; i++) {
        if (profile_model_is_child (report->model, i)) {
            job_rank_set_add (children, profile_model_get_rank (report->model, i));
        }
    }
    if (!job_rank_set_is_empty (children)) {
        g_autofree char *ranks = job_rank_set_format (children);
        g_autofree char *text
            = g_strdup_printf ("The numbers %s are child processes that ranks have forked.",
                               ranks);

        profile_page_add_text (report->page, text, FALSE);
    }
}

static void
add_silent (ProfileReport *report)
{
    g_autoptr (JobRankSet) silent = job_rank_set_new ();

    for (guint i = 0; i < report->n_ranks; i++) {
        if (profile_model_get_duration (report->model, i) <= 0) {
            job_rank_set_add (silent, profile_model_get_rank (report->model, i));
        }
    }
    if (!job_rank_set_is_empty (silent)) {
        g_autofree char *ranks = job_rank_set_format (silent);
        g_autofree char *text = g_strdup_printf ("No samples were taken of %s %s.",
                                                 name_ranks (silent), ranks);

        profile_page_add_text (report->page, text, TRUE);
    }
}

void
profile_report_add_ranks (ProfileReport *report)
{
    profile_page_begin_section (report->page, "Ranks");
    if (report->n_ranks > 0) {
        add_silent (report);
        add_spreads (report);
        add_rows (report);
        add_children (report);
    }
}
