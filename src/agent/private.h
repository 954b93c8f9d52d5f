/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the agent's files, whose first comments say what each does. One binary serves CPython 3.8
 * to 3.13 and later: it uses the limited API of 3.8 and looks up everything else by name when the
 * agent starts. The GIL protects all data. */
#pragma once
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x03080000
#include <Python.h>
#include "agent/mailbox.h"

typedef int (*AgentTraceFunction) (PyObject *self, PyObject *frame, int what,
                                   PyObject *argument);

/* Numbers of trace events (Include/cpython/pystate.h, stable since 3.7). */
enum { AGENT_CALL, AGENT_EXCEPTION, AGENT_LINE, AGENT_RETURN, AGENT_OPCODE = 7 };

/* ---- api.c ---- */
/* FALSE with a Python exception when this interpreter lacks what the agent cannot do without. */
int agent_api_init (void);
int agent_api_get_minor (void); /* 12 of 3.12 */
/* TRUE: the current thread runs in the interpreter that loaded the agent. */
int agent_api_is_own_interpreter (void);
typedef int (*AgentAudit) (const char *event, PyObject *arguments, void *data);
int agent_api_add_audit (AgentAudit hook); /* FALSE: not to be had */
void *agent_api_get_interpreter (void);    /* the one that loaded the agent; NULL: not known */
void *agent_api_get_runtime (void);        /* _PyRuntime; NULL: not exported */
void *agent_api_get_evaluation (void);     /* what evaluates a frame; NULL: not known */
int agent_api_set_evaluation (void *function); /* FALSE: 3.8 has no call for it */
/* As Py_AddPendingCall, for any thread. FALSE: before 3.12 there are none, or too many wait. */
int agent_api_add_pending (int (*function) (void *));
/* FALSE: adding one would wait for a thread that stands still. */
int agent_api_may_add_pending (void);
void *agent_thread_get (void);              /* the current thread's state */
void *agent_thread_get_next (void *thread); /* the first one's of NULL; NULL: no more */
/* sys._current_frames without a collection of garbage inside it: before 3.11.5 that runs the program's
 * __del__ while the list of threads is locked, and who has the interpreter's lock then waits for ever. */
PyObject *agent_list_frames (PyObject *self, PyObject *unused);
PyObject *agent_frame_get_code (PyObject *frame); /* new reference */
PyObject *agent_frame_get_back (PyObject *frame); /* new reference or NULL without exception */
int agent_frame_get_line (PyObject *frame);
int agent_code_find_line (PyObject *code, int offset); /* of the instruction there; -1: none */
PyObject *agent_get_frame (void);                      /* borrowed; NULL: none */
int agent_has_gil (void);
unsigned long agent_get_thread (void); /* threading.get_ident () */
void agent_frame_locals_to_fast (PyObject *frame);
/* What a cell holds, new reference; NULL: empty, or no cell. */
PyObject *agent_cell_get (PyObject *cell);
/* Puts the function (NULL: none) into all threads that can be reached. */
void agent_set_trace_all (AgentTraceFunction function, PyObject *marker);
void agent_set_trace (AgentTraceFunction function, PyObject *marker); /* this thread */
/* The fast variables of the frame that runs `code` now (before 3.12: of `frame`), as the layout of
 * this version has them. NULL where the layout is not known for certain. */
PyObject **agent_find_fast (PyObject *code, PyObject *frame);
/* fast_check (code, first, second): called by a Python function of two arguments, its only ones:
 * the layout counts only when they are found. */
PyObject *agent_check_fast (PyObject *self, PyObject *arguments);
/* run (function, arguments…): called as if no Python code called it. */
PyObject *agent_call_outermost (PyObject *self, PyObject *arguments);
/* The fast variables of what the interpreter links (before 3.12); NULL: not known for certain. */
PyObject **agent_frame_get_fast (void *data);
/* What the interpreter links of a frame object, whose layout was found right (before 3.12). */
void *agent_frame_get_data (PyObject *frame);
/* Ways to the code of a frame object, for agent_peek_code; 0 and 0: unknown. */
extern size_t agent_frame_data_offset, agent_frame_code_offset;

/* Ints of one digit are read where they stand (3.12 and later, and only as was found right). */
extern int agent_has_compact_ints;

/* The int's value; FALSE: it does not fit. Its type is int itself. */
static inline int
agent_read_int (PyObject *number, long *ret_value)
{
    int overflow = 0;
    if (agent_has_compact_ints) {
        uintptr_t tag = ((uintptr_t *) number)[2];
        if (tag < 2 << 3) {
            *ret_value = (1 - (long) (tag & 3))
                         * (long) *(uint32_t *) ((uintptr_t *) number + 3);
            return 1;
        }
    }
    *ret_value = PyLong_AsLongAndOverflow (number, &overflow);
    return overflow == 0;
}

/* Where a frame object keeps whether its lines are told; 0: not known for certain, or not worth it. */
extern size_t agent_frame_lines_offset;

/* The code of a frame, borrowed, without a call where the layout is known. */
static inline PyObject *
agent_peek_code (PyObject *frame)
{
    if (agent_frame_code_offset != 0) {
        char *data = (char *) frame;
        if (agent_frame_data_offset != 0)
            data = *(char **) (data + agent_frame_data_offset);
        return *(PyObject **) (data + agent_frame_code_offset);
    }
    PyObject *code = agent_frame_get_code (frame);
    Py_XDECREF (code);
    return code;
}

/* ---- condition.c ---- */
typedef struct AgentCondition AgentCondition;
typedef enum { AGENT_FALSE, AGENT_TRUE, AGENT_UNKNOWN, AGENT_ERROR } AgentTruth;
/* From a list of (operation, number, object); NULL: none, or not understood. */
AgentCondition *agent_condition_new (PyObject *list);
void agent_condition_free (AgentCondition *condition);
/* UNKNOWN: has to be asked the slow way. ERROR: a Python exception is set. frame may be NULL from
 * 3.12 on. */
AgentTruth agent_condition_run (const AgentCondition *condition, PyObject *code,
                                PyObject *frame);
/* TRUE when all it does is to compare the fast variable `index` with an int. */
int agent_condition_is_plain (const AgentCondition *condition, int *ret_index, int *ret_compare,
                              long *ret_number);

/* ---- events.c ---- */
extern PyObject *agent_support; /* namespace of pddt_support.py */
typedef struct {
    PyObject *code; /* strong, so that its address is nobody else's */
    uint32_t line, number;
    int at_entry;              /* function breakpoint: the first line after a call */
    int first_line;            /* of the code; -1 unknown */
    int32_t next;              /* in its bucket; -1 */
    AgentCondition *condition; /* NULL: none, or to be asked the slow way */
    int is_plain;              /* the condition is `fast[index] compare value` */
    int is_fixed;              /* and that variable is an argument which the code never sets */
    int index, compare;
    long value;
} AgentSite;
typedef struct {
    PyObject *code, *frame; /* borrowed; frame is looked up when NULL */
    int line;
} AgentEvent;

int agent_events_init (PyObject *module);
void agent_events_want_entry (void);
void
agent_events_flush_log (PyObject *frame); /* what logs have written is taken; frame: or NULL */
void agent_events_want_pause (uint32_t tid); /* 0: any thread */
/* After anything that changed what is looked for: arms or disarms. */
void agent_events_update (void);
PyObject *agent_events_set_sites (PyObject *self, PyObject *arguments);
PyObject *agent_events_get_hits (PyObject *self, PyObject *number);
/* What an event that concerns nobody is told by. */
enum { AGENT_BUCKETS = 1024, AGENT_SEEN = 4096 };
typedef struct {
    int is_pending;  /* code may come that a breakpoint waits for */
    int needs_codes; /* and the audit hook does not tell it: calls are looked at */
    int has_catches;
    int needs_all;   /* the hook would miss frames that are wanted */
    int wants_lines; /* entry or pause: a line anywhere may matter */
    int n_busy;      /* threads that are busy, with their depths */
    AgentSite *sites;
    int32_t buckets[AGENT_BUCKETS]; /* first site by hash of its code; -1 */
    const void *seen[AGENT_SEEN];   /* code objects that were shown, by hash */
} AgentWatch;
extern AgentWatch agent_watch;

static inline unsigned
agent_hash_code (const void *code)
{
    uintptr_t value = (uintptr_t) code >> 4;
    return (unsigned) (value ^ value >> 12);
}

static inline int
agent_is_seen (const void *code)
{
    return agent_watch.seen[agent_hash_code (code) % AGENT_SEEN] == code;
}

/* The code's next site after `site`, its first one after NULL; NULL. */
static inline const AgentSite *
agent_find_site (const PyObject *code, const AgentSite *site)
{
    int32_t index = site != NULL ? site->next
                                 : agent_watch.buckets[agent_hash_code (code) % AGENT_BUCKETS];
    while (index >= 0 && agent_watch.sites[index].code != code)
        index = agent_watch.sites[index].next;
    return index >= 0 ? &agent_watch.sites[index] : NULL;
}
/* NOTHING: no breakpoint stands at the line. QUIET: all there have a condition that is plainly
 * false. */
typedef enum { AGENT_NOTHING, AGENT_QUIET, AGENT_LOUD } AgentLook;
/* The condition is false as long as the frame with these fast variables runs. */
int agent_events_is_never (const AgentSite *site, PyObject **fast);
AgentLook agent_events_look (PyObject *code, PyObject *frame, int line, int is_entered);
PyObject *agent_event_get_frame (AgentEvent *event); /* borrowed */
const AgentSite *agent_events_get_sites (size_t *ret_count);
uint64_t agent_events_get_generation (void); /* grows with each table of sites */
/* Shows a code object to the slow part when it is new. */
void agent_events_on_code (PyObject *code, PyObject *frame);
/* The same, without a look whether it is new; the module's name may be unknown. */
void agent_events_show_code (PyObject *code, PyObject *frame);
/* Looks for all breakpoints in all code that is there. */
void agent_events_look_again (PyObject *frame);
/* The line's breakpoints, then pause, entry and motion; is_entered: the first line after a call.
 * Stops when due. TRUE: it stopped. */
int agent_events_on_line (AgentEvent *event, int is_entered);
void agent_events_on_raise (AgentEvent *event, PyObject *value, PyObject *trace);
/* TRUE, and exceptions gone, when the result is a true object (stolen). */
int agent_take_truth (PyObject *result);

/* ---- audit.c ---- */
/* FALSE: no hook is to be had; code has to be seen by tracing. */
int agent_audit_arm (void);
/* TRUE: code was begun inside a conversation since it was asked last. */
int agent_audit_take_missed (void);

/* ---- motion.c ---- */
typedef struct {
    uint32_t command; /* NONE: no motion */
    uint32_t tid, count;
    PyObject *frame; /* strong: where the motion belongs; NULL possible for STEP */
    PyObject *code;  /* strong: its code */
    PyObject *other; /* strong: the frame that a suspended generator gave control to; NULL */
    PyObject *other_code;
    int has_arrived; /* FINISH: back in the caller, `frame`: stop at the next event there */
    int has_value;
} AgentMotion;
extern AgentMotion agent_motion;
void agent_motion_begin (PyObject *frame, uint32_t command, uint32_t count);
/* In the nearest frame that is the user's, `frame` or a caller. CONTINUE: stops as soon as that one
 * goes on. */
void agent_motion_begin_outside (PyObject *frame, uint32_t command);
void agent_motion_cancel (void);
int agent_motion_is_here (void);                /* one is under way in this thread */
int agent_motion_is_stoppable (PyObject *code); /* the user's, or just-my-code is off */
int agent_motion_is_user (PyObject *code); /* in any state of the thread, errors are kept */
/* TRUE: the motion ends at this line. */
int agent_motion_is_end (AgentEvent *event);
void agent_motion_stop (PyObject *frame); /* the STEP event */
typedef enum { AGENT_RETURNED, AGENT_YIELDED, AGENT_UNWOUND } AgentLeave;
void agent_motion_on_leave (PyObject *frame, PyObject *value, AgentLeave kind);
void agent_motion_on_instruction (PyObject *frame);

/* ---- monitor.c ---- */
/* Sets the events that are wanted now. FALSE: no tool id is free. */
int agent_monitor_arm (void);
void agent_monitor_disarm (void);

/* ---- trace.c ---- */
int agent_trace_init (void);
/* FALSE: the program itself traces, and its place is not taken. */
int agent_trace_arm (void);
void agent_trace_disarm (void);
/* Off in this thread until the next arming. In a pending call no traced code may run: CPython 3.11
 * begins a traced function again and again while another pending call waits. */
void agent_trace_suspend (void);
int agent_trace_is_armed (void);
void agent_trace_on_change (void); /* somebody sets a trace function */
/* Lines of frames that concerned nobody are told again. */
void agent_trace_refresh (void);
void agent_trace_opcodes (PyObject *frame, int wanted);
/* Has hook.c look whether this interpreter is as it thinks; frame: the innermost. */
void agent_trace_check (PyObject *frame);
/* TRUE: events of frames of this code are needed, in this thread or, is_own 0, in any. */
int agent_trace_wants (PyObject *code, int is_own);
/* Asks for an event at the next line or call of any thread, also when nothing is looked for unless
 * is_for_main; other threads do not run, the GIL is not needed. FALSE: threads that are not traced
 * would not hear of it. */
int agent_trace_rouse (int is_for_main);
int agent_trace_is_roused (void); /* and the request still waits for a thread */

/* ---- hook.c ---- */
/* Finds out, with an innermost frame that a frame has called, whether the hook can be used with that
 * trace function. */
void agent_hook_check (AgentTraceFunction trace, PyObject *frame);
/* count_frames (function, argument): calls it; how many frames a hook has seen, -1: not known. */
PyObject *agent_hook_count_frames (PyObject *self, PyObject *arguments);
int agent_hook_is_known (void); /* the check went well */
int agent_hook_install (void);  /* FALSE: it cannot be */
void agent_hook_remove (void);
/* After a change of what is wanted: each thread is traced that has a wanted frame on its stack. */
void agent_hook_refresh (void);
void agent_hook_set_all (int is_wanted); /* all threads, whatever they run */
void agent_hook_set_own (int is_wanted);
/* All threads are traced, all frames on their stacks tell lines. FALSE: the program itself traces some, so that
 * a pending call is needed as well, and does no harm. */
int agent_hook_rouse (void);

/* ---- agent.c ---- */
extern struct pddt_mailbox pddt_mailbox;
void pddt_python_stop (struct pddt_mailbox *mailbox);
int pddt_agent_wake (void);
void pddt_agent_left (void);
/* Stops with the event; frame (may be NULL) fills the place and is what commands speak of. Comes
 * back when the engine wants the thread to go on; the motion is then set up. */
void agent_stop (uint32_t event, uint32_t number, PyObject *frame);
void agent_here_init (void);
/* Stops with ARRIVED in the present frame; has the agent begin when it has not. */
void agent_visit (void);
void agent_arrive (void); /* what pddt_agent_here does, as the engine's here_command says */
/* The text of this thread's next stop. */
void agent_set_text (const char *text, Py_ssize_t size);
void agent_set_text_of (PyObject *text); /* a str; NULL: none */
/* This thread is inside a stop or runs the agent's own Python code. */
int agent_is_busy_here (void);
/* While another thread talks with the engine: waits without the GIL until it goes on. */
void agent_wait_for_others (void);
void agent_enter (void);
void agent_leave (void);
uint32_t agent_get_tid (void);
void agent_take_request (void); /* what the mailbox asks for, if anything */
