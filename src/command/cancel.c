/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cancelling a command: prints the answers so far and names the ranks without one. Ranks may
 * still carry out the request; a command that changes something says so. */
#include "command/script-private.h"

static gboolean
changes_something (const CommandJob *job)
{
    JobVerb verb = job->row != NULL ? job->row->verb : JOB_VERB_NONE;

    return verb == JOB_VERB_SET || verb == JOB_VERB_CALL || verb == JOB_VERB_EXEC
           || verb == JOB_VERB_INPUT || job_verb_is_motion (verb);
}

void
command_job_fail_missing (CommandJob *job, const JobRankSet *missing)
{
    const char *text = "no answer";

    if (job->is_cancelled) {
        job->is_cancel_told = TRUE;
        text = changes_something (job)
                   ? "cancelled before these ranks had answered; they may still carry it out"
                   : "cancelled before these ranks had answered";
    }
    command_job_fail (job, missing, "%s", text);
}

/* Stops waiting for its answers; the waiting code reports those that have arrived. */
static void
cancel_job (CommandContext *context, CommandJob *job)
{
    job->is_cancelled = TRUE;
    if (job->requests != NULL) {
        g_ptr_array_set_size (job->requests, 0);
    }
    if (job->query != NULL) {
        session_query_cancel (job->query);
    }
    job = context->active;
    if (job == NULL || !job->is_cancelled) {
        return;
    }
    /* it goes on with something else, or waits for something that is no request of its own */
    if (job->query != NULL) {
        g_clear_pointer (&job->query, session_query_free);
        session_cancel (context->session, job->request);
    }
    session_why_cancel (context->session, job);
    session_find_names_cancel (context->session, job);
    command_job_stop_reading (job);
    if (!job->is_cancel_told) {
        command_job_fail (job, NULL, "cancelled");
    }
    command_job_end (job);
}

gboolean
command_cancel (CommandContext *context)
{
    CommandJob *job = context->active;

    if (job == NULL) {
        return FALSE;
    }
    if (job->is_script) {
        command_get_scripts ()->interrupt (); /* its end ends the command */
    } else if (command_wait_is_active (context)) {
        command_wait_cancel (context);
    } else if (!job->is_restarting) {
        cancel_job (context, job);
    } else if (!session_is_restarting (context->session)) {
        session_give_up_beginning (context->session); /* its end ends the command */
    }
    return TRUE;
}
