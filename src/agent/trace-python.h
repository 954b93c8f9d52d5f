/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the files of pddt_trace.abi3.so, which records the Python calls and lines of a traced process. One
 * binary serves CPython 3.8 to 3.13: the limited API of 3.8, and what else it needs by name. The GIL
 * protects all data. */
#pragma once
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x03080000
#include <Python.h>
#include "agent/trace-ring.h"

#pragma GCC visibility push(hidden)

#define TRACE_FASTCALL 0x0080 /* METH_FASTCALL is in the limited API of 3.10 */

/* ---- trace-python.c ---- */
extern int trace_minor;   /* 12 of 3.12 */
extern int trace_wants_c; /* also calls of functions and methods that C code has */
extern int
    trace_wants_modules; /* regions of Python code are called MODULE:NAME, as by Score-P's bindings */
/* NULL: this interpreter has no such function. */
void *trace_find_symbol (const char *name);
PyObject *trace_get_code (PyObject *frame); /* new reference */
PyObject *trace_get_back (PyObject *frame); /* new reference; NULL */
PyObject *trace_get_frame (void);           /* of this thread, borrowed; NULL */
/* Says it once on standard error, with the rank. */
void trace_complain (const char *format, ...) __attribute__ ((format (printf, 1, 2)));

/* This thread has recorded what was on its stack when recording began. */
extern __thread int trace_has_stack __attribute__ ((tls_model ("initial-exec")));
/* Records the frame and its callers as under way. NULL is fine. */
void trace_open_stack (PyObject *frame);

/* ---- trace-codes.c ---- */
typedef struct {
    const void *key;
    PyObject *pinned; /* strong: nothing else gets its address; NULL: key is no object */
    const char *name; /* of a C function, to know it again */
    uint32_t region;  /* 0: not recorded */
    struct trace_lines *lines; /* NULL: its lines are not counted */
} TraceCode;
extern struct trace_codes {
    TraceCode *table;
    size_t mask, n;
} trace_codes;

TraceCode *trace_codes_add (PyObject *code); /* never NULL */
/* The region of a function that may never have run. module: the name of its module, a str; NULL: not known. 0: it is not
 * recorded. */
uint32_t trace_codes_find_region (PyObject *code, PyObject *module);
int trace_codes_init (void); /* FALSE: no memory */

static inline size_t
trace_hash (const void *key)
{
    return (size_t) (((uintptr_t) key >> 4) * 0x9e3779b97f4a7c15ull >> 20);
}

static inline TraceCode *
trace_codes_find (PyObject *code)
{
    size_t at = trace_hash (code) & trace_codes.mask;

    while (trace_codes.table[at].key != code) {
        if (__builtin_expect (trace_codes.table[at].key == NULL, 0)) {
            return trace_codes_add (code);
        }
        at = (at + 1) & trace_codes.mask;
    }
    return &trace_codes.table[at];
}

/* From now on the lines of this code are counted. */
void trace_codes_choose_lines (PyObject *code);
/* The region of code that is known; 0: none. Makes and calls nothing. */
uint32_t trace_codes_peek (const PyObject *code);
/* Of a built-in function or method (PyCFunction): all objects of one method are the same. */
TraceCode *trace_codes_find_function (PyObject *function);

/* ---- trace-filter.c ---- */
/* Reads FOLDER/settings, which pddt writes. */
void trace_filter_load (const char *folder);
typedef struct {
    const char *name, *full_name, *file;
    const char *module; /* its module's name; NULL: not known */
} TraceFunction;
int trace_filter_is_recorded (const TraceFunction *function);
int trace_filter_has_lines (const TraceFunction *function);
/* Some rule is compared with names, or regions have that of their module. */
int trace_filter_needs_modules (void);

/* ---- trace-lines.c ---- */
extern int trace_lines_are_wanted; /* there is at least one function whose lines are counted */
struct trace_lines *trace_lines_new (uint32_t region,
                                     uint32_t first_line); /* NULL: no memory */
void trace_lines_forget (void);
void trace_lines_enter (struct trace_lines *lines);
void trace_lines_leave (const struct trace_lines *lines);
void trace_lines_reach (struct trace_lines *lines, uint32_t line);
/* The decorator `profile`, as line_profiler's kernprof has it, where the program has no other. */
void trace_lines_offer_profile (void);

/* ---- trace-memory.c ---- */
extern int trace_wants_memory;
void trace_memory_start (void);

/* ---- trace-pause.c ---- */
enum { TRACE_NO_RECORDING = 1, TRACE_NO_CALLS = 2 };
extern int trace_pause; /* set of them */
/* Threads that have a stack and have not seen yet that calls are off, if they are. */
extern int trace_n_hearing;
extern __thread int trace_is_paused __attribute__ ((tls_model ("initial-exec")));
/* If either is not 0: whether the event is left out. frame: of the event, may be NULL; is_entered: it begins now. */
int trace_check_pause (PyObject *frame, int is_entered);
/* The same, before a region begins or ends in this thread, or after recording was switched by it. */
void trace_check_region (void);
/* This thread's stack is in the trace from here on. */
void trace_begin_thread (void);
typedef struct {
    uint32_t region;   /* 0: none */
    const void *frame; /* only compared: it may be gone */
} TraceCall;
/* The innermost one of this thread that is recorded. */
TraceCall trace_find_call (void);
/* This thread ends. */
void trace_pause_end (void);
/* In the child of a fork: nothing is open in its trace. */
void trace_pause_forget (void);

/* ---- trace-regions.c ---- */
typedef struct {
    uint32_t id;
    int is_older;   /* than the switch by which this thread is paused; then: */
    size_t depth;   /* how many of the calls that were open then it is inside */
    TraceCall call; /* that has begun it */
} TraceRegion;
extern __thread struct trace_regions {
    TraceRegion *list; /* outermost first */
    unsigned n, room;
    unsigned n_deeper; /* there was no room for, and that are not recorded */
} trace_regions __attribute__ ((tls_model ("initial-exec")));
void trace_regions_enter (uint32_t id); /* 0: not recorded */
/* id 0: the innermost one. It may have begun before recording was switched off. */
void trace_regions_leave (uint32_t id);
void trace_regions_remove (unsigned at);
void trace_regions_forget (void);
/* It is no longer in the list, and this thread is paused. */
void trace_leave_older (const TraceRegion *region);

/* ---- trace-names.c ---- */
void trace_names_start (void);
/* Whether the file is pddt's own, whose calls are not the program's. */
int trace_names_is_own (const char *file);

/* ---- the two ways of hearing of calls ---- */
/* Stops hearing of them, or begins again, at least in this thread; trace_pause says which. */
void trace_set_calls (int is_on);
/* Where all threads hear or none: none, when each has seen that calls are off. */
void trace_stop_hearing (void);
void trace_calls_set (int is_on);
void trace_monitor_set (int is_on);
int trace_calls_start (void);   /* before 3.12. FALSE: it cannot */
int trace_monitor_start (void); /* from 3.12 on */
void trace_monitor_choose_lines (PyObject *code);

#pragma GCC visibility pop
