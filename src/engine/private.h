/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the files of the engine: processes, threads, traps with owners, motions. A stop stops
 * all threads of its rank; a motion resumes them all. The first comment of each file says what it
 * does. */
#pragma once
#include "agent/mailbox.h"
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
typedef struct _EngineInput EngineInput;
typedef struct _EngineQueue EngineQueue;
typedef struct _EngineQueueDll EngineQueueDll;
typedef struct _EngineTask EngineTask;

typedef enum {
    ENGINE_THREAD_RUNNING,
    ENGINE_THREAD_STOPPED,
    ENGINE_THREAD_GROUP_STOP
} EngineThreadState;

struct _EngineThread {
    EngineProcess *process;
    pid_t tid;
    EngineThreadState state;
    MachineRegisters registers; /* valid while stopped and has_registers */
    MachineRegisters loaded;    /* the kernel's version of them */
    gboolean has_registers, registers_changed;
    int pending_signal;         /* to deliver at the next resume */
    siginfo_t pending_info;     /* of that signal, when its si_signo is the same */
    gboolean interrupt_pending; /* an interrupt was requested and its stop is pending */
    gboolean is_deep;           /* it could not stop at the last halt: see process.c */
    gboolean ignore_stop;       /* a new clone's first stop */
    guint64 stepping_over;      /* trap address whose displaced copy it runs; 0 */
    GArray *held_stops;         /* of TargetStop, received during a stop-all */
    guint number;               /* 1-based in the process, never reused */
    gpointer step;              /* step.c's */
    guint64 hit_address;        /* the trap at its pc has been handled: step over it; 0 */
    guint n_hidden;             /* inlines.c: inlined frames at inlines_pc that are not shown */
    guint64 inlines_pc;
    gboolean resume_step; /* goes on by single steps */
    /* it went on so last: the kernel keeps that until it goes on otherwise */
    gboolean has_step_flag;
    gboolean dispatching;    /* its stop is being handled: a release must not resume
                                        it */
    gboolean at_signal_stop; /* in a stop that can inject a signal */
    gboolean at_call_entry;  /* the system call has not been executed yet */
    TargetSystemCall call;   /* that it was last seen at, with its number at the return too */
    gboolean is_again;    /* that is no call of the program's, or no return: see calls_again */
    gboolean calls_again; /* a stop interrupted a system call, which restarts */
    gboolean at_handler; /* a step with a signal has ended at its handler's first instruction */
    gboolean in_group_stop, in_vfork, exiting;
    pid_t newborn;          /* its child, to follow when the rank resumes; 0: none */
    gboolean has_lifted;    /* the traps, for its vforked child */
    gboolean shares_memory; /* a separate process that shares the rank's memory */
    int expected_signal;    /* resent by the engine, to deliver silently; 0 */
    guint watch_serial;     /* of the debug registers it was last given */
    gboolean watch_hit;     /* a debug register has triggered, not handled yet */
    gboolean is_mpis;       /* MPI made it, for itself */
    char *idle_key;         /* queue-threads.c: how it was sleeping when last checked;
                                        NULL */
    gboolean was_idle;
};

/* A trap's owner decides what a hit means. Called with all threads of the rank still running
 * except `thread`, whose pc is at the trap. RESUME: nothing happened for this owner. STOP: it
 * has called engine_process_stop itself, or the default stop follows. */
typedef enum { ENGINE_TRAP_RESUME, ENGINE_TRAP_STOP } EngineTrapAnswer;
typedef EngineTrapAnswer (*EngineTrapHit) (EngineThread *thread, guint64 address,
                                           gpointer owner);

typedef enum { ENGINE_START_NONE, ENGINE_START_AT_EXEC, ENGINE_START_STARTED } EngineStartPhase;

typedef struct {
    gboolean is_agent_expected; /* the runner is on its command line */
    gboolean has_agent;         /* mailbox found and trap planted */
    guint64 mailbox, stop_function, wake_function, here_function, left_function;
    pid_t stopped_tid;    /* thread inside pddt_python_stop now; 0 */
    guint32 event;        /* of the present stop */
    gboolean sync_wanted; /* breakpoints changed while the agent could not be
                                        notified */
    gboolean begun;       /* past READY */
    gboolean has_logs;    /* breakpoints that log: the agent's ring is looked at */
    guint n_awaited;      /* rows of the mailbox's table of threads that come later */
    gpointer data;        /* python.c's */
} EnginePython;

/* The debug registers of a process: every thread gets them before it runs on. */
typedef struct {
    guint64 addresses[4];
    guint8 sizes[4];  /* 0: free */
    guint serial;     /* increases with each change; 0: never used */
    guint n_software; /* watched by single steps of all threads */
    gboolean refused; /* the kernel gives no debug registers */
} EngineWatchSet;

struct _EngineProcess {
    Engine *engine;
    guint32 slot, rank, size, local_rank;
    pid_t pid;
    gboolean launched, exec_seen, ended;
    EngineInput *input; /* NULL: its launcher's */
    char *executable;   /* path */
    char *folder;       /* its working directory at its last exec; NULL: attached
                                        later */
    JobState state;
    gint32 state_number;
    char *state_text, *state_text2;
    JobLocation *state_place; /* of the last stop */
    guint64 stop;             /* stop number */
    guint64 motion;           /* request id of the current or last motion */
    JobVerb motion_verb;
    guint32 motion_count; /* steps left */
    EngineStartPhase phase;
    GPtrArray *threads;        /* of EngineThread, main first */
    EngineThread *stop_thread; /* who made the last stop */
    EngineThread *selected_thread;
    guint32 selected_frame;   /* index among shown frames */
    gboolean frame_is_chosen; /* by the user, since the stop */
    BaseMemoryReader *memory;
    TargetTraps *planted;
    GHashTable *traps;  /* trap.c: address → owners */
    GHashTable *kept;   /* inspect-kept.c: convenience variables ($x) by name;
                                        NULL: none yet */
    guint32 last_point; /* number of the last breakpoint set here; 0: none */
    guint n_shown; /* inspect-kept.c: values that were shown ($1, $2 …), the last ones kept */
    gpointer noted;               /* inspect-kept.c: of the value that is being shown; NULL */
    GHashTable *boundaries;       /* boundary.c: addresses that instructions begin at; NULL */
    StackModules *modules;        /* NULL before the first exec's maps were read */
    PythonRuntime *runtime;       /* opened on demand; see engine_process_find_runtime */
    gboolean runtime_unsupported; /* it is a CPython, of no version that is known */
    gboolean runtime_refused;
    EnginePython python;
    Stack *stack;                 /* of selected_thread, valid while stopped; NULL */
    gpointer step;                /* step.c: the motion */
    gboolean has_pending_resolve; /* modules changed: breakpoints to resolve again */
    guint halt_depth;             /* engine_process_halt without release */
    guint next_number;            /* of the next thread */
    gboolean held_at_exec;        /* waiting for START */
    gint64 look_at, look_after;   /* blocked.c: time of the next check of a step, and the
                                        interval after it */
    gboolean detached;
    gboolean is_script_told;   /* script.c: that it runs a program as its child */
    EngineThread *only_thread; /* the others stay stopped (scheduler-locking); NULL */
    struct _TargetCore *core;  /* core.c: a core file, not a process; NULL */
    IndexClient *symbols;      /* its owner's; NULL without */
    BaseOwner owner;           /* the owner when first seen, or with fewer rights since */
    gboolean has_owner;
    EngineQueue *queue;   /* queue.c: MPI's recorder; NULL */
    GHashTable *dynamics; /* modules.c: dynamic sections by module start */
    guint64 modules_hash;
    gboolean modules_stale;            /* the loader has changed the map since it was read */
    guint64 loader_trap, loader_state; /* address of the loader's breakpoint and r_debug; 0 */
    gpointer start;                    /* exec.c: the run to the first stop */
    GPtrArray *breakpoint_list;        /* engine_breakpoint_list's answer */
    EngineWatchSet watch;              /* watch.c: what all threads of the process have */
    GArray *escapes;                   /* step-escape.c's, of the modules with escapes_hash */
    guint64 escapes_hash;
    guint shadow_known; /* trap.c: 1 has no shadow stack, 2 has, as of shadow_hash */
    guint64 shadow_hash;
    guint8 *signals;    /* signal.c: what is done about each; NULL: as by default */
    gpointer displaced; /* displaced.c's; NULL: no instruction has been copied */
    EngineTask *task;   /* task.c: the task that it runs while it counts as
                                        stopped; NULL */
    gpointer remains;   /* remains.c: what its files tell of it after its end; NULL */
    GPtrArray *waiting; /* task.c: of JobRequest, which come after that, in their order; NULL */
};

struct _Engine {
    EngineOptions options;
    GPtrArray *processes;      /* by slot; of EngineProcess, ended ones stay */
    GHashTable *by_tid;        /* pid_t → EngineThread */
    IndexClient *symbols;      /* this user's own; NULL without */
    GHashTable *other_symbols; /* owner.c: user to IndexClient; NULL: none but this user's */
    gpointer shared_traps;
    EngineQueueDll *queue_dll; /* queue-dll.c; NULL: nobody has been asked */
    GPtrArray *breakpoints;    /* breakpoint.c: logical ones */
    GHashTable *seen_sources;  /* sources.c: "rank module file"; NULL: none yet */
    guint arrivals_source;     /* arrivals.c: while debug files are fetched; 0 none */
    GPtrArray *queue;          /* of JobEvent not yet emitted; merged at flush */
    char *start_at;            /* "main" until START says otherwise */
    guint64 start_request;
    gboolean start_known; /* START has arrived: held processes may resume */
    gboolean interpreter_frames, just_my_code, scheduler_locking, catch_mpi_errors;
    gboolean follow_child; /* follow-fork */
    char **skips;          /* skip.c: lines of the option of that name; NULL: none */
    IndexLimits limits;
    struct {
        guint depth, items, bytes;
    } asked;                 /* limits as the user has set them; 0: not */
    GHashTable *early_stops; /* tid → TargetStop: a first stop that came before its event */
    GHashTable *children;    /* forked pids to be detached at their first stop */
    /* script.c: of these, followed until they execute: pid → slot + 1 */
    GHashTable *script_children;
    GPtrArray *retired;   /* of TargetTraps: of ended processes, for children
                                        reported late */
    guint n_gone;         /* processes that ended or were detached */
    gboolean abandoned;   /* no more processes are adopted */
    GPtrArray *graveyard; /* dead threads, freed at the end of the pump */
    guint n_cores;        /* core files among the processes */
    guint n_held;         /* held stops in all threads */
    guint64 n_passed;     /* hits of traps that did not stop */
    guint n_busy;         /* processes with a task or with requests that wait */
    guint n_works;        /* work.c: that are under way */
    int answers_fd;       /* an epoll of what they wait for */
};

/* ---- engine.c ---- */
/* Queues an event (taken); merged and given to emit at the end of the pump or request. */
void engine_emit (Engine *engine, JobEvent *event);
void engine_emit_failure (EngineProcess *process, guint64 request, const GError *error);
void engine_emit_accepted (EngineProcess *process, guint64 request);
void engine_emit_notice (EngineProcess *process, const char *text);
EngineProcess *engine_find_process (Engine *engine, guint32 slot); /* NULL */
/* STATE event from the process's present fields. */
void engine_emit_state (EngineProcess *process, guint64 request, gboolean final, guint32 flags);

/* Emits the queued events, merged. */
void engine_flush (Engine *engine);

/* Carries out the request on its ranks, none of which is busy. */
void engine_take_request (Engine *engine, const JobRequest *request);

/* ---- task.c ---- */
/* A task for which a thread of a stopped rank runs while the loop serves others. The rank
 * counts as stopped; requests to it wait in order until the task has ended. Embed it as the
 * first member of the owner's struct. */
struct _EngineTask {
    EngineProcess *process;
    EngineThread *thread; /* the task handles its stops; NULL: it is gone, on_gone
                                        follows */
    /* of one of pddt's helpers, for no thread: on_time comes with it too */
    gboolean awaits_answer;
    int answer_fd;
    guint64 request; /* id of that it is for */
    gint64 due_us;   /* g_get_monotonic_time at which on_time is called */
    void (*on_stop) (EngineTask *task, const TargetStop *stop);
    /* Another thread of the rank has stopped, and the stop has been handled or is held. */
    void (*on_other) (EngineTask *task, EngineThread *other, const TargetStop *stop);
    void (*on_time) (EngineTask *task);
    void (*on_gone) (EngineTask *task);    /* ends it */
    void (*on_hurry) (EngineTask *task);   /* should finish soon; the rank then answers as
                                             usual */
    void (*on_abandon) (EngineTask *task); /* ends it now and leaves its thread stopped */
};
/* Assigns the task to the process, which must have none. */
void engine_task_begin (EngineTask *task);
/* Removes the task from the process; its owner frees it. */
void engine_task_end (EngineTask *task);
/* A thread or its program is gone: its task ends at the next check of tasks. */
void engine_task_forget_thread (const EngineThread *thread);
/* When the current turn of the loop should end: a request of many ranks leaves what is not done by
 * then to the next turns, so that no turn takes long. */
gint64 engine_task_get_turn_end (void);
/* TRUE: end_us has passed, and the request now waits for this process, which had no waiting
 * request. */
gboolean engine_task_is_put_off (EngineProcess *process, const JobRequest *request,
                                 gint64 end_us);
/* Defers the request for busy ranks, unless it can be done at once. Returns the request for the
 * others, which the caller owns; NULL: all ranks are busy. */
JobRequest *engine_task_filter (Engine *engine, const JobRequest *request);
/* Handles timeouts and due requests until end_us. TRUE: more requests are due. */
gboolean engine_tasks_check (Engine *engine, gint64 end_us);
int engine_tasks_get_timeout_ms (const Engine *engine); /* -1: none */
/* ---- work.c ---- */
/* Runs a request's work in one rank, which may wait for one of its threads (engine_work_wait).
 * While it waits, the rank is busy, as with any task, and the loop serves others; the work may
 * be unfinished when this returns. */
typedef void (*EngineWork) (EngineProcess *process, const JobRequest *request);
void engine_work_do (EngineProcess *process, const JobRequest *request, EngineWork function);
/* Outside such work the same as engine_thread_wait. FALSE also when the work should finish soon
 * or the thread is gone. */
gboolean engine_work_wait (EngineThread *thread, gint64 timeout_us, TargetStop *ret_stop);
/* How such work waits for an answer of pddt-symbols. */
extern const IndexClientWaiter engine_work_waiter;
/* TRUE if that was requested since the last call. */
gboolean engine_work_take_hurry (void);

/* CANCEL: hurries the request of that id where it runs, and drops it where it waits. */
void engine_task_cancel (Engine *engine, const JobRequest *request);
void engine_task_abandon (EngineProcess *process); /* drops its task and waiting requests
                                                      without answers */

/* ---- arrivals.c ---- */
/* Checks for debug files from the user's servers while any is being fetched. */
void engine_arrivals_watch (Engine *engine);
/* Notices of files whose debug information is partly missing. */
void engine_arrivals_tell (Engine *engine);

/* ---- sources.c ---- */
/* Reports once that the source at the last stop is newer than the program. */
void engine_sources_check (EngineProcess *process);

/* ---- process.c ---- */
EngineProcess *engine_process_new (Engine *engine, const EngineRankInfo *info);
void engine_process_free (EngineProcess *process);
void engine_skip_set (Engine *engine, const char *lines);  /* skip.c; lines in the form of
                                                           * JOB_OPTION_SKIP */
void engine_kept_free (EngineProcess *process);            /* inspect-kept.c */
void engine_process_forget_space (EngineProcess *process); /* everything that depends on the
                                                            * address space */
void engine_process_drop_other_threads (EngineThread *thread);
EngineThread *engine_process_add_thread (EngineProcess *process, pid_t tid);
EngineThread *engine_process_get_main (EngineProcess *process); /* NULL: none left */
/* Detaches it and removes all traps. */
void engine_process_detach (EngineProcess *process);
/* The same, but the rank remains, without threads and memory. FALSE: it has ended. */
gboolean engine_process_let_go (EngineProcess *process);
/* Resumes a thread from its handled stop, over the trap at its pc. */
void engine_thread_go_on (EngineThread *thread);
/* Resumes without stepping over traps. */
gboolean engine_thread_resume (EngineThread *thread);
void engine_process_take_stop (Engine *engine, const TargetStop *stop);
/* Handles stops held during a halt, for processes that run again. */
void engine_process_drain_held (Engine *engine);
/* The pending signal, for the thread's next ptrace request; 0 when there is none, or when it had to be sent. */
int engine_thread_take_signal (EngineThread *thread);
void engine_thread_queue_stop (EngineThread *thread, const TargetStop *stop); /* held until it
                                                                               * resumes */
/* A stop of a thread that must not resume now: does what cannot wait, and keeps the rest until
 * it resumes. */
void engine_thread_hold (EngineThread *thread, const TargetStop *stop);
/* Waits at most timeout_us for a stop of this thread. FALSE: none came. */
gboolean engine_thread_wait (EngineThread *thread, gint64 timeout_us, TargetStop *ret_stop);
/* The thread is gone; the process too when it was the leader. */
void engine_thread_end (EngineThread *thread, const TargetStop *stop);

/* The stepped thread has ended: stops its process and reports that. */
void engine_thread_leave_step (EngineThread *thread);
void engine_process_drop_thread (EngineThread *thread);

/* ---- fork.c ---- */
void engine_fork_take (EngineThread *thread,
                       TargetStopKind kind); /* TARGET_STOP_FORK or VFORK */
/* With follow-fork child: makes the child the rank and detaches its parent. FALSE: not with
 * this option. */
gboolean engine_fork_follow (EngineThread *thread, gboolean is_vfork);
void engine_fork_forget_newborn (EngineThread *thread); /* the child will not be followed */
void engine_fork_take_clone (EngineThread *thread);
/* A thread that is apart has executed a program. */
void engine_fork_leave_apart (EngineThread *thread);
void engine_fork_take_vfork_done (EngineThread *thread);
/* A status of a thread that belongs to no rank (yet). */
void engine_fork_take_stranger (Engine *engine, const TargetStop *stop);
/* The process has ended or was detached: detaches children that were not reported yet. Call
 * before its address space is forgotten. */
void engine_fork_on_gone (EngineProcess *process);
/* Finally detaches every remaining tracee, within a second. */
void engine_fork_let_newborns_go (Engine *engine);

/* ---- script.c ---- */
/* Follows the child of a rank that may only start another program. FALSE: it is no such
 * child. */
gboolean engine_script_follow (EngineProcess *process, pid_t child);
/* The status of a followed child. FALSE: it is none. */
gboolean engine_script_take (Engine *engine, const TargetStop *stop);
void engine_script_let_go (Engine *engine); /* detaches all of them, as soon as they stop */

/* ---- exec.c ---- */
/* A program that does not count as the job's, but starts another one: a shell, env, numactl. */
gboolean engine_exec_is_wrapper (const char *executable);
void engine_exec_handle (EngineThread *thread);  /* at TARGET_STOP_EXEC */
void engine_exec_begin (EngineProcess *process); /* START is known and it is held */
void engine_exec_seize (EngineProcess *process); /* a running process: seizes all threads and
                                                     asks them to stop */
void engine_exec_follow (EngineProcess *process,
                         gboolean is_vfork);      /* pid is another, stopped */
void engine_exec_attach (EngineProcess *process); /* a seized process: waits for the stops and
                                                     inspects it */
void engine_exec_on_modules (EngineProcess *process); /* the loader has run */
void engine_exec_forget (EngineProcess *process);
/* Of the function that counts as the program's first one: of EnginePlace; empty: not known. */
GPtrArray *engine_exec_find_main (EngineProcess *process);
void engine_emit_ranks (EngineProcess *process);

/* ---- input.c ---- */
/* Takes fd, the write end of the rank's input. The program that runs an engine must ignore
 * SIGPIPE. */
EngineInput *engine_input_new (int fd);
void engine_input_free (EngineInput *input); /* discards unsent input */
void engine_input_handle (Engine *engine, const JobRequest *request); /* INPUT */

/* ---- core.c ---- */
void engine_core_close (EngineProcess *process);
GBytes *engine_core_read_extended (EngineThread *thread);
/* Refuses what core files cannot do; returns the request for the other ranks, which the caller
 * owns. */
JobRequest *engine_core_filter (Engine *engine, const JobRequest *request);

/* ---- blocked.c ---- */
void engine_blocked_begin (EngineProcess *process); /* it begins to step */
void engine_blocked_check (Engine *engine);         /* checks the steps that are due */
int engine_blocked_get_timeout_ms (Engine *engine); /* -1: none */

/* ---- system-call.c ---- */
/* What a thread of a running rank waits for, as a phrase after the rank: "is in read of
 * standard input", "waits for a mutex that thread 4 holds". NULL: nothing, or not known. */
char *engine_dup_system_call (EngineProcess *process, pid_t tid);
/* The line of proc(5), syscall: the call's number and arguments, the stack pointer and the pc. NULL: the
 * thread runs, or has ended. */
char *engine_dup_sleep (const EngineProcess *process, pid_t tid);
/* The thread that this thread waits for in pthread_join; 0 none. */
pid_t engine_find_joined (EngineProcess *process, pid_t tid);

/* ---- signal-reason.c ---- */
/* The reason for a stopped thread's signal ("a null pointer (address 0x8)"); NULL: not
 * known. */
char *engine_signal_dup_reason (EngineThread *thread, int signal, const TargetSignalInfo *info);

/* ---- signal.c ---- */
const char *engine_signal_get_name (int signal); /* "SIGSEGV"; "SIG34" … */
int engine_signal_find (const char *name);       /* 0 unknown */
gboolean engine_signal_is_stop (const EngineProcess *process, int signal);
gboolean engine_signal_is_print (const EngineProcess *process, int signal);
gboolean engine_signal_is_pass (const EngineProcess *process, int signal);
void engine_signal_handle (Engine *engine, const JobRequest *request); /* HANDLE, SIGNALS */

/* ---- remains.c ---- */
/* The process has ended. Call before its address space is forgotten. */
void engine_remains_keep (EngineProcess *process, gboolean is_python);
void engine_remains_free (EngineProcess *process);
/* Replaces its memory by its files until the matching end. FALSE: the files are not known. */
gboolean engine_remains_lend (EngineProcess *process);
void engine_remains_take_back (EngineProcess *process);
/* A request with JOB_REQUEST_ENDED, or one that only a living rank can answer. */
void engine_remains_answer (EngineProcess *process, const JobRequest *request);
/* TRUE: the current answer uses initial values of variables. */
gboolean engine_remains_are_used (const EngineProcess *process);

/* Brackets the inspection of a stopped process: reads its memory only once. May be nested. */
void engine_inspect_begin (EngineProcess *process);
void engine_inspect_end (EngineProcess *process);
gboolean engine_process_is_stopped (const EngineProcess *process);
/* Stops all threads and waits for that (some ms at most). Holds statuses of other events.
 * FALSE: it ended meanwhile. No state change: for inspecting and planting. */
gboolean engine_process_halt (EngineProcess *process);
/* Undoes engine_process_halt if the process was running before: resumes all threads as they
 * were. */
void engine_process_release (EngineProcess *process);
/* A real stop: halts all threads, sets the state, increments the stop number, computes the
 * place, and emits an event with the motion's id. text may be NULL. place NULL: computed by
 * inspect.c. */
void engine_process_stop (EngineProcess *process, EngineThread *thread, JobState state,
                          gint32 number, const char *text, const char *text2,
                          const JobLocation *place);
/* A motion: resumes all threads (over traps if needed), state RUNNING or STEPPING. */
void engine_process_go_on (EngineProcess *process, JobState state);
/* Stopped and attached: makes sure that it survives the death of this process. */
void engine_process_make_safe (EngineProcess *process);
/* The thread may have been interrupted between a trap and the trap's signal, which arrives
 * before any further instruction. The signal would end a call made in the thread, and kill an
 * untraced one. This takes the signal and holds it. */
void engine_thread_take_pending_trap (EngineThread *thread);
/* The same in all threads of a halted process. FALSE: the process has ended. */
gboolean engine_process_take_pending_traps (EngineProcess *process);
gboolean engine_thread_load_registers (EngineThread *thread);
/* Writes changed registers to the kernel. FALSE: the thread is gone. */
gboolean engine_thread_store_registers (EngineThread *thread);
/* The extended state (XSAVE's standard form) of a stopped thread; NULL. */
GBytes *engine_thread_read_extended (EngineThread *thread);
void engine_thread_set_pc (EngineThread *thread, guint64 pc);
guint64 engine_thread_get_pc (EngineThread *thread);

/* ---- trap.c ---- */
gboolean engine_trap_add (EngineProcess *process, guint64 address, EngineTrapHit hit,
                          gpointer owner, GError **error);
/* boundary.c. INVALID: the address is inside an instruction, by the code of its function. An
 * address that cannot be checked passes. */
gboolean engine_boundary_check (EngineProcess *process, guint64 address, GError **error);
void engine_trap_remove (EngineProcess *process, guint64 address, EngineTrapHit hit,
                         gpointer owner);
void engine_trap_clear (EngineProcess *process, gboolean restore_bytes);

/* The thread is at a planted trap: asks the owners. TRUE: the process has stopped or ended. */
gboolean engine_trap_hit (EngineThread *thread, guint64 address);
gboolean engine_trap_is_planted (EngineProcess *process, guint64 address);
/* Of a thread of a stopped rank: the traps at its pc have been handled, or were planted while
 * it was stopped there. */
gboolean engine_trap_is_seen (EngineThread *thread);
/* Runs the one instruction under the trap at the thread's pc; all others are halted. TRUE: the
 * thread is stopped after it. FALSE: it is gone, faulted (status held) or still in the kernel. */
gboolean engine_trap_step_over (EngineThread *thread);
/* The same by emulation, while the others run. FALSE: the instruction is not supported. */
gboolean engine_trap_emulate (EngineThread *thread);

/* ---- displaced.c ---- */
/* The displaced copy of the instruction at address, so that the trap there can stay. */
gboolean engine_displaced_find (EngineProcess *process, guint64 address, guint64 *ret_slot);
/* The thread's registers have just been read and process->displaced is not NULL: maps a pc in a
 * copy back to the original. */
void engine_displaced_fix (EngineThread *thread);
void engine_displaced_on_modules (EngineProcess *process); /* the map has changed */
void engine_displaced_clear (EngineProcess *process, gboolean restore_bytes); /* all halted */
void engine_displaced_clean_child (EngineProcess *process, pid_t child);

/* ---- names.c ---- */
void engine_names_handle (Engine *engine, const JobRequest *request); /* NAMES */

/* ---- modules.c ---- */
void engine_modules_forget (EngineProcess *process);
/* Places of a WHERE in the process: GPtrArray of EnginePlace. file_known: some module has the file
 * (or the function). only: NULL for all modules. */
typedef struct {
    guint64 address;
    JobLocation *location;
    gboolean is_resolver; /* a resolver: never stop there */
} EnginePlace;
void engine_place_free (EnginePlace *place);
/* TRUE when the address is in pddt's recorder of MPI calls. */
gboolean engine_modules_is_recorder (EngineProcess *process, guint64 address);
void engine_modules_find_places (EngineProcess *process, const JobWhere *where,
                                 const StackModule *only, GPtrArray *places,
                                 gboolean *file_known);
/* Adds the addresses (guint64, each once) that the module's resolver at address has returned so
 * far for symbols of this name. */
void engine_modules_find_resolved (EngineProcess *process, const StackModule *module,
                                   guint64 resolver, const char *name, GArray *targets);
/* The symbol of jump slot `index` (a PLT entry's) of the module around address. NULL. */
char *engine_modules_dup_jump_name (EngineProcess *process, guint64 address, guint32 index);
char *engine_modules_dup_slot_name (EngineProcess *process, guint64 slot); /* by its address */
StackModule *engine_modules_find_image (EngineProcess *process, guint64 address,
                                        IndexImage **ret_image);
/* The symbol that covers an address of the process, as the linker knows it, and how far inside; NULL. */
const char *engine_modules_find_symbol_at (EngineProcess *process, guint64 address,
                                           guint64 *ret_offset);
/* Reads maps again, rebuilds modules; tells breakpoint.c and python.c. */
void engine_process_refresh_modules (EngineProcess *process);
/* A function of that name is in the module's dynamic table; a variable, also a thread-local one. */
gboolean engine_module_shares_function (EngineProcess *process, const StackModule *module,
                                        const char *name);
gboolean engine_module_shares_variable (EngineProcess *process, const StackModule *module,
                                        const char *name);
/* The variable (STT_OBJECT) or function (STT_FUNC) of that name that files of the process share:
 * the program's own one comes first. */
gboolean engine_process_find_shared (EngineProcess *process, const char *name, guint type,
                                     gboolean in_libraries, guint64 *ret_address);
/* Symbol in any module (index first): address in the process. */
gboolean engine_process_find_symbol (EngineProcess *process, const char *name,
                                     guint64 *ret_address);

/* owner.c. Notes the owner of a process when it is first seen. */
void engine_owner_note (EngineProcess *process);
/* The same after an exec or another change of what it runs. */
void engine_owner_refresh (EngineProcess *process);
/* The process has exactly the rights of process->owner, who could trace it: files that its
 * memory names may be loaded with these rights. owner loses rights that the process has
 * dropped, and never gains any. */
gboolean engine_owner_is_plain (EngineProcess *process);
/* A function that libraries share; the module that has it. resolver: to be called for its address
 * (STT_GNU_IFUNC). NULL. */
StackModule *engine_process_find_function (EngineProcess *process, const char *name,
                                           guint64 *ret_address, gboolean *ret_is_resolver);
PythonRuntime *
engine_process_find_runtime (EngineProcess *process); /* NULL: none; says why once */

/* ---- call.c ---- */
/* Calls function(arg1, arg2) on a halted thread and waits for its return; restores the
 * registers. Other threads stay halted. TIMEOUT: it waits in the kernel after timeout_ms. BUSY,
 * FAULT, GONE. */
gboolean engine_call (EngineThread *thread, guint64 function, guint64 arg1, guint64 arg2,
                      guint timeout_ms, guint64 *ret_value, GError **error);
/* Any call; the registers after it. One that the user asks for is ended after timeout_ms wherever it is. */
gboolean engine_call_any (EngineThread *thread, const IndexCall *call, guint timeout_ms,
                          IndexCallResult *ret_result, GError **error);
/* The registers that values come back in, as they are now. */
gboolean engine_call_read_result (EngineThread *thread, IndexCallResult *ret_result);
#define ENGINE_CALL_N_ARGUMENTS 6
gboolean engine_call_with (EngineThread *thread, guint64 function, const guint64 *arguments,
                           guint timeout_ms, guint64 *ret_value, GError **error);

/* ---- breakpoint.c ---- */
void engine_breakpoint_handle (Engine *engine, const JobRequest *request);
/* Modules of the process changed: resolve pending ones and plant; emits BREAKPOINT events. */
void engine_breakpoint_resolve (EngineProcess *process);
/* Removes its places there; the next resolve looks for them again. */
void engine_breakpoint_forget_module (EngineProcess *process, const StackModule *module);
/* A logical breakpoint for python.c to hand to the agent: GPtrArray of JobRequest (BREAK ones that
 * hold for this process), borrowed. */
GPtrArray *engine_breakpoint_list (EngineProcess *process);
/* python.c reports what the agent answered (places empty: pending there too); breakpoint.c emits
 * one BREAKPOINT event a process: set if native or Python places exist, else pending. */
void engine_breakpoint_report_python (EngineProcess *process, guint32 number,
                                      GPtrArray *places);

/* exec or exit: addresses become invalid; exec: places are pending again. */
void engine_breakpoint_forget (EngineProcess *process);
void engine_breakpoint_free (gpointer breakpoint);
void engine_breakpoint_free_all (Engine *engine);

/* ---- watch.c ---- */
/* Before a stopped thread resumes: sets the debug registers of its process. */
void engine_watch_load (EngineThread *thread);
void engine_watch_unload (EngineThread *thread); /* it is let go */
/* After a SIGTRAP stop: notes whether a debug register did it. */
void engine_watch_note (EngineThread *thread);
/* The thread has stopped where a watched value may have changed. TRUE: the process has stopped. */
gboolean engine_watch_check (EngineThread *thread);
void engine_watch_forget (EngineProcess *process, gboolean is_exec); /* the address space no
                                                                      * longer exists */

/* ---- catch.c ---- */
/* Stops the process if a catchpoint of it matches. TRUE: stopped (or ended); for an MPI error
 * the caller has to stop it. */
gboolean engine_catch_fork (EngineThread *thread, gboolean is_vfork);
gboolean engine_catch_exec (EngineThread *thread);
gboolean engine_catch_exit (EngineThread *thread); /* at TARGET_STOP_EXIT */
gboolean engine_catch_wants_event (EngineThread *thread,
                                   TargetStopKind kind); /* of FORK, VFORK or EXIT */
gboolean engine_catch_signal (EngineThread *thread, int signal);
gboolean engine_catch_wants_calls (EngineProcess *process); /* it has to stop at system calls */
/* The thread has stopped at one: reads which. */
void engine_catch_note_call (EngineThread *thread);
gboolean engine_catch_wants_call (EngineThread *thread); /* a catchpoint is for this call */
gboolean engine_catch_call (EngineThread *thread);       /* TRUE: one of them stops here */
/* paths: of char *, modules that were not there before. */
gboolean engine_catch_load (EngineThread *thread, GPtrArray *paths);
gboolean engine_catch_wants_load (EngineProcess *process);
/* MPI has returned an error, or is about to abort because of one. */
gboolean engine_catch_mpi_error (EngineThread *thread);
gboolean engine_catch_wants_mpi_errors (EngineProcess *process);

/* ---- step.c ---- */
gboolean engine_step_is_active (const EngineProcess *process);
gboolean engine_step_is_of (const EngineThread *thread); /* the thread is being stepped */
/* A signal is about to be delivered to the stepping thread: steps over its handler. */
void engine_step_on_signal (EngineThread *thread);
void engine_step_begin (EngineProcess *process, const JobRequest *request); /* native motions */
void engine_step_cancel (EngineProcess *process);
/* The motion has ended without one: its thread is in another frame, as after a step into an inlined call. */
void engine_step_stop_in_place (EngineProcess *process, EngineThread *thread, guint64 request);

/* ---- return.c ---- */
void engine_return (EngineProcess *process,
                    const JobRequest *request); /* RETURN, of a stopped process */

/* A thread stopped after single step or at a step trap; TRUE when step.c has dealt with it. */
gboolean engine_step_on_stop (EngineThread *thread);
/* The thread has come to pc by a motion that began in Python: stops here, or (is_end FALSE) goes on
 * to the end of the line as a step or next of that verb does. For a trap's owner to return. */
EngineTrapAnswer engine_step_arrive_at (EngineThread *thread, JobVerb verb, gboolean is_end);
/* One more step has been accepted: JUMP and UNTIL share places with breakpoints. */
gboolean engine_step_jump (EngineProcess *process, const JobRequest *request, GError **error);

/* ---- inlines.c ---- */
/* How many of the innermost frames at the thread's pc are inlined calls that begin there, up to one of
 * which a breakpoint is or, when not NULL, that has the name `asked`. */
guint engine_inlines_find (EngineThread *thread, const char *asked);
/* The function of the place at pc; NULL. places: of EnginePlace, or NULL. */
const char *engine_inlines_get_asked (const GPtrArray *places, guint64 pc);
/* Hides them: the thread is shown before these calls. */
void engine_inlines_hide (EngineThread *thread, const char *asked);
/* The number of hidden ones. */
guint engine_inlines_count (EngineThread *thread);

/* ---- awaited.c ---- */
/* The text with what is to be said of the request's thread: that it comes later, or has ended; NULL:
 * nothing. Caller owns. */
char *engine_awaited_dup_remark (const EngineProcess *process, const JobRequest *request,
                                 const char *text);
/* A new thread that has not run yet: completes Python breakpoints that wait for it. */
void engine_awaited_on_thread (const EngineThread *thread);

/* ---- python-files.c ---- */
void engine_python_note_folder (EngineProcess *process); /* at exec */
/* The absolute path of a relative file name of Python code, as far as there is one such file; NULL: not
 * known. A PythonDupPath of the process. */
char *engine_python_dup_path (const char *file, gpointer process);

/* ---- python.c ---- */
/* At exec: checks whether the runner is on the command line. */
void engine_python_on_exec (EngineProcess *process);
/* Modules changed: finds the agent, plants the stop's trap, sets attached. */
void engine_python_on_modules (EngineProcess *process);
/* The process is a child of fork now, which stands where it was made: the agent that it has goes on. */
void engine_python_on_follow (EngineProcess *process);
/* TRUE when the present stop is at a Python stop (thread inside pddt_python_stop). */
/* Reports once that the runner could not load the agent. TRUE: it could not. */
gboolean engine_python_is_missing (EngineProcess *process);
gboolean engine_python_is_stop (const EngineProcess *process);
/* Python code in a frame of a rank that is stopped in native code. TRUE: it is on its way, and answered by
 * events; where that fails they join read_error to the reason. BUSY: it cannot be, with the reason; GONE,
 * TIMEOUT. */
gboolean engine_python_run_here (EngineProcess *process, const JobRequest *request,
                                 guint32 python_index, const GError *read_error,
                                 GError **error);
/* Joins the reasons why it could not be read and not be run (NULL: not tried) into one error,
 * which the caller owns. */
GError *engine_python_join_errors (const GError *read_error, const GError *run_error);
/* Before an `until` at a Python stop: sends its place to the agent. FALSE: the place is not
 * possible. */
gboolean engine_python_begin_until (EngineProcess *process, const JobRequest *request,
                                    GError **error);
/* Step, next, finish, continue at a Python stop: writes the command; the caller then resumes.
 * FALSE: not a Python motion. */
gboolean engine_python_prepare_motion (EngineProcess *process, const JobRequest *request);
/* Sends breakpoint verbs to the agent of this process, now or at the next chance (wake). */
void engine_python_handle_breakpoint (EngineProcess *process, const JobRequest *request);
/* Evaluate/exec/locals in the selected Python frame at a Python stop; answers by events. python_index:
 * JobFrame.native_index of the selected frame. FALSE: cannot here (caller uses the walker). */
gboolean engine_python_handle_query (EngineProcess *process, const JobRequest *request,
                                     guint32 python_index);
void engine_python_on_gone (EngineProcess *process); /* exec or exit: forget */

/* ---- python-motion.c ---- */
/* The thread of a native motion has returned to an evaluation of the interpreter: the agent
 * continues the motion in Python. FALSE: it is elsewhere, or there is no agent. */
gboolean engine_python_take_over (EngineThread *thread, JobVerb verb);
/* A native step of the thread begins, which may call back into Python. */
void engine_python_watch_callbacks (EngineThread *thread);
/* TRUE when the nearest frame outside the selected one that is the user's is a Python frame, and the
 * agent can stop there. */
gboolean engine_python_is_outside (EngineProcess *process);
void engine_python_on_stop (EngineProcess *process); /* the rank stops, wherever */
/* Emits what log breakpoints have written in the rank, which may run. FALSE: nothing. */
gboolean engine_python_take_log (EngineProcess *process);
/* The same of all ranks, as often as engine_python_get_timeout_ms says; -1 never. */
void engine_python_take_logs (Engine *engine);
int engine_python_get_timeout_ms (const Engine *engine);
/* Retries notifying interpreters; the time until the next attempt, -1: none. */
void engine_python_wakes_check (Engine *engine);
int engine_python_wakes_get_timeout_ms (const Engine *engine);

/* ---- inspect.c ---- */
void engine_inspect_handle (Engine *engine, const JobRequest *request); /* all query verbs */
gboolean
engine_inspect_may_take_long (JobVerb verb); /* a query that may run code of the rank's */
/* Place of the stopped process's thread. */
JobLocation *engine_inspect_dup_place (EngineProcess *process, EngineThread *thread);
/* Stack of the selected thread, cached until the process moves. */
Stack *engine_inspect_get_stack (EngineProcess *process);
/* How many bytes of a named value, and of all of a frame's values together, are compared with
 * other ranks. */
#define ENGINE_MAX_COMPARED (G_GUINT64_CONSTANT (1) << 30)
#define ENGINE_MAX_COMPARED_LOCALS (G_GUINT64_CONSTANT (128) << 20)
void engine_inspect_forget (EngineProcess *process); /* the process moves */
/* Discards cached stack and values; the selected frame stays selected, n_deeper frames further
 * out, because it has made as many calls since. */
void engine_inspect_read_again (EngineProcess *process, guint32 n_deeper);
/* Value of an expression in the frame of a stopped thread, native or Python by the frame. For
 * conditions of breakpoints: frame 0. */
JobValue *engine_inspect_evaluate (EngineThread *thread, guint32 frame, const char *expression,
                                   GError **error);
