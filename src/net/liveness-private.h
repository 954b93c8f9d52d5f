/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How long the other side has been silent, counted only while the observer's own loop runs. */
#pragma once
#include <glib.h>

#define NET_TICK_MS 1000 /* the front end's */
#define NET_BEAT_S 5     /* period of a daemon's heartbeat */
#define NET_PING_US (60 * G_USEC_PER_SEC)
#define NET_SILENT_US (5 * G_USEC_PER_SEC)
#define NET_LOST_US (30 * G_USEC_PER_SEC)
#define NET_GIVE_UP_US (600 * G_USEC_PER_SEC)

typedef struct {
    gint64 tick_us;    /* time of the last tick */
    gint64 pinged_us;  /* time of the last PING */
    gint64 unheard_us; /* since anything was received */
} NetLiveness;

void net_liveness_init (NetLiveness *liveness, gint64 now_us);
/* Something was received from the other side. */
void net_liveness_hear (NetLiveness *liveness);
/* Call it every NET_TICK_MS, after reading everything pending. A late tick counts as one on
 * time. TRUE: send a PING now, so that the other side hears from this one too. */
gboolean net_liveness_tick (NetLiveness *liveness, gint64 now_us);
/* How long the next expected heartbeat is overdue. */
gint64 net_liveness_get_silence_us (const NetLiveness *liveness);
