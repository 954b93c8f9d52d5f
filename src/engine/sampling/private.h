/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once
#include "engine/control/control.h"
#include "engine/sampling/counters-private.h"
#include "engine/sampling/sampling.h"
#include "job/sample.h"

/* The set of metrics that are measured. */
guint32 engine_sampling_get_wanted (const Engine *engine);
/* Those of the process, whose sampling has begun, and of its places. */
void engine_sampling_begin_counters (EngineProcess *process);
/* Appends what the process has used until now, as far as the system, its recorder of MPI calls and its processors' counters
 * (NULL: none) tell, and what its host has if it tells that. queued_us: it is known to the samples. to: of JobMetrics. */
void engine_sampling_add_metrics (EngineProcess *process, gint64 now, guint64 queued_us,
                                  const EngineSamplingCounters *counters, GArray *to);

/* The thread's schedstat, or without that its turns on processors; empty where the kernel does not tell. A thread that has
 * not run since has the same one. */
void engine_sampling_read_schedule (const EngineProcess *process, pid_t tid,
                                    EngineTaskFile *file, char *text, gsize size);

/* What a thread has waited for a processor, since it was first asked. */
typedef struct {
    guint64 first_ns, now_ns;
    guint64 ran_ns, n_turns; /* on processors, until it was last asked */
    gboolean is_known;
} EngineSamplingQueued;

/* How often a thread, or several, gave up the processor to wait, and lost it to somebody else. */
typedef struct {
    guint64 n_waits, n_losses;
    guint64 n_turns; /* that the thread had had when it was asked */
    gboolean is_known;
} EngineSamplingSwitches;

void engine_sampling_add_switches (EngineSamplingSwitches *sum,
                                   const EngineSamplingSwitches *more);
/* At its end, of a process that is sampled. */
void engine_sampling_note_switches (EngineThread *thread);

/* schedule: its schedstat. FALSE: that does not say. */
gboolean engine_sampling_queued_note (EngineSamplingQueued *queued, const char *schedule);
guint64 engine_sampling_queued_get_ns (const EngineSamplingQueued *queued);

/* By the call that it is in, and whose code called that. is_blocked: it waits there; call->number -1: it is in none. stack may be NULL. */
JobClass engine_sampling_classify (EngineProcess *process, StackModules *modules,
                                   const EngineSystemCall *call, gboolean is_blocked,
                                   const Stack *stack);
/* The number of the stack's innermost frame in the tree. */
guint32 engine_sampling_add_stack (EngineProcess *process, StackModules *modules,
                                   JobContextTree *tree, const Stack *stack);
