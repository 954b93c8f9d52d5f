/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A timer for the periodic work of an idle program. It runs inside the default context's poll,
 * so that a beat does not cost an iteration of the main loop with all its sources. */
#pragma once
#include <glib.h>

typedef struct _NetBeat NetBeat;

/* FALSE: it left work to do, so the main loop must iterate. */
typedef gboolean (*NetBeatDo) (gpointer user);

/* Calls act every period_s seconds, while the default context runs. */
NetBeat *net_beat_new (guint period_s, NetBeatDo act, gpointer user);
/* Not from within act. NULL is fine. */
void net_beat_free (NetBeat *beat);
