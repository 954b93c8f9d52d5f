/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What `pddt --trace` records of MPI calls, as events of trace-layout.h: Enter and Leave of each call, messages with
 * their requests, and collectives. Where nothing is traced all of it is one test of mpi_trace_is_on. A call that has
 * an Enter gets its Leave, also if recording is switched off meanwhile. */
#pragma once
#include "agent/mpi-recorder.h"
#include "agent/trace-ring.h"

#define MPI_TRACED(x) __builtin_expect (!!(x), 0)

/* Events are recorded now. */
extern int mpi_trace_is_on;

/* Begins the file, if this process is to be traced; once, before its first call is recorded. */
void mpi_trace_begin (void);
/* MPI_Init has returned. */
void mpi_trace_set_rank (void);
/* What is called from here on is recorded, or is not; the recorder's part of it. */
void mpi_trace_switch (int is_on);
/* This is the child of a fork, which has no MPI. */
void mpi_trace_forget (void);

/* ---- the calls that mpi-recorder.c records; within a write ---- */
/* The call begins: current says all of it. */
void mpi_trace_enter (struct mpi_arguments *a, const struct pddt_queue_record *current);
/* It has returned, and nothing of what follows from that is known yet. */
void mpi_trace_return (struct mpi_arguments *a);
/* All that follows is recorded; ends what mpi_trace_return has begun. */
void mpi_trace_leave (struct mpi_arguments *a, const struct pddt_queue_record *current,
                      int result);
/* A message is there. status NULL: not known. */
void mpi_trace_received (const struct pddt_queue_message *message, const MPI_Status *status);
/* The request has been opened by the call that returns. */
void mpi_trace_opened (struct mpi_arguments *a, uint16_t index);
/* The call has got no request: what it has begun is complete. */
void mpi_trace_at_once (struct mpi_arguments *a, const struct pddt_queue_record *current);
/* The request of that index completes in the call that returns; status NULL: not known. */
void mpi_trace_complete (uint16_t index, const MPI_Status *status, int is_cancelled);
/* The persistent request becomes active. */
void mpi_trace_started (uint16_t index);
/* The thread's call will never return. */
void mpi_trace_abandon (uint32_t call);

/* ---- the calls of mpi-fast.h; all of them need mpi_trace_is_on or mpi_local.is_traced ---- */
/* kind: PDDT_QUEUE_SEND or …_RECV. */
void mpi_trace_fast_message (struct pddt_queue_record *record,
                             struct pddt_queue_communicator *entry, uint32_t kind,
                             uint32_t flags);
void mpi_trace_fast_enter (const struct pddt_queue_record *record);
void mpi_trace_fast_collective (struct pddt_queue_record *record,
                                struct pddt_queue_communicator *entry);
/* entry NULL: it has gone meanwhile. */
void mpi_trace_fast_collected (const struct pddt_queue_record *record,
                               const struct pddt_queue_communicator *entry);
void mpi_trace_fast_received (const struct pddt_queue_record *record, const MPI_Status *status);
/* A request is about to be opened in the place of that index. */
void mpi_trace_fast_reopen (uint16_t index);
/* index: of the request that was opened; MPI_NO_INDEX: it is complete. */
void mpi_trace_fast_opened (const struct pddt_queue_record *record, uint16_t index,
                            uint32_t kind);
/* index: of the request that is complete; MPI_NO_INDEX: there was none. */
void mpi_trace_fast_waited (const struct pddt_queue_record *record, uint16_t index,
                            const MPI_Status *status);
void mpi_trace_fast_leave (const struct pddt_queue_record *record);

/* What a wrapper passes to MPI in place of the program's status: its own, if the program ignores it. */
extern _Thread_local MPI_Status mpi_trace_status __attribute__ ((tls_model ("initial-exec")));
static inline MPI_Status *
mpi_trace_lend (MPI_Status *status)
{
    return MPI_TRACED (mpi_local.is_traced && status == MPI_STATUS_IGNORE) ? &mpi_trace_status
                                                                           : status;
}
