/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Collectives that do not agree: the n-th call on a communicator must be the same operation in
 * all members, with the same root, the same reduction and, where MPI demands it, as many bytes of the same types. */
#pragma once
#include "analysis/communicators.h"

typedef enum {
    ANALYSIS_MISMATCH_OPERATION,
    ANALYSIS_MISMATCH_ROOT,
    ANALYSIS_MISMATCH_REDUCTION,
    ANALYSIS_MISMATCH_TYPE,
    ANALYSIS_MISMATCH_BYTES,
    ANALYSIS_MISMATCH_EARLIER, /* one before it, which nobody remembers any more */
} AnalysisMismatchKind;

/* Those that called the same. */
typedef struct {
    JobRankSet *ranks;
    const JobMessageCollective *collective; /* of the lowest rank; borrowed from the queues */
    const JobLocation *place; /* where one of them called it; NULL unknown; borrowed too */
    const char *method;       /* mpi4py's, of a call that one of them is still inside; NULL */
} AnalysisParty;

/* The first collective of a communicator that does not agree. */
typedef struct {
    AnalysisMismatchKind kind;
    guint64 communicator, sequence;
    GPtrArray *parties;   /* of AnalysisParty, the smallest first, then by lowest rank */
    JobRankSet *minority; /* all but the largest party; everybody when two are equally large */
} AnalysisMismatch;

/* Whom a collective waits for, of those that have not come. */
typedef enum {
    ANALYSIS_NEED_ALL,    /* each of them: nobody leaves before all have come */
    ANALYSIS_NEED_ROOT,   /* the root; when that is there, one of them at least */
    ANALYSIS_NEED_GATHER, /* its root all of them, the others one of them at least */
    ANALYSIS_NEED_SOME,   /* one of them at least; which ones, its algorithm knows */
} AnalysisNeed;

/* By the name of a blocking or nonblocking one. */
AnalysisNeed analysis_collective_get_need (const char *name);

void analysis_mismatch_free (AnalysisMismatch *mismatch);
/* NULL: what is known of it agrees. */
AnalysisMismatch *analysis_collective_find_mismatch (const AnalysisCommunicator *communicator);
/* Of all communicators, by lowest rank of the minority. Caller owns (unref). */
GPtrArray *analysis_collective_list_mismatches (GHashTable *communicators);
/* Where a collective has no place of its own, that of the call that a rank is still inside. */
void analysis_mismatch_find_places (AnalysisMismatch *mismatch, const AnalysisRank *ranks,
                                    guint32 n_ranks);
/* "3 calls MPI_Barrier (a.c:10), 0-2 MPI_Allreduce (a.c:12)". */
char *analysis_mismatch_format (const AnalysisMismatch *mismatch);
/* "a.c:12" with brackets and a space before; "" when unknown. */
char *analysis_format_line (const JobLocation *place);
