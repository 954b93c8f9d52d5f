/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "agent/trace-blocks.h"
#include "agent/trace-place.h"
#include <pthread.h>

/* A thread that allocates much is sampled less and less often: what a sample costs is a µs. */
enum { LEAST_INTERVAL = 64 << 10, DOUBLED_AFTER = 256, MOST_DOUBLED = 3 };
enum { N_BUCKETS = 1 << 14, MAX_BLOCKS = 1 << 16, SLOT_IDS = 4 };

typedef struct {
    const void *address;
    uint64_t bytes; /* that it stands for */
    uint32_t next;  /* number + 1; 0: the last one */
} Block;

static struct {
    pthread_mutex_t lock;
    Block blocks[MAX_BLOCKS];
    uint32_t heads[N_BUCKETS]; /* number + 1 */
    uint32_t n, unused;        /* begun; head of those that are free again */
} known = { .lock = PTHREAD_MUTEX_INITIALIZER };
uint16_t trace_blocks_filter[TRACE_N_FILTER];

/* ---- which blocks ---- */

/* Intervals differ, so that a program that allocates in a rhythm is not always seen at the same beat. */
uint64_t
trace_beat_take (struct trace_beat *beat)
{
    uint64_t bytes = beat->interval != 0 ? (uint64_t) (beat->interval - beat->left) : 0;
    uint32_t doubled = beat->n++ / DOUBLED_AFTER;
    int64_t size = (int64_t) LEAST_INTERVAL
                   << (doubled < MOST_DOUBLED ? doubled : MOST_DOUBLED);

    if (beat->random == 0) {
        beat->random = (uintptr_t) beat | 1;
    }
    beat->random ^= beat->random << 13;
    beat->random ^= beat->random >> 7;
    beat->random ^= beat->random << 17;
    beat->interval = size / 2 + (int64_t) (beat->random % (uint64_t) size);
    beat->left = beat->interval;
    return bytes;
}

/* ---- those that are known ---- */

/* With the lock: the link to the block's number, or to 0. */
static uint32_t *
find_link (const void *address)
{
    uint32_t *link = &known.heads[trace_blocks_hash (address) % N_BUCKETS];

    while (*link != 0 && known.blocks[*link - 1].address != address) {
        link = &known.blocks[*link - 1].next;
    }
    return link;
}

/* With the lock. 0: there is no room. */
static uint32_t
take_number (void)
{
    uint32_t number = known.unused;

    if (number != 0) {
        known.unused = known.blocks[number - 1].next;
    } else if (known.n < MAX_BLOCKS) {
        number = ++known.n;
    }
    return number;
}

int
trace_blocks_keep (const void *address, uint64_t bytes, uint64_t *ret_before)
{
    uint32_t hash = trace_blocks_hash (address), *head = &known.heads[hash % N_BUCKETS], number;

    pthread_mutex_lock (&known.lock);
    number = *find_link (address);
    *ret_before = number != 0 ? known.blocks[number - 1].bytes : 0;
    if (number != 0) {
        known.blocks[number - 1].bytes = bytes;
    } else if ((number = take_number ()) != 0) {
        known.blocks[number - 1] = (Block){ address, bytes, *head };
        *head = number;
        __atomic_fetch_add (&trace_blocks_filter[hash % TRACE_N_FILTER], 1, __ATOMIC_RELAXED);
    }
    pthread_mutex_unlock (&known.lock);
    return number != 0;
}

uint64_t
trace_blocks_forget (const void *address)
{
    uint64_t bytes = 0;
    uint32_t *link, number;

    pthread_mutex_lock (&known.lock);
    link = find_link (address);
    number = *link;
    if (number != 0) {
        Block *block = &known.blocks[number - 1];

        bytes = block->bytes;
        *link = block->next;
        block->next = known.unused;
        block->address = NULL;
        known.unused = number;
        __atomic_fetch_sub (&trace_blocks_filter[trace_blocks_hash (address) % TRACE_N_FILTER],
                            1, __ATOMIC_RELAXED);
    }
    pthread_mutex_unlock (&known.lock);
    return bytes;
}

void
trace_blocks_lock (void)
{
    pthread_mutex_lock (&known.lock);
}

void
trace_blocks_unlock (void)
{
    pthread_mutex_unlock (&known.lock);
}

/* ---- events ---- */

void
trace_blocks_put_allocated (uint32_t region, int line, const void *address, uint64_t bytes,
                            const uintptr_t *frames, unsigned n_frames)
{
    struct {
        struct pddt_trace_memory memory;
        uint32_t places[TRACE_MAX_FRAMES];
    } payload = { { bytes, (uintptr_t) address }, { 0 } };
    unsigned n = n_frames < TRACE_MAX_FRAMES ? n_frames : TRACE_MAX_FRAMES;

    for (unsigned i = 0; i < n; i++) {
        payload.places[i] = trace_place_get ((const void *) frames[i]);
    }
    trace_put_with (PDDT_TRACE_ALLOCATED, region,
                    line > 0 && line <= UINT16_MAX ? (uint16_t) line : 0, &payload,
                    sizeof payload.memory
                        + (n + SLOT_IDS - 1) / SLOT_IDS * SLOT_IDS * sizeof payload.places[0]);
}

void
trace_blocks_put_freed (const void *address, uint64_t bytes)
{
    struct pddt_trace_memory memory = { bytes, (uintptr_t) address };

    trace_put_with (PDDT_TRACE_FREED, 0, 0, &memory, sizeof memory);
}
