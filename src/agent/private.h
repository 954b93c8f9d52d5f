/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the agent's files, whose first comments say what each does. One binary serves CPython 3.8
 * to 3.14: it uses the limited API of 3.8 and looks up everything else by name when the
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
/* FALSE with a Python exception if this interpreter lacks something that the agent needs. */
int agent_api_init (void);
int agent_api_get_minor (void); /* 12 of 3.12 */
/* TRUE: the current thread runs in the interpreter that loaded the agent. */
int agent_api_is_own_interpreter (void);
typedef int (*AgentAudit) (const char *event, PyObject *arguments, void *data);
int agent_api_add_audit (AgentAudit hook); /* FALSE: this interpreter has no audit hooks */
void *agent_api_get_interpreter (void);    /* the one that loaded the agent; NULL: not known */
void *agent_api_get_runtime (void);        /* _PyRuntime; NULL: not exported */
/* the function that evaluates frames; NULL: not known */
void *agent_api_get_evaluation (void);
int agent_api_set_evaluation (void *function); /* FALSE: 3.8 has no function for it */
/* Like Py_AddPendingCall, but any thread may take the call. FALSE: before 3.12, or if too many
 * calls are pending. */
int agent_api_add_pending (int (*function) (void *));
/* FALSE: adding a call would wait for a thread that is stopped. */
int agent_api_may_add_pending (void);
void *agent_thread_get (void); /* the state of the current thread */
/* thread NULL: returns the first one; NULL: no more */
void *agent_thread_get_next (void *thread);
/* Like sys._current_frames, but without a garbage collection inside. Before 3.11.5 such a
 * collection runs the program's __del__ while the list of threads is locked, and a thread that
 * holds the GIL and needs the list then waits for ever. */
PyObject *agent_list_frames (PyObject *self, PyObject *unused);
PyObject *agent_frame_get_code (PyObject *frame); /* new reference */
/* a new reference, or NULL without an exception */
PyObject *agent_frame_get_back (PyObject *frame);
/* Lines are unsigned, 0: none. Where the frame stands, or, where that instruction has none, the nearest
 * earlier line. */
uint32_t agent_frame_get_line (PyObject *frame);
int agent_frame_has_line (PyObject *frame); /* the instruction where it stands has one */
uint32_t agent_code_find_line (PyObject *code, int offset); /* of the instruction there */
PyObject *agent_get_frame (void);                           /* borrowed; NULL: none */
int agent_has_gil (void);
unsigned long agent_get_thread (void); /* threading.get_ident () */
void agent_frame_locals_to_fast (PyObject *frame);
/* The content of a cell, as a new reference; NULL: it is empty, or not a cell. */
PyObject *agent_cell_get (PyObject *cell);
/* Calls the function with at most 4 arguments. */
PyObject *agent_call (PyObject *function, PyObject **arguments, size_t count);
/* Sets the trace function (NULL: none) in all threads that can be reached. */
void agent_set_trace_all (AgentTraceFunction function, PyObject *marker);
void agent_set_trace (AgentTraceFunction function, PyObject *marker); /* this thread */
/* The fast variables of the frame that runs `code` now (before 3.12: of `frame`), in this
 * version's layout. NULL if the layout is not known for certain. */
PyObject **agent_find_fast (PyObject *code, PyObject *frame);
/* fast_check (code, first, second): a Python function with these two arguments as its only
 * variables calls this. The layout counts as known only if both are found. */
PyObject *agent_check_fast (PyObject *self, PyObject *arguments);
/* run (function, arguments…): calls the function as if no Python code called it. Exported, because those who
 * read stacks know by its name that the frames outside of it are the runner's. */
PyObject *pddt_run_outermost (PyObject *self, PyObject *arguments);
/* The fast variables of one of the interpreter's linked frames (before 3.12); NULL: not known
 * for certain. */
PyObject **agent_frame_get_fast (void *data);
/* The interpreter's linked frame of a frame object, in a layout that has been checked (before
 * 3.12). */
void *agent_frame_get_data (PyObject *frame);
/* Where agent_peek_code finds the code of a frame object; 0 and 0: not known. */
extern size_t agent_frame_data_offset, agent_frame_code_offset;

/* Of a frame's references, bits that are no part of the object's address (from 3.14 on, where they say who
 * counts it). */
extern uintptr_t agent_reference_tags;

static inline PyObject *
agent_get_fast (PyObject **fast, int index)
{
    return (PyObject *) ((uintptr_t) fast[index] & ~agent_reference_tags);
}

/* Ints of one digit are read directly (3.12 and later, after a check of the layout). */
extern int agent_has_compact_ints;

/* FALSE: the value does not fit. The object's type must be int itself. */
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

/* Offset of the byte in a frame object that turns its line events on; 0: not known for certain,
 * or not worth using. */
extern size_t agent_frame_lines_offset;

/* The code of a frame, borrowed. Read directly if the layout is known. */
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
/* From a list of (operation, number, object); NULL: there is none, or it is not understood. */
AgentCondition *agent_condition_new (PyObject *list);
void agent_condition_free (AgentCondition *condition);
/* UNKNOWN: the condition has to be evaluated as Python code. ERROR: a Python exception is set.
 * frame may be NULL from 3.12 on. The condition may be freed meanwhile. */
AgentTruth agent_condition_run (AgentCondition *condition, PyObject *code, PyObject *frame);
/* The same for a frame that has not begun yet, by its fast variables and its names. */
AgentTruth agent_condition_run_early (AgentCondition *condition, PyObject **fast,
                                      PyObject *globals, PyObject *builtins);
/* TRUE if the condition only compares the fast variable `index` with an int. */
int agent_condition_is_plain (const AgentCondition *condition, int *ret_index, int *ret_compare,
                              long *ret_number);

/* ---- events.c ---- */
extern PyObject *agent_support; /* the namespace of pddt_support.py */
typedef struct {
    PyObject *code; /* strong, so that no other code object gets its address */
    uint32_t line, number;
    int at_entry;              /* function breakpoint: the first line after a call */
    uint32_t first_line;       /* of the code; 0: not known */
    int32_t next;              /* the next site in its bucket; -1: none */
    AgentCondition *condition; /* NULL: none, or one to be evaluated as Python code */
    int is_plain;              /* the condition is `fast[index] compare value` */
    /* and that variable is an argument that the code never assigns to */
    int is_fixed;
    int index, compare;
    long value;
    /* bits of the lines, from first_line on, from which this line cannot be reached any more; strong */
    PyObject *passed;
    const uint8_t *passed_bits;
    uint32_t n_passed;
    int is_first; /* each frame of the code comes to it once, at its first line (before 3.12) */
} AgentSite;
typedef struct {
    PyObject *code, *frame; /* borrowed; frame is looked up when NULL */
    uint32_t line;
} AgentEvent;

int agent_events_init (PyObject *module);
void agent_events_want_entry (void);
void
/* Returns when the engine has taken all log texts. frame may be NULL. */
agent_events_flush_log (PyObject *frame);
void agent_events_want_pause (uint32_t tid); /* 0: any thread */
/* After a change of what the agent looks for: arms or disarms events. */
void agent_events_update (void);
PyObject *agent_events_set_sites (PyObject *self, PyObject *arguments);
PyObject *agent_events_get_hits (PyObject *self, PyObject *number);
/* Data by which an event that concerns nobody is recognised quickly. */
enum { AGENT_BUCKETS = 1024, AGENT_SEEN = 4096 };
typedef struct {
    int is_pending;  /* code may appear that a breakpoint waits for */
    int needs_codes; /* and the audit hook does not report it: calls are watched */
    int has_catches;
    int needs_all;   /* the evaluation hook would miss frames that are needed */
    int wants_lines; /* entry or pause: any line may matter */
    int n_busy;      /* number of busy threads, counted once for each level of nesting */
    AgentSite *sites;
    /* the first site in each bucket, by hash of its code; -1: none */
    int32_t buckets[AGENT_BUCKETS];
    const void *seen[AGENT_SEEN]; /* code objects that have been shown, by hash */
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

/* The code's next site after `site` (NULL: its first one); NULL: there are no more. */
static inline const AgentSite *
agent_find_site (const PyObject *code, const AgentSite *site)
{
    int32_t index = site != NULL ? site->next
                                 : agent_watch.buckets[agent_hash_code (code) % AGENT_BUCKETS];
    while (index >= 0 && agent_watch.sites[index].code != code)
        index = agent_watch.sites[index].next;
    return index >= 0 ? &agent_watch.sites[index] : NULL;
}
/* NO_BREAKPOINT: the line has none. NO_HIT: all breakpoints there have a condition that is
 * known to be false. */
typedef enum { AGENT_NO_BREAKPOINT, AGENT_NO_HIT, AGENT_MAY_HIT } AgentLineCheck;
/* TRUE if the condition stays false as long as the frame with these fast variables runs. */
int agent_events_is_never (const AgentSite *site, PyObject **fast);
/* For an is_first site of a frame that is about to begin, by the interpreter's linked frame: TRUE if its
 * condition is false. What it is is remembered until the frame comes to the line, so that the program's own
 * code in it runs once; is_traced: also if it is false, because the frame is traced for something else. */
int agent_events_is_refused (const AgentSite *site, void *data, PyObject **fast,
                             PyObject *globals, PyObject *builtins, int is_traced);
/* TRUE if a frame that comes to the line reaches none of the code's breakpoints any more. */
int agent_events_have_passed (PyObject *code, uint32_t line);
AgentLineCheck agent_events_check_line (PyObject *code, PyObject *frame, uint32_t line,
                                        int is_entered);
PyObject *agent_event_get_frame (AgentEvent *event); /* borrowed */
const AgentSite *agent_events_get_sites (size_t *ret_count);
uint64_t agent_events_get_generation (void); /* grows with each new table of sites */
/* Shows a code object to pddt_support.py if it is new. */
void agent_events_on_code (PyObject *code, PyObject *frame);
/* The same without the test for new code; the module's name may be unknown. */
void agent_events_show_code (PyObject *code, PyObject *frame);
/* Looks for the places of all breakpoints in all existing code. */
void agent_events_look_again (PyObject *frame);
/* Handles the line's breakpoints, then pause, entry and motion, and stops if one of them wants
 * to. is_entered: this is the first line after a call. TRUE: it has stopped. */
int agent_events_on_line (AgentEvent *event, int is_entered);
void agent_events_on_raise (AgentEvent *event, PyObject *value, PyObject *trace);
/* TRUE if the result is a true object. Takes over the reference and clears exceptions. */
int agent_take_truth (PyObject *result);

/* ---- audit.c ---- */
/* FALSE: no audit hook is available, so new code has to be found by tracing. */
int agent_audit_arm (void);
/* TRUE if new code was executed during a conversation since the last call. */
int agent_audit_take_missed (void);

/* ---- motion.c ---- */
typedef struct {
    uint32_t command; /* NONE: no motion */
    uint32_t tid, count;
    PyObject *frame; /* strong: the frame that the motion belongs to; may be NULL for STEP */
    PyObject *code;  /* strong: its code */
    /* strong: the frame to which a suspended generator returned control; NULL */
    PyObject *other;
    PyObject *other_code;
    /* FINISH: back in the caller, which is `frame`; stops at the next event there */
    int has_arrived;
    int has_value;
    /* from 3.14 on pdb steps over a loop on one line: where the motion began; only compared. 0: it has left there */
    const void *from_frame;
    uint32_t from_line;
} AgentMotion;
extern AgentMotion agent_motion;
void agent_motion_begin (PyObject *frame, uint32_t command, uint32_t count);
/* Begins a motion in the nearest frame that is the user's: `frame` or a caller. CONTINUE stops
 * as soon as that frame continues. */
void agent_motion_begin_outside (PyObject *frame, uint32_t command);
void agent_motion_cancel (void);
int agent_motion_is_stoppable (PyObject *code); /* the user's, or just-my-code is off */
/* in any state of the thread; keeps a pending exception */
int agent_motion_is_user (PyObject *code);
/* TRUE: the motion ends at this line. */
int agent_motion_is_end (AgentEvent *event);
void agent_motion_stop (PyObject *frame); /* the STEP event */
typedef enum { AGENT_RETURNED, AGENT_YIELDED, AGENT_UNWOUND } AgentLeave;
void agent_motion_on_leave (PyObject *frame, PyObject *value, AgentLeave kind);
void agent_motion_on_instruction (PyObject *frame);

/* ---- monitor.c ---- */
/* Sets the events that are needed now. FALSE: no tool id is free. */
int agent_monitor_arm (void);
void agent_monitor_disarm (void);

/* ---- trace.c ---- */
int agent_trace_init (void);
/* FALSE: the program itself traces, and the agent does not replace its trace function. */
int agent_trace_arm (void);
void agent_trace_disarm (void);
/* Turns tracing off in this thread until it is armed again. No traced code may run in a
 * pending call: CPython 3.11 starts a traced function again and again while another pending
 * call waits. */
void agent_trace_suspend (void);
int agent_trace_is_armed (void);
#define AGENT_GREENLETS                                                                        \
    "greenlet._greenlet"              /* the module that switches between stacks of frames */
void agent_trace_on_greenlets (void); /* it is being imported */
void agent_trace_on_change (void);    /* a trace function is being set, by anybody */
/* Turns line events on again in the frames on all stacks. */
void agent_trace_refresh (void);
void agent_trace_opcodes (PyObject *frame, int wanted);
/* Has hook.c check whether the interpreter has the expected layout; frame: the innermost. */
void agent_trace_check (PyObject *frame);
/* TRUE if events of frames with this code are needed, in this thread or, if is_own is 0, in any
 * thread. */
int agent_trace_wants (PyObject *code, int is_own);
/* Makes any thread raise an event at its next line or call; if nothing is armed, only unless
 * is_for_main. Needs no GIL, because the other threads are stopped. FALSE: threads without
 * tracing would not notice. */
int agent_trace_rouse (int is_for_main);
int agent_trace_is_roused (void); /* and no thread has taken the request yet */

/* ---- hook.c ---- */
/* Finds out whether the hook can be used with that trace function. `frame` is the innermost,
 * and was called by another Python frame. */
void agent_hook_check (AgentTraceFunction trace, PyObject *frame);
/* count_frames (function, argument): calls the function and returns how many frames a hook saw;
 * -1: not known. */
PyObject *agent_hook_count_frames (PyObject *self, PyObject *arguments);
int agent_hook_is_known (void); /* the check has succeeded */
int agent_hook_install (void);  /* FALSE: it cannot be installed */
void agent_hook_remove (void);
/* After a change of what is needed: switches tracing on in each thread with a needed frame on
 * its stack. */
void agent_hook_refresh (void);
void agent_hook_set_all (int is_wanted); /* all threads, whatever they run */
void agent_hook_set_own (int is_wanted);
/* Switches tracing off in this thread until the innermost frame is left, unless one of its callers needs it
 * and nobody would switch it on again. */
void agent_hook_skip_frame (void);
/* Switches tracing on in all threads and line events on in all frames. FALSE: the program
 * itself traces some threads, so a pending call is needed as well (which does no harm here). */
int agent_hook_rouse (void);

/* ---- agent.c ---- */
extern struct pddt_mailbox pddt_mailbox;
void pddt_python_stop (struct pddt_mailbox *mailbox);
int pddt_agent_wake (void);
void pddt_agent_left (void);
/* Stops with the event. frame (may be NULL) gives the place, and commands refer to it. Returns
 * when the engine lets the thread continue; the motion is then set up. */
void agent_stop (uint32_t event, uint32_t number, PyObject *frame);
void agent_here_init (void);
/* Stops with ARRIVED in the current frame, after READY if that is still to come. */
void agent_stop_here (void);
void agent_arrive (void); /* what pddt_agent_here calls; does what here_command says */
/* The text of this thread's next stop. */
void agent_set_text (const char *text, Py_ssize_t size);
void agent_set_text_of (PyObject *text); /* a str; NULL: none */
/* This thread is inside a stop or runs the agent's own Python code. */
int agent_is_busy_here (void);
/* Waits, without the GIL, while another thread is in a conversation with the engine. */
void agent_wait_for_others (void);
void agent_enter (void);
void agent_leave (void);
uint32_t agent_get_tid (void);
void agent_take_request (void); /* takes what the mailbox requests, if anything */
