/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Chunks that are full wait in a queue. Of the one that is taken again, the calls that it leaves open go to a chunk of the
 * kind STACK; each thread has two of these, and a new one counts only when it is whole, so that the file makes sense
 * whenever the process is killed. Nothing here calls malloc, whose calls may be what is recorded. */
#include "agent/trace-keep.h"
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { LEAST_CHUNKS = 4, FIRST_ROOM = 4096 };

/* An array in pages of its own. */
typedef struct {
    void *items;
    size_t n, size; /* bytes that are used, and that there are */
} Pages;

typedef struct {
    uint64_t index;
    uint32_t thread, reserved;
} Filled;

/* Of each thread, by its number. */
typedef struct {
    struct pddt_trace_chunk *stacks[2]; /* NULL: none yet */
    uint32_t n_filled;                  /* its chunks in the queue */
    uint8_t active, has_ended;
} Thread;

uint32_t trace_keep;

static struct {
    uint64_t n_chunks; /* that the process may have */
    uint64_t *n_taken; /* of them, by all writers; atomic */
    uint64_t own_n_taken;
    Pages queue; /* of Filled: a ring from `first` on */
    size_t first, n;
    Pages threads; /* of Thread */
    Pages unused;  /* of struct pddt_trace_chunk *: stacks of threads that have ended */
} keep;

/* ---- the settings ---- */

void
trace_keep_load (const char *settings)
{
    static const char word[] = "buffer ";
    const char *line = settings;
    unsigned long long bytes;

    while (line != NULL && strncmp (line, word, sizeof word - 1) != 0) {
        line = strchr (line, '\n');
        line += line != NULL;
    }
    if (line == NULL) {
        return;
    }
    line += sizeof word - 1;
    trace_keep = strncmp (line, "first ", 6) == 0  ? PDDT_TRACE_KEEP_FIRST
                 : strncmp (line, "last ", 5) == 0 ? PDDT_TRACE_KEEP_LAST
                                                   : PDDT_TRACE_KEEP_ALL;
    line = strchr (line, ' ');
    bytes = line != NULL ? strtoull (line, NULL, 10) : 0;
    keep.n_chunks = bytes / PDDT_TRACE_CHUNK_SIZE;
    keep.n_chunks = keep.n_chunks > LEAST_CHUNKS ? keep.n_chunks : LEAST_CHUNKS;
    keep.n_taken = dlsym (RTLD_DEFAULT, "pddt_trace_n_chunks");
    if (keep.n_taken == NULL) {
        keep.n_taken = &keep.own_n_taken;
    }
}

int
trace_keep_take (void)
{
    if (trace_keep == PDDT_TRACE_KEEP_ALL) {
        return 1;
    }
    if (__atomic_fetch_add (keep.n_taken, 1, __ATOMIC_RELAXED) < keep.n_chunks) {
        return 1;
    }
    __atomic_fetch_sub (keep.n_taken, 1, __ATOMIC_RELAXED);
    return 0;
}

/* ---- arrays ---- */

/* The array has so many bytes, new ones zero. FALSE: there is no memory. */
static int
make_room (Pages *pages, size_t size)
{
    size_t wanted = pages->size != 0 ? pages->size : FIRST_ROOM;
    void *items;

    if (size <= pages->size) {
        return 1;
    }
    while (wanted < size) {
        wanted *= 2;
    }
    items = pages->size == 0 ? mmap (NULL, wanted, PROT_READ | PROT_WRITE,
                                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                             : mremap (pages->items, pages->size, wanted, MREMAP_MAYMOVE);
    if (items == MAP_FAILED) {
        return 0;
    }
    pages->items = items;
    pages->size = wanted;
    return 1;
}

static Thread *
find_thread (uint32_t number)
{
    size_t size = ((size_t) number + 1) * sizeof (Thread);

    if (!make_room (&keep.threads, size)) {
        return NULL;
    }
    keep.threads.n = keep.threads.n > size ? keep.threads.n : size;
    return (Thread *) keep.threads.items + number;
}

/* ---- the queue ---- */

static size_t
get_capacity (void)
{
    return keep.queue.size / sizeof (Filled);
}

/* What has come round to the beginning of the array moves behind its old end. */
static int
grow_queue (void)
{
    size_t before = get_capacity ();
    Filled *items;

    if (!make_room (&keep.queue, keep.queue.size + 1)) {
        return 0;
    }
    items = keep.queue.items;
    if (keep.first + keep.n > before) {
        memcpy (items + before, items, (keep.first + keep.n - before) * sizeof *items);
    }
    return 1;
}

/* Where there is no memory for it the chunk is never taken again. */
void
trace_keep_add (uint32_t number, uint64_t index)
{
    Thread *thread = find_thread (number);

    if (thread != NULL && (keep.n < get_capacity () || grow_queue ())) {
        Filled filled = { index, number, 0 };

        ((Filled *) keep.queue.items)[(keep.first + keep.n++) % get_capacity ()] = filled;
        thread->n_filled++;
    }
}

void
trace_keep_end (uint32_t number)
{
    Thread *thread = find_thread (number);

    if (thread != NULL) {
        thread->has_ended = 1;
    }
}

/* ---- stacks ---- */

static void
set_free (struct pddt_trace_chunk *chunk)
{
    __atomic_store_n (&chunk->kind, PDDT_TRACE_FREE, __ATOMIC_RELEASE);
}

static struct pddt_trace_chunk *
new_stack (void)
{
    struct pddt_trace_chunk **unused = keep.unused.items, *stack;
    uint64_t index;

    if (keep.unused.n > 0) {
        keep.unused.n -= sizeof *unused;
        return unused[keep.unused.n / sizeof *unused];
    }
    stack = trace_ring_extend (&index);
    if (stack != NULL) {
        set_free (stack);
        trace_ring_count ();
    }
    return stack;
}

static void
release_stacks (Thread *thread)
{
    for (int i = 0; i < 2; i++) {
        struct pddt_trace_chunk *stack = thread->stacks[i];

        thread->stacks[i] = NULL;
        if (stack == NULL) {
            continue;
        }
        set_free (stack);
        if (make_room (&keep.unused, keep.unused.n + sizeof stack)) {
            ((struct pddt_trace_chunk **) keep.unused.items)[keep.unused.n / sizeof stack]
                = stack;
            keep.unused.n += sizeof stack;
        } else {
            munmap (stack, PDDT_TRACE_CHUNK_SIZE);
        }
    }
}

/* As profile_trace_walk does it with what it reads. The stack has no sum yet. */
static void
apply (struct pddt_trace_chunk *stack, const struct pddt_trace_event *event)
{
    struct pddt_trace_event *open = (void *) (stack + 1);
    uint32_t at = pddt_trace_get_used (stack);

    if (event->kind == PDDT_TRACE_ENTER) {
        if (stack->n_deeper > 0 || at == PDDT_TRACE_SLOTS) {
            stack->n_deeper++;
            return;
        }
        open[at] = *event;
        open[at].extra |= PDDT_TRACE_OPENED;
        open[at].n_more = 0;
        stack->filled = at + 1;
    } else if (event->kind == PDDT_TRACE_LEAVE) {
        if (stack->n_deeper > 0) {
            stack->n_deeper--;
            return;
        }
        while (at > 0 && event->id != 0 && open[at - 1].id != event->id) {
            at--;
        }
        stack->filled = at > 0 ? at - 1 : stack->filled;
    }
}

/* to: NULL: nobody needs to know. Returns how many events the chunk has. */
static uint64_t
apply_all (const struct pddt_trace_chunk *chunk, struct pddt_trace_chunk *to)
{
    const struct pddt_trace_event *events = (const void *) (chunk + 1);
    uint32_t filled = pddt_trace_get_used (chunk);
    uint32_t used = filled < PDDT_TRACE_SLOTS ? filled : PDDT_TRACE_SLOTS;
    uint64_t n = 0;

    for (uint32_t at = 0; at < used; at += 1u + events[at].n_more, n++) {
        if (to != NULL) {
            apply (to, &events[at]);
            to->begin_ns = to->begin_ns > events[at].time_ns ? to->begin_ns
                                                             : events[at].time_ns;
        }
    }
    return n;
}

/* The thread's next stack, which has what the one before has. NULL: there is no room. */
static struct pddt_trace_chunk *
begin_stack (Thread *thread, const struct pddt_trace_chunk *chunk)
{
    const struct pddt_trace_chunk *before = thread->stacks[thread->active];
    struct pddt_trace_chunk *next = thread->stacks[!thread->active];

    if (next == NULL) {
        next = thread->stacks[!thread->active] = new_stack ();
    }
    if (next == NULL) {
        return NULL;
    }
    set_free (next);
    next->filled = next->n_deeper = 0;
    next->begin_ns = 0;
    if (before != NULL) {
        next->filled = pddt_trace_get_used (before);
        next->n_deeper = before->n_deeper;
        next->begin_ns = before->begin_ns;
        memcpy (next + 1, before + 1, next->filled * sizeof (struct pddt_trace_event));
    }
    next->tid = chunk->tid;
    next->thread = chunk->thread;
    next->number = chunk->number + 1;
    memcpy (next->name, chunk->name, sizeof next->name);
    return next;
}

static void
end_stack (struct pddt_trace_chunk *stack)
{
    uint32_t used = pddt_trace_get_used (stack);
    uint64_t sum = pddt_trace_begin_sum (stack, PDDT_TRACE_STACK);

    sum = pddt_trace_sum (sum, stack + 1, used * sizeof (struct pddt_trace_event));
    stack->filled = pddt_trace_fill (used, sum);
    __atomic_store_n (&stack->kind, PDDT_TRACE_STACK, __ATOMIC_RELEASE);
}

struct pddt_trace_chunk *
trace_keep_recycle (uint64_t *ret_index)
{
    const Filled *filled = (const Filled *) keep.queue.items + keep.first;
    struct pddt_trace_chunk *chunk, *stack = NULL;
    Thread *thread;
    int is_last;

    if (keep.n < 2 || (chunk = trace_ring_map (filled->index)) == NULL) {
        return NULL;
    }
    thread = (Thread *) keep.threads.items + filled->thread;
    is_last = thread->has_ended && thread->n_filled == 1;
    if (!is_last && (stack = begin_stack (thread, chunk)) == NULL) {
        munmap (chunk, PDDT_TRACE_CHUNK_SIZE);
        return NULL;
    }
    trace_ring_lose (chunk->tid, apply_all (chunk, stack));
    if (is_last) {
        set_free (chunk);
        release_stacks (thread);
    } else {
        end_stack (stack);
        thread->active = !thread->active;
        set_free (chunk);
    }
    *ret_index = filled->index;
    thread->n_filled--;
    keep.first = (keep.first + 1) % get_capacity ();
    keep.n--;
    return chunk;
}

void
trace_keep_forget (void)
{
    Thread *threads = keep.threads.items;
    struct pddt_trace_chunk **unused = keep.unused.items;

    if (trace_keep == PDDT_TRACE_KEEP_ALL) {
        return;
    }
    __atomic_store_n (keep.n_taken, 0, __ATOMIC_RELAXED);
    if (threads == NULL) {
        return;
    }
    for (size_t i = 0; i < keep.threads.n / sizeof *threads; i++) {
        for (int j = 0; j < 2; j++) {
            if (threads[i].stacks[j] != NULL) {
                munmap (threads[i].stacks[j], PDDT_TRACE_CHUNK_SIZE);
            }
        }
    }
    for (size_t i = 0; i < keep.unused.n / sizeof *unused; i++) {
        munmap (unused[i], PDDT_TRACE_CHUNK_SIZE);
    }
    memset (keep.threads.items, 0, keep.threads.n);
    keep.threads.n = keep.unused.n = 0;
    keep.first = keep.n = 0;
}
