/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A clock for what an idle program does every few seconds and nothing else: it runs within the default
 * context's wait, so that a beat is not a whole turn of the loop with all its sources. */
#pragma once
#include <glib.h>

typedef struct _NetBeat NetBeat;

/* FALSE: more came of it than bytes that went out at once, the loop has to have its turn. */
typedef gboolean (*NetBeatDo) (gpointer user);

/* Does it every so many seconds of the loop's thread, as long as the default context is being run. */
NetBeat *net_beat_new (guint period_s, NetBeatDo act, gpointer user);
/* Not from within act. NULL is fine. */
void net_beat_free (NetBeat *beat);
