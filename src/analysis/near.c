/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Near misses: a message that is not received and differs from the wanted one only in its tag,
 * communicator or source, or whose source has that number in another communicator. */
#include "analysis/verdict-private.h"
#include "analysis/waits-private.h"
#include "base/array.h"

/* Of a flow, how many the receiver has taken, or has posted a receive for. */
static guint64
count_taken (const AnalysisWaits *waits, guint32 from, guint32 to, const JobMessageFlow *sent)
{
    const JobMessageQueue *queue = waits->ranks[to].queue;
    guint64 n = 0;

    BASE_EACH (queue->flows, const JobMessageFlow, flow) {
        if (!flow->is_sent && flow->peer == (gint32) from && flow->tag == sent->tag
            && flow->communicator == sent->communicator) {
            n += flow->n_messages + flow->n_matched;
        }
    }
    BASE_EACH (queue->operations, const JobMessageOperation, other) {
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
    return BASE_FIND (queue->sent, const JobMessage, message,
                      message->communicator == flow->communicator && message->peer == flow->peer
                          && message->tag == flow->tag && message->number == number);
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

/* The receiver asks for one from another rank. */
static char *
describe_source (BaseTextForm form, guint32 from, guint32 to, const char *what, gint32 tag,
                 gint32 wanted)
{
    /* Translators: a rank, what it has sent ("4 bytes (a.c:7)"), the rank that it has sent it to, the tag, and the
       receiver with the rank that it wants a message of. */
    return base_text_print (form, "%u has sent %s to %u with tag %d; %u asks for one from %d",
                            from, what, to, tag, to, wanted);
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

    if (receive->communicator == flow->communicator && receive->peer >= 0
        && receive->peer != (gint32) from) {
        return describe_source (form, from, to, what, flow->tag, receive->peer);
    }
    return receive->communicator == flow->communicator
               ? describe_tag (form, from, to, what, flow->tag, is_final)
               : describe_communicator (form, waits, from, to, receive, flow->communicator,
                                        what, is_final);
}

static char *
find_near (BaseTextForm form, const AnalysisWaits *waits, guint32 rank,
           const JobMessageOperation *receive, gboolean is_final)
{
    const JobMessageQueue *queue = waits->ranks[rank].queue;

    if (!(queue->flags & JOB_MESSAGE_QUEUE_COUNTED)) {
        return NULL;
    }
    for (guint32 i = waits->first_inbound[rank]; i < waits->first_inbound[rank + 1]; i++) {
        guint32 from = waits->inbound[i];
        const JobMessageQueue *sender = waits->ranks[from].queue;

        BASE_EACH (sender->flows, const JobMessageFlow, flow) {
            guint64 n_taken;

            if (!flow->is_sent || flow->peer != (gint32) rank
                || flow->tag < 0 /* no message: of a window, or of a call that has failed */
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

char *
analysis_near_format (BaseTextForm form, const AnalysisWaits *waits, const GArray *way,
                      gboolean is_final)
{
    char *near = NULL;

    for (guint i = 0; near == NULL && i < way->len; i++) {
        const AnalysisStep *step = &g_array_index (way, AnalysisStep, i);

        if (step->operation != NULL
            && (step->operation->kind == JOB_MESSAGE_RECV
                || step->operation->kind == JOB_MESSAGE_PROBE)) {
            near = find_near (form, waits, step->rank, step->operation, is_final);
        }
    }
    return near;
}

/* What a rank has taken and not received. */
static char *
find_matched (BaseTextForm form, const AnalysisWaits *waits, guint32 rank,
              const JobMessageOperation *send)
{
    const JobMessageFlow *flow = analysis_pairing_find_matched (waits, rank, send);
    g_autofree char *probe = NULL;

    if (flow == NULL) {
        return NULL;
    }
    probe = analysis_words_add_line (form, g_strdup ("MPI_Mprobe"), flow->matched);
    /* Translators: a rank, the rank that has sent the message, and a call: "MPI_Mprobe (a.c:9)". */
    return base_text_print (form, "%d has taken the message of %u with %s, but not received it",
                            send->peer, rank, probe);
}

char *
analysis_near_format_matched (BaseTextForm form, const AnalysisWaits *waits, const GArray *way)
{
    char *matched = NULL;

    for (guint i = 0; matched == NULL && i < way->len; i++) {
        const AnalysisStep *step = &g_array_index (way, AnalysisStep, i);

        if (step->operation != NULL && step->operation->kind == JOB_MESSAGE_SEND) {
            matched = find_matched (form, waits, step->rank, step->operation);
        }
    }
    return matched;
}

/* ---- circles with collectives ---- */

static const AnalysisStep *
get_next (const GArray *circle, guint index)
{
    return &g_array_index (circle, AnalysisStep, (index + 1) % circle->len);
}

/* The members that have begun as few collectives as that one, or fewer. Caller owns. */
static JobRankSet *
dup_behind (const AnalysisCommunicator *communicator, guint64 n_begun)
{
    g_autoptr (GArray) members = analysis_communicator_dup_members (communicator);
    JobRankSet *behind = job_rank_set_new ();

    for (guint i = 0; i < members->len; i++) {
        guint32 rank = g_array_index (members, guint32, i);
        const JobMessageCommunicator *known = analysis_communicator_find (communicator, rank);

        if (known != NULL && known->n_collectives <= n_begun) {
            job_rank_set_add (behind, rank);
        }
    }
    return behind;
}

/* The rank waits in a collective, and the next one of the circle lacks an earlier one, too. */
static char *
find_earlier (BaseTextForm form, const AnalysisWaits *waits, const AnalysisStep *step,
              const AnalysisStep *next)
{
    const AnalysisCommunicator *communicator
        = step->collective != NULL
              ? analysis_communicators_find (waits->communicators,
                                             step->collective->communicator)
              : NULL;
    const JobMessageCommunicator *own
        = communicator != NULL ? analysis_communicator_find (communicator, step->rank) : NULL;
    const JobMessageCommunicator *there
        = communicator != NULL ? analysis_communicator_find (communicator, next->rank) : NULL;
    const JobMessageCollective *earlier
        = own != NULL && there != NULL && there->n_collectives + 1 < step->collective->sequence
              ? job_message_communicator_find_collective (own, there->n_collectives + 1)
              : NULL;
    g_autoptr (JobRankSet) behind = NULL;
    g_autofree char *who = NULL, *ordinal = NULL, *name = NULL, *call = NULL;

    if (earlier == NULL || earlier->name == NULL) {
        return NULL;
    }
    behind = dup_behind (communicator, there->n_collectives);
    who = job_rank_set_format (behind);
    ordinal = job_message_format_ordinal (form, earlier->sequence);
    name = analysis_communicator_format (form, communicator, communicator->id);
    call = analysis_words_add_line (form, g_strdup (earlier->name), earlier->place);
    /* Translators: a rank, a number ("first"), a communicator, a call, and the ranks that have not made it. */
    return base_text_print_plural (
        form,
        "%u has called the %s collective on %s, %s, before, which %s "
        "has not",
        "%u has called the %s collective on %s, %s, before, which %s "
        "have not",
        job_rank_set_get_count (behind), step->rank, ordinal, name, call, who);
}

/* The rank receives from the next one of the circle, which waits in a collective. */
static char *
find_unsent (BaseTextForm form, const AnalysisWaits *waits, const AnalysisStep *step,
             const AnalysisStep *next)
{
    const JobMessageOperation *receive = step->operation;

    return receive != NULL && next->collective != NULL && next->rank != step->rank
                   && (receive->kind == JOB_MESSAGE_RECV || receive->kind == JOB_MESSAGE_PROBE)
                   && receive->peer == (gint32) next->rank
                   && analysis_pairing_is_counted (waits, step->rank, receive->peer)
               /* Translators: a rank, and one that waits for a message from it. */
               ? base_text_print (form, "%u has sent %u nothing that matches", next->rank,
                                  step->rank)
               : NULL;
}

char *
analysis_near_format_apart (BaseTextForm form, const AnalysisWaits *waits, const GArray *circle,
                            gboolean says_unsent)
{
    char *apart = NULL;

    for (guint i = 0; apart == NULL && i < circle->len; i++) {
        apart = find_earlier (form, waits, &g_array_index (circle, AnalysisStep, i),
                              get_next (circle, i));
    }
    for (guint i = 0; says_unsent && apart == NULL && i < circle->len; i++) {
        apart = find_unsent (form, waits, &g_array_index (circle, AnalysisStep, i),
                             get_next (circle, i));
    }
    return apart;
}
