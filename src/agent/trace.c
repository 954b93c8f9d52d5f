/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The trace function: which line of which code object a breakpoint stands on, steps, entry, pause.
 * It is in place only while something is looked for; an event that concerns nobody costs a look
 * into a small filter. */
#include "agent/private.h"
#include <stdlib.h>
#include <string.h>

typedef struct {
    PyObject *code;      /* strong, so that its address is nobody else's */
    uint32_t line, number;
    int at_entry;        /* function breakpoint: the first line after a call */
} Site;

typedef struct {
    uint32_t command;    /* NONE: no motion */
    uint32_t tid, count;
    PyObject *frame;     /* strong; NEXT, FINISH: where the motion belongs; NULL for STEP */
    int has_arrived;     /* FINISH: back in the caller, `frame`: stop at the next event there */
    int has_value;
} Motion;

PyObject *agent_support;
static PyObject *marker;         /* the trace function's argument: sys.gettrace tells ours by it */
static Site *sites;
static size_t n_sites;
static uint64_t filter[64];      /* one bit for each hash of a code object with a site */
static PyObject *seen;           /* code objects that were shown to on_code, by address */
static const void *seen_cache[4096]; /* some of them, by hash */
static int needs_codes, has_catches, wants_entry, wants_pause, is_armed, has_told_of_other;
static Motion motion;
static char returned[4096];      /* what FINISH saw returned, for the stop's text */
static Py_ssize_t returned_size;
static __thread PyObject *entered; /* frame that was just called; never dereferenced */

static int on_trace (PyObject *self, PyObject *frame, int what, PyObject *argument);

static unsigned
hash_code (const void *code)
{
    uintptr_t value = (uintptr_t) code >> 4;
    return (unsigned) (value ^ value >> 12) & 4095;
}

static int
may_have_site (const void *code)
{
    unsigned hash = hash_code (code);
    return (int) (filter[hash >> 6] >> (hash & 63) & 1);
}

/* TRUE, and exceptions gone, when the result is a true object (stolen). */
static int
take_truth (PyObject *result)
{
    int truth = result != NULL && PyObject_IsTrue (result) == 1;
    Py_XDECREF (result);
    PyErr_Clear ();
    return truth;
}

static int
is_user_frame (PyObject *frame)
{
    PyObject *code = agent_frame_get_code (frame);
    PyObject *file = code != NULL ? PyObject_GetAttrString (code, "co_filename") : NULL;
    int truth = 0;
    if (file != NULL)
        truth = take_truth (PyObject_CallMethod (agent_support, "is_user", "O", file));
    PyErr_Clear ();
    Py_XDECREF (file);
    Py_XDECREF (code);
    return truth;
}

static int
is_stoppable (PyObject *frame)
{
    return !pddt_mailbox.just_my_code || is_user_frame (frame);
}

/* The nearest caller where a motion may end; new reference or NULL. */
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

static void
set_opcode_events (PyObject *frame, int wanted)
{
    /* from 3.13 on opcode events come only to frames that have a trace function of their own */
    if (wanted && PyObject_SetAttrString (frame, "f_trace", marker) < 0)
        PyErr_Clear ();
    if (PyObject_SetAttrString (frame, "f_trace_opcodes", wanted ? Py_True : Py_False) < 0)
        PyErr_Clear ();
    if (!wanted && PyObject_SetAttrString (frame, "f_trace", Py_None) < 0)
        PyErr_Clear ();
}

static void
clear_motion (void)
{
    PyObject *frame = motion.frame;
    int had_opcodes = motion.has_arrived;
    memset (&motion, 0, sizeof motion);
    if (frame != NULL && had_opcodes)
        set_opcode_events (frame, 0);
    Py_XDECREF (frame);
}

void
agent_trace_cancel_motion (void)
{
    clear_motion ();
}

void
agent_trace_begin_motion (PyObject *frame, uint32_t command, uint32_t count)
{
    clear_motion ();
    if (command != PDDT_COMMAND_STEP && command != PDDT_COMMAND_NEXT
        && command != PDDT_COMMAND_FINISH)
        return;
    motion.command = command;
    motion.tid = agent_get_tid ();
    motion.count = count > 0 ? count : 1;
    Py_XINCREF (frame);
    motion.frame = frame;
    if (frame == NULL && command != PDDT_COMMAND_STEP)
        motion.command = PDDT_COMMAND_STEP;
}

void
agent_trace_want_entry (void)
{
    wants_entry = 1;
}

void
agent_trace_want_pause (void)
{
    wants_pause = 1;
}

/* TRUE when the program itself traces: then we do not take its place. */
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

static void
set_thread_hook (int wanted)
{
    PyObject *modules = PySys_GetObject ("modules");
    PyObject *threading = modules != NULL ? PyDict_GetItemString (modules, "threading") : NULL;
    if (threading != NULL) {
        Py_XDECREF (PyObject_CallMethod (threading, "settrace", "O", wanted ? marker : Py_None));
        PyErr_Clear ();
    }
}

void
agent_trace_update (void)
{
    int wanted = pddt_mailbox.attached
                 && (needs_codes || has_catches || n_sites > 0 || wants_entry || wants_pause
                     || motion.command != PDDT_COMMAND_NONE);
    PyObject *type, *value, *trace;
    PyErr_Fetch (&type, &value, &trace);
    agent_enter ();
    if (wanted && is_traced_by_other ()) {
        if (!has_told_of_other && pddt_mailbox.started) {
            const char *text = "the program uses a trace function of its own: Python breakpoints "
                               "and steps do not work beside it";
            has_told_of_other = 1;
            agent_set_text (text, (Py_ssize_t) strlen (text));
            agent_stop (PDDT_EVENT_NOTICE, 0, NULL);
        }
    } else if (wanted) {
        agent_set_trace_all (on_trace, marker);
        if (!is_armed)
            set_thread_hook (1);
        is_armed = 1;
    } else if (is_armed) {
        if (!is_traced_by_other ())
            agent_set_trace_all (NULL, NULL);
        set_thread_hook (0);
        is_armed = 0;
    }
    agent_leave ();
    PyErr_Restore (type, value, trace);
}

/* What threading calls in a new thread: sys.settrace's form, which puts the C function in. */
static PyObject *
call_marker (PyObject *self, PyObject *arguments, PyObject *names)
{
    if (is_armed && pddt_mailbox.attached)
        agent_set_trace (on_trace, marker);
    Py_RETURN_NONE;
}

static PyType_Slot marker_slots[] = {{Py_tp_call, call_marker}, {0, NULL}};
static PyType_Spec marker_spec = {"pddt_agent.trace", sizeof (PyObject), 0, Py_TPFLAGS_DEFAULT,
                                  marker_slots};

int
agent_trace_init (PyObject *module)
{
    PyObject *type = PyType_FromSpec (&marker_spec);
    marker = type != NULL ? PyObject_CallObject (type, NULL) : NULL;
    Py_XDECREF (type);
    seen = PyDict_New ();
    return marker != NULL && seen != NULL;
}

static void
forget_seen (void)
{
    memset (seen_cache, 0, sizeof seen_cache);
    PyDict_Clear (seen);
}

/* set_sites (list of (code, line, number, kind), needs_codes, catches) */
PyObject *
agent_trace_set_sites (PyObject *self, PyObject *arguments)
{
    PyObject *list;
    int codes, catches;
    if (!PyArg_ParseTuple (arguments, "Opp", &list, &codes, &catches))
        return NULL;
    Py_ssize_t n = PyList_Size (list);
    Site *table = n > 0 ? calloc ((size_t) n, sizeof *table) : NULL, *old = sites;
    size_t count = 0, n_old = n_sites;
    if (n < 0 || (n > 0 && table == NULL))
        return PyErr_NoMemory ();
    memset (filter, 0, sizeof filter);
    for (Py_ssize_t i = 0; i < n; i++) {
        Site *site = &table[count];
        if (!PyArg_ParseTuple (PyList_GetItem (list, i), "OIIi", &site->code, &site->line,
                               &site->number, &site->at_entry)) {
            PyErr_Clear ();
            continue;
        }
        Py_INCREF (site->code);
        filter[hash_code (site->code) >> 6] |= 1ull << (hash_code (site->code) & 63);
        count++;
    }
    sites = table;
    n_sites = count;
    has_catches = catches;
    needs_codes = codes;
    forget_seen ();
    for (size_t i = 0; i < n_old; i++)
        Py_DECREF (old[i].code);
    free (old);
    Py_RETURN_NONE;
}

/* ---- events ---- */

static void
set_text_of (PyObject *text)
{
    PyObject *bytes = text != NULL ? PyUnicode_AsEncodedString (text, "utf-8", "replace") : NULL;
    char *data = NULL;
    Py_ssize_t size = 0;
    if (bytes != NULL && PyBytes_AsStringAndSize (bytes, &data, &size) == 0)
        agent_set_text (data, size);
    else
        agent_set_text ("", 0);
    Py_XDECREF (bytes);
    PyErr_Clear ();
}

/* Shows a code object to on_code once. */
static void
look_at_code (PyObject *frame, PyObject *code)
{
    PyObject *key = PyLong_FromVoidPtr (code);
    if (key == NULL || PyDict_GetItem (seen, key) != NULL) {
        if (key != NULL)
            seen_cache[hash_code (code)] = code;
        Py_XDECREF (key);
        PyErr_Clear ();
        return;
    }
    if (PyDict_Size (seen) > 100000)
        forget_seen ();
    PyDict_SetItem (seen, key, code);
    PyObject *globals = PyObject_GetAttrString (frame, "f_globals");
    PyObject *name = globals != NULL ? PyDict_GetItemString (globals, "__name__") : NULL;
    PyObject *empty = PyUnicode_FromString ("");
    int became_set = take_truth (PyObject_CallMethod (
        agent_support, "on_code", "OO", code,
        name != NULL && PyUnicode_Check (name) ? name : empty));
    Py_XDECREF (empty);
    Py_XDECREF (globals);
    PyErr_Clear ();
    /* set_sites forgot what was seen; this one need not come again */
    if (PyDict_SetItem (seen, key, code) == 0)
        seen_cache[hash_code (code)] = code;
    PyErr_Clear ();
    Py_DECREF (key);
    if (became_set)
        agent_stop (PDDT_EVENT_SYNC, 0, frame);
}

/* A fresh call, not a generator that goes on: the line is still the definition's. */
static int
is_fresh_call (PyObject *frame, PyObject *code)
{
    PyObject *first = PyObject_GetAttrString (code, "co_firstlineno");
    int fresh = first != NULL && PyLong_AsLong (first) == agent_frame_get_line (frame);
    Py_XDECREF (first);
    PyErr_Clear ();
    return fresh;
}

static void
on_call (PyObject *frame)
{
    PyObject *code = agent_frame_get_code (frame);
    if (code == NULL) {
        PyErr_Clear ();
        return;
    }
    if (needs_codes)
        look_at_code (frame, code);
    entered = may_have_site (code) && is_fresh_call (frame, code) ? frame : NULL;
    Py_DECREF (code);
}

/* Asks the slow part about one breakpoint; TRUE: stop. Logs are given out at once. */
static int
ask_hit (uint32_t number, PyObject *frame)
{
    PyObject *answer = PyObject_CallMethod (agent_support, "hit", "IOI", number, frame,
                                            agent_get_tid ());
    PyObject *text = NULL;
    int action = 0;
    if (answer == NULL || !PyArg_ParseTuple (answer, "iO", &action, &text))
        action = 0;
    PyErr_Clear ();
    if (action != 0)
        set_text_of (text);
    if (action == 2)
        agent_stop (PDDT_EVENT_LOG, number, frame);
    Py_XDECREF (answer);
    return action == 1;
}

/* The lowest breakpoint at this line that wants to stop; 0 none. */
static uint32_t
find_hit (PyObject *frame, PyObject *code, int line)
{
    uint32_t numbers[32], lowest = 0;
    size_t n = 0;
    int is_entered = entered == frame;
    entered = NULL;
    for (size_t i = 0; i < n_sites && n < 32; i++) {
        const Site *site = &sites[i];
        if (site->code != code || !(site->at_entry ? is_entered : site->line == (uint32_t) line))
            continue;
        numbers[n++] = site->number;
    }
    for (size_t i = 0; i < n; i++) {
        if (ask_hit (numbers[i], frame) && (lowest == 0 || numbers[i] < lowest))
            lowest = numbers[i];
    }
    return lowest;
}

static int
is_motion_here (void)
{
    return motion.command != PDDT_COMMAND_NONE && motion.tid == agent_get_tid ();
}

static int
is_motion_end (PyObject *frame)
{
    if (!is_motion_here ())
        return 0;
    int arrived = motion.command == PDDT_COMMAND_STEP
                      ? frame == motion.frame || is_stoppable (frame)
                      : frame == motion.frame
                            && (motion.command == PDDT_COMMAND_NEXT || motion.has_arrived);
    return arrived && (motion.command == PDDT_COMMAND_FINISH || --motion.count == 0);
}

static void
stop_after_motion (PyObject *frame)
{
    uint32_t has_value = (uint32_t) motion.has_value;
    clear_motion ();
    agent_set_text (returned, has_value ? returned_size : 0);
    agent_stop (PDDT_EVENT_STEP, has_value, frame);
}

static void
on_line (PyObject *frame)
{
    PyObject *code = agent_frame_get_code (frame);
    uint32_t number = 0;
    if (code != NULL && may_have_site (code))
        number = find_hit (frame, code, agent_frame_get_line (frame));
    PyErr_Clear ();
    Py_XDECREF (code);
    if (wants_entry && take_truth (PyObject_CallMethod (agent_support, "is_entry", "O", frame))) {
        wants_entry = 0;
        clear_motion ();
        agent_stop (number != 0 ? PDDT_EVENT_BREAKPOINT : PDDT_EVENT_ENTRY, number, frame);
    } else if (number != 0) {
        wants_pause = 0;
        clear_motion ();
        agent_stop (PDDT_EVENT_BREAKPOINT, number, frame);
    } else if (wants_pause && is_stoppable (frame)) {
        wants_pause = 0;
        clear_motion ();
        agent_stop (PDDT_EVENT_PAUSE, 0, frame);
    } else if (is_motion_end (frame)) {
        stop_after_motion (frame);
    } else {
        return;
    }
    agent_trace_update ();
}

static void
keep_return_value (PyObject *frame, PyObject *value)
{
    PyObject *code = agent_frame_get_code (frame);
    PyObject *name = code != NULL ? PyObject_GetAttrString (code, "co_qualname") : NULL;
    if (name == NULL && code != NULL) {
        PyErr_Clear ();
        name = PyObject_GetAttrString (code, "co_name");
    }
    PyObject *bytes = name != NULL ? PyObject_CallMethod (agent_support, "describe_return", "OO",
                                                          value, name)
                                   : NULL;
    char *data = NULL;
    Py_ssize_t size = 0;
    if (bytes != NULL && PyBytes_AsStringAndSize (bytes, &data, &size) == 0) {
        returned_size = size < (Py_ssize_t) sizeof returned ? size : (Py_ssize_t) sizeof returned;
        memcpy (returned, data, (size_t) returned_size);
        motion.has_value = 1;
    }
    PyErr_Clear ();
    Py_XDECREF (bytes);
    Py_XDECREF (name);
    Py_XDECREF (code);
}

static void
on_return (PyObject *frame, PyObject *value)
{
    if (!is_motion_here ())
        return;
    if (motion.command != PDDT_COMMAND_STEP && frame != motion.frame)
        return;
    PyObject *caller = find_caller (frame);
    if (caller == NULL) {
        /* the thread's or the script's own end: nothing of the user's is left to stop in */
        clear_motion ();
        agent_trace_update ();
        return;
    }
    if (motion.command == PDDT_COMMAND_FINISH) {
        if (motion.count > 1) {
            motion.count--;
        } else if (!motion.has_arrived) {
            if (value != NULL)
                keep_return_value (frame, value);
            motion.has_arrived = 1;
            set_opcode_events (caller, 1);
            agent_trace_update ();
        }
    }
    if (frame == motion.frame || motion.command != PDDT_COMMAND_STEP) {
        PyObject *old = motion.frame;
        Py_INCREF (caller);
        motion.frame = caller;
        Py_XDECREF (old);
    }
    Py_DECREF (caller);
}

static void
on_exception (PyObject *frame, PyObject *argument)
{
    PyObject *kind, *value, *trace, *answer, *text = NULL;
    uint32_t number = 0;
    if (argument == NULL || !PyTuple_Check (argument)
        || !PyArg_ParseTuple (argument, "OOO", &kind, &value, &trace)) {
        PyErr_Clear ();
        return;
    }
    answer = PyObject_CallMethod (agent_support, "hit_exception", "OOOI", kind, trace, frame,
                                  agent_get_tid ());
    if (answer != NULL && PyArg_ParseTuple (answer, "IO", &number, &text) && number != 0) {
        set_text_of (text);
        clear_motion ();
        agent_stop (PDDT_EVENT_BREAKPOINT, number, frame);
        agent_trace_update ();
    }
    PyErr_Clear ();
    Py_XDECREF (answer);
}

/* The common case, told without touching the interpreter's state: the event concerns nobody. */
static int
is_idle_event (PyObject *frame, int what)
{
    if (motion.command != PDDT_COMMAND_NONE)
        return 0;
    if (what == AGENT_RETURN || what == AGENT_OPCODE)
        return 1;
    if (what == AGENT_EXCEPTION)
        return !has_catches;
    if ((what != AGENT_LINE && what != AGENT_CALL) || wants_entry || wants_pause)
        return 0;
    PyObject *code = agent_frame_get_code (frame);
    int idle = code != NULL && !may_have_site (code)
               && (what == AGENT_LINE || !needs_codes || seen_cache[hash_code (code)] == code);
    if (idle && what == AGENT_CALL)
        entered = NULL;
    Py_XDECREF (code);
    return idle;
}

static int
on_trace (PyObject *self, PyObject *frame, int what, PyObject *argument)
{
    if (!pddt_mailbox.attached || is_idle_event (frame, what) || agent_is_busy_here ())
        return 0;
    agent_wait_for_others ();
    PyObject *type, *value, *trace;
    PyErr_Fetch (&type, &value, &trace);
    agent_enter ();
    switch (what) {
    case AGENT_CALL:
        on_call (frame);
        break;
    case AGENT_LINE:
        on_line (frame);
        break;
    case AGENT_RETURN:
        on_return (frame, type == NULL ? argument : NULL);
        break;
    case AGENT_EXCEPTION:
        if (has_catches)
            on_exception (frame, argument);
        break;
    case AGENT_OPCODE:
        if (is_motion_here () && motion.has_arrived && frame == motion.frame) {
            stop_after_motion (frame);
            agent_trace_update ();
        }
        break;
    default:
        break;
    }
    agent_leave ();
    PyErr_Restore (type, value, trace);
    return 0;
}
