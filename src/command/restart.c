/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `restart`: ends when every rank of the new job has reached its first stop and the breakpoints
 * are set again. */
#include "command/private.h"
#include "session/follow.h"

static void
on_followed (gpointer user)
{
    CommandJob *job = user;

    command_job_submit_all (job, g_steal_pointer (&job->requests));
}

/* Breakpoints go where their lines are now. */
static void
finish (CommandJob *job)
{
    command_context_flush (job->context);
    g_clear_pointer (&job->requests, g_ptr_array_unref);
    job->requests = session_dup_restart_requests (job->session);
    session_follow_async (job->session, job->requests, command_job_get_reading (job),
                          on_followed, job);
}

void
command_restart_check (CommandJob *job)
{
    Session *session = job->session;

    if (job->row == NULL || job->row->run != command_run_restart || !job->is_restarting
        || session_is_restarting (session)) {
        return;
    }
    if (session_is_ended (session)) {
        job->is_restarting = FALSE;
        command_job_fail (job, NULL, "the job has ended before its first stop");
        command_job_end (job);
    } else if (session_is_ready (session)) {
        job->is_restarting = FALSE;
        finish (job);
    }
}

void
command_run_restart (CommandJob *job)
{
    g_autoptr (GError) error = NULL;

    if (*job->arguments != '\0') {
        command_job_fail (job, NULL,
                          "restart takes no argument: it starts the same command line again");
        command_job_end (job);
        return;
    }
    if (!session_restart (job->session, &error)) {
        command_job_fail (job, NULL, "%s", error->message);
        command_job_end (job);
        return;
    }
    job->is_restarting = TRUE;
}
