/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Continue, step and pause. Who moves is the thread's ranks, or as the setting "moves" says the focus or all. */
#include "dap/private.h"
#include <string.h>

static JobRankSet *
dup_moved (DapServer *server, const JobRankSet *thread, gboolean is_single)
{
    if (!is_single && strcmp (server->moves, "all") == 0) {
        return session_dup_all (server->session);
    }
    if (!is_single && strcmp (server->moves, "focus") == 0) {
        return job_rank_set_dup (session_get_focus (server->session));
    }
    return job_rank_set_dup (thread);
}

static gboolean
is_everybody (DapServer *server, const JobRankSet *moved)
{
    g_autoptr (JobRankSet) all = session_dup_all (server->session);
    g_autoptr (JobRankSet) stopped = session_dup_stopped (server->session, all, NULL);

    return job_rank_set_is_subset (stopped, moved);
}

typedef struct {
    JobRankSet *ranks;
    guint32 thread, mark; /* mark: number of the breakpoint that `goto` stops at */
    gboolean is_all;
} Motion;

BASE_FREE (free_motion, Motion, motion, job_rank_set_free (motion->ranks))

static void
end_motion (DapRequest *request, const Motion *motion, const JobRankSet *failed)
{
    DapServer *server = request->server;

    server->n_motions--;
    dap_ranks_cut (&server->moving, motion->ranks);
    if (strcmp (request->command, "pause") != 0) {
        g_autoptr (JobRankSet) moved = job_rank_set_subtract (motion->ranks, failed);

        dap_ranks_cut (&server->standing, moved);
    }
}

/* A client believes that a step moves its thread alone. */
static void
tell_others (DapServer *server, const Motion *motion)
{
    JobRankIter iter = { 0 };
    guint32 rank;

    if (motion->is_all) {
        if (job_rank_set_get_count (motion->ranks) > 1) {
            dap_send_continued (server, motion->thread, TRUE);
        }
        return;
    }
    while (dap_threads_are_ranks (server) && job_rank_set_next (motion->ranks, &iter, &rank)) {
        if (rank + 1 != motion->thread) {
            dap_send_continued (server, rank + 1, FALSE);
        }
    }
}

static void
on_accepted (DapRequest *request, SessionAnswer *answer)
{
    DapServer *server = request->server;
    Motion *motion = g_steal_pointer (&request->data);
    g_autofree char *why = dap_format_failures (answer);

    end_motion (request, motion, answer->failed);
    if (why != NULL && job_rank_set_equal (answer->failed, answer->asked)) {
        dap_fail (request, "%s: %s", request->command, why);
    } else if (strcmp (request->command, "continue") == 0) {
        GString *body = dap_body_new ();

        dap_write_flag (body, "allThreadsContinued", motion->is_all);
        dap_answer (request, body);
    } else {
        gboolean is_pause = strcmp (request->command, "pause") == 0;

        dap_answer (request, NULL);
        if (!is_pause) {
            tell_others (server, motion);
        }
    }
    if (why != NULL && motion->mark != 0) {
        JobRequest *asked = job_request_new (JOB_VERB_DELETE, answer->failed);

        asked->number = motion->mark;
        session_submit (server->session, asked);
    }
    if (why != NULL) {
        g_autofree char *line = g_strconcat ("error: ", why, NULL);

        dap_send_output (server, "console", line);
    }
    free_motion (motion);
    dap_stops_schedule (server);
}

/* Who is to move, as the request's data; NULL: it has failed, or been done. */
static Motion *
prepare (DapRequest *request, JobVerb verb)
{
    DapServer *server = request->server;
    gint64 id = dap_request_get_number (request, request->arguments, "threadId", 0);
    gboolean is_single = dap_request_get_flag (request, request->arguments, "singleThread",
                                               FALSE);
    g_autoptr (JobRankSet) thread = dap_threads_take (request);
    g_autoptr (JobRankSet) moved = NULL, unfinished = NULL, standing = NULL;
    Motion *motion;

    if (thread == NULL) {
        return NULL;
    }
    moved = dup_moved (server, thread, is_single);
    unfinished = session_dup_unfinished (server->session, moved);
    standing = session_dup_stopped (server->session, moved, NULL);
    if (job_verb_is_step (verb) && !job_rank_set_is_empty (unfinished)) {
        g_autofree char *ranks = job_rank_set_format_brief (unfinished);

        dap_fail_as (request, "notStopped",
                     "%s refused, no rank has moved: these have not finished their last motion "
                     "(%s)",
                     request->command, ranks);
        return NULL;
    }
    if (session_is_core (server->session)) {
        dap_fail (request, "%s: a core file cannot move", request->command);
        return NULL;
    }
    if (verb != JOB_VERB_PAUSE && job_rank_set_is_empty (standing)) {
        dap_fail_as (request, "notStopped", "%s: no rank of it is stopped", request->command);
        return NULL;
    }
    if (verb == JOB_VERB_PAUSE) {
        job_rank_set_merge (server->pausing, moved);
    } else {
        server->stopped_thread = (guint32) id;
    }
    if (verb == JOB_VERB_CONTINUE && session_march (server->session, standing)) {
        GString *body = dap_body_new ();

        dap_write_flag (body, "allThreadsContinued", is_everybody (server, moved));
        dap_answer (request, body);
        dap_ranks_cut (&server->standing, standing);
        return NULL;
    }
    motion = g_new0 (Motion, 1);
    motion->is_all = is_everybody (server, moved);
    motion->ranks = job_rank_set_dup (verb == JOB_VERB_PAUSE ? moved : standing);
    motion->thread = (guint32) id;
    request->data = motion;
    request->free_data = free_motion;
    server->n_motions++;
    if (verb != JOB_VERB_PAUSE) {
        job_rank_set_merge (server->moving, motion->ranks);
    }
    return motion;
}

/* function: the one to step into; NULL: any. */
static void
move_into (DapRequest *request, JobVerb verb, const char *function)
{
    const Motion *motion = prepare (request, verb);
    JobRequest *asked = motion != NULL ? job_request_new (verb, motion->ranks) : NULL;
    guint32 thread = motion != NULL ? dap_threads_find_own (request->server, motion->thread)
                                    : 0;

    if (motion == NULL) {
        return;
    }
    asked->count = 1;
    asked->text = g_strdup (function);
    if (thread != 0) {
        job_request_select (asked, motion->ranks, thread, FALSE, 0);
    }
    dap_ask (request, asked, on_accepted);
}

static void
move (DapRequest *request, JobVerb verb)
{
    move_into (request, verb, NULL);
}

/* "statement", "line" or "instruction". */
static JobVerb
choose_verb (DapRequest *request, JobVerb line, JobVerb instruction)
{
    const char *granularity = dap_request_get_text (request, request->arguments, "granularity");

    return g_strcmp0 (granularity, "instruction") == 0 ? instruction : line;
}

void
dap_run_continue (DapRequest *request)
{
    move (request, JOB_VERB_CONTINUE);
}

void
dap_run_next (DapRequest *request)
{
    move (request, choose_verb (request, JOB_VERB_NEXT, JOB_VERB_NEXTI));
}

void
dap_run_step_in (DapRequest *request)
{
    const char *function = dap_call_take (request);

    if (function != NULL && *function != '\0') {
        move_into (request, JOB_VERB_STEP, function);
    } else if (function != NULL) {
        move (request, choose_verb (request, JOB_VERB_STEP, JOB_VERB_STEPI));
    }
}

void
dap_run_step_out (DapRequest *request)
{
    move (request, JOB_VERB_FINISH);
}

void
dap_run_pause (DapRequest *request)
{
    move (request, JOB_VERB_PAUSE);
}

/* ---- goto ---- */

static void
on_mark (DapRequest *request, SessionAnswer *answer)
{
    const Motion *motion = request->data;
    const DapTarget *target = dap_target_take (request);
    g_autofree char *why = dap_format_failures (answer);
    JobRequest *asked;

    if (why != NULL || target == NULL) {
        end_motion (request, motion, answer->asked);
        dap_fail (request, "%s", why != NULL ? why : request->problem);
        return;
    }
    asked = job_request_new (JOB_VERB_JUMP, motion->ranks);
    dap_target_write (target, &asked->where);
    dap_ask (request, asked, on_accepted);
}

/* The ranks go to the line, and stand there before anything of it has run. */
void
dap_run_goto (DapRequest *request)
{
    const DapTarget *target = dap_target_take (request);
    Motion *motion;
    JobRequest *asked;

    if (!dap_request_is_good (request)) {
        return;
    }
    motion = prepare (request, JOB_VERB_JUMP);
    if (motion == NULL) {
        return;
    }
    asked = job_request_new (JOB_VERB_BREAK, motion->ranks);
    asked->flags |= JOB_REQUEST_TEMPORARY;
    asked->number = motion->mark = session_next_breakpoint_number (request->server->session);
    dap_target_write (target, &asked->where);
    dap_points_add_mark (request->server, asked->number);
    dap_ask (request, asked, on_mark);
}
