/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds ranks by state or unfinished motion. Handles none, all and long runs of equal ranks
 * without visiting each rank. */
#include "session/private.h"
#include <string.h>

guint32
session_ranks_find_end (const Session *session, guint32 rank, guint32 end)
{
    guint32 fact = session->ranks[rank].fact;

    while (rank < end && session->ranks[rank].fact == fact) {
        rank++;
    }
    return rank;
}

guint32
session_find_run_end (const Session *session, guint32 rank)
{
    const SessionRankRecord *first = &session->ranks[rank];

    while (rank < session->size && session->ranks[rank].fact == first->fact
           && session->ranks[rank].host == first->host) {
        rank++;
    }
    return rank;
}

static gboolean
is_in_family (JobState rank_state, JobState family)
{
    switch (family) {
    case JOB_STATE_RUNNING: return job_state_get_info (rank_state)->is_moving;
    case JOB_STATE_STOPPED: return job_state_get_info (rank_state)->is_stopped;
    default: return rank_state == family;
    }
}

/* One past the last of the ranks from `rank` on in the same state; compares eight at a time. */
static guint32
find_state_end (const Session *session, guint32 rank)
{
    const guint8 *states = session->states;
    guint8 state = states[rank];
    guint64 eight = state * G_GUINT64_CONSTANT (0x0101010101010101), here;

    while (rank + sizeof here <= session->size) {
        memcpy (&here, states + rank, sizeof here);
        if (here != eight) {
            break;
        }
        rank += sizeof here;
    }
    while (rank < session->size && states[rank] == state) {
        rank++;
    }
    return rank;
}

/* is_member: by state. No visit to each rank if the result is none or all. */
static JobRankSet *
dup_in_states (const Session *session, const gboolean *is_member)
{
    JobRankSet *set = job_rank_set_new ();
    guint32 n_members = 0, end;

    for (guint state = 0; state < JOB_N_STATES; state++) {
        n_members += is_member[state] ? session->counts[state] : 0;
    }
    if (n_members == session->size) {
        job_rank_set_add_range (set, 0, session->size);
        return set;
    }
    for (guint32 rank = 0; rank < session->size && n_members > 0; rank = end) {
        end = find_state_end (session, rank);
        if (is_member[session->states[rank]]) {
            job_rank_set_add_range (set, rank, end);
        }
    }
    return set;
}

JobRankSet *
session_dup_ranks_in_state (const Session *session, JobState state)
{
    gboolean is_member[JOB_N_STATES];

    for (guint i = 0; i < JOB_N_STATES; i++) {
        is_member[i] = is_in_family ((JobState) i, state);
    }
    return dup_in_states (session, is_member);
}

JobRankSet *
session_dup_ranks_in_one_state (const Session *session, JobState state)
{
    gboolean is_member[JOB_N_STATES] = { FALSE };

    is_member[state] = TRUE;
    return dup_in_states (session, is_member);
}

JobRankSet *
session_dup_all (const Session *session)
{
    JobRankSet *all;

    if (!session->is_attached) {
        return job_rank_set_new_range (0, session->size);
    }
    all = job_rank_set_new ();
    for (guint32 rank = 0; rank < session->size; rank++) {
        if (session->ranks[rank].reported) {
            job_rank_set_add (all, rank);
        }
    }
    return all;
}

JobRankSet *
session_dup_unfinished (const Session *session, const JobRankSet *set)
{
    JobRankSet *unfinished = job_rank_set_new ();
    JobRankIter iter = { 0 };
    guint32 rank;

    while (session->n_motions > 0 && job_rank_set_next (set, &iter, &rank)
           && rank < session->size) {
        if (session->ranks[rank].motion != 0) {
            job_rank_set_add (unfinished, rank);
        }
    }
    if (session->marching != NULL) {
        g_autoptr (JobRankSet) marching = job_rank_set_intersect (session->marching, set);

        job_rank_set_merge (unfinished, marching);
    }
    return unfinished;
}

JobRankSet *
session_ranks_dup_alive (Session *session)
{
    gboolean is_alive[JOB_N_STATES];

    for (guint state = 0; state < JOB_N_STATES; state++) {
        is_alive[state] = state != JOB_STATE_NONE
                          && !job_state_get_info ((JobState) state)->is_ended;
    }
    return dup_in_states (session, is_alive);
}

JobRankSet *
session_ranks_dup_unreported (Session *session)
{
    JobRankSet *set = job_rank_set_new ();

    for (guint32 rank = 0; rank < session->size; rank++) {
        if (!session->ranks[rank].reported) {
            job_rank_set_add (set, rank);
        }
    }
    return set;
}
