/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What logpoints have written since the job was started, as values: a GListModel that has an item for each expression
 * of each logpoint that has written, in the order of their numbers. */
#pragma once
#include "session/session.h"

#define SESSION_TYPE_LOGGED (session_logged_get_type ())
G_DECLARE_FINAL_TYPE (SessionLogged, session_logged, SESSION, LOGGED, GObject)

/* Of SessionLogged; of a logpoint with more the first SESSION_MAX_LOGGED expressions. A logpoint that is deleted or gets
 * another text has no items before it writes again. Borrowed, as old as the session. */
#define SESSION_MAX_LOGGED 16
GListModel *session_get_logged_list (const Session *session);

guint32 session_logged_get_breakpoint (const SessionLogged *logged);
/* As it stands in the text; "": the text has none. Borrowed. */
const char *session_logged_get_expression (const SessionLogged *logged);
/* How many lines the logpoint has written, each rank's counted; by whom; when the last one came, by the monotonic
 * clock. */
guint64 session_logged_get_lines (const SessionLogged *logged);
const JobRankSet *session_logged_get_ranks (const SessionLogged *logged);
gint64 session_logged_get_last_us (const SessionLogged *logged);
/* What each rank wrote last, as one row with the expression's name, or an empty table: a text cannot be told apart from
 * what stands around it. Caller owns. */
JobValueTable *session_logged_dup_values (const SessionLogged *logged);
/* The numbers that its ranks wrote last, in the order of the ranks; NAN: a rank wrote none. ret_is_integer (may be
 * NULL): they are whole numbers. Of double; caller owns. */
GArray *session_logged_dup_numbers (const SessionLogged *logged, gboolean *ret_is_integer);
/* What was written last, by any rank, when it was no number; NULL: it was one, or nothing can be told. Borrowed, until
 * the item changes. */
const char *session_logged_get_text (const SessionLogged *logged);
/* The mean over the ranks of what they wrote at their latest hits, oldest first: at most SESSION_LOGGED_HITS. NAN: no
 * rank wrote a finite number at that hit. ret_first (may be NULL): the number of the first one, from 1. Of double; caller
 * owns. */
#define SESSION_LOGGED_HITS 48
GArray *session_logged_dup_hits (const SessionLogged *logged, guint32 *ret_first);
