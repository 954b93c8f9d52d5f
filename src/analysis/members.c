/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the missing members of collectives. A rank missing from the n-th is missing from all
 * later ones, so each node points to the previous node and to the ranks that have arrived in
 * between: the cost is proportional to the members, not to members times collectives. */
#include "analysis/waits-private.h"
#include "base/array.h"
#include <string.h>

static AnalysisNode *
get_node (AnalysisBuild *build, guint32 node)
{
    return &g_array_index (build->waits->nodes, AnalysisNode, node);
}

static guint32
take_node (AnalysisBuild *build, GHashTable *nodes, guint64 communicator, guint64 sequence)
{
    g_autofree char *key = g_strdup_printf ("%" G_GINT64_MODIFIER "x/%" G_GUINT64_FORMAT,
                                            communicator, sequence);
    gpointer found = g_hash_table_lookup (nodes, key);
    guint32 node;

    if (found != NULL) {
        return GPOINTER_TO_UINT (found);
    }
    node = analysis_build_node (build, ANALYSIS_NODE_COLLECTIVE, G_MAXUINT32);
    get_node (build, node)->communicator = communicator;
    get_node (build, node)->sequence = sequence;
    g_hash_table_insert (nodes, g_steal_pointer (&key), GUINT_TO_POINTER (node));
    return node;
}

guint32
analysis_build_collective (AnalysisBuild *build, guint64 communicator, guint64 sequence,
                           gboolean is_any)
{
    return take_node (build, is_any ? build->some : build->collectives, communicator, sequence);
}

guint32
analysis_build_root (AnalysisBuild *build, const JobMessageOperation *operation, guint32 root)
{
    guint n = g_hash_table_size (build->roots);
    guint32 node = take_node (build, build->roots, operation->communicator,
                              operation->sequence);

    if (g_hash_table_size (build->roots) > n) {
        analysis_build_edge (build, node, analysis_build_partner (build, root));
    }
    return node;
}

guint32
analysis_build_named (AnalysisBuild *build, const char *name)
{
    gpointer found = g_hash_table_lookup (build->collectives, name);
    guint32 node;

    if (found != NULL) {
        return GPOINTER_TO_UINT (found);
    }
    node = analysis_build_node (build, ANALYSIS_NODE_COLLECTIVE, G_MAXUINT32);
    get_node (build, node)->communicator = JOB_MESSAGE_UNKNOWN_ID;
    get_node (build, node)->name = name;
    g_hash_table_insert (build->collectives, g_strdup (name), GUINT_TO_POINTER (node));
    return node;
}

/* The collectives of a communicator in which a rank waits, by sequence. */
typedef struct {
    guint64 sequence;
    guint32 node;
} Stage;

BASE_ORDER (compare_stages, Stage, BASE_BY (sequence))

/* The first stage that a rank with n begun collectives has not reached; the length if none. */
static guint
find_stage (GArray *stages, guint64 n)
{
    return BASE_BISECT (middle, 0, stages->len,
                        g_array_index (stages, Stage, middle).sequence <= n);
}

/* is_any: of what a stage lacks one is enough; one that lacks nobody is complete. */
static void
link_stages (AnalysisBuild *build, const AnalysisCommunicator *communicator, GArray *stages,
             gboolean is_any)
{
    g_autoptr (GArray) members = analysis_communicator_dup_members (communicator);
    guint entry = 0;

    g_array_sort (stages, compare_stages);
    for (guint i = 1; i < stages->len && !is_any; i++) {
        analysis_build_edge (build, g_array_index (stages, Stage, i).node,
                             g_array_index (stages, Stage, i - 1).node);
    }
    for (guint i = 0; i < members->len; i++) {
        guint32 rank = g_array_index (members, guint32, i);
        guint64 n = 0;
        guint stage;

        while (entry < communicator->entries->len
               && g_array_index (communicator->entries, AnalysisEntry, entry).rank < rank) {
            entry++;
        }
        if (entry < communicator->entries->len
            && g_array_index (communicator->entries, AnalysisEntry, entry).rank == rank) {
            n = g_array_index (communicator->entries, AnalysisEntry, entry)
                    .communicator->n_collectives;
        }
        stage = find_stage (stages, n);
        for (guint j = stage; j < stages->len && (is_any || j == stage); j++) {
            get_node (build, g_array_index (stages, Stage, j).node)->is_any = is_any;
            analysis_build_edge (build, g_array_index (stages, Stage, j).node,
                                 analysis_build_partner (build, rank));
        }
    }
}

/* What members of another job do is not known. */
static void
link_outside (AnalysisBuild *build, const AnalysisCommunicator *communicator,
              const GArray *stages)
{
    if (!analysis_communicator_has_outside (communicator)) {
        return;
    }
    for (guint i = 0; i < stages->len; i++) {
        analysis_build_edge (build, g_array_index (stages, Stage, i).node,
                             analysis_build_unknown (build));
    }
}

/* Stages by communicator: guint64* to GArray of Stage. */
static GHashTable *
collect_stages (AnalysisBuild *build, GHashTable *nodes, GPtrArray *named)
{
    GHashTable *by_communicator = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free,
                                                         (GDestroyNotify) g_array_unref);
    gpointer value;

    BASE_WALK (nodes, NULL, &value) {
        const AnalysisNode *node = get_node (build, GPOINTER_TO_UINT (value));
        Stage stage = { node->sequence, GPOINTER_TO_UINT (value) };
        GArray *stages = g_hash_table_lookup (by_communicator, &node->communicator);

        if (node->name != NULL) {
            g_ptr_array_add (named, value);
            continue;
        }
        if (stages == NULL) {
            stages = g_array_new (FALSE, FALSE, sizeof (Stage));
            g_hash_table_insert (by_communicator,
                                 g_memdup2 (&node->communicator, sizeof (guint64)), stages);
        }
        g_array_append_val (stages, stage);
    }
    return by_communicator;
}

/* Whether the rank has reached a collective known only by name. */
static gboolean
has_come (const AnalysisRank *rank, const char *name)
{
    if (rank->queue == NULL) {
        return FALSE;
    }
    if (strcmp (name, "MPI_Init") == 0
        && (rank->queue->flags & JOB_MESSAGE_QUEUE_INITIALIZED)) {
        return TRUE;
    }
    if (strcmp (name, "MPI_Finalize") == 0
        && (rank->queue->flags & JOB_MESSAGE_QUEUE_FINALIZED)) {
        return TRUE;
    }
    return BASE_HAS (rank->queue->calls, const JobMessageCall, call,
                     g_strcmp0 (call->name, name) == 0
                         || (call->kind == JOB_MESSAGE_INIT && strcmp (name, "MPI_Init") == 0));
}

static void
link_named (AnalysisBuild *build, guint32 node)
{
    const AnalysisWaits *waits = build->waits;
    const char *name = get_node (build, node)->name;

    for (guint32 rank = 0; rank < waits->n_ranks; rank++) {
        gboolean has_finished = strcmp (name, "MPI_Finalize") == 0
                                && waits->ranks[rank].state == JOB_STATE_EXITED
                                && waits->ranks[rank].queue == NULL;

        if ((!has_come (&waits->ranks[rank], name) && !has_finished)
            || analysis_rank_is_crashed (&waits->ranks[rank])) {
            analysis_build_edge (build, node, analysis_build_partner (build, rank));
        }
    }
}

/* All have arrived and it does not complete, because they made different calls. */
static void
mark_mismatch (AnalysisBuild *build, const AnalysisMismatch *mismatch, GArray *stages)
{
    BASE_EACH_ROW (stages, const Stage, stage) {
        if (stage->sequence >= mismatch->sequence) {
            get_node (build, stage->node)->fate = ANALYSIS_FATE_MISMATCH;
        }
    }
}

static void
build_stages (AnalysisBuild *build, GHashTable *by_communicator, gboolean is_any)
{
    gpointer id, stages;

    BASE_WALK (by_communicator, &id, &stages) {
        const AnalysisCommunicator *communicator
            = analysis_communicators_find (build->waits->communicators, *(guint64 *) id);

        if (communicator != NULL) {
            link_stages (build, communicator, stages, is_any);
            link_outside (build, communicator, stages);
        } else {
            analysis_build_edge (build, g_array_index ((GArray *) stages, Stage, 0).node,
                                 analysis_build_unknown (build));
        }
    }
    BASE_EACH (build->waits->mismatches, const AnalysisMismatch, mismatch) {
        mark_mismatch (build, mismatch,
                       g_hash_table_lookup (by_communicator, &mismatch->communicator));
    }
}

void
analysis_build_members (AnalysisBuild *build)
{
    g_autoptr (GPtrArray) named = g_ptr_array_new ();
    g_autoptr (GHashTable) all = collect_stages (build, build->collectives, named);
    g_autoptr (GHashTable) some = collect_stages (build, build->some, named);

    build_stages (build, all, FALSE);
    build_stages (build, some, TRUE);
    for (guint i = 0; i < named->len; i++) {
        link_named (build, GPOINTER_TO_UINT (g_ptr_array_index (named, i)));
    }
}
