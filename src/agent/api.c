/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions of CPython outside the limited API, looked up by name. Where a version lacks one,
 * this file provides another way, so that no other file depends on versions. */
#include "agent/private.h"
#include <dlfcn.h>
#include <pthread.h>

static struct {
    void (*set_trace) (AgentTraceFunction, PyObject *);
    void (*set_trace_all) (AgentTraceFunction, PyObject *);                /* 3.12 */
    int (*set_trace_of) (PyThreadState *, AgentTraceFunction, PyObject *); /* 3.9 to 3.12 */
    void *(*get_main_interpreter) (void);
    PyThreadState *(*get_first_thread) (void *);
    PyThreadState *(*get_next_thread) (PyThreadState *);
    int (*get_line) (PyObject *);
    int (*find_line) (PyObject *, int);
    PyObject *(*get_code) (PyObject *); /* 3.9 */
    PyObject *(*get_back) (PyObject *); /* 3.9 */
    PyObject *(*get_frame) (void);
    int (*locals_to_fast) (PyObject *, int);
    PyObject *(*get_cell) (PyObject *);
    PyThreadState *(*get_thread) (void);
    int (*check_gil) (void);
    /* PyObject_Vectorcall (3.9) or _PyObject_FastCallDict (3.8) */
    PyObject *(*call) (PyObject *, PyObject *const *, size_t, PyObject *);
    PyTypeObject *cell_type;
    void *(*get_interpreter) (void);
    int (*add_audit) (AgentAudit, void *);
    void *own_interpreter, *runtime;
    /* the interpreter's own evaluation function */
    void *evaluate;
    void (*set_evaluation) (void *, void *);                      /* 3.9 */
    int (*add_pending) (void *, int (*) (void *), void *, int);   /* from 3.12 on */
    PyObject *is_collecting, *stop_collecting, *start_collecting; /* of the module gc */
} api;

/* The mutexes that adding a pending call takes from 3.13 on, where a global table of queues holds
 * the waiters of a mutex (pycore_ceval_state.h, pycore_runtime.h, pycore_interp.h); NULL: not
 * known. Older versions use semaphores. */
static struct {
    const volatile unsigned char *main_calls, *calls, *threads;
} locks;

static int minor;
uintptr_t agent_reference_tags;
size_t agent_frame_data_offset, agent_frame_code_offset, agent_frame_lines_offset;
int agent_has_compact_ints;

/* Where each version keeps a frame's fast variables: in the frame object (3.8 to 3.10), in
 * the structure that the frame object points to (3.11), in the thread's current frame (from 3.12
 * on). */
typedef struct {
    int minor;
    /* offsets of the pointers to follow; 0: not needed */
    size_t in_thread, in_cframe, in_frame;
    size_t code, fast;
    size_t current; /* offset of the innermost frame in the thread or its cframe */
    int has_cframe; /* 1: the pointer to the cframe is at in_thread, or at 56 */
} FastLayout;
static const FastLayout layouts[] = {
    { 8, 0, 0, 0, 32, 360, 24, 0 },  { 9, 0, 0, 0, 32, 360, 24, 0 },
    { 10, 0, 0, 0, 32, 352, 24, 0 }, { 11, 0, 0, 24, 32, 72, 8, 1 },
    { 12, 56, 1, 0, 0, 72, 0, 1 },   { 13, 72, 0, 0, 0, 72, 72, 0 },
    { 14, 72, 0, 0, 0, 80, 72, 0 },
};
enum { CFRAME_OFFSET = 56 };
static const FastLayout *fast; /* this version's; not to be used before is_fast_checked */
static int is_fast_checked;

static void *
find (const char *name)
{
    return dlsym (RTLD_DEFAULT, name);
}

/* The mutex of a queue of pending calls. NULL unless the limits beside it are those
 * expected. */
static const volatile unsigned char *
find_queue_lock (void *owner, size_t queue, int wanted_max, int wanted_loop)
{
    enum { MUTEX = 8, MAX = 16, MAX_LOOP = 20 };
    const char *place = owner != NULL ? (const char *) owner + queue : NULL;

    return place != NULL && *(const int *) (place + MAX) == wanted_max
                   && *(const int *) (place + MAX_LOOP) == wanted_loop
               ? (const volatile unsigned char *) place + MUTEX
               : NULL;
}

static void
find_locks (void)
{
    enum { CALLS = 32, MAIN_INTERPRETER = 16 /* behind the mutex */ };
    size_t main_calls = minor == 13 ? 2640 : 2848, threads = minor == 13 ? 624 : 800;
    const char *runtime = api.runtime;

    if ((minor != 13 && minor != 14) || runtime == NULL || api.get_main_interpreter == NULL
        || *(void *const *) (runtime + threads + MAIN_INTERPRETER)
               != api.get_main_interpreter ())
        return;
    locks.threads = (const volatile unsigned char *) runtime + threads;
    locks.main_calls = find_queue_lock (api.runtime, main_calls, 32, 0);
    locks.calls = find_queue_lock (api.own_interpreter, CALLS, 300, 100);
}

/* Looks the functions up once, at the start: what the program later assigns to these names is
 * its own business. */
static int
find_collector (void)
{
    PyObject *module = PyImport_ImportModule ("gc");

    if (module == NULL)
        return 0;
    api.is_collecting = PyObject_GetAttrString (module, "isenabled");
    api.stop_collecting = PyObject_GetAttrString (module, "disable");
    api.start_collecting = PyObject_GetAttrString (module, "enable");
    Py_DECREF (module);
    return api.is_collecting != NULL && api.stop_collecting != NULL
           && api.start_collecting != NULL;
}

int
agent_api_init (void)
{
    *(void **) &api.set_trace = find ("PyEval_SetTrace");
    *(void **) &api.set_trace_all = find ("PyEval_SetTraceAllThreads");
    *(void **) &api.set_trace_of = find ("_PyEval_SetTrace");
    *(void **) &api.get_main_interpreter = find ("PyInterpreterState_Main");
    *(void **) &api.get_first_thread = find ("PyInterpreterState_ThreadHead");
    *(void **) &api.get_next_thread = find ("PyThreadState_Next");
    *(void **) &api.get_line = find ("PyFrame_GetLineNumber");
    *(void **) &api.find_line = find ("PyCode_Addr2Line");
    *(void **) &api.get_code = find ("PyFrame_GetCode");
    *(void **) &api.get_back = find ("PyFrame_GetBack");
    *(void **) &api.get_frame = find ("PyEval_GetFrame");
    *(void **) &api.locals_to_fast = find ("PyFrame_LocalsToFast");
    *(void **) &api.get_thread = find ("_PyThreadState_UncheckedGet");
    if (api.get_thread == NULL)
        *(void **) &api.get_thread = find ("PyThreadState_GetUnchecked"); /* 3.13 */
    if (api.get_thread == NULL)
        api.get_thread = PyThreadState_Get;
    *(void **) &api.check_gil = find ("PyGILState_Check");
    *(void **) &api.get_cell = find ("PyCell_Get");
    *(void **) &api.call = find ("PyObject_Vectorcall");
    if (api.call == NULL)
        *(void **) &api.call = find ("_PyObject_FastCallDict");
    api.cell_type = find ("PyCell_Type");
    *(void **) &api.add_audit = find ("PySys_AddAuditHook");
    *(void **) &api.get_interpreter = find ("PyInterpreterState_Get"); /* 3.9 */
    if (api.get_interpreter == NULL)
        *(void **) &api.get_interpreter = find ("_PyInterpreterState_Get");
    api.own_interpreter = api.get_interpreter != NULL ? api.get_interpreter () : NULL;
    api.runtime = find ("_PyRuntime");
    api.evaluate = find ("_PyEval_EvalFrameDefault");
    *(void **) &api.set_evaluation = find ("_PyInterpreterState_SetEvalFrameFunc");
    *(void **) &api.add_pending = find ("_PyEval_AddPendingCall");
    PyObject *version = PySys_GetObject ("hexversion");
    minor = version != NULL ? (int) (PyLong_AsLong (version) >> 16 & 0xff) : 0;
    for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; i++) {
        if (layouts[i].minor == minor)
            fast = &layouts[i];
    }
    agent_reference_tags = minor >= 14 ? 3 : 0;
    find_locks ();
    if (!find_collector ())
        return 0;
    if (api.set_trace == NULL || api.get_line == NULL || api.get_frame == NULL) {
        PyErr_SetString (PyExc_ImportError, "pddt_agent: this interpreter is not CPython");
        return 0;
    }
    return 1;
}

int
agent_api_get_minor (void)
{
    return minor;
}

int
agent_api_is_own_interpreter (void)
{
    return api.get_interpreter == NULL || api.get_interpreter () == api.own_interpreter;
}

void *
agent_api_get_interpreter (void)
{
    return api.own_interpreter;
}

void *
agent_api_get_runtime (void)
{
    return api.runtime;
}

void *
agent_api_get_evaluation (void)
{
    return minor > 8 || api.runtime != NULL ? api.evaluate : NULL;
}

int
agent_api_set_evaluation (void *function)
{
    if (api.set_evaluation != NULL)
        api.set_evaluation (api.own_interpreter, function);
    return api.set_evaluation != NULL;
}

void *
agent_thread_get (void)
{
    return api.get_thread ();
}

void *
agent_thread_get_next (void *thread)
{
    if (api.get_first_thread == NULL || api.get_next_thread == NULL
        || api.own_interpreter == NULL)
        return NULL;
    return thread == NULL ? api.get_first_thread (api.own_interpreter)
                          : api.get_next_thread (thread);
}

int
agent_api_add_pending (int (*function) (void *))
{
    return minor >= 12 && minor <= 14 && api.add_pending != NULL && api.own_interpreter != NULL
           && api.add_pending (api.own_interpreter, function, NULL, 0) == 0;
}

int
agent_api_may_add_pending (void)
{
    return (locks.main_calls == NULL || *locks.main_calls == 0)
           && (locks.calls == NULL || *locks.calls == 0)
           && (locks.threads == NULL || *locks.threads == 0);
}

int
agent_api_add_audit (AgentAudit hook)
{
    int done = api.add_audit != NULL && api.add_audit (hook, NULL) == 0;
    PyErr_Clear ();
    return done;
}

PyObject *
agent_cell_get (PyObject *cell)
{
    if (cell == NULL || api.get_cell == NULL || Py_TYPE (cell) != api.cell_type)
        return NULL;
    return api.get_cell (cell);
}

PyObject *
agent_call (PyObject *function, PyObject **arguments, size_t count)
{
    if (api.call != NULL)
        return api.call (function, arguments, count, NULL);
    return PyObject_CallFunctionObjArgs (function, count > 0 ? arguments[0] : NULL,
                                         count > 1 ? arguments[1] : NULL,
                                         count > 2 ? arguments[2] : NULL,
                                         count > 3 ? arguments[3] : NULL, NULL);
}

static inline char *
follow (char *object, size_t offset)
{
    return object != NULL ? *(char **) (object + offset) : NULL;
}

static inline char *
find_frame_data (PyObject *frame)
{
    if (fast->in_thread == 0)
        return fast->in_frame != 0 ? follow ((char *) frame, fast->in_frame) : (char *) frame;
    char *data = follow ((char *) api.get_thread (), fast->in_thread);
    return fast->in_cframe != 0 ? follow (data, 0) : data;
}

static inline PyObject **
find_fast (PyObject *code, PyObject *frame)
{
    char *data = find_frame_data (frame);

    return data != NULL && agent_get_fast ((PyObject **) (data + fast->code), 0) == code
               ? (PyObject **) (data + fast->fast)
               : NULL;
}

PyObject **
agent_find_fast (PyObject *code, PyObject *frame)
{
    return is_fast_checked ? find_fast (code, frame) : NULL;
}

PyObject **
agent_frame_get_fast (void *data)
{
    return is_fast_checked ? (PyObject **) ((char *) data + fast->fast) : NULL;
}

/* Only 3.11 spends much time on line events that nobody wants. */
static void
check_lines (PyObject *frame)
{
    enum { OFFSET_311 = 44 };
    const char *byte = (char *) frame + OFFSET_311;
    if (minor != 11)
        return;
    int is_right = PyObject_SetAttrString (frame, "f_trace_lines", Py_False) == 0 && *byte == 0;
    is_right = PyObject_SetAttrString (frame, "f_trace_lines", Py_True) == 0 && is_right
               && *byte == 1;
    agent_frame_lines_offset = is_right ? OFFSET_311 : 0;
}

static void
check_ints (void)
{
    static const long numbers[]
        = { 0, 1, -1, 77, -5000, (1l << 30) - 1, 1l << 30, -(1l << 45) };
    int is_right = minor >= 12 && minor <= 14;
    for (size_t i = 0; is_right && i < sizeof numbers / sizeof numbers[0]; i++) {
        PyObject *number = PyLong_FromLong (numbers[i]);
        long value = 0;
        agent_has_compact_ints = 1;
        is_right = number != NULL && agent_read_int (number, &value) && value == numbers[i];
        Py_XDECREF (number);
    }
    agent_has_compact_ints = is_right;
    PyErr_Clear ();
}

PyObject *
agent_check_fast (PyObject *self, PyObject *arguments)
{
    PyObject *code, *first, *second, **values;
    if (!PyArg_ParseTuple (arguments, "OOO", &code, &first, &second))
        return NULL;
    PyObject *frame = api.get_frame ();
    int is_plain = PySys_GetObject ("gettotalrefcount") == NULL;
    values = fast != NULL && frame != NULL && is_plain ? find_fast (code, frame) : NULL;
    is_fast_checked = values != NULL && agent_get_fast (values, 0) == first
                      && agent_get_fast (values, 1) == second;
    if (is_fast_checked && fast->in_thread == 0) {
        agent_frame_data_offset = fast->in_frame;
        agent_frame_code_offset = fast->code;
        check_lines (frame);
        agent_trace_check (frame);
        if (!agent_hook_is_known ())
            /* lines that were turned off could not be turned on again */
            agent_frame_lines_offset = 0;
    }
    if (is_fast_checked)
        check_ints ();
    return PyBool_FromLong (is_fast_checked);
}

void *
agent_frame_get_data (PyObject *frame)
{
    return find_frame_data (frame);
}

/* The address of the thread's pointer to its innermost frame; NULL: not known for certain. */
static void **
find_current (void)
{
    PyObject *frame = api.get_frame ();
    char *owner = (char *) api.get_thread ();
    if (!is_fast_checked || frame == NULL || owner == NULL)
        return NULL;
    if (fast->has_cframe)
        owner = follow (owner, CFRAME_OFFSET);
    void **current = owner != NULL ? (void **) (owner + fast->current) : NULL;
    void *wanted = fast->in_thread == 0 ? (void *) find_frame_data (frame) : *current;
    return current != NULL && *current == wanted ? current : NULL;
}

__attribute__ ((visibility ("default"), noinline)) PyObject *
pddt_run_outermost (PyObject *self, PyObject *arguments)
{
    Py_ssize_t count = PyTuple_Size (arguments);
    PyObject *function = count > 0 ? PyTuple_GetItem (arguments, 0) : NULL, *result;
    PyObject *rest = function != NULL ? PyTuple_GetSlice (arguments, 1, count) : NULL;
    if (rest == NULL)
        return NULL;
    void **current = find_current (), *own = current != NULL ? *current : NULL;
    if (current != NULL)
        *current = NULL;
    result = PyObject_CallObject (function, rest);
    if (current != NULL)
        *current = own;
    Py_DECREF (rest);
    return result;
}

/* Turns the garbage collector off. Returns FALSE if it was off already. */
static int
stop_collecting (void)
{
    PyObject *is_on = PyObject_CallObject (api.is_collecting, NULL);
    int was_on = is_on == Py_True;

    Py_XDECREF (is_on);
    if (was_on)
        Py_XDECREF (PyObject_CallObject (api.stop_collecting, NULL));
    return was_on;
}

PyObject *
agent_list_frames (PyObject *self, PyObject *unused)
{
    PyObject *list = PySys_GetObject ("_current_frames");
    int was_on = list != NULL && stop_collecting ();

    list = list != NULL ? PyObject_CallObject (list, NULL) : PyDict_New ();
    if (was_on)
        Py_XDECREF (PyObject_CallObject (api.start_collecting, NULL));
    return list;
}

PyObject *
agent_frame_get_code (PyObject *frame)
{
    return api.get_code != NULL ? api.get_code (frame)
                                : PyObject_GetAttrString (frame, "f_code");
}

PyObject *
agent_frame_get_back (PyObject *frame)
{
    if (api.get_back != NULL)
        return api.get_back (frame);
    PyObject *back = PyObject_GetAttrString (frame, "f_back");
    if (back == NULL)
        PyErr_Clear ();
    if (back == Py_None)
        Py_CLEAR (back);
    return back;
}

uint32_t
agent_code_find_line (PyObject *code, int offset)
{
    int line = api.find_line != NULL ? api.find_line (code, offset) : 0;
    return line > 0 ? (uint32_t) line : 0;
}

int
agent_frame_has_line (PyObject *frame)
{
    return api.get_line (frame) > 0;
}

/* The line of the nearest instruction before the frame's that has one. */
static uint32_t
find_earlier_line (PyObject *frame)
{
    PyObject *code = agent_frame_get_code (frame),
             *number = PyObject_GetAttrString (frame, "f_lasti");
    long at = number != NULL ? PyLong_AsLong (number) : -1;
    uint32_t line = 0;
    for (; code != NULL && line == 0 && at >= 0; at -= 2)
        line = agent_code_find_line (code, (int) at);
    Py_XDECREF (number);
    Py_XDECREF (code);
    PyErr_Clear ();
    return line;
}

uint32_t
agent_frame_get_line (PyObject *frame)
{
    int line = api.get_line (frame);
    return line > 0 ? (uint32_t) line : find_earlier_line (frame);
}

PyObject *
agent_get_frame (void)
{
    return api.get_frame ();
}

unsigned long
agent_get_thread (void)
{
    return (unsigned long) pthread_self ();
}

int
agent_has_gil (void)
{
    return api.check_gil != NULL && api.check_gil ();
}

void
agent_frame_locals_to_fast (PyObject *frame)
{
    /* from 3.13 on f_locals writes through (PEP 667) */
    if (minor < 13 && api.locals_to_fast != NULL)
        (void) api.locals_to_fast (frame, 0);
}

void
agent_set_trace (AgentTraceFunction function, PyObject *marker)
{
    api.set_trace (function, marker);
}

/* 3.8 can set the trace function of the current thread only, so this makes the other thread
 * current for a moment. */
static void
set_trace_of (PyThreadState *thread, AgentTraceFunction function, PyObject *marker)
{
    if (api.set_trace_of == NULL) {
        PyThreadState *own = PyThreadState_Swap (thread);
        api.set_trace (function, marker);
        PyThreadState_Swap (own);
    } else if (api.set_trace_of (thread, function, marker) < 0) {
        PyErr_Clear ();
    }
}

void
agent_set_trace_all (AgentTraceFunction function, PyObject *marker)
{
    if (api.set_trace_all != NULL) {
        api.set_trace_all (function, marker);
        return;
    }
    PyThreadState *own = PyThreadState_Get ();
    api.set_trace (function, marker);
    if (api.get_main_interpreter == NULL || api.get_first_thread == NULL
        || api.get_next_thread == NULL)
        return;
    for (PyThreadState *thread = api.get_first_thread (api.get_main_interpreter ());
         thread != NULL; thread = api.get_next_thread (thread)) {
        if (thread != own)
            set_trace_of (thread, function, marker);
    }
}
