/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls from CPython 3.12 on, by sys.monitoring (PEP 669), which reaches all threads. Each start, resumption and throw()
 * has its return, yield or unwinding. Code that is left out turns its events off where they arise
 * and then runs at full speed; unwinding and throw() cannot be turned off, and are ignored. */
#include "agent/trace-python.h"

enum {
    START,
    RESUME,
    THROW,
    RETURN,
    YIELD,
    UNWIND,
    C_CALL,
    C_RETURN,
    C_RAISE,
    LINE,
    JUMP,
    N_EVENTS
};
static const char *const names[N_EVENTS] = { "PY_START", "PY_RESUME", "PY_THROW", "PY_RETURN",
                                             "PY_YIELD", "PY_UNWIND", "CALL",     "C_RETURN",
                                             "C_RAISE",  "LINE",      "JUMP" };
static PyObject *monitoring, *disable, *missing;
static PyTypeObject *method_type;
static int tool = -1, line_bits;
static int (*find_line) (PyObject *code, int offset);
static int mask; /* of the events that are wanted */

/* ---- callbacks: (code, offset, …) ---- */

static __attribute__ ((noinline)) void
begin_stack (int is_entered)
{
    PyObject *frame = trace_get_frame ();
    PyObject *outer = is_entered && frame != NULL ? trace_get_back (frame) : NULL;

    trace_open_stack (is_entered ? outer : frame);
    Py_XDECREF (outer);
}

static inline __attribute__ ((always_inline)) PyObject *
put (PyObject *code, uint8_t kind, uint16_t extra, int may_disable)
{
    const TraceCode *known;

    if (__builtin_expect ((trace_pause | trace_is_paused) != 0, 0)
        && trace_check_pause (trace_get_frame (), kind == PDDT_TRACE_ENTER)) {
        Py_RETURN_NONE;
    }
    if (__builtin_expect (!trace_has_stack, 0)) {
        begin_stack (kind == PDDT_TRACE_ENTER);
    }
    known = trace_codes_find (code);
    if (__builtin_expect (known->region == 0, 0)) {
        PyObject *answer = may_disable ? disable : Py_None;

        Py_INCREF (answer);
        return answer;
    }
    if (__builtin_expect (known->lines != NULL, 0)) {
        if (kind == PDDT_TRACE_ENTER) {
            trace_lines_enter (known->lines);
        } else {
            trace_lines_leave (known->lines);
        }
    }
    trace_put (kind, known->region, extra);
    Py_RETURN_NONE;
}

#define CALLBACK(name, kind, extra, may_disable)                                               \
    static PyObject *name (PyObject *self, PyObject *const *arguments, Py_ssize_t count)       \
    {                                                                                          \
        return put (arguments[0], kind, extra, may_disable);                                   \
    }
CALLBACK (on_start, PDDT_TRACE_ENTER, 0, 1)
CALLBACK (on_resume, PDDT_TRACE_ENTER, PDDT_TRACE_RESUMED, 1)
CALLBACK (on_throw, PDDT_TRACE_ENTER, PDDT_TRACE_RESUMED, 0)
CALLBACK (on_return, PDDT_TRACE_LEAVE, 0, 1)
CALLBACK (on_yield, PDDT_TRACE_LEAVE, PDDT_TRACE_YIELDED, 1)
CALLBACK (on_unwind, PDDT_TRACE_LEAVE, PDDT_TRACE_UNWOUND, 0)

/* What is called: (code, offset, callable, first argument or MISSING). A method's descriptor counts as its
 * bound method, as cProfile has it. */
static void
put_function (PyObject *const *arguments, Py_ssize_t count, uint8_t kind, uint16_t extra)
{
    PyObject *callable = count > 2 ? arguments[2] : NULL, *bound = NULL;

    if (callable == NULL) {
        return;
    }
    if (Py_TYPE (callable) == method_type && count > 3 && arguments[3] != missing) {
        descrgetfunc get = (descrgetfunc) PyType_GetSlot (method_type, Py_tp_descr_get);
        PyObject *type, *value, *trace;

        PyErr_Fetch (&type, &value, &trace);
        bound = get (callable, arguments[3], (PyObject *) Py_TYPE (arguments[3]));
        PyErr_Clear ();
        PyErr_Restore (type, value, trace);
        callable = bound;
    }
    if (callable != NULL && PyCFunction_Check (callable)) {
        uint32_t region = trace_codes_find_function (callable)->region;

        if (region != 0) {
            trace_put (kind, region, extra);
        }
    }
    Py_XDECREF (bound);
}

/* What excluded code calls is excluded with it. */
static PyObject *
take_function (PyObject *const *arguments, Py_ssize_t count, uint8_t kind, uint16_t extra)
{
    PyObject *answer = Py_None;

    if (!trace_has_stack) {
        begin_stack (0);
    }
    if (trace_codes_find (arguments[0])->region != 0) {
        put_function (arguments, count, kind, extra);
    } else if (kind == PDDT_TRACE_ENTER) {
        answer = disable;
    }
    Py_INCREF (answer);
    return answer;
}

#define C_CALLBACK(name, kind, extra)                                                          \
    static PyObject *name (PyObject *self, PyObject *const *arguments, Py_ssize_t count)       \
    {                                                                                          \
        if ((trace_pause | trace_is_paused) != 0                                               \
            && trace_check_pause (trace_get_frame (), 0)) {                                    \
            Py_RETURN_NONE;                                                                    \
        }                                                                                      \
        return take_function (arguments, count, kind, extra);                                  \
    }
C_CALLBACK (on_c_call, PDDT_TRACE_ENTER, 0)
C_CALLBACK (on_c_return, PDDT_TRACE_LEAVE, 0)
C_CALLBACK (on_c_raise, PDDT_TRACE_LEAVE, PDDT_TRACE_UNWOUND)

/* (code, line): only where set_local_events has asked for it. */
static PyObject *
on_line (PyObject *self, PyObject *const *arguments, Py_ssize_t count)
{
    const TraceCode *known = trace_codes_find (arguments[0]);

    if (known->lines != NULL) {
        trace_lines_reach (known->lines, (uint32_t) PyLong_AsLong (arguments[1]));
    }
    Py_RETURN_NONE;
}

/* (code, offset, offset): LINE comes where another line begins. A turn of a loop that stands on one line jumps back
 * within it: sys.settrace counts it, too. Conditional jumps never go back (CPython's compiler inverts them). */
static PyObject *
on_jump (PyObject *self, PyObject *const *arguments, Py_ssize_t count)
{
    int from = (int) PyLong_AsLong (arguments[1]), to = (int) PyLong_AsLong (arguments[2]);

    if (to <= from) {
        const TraceCode *known = trace_codes_find (arguments[0]);
        int line = find_line (arguments[0], to);

        if (known->lines != NULL && line > 0 && line == find_line (arguments[0], from)) {
            trace_lines_reach (known->lines, (uint32_t) line);
        }
    }
    Py_RETURN_NONE;
}

#define METHOD(name, function)                                                                 \
    {                                                                                          \
        name, (PyCFunction) (void (*) (void)) function, TRACE_FASTCALL, NULL                   \
    }
static PyMethodDef methods[N_EVENTS] = {
    METHOD ("start", on_start),     METHOD ("resume", on_resume),
    METHOD ("throw", on_throw),     METHOD ("return", on_return),
    METHOD ("yield", on_yield),     METHOD ("unwind", on_unwind),
    METHOD ("c_call", on_c_call),   METHOD ("c_return", on_c_return),
    METHOD ("c_raise", on_c_raise), METHOD ("line", on_line),
    METHOD ("jump", on_jump),
};

/* ---- setting up ---- */

/* Not the debugger's, the coverage's or the profiler's, which the program itself may take. */
static int
take_tool (void)
{
    static const int candidates[] = { 4, 3, 5 };

    for (size_t i = 0; i < sizeof candidates / sizeof candidates[0]; i++) {
        PyObject *taken = PyObject_CallMethod (monitoring, "use_tool_id", "is", candidates[i],
                                               "pddt-trace");

        if (taken != NULL) {
            Py_DECREF (taken);
            return candidates[i];
        }
        PyErr_Clear ();
    }
    return -1;
}

static int
register_callback (int event, int bit)
{
    PyObject *callback = PyCFunction_NewEx (&methods[event], NULL, NULL);
    PyObject *before = callback != NULL ? PyObject_CallMethod (monitoring, "register_callback",
                                                               "iiO", tool, bit, callback)
                                        : NULL;

    Py_XDECREF (callback);
    Py_XDECREF (before);
    return before != NULL;
}

static int
find_bit (PyObject *events, int event)
{
    PyObject *number = PyObject_GetAttrString (events, names[event]);
    int bit = number != NULL ? (int) PyLong_AsLong (number) : 0;

    Py_XDECREF (number);
    return bit;
}

static void
set_line_events (PyObject *events)
{
    int line = find_bit (events, LINE), jump = find_bit (events, JUMP);

    find_line = (int (*) (PyObject *, int)) (uintptr_t) trace_find_symbol ("PyCode_Addr2Line");
    if (line != 0 && jump != 0 && find_line != NULL && register_callback (LINE, line)
        && register_callback (JUMP, jump)) {
        line_bits = line | jump;
    }
}

/* C_RETURN and C_RAISE come with CALL. */
static int
set_events (void)
{
    PyObject *events = PyObject_GetAttrString (monitoring, "events"), *done;
    int n = trace_wants_c ? LINE : C_CALL;

    for (int event = 0; events != NULL && event < n; event++) {
        int bit = find_bit (events, event);

        if (bit == 0 || !register_callback (event, bit)) {
            Py_CLEAR (events);
            break;
        }
        mask |= event <= C_CALL ? bit : 0;
    }
    if (events != NULL) {
        set_line_events (events);
    }
    done = events != NULL ? PyObject_CallMethod (monitoring, "set_events", "ii", tool, mask)
                          : NULL;
    Py_XDECREF (events);
    Py_XDECREF (done);
    return done != NULL;
}

void
trace_monitor_set (int is_on)
{
    PyObject *type, *value, *trace, *done;

    PyErr_Fetch (&type, &value, &trace);
    done = PyObject_CallMethod (monitoring, "set_events", "ii", tool, is_on ? mask : 0);
    Py_XDECREF (done);
    PyErr_Clear ();
    PyErr_Restore (type, value, trace);
}

int
trace_monitor_start (void)
{
    monitoring = PySys_GetObject ("monitoring");
    if (monitoring == NULL) {
        return 0;
    }
    Py_INCREF (monitoring);
    disable = PyObject_GetAttrString (monitoring, "DISABLE");
    missing = PyObject_GetAttrString (monitoring, "MISSING");
    method_type = trace_find_symbol ("PyMethodDescr_Type");
    tool = disable != NULL && missing != NULL ? take_tool () : -1;
    trace_begin_thread (); /* no Python code runs yet */
    return tool >= 0 && set_events ();
}

/* Whatever other code runs at full speed. */
void
trace_monitor_choose_lines (PyObject *code)
{
    PyObject *done = line_bits != 0 ? PyObject_CallMethod (monitoring, "set_local_events",
                                                           "iOi", tool, code, line_bits)
                                    : NULL;

    Py_XDECREF (done);
    PyErr_Clear ();
}
