/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The recorder, a library that pddt-start preloads into ranks. Its MPI functions record the
 * program's calls in tables (queue-layout.h) and call the next function of the same name. It is
 * not linked to MPI, but finds the MPI of the process. It allocates no memory after MPI_Init and a thread's first call,
 * and takes its one lock only with MPI_THREAD_MULTIPLE. */
#pragma once
#include "agent/queue-layout.h"
#define OMPI_OMIT_MPI1_COMPAT_DECLS 0
#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

enum mpi_how {
    MPI_HOW_PLAIN,
    MPI_HOW_INIT,
    MPI_HOW_FINALIZE,
    MPI_HOW_ABORT,
    MPI_HOW_SEND,
    MPI_HOW_RECV,
    MPI_HOW_SENDRECV,
    MPI_HOW_ISEND,
    MPI_HOW_IRECV,
    MPI_HOW_START,
    MPI_HOW_REQUEST_FREE,
    MPI_HOW_CANCEL,
    MPI_HOW_PROBE,
    MPI_HOW_IPROBE,
    MPI_HOW_MRECV,
    MPI_HOW_WAIT,
    MPI_HOW_COLLECTIVE,
    MPI_HOW_CREATE,
    MPI_HOW_CREATE_GROUP,
    MPI_HOW_CREATE_INTER,
    MPI_HOW_FREE,
    MPI_HOW_SET_NAME,
    MPI_HOW_SET_ATTR,
    MPI_HOW_CREATE_WINDOW,
    MPI_HOW_FREE_WINDOW,
    MPI_HOW_WINDOW,
    MPI_HOW_RWINDOW,
    MPI_HOW_TYPE_FREE,
    MPI_HOW_ISENDRECV,
    MPI_HOW_SESSION,
    MPI_HOW_CREATE_FILE,
    MPI_HOW_FILE,
    MPI_HOW_FREE_FILE,
    MPI_HOW_TYPE_CREATE,
    MPI_HOW_GET_STATUS,
    MPI_HOW_PREADY,
};

struct mpi_side {
    const void *buffer;
    long count;
    MPI_Datatype type;
    int peer, tag;
};

/* What a wrapper knows of its call; the fields from `thread` on are the recorder's own. If
 * is_fortran, the pointers to handles, indices and flags point to Fortran's. */
struct mpi_arguments {
    uint32_t call;
    uint8_t how, kind, is_fortran, is_poll, is_matching, is_large;
    uint8_t is_traced; /* an Enter has been recorded, which needs a Leave */
    uint32_t flags;
    /* frame: the wrapper's own, by which calls inside a call are recognised */
    void *caller, *frame;
    struct mpi_side send, receive;
    const int *send_counts; /* one for each member; NULL: not of this call */
    /* for mpi-trace.c: what each member is given and gives (MPI_Count if is_large, else int), and its types */
    const void *counts_sent, *counts_received, *types_sent, *types_received;
    int root, n_requests, partitions;
    int first_ready, last_ready; /* partitions that MPI_Pready… marks; without a list */
    const int *ready;            /* a list of n_ready */
    int n_ready;
    MPI_Comm comm, peer_comm;
    MPI_Op op;
    MPI_Win win;
    MPI_Group group;
    MPI_File file;
    void *requests, *status, *message, *new_handle, *flag, *index, *outcount, *indices,
        *provided;
    const char *name;
    size_t name_size;
    MPI_Datatype type;                /* MPI_Type_free's */
    MPI_Datatype moved_type;          /* of what a one-sided operation moves; 0: it is none */
    int64_t moved_count;              /* of them */
    struct pddt_queue_thread *thread; /* NULL: nothing is recorded */
    struct pddt_queue_communicator *communicator;
    /* the communicator of MPI_Comm_create_group, before it has a handle */
    struct pddt_queue_communicator *made;
    uint16_t request;
    uint8_t is_uncounted;
    uint32_t overlap; /* answer of mpi_find_overlap, kept until the tables are final */
    uint32_t trace_communicator; /* definition of the collective's; 0: it is not traced */
    uint8_t trace_kind;
};

void mpi_enter (struct mpi_arguments *arguments);
/* Returns result. */
int mpi_leave (struct mpi_arguments *arguments, int result);

/* ---- mpi-next.c: the MPI library ---- */
/* The next function of that name. Ends the program with a message if there is none. */
void *mpi_find_next (const char *name);
struct mpi_next { /* PMPI functions */
    int (*comm_size) (MPI_Comm, int *);
    int (*comm_rank) (MPI_Comm, int *);
    int (*comm_remote_size) (MPI_Comm, int *);
    int (*comm_group) (MPI_Comm, MPI_Group *);
    int (*comm_remote_group) (MPI_Comm, MPI_Group *);
    int (*comm_test_inter) (MPI_Comm, int *);
    int (*comm_get_name) (MPI_Comm, char *, int *);
    int (*topo_test) (MPI_Comm, int *);
    int (*cartdim_get) (MPI_Comm, int *);
    int (*cart_get) (MPI_Comm, int, int *, int *, int *);
    int (*cart_shift) (MPI_Comm, int, int, int *, int *);
    int (*graph_neighbors_count) (MPI_Comm, int, int *);
    int (*graph_neighbors) (MPI_Comm, int, int, int *);
    int (*dist_graph_neighbors_count) (MPI_Comm, int *, int *, int *);
    int (*dist_graph_neighbors) (MPI_Comm, int, int *, int *, int, int *, int *);
    int (*group_size) (MPI_Group, int *);
    int (*group_translate_ranks) (MPI_Group, int, const int *, MPI_Group, int *);
    int (*group_free) (MPI_Group *);
    int (*win_get_group) (MPI_Win, MPI_Group *);
    int (*type_size) (MPI_Datatype, MPI_Count *);
    int (*type_get_envelope) (MPI_Datatype, int *, int *, int *, int *);
    int (*type_get_name) (MPI_Datatype, char *, int *);
    int (*type_get_envelope_c) (MPI_Datatype, MPI_Count *, MPI_Count *, MPI_Count *,
                                MPI_Count *, int *); /* NULL: an MPI without large counts */
    int (*type_get_contents) (MPI_Datatype, int, int, int, int *, MPI_Aint *, MPI_Datatype *);
    int (*type_get_extent) (MPI_Datatype, MPI_Aint *, MPI_Aint *);
    int (*type_free) (MPI_Datatype *);
    int (*error_string) (int, char *, int *);
    int (*get_library_version) (char *, int *);
    int (*query_thread) (int *);
    int (*test_cancelled) (const MPI_Status *, int *);
};
extern struct mpi_next mpi_next;
/* 0: the MPI is not the one that this library was compiled for, or lacks a function. */
int mpi_next_open (void);
MPI_Comm mpi_world (void);
MPI_Comm mpi_self (void);
int mpi_is_null_comm (MPI_Comm comm);
int mpi_is_null_win (MPI_Win win);
int mpi_is_null_type (MPI_Datatype type);
int mpi_is_in_place (const struct mpi_arguments *arguments, const void *buffer);
int mpi_is_status_ignore (const struct mpi_arguments *arguments, const void *status);
unsigned mpi_op_index (MPI_Op op); /* index in `ops`; 0xffff: an operation of the user's */
void mpi_ops_fill (char ops[PDDT_QUEUE_OPS][16]);
MPI_Comm mpi_comm_from_fortran (MPI_Fint handle);
MPI_Datatype mpi_type_from_fortran (MPI_Fint handle);
MPI_Op mpi_op_from_fortran (MPI_Fint handle);
MPI_Win mpi_win_from_fortran (MPI_Fint handle);
MPI_Group mpi_group_from_fortran (MPI_Fint handle);
MPI_File mpi_file_from_fortran (MPI_Fint handle);
MPI_Request mpi_request_from_fortran (MPI_Fint handle);
/* Removes the library from LD_PRELOAD, so that programs started by this one do not load it. */
void mpi_preload_leave (void);

/* A null request, or one that stands for no operation. */
#ifdef OPEN_MPI
extern void *mpi_null_requests[2];
static inline int
mpi_is_idle_request (MPI_Request request)
{
    return (void *) request == mpi_null_requests[0] || (void *) request == mpi_null_requests[1]
           || request == NULL;
}
#else
static inline int
mpi_is_idle_request (MPI_Request request)
{
    return request == MPI_REQUEST_NULL;
}
#endif

/* ---- mpi-tables.c: only between the beginning and the end of a write ---- */
extern struct pddt_queue mpi_queue;
void mpi_tables_init (void); /* called when MPI_Init has returned */
/* Adds the communicator if it is new. NULL: it is unknown and cannot be added. */
struct pddt_queue_communicator *mpi_communicator_find (MPI_Comm comm);
struct pddt_queue_communicator *mpi_communicator_add (MPI_Comm comm, uint64_t id,
                                                      uint64_t parent, void *maker);
struct pddt_queue_communicator *mpi_window_find (MPI_Win win);
struct pddt_queue_communicator *mpi_window_add (MPI_Win win, uint64_t id, uint64_t parent,
                                                void *maker);
/* Enters a new communicator of the group, under a handle that MPI never gives. NULL: no
 * room. */
struct pddt_queue_communicator *mpi_communicator_plan (MPI_Group group, uint64_t parent,
                                                       void *maker);
/* The planned communicator now exists. */
void mpi_communicator_complete (struct pddt_queue_communicator *communicator, MPI_Comm comm);
struct pddt_queue_communicator *mpi_file_find (MPI_File file);
/* The members are those of the communicator on which the file is opened. */
void mpi_file_add (MPI_File file, uint64_t id, const struct pddt_queue_communicator *parent,
                   const char *name, void *maker);
/* Fills in the group's ranks in the window, at most max. Returns how many. */
int mpi_window_ranks (MPI_Win win, MPI_Group group, int *ret_ranks, int max);
/* Keeps the entry, as freed, for a while: other ranks may still be inside the call that has
 * freed it here. */
void mpi_communicator_remove (struct pddt_queue_communicator *communicator);
void mpi_communicator_set_name (struct pddt_queue_communicator *communicator, const char *name,
                                size_t size);
/* The rank in the job of the communicator's local rank; -1: it belongs to another job. */
int mpi_communicator_member (const struct pddt_queue_communicator *communicator, int rank);
uint64_t mpi_hash (uint64_t a, uint64_t b, uint64_t c);
/* 0xffff: not found, or no room. */
uint16_t mpi_request_add (uint64_t handle);
uint16_t mpi_request_find (uint64_t handle);
void mpi_request_remove (uint16_t index);
/* NULL: no room (the state is then UNCOUNTED). */
struct pddt_queue_flow *mpi_flow_get (uint32_t direction, uint64_t communicator, int32_t peer,
                                      int32_t tag);
/* Results of the latest lookups, by hash of the handle, for mpi-fast.h. */
enum { MPI_RECENT_COMMS = 64, MPI_TYPES = 256, MPI_PLACES = 65536 };
/* what messages need to know of a datatype, as in struct pddt_queue_message */
struct mpi_type {
    MPI_Datatype type;
    MPI_Count size;
    uint16_t index; /* 0: the slot is empty */
    uint16_t signature, is_dense;
};
extern struct pddt_queue_communicator *mpi_recent_comms[MPI_RECENT_COMMS];
extern struct mpi_type mpi_types[MPI_TYPES];
extern struct pddt_queue_flow *mpi_last_flows[2]; /* sent, received; NULL at first */
/* Memory that the process keeps until it ends: the program's own data, the stack of its first
 * thread, and its heap up to __curbrk. */
struct mpi_own {
    uintptr_t data_low, data_high, stack_low, stack_high, heap_low;
};
extern struct mpi_own mpi_own;
extern char *__curbrk __attribute__ ((weak));   /* glibc's */
extern uint16_t mpi_request_places[MPI_PLACES]; /* index in `requests`, + 1 */
extern MPI_Op mpi_known_op;
extern uint16_t mpi_known_op_index;
/* ---- mpi-types.c ---- */
/* Never NULL; for no type, the size is 0. Valid until the next call. */
const struct mpi_type *mpi_type_find (MPI_Datatype type);
void mpi_type_note_made (MPI_Datatype type, uint32_t call, uint64_t caller);
void mpi_type_forget (MPI_Datatype type); /* its handle may soon belong to another type */
/* ---- mpi-memory.c ---- */
void mpi_memory_init (void);
/* Copies a few bytes. 0: they cannot be read, as a device's memory may not be. */
int mpi_copy (void *to, const void *from, size_t size);
/* The same of a message. 0 also for what would come from a graphics card for that. Inside mpi_enter or mpi_leave. */
int mpi_copy_message (void *to, const void *from, size_t size);
extern const struct pddt_queue_call pddt_mpi_calls[];

/* ---- between mpi-recorder.c, mpi-threads.c, mpi-messages.c, mpi-collectives.c and mpi-requests.c ---- */
#define MPI_NO_INDEX 0xffff
#define MPI_UNKNOWN_ID UINT64_MAX
/* Memory of statuses that nobody needs is never touched. */
enum { MPI_MAX_WAITS = 16384, MPI_MAX_STATUSES = 4096 };

struct mpi_local { /* data of one thread */
    /* with nobody to lock out: mpi-fast.h may be used, unless a call is under way */
    struct pddt_queue_thread *fast;
    struct pddt_queue_thread *thread; /* the thread's first slot; NULL: none */
    int is_refused;                   /* no slot was free for this thread */
    /* the last call that ended, and the communicator that it made from `parent` */
    uint32_t last_call;
    struct pddt_queue_communicator *made;
    uint64_t parent;
    int has_fibres; /* calls have been under way on several stacks: never fast again */
    int is_traced;  /* of the call that mpi-fast.h has begun: its Enter has been recorded */
    /* when the call under way began, if it is traced, and when the one before has ended */
    uint64_t trace_entered, trace_left;
    uint64_t trace_now;             /* while a call that is traced returns: when it did so */
    uint64_t stack_low, stack_size; /* of the thread's own stack */
};
extern _Thread_local struct mpi_local mpi_local __attribute__ ((tls_model ("initial-exec")));

/* What the call under way in a slot needs when it returns. */
struct mpi_pending {
    uint32_t n_waits;
    uint16_t waits[MPI_MAX_WAITS];
    MPI_Status statuses[MPI_MAX_STATUSES];
};
extern struct mpi_pending mpi_pending[PDDT_QUEUE_THREADS];
static inline struct mpi_pending *
mpi_get_pending (const struct pddt_queue_thread *thread)
{
    return &mpi_pending[thread - mpi_queue.threads];
}

/* ---- mpi-threads.c ---- */
/* Gives the thread, which has none, its slot. NULL: there is none for it, and it is_refused from now on. */
struct pddt_queue_thread *mpi_thread_take (void);
/* For a thread that may be inside MPI already: a slot without a call, for one whose wrapper's frame is `here`. NULL: it is
 * not to be recorded, being inside another call, or there is no room. */
struct pddt_queue_thread *mpi_thread_find (uint64_t here);

/* Counts a message that has been handed to MPI, and keeps its first bytes. */
void mpi_note_sent (uint32_t call, uint64_t caller, const struct pddt_queue_message *message);
void mpi_clear_message (struct pddt_queue_message *message);
/* The number, in its flow, of the message that was counted last. */
static inline uint64_t
mpi_get_sent_number (void)
{
    return mpi_queue.sent[(mpi_queue.n_sent - 1) % PDDT_QUEUE_SENT].number;
}
/* Ends a call that mpi-fast.h began and that has failed. Returns result. */
int mpi_leave_failed (struct pddt_queue_thread *thread, int result);
/* What posted the receive: the number and line of the call. */
struct mpi_origin {
    uint32_t call;
    uint64_t number, caller;
};
/* status NULL: not known; is_matched: MPI_Mprobe had taken the message. */
void mpi_note_received (const struct pddt_queue_message *message, struct mpi_origin origin,
                        const MPI_Status *status, int is_matched);
/* A message that was counted as sent may never be received, because of MPI_Cancel. */
void mpi_note_cancelled (const struct pddt_queue_message *message);
int mpi_is_wild (const struct pddt_queue_message *message);
/* Passes a status of the recorder's where the program ignores the status but the source must be
 * known. */
void mpi_lend_status (struct mpi_arguments *a);
/* Counts a collective that begins on the communicator and records what `message` says of it.
 * Returns its number. */
uint64_t mpi_begin_collective (struct pddt_queue_communicator *entry, uint32_t call,
                               uint32_t flags, uint64_t caller,
                               const struct pddt_queue_message *message);
void mpi_finish_collective (struct pddt_queue_communicator *entry, uint64_t number);
struct pddt_queue_communicator *mpi_find_id (uint64_t id);
MPI_Comm mpi_read_comm (const void *address, int is_fortran);
void mpi_add_made (MPI_Comm comm, uint64_t parent, uint64_t birth, void *maker, uint32_t call);

/* Before and after a call: record what it says of a message, a collective or a window. */
int32_t mpi_map_peer (int peer);
void mpi_fill_message (struct pddt_queue_message *message,
                       const struct pddt_queue_communicator *entry,
                       const struct mpi_side *side);
void mpi_enter_message (struct mpi_arguments *a, struct pddt_queue_record *current);
void mpi_leave_message (struct mpi_arguments *a, struct pddt_queue_record *current);
void mpi_enter_collective (struct mpi_arguments *a, struct pddt_queue_record *current);
void mpi_enter_window (struct mpi_arguments *a, struct pddt_queue_record *current);
void mpi_leave_window (struct mpi_arguments *a, struct pddt_queue_record *current);
void mpi_enter_file (struct mpi_arguments *a, struct pddt_queue_record *current);
void mpi_enter_group (struct mpi_arguments *a, struct pddt_queue_record *current);
void mpi_enter_bridge (struct mpi_arguments *a, struct pddt_queue_record *current);
/* The collective of that number has ended. */
void mpi_finish_present (struct mpi_arguments *a, const struct pddt_queue_record *current);
void mpi_leave_create (struct mpi_arguments *a, struct pddt_queue_record *current);
/* A nonblocking call has returned: its request is open until some call completes it. */
void mpi_open_request (struct mpi_arguments *a, struct pddt_queue_record *current);
void mpi_start_requests (struct mpi_arguments *a);
/* MPI_Pready…: partitions that may be sent. */
void mpi_note_ready (const struct mpi_arguments *a);
/* MPI_Request_get_status has reported that it is complete, so the program may use its buffer
 * again. */
void mpi_release_buffer (const struct mpi_arguments *a);

/* ---- mpi-uneven.c ---- */
/* Keeps what this rank gives each partner in the collective of that number on the communicator, and gets
 * from each, where the call says so. */
void mpi_note_uneven (const struct mpi_arguments *a,
                      const struct pddt_queue_communicator *entry, uint64_t number);

/* ---- mpi-overlaps.c ---- */
/* Buffers of the latest requests, of sends [0] and of receives [1]; `end` 0: an empty slot. */
enum { MPI_LANES = 8, MPI_SITES = 256, MPI_SITE_LOOKS = 32 };
struct mpi_lanes {
    uint64_t begin[MPI_LANES], end[MPI_LANES];
    uint64_t low, high; /* bounds of all open buffers; meaningless if n_open is 0 */
    uint16_t request[MPI_LANES];
    unsigned next, n_open;
};
extern struct mpi_lanes mpi_lanes[2];
/* by hash of the line: how often all requests were compared for it */
extern uint8_t mpi_sites[MPI_SITES];
/* Call when a request has become active. Compares it with all others. Returns the code of the
 * event, or 0: no overlap (the code is never 0, because the two requests differ). */
uint32_t mpi_find_overlap (uint16_t index);
/* The same for a call without a request. */
uint32_t mpi_find_overlap_of (const struct pddt_queue_message *message, uint32_t kind,
                              uint64_t caller);
void mpi_say_overlap (uint32_t code);
void mpi_forget_request (struct mpi_arguments *a); /* MPI_Request_free, MPI_Cancel */
void mpi_enter_wait (struct mpi_arguments *a);
/* 0: a poll that found nothing complete */
int mpi_leave_wait (struct mpi_arguments *a, int result);
const MPI_Status *mpi_get_status (const struct mpi_arguments *a, int index); /* NULL: ignored */
void mpi_note_matched (struct mpi_arguments *a, const struct pddt_queue_message *message);
void mpi_enter_matched (struct mpi_arguments *a, struct pddt_queue_message *message);
