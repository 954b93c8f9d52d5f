/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes jobs of values. */
#include "zoo.h"
#include "../support/pseudo.h"

Zoo *
zoo_new (guint32 n)
{
    Zoo *zoo = g_new0 (Zoo, 1);

    zoo->n = n;
    zoo->ranks = g_new0 (AnalysisRank, n);
    zoo->queues = g_ptr_array_new_with_free_func ((GDestroyNotify) job_message_queue_free);
    zoo->places = g_ptr_array_new_with_free_func ((GDestroyNotify) job_location_free);
    for (guint32 rank = 0; rank < n; rank++) {
        JobMessageQueue *queue = job_message_queue_new (rank);

        queue->source = JOB_MESSAGE_SOURCE_RECORDER;
        queue->flags = JOB_MESSAGE_QUEUE_INITIALIZED | JOB_MESSAGE_QUEUE_COUNTED;
        g_ptr_array_add (zoo->queues, queue);
        zoo->ranks[rank].state = JOB_STATE_RUNNING;
        zoo->ranks[rank].queue = queue;
    }
    zoo_communicator (zoo, JOB_MESSAGE_WORLD_ID, "MPI_COMM_WORLD");
    return zoo;
}

void
zoo_free (Zoo *zoo)
{
    g_ptr_array_unref (zoo->queues);
    g_ptr_array_unref (zoo->places);
    g_free (zoo->ranks);
    g_free (zoo);
}

JobMessageQueue *
zoo_queue (Zoo *zoo, guint32 rank)
{
    return g_ptr_array_index (zoo->queues, rank);
}

void
zoo_at (Zoo *zoo, guint32 rank, JobState state, guint32 line)
{
    JobLocation *place = job_location_new ("main", "/x/app.c", line);

    g_ptr_array_add (zoo->places, place);
    zoo->ranks[rank].state = state;
    zoo->ranks[rank].place = line > 0 ? place : NULL;
}

JobMessageCall *
zoo_call (Zoo *zoo, guint32 rank, JobMessageKind kind, const char *name, guint32 line)
{
    JobMessageCall *call = job_message_call_new (kind, name);

    call->number = 1;
    call->place = job_location_new ("main", "/x/app.c", line);
    g_ptr_array_add (zoo_queue (zoo, rank)->calls, call);
    return call;
}

JobMessageOperation *
zoo_operation (Zoo *zoo, guint32 rank, JobMessageCall *call, JobMessageKind kind, const char *name,
               gint32 peer, gint32 tag, guint64 communicator)
{
    JobMessageQueue *queue = zoo_queue (zoo, rank);
    JobMessageOperation *operation = job_message_operation_new (kind, name);
    guint32 index = queue->operations->len;

    operation->peer = operation->local_peer = peer;
    operation->tag = tag;
    operation->communicator = communicator;
    operation->bytes = kind == JOB_MESSAGE_SEND ? 1 << 20 : 0; /* more than MPI keeps for itself */
    g_ptr_array_add (queue->operations, operation);
    if (call != NULL) {
        g_array_append_val (call->waits, index);
    }
    return operation;
}

void
zoo_in (Zoo *zoo, guint32 rank, JobMessageKind kind, const char *name, gint32 peer, gint32 tag,
        guint64 communicator, guint32 line)
{
    JobMessageCall *call = zoo_call (zoo, rank, kind, name, line);
    JobMessageOperation *operation
        = zoo_operation (zoo, rank, call, kind, name, peer, tag, communicator);

    operation->flags = JOB_MESSAGE_IN_CALL;
    call->peer = peer;
    call->tag = tag;
    call->communicator = communicator;
}

JobMessageCollective *
zoo_collective (Zoo *zoo, guint32 rank, guint64 communicator, const char *name,
                gboolean is_finished, guint32 line)
{
    JobMessageCommunicator *known
        = job_message_queue_find_communicator (zoo_queue (zoo, rank), communicator);
    JobMessageCollective *collective = job_message_collective_new (++known->n_collectives, name);

    collective->place = job_location_new ("main", "/x/app.c", line);
    collective->flags = is_finished ? JOB_MESSAGE_FINISHED : 0;
    g_ptr_array_add (known->collectives, collective);
    if (!is_finished) {
        JobMessageCall *call = zoo_call (zoo, rank, JOB_MESSAGE_COLLECTIVE, name, line);
        JobMessageOperation *operation
            = zoo_operation (zoo, rank, call, JOB_MESSAGE_COLLECTIVE, name, JOB_MESSAGE_NONE,
                             JOB_MESSAGE_TAG_NONE, communicator);

        call->communicator = communicator;
        operation->flags = JOB_MESSAGE_IN_CALL;
        operation->sequence = collective->sequence;
    }
    return collective;
}

void
zoo_communicator (Zoo *zoo, guint64 id, const char *name)
{
    for (guint32 rank = 0; rank < zoo->n; rank++) {
        JobMessageCommunicator *communicator = job_message_communicator_new (id, name);

        communicator->size = zoo->n;
        communicator->local_rank = (gint32) rank;
        g_ptr_array_add (zoo_queue (zoo, rank)->communicators, communicator);
    }
}

void
zoo_sent (Zoo *zoo, guint32 from, guint32 to, guint64 communicator, gint32 tag, guint64 n)
{
    g_ptr_array_add (zoo_queue (zoo, from)->flows,
                     job_message_flow_new (TRUE, communicator, (gint32) to, tag, n));
    for (guint64 i = 1; i <= n; i++) {
        JobMessage *message = job_message_new ("MPI_Send");

        message->communicator = communicator;
        message->peer = (gint32) to;
        message->tag = tag;
        message->number = i;
        message->bytes = 4;
        message->place = job_location_new ("main", "/x/app.c", 99);
        g_ptr_array_add (zoo_queue (zoo, from)->sent, message);
    }
}

void
zoo_received (Zoo *zoo, guint32 to, guint32 from, guint64 communicator, gint32 tag, guint64 n)
{
    g_ptr_array_add (zoo_queue (zoo, to)->flows,
                     job_message_flow_new (FALSE, communicator, (gint32) from, tag, n));
}

JobWait *
zoo_wait (Zoo *zoo, guint32 rank, JobWaitKind kind, const char *name)
{
    JobWait *wait = job_wait_new (kind);

    wait->name = g_strdup (name);
    wait->thread = 1;
    g_ptr_array_add (zoo_queue (zoo, rank)->waits, wait);
    return wait;
}

AnalysisVerdict *
zoo_judge (Zoo *zoo, const char *text)
{
    g_autoptr (JobRankSet) set = text != NULL ? job_rank_set_parse (text, zoo->n, NULL)
                                              : job_rank_set_new_range (0, zoo->n);

    return analysis_verdict_new (zoo->ranks, zoo->n, set);
}

/* ---- verdicts ---- */

static gboolean has_language;

void
zoo_init (int *argc, char ***argv)
{
    g_test_init (argc, argv, NULL);
    has_language = pseudo_open ();
}

/* All that a window shows of it came through the catalogue, as whole clauses and labels. */
static void
check_shown (const AnalysisVerdict *verdict)
{
    if (!has_language) {
        return;
    }
    pseudo_check (verdict->text->english, verdict->text->shown);
    for (guint i = 0; i < verdict->parts->len; i++) {
        const AnalysisVerdictPart *part = g_ptr_array_index (verdict->parts, i);

        if (part->caption != NULL) {
            pseudo_check (part->caption->english, part->caption->shown);
        }
    }
}

void
zoo_assert_verdict (Zoo *zoo, const char *set, AnalysisVerdictKind kind, const char *culprits,
                    const char *command, const char *text)
{
    g_autoptr (AnalysisVerdict) verdict = zoo_judge (zoo, set);
    g_autofree char *ranks = job_rank_set_format (verdict->culprits);

    g_assert_cmpstr (verdict->text->english, ==, text);
    check_shown (verdict);
    g_assert_cmpstr (analysis_verdict_kind_get_name (verdict->kind), ==,
                     analysis_verdict_kind_get_name (kind));
    g_assert_cmpstr (ranks, ==, culprits);
    g_assert_cmpstr (verdict->command, ==, command);
}
