/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Breakpoints follow the text of their line when the program is edited and started again. */
#pragma once
#include "session/session.h"

/* Remembers the text of the line of a breakpoint at FILE:LINE, once it is known where it is. */
void session_follow_note (Session *session, const SessionBreakpoint *breakpoint);
/* Corrects the lines of the requests (of JobRequest) of such breakpoints whose files have changed since, to the
 * nearest line with the same text, and says so, or that there is none. Calls `done` once; not when it is cancelled. */
typedef void (*SessionFollowDone) (gpointer user);
void session_follow_async (Session *session, GPtrArray *requests, GCancellable *cancellable,
                           SessionFollowDone done, gpointer user);
