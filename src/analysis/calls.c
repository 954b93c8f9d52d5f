/* SPDX-License-Identifier: GPL-3.0-or-later */
/* MPI calls by name, for ranks of which only the stack is known. */
#include "analysis/calls.h"
#include <string.h>

static const struct {
    const char *name;
    JobMessageKind kind;
} kinds[] = {
    { "MPI_Send", JOB_MESSAGE_SEND },
    { "MPI_Ssend", JOB_MESSAGE_SEND },
    { "MPI_Rsend", JOB_MESSAGE_SEND },
    { "MPI_Recv", JOB_MESSAGE_RECV },
    { "MPI_Mrecv", JOB_MESSAGE_LOCAL },
    { "MPI_Probe", JOB_MESSAGE_PROBE },
    { "MPI_Mprobe", JOB_MESSAGE_PROBE },
    { "MPI_Sendrecv", JOB_MESSAGE_SENDRECV },
    { "MPI_Sendrecv_replace", JOB_MESSAGE_SENDRECV },
    { "MPI_Wait", JOB_MESSAGE_WAIT_ALL },
    { "MPI_Waitall", JOB_MESSAGE_WAIT_ALL },
    { "MPI_Waitany", JOB_MESSAGE_WAIT_ANY },
    { "MPI_Waitsome", JOB_MESSAGE_WAIT_ANY },
    { "MPI_Barrier", JOB_MESSAGE_COLLECTIVE },
    { "MPI_Bcast", JOB_MESSAGE_COLLECTIVE },
    { "MPI_Reduce", JOB_MESSAGE_COLLECTIVE },
    { "MPI_Allreduce", JOB_MESSAGE_COLLECTIVE },
    { "MPI_Gather", JOB_MESSAGE_COLLECTIVE },
    { "MPI_Gatherv", JOB_MESSAGE_COLLECTIVE },
    { "MPI_Allgather", JOB_MESSAGE_COLLECTIVE },
    { "MPI_Allgatherv", JOB_MESSAGE_COLLECTIVE },
    { "MPI_Scatter", JOB_MESSAGE_COLLECTIVE },
    { "MPI_Scatterv", JOB_MESSAGE_COLLECTIVE },
    { "MPI_Alltoall", JOB_MESSAGE_COLLECTIVE },
    { "MPI_Alltoallv", JOB_MESSAGE_COLLECTIVE },
    { "MPI_Alltoallw", JOB_MESSAGE_COLLECTIVE },
    { "MPI_Scan", JOB_MESSAGE_COLLECTIVE },
    { "MPI_Exscan", JOB_MESSAGE_COLLECTIVE },
    { "MPI_Reduce_scatter", JOB_MESSAGE_COLLECTIVE },
    { "MPI_Reduce_scatter_block", JOB_MESSAGE_COLLECTIVE },
    { "MPI_Comm_dup", JOB_MESSAGE_COLLECTIVE },
    { "MPI_Comm_split", JOB_MESSAGE_COLLECTIVE },
    { "MPI_Comm_create", JOB_MESSAGE_COLLECTIVE },
    { "MPI_Win_fence", JOB_MESSAGE_COLLECTIVE },
    { "MPI_Init", JOB_MESSAGE_INIT },
    { "MPI_Init_thread", JOB_MESSAGE_INIT },
    { "MPI_Finalize", JOB_MESSAGE_FINALIZE },
    { "MPI_Test", JOB_MESSAGE_POLL },
    { "MPI_Testall", JOB_MESSAGE_POLL },
    { "MPI_Testany", JOB_MESSAGE_POLL },
    { "MPI_Testsome", JOB_MESSAGE_POLL },
    { "MPI_Iprobe", JOB_MESSAGE_POLL },
    { "MPI_Improbe", JOB_MESSAGE_POLL },
};

JobMessageKind
analysis_calls_find_kind (const char *name)
{
    for (guint i = 0; name != NULL && i < G_N_ELEMENTS (kinds); i++) {
        if (strcmp (kinds[i].name, name) == 0) {
            return kinds[i].kind;
        }
    }
    return JOB_MESSAGE_OUTER; /* whatever it waits for */
}

JobMessageQueue *
analysis_calls_make_queue (guint32 rank, const JobLocation *place)
{
    JobMessageQueue *queue;
    JobMessageCall *call;

    if (place == NULL || place->function == NULL
        || !g_str_has_prefix (place->function, "MPI_")) {
        return NULL;
    }
    queue = job_message_queue_new (rank);
    queue->source = JOB_MESSAGE_SOURCE_STACK;
    queue->flags = JOB_MESSAGE_QUEUE_INITIALIZED;
    call = job_message_call_new (analysis_calls_find_kind (place->function), place->function);
    call->peer = call->local_peer = JOB_MESSAGE_UNKNOWN;
    call->tag = JOB_MESSAGE_TAG_UNKNOWN;
    call->place = job_location_dup (place);
    g_ptr_array_add (queue->calls, call);
    return queue;
}

gboolean
analysis_calls_is_for_another_job (const char *name)
{
    static const char *const names[]
        = { "MPI_Comm_accept",    "MPI_Comm_connect",        "MPI_Comm_join",
            "MPI_Comm_spawn",     "MPI_Comm_spawn_multiple", "MPI_Publish_name",
            "MPI_Unpublish_name", "MPI_Lookup_name",         NULL };

    return name != NULL && g_strv_contains (names, name);
}
