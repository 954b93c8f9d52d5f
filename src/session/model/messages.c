/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Severe states come by the thousand in a moment: the last one of each rank is kept, and they become messages
 * a moment later, those of equal ranks as one. */
#include "session/messages.h"
#include "base/clock.h"
#include "session/private.h"

enum { SOON_MS = 16, PAUSE_MS = 100, PAUSE_FACTOR = 10 };

struct _SessionMessage {
    GObject parent;
    guint severity;
    char *english, *shown;
    JobEvent *event; /* NULL */
    gint64 rank;     /* the lowest that it is about; -1: none */
    char *file;      /* where that was; NULL: not known */
    guint line;
    guint64 stop;
    gint64 real_us, said_us;
};

G_DEFINE_TYPE (SessionMessage, session_message, G_TYPE_OBJECT)

struct _SessionMessages {
    SessionList *list;
    GQueue events;            /* of SessionMessage: those that have one, oldest first */
    SessionLastStates *fresh; /* severe, not told yet */
    guint source;
    gint64 next_us; /* not before are they told */
};

static void
session_message_finalize (GObject *object)
{
    SessionMessage *message = SESSION_MESSAGE (object);

    job_event_free (message->event);
    g_free (message->english);
    g_free (message->shown);
    g_free (message->file);
    G_OBJECT_CLASS (session_message_parent_class)->finalize (object);
}

static void
session_message_class_init (SessionMessageClass *klass)
{
    G_OBJECT_CLASS (klass)->finalize = session_message_finalize;
}

static void
session_message_init (SessionMessage *message)
{
}

static void
forget_event (SessionMessages *messages)
{
    SessionMessage *message = g_queue_pop_head (&messages->events);

    g_clear_pointer (&message->event, job_event_free);
    g_object_unref (message);
}

/* ranks, place, event: may be NULL. */
static void
append (Session *session, guint severity, const BaseText *text, const JobRankSet *ranks,
        const JobLocation *place, const JobEvent *event)
{
    SessionMessages *messages = session->messages;
    SessionMessage *message = g_object_new (SESSION_TYPE_MESSAGE, NULL);
    guint n = session_list_get_items (messages->list)->len;

    message->severity = severity;
    message->english = g_strdup (text->english);
    message->shown = g_strdup (text->shown);
    message->rank = ranks != NULL && !job_rank_set_is_empty (ranks)
                        ? (gint64) job_rank_set_get_lowest (ranks)
                        : -1;
    if (message->rank >= 0 && place != NULL && place->file != NULL && place->line > 0) {
        message->file = g_strdup (place->file);
        message->line = place->line;
    }
    message->real_us = g_get_real_time ();
    message->said_us = base_clock_get_us ();
    if (event != NULL) {
        message->event = job_event_dup (event);
        message->stop = event->stop;
        g_queue_push_tail (&messages->events, g_object_ref (message));
        if (messages->events.length > SESSION_MAX_EVENTS) {
            forget_event (messages);
        }
    }
    if (n >= SESSION_MAX_MESSAGES) {
        session_list_remove (messages->list, 0, SESSION_DROPPED_MESSAGES);
        n -= SESSION_DROPPED_MESSAGES;
    }
    session_list_insert (messages->list, n, message);
}

void
session_add_message (Session *session, guint severity, const BaseText *text)
{
    append (session, severity, text, NULL, NULL, NULL);
}

static gboolean
tell_fresh (gpointer user)
{
    g_autoptr (Session) session = g_object_ref (SESSION_SESSION (user));
    SessionMessages *messages = session->messages;
    gint64 begin_us = base_clock_get_us ();
    g_autoptr (GPtrArray) fresh = session_last_states_take (messages->fresh, session, TRUE);

    messages->source = 0;
    BASE_EACH (fresh, const JobEvent, event) {
        g_autofree char *line = session_format_state_event (BASE_TEXT_ENGLISH, session, event);
        g_autofree char *shown = session_format_state_event (BASE_TEXT_SHOWN, session, event);

        append (session, 2, &(BaseText){ line, shown }, event->ranks, event->place, event);
    }
    begin_us += PAUSE_MS * 1000
                + PAUSE_FACTOR * (base_clock_get_us () - begin_us); /* when the next may */
    messages->next_us = begin_us;
    return G_SOURCE_REMOVE;
}

void
session_messages_note (Session *session, const JobEvent *event)
{
    SessionMessages *messages = session->messages;

    if (event->kind == JOB_EVENT_NOTICE && event->text != NULL) {
        g_autofree char *shown = job_event_dup_shown (event);

        append (session, (guint) CLAMP (event->number, 0, 2), &(BaseText){ event->text, shown },
                event->ranks, event->place, NULL);
    } else if (event->kind == JOB_EVENT_STATE && job_state_get_info (event->state)->severe
               && (event->flags & JOB_EVENT_FRESH) == 0) {
        session_last_states_add (messages->fresh, event);
        if (messages->source == 0) {
            gint64 wait_ms = (messages->next_us - base_clock_get_us ()) / 1000;

            messages->source = g_timeout_add_full (G_PRIORITY_DEFAULT_IDLE,
                                                   (guint) MAX (wait_ms, SOON_MS), tell_fresh,
                                                   session, NULL);
        }
    }
}

void
session_messages_say_verdict (Session *session, const AnalysisVerdict *verdict)
{
    append (session, 1, verdict->text, verdict->culprits, NULL, NULL);
    for (const AnalysisVerdict *one = verdict->next; one != NULL; one = one->next) {
        if (one->kind < ANALYSIS_VERDICT_COMPUTING) {
            append (session, 1, one->text, one->culprits, NULL, NULL);
        }
    }
    g_signal_emit (session, session_signals[SESSION_VERDICT], 0, verdict);
}

void
session_messages_forget (Session *session)
{
    SessionMessages *messages = session->messages;

    if (messages->source != 0) { /* while their places are known */
        g_source_remove (messages->source);
        tell_fresh (session);
    }
}

void
session_messages_init (Session *session)
{
    session->messages = g_new0 (SessionMessages, 1);
    session->messages->list = session_list_new (SESSION_TYPE_MESSAGE);
    session->messages->fresh = session_last_states_new ();
}

void
session_messages_clear (Session *session)
{
    SessionMessages *messages = g_steal_pointer (&session->messages);

    g_clear_handle_id (&messages->source, g_source_remove);
    while (messages->events.length > 0) {
        forget_event (messages);
    }
    session_last_states_free (messages->fresh);
    g_object_unref (messages->list);
    g_free (messages);
}

/* ---- reading ---- */

GListModel *
session_get_message_list (const Session *session)
{
    return G_LIST_MODEL (session->messages->list);
}

guint
session_message_get_severity (const SessionMessage *message)
{
    return message->severity;
}

const char *
session_message_get_english (const SessionMessage *message)
{
    return message->english;
}

const char *
session_message_get_shown (const SessionMessage *message)
{
    return message->shown;
}

const JobEvent *
session_message_get_event (const SessionMessage *message)
{
    return message->event;
}

gboolean
session_message_get_place (const SessionMessage *message, guint32 *ret_rank,
                           const char **ret_file, guint *ret_line)
{
    *ret_rank = (guint32) MAX (message->rank, 0);
    *ret_file = message->file;
    *ret_line = message->line;
    return message->rank >= 0;
}

guint64
session_message_get_stop (const SessionMessage *message)
{
    return message->stop;
}

gint64
session_message_get_real_us (const SessionMessage *message)
{
    return message->real_us;
}

gint64
session_message_get_said_us (const SessionMessage *message)
{
    return message->said_us;
}
