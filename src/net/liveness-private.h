/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How long the other side has been silent, counted only while the observer's own loop runs. */
#pragma once
#include <glib.h>

#define NET_TICK_MS 1000 /* the front end's */
#define NET_BEAT_S 5       /* a daemon says so often that it lives */
#define NET_PING_US (60 * G_USEC_PER_SEC)
#define NET_SILENT_US (5 * G_USEC_PER_SEC)
#define NET_LOST_US (30 * G_USEC_PER_SEC)
#define NET_GIVE_UP_US (600 * G_USEC_PER_SEC)

typedef struct {
    gint64 tick_us;    /* time of the last tick */
    gint64 pinged_us;  /* time of the last PING */
    gint64 unheard_us; /* since anything came */
} NetLiveness;

void net_liveness_init (NetLiveness *liveness, gint64 now_us);
/* Anything came from the other side. */
void net_liveness_hear (NetLiveness *liveness);
/* Once a turn of NET_TICK_MS, after all that waited was read. A tick that comes late counts as
 * one in time. TRUE: send a PING now, so that the other side hears of this one too. */
gboolean net_liveness_tick (NetLiveness *liveness, gint64 now_us);
/* Since a sign of life that should have come did not. */
gint64 net_liveness_get_silence_us (const NetLiveness *liveness);
