/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages between daemons and front ends, made by hand: every part of events and requests
 * occurs in one of them. */
#include "samples.h"
#include "job/process.h"

static JobEvent *
new_event (JobEventKind kind, guint32 first, guint32 end)
{
    g_autoptr (JobRankSet) ranks = job_rank_set_new_range (first, end);
    JobEvent *event = job_event_new (kind, kind + 1, ranks);
    event->final = kind % 2;
    event->stop = kind;
    return event;
}

static void
add_processes (JobEvent *event)
{
    event->processes = job_process_list_new ();
    for (guint32 slot = 0; slot < 4; slot++) {
        g_autofree char *host = g_strdup_printf ("node%u", slot / 2);
        const JobProcess process = { .slot = slot,
                                     .rank = slot,
                                     .size = 4,
                                     .pid = 100 + (gint32) slot,
                                     .host = host,
                                     .program = (char *) "solver 'a b'" };
        job_process_list_add (event->processes, &process);
    }
}

static void
add_tree (JobEvent *event, guint32 depth)
{
    g_autoptr (GPtrArray) frames
        = g_ptr_array_new_with_free_func ((GDestroyNotify) job_frame_free);
    for (guint32 i = 0; i < depth; i++) {
        JobFrame *frame = job_frame_new ();
        frame->location.function = g_strdup_printf ("f%u", i);
        frame->location.file = g_strdup ("/src/a.c");
        frame->location.line = i;
        frame->arguments = i % 2 ? g_strdup ("(n=3)") : NULL;
        g_ptr_array_add (frames, frame);
    }
    event->tree = event->tree ? event->tree : job_stack_tree_new ();
    job_stack_tree_add (event->tree, frames, event->ranks);
}

static void
add_values (JobEvent *event)
{
    g_autoptr (JobValue) number = job_value_new_number (NULL, "double", "1.5", 1.5);
    g_autoptr (JobValue) whole = job_value_new (NULL, "struct s", "{x = 1}");
    g_autoptr (JobRankSet) one = job_rank_set_new_range (0, 1);
    whole->expandable = TRUE;
    whole->children = g_ptr_array_new_with_free_func ((GDestroyNotify) job_value_free);
    g_ptr_array_add (whole->children, job_value_new_number ("x", "int", "1", 1));
    event->table = job_value_table_new ();
    job_value_table_add (event->table, "x", event->ranks, number);
    job_value_table_add (event->table, "s", one, whole);
}

static void
add_call (JobMessageQueue *queue)
{
    JobMessageCall *call = job_message_call_new (JOB_MESSAGE_RECV, "MPI_Recv");
    JobMessageOperation *operation = job_message_operation_new (JOB_MESSAGE_RECV, "MPI_Recv");
    JobMessage *message = job_message_new ("MPI_Send");
    guint32 wait = 0;
    call->peer = operation->peer = JOB_MESSAGE_ANY;
    call->place = job_location_new ("work", "/src/a.c", 4);
    g_array_append_val (call->waits, wait);
    message->n_first = 3;
    g_ptr_array_add (queue->calls, call);
    g_ptr_array_add (queue->operations, operation);
    g_ptr_array_add (queue->sent, message);
    g_ptr_array_add (queue->flows, job_message_flow_new (TRUE, 0, 1, 7, 3));
}

static void
add_queues (JobEvent *event)
{
    gint32 dims[] = { 2, 2 };
    event->queues = job_message_table_new ();
    for (guint32 rank = 0; rank < 3; rank++) {
        JobMessageQueue *queue = job_message_queue_new (rank);
        JobMessageCommunicator *world = job_message_communicator_new (0, "MPI_COMM_WORLD");
        queue->source = JOB_MESSAGE_SOURCE_RECORDER;
        queue->flags = JOB_MESSAGE_QUEUE_INITIALIZED | JOB_MESSAGE_QUEUE_COUNTED;
        queue->world_rank = rank;
        queue->world_size = world->size = 4;
        world->local_rank = (gint32) rank;
        world->flags = JOB_MESSAGE_COMMUNICATOR_CARTESIAN;
        world->dims = g_array_new (FALSE, FALSE, sizeof (gint32));
        g_array_append_vals (world->dims, dims, 2);
        world->periods = g_array_ref (world->dims);
        world->coords = g_array_ref (world->dims);
        world->n_collectives = 1;
        g_ptr_array_add (world->collectives, job_message_collective_new (1, "MPI_Barrier"));
        g_ptr_array_add (queue->communicators, world);
        add_call (queue);
        job_message_table_add (event->queues, queue);
    }
}

static void
add_costs (JobEvent *event)
{
    g_autoptr (GArray) row = g_array_new (FALSE, FALSE, sizeof (JobCost));
    g_autoptr (JobRankSet) one = job_rank_set_new_range (0, 1);
    g_autoptr (JobRankSet) rest = job_rank_set_subtract (event->ranks, one);
    event->costs = job_costs_new ();
    for (guint i = 1; i < 6; i++) {
        const JobLocation place = { .function = (char *) (i % 2 ? "work" : "MPI_Recv \377"),
                                    .file = (char *) "/src/a.c",
                                    .line = i };
        JobCost cost = { job_context_tree_add (job_costs_get_tree (event->costs), i / 2, &place,
                                               0),
                         i % JOB_N_CLASSES, 100 * i };
        g_array_append_val (row, cost);
    }
    job_costs_add (event->costs, one, row);
    g_array_set_size (row, 3);
    job_costs_add (event->costs, rest, row);
    job_costs_note (event->costs, 500, 3, 5000);
}

static void
add_samples (JobEvent *event)
{
    g_autoptr (JobContextTree) tree = job_context_tree_new ();
    g_autoptr (GArray) samples = g_array_new (FALSE, FALSE, sizeof (JobSample));
    const JobLocation place = { .function = (char *) "work", .file = (char *) "/src/a.c" };
    JobSample sample = { 1000000, 10000, 1, 1, JOB_CLASS_NATIVE, FALSE };
    job_context_tree_add (tree, 0, &place, 0);
    g_array_append_val (samples, sample);
    event->bytes = job_sample_batch_encode (tree, 1, samples, 0);
}

static void
fill (JobEvent *event)
{
    switch (event->kind) {
    case JOB_EVENT_RANKS: add_processes (event); break;
    case JOB_EVENT_STACKS:
        add_tree (event, 6);
        add_tree (event, 3);
        break;
    case JOB_EVENT_VALUES:
    case JOB_EVENT_RETURNED: add_values (event); break;
    case JOB_EVENT_QUEUES: add_queues (event); break;
    case JOB_EVENT_BREAKPOINT:
        event->places = g_ptr_array_new_with_free_func ((GDestroyNotify) job_location_free);
        g_ptr_array_add (event->places, job_location_new ("work", "/src/a.c", 12));
        break;
    case JOB_EVENT_DETAILS:
        event->details = job_detail_list_new ();
        for (guint kind = 0; kind < JOB_N_DETAILS; kind++) {
            JobDetail *detail = job_detail_new ((JobDetailKind) kind, 1, "rax", "0x7 \377");

            detail->place = job_location_new ("work", "/src/a.c", 12);
            g_ptr_array_add (event->details, detail);
        }
        break;
    case JOB_EVENT_COSTS: add_costs (event); break;
    case JOB_EVENT_SAMPLES: add_samples (event); break;
    case JOB_EVENT_OUTPUT:
    case JOB_EVENT_ARRAY:
        event->number = 1;
        event->text = event->kind == JOB_EVENT_ARRAY ? g_strdup ("<f8 2 2") : NULL;
        event->bytes = g_bytes_new ("01234567012345670123456701234567", 32);
        break;
    default:
        event->text = g_strdup ("SIGSEGV");
        event->text2 = g_strdup ("bad \377");
        event->place = job_location_new ("work", "/src/a.c", 12);
        break;
    }
}

GPtrArray *
samples_new_events (void)
{
    GPtrArray *events = g_ptr_array_new_with_free_func ((GDestroyNotify) job_event_free);
    for (guint kind = JOB_EVENT_RANKS; kind < JOB_N_EVENTS; kind++) {
        JobEvent *event = new_event ((JobEventKind) kind, 0, 4);
        fill (event);
        g_ptr_array_add (events, event);
    }
    for (guint state = 0; state < JOB_N_STATES; state++) {
        JobEvent *event = new_event (JOB_EVENT_STATE, state % 3, 4);
        event->state = (JobState) state;
        fill (event);
        g_ptr_array_add (events, event);
    }
    return events;
}

GPtrArray *
samples_new_requests (void)
{
    GPtrArray *requests = g_ptr_array_new_with_free_func ((GDestroyNotify) job_request_free);
    g_autoptr (JobRankSet) ranks = job_rank_set_parse ("0-3,5,7", 8, NULL);
    for (guint verb = JOB_VERB_CONTINUE; verb < JOB_N_VERBS; verb++) {
        JobRequest *request = job_request_new ((JobVerb) verb, ranks);
        request->id = verb;
        request->text = g_strdup ("x + 1");
        request->text2 = verb % 2 ? g_strdup ("3") : NULL;
        request->condition = verb % 3 ? g_strdup ("n > 3") : NULL;
        request->where = (JobWhere){ JOB_WHERE_LINE, g_strdup ("a.c"), 12, g_strdup ("f"),
                                     0x1000 };
        g_ptr_array_add (requests, request);
    }
    return requests;
}

GPtrArray *
samples_new_sets (void)
{
    GPtrArray *sets = g_ptr_array_new_with_free_func ((GDestroyNotify) job_rank_set_free);
    JobRankSet *strided = job_rank_set_new (), *bits = job_rank_set_new (),
               *some = job_rank_set_new ();
    for (guint32 rank = 0; rank < 4096; rank++) {
        if (rank % 64 < 32) {
            job_rank_set_add (strided, rank);
        }
        if (rank * 2654435761u >> 31) {
            job_rank_set_add (bits, rank);
        }
        if (rank % 97 == 0) {
            job_rank_set_add (some, rank);
        }
    }
    g_ptr_array_add (sets, job_rank_set_new ());
    g_ptr_array_add (sets, job_rank_set_new_range (0, 4096));
    g_ptr_array_add (sets, strided);
    g_ptr_array_add (sets, bits);
    g_ptr_array_add (sets, some);
    return sets;
}
