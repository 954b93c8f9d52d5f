/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `profile`: where the set spends its time from now on, as one tree. */
#include "command/private.h"
#include "base/escape.h"
#include "command/measure.h"
#include "profile/counts.h"
#include "profile/losses.h"
#include "profile/rate.h"
#include "profile/summary.h"

#define DEFAULT_MS 5000u
#define SUM_ABOVE 4096u /* ranks: their hosts add up, and nobody asks when they were where */
#define LEAST 0.01      /* share of the whole below which a function is not shown */
#define SPREAD 0.1      /* of the ranks' own times: shown from here on */
#define MAX_INDENT 100
#define MAX_FUNCTIONS 10u

typedef struct {
    Session *session; /* NULL: of an archive */
    const ProfileModel *model;
    GString *lines;
    double total;
    double *ranks; /* of each */
} Printing;

/* Share of the rank's own time. */
static double
get_share (const Printing *to, const double *seconds, guint index)
{
    return to->ranks[index] > 0 ? seconds[index] / to->ranks[index] : 0;
}

/* seconds: of each rank. What ranks have forked is not compared with them. */
static void
append_spread (const Printing *to, const double *seconds)
{
    guint n = 0, least = 0, most = 0;

    for (guint i = 0; i < profile_model_get_n_ranks (to->model); i++) {
        if (!profile_model_is_child (to->model, i)) {
            least = n == 0 || get_share (to, seconds, i) < get_share (to, seconds, least)
                        ? i
                        : least;
            most = n == 0 || get_share (to, seconds, i) > get_share (to, seconds, most) ? i
                                                                                        : most;
            n++;
        }
    }
    if (n > 1 && get_share (to, seconds, most) - get_share (to, seconds, least) >= SPREAD) {
        g_autofree char *lowest = profile_model_format_rank (BASE_TEXT_ENGLISH, to->model,
                                                             least);
        g_autofree char *highest = profile_model_format_rank (BASE_TEXT_ENGLISH, to->model,
                                                              most);

        g_string_append_printf (to->lines, ": %.0f %% of %s to %.0f %% of %s",
                                100 * get_share (to, seconds, least), lowest,
                                100 * get_share (to, seconds, most), highest);
    }
}

static void
append_place (const Printing *to, const JobLocation *place, guint32 flags)
{
    g_autofree char *marks = job_frame_format_marks (BASE_TEXT_ENGLISH, flags);

    g_string_append (to->lines, place->function != NULL ? place->function : "??");
    if (place->file != NULL) {
        g_autofree char *file = to->session != NULL
                                    ? session_dup_short_file (to->session, place->file)
                                    : profile_dup_short_file (to->model, place->file);

        g_string_append_printf (to->lines, " at %s", file);
        if (place->line > 0) { /* other tools' archives may not say */
            g_string_append_printf (to->lines, ":%u", place->line);
        }
    } else if (place->module != NULL) {
        g_string_append_printf (to->lines, " (%s", place->module);
        if (place->function == NULL) { /* where it begins */
            g_string_append_printf (to->lines, "+0x%" G_GINT64_MODIFIER "x", place->offset);
        }
        g_string_append_c (to->lines, ')');
    }
    g_string_append (to->lines, place->language == JOB_LANGUAGE_PYTHON ? " [py]" : "");
    g_string_append (to->lines, marks);
}

static void
append_node (const Printing *to, const ProfileNode *node, guint depth)
{
    g_string_append_printf (to->lines, "\n%5.1f %% %*s", 100 * node->total / to->total,
                            (int) (2 * MIN (depth, MAX_INDENT)), "");
    append_place (to, &node->location, node->flags);
    g_string_append (to->lines, node->is_recursive ? " [recursive]" : "");
    append_spread (to, node->ranks);
}

/* What was counted in the function itself, as far as that is known: "; IPC 1.52, Page faults 120". */
static void
append_figures (const Printing *to, guint32 known, const JobCounts *counts)
{
    const char *separator = "; ";
    double value;

    for (guint figure = 0; figure < PROFILE_N_FIGURES; figure++) {
        const ProfileFigureText *text = profile_figure_get_text (figure);

        if (profile_figure_find (figure, known, counts, &value)) {
            g_string_append_printf (to->lines, "%s%s %.*f%s%s", separator, text->title,
                                    (int) profile_figure_get_digits (figure), value,
                                    text->unit != NULL ? " " : "",
                                    text->unit != NULL ? text->unit : "");
            separator = ", ";
        }
    }
}

static void
append_unknown (const Printing *to, guint32 known)
{
    const char *separator = "\nnot available: ";

    for (guint figure = 0; figure < PROFILE_N_FIGURES; figure++) {
        if (!profile_figure_is_known (figure, known)) {
            g_string_append_printf (to->lines, "%s%s", separator,
                                    profile_figure_get_text (figure)->title);
            separator = ", ";
        }
    }
}

static void
append_functions (const Printing *to)
{
    g_autoptr (GPtrArray) functions = profile_functions_new (to->model);
    guint32 known = profile_counts_get_known (to->model);

    g_string_append (to->lines, "\nown time:");
    for (guint i = 0; i < MIN (functions->len, MAX_FUNCTIONS); i++) {
        const ProfileFunction *function = g_ptr_array_index (functions, i);

        if (function->self < LEAST * to->total) {
            break;
        }
        g_string_append_printf (to->lines, "\n%5.1f %% ", 100 * function->self / to->total);
        append_place (to, &function->location, function->flags);
        append_spread (to, function->ranks);
        append_figures (to, known, &function->counts);
    }
    if (!profile_model_is_traced (to->model)) {
        append_unknown (to, known);
    }
}

typedef struct {
    const ProfileNode *node;
    guint depth;
} Open;

static void
append_tree (const Printing *to, const ProfileNode *root)
{
    g_autoptr (GArray) open = g_array_new (FALSE, FALSE, sizeof (Open));

    BASE_APPEND (open, Open, root, 0);
    while (open->len > 0) {
        Open at = g_array_index (open, Open, open->len - 1);

        g_array_set_size (open, open->len - 1);
        if (at.node != root) {
            append_node (to, at.node, at.depth - 1);
        }
        for (guint i = at.node->children->len; i > 0; i--) {
            Open child = { g_ptr_array_index (at.node->children, i - 1), at.depth + 1 };

            if (child.node->total >= LEAST * to->total) {
                g_array_append_val (open, child);
            }
        }
    }
}

static void
append_head (const Printing *to)
{
    guint n = profile_model_get_n_ranks (to->model);
    guint n_children = profile_model_get_n_children (to->model);
    g_autoptr (JobRankSet) ranks = profile_model_dup_ranks (to->model);
    guint64 n_dropped = profile_model_get_n_dropped (to->model);
    g_autofree char *text = job_rank_set_format (ranks), *time = NULL;
    double longest = 0, idle = 0;

    for (guint i = 0; i < n; i++) {
        longest = MAX (longest, profile_model_get_duration (to->model, i));
        idle += profile_model_get_idle (to->model, i);
    }
    time = profile_format_time (longest);
    g_string_append (to->lines, text);
    if (n_children > 0) {
        g_string_append_printf (to->lines, " and %u child process%s", n_children,
                                n_children == 1 ? "" : "es");
    }
    if (profile_model_has_calls (to->model)) {
        g_string_append_printf (to->lines, ": %s, %" G_GUINT64_FORMAT " calls", time,
                                profile_model_get_n_calls (to->model));
    } else {
        g_string_append_printf (to->lines, ": %s, %" G_GUINT64_FORMAT " samples", time,
                                profile_model_get_n_samples (to->model));
    }
    if (n_dropped > 0) {
        g_string_append_printf (to->lines,
                                profile_model_has_calls (to->model)
                                    ? ", %s%" G_GUINT64_FORMAT " events lost"
                                    : ", %s%" G_GUINT64_FORMAT " missed",
                                profile_losses_get_bound (to->model), n_dropped);
    }
    if (idle > 0) {
        g_string_append_printf (to->lines,
                                "; other threads waited for %.1f s, which is not counted",
                                idle);
    }
}

static JobRankSet *
dup_ranks (const ProfileModel *model)
{
    JobRankSet *ranks = job_rank_set_new ();

    for (guint i = 0; i < profile_model_get_n_ranks (model); i++) {
        profile_model_add_members (model, i, ranks);
    }
    return ranks;
}

static char *
format_text (Session *session, const ProfileModel *model, const ProfileNode *root)
{
    g_autofree char *classes = profile_format_classes (model);
    Printing to = { session, model, g_string_new (NULL), root->total, root->ranks };

    append_head (&to);
    g_string_append_printf (to.lines, "%s%s", *classes != '\0' ? "\n" : "", classes);
    append_tree (&to, root);
    append_functions (&to);
    return g_string_free (to.lines, FALSE);
}

char *
command_profile_format (const ProfileModel *model, gboolean json)
{
    g_autoptr (ProfileNode) root = profile_tree_new (model);
    g_autoptr (JobRankSet) ranks = dup_ranks (model);
    g_autofree char *text = json ? NULL : format_text (NULL, model, root);

    return json ? command_json_format_profile (0, ranks, model, root)
                : base_escape_take (g_steal_pointer (&text), BASE_ESCAPE_KEEP_LINES);
}

void
command_profile_print (CommandJob *job, const ProfileModel *model)
{
    g_autoptr (ProfileNode) root = profile_tree_new (model);
    g_autoptr (JobRankSet) ranks = dup_ranks (model);
    g_autofree char *text = job->context->json
                                ? command_json_format_profile (command_job_get_number (job),
                                                               ranks, model, root)
                                : format_text (job->session, model, root);

    command_context_write (job->context, COMMAND_OUT_ANSWER, text);
}

/* A profile that was cut short is one of the time until then. */
static void
on_samples (CommandJob *job, gboolean ok, const JobRankSet *missing)
{
    CommandProfile *profile = command_profile_begin (job, job->set);

    for (guint i = 0; i < job->answers->len; i++) {
        command_profile_add (profile, g_ptr_array_index (job->answers, i));
    }
    command_profile_finish (job, profile);
    if (job->is_cancelled) {
        job->is_cancel_told = TRUE;
    } else if (missing != NULL && !job_rank_set_is_empty (missing)) {
        command_job_fail_missing (job, missing);
    }
    command_job_end (job);
}

void
command_run_profile (CommandJob *job)
{
    guint64 duration_ms = DEFAULT_MS;
    JobRequest *request;

    if (*job->arguments != '\0' && !command_parse_seconds (job->arguments, &duration_ms)) {
        command_job_fail (job, NULL, "profile needs seconds above 0, not \"%s\"",
                          job->arguments);
        command_job_end (job);
        return;
    }
    if (!command_profile_check_closed (job)) {
        command_job_end (job);
        return;
    }
    request = job_request_new (JOB_VERB_PROFILE, job->set);
    request->rate = PROFILE_RATE;
    request->ms = duration_ms;
    if (job_rank_set_get_count (job->set) > SUM_ABOVE) {
        request->flags = JOB_REQUEST_SUMMED;
    }
    command_job_query (job, request, on_samples);
}
