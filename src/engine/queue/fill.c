/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The recorder's tables as the values that the front end knows: handles become lists, ranks of
 * communicators ranks of the job, return addresses lines. */
#include "engine/inspect/inspect.h"
#include "engine/queue/private.h"
#include <string.h>

#define MAX_RECENT 16
#define NO_INDEX 0xffff

G_STATIC_ASSERT ((int) PDDT_QUEUE_COLLECTIVE == (int) JOB_MESSAGE_COLLECTIVE);
G_STATIC_ASSERT ((int) PDDT_QUEUE_FINALIZE == (int) JOB_MESSAGE_FINALIZE);
G_STATIC_ASSERT ((int) PDDT_QUEUE_V_FORM == (int) JOB_MESSAGE_V_FORM);
G_STATIC_ASSERT ((int) PDDT_QUEUE_GENERAL == (int) JOB_MESSAGE_GENERAL);
G_STATIC_ASSERT ((int) PDDT_QUEUE_HERE == (int) JOB_MESSAGE_HERE);
G_STATIC_ASSERT ((int) PDDT_QUEUE_NEIGHBOURS == (int) JOB_MESSAGE_COMMUNICATOR_NEIGHBOURS);
G_STATIC_ASSERT ((int) PDDT_QUEUE_NO_SHARE == (int) JOB_MESSAGE_NO_SHARE);
G_STATIC_ASSERT ((int) PDDT_QUEUE_CUT == (int) JOB_MESSAGE_COMMUNICATOR_INCOMPLETE);
G_STATIC_ASSERT (PDDT_QUEUE_FIRST == JOB_MESSAGE_MAX_BYTES);

const struct pddt_queue_communicator *
engine_queue_find_communicator (const EngineQueueFilling *filling, guint64 id)
{
    for (guint32 i = 0; i < filling->copy->queue->communicators_high; i++) {
        const struct pddt_queue_communicator *entry = &filling->copy->communicators[i];

        if (entry->in_use && entry->id == id) {
            return entry;
        }
    }
    return NULL;
}

/* The rank of the job that a call means by a rank of its communicator. */
gint32
engine_queue_map_peer (const EngineQueueFilling *filling, guint64 communicator, gint32 local)
{
    const struct pddt_queue_communicator *entry;
    guint32 first, count;
    gint32 member;

    if (local < 0) {
        return local >= PDDT_QUEUE_UNKNOWN ? local : JOB_MESSAGE_UNKNOWN;
    }
    entry = engine_queue_find_communicator (filling, communicator);
    if (entry == NULL) {
        return JOB_MESSAGE_UNKNOWN;
    }
    first = entry->flags & PDDT_QUEUE_INTER ? entry->remote : entry->members;
    count = entry->flags & PDDT_QUEUE_INTER ? entry->n_remote : entry->n_members;
    if (count == 0) {
        return entry->flags & (PDDT_QUEUE_CUT | PDDT_QUEUE_INTER) || local >= entry->size
                   ? JOB_MESSAGE_UNKNOWN
                   : local;
    }
    if ((guint32) local >= count || first > PDDT_QUEUE_MEMBERS - count
        || first + count > filling->copy->queue->members_high) {
        return JOB_MESSAGE_UNKNOWN;
    }
    member = filling->copy->members[first + (guint32) local];
    return member >= 0 ? member : JOB_MESSAGE_OUTSIDE;
}

JobLocation *
engine_queue_dup_place (const EngineQueueFilling *filling, guint64 caller)
{
    JobLocation *place;

    if (caller == 0) {
        return NULL;
    }
    if (!g_hash_table_lookup_extended (filling->places, &caller, NULL, (gpointer *) &place)) {
        place = engine_queue_locate (filling->process, caller, NULL);
        g_hash_table_insert (filling->places, g_memdup2 (&caller, sizeof caller), place);
    }
    return job_location_dup (place);
}

/* A thread that is inside: Python's line is the present one. */
static JobLocation *
dup_present_place (const EngineQueueFilling *filling, const struct pddt_queue_thread *thread)
{
    guint64 caller = engine_queue_get_record (thread)->caller;
    EngineProcess *process = filling->process;
    g_autoptr (JobLocation) python = NULL;

    if (process->runtime == NULL) {
        return engine_queue_dup_place (filling, caller);
    }
    python = thread->tid == (guint32) process->pid
                 ? job_location_dup (filling->python)
                 : engine_inspect_dup_running_place_of (process, (pid_t) thread->tid);
    return python != NULL ? engine_queue_locate (process, caller, python)
                          : engine_queue_dup_place (filling, caller);
}

char *
engine_queue_dup_name (const EngineQueueFilling *filling, guint32 call)
{
    const struct pddt_queue_call *entry = engine_queue_get_call (filling->process, call);

    return entry != NULL ? g_strdup (entry->name) : NULL;
}

static char *
dup_type (const EngineQueueFilling *filling, guint16 type)
{
    return type > 0 && type <= filling->copy->queue->n_types
               ? g_strdup (filling->copy->queue->types[type - 1])
               : NULL;
}

char *
engine_queue_dup_signature (const EngineQueueFilling *filling, guint16 signature)
{
    return signature > 0 && signature <= filling->copy->queue->n_signatures
               ? g_strdup (filling->copy->signatures[signature - 1])
               : NULL;
}

char *
engine_queue_dup_reduction (const EngineQueueFilling *filling, guint16 reduction)
{
    if (reduction == 0) {
        return NULL;
    }
    return g_strdup (reduction < PDDT_QUEUE_OPS ? filling->copy->queue->ops[reduction]
                                                : "user");
}

/* MPI was built with other sizes of Fortran's types than usual: as values the bytes would be shown wrongly. */
static gboolean
is_unusual (const EngineQueueFilling *filling, const char *type)
{
    static const struct {
        const char *type, *signature;
    } wide[] = {
        { "MPI_INTEGER", "i8=MPI_INTEGER" },
        { "MPI_REAL", "f8=MPI_REAL" },
        { "MPI_DOUBLE_PRECISION", "f16=MPI_DOUBLE_PRECISION" },
    };

    for (guint i = 0; i < G_N_ELEMENTS (wide); i++) {
        if (g_strcmp0 (type, wide[i].type) == 0
            && BASE_ANY (j, filling->copy->queue->n_signatures,
                         strcmp (filling->copy->signatures[j], wide[i].signature) == 0)) {
            return TRUE;
        }
    }
    return FALSE;
}

static void
read_first (const EngineQueueFilling *filling, JobMessageOperation *operation, guint16 type)
{
    gsize size = MIN (operation->bytes, JOB_MESSAGE_MAX_BYTES);

    if (operation->kind == JOB_MESSAGE_SEND && type != 0 && type != NO_INDEX
        && operation->buffer != 0 && !is_unusual (filling, operation->datatype)) {
        operation->n_first
            = (guint32) base_memory_read_some (engine_process_get_memory (filling->process),
                                               operation->buffer, operation->first, size);
    }
}

static JobMessageOperation *
new_operation (const EngineQueueFilling *filling, JobMessageKind kind, guint32 call,
               const struct pddt_queue_message *message)
{
    JobMessageOperation *operation = job_message_operation_new (kind, NULL);

    operation->name = engine_queue_dup_name (filling, call);
    operation->communicator = message->communicator;
    operation->local_peer = message->peer;
    operation->peer = engine_queue_map_peer (filling, message->communicator, message->peer);
    operation->tag = message->tag;
    operation->count = (guint64) MAX (message->count, 0);
    operation->bytes = message->bytes;
    operation->buffer = message->buffer;
    operation->datatype = dup_type (filling, message->type);
    operation->reduction = engine_queue_dup_reduction (filling, message->reduction);
    read_first (filling, operation, message->type);
    return operation;
}

/* Of a partitioned send, which partitions MPI_Pready has not marked. */
static void
add_partitions (JobMessageOperation *operation, const struct pddt_queue_request *entry)
{
    operation->n_partitions = entry->n_partitions;
    operation->n_ready = MIN (entry->n_ready, entry->n_partitions);
    operation->unready = JOB_MESSAGE_UNKNOWN;
    for (guint32 i = 0; i < MIN (entry->n_partitions, 64); i++) {
        if (!(entry->ready >> i & 1)) {
            operation->unready = (gint32) i;
            return;
        }
    }
}

BASE_ORDER_POINTERS (compare_numbers, struct pddt_queue_request, BASE_BY (number))

static void
add_requests (EngineQueueFilling *filling)
{
    const EngineQueueCopy *copy = filling->copy;
    g_autoptr (GPtrArray) open = g_ptr_array_new ();

    for (guint32 i = 0; i < copy->queue->requests_high; i++) {
        const struct pddt_queue_request *entry = &copy->requests[i];

        if (entry->state == PDDT_QUEUE_ACTIVE && entry->kind < JOB_MESSAGE_N_KINDS) {
            g_ptr_array_add (open, (gpointer) entry);
        }
    }
    g_ptr_array_sort (open, compare_numbers);
    for (guint i = 0; i < open->len; i++) {
        const struct pddt_queue_request *entry = g_ptr_array_index (open, i);
        JobMessageOperation *operation = new_operation (filling, (JobMessageKind) entry->kind,
                                                        entry->call, &entry->message);

        /* FINISHED is the recorder's own mark here. */
        operation->flags = entry->flags & ~(guint32) PDDT_QUEUE_FINISHED;
        operation->request = entry->handle;
        operation->sequence = entry->kind == PDDT_QUEUE_SEND ? entry->extra : entry->collective;
        operation->place = engine_queue_dup_place (filling, entry->caller);
        add_partitions (operation, entry);
        g_ptr_array_add (filling->queue->operations, operation);
        filling->operations[entry - copy->requests] = filling->queue->operations->len;
    }
}

/* What a call itself waits for, as an operation of its own. */
static void
add_in_call (EngineQueueFilling *filling, JobMessageCall *call, JobMessageKind kind,
             guint32 flags, const struct pddt_queue_record *current,
             const struct pddt_queue_message *message)
{
    JobMessageOperation *operation = new_operation (filling, kind, current->call, message);
    guint32 index = filling->queue->operations->len;

    operation->flags = flags | JOB_MESSAGE_IN_CALL;
    operation->sequence = kind == JOB_MESSAGE_COLLECTIVE ? current->collective : 0;
    operation->place = job_location_dup (call->place);
    g_ptr_array_add (filling->queue->operations, operation);
    g_array_append_val (call->waits, index);
}

static void
add_waits (EngineQueueFilling *filling, JobMessageCall *call,
           const struct pddt_queue_thread *thread)
{
    guint32 n = MIN (thread->n_waits, PDDT_QUEUE_WAITS);
    guint64 number = engine_queue_get_record (thread)->number;

    for (guint32 i = 0; i < n; i++) {
        guint16 request = thread->waits[i];
        guint32 index;

        if (request >= filling->copy->queue->requests_high) {
            filling->queue->flags
                |= JOB_MESSAGE_QUEUE_INCOMPLETE; /* one whose birth was not seen */
            continue;
        }
        if (filling->operations[request] == 0) {
            continue; /* it is over */
        }
        index = filling->operations[request] - 1;
        g_array_append_val (call->waits, index);
    }
    for (guint32 i = 0; thread->n_waits > n && i < filling->copy->queue->requests_high; i++) {
        guint32 index = filling->operations[i] - 1;

        if (filling->operations[i] != 0 && filling->copy->requests[i].waited == number) {
            g_array_append_val (call->waits, index);
        }
    }
}

/* A poll for one request is for that one's peer. */
static void
take_peer (const EngineQueueFilling *filling, JobMessageCall *call)
{
    const JobMessageOperation *operation;

    if (call->kind == JOB_MESSAGE_POLL && call->waits->len == 1) {
        operation = g_ptr_array_index (filling->queue->operations,
                                       g_array_index (call->waits, guint32, 0));
        call->communicator = operation->communicator;
        call->local_peer = operation->local_peer;
        call->peer = operation->peer;
        call->tag = operation->tag;
    }
}

static void
add_operations (EngineQueueFilling *filling, JobMessageCall *call, guint32 flags,
                const struct pddt_queue_thread *thread)
{
    const struct pddt_queue_record *current = engine_queue_get_record (thread);

    /* Nonblocking calls return by themselves. */
    if (flags & PDDT_QUEUE_NONBLOCKING) {
        call->kind = JOB_MESSAGE_LOCAL;
        return;
    }
    switch (call->kind) {
    case JOB_MESSAGE_SEND:
    case JOB_MESSAGE_RECV:
    case JOB_MESSAGE_PROBE:
    case JOB_MESSAGE_COLLECTIVE:
    case JOB_MESSAGE_RMA:
        add_in_call (filling, call, call->kind, flags, current, &current->message);
        break;
    case JOB_MESSAGE_OUTER: /* MPI_Intercomm_create needs its own group and the other's leader */
        if (current->collective == 0) {
            add_in_call (filling, call, call->kind, flags, current, &current->message);
            break;
        }
        add_in_call (filling, call, JOB_MESSAGE_COLLECTIVE, flags, current, &current->message);
        add_in_call (filling, call, JOB_MESSAGE_OUTER, flags, current, &thread->second);
        break;
    case JOB_MESSAGE_SENDRECV:
        add_in_call (filling, call, JOB_MESSAGE_SEND, flags, current, &current->message);
        add_in_call (filling, call, JOB_MESSAGE_RECV, flags, current, &thread->second);
        break;
    case JOB_MESSAGE_WAIT_ALL:
    case JOB_MESSAGE_WAIT_ANY:
    case JOB_MESSAGE_POLL:
        add_waits (filling, call, thread);
        take_peer (filling, call);
        break;
    default: break;
    }
}

static void
add_call (EngineQueueFilling *filling, const struct pddt_queue_thread *thread)
{
    const struct pddt_queue_record *current = engine_queue_get_record (thread);
    const struct pddt_queue_call *entry = engine_queue_get_call (filling->process,
                                                                 thread->inside);
    JobMessageCall *call;

    if (entry == NULL || entry->kind >= JOB_MESSAGE_N_KINDS) {
        return;
    }
    call = job_message_call_new ((JobMessageKind) entry->kind, entry->name);
    call->thread = thread->tid;
    call->number = current->number;
    call->completed = thread->completed;
    call->communicator = current->message.communicator;
    call->local_peer = current->message.peer;
    call->peer = engine_queue_map_peer (filling, call->communicator, call->local_peer);
    call->tag = current->message.tag;
    call->count = (guint64) MAX (current->message.count, 0);
    call->bytes = current->message.bytes;
    call->place = dup_present_place (filling, thread);
    add_operations (filling, call, entry->flags, thread);
    g_ptr_array_add (filling->queue->calls, call);
}

/* A poll that found nothing is no completed call, and its record is where the next call's will be. */
static void
add_last_poll (EngineQueueFilling *filling, const struct pddt_queue_thread *thread)
{
    const struct pddt_queue_record *last = engine_queue_get_record (thread);
    const struct pddt_queue_call *entry = engine_queue_get_call (filling->process, last->call);
    JobMessageCall *call;

    if (thread->inside != 0 || entry == NULL || entry->kind != PDDT_QUEUE_POLL
        || last->number == 0) {
        return;
    }
    call = job_message_call_new (JOB_MESSAGE_POLL, entry->name);
    call->thread = thread->tid;
    call->number = last->number;
    call->place = engine_queue_dup_place (filling, last->caller);
    call->communicator = last->message.communicator;
    call->local_peer = last->message.peer;
    call->peer = engine_queue_map_peer (filling, call->communicator, call->local_peer);
    call->tag = last->message.tag;
    add_waits (filling, call, thread);
    take_peer (filling, call);
    g_ptr_array_add (filling->queue->recent, call);
}

BASE_ORDER_POINTERS (compare_calls, JobMessageCall, BASE_BY (number))

static void
add_recent (EngineQueueFilling *filling, const struct pddt_queue_thread *thread)
{
    /* The oldest gives its place to the call under way. */
    guint64 n = MIN (thread->completed, PDDT_QUEUE_RECENT - 1);

    for (guint64 i = thread->completed - n; i < thread->completed; i++) {
        const struct pddt_queue_record *recent = &thread->records[i % PDDT_QUEUE_RECENT];
        const struct pddt_queue_call *entry = engine_queue_get_call (filling->process,
                                                                     recent->call);
        JobMessageCall *call;

        if (entry == NULL || entry->kind >= JOB_MESSAGE_N_KINDS) {
            continue;
        }
        call = job_message_call_new ((JobMessageKind) entry->kind, entry->name);
        call->thread = thread->tid;
        call->number = recent->number;
        call->communicator = recent->message.communicator;
        call->local_peer = recent->message.peer;
        call->peer = engine_queue_map_peer (filling, call->communicator, call->local_peer);
        call->tag = recent->message.tag;
        call->bytes = recent->message.bytes;
        call->result = recent->result;
        call->place = engine_queue_dup_place (filling, recent->caller);
        g_ptr_array_add (filling->queue->recent, call);
    }
}

static void
add_threads (EngineQueueFilling *filling)
{
    GPtrArray *recent = filling->queue->recent;

    for (guint32 i = 0; i < filling->copy->queue->threads_high; i++) {
        const struct pddt_queue_thread *thread = &filling->copy->threads[i];

        filling->queue->completed += thread->completed;
        if (thread->tid != 0) {
            add_call (filling, thread);
            add_recent (filling, thread);
            add_last_poll (filling, thread);
        }
    }
    g_ptr_array_sort (recent, compare_calls);
    if (recent->len > MAX_RECENT) {
        g_ptr_array_remove_range (recent, 0, recent->len - MAX_RECENT);
    }
}

static void
add_flows (EngineQueueFilling *filling)
{
    for (guint32 i = 0; i < filling->copy->queue->flows_high; i++) {
        const struct pddt_queue_flow *entry = &filling->copy->flows[i];
        JobMessageFlow *flow;

        if (entry->in_use == 0) {
            continue;
        }
        flow = job_message_flow_new (entry->in_use == 1, entry->communicator,
                                     engine_queue_map_peer (filling, entry->communicator,
                                                            entry->peer),
                                     entry->tag, entry->n_messages);
        flow->n_matched = entry->n_matched;
        flow->matched = entry->in_use == 2 && entry->n_matched > 0
                            ? engine_queue_dup_place (filling, entry->matched_caller)
                            : NULL;
        g_ptr_array_add (filling->queue->flows, flow);
    }
}

static void
add_sent (EngineQueueFilling *filling)
{
    guint64 n_sent = filling->copy->queue->n_sent, n = MIN (n_sent, PDDT_QUEUE_SENT);

    for (guint64 i = n_sent - n; i < n_sent; i++) {
        const struct pddt_queue_sent *entry = &filling->copy->sent[i % PDDT_QUEUE_SENT];
        const struct pddt_queue_flow *flow;
        JobMessage *message;

        if (entry->flow >= filling->copy->queue->flows_high) {
            continue;
        }
        flow = &filling->copy->flows[entry->flow];
        message = job_message_new (NULL);
        message->name = engine_queue_dup_name (filling, entry->call);
        message->communicator = flow->communicator;
        message->peer = engine_queue_map_peer (filling, message->communicator, flow->peer);
        message->tag = flow->tag;
        message->number = entry->number;
        message->bytes = entry->bytes;
        message->datatype = dup_type (filling, entry->type);
        message->n_first = is_unusual (filling, message->datatype)
                               ? 0
                               : MIN (entry->n_first, JOB_MESSAGE_MAX_BYTES);
        memcpy (message->first, entry->first, JOB_MESSAGE_MAX_BYTES);
        message->place = engine_queue_dup_place (filling, entry->caller);
        g_ptr_array_add (filling->queue->sent, message);
    }
}

/* Receives that were posted before the newest that is complete, and may be of the flow, take messages
 * before it: which number each has is known when they are complete too. */
static gboolean
is_open_before (const EngineQueueFilling *filling, const struct pddt_queue_flow *flow)
{
    for (guint32 i = 0; flow->in_use == 2 && i < filling->copy->queue->requests_high; i++) {
        const struct pddt_queue_request *request = &filling->copy->requests[i];
        const struct pddt_queue_message *message = &request->message;

        if (request->state == PDDT_QUEUE_ACTIVE && request->kind == PDDT_QUEUE_RECV
            && request->number < flow->newest && message->communicator == flow->communicator
            && (message->peer == flow->peer || message->peer < 0)
            && (message->tag == flow->tag || message->tag < 0)) {
            return TRUE;
        }
    }
    return FALSE;
}

/* Communicators whose birth was not seen may have one number and be two. */
static gboolean
is_numbered (const EngineQueueFilling *filling, const struct pddt_queue_flow *flow)
{
    const struct pddt_queue_communicator *entry
        = engine_queue_find_communicator (filling, flow->communicator);

    return entry != NULL && (entry->maker != 0 || entry->id == JOB_MESSAGE_WORLD_ID);
}

static void
add_run (EngineQueueFilling *filling, const struct pddt_queue_run *entry,
         const struct pddt_queue_flow *flow, guint64 last)
{
    JobMessageRun *run = job_message_run_new (NULL);

    run->is_sent = flow->in_use == 1;
    run->communicator = flow->communicator;
    run->peer = engine_queue_map_peer (filling, flow->communicator, flow->peer);
    run->tag = flow->tag;
    run->first = entry->first;
    run->last = last;
    run->bytes = entry->bytes;
    run->signature = engine_queue_dup_signature (filling, entry->signature);
    run->name = engine_queue_dup_name (filling, entry->call);
    run->place = filling->is_short ? NULL : engine_queue_dup_place (filling, entry->caller);
    g_ptr_array_add (filling->queue->runs, run);
}

static void
add_runs (EngineQueueFilling *filling)
{
    const struct pddt_queue *queue = filling->copy->queue;
    g_autofree guint64 *next = g_new0 (guint64, queue->flows_high
                                                    + 1); /* where the run after it begins */
    g_autofree guint8 *known = g_new0 (guint8, queue->flows_high
                                                   + 1); /* 1: it counts, 2: it does not */
    guint64 n = MIN (queue->n_runs, PDDT_QUEUE_RUNS);

    for (guint64 i = queue->n_runs; i > queue->n_runs - n; i--) {
        const struct pddt_queue_run *entry = &filling->copy->runs[(i - 1) % PDDT_QUEUE_RUNS];
        const struct pddt_queue_flow *flow;
        guint64 last;

        if (entry->flow >= queue->flows_high) {
            continue;
        }
        flow = &filling->copy->flows[entry->flow];
        if (known[entry->flow] == 0) {
            /* Threads may receive in another order than the messages match. */
            known[entry->flow] = flow->is_disordered || !is_numbered (filling, flow)
                                         || is_open_before (filling, flow)
                                         || ((queue->state & PDDT_QUEUE_MULTIPLE)
                                             && entry->first != 1)
                                     ? 2
                                     : 1;
        }
        last = next[entry->flow] != 0 ? next[entry->flow] - 1 : flow->n_messages;
        next[entry->flow] = entry->first;
        if (known[entry->flow] == 1 && entry->signature != 0 && entry->first > 0
            && last >= entry->first) {
            add_run (filling, entry, flow, last);
        }
    }
}

/* A send is counted by the recorder when it returns: until then it is added here. */
static void
add_sending (EngineQueueFilling *filling, const struct pddt_queue_message *message,
             guint32 call, const JobLocation *place)
{
    gint32 peer = engine_queue_map_peer (filling, message->communicator, message->peer);
    JobMessageFlow *flow = NULL;
    JobMessage *sent;

    if (message->peer < 0) {
        return;
    }
    for (guint i = 0; i < filling->queue->flows->len && flow == NULL; i++) {
        JobMessageFlow *candidate = g_ptr_array_index (filling->queue->flows, i);

        if (candidate->is_sent && candidate->communicator == message->communicator
            && candidate->peer == peer && candidate->tag == message->tag) {
            flow = candidate;
        }
    }
    if (flow == NULL) {
        flow = job_message_flow_new (TRUE, message->communicator, peer, message->tag, 0);
        g_ptr_array_add (filling->queue->flows, flow);
    }
    sent = job_message_new (NULL);
    sent->name = engine_queue_dup_name (filling, call);
    sent->communicator = message->communicator;
    sent->peer = peer;
    sent->tag = message->tag;
    sent->number = ++flow->n_messages;
    sent->bytes = message->bytes;
    sent->datatype = dup_type (filling, message->type);
    if (message->type != 0 && message->type != NO_INDEX
        && !is_unusual (filling, sent->datatype)) {
        sent->n_first
            = (guint32) base_memory_read_some (engine_process_get_memory (filling->process),
                                               message->buffer, sent->first,
                                               MIN (message->bytes, JOB_MESSAGE_MAX_BYTES));
    }
    sent->place = job_location_dup (place);
    g_ptr_array_add (filling->queue->sent, sent);
}

static void
add_all_sending (EngineQueueFilling *filling)
{
    for (guint32 i = 0; i < filling->copy->queue->threads_high; i++) {
        const struct pddt_queue_thread *thread = &filling->copy->threads[i];
        const struct pddt_queue_call *entry = engine_queue_get_call (filling->process,
                                                                     thread->inside);

        if (thread->tid != 0 && entry != NULL && !(entry->flags & PDDT_QUEUE_PERSISTENT)
            && (entry->kind == PDDT_QUEUE_SEND || entry->kind == PDDT_QUEUE_SENDRECV)) {
            g_autoptr (JobLocation) place = dup_present_place (filling, thread);

            add_sending (filling, &engine_queue_get_record (thread)->message, thread->inside,
                         place);
        }
    }
}

static void
fill_head (EngineQueueFilling *filling)
{
    static const struct {
        guint32 from, to;
    } flags[] = {
        { PDDT_QUEUE_INITIALIZED, JOB_MESSAGE_QUEUE_INITIALIZED },
        { PDDT_QUEUE_FINALIZED, JOB_MESSAGE_QUEUE_FINALIZED },
        { PDDT_QUEUE_MULTIPLE, JOB_MESSAGE_QUEUE_THREADS },
        { PDDT_QUEUE_OVERFLOW, JOB_MESSAGE_QUEUE_INCOMPLETE },
    };
    const struct pddt_queue *from = filling->copy->queue;
    JobMessageQueue *queue = filling->queue;

    for (guint i = 0; i < G_N_ELEMENTS (flags); i++) {
        queue->flags |= from->state & flags[i].from ? flags[i].to : 0;
    }
    queue->flags |= from->state & PDDT_QUEUE_UNCOUNTED ? 0 : JOB_MESSAGE_QUEUE_COUNTED;
    queue->flags |= filling->copy->is_changing ? JOB_MESSAGE_QUEUE_CHANGING : 0;
    queue->source = JOB_MESSAGE_SOURCE_RECORDER;
    queue->world_rank = from->world_rank;
    queue->world_size = from->world_size;
    queue->library = g_strdup (from->library[0] != '\0' ? from->library : NULL);
    if ((from->state & (PDDT_QUEUE_SESSION | PDDT_QUEUE_INITIALIZED)) == PDDT_QUEUE_SESSION) {
        queue->remark
            = g_strdup ("what MPI_Session_init gives is not recorded before MPI_Init");
    }
    queue->error = g_strdup (from->error[0] != '\0' ? from->error : NULL);
}

/* Whether the rank gets on: for looks that come again and again, and that stop nobody. */
static void
add_progress (EngineQueueFilling *filling)
{
    for (guint32 i = 0; i < filling->copy->queue->threads_high; i++) {
        const struct pddt_queue_thread *thread = &filling->copy->threads[i];
        const struct pddt_queue_call *entry = thread->tid != 0
                                                  ? engine_queue_get_call (filling->process,
                                                                           thread->inside)
                                                  : NULL;
        JobMessageCall *call;

        filling->queue->completed += thread->completed;
        if (entry == NULL || entry->kind >= JOB_MESSAGE_N_KINDS) {
            continue;
        }
        call = job_message_call_new (entry->flags & PDDT_QUEUE_NONBLOCKING
                                         ? JOB_MESSAGE_LOCAL
                                         : (JobMessageKind) entry->kind,
                                     entry->name);
        call->thread = thread->tid;
        call->number = engine_queue_get_record (thread)->number;
        call->completed = thread->completed;
        g_ptr_array_add (filling->queue->calls, call);
    }
}

JobMessageQueue *
engine_queue_fill_collectives (EngineProcess *process, const EngineQueueCopy *copy,
                               gboolean with_places)
{
    EngineQueueFilling filling
        = { .process = process,
            .copy = copy,
            .is_short = !with_places,
            .queue = job_message_queue_new (process->slot),
            .places = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free,
                                             (GDestroyNotify) job_location_free) };

    fill_head (&filling);
    engine_queue_add_communicators (&filling);
    if (!with_places) {
        add_progress (&filling);
    }
    add_runs (&filling);
    g_hash_table_unref (filling.places);
    return filling.queue;
}

JobMessageQueue *
engine_queue_fill (EngineProcess *process, const EngineQueueCopy *copy, gboolean with_runs)
{
    g_autoptr (JobLocation) python = engine_inspect_dup_running_place (process);
    g_autofree guint32 *operations = g_new0 (guint32, copy->queue->requests_high + 1);
    EngineQueueFilling filling = {
        .process = process,
        .copy = copy,
        .queue = job_message_queue_new (process->slot),
        .python = python,
        .operations = operations,
        .places = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free,
                                         (GDestroyNotify) job_location_free),
    };

    fill_head (&filling);
    engine_queue_add_communicators (&filling);
    add_requests (&filling);
    add_threads (&filling);
    add_flows (&filling);
    add_sent (&filling);
    add_all_sending (&filling);
    if (with_runs) {
        add_runs (&filling);
    }
    g_hash_table_unref (filling.places);
    return filling.queue;
}
