/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Answers may arrive while the request is being sent, before its id is known: collects them and
 * filters them afterwards. */
#include "gui/query.h"

struct _GuiQuery {
    Session *session;
    GuiQueryDone done;
    gpointer user;
    guint64 id; /* 0 while being sent */
    GPtrArray *events;
    gboolean is_finished;
    guint64 finished_id;
    JobRankSet *missing;
    guint idle;
};

static gboolean
report (gpointer user)
{
    GuiQuery *query = user;

    query->idle = 0;
    for (guint i = query->events->len; i > 0; i--) {
        if (((JobEvent *) query->events->pdata[i - 1])->request != query->id) {
            g_ptr_array_remove_index (query->events, i - 1);
        }
    }
    job_event_list_merge (query->events);
    query->done (query, query->events, query->missing, query->user);
    return G_SOURCE_REMOVE;
}

static void
on_event (Session *session, const JobEvent *event, gpointer user)
{
    GuiQuery *query = user;

    if (event->request != 0 && (query->id == 0 || event->request == query->id)) {
        g_ptr_array_add (query->events, job_event_dup (event));
    }
}

static void
on_finished (Session *session, guint64 id, gboolean ok, const JobRankSet *missing,
             GuiQuery *query)
{
    if (query->is_finished || (query->id != 0 && id != query->id)) {
        return;
    }
    query->finished_id = id;
    g_clear_pointer (&query->missing, job_rank_set_free);
    query->missing = missing != NULL ? job_rank_set_dup (missing) : job_rank_set_new ();
    if (query->id != 0) {
        query->is_finished = TRUE;
        query->idle = g_idle_add (report, query);
    }
}

GuiQuery *
gui_query_new (Session *session, JobRequest *request, GuiQueryDone done, gpointer user)
{
    GuiQuery *query = g_new0 (GuiQuery, 1);

    query->session = g_object_ref (session);
    query->done = done;
    query->user = user;
    query->events = g_ptr_array_new_with_free_func ((GDestroyNotify) job_event_free);
    session_add_listener (session, on_event, query);
    g_signal_connect (session, "finished", G_CALLBACK (on_finished), query);
    query->id = session_submit (session, request);
    if (query->finished_id == query->id && query->id != 0) {
        query->is_finished = TRUE;
        query->idle = g_idle_add (report, query);
    }
    return query;
}

void
gui_query_free (GuiQuery *query)
{
    if (query == NULL) {
        return;
    }
    g_clear_handle_id (&query->idle, g_source_remove);
    session_remove_listener (query->session, on_event, query);
    g_signal_handlers_disconnect_by_data (query->session, query);
    g_object_unref (query->session);
    g_ptr_array_unref (query->events);
    job_rank_set_free (query->missing);
    g_free (query);
}
