/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists of events as packets carry them ("av"), and the check of received ones. */
#pragma once
#include "job/event.h"

/* Bytes after which a new list begins; a single event never exceeds a packet. */
#define NET_MAX_LIST (16 * 1024 * 1024)

/* An event's boxed bytes, referenced; one too large for a packet becomes a failure of its
 * ranks. */
GVariant *net_events_encode_one (const JobEvent *event);
/* The slots that a sender may report about. */
typedef struct {
    guint32 base, limit;  /* its slots are below the limit and relative to base */
    JobRankSet *reported; /* global slots: every kind of event; new processes are added */
    JobRankSet *blocks;   /* where it may add processes */
} NetSpeaker;
/* For a daemon without any reported slot. */
void net_speaker_init (NetSpeaker *speaker, guint32 base);
/* For an inner node; add its members' speakers. */
void net_speaker_init_group (NetSpeaker *speaker);
void net_speaker_add (NetSpeaker *speaker, const NetSpeaker *member);
void net_speaker_clear (NetSpeaker *speaker);

/* Adds the events of a received "av" to `events`, in global slots. Drops those that are
 * malformed, that concern slots of others, or that exceed the memory limit (JOB_EVENT_MAX_BYTES
 * in all), and logs them with the sender's name. Returns the bytes of memory that the events
 * take. */
guint64 net_events_take (GVariant *list, NetSpeaker *speaker, const char *sender,
                         GPtrArray *events);
