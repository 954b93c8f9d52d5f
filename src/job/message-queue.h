/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The MPI state of one rank as plain values: the call that each thread is in, unfinished
 * operations, communicators with their collectives, and what was sent and received. The engine
 * fills it from the recorder's tables or, without them, from stacks; the front end computes
 * pairings and verdicts from it.
 *
 * Ranks of peers, roots and members are ranks of the job (of MPI_COMM_WORLD), never ranks of a
 * communicator, except where a field's name says `local`. Names of operations are C's, without
 * "P": Fortran's mpi_send_ and mpi4py's Send are both "MPI_Send". */
#pragma once
#include "base/text.h"
#include "job/location.h"
#include "job/rank-set.h"
#include "job/wait.h"

#define JOB_MESSAGE_ANY (-1)     /* MPI_ANY_SOURCE, MPI_ANY_TAG */
#define JOB_MESSAGE_NONE (-2)    /* has none: MPI_PROC_NULL, a barrier's root, a wait's tag */
#define JOB_MESSAGE_UNKNOWN (-3) /* has one that was not seen (stack only, tables full) */
#define JOB_MESSAGE_OUTSIDE (-4) /* a process of another job (spawned, connected) */
/* Instead of a tag, except for ANY. No program passes such numbers; other ones below 0 are its mistakes. */
#define JOB_MESSAGE_TAG_NONE G_MININT32
#define JOB_MESSAGE_TAG_UNKNOWN (G_MININT32 + 1)

#define JOB_MESSAGE_WORLD_ID G_GUINT64_CONSTANT (0) /* MPI_COMM_WORLD of this job */
#define JOB_MESSAGE_UNKNOWN_ID G_MAXUINT64          /* of no communicator that was seen */
#define JOB_MESSAGE_NO_SHARE G_MAXUINT32            /* bytes: not known, or too many to tell */
#define JOB_MESSAGE_MAX_BYTES 16                    /* first bytes that are kept */

typedef enum {
    JOB_MESSAGE_SOURCE_NONE,  /* nothing known: not started, no MPI, or it could not be read */
    JOB_MESSAGE_SOURCE_STACK, /* only `calls`, each with operation and place; flows, requests
                                    and communicators are unknown, not empty */
    JOB_MESSAGE_SOURCE_DLL,   /* MPI's message queue DLL: operations and communicators; no
                                    flows, no collectives */
    JOB_MESSAGE_SOURCE_RECORDER, /* everything below */
    JOB_MESSAGE_N_SOURCES
} JobMessageSource;

/* What a call can wait for; also the kind of an operation. */
typedef enum {
    JOB_MESSAGE_LOCAL,    /* for nobody: a local operation (MPI_Comm_rank, MPI_Bsend, …) */
    JOB_MESSAGE_POLL,     /* MPI_Test…, MPI_Iprobe…: returns at once. An unsuccessful one is
                               no progress and not counted in `completed` */
    JOB_MESSAGE_SEND,     /* its peer; see JOB_MESSAGE_SYNCHRONOUS and _BUFFERED */
    JOB_MESSAGE_RECV,     /* a message of its peer */
    JOB_MESSAGE_PROBE,    /* as RECV (MPI_Probe, MPI_Mprobe) */
    JOB_MESSAGE_SENDRECV, /* both of two operations (calls only) */
    JOB_MESSAGE_WAIT_ALL, /* all of its operations (MPI_Wait, MPI_Waitall; calls only) */
    JOB_MESSAGE_WAIT_ANY, /* one of its operations (MPI_Waitany, MPI_Waitsome; calls only) */
    JOB_MESSAGE_COLLECTIVE, /* members of its communicator; also creation of communicators,
                               windows and files */
    JOB_MESSAGE_RMA,   /* the group of a window (fence, start, complete, wait, lock, flush) */
    JOB_MESSAGE_OUTER, /* processes outside the job (accept, connect, spawn's children) */
    JOB_MESSAGE_INIT,  /* all ranks of the job, in MPI_Init */
    JOB_MESSAGE_FINALIZE, /* all ranks of the job, in MPI_Finalize */
    JOB_MESSAGE_N_KINDS
} JobMessageKind;

typedef enum {
    JOB_MESSAGE_SYNCHRONOUS = 1 << 0, /* SEND: ends only when the receiver has asked for it */
    JOB_MESSAGE_BUFFERED = 1 << 1,    /* SEND: MPI_Bsend, MPI_Ibsend: never waits */
    JOB_MESSAGE_NONBLOCKING
    = 1 << 2, /* begun by MPI_I… or MPI_Start: someone must complete it */
    JOB_MESSAGE_PERSISTENT = 1 << 3, /* started; a persistent request at rest is not listed */
    JOB_MESSAGE_V_FORM = 1 << 4,   /* COLLECTIVE: bytes may differ between members (…v, …w,
                                         neighbour forms, creation) and must not be compared */
    JOB_MESSAGE_IN_CALL = 1 << 5,  /* OPERATION: lives only as long as the call it is in (a
                                         blocking send); others have a request */
    JOB_MESSAGE_FINISHED = 1 << 6, /* COLLECTIVE of a communicator: the call (of a nonblocking
                                         one: its wait or test) has returned in this rank */
    JOB_MESSAGE_MATCHED = 1 << 7,  /* RECV: of a message that MPI_Mprobe took: it has arrived */
    JOB_MESSAGE_ROOTED = 1 << 8,   /* COLLECTIVE: `peer` is a root, or NONE at the far side of
                                         an intercommunicator */
    JOB_MESSAGE_GENERAL = 1 << 9,  /* a generalised request or an I/O request, which no peer
                                         completes */
    JOB_MESSAGE_HERE = 1 << 10,    /* COLLECTIVE of an intercommunicator: this rank is the root
                                         (MPI_ROOT) */
} JobMessageFlags;

/* One unfinished operation. Every unfinished send, receive, probe and collective is listed,
 * blocking ones too (IN_CALL), so that a list of operations is all that a waits-for graph needs. */
typedef struct {
    JobMessageKind kind;  /* SEND, RECV, PROBE, COLLECTIVE, RMA, OUTER or LOCAL */
    guint32 flags;        /* JobMessageFlags */
    char *name;           /* "MPI_Irecv"; NULL unknown */
    char *reduction;      /* "MPI_SUM"; NULL none, or one of the user's own ("user" then) */
    char *datatype;       /* "MPI_DOUBLE"; NULL unknown or derived */
    guint64 communicator; /* id; JOB_MESSAGE_UNKNOWN_ID */
    gint32 peer;          /* SEND: destination; RECV, PROBE: source; COLLECTIVE: root; or
                               JOB_MESSAGE_… above */
    gint32 local_peer;    /* the same as in the program's call: rank in the communicator */
    gint32 tag;           /* JOB_MESSAGE_ANY, JOB_MESSAGE_TAG_… */
    guint64 count;        /* of datatype; RECV: room for so many */
    guint64 bytes;        /* RECV: room. COLLECTIVE: what this rank gives (or for a rooted one
                               what each member gives or gets); 0 with V_FORM */
    guint64 sequence; /* COLLECTIVE: n-th on its communicator, from 1. SEND with a request: n-th
                               message of its flow; 0 unknown. Others 0 */
    guint64 request;  /* handle in the rank; 0 with IN_CALL */
    guint64 buffer;   /* address in the rank; 0 unknown */
    guint8 first[JOB_MESSAGE_MAX_BYTES]; /* of the buffer, when it could be read (SEND) */
    guint32 n_first;
    guint32 n_partitions; /* SEND: of MPI_Psend_init; 0: it is not partitioned */
    guint32 n_ready;      /* of these, those that MPI_Pready has marked */
    gint32 unready;       /* the first that it has not marked; JOB_MESSAGE_UNKNOWN */
    JobLocation *place;   /* where it was begun: the line that called MPI; NULL unknown.
                               place->function is that frame's, not the MPI call's */
} JobMessageOperation;

/* A call that a thread is inside, or one that has returned (`recent`). */
typedef struct {
    JobMessageKind kind;
    guint32 thread;    /* kernel thread id; 0 unknown */
    guint64 number;    /* n-th call that this rank began, from 1; 0 unknown. Two answers
                               with the same number mean the same call */
    guint64 completed; /* calls that this thread has completed (see POLL) */
    char *name;        /* "MPI_Recv" */
    guint64 communicator;
    gint32 peer, local_peer, tag; /* as in operations */
    guint64 count, bytes;
    gint32 result;      /* `recent`: 0 MPI_SUCCESS, else the error's class; inside: 0 */
    GArray *waits;      /* of guint32: indexes into `operations`; never NULL. Empty for LOCAL,
                               INIT and FINALIZE, or when unknown: a WAIT_… with an empty list
                               waits for something unrecorded */
    JobLocation *place; /* as in operations */
    char *method;       /* "comm.recv" of mpi4py, from the source line; NULL. Not on the
                               wire: the front end finds it (session_find_method) */
} JobMessageCall;

typedef enum {
    JOB_MESSAGE_COMMUNICATOR_INTER = 1 << 0,
    JOB_MESSAGE_COMMUNICATOR_CARTESIAN = 1 << 1, /* dims, periods, coords */
    JOB_MESSAGE_COMMUNICATOR_GRAPH = 1 << 2,     /* MPI_Graph_create, MPI_Dist_graph_… */
    JOB_MESSAGE_COMMUNICATOR_HIDDEN = 1 << 3,    /* mpi4py's own copy; name says of which */
    JOB_MESSAGE_COMMUNICATOR_FREED = 1 << 4,     /* by the program; still listed while in use */
    JOB_MESSAGE_COMMUNICATOR_WINDOW = 1 << 5,    /* a window's group: MPI_Win */
    JOB_MESSAGE_COMMUNICATOR_INCOMPLETE = 1 << 6, /* members could not all be kept */
    JOB_MESSAGE_COMMUNICATOR_NEIGHBOURS = 1 << 8, /* all sources and destinations are known */
} JobMessageCommunicatorFlags;

/* One collective of a communicator, finished or not. */
typedef struct {
    guint64 sequence; /* n-th on its communicator in this rank, from 1 */
    char *name;       /* "MPI_Ibcast" is not "MPI_Bcast": they do not match */
    guint32 flags;    /* NONBLOCKING, V_FORM, FINISHED, ROOTED */
    gint32 root;      /* rank of the job (with HERE this one); JOB_MESSAGE_NONE */
    char *reduction;  /* as in operations */
    guint64 bytes;    /* as in operations; agree in all members unless V_FORM */
    char *signature;  /* of these bytes, or of one member's share of them (see JobMessageRun);
                               NULL not known, or none */
    guint64 other_bytes; /* of its other half, where it has two: what the root of a gather gets
                               from each, and of a scatter gives. Agree with `bytes` as above */
    char *other_signature;
    /* With V_FORM, of guint32: the bytes that this rank gives each partner and gets from each, or one
     * number for all of them; JOB_MESSAGE_NO_SHARE. NULL not known, or none. Partners are the members
     * by local rank, or of a neighbour collective the communicator's destinations and sources. Never
     * modify them */
    GArray *gives, *gets;
    guint32 chain; /* hash of this and all earlier ones: differs between members that
                               have ever called something else; 0 unknown */
    JobLocation *place;
} JobMessageCollective;

typedef struct {
    guint64 id;        /* the same number in all members and in no other communicator (by
                               hash, without communication); WORLD_ID; MPI_COMM_SELF differs by
                               rank */
    char *name;        /* MPI_Comm_set_name's or the standard's; NULL unnamed */
    guint32 flags;     /* JobMessageCommunicatorFlags */
    guint32 size;      /* of the local group */
    gint32 local_rank; /* of this rank in it */
    GArray *members;   /* of guint32: ranks of the job by local rank; NULL: member i is rank
                               i. Possibly shared between ranks and tables: never modify it.
                               G_MAXUINT32: of another job */
    GArray *remote;    /* the same of INTER's other side; NULL otherwise */
    GArray *dims, *periods, *coords; /* of gint32; NULL unless CARTESIAN; also shared */
    /* of guint32: ranks of the job from which this one gets in a neighbour collective, and to which
     * it gives; G_MAXUINT32: nobody of this job. NULL unless GRAPH or CARTESIAN; also shared */
    GArray *sources, *destinations;
    guint64 n_collectives;  /* begun: the sequence of the newest */
    GPtrArray *collectives; /* of JobMessageCollective: the last up to 16, oldest first; never
                               NULL */
} JobMessageCommunicator;

/* How many messages this rank and one peer have exchanged. MPI keeps their order within
 * (communicator, source, destination, tag): of n sent and k received, the last n - k are in
 * transit or were never received. */
typedef struct {
    gboolean is_sent; /* this rank is the source; otherwise the destination */
    guint64 communicator;
    gint32 peer;          /* the actual one: never ANY */
    gint32 tag;           /* the actual one */
    guint64 n_messages;   /* sent: begun. received: completed */
    guint64 n_matched;    /* received: taken by MPI_Mprobe and not yet received */
    JobLocation *matched; /* where the last of these was taken; NULL */
} JobMessageFlow;

/* A message that this rank sent, among its last ones. */
typedef struct {
    guint64 communicator;
    gint32 peer; /* destination */
    gint32 tag;
    guint64 number; /* n-th of its flow, from 1 */
    guint64 bytes;
    char *name; /* "MPI_Send" */
    char *datatype;
    guint8 first[JOB_MESSAGE_MAX_BYTES];
    guint32 n_first; /* 0: not kept */
    JobLocation *place;
} JobMessage;

/* Consecutive messages of a flow with the same signature: basic types in order, with repeat
 * counts. "i4=MPI_INT f8*2=MPI_DOUBLE" is class, size, how many, name; classes are b(yte),
 * i(nteger), u(nsigned), f(loat) and l(ogical). Only a rank's last runs are kept. A flow has
 * none if its n-th received message may not be the n-th sent. */
typedef struct {
    gboolean is_sent;
    guint64 communicator;
    gint32 peer, tag;    /* as in flows */
    guint64 first, last; /* numbers within the flow, from 1; first <= last */
    guint64 bytes;       /* of the first; received: room for so many */
    char *signature;
    char *name;         /* of the call that sent the first, or posted its receive */
    JobLocation *place; /* of that call */
} JobMessageRun;

typedef enum {
    JOB_MESSAGE_QUEUE_INITIALIZED = 1 << 0, /* MPI_Init has returned */
    JOB_MESSAGE_QUEUE_FINALIZED = 1 << 1,   /* MPI_Finalize has returned */
    JOB_MESSAGE_QUEUE_SAMPLED = 1 << 2,     /* the rank was running when it was read */
    JOB_MESSAGE_QUEUE_CHANGING = 1 << 3,    /* it changed during each of several reads: the
                                               parts may be inconsistent; conclude nothing from
                                               them */
    JOB_MESSAGE_QUEUE_INCOMPLETE = 1 << 4,  /* a table was full: something may be missing */
    JOB_MESSAGE_QUEUE_THREADS = 1 << 5,     /* initialised with MPI_THREAD_MULTIPLE */
    JOB_MESSAGE_QUEUE_COUNTED = 1 << 6,     /* flows are complete: sent and received may be
                                               subtracted (RECORDER, no table of flows full) */
    JOB_MESSAGE_QUEUE_OTHERS = 1 << 7,      /* inside MPI, but another thread is outside and may
                                               do what the others wait for */
    JOB_MESSAGE_QUEUE_LEAVING = 1 << 8,     /* stopped while exiting without MPI_Finalize */
    JOB_MESSAGE_QUEUE_DEADLOCK = 1 << 9,    /* waits tells of threads that wait for each
                                               other: continuing does not free them */
    JOB_MESSAGE_QUEUE_INPUT = 1 << 10,      /* waits begins with a read of standard input */
} JobMessageQueueFlags;

/* Flows with these tags count one-sided operations instead of messages: each rank counts its
 * own, by peer (ANY: all peers). `communicator` is the window's. */
enum {
    JOB_MESSAGE_TAG_POST = G_MININT32 + 2,     /* is_sent: n-th exposure to the peer begun */
    JOB_MESSAGE_TAG_START = G_MININT32 + 3,    /* n-th access to the peer begun */
    JOB_MESSAGE_TAG_COMPLETE = G_MININT32 + 4, /* n-th access to the peer completed */
    /* 1: it holds a lock on the peer's memory; 0: not */
    JOB_MESSAGE_TAG_LOCK_EXCLUSIVE = G_MININT32 + 5,
    JOB_MESSAGE_TAG_LOCK_SHARED = G_MININT32 + 6,
    JOB_MESSAGE_TAG_WINDOWS = G_MININT32 + 6, /* and below */
};

/* One rank. */
typedef struct {
    guint32 rank; /* on the wire a slot */
    JobMessageSource source;
    guint32 flags;                  /* JobMessageQueueFlags */
    guint32 world_rank, world_size; /* as MPI says; world_size 0: not known */
    guint64 completed;        /* calls completed by all threads: the measure of progress. Two
                                answers with the same number: no call has ended in between */
    char *library;            /* "Open MPI v4.1.4"; NULL unknown */
    char *remark;             /* why the source is not the recorder, or what went wrong; NULL */
    GPtrArray *waits;         /* of JobWait: what its main thread does while no thread is inside
                                MPI, or with OTHERS another one; empty: nothing, or not known */
    char *error;              /* text of the last error that MPI returned; NULL none */
    GPtrArray *calls;         /* of JobMessageCall: threads inside MPI, lowest thread first */
    GPtrArray *recent;        /* of JobMessageCall: up to 16 that returned last, oldest first */
    GPtrArray *operations;    /* of JobMessageOperation, in the order they were begun */
    GPtrArray *communicators; /* of JobMessageCommunicator, ordered by id */
    GPtrArray *flows;         /* of JobMessageFlow */
    GPtrArray *sent;          /* of JobMessage: the last ones, oldest first */
    GPtrArray *runs;          /* of JobMessageRun, newest first; only on request */
} JobMessageQueue;

/* Ranks in rising order. */
typedef struct {
    GPtrArray *queues; /* of JobMessageQueue */
} JobMessageTable;

/* Lists empty, peers NONE, communicator UNKNOWN_ID, source NONE. Its parts have constructors of
 * their own, below, and belong to the list that they are added to. */
JobMessageQueue *job_message_queue_new (guint32 rank);
void job_message_queue_free (JobMessageQueue *queue);
JobMessageQueue *job_message_queue_dup (const JobMessageQueue *queue);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (JobMessageQueue, job_message_queue_free)
JobMessageOperation *job_message_operation_new (JobMessageKind kind, const char *name);
JobMessageCall *job_message_call_new (JobMessageKind kind, const char *name);
void job_message_call_free (JobMessageCall *call);
JobMessageCommunicator *job_message_communicator_new (guint64 id, const char *name);
JobMessageCollective *job_message_collective_new (guint64 sequence, const char *name);
JobMessageFlow *job_message_flow_new (gboolean is_sent, guint64 communicator, gint32 peer,
                                      gint32 tag, guint64 n_messages);
JobMessageRun *job_message_run_new (const char *signature);
JobMessage *job_message_new (const char *name);

/* NULL when the rank does not know it. */
JobMessageCommunicator *job_message_queue_find_communicator (const JobMessageQueue *queue,
                                                             guint64 id);
/* The call that represents the rank: the oldest call that can wait, else the first; NULL when
 * no thread is inside MPI. */
JobMessageCall *job_message_queue_find_call (const JobMessageQueue *queue);
/* The collective of that number while it is remembered; else NULL. Owned by the communicator. */
const JobMessageCollective *
job_message_communicator_find_collective (const JobMessageCommunicator *communicator,
                                          guint64 sequence);
/* The rank of the job that is local rank `local` of the communicator; JOB_MESSAGE_OUTSIDE, or
 * UNKNOWN when there is no such member. */
gint32 job_message_communicator_get_member (const JobMessageCommunicator *communicator,
                                            guint32 local);
/* The ranks that are one step away from `local` in each dimension of a CARTESIAN one, in both
 * directions, as MPI_Cart_shift counts; without it itself. Empty otherwise. */
JobRankSet *job_message_communicator_dup_neighbours (const JobMessageCommunicator *communicator,
                                                     guint32 local);

/* Words: "recorder", "message queue library", "stack", "nothing". */
const char *job_message_source_get_name (JobMessageSource source);
const char *job_message_kind_get_name (JobMessageKind kind); /* "send", "recv", "wait-all", … */
/* "1", "any", "none", "?", "outside". */
char *job_message_peer_format (gint32 peer);
/* It is a number that the program has passed, possibly a wrong one. */
gboolean job_message_tag_is_number (gint32 tag);
/* "7", "any", "none", "?"; a wrong one, too: "-2". */
char *job_message_tag_format (gint32 tag);
/* "first" to "ninth", then "10th", "21st". Release with g_free. */
char *job_message_format_ordinal (BaseTextForm form, guint64 number);
/* As sentences use it: "halo", "MPI_COMM_WORLD", "communicator #3f2a" when it has no name. */
char *job_message_queue_format_communicator (const JobMessageQueue *queue, guint64 id);
/* Printable ASCII as it is, others as \xNN: "abc\x00\x01". "" when there are none. */
char *job_message_format_first (const guint8 *first, guint32 n_first);
/* The first of `bytes` bytes as values of C's or Fortran's basic type: "0, -1, 7, …". NULL: the type is none of those whose
 * size is always the same, or too little is there. Caller owns. */
char *job_message_format_values (const char *datatype, const guint8 *first, guint32 n_first,
                                 guint64 bytes);

JobMessageTable *job_message_table_new (void);
void job_message_table_free (JobMessageTable *table);
/* Has the same queues: nobody changes them then. */
JobMessageTable *job_message_table_dup (const JobMessageTable *table);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (JobMessageTable, job_message_table_free)
/* Takes queue; one of the same rank is replaced. */
void job_message_table_add (JobMessageTable *table, JobMessageQueue *queue);
const JobMessageQueue *job_message_table_find (const JobMessageTable *table, guint32 rank);
/* table := table ∪ other. Of two entries for one rank it keeps the one with more completed
 * calls, or else the better source, or else its own, so that answers from different moments may
 * come in any order. What comes from other is shared with it: nobody changes it then. */
void job_message_table_merge (JobMessageTable *table, const JobMessageTable *other);
/* Columns: texts, places and lists of members are stored once for all ranks. Floating. */
GVariant *job_message_table_encode (const JobMessageTable *table);
/* Ranks of queues must be < limit, no peer below JOB_MESSAGE_OUTSIDE (above limit is possible:
 * pddt need not have all ranks of a job), `waits` operations of their queue, dims, periods and
 * coords equally long. Empty lists of its queues are shared: add to none, but to those of a copy.
 * NULL with CORRUPT. */
JobMessageTable *job_message_table_decode (GVariant *variant, guint32 limit, GError **error);
