/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Collectives whose counts may differ: what one member says that it gives another one, the other has to
 * expect; and of a graph whose neighbours talk, both have to name each other. */
#pragma once
#include "analysis/communicators.h"

typedef enum {
    ANALYSIS_UNEVEN_SHARES, /* `one` gives `other` so many bytes, who expects another number */
    ANALYSIS_UNEVEN_COUNTS, /* both say how many bytes `about` gets, and differ */
    ANALYSIS_UNEVEN_DESTINATION, /* `one` gives to `other`, who does not name it as a source */
    ANALYSIS_UNEVEN_SOURCE, /* `one` gets from `other`, who does not name it as a destination */
    ANALYSIS_UNEVEN_EDGES,  /* they name each other, but not as often */
} AnalysisUnevenKind;

typedef struct {
    AnalysisUnevenKind kind;
    guint64 sequence;       /* of the collective on its communicator */
    guint32 one, other;     /* ranks of the job; SHARES: giver and taker */
    guint32 about;          /* COUNTS: a rank of the job */
    guint64 n_one, n_other; /* SHARES, COUNTS: bytes; EDGES: how often */
} AnalysisUneven;

/* The first one of those that the members remember; FALSE: none is known. Cost: all pairs of members that
 * have lists. */
gboolean analysis_uneven_find (const AnalysisCommunicator *communicator,
                               AnalysisUneven *ret_uneven);
/* "0 gives 2 4 bytes in MPI_Scatterv (a.c:9), 2 expects none (a.c:9)". The calls are those of the two
 * ranks, borrowed; NULL: not known. Caller owns. */
char *analysis_uneven_format (BaseTextForm form, const AnalysisUneven *uneven,
                              const JobMessageCollective *one,
                              const JobMessageCollective *other);
