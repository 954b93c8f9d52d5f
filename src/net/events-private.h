/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists of events as packets hold them ("av"), and the gate for those that came. */
#pragma once
#include "job/event.h"

/* Bytes after which a list is begun anew; no event alone is larger than a packet may be. */
#define NET_MAX_LIST (16 * 1024 * 1024)

/* An event's boxed bytes, referenced; one that no packet can hold becomes a failure of its ranks. */
GVariant *net_events_encode_one (const JobEvent *event);
/* Adds the events of an "av" that came from a daemon, in its own slots, to a list in global ones.
 * Malformed ones are named in the log as sender's and left out. ret_end: slots that reported reach
 * up to there at least; raised only. */
void net_events_take (GVariant *list, guint32 base, const char *sender, GPtrArray *events,
                      guint32 *ret_end);
/* The same of events in global slots, which must all be in `allowed`. */
void net_events_take_merged (GVariant *list, const JobRankSet *allowed, const char *sender,
                             GPtrArray *events);
