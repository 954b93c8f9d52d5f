/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Walks through the waits-for graph from the ranks of a set: what they wait for, the nearest first. */
#include "analysis/verdict-private.h"
#include <string.h>

void
analysis_search_clear (AnalysisSearch *search)
{
    g_free (search->parents);
    g_array_unref (search->queue);
}

void
analysis_search_visit (AnalysisSearch *search, guint32 node, guint32 parent)
{
    if (search->parents[node] == ANALYSIS_NO_NODE) {
        search->parents[node] = parent;
        g_array_append_val (search->queue, node);
    }
}

/* Free ranks wait only for free ones; stuck ranks depend on some that are not free. */
static gboolean
matters (const AnalysisNode *from, const AnalysisNode *to)
{
    return (from->fate == ANALYSIS_FATE_FREE) == (to->fate == ANALYSIS_FATE_FREE);
}

void
analysis_search_expand (AnalysisSearch *search, guint position)
{
    guint32 node = g_array_index (search->queue, guint32, position);
    const AnalysisNode *from = analysis_waits_get (search->waits, node);

    if (from->fate != ANALYSIS_FATE_STUCK && from->fate != ANALYSIS_FATE_FREE) {
        return;
    }
    for (guint32 i = search->waits->first[node]; i < search->waits->first[node + 1]; i++) {
        guint32 target = search->waits->targets[i];

        if (matters (from, analysis_waits_get (search->waits, target))) {
            analysis_search_visit (search, target, node);
        }
    }
}

void
analysis_search_init (AnalysisSearch *search, const AnalysisWaits *waits)
{
    search->waits = waits;
    search->parents = g_new (guint32, waits->nodes->len);
    memset (search->parents, 0xff, waits->nodes->len * sizeof *search->parents);
    search->queue = g_array_new (FALSE, FALSE, sizeof (guint32));
}

static void
visit_set (AnalysisSearch *search, const JobRankSet *set, AnalysisFate fate,
           gboolean is_stopped)
{
    const AnalysisWaits *waits = search->waits;

    JOB_EACH_RANK_BELOW (set, rank, waits->n_ranks) {
        if (analysis_waits_is_waiting (waits, rank)
            && analysis_waits_get (waits, rank)->fate == fate
            && job_state_get_info (waits->ranks[rank].state)->is_stopped == is_stopped) {
            analysis_search_visit (search, rank, rank);
        }
    }
}

/* From all ranks of the set that wait and are (not) free; those that run speak first. */
void
analysis_search_run (AnalysisSearch *search, const AnalysisWaits *waits, const JobRankSet *set,
                     gboolean is_free)
{
    AnalysisFate fate = is_free ? ANALYSIS_FATE_FREE : ANALYSIS_FATE_STUCK;

    analysis_search_init (search, waits);
    visit_set (search, set, fate, FALSE);
    visit_set (search, set, fate, TRUE);
    for (guint i = 0; i < search->queue->len; i++) {
        analysis_search_expand (search, i);
    }
}

/* The nearest node of that fate. */
guint32
analysis_search_find_fate (const AnalysisSearch *search, AnalysisFate fate)
{
    for (guint i = 0; i < search->queue->len; i++) {
        guint32 node = g_array_index (search->queue, guint32, i);

        if (analysis_waits_get (search->waits, node)->fate == fate) {
            return node;
        }
    }
    return ANALYSIS_NO_NODE;
}

/* A stuck node that waits for any of no targets. */
guint32
analysis_search_find_lonely (const AnalysisSearch *search)
{
    for (guint i = 0; i < search->queue->len; i++) {
        guint32 node = g_array_index (search->queue, guint32, i);

        if (analysis_waits_get (search->waits, node)->fate == ANALYSIS_FATE_STUCK
            && search->waits->first[node] == search->waits->first[node + 1]) {
            return node;
        }
    }
    return ANALYSIS_NO_NODE;
}

/* The nearest rank that is moving; an unknown node only if there is none. */
guint32
analysis_search_find_mover (const AnalysisSearch *search)
{
    guint32 unknown = ANALYSIS_NO_NODE;

    for (guint i = 0; i < search->queue->len; i++) {
        guint32 node = g_array_index (search->queue, guint32, i);
        AnalysisNodeKind kind = analysis_waits_get (search->waits, node)->kind;

        if (kind == ANALYSIS_NODE_RANK && !analysis_waits_is_waiting (search->waits, node)) {
            return node;
        }
        unknown = kind == ANALYSIS_NODE_UNKNOWN ? node : unknown;
    }
    return unknown;
}

static gboolean
leads_to_rank (const AnalysisWaits *waits, guint32 node, guint depth)
{
    for (guint32 i = waits->first[node]; i < waits->first[node + 1]; i++) {
        AnalysisNodeKind kind = analysis_waits_get (waits, waits->targets[i])->kind;

        if (kind == ANALYSIS_NODE_RANK || kind == ANALYSIS_NODE_GONE
            || kind == ANALYSIS_NODE_HALTED
            || (depth < 64 && leads_to_rank (waits, waits->targets[i], depth + 1))) {
            return TRUE;
        }
    }
    return FALSE;
}

guint32
analysis_search_find_operation (const AnalysisSearch *search)
{
    guint32 first = ANALYSIS_NO_NODE;

    for (guint i = 0; i < search->queue->len; i++) {
        guint32 node = g_array_index (search->queue, guint32, i);

        if (analysis_waits_get (search->waits, node)->kind != ANALYSIS_NODE_OPERATION) {
            continue;
        }
        if (!leads_to_rank (search->waits, node, 0)) {
            return node;
        }
        first = first == ANALYSIS_NO_NODE ? node : first;
    }
    return first != ANALYSIS_NO_NODE ? first : g_array_index (search->queue, guint32, 0);
}
