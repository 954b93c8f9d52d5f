/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds out whether a message for a receive was sent, or a send has a receive, by counting
 * messages for each (communicator, source, destination, tag). */
#include "analysis/waits-private.h"
#include "base/array.h"
#include <string.h>

/* Messages of one tag from one rank to another, as the rank counts them that has sent, or received, them. */
typedef struct {
    guint64 communicator;
    guint32 from, to;
    gint32 tag;
    gboolean is_sent;
    guint64 n; /* not part of the key: sent, or taken by the receiver */
} Flow;

static guint
hash_flow (gconstpointer data)
{
    const Flow *flow = data;

    return (guint) (flow->communicator ^ (flow->communicator >> 32)) * 31
           + ((flow->from * 16777619u ^ flow->to) * 16777619u ^ (guint) flow->tag) * 2
           + (guint) flow->is_sent;
}

static gboolean
equal_flows (gconstpointer a, gconstpointer b)
{
    const Flow *left = a, *right = b;

    return left->communicator == right->communicator && left->from == right->from
           && left->to == right->to && left->tag == right->tag
           && left->is_sent == right->is_sent;
}

static void
add_flow (AnalysisWaits *waits, guint32 rank, const JobMessageFlow *flow)
{
    const Flow key = {
        .communicator = flow->communicator,
        .from = flow->is_sent ? rank : (guint32) flow->peer,
        .to = flow->is_sent ? (guint32) flow->peer : rank,
        .tag = flow->tag,
        .is_sent = flow->is_sent != FALSE,
        .n = flow->n_messages + (flow->is_sent ? 0 : flow->n_matched),
    };
    Flow *known = g_hash_table_lookup (waits->flows, &key);

    if (known != NULL) {
        known->n += key.n;
    } else {
        g_hash_table_add (waits->flows, g_memdup2 (&key, sizeof key));
    }
}

static void
index_flows (AnalysisWaits *waits)
{
    waits->flows = g_hash_table_new_full (hash_flow, equal_flows, g_free, NULL);
    for (guint32 rank = 0; rank < waits->n_ranks; rank++) {
        const JobMessageQueue *queue = waits->ranks[rank].queue;

        for (guint i = 0; queue != NULL && i < queue->flows->len; i++) {
            const JobMessageFlow *flow = g_ptr_array_index (queue->flows, i);

            if (flow->peer >= 0) {
                add_flow (waits, rank, flow);
            }
        }
    }
}

/* Of a receive that names source and tag. */
static guint64
count_exact (const AnalysisWaits *waits, guint32 rank, const JobMessageOperation *receive,
             gboolean is_sent)
{
    const Flow key = { .communicator = receive->communicator,
                       .from = (guint32) receive->peer,
                       .to = rank,
                       .tag = receive->tag,
                       .is_sent = is_sent };
    const Flow *known = g_hash_table_lookup (waits->flows, &key);

    return known != NULL ? known->n : 0;
}

static gboolean
is_exact (const JobMessageOperation *receive)
{
    return receive->peer >= 0 && receive->tag != JOB_MESSAGE_ANY
           && receive->tag != JOB_MESSAGE_TAG_UNKNOWN;
}

static gboolean
is_tag (gint32 wanted, gint32 tag)
{
    return wanted == JOB_MESSAGE_ANY || wanted == JOB_MESSAGE_TAG_UNKNOWN || wanted == tag;
}

static gboolean
is_source (gint32 wanted, guint32 rank)
{
    return wanted == JOB_MESSAGE_ANY || wanted == JOB_MESSAGE_UNKNOWN
           || wanted == (gint32) rank;
}

/* What `from` has sent to `to` that the receive would take. */
static guint64
count_sent (const AnalysisWaits *waits, guint32 from, guint32 to,
            const JobMessageOperation *receive)
{
    const JobMessageQueue *queue = waits->ranks[from].queue;
    guint64 n = 0;

    if (is_exact (receive)) {
        return count_exact (waits, to, receive, TRUE);
    }
    for (guint i = 0; queue != NULL && i < queue->flows->len; i++) {
        const JobMessageFlow *flow = g_ptr_array_index (queue->flows, i);

        if (flow->is_sent && flow->peer == (gint32) to
            && flow->communicator == receive->communicator
            && is_tag (receive->tag, flow->tag)) {
            n += flow->n_messages;
        }
    }
    return n;
}

static guint64
count_received (const AnalysisWaits *waits, guint32 rank, const JobMessageOperation *receive)
{
    const JobMessageQueue *queue = waits->ranks[rank].queue;
    guint64 n = 0;

    if (is_exact (receive)) {
        return count_exact (waits, rank, receive, FALSE);
    }
    BASE_EACH (queue->flows, const JobMessageFlow, flow) {
        if (!flow->is_sent && flow->communicator == receive->communicator && flow->peer >= 0
            && is_source (receive->peer, (guint32) flow->peer)
            && is_tag (receive->tag, flow->tag)) {
            n += flow->n_messages + flow->n_matched;
        }
    }
    return n;
}

/* Receives that were begun before and could take the same message. */
static guint64
count_earlier (const JobMessageQueue *queue, guint32 index, const JobMessageOperation *receive)
{
    guint64 n = 0;

    for (guint32 i = 0; i < index; i++) {
        const JobMessageOperation *other = g_ptr_array_index (queue->operations, i);

        if (other->kind == JOB_MESSAGE_RECV && !(other->flags & JOB_MESSAGE_MATCHED)
            && other->communicator == receive->communicator
            && (other->peer == receive->peer || other->peer == JOB_MESSAGE_ANY
                || receive->peer == JOB_MESSAGE_ANY)
            && (other->tag == receive->tag || other->tag == JOB_MESSAGE_ANY
                || receive->tag == JOB_MESSAGE_ANY)) {
            n++;
        }
    }
    return n;
}

static gboolean
is_counted (const JobMessageQueue *queue)
{
    return queue != NULL && queue->source == JOB_MESSAGE_SOURCE_RECORDER
           && (queue->flags & JOB_MESSAGE_QUEUE_COUNTED) != 0;
}

gboolean
analysis_pairing_is_counted (const AnalysisWaits *waits, guint32 rank, gint32 peer)
{
    return is_counted (waits->ranks[rank].queue)
           && (peer < 0
               || ((guint32) peer < waits->n_ranks && is_counted (waits->ranks[peer].queue)));
}

gboolean
analysis_pairing_is_unready (const AnalysisWaits *waits, guint32 rank, guint32 index)
{
    const JobMessageQueue *queue = waits->ranks[rank].queue, *sender;
    const JobMessageOperation *receive = g_ptr_array_index (queue->operations, index);
    guint64 number;

    if (receive->peer < 0 || (guint32) receive->peer >= waits->n_ranks
        || !waits->has_unready[receive->peer]) {
        return FALSE;
    }
    sender = waits->ranks[receive->peer].queue;
    number = count_received (waits, rank, receive) + count_earlier (queue, index, receive) + 1;
    return BASE_HAS (sender->operations, const JobMessageOperation, send,
                     send->kind == JOB_MESSAGE_SEND && send->n_ready < send->n_partitions
                         && send->peer == (gint32) rank
                         && send->communicator == receive->communicator
                         && send->tag == receive->tag && send->sequence == number);
}

gboolean
analysis_pairing_has_message (const AnalysisWaits *waits, guint32 rank, guint32 index)
{
    const JobMessageQueue *queue = waits->ranks[rank].queue;
    const JobMessageOperation *receive = g_ptr_array_index (queue->operations, index);
    guint64 n_sent = 0, n_taken;

    if (receive->flags & JOB_MESSAGE_MATCHED) {
        return TRUE;
    }
    if (receive->peer >= 0) {
        if ((guint32) receive->peer < waits->n_ranks) {
            n_sent = count_sent (waits, (guint32) receive->peer, rank, receive);
        }
    } else {
        for (guint32 i = waits->first_inbound[rank]; i < waits->first_inbound[rank + 1]; i++) {
            n_sent += count_sent (waits, waits->inbound[i], rank, receive);
        }
    }
    n_taken = n_sent > 0 ? count_received (waits, rank, receive) : 0;
    return n_sent > n_taken && n_sent > n_taken + count_earlier (queue, index, receive);
}

/* Of the flow, how many the peer has taken; of these, those that MPI_Mprobe took and nobody has received. */
static guint64
count_taken (const JobMessageQueue *queue, guint32 from, const JobMessageOperation *send,
             guint64 *ret_n_matched)
{
    guint64 n = 0;

    *ret_n_matched = 0;

    BASE_EACH (queue->flows, const JobMessageFlow, flow) {
        if (!flow->is_sent && flow->communicator == send->communicator
            && flow->peer == (gint32) from && flow->tag == send->tag) {
            n += flow->n_messages + flow->n_matched;
            *ret_n_matched += flow->n_matched;
        }
    }
    return n;
}

/* Whether the peer receives what MPI_Mprobe took. */
static gboolean
is_matched_wanted (const JobMessageQueue *queue, guint32 from, const JobMessageOperation *send)
{
    return BASE_HAS (queue->operations, const JobMessageOperation, other,
                     (other->flags & JOB_MESSAGE_MATCHED) && is_source (other->peer, from));
}

/* Its number in its flow: one that a call still hands over is the last. */
static guint64
get_number (const JobMessageQueue *queue, const JobMessageOperation *send)
{
    return BASE_PICK ((send->flags & JOB_MESSAGE_IN_CALL) ? queue->flows : NULL,
                      const JobMessageFlow, flow,
                      flow->is_sent && flow->communicator == send->communicator
                          && flow->peer == send->peer && flow->tag == send->tag,
                      flow->n_messages, send->sequence);
}

/* Receives and probes of the peer that would take it. */
static guint64
count_posted (const JobMessageQueue *queue, guint32 from, const JobMessageOperation *send,
              gboolean *ret_has_wildcard)
{
    guint64 n = 0;

    BASE_EACH (queue->operations, const JobMessageOperation, other) {
        if ((other->kind == JOB_MESSAGE_RECV || other->kind == JOB_MESSAGE_PROBE)
            && !(other->flags & JOB_MESSAGE_MATCHED)
            && other->communicator == send->communicator && is_source (other->peer, from)
            && is_tag (other->tag, send->tag)) {
            n++;
            *ret_has_wildcard |= other->peer < 0 || other->tag < 0;
        }
    }
    return n;
}

AnalysisSend
analysis_pairing_judge_send (const AnalysisWaits *waits, guint32 rank,
                             const JobMessageOperation *send)
{
    const JobMessageQueue *own = waits->ranks[rank].queue;
    const JobMessageQueue *queue = send->peer >= 0 && (guint32) send->peer < waits->n_ranks
                                       ? waits->ranks[send->peer].queue
                                       : NULL;
    gboolean has_wildcard = FALSE;
    guint64 n_posted, number, n_taken, n_matched;

    if (queue == NULL) {
        return ANALYSIS_SEND_UNWANTED;
    }
    n_posted = count_posted (queue, rank, send, &has_wildcard);
    number = get_number (own, send);
    if (number > 0 && is_counted (own) && is_counted (queue)) {
        n_taken = count_taken (queue, rank, send, &n_matched);
        if (n_taken - n_matched >= number) {
            return ANALYSIS_SEND_RECEIVED;
        }
        if (n_taken >= number) {
            return is_matched_wanted (queue, rank, send) ? ANALYSIS_SEND_WANTED
                                                         : ANALYSIS_SEND_UNWANTED;
        }
        return n_posted >= (has_wildcard ? 1 : number - n_taken) ? ANALYSIS_SEND_WANTED
                                                                 : ANALYSIS_SEND_UNWANTED;
    }
    return n_posted > 0                            ? ANALYSIS_SEND_WANTED
           : own->source == JOB_MESSAGE_SOURCE_DLL ? ANALYSIS_SEND_LISTED
                                                   : ANALYSIS_SEND_UNWANTED;
}

const JobMessageFlow *
analysis_pairing_find_matched (const AnalysisWaits *waits, guint32 rank,
                               const JobMessageOperation *send)
{
    const JobMessageQueue *queue = send->peer >= 0 && (guint32) send->peer < waits->n_ranks
                                       ? waits->ranks[send->peer].queue
                                       : NULL;
    guint64 number = get_number (waits->ranks[rank].queue, send), n_taken, n_matched;

    if (number == 0 || !analysis_pairing_is_counted (waits, rank, send->peer)
        || is_matched_wanted (queue, rank, send)) {
        return NULL;
    }
    n_taken = count_taken (queue, rank, send, &n_matched);
    if (number > n_taken || number <= n_taken - n_matched) {
        return NULL;
    }
    return BASE_FIND (queue->flows, const JobMessageFlow, flow,
                      !flow->is_sent && flow->communicator == send->communicator
                          && flow->peer == (gint32) rank && flow->tag == send->tag
                          && flow->n_matched > 0);
}

gboolean
analysis_pairing_is_being_sent (const AnalysisWaits *waits, guint32 rank,
                                const JobMessageOperation *receive)
{
    const JobMessageQueue *queue = receive->peer >= 0
                                           && (guint32) receive->peer < waits->n_ranks
                                       ? waits->ranks[receive->peer].queue
                                       : NULL;

    return queue != NULL
           && BASE_HAS (queue->operations, const JobMessageOperation, other,
                        other->kind == JOB_MESSAGE_SEND
                            && !(other->flags & JOB_MESSAGE_BUFFERED)
                            && analysis_pairing_judge_send (waits, (guint32) receive->peer,
                                                            other)
                                   != ANALYSIS_SEND_RECEIVED
                            && other->communicator == receive->communicator
                            && other->peer == (gint32) rank
                            && is_tag (receive->tag, other->tag));
}

/* One entry for each pair of ranks, however many flows there are between them. */
static void
walk_pairs (AnalysisWaits *waits, guint32 *last, guint32 *next)
{
    for (guint32 rank = 0; rank < waits->n_ranks; rank++) {
        const JobMessageQueue *queue = waits->ranks[rank].queue;

        for (guint i = 0; queue != NULL && i < queue->flows->len; i++) {
            const JobMessageFlow *flow = g_ptr_array_index (queue->flows, i);
            guint32 to = (guint32) flow->peer;

            if (!flow->is_sent || flow->peer < 0 || to >= waits->n_ranks || last[to] == rank) {
                continue;
            }
            last[to] = rank;
            if (waits->inbound == NULL) {
                next[to + 1]++;
            } else {
                waits->inbound[next[to]++] = rank;
            }
        }
    }
}

static void
find_unready (AnalysisWaits *waits)
{
    waits->has_unready = g_new0 (guint8, waits->n_ranks + 1);
    for (guint32 rank = 0; rank < waits->n_ranks; rank++) {
        const JobMessageQueue *queue = waits->ranks[rank].queue;

        for (guint i = 0; queue != NULL && i < queue->operations->len; i++) {
            const JobMessageOperation *operation = g_ptr_array_index (queue->operations, i);

            waits->has_unready[rank] |= operation->n_ready < operation->n_partitions;
        }
    }
}

void
analysis_pairing_index (AnalysisWaits *waits)
{
    g_autofree guint32 *last = g_new (guint32, waits->n_ranks);
    g_autofree guint32 *next = NULL;

    index_flows (waits);
    find_unready (waits);
    waits->first_inbound = g_new0 (guint32, waits->n_ranks + 1);
    memset (last, 0xff, waits->n_ranks * sizeof *last);
    walk_pairs (waits, last, waits->first_inbound);
    for (guint32 i = 0; i < waits->n_ranks; i++) {
        waits->first_inbound[i + 1] += waits->first_inbound[i];
    }
    waits->inbound = g_new (guint32, waits->first_inbound[waits->n_ranks] + 1);
    next = g_memdup2 (waits->first_inbound, (waits->n_ranks + 1) * sizeof *next);
    memset (last, 0xff, waits->n_ranks * sizeof *last);
    walk_pairs (waits, last, next);
}
