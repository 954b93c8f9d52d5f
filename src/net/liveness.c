/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The one rule of silence for both ends. */
#include "net/liveness-private.h"

void
net_liveness_init (NetLiveness *liveness, gint64 now_us)
{
    *liveness = (NetLiveness) { .tick_us = now_us, .pinged_us = now_us };
}

void
net_liveness_hear (NetLiveness *liveness)
{
    liveness->waiting = FALSE;
    liveness->silence_us = 0;
}

gboolean
net_liveness_tick (NetLiveness *liveness, gint64 now_us)
{
    gint64 passed = CLAMP (now_us - liveness->tick_us, 0, 2 * NET_TICK_MS * 1000);
    liveness->tick_us = now_us;
    if (liveness->waiting) {
        liveness->silence_us += passed;
    }
    if (now_us - liveness->pinged_us < NET_PING_US) {
        return FALSE;
    }
    liveness->pinged_us = now_us;
    liveness->waiting = TRUE;
    return TRUE;
}
