/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Samples whose stacks were copied: they get their names when there is time for that. */
#pragma once
#include "engine/sampling/state-private.h"

/* Of opaque elements. */
GPtrArray *engine_sampling_captures_new (void);
/* The thread has one that is not named yet. */
gboolean engine_sampling_has_capture (const EngineSampling *sampling, pid_t tid);
/* The thread stands, and its registers are loaded. Waits for nothing. */
void engine_sampling_capture (EngineThread *thread, EngineSampling *sampling,
                              SampledThread *known);
/* It runs on: what was loaded when it stood is found out. */
void engine_sampling_end_capture (EngineThread *thread, EngineSampling *sampling);
/* The same of one that waits in this call, and is not stopped. schedule: its schedstat before the call was read. FALSE: it has
 * gone on meanwhile. */
gboolean engine_sampling_capture_wait (EngineThread *thread, EngineSampling *sampling,
                                       SampledThread *known, const EngineSystemCall *call,
                                       const char *schedule);
/* The threads are looked at once more while captures wait for names. FALSE: they are not: there are so many captures that those of
 * each second look, or fewer, have to do. */
gboolean engine_sampling_begin_look (EngineSampling *sampling);
/* FALSE: there are too many captures for one more. */
gboolean engine_sampling_has_room (EngineSampling *sampling);
/* Until when the thread has waited, if its last capture that is not named yet is a wait; 0. */
gint64 engine_sampling_get_captured_wait (const EngineSampling *sampling, pid_t tid);
/* What the thread has counted until then, and that time, belong to its last capture, but for the last awake_us of it if that is a
 * wait: nobody has seen where it was then. FALSE: it has none. */
gboolean engine_sampling_prolong_capture (EngineSampling *sampling, pid_t tid, gint64 until_us,
                                          gint64 awake_us, const JobCounts *counts);
/* Names them as long as there is time. *n_done grows with each. That may wait for an index. */
void engine_sampling_name_captures (EngineProcess *process, EngineSampling *sampling,
                                    guint *n_done);
/* After n_done threads and captures. The first is always done, or a slow one would never be. */
gboolean engine_sampling_has_time (const EngineProcess *process, guint n_done);

/* Fills in the sample's class and context. modules: those that were loaded then. python: its frames; taken, NULL for none. May wait for an index. */
void engine_sampling_note_stack (EngineProcess *process, EngineSampling *sampling,
                                 StackModules *modules, const EngineSystemCall *call,
                                 gboolean is_blocked, const MachineRegisters *registers,
                                 BaseMemoryReader *memory, PythonRuntime *runtime,
                                 GPtrArray *python, JobSample *sample);
/* Frames of the interpreter's thread that this one is; its registers may be unknown. Caller owns; NULL: none. */
GPtrArray *engine_sampling_read_python (EngineThread *thread, PythonRuntime *runtime,
                                        PythonThread *known);
/* What is known of the thread, from now on if nothing is. */
SampledThread *engine_sampling_find_known (EngineSampling *sampling, EngineProcess *process,
                                           pid_t tid, guint32 number, gint64 since_us);
