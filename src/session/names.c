/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Searches the program's names while the user types: asks the ranks and merges their
 * answers. */
#include "session/private.h"

typedef struct {
    Session *session;
    JobNames *names;
    SessionNamesDone done;
    gpointer user;
    guint64 request;
    gulong handler;
} Search;

static void
on_event (Session *session, const JobEvent *event, gpointer user)
{
    Search *search = user;

    if (event->request != 0 && event->request == search->request
        && event->kind == JOB_EVENT_TEXT && event->text != NULL) {
        job_names_read (search->names, event->text);
    }
}

static void
free_search (Search *search)
{
    Session *session = search->session;

    session->searches = g_list_remove (session->searches, search);
    session_remove_listener (session, on_event, search);
    g_signal_handler_disconnect (session, search->handler);
    job_names_free (search->names);
    g_free (search);
}

static void
on_finished (Session *session, guint64 request, gboolean ok, JobRankSet *missing,
             Search *search)
{
    if (request == search->request) {
        g_autoptr (JobNames) names = g_steal_pointer (&search->names);
        SessionNamesDone done = search->done;
        gpointer user = search->user;

        /* first, because the callback may cancel or start a new search */
        free_search (search);
        done (session, job_names_get (names), user);
    }
}

void
session_find_names (Session *session, const JobRankSet *set, const char *text, guint kinds,
                    guint max, SessionNamesDone done, gpointer user)
{
    Search *search = g_new0 (Search, 1);
    JobRequest *request = job_request_new (JOB_VERB_NAMES, set);

    search->session = session;
    search->names = job_names_new (max);
    search->done = done;
    search->user = user;
    session_add_listener (session, on_event, search);
    search->handler = g_signal_connect (session, "finished", G_CALLBACK (on_finished), search);
    session->searches = g_list_prepend (session->searches, search);
    request->flags |= JOB_REQUEST_ENDED;
    request->text = g_strdup (text);
    request->number = max;
    request->delta = (gint32) kinds;
    search->request = session_submit (session, request);
}

void
session_find_names_cancel (Session *session, gpointer user)
{
    for (GList *at = session->searches, *next; at != NULL; at = next) {
        next = at->next;
        if (((Search *) at->data)->user == user) {
            free_search (at->data);
        }
    }
}

void
session_names_clear (Session *session)
{
    while (session->searches != NULL) {
        free_search (session->searches->data);
    }
}
