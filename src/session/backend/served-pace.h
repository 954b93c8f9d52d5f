/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How fast states of ranks go to a front end elsewhere. Many ranks that move without any order fill a slow link with sets of
 * them, and whatever else is asked waits behind: from some size on they wait, equal ones become one, and the front end hears
 * of them later. The order of what happens to a rank stays. */
#pragma once
#include "job/event.h"

#define SESSION_PACE_RATE 50000         /* bytes a second */
#define SESSION_PACE_BURST (256u << 10) /* that go at once after a pause */

typedef struct _SessionPace SessionPace;
SessionPace *session_pace_new (gint64 now_us);
void session_pace_free (SessionPace *pace);
/* Of a STATE with that size. TRUE: it waits, a copy of it is kept; FALSE: it goes now. */
gboolean session_pace_hold (SessionPace *pace, const JobEvent *event, gsize size,
                            gint64 now_us);
/* Do states of ranks of this event wait? */
gboolean session_pace_concerns (const SessionPace *pace, const JobEvent *event);
/* When what waits may go; -1: nothing waits. */
gint64 session_pace_get_due_us (const SessionPace *pace);
/* Since when the first one has waited; -1: nothing waits. */
gint64 session_pace_get_since_us (const SessionPace *pace);
/* What waits, of JobEvent, merged, in an order that is right for each rank. Caller owns (unref), and says to
 * session_pace_spend how large it is. */
GPtrArray *session_pace_release (SessionPace *pace, gint64 now_us);
void session_pace_spend (SessionPace *pace, gsize size);
