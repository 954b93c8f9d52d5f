/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds stopped ranks that others need: a message or a collective makes progress only while all
 * of its participants run. */
#include "analysis/waits-private.h"
#include "base/array.h"

static gboolean
is_halted (const AnalysisWaits *waits, guint32 rank)
{
    return rank < waits->n_ranks && job_state_get_info (waits->ranks[rank].state)->is_stopped;
}

/* The node of a stopped rank that others need. */
static guint32
build_halted (AnalysisBuild *build, guint32 rank)
{
    gpointer found = g_hash_table_lookup (build->halted, GUINT_TO_POINTER (rank));
    guint32 node;

    if (found != NULL) {
        return GPOINTER_TO_UINT (found);
    }
    node = analysis_build_node (build, ANALYSIS_NODE_HALTED, rank);
    g_array_index (build->waits->nodes, AnalysisNode, node).fate
        = analysis_rank_is_crashed (&build->waits->ranks[rank]) ? ANALYSIS_FATE_CRASHED
                                                                : ANALYSIS_FATE_HELD;
    g_hash_table_insert (build->halted, GUINT_TO_POINTER (rank), GUINT_TO_POINTER (node));
    return node;
}

/* Stopped ranks need no other rank to run: they are judged by what they wait for. */
gboolean
analysis_build_link_halted (AnalysisBuild *build, guint32 node, guint32 rank, gint32 peer)
{
    if (peer < 0 || is_halted (build->waits, rank)
        || !is_halted (build->waits, (guint32) peer)) {
        return FALSE;
    }
    analysis_build_edge (build, node, build_halted (build, (guint32) peer));
    return TRUE;
}

/* Collectives in which a running rank waits although all members have arrived. */
static GHashTable *
find_complete (AnalysisBuild *build)
{
    GHashTable *complete = g_hash_table_new (g_direct_hash, g_direct_equal);

    BASE_EACH_ROW (build->edges, const AnalysisEdge, edge) {
        const AnalysisNode *from = analysis_waits_get (build->waits, edge->from);
        const AnalysisNode *to = analysis_waits_get (build->waits, edge->to);

        if (to->kind == ANALYSIS_NODE_COLLECTIVE && to->fate != ANALYSIS_FATE_MISMATCH
            && from->rank != G_MAXUINT32 && !is_halted (build->waits, from->rank)) {
            g_hash_table_add (complete, GUINT_TO_POINTER (edge->to));
        }
    }
    for (guint i = 0; i < build->edges->len; i++) {
        g_hash_table_remove (complete,
                             GUINT_TO_POINTER (g_array_index (build->edges, AnalysisEdge, i)
                                                   .from));
    }
    return complete;
}

void
analysis_build_halted_members (AnalysisBuild *build)
{
    g_autoptr (GHashTable) complete = find_complete (build);
    guint n_edges = build->edges->len;

    for (guint i = 0; g_hash_table_size (complete) > 0 && i < n_edges; i++) {
        AnalysisEdge edge = g_array_index (build->edges, AnalysisEdge, i);
        guint32 rank = analysis_waits_get (build->waits, edge.from)->rank;

        if (rank != G_MAXUINT32 && is_halted (build->waits, rank)
            && g_hash_table_contains (complete, GUINT_TO_POINTER (edge.to))) {
            analysis_build_edge (build, edge.to, build_halted (build, rank));
        }
    }
}
