/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Breakpoints whose hits a script judges. Collects the ranks that arrive within a moment, asks the script about them
 * once, and knows which hits are still to be judged: a `wait` goes on until then. */
#include "script/private.h"

#define COLLECT_MS 10

static struct {
    Session *session; /* whose breakpoints they are; NULL: there are none */
    GHashTable
        *pending; /* of each number: JobRankSet that has arrived since the last question */
    guint source;
    guint64 last;  /* question */
    guint n_open;  /* questions */
    guint64 first; /* older questions are nobody's any more */
} hits;

static gboolean
on_collected (gpointer data)
{
    gpointer key, value;

    hits.source = 0;
    BASE_WALK (hits.pending, &key, &value) {
        if (!job_rank_set_is_empty (value)) {
            g_autofree char *ranks = job_rank_set_format (value);
            ScriptMessage *message = script_message_new (SCRIPT_HIT, script_next_id (), ranks);

            message->number = GPOINTER_TO_UINT (key);
            hits.last = message->id;
            hits.n_open++;
            script_post (message);
            g_hash_table_iter_replace (&iter, job_rank_set_new ());
        }
    }
    return G_SOURCE_REMOVE;
}

static void
on_event (Session *session, const JobEvent *event, gpointer user)
{
    JobRankSet *ranks = NULL;

    if (event->kind == JOB_EVENT_STATE && event->state == JOB_STATE_BREAKPOINT
        && !(event->flags & JOB_EVENT_FRESH) && event->number > 0) {
        ranks = g_hash_table_lookup (hits.pending, GINT_TO_POINTER (event->number));
    }
    if (ranks != NULL) {
        job_rank_set_merge (ranks, event->ranks);
        if (hits.source == 0) {
            hits.source = g_timeout_add (COLLECT_MS, on_collected, NULL);
        }
    }
}

void
script_hits_own (Session *session, guint32 number)
{
    if (hits.session != session) {
        script_hits_forget (NULL);
        hits.session = session;
        hits.first = script_next_id ();
        hits.pending = g_hash_table_new_full (NULL, NULL, NULL,
                                              (GDestroyNotify) job_rank_set_free);
        session_add_listener (session, on_event, NULL);
    }
    if (!g_hash_table_contains (hits.pending, GUINT_TO_POINTER (number))) {
        g_hash_table_insert (hits.pending, GUINT_TO_POINTER (number), job_rank_set_new ());
    }
}

void
script_hits_disown (guint32 number)
{
    if (hits.session != NULL) {
        g_hash_table_remove (hits.pending, GUINT_TO_POINTER (number));
    }
}

void
script_hits_take_judged (guint64 id)
{
    if (hits.n_open > 0 && id >= hits.first) {
        hits.n_open--;
    }
}

void
script_hits_forget (Session *session)
{
    if (hits.session == NULL || (session != NULL && session != hits.session)) {
        return;
    }
    session_remove_listener (hits.session, on_event, NULL);
    g_clear_handle_id (&hits.source, g_source_remove);
    g_clear_pointer (&hits.pending, g_hash_table_unref);
    hits.session = NULL;
    hits.n_open = 0;
}

gboolean
script_hits_is_judging (Session *session)
{
    return session == hits.session && hits.session != NULL
           && (hits.n_open > 0 || hits.source != 0);
}

gboolean
script_hits_has (Session *session, guint32 number)
{
    return session == hits.session && hits.session != NULL
           && g_hash_table_contains (hits.pending, GUINT_TO_POINTER (number));
}
