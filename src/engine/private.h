/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the files of the engine: processes, threads, traps with owners, motions. A stop stops
 * all threads of its rank; a motion resumes them all. The first comment of each file says what it
 * does. */
#pragma once
#include "base/array.h"
#include "base/cursor.h"
#include "base/error.h"
#include "engine/engine.h"
#include "index/client.h"
#include "machine/call.h"
#include "machine/code.h"
#include "machine/relocation.h"
#include "machine/trap.h"
#include "stack/stack.h"
#include "target/maps.h"
#include "base/owner.h"
#include "target/process.h"
#include "target/stop.h"
#include "target/system-calls.h"

typedef struct _EngineProcess EngineProcess;
typedef struct _EngineThread EngineThread;
typedef struct _EngineGuest EngineGuest;
typedef struct _EngineInput EngineInput;
typedef struct _EngineQueue EngineQueue;
typedef struct _EngineQueueDll EngineQueueDll;
typedef struct _EngineOngoing EngineOngoing;
typedef struct _EngineCall EngineCall;
typedef struct _EngineNotices EngineNotices;
/* Each room's part of a process. */
typedef struct _EngineDisplaced EngineDisplaced;
typedef struct _EngineEscapes EngineEscapes;
typedef struct _EngineKept EngineKept;
typedef struct _EngineMap EngineMap;
typedef struct _EnginePython EnginePython;
typedef struct _EngineRemains EngineRemains;
typedef struct _EngineSampling EngineSampling;
typedef struct _EngineSamplingHost EngineSamplingHost;
typedef struct _EngineSamplingOwn EngineSamplingOwn;
typedef struct _EngineSpace EngineSpace;
typedef struct _EngineStart EngineStart;
typedef struct _EngineStep EngineStep;
typedef struct _EngineTrapAction EngineTrapAction;
typedef struct _EngineTrapTable EngineTrapTable;
typedef struct _EngineVfork EngineVfork;

typedef enum { ENGINE_THREAD_RUNNING, ENGINE_THREAD_STOPPED } EngineThreadState;

/* Who needs a process or a thread to stand still. Only engine/control/state.c writes what these say of one. */
typedef enum {
    ENGINE_SUSPENDS_HALT,     /* engine_process_halt, until its release */
    ENGINE_SUSPENDS_GOING_ON, /* threads go over traps before all go */
    ENGINE_SUSPENDS_STOP,     /* the thread that stops its process */
    ENGINE_SUSPENDS_TRAP,     /* the owners of the trap that it has met are asked */
    ENGINE_SUSPENDS_WATCH,
    ENGINE_SUSPENDS_EXEC,  /* the old program is put away */
    ENGINE_SUSPENDS_CALL,  /* of a function, in one of its threads */
    ENGINE_SUSPENDS_TALK,  /* with the agent */
    ENGINE_SUSPENDS_BIRTH, /* it is not followed yet */
    ENGINE_N_SUSPENDERS
} EngineSuspender;

typedef struct {
    guint n; /* how many there are: it is resumed by none but them */
    guint8 by[ENGINE_N_SUSPENDERS];
} EngineSuspensions;

struct _EngineThread {
    EngineProcess *process;
    pid_t tid;
    EngineThreadState state;
    gint64 began_us;    /* when it first went on, or became known, g_get_monotonic_time */
    gboolean has_begun; /* it has gone on since it is known */
    gint64 stopped_us;  /* since when */
    MachineRegisters registers; /* valid while stopped and has_registers */
    MachineRegisters loaded;    /* the kernel's version of them */
    gboolean has_registers, registers_changed;
    int pending_signal;          /* to deliver at the next resume */
    siginfo_t pending_info;      /* of that signal, when its si_signo is the same */
    gboolean interrupt_pending;  /* an interrupt was requested and its stop is pending */
    gboolean is_uninterruptible; /* it could not stop at the last halt: see process.c */
    gboolean is_given_up;        /* it did not stop at the current one */
    gboolean is_told;            /* that has been said */
    GArray *held_stops;          /* of TargetStop, received during a stop-all */
    guint number;                /* 1-based in the process, never reused */
    guint64 handled_trap;        /* the trap at its pc has been handled: step over it; 0 */
    guint n_hidden; /* inlines.c: inlined frames at inlines_pc that are not shown */
    guint64 inlines_pc;
    gboolean resume_step; /* goes on by single steps */
    /* it went on so last: the kernel keeps that until it goes on otherwise */
    gboolean has_step_flag;
    struct {
        guint64 pc, sp;      /* before it; pc 0: not known */
        guint64 call;        /* the system call's number, if that is what it makes */
        gboolean had_flag;   /* the program has set the trap flag itself */
        gboolean is_in_call; /* it was in a system call, which a stop had interrupted */
        gboolean is_ours;
    } step; /* own-trap.c: the last single step */
    EngineSuspensions suspended;
    gboolean at_signal_stop; /* in a stop that can inject a signal */
    gboolean at_call_entry;  /* the system call has not been executed yet */
    gboolean
        ends_call; /* its step from or over there ends where the call does, without a trap: see trap-mask.c */
    TargetSystemCall call; /* that it was last seen at, with its number at the return too */
    gboolean ignores_call_stop; /* it is none of the program's: see call_will_restart */
    gboolean makes_our_call;    /* insert-call.c: nor is the call that it makes now */
    gboolean call_will_restart; /* a stop interrupted a system call, which restarts */
    gboolean at_handler; /* a step with a signal has ended at its handler's first instruction */
    /* trap-mask.c: what it blocks for a step, if it would block SIGTRAP; it goes on into a handler */
    guint64 mask;
    gboolean has_mask, enters_handler;
    siginfo_t early_traps
        [2]; /* the program's own SIGTRAP, its and the thread's, which a step has let in */
    guint n_early_traps;
    gboolean is_at_early_trap,
        hides_trap;        /* it has stopped for one; which hides a trap of ours */
    guint64 blocked_mask;  /* with which it went on, if that blocks SIGTRAP; 0 */
    gboolean is_unblocked; /* by the kernel since */
    /* it is known not to block SIGTRAP; the step that is under way leaves that so */
    gboolean is_open, stays_open;
    gboolean met_trap; /* at its last stop: a trap's or a step's */
    gboolean
        blocks_trap; /* beside a handler it blocked SIGTRAP when it last went on, or could by its call */
    gboolean call_may_block; /* by that call, under a trap */
    gboolean
        lost_trap; /* it was still blocked when it met a trap: the kernel has unblocked it */
    gboolean in_group_stop, in_vfork, exiting;
    EngineCall *made_call;     /* call.c: a function that it was made to call; NULL */
    pid_t newborn;             /* its child, to follow when the rank resumes; 0: none */
    gboolean newborn_shares;   /* that runs in this memory, and the thread waits for it */
    gboolean lifted_for_vfork; /* the traps, for its vforked child */
    gboolean shares_memory;    /* a separate process that shares the rank's memory */
    GArray *resent;            /* resend.c: signals that were sent again; NULL: none has been */
    guint watch_serial;        /* of the debug registers it was last given */
    gboolean watch_hit;        /* a debug register has triggered, not handled yet */
    gboolean is_mpis;          /* MPI made it, for itself */
    char *idle_key;            /* queue/threads.c: how it was sleeping when last checked;
                                        NULL */
    gboolean was_idle;
};

typedef enum { ENGINE_START_NONE, ENGINE_START_AT_EXEC, ENGINE_START_STARTED } EngineStartPhase;

/* The debug registers of a process: every thread gets them before it runs on. */
typedef struct {
    guint64 addresses[4];
    guint8 sizes[4];  /* 0: free */
    guint serial;     /* increases with each change; 0: never used */
    guint n_software; /* watched by single steps of all threads */
    gboolean refused; /* the kernel gives no debug registers */
} EngineWatchSet;

/* follow-fork: who is debugged after a fork. */
typedef enum { ENGINE_FOLLOW_PARENT, ENGINE_FOLLOW_CHILD, ENGINE_FOLLOW_BOTH } EngineFollow;

struct _EngineProcess {
    Engine *engine;
    guint32 slot, rank, size, local_rank;
    pid_t pid;
    char *executable; /* path */
    char **command;   /* argv of its program; NULL: not asked for (engine_exec_get_command) */
    char *folder;     /* its working directory at its last exec; NULL: attached later */
    GError *refusal;  /* of the attach: another process traces a thread of it; NULL */
    BaseOwner owner;  /* the owner when first seen, or with fewer rights since */
    gboolean has_owner;

    /* how far it has come */
    gboolean launched, exec_seen, ended, detached;
    gboolean exit_kill;    /* it ends with this process */
    gboolean held_at_exec; /* waiting for START */
    gboolean was_measured; /* its sampling, as START has it, has begun */
    EngineStartPhase phase;
    EngineStart *start;      /* the run to the first stop; NULL */
    gboolean is_script_told; /* that it runs a program as its child */
    guint32 parent;          /* slot + 1 of the rank that forked it; 0: none has */
    guint n_calls_watched;   /* system calls at which it stops, until it executes a program */
    gboolean is_forked; /* a child that has executed nothing yet: its memory is its parent's */
    EngineVfork *vfork; /* it runs in the memory of its parent, which is held; NULL */
    EngineGuest *guest; /* it runs in the memory of its parent, beside that; NULL */

    /* what is told of it */
    JobState state;
    gint32 state_number;
    char *state_text, *state_text2;
    JobText
        *reason; /* of the last signal, as a text for other languages; NULL: none is known */
    JobLocation *state_place; /* of the last stop */
    guint64 stop;             /* stop number */
    /* numbers of threads, which are looked up each time (control.h), so that of one that has gone nothing is left */
    guint stop_thread; /* who made the last stop; 0: nobody */
    guint selected_thread;
    guint only_thread;        /* the others stay stopped (scheduler-locking); 0: all may go */
    guint32 selected_frame;   /* index among shown frames */
    gboolean frame_is_chosen; /* by the client whose request is being answered */
    guint32 stop_frame;       /* which frame counts as selected where none was chosen */
    Stack *stack;             /* of selected_thread, valid while stopped; NULL */
    Stack *stop_stack;        /* of stop_thread while another one is selected; NULL */

    /* motions, and what comes in their place */
    gint64 running_us; /* since when it has run, if it does */
    guint64 motion;    /* request id of the current or last motion */
    JobVerb motion_verb;
    guint32 motion_count;       /* steps left */
    EngineStep *step;           /* the native motion; NULL */
    gint64 look_at, look_after; /* when a step is checked again, and the interval after that */
    EngineOngoing *ongoing;     /* its work, while that waits; NULL */
    GPtrArray *waiting;         /* of JobRequest, which come after that, in their order; NULL */

    /* threads, memory, files */
    GPtrArray *threads;          /* of EngineThread, main first */
    guint next_number;           /* of the next thread */
    guint thread_changes;        /* of that list */
    EngineSuspensions suspended; /* all threads */
    /* while its work waited: threads were held that nobody else resumes; the stepped thread has ended */
    gboolean has_stragglers, has_lost_step;
    EngineSpace *
        space; /* control/space.c: the memory that it runs in, of its program or of none; never NULL */
    gboolean
        may_trap; /* it has gone on with a trap, a watch or a step of ours: a thread may have met one, unseen yet */
    gboolean
        has_run; /* trap-action.c: more than single steps over no system calls since it was looked at */
    struct _TargetCore *core; /* a core file, not a process; NULL */
    IndexClient *symbols;     /* its owner's; NULL without */
    PythonRuntime *runtime;   /* see engine_runtime_find */

    /* breakpoints */
    gint64
        resolve_due_us; /* files without an answer yet are searched again from then on; 0: none */
    guint32 last_point;         /* number of the last breakpoint set here; 0: none */
    GPtrArray *breakpoint_list; /* engine_breakpoint_list's answer */
    EngineWatchSet watch;       /* what all threads of the process have */

    /* the rooms' own parts; those that may be NULL have not been needed yet */
    EngineTrapTable *traps;
    EngineTrapAction *trap_action; /* NULL: not looked at yet */
    EngineMap *map;
    guint64 map_hash; /* changes whenever what is mapped does; 0: not read yet */
    EngineKept *kept;
    EnginePython *python;
    gboolean is_python_refused; /* pddt has said that it does not know this version */
    gboolean
        was_python; /* pddt's agent was in its program, or would have been: known once that has ended */
    EngineInput *input;       /* NULL: its launcher's */
    EngineQueue *queue;       /* NULL */
    EngineEscapes *escapes;   /* NULL */
    EngineRemains *remains;   /* NULL: it has not ended */
    EngineSampling *sampling; /* NULL: it is not sampled */
    guint8 *signals;          /* what is done about each; NULL: as by default */
};

struct _Engine {
    EngineOptions options;
    const EngineNotices *notices; /* what is told to whom */
    GPtrArray *processes;         /* by slot; of EngineProcess, ended ones stay */
    GHashTable *by_tid;           /* pid_t → EngineThread */
    IndexClient *symbols;         /* this user's own; NULL without */
    GHashTable *other_symbols;    /* owner.c: user to IndexClient; NULL: none but this user's */
    BaseTrapTable *shared_traps;  /* the guard's; NULL */
    EngineQueueDll *queue_dll;    /* queue/dll.c; NULL: nobody has been asked */
    GPtrArray *breakpoints;       /* breakpoint.c: logical ones */
    GHashTable *seen_sources;     /* sources.c: "rank module file"; NULL: none yet */
    guint arrivals_source;        /* arrivals.c: while debug files are fetched; 0 none */
    char **arrived_files;         /* the last that came; NULL */
    GPtrArray *queue;             /* of JobEvent not yet emitted; merged at flush */
    char *start_at;               /* "main" until START says otherwise */
    guint64 start_request;
    gboolean start_known;     /* START has arrived: held processes may resume */
    gboolean is_measured;     /* it said so: nothing stops a rank, all are sampled */
    gboolean is_unsampled;    /* but for that: its ranks record by themselves */
    guint measured_rate;      /* samples a second; 0: as many as suit the host */
    guint32 measured_metrics; /* a set of metrics; 0: all */
    gboolean interpreter_frames, just_my_code, scheduler_locking, catch_mpi_errors,
        hardware_watch;
    EngineFollow follow; /* follow-fork */
    guint n_followed;    /* children that became ranks */
    char **skips;        /* skip.c: lines of the option of that name; NULL: none */
    EvaluateLimits limits;
    guint limit_s; /* so long Python code may take to answer */
    struct {
        guint depth, items, bytes, repeats, seconds;
    } asked; /* limits as the user has set them; 0: not */
    GHashTable *
        early_stops; /* fork.c: tid → what begins with a TargetStop: a first stop before its event */
    guint n_untold;       /* of them, whose event was not awaited any longer */
    GHashTable *children; /* forked pids to be detached at their first stop */
    GHashTable *leavers;  /* detach.c: tids that are detached when they stop */
    /* script.c: of these, followed until they execute: pid → slot + 1, and calls << 32 */
    GHashTable *script_children;
    GPtrArray *retired;                /* of EngineSpace: of ended programs, for children
                                        reported late */
    guint n_gone;                      /* processes that ended or were detached */
    gboolean abandoned;                /* no more processes are adopted */
    guint n_cores;                     /* core files among the processes */
    guint n_held;                      /* held stops in all threads */
    guint64 n_passed;                  /* hits of traps that did not stop */
    guint n_busy;                      /* processes with work or requests that wait */
    guint64 last_work;                 /* work.c: works are numbered */
    GArray *works;                     /* numbers of those under way, ascending */
    GQueue deferred;                   /* what they may still know: engine_free_later */
    guint n_sampled;                   /* processes that are sampled */
    EngineSamplingHost *sampling_host; /* NULL: none has been sampled */
    GPtrArray *sampling_sums;          /* sampling/sums.c; NULL: none was asked for */
    /* Sampling takes a part of each turn: until when in the current one, and which process has it first. */
    gint64 sampling_end_us;
    guint sampling_next;
    gint64 turn_end_us; /* when the current turn of the loop should end */
    int answers_fd;     /* an epoll of what they wait for */
};

/* The memory that it runs in (control/space.c). Never NULL; valid until the current work has ended: what is kept longer has
 * a reference of the space instead. */
BaseMemoryReader *engine_process_get_memory (const EngineProcess *process);
StackModules *engine_process_get_modules (const EngineProcess
                                              *process); /* NULL: its maps have not been read */
gboolean engine_process_can_read (const EngineProcess *process); /* there is a program's */

typedef struct {
    const EngineProcess *process; /* NULL: it is over */
    StackModules *modules;
    guint next;
} EngineModuleWalk;

/* One after the other; none where the maps have not been read. A list that comes while the body waits (for an index, say, and
 * the program executes another one) ends the walk: what the old one says may be true no more. */
#define ENGINE_EACH_MODULE(owner, module)                                                      \
    for (EngineModuleWalk walk_##module = engine_modules_begin (owner);                        \
         walk_##module.process != NULL; walk_##module.process = NULL)                          \
        for (StackModule * module; (module = engine_modules_next (&walk_##module)) != NULL;)
EngineModuleWalk engine_modules_begin (const EngineProcess *process);
StackModule *engine_modules_next (EngineModuleWalk *walk); /* NULL: that was all */
/* What stack_module_open_image gives, unless the process has got other modules while it was waited for. */
IndexImage *engine_process_open_image (EngineProcess *process, StackModule *module);

/* Who made the last stop, whom requests are about, and who moves while the others stay stopped (control/process.c). NULL:
 * nobody, or that thread has gone; then all may go. */
EngineThread *engine_process_get_stopped (const EngineProcess *process);
void engine_process_set_stopped (EngineProcess *process, const EngineThread *thread);
EngineThread *engine_process_get_selected (const EngineProcess *process);
void engine_process_set_selected (EngineProcess *process, const EngineThread *thread);
EngineThread *engine_process_get_moving_alone (const EngineProcess *process);
void engine_process_set_moving_alone (EngineProcess *process, const EngineThread *thread);

/* ---- the engine ---- */
/* Queues an event (taken); merged and given to emit at the end of the pump or request. Returns the one that has it now,
 * borrowed until anything waits or is emitted. */
JobEvent *engine_emit (Engine *engine, JobEvent *event);
void engine_emit_failure (EngineProcess *process, guint64 request, const GError *error);
/* What "no limit" of values means: what a line can hold, and an answer can carry. */
#define ENGINE_MAX_DEPTH 32u
#define ENGINE_MAX_ITEMS 1000000u
#define ENGINE_MAX_BYTES (1u << 20)
/* How much of a value the answer shows: as the options say, or all of it (JOB_REQUEST_WHOLE). */
EvaluateLimits engine_find_limits (const Engine *engine, const JobRequest *request);
void engine_emit_accepted (EngineProcess *process, guint64 request);
/* Notices: what an error or another program has said, as it stands; */
void engine_emit_notice (EngineProcess *process, const char *text);
/* and what windows show in the user's language: a format as job_text_new's (xgettext knows this function: no N_),
 * or a text, which is taken. */
void engine_say (EngineProcess *process, const char *format, ...) G_GNUC_PRINTF (2, 3);
void engine_emit_text (EngineProcess *process, JobText *text);
EngineProcess *engine_find_process (Engine *engine, guint32 slot); /* NULL */
/* STATE event from the process's present fields. */
void engine_emit_state (EngineProcess *process, guint64 request, gboolean final, guint32 flags);
/* Emits the queued events, merged. */
void engine_flush (Engine *engine);

/* ---- turns ---- */
/* It has work under way, which waits, or requests that wait for that. */
gboolean engine_process_is_busy (const EngineProcess *process);
/* When the current turn of the loop should end: a request of many ranks leaves what is not done by
 * then to the next turns, so that no turn takes long. */
gint64 engine_turn_get_end (void);
/* TRUE: end_us has passed, and the request now waits for this process, which had no waiting
 * request. */
gboolean engine_turn_put_off (EngineProcess *process, const JobRequest *request, gint64 end_us);
/* Defers the request for busy ranks, unless it can be done at once. Returns the request for the
 * others, which the caller owns; NULL: all ranks are busy. */
JobRequest *engine_turn_filter (Engine *engine, const JobRequest *request);
/* Handles timeouts and due requests until end_us. TRUE: more requests are due. */
gboolean engine_turn_check (Engine *engine, gint64 end_us);
int engine_turn_get_timeout_ms (const Engine *engine); /* -1: none */
/* CANCEL: hurries the request of that id where it runs, and drops it where it waits. */
void engine_turn_cancel (Engine *engine, const JobRequest *request);
gboolean
engine_request_may_take_long (JobVerb verb); /* a query that may run code of the rank's */
/* A request of that verb waits until the process is free. */
gboolean engine_turn_awaits (const EngineProcess *process, JobVerb verb);
/* Brings its work to an end, and drops waiting requests without answers. */
void engine_turn_abandon (EngineProcess *process);

/* ---- work ---- */
/* Runs a request's work in one rank, which may wait for one of its threads (engine_thread_wait).
 * While it waits, the rank is busy: its other threads' stops are held, its
 * requests wait, and the loop serves others; the work may be unfinished when this returns.
 * request may be NULL. Part of other work of the rank it is done at once. */
typedef void (*EngineWork) (EngineProcess *process, const JobRequest *request);
void engine_work_do (EngineProcess *process, const JobRequest *request, EngineWork function);
/* Without a request, at the latest in the next turns of the loop if this one has lasted. */
void engine_work_do_soon (EngineProcess *process, EngineWork function);
/* In each of the request's ranks; what this turn leaves over is done in the next ones. */
void engine_work_do_all (Engine *engine, const JobRequest *request, EngineWork function);
/* The same for the handling of a stop. */
typedef void (*EngineWorkStop) (EngineThread *thread, const TargetStop *stop);
void engine_work_take_stop (EngineThread *thread, const TargetStop *stop,
                            EngineWorkStop handle);
/* It has ended, or its process has or was let go; what points to it is valid until the current work has ended. */
gboolean engine_thread_is_gone (const EngineThread *thread);
/* Waits at most timeout_us for a stop of this thread; outside the work of its rank nobody else is served
 * meanwhile. FALSE: none came, or the thread is gone. */
gboolean engine_thread_wait (EngineThread *thread, gint64 timeout_us, TargetStop *ret_stop);
/* The same. FALSE also when the work should finish soon. */
gboolean engine_work_wait (EngineThread *thread, gint64 timeout_us, TargetStop *ret_stop);
/* Leaves the loop to others for so long, and may return earlier. */
void engine_work_pause (EngineProcess *process, gint64 duration_us);
/* How such work waits for an answer of pddt-symbols. */
extern const IndexClientWaiter engine_work_waiter;
/* Frees what was removed or replaced, once the works that were under way then, and may know it, have ended. */
void engine_free_later (Engine *engine, gpointer data, GDestroyNotify free);
/* What can be freed now; is_all: everything. */
void engine_work_free_deferred (Engine *engine, gboolean is_all);
/* The current work is only brought to its end: its rank has ended, or is let go. */
gboolean engine_work_is_abandoned (void);
/* TRUE if that was requested since the last call. */
gboolean engine_work_take_hurry (void);
/* The process's current work hears of its other threads' stops while it waits, once they have been handled or are held;
 * NULL: no longer. */
typedef void (*EngineWorkOther) (EngineThread *other, const TargetStop *stop, gpointer user);
void engine_work_hear_others (EngineProcess *process, EngineWorkOther function, gpointer user);

/* ---- work that waits: process->ongoing, which these may end ---- */
/* Its own are the stops of the thread that it waits for. */
gboolean engine_ongoing_is_for (const EngineOngoing *ongoing, const EngineThread *thread);
void engine_ongoing_take_stop (EngineOngoing *ongoing, const TargetStop *stop);
void engine_ongoing_hear_other (EngineOngoing *ongoing, EngineThread *other,
                                const TargetStop *stop);
/* The thread is gone: so is what it is waited for, at the next turn. */
void engine_ongoing_forget_thread (EngineOngoing *ongoing, const EngineThread *thread);
/* It waits for no thread, but for a helper's answer, or for its turn. */
gboolean engine_ongoing_awaits_answer (const EngineOngoing *ongoing);
guint64 engine_ongoing_get_request (const EngineOngoing *ongoing); /* 0: it is for none */
gint64 engine_ongoing_get_due (const EngineOngoing *ongoing);      /* 0: now */
void engine_ongoing_take_turn (EngineOngoing *ongoing);            /* it is due */
/* It should finish soon; the rank then answers as usual. */
void engine_ongoing_hurry (EngineOngoing *ongoing);
/* Its process has ended: it goes on as long as the answers that it waits for come before end_us, while nobody else is
 * served. */
void engine_ongoing_finish (EngineOngoing *ongoing, gint64 end_us);
/* It is brought to its end now, and waits for nobody who may be long. */
void engine_ongoing_abandon (EngineOngoing *ongoing);
