/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A rank's MPI calls by its stacks: which call each thread is in, and the line that called
 * it. */
#include "engine/inspect/inspect.h"
#include "engine/queue/private.h"
#include "job/library.h"

#include <string.h>

#define MAX_THREADS 64

static JobMessageKind
guess_kind (const char *name)
{
    static const struct {
        const char *name;
        JobMessageKind kind;
    } rows[] = {
        { "MPI_Sendrecv", JOB_MESSAGE_SENDRECV },  { "MPI_Send", JOB_MESSAGE_SEND },
        { "MPI_Ssend", JOB_MESSAGE_SEND },         { "MPI_Rsend", JOB_MESSAGE_SEND },
        { "MPI_Recv", JOB_MESSAGE_RECV },          { "MPI_Mrecv", JOB_MESSAGE_RECV },
        { "MPI_Probe", JOB_MESSAGE_PROBE },        { "MPI_Mprobe", JOB_MESSAGE_PROBE },
        { "MPI_Waitany", JOB_MESSAGE_WAIT_ANY },   { "MPI_Waitsome", JOB_MESSAGE_WAIT_ANY },
        { "MPI_Wait", JOB_MESSAGE_WAIT_ALL },      { "MPI_Test", JOB_MESSAGE_POLL },
        { "MPI_Iprobe", JOB_MESSAGE_POLL },        { "MPI_Improbe", JOB_MESSAGE_POLL },
        { "MPI_Init", JOB_MESSAGE_INIT },          { "MPI_Finalize", JOB_MESSAGE_FINALIZE },
        { "MPI_Win_", JOB_MESSAGE_RMA },           { "MPI_Barrier", JOB_MESSAGE_COLLECTIVE },
        { "MPI_Bcast", JOB_MESSAGE_COLLECTIVE },   { "MPI_Gather", JOB_MESSAGE_COLLECTIVE },
        { "MPI_Scatter", JOB_MESSAGE_COLLECTIVE }, { "MPI_All", JOB_MESSAGE_COLLECTIVE },
        { "MPI_Reduce", JOB_MESSAGE_COLLECTIVE },  { "MPI_Scan", JOB_MESSAGE_COLLECTIVE },
        { "MPI_Exscan", JOB_MESSAGE_COLLECTIVE },  { "MPI_Neighbor", JOB_MESSAGE_COLLECTIVE },
        { "MPI_Comm_", JOB_MESSAGE_COLLECTIVE },   { "MPI_Cart_", JOB_MESSAGE_COLLECTIVE },
    };

    for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
        if (g_str_has_prefix (name, rows[i].name)) {
            return rows[i].kind;
        }
    }
    return JOB_MESSAGE_OUTER; /* whatever it waits for, it is inside */
}

static const char *
get_mpi_name (const JobFrame *frame)
{
    const char *name = frame->location.function;

    if (name == NULL || (frame->flags & JOB_FRAME_INTERPRETER)) {
        return NULL;
    }
    if (strcmp (name, "ompi_mpi_finalize") == 0) { /* Open MPI's MPI_Finalize jumps there */
        return "MPI_Finalize";
    }
    name += g_str_has_prefix (name, "PMPI_") ? 1 : 0;
    return g_str_has_prefix (name, "MPI_") ? name : NULL;
}

static JobMessageCall *
new_call (JobMessageKind kind, const char *name)
{
    JobMessageCall *call = job_message_call_new (kind, name);

    call->peer = call->local_peer = JOB_MESSAGE_UNKNOWN;
    call->tag = JOB_MESSAGE_TAG_UNKNOWN;
    return call;
}

/* Of a stripped program the executable alone is known from libraries. */
static gboolean
is_programs (const JobFrame *frame)
{
    return (frame->flags & (JOB_FRAME_LIBRARY | JOB_FRAME_INTERPRETER)) == 0
           || (frame->flags & JOB_FRAME_PROGRAM) != 0;
}

/* The outermost function of MPI's on the stack, whether MPI has lines or not, and the line that
 * called it. Of an MPI without symbols only that it is inside. */
static JobMessageCall *
find_call (const Stack *stack)
{
    JobMessageCall *call = NULL;
    gboolean is_in_mpi = FALSE;

    for (guint i = 0; i < stack->frames->len; i++) {
        const JobFrame *frame = g_ptr_array_index (stack->frames, i);
        const char *name = get_mpi_name (frame), *module = frame->location.module;

        is_in_mpi |= module != NULL && job_library_get_kind (module) == JOB_LIBRARY_MPI;
        if (name == NULL && call == NULL && is_in_mpi && is_programs (frame)) {
            call = new_call (JOB_MESSAGE_OUTER, "MPI");
        }
        if (name != NULL) {
            g_clear_pointer (&call, job_message_call_free);
            call = new_call (guess_kind (name), name);
        } else if (call != NULL && call->place == NULL && frame->location.line != 0
                   && is_programs (frame)) {
            call->place = job_location_dup (&frame->location);
            g_clear_pointer (&call->place->function, g_free);
        }
    }
    return call;
}

static gboolean
is_inside (pid_t tid, gconstpointer data)
{
    const JobMessageQueue *queue = data;

    return BASE_HAS (queue->calls, const JobMessageCall, call, call->thread == (guint32) tid);
}

JobMessageQueue *
engine_queue_fill_stack (EngineProcess *process, const char *remark)
{
    JobMessageQueue *queue = job_message_queue_new (process->slot);

    queue->source = JOB_MESSAGE_SOURCE_STACK;
    queue->remark = g_strdup (remark);
    for (guint i = 0; i < process->threads->len && i < MAX_THREADS; i++) {
        EngineThread *thread = g_ptr_array_index (process->threads, i);
        g_autoptr (Stack) stack = engine_inspect_read_stack (thread, 0);
        JobMessageCall *call = stack != NULL ? find_call (stack) : NULL;

        if (call != NULL) {
            call->thread = (guint32) thread->tid;
            g_ptr_array_add (queue->calls, call);
        }
    }
    if (queue->calls->len > 0 && process->threads->len > queue->calls->len) {
        engine_queue_find_others (process, TRUE, is_inside, NULL, queue, queue);
    }
    return queue;
}
