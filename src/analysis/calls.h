/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an MPI call can wait for, judging by its name, which is all that a stack gives. */
#pragma once
#include "job/message-queue.h"

/* LOCAL for unknown names and for calls that wait for no rank. */
JobMessageKind analysis_calls_find_kind (const char *name);
/* A queue of source STACK from a place whose function is the MPI call ("MPI_Recv at a.c:40");
 * NULL when it is no MPI call. Caller owns. */
JobMessageQueue *analysis_calls_make_queue (guint32 rank, const JobLocation *place);
/* Does it wait for a process of another job, or for the server where jobs find each other? */
gboolean analysis_calls_is_for_another_job (const char *name);
