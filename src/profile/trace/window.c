/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/trace/window.h"
#include "base/array.h"
#include <string.h>

struct _ProfileTraceWindow {
    GHashTable *requests; /* of gint64: those that have begun */
    GHashTable *locks;    /* of gint64: addresses of those that this thread has taken */
    gboolean is_collective;
};

ProfileTraceWindow *
profile_trace_window_new (void)
{
    ProfileTraceWindow *window = g_new0 (ProfileTraceWindow, 1);

    window->requests = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
    window->locks = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
    return window;
}

BASE_FREE_PUBLIC (profile_trace_window_free, ProfileTraceWindow, window,
                  g_hash_table_unref (window->requests);
                  g_hash_table_unref (window->locks))

/* The first word of a slot of the payload, or the last word of the last one, as the kinds have it. */
static gint64
read_number (const struct pddt_trace_event *event, gsize offset)
{
    gint64 number = 0;

    if (offset + sizeof number <= 16u * event->n_more) {
        memcpy (&number, (const char *) (event + 1) + offset, sizeof number);
    }
    return number;
}

/* Where the payload has its request. */
static gsize
get_request_offset (const struct pddt_trace_event *event)
{
    switch (event->kind) {
    case PDDT_TRACE_COLLECTIVE_REQUEST:
    case PDDT_TRACE_COLLECTIVE_COMPLETE:
        return offsetof (struct pddt_trace_collective, request);
    default: return event->n_more > 0 ? 16u * (event->n_more - 1u) : 0;
    }
}

static void
note (GHashTable *known, gint64 number)
{
    g_hash_table_add (known, g_memdup2 (&number, sizeof number));
}

static ProfileTraceWindowAdvice
end_request (ProfileTraceWindow *window, const struct pddt_trace_event *event)
{
    gint64 request = read_number (event, get_request_offset (event));
    ProfileTraceWindowAdvice advice = { 0 };
    gboolean is_known = event->kind == PDDT_TRACE_REQUEST_TEST
                            ? g_hash_table_contains (window->requests, &request)
                            : g_hash_table_remove (window->requests, &request);

    if (is_known) {
        return advice;
    }
    switch (event->kind) {
    case PDDT_TRACE_IRECV:
        advice.begin = PDDT_TRACE_IRECV_REQUEST;
        advice.payload = (const char *) (event + 1) + get_request_offset (event);
        advice.n_more = MIN (event->n_more, 1u);
        break;
    case PDDT_TRACE_COLLECTIVE_COMPLETE:
        advice.begin = PDDT_TRACE_COLLECTIVE_REQUEST;
        advice.payload = event + 1;
        advice.n_more = event->n_more;
        break;
    default: advice.is_left_out = TRUE;
    }
    return advice;
}

ProfileTraceWindowAdvice
profile_trace_window_look (ProfileTraceWindow *window, const struct pddt_trace_event *event)
{
    gint64 address = read_number (event, offsetof (struct pddt_trace_lock, address));
    ProfileTraceWindowAdvice advice = { 0 };

    switch (event->kind) {
    case PDDT_TRACE_ISEND:
    case PDDT_TRACE_IRECV_REQUEST:
    case PDDT_TRACE_COLLECTIVE_REQUEST:
        note (window->requests, read_number (event, get_request_offset (event)));
        break;
    case PDDT_TRACE_ISEND_COMPLETE:
    case PDDT_TRACE_IRECV:
    case PDDT_TRACE_REQUEST_TEST:
    case PDDT_TRACE_REQUEST_CANCELLED:
    case PDDT_TRACE_COLLECTIVE_COMPLETE: return end_request (window, event);
    case PDDT_TRACE_COLLECTIVE_BEGIN: window->is_collective = TRUE; break;
    case PDDT_TRACE_COLLECTIVE_END:
        advice.begin = window->is_collective ? 0 : PDDT_TRACE_COLLECTIVE_BEGIN;
        window->is_collective = FALSE;
        break;
    case PDDT_TRACE_LOCK_TAKEN: note (window->locks, address); break;
    case PDDT_TRACE_LOCK_RELEASED:
        advice.is_left_out = !g_hash_table_remove (window->locks, &address);
        break;
    default: break;
    }
    return advice;
}
