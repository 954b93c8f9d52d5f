/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where a step, next or finish ends. There is one motion at a time, in the thread that began
 * it. If a generator is suspended, the motion continues in two frames: in the generator and in
 * the frame that got control. If a coroutine is suspended, the motion stays with it, whatever
 * the event loop runs meanwhile. */
#include "agent/private.h"
#include <string.h>

enum {
    CO_GENERATOR = 0x20,
    CO_COROUTINE = 0x80,
    CO_ITERABLE_COROUTINE = 0x100,
    CO_ASYNC_GENERATOR = 0x200,
    CO_AWAITS = CO_COROUTINE | CO_ITERABLE_COROUTINE | CO_ASYNC_GENERATOR,
    CO_SUSPENDS = CO_GENERATOR | CO_AWAITS
};

AgentMotion agent_motion;
/* the stop under way is the end of a motion: the agent sees returns of its code */
static int is_watched;
static struct {
    PyObject *code; /* strong */
    int is_user;
} cache[256]; /* by hash of the code */

/* ---- the user's code ---- */

static int
ask_user (PyObject *code)
{
    PyObject *file = PyObject_GetAttrString (code, "co_filename");
    int truth = 0;
    if (file != NULL)
        truth = agent_take_truth (PyObject_CallMethod (agent_support, "is_user", "O", file));
    Py_XDECREF (file);
    PyErr_Clear ();
    return truth;
}

static int
is_user_code (PyObject *code)
{
    size_t at = ((uintptr_t) code >> 4 ^ (uintptr_t) code >> 12) % 256;
    if (cache[at].code != code) {
        int truth = ask_user (code);
        PyObject *old = cache[at].code;
        Py_INCREF (code);
        cache[at].code = code;
        cache[at].is_user = truth;
        Py_XDECREF (old);
    }
    return cache[at].is_user;
}

int
agent_motion_is_stoppable (PyObject *code)
{
    return !pddt_mailbox.just_my_code || is_user_code (code);
}

int
agent_motion_is_user (PyObject *code)
{
    size_t at = ((uintptr_t) code >> 4 ^ (uintptr_t) code >> 12) % 256;
    PyObject *type, *value, *trace;
    int truth;
    if (cache[at].code == code)
        return cache[at].is_user;
    PyErr_Fetch (&type, &value, &trace);
    agent_enter ();
    truth = is_user_code (code);
    agent_leave ();
    PyErr_Restore (type, value, trace);
    return truth;
}

static int
is_user_frame (PyObject *frame)
{
    PyObject *code = agent_frame_get_code (frame);
    int truth = code != NULL && is_user_code (code);
    Py_XDECREF (code);
    PyErr_Clear ();
    return truth;
}

/* The nearest caller in which a motion may end. A new reference, or NULL. */
static PyObject *
find_caller (PyObject *frame)
{
    PyObject *caller = agent_frame_get_back (frame);
    while (caller != NULL && !is_user_frame (caller)) {
        PyObject *next = agent_frame_get_back (caller);
        Py_DECREF (caller);
        caller = next;
    }
    return caller;
}

static long
get_flags (PyObject *frame)
{
    PyObject *code = agent_frame_get_code (frame);
    PyObject *number = code != NULL ? PyObject_GetAttrString (code, "co_flags") : NULL;
    long flags = number != NULL ? PyLong_AsLong (number) : 0;
    Py_XDECREF (number);
    Py_XDECREF (code);
    PyErr_Clear ();
    return flags;
}

static int
ask_about (const char *name, PyObject *thing)
{
    return agent_take_truth (PyObject_CallMethod (agent_support, name, "O", thing));
}

/* find_caller for a frame that is left: where the program goes on. An exception that is thrown into a
 * generator goes straight to the one to which it has delegated. What that yields then goes straight back,
 * and in 3.8 its frame has the caller of throw as its own. */
static PyObject *
find_receiver (PyObject *frame, AgentLeave kind, int is_item)
{
    PyObject *caller = NULL;
    if (agent_api_get_minor () == 8 && kind != AGENT_YIELDED
        && get_flags (frame) & CO_SUSPENDS) {
        caller = PyObject_CallMethod (agent_support, "find_delegator", "O", frame);
        if (caller == Py_None)
            Py_CLEAR (caller);
        PyErr_Clear ();
    }
    if (caller == NULL || !is_user_frame (caller)) {
        PyObject *next = find_caller (caller != NULL ? caller : frame);
        Py_XDECREF (caller);
        caller = next;
    }
    while (caller != NULL && kind == AGENT_YIELDED && !is_item
           && ask_about ("is_bypassed", caller)) {
        PyObject *next = find_caller (caller);
        Py_DECREF (caller);
        caller = next;
    }
    return caller;
}

/* ---- begin, end ---- */

static void
set_frame (PyObject **frame, PyObject **code, PyObject *to)
{
    PyObject *old_frame = *frame, *old_code = *code;
    *frame = to;
    Py_XINCREF (to);
    *code = to != NULL ? agent_frame_get_code (to) : NULL;
    PyErr_Clear ();
    Py_XDECREF (old_frame);
    Py_XDECREF (old_code);
}

void
agent_motion_cancel (void)
{
    if (agent_motion.frame != NULL && agent_motion.has_arrived)
        agent_trace_opcodes (agent_motion.frame, 0);
    set_frame (&agent_motion.frame, &agent_motion.code, NULL);
    set_frame (&agent_motion.other, &agent_motion.other_code, NULL);
    memset (&agent_motion, 0, sizeof agent_motion);
}

static void
keep_return_value (PyObject *frame, PyObject *value, AgentLeave kind)
{
    struct pddt_mailbox *box = &pddt_mailbox;
    PyObject *code = agent_frame_get_code (frame);
    PyObject *name = code != NULL ? PyObject_GetAttrString (code, "co_qualname") : NULL;
    if (name == NULL && code != NULL) {
        PyErr_Clear ();
        name = PyObject_GetAttrString (code, "co_name");
    }
    PyObject *bytes = name != NULL
                          ? PyObject_CallMethod (agent_support, "describe_return", "OOi", value,
                                                 name, kind == AGENT_YIELDED)
                          : NULL;
    char *data = NULL;
    Py_ssize_t size = 0;
    if (bytes != NULL && PyBytes_AsStringAndSize (bytes, &data, &size) == 0
        && (size_t) size < sizeof box->returned) {
        memcpy (box->returned, data, (size_t) size);
        box->returned_size = (uint32_t) size;
        agent_motion.has_value = 1;
    }
    PyErr_Clear ();
    Py_XDECREF (bytes);
    Py_XDECREF (name);
    Py_XDECREF (code);
}

/* The motion moves on to the caller, because the frame returns or an exception leaves it. */
static void
move_out (PyObject *frame, PyObject *caller, PyObject *value, AgentLeave kind)
{
    if (agent_motion.command == PDDT_COMMAND_FINISH) {
        if (agent_motion.has_arrived) {
            agent_trace_opcodes (agent_motion.frame, 0);
        } else if (agent_motion.count > 1) {
            agent_motion.count--;
            set_frame (&agent_motion.frame, &agent_motion.code, caller);
            return;
        } else if (value != NULL && kind != AGENT_UNWOUND) {
            keep_return_value (frame, value, kind);
        }
        agent_motion.has_arrived = 1;
        agent_trace_opcodes (caller, 1);
    }
    set_frame (&agent_motion.frame, &agent_motion.code, caller);
    set_frame (&agent_motion.other, &agent_motion.other_code, NULL);
    if (kind != AGENT_YIELDED)
        agent_motion.from_line = 0;
}

/* If the frame's next instruction is a return that raises no event, the motion begins in the
 * caller. */
static void
leave_at_once (PyObject *frame)
{
    PyObject *answer = PyObject_CallMethod (agent_support, "peek_return", "O", frame);
    PyObject *caller = answer != NULL && PyTuple_Check (answer) ? find_caller (frame) : NULL;
    if (caller != NULL)
        move_out (frame, caller, PyTuple_Size (answer) > 0 ? PyTuple_GetItem (answer, 0) : NULL,
                  AGENT_RETURNED);
    else if (answer != NULL && PyTuple_Check (answer))
        agent_motion_cancel ();
    PyErr_Clear ();
    Py_XDECREF (caller);
    Py_XDECREF (answer);
}

static void
begin_at (const PyObject *frame, uint32_t line)
{
    agent_motion.from_frame = frame;
    agent_motion.from_line = agent_api_get_minor () >= 14 ? line : 0;
}

void
agent_motion_begin (PyObject *frame, uint32_t command, uint32_t count)
{
    agent_motion_cancel ();
    pddt_mailbox.motion_off = 0;
    pddt_mailbox.returned_size = 0;
    if (command != PDDT_COMMAND_STEP && command != PDDT_COMMAND_NEXT
        && command != PDDT_COMMAND_FINISH)
        return;
    agent_motion.command = frame == NULL ? PDDT_COMMAND_STEP : command;
    agent_motion.tid = agent_get_tid ();
    agent_motion.count = count > 0 ? count : 1;
    set_frame (&agent_motion.frame, &agent_motion.code, frame);
    begin_at (frame, frame != NULL ? agent_frame_get_line (frame) : 0);
    if (agent_api_get_minor () >= 12 && !is_watched && frame != NULL
        && frame == agent_get_frame ()) {
        agent_enter ();
        leave_at_once (frame);
        agent_leave ();
    }
}

void
agent_motion_begin_outside (PyObject *frame, uint32_t command)
{
    Py_XINCREF (frame);
    if (frame != NULL && !is_user_frame (frame) && pddt_mailbox.just_my_code) {
        PyObject *caller = find_caller (frame);
        Py_DECREF (frame);
        frame = caller;
    }
    agent_motion_begin (frame, command == PDDT_COMMAND_CONTINUE ? PDDT_COMMAND_FINISH : command,
                        1);
    if (frame != NULL && command == PDDT_COMMAND_CONTINUE) {
        agent_motion.has_arrived = 1;
        agent_events_update ();
        agent_trace_opcodes (frame, 1);
    }
    Py_XDECREF (frame);
}

/* One is under way in this thread. */
static int
is_here (void)
{
    if (agent_motion.command == PDDT_COMMAND_NONE || agent_motion.tid != agent_get_tid ())
        return 0;
    if (pddt_mailbox.motion_off) {
        /* the engine has stopped the thread in native code */
        agent_motion_cancel ();
        agent_events_update ();
        return 0;
    }
    return 1;
}

int
agent_motion_is_end (AgentEvent *event)
{
    if (!is_here ())
        return 0;
    int is_own = event->code == agent_motion.code || event->code == agent_motion.other_code;
    int arrived = 0;
    if (agent_motion.from_line == event->line && event->line != 0
        && agent_motion.command != PDDT_COMMAND_FINISH
        && agent_event_get_frame (event) == agent_motion.from_frame)
        return 0;
    if (agent_motion.command == PDDT_COMMAND_STEP && agent_motion_is_stoppable (event->code))
        arrived = 1;
    else if (is_own
             && (agent_motion.command != PDDT_COMMAND_FINISH || agent_motion.has_arrived)) {
        PyObject *frame = agent_event_get_frame (event);
        arrived = frame != NULL && (frame == agent_motion.frame || frame == agent_motion.other);
    }
    if (!arrived)
        return 0;
    if (agent_motion.command != PDDT_COMMAND_FINISH && agent_motion.count > 1) {
        agent_motion.count--;
        PyObject *frame = agent_event_get_frame (event);
        if (frame != NULL && frame != agent_motion.frame)
            set_frame (&agent_motion.frame, &agent_motion.code, frame);
        set_frame (&agent_motion.other, &agent_motion.other_code, NULL);
        begin_at (frame, event->line);
        agent_events_update ();
        return 0;
    }
    return 1;
}

void
agent_motion_stop (PyObject *frame)
{
    uint32_t has_value = (uint32_t) agent_motion.has_value;
    agent_motion_cancel ();
    agent_set_text (pddt_mailbox.returned, has_value ? pddt_mailbox.returned_size : 0);
    is_watched = 1;
    agent_stop (PDDT_EVENT_STEP, has_value, frame);
    is_watched = 0;
}

void
agent_motion_on_instruction (PyObject *frame)
{
    if (is_here () && agent_motion.has_arrived && frame == agent_motion.frame
        && agent_frame_has_line (frame)) { /* a handler begins without one */
        agent_motion_stop (frame);
        agent_events_update ();
    }
}

/* ---- leaving frames ---- */

/* From 3.12 on the code of a frame on another stack has no events by itself. Caller owns; NULL: there is none. */
static PyObject *
find_frame_behind (void)
{
    PyObject *frame = PyObject_CallMethod (agent_support, "find_frame_behind", NULL);
    PyErr_Clear ();
    if (frame == Py_None)
        Py_CLEAR (frame);
    return frame;
}

void
agent_motion_on_leave (PyObject *frame, PyObject *value, AgentLeave kind)
{
    if (!is_here ())
        return;
    int is_own = frame == agent_motion.frame || frame == agent_motion.other;
    if (!is_own && agent_motion.command != PDDT_COMMAND_STEP)
        return;
    if (is_own && kind == AGENT_YIELDED && agent_motion.has_arrived) {
        /* before 3.11 what `yield from` and `await` get goes on to the next one without an
         * instruction; the new motion sees it leave */
        agent_motion_stop (frame);
        agent_motion_on_leave (frame, value, kind);
        agent_events_update ();
        return;
    }
    int is_item = kind == AGENT_YIELDED && value != NULL && ask_about ("is_item", value);
    if (is_own && kind == AGENT_YIELDED && !is_item && get_flags (frame) & CO_AWAITS)
        return; /* it is suspended and continues later */
    PyObject *caller = is_own ? find_receiver (frame, kind, is_item) : find_caller (frame);
    PyObject *behind = caller == NULL && is_own ? find_frame_behind () : NULL;
    if (caller == NULL && is_own && (kind == AGENT_YIELDED || behind != NULL)) {
        /* what goes on is not known, as 3.9 loses who has called throw: the thread's next line */
        uint32_t command = agent_motion.command;
        agent_motion_begin (NULL, PDDT_COMMAND_STEP, 1);
        set_frame (&agent_motion.other, &agent_motion.other_code, behind);
        if (command == PDDT_COMMAND_FINISH && value != NULL && kind != AGENT_UNWOUND)
            keep_return_value (frame, value, kind);
    } else if (caller == NULL) {
        /* the thread or the script ends: no frame of the user is left to stop in */
        agent_motion_cancel ();
    } else if (is_own && kind == AGENT_YIELDED && agent_motion.command == PDDT_COMMAND_NEXT) {
        set_frame (&agent_motion.other, &agent_motion.other_code, caller);
    } else if (is_own) {
        move_out (frame, caller, value, kind);
    } else {
        Py_DECREF (caller);
        return;
    }
    Py_XDECREF (caller);
    Py_XDECREF (behind);
    agent_events_update ();
}
