/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One host's part of the job: runs, stops, steps and inspects the ranks of this host.
 * Independent of the network: requests come in as values, events go out through a callback. All
 * calls are made on the thread that created the engine, which is the tracer (ptrace binds to a
 * thread). Sets are slots: a rank gets its slot when it is adopted, and slots are never
 * reused. */
#pragma once
#include "job/event.h"
#include "job/request.h"

typedef struct _Engine Engine;

/* The event is borrowed for the call. Events of one pump arrive merged. */
typedef void (*EngineEmit) (const JobEvent *event, gpointer user);

typedef struct {
    /* path where pddt-symbols listens; NULL: no debug information */
    const char *symbols_socket;
    const char *queues_socket; /* where pddt-queues listens; NULL: do not use MPI's queue
                                   library */
    /* shared memory file with the guard's table of planted bytes; NULL */
    const char *traps_file;
    const char *runner_path; /* absolute path of the Python runner; NULL */
    EngineEmit emit;
    gpointer user;
} EngineOptions;

typedef struct {
    pid_t pid;
    guint32 rank, size, local_rank;
    gboolean launched; /* TRUE: killed with the tracer (EXITKILL); FALSE: attached */
    int input_fd;      /* write end of the rank's input, or -1; the engine owns it */
} EngineRankInfo;

Engine *engine_new (const EngineOptions *options);
/* Kills launched ranks and detaches attached ones, removing all traps. */
void engine_free (Engine *engine);

/* Seizes a process that is about to exec its program (or runs, when attached) and gives it the
 * next slot; emits RANKS. After the exec it is held, then the START motion is done. DENIED,
 * GONE. */
gboolean engine_adopt (Engine *engine, const EngineRankInfo *info, guint32 *ret_slot,
                       GError **error);

/* The same for processes that run already, all stopped at once: RANKS and STATE events, or a FAILURE
 * without ranks (number: the rank it would have been) for each that cannot be attached to. */
void engine_attach (Engine *engine, const EngineRankInfo *infos, guint n_infos);

/* Core files as ranks that never move, numbered by their dumped environment when all have distinct
 * ranks, else in this order. Events as from engine_attach. */
void engine_open_cores (Engine *engine, const char *const *paths);

/* Accepted at once; answers come by emit, some of them before this returns. */
void engine_handle (Engine *engine, const JobRequest *request);

/* Handles pending wait statuses, for a few ms at most, so that the caller's loop stays
 * responsive. Call on SIGCHLD (which must be blocked in all threads before engine_new) and
 * again at once while TRUE is returned. Passes ordinary children of this process that have
 * ended to on_child (may be NULL). */
gboolean engine_pump (Engine *engine);

/* Milliseconds until the next call of engine_pump without a signal (timeouts); -1 never. */
int engine_get_timeout_ms (Engine *engine);

/* Readable when engine_pump wants to be called without a signal because an answer has come; -1: none ever is. */
int engine_get_answers_fd (const Engine *engine);

guint engine_get_n_ranks (const Engine *engine); /* ranks not ended */
/* The front end is gone: kills launched ranks, detaches attached ones. */
void engine_abandon (Engine *engine);
