/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What has happened, in words: a GListModel of the session's messages, the ranks' notices, what has stopped
 * or ended ranks for the worse, and why ranks wait. Views show it as a log. */
#pragma once
#include "session/session.h"

#define SESSION_TYPE_MESSAGE (session_message_get_type ())
G_DECLARE_FINAL_TYPE (SessionMessage, session_message, SESSION, MESSAGE, GObject)

/* Of SessionMessage, oldest first. Of more than SESSION_MAX_MESSAGES the oldest SESSION_DROPPED_MESSAGES
 * are dropped. Borrowed, as old as the session. */
#define SESSION_MAX_MESSAGES 10000
#define SESSION_DROPPED_MESSAGES 1000
GListModel *session_get_message_list (const Session *session);

/* All borrowed from the message, which does not change. */
guint
session_message_get_severity (const SessionMessage *message); /* 0 note, 1 warning, 2 error */
const char *session_message_get_english (const SessionMessage *message);
const char *
session_message_get_shown (const SessionMessage *message); /* in the user's language */
/* STATE: what has become of which ranks; NULL: it is about something else, or SESSION_MAX_EVENTS younger
 * messages have one. */
#define SESSION_MAX_EVENTS 64
const JobEvent *session_message_get_event (const SessionMessage *message);
/* The lowest rank that it is about, and the line where that was then; file NULL: not known. FALSE: it is
 * about no rank. */
gboolean session_message_get_place (const SessionMessage *message, guint32 *ret_rank,
                                    const char **ret_file, guint *ret_line);
/* Freshness: the stop number of the event, 0 without one; when it was said, by the wall clock and by the
 * monotonic one. */
guint64 session_message_get_stop (const SessionMessage *message);
gint64 session_message_get_real_us (const SessionMessage *message);
gint64 session_message_get_said_us (const SessionMessage *message);

/* What a view has to say for the log alone: no "message" tells others of it. */
void session_add_message (Session *session, guint severity, const BaseText *text);
