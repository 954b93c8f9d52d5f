/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What ends in a thread whose beginning was lost, without having begun: requests, collective calls, locks. */
#pragma once
#include "agent/trace-layout.h"
#include <glib.h>

typedef struct _ProfileTraceWindow ProfileTraceWindow;

typedef struct {
    gboolean is_left_out; /* the event makes no sense without what was lost */
    guint32 begin; /* kind of an event that has to come before it, at the same time; 0: none */
    const void *payload; /* of that one: n_more slots */
    guint n_more;
} ProfileTraceWindowAdvice;

ProfileTraceWindow *profile_trace_window_new (void);
void profile_trace_window_free (ProfileTraceWindow *window); /* NULL is fine */
/* The thread's next event in the window, with its payload behind it. */
ProfileTraceWindowAdvice profile_trace_window_look (ProfileTraceWindow *window,
                                                    const struct pddt_trace_event *event);
