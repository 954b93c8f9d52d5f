/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copies the recorder's tables out of a rank, running or stopped. The threads' sequence
 * counters show whether a copy is consistent. Sizes and numbers are checked, because a rank's
 * memory may be damaged. */
#include "engine/queue/private.h"
#include <string.h>

#define N_TRIES 4
#define HEAD_SIZE                                                                              \
    G_STRUCT_OFFSET (struct pddt_queue,                                                        \
                     sent) /* all that a copy holds of the struct: the rest is 1.7 MB */
#define COUNTS_SIZE G_STRUCT_OFFSET (struct pddt_queue, library) /* the head up to its texts */

static void *
new_head (void)
{
    return g_malloc0 (HEAD_SIZE);
}

void
engine_queue_copy_free (EngineQueueCopy *copy)
{
    if (copy != NULL) {
        g_free (copy->queue);
        g_free (copy->sent);
        g_free (copy->threads);
        g_free (copy->communicators);
        g_free (copy->flows);
        g_free (copy->requests);
        g_free (copy->members);
        g_free (copy->runs);
        g_free (copy->made);
        g_free (copy->uneven);
        g_free (copy->shares);
        g_free (copy->signatures);
        g_free (copy);
    }
}

static gboolean
is_sane (const struct pddt_queue *queue)
{
    return queue->magic == PDDT_QUEUE_MAGIC && queue->version == PDDT_QUEUE_VERSION
           && queue->size == sizeof *queue && queue->threads_high <= PDDT_QUEUE_THREADS
           && queue->requests_high <= PDDT_QUEUE_REQUESTS
           && queue->communicators_high <= PDDT_QUEUE_COMMUNICATORS
           && queue->members_high <= PDDT_QUEUE_MEMBERS && queue->flows_high <= PDDT_QUEUE_FLOWS
           && queue->n_types <= PDDT_QUEUE_TYPES && queue->n_signatures <= PDDT_QUEUE_SIGNATURES
           && queue->made_high <= PDDT_QUEUE_MADE;
}

/* How much there is of what. */
static gboolean
read_counts (EngineProcess *process, EngineQueueCopy *copy, gsize size, GError **error)
{
    struct pddt_queue *queue = copy->queue;

    if (!base_memory_read (engine_process_get_memory (process), process->queue->tables, queue,
                           size, error)) {
        return FALSE;
    }
    if (queue->magic == 0) {
        base_error_set (error, BASE_ERROR_NOT_FOUND, "the program has not called MPI");
        return FALSE;
    }
    if (!is_sane (queue)) {
        base_error_set (error, BASE_ERROR_CORRUPT,
                        "cannot read the recorder: its tables contradict themselves");
        return FALSE;
    }
    return TRUE;
}

static gboolean
read_head (EngineProcess *process, EngineQueueCopy *copy, GError **error)
{
    struct pddt_queue *queue = copy->queue;

    if (!read_counts (process, copy, HEAD_SIZE, error)) {
        return FALSE;
    }
    /* Texts end, whatever stands there. */
    queue->library[sizeof queue->library - 1] = queue->error[sizeof queue->error - 1] = '\0';
    for (guint i = 0; i < PDDT_QUEUE_TYPES; i++) {
        queue->types[i][sizeof queue->types[i] - 1] = '\0';
    }
    for (guint i = 0; i < PDDT_QUEUE_OPS; i++) {
        queue->ops[i][sizeof queue->ops[i] - 1] = '\0';
    }
    return TRUE;
}

static guint64
get_address (EngineProcess *process, gsize offset)
{
    return process->queue->tables + offset;
}

/* Sums up the sequences of all threads; odd: one of them writes. */
static guint64
read_sequences (EngineProcess *process, guint32 n_threads, gboolean *ret_is_odd)
{
    guint32 sequences[PDDT_QUEUE_THREADS] = { 0 };
    BaseMemoryItem items[PDDT_QUEUE_THREADS];
    guint64 sum = 0;

    for (guint32 i = 0; i < n_threads; i++) {
        gsize offset = G_STRUCT_OFFSET (struct pddt_queue, threads)
                       + i * sizeof (struct pddt_queue_thread)
                       + G_STRUCT_OFFSET (struct pddt_queue_thread, sequence);

        items[i] = (BaseMemoryItem){ get_address (process, offset), &sequences[i],
                                     sizeof sequences[i], 0 };
    }
    engine_process_get_memory (process)->read (engine_process_get_memory (process), items,
                                               n_threads);
    *ret_is_odd = FALSE;
    for (guint32 i = 0; i < n_threads; i++) {
        sum = sum * 1099511628211ull + sequences[i];
        *ret_is_odd |= sequences[i] & 1;
    }
    return sum;
}

/* All tables in one batch. */
static gboolean
read_tables (EngineProcess *process, EngineQueueCopy *copy)
{
    const struct pddt_queue *queue = copy->queue;
    struct {
        void **data;
        gsize offset, size;
    } parts[] = {
        { (void **) &copy->sent, G_STRUCT_OFFSET (struct pddt_queue, sent),
          MIN (queue->n_sent, PDDT_QUEUE_SENT) * sizeof *copy->sent },
        { (void **) &copy->threads, G_STRUCT_OFFSET (struct pddt_queue, threads),
          queue->threads_high * sizeof *copy->threads },
        { (void **) &copy->communicators, G_STRUCT_OFFSET (struct pddt_queue, communicators),
          queue->communicators_high * sizeof *copy->communicators },
        { (void **) &copy->flows, G_STRUCT_OFFSET (struct pddt_queue, flows),
          queue->flows_high * sizeof *copy->flows },
        { (void **) &copy->requests, G_STRUCT_OFFSET (struct pddt_queue, requests),
          queue->requests_high * sizeof *copy->requests },
        { (void **) &copy->members, G_STRUCT_OFFSET (struct pddt_queue, members),
          queue->members_high * sizeof *copy->members },
        { (void **) &copy->runs, G_STRUCT_OFFSET (struct pddt_queue, runs),
          MIN (queue->n_runs, PDDT_QUEUE_RUNS) * sizeof *copy->runs },
        { (void **) &copy->made, G_STRUCT_OFFSET (struct pddt_queue, made),
          queue->made_high * sizeof *copy->made },
        { (void **) &copy->uneven, G_STRUCT_OFFSET (struct pddt_queue, uneven),
          MIN (queue->n_uneven, PDDT_QUEUE_UNEVEN) * sizeof *copy->uneven },
        { (void **) &copy->shares, G_STRUCT_OFFSET (struct pddt_queue, shares),
          MIN (queue->n_shares, PDDT_QUEUE_SHARES) * sizeof *copy->shares },
        { (void **) &copy->signatures, G_STRUCT_OFFSET (struct pddt_queue, signatures),
          queue->n_signatures * sizeof *copy->signatures },
    };
    BaseMemoryItem items[G_N_ELEMENTS (parts)];

    for (guint i = 0; i < G_N_ELEMENTS (parts); i++) {
        g_free (*parts[i].data);
        *parts[i].data = g_malloc (parts[i].size + 1);
        items[i] = (BaseMemoryItem){ get_address (process, parts[i].offset), *parts[i].data,
                                     parts[i].size, 0 };
    }
    engine_process_get_memory (process)->read (engine_process_get_memory (process), items,
                                               G_N_ELEMENTS (items));
    if (BASE_ANY (i, G_N_ELEMENTS (parts), items[i].done != items[i].size)) {
        return FALSE;
    }
    for (guint32 i = 0; i < queue->communicators_high; i++) {
        copy->communicators[i].name[PDDT_QUEUE_NAME - 1] = '\0';
    }
    for (guint32 i = 0; i < queue->n_signatures; i++) {
        copy->signatures[i][PDDT_QUEUE_SIGNATURE - 1] = '\0';
    }
    return TRUE;
}

const struct pddt_queue_record *
engine_queue_get_record (const struct pddt_queue_thread *thread)
{
    return &thread->records[thread->completed % PDDT_QUEUE_RECENT];
}

EngineQueueCopy *
engine_queue_copy (EngineProcess *process, GError **error)
{
    g_autoptr (EngineQueueCopy) copy = g_new0 (EngineQueueCopy, 1);

    copy->queue = new_head ();
    for (guint i = 0; i < N_TRIES; i++) {
        gboolean was_odd, is_odd;
        guint64 before, after;
        guint32 n_threads;

        if (!read_counts (process, copy, COUNTS_SIZE, error)) {
            return NULL;
        }
        n_threads = copy->queue->threads_high;
        before = read_sequences (process, n_threads, &was_odd);
        if (!read_head (process, copy, error)) {
            return NULL;
        }
        if (!read_tables (process, copy)) {
            base_error_set (error, BASE_ERROR_FAULT,
                            "cannot read the recorder: its memory is gone");
            return NULL;
        }
        after = read_sequences (process, n_threads, &is_odd);
        copy->is_changing = was_odd || is_odd || before != after
                            || n_threads != copy->queue->threads_high;
        if (!copy->is_changing) {
            break;
        }
    }
    return g_steal_pointer (&copy);
}

gboolean
engine_queue_read_threads (EngineProcess *process, EngineQueueCopy *copy)
{
    guint64 address = get_address (process, G_STRUCT_OFFSET (struct pddt_queue, threads));

    if (copy->queue == NULL) {
        copy->queue = new_head ();
    }
    for (guint i = 0; i < N_TRIES; i++) {
        gboolean was_odd, is_odd;
        guint64 before;
        guint32 n_threads;

        if (!read_counts (process, copy, COUNTS_SIZE, NULL)) {
            return FALSE;
        }
        n_threads = copy->queue->threads_high;
        before = read_sequences (process, n_threads, &was_odd);
        g_free (copy->threads);
        copy->threads = g_malloc0 (n_threads * sizeof *copy->threads + 1);
        if (!base_memory_read (engine_process_get_memory (process), address, copy->threads,
                               n_threads * sizeof *copy->threads, NULL)) {
            return FALSE;
        }
        copy->is_changing = read_sequences (process, n_threads, &is_odd) != before || was_odd;
        if (!copy->is_changing) {
            return TRUE;
        }
    }
    return TRUE;
}

gboolean
engine_queue_read_communicators (EngineProcess *process, EngineQueueCopy *copy)
{
    copy->queue = new_head ();
    for (guint i = 0; i < N_TRIES; i++) {
        gboolean was_odd, is_odd;
        guint64 before;

        if (!read_head (process, copy, NULL)) {
            return FALSE;
        }
        copy->queue->n_sent = copy->queue->n_uneven = copy->queue->n_shares = 0;
        if (copy->queue->n_runs == 0) { /* nothing is said of messages */
            copy->queue->flows_high = copy->queue->requests_high = 0;
        }
        before = read_sequences (process, copy->queue->threads_high, &was_odd);
        if (!read_tables (process, copy)) {
            return FALSE;
        }
        copy->is_changing = was_odd
                            || read_sequences (process, copy->queue->threads_high, &is_odd)
                                   != before;
        if (!copy->is_changing) {
            break;
        }
    }
    return TRUE;
}

/* ---- counters ---- */

/* How many threads have called MPI; 0: that cannot be told. */
static guint32
read_n_threads (EngineProcess *process)
{
    EngineQueueCopy *copy = g_new0 (EngineQueueCopy, 1);
    guint32 n = 0;

    copy->queue = new_head ();
    if (read_counts (process, copy, COUNTS_SIZE, NULL)
        && (copy->queue->state & PDDT_QUEUE_INITIALIZED)
        && !(copy->queue->state & PDDT_QUEUE_FOREIGN)) {
        n = copy->queue->threads_high;
    }
    engine_queue_copy_free (copy);
    return n;
}

/* Only numbers that grow: no copy at one moment is needed. */
gboolean
engine_queue_read_traffic (EngineProcess *process, struct pddt_queue_traffic *ret_sum)
{
    struct pddt_queue_traffic each[PDDT_QUEUE_THREADS] = { 0 };
    BaseMemoryItem items[PDDT_QUEUE_THREADS];
    gboolean is_there = process->queue != NULL && process->queue->tables != 0;
    guint32 n = is_there ? read_n_threads (process) : 0;

    for (guint32 i = 0; i < n; i++) {
        gsize offset = G_STRUCT_OFFSET (struct pddt_queue, threads)
                       + i * sizeof (struct pddt_queue_thread)
                       + G_STRUCT_OFFSET (struct pddt_queue_thread, traffic);

        items[i] = (BaseMemoryItem){ get_address (process, offset), &each[i], sizeof each[i],
                                     0 };
    }
    if (n > 0) {
        engine_process_get_memory (process)->read (engine_process_get_memory (process), items,
                                                   n);
    }
    memset (ret_sum, 0, sizeof *ret_sum);
    for (guint32 i = 0; i < n; i++) {
        ret_sum->n_sent += each[i].n_sent;
        ret_sum->bytes_sent += each[i].bytes_sent;
        ret_sum->n_received += each[i].n_received;
        ret_sum->n_collectives += each[i].n_collectives;
        ret_sum->bytes_collectives += each[i].bytes_collectives;
        ret_sum->n_moves += each[i].n_moves;
        ret_sum->bytes_moved += each[i].bytes_moved;
    }
    return n > 0;
}
