/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which region of the trace a code object is. Each is described once, when it is first called, and kept from then on, so
 * that no other one gets its address: an event then needs nothing but a look into a table. */
#include "agent/trace-python.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_SIZE = 4096, METHOD_OFFSET = 16 };

static TraceCode none; /* where there is no memory for a larger table */
struct trace_codes trace_codes = { .table = NULL };
static PyObject *(*look_up_type) (PyTypeObject *, PyObject *);

/* ---- the table ---- */

static void
put (TraceCode *table, size_t mask, const TraceCode *code)
{
    size_t at = trace_hash (code->key) & mask;

    while (table[at].key != NULL) {
        at = (at + 1) & mask;
    }
    table[at] = *code;
}

/* At most half of it is used. FALSE: there is no memory. */
static int
make_room (void)
{
    size_t size = 2 * (trace_codes.mask + 1);
    TraceCode *table;

    if (trace_codes.n < size / 4) {
        return 1;
    }
    table = calloc (size, sizeof *table);
    if (table == NULL) {
        return trace_codes.n < trace_codes.mask;
    }
    for (size_t i = 0; i <= trace_codes.mask; i++) {
        if (trace_codes.table[i].key != NULL) {
            put (table, size - 1, &trace_codes.table[i]);
        }
    }
    free (trace_codes.table);
    trace_codes.table = table;
    trace_codes.mask = size - 1;
    return 1;
}

static TraceCode *
find (const void *key)
{
    size_t at = trace_hash (key) & trace_codes.mask;

    while (trace_codes.table[at].key != NULL && trace_codes.table[at].key != key) {
        at = (at + 1) & trace_codes.mask;
    }
    return trace_codes.table[at].key != NULL ? &trace_codes.table[at] : NULL;
}

static TraceCode *
keep (const TraceCode *code)
{
    if (!make_room ()) {
        return &none;
    }
    put (trace_codes.table, trace_codes.mask, code);
    trace_codes.n++;
    return find (code->key);
}

/* ---- what CPython says of them ---- */

/* Bytes of an attribute that is a str; NULL: it has none. */
static PyObject *
encode (PyObject *text)
{
    PyObject *bytes = NULL;

    if (text != NULL && PyUnicode_Check (text)) {
        bytes = PyUnicode_AsEncodedString (text, "utf-8", "surrogateescape");
        if (bytes == NULL) {
            PyErr_Clear ();
            bytes = PyUnicode_AsEncodedString (text, "utf-8", "backslashreplace");
        }
    }
    PyErr_Clear ();
    return bytes;
}

static PyObject *
read_text (PyObject *object, const char *name)
{
    PyObject *text = PyObject_GetAttrString (object, name), *bytes = encode (text);

    PyErr_Clear ();
    Py_XDECREF (text);
    return bytes;
}

static const char *
get_text (PyObject *bytes, const char *otherwise)
{
    return bytes != NULL ? PyBytes_AsString (bytes) : otherwise;
}

static long
read_number (PyObject *object, const char *name)
{
    PyObject *number = PyObject_GetAttrString (object, name);
    long value = number != NULL ? PyLong_AsLong (number) : 0;

    PyErr_Clear ();
    Py_XDECREF (number);
    return value > 0 ? value : 0;
}

/* The name of the module that runs the code now; NULL: it does not. New reference to bytes. */
static PyObject *
read_module (PyObject *code)
{
    PyObject *frame = trace_get_frame (), *globals = NULL, *name, *bytes;

    Py_XINCREF (frame);
    while (frame != NULL && globals == NULL) {
        PyObject *at = trace_get_code (frame), *back = trace_get_back (frame);

        globals = at == code ? PyObject_GetAttrString (frame, "f_globals") : NULL;
        Py_DECREF (at);
        Py_DECREF (frame);
        frame = back;
    }
    Py_XDECREF (frame);
    name = globals != NULL && PyDict_Check (globals)
               ? PyDict_GetItemString (globals, "__name__")
               : NULL; /* borrowed */
    bytes = encode (name);
    PyErr_Clear ();
    Py_XDECREF (globals);
    return bytes;
}

/* What stands for the module's name where nobody knows it: that of the file. */
static void
take_file_name (const char *file, char *name, size_t size)
{
    const char *slash = strrchr (file, '/');

    snprintf (name, size, "%s",
              strcmp (file, "<__array_function__ internals>") == 0 ? "numpy.__array_function__"
              : slash != NULL                                      ? slash + 1
                                                                   : file);
    if (slash != NULL) {
        name[strcspn (name, ".")] = '\0';
    }
}

/* As Score-P's bindings name it, and as Python does. */
static uint32_t
define_in_module (const TraceFunction *function, uint32_t first_line, uint32_t flags)
{
    char name[1024], full_name[1024], module[256];

    if (function->module != NULL) {
        snprintf (module, sizeof module, "%s", function->module);
    } else {
        take_file_name (function->file, module, sizeof module);
    }
    snprintf (name, sizeof name, "%s:%s", module, function->name);
    snprintf (full_name, sizeof full_name, "%s:%s", module, function->full_name);
    return trace_define_region (full_name, name, function->file, first_line,
                                PDDT_TRACE_IN_PYTHON, flags);
}

/* Greenlets change the stack of a thread, and no event tells of it: then who has called what is not known. In an
 * experiment for Score-P's tools, whose bindings have the same fault, nothing is said. */
static void
look_for_greenlets (const TraceFunction *function)
{
    static const char end[] = "/greenlet/__init__.py";
    size_t length = strlen (function->file);

    if (length >= sizeof end && !trace_wants_modules
        && strcmp (function->file + length - (sizeof end - 1), end) == 0
        && strcmp (function->name, "<module>") == 0) {
        trace_complain (
            "this program may switch greenlets (gevent), which a trace does not follow: what they call counts "
            "for whoever runs then");
    }
}

/* module: bytes of its name; NULL: that of the frame that runs the code. */
static void
describe (TraceCode *entry, PyObject *code, PyObject *given, int has_lines)
{
    uint32_t first_line = (uint32_t) read_number (code, "co_firstlineno");
    PyObject *name = read_text (code, "co_name");
    PyObject *full_name = trace_minor >= 11 ? read_text (code, "co_qualname") : NULL;
    PyObject *file = read_text (code, "co_filename");
    PyObject *found = given == NULL && trace_filter_needs_modules () ? read_module (code)
                                                                     : NULL;
    const char *name_text = get_text (name, "?");
    TraceFunction function = { name_text, get_text (full_name, name_text), get_text (file, ""),
                               get_text (given != NULL ? given : found, NULL) };
    int is_recorded;

    look_for_greenlets (&function);
    is_recorded = trace_filter_is_recorded (&function);
    has_lines |= trace_filter_has_lines (&function);
    if (has_lines || is_recorded) {
        uint32_t flags = strcmp (name_text, "<module>") == 0 ? PDDT_TRACE_IS_MODULE : 0;

        entry->region = trace_wants_modules
                            ? define_in_module (&function, first_line, flags)
                            : trace_define_region (name_text, function.full_name, function.file,
                                                   first_line, PDDT_TRACE_IN_PYTHON, flags);
    }
    if (entry->region != 0 && has_lines) {
        entry->lines = trace_lines_new (entry->region, first_line);
    }
    Py_XDECREF (name);
    Py_XDECREF (full_name);
    Py_XDECREF (file);
    Py_XDECREF (found);
}

static TraceCode *
add (PyObject *code, PyObject *module, int has_lines)
{
    TraceCode entry = { .key = code, .pinned = code };
    PyObject *type, *value, *trace;

    PyErr_Fetch (&type, &value, &trace);
    describe (&entry, code, module, has_lines);
    if (entry.lines != NULL) {
        trace_monitor_choose_lines (code);
    }
    PyErr_Restore (type, value, trace);
    Py_INCREF (code);
    return keep (&entry);
}

TraceCode *
trace_codes_add (PyObject *code)
{
    return add (code, NULL, 0);
}

uint32_t
trace_codes_find_region (PyObject *code, PyObject *module)
{
    TraceCode *known = find (code);
    PyObject *bytes = known == NULL ? encode (module) : NULL;

    if (known == NULL) {
        known = add (code, bytes, 0);
    }
    Py_XDECREF (bytes);
    return known->region;
}

void
trace_codes_choose_lines (PyObject *code)
{
    TraceCode *known = find (code);

    if (known == NULL) {
        add (code, NULL, 1);
    } else if (known->lines == NULL && known->region != 0) {
        known->lines = trace_lines_new (known->region,
                                        (uint32_t) read_number (code, "co_firstlineno"));
        trace_monitor_choose_lines (code);
    }
}

/* ---- functions of C ---- */

/* As cProfile names them: "<method 'append' of 'list' objects>", "<built-in method builtins.len>". */
static PyObject *
format_function (PyObject *function, const char *name)
{
    PyObject *self = PyCFunction_GetSelf (function), *key, *found = NULL, *text = NULL;
    const char *module = self != NULL && PyModule_Check (self) ? PyModule_GetName (self) : NULL;

    if (module != NULL) {
        return PyUnicode_FromFormat ("<built-in method %s.%s>", module, name);
    }
    PyErr_Clear ();
    key = PyUnicode_FromString (name);
    if (self != NULL && key != NULL && look_up_type != NULL) {
        found = look_up_type (Py_TYPE (self), key);
        text = found != NULL ? PyObject_Repr (found) : NULL;
    }
    PyErr_Clear ();
    Py_XDECREF (key);
    return text != NULL ? text : PyUnicode_FromFormat ("<built-in method %s>", name);
}

static void
describe_function (TraceCode *entry, PyObject *function)
{
    PyObject *type, *value, *trace, *text, *bytes;
    TraceFunction function_names;
    const char *full_name;

    PyErr_Fetch (&type, &value, &trace);
    text = format_function (function, entry->name);
    bytes = encode (text);
    full_name = get_text (bytes, entry->name);
    function_names = (TraceFunction){ entry->name, full_name, "", NULL };
    entry->region = trace_filter_is_recorded (&function_names)
                        ? trace_define_region (full_name, NULL, NULL, 0, PDDT_TRACE_IN_C, 0)
                        : 0;
    Py_XDECREF (bytes);
    Py_XDECREF (text);
    PyErr_Restore (type, value, trace);
}

uint32_t
trace_codes_peek (const PyObject *code)
{
    const TraceCode *known = trace_codes.table != NULL ? find (code) : NULL;

    return known != NULL ? known->region : 0;
}

/* Modules that make functions as they run may free a method, and another one gets its place. */
TraceCode *
trace_codes_find_function (PyObject *function)
{
    const void *method = *(const void *const *) ((const char *) function + METHOD_OFFSET);
    TraceCode entry = { .key = method, .name = *(const char *const *) method };
    TraceCode *known = find (method);

    if (known != NULL && known->name == entry.name) {
        return known;
    }
    describe_function (&entry, function);
    if (known != NULL) {
        *known = entry;
        return known;
    }
    return keep (&entry);
}

int
trace_codes_init (void)
{
    *(void **) &look_up_type = trace_find_symbol ("_PyType_Lookup");
    trace_codes.table = calloc (FIRST_SIZE, sizeof *trace_codes.table);
    trace_codes.mask = FIRST_SIZE - 1;
    return trace_codes.table != NULL;
}
