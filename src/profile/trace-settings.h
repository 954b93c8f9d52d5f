/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the ranks of a traced run are told: which functions to record, and how. */
#pragma once
#include <glib.h>

typedef struct {
    const char *filter;         /* file in Score-P's syntax; NULL: none */
    const GPtrArray *lines;     /* of char*: functions whose lines are counted; NULL: none */
    gboolean has_c_calls;       /* functions and methods that C code has are recorded, too */
    gboolean has_memory;        /* what Python allocates is sampled */
    gboolean has_native_memory; /* and what native code does */
    const char *when_full; /* "keep-first", "keep-last"; NULL, "flush": all events are kept */
    guint64 buffer;        /* bytes of events that each process keeps then */
} ProfileTraceSettings;

/* The settings as the tracer reads them (src/agent/trace-filter.c). NULL with INVALID: the filter file is wrong in
 * FILE:LINE; NOT_FOUND, DENIED: it cannot be read. Caller owns. */
char *profile_trace_settings_format (const ProfileTraceSettings *settings, GError **error);
/* Those of the user's rules that have matched nothing in any process, as the filter file and the command line have them:
 * "EXCLUDE numpy*, --lines solve"; NULL: none. folder: the traced processes'. Caller owns. */
char *profile_trace_settings_find_unmatched (const char *settings, const char *folder);
/* The same of a run's folder, whose archive is to be made of what the processes have left there. */
char *profile_trace_settings_read_unmatched (const char *folder);
