/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A rank's message queue: the recorder, its tables as they stand in memory, their values, and MPI's
 * own library instead of it. */
#pragma once
#include "agent/queue-layout.h"
#include "engine/queue/queue.h"
#include "job/message-queue.h"

/* A copy of the used part of the tables at one moment. */
typedef struct {
    struct pddt_queue *queue; /* its head; tables are below */
    struct pddt_queue_sent *sent;
    struct pddt_queue_thread *threads;
    struct pddt_queue_communicator *communicators;
    struct pddt_queue_flow *flows;
    struct pddt_queue_request *requests;
    gint32 *members;
    struct pddt_queue_run *runs;
    struct pddt_queue_made *made;
    struct pddt_queue_uneven *uneven;
    guint32 *shares;
    char (*signatures)[PDDT_QUEUE_SIGNATURE];
    gboolean is_changing; /* it changed at every read */
} EngineQueueCopy;

/* ---- the recorder ---- */
struct _EngineQueue {
    guint64 tables, event;         /* addresses in the rank; 0: no recorder */
    struct pddt_queue_call *calls; /* the recorder's list, by number */
    guint32 n_calls;
    gboolean is_asked, is_expected; /* in the program's LD_PRELOAD, if it was asked for that */
    gboolean was_error, was_held_at_exit;
    guint64 progress; /* completed calls when a step was last found blocked or not */
};
EngineQueue *engine_queue_get (EngineProcess *process); /* never NULL */
/* errors.c: plants the recorder's event, and where a fatal error passes that it does not see return. */
void engine_queue_plant_recorder (EngineProcess *process);
void engine_queue_plant_library (EngineProcess *process);
/* The name of a call; NULL of none. */
const struct pddt_queue_call *engine_queue_get_call (EngineProcess *process, guint32 number);
/* The line that holds a call's return address. python: what the walker says of the thread; taken
 * when the caller is a library of Python's. */
JobLocation *engine_queue_locate (EngineProcess *process, guint64 caller,
                                  const JobLocation *python);

/* ---- reading ---- */
/* NULL: no recorder here (UNSUPPORTED), or memory that contradicts itself (CORRUPT, FAULT). */
EngineQueueCopy *engine_queue_copy (EngineProcess *process, GError **error);
void engine_queue_copy_free (EngineQueueCopy *copy);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (EngineQueueCopy, engine_queue_copy_free)
/* Reads only the threads' current calls: cheap. */
gboolean engine_queue_read_threads (EngineProcess *process, EngineQueueCopy *copy);
/* The record of the thread's current call. */
const struct pddt_queue_record *
engine_queue_get_record (const struct pddt_queue_thread *thread);
/* Only communicators with their members. */
gboolean engine_queue_read_communicators (EngineProcess *process, EngineQueueCopy *copy);

/* ---- filling ---- */
/* Communicators and their collectives; with places it takes longer. */
JobMessageQueue *engine_queue_fill_collectives (EngineProcess *process,
                                                const EngineQueueCopy *copy,
                                                gboolean with_places);
/* Everything except message histories, whose places are slow to find. */
JobMessageQueue *engine_queue_fill (EngineProcess *process, const EngineQueueCopy *copy,
                                    gboolean with_runs);
/* What is being filled. */
typedef struct {
    EngineProcess *process;
    const EngineQueueCopy *copy;
    JobMessageQueue *queue;
    JobLocation *python; /* where Python's main thread is; NULL */
    guint32 *operations; /* by request: index of its operation + 1 */
    GHashTable *places;  /* return address to JobLocation */
    gboolean is_short;   /* without places, which take longest */
} EngineQueueFilling;
void engine_queue_add_communicators (EngineQueueFilling *filling);
const struct pddt_queue_communicator *
engine_queue_find_communicator (const EngineQueueFilling *filling, guint64 id);
/* A rank of the communicator as a rank of the job. */
gint32 engine_queue_map_peer (const EngineQueueFilling *filling, guint64 communicator,
                              gint32 local);
/* NULL: not known. Caller owns, as of the following. */
JobLocation *engine_queue_dup_place (const EngineQueueFilling *filling, guint64 caller);
char *engine_queue_dup_name (const EngineQueueFilling *filling, guint32 call);
char *engine_queue_dup_signature (const EngineQueueFilling *filling, guint16 signature);
char *engine_queue_dup_reduction (const EngineQueueFilling *filling, guint16 reduction);

/* ---- what a rank does wrong by itself ---- */
/* On its way into MPI_Finalize, as notices: requests that nobody has completed, and what the program's
 * own code has made and not freed. What libraries make is theirs. */
void engine_queue_say_open (EngineProcess *process);
void engine_queue_say_unfreed (EngineProcess *process, const EngineQueueCopy *copy);
/* Reports two requests with overlapping buffers as a notice; FALSE: they are gone. */
gboolean engine_queue_say_overlap (EngineProcess *process, guint32 code);

/* ---- threads outside of MPI ---- */
/* Whether a thread of the program itself is outside MPI while others are inside, and may do what those
 * wait for. Idle pools, MPI's own threads, and one that waits for the end of a thread inside do not
 * count. If there is one, the queue gets JOB_MESSAGE_QUEUE_OTHERS and says in waits what that thread
 * does.
 * may_halt: halts the rank for a moment where a thread cannot be judged otherwise; FALSE: that one counts as one that
 * may do something.
 * is_inside: does that thread wait in MPI? has_fibres: has it user-level threads, so that one may wait in
 * MPI while another runs? Then the thread's stack tells where it is. NULL: none has. */
void engine_queue_find_others (EngineProcess *process, gboolean may_halt,
                               gboolean (*is_inside) (pid_t, gconstpointer),
                               gboolean (*has_fibres) (pid_t, gconstpointer),
                               gconstpointer data, JobMessageQueue *queue);

/* Adds the system call that the thread is in, without stopping it. */
void engine_queue_add_system_call (EngineProcess *process, pid_t tid, JobMessageQueue *queue);

/* ---- MPI's own library ---- */
/* Asks MPI's own message queue library for requests and communicators. TRUE: the request is answered
 * by an event later, and `stack`, what the rank's stack says, has been taken. FALSE: it cannot be
 * asked; stack->remark says why where that is because of the process's rights. */
gboolean engine_queue_dll_ask (EngineProcess *process, guint32 request, JobMessageQueue *stack);

/* ---- without the recorder ---- */
/* Without the recorder, `remark` says why: what a stopped rank's stacks say. */
JobMessageQueue *engine_queue_fill_stack (EngineProcess *process, const char *remark);
