/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The messages between ranks of a trace and their collective operations, with the times of both ends. Times are
 * those of the front end, in µs. */
#pragma once
#include "profile/slice.h"

/* A send and the receive that it has come to. */
typedef struct {
    guint32 from, to;
    guint32 tag;
    guint64 bytes;
    gint64 sent_us;     /* its call began */
    gint64 received_us; /* the call in which it has come returned */
} ProfileMessage;

/* One member of a collective operation. */
typedef struct {
    guint32 rank;
    gint64 begin_us, end_us; /* of its call */
} ProfileMember;

typedef struct {
    const char *name;        /* "MPI_Allreduce"; the model's */
    guint32 first, n;        /* its members */
    gint64 begin_us, end_us; /* of all its members */
} ProfileCollective;

/* More than so many are not kept: of each so many one, by the order of time. */
#define PROFILE_MAX_MESSAGES 1000000u

/* Copies. */
void profile_model_add_message (ProfileModel *model, const ProfileMessage *message);
/* members: of ProfileMember. */
void profile_model_add_collective (ProfileModel *model, const char *name,
                                   const GArray *members);
/* How many there were before some were left out; without it, as many as were added. */
void profile_model_set_n_messages (ProfileModel *model, guint64 n_messages,
                                   guint64 n_collectives);
guint64 profile_model_get_n_messages (const ProfileModel *model);
guint64 profile_model_get_n_collectives (const ProfileModel *model);

/* For so many messages each one that is kept stands, itself included. 1: all are kept. */
guint64 profile_messages_get_step (const ProfileModel *model);

/* Those that are under way in a part of the time, in s (profile/slice.h), at most `most` of them (profile/stretches.h).
 * Appends their numbers (guint32). TRUE: all of them. */
gboolean profile_messages_find (const ProfileModel *model, double begin_s, double end_s,
                                guint most, GArray *to);
gboolean profile_collectives_find (const ProfileModel *model, double begin_s, double end_s,
                                   guint most, GArray *to);
const ProfileMessage *profile_messages_get (const ProfileModel *model, guint32 number);
const ProfileCollective *profile_collectives_get (const ProfileModel *model, guint32 number);
const ProfileMember *profile_collectives_get_member (const ProfileModel *model, guint32 number);
/* In s since the profile's first sample. */
double profile_messages_get_seconds (const ProfileModel *model, gint64 time_us);
