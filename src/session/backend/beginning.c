/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The progress of a start and its cancellation, also for attaching and core files. */
#include "session/private.h"
#include <glib/gi18n.h>

static guint32
find_due (const Session *session)
{
    if (session->life->is_attached) {
        return session->life->n_wanted - MIN (session->life->n_refused, session->life->n_wanted)
               + session_children_count (session);
    }
    return session->ranks->size > 0              ? session->ranks->size
           : session->backend->find_size != NULL ? session->backend->find_size (session)
                                                 : 0;
}

gboolean
session_find_beginning (const Session *session, SessionBeginning *ret_beginning)
{
    if (!session->life->started || session->life->ready || session->life->ended
        || session->life->ending || !session->backend->comes_late) {
        return FALSE;
    }
    *ret_beginning = (SessionBeginning){ session->ranks->n_reported, find_due (session),
                                         session->ranks->n_arrived,
                                         session->life->is_attached };
    return TRUE;
}

/* What is known of it, as one sentence. */
static BaseText *
describe (const SessionBeginning *b)
{
    if (b->n_due == 0 && b->n_there == 0) {
        return base_text_new (N_ ("no rank has reported yet"));
    }
    if (b->n_due == 0) {
        return base_text_new_plural ("%u rank so far", "%u ranks so far", b->n_there,
                                     b->n_there);
    }
    return b->n_there < b->n_due
               ? base_text_new (N_ ("%u of %u ranks have reported"), b->n_there, b->n_due)
               : base_text_new (N_ ("%u of %u ranks are at their first stop"), b->n_arrived,
                                b->n_due);
}

static BaseText *
describe_cancelled (const SessionBeginning *b)
{
    if (b->n_due == 0 && b->n_there == 0) {
        return base_text_new (N_ ("cancelled: no rank has reported yet"));
    }
    if (b->n_due == 0) {
        return base_text_new_plural ("cancelled: %u rank so far", "cancelled: %u ranks so far",
                                     b->n_there, b->n_there);
    }
    return b->n_there < b->n_due
               ? base_text_new (N_ ("cancelled: %u of %u ranks have reported"), b->n_there,
                                b->n_due)
               : base_text_new (N_ ("cancelled: %u of %u ranks are at their first stop"),
                                b->n_arrived, b->n_due);
}

BaseText *
session_dup_beginning_text (const Session *session)
{
    SessionBeginning b;

    return session_find_beginning (session, &b) ? describe (&b) : NULL;
}

void
session_give_up_beginning (Session *session)
{
    SessionBeginning b;

    if (session_find_beginning (session, &b)) {
        g_autoptr (BaseText) text = describe_cancelled (&b);

        session->life->is_given_up = TRUE;
        session_say_text (session, 1, text);
        session_end (session);
    }
}

gboolean
session_is_given_up (const Session *session)
{
    return session->life->is_given_up;
}
