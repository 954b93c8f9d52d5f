/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The progress of a start and its cancellation, also for attaching and core files. */
#include "session/private.h"

static guint32
find_due (const Session *session)
{
    if (session->is_attached) {
        return session->n_wanted - MIN (session->n_refused, session->n_wanted)
               + session_children_count (session);
    }
    return session->size > 0                     ? session->size
           : session->backend->find_size != NULL ? session->backend->find_size (session)
                                                 : 0;
}

gboolean
session_find_beginning (const Session *session, SessionBeginning *ret_beginning)
{
    if (!session->started || session->ready || session->ended || session->ending
        || !session->backend->comes_late) {
        return FALSE;
    }
    *ret_beginning = (SessionBeginning){ session->n_reported, find_due (session),
                                         session->n_arrived, session->is_attached };
    return TRUE;
}

char *
session_format_beginning (const Session *session)
{
    SessionBeginning b;

    if (!session_find_beginning (session, &b)) {
        return NULL;
    }
    if (b.n_due == 0) {
        return b.n_there == 0
                   ? g_strdup ("no rank has reported yet")
                   : g_strdup_printf ("%u rank%s so far", b.n_there, b.n_there == 1 ? "" : "s");
    }
    return b.n_there < b.n_due
               ? g_strdup_printf ("%u of %u ranks have reported", b.n_there, b.n_due)
               : g_strdup_printf ("%u of %u ranks are at their first stop", b.n_arrived,
                                  b.n_due);
}

void
session_give_up_beginning (Session *session)
{
    g_autofree char *text = session_format_beginning (session);

    if (text != NULL) {
        session->is_given_up = TRUE;
        session_say (session, 1, "cancelled: %s", text);
        session_end (session);
    }
}

gboolean
session_is_given_up (const Session *session)
{
    return session->is_given_up;
}
