/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The files in which traced processes record events: FOLDER/trace/spool/NAME.pddt-trace, one for each process
 * and writer (the Python tracer, the MPI library, …). A process maps its file and writes into it,
 * so what it has recorded survives kill -9 of anything. pddt-archive reads the files afterwards,
 * on the same machine or on one with the same byte order.
 *
 * A file is a header of PDDT_TRACE_HEADER_SIZE bytes, and from PDDT_TRACE_FIRST_CHUNK on chunks of
 * PDDT_TRACE_CHUNK_SIZE bytes each. A chunk belongs to one thread, which alone writes it: slots (events) or bytes (definitions)
 * first, then `filled` with release order. Chunks of one thread are in the order of their `number`, and
 * their events in the order of their times. A chunk whose kind is 0 has not been begun. What follows
 * the last chunk, and a chunk that is cut off, is ignored.
 *
 * An event is one slot of 16 bytes, or several: `n_more` says how many slots of payload follow it in
 * the same chunk. A reader skips kinds that it does not know. Ids name definitions of the same file;
 * ids start at 1 and are counted for each kind of definition separately. A definition is written
 * before the first event that uses it, but maybe in a later chunk than that event.
 *
 * So that a reader notices bytes that others have changed: what is in a chunk, and its head, have a sum, which is stored
 * together with `used` by one instruction; the header has one of all that does not change. Counts are multiples of
 * PDDT_TRACE_UNIT, and what is set once has a sum that is stored after it: until then it does not count. So a process can
 * be killed at any moment, and all of this is right.
 *
 * Times are ns of CLOCK_MONOTONIC. */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define PDDT_TRACE_MAGIC 0x3143525450444450ull /* "PDDPTRC1" */
#define PDDT_TRACE_VERSION 5
#define PDDT_TRACE_SUFFIX ".pddt-trace"
/* Beside them, for each rule of the settings that has matched something: with the number of its line, from 0 on. */
#define PDDT_TRACE_MATCHED "matched-"
#define PDDT_TRACE_REWINDS "rewinds"
#define PDDT_TRACE_LOCK "lock" /* of who makes the archive: trace-last.c */

enum {
    PDDT_TRACE_HEADER_SIZE = 4096,
    PDDT_TRACE_CHUNK_SIZE = 65536,
    PDDT_TRACE_FIRST_CHUNK
    = PDDT_TRACE_CHUNK_SIZE, /* so that the kernel keeps each in one piece and maps it at once */
    PDDT_TRACE_CHUNK_HEAD = 64, /* sizeof (struct pddt_trace_chunk) */
    PDDT_TRACE_CHUNK_ROOM = PDDT_TRACE_CHUNK_SIZE - PDDT_TRACE_CHUNK_HEAD,
    PDDT_TRACE_SLOTS = PDDT_TRACE_CHUNK_ROOM / 16, /* 4092 */
    PDDT_TRACE_HOST = 256,
    PDDT_TRACE_COMMAND = 2048,
    PDDT_TRACE_NAME = 128,
    PDDT_TRACE_MAX_TEXT = 32768, /* bytes of a string; longer ones are cut */
    PDDT_TRACE_MAX_MORE = 255,
    PDDT_TRACE_LOST_THREADS = 64,
};

#define PDDT_TRACE_UNIT 1048573u       /* a prime: other counts are damaged */
#define PDDT_TRACE_UNKNOWN 0xffffffffu /* rank, size, … */

/* Who writes a file. */
enum { PDDT_TRACE_PYTHON = 1, PDDT_TRACE_MPI, PDDT_TRACE_USER, PDDT_TRACE_NATIVE };

/* How a file ended. A process that is killed leaves RUNNING, and one that has executed another program EXECUTED at least in the
 * file of PDDT_TRACE_USER, if it has one. */
enum { PDDT_TRACE_RUNNING = 0, PDDT_TRACE_ENDED, PDDT_TRACE_EXECUTED };

struct pddt_trace_header {
    uint64_t magic;
    uint32_t version, writer;
    uint32_t header_size, chunk_size;
    int32_t pid, parent_pid;
    uint64_t begin_ns; /* CLOCK_MONOTONIC and CLOCK_REALTIME of one moment */
    uint64_t begin_real_ns;
    /* Of a forked process: the file that its parent wrote with the same writer (name without folder), and
     * how many definitions of each kind it had then. Ids up to that number mean the parent's. */
    char inherited[PDDT_TRACE_NAME];
    uint32_t n_inherited[16];
    int32_t forked_tid;         /* the thread that forked; the child has it as its first */
    uint32_t image;             /* another one after each exec of the process; 0: not known */
    char host[PDDT_TRACE_HOST]; /* texts end with 0 */
    char command
        [PDDT_TRACE_COMMAND]; /* arguments, each ended by 0; cut where they are too long */
    uint32_t command_size;
    uint32_t keep;                   /* PDDT_TRACE_KEEP_ALL, … */
    uint32_t first_rank, first_size; /* of MPI_COMM_WORLD; PDDT_TRACE_UNKNOWN */
    uint64_t loaded_ns; /* when its writer was loaded, begin_ns or before; 0: not known */
    uint64_t
        started_ns; /* when the process executed the program, loaded_ns or before; 0: not known */
    uint64_t
        loading_ns; /* processor time from started_ns to loaded_ns: it was held or had to wait for the rest; not more than that */
    uint64_t sum;   /* of all that is above */

    uint64_t
        n_chunks; /* for which there was to be room, with those whose room was not there; atomic */
    uint64_t n_begun; /* units: chunks that are of a kind; atomic */
    uint64_t n_lost;  /* units: events for which there was no room; atomic */
    uint64_t problem; /* units: errno of why events were lost; 0 */
    struct pddt_trace_full {
        uint64_t
            time_ns; /* KEEP_FIRST: when the buffer was full; KEEP_ALL: when the first event was lost; 0: none
                           * was. Atomic */
        uint64_t sum;
    } full;
    struct pddt_trace_rank {
        uint32_t rank, size; /* other ones than first_rank and first_size */
        uint64_t sum;        /* 0: those are it */
    } later;
    struct pddt_trace_end {
        uint64_t end_ns, end_real_ns; /* as the beginning's */
        uint32_t state;               /* PDDT_TRACE_ENDED, … */
        uint32_t is_exit; /* the program's own code has come to its end, and the process ends */
        uint64_t sum;     /* 0: the end was not reached */
    } end;
    /* Of n_lost, those of each thread; there may be more threads. Atomic. */
    struct pddt_trace_loss {
        uint64_t tid; /* units; 0: nobody's */
        uint64_t n;   /* units */
    } lost[PDDT_TRACE_LOST_THREADS];
};

/* What stays where a process may keep only so many events. */
enum { PDDT_TRACE_KEEP_ALL = 0, PDDT_TRACE_KEEP_FIRST, PDDT_TRACE_KEEP_LAST };

/* Kinds of chunks. KEEP_LAST takes the chunk with the oldest events for new ones. What was under way then is in a chunk
 * of the kind STACK: an ENTER with PDDT_TRACE_OPENED for each call, with the time at which it was entered, outermost
 * first. It is the thread's beginning in front of the chunks of events from `number` on: those with a lower number do not
 * count any more, nor does another STACK of the thread with a lower one. Its begin_ns is the time of the
 * last event that is lost. */
enum { PDDT_TRACE_EVENTS = 1, PDDT_TRACE_DEFINITIONS, PDDT_TRACE_LINES, PDDT_TRACE_STACK };
#define PDDT_TRACE_FREE 0x65657246u /* one that was used and counts no more */

struct pddt_trace_chunk {
    uint32_t kind;
    int32_t tid;     /* of the kernel */
    uint64_t filled; /* pddt_trace_fill; 0: nothing yet; atomic */
    uint32_t number; /* of the thread's chunks of this kind, from 0 */
    uint32_t thread; /* of the process's threads, from 0 in the order of their first chunk */
    uint64_t begin_ns;
    char name[16];     /* of the thread, as in /proc/PID/task/TID/comm */
    uint32_t n_deeper; /* STACK: calls inside the innermost one that it has no room for */
    uint32_t born;     /* id of the THREAD_CREATE that has made the thread; 0: not known */
    uint64_t born_ns; /* when it was made, by whom nothing needs to be recorded; 0: not known */
};

/* A sum goes on with two words, or with the words of size bytes, a multiple of 8. */
static inline uint64_t
pddt_trace_mix (uint64_t sum, uint64_t first, uint64_t second)
{
    sum = (sum ^ (first * 0x9e3779b97f4a7c15u + second)) * 0xd6e8feb86659fd93u;
    return sum ^ sum >> 32;
}

static inline uint64_t
pddt_trace_sum (uint64_t sum, const void *bytes, size_t size)
{
    const char *at = (const char *) bytes;
    uint64_t words[2];

    for (; size >= sizeof words; size -= sizeof words, at += sizeof words) {
        memcpy (words, at, sizeof words);
        sum = pddt_trace_mix (sum, words[0], words[1]);
    }
    if (size >= sizeof words[0]) {
        memcpy (words, at, sizeof words[0]);
        sum = pddt_trace_mix (sum, words[0], 0);
    }
    return sum;
}

/* What comes after bytes with that sum; never 0. */
static inline uint64_t
pddt_trace_close (uint64_t sum)
{
    return sum != 0 ? sum : 1;
}

static inline uint64_t
pddt_trace_sum_rank (const struct pddt_trace_rank *later)
{
    return pddt_trace_close (pddt_trace_sum (0, later, offsetof (struct pddt_trace_rank, sum)));
}

static inline uint64_t
pddt_trace_sum_end (const struct pddt_trace_end *end)
{
    return pddt_trace_close (pddt_trace_sum (0, end, offsetof (struct pddt_trace_end, sum)));
}

/* The sum of a chunk in which nothing is yet, from its head, when it is of that kind. */
static inline uint64_t
pddt_trace_begin_sum (const struct pddt_trace_chunk *chunk, uint32_t kind)
{
    struct pddt_trace_chunk head;

    memcpy (&head, chunk, sizeof head);
    head.kind = kind;
    head.filled = 0;
    return pddt_trace_sum (PDDT_TRACE_MAGIC, &head, sizeof head);
}

/* used: slots of 16 bytes (events, lines) or bytes (definitions), whose sum it is. Lines are counted up in place, and
 * have sums of their own: there it is that of `used`. */
static inline uint64_t
pddt_trace_fill (uint32_t used, uint64_t sum)
{
    return used | sum << 32;
}

static inline uint32_t
pddt_trace_get_used (const struct pddt_trace_chunk *chunk)
{
    return (uint32_t) chunk->filled;
}

/* ---- events ---- */

struct pddt_trace_event {
    uint64_t time_ns;
    uint32_t id;
    uint16_t extra;
    uint8_t kind, n_more;
};

/* What follows "id" is the definition that the id names; "payload" the type of the slots that follow. */
enum {
    PDDT_TRACE_NOTHING = 0,
    /* of a region: extra is a set of pddt_trace_call_flags */
    PDDT_TRACE_ENTER = 1, /* id: region */
    PDDT_TRACE_LEAVE = 2, /* id: region; 0: the innermost one */
    PDDT_TRACE_OFF = 3,   /* recording ends here for a while … */
    PDDT_TRACE_ON = 4,    /* … and begins again */
    /* the program takes back what this thread has recorded since the time in its payload, a pddt_trace_value; the process
     * has the property PDDT_TRACE_REWINDS */
    PDDT_TRACE_REWOUND = 5,

    /* point to point; id: communicator; payload: what is said of each. Peers are ranks in the
     * communicator (in the remote group of an intercommunicator). The same events as OTF2 has. */
    PDDT_TRACE_SEND
    = 16,             /* blocking; between Enter and Leave of the call; pddt_trace_message */
    PDDT_TRACE_RECV,  /* blocking, when it is there: what its status says; pddt_trace_message */
    PDDT_TRACE_ISEND, /* begun; pddt_trace_message and pddt_trace_request */
    PDDT_TRACE_ISEND_COMPLETE,    /* pddt_trace_request */
    PDDT_TRACE_IRECV_REQUEST,     /* begun; pddt_trace_request */
    PDDT_TRACE_IRECV,             /* completed; pddt_trace_message and pddt_trace_request */
    PDDT_TRACE_REQUEST_TEST,      /* not complete yet; pddt_trace_request */
    PDDT_TRACE_REQUEST_CANCELLED, /* pddt_trace_request */
    PDDT_TRACE_PROBE, /* a message was found, without receiving it; pddt_trace_message */

    /* collectives; extra: enum pddt_trace_collective_kind */
    PDDT_TRACE_COLLECTIVE_BEGIN = 32, /* id: communicator; no payload */
    PDDT_TRACE_COLLECTIVE_END,        /* id: communicator; payload: pddt_trace_collective */
    PDDT_TRACE_COLLECTIVE_REQUEST, /* a nonblocking one begins; payload: pddt_trace_collective */
    PDDT_TRACE_COLLECTIVE_COMPLETE, /* and completes; the same payload */

    /* one-sided; id: the communicator that is the window; payload: pddt_trace_rma. Those that are not recorded are
     * PUT, GET, ATOMIC and COMPLETE. */
    PDDT_TRACE_RMA_PUT = 40,
    PDDT_TRACE_RMA_GET,
    PDDT_TRACE_RMA_ATOMIC,
    PDDT_TRACE_RMA_SYNC, /* extra: enum pddt_trace_rma_sync; one for each peer, as far as the call names them */
    PDDT_TRACE_RMA_LOCK, /* extra: pddt_trace_rma_flags; when it is wanted, and when the call returns */
    PDDT_TRACE_RMA_UNLOCK,
    PDDT_TRACE_RMA_COMPLETE, /* the operation with this request is complete */

    /* files; id: file; payload: pddt_trace_io */
    PDDT_TRACE_IO_OPEN = 56,
    PDDT_TRACE_IO_CLOSE,
    PDDT_TRACE_IO_READ,
    PDDT_TRACE_IO_WRITE,
    PDDT_TRACE_IO_SYNC,
    PDDT_TRACE_IO_SEEK,

    /* locks; id: 0; payload: pddt_trace_lock */
    PDDT_TRACE_LOCK_WANTED = 72, /* waits from here to LOCK_TAKEN */
    PDDT_TRACE_LOCK_TAKEN,
    PDDT_TRACE_LOCK_RELEASED,

    /* threads */
    PDDT_TRACE_THREAD_CREATE
    = 78, /* id: counts from 1 in the process; the new one's chunks have it, too */

    /* payload: two of pddt_trace_value: ns for which it had a processor or waited for one, and for which it has been there;
     * 0: not known */
    PDDT_TRACE_THREAD_END,

    /* what the user's program says */
    PDDT_TRACE_PARAMETER = 80, /* id: parameter; payload: pddt_trace_value */
    PDDT_TRACE_METRIC,         /* id: metric; payload: pddt_trace_value */
    PDDT_TRACE_MARK,           /* id: string */

    /* memory, sampled; payload: pddt_trace_memory */
    /* id: region whose line it is, or 0; extra: the line, or 0. If native code has allocated it, ids of PLACE (uint32_t)
     * follow: who has called malloc, and its callers up to the interpreter. 0: not known, or what fills the last slot. */
    PDDT_TRACE_ALLOCATED = 88,
    PDDT_TRACE_FREED, /* id: 0; what such a block has stood for */
};

/* extra of ENTER and LEAVE */
enum pddt_trace_call_flags {
    /* ENTER: the call was under way when recording began in this thread, and is not counted as a call */
    PDDT_TRACE_OPENED = 1 << 0,
    PDDT_TRACE_RESUMED = 1 << 1, /* ENTER: a generator or coroutine goes on */
    PDDT_TRACE_YIELDED = 1 << 2, /* LEAVE: it will go on */
    PDDT_TRACE_UNWOUND = 1 << 3, /* LEAVE: by an exception */
};
/* The other bits of extra are the place where the call stands in its caller, an id of PLACE; 0: not known. An Enter
 * has that of native code, a Leave that of Python code. */
enum { PDDT_TRACE_PLACE_SHIFT = 4, PDDT_TRACE_MAX_PLACE = 4095 };

struct pddt_trace_message { /* 1 slot */
    int32_t peer, tag;
    uint64_t bytes;
};

struct pddt_trace_request { /* 1 slot */
    uint64_t request; /* unique in the process from ISEND or IRECV_REQUEST to completion */
    uint64_t reserved;
};

enum pddt_trace_collective_kind {
    PDDT_TRACE_BARRIER,
    PDDT_TRACE_BCAST,
    PDDT_TRACE_GATHER,
    PDDT_TRACE_GATHERV,
    PDDT_TRACE_SCATTER,
    PDDT_TRACE_SCATTERV,
    PDDT_TRACE_ALLGATHER,
    PDDT_TRACE_ALLGATHERV,
    PDDT_TRACE_ALLTOALL,
    PDDT_TRACE_ALLTOALLV,
    PDDT_TRACE_ALLTOALLW,
    PDDT_TRACE_ALLREDUCE,
    PDDT_TRACE_REDUCE,
    PDDT_TRACE_REDUCE_SCATTER,
    PDDT_TRACE_REDUCE_SCATTER_BLOCK,
    PDDT_TRACE_SCAN,
    PDDT_TRACE_EXSCAN,
    PDDT_TRACE_CREATE_HANDLE, /* a communicator, window or file */
    PDDT_TRACE_DESTROY_HANDLE,
    PDDT_TRACE_OTHER_COLLECTIVE,
};

struct pddt_trace_collective { /* 2 slots */
    uint32_t root;             /* rank in the communicator; PDDT_TRACE_UNKNOWN: it has none */
    uint32_t
        number; /* of the member's collectives there, recorded or not, from 1; 0: unknown */
    uint64_t sent, received; /* bytes, as OTF2_EvtWriter_MpiCollectiveEnd has them */
    uint64_t request;        /* 0: a blocking one */
};

enum pddt_trace_rma_sync {
    PDDT_TRACE_RMA_POST,  /* the remote rank may come in */
    PDDT_TRACE_RMA_START, /* in that of the remote rank */
    PDDT_TRACE_RMA_ENDED, /* out of all that were started; remote unknown */
    PDDT_TRACE_RMA_WAIT,  /* until all that were let in are out; remote unknown */
};

enum pddt_trace_rma_flags {
    PDDT_TRACE_RMA_EXCLUSIVE = 1 << 0,
    PDDT_TRACE_RMA_TAKEN = 1 << 1,
};
enum { PDDT_TRACE_MAX_PEERS = 16384 };

struct pddt_trace_rma { /* 2 slots */
    uint32_t remote;    /* rank in the window's communicator; PDDT_TRACE_UNKNOWN: all of them */
    uint32_t reserved;
    uint64_t sent, received;
    uint64_t request;
};

struct pddt_trace_io { /* 2 slots */
    int32_t fd, error; /* errno; 0 */
    uint64_t wanted,
        done; /* bytes; OPEN: wanted has the flags of open(2); SEEK: the offset, and where the file stands then */
    int64_t position; /* -1: where the file stands; SEEK: lseek's whence */
};

struct pddt_trace_lock { /* 1 slot */
    uint64_t address;
    uint32_t
        kind; /* 0: a mutex or the like; 1: a semaphore that is used as a lock, as CPython's are */
    uint32_t owner; /* LOCK_WANTED: the thread that holds it, by its kernel id; 0: not known */
};

struct pddt_trace_value { /* 1 slot */
    union {
        int64_t integer;
        uint64_t natural;
        double real;
        uint64_t string; /* id */
    } value;
    uint64_t type; /* enum pddt_trace_type */
};

enum pddt_trace_type {
    PDDT_TRACE_INTEGER,
    PDDT_TRACE_NATURAL,
    PDDT_TRACE_REAL,
    PDDT_TRACE_STRING_ID
};

struct pddt_trace_memory { /* 1 slot */
    uint64_t bytes; /* that the block stands for: its own, and those of others before it */
    uint64_t address;
};

/* ---- definitions ---- */

enum {
    PDDT_TRACE_STRING = 1,
    PDDT_TRACE_REGION,
    PDDT_TRACE_COMMUNICATOR,
    PDDT_TRACE_PARAMETER_NAME,
    PDDT_TRACE_METRIC_NAME,
    PDDT_TRACE_FILE,
    PDDT_TRACE_WINDOW,
    PDDT_TRACE_PROPERTY, /* of the process; its id counts, too, but nothing names it */
    PDDT_TRACE_PLACE,
    PDDT_TRACE_N_DEFINITIONS, /* at most 16 */
};

/* Each begins at a multiple of 16, with this. */
struct pddt_trace_definition {
    uint32_t size; /* bytes with this head, without what fills it up to a multiple of 16 */
    uint32_t kind;
    uint32_t id;
    uint32_t reserved;
};

struct pddt_trace_string {
    struct pddt_trace_definition head;
    char text[]; /* head.size - 16 bytes, without 0 at the end; should be UTF-8 */
};

/* What a region is. */
enum pddt_trace_paradigm {
    PDDT_TRACE_IN_PYTHON, /* a function of Python code */
    PDDT_TRACE_IN_C,      /* a built-in function or method that Python calls */
    PDDT_TRACE_IN_MPI,    /* an MPI function */
    PDDT_TRACE_IN_USER,   /* that the program has named */
    PDDT_TRACE_IN_IO,     /* a function of the C library that reads or writes */
    PDDT_TRACE_IN_OPENMP,
    PDDT_TRACE_IN_PTHREAD,
    PDDT_TRACE_IN_LIBC, /* a function of the C library that sleeps */
};

enum pddt_trace_region_flags {
    PDDT_TRACE_IS_COLLECTIVE = 1 << 0, /* MPI: waits for others of the communicator */
    PDDT_TRACE_IS_MESSAGE = 1 << 1,    /* MPI: point to point */
    PDDT_TRACE_IS_BARRIER = 1 << 2,
    PDDT_TRACE_IS_ONE_SIDED = 1 << 3,
    PDDT_TRACE_IS_MODULE = 1 << 4, /* Python: the code of a module */
    PDDT_TRACE_IS_WAIT = 1 << 5,   /* threads: waits for other threads … */
    PDDT_TRACE_IS_LOCK = 1 << 6,   /* … for a lock */
    /* calls are switched off, and nothing else is known of the thread */
    PDDT_TRACE_IS_UNRECORDED = 1 << 7,
};

struct pddt_trace_region {
    struct pddt_trace_definition head;
    uint32_t name, full_name, file; /* strings; full_name: with its class or module; 0: none */
    uint32_t first_line;            /* 0: not known */
    uint32_t paradigm, flags;
};

/* Communicator 1 need not be MPI_COMM_WORLD: flags say it. Equal communicators of different processes are found by
 * their members and `sequence`: the count of communicators with these members that the process
 * has had before. */
enum {
    PDDT_TRACE_IS_WORLD = 1 << 0,
    PDDT_TRACE_IS_SELF = 1 << 1,
    PDDT_TRACE_IS_INTER = 1 << 2
};
struct pddt_trace_communicator {
    struct pddt_trace_definition head;
    uint32_t name, parent; /* string, communicator; 0: none */
    uint32_t flags, sequence;
    uint32_t n_members, n_remote; /* n_remote: of an intercommunicator */
    uint32_t members[];           /* ranks in MPI_COMM_WORLD, then the remote ones */
};

struct pddt_trace_named { /* PARAMETER_NAME, METRIC_NAME, FILE, WINDOW, PROPERTY */
    struct pddt_trace_definition head;
    uint32_t name,
        other; /* other: metric: unit (string); window: communicator; property: value (string) */
    uint32_t type; /* enum pddt_trace_type of parameters and metrics */
    uint32_t flags;
};

struct pddt_trace_place {
    struct pddt_trace_definition head;
    uint32_t file; /* string: a source file, or if line is 0 a module (its path) */
    uint32_t line;
    uint64_t
        offset; /* of the instruction after the call, as the module's file counts addresses */
    uint32_t build_id; /* string: the module's, in hexadecimal digits; 0: it has none */
    uint32_t reserved;
};

/* ---- lines ---- */

/* Slots of a chunk of the kind LINES: counted up in place. */
typedef uint64_t pddt_trace_pair __attribute__ ((vector_size (16), may_alias));
struct pddt_trace_line { /* 2 slots */
    uint32_t region, line;
    uint64_t hits;        /* units */
    pddt_trace_pair time; /* ns, and its sum with region and line; stored by one instruction */
};

static inline uint64_t
pddt_trace_sum_line (const struct pddt_trace_line *line, uint64_t ns)
{
    return pddt_trace_mix (PDDT_TRACE_MAGIC, line->region | (uint64_t) line->line << 32, ns);
}

_Static_assert(sizeof (struct pddt_trace_header) <= PDDT_TRACE_HEADER_SIZE, "header");
_Static_assert(sizeof (struct pddt_trace_chunk) == PDDT_TRACE_CHUNK_HEAD, "chunk");
_Static_assert(sizeof (struct pddt_trace_event) == 16, "event");
_Static_assert(sizeof (struct pddt_trace_message) == 16, "message");
_Static_assert(sizeof (struct pddt_trace_request) == 16, "request");
_Static_assert(sizeof (struct pddt_trace_collective) == 32, "collective");
_Static_assert(sizeof (struct pddt_trace_rma) == 32, "rma");
_Static_assert(sizeof (struct pddt_trace_io) == 32, "io");
_Static_assert(sizeof (struct pddt_trace_lock) == 16, "lock");
_Static_assert(sizeof (struct pddt_trace_value) == 16, "value");
_Static_assert(sizeof (struct pddt_trace_memory) == 16, "memory");
_Static_assert(sizeof (struct pddt_trace_line) == 32, "line");
