/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the other files of the engine ask of MPI's recorder. All of it works on running ranks and
 * stops none, but for the answer where there is no recorder. */
#pragma once
#include "engine/private.h"

void engine_queue_on_exec (EngineProcess *process);    /* a new program */
void engine_queue_on_modules (EngineProcess *process); /* finds it, plants its event's trap */
/* Errors are asked for: also where there is no recorder that tells of them. */
void engine_queue_catch_errors (EngineProcess *process);
void engine_queue_forget (EngineProcess *process);     /* the address space is gone */
/* It is to come and has not been found yet: libraries must be looked at as they are loaded. */
gboolean engine_queue_is_wanted (const EngineProcess *process);
/* The recorder is there and has seen a call. */
gboolean engine_queue_has_recorder (const EngineProcess *process);
/* `parent` has made the thread: one that is made inside a call of MPI, or by a thread of MPI's own, is
 * MPI's own too. */
void engine_queue_note_thread (EngineThread *parent, pid_t tid);
/* The MPI call that it is inside with the line that called; NULL: outside, or not known. */
JobLocation *engine_queue_dup_running_place (EngineProcess *process);
/* Is it inside MPI, with no call completed since it was last asked? FALSE: nothing is known. */
gboolean engine_queue_find_blocked (EngineProcess *process, gboolean *ret_is_blocked,
                                    JobLocation **ret_place);
/* At TARGET_STOP_EXIT: it leaves without MPI_Finalize, and is to be stopped for that. */
gboolean engine_queue_wants_exit (EngineThread *thread);
/* The same, and it has been stopped. */
gboolean engine_queue_check_exit (EngineThread *thread);
void engine_queue_dll_free (EngineQueueDll *dll);
void engine_queue_answer (EngineProcess *process, const JobRequest *request); /* QUEUE */
