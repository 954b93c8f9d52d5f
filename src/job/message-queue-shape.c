/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What queues consist of, field by field, and what follows from that alone: freeing and copies. */
#include "job/message-queue-private.h"

/* clang-format off */
#define FIELD(kind, member, limit, items) { JOB_FIELD_##kind, G_STRUCT_OFFSET (OF, member), limit, items }
#define LONG(member) FIELD (LONG, member, 0, NULL)
#define WORD(member) FIELD (WORD, member, 0, NULL)
#define BELOW(limit, member) FIELD (WORD, member, limit, NULL)
#define PEER(member) FIELD (PEER, member, 0, NULL)
#define FLAG(member) FIELD (FLAG, member, 0, NULL)
#define BYTES(member) FIELD (BYTES, member, 0, NULL)
#define TEXT(member) FIELD (TEXT, member, 0, NULL)
#define PLACE(member) FIELD (PLACE, member, 0, NULL)
#define LIST(member) FIELD (LIST, member, 0, NULL)
#define OWN_LIST(member) FIELD (OWN_LIST, member, 0, NULL)
#define ITEMS(shape, member) FIELD (ITEMS, member, 0, &shape)
#define LOCAL(member) FIELD (LOCAL, member, 0, NULL)
#define UNUSED { JOB_FIELD_UNUSED, 0, 0, NULL }
#define SHAPE(column, free, fields) \
    { JOB_COLUMN_##column, sizeof (OF), (GDestroyNotify) free, fields, G_N_ELEMENTS (fields) }
/* The function that frees one in a list. */
#define FREE(name, shape)                                                                      \
    static const JobShape shape;                                                               \
    static void name (gpointer value)                                                          \
    {                                                                                          \
        job_shape_clear (&shape, value);                                                       \
        g_free (value);                                                                        \
    }

FREE (free_run, run_shape)
FREE (free_message, message_shape)
FREE (free_flow, flow_shape)
FREE (free_collective, collective_shape)
FREE (free_communicator, communicator_shape)
FREE (free_operation, operation_shape)
FREE (free_call, call_shape)

#define OF JobWait
static const JobField wait_fields[] = {
    LONG (number), LONG (turns), BELOW (JOB_N_WAITS, kind), WORD (flags), WORD (thread), WORD (other),
    TEXT (thread_name), TEXT (other_name), TEXT (name), TEXT (file), WORD (line), WORD (peer)
};
static const JobShape wait_shape = SHAPE (WAITS, job_wait_free, wait_fields);
#undef OF

#define OF JobMessageRun
static const JobField run_fields[] = {
    LONG (communicator), LONG (first), LONG (last), LONG (bytes), PEER (peer), WORD (tag), FLAG (is_sent),
    TEXT (signature), TEXT (name), PLACE (place)
};
static const JobShape run_shape = SHAPE (RUNS, free_run, run_fields);
#undef OF

#define OF JobMessage
static const JobField message_fields[] = {
    LONG (communicator), LONG (number), LONG (bytes), BYTES (first), PEER (peer), WORD (tag), TEXT (name),
    TEXT (datatype), BELOW (JOB_MESSAGE_MAX_BYTES + 1, n_first), PLACE (place)
};
static const JobShape message_shape = SHAPE (MESSAGES, free_message, message_fields);
#undef OF

#define OF JobMessageFlow
static const JobField flow_fields[] = {
    LONG (communicator), LONG (n_messages), LONG (n_matched), PEER (peer), WORD (tag), FLAG (is_sent),
    PLACE (matched)
};
static const JobShape flow_shape = SHAPE (FLOWS, free_flow, flow_fields);
#undef OF

#define OF JobMessageCollective
static const JobField collective_fields[] = {
    LONG (sequence), LONG (bytes), LONG (other_bytes), TEXT (name), WORD (flags), TEXT (reduction),
    PLACE (place), PEER (root), WORD (chain), TEXT (signature), TEXT (other_signature), LIST (gives),
    LIST (gets)
};
static const JobShape collective_shape = SHAPE (COLLECTIVES, free_collective, collective_fields);
#undef OF

#define OF JobMessageCommunicator
static const JobField communicator_fields[] = {
    LONG (id), LONG (n_collectives), TEXT (name), WORD (flags), WORD (size), LIST (members), LIST (remote),
    LIST (dims), LIST (periods), LIST (coords), ITEMS (collective_shape, collectives), LIST (sources),
    LIST (destinations), WORD (local_rank)
};
static const JobShape communicator_shape = SHAPE (COMMUNICATORS, free_communicator, communicator_fields);
#undef OF

#define OF JobMessageOperation
static const JobField operation_fields[] = {
    LONG (communicator), LONG (count), LONG (bytes), LONG (sequence), LONG (request), LONG (buffer),
    BYTES (first), BELOW (JOB_MESSAGE_N_KINDS, kind), WORD (flags), TEXT (name), TEXT (reduction),
    TEXT (datatype), PLACE (place), BELOW (JOB_MESSAGE_MAX_BYTES + 1, n_first), WORD (n_partitions),
    WORD (n_ready), UNUSED, PEER (peer), WORD (local_peer), WORD (tag), WORD (unready)
};
static const JobShape operation_shape = SHAPE (OPERATIONS, free_operation, operation_fields);
#undef OF

#define OF JobMessageCall
static const JobField call_fields[] = {
    LONG (number), LONG (completed), LONG (communicator), LONG (count), LONG (bytes),
    BELOW (JOB_MESSAGE_N_KINDS, kind), WORD (thread), TEXT (name), PLACE (place), OWN_LIST (waits),
    PEER (peer), WORD (local_peer), WORD (tag), WORD (result), UNUSED, LOCAL (method)
};
static const JobShape call_shape = SHAPE (CALLS, free_call, call_fields);
#undef OF

#define OF JobMessageQueue
static const JobField queue_fields[] = {
    LONG (completed), WORD (rank), BELOW (JOB_MESSAGE_N_SOURCES, source), WORD (flags), WORD (world_rank),
    WORD (world_size), TEXT (library), TEXT (remark), TEXT (error), ITEMS (call_shape, calls),
    ITEMS (call_shape, recent), ITEMS (operation_shape, operations),
    ITEMS (communicator_shape, communicators), ITEMS (flow_shape, flows), ITEMS (message_shape, sent),
    ITEMS (wait_shape, waits), ITEMS (run_shape, runs)
};
static const JobShape queue_shape = SHAPE (QUEUES, job_message_queue_free, queue_fields);
#undef OF
/* clang-format on */

const JobShape *const job_message_shapes[JOB_N_COLUMNS] = {
    [JOB_COLUMN_QUEUES] = &queue_shape,
    [JOB_COLUMN_CALLS] = &call_shape,
    [JOB_COLUMN_OPERATIONS] = &operation_shape,
    [JOB_COLUMN_COMMUNICATORS] = &communicator_shape,
    [JOB_COLUMN_COLLECTIVES] = &collective_shape,
    [JOB_COLUMN_FLOWS] = &flow_shape,
    [JOB_COLUMN_MESSAGES] = &message_shape,
    [JOB_COLUMN_RUNS] = &run_shape,
    [JOB_COLUMN_WAITS] = &wait_shape,
};

gsize
job_column_get_size (JobColumn column)
{
    const JobShape *shape = job_message_shapes[column];
    gsize size = shape == NULL ? sizeof (JobPlaceRow) : 0;

    for (guint i = 0; shape != NULL && i < shape->n_fields; i++) {
        size += job_field_get_size (&shape->fields[i]);
    }
    return size;
}

void
job_shape_clear (const JobShape *shape, gpointer value)
{
    for (guint i = 0; i < shape->n_fields; i++) {
        gpointer *part = (gpointer *) ((char *) value + shape->fields[i].at);

        switch (shape->fields[i].kind) {
        case JOB_FIELD_TEXT:
        case JOB_FIELD_LOCAL: g_clear_pointer (part, g_free); break;
        case JOB_FIELD_PLACE: g_clear_pointer (part, job_location_free); break;
        case JOB_FIELD_OWN_LIST:
        case JOB_FIELD_LIST: g_clear_pointer (part, g_array_unref); break;
        case JOB_FIELD_ITEMS: g_clear_pointer (part, g_ptr_array_unref); break;
        default: break;
        }
    }
}

static void copy_parts (const JobShape *shape, gpointer value);

static GPtrArray *
dup_items (const JobShape *shape, GPtrArray *items)
{
    GPtrArray *copy = g_ptr_array_new_full (items->len, shape->free);

    for (guint i = 0; i < items->len; i++) {
        gpointer item = g_memdup2 (items->pdata[i], shape->size);

        copy_parts (shape, item);
        g_ptr_array_add (copy, item);
    }
    return copy;
}

/* What it points to is another one's: it gets copies. */
static void
copy_parts (const JobShape *shape, gpointer value)
{
    for (guint i = 0; i < shape->n_fields; i++) {
        gpointer *part = (gpointer *) ((char *) value + shape->fields[i].at);

        switch (shape->fields[i].kind) {
        case JOB_FIELD_TEXT:
        case JOB_FIELD_LOCAL: *part = g_strdup (*part); break;
        case JOB_FIELD_PLACE: *part = job_location_dup (*part); break;
        case JOB_FIELD_LIST: *part = *part != NULL ? g_array_ref (*part) : NULL; break;
        case JOB_FIELD_OWN_LIST: *part = g_array_copy (*part); break;
        case JOB_FIELD_ITEMS: *part = dup_items (shape->fields[i].items, *part); break;
        default: break;
        }
    }
}

void
job_message_call_free (JobMessageCall *call)
{
    if (call != NULL) {
        free_call (call);
    }
}

static void
clear_queue (gpointer queue)
{
    job_shape_clear (&queue_shape, queue);
}

/* Tables that were merged share queues. */
void
job_message_queue_free (JobMessageQueue *queue)
{
    if (queue != NULL) {
        g_atomic_rc_box_release_full (queue, clear_queue);
    }
}

JobMessageQueue *
job_message_queue_dup (const JobMessageQueue *queue)
{
    JobMessageQueue *copy = NULL;

    if (queue != NULL) {
        copy = (JobMessageQueue *) g_atomic_rc_box_dup (sizeof *queue, queue);
        copy_parts (&queue_shape, copy);
    }
    return copy;
}

/* ---- making them ---- */

/* One of that shape without anything but empty lists. */
static gpointer
fill_new (const JobShape *shape, gpointer value)
{
    for (guint i = 0; i < shape->n_fields; i++) {
        gpointer *part = (gpointer *) ((char *) value + shape->fields[i].at);

        if (shape->fields[i].kind == JOB_FIELD_ITEMS) {
            *part = g_ptr_array_new_with_free_func (shape->fields[i].items->free);
        } else if (shape->fields[i].kind == JOB_FIELD_OWN_LIST) {
            *part = g_array_new (FALSE, FALSE, sizeof (guint32));
        }
    }
    return value;
}

JobMessageQueue *
job_message_queue_new (guint32 rank)
{
    JobMessageQueue *queue = fill_new (&queue_shape, g_atomic_rc_box_new0 (JobMessageQueue));

    queue->rank = rank;
    return queue;
}

JobMessageCall *
job_message_call_new (JobMessageKind kind, const char *name)
{
    JobMessageCall *call = fill_new (&call_shape, g_new0 (JobMessageCall, 1));

    call->kind = kind;
    call->name = g_strdup (name);
    call->communicator = JOB_MESSAGE_UNKNOWN_ID;
    call->peer = call->local_peer = JOB_MESSAGE_NONE;
    call->tag = JOB_MESSAGE_TAG_NONE;
    return call;
}

JobMessageOperation *
job_message_operation_new (JobMessageKind kind, const char *name)
{
    JobMessageOperation *operation = g_new0 (JobMessageOperation, 1);

    operation->kind = kind;
    operation->name = g_strdup (name);
    operation->communicator = JOB_MESSAGE_UNKNOWN_ID;
    operation->peer = operation->local_peer = JOB_MESSAGE_NONE;
    operation->tag = JOB_MESSAGE_TAG_NONE;
    return operation;
}

JobMessageCommunicator *
job_message_communicator_new (guint64 id, const char *name)
{
    JobMessageCommunicator *communicator = fill_new (&communicator_shape,
                                                     g_new0 (JobMessageCommunicator, 1));

    communicator->id = id;
    communicator->name = g_strdup (name);
    return communicator;
}

JobMessageCollective *
job_message_collective_new (guint64 sequence, const char *name)
{
    JobMessageCollective *collective = g_new0 (JobMessageCollective, 1);

    collective->sequence = sequence;
    collective->name = g_strdup (name);
    collective->root = JOB_MESSAGE_NONE;
    return collective;
}

JobMessageFlow *
job_message_flow_new (gboolean is_sent, guint64 communicator, gint32 peer, gint32 tag,
                      guint64 n_messages)
{
    JobMessageFlow *flow = g_new0 (JobMessageFlow, 1);

    flow->is_sent = is_sent;
    flow->communicator = communicator;
    flow->peer = peer;
    flow->tag = tag;
    flow->n_messages = n_messages;
    return flow;
}

JobMessageRun *
job_message_run_new (const char *signature)
{
    JobMessageRun *run = g_new0 (JobMessageRun, 1);

    run->signature = g_strdup (signature);
    run->communicator = JOB_MESSAGE_UNKNOWN_ID;
    run->peer = JOB_MESSAGE_NONE;
    run->tag = JOB_MESSAGE_TAG_NONE;
    return run;
}

JobMessage *
job_message_new (const char *name)
{
    JobMessage *message = g_new0 (JobMessage, 1);

    message->name = g_strdup (name);
    message->communicator = JOB_MESSAGE_UNKNOWN_ID;
    message->peer = JOB_MESSAGE_NONE;
    message->tag = JOB_MESSAGE_TAG_NONE;
    return message;
}
