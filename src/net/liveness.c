/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rules for silence, the same at both ends. */
#include "net/liveness-private.h"

void
net_liveness_init (NetLiveness *liveness, gint64 now_us)
{
    *liveness = (NetLiveness){ .tick_us = now_us, .pinged_us = now_us };
}

void
net_liveness_hear (NetLiveness *liveness)
{
    liveness->unheard_us = 0;
}

gboolean
net_liveness_tick (NetLiveness *liveness, gint64 now_us)
{
    liveness->unheard_us += CLAMP (now_us - liveness->tick_us, 0, 2 * NET_TICK_MS * 1000);
    liveness->tick_us = now_us;
    if (now_us - liveness->pinged_us < NET_PING_US) {
        return FALSE;
    }
    liveness->pinged_us = now_us;
    return TRUE;
}

gint64
net_liveness_get_silence_us (const NetLiveness *liveness)
{
    return MAX (liveness->unheard_us - NET_BEAT_S * G_USEC_PER_SEC, 0);
}
