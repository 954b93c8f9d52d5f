/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory that a process allocates, sampled by bytes: of each 64 to 512 KiB that a thread allocates, one block stands for
 * all of it until it is freed. Other blocks cost a subtraction, and a look at a byte when they are freed. */
#pragma once
#include "agent/trace-ring.h"

#pragma GCC visibility push(hidden)

enum { TRACE_MAX_FRAMES = 28, TRACE_N_FILTER = 1 << 12 };

/* A thread's distance to its next sample; zero at first. */
struct trace_beat {
    int64_t left; /* bytes until the next sample; below 0: it is due */
    int64_t interval;
    uint64_t random;
    uint32_t n; /* samples */
};

/* A sample is due. Returns the bytes that it stands for, and begins the next interval; 0: the thread's first one begins. */
uint64_t trace_beat_take (struct trace_beat *beat);

extern uint16_t trace_blocks_filter[TRACE_N_FILTER]; /* how many known blocks hash there */

static inline uint32_t
trace_blocks_hash (const void *address)
{
    return (uint32_t) (((uintptr_t) address >> 4) * 0x9e3779b97f4a7c15ull >> 40);
}

/* FALSE: the block stands for no others. */
static inline int
trace_blocks_may_have (const void *address)
{
    return __builtin_expect (__atomic_load_n (&trace_blocks_filter[trace_blocks_hash (address)
                                                                   % TRACE_N_FILTER],
                                              __ATOMIC_RELAXED)
                                 != 0,
                             0);
}

/* FALSE: there is no room. ret_before: what a block there has stood for whose end nobody has seen; 0: none. */
int trace_blocks_keep (const void *address, uint64_t bytes, uint64_t *ret_before);
/* The block is about to be freed: before another thread may get its address. Returns the bytes that it stood for; 0: it is
 * none of those. */
uint64_t trace_blocks_forget (const void *address);
/* Around a fork: nothing is kept or forgotten in between. */
void trace_blocks_lock (void);
void trace_blocks_unlock (void);

/* frames: return addresses of native code, from the one that has called for memory outwards; 0: Python has allocated it. */
void trace_blocks_put_allocated (uint32_t region, int line, const void *address, uint64_t bytes,
                                 const uintptr_t *frames, unsigned n_frames);
void trace_blocks_put_freed (const void *address, uint64_t bytes);

#pragma GCC visibility pop
