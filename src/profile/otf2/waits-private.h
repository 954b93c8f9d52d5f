/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once
#include "profile/otf2/private.h"
#include "profile/spool.h"
#include "profile/waits.h"

/* A call of MPI. Times are in ticks of the archive. */
typedef struct {
    guint32 rank;
    guint32 region, caller; /* G_MAXUINT32: none */
    guint32 place;          /* string of the archive; G_MAXUINT32: none */
    guint64 enter, leave;
    gboolean is_leader; /* of the thread that stands for its rank */
} ProfileWaitCall;

typedef struct {
    guint32 comm;
    guint32 from, to; /* ranks of the job */
    guint32 tag;
    guint64 time; /* when it was sent, or when its receive was posted */
    guint64 bytes;
    guint32 call; /* that sends it, or in which it has arrived */
    guint32
        wait; /* the call that completes a nonblocking send, or that has probed for what is received; G_MAXUINT32:
                     none */
    gboolean is_blocking;
    guint64 sent; /* of a receive: index of its send + 1; 0: none */
} ProfileWaitMessage;

typedef struct {
    guint32 comm,
        number;        /* of the member's collectives there, from 1; at first 0: the next one */
    guint32 operation; /* OTF2_CollectiveOp */
    guint32 root;      /* rank of the job; G_MAXUINT32: none */
    guint32 arrival;   /* call with which the member has come */
    guint32 call;      /* in which it waits: of a blocking one the same */
    guint32 order;     /* of the location's collectives, as they began */
} ProfileWaitCollective;

/* ---- windows ---- */

typedef enum {
    PROFILE_ACCESS_POST,  /* lets the peer in */
    PROFILE_ACCESS_START, /* goes into the peer's window */
    PROFILE_ACCESS_END,   /* is out of it */
    PROFILE_ACCESS_WAIT,  /* until the peer is out */
} ProfileWaitAccessKind;

typedef struct {
    ProfileWaitAccessKind kind;
    guint32 comm;       /* the window's */
    guint32 rank, peer; /* ranks of the job */
    guint32 call;
    guint32 number; /* of the pair's accesses in that direction, from 1; 0: nobody knows */
    guint64 time;
} ProfileWaitAccess;

typedef struct {
    guint32 comm;
    guint32 rank, target; /* ranks of the job; target G_MAXUINT32: all of the window */
    guint32 taken, freed; /* calls; freed G_MAXUINT32: never */
    gboolean is_exclusive;
} ProfileWaitLock;

/* ---- what delays come from: of the thread that stands for its rank ---- */

/* Outside of MPI, and what was done there: selves from `first` on. */
typedef struct {
    guint64 begin, end;
    guint32 rank, first, n;
} ProfileWaitGap;

typedef struct {
    guint32 region;
    guint64 ticks; /* in it, without what it has called */
} ProfileWaitSelf;

/* A rank has waited for another one. */
typedef struct {
    guint32 rank, cause;
    guint64 begin, end;
    guint64 since; /* when both were last in step */
    double passed; /* seconds of later waits that come from this one */
} ProfileWaitInstance;

/* Somebody was in step with somebody. comm: G_MAXUINT32: the two ranks alone; else all of its members. */
typedef struct {
    guint64 time;
    guint32 comm, first, second;
} ProfileWaitSync;

typedef struct {
    guint32 rank;
    guint64 first, last; /* of its events */
    guint64 finalize;    /* when it came to MPI_Finalize; 0: never */
} ProfileWaitEnd;

typedef struct {
    const ProfileOtf2Definitions *definitions;
    GArray *gaps, *selves, *instances, *syncs, *ends; /* of the structs above */
    GHashTable *comms; /* id to GArray of guint32: ranks of the job */
    GHashTable
        *firsts; /* id of an intercommunicator to how many of them are its first side's */
    GHashTable *comm_names; /* id to text of the definitions; NULL: none */
    GArray *calls, *sends, *receives, *collectives; /* of the structs above */
    GArray *accesses, *locks;
    /* The beginning of some ranks was lost, so that what belongs together is counted from the end. */
    gboolean is_from_end;
} ProfileWaits;

/* wait-definitions.c */
typedef struct {
    const ProfileOtf2Definitions *definitions;
    ProfileWaits *waits;
    GHashTable *locations; /* location (as a pointer's low bits) to rank + 1 */
    GArray *leaders;       /* of guint64: locations of MPI's ranks */
    GHashTable *groups;    /* id to GArray of guint64 */
    GHashTable *comms,
        *others; /* id to id of the group + 1; others: of an intercommunicator's second side */
    GHashTable *windows;             /* id to id of the communicator + 1 */
    OTF2_AttributeRef place, number; /* G_MAXUINT32: there is none */
} ProfileWaitDefinitions;

/* to: cleared memory, which refers to definitions and waits from then on. */
void profile_wait_definitions_read (ProfileWaitDefinitions *to, OTF2_Reader *reader,
                                    const ProfileOtf2Definitions *definitions,
                                    ProfileWaits *waits);
void profile_wait_definitions_clear (ProfileWaitDefinitions *self);
guint32 profile_wait_definitions_find_rank (const ProfileWaitDefinitions *self,
                                            guint64 location);
/* location: its index in the definitions. */
gboolean profile_wait_definitions_is_leader (const ProfileWaitDefinitions *self,
                                             guint location);
/* wait-states.c */
void profile_wait_states_put (ProfileWaits *waits, ProfileSpool *to);
typedef struct _ProfileWaitStates ProfileWaitStates;
/* call has waited from begin to end; cause: what for. Less than the clock's noise counts as nothing. */
void profile_wait_states_add (ProfileWaitStates *states, ProfileWaitKind kind,
                              const ProfileWaitCall *call, const ProfileWaitCall *cause,
                              guint64 begin, guint64 end);
/* As late as a moment may be that another rank's clock has put at this one. */
guint64 profile_wait_states_add_slack (const ProfileWaits *waits, guint64 time);
/* "": it has none. region: G_MAXUINT32: none. */
const char *profile_otf2_get_region_name (const ProfileOtf2Definitions *definitions,
                                          guint32 region);
/* wait-collectives.c: puts the operations, too, or of very many each so many one. Returns how many there are. */
guint profile_wait_states_add_collectives (ProfileWaitStates *states, const ProfileWaits *waits,
                                           ProfileSpool *to);
/* window-waits.c */
void profile_wait_states_add_windows (ProfileWaitStates *states, ProfileWaits *waits);
/* The kind of a collective operation of that name; G_MAXUINT: it is none on windows. */
guint profile_wait_states_find_window_kind (const char *name);
/* message-sums.c: once each receive has its send */
void profile_wait_states_put_message_sums (const ProfileWaits *waits, ProfileSpool *to);
/* delays.c: once the instances and syncs are there */
void profile_wait_states_put_delays (ProfileWaits *waits, ProfileSpool *to);
