/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once
#include "profile/otf2-private.h"
#include "profile/spool.h"
#include "profile/waits.h"

/* A call of MPI. Times are in ticks of the archive. */
typedef struct {
    guint32 rank;
    guint32 region, caller; /* G_MAXUINT32: none */
    guint32 place;          /* string of the archive; G_MAXUINT32: none */
    guint64 enter, leave;
} ProfileWaitCall;

typedef struct {
    guint32 comm;
    guint32 from, to; /* ranks of the job */
    guint32 tag;
    guint64 time; /* when it was sent, or when its receive was posted */
    guint64 bytes;
    guint32 call; /* that sends it, or in which it has arrived */
    gboolean is_blocking;
} ProfileWaitMessage;

typedef struct {
    guint32 comm, number; /* of the member's collectives there, from 1 */
    guint32 operation;    /* OTF2_CollectiveOp */
    guint32 root;         /* rank of the job; G_MAXUINT32: none */
    guint32 call;
} ProfileWaitCollective;

typedef struct {
    const ProfileOtf2Definitions *definitions;
    GHashTable *comms; /* id to GArray of guint32: ranks of the job */
    GArray *calls, *sends, *receives, *collectives; /* of the structs above */
    /* The beginning of some ranks was lost, so that what belongs together is counted from the end. */
    gboolean is_from_end;
} ProfileWaits;

/* otf2-wait-states.c */
void profile_wait_states_put (ProfileWaits *waits, ProfileSpool *to);
