/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tracer's start and end in a Python process, and the functions of CPython that are outside the
 * limited API. */
#include "agent/trace-python.h"
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    OLD_BACK = 24,
    OLD_CODE = 32
}; /* of a frame object in 3.8, which has no functions for it */

int trace_minor;
__thread int trace_has_stack __attribute__ ((tls_model ("initial-exec")));

static struct {
    PyObject *(*get_code) (PyObject *); /* 3.9 */
    PyObject *(*get_back) (PyObject *); /* 3.9 */
    PyObject *(*get_frame) (void);
} api;

void *
trace_find_symbol (const char *name)
{
    return dlsym (RTLD_DEFAULT, name);
}

PyObject *
trace_get_code (PyObject *frame)
{
    PyObject *code;

    if (api.get_code != NULL) {
        return api.get_code (frame);
    }
    code = *(PyObject **) ((char *) frame + OLD_CODE);
    Py_INCREF (code);
    return code;
}

PyObject *
trace_get_back (PyObject *frame)
{
    PyObject *back;

    if (api.get_back != NULL) {
        return api.get_back (frame);
    }
    back = *(PyObject **) ((char *) frame + OLD_BACK);
    Py_XINCREF (back);
    return back;
}

PyObject *
trace_get_frame (void)
{
    return api.get_frame ();
}

void
trace_complain (const char *format, ...)
{
    char text[512], rank[32];
    int has_rank = trace_find_setting ("PDDT_TRACE_RANK", rank, sizeof rank);
    va_list arguments;

    va_start (arguments, format);
    vsnprintf (text, sizeof text, format, arguments);
    va_end (arguments);
    fprintf (stderr, "pddt: %s%s%s%s\n", has_rank ? "rank " : "", has_rank ? rank : "",
             has_rank ? ": " : "", text);
}

/* ---- the stack ---- */

/* Outermost first. */
void
trace_open_stack (PyObject *frame)
{
    PyObject **frames = NULL;
    size_t n = 0, room = 0;
    uint64_t now = trace_now ();

    trace_begin_thread ();
    Py_XINCREF (frame);
    while (frame != NULL) {
        if (n == room) {
            PyObject **more = realloc (frames, (room = 2 * room + 64) * sizeof *frames);

            if (more == NULL) {
                Py_DECREF (frame);
                break;
            }
            frames = more;
        }
        frames[n++] = frame;
        frame = trace_get_back (frame);
    }
    while (n-- > 0) {
        PyObject *code = trace_get_code (frames[n]);
        const TraceCode *known = trace_codes_find (code);

        if (known->region != 0) {
            trace_put_at (now, PDDT_TRACE_ENTER, known->region, PDDT_TRACE_OPENED);
        }
        Py_DECREF (code);
        Py_DECREF (frames[n]);
    }
    free (frames);
}

static void
on_fork (void)
{
    trace_pause_forget ();
    trace_lines_forget ();
}

/* ---- start and end ---- */

/* FALSE: it is no interpreter that this file knows. */
static int
look_up (void)
{
    PyObject *version = PySys_GetObject ("hexversion"), *flags = PySys_GetObject ("abiflags");
    PyObject *implementation = PySys_GetObject ("implementation");
    PyObject *name = implementation != NULL ? PyObject_GetAttrString (implementation, "name")
                                            : NULL;
    int is_known = name != NULL && PyUnicode_Check (name)
                   && PyUnicode_CompareWithASCIIString (name, "cpython") == 0;

    Py_XDECREF (name);
    PyErr_Clear ();
    trace_minor = version != NULL ? (int) (PyLong_AsLong (version) >> 16 & 0xff) : 0;
    *(void **) &api.get_code = trace_find_symbol ("PyFrame_GetCode");
    *(void **) &api.get_back = trace_find_symbol ("PyFrame_GetBack");
    *(void **) &api.get_frame = trace_find_symbol ("PyEval_GetFrame");
    if (flags != NULL && PyUnicode_Check (flags)
        && PyUnicode_FindChar (flags, 't', 0, PyUnicode_GetLength (flags), 1) >= 0) {
        trace_complain (
            "this Python process is not traced: its interpreter runs without the GIL");
        return 0;
    }
    if (!is_known || api.get_frame == NULL || trace_minor < 8
        || (trace_minor > 8 && (api.get_code == NULL || api.get_back == NULL))) {
        trace_complain (
            "this Python process is not traced: its interpreter is not CPython 3.8 or later");
        return 0;
    }
    return 1;
}

static void
put_property (const char *name, PyObject *value)
{
    PyObject *bytes = value != NULL && PyUnicode_Check (value)
                          ? PyUnicode_AsEncodedString (value, "utf-8", "backslashreplace")
                          : NULL;

    if (bytes != NULL) {
        trace_define_named (PDDT_TRACE_PROPERTY, name,
                            trace_define_string (PyBytes_AsString (bytes),
                                                 PyBytes_Size (bytes)),
                            PDDT_TRACE_STRING_ID, 0);
    }
    Py_XDECREF (bytes);
    PyErr_Clear ();
}

void pddt_trace_start (void);

void
trace_set_calls (int is_on)
{
    trace_check_pause (trace_get_frame (), 0);
    if (trace_minor < 12) {
        trace_calls_set (is_on);
    } else if (is_on) {
        trace_monitor_set (1);
    } else {
        trace_stop_hearing ();
    }
}

void
trace_stop_hearing (void)
{
    if (trace_minor >= 12 && (trace_pause & TRACE_NO_CALLS)
        && __atomic_load_n (&trace_n_hearing, __ATOMIC_RELAXED) == 0) {
        trace_monitor_set (0);
    }
}

/* Called by the preloaded library, with the GIL, before the first line of the user's. */
__attribute__ ((visibility ("default"))) void
pddt_trace_start (void)
{
    char folder[4096] = "";
    int problem;

    if (!trace_find_setting (TRACE_FOLDER_VARIABLE, folder, sizeof folder) || !look_up ()) {
        return;
    }
    problem = trace_open (PDDT_TRACE_PYTHON);
    if (problem != 0) {
        char host[256] = "this host";

        gethostname (host, sizeof host - 1);
        trace_complain ("not traced: %s cannot write into %s: %s", host, folder,
                        strerror (problem));
        return;
    }
    trace_filter_load (folder);
    trace_on_fork (on_fork);
    trace_on_thread_end (trace_pause_end);
    put_property ("python", PySys_GetObject ("version"));
    trace_names_start ();
    if (!trace_codes_init ()
        || !(trace_minor >= 12 ? trace_monitor_start () : trace_calls_start ())) {
        trace_complain (
            "the calls of this Python process are not recorded: the interpreter does not "
            "report them");
    }
    trace_lines_offer_profile ();
    if (trace_wants_memory) {
        trace_memory_start ();
    }
    if (trace_pause & TRACE_NO_CALLS) {
        trace_set_calls (0);
    }
    PyErr_Clear ();
}

__attribute__ ((destructor)) static void
end (void)
{
    trace_pause_end ();
    trace_end ();
}
