/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the search for a verdict passes to the writer of its sentence. */
#pragma once
#include "analysis/verdict.h"
#include "analysis/words.h"

/* One step of the path from the set to what it waits for: a rank in a call waits in one of its
 * operations, perhaps in a collective. */
typedef struct {
    guint32 rank;
    const JobMessageCall *call;           /* NULL: it does not wait (the end of a path) */
    const JobMessageOperation *operation; /* NULL: only the call is known */
    const AnalysisNode *collective;       /* NULL: waits for a partner */
    gboolean is_halted;                   /* a stopped participant (the end of a path) */
} AnalysisStep;

/* verdict-search.c: from the ranks of a set along what they wait for, the nearest first. */
#define ANALYSIS_NO_NODE G_MAXUINT32
typedef struct {
    const AnalysisWaits *waits;
    guint32 *parents; /* [nodes]; itself at a start, ANALYSIS_NO_NODE unseen */
    GArray *queue;    /* of guint32: nodes in the order of their distance */
} AnalysisSearch;

void analysis_search_init (AnalysisSearch *search, const AnalysisWaits *waits);
void analysis_search_clear (AnalysisSearch *search);
void analysis_search_visit (AnalysisSearch *search, guint32 node, guint32 parent);
void analysis_search_expand (AnalysisSearch *search, guint position);
/* From all ranks of the set that wait and are (not) free; those that run speak first. Clear it afterwards. */
void analysis_search_run (AnalysisSearch *search, const AnalysisWaits *waits,
                          const JobRankSet *set, gboolean is_free);
/* The nearest node of that kind; ANALYSIS_NO_NODE. */
guint32 analysis_search_find_fate (const AnalysisSearch *search, AnalysisFate fate);
guint32 analysis_search_find_lonely (const AnalysisSearch *search);
guint32 analysis_search_find_mover (const AnalysisSearch *search);
/* The nearest operation that waits for no rank, else the nearest of all. */
guint32 analysis_search_find_operation (const AnalysisSearch *search);
/* explained.c */
/* Those whom the last rank of the way deals with, the members of its collective or its peer, without the ranks
 * of the way and those that wait. Caller owns. */
JobRankSet *analysis_waits_dup_partners (const AnalysisWaits *waits, const GArray *way,
                                         const JobRankSet *waiting);
/* These ranks and all that wait for them, directly or indirectly. Caller owns. */
JobRankSet *analysis_waits_dup_explained (const AnalysisWaits *waits, const JobRankSet *ranks);

/* Whom a clause is about, and in which form it is. */
typedef struct {
    BaseTextForm form;
    const char *who; /* "0-2", "they"; NULL: a caption, which says it without a subject */
    gulong n;        /* of who: one or several */
} AnalysisSubject;

/* sentence-step.c: labels. Caller owns. */
/* "MPI_Recv from 1, tag 7 on halo (a.c:12)", "the third collective on halo, MPI_Barrier (a.c:9)". */
char *analysis_sentence_format_step (BaseTextForm form, const AnalysisWaits *waits,
                                     const AnalysisStep *step);
/* The label of a call, which it takes, with the message that it sends or waits for. */
char *analysis_sentence_add_message (BaseTextForm form, char *label, const AnalysisWaits *waits,
                                     JobMessageKind kind, gint32 peer, gint32 tag,
                                     guint64 communicator);
/* sentence-rank.c: "3 is computing at a.c:7"; as a caption "computing at a.c:7". Caller owns. */
char *analysis_sentence_describe_rank (const AnalysisSubject *subject, AnalysisVerdictKind kind,
                                       const AnalysisWaits *waits, guint32 rank);
/* sentence-wait.c, for a queue's waits. Caller owns. */
/* "3 waits for the end of thread 4 (a.c:7)", with the line that the wait has; NULL: the first thread waits for nothing
 * known. */
char *analysis_sentence_describe_wait (const AnalysisSubject *subject, const GPtrArray *waits);
/* The same with the first thread's place where it belongs: "3 waits for the end of thread 4 at a.c:7", "3 is in fcntl of
 * data (a.c:7), which 0 has locked". */
char *analysis_sentence_describe_wait_at (const AnalysisSubject *subject,
                                          const GPtrArray *waits, const JobLocation *place);
/* "fcntl of /tmp/data, which 0 has locked": the first one, as a call that a rank is in. */
char *analysis_sentence_format_lock (BaseTextForm form, const GPtrArray *waits);
/* The clause, which it takes, of a rank that is paused, with what its threads wait for there: "3 is
 * paused, where it waits for the end of thread 4". */
char *analysis_sentence_add_wait (const AnalysisSubject *subject, char *clause,
                                  const GPtrArray *waits);
/* sentence-unknown.c: of a way whose last rank waits for something that is not known. Caller owns. */
/* The rank whose window it accesses, with a one-sided operation. */
gboolean analysis_sentence_find_target (const AnalysisWaits *waits, const GArray *way,
                                        guint32 *ret_target);
/* "MPICH may need 0 to enter MPI" */
char *analysis_sentence_format_target (BaseTextForm form, const AnalysisWaits *waits,
                                       guint32 target);
/* "what another job does is not known" */
char *analysis_sentence_format_unknown (BaseTextForm form, const AnalysisWaits *waits,
                                        const GArray *way);
/* Of a collective that others have left, or of anything else: "why they do not go on is not known". n_waiting: ranks
 * that wait as the first of the way does. */
char *analysis_sentence_format_unexplained (BaseTextForm form, const GArray *way,
                                            guint n_waiting);
/* sentence.c */
/* Fills in text, parts, command, is_certain, source and placeless; the caller has set the
 * rest. */
void analysis_sentence_write (AnalysisVerdict *verdict, const AnalysisWaits *waits, GArray *way,
                              const AnalysisMismatch *mismatch);

/* near.c: of the first step of the way for which there is something to say. Caller owns; NULL. */
/* "1 has sent 4 bytes to 0 with tag 12, which 0 never asked for" (without is_final: "has not asked
 * for", because it still may), where a message differs from a receive in only one respect. */
char *analysis_near_format (BaseTextForm form, const AnalysisWaits *waits, const GArray *way,
                            gboolean is_final);
/* Of a circle in which a rank waits in a collective, why the next one does not come to it: "0 has called the
 * first collective on halo, MPI_Bcast (a.c:7), before, which 1-3 have not", or if says_unsent "0 has sent 3 nothing that
 * matches". */
char *analysis_near_format_apart (BaseTextForm form, const AnalysisWaits *waits,
                                  const GArray *circle, gboolean says_unsent);
/* "0 has taken the message of 1 with MPI_Mprobe (a.c:9), but not received it". */
char *analysis_near_format_matched (BaseTextForm form, const AnalysisWaits *waits,
                                    const GArray *way);
