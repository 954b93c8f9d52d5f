/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a call of MPI can wait for, by its name alone: all that a stack tells. */
#pragma once
#include "job/message-queue.h"

/* LOCAL for names that wait for nobody or are unknown. */
JobMessageKind analysis_calls_find_kind (const char *name);
/* A queue of source STACK from a place whose function is the MPI call ("MPI_Recv at a.c:40");
 * NULL when it is none. Caller owns. */
JobMessageQueue *analysis_calls_make_queue (guint32 rank, const JobLocation *place);
