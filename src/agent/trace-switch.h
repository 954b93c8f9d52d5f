/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What libpddt-trace.so exports to the other writers of a traced process, and to programs by data/…/pddt.h. Each writer
 * has a file of its own, but recording is switched for the whole process. Look them up by dlsym. */
#pragma once

/* 0: nothing that begins from here on is recorded, by any writer; 1: it is again. */
void pddt_trace_switch (int is_on);
/* The function is called with 0 and 1, in the thread that switches. Room for 8. */
void pddt_trace_watch (void (*function) (int is_on));

/* TRUE: recording is on, and this process is one whose native calls are recorded. */
int pddt_trace_is_on (void);
/* The id of the THREAD_CREATE that has made this thread, and when that was; 0: nobody has seen that. */
unsigned pddt_trace_get_thread (unsigned long long *ret_made_ns);

/* From now on the function is called in each thread that CPython gives a state (PyThreadState), before it has the GIL or
 * runs any Python under that state. own: the calling thread's, by which the key of states is found. FALSE: it is not. */
int pddt_trace_watch_states (const void *own, void (*begin) (void *state));

/* What the program says. file NULL, line 0: not known. name NULL: the region that this thread has begun last. */
void pddt_trace_region_begin (const char *name, const char *file, int line);
void pddt_trace_region_end (const char *name);
void pddt_trace_parameter_int (const char *name, long long value);
void pddt_trace_parameter_uint (const char *name, unsigned long long value);
void pddt_trace_parameter_string (const char *name, const char *value);
void pddt_trace_metric (const char *name, double value, const char *unit);
