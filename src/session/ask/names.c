/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Searches the program's names while the user types: asks the ranks and merges their
 * answers. */
#include "session/private.h"

typedef struct {
    Session *session;
    JobNames *names;
    SessionNamesDone done;
    gpointer user;
    SessionQuery *query;
} Search;

static void
free_search (Search *search)
{
    search->session->ask->searches = g_list_remove (search->session->ask->searches, search);
    session_query_free (search->query);
    job_names_free (search->names);
    g_free (search);
}

static void
on_answer (SessionQuery *query, SessionAnswer *answer, gpointer data)
{
    Search *search = data;
    Session *session = search->session;
    g_autoptr (JobNames) names = g_steal_pointer (&search->names);
    SessionNamesDone done = search->done;
    gpointer user = search->user;

    BASE_EACH (answer->groups, const JobEvent, event) {
        if (event->kind == JOB_EVENT_TEXT && event->text != NULL) {
            job_names_read (names, event->text);
        }
    }
    /* first, because the callback may cancel or start a new search */
    free_search (search);
    done (session, job_names_get (names), user);
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
    session->ask->searches = g_list_prepend (session->ask->searches, search);
    request->flags |= JOB_REQUEST_ENDED;
    request->text = g_strdup (text);
    request->count = max;
    request->delta = (gint32) kinds;
    search->query = session_query_new (session, request, on_answer, search);
}

void
session_find_names_cancel (Session *session, gpointer user)
{
    for (GList *at = session->ask->searches, *next; at != NULL; at = next) {
        next = at->next;
        if (((Search *) at->data)->user == user) {
            free_search (at->data);
        }
    }
}

void
session_names_clear (Session *session)
{
    while (session->ask->searches != NULL) {
        free_search (session->ask->searches->data);
    }
}
