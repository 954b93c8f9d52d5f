/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The server's half of questions that are asked ahead (remote-ahead.h). */
#include "session/backend/remote-ahead.h"
#include "session/backend/served-server-private.h"

enum { MAX_HELD = 64 };

typedef struct {
    JobRequest *request;
    guint64 motion;
    JobRankSet *left;
} Held;

static void
free_held (gpointer data)
{
    Held *held = data;

    job_request_free (held->request);
    job_rank_set_free (held->left);
    g_free (held);
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
    if (held->left == NULL || job_rank_set_is_empty (held->left)) {
        held->left = held->left != NULL ? held->left : job_rank_set_new ();
        free_held (held);
        return FALSE;
    }
    g_ptr_array_add (served->held, held);
    return TRUE;
}

void
session_served_drop_held (SessionServed *served)
{
    g_clear_pointer (&served->held, g_ptr_array_unref);
}

void
session_served_ask_held (SessionServed *served, const JobEvent *event)
{
    for (guint i = 0; served->held != NULL && i < served->held->len;) {
        Held *held = served->held->pdata[i];

        session_ahead_note (held->left, held->motion, event);
        if (job_rank_set_is_empty (held->left)) {
            session_life_send (served->session, held->request);
            g_ptr_array_remove_index (served->held, i);
        } else {
            i++;
        }
    }
}
