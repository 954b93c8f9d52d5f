/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the numbers mean: each sentence has the number and the line that it follows from. */
#include "profile/view/efficiency.h"
#include "profile/view/lone-work.h"
#include "profile/report/private.h"

#define LEAST_WAITING 5.0 /* percent of the ranks' time from which on it comes first */
#define LEAST_ALONE                                                                            \
    25.0 /* percent of the time in MPI from which on ranks that are waited for in turn are named */
#define LEAST_PART 5.0 /* the same of one rank */
#define MAX_ALONE 4u

static const char *
get_hint (JobClass class, gboolean is_traced)
{
    switch (class) {
    case JOB_CLASS_NATIVE:
        return N_ (
            "Compiled code computes. Start with the first functions and lines below: compiler "
            "options, vectorisation, memory access, or a library that does it faster.");
    case JOB_CLASS_PYTHON:
        return N_ (
            "The interpreter computes. Move the first lines below into array operations, a library, "
            "or compiled code.");
    case JOB_CLASS_MPI:
        return N_ (
            "Fewer and larger messages, collectives, or non-blocking calls while computing.");
    case JOB_CLASS_IO:
        return N_ (
            "Read and write in larger pieces, less often, or in parallel (MPI-IO, HDF5); check "
            "which file system it is.");
    case JOB_CLASS_NETWORK:
        return N_ ("Sockets outside MPI. See in the functions below who uses them.");
    case JOB_CLASS_LOCK:
        return N_ (
            "Threads wait for each other's end or for a lock: give them equal parts of the work, do less while holding a "
            "lock, or give each thread its own data.");
    case JOB_CLASS_WAIT:
        return N_ (
            "Sleeping, or waiting for something outside the rank: a timer, a pipe, another process. "
            "See in the functions below what for.");
    case JOB_CLASS_OPENMP:
        return N_ (
            "Threads wait for their team: distribute loops evenly (schedule), make serial "
            "parts shorter, or use fewer threads.");
    case JOB_CLASS_ACCELERATOR:
        return N_ (
            "In the accelerator's library: transfer less, and compute or communicate while it works.");
    case JOB_CLASS_GIL:
        return N_ (
            "Only one thread at a time computes in the interpreter: use processes, or libraries that let go of it "
            "while they compute.");
    case JOB_CLASS_UNSAMPLED:
        return is_traced
                   ? N_ (
                       "The program had switched recording, or that of Python's calls, off, or it waited before its first "
                       "line or after its last one.")
                   : N_ (
                       "pddt had no processor for so long that what the program did then is not known: measure again on a host with "
                       "less other work, or at a lower rate.");
    default: return "";
    }
}

/* Whether MPI's time is waiting or communication is never guessed: it has a bound. */
static char *
describe_mpi (const ProfileReport *report, const ProfileEfficiency *all)
{
    g_autofree char *rank = profile_model_format_rank (report->form, report->model, all->least);

    return base_text_print (
        report->form,
        all->waiting_s >= all->messages_s / 2
            ? N_ (
                "Faster communication can make the run shorter by at most %.1f s of %.1f s, since %s is in MPI for "
                "no longer after MPI_Init: distribute the work evenly first (see Efficiency and Ranks).")
            : N_ (
                "Faster communication can make the run shorter by at most %.1f s of %.1f s, the time that %s, which "
                "has the least of it, is in MPI after MPI_Init: fewer and larger messages, collectives, or non-blocking calls while "
                "computing. Ranks that wait for each other in turn count in it."),
        all->least_messages_s, all->runtime_s, rank);
}

char *
profile_report_dup_advice (const ProfileReport *report, JobClass class)
{
    ProfileEfficiency all;
    double seconds;
    g_autofree char *place = profile_efficiency_find_place (report->model, class, &seconds);
    g_autofree char *hint
        = class == JOB_CLASS_MPI && profile_efficiency_find (report->model, &all)
              ? describe_mpi (report, &all)
              : g_strdup (profile_report_get_word (report,
                                                   get_hint (class, report->is_traced)));
    g_autofree char *where
        = place != NULL && *hint != '\0'
              ? base_text_print (report->form,
                                 "The largest part, %.1f %% of all time, is in %s.",
                                 profile_report_get_share (report, seconds), place)
              : NULL;

    return where != NULL ? g_strdup_printf ("%s %s", hint, where) : g_steal_pointer (&hint);
}

/* ---- what comes first ---- */

static char *
describe_waiting (const ProfileReport *report, const ProfileEfficiency *all)
{
    g_autoptr (JobRankSet) ranks = profile_efficiency_dup_least (report->model, all);
    g_autofree char *text = job_rank_set_format (ranks);
    g_autofree char *place = profile_efficiency_find_work (report->model, ranks);
    double share = profile_report_get_share (report, all->messages_s);
    double saved = 100 * all->least_messages_s / all->runtime_s;
    gulong n = job_rank_set_get_count (ranks);

    if (all->waiting_s < all->messages_s / 2 || share - saved < LEAST_WAITING) {
        return NULL;
    }
    return place != NULL ? base_text_print_plural (
               report->form,
               "After MPI_Init the ranks are in MPI for %.0f %% of all time. Rank %s spends the least time there, and the "
               "most outside it in %s: faster communication would save at most %.0f %% of the run time.",
               "After MPI_Init the ranks are in MPI for %.0f %% of all time. Ranks %s spend the least time there, and the "
               "most outside it in %s: faster communication would save at most %.0f %% of the run time.",
               n, share, text, place, saved)
                         : base_text_print_plural (
                             report->form,
                             "After MPI_Init the ranks are in MPI for %.0f %% of all time, and rank %s spends the least time there: "
                             "faster communication would save at most %.0f %% of the run time.",
                             "After MPI_Init the ranks are in MPI for %.0f %% of all time, and ranks %s spend the least time there: "
                             "faster communication would save at most %.0f %% of the run time.",
                             n, share, text, saved);
}

/* "0 (46 %, solve at a.c:12), 1 (44 %, solve at a.c:12)": in percent of the time in MPI. */
static char *
list_alone (const GArray *alone, double messages_s, gulong *ret_n)
{
    GString *text = g_string_new (NULL);

    *ret_n = 0;
    for (guint i = 0; i < alone->len; i++) {
        const ProfileLoneWork *work = &g_array_index (alone, ProfileLoneWork, i);
        double share = 100 * work->seconds / messages_s;

        if (i > 0 && share < LEAST_PART) {
            break;
        }
        if (i == MAX_ALONE) {
            g_string_append (text, ", …");
            break;
        }
        g_string_append_printf (text, "%s%u (%.0f %%%s%s)", i > 0 ? ", " : "", work->rank,
                                share, work->place != NULL ? ", " : "",
                                work->place != NULL ? work->place : "");
        ++*ret_n;
    }
    return g_string_free (text, FALSE);
}

/* Ranks that are slow in turn have equal sums: moment by moment one of them alone works. */
static char *
describe_turns (const ProfileReport *report, const ProfileEfficiency *all)
{
    g_autoptr (GArray) alone = profile_lone_work_new (report->model);
    g_autofree char *list = NULL;
    double seconds = 0, share = profile_report_get_share (report, all->messages_s);
    gulong n;

    for (guint i = 0; i < alone->len; i++) {
        seconds += g_array_index (alone, ProfileLoneWork, i).seconds;
    }
    if (seconds <= 0 || 100 * seconds < LEAST_ALONE * all->messages_s
        || share * seconds < LEAST_WAITING * all->messages_s) {
        return NULL;
    }
    list = list_alone (alone, all->messages_s, &n);
    /* Translators: the last one is "0 (46 %, solve at a.c:12), 1 (44 %, solve at a.c:12)". */
    return base_text_print_plural (
        report->form,
        "After MPI_Init the ranks are in MPI for %.0f %% of all time, and for %.0f %% of that only one rank at a time "
        "was at work: rank %s.",
        "After MPI_Init the ranks are in MPI for %.0f %% of all time, and for %.0f %% of that only one rank at a time "
        "was at work: ranks %s.",
        n, share, 100 * seconds / all->messages_s, list);
}

static char *
describe_ranks (const ProfileReport *report)
{
    ProfileEfficiency all;
    char *text = NULL;

    if (profile_efficiency_find (report->model, &all)) {
        text = describe_waiting (report, &all);
        text = text != NULL ? text : describe_turns (report, &all);
    }
    return text;
}

void
profile_report_add_sentence (ProfileReport *report)
{
    g_autofree char *waiting = describe_ranks (report);
    g_autofree char *place = NULL, *text = NULL;
    double most = 0, seconds;
    guint best = 0;

    for (guint class = 0; class < JOB_N_CLASSES; class ++) {
        double sum = profile_report_sum_class (report, class);

        best = sum > most ? class : best;
        most = MAX (most, sum);
    }
    if (waiting != NULL) {
        profile_page_add_text (report->page, waiting, FALSE);
    } else if (most > 0) {
        const char *title = profile_report_get_class_title (report->form, best);
        double share = profile_report_get_share (report, most);

        place = profile_efficiency_find_place (report->model, best, &seconds);
        text = place != NULL
                   ? base_text_print (
                       report->form,
                       "Most of the time, %.0f %%, is %s: the largest part, %.0f %%, in %s.",
                       share, title, profile_report_get_share (report, seconds), place)
                   : base_text_print (report->form, "Most of the time, %.0f %%, is %s.", share,
                                      title);
        profile_page_add_text (report->page, text, FALSE);
    }
}

/* ---- efficiency ---- */

static void
add_efficiency (ProfileReport *report, const char *name, const char *bound, double value,
                const char *meaning)
{
    profile_report_add_word (report, name);
    profile_report_add_word (report, bound);
    profile_page_add_number (report->page, 100 * value, 1);
    profile_report_add_word (report, meaning);
}

void
profile_report_add_efficiency (ProfileReport *report)
{
    static const ProfileColumn columns[] = {
        { N_ ("Efficiency"), NULL, PROFILE_COLUMN_TEXT, NULL },
        { N_ ("Bound"), NULL, PROFILE_COLUMN_TEXT, NULL },
        { N_ ("Value"), "%", PROFILE_COLUMN_NUMBER, NULL },
        { N_ ("Definition"), NULL, PROFILE_COLUMN_TEXT, NULL },
    };
    ProfileEfficiency all;
    double least;

    if (!profile_efficiency_find (report->model, &all)) {
        return;
    }
    least = all.runtime_s - all.least_mpi_s; /* with messages that take no time */
    profile_report_begin_section (report, N_ ("Efficiency"));
    profile_report_begin_table (report, PROFILE_TABLE_PLAIN, columns, G_N_ELEMENTS (columns));
    add_efficiency (
        report, N_ ("Parallel efficiency"), "", all.useful_s / all.runtime_s,
        N_ ("mean useful time / run time = load balance × communication efficiency"));
    add_efficiency (report, N_ ("Load balance"), "", all.useful_s / all.most_s,
                    N_ ("mean useful time / highest useful time"));
    add_efficiency (report, N_ ("Communication efficiency"), "", all.most_s / all.runtime_s,
                    N_ ("highest useful time / run time = serialisation × transfer"));
    add_efficiency (report, N_ ("Serialisation efficiency"), N_ ("at most"),
                    least > all.most_s ? all.most_s / least : 1,
                    N_ ("highest useful time / run time on a network that takes no time"));
    add_efficiency (
        report, N_ ("Transfer efficiency"), N_ ("at least"), least / all.runtime_s,
        N_ ("run time on a network that takes no time / run time: at least what the rank with the least "
            "time in MPI spends outside it"));
    profile_report_add_text (
        report,
        N_ ("POP's hierarchy (pop-coe.eu, Standard Metrics for Parallel Performance Analysis), of the ranks' first "
            "threads. Useful is the time outside MPI and waiting; the run time is that of the longest rank."),
        FALSE);
}
