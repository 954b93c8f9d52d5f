/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records events into the file that trace-layout.h describes. Each shared object that is loaded into ranks and
 * records compiles trace_ring_files (meson.build) in, so it has a file of its own. Nothing here takes a lock on the way of
 * an event; where there is no room any more, events are counted as lost, and the program runs on. In the child of a fork the file is a new one, begun with its first event. */
#pragma once
#include "agent/trace-layout.h"
#include <stddef.h>
#include <time.h>

#pragma GCC visibility push(hidden)

/* Set by pddt-start: the folder of the spool, an absolute path. */
#define TRACE_FOLDER_VARIABLE "PDDT_TRACE"
/* "PID:NS:NS": when that process, which is this one, has executed the program, on CLOCK_MONOTONIC, and its processor time
 * (CLOCK_PROCESS_CPUTIME_ID) then. */
#define TRACE_STARTED_VARIABLE "PDDT_TRACE_STARTED"

struct trace_thread {
    /* Free slots of the chunk; equal: none, or an event is being written, and a signal's handler records nothing. */
    struct pddt_trace_event *next, *end;
    struct pddt_trace_chunk *chunk; /* NULL: none */
    struct pddt_trace_chunk *definitions;
    uint64_t sum, definitions_sum;    /* of what is in them */
    uint64_t index;                   /* of the chunk in the file */
    uint32_t n_chunks, n_definitions; /* begun by this thread */
    uint32_t number;                  /* in the process */
    int32_t tid;                      /* 0: the thread has not recorded anything */
    int n_ends;                       /* rounds of destructors that it was told of */
    int is_busy;     /* it gets a chunk, or has a lock: a signal's handler records nothing */
    int is_defining; /* a handler records only what has been defined before */
    uint64_t *lost;  /* what it has lost; NULL: not looked for */
    struct trace_thread *following, **link; /* list of all that have */
};
extern __thread struct trace_thread trace_thread __attribute__ ((tls_model ("initial-exec")));

/* The value that the environment had for that name when the process began, whoever has unset it since;
 * FALSE: there was none, or it is longer than size - 1. */
int trace_find_setting (const char *name, char *value, size_t size);
/* The first of the names, which end with NULL, that has a number there; PDDT_TRACE_UNKNOWN: none has. */
uint32_t trace_find_number (const char *const *names);
/* A file's content, up to 4 MiB, ended with 0; NULL: there is none. Caller frees. */
char *trace_read_whole (const char *path, size_t *ret_size);
/* Asks the loader who numbers threads. trace_open does so by itself; who may open in the middle of an allocation asks
 * before, since the loader allocates with its lock held, and would wait for the one that opens. */
void trace_find_threads (void);
/* Begins the file if the environment names a folder; writer: PDDT_TRACE_PYTHON, … 0: it is there; ENOENT: this
 * process is not to be traced; else an errno, and nothing is recorded. */
int trace_open (uint32_t writer);
/* This thread cannot record so many events now. */
void trace_lose (unsigned n);
/* This thread is in the middle of something, in which a handler of a signal can define nothing. */
int trace_is_busy (void);
/* Writes into the header. What comes later is recorded all the same. */
void trace_end (void);
void trace_exit (void); /* … and the program's own code has come to its end */
/* The process becomes another program now; that has failed, and it goes on. Nothing happens in a child of vfork, which has its
 * parent's memory. Safe in a signal's handler. */
void trace_execute (void);
void trace_go_on (void);
void trace_set_rank (uint32_t rank, uint32_t size);
/* Called in the child of a fork, in its only thread, after the ring has let go of the parent's file. */
void trace_on_fork (void (*function) (void));
/* Called in each thread that has recorded something, before it ends. */
void trace_on_thread_end (void (*function) (void));
/* A new thread: the rounds of its destructors count from the first on, also where it records in a later one only. */
void trace_await_end (void);

/* n slots at the beginning of a new chunk; NULL: there is no room, and one event has been counted as lost. Of what a
 * process may keep, see trace-keep.h. */
struct pddt_trace_event *trace_refill (unsigned n_slots);

static inline uint64_t
trace_now (void)
{
    struct timespec now;

    clock_gettime (CLOCK_MONOTONIC, &now);
    return (uint64_t) now.tv_sec * 1000000000u + (uint64_t) now.tv_nsec;
}

/* Processor time of this process, in all programs that it has been. */
static inline uint64_t
trace_get_used (void)
{
    struct timespec used;

    clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &used);
    return (uint64_t) used.tv_sec * 1000000000u + (uint64_t) used.tv_nsec;
}

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "trace_fill makes words");

/* Room for an event of so many slots (with its own); NULL: it is lost. Fill all of it, then commit. */
static inline struct pddt_trace_event *
trace_reserve (unsigned n_slots)
{
    if (__builtin_expect ((size_t) (trace_thread.end - trace_thread.next) < n_slots, 0)) {
        return trace_refill (n_slots);
    }
    trace_thread.end = trace_thread.next;
    __atomic_signal_fence (__ATOMIC_SEQ_CST);
    return trace_thread.next;
}

/* The slot's second word at once, which is returned: the sum would wait for parts that are stored one by one. */
static inline uint64_t
trace_fill (struct pddt_trace_event *event, uint64_t time_ns, uint8_t kind, uint32_t id,
            uint16_t extra, uint8_t n_more)
{
    uint64_t word = id | (uint64_t) extra << 32 | (uint64_t) kind << 48
                    | (uint64_t) n_more << 56;

    event->time_ns = time_ns;
    memcpy (&event->id, &word, sizeof word);
    return word;
}

/* sum: with the slots. */
static inline void
trace_commit_sum (unsigned n_slots, uint64_t sum)
{
    struct trace_thread *thread = &trace_thread;
    struct pddt_trace_chunk *chunk = thread->chunk;
    struct pddt_trace_event *first = (struct pddt_trace_event *) (chunk + 1);

    thread->sum = sum;
    thread->next += n_slots;
    __atomic_store_n (&chunk->filled, pddt_trace_fill ((uint32_t) (thread->next - first), sum),
                      __ATOMIC_RELEASE);
    __atomic_signal_fence (__ATOMIC_SEQ_CST);
    thread->end = first + PDDT_TRACE_SLOTS;
}

static inline void
trace_commit (unsigned n_slots)
{
    trace_commit_sum (n_slots, pddt_trace_sum (trace_thread.sum, trace_thread.next,
                                               n_slots * sizeof (struct pddt_trace_event)));
}

/* An event without payload. */
static inline void
trace_put_at (uint64_t time_ns, uint8_t kind, uint32_t id, uint16_t extra)
{
    struct pddt_trace_event *event = trace_reserve (1);

    if (__builtin_expect (event != NULL, 1)) {
        uint64_t word = trace_fill (event, time_ns, kind, id, extra, 0);

        trace_commit_sum (1, pddt_trace_mix (trace_thread.sum, time_ns, word));
    }
}

static inline void
trace_put (uint8_t kind, uint32_t id, uint16_t extra)
{
    trace_put_at (trace_now (), kind, id, extra);
}

/* An event with a payload of size bytes, a multiple of 16 and at most 255 * 16. */
static inline void
trace_put_with (uint8_t kind, uint32_t id, uint16_t extra, const void *payload, size_t size)
{
    unsigned n_more = (unsigned) (size / 16);
    struct pddt_trace_event *event = trace_reserve (1 + n_more);

    if (event != NULL) {
        trace_fill (event, trace_now (), kind, id, extra, (uint8_t) n_more);
        __builtin_memcpy (event + 1, payload, size);
        trace_commit (1 + n_more);
    }
}

/* ---- definitions: the ids, which count from 1; 0: there was no room ---- */

/* size: -1: it ends with 0. Equal strings are defined as often as this is called. */
uint32_t trace_define_string (const char *text, ptrdiff_t size);
/* full_name and file may be NULL. */
uint32_t trace_define_region (const char *name, const char *full_name, const char *file,
                              uint32_t first_line, enum pddt_trace_paradigm paradigm,
                              uint32_t flags);
/* members, then remote: ranks in MPI_COMM_WORLD. More than some 16,000 are left out. name NULL: none. */
uint32_t trace_define_communicator (const char *name, uint32_t parent, uint32_t flags,
                                    uint32_t sequence, const uint32_t *members,
                                    uint32_t n_members, uint32_t n_remote);
/* PARAMETER_NAME, METRIC_NAME, FILE, WINDOW, PROPERTY; other: as in struct pddt_trace_named. */
uint32_t trace_define_named (uint32_t kind, const char *name, uint32_t other,
                             enum pddt_trace_type type, uint32_t flags);
/* A line of a file. */
uint32_t trace_define_line (const char *file, uint32_t line);
/* An address in a module; strings; build_id 0: it has none. */
uint32_t trace_define_code (uint32_t module, uint32_t build_id, uint64_t offset);
/* Slots of a chunk of lines, for the whole process; NULL: there is no room. */
struct pddt_trace_line *trace_new_line (uint32_t region, uint32_t line);

#pragma GCC visibility pop
