/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the processor counts beside cycles and instructions: numbers of its own events, for perf_event_open(2)'s
 * PERF_TYPE_RAW. */
#pragma once
#include <glib.h>

/* 0: this processor does not count it, or it is not known how. */
typedef struct {
    guint64 memory_stalls; /* cycles in which nothing was executed, and a load was waited for */
    guint64 scalar, vector; /* floating-point instructions that were completed */
} MachineCounters;

/* cpuinfo: the text of /proc/cpuinfo. */
MachineCounters machine_counters_find (const char *cpuinfo);
