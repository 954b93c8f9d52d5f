/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares datatype signatures (JobMessageRun) of matched messages and collectives. Types match
 * if they consist of the same basic types. MPI_BYTE and MPI_PACKED match any type; types of one
 * byte match each other, and a logical type matches an integer of its size: their bytes are the
 * same, so pddt reports no fault. */
#pragma once
#include "analysis/communicators.h"

/* Whether they differ within the first `bytes` bytes; 0: an unknown number, compare only the
 * first type. FALSE also when one is NULL or malformed. */
gboolean analysis_signature_differ (const char *a, const char *b, guint64 bytes);
/* "MPI_INT", "{MPI_INT, MPI_DOUBLE}". */
char *analysis_signature_format (const char *signature);

/* Messages sent as one type and received as another, with the same communicator, tag, types and
 * lines. */
typedef struct {
    guint64 communicator;
    gint32 tag;
    JobRankSet *senders, *receivers;
    const JobMessageRun *sent, *received;           /* of one pair; borrowed from the queues */
    const JobLocation *sent_place, *received_place; /* NULL not known; borrowed too */
    GPtrArray *keys; /* of char *: an identifier for each pair, without places */
} AnalysisTypeMismatch;

/* In the order of the lowest senders. Ignores ranks without a queue. */
GPtrArray *analysis_types_list_mismatches (const AnalysisRank *ranks, guint32 n_ranks);
/* "0 sends MPI_DOUBLE (a.c:10), 1 receives it as MPI_INT (a.c:14), tag 5". */
char *analysis_type_mismatch_format (BaseTextForm form, const AnalysisTypeMismatch *mismatch);
