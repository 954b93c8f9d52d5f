/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Collectives that do not agree: the n-th call on a communicator must be the same operation in
 * all members, with the same root, the same reduction and, where MPI demands it, as many bytes of the same types. */
#pragma once
#include "analysis/uneven.h"

typedef enum {
    ANALYSIS_MISMATCH_OPERATION,
    ANALYSIS_MISMATCH_ROOT,
    ANALYSIS_MISMATCH_REDUCTION,
    ANALYSIS_MISMATCH_TYPE,
    ANALYSIS_MISMATCH_BYTES,
    ANALYSIS_MISMATCH_UNEVEN,  /* two members do not say the same of what one gives the other */
    ANALYSIS_MISMATCH_EARLIER, /* an earlier one that is no longer remembered */
} AnalysisMismatchKind;

/* Ranks that made the same call. */
typedef struct {
    JobRankSet *ranks;
    const JobMessageCollective *collective; /* of the lowest rank; borrowed from the queues */
    const JobLocation *place; /* where one of them called it; NULL unknown; borrowed */
    const char *method;       /* mpi4py's, of a call that one of them is still inside; NULL */
} AnalysisParty;

/* The first mismatching collective of a communicator. */
typedef struct {
    AnalysisMismatchKind kind;
    guint64 communicator, sequence;
    GPtrArray *parties; /* of AnalysisParty, the smallest first, then by lowest rank */
    AnalysisUneven
        uneven; /* UNEVEN; the parties are then those of the two that remember the call */
    JobRankSet *minority; /* all but the largest party; everybody when two are equally large */
} AnalysisMismatch;

/* Which missing ranks a collective waits for. */
typedef enum {
    ANALYSIS_NEED_ALL,    /* all: no rank leaves before all have arrived */
    ANALYSIS_NEED_ROOT,   /* the root; once it has arrived, at least one other */
    ANALYSIS_NEED_GATHER, /* its root for all, the others for at least one */
    ANALYSIS_NEED_SOME,   /* at least one; which ones depends on the algorithm */
} AnalysisNeed;

/* By the name of a blocking or nonblocking one. */
AnalysisNeed analysis_collective_get_need (const char *name);

/* Of all communicators, by lowest rank of the minority. Caller owns (unref). */
GPtrArray *analysis_collective_list_mismatches (GHashTable *communicators);
/* For collectives without a place, takes that of a call that a rank is still inside. */
void analysis_mismatch_find_places (AnalysisMismatch *mismatch, const AnalysisRank *ranks,
                                    guint32 n_ranks);
/* "3 calls MPI_Barrier (a.c:10), 0-2 MPI_Allreduce (a.c:12)". Caller owns. */
char *analysis_mismatch_format (BaseTextForm form, const AnalysisMismatch *mismatch);
