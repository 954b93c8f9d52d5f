/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The module _pddt_trace, by which pddt.py and the package scorep (src/agent/python) record what a script names. It is in
 * sys.modules while a process is traced, and only then. Nothing here raises an exception for what
 * it cannot record: the program does what it does without pddt. */
#include "agent/trace-python.h"
#include "agent/trace-switch.h"
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <structmember.h>
#include <unistd.h>

static PyObject *regions, *parameters, *metrics; /* dicts of names to ids */
static char own_folder[4096];                    /* of pddt.py, with its slash */

int
trace_names_is_own (const char *file)
{
    return strcmp (file, "<pddt>") == 0
           || (own_folder[0] != '\0' && strncmp (file, own_folder, strlen (own_folder)) == 0);
}

/* ---- names ---- */

/* Bytes of a str, to be released; NULL: it is none. */
static PyObject *
encode (PyObject *text)
{
    PyObject *bytes = text != NULL && PyUnicode_Check (text)
                          ? PyUnicode_AsEncodedString (text, "utf-8", "backslashreplace")
                          : NULL;

    PyErr_Clear ();
    return bytes;
}

/* The id that the dict has for the name; 0: none. */
static uint32_t
find_id (PyObject *dict, PyObject *name)
{
    PyObject *number = PyUnicode_Check (name) ? PyDict_GetItem (dict, name) : NULL;

    return number != NULL ? (uint32_t) PyLong_AsUnsignedLong (number) : 0;
}

static void
keep_id (PyObject *dict, PyObject *name, uint32_t id)
{
    PyObject *number = PyLong_FromUnsignedLong (id);

    if (number != NULL) {
        PyDict_SetItem (dict, name, number);
    }
    Py_XDECREF (number);
    PyErr_Clear ();
}

/* The line of the innermost frame that is none of pddt's own; bytes of its file, NULL: none. */
static PyObject *
find_caller (long *ret_line)
{
    int (*get_line) (PyObject *) = NULL;
    PyObject *frame = trace_get_frame (), *file = NULL;

    *(void **) &get_line = trace_find_symbol ("PyFrame_GetLineNumber");
    Py_XINCREF (frame);
    while (frame != NULL) {
        PyObject *code = trace_get_code (frame), *back;
        PyObject *name = PyObject_GetAttrString (code, "co_filename");

        Py_DECREF (code);
        file = encode (name);
        Py_XDECREF (name);
        if (file == NULL || !trace_names_is_own (PyBytes_AsString (file))) {
            break;
        }
        Py_CLEAR (file);
        back = trace_get_back (frame);
        Py_DECREF (frame);
        frame = back;
    }
    *ret_line = frame != NULL && get_line != NULL ? get_line (frame) : 0;
    Py_XDECREF (frame);
    PyErr_Clear ();
    return file;
}

/* Score-P's filters speak of the regions that a program names, too; a filter of pddt's own, of functions alone. */
static int
is_chosen (const char *name, PyObject *path)
{
    TraceFunction region = { name, name, path != NULL ? PyBytes_AsString (path) : "", NULL };

    return !trace_wants_modules || trace_filter_is_recorded (&region);
}

/* file, line: NULL or None: the caller's. */
static uint32_t
get_region (PyObject *name, PyObject *file, PyObject *line)
{
    uint32_t id = find_id (regions, name);
    PyObject *text, *path;
    long number = 0;

    if (id != 0 || !PyUnicode_Check (name)) {
        return id;
    }
    text = encode (name);
    path = file != NULL && file != Py_None ? encode (file) : NULL;
    if (path != NULL && line != NULL && PyLong_Check (line)) {
        number = PyLong_AsLong (line);
    } else if (path == NULL) {
        path = find_caller (&number);
    }
    if (text != NULL && is_chosen (PyBytes_AsString (text), path)) {
        id = trace_define_region (PyBytes_AsString (text), NULL,
                                  path != NULL ? PyBytes_AsString (path) : NULL,
                                  number > 0 ? (uint32_t) number : 0, PDDT_TRACE_IN_USER, 0);
        keep_id (regions, name, id);
    }
    Py_XDECREF (text);
    Py_XDECREF (path);
    PyErr_Clear ();
    return id;
}

/* ---- regions ---- */

static int
is_code (PyObject *object)
{
    PyTypeObject *type = trace_find_symbol ("PyCode_Type");

    return type != NULL && Py_TYPE (object) == type;
}

static PyObject *
region_begin (PyObject *self, PyObject *const *arguments, Py_ssize_t count)
{
    if (count > 0) {
        trace_regions_enter (get_region (arguments[0], count > 1 ? arguments[1] : NULL,
                                         count > 2 ? arguments[2] : NULL));
    }
    Py_RETURN_NONE;
}

static PyObject *
region_end (PyObject *self, PyObject *const *arguments, Py_ssize_t count)
{
    uint32_t id = count > 0 && arguments[0] != Py_None ? find_id (regions, arguments[0]) : 0;

    if (id != 0 || count == 0 || arguments[0] == Py_None) {
        trace_regions_leave (id);
    }
    Py_RETURN_NONE;
}

/* (code, module): a call of a function whose calls nobody else records now. */
static PyObject *
code_begin (PyObject *self, PyObject *const *arguments, Py_ssize_t count)
{
    if (count > 1 && is_code (arguments[0])) {
        trace_regions_enter (trace_codes_find_region (arguments[0], arguments[1]));
    }
    Py_RETURN_NONE;
}

static PyObject *
code_end (PyObject *self, PyObject *const *arguments, Py_ssize_t count)
{
    uint32_t id = count > 0 ? trace_codes_peek (arguments[0]) : 0;

    if (id != 0) {
        trace_regions_leave (id);
    }
    Py_RETURN_NONE;
}

/* A context manager. */
typedef struct {
    PyObject_HEAD PyObject *name; /* None: it has none, and records nothing */
    uint32_t id;
} Region;

static PyObject *
new_region (PyTypeObject *type, PyObject *arguments, PyObject *named)
{
    allocfunc allocate = (allocfunc) PyType_GetSlot (type, Py_tp_alloc);
    Region *region = (Region *) allocate (type, 0);
    PyObject *name = PyTuple_Size (arguments) > 0 ? PyTuple_GetItem (arguments, 0) : Py_None;

    if (region != NULL) {
        Py_INCREF (name);
        region->name = name;
    }
    return (PyObject *) region;
}

static void
free_region (PyObject *self)
{
    PyTypeObject *type = Py_TYPE (self);

    Py_CLEAR (((Region *) self)->name);
    ((freefunc) PyType_GetSlot (type, Py_tp_free)) (self);
    Py_DECREF (type);
}

static PyObject *
enter_region (PyObject *self, PyObject *unused)
{
    Region *region = (Region *) self;

    if (region->id == 0) {
        region->id = get_region (region->name, NULL, NULL);
    }
    trace_regions_enter (region->id);
    Py_INCREF (self);
    return self;
}

static PyObject *
leave_region (PyObject *self, PyObject *unused)
{
    if (((Region *) self)->id != 0) {
        trace_regions_leave (((Region *) self)->id);
    }
    Py_RETURN_NONE;
}

static PyMethodDef region_methods[] = {
    { "__enter__", enter_region, METH_NOARGS, NULL },
    { "__exit__", leave_region, METH_VARARGS, NULL },
    { NULL, NULL, 0, NULL },
};
static PyMemberDef region_members[] = {
    { "name", T_OBJECT, offsetof (Region, name), READONLY, NULL },
    { NULL, 0, 0, 0, NULL },
};
static PyType_Slot region_slots[] = {
    { Py_tp_new, new_region },
    { Py_tp_dealloc, free_region },
    { Py_tp_methods, region_methods },
    { Py_tp_members, region_members },
    { 0, NULL },
};
static PyType_Spec region_spec = { "_pddt_trace.Region", sizeof (Region), 0,
                                   Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, region_slots };

/* ---- values ---- */

static uint32_t
get_named (PyObject *dict, uint32_t kind, PyObject *name, PyObject *unit,
           enum pddt_trace_type type)
{
    uint32_t id = find_id (dict, name);
    PyObject *text, *other;

    if (id != 0) {
        return id;
    }
    text = encode (name);
    other = encode (unit);
    if (text != NULL) {
        id = trace_define_named (kind, PyBytes_AsString (text),
                                 other != NULL
                                     ? trace_define_string (PyBytes_AsString (other), -1)
                                     : 0,
                                 type, 0);
        keep_id (dict, name, id);
    }
    Py_XDECREF (text);
    Py_XDECREF (other);
    return id;
}

static PyObject *
put_value (PyObject *dict, uint8_t event, uint32_t kind, PyObject *const *arguments,
           Py_ssize_t count, struct pddt_trace_value value)
{
    uint32_t id = 0;

    if (PyErr_Occurred () != NULL) { /* a number that the trace has no room for */
        PyErr_Clear ();
    } else if (!(trace_pause & TRACE_NO_RECORDING)) {
        id = get_named (dict, kind, arguments[0], count > 2 ? arguments[2] : NULL,
                        (enum pddt_trace_type) value.type);
    }
    if (id != 0) {
        trace_put_with (event, id, 0, &value, sizeof value);
    }
    Py_RETURN_NONE;
}

static PyObject *
parameter_int (PyObject *self, PyObject *const *arguments, Py_ssize_t count)
{
    struct pddt_trace_value value = { .type = PDDT_TRACE_INTEGER };

    if (count < 2) {
        Py_RETURN_NONE;
    }
    value.value.integer = PyLong_AsLongLong (arguments[1]);
    return put_value (parameters, PDDT_TRACE_PARAMETER, PDDT_TRACE_PARAMETER_NAME, arguments, 2,
                      value);
}

static PyObject *
parameter_uint (PyObject *self, PyObject *const *arguments, Py_ssize_t count)
{
    struct pddt_trace_value value = { .type = PDDT_TRACE_NATURAL };

    if (count < 2) {
        Py_RETURN_NONE;
    }
    value.value.natural = PyLong_AsUnsignedLongLong (arguments[1]);
    return put_value (parameters, PDDT_TRACE_PARAMETER, PDDT_TRACE_PARAMETER_NAME, arguments, 2,
                      value);
}

static PyObject *
parameter_string (PyObject *self, PyObject *const *arguments, Py_ssize_t count)
{
    struct pddt_trace_value value = { .type = PDDT_TRACE_STRING_ID };
    PyObject *text = count > 1 ? encode (arguments[1]) : NULL;

    if (text == NULL) {
        Py_RETURN_NONE;
    }
    value.value.string = trace_define_string (PyBytes_AsString (text), PyBytes_Size (text));
    Py_DECREF (text);
    return put_value (parameters, PDDT_TRACE_PARAMETER, PDDT_TRACE_PARAMETER_NAME, arguments, 2,
                      value);
}

static PyObject *
metric (PyObject *self, PyObject *const *arguments, Py_ssize_t count)
{
    struct pddt_trace_value value = { .type = PDDT_TRACE_REAL };

    if (count < 2) {
        Py_RETURN_NONE;
    }
    value.value.real = PyFloat_AsDouble (arguments[1]);
    return put_value (metrics, PDDT_TRACE_METRIC, PDDT_TRACE_METRIC_NAME, arguments, count,
                      value);
}

/* ---- what is taken back ---- */

static PyObject *
now (PyObject *self, PyObject *unused)
{
    return PyLong_FromUnsignedLongLong (trace_now ());
}

/* (time): what this thread has recorded since then is dropped when the archive is written. */
static PyObject *
rewind_to (PyObject *self, PyObject *const *arguments, Py_ssize_t count)
{
    static pid_t has_property; /* of which process */
    struct pddt_trace_value since = { .type = PDDT_TRACE_NATURAL };

    if (count > 0 && !(trace_pause & TRACE_NO_RECORDING)) {
        since.value.natural = PyLong_AsUnsignedLongLong (arguments[0]);
        if (PyErr_Occurred () != NULL) {
            PyErr_Clear ();
            Py_RETURN_NONE;
        }
        if (has_property != getpid ()) {
            has_property = getpid ();
            trace_define_named (PDDT_TRACE_PROPERTY, PDDT_TRACE_REWINDS,
                                trace_define_string ("yes", -1), PDDT_TRACE_STRING_ID, 0);
        }
        trace_put_with (PDDT_TRACE_REWOUND, 0, 0, &since, sizeof since);
    }
    Py_RETURN_NONE;
}

/* ---- switching ---- */

static void
set_pause (int bit, int is_set)
{
    trace_pause = is_set ? trace_pause | bit : trace_pause & ~bit;
}

/* In any thread, with the GIL or without: each thread sees it at its next call. */
static void
on_switch (int is_on)
{
    set_pause (TRACE_NO_RECORDING, !is_on);
}

static void
switch_all (int is_on)
{
    void (*switch_on) (int);

    *(void **) &switch_on = trace_find_symbol ("pddt_trace_switch");
    if (switch_on != NULL) {
        switch_on (is_on);
    } else {
        on_switch (is_on);
    }
}

static PyObject *
enable (PyObject *self, PyObject *unused)
{
    switch_all (1);
    trace_check_region ();
    Py_RETURN_NONE;
}

static PyObject *
turn_off (PyObject *self, PyObject *unused)
{
    switch_all (0);
    trace_check_region ();
    Py_RETURN_NONE;
}

static PyObject *
are_calls_on (PyObject *self, PyObject *unused)
{
    return PyBool_FromLong (!(trace_pause & TRACE_NO_CALLS));
}

static PyObject *
set_calls (PyObject *self, PyObject *const *arguments, Py_ssize_t count)
{
    int is_on = count > 0 && PyObject_IsTrue (arguments[0]) == 1;

    if (is_on != !(trace_pause & TRACE_NO_CALLS)) {
        set_pause (TRACE_NO_CALLS, !is_on);
        trace_set_calls (is_on);
    }
    Py_RETURN_NONE;
}

/* ---- the module ---- */

#define FAST(name, function)                                                                   \
    {                                                                                          \
        name, (PyCFunction) (void (*) (void)) function, TRACE_FASTCALL, NULL                   \
    }
static PyMethodDef methods[] = {
    FAST ("region_begin", region_begin),
    FAST ("region_end", region_end),
    FAST ("code_begin", code_begin),
    FAST ("code_end", code_end),
    FAST ("parameter_int", parameter_int),
    FAST ("parameter_uint", parameter_uint),
    FAST ("parameter_string", parameter_string),
    FAST ("metric", metric),
    { "now", now, METH_NOARGS, NULL },
    FAST ("rewind_to", rewind_to),
    { "enable", enable, METH_NOARGS, NULL },
    { "disable", turn_off, METH_NOARGS, NULL },
    { "are_calls_on", are_calls_on, METH_NOARGS, NULL },
    FAST ("set_calls", set_calls),
    { NULL, NULL, 0, NULL },
};
static struct PyModuleDef definition
    = { PyModuleDef_HEAD_INIT, "_pddt_trace", NULL, -1, methods, NULL, NULL, NULL, NULL };

/* pddt.py and the package scorep can be imported, wherever they are; sys.path stays as it is. */
static const char finder[] = "class Finder:\n"
                             "    @staticmethod\n"
                             "    def find_spec(name, path=None, target=None):\n"
                             "        if name != 'pddt' and name != 'scorep':\n"
                             "            return None\n"
                             "        loaders = sys.modules['_frozen_importlib_external']\n"
                             "        return loaders.PathFinder.find_spec(name, [folder])\n"
                             "import sys\n"
                             "sys.meta_path.insert(0, Finder)\n";

static void
find_own_folder (void)
{
    static const char *const places[] = { "python/", "../../share/pddt/python/" };
    Dl_info info;
    char path[sizeof own_folder + 32], *slash;

    if (dladdr ((void *) &definition, &info) == 0
        || strlen (info.dli_fname) >= sizeof own_folder) {
        return;
    }
    for (size_t i = 0; i < 2 && own_folder[0] == '\0'; i++) {
        snprintf (path, sizeof own_folder, "%s", info.dli_fname);
        slash = strrchr (path, '/');
        if (slash == NULL) {
            return;
        }
        snprintf (slash + 1, sizeof path - (size_t) (slash + 1 - path), "%spddt.py", places[i]);
        if (access (path, R_OK) == 0 && realpath (path, own_folder) != NULL) {
            *(strrchr (own_folder, '/') + 1) = '\0';
        }
    }
}

static void
add_finder (void)
{
    PyObject *names = PyDict_New (),
             *folder = PyUnicode_DecodeFSDefaultAndSize (own_folder,
                                                         (Py_ssize_t) strlen (own_folder) - 1);
    PyObject *code = Py_CompileString (finder, "<pddt>", Py_file_input), *result = NULL;

    if (names != NULL && folder != NULL && code != NULL) {
        PyDict_SetItemString (names, "__builtins__", PyEval_GetBuiltins ());
        PyDict_SetItemString (names, "folder", folder);
        result = PyEval_EvalCode (code, names, names);
    }
    Py_XDECREF (names);
    Py_XDECREF (folder);
    Py_XDECREF (code);
    Py_XDECREF (result);
    PyErr_Clear ();
}

void
trace_names_start (void)
{
    PyObject *module = PyModule_Create (&definition), *type = PyType_FromSpec (&region_spec);
    PyObject *modules = PySys_GetObject ("modules");
    void (*watch) (void (*) (int));

    regions = PyDict_New ();
    parameters = PyDict_New ();
    metrics = PyDict_New ();
    if (module != NULL && type != NULL && modules != NULL && regions != NULL
        && parameters != NULL && metrics != NULL) {
        PyModule_AddObject (module, "Region", type);
        PyDict_SetItemString (modules, "_pddt_trace", module);
    }
    Py_XDECREF (module);
    PyErr_Clear ();
    *(void **) &watch = trace_find_symbol ("pddt_trace_watch");
    if (watch != NULL) {
        watch (on_switch);
    }
    find_own_folder ();
    if (own_folder[0] != '\0') {
        add_finder ();
    }
}
