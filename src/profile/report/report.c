/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The page: what comes first, and the sections about what was measured as a whole. */
#include "profile/balance.h"
#include "profile/command.h"
#include "profile/model/endings.h"
#include "profile/losses.h"
#include "profile/report/private.h"
#include "profile/summary.h"
#include "base/array.h"
#include <math.h>

#define DEVIATIONS 1.96
#define LEAST_ADVICE 5.0 /* percent of the time, from which on a class is worth a try */

/* ---- words ---- */

const char *
profile_report_get_word (const ProfileReport *report, const char *word)
{
    return report->form == BASE_TEXT_SHOWN && *word != '\0' ? gettext (word) : word;
}

void
profile_report_begin_section (ProfileReport *report, const char *title)
{
    profile_page_begin_section (report->page, profile_report_get_word (report, title));
}

void
profile_report_begin_table (ProfileReport *report, ProfileTableStyle style,
                            const ProfileColumn *columns, guint n_columns)
{
    g_autofree ProfileColumn *shown = g_memdup2 (columns, n_columns * sizeof *columns);

    for (guint i = 0; i < n_columns; i++) {
        shown[i].title = profile_report_get_word (report, columns[i].title);
        if (columns[i].unit != NULL) {
            shown[i].unit = profile_report_get_word (report, columns[i].unit);
        }
    }
    profile_page_begin_table (report->page, style, shown, n_columns);
}

void
profile_report_add_text (ProfileReport *report, const char *text, gboolean is_important)
{
    profile_page_add_text (report->page, profile_report_get_word (report, text), is_important);
}

void
profile_report_add_word (ProfileReport *report, const char *word)
{
    profile_page_add_cell (report->page, profile_report_get_word (report, word));
}

const char *
profile_report_get_class_title (BaseTextForm form, JobClass class)
{
    static const char *const titles[JOB_N_CLASSES] = {
        [JOB_CLASS_NATIVE] = N_ ("Native code"),
        [JOB_CLASS_PYTHON] = N_ ("Python"),
        [JOB_CLASS_MPI] = N_ ("MPI"),
        [JOB_CLASS_IO] = N_ ("I/O"),
        [JOB_CLASS_NETWORK] = N_ ("Network"),
        [JOB_CLASS_LOCK] = N_ ("Lock"),
        [JOB_CLASS_WAIT] = N_ ("Waiting"),
        [JOB_CLASS_OPENMP] = N_ ("OpenMP wait"),
        [JOB_CLASS_ACCELERATOR] = N_ ("Accelerator"),
        [JOB_CLASS_GIL] = N_ ("Python lock (GIL)"),
        [JOB_CLASS_UNSAMPLED] = N_ ("Not sampled"),
        [JOB_CLASS_UNKNOWN] = N_ ("Not known"),
    };

    return form == BASE_TEXT_SHOWN ? gettext (titles[class]) : job_class_get_name (class);
}

/* ---- numbers ---- */

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
    return BASE_SUM (double, i, report->n_ranks,
                     profile_model_get_class (report->model, i, class));
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
    static const ProfileColumn children = { N_ ("Child processes"), NULL, PROFILE_COLUMN_NUMBER,
                                            NULL };
    const ProfileColumn lost = { report->is_traced ? N_ ("Events lost") : N_ ("Samples missed"),
                                 NULL, PROFILE_COLUMN_NUMBER, NULL };
    ProfileColumn columns[] = {
        { N_ ("Wall time"), "s", PROFILE_COLUMN_NUMBER, NULL },
        { N_ ("Ranks"), NULL, PROFILE_COLUMN_NUMBER, NULL },
        { N_ ("Computing"), "%", PROFILE_COLUMN_NUMBER, NULL },
        { N_ ("MPI"), "%", PROFILE_COLUMN_NUMBER, NULL },
        { N_ ("Work imbalance"), "%", PROFILE_COLUMN_NUMBER, NULL },
        { report->is_traced ? N_ ("Calls") : N_ ("Samples"), NULL, PROFILE_COLUMN_NUMBER,
          NULL },
        { 0 },
        { 0 },
    };
    guint n_children = profile_model_get_n_children (report->model);
    guint n = G_N_ELEMENTS (columns) - 2;
    gboolean is_part = report->is_traced && !report->has_calls;

    if (!report->is_foreign) { /* others may have lost some, too, and do not say it */
        columns[n++] = lost;
    }
    if (n_children > 0) {
        columns[n++] = children;
    }
    profile_report_begin_table (report, PROFILE_TABLE_CARDS, columns, n);
    profile_page_add_number (report->page, profile_model_get_longest (report->model), 2);
    profile_page_add_count (report->page, report->n_ranks - n_children);
    profile_page_add_number (
        report->page,
        profile_report_get_share (report,
                                  profile_report_sum_class (report, JOB_CLASS_NATIVE)
                                      + profile_report_sum_class (report, JOB_CLASS_PYTHON)),
        1);
    if (profile_losses_lack_mpi (report->model)) {
        profile_page_add_cell (report->page, NULL);
    } else {
        profile_page_add_number (
            report->page,
            profile_report_get_share (report, profile_report_sum_class (report, JOB_CLASS_MPI)),
            1);
    }
    profile_page_add_number (report->page, get_work_imbalance (report), 1);
    profile_report_add_known (report, !is_part,
                              report->is_traced ? profile_model_get_n_calls (report->model)
                                                : profile_model_get_n_samples (report->model));
    if (!report->is_foreign) {
        profile_report_add_known (report, !is_part,
                                  profile_model_get_n_dropped (report->model));
    }
    if (n_children > 0) {
        profile_page_add_count (report->page, n_children);
    }
}

static void
add_facts (ProfileReport *report, const ProfileReportFacts *facts)
{
    static const ProfileColumn columns[] = {
        { N_ ("Command"), NULL, PROFILE_COLUMN_CODE, NULL },
        { N_ ("Started"), NULL, PROFILE_COLUMN_TEXT, NULL },
        { N_ ("With the launcher"), "s", PROFILE_COLUMN_NUMBER, NULL },
        { N_ ("Samples a second"), NULL, PROFILE_COLUMN_NUMBER, NULL },
    };

    profile_report_begin_table (report, PROFILE_TABLE_PLAIN, columns,
                                G_N_ELEMENTS (columns) - (report->is_traced ? 1 : 0));
    profile_page_add_cell (report->page,
                           facts->command != NULL
                               ? facts->command
                               : profile_report_get_word (report, N_ ("not known")));
    profile_page_add_cell (report->page,
                           facts->begun != NULL
                               ? facts->begun
                               : profile_report_get_word (report, N_ ("not known")));
    if (profile_model_get_run (report->model) > 0) {
        profile_page_add_number (report->page, profile_model_get_run (report->model), 2);
    } else {
        profile_page_add_cell (report->page, NULL);
    }
    if (report->is_traced) {
        return;
    }
    if (facts->rate > 0) {
        profile_page_add_count (report->page, facts->rate);
    } else {
        profile_page_add_cell (report->page, NULL);
    }
}

/* ---- classes ---- */

typedef struct {
    guint class;
    double seconds;
} ClassTime;

BASE_ORDER (compare_seconds, ClassTime, BASE_BY_DOWN (seconds))

/* Half of the 95 % interval of a share, in points; as Agresti and Coull have it (The American Statistician 52, 1998): two
 * samples of which both are in a class do not say that all of the time was. */
static double
get_uncertainty (const ProfileReport *report, double share)
{
    guint64 all = profile_model_get_n_samples (report->model);
    guint64 missed = MIN (profile_model_get_n_dropped (report->model), all);
    double n = (double) MAX (all - missed, 1) + DEVIATIONS * DEVIATIONS;
    double seen = CLAMP (share / 100, 0, 1) * (n - DEVIATIONS * DEVIATIONS);
    double p = (seen + DEVIATIONS * DEVIATIONS / 2) / n;

    return 100 * DEVIATIONS * sqrt (p * (1 - p) / n);
}

/* What is exact has no interval. */
static void
begin_classes (ProfileReport *report)
{
    static const ProfileColumn columns[] = {
        { N_ ("What the ranks did"), NULL, PROFILE_COLUMN_TEXT, NULL },
        { N_ ("Time"), "s", PROFILE_COLUMN_NUMBER, NULL },
        { N_ ("Share"), "%", PROFILE_COLUMN_SHARE, NULL },
        /* xgettext:no-c-format */
        { N_ ("95 % interval"), N_ ("± points"), PROFILE_COLUMN_NUMBER, NULL },
        { N_ ("What to try next"), NULL, PROFILE_COLUMN_TEXT, NULL },
    };
    const ProfileColumn exact[] = { columns[0], columns[1], columns[2], columns[4] };

    profile_report_begin_section (report, N_ ("Time"));
    profile_report_begin_table (report, PROFILE_TABLE_PLAIN,
                                report->is_traced ? exact : columns,
                                report->is_traced ? G_N_ELEMENTS (exact)
                                                  : G_N_ELEMENTS (columns));
}

static void
add_classes (ProfileReport *report)
{
    ClassTime order[JOB_N_CLASSES];

    for (guint class = 0; class < JOB_N_CLASSES; class ++) {
        order[class] = (ClassTime){ class, profile_report_sum_class (report, class) };
    }
    qsort (order, JOB_N_CLASSES, sizeof *order, compare_seconds);
    begin_classes (report);
    for (guint i = 0; i < JOB_N_CLASSES; i++) {
        double share = profile_report_get_share (report, order[i].seconds);
        g_autofree char *advice = share >= LEAST_ADVICE
                                      ? profile_report_dup_advice (report, order[i].class)
                                      : NULL;

        if (order[i].seconds <= 0
            && (report->is_traced || report->is_foreign
                || order[i].class >= JOB_CLASS_UNSAMPLED)) {
            continue; /* of most of these a trace knows nothing, nor do others' samples */
        }
        profile_page_add_cell (report->page,
                               profile_report_get_class_title (report->form, order[i].class));
        profile_page_add_number (report->page, order[i].seconds, 3);
        profile_page_add_number (report->page, share, 1);
        if (!report->is_traced) {
            profile_page_add_number (report->page, get_uncertainty (report, share), 1);
        }
        profile_page_add_cell (report->page, advice != NULL ? advice : "");
    }
    profile_report_add_text (
        report,
        profile_model_is_filled (report->model) ? N_ (
            "The calls of all threads count. What ran between the calls that were recorded is what samples have "
            "seen there, marked [sampled]; what they have not seen counts for the call around it.")
        : report->is_foreign && report->is_traced ? N_ (
              "The calls of all threads count. What the archive does not record counts for the "
              "function that called it.")
        : report->is_foreign ? N_ ("The samples of all threads count.")
        : report->is_traced
            ? N_ ("The calls of all threads count. What a trace does not record, "
                  "such as network calls and accelerators, counts for "
                  "the function that called it.")
            : N_ ("The first thread of each rank always counts; other threads "
                  "count only while they run."),
        FALSE);
}

static char *
format_title (const ProfileReport *report, const char *command)
{
    if (command == NULL) {
        return g_strdup (profile_report_get_word (report, report->is_traced ? N_ ("Trace")
                                                                            : N_ ("Profile")));
    }
    return report->is_traced ? base_text_print (report->form, "Trace of %s", command)
                             : base_text_print (report->form, "Profile of %s", command);
}

static void
add_warnings (ProfileReport *report)
{
    g_autofree char *idle = profile_report_describe_idle (report);
    g_autofree char *losses = profile_format_losses (report->model, report->form);
    g_autofree char *unrecorded = profile_format_unrecorded (report->model, report->form);
    g_autofree char *endings = profile_format_endings (report->model, report->form);
    g_autofree char *namesakes = profile_format_namesakes (report->model, report->form);
    const char *problem = profile_model_get_problem (report->model, report->form);
    double share;

    if (problem != NULL) {
        g_autofree char *sentence = base_text_print (report->form,
                                                     "The archive has a problem: %s.", problem);

        profile_page_add_text (report->page, sentence, TRUE);
    }
    if (report->has_calls && profile_model_get_n_calls (report->model) == 0) {
        profile_report_add_text (report, N_ ("No call was recorded."), TRUE);
    } else if (!report->is_traced && profile_model_get_n_samples (report->model) == 0) {
        profile_report_add_text (report, N_ ("Nothing was sampled: no rank ran."), TRUE);
    }
    if (endings != NULL) {
        g_autofree char *sentence = g_strconcat (endings, ".", NULL);

        profile_page_add_text (report->page, sentence, TRUE);
    }
    if (losses != NULL) {
        g_autofree char *sentence = g_strconcat (losses, ".", NULL);

        profile_page_add_text (report->page, sentence, TRUE);
    }
    if (unrecorded != NULL) {
        g_autofree char *sentence = g_strconcat (unrecorded, ".", NULL);

        profile_page_add_text (report->page, sentence, TRUE);
    }
    if (namesakes != NULL) {
        g_autofree char *sentence = g_strconcat (namesakes, ".", NULL);

        profile_page_add_text (report->page, sentence, FALSE);
    }
    if (idle != NULL) {
        profile_page_add_text (report->page, idle, TRUE);
    }
    if (profile_find_crowding (report->model, &share)) {
        g_autofree char *sentence = base_text_print (
            report->form,
            "Warning: the CPUs were oversubscribed. Ranks waited for a CPU %.0f %% of the time they could run, so "
            "times below are too long.",
            100 - share);

        profile_page_add_text (report->page, sentence, TRUE);
    }
}

ProfilePage *
profile_report_new (const ProfileModel *model, const ProfileReportFacts *facts,
                    BaseTextForm form)
{
    ProfileReport report = { .model = model,
                             .n_ranks = profile_model_get_n_ranks (model),
                             .form = form,
                             .is_traced = profile_model_is_traced (model),
                             .has_calls = profile_model_has_calls (model),
                             .is_foreign = profile_model_get_info (model)->is_foreign };
    g_autofree char *command = profile_command_tidy (facts->command);
    const ProfileReportFacts tidy = { command, facts->begun, facts->rate };
    g_autofree char *title = format_title (&report, command);

    report.page = profile_page_new (title);
    for (guint class = 0; class < JOB_N_CLASSES; class ++) {
        report.total += profile_report_sum_class (&report, class);
    }
    add_cards (&report);
    profile_report_add_sentence (&report);
    add_warnings (&report);
    add_facts (&report, &tidy);
    add_classes (&report);
    profile_report_add_efficiency (&report);
    profile_report_add_path (&report);
    profile_report_add_delays (&report);
    profile_report_add_losses (&report);
    profile_report_add_ranks (&report);
    profile_report_add_functions (&report);
    profile_report_add_lines (&report);
    profile_report_add_mpi (&report);
    profile_report_add_waits (&report);
    profile_report_add_io (&report);
    profile_report_add_files (&report);
    profile_report_add_threads (&report);
    profile_report_add_locks (&report);
    profile_report_add_gil (&report);
    profile_report_add_allocations (&report);
    profile_report_add_values (&report);
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
    page = profile_report_new (model, facts, BASE_TEXT_ENGLISH);
    return profile_page_save (page, path, error);
}
