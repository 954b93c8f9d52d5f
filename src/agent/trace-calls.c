/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls before CPython 3.12: a profile function in each thread. Exceptions, generators and coroutines give a
 * return event for each call event, so Enter and Leave balance without counting. New threads are
 * found when C code that started one returns; where that is not possible (3.8), by
 * threading.setprofile. */
#include "agent/trace-python.h"
#include <string.h>

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
    uint64_t (*get_id) (PyThreadState
                            *); /* from 3.9 on: threads of an interpreter count from 1 */
} api;
static PyObject *start_thread; /* _thread.start_new_thread, strong; NULL */
static uint64_t first_id,
    n_started; /* by start_thread, with the GIL; first_id 0: they are not counted */

static __thread int traces_lines __attribute__ ((tls_model ("initial-exec"))); /* this thread */

static int on_event (PyObject *self, PyObject *frame, int what, PyObject *argument);

/* ---- new threads ---- */

/* In those that have none; the audit hook would report it for each, so the error state is kept. */
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

/* What threading calls first in its new threads (3.8). */
static PyObject *
begin_thread (PyObject *self, PyObject *arguments)
{
    api.set (on_event, NULL);
    trace_open_stack (trace_get_frame ());
    Py_RETURN_NONE;
}

/* The standard library's, never a file of that name beside the script. New reference; NULL: none. */
static PyObject *
import_threading (void)
{
    static const char text[]
        = "import os, sys\n"
          "spec = sys.modules['_frozen_importlib_external'].PathFinder.find_spec('threading')\n"
          "if spec and os.path.dirname(spec.origin) == os.path.dirname(os.__file__):\n"
          "    import threading\n";
    PyObject *names = PyDict_New (), *code = Py_CompileString (text, "<pddt>", Py_file_input);
    PyObject *result = NULL, *threading = NULL;

    if (names != NULL && code != NULL) {
        PyDict_SetItemString (names, "__builtins__", PyEval_GetBuiltins ());
        result = PyEval_EvalCode (code, names, names);
        threading = PyDict_GetItemString (names, "threading");
        Py_XINCREF (threading);
    }
    Py_XDECREF (names);
    Py_XDECREF (code);
    Py_XDECREF (result);
    return threading;
}

static void
set_threading (void)
{
    static PyMethodDef method = { "begin_thread", begin_thread, METH_VARARGS, NULL };
    PyObject *threading = import_threading ();
    PyObject *function = PyCFunction_NewEx (&method, NULL, NULL);
    PyObject *result = threading != NULL && function != NULL
                           ? PyObject_CallMethod (threading, "setprofile", "O", function)
                           : NULL;

    Py_XDECREF (result);
    Py_XDECREF (function);
    Py_XDECREF (threading);
    PyErr_Clear ();
}

/* ---- threads that were not seen ---- */

/* The number that the interpreter's next thread has, which it uses up; 0: not known. */
static uint64_t
take_id (void)
{
    PyThreadState *state = api.get_id != NULL && api.get_interpreter != NULL
                               ? PyThreadState_New (api.get_interpreter ())
                               : NULL;
    uint64_t id = state != NULL ? api.get_id (state) : 0;

    if (state != NULL) {
        PyThreadState_Clear (state);
        PyThreadState_Delete (state);
    }
    return id;
}

/* A thread that C code has made becomes one of the interpreter's each time it enters Python, and no event tells of it, nor
 * of what starts under another profile function. */
static PyObject *
say_unseen (PyObject *self, PyObject *arguments)
{
    uint64_t id = first_id != 0 ? take_id () : 0, seen = first_id + n_started + 1;

    if (id > seen) {
        trace_complain (
            "before Python 3.12 threads that C code makes, or that start while another profile function "
            "is set, are not traced: they have entered Python %llu time%s",
            (unsigned long long) (id - seen), id - seen == 1 ? "" : "s");
    }
    Py_RETURN_NONE;
}

static void
count_threads (void)
{
    static PyMethodDef method = { "say_unseen", say_unseen, METH_NOARGS, NULL };
    PyObject *module = PyImport_ImportModule ("atexit"), *result = NULL;
    PyObject *function = module != NULL ? PyCFunction_NewEx (&method, NULL, NULL) : NULL;

    if (function != NULL) {
        result = PyObject_CallMethod (module, "register", "O", function);
    }
    first_id = result != NULL ? take_id () : 0;
    Py_XDECREF (result);
    Py_XDECREF (function);
    Py_XDECREF (module);
    PyErr_Clear ();
}

void
trace_calls_forget_threads (void)
{
    first_id = 0;
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
        first_id = 0; /* threads may start now */
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
    } else if (what >= C_CALL && what <= C_RETURN) {
        if (argument == start_thread && what != C_CALL && api.set_of != NULL) {
            n_started++;
            if (what == C_RETURN) {
                reach_threads ();
            }
        }
        if (trace_wants_c && argument != NULL && PyCFunction_Check (argument)) {
            on_function (frame, what, argument);
        }
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
    PyObject *module = PyImport_ImportModule ("_thread");

    start_thread = module != NULL ? PyObject_GetAttrString (module, "start_new_thread") : NULL;
    Py_XDECREF (module);
    PyErr_Clear ();
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
    if (api.set_of == NULL) {
        set_threading ();
    }
    if (api.set_of != NULL) {
        *(void **) &api.get_id = trace_find_symbol ("PyThreadState_GetID"); /* 3.9 */
        count_threads ();
    }
    trace_begin_thread (); /* no Python code runs yet */
    api.set (on_event, NULL);
    return 1;
}
