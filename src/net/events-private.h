/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists of events as packets hold them ("av"), and the gate for those that came. */
#pragma once
#include "job/event.h"

/* Bytes after which a list is begun anew; no event alone is larger than a packet may be. */
#define NET_MAX_LIST (16 * 1024 * 1024)

/* An event's boxed bytes, referenced; one that no packet can hold becomes a failure of its ranks. */
GVariant *net_events_encode_one (const JobEvent *event);
/* For whom a sender may speak. */
typedef struct {
    guint32 base, limit;  /* its slots are below the limit, and counted from the base on */
    JobRankSet *reported; /* global slots: every kind of event; new processes are added */
    JobRankSet *blocks;   /* where its new processes may be */
} NetSpeaker;
/* A daemon, in whose block of slots nobody has reported. */
void net_speaker_init (NetSpeaker *speaker, guint32 base);
/* An inner node, of the hosts whose speakers are added. */
void net_speaker_init_group (NetSpeaker *speaker);
void net_speaker_add (NetSpeaker *speaker, const NetSpeaker *member);
void net_speaker_clear (NetSpeaker *speaker);

/* Adds the events of an "av" that came to a list, in global slots. Those that are malformed, that speak
 * for others, or for which no memory is left (JOB_EVENT_MAX_BYTES for all) are named in the log as
 * sender's and left out. Bytes of memory that the events take. */
guint64 net_events_take (GVariant *list, NetSpeaker *speaker, const char *sender, GPtrArray *events);

