/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How the ranks differ. */
#include "profile/balance.h"
#include "profile/losses.h"
#include "profile/report/private.h"

#define MAX_ROWS 64u /* more ranks share rows */

static const char *
get_colour (JobClass class)
{
    static const char *const colours[JOB_N_CLASSES] = {
        [JOB_CLASS_NATIVE] = "#2f9e44",      [JOB_CLASS_PYTHON] = "#94c93d",
        [JOB_CLASS_MPI] = "#3b7ddd",         [JOB_CLASS_IO] = "#f08c1a",
        [JOB_CLASS_NETWORK] = "#d9480f",     [JOB_CLASS_LOCK] = "#c2255c",
        [JOB_CLASS_WAIT] = "#9aa0a6",        [JOB_CLASS_OPENMP] = "#c9a227",
        [JOB_CLASS_ACCELERATOR] = "#8e4ec6", [JOB_CLASS_GIL] = "#862e9c",
        [JOB_CLASS_UNSAMPLED] = "#f1f3f5",   [JOB_CLASS_UNKNOWN] = "#dee2e6",
    };

    return colours[class];
}

char *
profile_report_describe_idle (const ProfileReport *report)
{
    g_autoptr (ProfileBalance) balance = profile_balance_new (report->model);
    g_autofree char *text = NULL;

    if (job_rank_set_is_empty (balance->idle)) {
        return NULL;
    }
    text = job_rank_set_format (balance->idle);
    return base_text_print_plural (
        report->form,
        "%u of %u ranks did nothing: rank %s worked less than 5 %% as long as "
        "rank %u, the busiest.",
        "%u of %u ranks did nothing: ranks %s worked less than 5 %% as long as "
        "rank %u, the busiest.",
        job_rank_set_get_count (balance->idle), job_rank_set_get_count (balance->idle),
        balance->n_ranks, text, balance->busiest);
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
    profile_report_add_word (report, name);
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
        { N_ ("Time of each rank"), NULL, PROFILE_COLUMN_TEXT, NULL },
        { N_ ("Least"), "s", PROFILE_COLUMN_NUMBER, NULL },
        { N_ ("Rank with the least"), NULL, PROFILE_COLUMN_NUMBER, NULL },
        { N_ ("Mean"), "s", PROFILE_COLUMN_NUMBER, NULL },
        { N_ ("Most"), "s", PROFILE_COLUMN_NUMBER, NULL },
        { N_ ("Rank with the most"), NULL, PROFILE_COLUMN_NUMBER, NULL },
        { N_ ("Imbalance"), "%", PROFILE_COLUMN_NUMBER, NULL },
    };
    g_autofree double *work = g_new0 (double, report->n_ranks);
    g_autofree double *mpi = g_new0 (double, report->n_ranks);

    for (guint i = 0; i < report->n_ranks; i++) {
        work[i] = profile_balance_get_work (report->model, i);
        mpi[i] = profile_model_get_class (report->model, i, JOB_CLASS_MPI);
    }
    profile_report_begin_table (report, PROFILE_TABLE_PLAIN, columns, G_N_ELEMENTS (columns));
    add_spread (report, N_ ("Work"), work);
    if (!profile_losses_lack_mpi (report->model)) {
        add_spread (report, N_ ("MPI"), mpi);
    }
    profile_report_add_text (
        report,
        N_ ("Work is everything except MPI and waiting. Imbalance is how far the highest rank is above the mean."),
        FALSE);
}

/* Ranks, or children of them. */
static char *
format_row (const ProfileReport *report, const guint *order, guint first, guint end)
{
    g_autoptr (JobRankSet) ranks = job_rank_set_new ();

    if (profile_model_is_child (report->model, order[first])) {
        return end - first == 1
                   ? profile_model_format_rank (report->form, report->model, order[first])
                   : base_text_print_plural (report->form, "%u child process",
                                             "%u child processes", end - first, end - first);
    }
    for (guint i = first; i < end; i++) {
        job_rank_set_add (ranks, profile_model_get_rank (report->model, order[i]));
    }
    return job_rank_set_format (ranks);
}

/* The ranks of the order from first to before end. */
static void
add_row (ProfileReport *report, const guint *order, guint first, guint end,
         const gboolean *is_shown)
{
    g_autofree char *text = format_row (report, order, first, end);
    double sums[JOB_N_CLASSES] = { 0 }, whole = 0;

    for (guint i = first; i < end; i++) {
        for (guint class = 0; class < JOB_N_CLASSES; class ++) {
            double seconds = profile_model_get_class (report->model, order[i], class);

            sums[class] += seconds;
            whole += seconds;
        }
    }
    profile_page_add_cell (report->page, text);
    profile_page_add_number (report->page, whole / (end - first), 3);
    for (guint class = 0; class < JOB_N_CLASSES; class ++) {
        if (is_shown[class]) {
            profile_page_add_number (report->page, whole > 0 ? 100 * sums[class] / whole : 0,
                                     1);
        }
    }
}

/* So many to a row that there are not too many of these. */
static guint
get_step (guint n)
{
    return (n + MAX_ROWS - 1) / MAX_ROWS;
}

/* Ranks come first, and share no row with children. */
static void
add_rows (ProfileReport *report, const gboolean *is_shown)
{
    g_autofree guint *order = g_new (guint, report->n_ranks);
    guint n = 0, n_children = profile_model_get_n_children (report->model);
    guint n_own = report->n_ranks - n_children;

    for (guint round = 0; round < 2; round++) {
        for (guint i = 0; i < report->n_ranks; i++) {
            if (profile_model_is_child (report->model, i) == (round == 1)) {
                order[n++] = i;
            }
        }
    }
    for (guint first = 0; first < n_own; first += get_step (n_own)) {
        add_row (report, order, first, MIN (first + get_step (n_own), n_own), is_shown);
    }
    for (guint first = n_own; first < n; first += get_step (n_children)) {
        add_row (report, order, first, MIN (first + get_step (n_children), n), is_shown);
    }
}

static void
add_table (ProfileReport *report)
{
    guint step = get_step (report->n_ranks - profile_model_get_n_children (report->model));
    gboolean is_shown[JOB_N_CLASSES] = { FALSE };
    ProfileColumn columns[2 + JOB_N_CLASSES] = {
        { step > 1 ? N_ ("Ranks") : N_ ("Rank"), NULL, PROFILE_COLUMN_TEXT, NULL },
        { step > 1 ? N_ ("Time of each, mean") : N_ ("Time"), "s", PROFILE_COLUMN_NUMBER,
          NULL },
    };
    guint n_columns = 2;

    for (guint class = 0; class < JOB_N_CLASSES; class ++) {
        for (guint i = 0; i < report->n_ranks && !is_shown[class]; i++) {
            is_shown[class] = profile_model_get_class (report->model, i, class) > 0;
        }
        if (is_shown[class]) {
            columns[n_columns++]
                = (ProfileColumn){ profile_report_get_class_title (report->form, class), "%",
                                   PROFILE_COLUMN_SHARE, get_colour (class) };
        }
    }
    profile_report_begin_table (report, PROFILE_TABLE_STACKED, columns, n_columns);
    add_rows (report, is_shown);
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
        gulong n = job_rank_set_get_count (silent);
        g_autofree char *text
            = report->is_traced
                  ? base_text_print_plural (report->form, "No calls were recorded of rank %s.",
                                            "No calls were recorded of ranks %s.", n, ranks)
                  : base_text_print_plural (report->form, "No samples were taken of rank %s.",
                                            "No samples were taken of ranks %s.", n, ranks);

        profile_report_add_text (report, text, TRUE);
    }
}

void
profile_report_add_ranks (ProfileReport *report)
{
    profile_report_begin_section (report, N_ ("Ranks"));
    if (report->n_ranks > 0) {
        add_silent (report);
        add_spreads (report);
        add_table (report);
    }
}
