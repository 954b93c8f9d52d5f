/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Locks and groups of windows, from flows of their own tags. */
#include "analysis/windows.h"
#include "base/array.h"
#include <string.h>

static guint64
get_count (const AnalysisRank *rank, guint64 window, gint32 peer, gint32 tag)
{
    return BASE_PICK (rank->queue != NULL ? rank->queue->flows : NULL, const JobMessageFlow,
                      flow,
                      flow->is_sent && flow->communicator == window && flow->peer == peer
                          && flow->tag == tag,
                      flow->n_messages, 0);
}

static gboolean
is_counted (const AnalysisRank *rank)
{
    return rank->queue != NULL && rank->queue->source == JOB_MESSAGE_SOURCE_RECORDER
           && (rank->queue->flags & JOB_MESSAGE_QUEUE_COUNTED) != 0;
}

/* ---- groups ---- */

/* Those whose own count stays behind what this rank has begun towards them. */
static AnalysisWindowNeed
find_behind (const AnalysisRank *ranks, guint32 n_ranks, guint32 rank, guint64 window,
             gint32 own_tag, gint32 their_tag, JobRankSet *found)
{
    const JobMessageQueue *queue = ranks[rank].queue;
    gboolean is_known = FALSE;

    BASE_EACH (queue->flows, const JobMessageFlow, flow) {
        if (!flow->is_sent || flow->communicator != window || flow->tag != own_tag) {
            continue;
        }
        if (flow->peer < 0 || (guint32) flow->peer >= n_ranks
            || !is_counted (&ranks[flow->peer])) {
            return ANALYSIS_WINDOW_UNKNOWN;
        }
        is_known = TRUE;
        if (get_count (&ranks[flow->peer], window, (gint32) rank, their_tag)
            < flow->n_messages) {
            job_rank_set_add (found, (guint32) flow->peer);
        }
    }
    return is_known ? ANALYSIS_WINDOW_RANKS : ANALYSIS_WINDOW_UNKNOWN;
}

/* ---- locks ---- */

static gboolean
has_lock (const AnalysisRank *rank, guint64 window, gint32 target, gint32 tag)
{
    return get_count (rank, window, target, tag) > 0
           || get_count (rank, window, JOB_MESSAGE_ANY, tag) > 0;
}

/* All holders of conflicting locks, the rank itself too: it cannot have two of one target. The answer is known only if every one of them is known. */
static AnalysisWindowNeed
find_holders (const AnalysisRank *ranks, guint32 n_ranks, guint32 rank, guint64 window,
              gint32 target, gboolean is_exclusive, JobRankSet *found)
{
    for (guint32 other = 0; other < n_ranks; other++) {
        if (ranks[other].queue == NULL) {
            continue;
        }
        if (has_lock (&ranks[other], window, target, JOB_MESSAGE_TAG_LOCK_EXCLUSIVE)
            || (is_exclusive
                && has_lock (&ranks[other], window, target, JOB_MESSAGE_TAG_LOCK_SHARED))) {
            job_rank_set_add (found, other);
        }
    }
    if (job_rank_set_is_empty (found)) {
        return ANALYSIS_WINDOW_UNKNOWN;
    }
    return ANALYSIS_WINDOW_HOLDERS;
}

static AnalysisWindowNeed
find_lock (const AnalysisRank *ranks, guint32 n_ranks, guint32 rank,
           const JobMessageOperation *operation, JobRankSet *found)
{
    gboolean is_exclusive = operation->tag == JOB_MESSAGE_TAG_LOCK_EXCLUSIVE;
    AnalysisWindowNeed need;

    if (operation->peer < 0) { /* of all: whoever holds one of them */
        for (guint32 target = 0; target < n_ranks; target++) {
            find_holders (ranks, n_ranks, rank, operation->communicator, (gint32) target,
                          is_exclusive, found);
        }
        return job_rank_set_is_empty (found) ? ANALYSIS_WINDOW_UNKNOWN
                                             : ANALYSIS_WINDOW_HOLDERS;
    }
    need = find_holders (ranks, n_ranks, rank, operation->communicator, operation->peer,
                         is_exclusive, found);
    /* Two conflicting locks: one of them is only requested, and it is not known which. */
    if (need == ANALYSIS_WINDOW_HOLDERS && job_rank_set_get_count (found) > 1) {
        JOB_EACH_RANK (found, other) {
            if (has_lock (&ranks[other], operation->communicator, operation->peer,
                          JOB_MESSAGE_TAG_LOCK_EXCLUSIVE)) {
                return ANALYSIS_WINDOW_UNKNOWN;
            }
        }
    }
    return need;
}

AnalysisWindowNeed
analysis_windows_find (const AnalysisRank *ranks, guint32 n_ranks, guint32 rank,
                       const JobMessageOperation *operation, JobRankSet *found)
{
    const char *name = operation->name != NULL ? operation->name : "";

    if (!is_counted (&ranks[rank]) || operation->communicator == JOB_MESSAGE_UNKNOWN_ID) {
        return ANALYSIS_WINDOW_UNKNOWN;
    }
    if (strcmp (name, "MPI_Win_wait") == 0) {
        return find_behind (ranks, n_ranks, rank, operation->communicator, JOB_MESSAGE_TAG_POST,
                            JOB_MESSAGE_TAG_COMPLETE, found);
    }
    if (strcmp (name, "MPI_Win_start") == 0 || strcmp (name, "MPI_Win_complete") == 0) {
        AnalysisWindowNeed need = find_behind (ranks, n_ranks, rank, operation->communicator,
                                               JOB_MESSAGE_TAG_START, JOB_MESSAGE_TAG_POST,
                                               found);

        /* All have arrived: the rest depends on the MPI implementation. */
        return job_rank_set_is_empty (found) ? ANALYSIS_WINDOW_UNKNOWN : need;
    }
    return strcmp (name, "MPI_Win_lock") == 0 || strcmp (name, "MPI_Win_lock_all") == 0
               ? find_lock (ranks, n_ranks, rank, operation, found)
               : ANALYSIS_WINDOW_UNKNOWN;
}

const JobLocation *
analysis_windows_find_lock (const AnalysisRank *holder, const JobMessageOperation *operation)
{
    const JobLocation *place = NULL;

    for (guint i = 0; holder->queue != NULL && i < holder->queue->sent->len; i++) {
        const JobMessage *message = g_ptr_array_index (holder->queue->sent, i);

        if (message->communicator == operation->communicator
            && (message->tag == JOB_MESSAGE_TAG_LOCK_EXCLUSIVE
                || message->tag == JOB_MESSAGE_TAG_LOCK_SHARED)
            && (message->peer == operation->peer || message->peer == JOB_MESSAGE_ANY)) {
            place = message->place; /* the last one */
        }
    }
    return place;
}
