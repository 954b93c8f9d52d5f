/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "session/backend/served-pace.h"
#include "session/backend/served-server-private.h"

enum { LATE_S = 2 /* states that are told so late: that is said */ };

struct _SessionPace {
    GPtrArray *waiting; /* of JobEvent */
    gint64 credit;      /* bytes that may go; below 0 nothing does */
    gint64 filled_us, since_us;
};

SessionPace *
session_pace_new (gint64 now_us)
{
    SessionPace *pace = g_new0 (SessionPace, 1);

    pace->waiting = g_ptr_array_new_with_free_func ((GDestroyNotify) job_event_free);
    pace->credit = SESSION_PACE_BURST;
    pace->filled_us = now_us;
    return pace;
}

void
session_pace_free (SessionPace *pace)
{
    g_ptr_array_unref (pace->waiting);
    g_free (pace);
}

static void
fill (SessionPace *pace, gint64 now_us)
{
    gint64 more = (now_us - pace->filled_us) * SESSION_PACE_RATE / G_USEC_PER_SEC;

    if (more > 0) {
        pace->credit = MIN (pace->credit + more, SESSION_PACE_BURST);
        pace->filled_us = now_us;
    }
}

gboolean
session_pace_hold (SessionPace *pace, const JobEvent *event, gsize size, gint64 now_us)
{
    fill (pace, now_us);
    if (pace->waiting->len == 0 && pace->credit > 0) {
        session_pace_spend (pace, size);
        return FALSE;
    }
    if (pace->waiting->len == 0) {
        pace->since_us = now_us;
    }
    g_ptr_array_add (pace->waiting, job_event_dup (event));
    return TRUE;
}

gboolean
session_pace_concerns (const SessionPace *pace, const JobEvent *event)
{
    for (guint i = 0; i < pace->waiting->len; i++) {
        if (job_rank_set_intersects (((const JobEvent *) pace->waiting->pdata[i])->ranks,
                                     event->ranks)) {
            return TRUE;
        }
    }
    return FALSE;
}

gint64
session_pace_get_due_us (const SessionPace *pace)
{
    return pace->waiting->len == 0
               ? -1
               : pace->filled_us
                     + MAX (1 - pace->credit, 0) * G_USEC_PER_SEC / SESSION_PACE_RATE;
}

gint64
session_pace_get_since_us (const SessionPace *pace)
{
    return pace->waiting->len == 0 ? -1 : pace->since_us;
}

GPtrArray *
session_pace_release (SessionPace *pace, gint64 now_us)
{
    GPtrArray *released = g_steal_pointer (&pace->waiting);

    fill (pace, now_us);
    pace->waiting = g_ptr_array_new_with_free_func ((GDestroyNotify) job_event_free);
    job_event_list_merge (released);
    return released;
}

void
session_pace_spend (SessionPace *pace, gsize size)
{
    pace->credit -= (gint64) size;
}

/* ---- of a session ---- */

void
session_served_release_states (SessionServed *served)
{
    gint64 now_us = g_get_monotonic_time (),
           since_us = served->pace != NULL ? session_pace_get_since_us (served->pace) : -1;
    g_autoptr (GPtrArray) events = NULL;

    g_clear_handle_id (&served->pace_source, g_source_remove);
    if (since_us < 0) {
        return;
    }
    events = session_pace_release (served->pace, now_us);
    for (guint i = 0; i < events->len; i++) {
        g_autoptr (GVariant) body
            = g_variant_ref_sink (g_variant_new ("(uv)", served->number,
                                                 job_event_encode (events->pdata[i])));

        session_pace_spend (served->pace, g_variant_get_size (body));
        session_served_tell (served, SESSION_FRAME_EVENT, body);
    }
    if (now_us - since_us > LATE_S * G_USEC_PER_SEC && !served->is_late_said) {
        served->is_late_said = TRUE;
        session_served_say (
            served, 0,
            "so many ranks change their state that states are shown some seconds late: the connection "
            "gets no more than 50 kB of them a second");
    }
}

static gboolean
on_pace (gpointer data)
{
    SessionServed *served = data;

    served->pace_source = 0;
    session_served_release_states (served);
    return G_SOURCE_REMOVE;
}

gboolean
session_served_hold_state (SessionServed *served, const JobEvent *event, GVariant *body)
{
    gint64 now_us = g_get_monotonic_time ();

    if (event->kind != JOB_EVENT_STATE) {
        if (served->pace != NULL && session_pace_concerns (served->pace, event)) {
            session_served_release_states (served);
        }
        return FALSE;
    }
    if (!served->is_told) {
        return FALSE;
    }
    if (served->pace == NULL) {
        served->pace = session_pace_new (now_us);
    }
    if (!session_pace_hold (served->pace, event, g_variant_get_size (body), now_us)) {
        return FALSE;
    }
    if (served->pace_source == 0) {
        gint64 pause_us = session_pace_get_due_us (served->pace) - now_us;

        served->pace_source = g_timeout_add ((guint) MAX (pause_us / 1000 + 1, 1), on_pace,
                                             served);
    }
    return TRUE;
}

void
session_served_stop_telling (SessionServed *served)
{
    served->is_told = FALSE;
    g_clear_handle_id (&served->pace_source, g_source_remove);
    g_clear_pointer (&served->pace, session_pace_free);
}
