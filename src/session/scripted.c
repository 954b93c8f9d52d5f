/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The backend of tests: ranks that are there at once, whose requests go to a function. */
#include "session/private.h"

#define SCRIPTED_HOST 16384 /* ranks that report at once */

static void
report_scripted (Session *session, guint32 first, guint32 end, guint32 n_ranks)
{
    g_autoptr (JobRankSet) ranks = job_rank_set_new_range (first, end);
    g_autoptr (JobEvent) there = job_event_new (JOB_EVENT_RANKS, 0, ranks);

    there->processes = job_process_list_new ();
    for (guint32 rank = first; rank < end; rank++) {
        const JobProcess process = { .slot = rank,
                                     .rank = rank,
                                     .size = n_ranks,
                                     .pid = (gint32) (1000 + rank),
                                     .host = (char *) "localhost" };

        job_process_list_add (there->processes, &process);
    }
    session_apply (session, there);
}

void
session_start_scripted (Session *session, guint32 n_ranks,
                        void (*send) (const JobRequest *request, gpointer user), gpointer user)
{
    g_autoptr (JobRankSet) all = NULL;
    g_autoptr (JobEvent) stopped = NULL;

    session->backend = &session_scripted_backend;
    session->started = TRUE;
    session->send = send;
    session->send_user = user;
    if (n_ranks == 0) {
        return;
    }
    for (guint32 first = 0; first < n_ranks; first += SCRIPTED_HOST) {
        report_scripted (session, first, MIN (first + SCRIPTED_HOST, n_ranks), n_ranks);
    }
    all = job_rank_set_new_range (0, n_ranks);
    stopped = job_event_new (JOB_EVENT_STATE, 0, all);
    stopped->state = JOB_STATE_STOPPED;
    session_apply (session, stopped);
}

static void
send_to_script (Session *session, const JobRequest *request)
{
    if (session->send != NULL) {
        session->send (request, session->send_user);
    }
}

static gboolean
end_script (Session *session)
{
    return TRUE;
}

static void
clear_script (Session *session)
{
    session_files_close (session);
}

const SessionBackend session_scripted_backend = {
    .send = send_to_script,
    .end = end_script,
    .clear = clear_script,
    .feeds_all = TRUE,
};
