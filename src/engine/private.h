/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of the engine share: processes, threads, traps with owners, motions. One stop
 * stops all threads of its rank; a motion lets them all go. Who owns what:
 *   engine.c    table of processes, dispatch of requests, merging of emitted events
 *   process.c   adopt, exec, threads, wait statuses, stop-all, go-on-all, signals, exits
 *   trap.c      traps: owners by address, displaced stepping over them
 *   breakpoint.c logical breakpoints: resolve, plant, pending, conditions, counts, log
 *   step.c      native step, next, finish, until, stepi
 *   modules.c   maps, loader breakpoint (r_debug), indexes
 *   call.c      remote call of a function in a stopped rank
 *   python.c    the mailbox: Python stops, breakpoints, steps, evaluation
 *   inspect.c   state and places, stacks, values, threads, modules, registers */
#pragma once
#include "agent/mailbox.h"
#include "base/error.h"
#include "engine/engine.h"
#include "index/client.h"
#include "stack/stack.h"
#include "target/maps.h"
#include "target/process.h"

typedef struct _EngineProcess EngineProcess;
typedef struct _EngineThread EngineThread;

typedef enum { ENGINE_THREAD_RUNNING, ENGINE_THREAD_STOPPED, ENGINE_THREAD_GROUP_STOP } EngineThreadState;

struct _EngineThread {
    EngineProcess *process;
    pid_t tid;
    EngineThreadState state;
    TargetRegisters registers;       /* valid while stopped and has_registers */
    gboolean has_registers, registers_changed;
    int pending_signal;              /* to deliver at the next go-on */
    gboolean interrupt_pending;      /* we asked for a stop that has not come */
    gboolean ignore_stop;            /* a new clone's first stop */
    guint64 stepping_over;           /* trap address whose displaced copy it runs; 0 */
    GArray *held_statuses;           /* wait statuses that arrived while a stop-all was under way */
    guint number;                    /* 1-based in the process, never reused */
    gpointer step;                   /* step.c's */
};

/* A trap's owner decides what a hit means. Called with all threads of the rank still running
 * except `thread`, whose pc is at the trap. RESUME: nothing happened for this owner. STOP: it
 * has called engine_process_stop itself or wants the default stop to follow. */
typedef enum { ENGINE_TRAP_RESUME, ENGINE_TRAP_STOP } EngineTrapAnswer;
typedef EngineTrapAnswer (*EngineTrapHit) (EngineThread *thread, guint64 address, gpointer owner);

typedef enum { ENGINE_START_NONE, ENGINE_START_AT_EXEC, ENGINE_START_STARTED } EngineStartPhase;

typedef struct {
    gboolean is_agent_expected;      /* the runner is on its command line */
    gboolean has_agent;              /* mailbox found and trap planted */
    guint64 mailbox, stop_function, wake_function;
    pid_t stopped_tid;               /* thread inside pddt_python_stop now; 0 */
    guint32 event;                   /* of the present stop */
    gboolean sync_wanted;            /* breakpoints changed while it could not be told */
    gboolean begun;                  /* past READY */
    gpointer data;                   /* python.c's */
} EnginePython;

struct _EngineProcess {
    Engine *engine;
    guint32 slot, rank, size, local_rank;
    pid_t pid;
    gboolean launched, exec_seen, ended;
    int input_fd;
    char *executable;                /* path */
    JobState state;
    gint32 state_number;
    char *state_text, *state_text2;
    JobLocation *state_place;        /* of the last stop */
    guint64 stop;                    /* stop number */
    guint64 motion;                  /* request id of the motion under way or last done */
    JobVerb motion_verb;
    guint32 motion_count;            /* steps left */
    EngineStartPhase phase;
    GPtrArray *threads;              /* of EngineThread, main first */
    EngineThread *stop_thread;       /* who made the last stop */
    EngineThread *selected_thread;
    guint32 selected_frame;          /* index among shown frames */
    BaseMemoryReader *memory;
    TargetTraps *planted;
    GHashTable *traps;               /* trap.c: address → owners */
    StackModules *modules;           /* NULL before the first exec's maps were read */
    PythonRuntime *runtime;          /* opened on demand; see engine_process_find_runtime */
    gboolean runtime_refused;
    EnginePython python;
    Stack *stack;                    /* of selected_thread, valid while stopped; NULL */
    gpointer step;                   /* step.c: the motion */
    gboolean has_pending_resolve;    /* modules changed: breakpoints to resolve again */
};

struct _Engine {
    EngineOptions options;
    GPtrArray *processes;            /* by slot; of EngineProcess, ended ones stay */
    GHashTable *by_tid;              /* pid_t → EngineThread */
    IndexClient *symbols;            /* NULL without */
    gpointer shared_traps;
    GPtrArray *breakpoints;          /* breakpoint.c: logical ones */
    GPtrArray *queue;                /* of JobEvent not yet emitted; merged at flush */
    char *start_at;                  /* "main" until START says otherwise */
    guint64 start_request;
    gboolean start_known;            /* START has come: held processes may go on */
    gboolean interpreter_frames, just_my_code, scheduler_locking;
    IndexLimits limits;
    GHashTable *signals;             /* process.c: the handle table */
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

/* ---- process.c ---- */
gboolean engine_process_is_stopped (const EngineProcess *process);
/* Stops all threads and waits for it (bounded, ms). Statuses of other events are held. FALSE: it
 * ended meanwhile. No state change: for looking and planting. */
gboolean engine_process_halt (EngineProcess *process);
/* Undoes engine_process_halt when the process was running before: all go on as they were. */
void engine_process_release (EngineProcess *process);
/* A real stop: all threads halted, state set, stop number raised, place computed, event emitted with
 * the motion's id. text may be NULL. place NULL: computed by inspect.c. */
void engine_process_stop (EngineProcess *process, EngineThread *thread, JobState state,
                          gint32 number, const char *text, const char *text2, const JobLocation *place);
/* Motion: all threads go on (over traps where needed), state RUNNING or STEPPING. */
void engine_process_go_on (EngineProcess *process, JobState state);
gboolean engine_thread_load_registers (EngineThread *thread);
void engine_thread_set_pc (EngineThread *thread, guint64 pc);
guint64 engine_thread_get_pc (EngineThread *thread);

/* ---- trap.c ---- */
gboolean engine_trap_add (EngineProcess *process, guint64 address, EngineTrapHit hit, gpointer owner, GError **error);
void engine_trap_remove (EngineProcess *process, guint64 address, EngineTrapHit hit, gpointer owner);
void engine_trap_clear (EngineProcess *process, gboolean restore_bytes);

/* ---- modules.c ---- */
/* Reads maps again, rebuilds modules; tells breakpoint.c and python.c. */
void engine_process_refresh_modules (EngineProcess *process);
/* Symbol in any module (index first): address in the process. */
gboolean engine_process_find_symbol (EngineProcess *process, const char *name, guint64 *ret_address);
PythonRuntime *engine_process_find_runtime (EngineProcess *process); /* NULL: none; says why once */

/* ---- call.c ---- */
/* Calls function(arg1, arg2) on a halted thread and waits, at most timeout_ms; registers are put
 * back. Other threads stay halted. BUSY, TIMEOUT, FAULT, GONE. */
gboolean engine_call (EngineThread *thread, guint64 function, guint64 arg1, guint64 arg2,
                      guint timeout_ms, guint64 *ret_value, GError **error);

/* ---- breakpoint.c ---- */
void engine_breakpoint_handle (Engine *engine, const JobRequest *request);
/* Modules of the process changed: resolve pending ones and plant; emits BREAKPOINT events. */
void engine_breakpoint_resolve (EngineProcess *process);
/* A logical breakpoint for python.c to hand to the agent: GPtrArray of JobRequest (BREAK ones that
 * hold for this process), borrowed. */
GPtrArray *engine_breakpoint_list (EngineProcess *process);
/* python.c reports what the agent answered (places empty: pending there too); breakpoint.c emits
 * one BREAKPOINT event a process: set if native or Python places exist, else pending. */
void engine_breakpoint_report_python (EngineProcess *process, guint32 number, GPtrArray *places);

/* ---- step.c ---- */
void engine_step_begin (EngineProcess *process, const JobRequest *request); /* native motions */
void engine_step_cancel (EngineProcess *process);
/* A thread stopped after single step or at a step trap; TRUE when step.c has dealt with it. */
gboolean engine_step_on_stop (EngineThread *thread);

/* ---- python.c ---- */
/* At exec: is the runner on the command line? */
void engine_python_on_exec (EngineProcess *process);
/* Modules changed: finds the agent, plants the stop's trap, sets attached. */
void engine_python_on_modules (EngineProcess *process);
/* TRUE when the present stop is at a Python stop (thread inside pddt_python_stop). */
gboolean engine_python_is_stop (const EngineProcess *process);
/* Step, next, finish, continue at a Python stop: writes the command; caller then goes on. FALSE when
 * the motion is not Python's business. */
gboolean engine_python_prepare_motion (EngineProcess *process, const JobRequest *request);
/* Breakpoint verbs for the agent of this process; now, or at the next chance (wake). */
void engine_python_handle_breakpoint (EngineProcess *process, const JobRequest *request);
/* Evaluate/exec/locals in the selected Python frame at a Python stop; answers by events. python_index:
 * JobFrame.native_index of the selected frame. FALSE: cannot here (caller uses the walker). */
gboolean engine_python_handle_query (EngineProcess *process, const JobRequest *request, guint32 python_index);
void engine_python_on_gone (EngineProcess *process); /* exec or exit: forget */

/* ---- inspect.c ---- */
void engine_inspect_handle (Engine *engine, const JobRequest *request); /* all query verbs */
/* Place of the stopped process's thread. */
JobLocation *engine_inspect_dup_place (EngineProcess *process, EngineThread *thread);
/* Stack of the selected thread, cached until the process moves. */
Stack *engine_inspect_get_stack (EngineProcess *process);
void engine_inspect_forget (EngineProcess *process); /* the process moves */
/* Value of an expression in the frame of a stopped thread, native or Python by the frame. For
 * conditions of breakpoints: frame 0. */
JobValue *engine_inspect_evaluate (EngineThread *thread, guint32 frame, const char *expression, GError **error);
