/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a room tells those above it, and asks them, without knowing them. Who is told of what, and in which order, is
 * written once, in loop/notices.c. */
#pragma once
#include "engine/private.h"

/* A list ends at its first NULL. */
enum { ENGINE_N_TOLD = 5 };
typedef void (*EngineTold) (Engine *engine);
typedef void (*EngineProcessTold) (EngineProcess *process);
typedef void (*EngineThreadTold) (EngineThread *thread);
typedef gboolean (*EngineProcessAsked) (EngineProcess *process);
typedef gboolean (*EngineThreadAsked) (EngineThread *thread);
typedef gboolean (*EngineEventAsked) (EngineThread *thread, TargetStopKind kind);

struct _EngineNotices {
    /* ---- turns, work and events ---- */
    EngineTold flushes[ENGINE_N_TOLD];           /* events are about to be emitted */
    EngineTold flushed[ENGINE_N_TOLD];           /* they have been */
    EngineProcessTold state_told[ENGINE_N_TOLD]; /* a STATE event of it has been queued */
    EngineProcessTold work_over[ENGINE_N_TOLD];  /* its work has ended */
    EngineProcessTold
        work_waited[ENGINE_N_TOLD]; /* its work goes on: others may have looked, or run */
    /* work of it begins, which is for that request */
    void (*request_begins) (EngineProcess *process, const JobRequest *request);
    /* a status has come from the kernel, of a thread that may be unknown */
    void (*take_stop) (Engine *engine, const TargetStop *stop);
    /* carries out the request on its ranks, none of which is busy */
    void (*take_request) (Engine *engine, const JobRequest *request);

    /* ---- a process, from its beginning to its end ---- */
    EngineProcessTold made[ENGINE_N_TOLD]; /* it is new: each makes its part of it */
    /* a child has been made, which is a rank of its own: before anything is known of its memory */
    void (*inherits) (EngineProcess *child, const EngineProcess *parent);
    EngineProcessTold
        is_other[ENGINE_N_TOLD]; /* it is another process now, or about to begin */
    EngineProcessTold space_begins
        [ENGINE_N_TOLD]; /* a program's memory: it can be read, but nothing is known of it */
    EngineProcessTold
        is_fork[ENGINE_N_TOLD]; /* it is the child of fork, and stands where it was made */
    EngineThreadTold executed
        [ENGINE_N_TOLD]; /* it runs another program, of which all is known: it goes on, or stops */
    EngineProcessTold vfork_over[ENGINE_N_TOLD]; /* no child is in its memory any more */
    EngineProcessTold is_let_go[ENGINE_N_TOLD];  /* halted: it will not be traced any more */
    EngineProcessTold ends[ENGINE_N_TOLD]; /* its last moment: it is not marked as ended yet */
    EngineProcessTold program_ends
        [ENGINE_N_TOLD]; /* by an exec, or with it: addresses mean nothing any more */
    EngineProcessTold ended[ENGINE_N_TOLD];      /* while its modules are still known */
    EngineProcessTold space_ends[ENGINE_N_TOLD]; /* what is known of its memory is forgotten */
    EngineProcessTold freed[ENGINE_N_TOLD];

    /* ---- its modules ---- */
    EngineProcessTold modules_change[ENGINE_N_TOLD]; /* other files are mapped, and known */
    EngineProcessTold modules_come
        [ENGINE_N_TOLD]; /* what was said to change by module_changes is known; halted */
    void (*module_changes) (EngineProcess *process,
                            const StackModule *module); /* other debug information has come */
    /* of paths (char *) that were not mapped before; TRUE: the process has stopped for that */
    gboolean (*loaded) (EngineThread *thread, GPtrArray *paths);

    /* ---- its threads ---- */
    EngineThreadTold thread_added[ENGINE_N_TOLD]; /* it has not run yet */
    void (*thread_made) (EngineThread *parent, pid_t tid);
    EngineThreadTold exits[ENGINE_N_TOLD]; /* it is about to */

    /* ---- how it moves ---- */
    EngineProcessTold goes_on[ENGINE_N_TOLD]; /* its state says so already */
    EngineProcessTold
        about_to_run[ENGINE_N_TOLD];              /* the last moment in which all stand still */
    EngineProcessTold halted[ENGINE_N_TOLD];      /* for a moment, or for a stop */
    EngineProcessTold stops[ENGINE_N_TOLD];       /* some of its threads may still run */
    EngineProcessTold stopped[ENGINE_N_TOLD];     /* its state does not say so yet */
    EngineProcessTold motion_ends[ENGINE_N_TOLD]; /* before it has come to its end by itself */
    EngineProcessTold
        registers_refused[ENGINE_N_TOLD]; /* the kernel gives no debug registers */

    /* ---- requests ---- */
    EngineProcessTold values_change[ENGINE_N_TOLD]; /* a request has run code of the rank's */
    EngineProcessTold errors_wanted[ENGINE_N_TOLD]; /* of MPI: somebody stops at them */
    /* of a breakpoint that another debugger inside the rank may have, too. FALSE, INVALID: it cannot do that */
    gboolean (*breakpoint_changes) (EngineProcess *process, const JobRequest *request,
                                    GError **error);
    /* a thread has left Python in a motion that began there. FALSE: it has stopped */
    gboolean (*goes_on_natively) (EngineThread *thread, JobVerb verb, gboolean is_end);

    /* ---- questions; the first TRUE is the answer ---- */
    EngineProcessAsked wants_calls[ENGINE_N_TOLD]; /* does it have to stop at system calls? */
    EngineThreadAsked wants_call[ENGINE_N_TOLD];   /* at the one that it has stopped at? */
    EngineEventAsked wants_event[ENGINE_N_TOLD]; /* is something to be said or done about it? */
    EngineProcessAsked
        wants_load[ENGINE_N_TOLD]; /* is somebody to hear of each library that is loaded? */
    EngineProcessAsked wants_modules
        [ENGINE_N_TOLD]; /* has something to be planted in a new library at once? */
    gboolean (*has_agent) (const EngineProcess
                               *process); /* does pddt's agent come into it, or is it there? */
    gboolean (*tells_place) (const EngineProcess
                                 *process); /* has the agent told where it has stopped? */
    /* Has Python, where it has stopped, answered the request, of the frame of that index? */
    gboolean (*ask_python) (EngineProcess *process, const JobRequest *request, guint32 index);
    /* Is it answered by running it in a frame of Python, of a rank that stands elsewhere? See engine_python_run_here. */
    gboolean (*run_python) (EngineProcess *process, const JobRequest *request, guint32 index,
                            const GError *read_error, GError **error);
    JobLocation *(*dup_call_place) (
        EngineProcess *process); /* by MPI's recorder, of a rank that runs; NULL */
    gboolean (*is_stepped) (const EngineThread
                                *thread); /* is it in the middle of a step of the user's? */
    /* Where does the stopped process's thread stand? NULL: it is not known. */
    JobLocation *(*dup_place) (EngineProcess *process, EngineThread *thread);
    /* Of what type is the C++ exception at whose catchpoint the thread has stopped, and where does it lie? NULL: it has
     * stopped at none. Caller owns. */
    char *(*dup_exception) (EngineThread *thread, guint64 *ret_object);
};

void engine_tell (EngineProcess *process, const EngineProcessTold *list);
void engine_tell_of_thread (EngineThread *thread, const EngineThreadTold *list);
gboolean engine_ask (EngineProcess *process, const EngineProcessAsked *list);
gboolean engine_ask_of_thread (EngineThread *thread, const EngineThreadAsked *list);
gboolean engine_ask_of_event (EngineThread *thread, TargetStopKind kind,
                              const EngineEventAsked *list);
