/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ranks that run Python: the agent inside them, its stops and its answers. */
#pragma once
#include "engine/private.h"

/* ---- the agent and its stops ---- */
void engine_python_make (EngineProcess *process); /* its part of a new one */
void engine_python_free (EngineProcess *process);
void engine_python_reset (EngineProcess *process); /* it is another one now */
/* The runner is on its command line: the agent comes, or has come. */
gboolean engine_python_is_expected (const EngineProcess *process);
gboolean engine_python_has_agent (const EngineProcess *process);
/* The present stop is a Python stop whose place the agent has told. */
gboolean engine_python_tells_place (const EngineProcess *process);
/* Nobody listens to the agent any more: the process is let go. */
void engine_python_close (EngineProcess *process);
/* At exec: checks whether the runner is on the command line. */
void engine_python_on_exec (EngineProcess *process);
/* Modules changed: finds the agent, plants the stop's trap, sets attached. */
void engine_python_on_modules (EngineProcess *process);
/* TRUE when the present stop is at a Python stop (thread inside pddt_python_stop). */
gboolean engine_python_is_stop (const EngineProcess *process);
/* The innermost frame that is the user's is a Python one: stepping means Python lines. */
gboolean engine_python_is_inner (EngineProcess *process);
/* It is, and Python there has answered the question. */
gboolean engine_python_answer_stop (EngineProcess *process, const JobRequest *request,
                                    guint32 python_index);
/* Before an `until` at a Python stop: sends its place to the agent. FALSE: the place is not
 * possible. */
gboolean engine_python_begin_until (EngineProcess *process, const JobRequest *request,
                                    GError **error);
/* Step, next, finish, continue at a Python stop: writes the command; the caller then resumes.
 * FALSE: not a Python motion. */
gboolean engine_python_prepare_motion (EngineProcess *process, const JobRequest *request);
/* Sends breakpoint verbs to the agent of this process, now or at the next chance (wake). FALSE, INVALID: the
 * agent has it, but its condition or log is not Python. */
gboolean engine_python_handle_breakpoint (EngineProcess *process, const JobRequest *request,
                                          GError **error);
/* Exec or exit: forget. */
void engine_python_on_gone (EngineProcess *process);
/* Emits what log breakpoints have written in the rank, which may run. FALSE: nothing. */
gboolean engine_python_take_log (EngineProcess *process);
/* The same of all ranks, as often as engine_python_get_timeout_ms says; -1 never. */
void engine_python_take_logs (Engine *engine);
int engine_python_get_timeout_ms (const Engine *engine);

/* ---- loading the agent ---- */
/* Reports once that the runner could not load the agent. TRUE: it could not. */
gboolean engine_python_is_missing (EngineProcess *process);

/* ---- an agent that is needed later ---- */
/* The process is a child of fork now, which stands where it was made: the agent that it has goes on. */
void engine_python_on_follow (EngineProcess *process);

/* ---- locks ---- */
/* Adds to the queue what the thread of a rank that runs waits for: a system call, or what Python threads
 * wait for among themselves; with JOB_MESSAGE_QUEUE_DEADLOCK and _INPUT where they are so. Halts a Python
 * rank for a moment. */
void engine_python_find_waits (EngineProcess *process, pid_t tid, JobMessageQueue *queue);
/* Of a stopped rank: for which thread or lock it waits, and which others of its threads wait for each other for
 * ever; nothing when there is neither. */
void engine_python_find_lock_waits (EngineProcess *process, pid_t tid, JobMessageQueue *queue);

/* TRUE: the thread waits for the interpreter's lock. holder: who has it; NULL: nobody, or it is not known. The rank may
 * run. is_patient: one that is awake for a moment to ask for the lock is given up to 2 ms to sleep again. */
gboolean engine_python_waits_for_interpreter (EngineProcess *process, pid_t tid,
                                              gboolean is_patient, EngineThread **ret_holder);
/* The same as data; NULL: it does not. Caller owns. */
JobWait *engine_python_dup_interpreter_wait (EngineProcess *process, EngineThread *thread,
                                             gboolean is_patient);

/* ---- motions ---- */
/* The thread of a native motion has returned to an evaluation of the interpreter: the agent
 * continues the motion in Python. FALSE: it is elsewhere, or there is no agent. */
gboolean engine_python_take_over (EngineThread *thread, JobVerb verb);
/* A native step of the thread begins, which may call back into Python. */
void engine_python_watch_callbacks (EngineThread *thread);
/* TRUE when the nearest frame outside the selected one that is the user's is a Python frame, and the
 * agent can stop there. */
gboolean engine_python_is_outside (EngineProcess *process);
void engine_python_on_stop (EngineProcess *process); /* the rank stops, wherever */

/* ---- questions ---- */
/* Evaluate/exec/locals in the selected Python frame at a Python stop; answers by events. python_index:
 * JobFrame.native_index of the selected frame. FALSE: cannot here (caller uses the walker). Afterwards the process may
 * have ended, or the thread still be in the middle of it (python.stopped_tid 0). */
gboolean engine_python_handle_query (EngineProcess *process, const JobRequest *request,
                                     guint32 python_index);

/* ---- Python code in a rank that is stopped in native code ---- */
/* Python code in a frame of a rank that is stopped in native code. TRUE: it is on its way, and answered by
 * events; where that fails they join read_error to the reason. BUSY: it cannot be, with the reason; GONE,
 * TIMEOUT. */
gboolean engine_python_run_here (EngineProcess *process, const JobRequest *request,
                                 guint32 python_index, const GError *read_error,
                                 GError **error);

/* ---- waking the interpreter ---- */
/* Retries notifying interpreters; the time until the next attempt, -1: none. */
void engine_python_wakes_check (Engine *engine);
int engine_python_wakes_get_timeout_ms (const Engine *engine);

/* ---- threads that come later ---- */
/* A new thread that has not run yet: completes Python breakpoints that wait for it. */
void engine_awaited_on_thread (EngineThread *thread);
