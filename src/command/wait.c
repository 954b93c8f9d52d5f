/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `wait` and `expect`: the only command that waits, and the one that scripts judge by. */
#include "command/script-private.h"
#include "base/clock.h"
#include "base/error.h"
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SETTLE_MS 20 /* events of one burst belong to one wait */
#define POLL_MS 250
#define MAX_WAIT_S (G_MAXINT32 / 1000)
#define FIRST_WHY_US 500000 /* into the wait; doubled as long as somebody can move */
#define LAST_WHY_US 16000000
#define AGAIN_WHY_US 500000 /* a verdict that nothing can move has to be given twice */

void
command_wait_clear (CommandJob *job)
{
    g_clear_handle_id (&job->wait_source, g_source_remove);
    g_clear_handle_id (&job->poll_source, g_source_remove);
    g_clear_handle_id (&job->wait_end_source, g_source_remove);
    g_clear_pointer (&job->stuck_text, g_free);
}

static gboolean
is_waiting (const CommandJob *job)
{
    return job->row != NULL && (job->awaits || job->row->run == command_run_wait)
           && job->context->waiting && job->context->active == job;
}

/* Ranks whose host does not answer, without detached ones. */
static JobRankSet *
dup_lost (const CommandJob *job)
{
    JobRankSet *lost = session_dup_ranks_in_state (job->session, JOB_STATE_LOST);
    g_autoptr (JobRankSet) all = job_rank_set_dup (lost);

    JOB_EACH_RANK (all, rank) {
        if (session_is_detached (job->session, rank)
            || !job_rank_set_contains (job->set, rank)) {
            job_rank_set_remove (lost, rank);
        }
    }
    return lost;
}

/* Ends the command, or begins the one that waited for its ranks. */
static void
go_on (CommandJob *job)
{
    job->context->is_unsettled = FALSE;
    if (!job->awaits) {
        job->context->has_waited = TRUE;
        command_job_end (job);
        return;
    }
    job->awaits = FALSE;
    g_clear_pointer (&job->set, job_rank_set_free);
    command_job_prepare (job);
}

static void
end_wait (CommandJob *job)
{
    g_autoptr (JobRankSet) ours = dup_lost (job);

    command_wait_clear (job);
    job->context->waiting = FALSE;
    command_context_flush (job->context);
    if (!job->awaits && !job_rank_set_is_empty (ours)) {
        command_job_fail (job, ours, "lost while waiting");
    }
    go_on (job);
}

static gboolean
is_finished (CommandJob *job)
{
    const CommandScripts *scripts = command_get_scripts ();
    g_autoptr (JobRankSet) unfinished = session_dup_unfinished (job->session, job->set);

    return session_is_ended (job->session)
           || (job_rank_set_is_empty (unfinished)
               && (scripts == NULL || !scripts->is_judging (job->session)));
}

static gboolean
on_settled (gpointer data)
{
    CommandJob *job = data;

    job->wait_source = 0;
    if (is_waiting (job) && is_finished (job)) {
        command_context_flush (job->context); /* what is shown at stops belongs to the wait */
        if (!command_display_is_open (job->context) && g_queue_is_empty (job->context->hooks)
            && is_finished (job)) {
            end_wait (job);
        }
    }
    return G_SOURCE_REMOVE;
}

void
command_wait_check (CommandJob *job)
{
    if (is_waiting (job) && job->wait_source == 0 && is_finished (job)) {
        job->wait_source = g_timeout_add (SETTLE_MS, on_settled, job);
    }
}

/* Everybody we wait for is stuck, whatever the others do. */
static gboolean
is_stuck (CommandJob *job, const AnalysisVerdict *verdict)
{
    g_autoptr (JobRankSet) unfinished = session_dup_unfinished (job->session, job->set);

    return !job_rank_set_is_empty (unfinished)
           && job_rank_set_is_subset (unfinished, verdict->stuck)
           && (verdict->kind <= ANALYSIS_VERDICT_NO_PARTNER
               || verdict->kind == ANALYSIS_VERDICT_UNKNOWN);
}

static void
print_unfinished (CommandJob *job, const JobRankSet *unfinished)
{
    g_autoptr (GPtrArray) groups = session_dup_state_groups (job->session, unfinished);

    BASE_EACH (groups, JobEvent, event) {
        g_autofree char *line = NULL;

        event->flags |= JOB_EVENT_FRESH;
        event->request = job->context->json ? command_job_get_number (job) : 0;
        line = job->context->json ? command_json_format_event (job->session, event, NULL)
                                  : command_format_event (job->session, event, NULL);
        command_context_write (job->context, COMMAND_OUT_ANSWER, line);
    }
}

/* is_answer: the wait has told what it is for. */
static void
fail_wait (CommandJob *job, const char *reason, gboolean is_answer)
{
    g_autoptr (JobRankSet) unfinished = session_dup_unfinished (job->session, job->set);

    command_wait_clear (job);
    job->context->waiting = FALSE;
    command_context_flush (job->context);
    print_unfinished (job, unfinished);
    command_job_fail (job, unfinished, "%s", reason);
    job->is_answered = is_answer;
    job_rank_set_merge (job->context->background, unfinished);
    if (is_answer) {
        go_on (job);
    } else {
        command_job_end (job);
    }
}

/* A reader sees errors between the answers, as in a terminal. */
static gboolean
is_one_output (void)
{
    struct stat out, err;

    return fstat (STDOUT_FILENO, &out) == 0 && fstat (STDERR_FILENO, &err) == 0
           && out.st_dev == err.st_dev && out.st_ino == err.st_ino;
}

/* A slow job is not a hung one: fails only when two verdicts agree. Verdicts from stacks alone
 * must persist for longer, because a loop over a call looks like a call that never returns. */
static void
on_verdict (Session *session, const AnalysisVerdict *verdict, const JobRankSet *missing,
            const JobMessageTable *table, gpointer user)
{
    CommandJob *job = user;
    g_autofree char *all = analysis_verdict_dup_text (verdict, BASE_TEXT_ENGLISH,
                                                      "; besides, ");
    g_autofree char *lines = analysis_verdict_dup_text (verdict, BASE_TEXT_ENGLISH, "\n");
    gboolean said_before = g_strcmp0 (job->stuck_text, all) == 0;
    gint64 now_us = base_clock_get_us ();

    job->why_running = FALSE;
    if (!is_waiting (job) || is_finished (job) || !is_stuck (job, verdict)) {
        g_clear_pointer (&job->stuck_text, g_free);
        job->why_after_us = MIN (2 * job->why_after_us, LAST_WHY_US);
        job->why_at_us = now_us + job->why_after_us;
        return;
    }
    if (said_before) {
        g_clear_pointer (&job->context->verdict, g_free);
        for (; job->context->json && verdict != NULL; verdict = verdict->next) {
            command_write_verdict (job->context, command_job_get_number (job), verdict,
                                   COMMAND_OUT_ANSWER);
        }
        if (!job->context->json && is_one_output ()) { /* `why` need not say it again */
            g_free (job->context->announced);
            job->context->announced = g_steal_pointer (&lines);
        }
        fail_wait (job, all, TRUE);
        return;
    }
    g_free (job->stuck_text);
    job->stuck_text = g_steal_pointer (&all);
    job->why_at_us = now_us + (verdict->is_certain ? 1 : 4) * AGAIN_WHY_US;
}

static gboolean
on_poll (gpointer data)
{
    CommandJob *job = data;
    gint64 now_us = base_clock_get_us ();

    if (!is_waiting (job)) {
        return G_SOURCE_CONTINUE;
    }
    if (job->wait_ms == 0 && !job->why_running && now_us >= job->why_at_us
        && !is_finished (job)) {
        job->why_running = TRUE;
        session_why (job->session, job->set, SESSION_LOOK_RECORDED, on_verdict, job);
    }
    command_wait_check (job);
    return G_SOURCE_CONTINUE;
}

static void
on_where_they_are (CommandJob *job, gboolean ok, const JobRankSet *missing)
{
    g_autofree char *reason = g_strdup_printf ("not finished after %.10g s",
                                               (double) job->wait_ms / 1000);

    if (is_finished (job)) {
        end_wait (job);
    } else {
        fail_wait (job, reason, TRUE);
    }
}

/* The time is over: says who still moves, and where. */
static gboolean
on_time_over (gpointer data)
{
    CommandJob *job = data;
    g_autoptr (JobRankSet) unfinished = session_dup_unfinished (job->session, job->set);

    if (!is_waiting (job)) {
        return G_SOURCE_CONTINUE; /* overtaken: a second later */
    }
    job->wait_end_source = 0;
    command_wait_clear (job);
    command_job_query (job, job_request_new (JOB_VERB_STATE, unfinished), on_where_they_are);
    return G_SOURCE_REMOVE;
}

gboolean
command_wait_is_active (const CommandContext *context)
{
    return context->active != NULL && is_waiting (context->active);
}

void
command_wait_cancel (CommandContext *context)
{
    if (context->active != NULL && is_waiting (context->active)) {
        fail_wait (context->active, "interrupted", FALSE);
    }
}

gboolean
command_parse_seconds (const char *text, guint64 *ret_ms)
{
    char *end = NULL;
    double seconds = text[strspn (text, "0123456789.")] == '\0' ? g_ascii_strtod (text, &end)
                                                                : 0;

    if (end == NULL || *end != '\0' || seconds <= 0 || seconds > MAX_WAIT_S) {
        return FALSE;
    }
    *ret_ms = (guint64) ceil (seconds * 1000);
    return TRUE;
}

static void
begin_wait (CommandJob *job)
{
    job->context->waiting = TRUE;
    g_clear_handle_id (&job->context->flush_source, g_source_remove);
    if (job->wait_ms > 0) {
        job->wait_end_source = g_timeout_add ((guint) job->wait_ms, on_time_over, job);
    }
    job->why_after_us = FIRST_WHY_US;
    job->why_at_us = base_clock_get_us () + FIRST_WHY_US;
    job->poll_source = g_timeout_add (POLL_MS, on_poll, job);
    command_wait_check (job);
}

/* What runs in the background may fork: its children do so too. */
static void
add_children (CommandContext *context)
{
    guint32 n_ranks = session_get_size (context->session);

    if (!job_rank_set_is_empty (context->background) && n_ranks > context->n_ranks) {
        job_rank_set_add_range (context->background, context->n_ranks, n_ranks);
    }
    context->n_ranks = n_ranks;
}

/* Whose motions have to be finished before the command begins: those that it acts on, all of them if that
 * depends on where they will be, less those whose motion runs in the background. */
static JobRankSet *
dup_awaited (CommandJob *job)
{
    g_autoptr (JobRankSet) all = session_dup_all (job->session), acts_on = NULL, asked = NULL;

    add_children (job->context);
    if (job->context->has_waited) {
        acts_on = job_rank_set_new (); /* it has waited for those that it wanted to */
    } else if (job->parsed_set != NULL && !command_set_is_changing (job->parsed_set)) {
        acts_on = command_set_evaluate (job->session, job->parsed_set, NULL);
    } else if (job->parsed_set == NULL && !(job->row->flags & COMMAND_AFTER_ALL)) {
        acts_on = job_rank_set_dup (session_get_focus (job->session));
    }
    asked = job_rank_set_subtract (acts_on != NULL ? acts_on : all, job->context->background);
    return session_dup_unfinished (job->session, asked);
}

/* Also the commands that name ranks by where they are: "pick stopped", "set A = breakpoint". */
static gboolean
acts_on_ranks (CommandJob *job)
{
    const char *text = job->arguments;

    if (job->row->run == command_run_pick || job->row->run == command_run_set) {
        const char *equals = job->row->run == command_run_set ? strchr (text, '=') : NULL;
        CommandSet *set;
        gboolean is_changing;

        text = equals != NULL ? equals + 1 : text;
        set = command_set_parse (job->session, &text, NULL);
        is_changing = set != NULL && command_set_is_changing (set) && !job->context->has_waited;
        command_set_free (set);
        return is_changing;
    }
    return !(job->row->flags & COMMAND_AT_ONCE)
           && (!(job->row->flags & COMMAND_WHOLE_JOB) || (job->row->flags & COMMAND_AFTER_ALL));
}

gboolean
command_wait_first (CommandJob *job)
{
    if (!job->context->is_script || job->hook_ranks != NULL || !acts_on_ranks (job)) {
        return FALSE;
    }
    job->set = dup_awaited (job);
    /* also where the motion is finished already: how it ended is told first */
    job->awaits = job->context->is_unsettled || !job_rank_set_is_empty (job->set);
    if (job->awaits) {
        begin_wait (job);
    } else {
        g_clear_pointer (&job->set, job_rank_set_free);
    }
    return job->awaits;
}

void
command_run_wait (CommandJob *job)
{
    if (*job->arguments != '\0' && !command_parse_seconds (job->arguments, &job->wait_ms)) {
        command_job_fail (job, NULL, "wait needs seconds above 0, not \"%s\"", job->arguments);
        command_job_end (job);
        return;
    }
    begin_wait (job);
}

void
command_context_begin_script (CommandContext *context)
{
    g_autoptr (JobRankSet) all = session_dup_all (context->session);

    context->is_script = TRUE;
    job_rank_set_free (context->background);
    context->background = session_dup_unfinished (context->session, all);
    context->n_ranks = session_get_size (context->session);
}

void
command_context_follow (CommandContext *context, const CommandContext *other)
{
    command_context_begin_script (context);
    if (other->is_script) {
        job_rank_set_free (context->background);
        context->background = job_rank_set_dup (other->background);
    }
    context->has_waited = other->is_script && other->has_waited;
}

/* ---- expect ---- */

typedef struct {
    JobState state;
    char *detail; /* number of the breakpoint, status, signal or exception; NULL: any */
    JobWhere where;
    gboolean has_where;
} Expectation;

static void
clear_expectation (Expectation *expectation)
{
    g_free (expectation->detail);
    job_where_clear (&expectation->where);
}

static gboolean
parse_expectation (CommandJob *job, Expectation *expectation, GError **error)
{
    const char *text = job->arguments;
    g_autofree char *word = command_take_word (&text, "", error);
    g_autofree char *next = NULL;

    if (word == NULL || !job_state_find (word, &expectation->state)) {
        g_clear_error (error);
        g_set_error (error, BASE_ERROR, BASE_ERROR_INVALID, "no state \"%s\": expect %s",
                     word != NULL ? word : "", job->row->usage);
        return FALSE;
    }
    next = command_take_word (&text, "", error);
    if (next != NULL && strcmp (next, "at") != 0) {
        expectation->detail = g_steal_pointer (&next);
        next = command_take_word (&text, "", error);
    }
    if (next == NULL) {
        return error == NULL || *error == NULL;
    }
    if (strcmp (next, "at") != 0) {
        g_set_error (error, BASE_ERROR, BASE_ERROR_INVALID, "expect %s", job->row->usage);
        return FALSE;
    }
    expectation->has_where = TRUE;
    text = command_skip_spaces (text);
    return command_parse_where (job, text, &expectation->where, error);
}

static gboolean
is_state (const SessionRank *rank, JobState state)
{
    const JobStateInfo *info = job_state_get_info (rank->state);

    return rank->state == state || (state == JOB_STATE_STOPPED && info->is_stopped)
           || (state == JOB_STATE_RUNNING && info->is_moving);
}

static gboolean
is_detail (const SessionRank *rank, const char *detail)
{
    g_autofree char *number
        = g_strdup_printf ("%d", rank->state == JOB_STATE_EXITED ? 0 : rank->number);

    return detail == NULL || g_strcmp0 (rank->text, detail) == 0
           || (rank->text == NULL && strcmp (number, detail) == 0)
           || (rank->state == JOB_STATE_BREAKPOINT && strcmp (number, detail) == 0);
}

static gboolean
is_place (const SessionRank *rank, const JobWhere *where)
{
    if (rank->place == NULL) {
        return FALSE;
    }
    if (where->kind == JOB_WHERE_LINE) {
        return rank->place->line == where->line
               && job_where_match_file (where->file, rank->place->file);
    }
    return where->kind == JOB_WHERE_FUNCTION
           && (where->file == NULL || job_where_match_file (where->file, rank->place->file))
           && job_where_match_function (where->function, rank->place->function);
}

void
command_run_expect (CommandJob *job)
{
    g_autoptr (GError) error = NULL;
    g_autoptr (JobRankSet) others = job_rank_set_new ();
    Expectation expectation = { 0 };

    if (!parse_expectation (job, &expectation, &error)) {
        command_job_fail (job, NULL, "%s", error->message);
    } else {
        JOB_EACH_RANK (job->set, rank) {
            const SessionRank r = session_get_rank (job->session, rank);

            if (r.is_there
                && (!is_state (&r, expectation.state) || !is_detail (&r, expectation.detail)
                    || (expectation.has_where && !is_place (&r, &expectation.where)))) {
                job_rank_set_add (others, rank);
            }
        }
        if (!job_rank_set_is_empty (others)) {
            print_unfinished (job, others);
            command_job_fail (job, others, "expected %s", job->arguments);
        }
    }
    clear_expectation (&expectation);
    command_job_end (job);
}
