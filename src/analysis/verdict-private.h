/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the search for a verdict hands to its sentence. */
#pragma once
#include "analysis/verdict.h"

/* One step of the way from the set to what it waits for: a rank, inside a call, waits by one
 * operation of it, perhaps in a collective. */
typedef struct {
    guint32 rank;
    const JobMessageCall *call;           /* NULL: it does not wait (the end of a way) */
    const JobMessageOperation *operation; /* NULL: only the call is known */
    const AnalysisNode *collective;       /* NULL: for a partner */
    gboolean is_halted;                   /* takes part, and is stopped (the end of a way) */
} AnalysisStep;

/* explained.c */
/* All ranks that wait for these, over whatever others; and these. Caller owns. */
JobRankSet *analysis_waits_dup_explained (const AnalysisWaits *waits, const JobRankSet *ranks);

/* sentence.c */
/* "MPI_Recv from 1, tag 7 on halo (a.c:12)", "the third collective on halo, MPI_Barrier (a.c:9)". */
char *analysis_sentence_format_step (const AnalysisWaits *waits, const AnalysisStep *step);
/* Fills text, parts, command, is_certain, source and placeless; the rest is there. */
void analysis_sentence_write (AnalysisVerdict *verdict, const AnalysisWaits *waits, GArray *way,
                              const AnalysisMismatch *mismatch);

/* near.c */
/* "; 1 has sent 4 bytes with tag 12, which 0 never asked for" (not is_final: "has not asked for", as it
 * may yet); NULL when no message misses the receive by one thing only. */
char *analysis_near_format (const AnalysisWaits *waits, guint32 rank,
                            const JobMessageOperation *receive, gboolean is_final);
