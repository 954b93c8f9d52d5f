/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The trace function: events for interpreters without sys.monitoring, or without a free
 * monitoring tool id. It is set only while it is needed, and an event that concerns nobody
 * costs one lookup in a small table. */
#include "agent/private.h"

static PyObject *marker; /* what the module threading calls in new threads */
static int is_armed, has_hook;
/* The program switches between stacks of frames behind the interpreter's back: what the hook turns off for
 * one stack would be off for the other. */
static int has_greenlets;
/* threads are traced only so that one of them takes a request */
static int is_roused;
static int is_setting;             /* the agent itself is setting the trace function */
static __thread PyObject *entered; /* the frame that was just called; never dereferenced */

static int on_trace (PyObject *self, PyObject *frame, int what, PyObject *argument);

void
agent_trace_opcodes (PyObject *frame, int wanted)
{
    if (!is_armed && wanted)
        return;
    /* from 3.13 on opcode events come only to frames that have a trace function of their own */
    if (is_armed && wanted && PyObject_SetAttrString (frame, "f_trace", marker) < 0)
        PyErr_Clear ();
    if (PyObject_SetAttrString (frame, "f_trace_opcodes", wanted ? Py_True : Py_False) < 0)
        PyErr_Clear ();
    if (is_armed && !wanted && PyObject_SetAttrString (frame, "f_trace", Py_None) < 0)
        PyErr_Clear ();
}

/* Sets it without an object, so that sys.gettrace returns None as without a debugger. */
static void
set_own (AgentTraceFunction function)
{
    is_setting++;
    agent_set_trace (function, NULL);
    is_setting--;
}

static void
set_all (AgentTraceFunction function)
{
    is_setting++;
    agent_set_trace_all (function, NULL);
    is_setting--;
}

/* The program has set or removed a trace function. The agent's comes back once the program's
 * own is gone. */
static int
look_again (void *unused)
{
    if (is_armed && !agent_is_busy_here ())
        agent_events_update ();
    return 0;
}

void
agent_trace_on_change (void)
{
    if (is_armed && is_setting == 0)
        Py_AddPendingCall (look_again, NULL);
}

void
agent_trace_on_greenlets (void)
{
    has_greenlets = 1;
    if (has_hook)
        Py_AddPendingCall (look_again, NULL);
}

static int
is_loaded (const char *name)
{
    PyObject *modules = PySys_GetObject ("modules");
    return modules != NULL && PyDict_GetItemString (modules, name) != NULL;
}

/* TRUE if the program itself traces: the agent does not replace its trace function. */
static int
is_traced_by_other (void)
{
    PyObject *get = PySys_GetObject ("gettrace");
    PyObject *present = get != NULL ? PyObject_CallObject (get, NULL) : NULL;
    int other = present != NULL && present != Py_None && present != marker;
    Py_XDECREF (present);
    PyErr_Clear ();
    return other;
}

static PyObject *
find_threading (void)
{
    PyObject *modules = PySys_GetObject ("modules");
    return modules != NULL ? PyDict_GetItemString (modules, "threading") : NULL;
}

static void
set_thread_hook (int wanted)
{
    PyObject *threading = find_threading ();
    if (threading == NULL && wanted) {
        Py_XDECREF (PyObject_CallMethod (agent_support, "load_threading", NULL));
        PyErr_Clear ();
        threading = find_threading ();
    }
    if (threading != NULL) {
        Py_XDECREF (PyObject_CallMethod (threading, "settrace", "O",
                                         wanted ? marker : Py_None));
        PyErr_Clear ();
    }
}

int
agent_trace_arm (void)
{
    if (is_traced_by_other ())
        return 0;
    if (!is_armed)
        agent_audit_arm ();
    else
        agent_trace_refresh ();
    has_greenlets |= is_loaded (AGENT_GREENLETS);
    if (!agent_watch.needs_all && !has_greenlets && agent_hook_install ()) {
        is_armed = has_hook = 1;
        is_roused = 0;
        agent_hook_refresh ();
        return 1;
    }
    if (has_hook)
        agent_hook_remove ();
    if (!is_armed || has_hook)
        set_thread_hook (1);
    has_hook = is_roused = 0;
    is_armed = 1;
    set_all (on_trace);
    return 1;
}

void
agent_trace_suspend (void)
{
    if (has_hook || (is_roused && !is_armed))
        agent_hook_set_own (0);
    else if (is_armed && !is_traced_by_other ())
        set_own (NULL);
}

/* Turns the frame's line events on or off, if the layout is known; not off where agent_trace_refresh
 * might miss it. Checks for a request last, because the engine may make one between any two instructions. */
static inline void
set_lines (PyObject *frame, char wanted)
{
    if (agent_frame_lines_offset == 0 || (has_greenlets && !wanted))
        return;
    char *lines = (char *) frame + agent_frame_lines_offset;
    __atomic_store_n (lines, wanted, __ATOMIC_SEQ_CST);
    if (!wanted && __atomic_load_n (&pddt_mailbox.request, __ATOMIC_SEQ_CST) != 0)
        *lines = 1;
}

/* Covers only frames on stacks: a suspended generator gets a new call event. */
void
agent_trace_refresh (void)
{
    PyObject *list, *number, *frame;
    Py_ssize_t at = 0;
    if (agent_frame_lines_offset == 0)
        return;
    list = agent_list_frames (NULL, NULL);
    while (list != NULL && PyDict_Check (list) && PyDict_Next (list, &at, &number, &frame)) {
        Py_INCREF (frame);
        while (frame != NULL) {
            PyObject *back = agent_frame_get_back (frame);
            set_lines (frame, 1);
            Py_DECREF (frame);
            frame = back;
        }
    }
    Py_XDECREF (list);
    PyErr_Clear ();
}

void
agent_trace_disarm (void)
{
    if (is_roused)
        agent_hook_set_all (0);
    is_roused = 0;
    if (!is_armed)
        return;
    agent_trace_refresh ();
    is_armed = 0;
    if (has_hook) {
        has_hook = 0;
        agent_hook_remove ();
        return;
    }
    if (!is_traced_by_other ())
        set_all (NULL);
    set_thread_hook (0);
}

int
agent_trace_is_armed (void)
{
    return is_armed;
}

int
agent_trace_wants (PyObject *code, int is_own)
{
    if (!has_hook)
        return is_armed;
    if (agent_watch.wants_lines || pddt_mailbox.request != 0
        || agent_find_site (code, NULL) != NULL
        || (agent_watch.needs_codes && !agent_is_seen (code)))
        return 1;
    if (agent_motion.command != PDDT_COMMAND_NONE
        && (code == agent_motion.code || code == agent_motion.other_code
            || (agent_motion.command == PDDT_COMMAND_STEP
                && (!is_own || agent_motion.tid == agent_get_tid ()))))
        return 1;
    return agent_watch.has_catches && agent_motion_is_user (code);
}

int
agent_trace_rouse (int is_for_main)
{
    int is_heard = 1;
    if (agent_hook_is_known () && (is_armed || !is_for_main)) {
        __atomic_store_n (&is_roused, 1, __ATOMIC_SEQ_CST);
        is_heard = agent_hook_rouse ();
    }
    return is_heard && (is_armed || (is_roused && !is_for_main));
}

int
agent_trace_is_roused (void)
{
    return __atomic_load_n (&is_roused, __ATOMIC_SEQ_CST)
           && __atomic_load_n (&pddt_mailbox.request, __ATOMIC_SEQ_CST) != 0;
}

void
agent_trace_check (PyObject *frame)
{
    is_setting++;
    agent_hook_check (on_trace, frame);
    is_setting--;
}

/* The module threading calls this in a new thread, like a function given to sys.settrace; it
 * sets the C function instead. */
static PyObject *
call_marker (PyObject *self, PyObject *arguments, PyObject *names)
{
    if (is_armed && pddt_mailbox.attached)
        set_own (on_trace);
    Py_RETURN_NONE;
}

static PyType_Slot marker_slots[] = { { Py_tp_call, call_marker }, { 0, NULL } };
static PyType_Spec marker_spec = { "pddt_agent.trace", sizeof (PyObject), 0, Py_TPFLAGS_DEFAULT,
                                   marker_slots };

int
agent_trace_init (void)
{
    PyObject *type = PyType_FromSpec (&marker_spec);
    marker = type != NULL ? PyObject_CallObject (type, NULL) : NULL;
    Py_XDECREF (type);
    return marker != NULL;
}

/* ---- events ---- */

/* Remembers the frame if a function breakpoint belongs to it. The frame must be a new call and
 * not a resumed generator: its line is still that of the definition. */
static void
note_entered (PyObject *code, PyObject *frame)
{
    const AgentSite *site = agent_find_site (code, NULL);
    while (site != NULL && !site->at_entry)
        site = agent_find_site (code, site);
    entered = site != NULL && site->first_line == agent_frame_get_line (frame) ? frame : NULL;
}

static void
on_call (PyObject *code, PyObject *frame)
{
    if (agent_watch.needs_codes && !agent_is_seen (code))
        agent_events_on_code (code, frame);
    note_entered (code, frame);
}

/* Behind its breakpoints a frame goes on untraced. */
static void
leave_if_passed (PyObject *code, uint32_t line)
{
    if (has_hook && agent_motion.command == PDDT_COMMAND_NONE && !agent_watch.wants_lines
        && !agent_watch.has_catches && agent_events_have_passed (code, line))
        agent_hook_skip_frame ();
}

static void
on_line (PyObject *code, PyObject *frame)
{
    AgentEvent event = { code, frame, agent_frame_get_line (frame) };
    int is_entered = entered == frame;
    entered = NULL;
    agent_events_on_line (&event, is_entered);
    if (agent_find_site (code, NULL) != NULL)
        leave_if_passed (code, event.line);
}

static void
on_exception (PyObject *code, PyObject *frame, PyObject *argument)
{
    AgentEvent event = { code, frame, agent_frame_get_line (frame) };
    PyObject *kind, *value, *trace;
    if (argument != NULL && PyTuple_Check (argument)
        && PyArg_ParseTuple (argument, "OOO", &kind, &value, &trace))
        agent_events_on_raise (&event, value, trace);
    PyErr_Clear ();
}

static AgentLeave
find_leave (PyObject *code, PyObject *frame, PyObject *value)
{
    enum { CO_SUSPENDS = 0x20 | 0x80 | 0x100 | 0x200 };
    if (value == NULL)
        return AGENT_UNWOUND;
    PyObject *flags = PyObject_GetAttrString (code, "co_flags");
    int suspends = flags != NULL && PyLong_AsLong (flags) & CO_SUSPENDS;
    Py_XDECREF (flags);
    PyErr_Clear ();
    /* only the instruction at which the frame stands tells a return from a yield */
    return suspends
                   && !agent_take_truth (PyObject_CallMethod (agent_support, "is_returning",
                                                              "O", frame))
               ? AGENT_YIELDED
               : AGENT_RETURNED;
}

/* TRUE if such an event can concern the motion; `code` is the event's. */
static int
is_motion_event (const PyObject *code, int what)
{
    if (agent_motion.command == PDDT_COMMAND_NONE || what == AGENT_CALL
        || what == AGENT_EXCEPTION)
        return 0;
    return agent_motion.command == PDDT_COMMAND_STEP || code == agent_motion.code
           || code == agent_motion.other_code;
}

static int
is_idle_line (PyObject *code, PyObject *frame)
{
    if (agent_watch.wants_lines)
        return 0;
    if (agent_find_site (code, NULL) == NULL) {
        if (agent_motion.command == PDDT_COMMAND_NONE)
            set_lines (frame, 0);
        return 1;
    }
    uint32_t line = agent_frame_get_line (frame);
    if (agent_events_check_line (code, frame, line, entered == frame) == AGENT_MAY_HIT)
        return 0;
    entered = NULL;
    leave_if_passed (code, line);
    return 1;
}

static int
is_idle_call (PyObject *code, PyObject *frame)
{
    int has_site = agent_find_site (code, NULL) != NULL;
    set_lines (frame, has_site || agent_watch.wants_lines
                          || agent_motion.command != PDDT_COMMAND_NONE);
    if (agent_watch.needs_codes && !agent_is_seen (code))
        return 0;
    if (has_site)
        note_entered (code, frame);
    return 1;
}

/* Recognises the common case, an event that concerns nobody, without touching the interpreter's
 * state. */
static int
is_idle_event (PyObject *frame, int what)
{
    if (what == AGENT_RETURN || what == AGENT_OPCODE) {
        return agent_motion.command == PDDT_COMMAND_NONE
               || !is_motion_event (agent_peek_code (frame), what);
    }
    PyObject *code = agent_peek_code (frame);
    if (code == NULL || is_motion_event (code, what))
        return code == NULL;
    switch (what) {
    case AGENT_LINE: return is_idle_line (code, frame);
    case AGENT_CALL: return is_idle_call (code, frame);
    default: return what != AGENT_EXCEPTION || !agent_watch.has_catches;
    }
}

static void
handle (PyObject *code, PyObject *frame, int what, PyObject *argument)
{
    switch (what) {
    case AGENT_CALL: on_call (code, frame); break;
    case AGENT_LINE: on_line (code, frame); break;
    case AGENT_RETURN:
        agent_motion_on_leave (frame, argument, find_leave (code, frame, argument));
        break;
    case AGENT_EXCEPTION: on_exception (code, frame, argument); break;
    case AGENT_OPCODE: agent_motion_on_instruction (frame); break;
    default: break;
    }
}

static int
on_trace (PyObject *self, PyObject *frame, int what, PyObject *argument)
{
    if (pddt_mailbox.request != 0 && pddt_mailbox.attached && !agent_is_busy_here ())
        agent_take_request ();
    if (!pddt_mailbox.attached || is_idle_event (frame, what)
        || (agent_watch.n_busy != 0 && agent_is_busy_here ()))
        return 0;
    agent_wait_for_others ();
    PyObject *type, *value, *trace, *code = agent_peek_code (frame);
    Py_XINCREF (code);
    PyErr_Fetch (&type, &value, &trace);
    agent_enter ();
    if (code != NULL)
        handle (code, frame, what, type == NULL ? argument : NULL);
    agent_leave ();
    PyErr_Restore (type, value, trace);
    Py_XDECREF (code);
    return 0;
}
