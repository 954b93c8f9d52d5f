/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One row of `show queue`, for its writers. */
#pragma once
#include "command/private.h"

typedef struct {
    JobRankSet *ranks;
    const char *what; /* "source", "call", "request", "lock", "in flight", "not asked for",
                              "never asked for" (no receive can come any more) */
    char *text;       /* the line without its ranks */
    char *operation;  /* "MPI_Recv"; of a source its name; NULL unknown */
    char *method;     /* "comm.allreduce" of mpi4py; NULL */
    char *communicator, *datatype; /* NULL unknown */
    gint32 peer, tag;              /* JOB_MESSAGE_… */
    guint64 bytes, count, sequence;
    guint32 n_requests;
    guint8 first[JOB_MESSAGE_MAX_BYTES];
    guint32 n_first;
    JobLocation *place;
} CommandQueueRow;

char *command_json_format_queue (guint64 request, const CommandQueueRow *row); /* json.c */
