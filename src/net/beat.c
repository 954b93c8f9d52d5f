/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Replaces the default context's poll function with one that returns when a beat is due. */
#include "net/beat-private.h"
#include "base/array.h"

struct _NetBeat {
    gint64 next_us, period_us;
    NetBeatDo act;
    gpointer user;
};

static GPtrArray *beats; /* of NetBeat; NULL before the first */
static GPollFunc wait_plain;

/* On full seconds, like other programs' timers, so that the machine wakes up only once. */
static gint64
find_next_us (const NetBeat *beat, gint64 now_us)
{
    gint64 us = now_us + beat->period_us;
    return us - us % G_USEC_PER_SEC;
}

/* Milliseconds until the next beat; -1: the main loop must iterate. */
static int
do_due (gint64 now_us)
{
    gint64 next_us = G_MAXINT64;
    gboolean is_plain = TRUE;
    BASE_EACH (beats, NetBeat, beat) {
        if (beat->next_us <= now_us) {
            beat->next_us = find_next_us (beat, now_us);
            is_plain = beat->act (beat->user) && is_plain;
        }
        next_us = MIN (next_us, beat->next_us);
    }
    return is_plain ? (int) MIN ((next_us - now_us + 999) / 1000, G_MAXINT) : -1;
}

static int
wait_and_beat (GPollFD *fds, guint n_fds, int timeout_ms)
{
    for (;;) {
        int until_ms = do_due (g_get_monotonic_time ());
        if (until_ms < 0) {
            return 0;
        }
        gboolean is_cut = timeout_ms < 0 || until_ms < timeout_ms;
        int n_ready = wait_plain (fds, n_fds, is_cut ? until_ms : timeout_ms);
        if (n_ready != 0 || !is_cut) {
            return n_ready;
        }
        timeout_ms -= timeout_ms > 0 ? until_ms : 0;
    }
}

NetBeat *
net_beat_new (guint period_s, NetBeatDo act, gpointer user)
{
    NetBeat *beat = g_new0 (NetBeat, 1);
    *beat = (NetBeat){ .period_us = period_s * G_USEC_PER_SEC, .act = act, .user = user };
    beat->next_us = find_next_us (beat, g_get_monotonic_time ());
    if (!beats) {
        beats = g_ptr_array_new ();
        wait_plain = g_main_context_get_poll_func (NULL);
        g_main_context_set_poll_func (NULL, wait_and_beat);
    }
    g_ptr_array_add (beats, beat);
    return beat;
}

BASE_FREE_PUBLIC (net_beat_free, NetBeat, beat, g_ptr_array_remove (beats, beat))
