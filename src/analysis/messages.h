/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages in transit: sent by one rank and not received by the other, paired from what both have
 * counted. MPI keeps the order within (communicator, source, destination, tag), so of those that
 * are missing the last ones are known by number. */
#pragma once
#include "job/message-queue.h"

typedef struct {
    guint32 source, destination;
    guint64 communicator;
    gint32 tag;
    gboolean is_asked;         /* a receive that would take it is posted: in flight */
    gboolean is_final;         /* no receive can come any more: the destination has left MPI */
    guint64 n_messages;        /* 1; of those whose details the sender no longer has: how many */
    const JobMessage *message; /* borrowed from the sender's queue; NULL: details are gone */
} AnalysisTransit;

/* By source, then in the order they were sent. Pairs of which one side is not known, or has not
 * counted all, are left out. Caller owns; borrows from the table. GPtrArray of AnalysisTransit. */
GPtrArray *analysis_messages_list (const JobMessageTable *table);
