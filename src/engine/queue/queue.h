/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The engine's interface to the recorder of MPI calls. Works on running ranks without stopping
 * them, except for the answer where there is no recorder. */
#pragma once
#include "agent/queue-layout.h"
#include "engine/private.h"

/* ---- the recorder ---- */
void engine_queue_on_modules (EngineProcess *process); /* finds it, plants its event's trap */
/* Errors are asked for: also where there is no recorder that tells of them. */
void engine_queue_catch_errors (EngineProcess *process);
void engine_queue_forget (EngineProcess *process); /* the address space is gone */
/* The recorder is expected but not found yet: check libraries as they are loaded. */
gboolean engine_queue_is_wanted (EngineProcess *process);
/* The recorder is there and has seen a call. */
gboolean engine_queue_has_recorder (const EngineProcess *process);
/* `parent` has made the thread: one that is made inside a call of MPI, or by a thread of MPI's own, is
 * MPI's own too. */
void engine_queue_note_thread (EngineThread *parent, pid_t tid);
/* The current MPI call with the line that called it; NULL: outside MPI, or not known. */
JobLocation *engine_queue_dup_running_place (EngineProcess *process);
/* Whether it is inside MPI without having completed a call since the last check. FALSE: not
 * known. */
gboolean engine_queue_find_blocked (EngineProcess *process, gboolean *ret_is_blocked,
                                    JobLocation **ret_place);
/* At TARGET_STOP_EXIT: it leaves without MPI_Finalize, and is to be stopped for that. */
gboolean engine_queue_wants_exit (EngineThread *thread);
/* The same, and it has been stopped. */
gboolean engine_queue_check_exit (EngineThread *thread);
/* What the recorder has counted until now, of all threads. FALSE: there is no recorder, or it does not know its MPI. */
gboolean engine_queue_read_traffic (EngineProcess *process, struct pddt_queue_traffic *ret_sum);
void engine_queue_answer (EngineProcess *process, const JobRequest *request); /* QUEUE */

/* ---- MPI's own library ---- */
void engine_queue_dll_free (EngineQueueDll *dll);
