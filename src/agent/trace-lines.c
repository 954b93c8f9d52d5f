/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How often each line of a chosen function runs, and for how long: counted up in place, in the file itself. The time from
 * one line to the next one of the same call is the first one's, with what it has called. */
#include "agent/trace-python.h"
#include <stdlib.h>
#include <string.h>

enum { MAX_LINES = 1 << 20 };

/* A chosen function. */
struct trace_lines {
    uint32_t region, first;
    uint32_t n;
    struct pddt_trace_line **slots; /* by line - first; NULL: has not run */
    struct trace_lines *next;
};

/* A call of one in this thread. */
typedef struct {
    struct trace_lines *lines;
    struct pddt_trace_line *slot; /* of the line that runs; NULL: none yet */
    uint64_t since_ns;
} Call;

static struct trace_lines *all;
static __thread struct {
    Call *calls;
    size_t n, room;
} stack __attribute__ ((tls_model ("initial-exec")));

int trace_lines_are_wanted;

struct trace_lines *
trace_lines_new (uint32_t region, uint32_t first_line)
{
    struct trace_lines *lines = calloc (1, sizeof *lines);

    if (lines != NULL) {
        lines->region = region;
        lines->first = first_line;
        lines->next = all;
        all = lines;
        trace_lines_are_wanted = 1;
    }
    return lines;
}

/* In the child of a fork: its counts have a file of their own. */
void
trace_lines_forget (void)
{
    for (struct trace_lines *lines = all; lines != NULL; lines = lines->next) {
        for (uint32_t i = 0; i < lines->n; i++) {
            lines->slots[i] = NULL;
        }
    }
    stack.n = 0;
}

static struct pddt_trace_line *
find_slot (struct trace_lines *lines, uint32_t line, uint64_t *now)
{
    uint32_t index = line - lines->first;

    if (line < lines->first || index >= MAX_LINES) {
        return NULL;
    }
    if (index >= lines->n) {
        uint32_t n = index + 64;
        struct pddt_trace_line **more = realloc (lines->slots, n * sizeof *more);

        if (more == NULL) {
            return NULL;
        }
        memset (more + lines->n, 0, (n - lines->n) * sizeof *more);
        lines->slots = more;
        lines->n = n;
    }
    if (lines->slots[index] == NULL) {
        lines->slots[index] = trace_new_line (lines->region, line);
        *now = trace_now (); /* a new chunk takes its time, which is no line's */
    }
    return lines->slots[index];
}

void
trace_lines_enter (struct trace_lines *lines)
{
    if (stack.n == stack.room) {
        size_t room = 2 * stack.room + 64;
        Call *more = realloc (stack.calls, room * sizeof *more);

        if (more == NULL) {
            return;
        }
        stack.calls = more;
        stack.room = room;
    }
    stack.calls[stack.n++] = (Call){ lines, NULL, 0 };
}

static void
close_line (Call *call, uint64_t now)
{
    if (call->slot != NULL) {
        uint64_t ns = call->slot->time[0] + (now - call->since_ns);

        call->slot->time = (pddt_trace_pair){ ns, pddt_trace_sum_line (call->slot, ns) };
    }
}

void
trace_lines_leave (const struct trace_lines *lines)
{
    if (stack.n > 0 && stack.calls[stack.n - 1].lines == lines) {
        close_line (&stack.calls[--stack.n], trace_now ());
    }
}

void
trace_lines_reach (struct trace_lines *lines, uint32_t line)
{
    uint64_t now = trace_now ();
    Call *call;

    if (stack.n == 0 || stack.calls[stack.n - 1].lines != lines) {
        trace_lines_enter (lines); /* it was under way when it was chosen */
    }
    if (stack.n == 0) {
        return;
    }
    call = &stack.calls[stack.n - 1];
    close_line (call, now);
    call->slot = find_slot (lines, line, &now);
    call->since_ns = now;
    if (call->slot != NULL) {
        call->slot->hits += PDDT_TRACE_UNIT;
    }
}

/* ---- @profile ---- */

static PyObject *
get_attribute (PyObject *object, const char *name)
{
    PyObject *value = PyObject_GetAttrString (object, name);

    PyErr_Clear ();
    return value;
}

/* The code of a function, of what a method or property has, or of what a decorator has wrapped. New reference; NULL. */
static PyObject *
find_code (PyObject *function)
{
    static const char *const names[] = { "__code__", "__func__", "fget", "__wrapped__" };

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        PyObject *value = get_attribute (function, names[i]);

        if (value != NULL && value != Py_None) {
            PyObject *code = i == 0 ? value : find_code (value);

            if (i > 0) {
                Py_DECREF (value);
            }
            return code;
        }
        Py_XDECREF (value);
    }
    return NULL;
}

static PyObject *
profile (PyObject *self, PyObject *function)
{
    PyObject *code = find_code (function);

    if (code != NULL) {
        trace_codes_choose_lines (code);
        Py_DECREF (code);
    }
    Py_INCREF (function);
    return function;
}

/* As line_profiler's kernprof gives it to scripts. */
void
trace_lines_offer_profile (void)
{
    static PyMethodDef method
        = { "profile", profile, METH_O,
            "Counts the lines of a function, which is returned as it is." };
    PyObject *builtins = PyImport_ImportModule ("builtins");
    PyObject *known = builtins != NULL ? get_attribute (builtins, "profile") : NULL;
    PyObject *function = known == NULL ? PyCFunction_NewEx (&method, NULL, NULL) : NULL;

    if (builtins != NULL && function != NULL) {
        PyObject_SetAttrString (builtins, "profile", function);
    }
    PyErr_Clear ();
    Py_XDECREF (function);
    Py_XDECREF (known);
    Py_XDECREF (builtins);
}
