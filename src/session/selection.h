/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The threads and frames that one client (a window, a script, the prompt) has selected. They belong to
 * it alone: it sends them with its requests, and another client's requests do not know them. A rank that
 * moves has none selected any more. */
#pragma once
#include "session/session.h"

#define SESSION_TYPE_SELECTION (session_selection_get_type ())
G_DECLARE_FINAL_TYPE (SessionSelection, session_selection, SESSION, SELECTION, GObject)
/* Signal "changed" (): other frames were selected; not where ranks have moved. */

SessionSelection *session_selection_new (Session *session);
/* Says in the request what is selected in its ranks. */
void session_selection_mark (const SessionSelection *selection, JobRequest *request);
/* Selects what `from` does, which is of the same session. */
void session_selection_copy (SessionSelection *selection, const SessionSelection *from);
/* Takes an answer to FRAME, or with thread not 0 to THREAD. */
void session_selection_apply (SessionSelection *selection, const JobEvent *frame,
                              guint32 thread);
/* FALSE: none was chosen, commands mean the rank's own place. */
gboolean session_selection_find_frame (const SessionSelection *selection, guint32 rank,
                                       guint32 *ret_frame);
guint32 session_selection_get_thread (const SessionSelection *selection,
                                      guint32 rank); /* its number; 0: none was chosen */
/* Another number as soon as other threads or frames of these ranks are selected; 0: none is. */
guint64 session_selection_sign (const SessionSelection *selection, const JobRankSet *ranks);
/* Of the selected frame; the rank's own when none was chosen; NULL: unknown, or the rank has ended.
 * Borrowed, lives with the session. */
const JobLocation *session_selection_get_place (const SessionSelection *selection,
                                                guint32 rank);
/* Those of the ranks whose places are in the same function as that of `rank`: a variable of the same name in another
 * function is another one. Ranks whose place is not known count as there. Caller owns. */
JobRankSet *session_selection_dup_same_function (const SessionSelection *selection,
                                                 const JobRankSet *ranks, guint32 rank);
