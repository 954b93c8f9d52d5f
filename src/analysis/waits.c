/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Builds the waits-for graph and reduces it: whatever can move frees those that wait for it,
 * until nothing changes. The rest is stuck; verdict.c interprets the result. */
#include "analysis/waits-private.h"
#include "base/array.h"

/* ---- nodes and edges ---- */

static AnalysisNode *
get_node (AnalysisBuild *build, guint32 node)
{
    return &g_array_index (build->waits->nodes, AnalysisNode, node);
}

guint32
analysis_build_node (AnalysisBuild *build, AnalysisNodeKind kind, guint32 rank)
{
    BASE_APPEND (build->waits->nodes, AnalysisNode, .kind = kind, .rank = rank,
                 .communicator = JOB_MESSAGE_UNKNOWN_ID);
    return build->waits->nodes->len - 1;
}

void
analysis_build_edge (AnalysisBuild *build, guint32 from, guint32 to)
{
    BASE_APPEND (build->edges, AnalysisEdge, from, to);
}

guint32
analysis_build_unknown (AnalysisBuild *build)
{
    if (build->unknown == 0) {
        build->unknown = analysis_build_node (build, ANALYSIS_NODE_UNKNOWN, G_MAXUINT32);
        get_node (build, build->unknown)->fate = ANALYSIS_FATE_FREE;
    }
    return build->unknown;
}

static gboolean
has_left_mpi (const AnalysisRank *rank)
{
    if (rank->queue == NULL || rank->moved || job_state_get_info (rank->state)->is_ended
        || analysis_rank_is_crashed (rank)) {
        return FALSE;
    }
    return BASE_HAS (rank->queue->calls, const JobMessageCall, call,
                     call->kind == JOB_MESSAGE_FINALIZE)
           || (rank->queue->flags & JOB_MESSAGE_QUEUE_FINALIZED) != 0;
}

guint32
analysis_build_partner (AnalysisBuild *build, guint32 rank)
{
    gpointer found;
    guint32 node;

    if (rank >= build->waits->n_ranks) {
        return analysis_build_unknown (build);
    }
    if (!has_left_mpi (&build->waits->ranks[rank])) {
        return rank;
    }
    found = g_hash_table_lookup (build->gone, GUINT_TO_POINTER (rank));
    if (found != NULL) {
        return GPOINTER_TO_UINT (found);
    }
    node = analysis_build_node (build, ANALYSIS_NODE_GONE, rank);
    get_node (build, node)->fate = ANALYSIS_FATE_ENDED;
    g_hash_table_insert (build->gone, GUINT_TO_POINTER (rank), GUINT_TO_POINTER (node));
    return node;
}

static gboolean
is_leaving_mpi (const AnalysisRank *rank)
{
    const JobMessageCall *call = rank->queue != NULL ? job_message_queue_find_call (rank->queue)
                                                     : NULL;

    return has_left_mpi (rank) || (call != NULL && call->kind == JOB_MESSAGE_FINALIZE);
}

/* Of a communicator that nobody knows, one who leaves MPI need not be a member: it is not to blame as long
 * as there are others, and who is, is not known. */
static void
link_anybody (AnalysisBuild *build, guint32 node)
{
    const AnalysisWaits *waits = build->waits;
    guint32 n_leaving = 0;

    for (guint32 rank = 0; rank < waits->n_ranks; rank++) {
        n_leaving += is_leaving_mpi (&waits->ranks[rank]);
    }
    for (guint32 rank = 0; rank < waits->n_ranks; rank++) {
        analysis_build_edge (build, node,
                             n_leaving + 1 < waits->n_ranks
                                     && is_leaving_mpi (&waits->ranks[rank])
                                 ? analysis_build_unknown (build)
                                 : analysis_build_partner (build, rank));
    }
}

guint32
analysis_build_any (AnalysisBuild *build, guint64 communicator)
{
    const AnalysisCommunicator *known
        = analysis_communicators_find (build->waits->communicators, communicator);
    g_autoptr (GArray) members = NULL;
    gpointer found = g_hash_table_lookup (build->any, &communicator);
    guint32 node;

    if (found != NULL) {
        return GPOINTER_TO_UINT (found);
    }
    node = analysis_build_node (build, ANALYSIS_NODE_ANY, G_MAXUINT32);
    get_node (build, node)->communicator = communicator;
    get_node (build, node)->is_any = TRUE;
    g_hash_table_insert (build->any, g_memdup2 (&communicator, sizeof communicator),
                         GUINT_TO_POINTER (node));
    if (known != NULL) {
        members = analysis_communicator_dup_members (known);
        for (guint i = 0; i < members->len; i++) {
            analysis_build_edge (build, node,
                                 analysis_build_partner (build,
                                                         g_array_index (members, guint32, i)));
        }
        return node;
    }
    link_anybody (build, node);
    return node;
}

/* ---- what a rank waits for ---- */

/* Of a call that waits for all of its operations those that are certainly open hold it up, and each of
 * them does; where none is, one of those that may be open must be, as the call has not returned. */
static void
link_operations (AnalysisBuild *build, guint32 rank, guint32 node, const JobMessageCall *call)
{
    const JobMessageQueue *queue = build->waits->ranks[rank].queue;
    gboolean is_any = call->kind == JOB_MESSAGE_WAIT_ANY;
    g_autoptr (GArray) maybe = g_array_new (FALSE, FALSE, sizeof (guint32));
    g_autoptr (GArray) over = g_array_new (FALSE, FALSE, sizeof (guint32));
    guint n_certain = 0;

    for (guint i = 0; i < call->waits->len; i++) {
        guint32 index = g_array_index (call->waits, guint32, i), operation;

        if (index >= queue->operations->len) {
            continue;
        }
        if (analysis_build_operation (build, rank, call, index, &operation) || is_any
            || call->waits->len == 1) {
            analysis_build_edge (build, node, operation);
            n_certain++;
        } else if (build->n_linked > 0) {
            g_array_append_val (maybe, operation);
        } else {
            g_array_append_val (over, operation);
        }
    }
    get_node (build, node)->is_any = is_any || n_certain == 0;
    for (guint i = 0; i < maybe->len && n_certain == 0; i++) {
        analysis_build_edge (build, node, g_array_index (maybe, guint32, i));
    }
    if ((queue->flags & JOB_MESSAGE_QUEUE_INCOMPLETE) && (is_any || n_certain == 0)) {
        analysis_build_edge (build, node, analysis_build_unknown (build));
    }
    if (n_certain + maybe->len == 0) { /* all of it is there */
        get_node (build, node)->is_any = FALSE;
        for (guint i = 0; i < over->len; i++) {
            analysis_build_edge (build, node, g_array_index (over, guint32, i));
        }
    }
}

static void
add_call (AnalysisBuild *build, guint32 rank, const JobMessageCall *call)
{
    guint32 node = analysis_build_node (build, ANALYSIS_NODE_CALL, rank);

    analysis_build_edge (build, rank, node);
    get_node (build, node)->call = call;
    if (call->waits->len > 0) {
        link_operations (build, rank, node, call);
    } else {
        analysis_build_edge (build, node, analysis_build_bare_operation (build, rank, call));
    }
}

static gboolean
can_wait (const JobMessageCall *call)
{
    return call->kind != JOB_MESSAGE_LOCAL && call->kind != JOB_MESSAGE_POLL;
}

/* Every known thread is inside MPI and made no progress. */
static gboolean
is_inside (const AnalysisRank *rank)
{
    if (job_state_get_info (rank->state)->is_ended || rank->state == JOB_STATE_NONE
        || rank->queue == NULL || rank->moved || rank->queue->calls->len == 0
        || (rank->queue->flags & JOB_MESSAGE_QUEUE_CHANGING)) {
        return FALSE;
    }
    return BASE_ALL (i, rank->queue->calls->len,
                     can_wait (g_ptr_array_index (rank->queue->calls, i)));
}

static AnalysisFate
get_stopped_fate (const AnalysisRank *rank)
{
    return analysis_rank_is_crashed (rank) ? ANALYSIS_FATE_CRASHED : ANALYSIS_FATE_HELD;
}

/* The lock on a file, or in shared memory, that the rank waits for outside MPI, if it does nothing else; NULL. */
static const JobWait *
find_lock_wait (const AnalysisRank *rank, const JobMessageQueue *queue)
{
    const JobWait *wait = queue != NULL && queue->source == JOB_MESSAGE_SOURCE_RECORDER
                                  && queue->calls->len == 0 && queue->waits->len > 0
                                  && job_state_get_info (rank->state)->is_moving
                              ? g_ptr_array_index (queue->waits, 0)
                              : NULL;

    return wait != NULL && (wait->kind == JOB_WAIT_FILE || wait->kind == JOB_WAIT_SHARED)
                   && wait->peer != 0 && (wait->flags & JOB_WAIT_ALONE) != 0
               ? wait
               : NULL;
}

/* The same one in both readings, which another rank holds; NULL. before: that of the first reading. */
static const JobWait *
find_lasting_wait (const AnalysisWaits *waits, guint32 rank, const JobWait **ret_before)
{
    const AnalysisRank *r = &waits->ranks[rank];
    const JobWait *wait = !r->moved ? find_lock_wait (r, r->queue) : NULL;
    const JobWait *before = wait != NULL ? find_lock_wait (r, r->before) : NULL;

    *ret_before = before;
    return before != NULL && before->kind == wait->kind && before->peer == wait->peer
                   && before->number == wait->number && wait->peer <= waits->n_ranks
                   && wait->peer - 1 != rank
               ? wait
               : NULL;
}

/* Between the readings it did not get on, so it has not let go of any lock: it is in the same call of MPI, or has slept for
 * a lock all the time. */
static gboolean
has_stood (const AnalysisWaits *waits, guint32 rank)
{
    const AnalysisRank *r = &waits->ranks[rank];
    const JobWait *before, *wait = find_lasting_wait (waits, rank, &before);

    return (is_inside (r) && r->before != NULL)
           || (wait != NULL && wait->turns != 0 && before->turns == wait->turns);
}

/* Another rank, which stands still, has locked a file or the memory that this one waits for, outside MPI. */
static gboolean
add_lock_wait (AnalysisBuild *build, guint32 rank)
{
    const AnalysisRank *r = &build->waits->ranks[rank];
    const JobWait *before, *wait = find_lasting_wait (build->waits, rank, &before);
    JobMessageCall *call;
    guint32 node;

    if (wait == NULL || !has_stood (build->waits, wait->peer - 1)) {
        return FALSE;
    }
    call = job_message_call_new (JOB_MESSAGE_LOCAL, wait->name);
    call->place = r->place != NULL ? job_location_dup (r->place) : NULL;
    g_ptr_array_add (build->waits->made, call);
    node = analysis_build_node (build, ANALYSIS_NODE_CALL, rank);
    get_node (build, node)->call = call;
    analysis_build_edge (build, rank, node);
    analysis_build_edge (build, node, analysis_build_partner (build, wait->peer - 1));
    return TRUE;
}

static void
add_rank (AnalysisBuild *build, guint32 rank)
{
    const AnalysisRank *r = &build->waits->ranks[rank];
    const JobStateInfo *info = job_state_get_info (r->state);

    if (add_lock_wait (build, rank)) {
        return;
    }
    if (!is_inside (r) || (info->is_stopped && analysis_rank_is_crashed (r))) {
        get_node (build, rank)->fate = info->is_ended     ? ANALYSIS_FATE_ENDED
                                       : info->is_stopped ? get_stopped_fate (r)
                                                          : ANALYSIS_FATE_FREE;
        return;
    }
    get_node (build, rank)->is_any = TRUE;
    for (guint i = 0; i < r->queue->calls->len; i++) {
        add_call (build, rank, g_ptr_array_index (r->queue->calls, i));
    }
    if (r->queue->flags & JOB_MESSAGE_QUEUE_OTHERS) {
        analysis_build_edge (build, rank, analysis_build_unknown (build));
    }
}

/* ---- reduction ---- */

/* Sorts the edges by one end: first[node] … first[node + 1] in `others` are its other ends. */
static void
index_edges (GArray *edges, guint n_nodes, gboolean backwards, guint32 **ret_first,
             guint32 **ret_others)
{
    guint32 *first = g_new0 (guint32, n_nodes + 1), *others = g_new (guint32, edges->len + 1);
    g_autofree guint32 *next = NULL;

    BASE_EACH_ROW (edges, const AnalysisEdge, edge) {
        first[(backwards ? edge->to : edge->from) + 1]++;
    }
    for (guint i = 0; i < n_nodes; i++) {
        first[i + 1] += first[i];
    }
    next = g_memdup2 (first, (n_nodes + 1) * sizeof *next);
    BASE_EACH_ROW (edges, const AnalysisEdge, edge) {
        others[next[backwards ? edge->to : edge->from]++] = backwards ? edge->from : edge->to;
    }
    *ret_first = first;
    *ret_others = others;
}

/* All its targets are free: so is it, unless the user holds it, or all came to different calls. */
static void
release (AnalysisBuild *build, guint32 index, GArray *queue)
{
    AnalysisNode *node = get_node (build, index);

    if (node->fate == ANALYSIS_FATE_MISMATCH || node->fate == ANALYSIS_FATE_ENDED
        || node->fate == ANALYSIS_FATE_CRASHED) {
        return;
    }
    if (node->kind == ANALYSIS_NODE_RANK
        && job_state_get_info (build->waits->ranks[index].state)->is_stopped) {
        node->fate = ANALYSIS_FATE_HELD;
        return;
    }
    node->fate = ANALYSIS_FATE_FREE;
    g_array_append_val (queue, index);
}

/* What each still needs; those that need nothing start the reduction. A mismatched collective that
 * also lacks members is not yet to blame. */
static void
begin_reduction (AnalysisBuild *build, const guint32 *first, GArray *queue)
{
    for (guint32 i = 0; i < build->waits->nodes->len; i++) {
        AnalysisNode *node = get_node (build, i);
        guint32 n = first[i + 1] - first[i];

        node->need = node->is_any ? 1 : n;
        if (node->fate == ANALYSIS_FATE_MISMATCH && n > 0) {
            node->fate = ANALYSIS_FATE_STUCK;
        }
        if (node->fate == ANALYSIS_FATE_FREE
            || (node->fate == ANALYSIS_FATE_STUCK && node->need == 0)) {
            node->fate = ANALYSIS_FATE_STUCK;
            release (build, i, queue);
        }
    }
}

static void
reduce (AnalysisBuild *build)
{
    g_autoptr (GArray) queue = g_array_new (FALSE, FALSE, sizeof (guint32));
    g_autofree guint32 *first = NULL, *sources = NULL;
    guint n_nodes = build->waits->nodes->len;

    index_edges (build->edges, n_nodes, FALSE, &build->waits->first, &build->waits->targets);
    index_edges (build->edges, n_nodes, TRUE, &first, &sources);
    begin_reduction (build, build->waits->first, queue);
    for (guint i = 0; i < queue->len; i++) {
        guint32 freed = g_array_index (queue, guint32, i);

        for (guint32 j = first[freed]; j < first[freed + 1]; j++) {
            AnalysisNode *node = get_node (build, sources[j]);

            if (node->fate == ANALYSIS_FATE_STUCK && node->need > 0 && --node->need == 0) {
                release (build, sources[j], queue);
            }
        }
    }
}

guint32
analysis_waits_get_child (const AnalysisWaits *waits, guint32 rank)
{
    const AnalysisRank *r = &waits->ranks[rank];
    const JobWait *wait = r->queue != NULL && !r->moved && r->queue->calls->len == 0
                                  && r->queue->waits->len > 0
                              ? g_ptr_array_index (r->queue->waits, 0)
                              : NULL;

    return wait != NULL && wait->kind == JOB_WAIT_CHILD && wait->peer != 0
                   && wait->peer - 1 != rank && wait->peer <= waits->n_ranks
               ? wait->peer - 1
               : G_MAXUINT32;
}

/* Outside MPI: a rank that waits for the end of a child which stands still, or waits so itself. */
static void
hold_parents (AnalysisBuild *build)
{
    gboolean changes = TRUE;

    while (changes) {
        changes = FALSE;
        for (guint32 rank = 0; rank < build->waits->n_ranks; rank++) {
            guint32 child = analysis_waits_get_child (build->waits, rank);
            AnalysisNode *node = get_node (build, rank);

            if (child != G_MAXUINT32 && node->fate == ANALYSIS_FATE_FREE
                && get_node (build, child)->fate != ANALYSIS_FATE_FREE
                && get_node (build, child)->fate != ANALYSIS_FATE_ENDED) {
                node->fate = ANALYSIS_FATE_STUCK;
                changes = TRUE;
            }
        }
    }
}

AnalysisWaits *
analysis_waits_new (const AnalysisRank *ranks, guint32 n_ranks)
{
    AnalysisWaits *waits = g_new0 (AnalysisWaits, 1);
    AnalysisBuild build = { .waits = waits };

    waits->ranks = ranks;
    waits->n_ranks = n_ranks;
    waits->nodes = g_array_new (FALSE, FALSE, sizeof (AnalysisNode));
    waits->communicators = analysis_communicators_new (ranks, n_ranks);
    waits->mismatches = analysis_collective_list_mismatches (waits->communicators);
    for (guint i = 0; i < waits->mismatches->len; i++) {
        analysis_mismatch_find_places (g_ptr_array_index (waits->mismatches, i), ranks,
                                       n_ranks);
    }
    analysis_pairing_index (waits);
    waits->made = g_ptr_array_new_with_free_func ((GDestroyNotify) job_message_call_free);
    build.edges = g_array_new (FALSE, FALSE, sizeof (AnalysisEdge));
    build.collectives = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
    build.some = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
    build.roots = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
    build.any = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
    build.gone = g_hash_table_new (g_direct_hash, g_direct_equal);
    build.halted = g_hash_table_new (g_direct_hash, g_direct_equal);
    for (guint32 rank = 0; rank < n_ranks; rank++) {
        analysis_build_node (&build, ANALYSIS_NODE_RANK, rank);
    }
    for (guint32 rank = 0; rank < n_ranks; rank++) {
        add_rank (&build, rank);
    }
    analysis_build_members (&build);
    analysis_build_halted_members (&build);
    reduce (&build);
    hold_parents (&build);
    g_array_unref (build.edges);
    g_hash_table_unref (build.collectives);
    g_hash_table_unref (build.some);
    g_hash_table_unref (build.roots);
    g_hash_table_unref (build.any);
    g_hash_table_unref (build.gone);
    g_hash_table_unref (build.halted);
    return waits;
}

void
analysis_waits_free (AnalysisWaits *waits)
{
    if (waits != NULL) {
        g_hash_table_unref (waits->communicators);
        g_ptr_array_unref (waits->mismatches);
        g_array_unref (waits->nodes);
        g_free (waits->first);
        g_free (waits->targets);
        g_free (waits->first_inbound);
        g_free (waits->inbound);
        g_free (waits->has_unready);
        g_ptr_array_unref (waits->made);
        g_hash_table_unref (waits->flows);
        g_free (waits);
    }
}

const AnalysisNode *
analysis_waits_get (const AnalysisWaits *waits, guint32 node)
{
    return &g_array_index (waits->nodes, AnalysisNode, node);
}

gboolean
analysis_waits_is_waiting (const AnalysisWaits *waits, guint32 rank)
{
    return rank < waits->n_ranks && waits->first[rank] < waits->first[rank + 1];
}
