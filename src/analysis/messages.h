/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages in transit: sent by one rank and not received by the other, computed from both
 * ranks' counts. MPI keeps the order within (communicator, source, destination, tag), so the
 * counts tell which messages are missing. */
#pragma once
#include "job/message-queue.h"

typedef struct {
    guint32 source, destination;
    guint64 communicator;
    gint32 tag;
    gboolean is_asked;         /* a matching receive is posted: in flight */
    gboolean is_final;         /* no receive can follow: the destination has left MPI */
    guint64 n_messages;        /* 1, or the number of messages without details */
    const JobMessage *message; /* borrowed from the sender's queue; NULL: no details */
} AnalysisTransit;

/* By source, then in the order they were sent. Leaves out pairs whose counts are unknown or
 * incomplete on one side. Caller owns; borrows from the table. GPtrArray of AnalysisTransit. */
GPtrArray *analysis_messages_list (const JobMessageTable *table);
