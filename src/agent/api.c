/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The part of CPython that is outside the limited API, by name: what is missing in a version is
 * done another way here, so that no other file knows versions. */
#include "agent/private.h"
#include <dlfcn.h>

static struct {
    void (*set_trace) (AgentTraceFunction, PyObject *);
    void (*set_trace_all) (AgentTraceFunction, PyObject *);                    /* 3.12 */
    int (*set_trace_of) (PyThreadState *, AgentTraceFunction, PyObject *);     /* 3.9 to 3.12 */
    void *(*get_main_interpreter) (void);
    PyThreadState *(*get_first_thread) (void *);
    PyThreadState *(*get_next_thread) (PyThreadState *);
    int (*get_line) (PyObject *);
    PyObject *(*get_code) (PyObject *);                                        /* 3.9 */
    PyObject *(*get_back) (PyObject *);                                        /* 3.9 */
    PyObject *(*get_frame) (void);
    int (*locals_to_fast) (PyObject *, int);
} api;

static int is_before_3_13;

static void *
find (const char *name)
{
    return dlsym (RTLD_DEFAULT, name);
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
    *(void **) &api.get_code = find ("PyFrame_GetCode");
    *(void **) &api.get_back = find ("PyFrame_GetBack");
    *(void **) &api.get_frame = find ("PyEval_GetFrame");
    *(void **) &api.locals_to_fast = find ("PyFrame_LocalsToFast");
    PyObject *version = PySys_GetObject ("hexversion");
    is_before_3_13 = version == NULL || PyLong_AsLong (version) < 0x030d0000;
    if (api.set_trace == NULL || api.get_line == NULL || api.get_frame == NULL) {
        PyErr_SetString (PyExc_ImportError, "pddt_agent: this interpreter is not CPython");
        return 0;
    }
    return 1;
}

PyObject *
agent_frame_get_code (PyObject *frame)
{
    return api.get_code != NULL ? api.get_code (frame) : PyObject_GetAttrString (frame, "f_code");
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

int
agent_frame_get_line (PyObject *frame)
{
    return api.get_line (frame);
}

PyObject *
agent_get_frame (void)
{
    return api.get_frame ();
}

void
agent_frame_locals_to_fast (PyObject *frame)
{
    /* from 3.13 on f_locals writes through (PEP 667) */
    if (is_before_3_13 && api.locals_to_fast != NULL)
        (void) api.locals_to_fast (frame, 0);
}

void
agent_set_trace (AgentTraceFunction function, PyObject *marker)
{
    api.set_trace (function, marker);
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
    if (api.set_trace_of == NULL || api.get_main_interpreter == NULL
        || api.get_first_thread == NULL || api.get_next_thread == NULL)
        return;
    for (PyThreadState *thread = api.get_first_thread (api.get_main_interpreter ()); thread != NULL;
         thread = api.get_next_thread (thread)) {
        if (thread != own && api.set_trace_of (thread, function, marker) < 0)
            PyErr_Clear ();
    }
}
