/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "session/moment.h"
#include "session/private.h"

struct _SessionMoments {
    guint64 start, writes;
    gint64 started_us;
};

/* Multipliers of xxHash. */
#define PRIME_1 G_GUINT64_CONSTANT (11400714785074694791)
#define PRIME_2 G_GUINT64_CONSTANT (14029467366897019727)
#define PRIME_3 G_GUINT64_CONSTANT (1609587929392839161)
#define PRIME_4 G_GUINT64_CONSTANT (9650029242287828579)

guint64
session_moment_sign_range (const Session *session, guint32 first, guint32 end)
{
    guint64 sign = 0;

    for (guint32 rank = first; rank < end; rank++) {
        const SessionRankRecord *r = &session->ranks->records[rank];
        /* A sum, so that no rank waits for the one before. */
        guint64 mixed = (rank + G_GUINT64_CONSTANT (1)) * PRIME_1 ^ r->stop * PRIME_2
                        ^ r->motion_tick * PRIME_3;

        sign += (mixed ^ mixed >> 32) * PRIME_4;
    }
    return sign;
}

guint64
session_moment_sign_job (const Session *session)
{
    return session->moments->start * PRIME_2 ^ session->moments->writes * PRIME_3;
}

guint64
session_sign_moment (const Session *session, const JobRankSet *ranks)
{
    guint64 sign = session_moment_sign_job (session);

    BASE_EACH_ROW (ranks->ranges, const JobRankRange, range) {
        guint32 end = MIN (range->end, session->ranks->size);

        if (range->first < end) {
            sign += session_moment_sign_range (session, range->first, end);
        }
        for (guint32 rank = range->first; rank < end; rank++) {
            const JobStateInfo *state
                = job_state_get_info ((JobState) session->ranks->states[rank]);

            sign += (rank + (guint64) 1)
                    * (state->is_ended     ? PRIME_3
                       : state->is_stopped ? PRIME_4
                                           : 0);
        }
    }
    return sign;
}

guint64
session_get_start (const Session *session)
{
    return session->moments->start;
}

gint64
session_get_started_us (const Session *session)
{
    return session->moments->started_us;
}

void
session_moment_note_write (Session *session, const JobRequest *request)
{
    if (job_verb_is_write (request->verb) && !job_rank_set_is_empty (request->ranks)) {
        session->moments->writes++;
        session_ranks_note_set (session, request->ranks);
    }
}

void
session_moment_note_started (Session *session, gint64 real_us)
{
    session->moments->started_us = real_us;
}

void
session_moment_init (Session *session)
{
    session->moments = g_new0 (SessionMoments, 1);
}

void
session_moment_clear (Session *session)
{
    g_free (session->moments);
}

void
session_moment_forget (Session *session)
{
    session->moments->start++;
    session->moments->writes = 0;
}
