/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Near misses: a message that is not received and differs from the wanted one only in its tag,
 * communicator or source, or whose source has that number in another communicator. */
#include "analysis/verdict-private.h"

/* Of a flow, how many the receiver has taken, or has posted a receive for. */
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
    for (guint i = 0; i < queue->operations->len; i++) {
        const JobMessageOperation *other = g_ptr_array_index (queue->operations, i);

        n += other->kind == JOB_MESSAGE_RECV && !(other->flags & JOB_MESSAGE_MATCHED)
             && other->communicator == sent->communicator
             && (other->peer == JOB_MESSAGE_ANY || other->peer == (gint32) from)
             && (other->tag == JOB_MESSAGE_ANY || other->tag == sent->tag);
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
format_communicator (BaseTextForm form, const AnalysisWaits *waits, guint64 id)
{
    return analysis_communicator_format (form,
                                         analysis_communicators_find (waits->communicators, id),
                                         id);
}

/* What lies there: "4 bytes (a.c:7)", "a message" when its sender no longer remembers it. */
static char *
format_message (BaseTextForm form, const JobMessage *message)
{
    return message != NULL
               ? analysis_words_add_line (form,
                                          base_text_print_plural (form, "%lu bytes",
                                                                  "%lu bytes",
                                                                  (gulong) message->bytes,
                                                                  (gulong) message->bytes),
                                          message->place)
               /* Translators: it stands after "has sent". */
               : base_text_print_in (form, "what a rank has sent", "a message");
}

/* is_final: nobody can ask for it any more. */
static char *
describe_tag (BaseTextForm form, guint32 from, guint32 to, const char *what, gint32 tag,
              gboolean is_final)
{
    /* Translators: a rank, what it has sent ("4 bytes (a.c:7)"), the rank that it has sent it to, a tag, and
       the receiver again. */
    return is_final
               ? base_text_print (form,
                                  "%u has sent %s to %u with tag %d, which %u never asked for",
                                  from, what, to, tag, to)
               : base_text_print (
                   form, "%u has sent %s to %u with tag %d, which %u has not asked for", from,
                   what, to, tag, to);
}

static char *
describe_communicator (BaseTextForm form, const AnalysisWaits *waits, guint32 from, guint32 to,
                       const JobMessageOperation *receive, guint64 communicator,
                       const char *what, gboolean is_final)
{
    g_autofree char *there = format_communicator (form, waits, communicator);
    g_autofree char *here = format_communicator (form, waits, receive->communicator);

    if (receive->peer == (gint32) from || receive->peer == JOB_MESSAGE_ANY) {
        /* Translators: a rank, what it has sent, the rank that it has sent it to, the communicator that it has
           sent it in, that of the receive, and the receiver again. */
        return is_final ? base_text_print (
                   form, "%u has sent %s to %u in %s, not in %s, which %u never asked for",
                   from, what, to, there, here, to)
                        : base_text_print (
                            form,
                            "%u has sent %s to %u in %s, not in %s, which %u has not asked for",
                            from, what, to, there, here, to);
    }
    /* Translators: as before, with the sender's number in its communicator. */
    return is_final ? base_text_print (form,
                                       "%u has sent %s to %u in %s, where it is %d, not in %s, "
                                       "which %u never asked for",
                                       from, what, to, there, receive->local_peer, here, to)
                    : base_text_print (form,
                                       "%u has sent %s to %u in %s, where it is %d, not in %s, "
                                       "which %u has not asked for",
                                       from, what, to, there, receive->local_peer, here, to);
}

static char *
describe (BaseTextForm form, const AnalysisWaits *waits, guint32 from, guint32 to,
          const JobMessageOperation *receive, const JobMessageFlow *flow, guint64 n_taken,
          gboolean is_final)
{
    g_autofree char *what = format_message (form, find_message (waits->ranks[from].queue, flow,
                                                                n_taken + 1));

    return receive->communicator == flow->communicator
               ? describe_tag (form, from, to, what, flow->tag, is_final)
               : describe_communicator (form, waits, from, to, receive, flow->communicator,
                                        what, is_final);
}

char *
analysis_near_format (BaseTextForm form, const AnalysisWaits *waits, guint32 rank,
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
                return describe (form, waits, from, rank, receive, flow, n_taken, is_final);
            }
        }
    }
    return NULL;
}
