/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Signatures of datatypes (JobMessageRun) against each other: in matched messages and in collectives.
 * Types match by the basic types they are made of, however they were built. MPI_BYTE and MPI_PACKED
 * match any; types of one byte match each other, and a logical type an integer of its size: then the
 * bytes are the same, and pddt accuses nobody. */
#pragma once
#include "analysis/communicators.h"

/* Do they differ within so many bytes? bytes 0: not known how many, but some: the first ones are
 * compared. FALSE also where one is NULL, or cannot be read. */
gboolean analysis_signature_differ (const char *a, const char *b, guint64 bytes);
/* "MPI_INT", "{MPI_INT, MPI_DOUBLE}". */
char *analysis_signature_format (const char *signature);

/* Messages that were sent as one type and received as another: those of one communicator, tag, pair of
 * types and pair of lines. */
typedef struct {
    guint64 communicator;
    gint32 tag;
    JobRankSet *senders, *receivers;
    const JobMessageRun *sent, *received; /* of one pair; borrowed from the queues */
    const JobLocation *sent_place, *received_place; /* NULL not known; borrowed too */
    GPtrArray *keys; /* of char *: what each pair is known by, without places */
} AnalysisTypeMismatch;

void analysis_type_mismatch_free (AnalysisTypeMismatch *mismatch);
/* In the order of the lowest senders. Ranks that have no queue take no part. */
GPtrArray *analysis_types_list_mismatches (const AnalysisRank *ranks, guint32 n_ranks);
/* "0 sends MPI_DOUBLE (a.c:10), 1 receives it as MPI_INT (a.c:14), tag 5". */
char *analysis_type_mismatch_format (const AnalysisTypeMismatch *mismatch);
