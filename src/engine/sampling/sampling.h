/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the threads of running ranks are, again and again: without their help, and with none of
 * them stopped for longer than its registers and stack take to copy. A thread that waits in the
 * kernel is not stopped at all, because a stop would end some waits with EINTR; where one has just begun to wait, its
 * call begins again. */
#pragma once
#include "engine/private.h"

/* PROFILE. Without number the sampling that is under way ends. */
void engine_sampling_handle (Engine *engine, const JobRequest *request);
/* CANCEL: it ends now, and answers with what it has. */
void engine_sampling_cancel (Engine *engine, const JobRequest *request);
void engine_sampling_check (Engine *engine);               /* takes the samples that are due */
int engine_sampling_get_timeout_ms (const Engine *engine); /* -1: none */
/* TRUE: the thread has been asked to stop for its sample, and for nothing else. take_stop, once it stands,
 * copies what is needed and lets it run on. */
gboolean engine_sampling_awaits (const EngineThread *thread);
void engine_sampling_take_stop (EngineThread *thread);
/* Samples of the process are being taken, or named: a work that waits is that one. */
gboolean engine_sampling_is_busy (const EngineProcess *process);
/* The thread is about to end: with the first one the last metrics come. */
void engine_sampling_note_exit (EngineThread *thread);
/* The process has ended, and is still known: names what was copied of it, as far as the answers for that come soon. */
void engine_sampling_finish (EngineProcess *process);
/* Tells what there is; final. Nothing happens to a process that is not sampled. */
void engine_sampling_end (EngineProcess *process);
/* What the engine has for that, none of whose processes is sampled any more. */
void engine_sampling_free (Engine *engine);
