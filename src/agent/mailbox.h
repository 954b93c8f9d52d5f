/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The mailbox: one per process, exported as `pddt_mailbox` by pddt_agent.abi3.so. The agent
 * calls the exported empty function `pddt_python_stop` with the GIL held; the engine has a trap
 * on its first instruction (a one-byte nop, so no step over the trap is needed). During this
 * stop the engine reads the event, writes a command and resumes the thread; the agent executes
 * it, writes the result to `status` and `out`, and stops again, until the command is a motion.
 * Self-contained: no GLib. Strings are NUL-terminated bytes, truncated to fit. */
#pragma once
#include <stdint.h>

#define PDDT_MAILBOX_MAGIC 0x58424d5444445031ull /* "1PDDTMBX" */
#define PDDT_MAILBOX_VERSION 1
#define PDDT_MAILBOX_IN_SIZE 16384
#define PDDT_MAILBOX_OUT_SIZE 65536
#define PDDT_MAILBOX_LOG_SIZE 65536 /* a power of two */

enum pddt_mailbox_event {
    PDDT_EVENT_NONE,
    PDDT_EVENT_READY,      /* agent loaded, script not begun: engine writes breakpoints */
    PDDT_EVENT_ENTRY,      /* at the first line of the script (only when stop_at_entry) */
    PDDT_EVENT_BREAKPOINT, /* number: breakpoint that was hit (lowest) */
    PDDT_EVENT_STEP,       /* a step, next or finish arrived */
    PDDT_EVENT_EXCEPTION,  /* uncaught: text "TYPE\0MESSAGE", before the traceback is printed */
    PDDT_EVENT_PAUSE,  /* reached after a sync request that asked to stop at the next line */
    PDDT_EVENT_SYNC,   /* reached after a sync request: engine may write breakpoints */
    PDDT_EVENT_ANSWER, /* the command before is done: status, out */
    PDDT_EVENT_NOTICE, /* text: a sentence; e.g. tracing was taken away by the program */
    PDDT_EVENT_BREAK_CALL, /* breakpoint() in the source */
    PDDT_EVENT_LOG, /* number, text of a log breakpoint, 0: the ring is to be emptied; goes on by
                              CONTINUE */
    PDDT_EVENT_ARRIVED, /* where the engine sent the thread to be asked */
};

/* What pddt_agent_wake returns when a thread that stands still has the lock that it needs: the threads
 * must go on for a while before it is tried again. */
#define PDDT_WAKE_LATER 1

enum pddt_mailbox_command {
    PDDT_COMMAND_NONE,
    PDDT_COMMAND_CONTINUE, /* motions: return from the stop */
    PDDT_COMMAND_STEP,
    PDDT_COMMAND_NEXT,
    PDDT_COMMAND_FINISH,
    PDDT_COMMAND_EVAL, /* in: expression; frame: 0 innermost; out: "TYPE\0TEXT\0NUMBER?\0", for
                              what is no number "+" when it has parts, and "@ADDRESS" of the object,
                              which stays until the next EVAL or motion */
    PDDT_COMMAND_EXEC, /* in: statement; out: what it printed */
    PDDT_COMMAND_LOCALS,            /* out: "NAME\0TYPE\0TEXT\0NUMBER?\0" repeated */
    PDDT_COMMAND_SET_BREAKPOINT,    /* in: a pddt_mailbox_breakpoint, then strings FILE FUNCTION
                              CONDITION LOG, each NUL-terminated, empty when absent;
                              status 0 set, out as PLACES; 1 pending; <0 error, out: why */
    PDDT_COMMAND_DELETE_BREAKPOINT, /* number */
    PDDT_COMMAND_ENABLE_BREAKPOINT,
    PDDT_COMMAND_DISABLE_BREAKPOINT, /* number */
    PDDT_COMMAND_PLACES, /* number: out "FUNCTION\0FILE\0LINE\0" repeated: where it now stands;
                              SET_BREAKPOINT with status 0 answers the same. Empty: pending */
    PDDT_COMMAND_CATCH, /* in: a pddt_mailbox_breakpoint, then TYPE (an exception's name, empty:
                              all), CONDITION: stop where it is raised */
    PDDT_COMMAND_STACK, /* out "FUNCTION\0FILE\0LINE\0" repeated, innermost first: the frames that
                              command_frame counts. At EXCEPTION those of the traceback */
    PDDT_COMMAND_GLOBALS, /* as LOCALS, of the frame's module, without modules and dunders */
    PDDT_COMMAND_CANCEL_STEP, /* the step or finish under way is off */
};

struct pddt_mailbox_breakpoint {
    uint32_t number;
    uint32_t line; /* 0: function breakpoint */
    uint64_t every;
    uint32_t temporary;
    uint32_t enabled;
    uint64_t
        thread; /* native thread id, 0 any; with PDDT_MAILBOX_AWAITED the engine's number of a
                           thread that comes later: see `awaited` */
};

#define PDDT_MAILBOX_AWAITED 0x80000000u
#define PDDT_MAILBOX_N_AWAITED 64
struct pddt_mailbox_thread {
    uint32_t number; /* the engine's */
    uint32_t tid;    /* native thread id; 0: it is not there yet */
};

/* `pddt_agent_here` is no function to call: a thread that holds the GIL and stands at an entry or a
 * return of the interpreter's evaluation is sent there by the engine, with its old pc pushed below
 * the red zone; it keeps all registers and goes back. With here_command EVAL it may be one without
 * the GIL, anywhere: it takes the GIL, stops with ARRIVED, gives the GIL back and passes the empty
 * function `pddt_agent_left`, where the engine may put all registers back itself. */

/* Bits of `request`, written by the engine at any time (also while the rank runs); the agent
 * takes them when `pddt_agent_wake` was run (by a remote call: it only does Py_AddPendingCall). */
enum {
    PDDT_REQUEST_SYNC = 1,
    PDDT_REQUEST_PAUSE = 2, /* the thread request_tid (0: any) moves as request_command says */
    PDDT_REQUEST_INTERRUPT = 4, /* the evaluation under way ends with an exception */
    PDDT_REQUEST_ARRIVE = 8,    /* the main thread stops with ARRIVED between two bytecodes */
};

struct pddt_mailbox {
    uint64_t magic;
    uint32_t version, size; /* of this struct */
    /* options, written by the engine at READY */
    uint32_t stop_at_entry, stop_on_uncaught, just_my_code,
        attached; /* attached: 1 while an engine
                                        listens; the agent never calls the stop when 0. Set by the
                                        engine as soon as the trap is planted */
    uint32_t request;
    /* event, written by the agent before the stop */
    uint32_t event, number;
    uint32_t line, tid;
    uint64_t frame;     /* address of the PyFrameObject of the event, 0 */
    uint64_t python_sp; /* an address inside the C frame that called the stop */
    char function[512], file[2048],
        text[4096]; /* text of a BREAKPOINT: why its condition failed,
                                        or behind a \001 the exception that was caught, or empty; of a STEP with number 1, after finish: what was
                                        returned, "TYPE\0TEXT\0NUMBER?\0FUNCTION\0" */
    /* command, written by the engine while stopped */
    uint32_t command, command_number, command_frame, command_count;
    int32_t status;
    uint32_t out_size;
    char in[PDDT_MAILBOX_IN_SIZE];
    char out[PDDT_MAILBOX_OUT_SIZE];
    uint32_t started;   /* 1: past READY */
    uint32_t own_frame; /* index in command_frame's count of the frame that `file`,
                                        `line` and `function` speak of; 0 except at EXCEPTION */
    uint32_t
        is_selected_by_traceback; /* 1 at EXCEPTION: the frames are those of a traceback, not
                                        of the thread's stack */
    uint32_t motion_off;          /* the engine: the motion ended elsewhere, in native code */
    uint32_t returned_size;       /* what the frame returned that a finish left; 0: nothing */
    uint32_t request_tid;         /* of PAUSE */
    uint32_t request_command;     /* STEP: its next line; NEXT, FINISH: in its present frame */
    uint32_t here_command;        /* what pddt_agent_here does: CONTINUE: stops where the frame
                                        is; STEP, NEXT: the thread steps from there on */
    uint32_t is_loaded;           /* 1: all of the agent is there */
    char returned[4096];          /* "TYPE\0TEXT\0NUMBER?\0FUNCTION\0" */
    /* Texts of log breakpoints, which the engine takes while the rank runs: each a pddt_mailbox_log, then
     * its bytes, in a ring. Both counts only rise; the agent stops with LOG, of number 0, when there is no
     * room, and before anything that ends its memory. is_log_taken 0: each text is a LOG stop of its own. */
    uint32_t is_log_taken;
    uint32_t log_written, log_taken;
    char log[PDDT_MAILBOX_LOG_SIZE];
    uint32_t followed_pid; /* of the child of fork that the engine goes on with: written in the
                                        child before it runs; in any other child the agent is off */
    uint32_t limit_depth, limit_items, limit_bytes; /* of values as text; 0: the agent's own */
    /* Threads that breakpoints wait for. The engine writes it while the rank stands in the stop, and the
     * number of a thread before that runs. */
    struct pddt_mailbox_thread awaited[PDDT_MAILBOX_N_AWAITED];
};

struct pddt_mailbox_log {
    uint32_t number, size;
};
