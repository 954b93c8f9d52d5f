/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the ranks that a fault blocks, by walking the waits-for graph backwards, and those that a wait is with. */
#include "analysis/verdict-private.h"

/* The sources of the graph's edges, by target: sources[first[node]] … sources[first[node + 1]]. */
static void
turn_edges (const AnalysisWaits *waits, guint32 **ret_first, guint32 **ret_sources)
{
    guint n = waits->nodes->len;
    guint32 *first = g_new0 (guint32, n + 1), *sources = g_new (guint32, waits->first[n] + 1);
    g_autofree guint32 *next = NULL;

    for (guint32 i = 0; i < waits->first[n]; i++) {
        first[waits->targets[i] + 1]++;
    }
    for (guint i = 0; i < n; i++) {
        first[i + 1] += first[i];
    }
    next = g_memdup2 (first, (n + 1) * sizeof *next);
    for (guint32 node = 0; node < n; node++) {
        for (guint32 i = waits->first[node]; i < waits->first[node + 1]; i++) {
            sources[next[waits->targets[i]]++] = node;
        }
    }
    *ret_first = first;
    *ret_sources = sources;
}

static void
visit (GArray *queue, guint8 *seen, guint32 node)
{
    if (!seen[node]) {
        seen[node] = 1;
        g_array_append_val (queue, node);
    }
}

/* Nodes for the ranks themselves, not for one of their calls. */
static void
visit_ranks (const AnalysisWaits *waits, const JobRankSet *ranks, GArray *queue, guint8 *seen)
{
    for (guint32 node = 0; node < waits->nodes->len; node++) {
        const AnalysisNode *known = analysis_waits_get (waits, node);

        if (known->rank != G_MAXUINT32 && known->kind != ANALYSIS_NODE_CALL
            && known->kind != ANALYSIS_NODE_OPERATION
            && job_rank_set_contains (ranks, known->rank)) {
            visit (queue, seen, node);
        }
    }
}

JobRankSet *
analysis_waits_dup_explained (const AnalysisWaits *waits, const JobRankSet *ranks)
{
    g_autoptr (GArray) queue = g_array_new (FALSE, FALSE, sizeof (guint32));
    g_autofree guint8 *seen = g_new0 (guint8, waits->nodes->len + 1);
    g_autofree guint32 *first = NULL, *sources = NULL;
    JobRankSet *explained = job_rank_set_new ();

    visit_ranks (waits, ranks, queue, seen);
    turn_edges (waits, &first, &sources);
    for (guint i = 0; i < queue->len; i++) {
        guint32 node = g_array_index (queue, guint32, i);
        const AnalysisNode *known = analysis_waits_get (waits, node);

        if (known->kind == ANALYSIS_NODE_RANK) {
            job_rank_set_add (explained, node);
        }
        for (guint32 j = first[node]; j < first[node + 1]; j++) {
            if (analysis_waits_get (waits, sources[j])->fate == ANALYSIS_FATE_STUCK
                || known->fate == ANALYSIS_FATE_FREE) {
                visit (queue, seen, sources[j]);
            }
        }
    }
    return explained;
}

JobRankSet *
analysis_waits_dup_partners (const AnalysisWaits *waits, const GArray *way,
                             const JobRankSet *waiting)
{
    const AnalysisStep *last = &g_array_index (way, AnalysisStep, way->len - 1);
    const AnalysisCommunicator *communicator
        = last->operation != NULL && last->operation->kind == JOB_MESSAGE_COLLECTIVE
              ? analysis_communicators_find (waits->communicators,
                                             last->operation->communicator)
              : NULL;
    g_autoptr (GArray) members = communicator != NULL
                                     ? analysis_communicator_dup_members (communicator)
                                     : NULL;
    g_autoptr (JobRankSet) all = job_rank_set_new ();
    JobRankSet *partners;

    if (members == NULL && last->operation != NULL && last->operation->peer >= 0) {
        job_rank_set_add (all, (guint32) last->operation->peer);
    }
    for (guint i = 0; members != NULL && i < members->len; i++) {
        job_rank_set_add (all, g_array_index (members, guint32, i));
    }
    partners = job_rank_set_subtract (all, waiting);
    for (guint i = 0; i < way->len; i++) {
        job_rank_set_remove (partners, g_array_index (way, AnalysisStep, i).rank);
    }
    return partners;
}
