/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The smallest client of a session: starts the job of its command line, stops every rank in the function `pass`,
 * reads `rank` in all of them and ends. It uses what all clients stand on, and nothing else: a session, its signals,
 * requests and queries. */
#include "session/query.h"
#include "session/session.h"
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    GMainLoop *loop;
    SessionQuery *query; /* NULL: nothing has been asked yet */
    int status;
} Client;

/* An answer comes once: equal values with their ranks, why others failed, and who is missing. */
static void
on_answer (SessionQuery *query, SessionAnswer *answer, gpointer user)
{
    Client *client = user;

    for (guint i = 0; i < answer->groups->len; i++) {
        const JobEvent *event = g_ptr_array_index (answer->groups, i);
        const JobValueRow *row = g_ptr_array_index (event->table->rows, 0);

        for (guint j = 0; j < row->groups->len; j++) {
            const JobValueGroup *group = g_ptr_array_index (row->groups, j);
            g_autofree char *ranks = job_rank_set_format (group->ranks);

            printf ("%s: %s\n", ranks, group->value->text);
        }
    }
    client->status = answer->ok ? EXIT_SUCCESS : EXIT_FAILURE;
    g_main_loop_quit (client->loop);
}

/* Ranks look different: are all of them where they were to go? */
static void
on_states (Session *session, guint first, guint end, Client *client)
{
    g_autoptr (JobRankSet) all = session_dup_all (session);
    g_autoptr (JobRankSet) there = session_dup_ranks_in_state (session, JOB_STATE_BREAKPOINT);

    if (client->query == NULL && job_rank_set_equal (all, there)) {
        JobRequest *request = job_request_new (JOB_VERB_PRINT, all);

        request->text = g_strdup ("rank");
        client->query = session_query_new (session, request, on_answer, client);
    }
}

/* All ranks stand at their first line. A request is accepted at once; what happens comes as events. */
static void
on_ready (Session *session, Client *client)
{
    g_autoptr (JobRankSet) all = session_dup_all (session);
    JobRequest *request = job_request_new (JOB_VERB_BREAK, all);

    request->number = session_next_breakpoint_number (session);
    request->where.kind = JOB_WHERE_FUNCTION;
    request->where.function = g_strdup ("pass");
    session_submit (session, request);
    session_submit (session, job_request_new (JOB_VERB_CONTINUE, all));
}

static void
on_message (Session *session, guint severity, const char *text, const char *shown,
            Client *client)
{
    fprintf (stderr, "%s\n", text);
}

static void
on_ended (Session *session, int wait_status, Client *client)
{
    g_main_loop_quit (client->loop);
}

int
main (int argc, char **argv)
{
    Client client = { g_main_loop_new (NULL, FALSE), NULL, EXIT_FAILURE };
    g_autoptr (Session) session = session_new ();
    const SessionOptions options
        = { .argv = (const char *const *) argv + 1, .stop_at = "main", .timeout_s = 60 };
    g_autoptr (GError) error = NULL;

    g_signal_connect (session, "ready", G_CALLBACK (on_ready), &client);
    g_signal_connect (session, "states-changed", G_CALLBACK (on_states), &client);
    g_signal_connect (session, "message", G_CALLBACK (on_message), &client);
    g_signal_connect (session, "ended", G_CALLBACK (on_ended), &client);
    if (session_start (session, &options, &error)) {
        g_main_loop_run (client.loop);
        session_end (session); /* "ended" follows, when nothing is left */
        if (!session_is_ended (session)) {
            g_main_loop_run (client.loop);
        }
    } else {
        fprintf (stderr, "%s\n", error->message);
    }
    session_query_free (client.query);
    g_main_loop_unref (client.loop);
    return client.status;
}
