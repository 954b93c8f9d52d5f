/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What one operation waits for, as edges of the graph. */
#include "analysis/windows.h"
#include "analysis/waits-private.h"
#include "base/array.h"
#include <string.h>

static AnalysisNode *
get_node (AnalysisBuild *build, guint32 node)
{
    return &g_array_index (build->waits->nodes, AnalysisNode, node);
}

/* Some unknown rank of the job: a guess might blame an innocent one. */
static void
link_somebody (AnalysisBuild *build, guint32 node)
{
    analysis_build_edge (build, node, analysis_build_any (build, JOB_MESSAGE_UNKNOWN_ID));
}

static void
link_peer (AnalysisBuild *build, guint32 node, gint32 peer, guint64 communicator)
{
    if (peer >= 0) {
        analysis_build_edge (build, node, analysis_build_partner (build, (guint32) peer));
    } else if (peer == JOB_MESSAGE_ANY
               && analysis_communicators_find (build->waits->communicators, communicator)
                      != NULL) {
        analysis_build_edge (build, node, analysis_build_any (build, communicator));
    } else if (peer == JOB_MESSAGE_OUTSIDE) {
        analysis_build_edge (build, node, analysis_build_unknown (build));
    } else if (peer != JOB_MESSAGE_NONE) {
        link_somebody (build, node);
    }
}

/* TRUE: the send is open for certain, or ends only when the peer runs. */
static gboolean
link_send (AnalysisBuild *build, guint32 rank, guint32 node,
           const JobMessageOperation *operation)
{
    if (operation->flags & JOB_MESSAGE_BUFFERED) {
        return FALSE;
    }
    if (operation->n_ready < operation->n_partitions) { /* it has to mark the others itself */
        analysis_build_edge (build, node, analysis_build_partner (build, rank));
        return TRUE;
    }
    switch (analysis_pairing_judge_send (build->waits, rank, operation)) {
    case ANALYSIS_SEND_RECEIVED: return FALSE;
    case ANALYSIS_SEND_WANTED:
        return analysis_build_link_halted (build, node, rank, operation->peer);
    case ANALYSIS_SEND_LISTED:
        link_peer (build, node, operation->peer, operation->communicator);
        return TRUE;
    default: /* a short one may be over all the same, unless it waits for its receiver */
        link_peer (build, node, operation->peer, operation->communicator);
        return (operation->flags & JOB_MESSAGE_SYNCHRONOUS) != 0;
    }
}

static gboolean
link_receive (AnalysisBuild *build, guint32 rank, guint32 node, guint32 index)
{
    const JobMessageQueue *queue = build->waits->ranks[rank].queue;
    const JobMessageOperation *operation = g_ptr_array_index (queue->operations, index);

    if (analysis_pairing_is_unready (build->waits, rank, index)) {
        link_peer (build, node, operation->peer, operation->communicator);
        return TRUE;
    }
    if (analysis_pairing_has_message (build->waits, rank, index)) {
        return analysis_pairing_is_being_sent (build->waits, rank, operation)
               && analysis_build_link_halted (build, node, rank, operation->peer);
    }
    link_peer (build, node, operation->peer, operation->communicator);
    return queue->source != JOB_MESSAGE_SOURCE_RECORDER
           || analysis_pairing_is_counted (build->waits, rank, operation->peer);
}

/* The root of a call that only distributes data from it, if it has not arrived. */
static gint32
find_absent_root (const AnalysisWaits *waits, guint32 rank,
                  const JobMessageOperation *operation)
{
    const AnalysisCommunicator *communicator
        = analysis_communicators_find (waits->communicators, operation->communicator);
    const JobMessageCommunicator *known;

    if (communicator == NULL || operation->peer < 0 || operation->peer == (gint32) rank) {
        return -1;
    }
    known = analysis_communicator_find (communicator, (guint32) operation->peer);
    return known == NULL || known->n_collectives < operation->sequence ? operation->peer : -1;
}

static gboolean
link_collective (AnalysisBuild *build, guint32 rank, guint32 node,
                 const JobMessageOperation *operation)
{
    AnalysisNeed need = analysis_collective_get_need (operation->name);
    gint32 root = need == ANALYSIS_NEED_ROOT ? find_absent_root (build->waits, rank, operation)
                                             : -1;

    if (operation->communicator == JOB_MESSAGE_UNKNOWN_ID || operation->sequence == 0) {
        link_somebody (build, node);
        return TRUE;
    }
    if (need == ANALYSIS_NEED_GATHER) { /* its root needs them all, the others one of them */
        need = operation->peer == (gint32) rank ? ANALYSIS_NEED_ALL : ANALYSIS_NEED_SOME;
    }
    analysis_build_edge (build, node,
                         root >= 0 ? analysis_build_root (build, operation, (guint32) root)
                                   : analysis_build_collective (build, operation->communicator,
                                                                operation->sequence,
                                                                need != ANALYSIS_NEED_ALL));
    return need == ANALYSIS_NEED_ALL || root >= 0;
}

/* Bridging two groups: all of the own group, and the other group's leader with the same tag. */
static void
link_bridge (AnalysisBuild *build, guint32 rank, guint32 node,
             const JobMessageOperation *operation)
{
    const JobMessageQueue *there = operation->peer >= 0
                                           && (guint32) operation->peer < build->waits->n_ranks
                                       ? build->waits->ranks[operation->peer].queue
                                       : NULL;

    if (there != NULL
        && BASE_HAS (there->operations, const JobMessageOperation, other,
                     other->kind == JOB_MESSAGE_OUTER
                         && g_strcmp0 (other->name, operation->name) == 0
                         && other->tag == operation->tag && other->peer == (gint32) rank)) {
        return;
    }
    if (operation->peer >= 0 || operation->peer == JOB_MESSAGE_UNKNOWN) {
        link_peer (build, node, operation->peer, JOB_MESSAGE_UNKNOWN_ID);
    } else { /* processes of other jobs */
        analysis_build_edge (build, node, analysis_build_unknown (build));
    }
}

static void
link_window (AnalysisBuild *build, guint32 rank, guint32 node,
             const JobMessageOperation *operation)
{
    g_autoptr (JobRankSet) ranks = job_rank_set_new ();
    AnalysisWindowNeed need = analysis_windows_find (build->waits->ranks, build->waits->n_ranks,
                                                     rank, operation, ranks);

    if (need
        == ANALYSIS_WINDOW_UNKNOWN) { /* a lock that nobody holds any more may just be granted */
        analysis_build_edge (build, node, analysis_build_unknown (build));
        return;
    }
    JOB_EACH_RANK (ranks, other) {
        analysis_build_edge (build, node, analysis_build_partner (build, other));
    }
}

gboolean
analysis_build_operation (AnalysisBuild *build, guint32 rank, const JobMessageCall *call,
                          guint32 index, guint32 *ret_node)
{
    const JobMessageQueue *queue = build->waits->ranks[rank].queue;
    const JobMessageOperation *operation = g_ptr_array_index (queue->operations, index);
    guint32 node = *ret_node = analysis_build_node (build, ANALYSIS_NODE_OPERATION, rank);
    guint n_before = build->edges->len;
    gboolean is_certain = FALSE;

    get_node (build, node)->call = call;
    get_node (build, node)->operation = operation;
    switch (operation->kind) {
    case JOB_MESSAGE_SEND: is_certain = link_send (build, rank, node, operation); break;
    case JOB_MESSAGE_RECV:
    case JOB_MESSAGE_PROBE: is_certain = link_receive (build, rank, node, index); break;
    case JOB_MESSAGE_COLLECTIVE:
        is_certain = link_collective (build, rank, node, operation);
        break;
    case JOB_MESSAGE_RMA:
        link_window (build, rank, node, operation);
        is_certain = TRUE;
        break;
    case JOB_MESSAGE_OUTER:
        link_bridge (build, rank, node, operation);
        is_certain = TRUE;
        break;
    default: analysis_build_edge (build, node, analysis_build_unknown (build)); break;
    }
    build->n_linked = build->edges->len - n_before;
    return is_certain && build->n_linked > 0;
}

/* Where nothing but its name is known of a collective, it is one on a communicator of all if there are
 * no others; MPI_Comm_create_group is for a group that nobody knows. */
static guint32
find_named (AnalysisBuild *build, guint32 rank, const JobMessageCall *call)
{
    const JobMessageQueue *queue = build->waits->ranks[rank].queue;
    gboolean is_of_all = queue->source == JOB_MESSAGE_SOURCE_DLL;
    guint n_shared = 0;

    BASE_EACH (queue->communicators, const JobMessageCommunicator, communicator) {
        n_shared += communicator->size > 1;
        is_of_all &= communicator->size <= 1 || communicator->size == build->waits->n_ranks;
    }
    return is_of_all && n_shared > 0 && call->name != NULL
                   && strcmp (call->name, "MPI_Comm_create_group") != 0
                   && analysis_collective_get_need (call->name) == ANALYSIS_NEED_ALL
               ? analysis_build_named (build, call->name)
               : analysis_build_any (build, JOB_MESSAGE_UNKNOWN_ID);
}

guint32
analysis_build_bare_operation (AnalysisBuild *build, guint32 rank, const JobMessageCall *call)
{
    guint32 node = analysis_build_node (build, ANALYSIS_NODE_OPERATION, rank), target;

    get_node (build, node)->call = call;
    switch (call->kind) {
    case JOB_MESSAGE_SEND:
    case JOB_MESSAGE_RECV:
    case JOB_MESSAGE_PROBE:
        link_peer (build, node, call->peer, call->communicator);
        return node;
    case JOB_MESSAGE_INIT: target = analysis_build_named (build, "MPI_Init"); break;
    case JOB_MESSAGE_FINALIZE: target = analysis_build_named (build, "MPI_Finalize"); break;
    case JOB_MESSAGE_COLLECTIVE: target = find_named (build, rank, call); break;
    case JOB_MESSAGE_SENDRECV:
    case JOB_MESSAGE_WAIT_ALL:
    case JOB_MESSAGE_WAIT_ANY:
    case JOB_MESSAGE_RMA: link_somebody (build, node); return node;
    default: target = analysis_build_unknown (build); break;
    }
    analysis_build_edge (build, node, target);
    return node;
}
