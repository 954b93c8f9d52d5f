/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Near misses: a message that is not received and differs from the wanted one only in its tag,
 * communicator or source, or whose source has that number in another communicator. */
#include "analysis/verdict-private.h"

/* Of a flow, how many the receiver has taken. */
static guint64
count_taken (const AnalysisWaits *waits, guint32 from, guint32 to, const JobMessageFlow *sent)
{
    const JobMessageQueue *queue = waits->ranks[to].queue;
    guint64 n = 0;

    for (guint i = 0; i < queue->flows->len; i++) {
        const JobMessageFlow *flow = g_ptr_array_index (queue->flows, i);

        if (!flow->is_sent && flow->peer == (gint32) from && flow->tag == sent->tag
            && flow->communicator == sent->communicator) {
            n += flow->n_messages + flow->n_matched;
        }
    }
    return n;
}

/* The oldest of the flow that was not taken, if the sender still remembers it. */
static const JobMessage *
find_message (const JobMessageQueue *queue, const JobMessageFlow *flow, guint64 number)
{
    for (guint i = 0; i < queue->sent->len; i++) {
        const JobMessage *message = g_ptr_array_index (queue->sent, i);

        if (message->communicator == flow->communicator && message->peer == flow->peer
            && message->tag == flow->tag && message->number == number) {
            return message;
        }
    }
    return NULL;
}

static guint
count_differences (const JobMessageOperation *receive, guint32 from, const JobMessageFlow *flow)
{
    guint n = 0;

    n += receive->communicator != flow->communicator;
    n += receive->tag != JOB_MESSAGE_ANY && receive->tag != flow->tag;
    n += receive->peer != JOB_MESSAGE_ANY && receive->peer != (gint32) from;
    return n;
}

/* In another communicator the sender has the number that is waited for here. */
static gboolean
is_namesake (const JobMessageOperation *receive, const JobMessageQueue *sender,
             const JobMessageFlow *flow)
{
    const JobMessageCommunicator *there
        = job_message_queue_find_communicator (sender, flow->communicator);

    return there != NULL && receive->communicator != flow->communicator
           && receive->local_peer >= 0 && there->local_rank == receive->local_peer
           && (receive->tag == JOB_MESSAGE_ANY || receive->tag == flow->tag);
}

static char *
describe (const AnalysisWaits *waits, guint32 from, guint32 to,
          const JobMessageOperation *receive, const JobMessageFlow *flow, guint64 n_taken,
          gboolean is_final)
{
    GString *text = g_string_new (NULL);
    const JobMessage *message = find_message (waits->ranks[from].queue, flow, n_taken + 1);

    g_string_append_printf (text, "; %u has sent it", from);
    if (message != NULL) {
        g_autofree char *line = analysis_format_line (message->place);

        g_string_append_printf (text, " %" G_GUINT64_FORMAT " bytes%s", message->bytes, line);
    } else {
        g_string_append (text, " a message");
    }
    if (receive->communicator != flow->communicator) {
        g_autofree char *there
            = analysis_communicator_format (analysis_communicators_find (waits->communicators,
                                                                         flow->communicator),
                                            flow->communicator);
        g_autofree char *here
            = analysis_communicator_format (analysis_communicators_find (waits->communicators,
                                                                         receive->communicator),
                                            receive->communicator);

        g_string_append_printf (text, " in %s", there);
        if (receive->peer != (gint32) from && receive->peer != JOB_MESSAGE_ANY) {
            g_string_append_printf (text, ", where it is %d", receive->local_peer);
        }
        g_string_append_printf (text, ", not in %s", here);
    } else {
        g_string_append_printf (text, " with tag %d", flow->tag);
    }
    g_string_append_printf (text,
                            is_final ? ", which %u never asked for"
                                     : ", which %u has not asked for",
                            to);
    return g_string_free (text, FALSE);
}

char *
analysis_near_format (const AnalysisWaits *waits, guint32 rank,
                      const JobMessageOperation *receive, gboolean is_final)
{
    const JobMessageQueue *queue = waits->ranks[rank].queue;

    if (!(queue->flags & JOB_MESSAGE_QUEUE_COUNTED)) {
        return NULL;
    }
    for (guint32 i = waits->first_inbound[rank]; i < waits->first_inbound[rank + 1]; i++) {
        guint32 from = waits->inbound[i];
        const JobMessageQueue *sender = waits->ranks[from].queue;

        for (guint j = 0; j < sender->flows->len; j++) {
            const JobMessageFlow *flow = g_ptr_array_index (sender->flows, j);
            guint64 n_taken;

            if (!flow->is_sent || flow->peer != (gint32) rank
                || flow->tag <= JOB_MESSAGE_TAG_WINDOWS
                || (count_differences (receive, from, flow) != 1
                    && !is_namesake (receive, sender, flow))) {
                continue;
            }
            n_taken = count_taken (waits, from, rank, flow);
            if (flow->n_messages > n_taken) {
                return describe (waits, from, rank, receive, flow, n_taken, is_final);
            }
        }
    }
    return NULL;
}
