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
/* The thread has come to pc by a motion that began in Python: stops here (FALSE), or (is_end FALSE) goes on
 * to the end of the line as a step or next of that verb does. */
gboolean engine_step_go_on_natively (EngineThread *thread, JobVerb verb, gboolean is_end);

/* ---- jumps out of a step ---- */
void engine_escapes_forget (EngineProcess *process); /* its address space ends */

/* ---- places of a step ---- */
/* One more step has been accepted: JUMP and UNTIL share places with breakpoints. */
gboolean engine_step_jump (EngineProcess *process, const JobRequest *request, GError **error);

/* ---- return ---- */
void engine_return (EngineProcess *process,
                    const JobRequest *request); /* RETURN, of a stopped process */

/* ---- the first stop ---- */
void engine_start_begin (EngineProcess *process); /* START is known and it is held */
void
engine_start_take_exec (EngineThread
                            *thread); /* its program has been replaced: it goes on, or stops */
void engine_start_on_modules (EngineProcess *process); /* the loader has run */
void engine_start_forget (EngineProcess *process);     /* the program ends */

/* ---- steps that are blocked ---- */
void engine_blocked_begin (EngineProcess *process); /* it goes on, by a step perhaps */
void engine_blocked_check (Engine *engine);         /* checks the steps that are due */
int engine_blocked_get_timeout_ms (Engine *engine); /* -1: none */

/* ---- functions that a step skips ---- */
/* lines: in the form of JOB_OPTION_SKIP. */
void engine_skip_set (Engine *engine, const char *lines);
