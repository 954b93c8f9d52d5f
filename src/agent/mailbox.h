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
#define PDDT_MAILBOX_VERSION 3
#define PDDT_MAILBOX_IN_SIZE 16384
#define PDDT_MAILBOX_OUT_SIZE 65536
#define PDDT_MAILBOX_LOG_SIZE 65536 /* a power of two */

enum pddt_mailbox_event {
    PDDT_EVENT_NONE,
    /* agent loaded, script not yet begun: the engine sends breakpoints */
    PDDT_EVENT_READY,
    PDDT_EVENT_ENTRY,      /* at the first line of the script (only if stop_at_entry) */
    PDDT_EVENT_BREAKPOINT, /* number: the lowest of the breakpoints that were hit */
    PDDT_EVENT_STEP,       /* a step, next or finish has ended */
    /* uncaught exception: text "TYPE\0MESSAGE", before the traceback is printed */
    PDDT_EVENT_EXCEPTION,
    PDDT_EVENT_PAUSE,      /* after a PAUSE request: at the next line */
    PDDT_EVENT_SYNC,       /* after a SYNC request: the engine may send breakpoints */
    PDDT_EVENT_ANSWER,     /* the last command has completed: status, out */
    PDDT_EVENT_NOTICE,     /* text: a sentence, e.g. that the program has taken over tracing */
    PDDT_EVENT_BREAK_CALL, /* the program has called breakpoint() */
    PDDT_EVENT_LOG, /* number, text of a log breakpoint, 0: the ring is to be emptied; goes on by
                              CONTINUE */
    /* at the place to which the engine sent the thread to execute commands */
    PDDT_EVENT_ARRIVED,
};

/* pddt_agent_wake returns this if a stopped thread holds a lock that it needs. The threads must
 * run for a while before the engine tries again. */
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
                              replaces the one of that number; answers as PLACES */
    PDDT_COMMAND_DELETE_BREAKPOINT, /* number */
    PDDT_COMMAND_ENABLE_BREAKPOINT,
    PDDT_COMMAND_DISABLE_BREAKPOINT, /* number */
    PDDT_COMMAND_PLACES, /* number: out "REASON\0", then "FUNCTION\0FILE\0LINE\0" repeated: where it now
                              stands. status 0 set; 1 pending, REASON: why, or empty; 2 its condition
                              or log is not Python, REASON: why: wherever it is hit, it stops;
                              <0 error, out: why */
    PDDT_COMMAND_CATCH, /* in: a pddt_mailbox_breakpoint, then TYPE (an exception's name, empty:
                              all), CONDITION: stop where it is raised; answers as PLACES */
    PDDT_COMMAND_STACK, /* out "FUNCTION\0FILE\0LINE\0" repeated, innermost first: the frames that
                              command_frame counts. At EXCEPTION those of the traceback */
    PDDT_COMMAND_GLOBALS, /* as LOCALS, of the frame's module, without modules and dunders */
    PDDT_COMMAND_SOURCE, /* in: a file's name as places have it; number: the first character; out: the
                              text of code that is in no file, a part of it; empty: its end */
    PDDT_COMMAND_CANCEL_STEP, /* cancels the step or finish under way */
};

struct pddt_mailbox_breakpoint {
    uint32_t number;
    uint32_t line;  /* 0: function breakpoint */
    uint64_t every; /* 0: each time; with PDDT_MAILBOX_EVERY_FROM, all times from that one on */
    uint32_t temporary;
    uint32_t enabled;
    /* native thread id, 0 any; with PDDT_MAILBOX_AWAITED the engine's number of a thread that
     * comes later: see `awaited` */
    uint64_t thread;
};

#define PDDT_MAILBOX_EVERY_FROM (UINT64_C (1) << 32)
#define PDDT_MAILBOX_AWAITED 0x80000000u
#define PDDT_MAILBOX_N_AWAITED 64
struct pddt_mailbox_thread {
    uint32_t number; /* the engine's */
    uint32_t tid;    /* native thread id; 0: the thread has not started yet */
};

/* `pddt_agent_here` is not called as a function. The engine takes a thread that holds the GIL
 * and is at an entry or return of the interpreter's evaluation, pushes its pc below the red
 * zone and sends it there; the thread keeps all registers and returns to that pc. With
 * here_command EVAL, the thread may be anywhere and without the GIL: it takes the GIL, stops
 * with ARRIVED, releases the GIL and calls the empty function `pddt_agent_left`, where the
 * engine may itself restore all registers. */

/* Bits of `request`, which the engine may write at any time, also while the rank runs. The
 * agent takes them after the engine has made a thread run `pddt_agent_wake`. */
enum {
    PDDT_REQUEST_SYNC = 1,
    /* the thread request_tid (0: any) begins the motion request_command */
    PDDT_REQUEST_PAUSE = 2,
    PDDT_REQUEST_INTERRUPT = 4, /* an exception ends the evaluation under way */
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
    uint64_t python_sp; /* an address in the C frame that called the stop */
    char function[512], file[2048],
        text[4096]; /* text of a BREAKPOINT: why its condition failed,
                                        or behind a \001 the exception that was caught, or empty; of a STEP with number 1, after finish: what was
                                        returned, "TYPE\0TEXT\0NUMBER?\0FUNCTION\0", and "yielded\0" where the frame goes on later */
    /* command, written by the engine while stopped */
    uint32_t command, command_number, command_frame, command_count;
    int32_t status;
    uint32_t out_size;
    char in[PDDT_MAILBOX_IN_SIZE];
    char out[PDDT_MAILBOX_OUT_SIZE];
    uint32_t started;   /* 1: READY is over */
    uint32_t own_frame; /* index in command_frame's count of the frame that `file`,
                                        `line` and `function` speak of; 0 except at EXCEPTION */
    /* 1 at EXCEPTION: the frames are those of a traceback, not of the thread's stack */
    uint32_t is_selected_by_traceback;
    /* written by the engine: the motion has ended in native code */
    uint32_t motion_off;
    /* size of what the frame left by finish returned; 0: nothing */
    uint32_t returned_size;
    uint32_t request_tid; /* of PAUSE */
    /* STEP: to the thread's next line; NEXT, FINISH: in its current frame */
    uint32_t request_command;
    uint32_t here_command; /* what pddt_agent_here does: CONTINUE: stops where the frame
                                        is; STEP, NEXT: the thread steps from there on */
    uint32_t is_loaded;    /* 1: the agent has been loaded completely */
    char returned[4096];   /* "TYPE\0TEXT\0NUMBER?\0FUNCTION\0" */
    /* A ring of texts of log breakpoints: each is a pddt_mailbox_log, followed by its bytes.
     * The engine takes them while the rank runs. Both counts only grow. The agent stops with
     * LOG and number 0 when the ring is full, and before anything that destroys the process's
     * memory. If is_log_taken is 0, each text is a LOG stop of its own. */
    uint32_t is_log_taken;
    uint32_t log_written, log_taken;
    char log[PDDT_MAILBOX_LOG_SIZE];
    uint32_t followed_pid; /* of the child of fork that the engine goes on with: written in the
                                        child before it runs; in any other child the agent is off */
    /* limits of values shown as text; 0: the agent's defaults */
    uint32_t limit_depth, limit_items, limit_bytes;
    /* Threads that breakpoints wait for because they have not started yet. The engine writes
     * the table during a stop, and enters a thread before that thread runs. */
    struct pddt_mailbox_thread awaited[PDDT_MAILBOX_N_AWAITED];
    /* of PAUSE: which frame request_command is for, in command_frame's count */
    uint32_t request_frame;
    uint32_t
        limit_s; /* so long an evaluation may take, for the message where it is interrupted */
    /* which command this is, counted by the engine, and which one `status` and `out` answer */
    uint32_t command_id, answer_id;
};

struct pddt_mailbox_log {
    uint32_t number, size;
};
