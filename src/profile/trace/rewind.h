/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of a thread that its program has taken back (PDDT_TRACE_REWOUND): recording is off there. */
#pragma once
#include "profile/trace-files.h"

typedef struct _ProfileTraceRewinds ProfileTraceRewinds;

/* NULL: the thread has none. func gets what is left of its events; what was begun or ended in a part that was taken back
 * is so at its end, so that Enter and Leave still balance. */
ProfileTraceRewinds *profile_trace_rewinds_new (const ProfileTraceThread *thread,
                                                ProfileTraceFunc func, gpointer user);
/* One event after the other. */
void profile_trace_rewinds_take (ProfileTraceRewinds *rewinds, const ProfileTraceEvent *event);
void profile_trace_rewinds_free (ProfileTraceRewinds *rewinds); /* NULL is fine */
