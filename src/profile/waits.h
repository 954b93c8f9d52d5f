/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a trace says of ranks that have waited for each other in MPI, and of the messages between them. */
#pragma once
#include "base/text.h"
#include "profile/model.h"

typedef enum {
    PROFILE_WAIT_LATE_SENDER,   /* a receive was there before its send had begun */
    PROFILE_WAIT_LATE_RECEIVER, /* a send was held up until its receive had begun */
    PROFILE_WAIT_BARRIER,
    PROFILE_WAIT_ALL,        /* an operation in which each member waits for all */
    PROFILE_WAIT_LATE_ROOT,  /* members before the root that they get data from */
    PROFILE_WAIT_EARLY_ROOT, /* a root before the members that it gets data from */
    PROFILE_WAIT_EARLY_SCAN, /* a member of a scan before those in front of it */
    PROFILE_WAIT_WRONG_ORDER, /* a late sender, while a message that is received later was there */
    PROFILE_WAIT_CREATE,      /* a window */
    PROFILE_WAIT_FREE,
    PROFILE_WAIT_FENCE,
    PROFILE_WAIT_LATE_POST,  /* who wants to go in, until the window's owner allows it */
    PROFILE_WAIT_EARLY_WAIT, /* the owner, until all are out */
    PROFILE_WAIT_LOCK,       /* until another rank gives it back */
    PROFILE_N_WAITS,
} ProfileWaitKind;

/* All that a rank has waited for another one in a call at one place. */
typedef struct {
    guint32 kind, rank;
    guint32 cause; /* the rank that it waited for: of collectives the last one that came */
    char *call;    /* "MPI_Recv" */
    char *place, *cause_place; /* "work at app.py:12"; "" unknown */
    guint64 n;
    double seconds;
    char *file, *cause_file;  /* of the places; "" unknown */
    guint32 line, cause_line; /* 0 unknown */
    gint64 begin_us, end_us;  /* of the longest of them; the front end's time */
} ProfileWait;

/* Messages from one rank to another. */
typedef struct {
    guint32 from, to;
    guint64 n, bytes;
} ProfileTraffic;

/* Messages of one size, tag or communicator. */
typedef enum {
    PROFILE_SUM_SIZE, /* value: the least bytes of those from a power of two up to the next one; 0 */
    PROFILE_SUM_TAG,
    PROFILE_SUM_COMM,
    PROFILE_N_SUMS,
} ProfileMessageSumKind;

typedef struct {
    guint32 kind;
    guint64 value;
    char *name; /* of a communicator, and of what stands for all further ones; else "" */
    guint64 n, bytes;
    guint64 n_received; /* whose receive is known … */
    double
        seconds; /* … and, from the beginning of the send to the end of the receive, together */
} ProfileMessageSum;

/* The sentence of profile_format_wait. Caller owns. */
char *profile_wait_format (const ProfileWait *wait, BaseTextForm form);
const char *
profile_wait_get_name (ProfileWaitKind kind); /* "late sender", marked for translation */
/* "rank 0 has waited for 2.1 s in MPI_Recv in work at app.py:12 for rank 3, which sent late in solve at app.py:30"; NULL: nobody
 * has waited for a part of the run that is worth it. Caller owns. */
char *profile_format_wait (const ProfileModel *model);
/* Copies. */
void profile_model_add_wait (ProfileModel *model, const ProfileWait *wait);
void profile_model_add_traffic (ProfileModel *model, const ProfileTraffic *traffic);
void profile_model_add_message_sum (ProfileModel *model, const ProfileMessageSum *sum);
/* Of ProfileMessageSum, by kind, sizes from the least on, others those with the most bytes first; borrowed. */
const GArray *profile_model_get_message_sums (const ProfileModel *model);
/* Of ProfileWait, those that took the most time first; borrowed. */
const GArray *profile_model_get_waits (const ProfileModel *model);
/* Of ProfileTraffic, by sender and then by receiver; borrowed. */
const GArray *profile_model_get_traffic (const ProfileModel *model);
