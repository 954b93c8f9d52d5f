/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The recorder's tables in a rank's memory, for readers outside, while the rank runs or is
 * stopped: one struct, exported as `pddt_mpi_queue`, and the list of calls, `pddt_mpi_calls`.
 * Only the rank writes them, and a thread's `sequence` is odd while it writes. The used part of
 * a table is the prefix given by its `…_high`; in an unused entry the first field is zero. A
 * reader reads the sequences of all threads before and after: if they are equal and even, what
 * was read in between is consistent. The only pointers are addresses in the program itself; the
 * first page fixes all sizes. */
#pragma once
#include <stdint.h>

#define PDDT_QUEUE_MAGIC 0x3155455551504450ull /* "PDPQUEU1" */
#define PDDT_QUEUE_VERSION 11

enum {
    PDDT_QUEUE_THREADS = 256,
    PDDT_QUEUE_RECENT = 16,
    PDDT_QUEUE_WAITS = 64,
    PDDT_QUEUE_REQUESTS = 16384,
    PDDT_QUEUE_COMMUNICATORS = 256,
    PDDT_QUEUE_COLLECTIVES = 16,
    PDDT_QUEUE_MEMBERS = 131072,
    PDDT_QUEUE_FLOWS = 16384,
    PDDT_QUEUE_SENT = 256,
    PDDT_QUEUE_TYPES = 64,
    PDDT_QUEUE_SIGNATURES = 128,
    PDDT_QUEUE_SIGNATURE = 192,
    PDDT_QUEUE_RUNS = 512,
    PDDT_QUEUE_UNEVEN = 64,
    PDDT_QUEUE_SHARES = 65536,
    PDDT_QUEUE_SHARES_OF_ROOT = 16384, /* longest list that a root keeps of one collective */
    PDDT_QUEUE_SHARES_OF_ALL = 512,    /* the same where every member has a list */
    PDDT_QUEUE_MADE = 256,
    PDDT_QUEUE_ERRORS = 96,
    PDDT_QUEUE_NAME = 64,
    PDDT_QUEUE_DIMS = 8,
    PDDT_QUEUE_FIRST = 16,
    PDDT_QUEUE_OPS = 16,
};

/* Kinds of calls; the same names in the same order as JobMessageKind. */
enum {
    PDDT_QUEUE_LOCAL,
    PDDT_QUEUE_POLL,
    PDDT_QUEUE_SEND,
    PDDT_QUEUE_RECV,
    PDDT_QUEUE_PROBE,
    PDDT_QUEUE_SENDRECV,
    PDDT_QUEUE_WAIT_ALL,
    PDDT_QUEUE_WAIT_ANY,
    PDDT_QUEUE_COLLECTIVE,
    PDDT_QUEUE_RMA,
    PDDT_QUEUE_OUTER,
    PDDT_QUEUE_INIT,
    PDDT_QUEUE_FINALIZE,
};

/* Flags of calls, requests and collectives: JobMessageFlags. */
enum {
    PDDT_QUEUE_SYNCHRONOUS = 1 << 0,
    PDDT_QUEUE_BUFFERED = 1 << 1,
    PDDT_QUEUE_NONBLOCKING = 1 << 2,
    PDDT_QUEUE_PERSISTENT = 1 << 3,
    PDDT_QUEUE_V_FORM = 1 << 4,
    PDDT_QUEUE_FINISHED = 1 << 6,
    PDDT_QUEUE_MATCHED = 1 << 7,
    PDDT_QUEUE_ROOTED = 1 << 8,
    PDDT_QUEUE_GENERAL = 1 << 9,
    PDDT_QUEUE_HERE = 1 << 10, /* the root on its side of an intercommunicator: MPI_ROOT */
};

/* Peers are ranks of the communicator, or one of these; tags are tags, ANY or one of PDDT_QUEUE_TAG_…, which no program
 * passes: other tags below 0 are its mistakes. */
enum { PDDT_QUEUE_ANY = -1, PDDT_QUEUE_NONE = -2, PDDT_QUEUE_UNKNOWN = -3 };

/* element of pddt_mpi_calls; index 0 is no call, the last one has an empty name */
struct pddt_queue_call {
    char name[40]; /* "MPI_Send" */
    uint32_t kind, flags;
};

/* A message, or what a collective says of its data. */
struct pddt_queue_message {
    uint64_t communicator; /* id */
    uint64_t buffer;
    int64_t count;
    uint64_t bytes;
    int32_t peer, tag;        /* peer: destination, source or root */
    uint16_t type, reduction; /* index + 1 in `types`; in `ops`; 0 none, 0xffff unnamed */
    /* index + 1 in `signatures`; 0: not known, or the message is empty */
    uint16_t signature;
    uint16_t is_dense; /* the data are all the bytes from `buffer` on, without holes */
};

/* A call, under way or one of the last that have returned. */
struct pddt_queue_record {
    uint32_t call;       /* index in pddt_mpi_calls */
    int32_t result;      /* valid once the call has returned */
    uint64_t caller;     /* return address */
    uint64_t number;     /* number of the call in the rank, from 1 */
    uint64_t collective; /* number of the collective on its communicator; 0: none */
    struct pddt_queue_message message;
    uint64_t unused;
};

/* What a thread has done in all, as far as it is known when it is counted; only ever added to, also by the next thread
 * that gets the place. MPI_PROC_NULL is nobody, and counts for nothing. */
struct pddt_queue_traffic {
    uint64_t n_sent, bytes_sent; /* messages that MPI has taken */
    uint64_t n_received;         /* messages */
    uint64_t n_collectives;      /* operations on data that were begun, and barriers */
    uint64_t bytes_collectives;  /* that the thread's own arguments describe: see find_bytes */
    /* one-sided operations that were begun; bytes that they put, get or accumulate */
    uint64_t n_moves, bytes_moved;
};

/* A slot for one call under way. A thread has one, but a thread with user-level threads that call MPI has one for each
 * of them that is inside. The fields that every call writes come first. */
struct pddt_queue_thread {
    uint32_t tid;      /* 0: not in use */
    uint32_t sequence; /* odd: the thread is writing */
    uint32_t inside;   /* index of the call under way, whose record is the `completed`-th;
                                0: outside MPI */
    /* requests that a wait waits for; if more than fit in `waits`, the rest have the call's number in
     * `waited` */
    uint32_t n_waits;
    uint64_t completed; /* number of completed calls; polls without success do not count */
    uint64_t frame;     /* of the call under way, in the program's memory */
    struct pddt_queue_traffic traffic;
    /* call number n at n % RECENT, from 0 */
    struct pddt_queue_record records[PDDT_QUEUE_RECENT];
    struct pddt_queue_message second; /* the receive of a MPI_Sendrecv; of MPI_Intercomm_create
                                         the leader that it waits for, with the tag */
    uint16_t waits[PDDT_QUEUE_WAITS]; /* indexes in `requests`; 0xffff: not known */
} __attribute__ ((aligned (64)));

enum { PDDT_QUEUE_FREE, PDDT_QUEUE_ACTIVE, PDDT_QUEUE_RESTING }; /* resting: persistent */

struct pddt_queue_request {
    uint32_t state; /* a free entry keeps its handle, which MPI reuses */
    uint32_t call;  /* the call that began it (for a persistent request, its init) */
    uint64_t handle, caller, number;
    uint64_t collective; /* number of the collective on its communicator; 0: none */
    uint32_t kind, flags;
    struct pddt_queue_message message;
    /* for a send, its number in its flow; otherwise the recorder's own */
    uint64_t extra;
    uint64_t waited; /* the last call that waits for it, but has no place for it in `waits` */
    uint32_t lane, trace; /* the recorder's own; trace: of the communicator, as below */
    /* of a partitioned send; 0: it is none. Partition i < 64 is bit i of `ready` */
    uint32_t n_partitions, n_ready;
    uint64_t ready;
};

struct pddt_queue_collective {
    uint32_t call;
    uint32_t flags; /* NONBLOCKING, V_FORM, FINISHED, ROOTED */
    uint64_t number, caller, bytes;
    int32_t root; /* rank of the communicator, or NONE */
    uint16_t reduction;
    uint16_t signature; /* of the data that one member gives to each other member, or gets */
    uint64_t chain;     /* a hash over all collectives up to this one: equal in all members */
    /* the same of its other half, where it has two (the root of a gather) */
    uint64_t other_bytes;
    uint16_t other_signature, unused[3];
};

enum { /* flags of communicators: JobMessageCommunicatorFlags */
       PDDT_QUEUE_INTER = 1 << 0,
       PDDT_QUEUE_CARTESIAN = 1 << 1,
       PDDT_QUEUE_GRAPH = 1 << 2,
       PDDT_QUEUE_HIDDEN = 1 << 3,
       PDDT_QUEUE_FREED = 1 << 4,
       PDDT_QUEUE_WINDOW = 1 << 5,
       PDDT_QUEUE_CUT = 1 << 6,        /* the members did not fit */
       PDDT_QUEUE_FILE = 1 << 7,       /* the group of a file */
       PDDT_QUEUE_NEIGHBOURS = 1 << 8, /* sources and destinations are known */
};

enum { /* JOB_MESSAGE_TAG_… */
       PDDT_QUEUE_TAG_NONE = INT32_MIN,
       PDDT_QUEUE_TAG_UNKNOWN = INT32_MIN + 1,
       /* of flows that are not messages: what the members of a window have begun and ended
        * towards each other */
       PDDT_QUEUE_TAG_POST = INT32_MIN + 2,
       PDDT_QUEUE_TAG_START = INT32_MIN + 3,
       PDDT_QUEUE_TAG_COMPLETE = INT32_MIN + 4,
       PDDT_QUEUE_TAG_LOCK_EXCLUSIVE = INT32_MIN + 5,
       PDDT_QUEUE_TAG_LOCK_SHARED = INT32_MIN + 6,
};

struct pddt_queue_communicator {
    uint32_t in_use, flags;
    uint64_t handle, id, parent, maker; /* maker: the return address of the call that made it */
    int32_t size, rank;
    /* index in `members`; n 0: each member has its own number (or CUT) */
    uint32_t members, n_members;
    uint32_t remote, n_remote;
    uint64_t n_created, n_collectives, chain;
    int32_t n_dims;
    uint32_t trace; /* the recorder's own: its definition in the trace; 0: none */
    uint32_t call;  /* that made it; 0: not known */
    uint32_t n_sources, n_destinations;
    /* of GRAPH and CARTESIAN: indexes in `members`, of ranks of the communicator; -1: nobody */
    uint32_t sources, destinations, unused;
    int32_t dims[PDDT_QUEUE_DIMS], periods[PDDT_QUEUE_DIMS], coords[PDDT_QUEUE_DIMS];
    char name[PDDT_QUEUE_NAME];
    struct pddt_queue_collective
        /* number n is at n % COLLECTIVES */
        collectives[PDDT_QUEUE_COLLECTIVES];
};

struct pddt_queue_flow {
    uint32_t in_use; /* 1: sent, 2: received */
    /* rank of the communicator (for an intercommunicator, of the other side) */
    int32_t peer, tag;
    uint32_t n_matched;
    uint64_t communicator; /* id */
    uint64_t n_messages;
    uint64_t newest;    /* received: the highest number of a call that posted one of them */
    uint16_t signature; /* of the last message */
    /* receives do not match sends in order, so types cannot be compared */
    uint16_t is_disordered;
    uint32_t
        matched_call; /* the last one that took one of the n_matched messages, and its caller */
    uint64_t matched_caller;
    uint32_t unused[2];
} __attribute__ ((aligned (64)));

/* A run of messages in a flow with one signature: from `first` to the flow's next run, or to
 * the end. Only the last runs are kept. */
struct pddt_queue_run {
    uint32_t flow,
        call; /* index in `flows`; the call that sent the first or posted its receive */
    uint64_t first, caller;
    uint64_t bytes; /* of the first message */
    uint16_t signature, unused[3];
};

/* What this rank gives each partner in a collective whose counts may differ, and gets from each, in bytes:
 * lists in `shares`, of which only the last PDDT_QUEUE_SHARES are kept. A list of one is for each of them. Partners are
 * the members by rank, or of a neighbour collective its communicator's sources and destinations. */
struct pddt_queue_uneven {
    uint64_t communicator; /* id */
    uint64_t number;       /* of the collective on its communicator */
    uint32_t n_gives, n_gets;
    uint64_t gives, gets; /* share number n is at n % SHARES */
};
#define PDDT_QUEUE_NO_SHARE UINT32_MAX /* not known, or too large */

struct pddt_queue_made { /* a datatype that the program has made */
    uint64_t handle;     /* 0: freed */
    uint64_t caller;
    uint32_t call, unused;
};

struct pddt_queue_sent { /* one cache line */
    uint32_t call;
    uint16_t type, n_first;  /* type as in messages */
    uint64_t caller, number; /* number in its flow */
    uint64_t bytes;
    uint32_t flow, unused; /* index in `flows`: communicator, peer and tag */
    uint8_t first[PDDT_QUEUE_FIRST];
} __attribute__ ((aligned (64)));

enum { /* state of the queue */
       PDDT_QUEUE_INITIALIZED = 1 << 0,
       PDDT_QUEUE_FINALIZED = 1 << 1,
       PDDT_QUEUE_MULTIPLE = 1 << 2,  /* MPI_THREAD_MULTIPLE */
       PDDT_QUEUE_OVERFLOW = 1 << 3,  /* something did not fit */
       PDDT_QUEUE_UNCOUNTED = 1 << 4, /* the counts of flows cannot be trusted */
       /* the MPI library is not the one that this recorder is for */
       PDDT_QUEUE_FOREIGN = 1 << 5,
       PDDT_QUEUE_ABORTING = 1 << 6, /* inside MPI_Abort */
       PDDT_QUEUE_SESSION = 1 << 7,  /* MPI_Session_init was called */
};

struct pddt_queue {
    uint64_t magic;
    uint32_t version, size; /* of this struct */
    /* the process that wrote it; in a forked child it is the parent's */
    uint32_t pid;
    uint32_t state;
    uint32_t world_rank, world_size;
    uint32_t threads_high, requests_high, communicators_high, members_high, flows_high;
    uint32_t n_types;
    uint64_t n_sent;             /* number n is in `sent` at n % SENT; only the last are kept */
    uint64_t n_begun;            /* calls */
    uint64_t n_runs;             /* number n is in `runs` at n % RUNS; only the last are kept */
    uint64_t n_uneven, n_shares; /* likewise */
    uint32_t n_signatures, made_high;
    char library[PDDT_QUEUE_NAME];
    char error[256]; /* the last error that MPI returned; empty: none */
    char ops[PDDT_QUEUE_OPS][16];
    char types[PDDT_QUEUE_TYPES][32];
    /* all fields up to this one are read each time */
    struct pddt_queue_sent sent[PDDT_QUEUE_SENT];
    struct pddt_queue_run runs[PDDT_QUEUE_RUNS];
    struct pddt_queue_made made[PDDT_QUEUE_MADE];
    /* The basic types of a datatype in order, once for its repetitions: "i4=MPI_INT
     * f8*2=MPI_DOUBLE"; the letter is b(yte), i(nteger), u(nsigned), f(loat), l(ogical). */
    char signatures[PDDT_QUEUE_SIGNATURES][PDDT_QUEUE_SIGNATURE];
    char errors[PDDT_QUEUE_ERRORS][80]; /* texts of error codes */
    struct pddt_queue_thread threads[PDDT_QUEUE_THREADS];
    struct pddt_queue_communicator communicators[PDDT_QUEUE_COMMUNICATORS];
    struct pddt_queue_flow flows[PDDT_QUEUE_FLOWS];
    struct pddt_queue_request requests[PDDT_QUEUE_REQUESTS];
    struct pddt_queue_uneven uneven[PDDT_QUEUE_UNEVEN];
    uint32_t shares[PDDT_QUEUE_SHARES];
    int32_t members[PDDT_QUEUE_MEMBERS]; /* ranks of the job; -1: a rank of another job */
};

/* `void pddt_mpi_describe (int code)` writes the text of an error's code to `error`, behind "MPI: "; a debugger
 * calls it. */
/* `void pddt_mpi_event (int kind, int code, const char *text)` is empty; a debugger stops
 * there. `text` describes the event; for LEFT_OPEN it has one line for each request. */
enum {
    PDDT_QUEUE_EVENT_ERROR = 1,
    PDDT_QUEUE_EVENT_ABORT = 2,
    PDDT_QUEUE_EVENT_LEFT_OPEN = 3,
    PDDT_QUEUE_EVENT_FINALIZE = 4, /* the tables are final */
    PDDT_QUEUE_EVENT_OVERLAP
    = 5, /* code: indexes in `requests` of one that was begun just now (high 16
                                      bits; 0xffff the last call that has returned) and another; one
                                      of them receives where the other is */
};
