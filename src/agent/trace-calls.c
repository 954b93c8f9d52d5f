/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls before CPython 3.12: a profile function in each thread. Exceptions, generators and coroutines give a
 * return event for each call event, so Enter and Leave balance without counting. A new thread, whoever has made it, gets
 * the function with its state. */
#include "agent/trace-python.h"

typedef int (*Profile) (PyObject *self, PyObject *frame, int what, PyObject *argument);

/* Include/cpython/pystate.h, stable since 3.7 */
enum { CALL = 0, LINE = 2, RETURN = 3, C_CALL = 4, C_EXCEPTION = 5, C_RETURN = 6 };

static struct {
    void (*set) (Profile, PyObject *);
    void (*set_trace) (Profile, PyObject *);
    int (*get_line) (PyObject *);
    int (*set_of) (PyThreadState *, Profile, PyObject *); /* 3.9 to 3.11 */
    PyThreadState *(*get_first) (void *);
    PyThreadState *(*get_next) (PyThreadState *);
    void *(*get_interpreter) (void);
} api;

static __thread int traces_lines __attribute__ ((tls_model ("initial-exec"))); /* this thread */

static int on_event (PyObject *self, PyObject *frame, int what, PyObject *argument);

/* ---- new threads ---- */

/* Where PyThreadState has what PyEval_SetProfile sets: the function, and that there is one (of 3.10 and 3.11 in its
 * root_cframe, which counts where no frame runs). x86-64, AArch64. */
enum { STATE_INTERPRETER = 16 };
static const struct {
    size_t function, is_set;
} layouts[] = { [8] = { 56, 48 }, [9] = { 56, 48 }, [10] = { 56, 264 }, [11] = { 64, 336 } };
static struct {
    const void *interpreter;
    size_t function, is_set;
    int value; /* of is_set */
} states;

#define AT(type, state, offset) (*(type *) ((char *) (state) + (offset)))

/* This thread has got the state, which nobody else knows yet, and not the GIL. */
static void
begin_state (void *state)
{
    if (AT (const void *, state, STATE_INTERPRETER) == states.interpreter) {
        AT (int, state, states.is_set) = states.value;
        AT (Profile, state, states.function) = on_event;
        traces_lines = 0; /* which another state of this thread did */
    }
}

/* The function has just been set in this thread, in which no frame runs. FALSE: it has not come where it should. */
static int
watch_states (void)
{
    PyThreadState *own = PyThreadState_Get ();
    int (*watch) (const void *, void (*) (void *));

    *(void **) &watch = trace_find_symbol ("pddt_trace_watch_states");
    states.interpreter = AT (const void *, own, STATE_INTERPRETER);
    states.function = layouts[trace_minor].function;
    states.is_set = layouts[trace_minor].is_set;
    states.value = AT (int, own, states.is_set);
    return watch != NULL && AT (Profile, own, states.function) == on_event && states.value != 0
           && watch (own, begin_state);
}

/* In all other threads; the audit hook would report it for each, so the error state is kept. */
static void
reach_threads (void)
{
    PyThreadState *own = PyThreadState_Get (), *thread = api.get_first (api.get_interpreter ());

    for (; thread != NULL; thread = api.get_next (thread)) {
        if (thread != own) {
            api.set_of (thread, on_event, NULL);
        }
    }
}

/* ---- events ---- */

static __attribute__ ((noinline)) void
begin_stack (PyObject *frame, int what)
{
    PyObject *outer = what == CALL ? trace_get_back (frame) : NULL;

    trace_open_stack (what == CALL ? outer : frame);
    Py_XDECREF (outer);
}

/* Where a frame object has its code: at in_code of itself (in_frame 0) or of what in_frame points to. */
static struct {
    size_t in_frame, in_code;
    enum { UNCHECKED, KNOWN, UNKNOWN } state;
} layout;

/* The first frames are asked by the interpreter's own function whether they are laid out so. */
static __attribute__ ((noinline)) void
check_layout (PyObject *frame)
{
    PyObject *code = trace_get_code (frame);
    const char *data = (const char *) frame;

    layout.in_frame = trace_minor == 11 ? 24 : 0;
    layout.in_code = 32;
    if (layout.in_frame != 0) {
        data = *(const char *const *) (data + layout.in_frame);
    }
    layout.state = *(PyObject *const *) (data + layout.in_code) == code ? KNOWN : UNKNOWN;
    Py_DECREF (code);
}

static inline const TraceCode *
find_code (PyObject *frame)
{
    const char *data = (const char *) frame;
    PyObject *code;
    const TraceCode *known;

    if (__builtin_expect (layout.state == KNOWN, 1)) {
        if (layout.in_frame != 0) {
            data = *(const char *const *) (data + layout.in_frame);
        }
        return trace_codes_find (*(PyObject *const *) (data + layout.in_code));
    }
    if (layout.state == UNCHECKED) {
        check_layout (frame);
    }
    code = trace_get_code (frame);
    known = trace_codes_find (code);
    Py_DECREF (code); /* the table has another reference */
    return known;
}

/* What excluded code calls is excluded with it. */
static void
on_function (PyObject *frame, int what, PyObject *function)
{
    uint32_t region = find_code (frame)->region != 0
                          ? trace_codes_find_function (function)->region
                          : 0;

    if (region != 0) {
        trace_put (what == C_CALL ? PDDT_TRACE_ENTER : PDDT_TRACE_LEAVE, region,
                   what == C_EXCEPTION ? PDDT_TRACE_UNWOUND : 0);
    }
}

/* The trace function of threads that have come to a function whose lines are counted: other frames get no line
 * events. */
static int
on_trace (PyObject *self, PyObject *frame, int what, PyObject *argument)
{
    const TraceCode *known;

    if (what != CALL && what != LINE) {
        return 0;
    }
    known = find_code (frame);
    if (what == LINE && known->lines != NULL) {
        trace_lines_reach (known->lines, (uint32_t) api.get_line (frame));
    } else if (known->lines == NULL) {
        PyObject *type, *value, *trace;

        PyErr_Fetch (&type, &value, &trace);
        PyObject_SetAttrString (frame, "f_trace_lines", Py_False);
        PyErr_Clear ();
        PyErr_Restore (type, value, trace);
    }
    return 0;
}

static void
note_lines (const TraceCode *known, int what)
{
    if (known->lines == NULL) {
        return;
    }
    if (what == RETURN) {
        trace_lines_leave (known->lines);
        return;
    }
    trace_lines_enter (known->lines);
    if (!traces_lines && api.set_trace != NULL && api.get_line != NULL) {
        traces_lines = 1;
        api.set_trace (on_trace, NULL);
    }
}

static int
on_event (PyObject *self, PyObject *frame, int what, PyObject *argument)
{
    if (__builtin_expect ((trace_pause | trace_is_paused) != 0, 0)
        && trace_check_pause (frame, what == CALL)) {
        return 0;
    }
    if (__builtin_expect (!trace_has_stack, 0)) {
        begin_stack (frame, what);
    }
    if (what == CALL || what == RETURN) {
        const TraceCode *known = find_code (frame);

        if (__builtin_expect (trace_lines_are_wanted, 0)) {
            note_lines (known, what);
        }
        if (known->region != 0) {
            trace_put (what == CALL ? PDDT_TRACE_ENTER : PDDT_TRACE_LEAVE, known->region,
                       what == RETURN && argument == NULL ? PDDT_TRACE_UNWOUND : 0);
        }
    } else if (trace_wants_c && what >= C_CALL && what <= C_RETURN && argument != NULL
               && PyCFunction_Check (argument)) {
        on_function (frame, what, argument);
    }
    return 0;
}

/* Other threads, which cannot be reached in each version, see trace_pause instead. */
void
trace_calls_set (int is_on)
{
    api.set (is_on ? on_event : NULL, NULL);
    if (is_on && api.set_of != NULL) {
        reach_threads ();
    }
}

int
trace_calls_start (void)
{
    *(void **) &api.set = trace_find_symbol ("PyEval_SetProfile");
    *(void **) &api.set_trace = trace_find_symbol ("PyEval_SetTrace");
    *(void **) &api.get_line = trace_find_symbol ("PyFrame_GetLineNumber");
    *(void **) &api.set_of = trace_find_symbol ("_PyEval_SetProfile");
    *(void **) &api.get_first = trace_find_symbol ("PyInterpreterState_ThreadHead");
    *(void **) &api.get_next = trace_find_symbol ("PyThreadState_Next");
    *(void **) &api.get_interpreter = trace_find_symbol ("PyInterpreterState_Get"); /* 3.9 */
    if (api.get_first == NULL || api.get_next == NULL || api.get_interpreter == NULL) {
        api.set_of = NULL;
    }
    if (api.set == NULL) {
        return 0;
    }
    trace_begin_thread (); /* no Python code runs yet */
    api.set (on_event, NULL);
    if (!watch_states ()) {
        trace_complain ("of this Python process the first thread alone is traced: its "
                        "interpreter is not laid out as CPython's");
    }
    return 1;
}
