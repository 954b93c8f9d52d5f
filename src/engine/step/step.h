/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Motions of one rank: step, next, finish, until, return. */
#pragma once
#include "engine/control/control.h"

/* ---- motions ---- */
gboolean engine_step_is_active (const EngineProcess *process);
gboolean engine_step_is_of (const EngineThread *thread); /* the thread is being stepped */
/* A signal is about to be delivered to the stepping thread: steps over its handler. */
void engine_step_on_signal (EngineThread *thread);
void engine_step_begin (EngineProcess *process, const JobRequest *request); /* native motions */
void engine_step_cancel (EngineProcess *process);
/* A thread stopped after single step or at a step trap; TRUE when the motion has dealt with it. */
gboolean engine_step_on_stop (EngineThread *thread);
/* The thread has come to pc by a motion that began in Python: stops here, or (is_end FALSE) goes on
 * to the end of the line as a step or next of that verb does. For a trap's owner to return. */
EngineTrapAnswer engine_step_arrive_at (EngineThread *thread, JobVerb verb, gboolean is_end);

/* ---- the code that is stepped through ---- */
/* TRUE when there are lines at pc (an address in the process) that one would walk: the user's own,
 * or those of the module at `home` (its start), where the step began. */
gboolean engine_step_has_lines (EngineProcess *process, guint64 pc, guint64 home);

/* ---- jumps out of a step ---- */
void engine_escapes_free (EngineEscapes *escapes); /* NULL is taken */

/* ---- places of a step ---- */
/* One more step has been accepted: JUMP and UNTIL share places with breakpoints. */
gboolean engine_step_jump (EngineProcess *process, const JobRequest *request, GError **error);

/* ---- return ---- */
void engine_return (EngineProcess *process,
                    const JobRequest *request); /* RETURN, of a stopped process */

/* ---- inlined calls ---- */
/* Hides the inlined calls that begin at the thread's pc, up to one of the name `asked` (NULL: any that
 * a breakpoint is in): the thread is shown before them. */
void engine_inlines_hide (EngineThread *thread, const char *asked);
/* The number of hidden ones. */
guint engine_inlines_count (EngineThread *thread);

/* ---- functions that a step skips ---- */
/* lines: in the form of JOB_OPTION_SKIP. */
void engine_skip_set (Engine *engine, const char *lines);
