/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The server's half of questions that are asked ahead (remote-ahead.h). */
#include "session/backend/remote-ahead.h"
#include "session/backend/served-server-private.h"

enum { MAX_HELD = 64 };

#define MAX_SOURCE (128u << 10) /* bytes of a text that is sent unasked */

typedef struct {
    JobRequest *request;
    guint64 motion;
    JobRankSet *left; /* NULL: all, at their first stop */
} Held;

BASE_FREE (free_held, Held, held, job_request_free (held->request);
           job_rank_set_free (held->left))

/* TRUE: all have come. It is asked. */
static gboolean
ask_of_motion (SessionServed *served, const Held *held)
{
    if (!job_rank_set_is_empty (held->left)) {
        return FALSE;
    }
    session_life_send (served->session, held->request);
    return TRUE;
}

gboolean
session_served_hold (SessionServed *served, GVariant *body)
{
    g_autoptr (GVariant) packed = NULL, left = NULL;
    g_autoptr (JobRequest) request = NULL;
    Held *held;
    guint64 motion;

    g_variant_get (body, "(ut@ayv)", NULL, &motion, &left, &packed);
    request = job_request_decode (packed, SESSION_REMOTE_MAX_RANKS, NULL);
    if (served->held == NULL) {
        served->held = g_ptr_array_new_with_free_func (free_held);
    }
    if (request == NULL || served->held->len >= MAX_HELD) {
        return FALSE;
    }
    held = g_new (Held, 1);
    *held = (Held){ g_steal_pointer (&request), motion, session_remote_decode_ranks (left) };
    if (held->left == NULL) {
        free_held (held);
        return FALSE;
    }
    if (job_rank_set_is_empty (held->left)) {
        g_clear_pointer (&held->left, job_rank_set_free);
    }
    g_ptr_array_add (served->held, held);
    if (held->left != NULL && motion == served->motion && served->stopped != NULL) {
        JobRankSet *later = job_rank_set_subtract (held->left, served->stopped);

        job_rank_set_free (held->left);
        held->left = later;
        if (ask_of_motion (served, held)) {
            g_ptr_array_remove (served->held, held);
        }
    }
    return TRUE;
}

void
session_served_drop_held (SessionServed *served)
{
    g_clear_pointer (&served->held, g_ptr_array_unref);
}

void
session_served_note_motion (SessionServed *served, guint64 motion)
{
    session_served_drop_held (served);
    g_clear_pointer (&served->stopped, job_rank_set_free);
    served->motion = motion;
}

/* TRUE: it is asked, or was asked about fewer ranks than there are. */
static gboolean
ask_of_start (SessionServed *served, const Held *held)
{
    const SessionRanks *ranks = served->session->ranks;
    g_autoptr (JobRequest) request = NULL;

    if (ranks->size == 0 || ranks->n_reported != ranks->size
        || ranks->n_arrived != ranks->size) {
        return FALSE;
    }
    if (job_rank_set_get_count (held->request->ranks) < ranks->size) {
        return TRUE;
    }
    request = job_request_dup (held->request);
    job_rank_set_free (request->ranks);
    request->ranks = session_dup_all (served->session);
    session_served_tell (served, SESSION_FRAME_ASKED,
                         g_variant_new ("(uv)", served->number, job_request_encode (request)));
    session_life_send (served->session, request);
    return TRUE;
}

void
session_served_ask_held (SessionServed *served, const JobEvent *event)
{
    if (served->motion != 0 && session_ahead_is_stop (served->motion, event)) {
        served->stopped = served->stopped != NULL ? served->stopped : job_rank_set_new ();
        job_rank_set_merge (served->stopped, event->ranks);
    }
    for (guint i = 0; served->held != NULL && i < served->held->len;) {
        Held *held = served->held->pdata[i];
        gboolean is_asked;

        if (held->left == NULL) {
            is_asked = ask_of_start (served, held);
        } else {
            session_ahead_note (held->left, held->motion, event);
            is_asked = ask_of_motion (served, held);
        }
        if (is_asked) {
            g_ptr_array_remove_index (served->held, i);
        } else {
            i++;
        }
    }
}

/* ---- the source ---- */

typedef struct {
    SessionServer *server;
    guint32 number, turn;
    gint64 time_us;
} Reading;

/* NULL: it is not wanted any more. */
static SessionServed *
find_reader (const Reading *reading)
{
    return reading->turn == reading->server->turn
               ? g_hash_table_lookup (reading->server->sessions,
                                      GUINT_TO_POINTER (reading->number))
               : NULL;
}

static void
on_source (GObject *source, GAsyncResult *result, gpointer user)
{
    g_autofree Reading *reading = user;
    const SessionWanted *wanted = g_task_get_task_data (G_TASK (result));
    g_autoptr (GBytes) text = g_task_propagate_pointer (G_TASK (result), NULL);
    SessionServed *served = find_reader (reading);

    if (text != NULL && served != NULL) {
        session_served_tell (served, SESSION_FRAME_SOURCE,
                             g_variant_new ("(u^ayx@ay)", reading->number, wanted->path,
                                            reading->time_us,
                                            g_variant_new_from_bytes (G_VARIANT_TYPE ("ay"),
                                                                      text, TRUE)));
    }
}

static GTask *
make_task (const char *path, GAsyncReadyCallback done, Reading *reading)
{
    GTask *task = g_task_new (NULL, NULL, done, reading);
    SessionWanted *wanted = g_new0 (SessionWanted, 1);

    wanted->path = g_strdup (path);
    wanted->limit = MAX_SOURCE;
    g_task_set_task_data (task, wanted, session_wanted_free);
    return task;
}

static void
on_time (GObject *source, GAsyncResult *result, gpointer user)
{
    Reading *reading = user;
    const SessionWanted *wanted = g_task_get_task_data (G_TASK (result));
    g_autoptr (GTask) task = NULL;

    reading->time_us = g_task_propagate_int (G_TASK (result), NULL);
    task = make_task (wanted->path, on_source, reading);
    session_sources_read_here (NULL, task);
}

void
session_served_send_source (SessionServed *served, const JobEvent *event)
{
    g_autoptr (GTask) task = NULL;
    Reading *reading;

    if (served->has_source || served->held == NULL || event->kind != JOB_EVENT_STATE
        || event->place == NULL || event->place->file == NULL) {
        return;
    }
    served->has_source = TRUE;
    reading = g_new (Reading, 1);
    *reading = (Reading){ served->server, served->number, served->server->turn, 0 };
    task = make_task (event->place->file, on_time, reading);
    session_sources_time_here (NULL, task);
}
