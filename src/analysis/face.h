/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The face: whether the ranks of a set are at the same place, from their last known places. */
#pragma once
#include "job/location.h"
#include "job/rank-set.h"
#include "job/state.h"

typedef enum {
    ANALYSIS_FACE_TOGETHER, /* all stopped, at the same function, file and line */
    ANALYSIS_FACE_DIVERGED, /* none moves, and they are at several places */
    ANALYSIS_FACE_UNKNOWN,  /* some are moving, not started or lost, or their places are not
                               known */
    ANALYSIS_FACE_ENDED,    /* all have exited */
    ANALYSIS_FACE_BLOCKED,  /* some are inside MPI without progress, whatever the others do */
    ANALYSIS_FACE_CRASHED, /* some have a fatal signal or an exception, or have failed; whatever
                               the others do */
} AnalysisFaceKind;

/* Ranks in the same state at the same place. place: of their topmost user frame, borrowed, NULL when
 * unknown. text: the signal's or exception's name, borrowed, NULL when there is none. */
typedef struct {
    JobState state;
    const JobLocation *place;
    const char *text;
    guint32 n_ranks; /* at least one */
} AnalysisMember;

/* Each rank is in one member; these come in the order of their lowest ranks. There may be millions of
 * ranks, so that only those sets are made which the face needs. */
typedef struct {
    const AnalysisMember *members;
    guint n_members;
    /* The ranks of those members that are wanted (1, else 0). Caller owns. */
    JobRankSet *(*dup_ranks) (const guint8 *wanted, gpointer user);
    gpointer user;
} AnalysisRanks;

/* Ranks at one place. Stopped ones form one group whatever stopped them, with the most severe
 * of their states. Ended ranks have no place. */
typedef struct {
    JobRankSet *ranks;
    JobLocation *place; /* NULL unknown */
    JobState state;
} AnalysisPlaceGroup;

typedef struct {
    AnalysisFaceKind kind;
    char *text; /* "Together: 8 ranks at work, app.py:12",
                          "Diverged: 7 of 8 at app.py:12 · 1 at app.py:8 (3)",
                          "Rank 3 crashed (SIGSEGV) at app.py:8 · 7 at app.py:12 (0-2,4-7)",
                          "Ranks 0-1 blocked · 2 running", "5 of 7 stopped, 2 running", "All ended", "no ranks" */
    gsize
        main_length; /* bytes of text without what the others do: a reason belongs behind them */
    GPtrArray *groups;    /* of AnalysisPlaceGroup, largest first, then by lowest rank */
    gboolean is_together; /* as ANALYSIS_FACE_TOGETHER, also where all have crashed together */
    JobRankSet *crashed;  /* those that make it ANALYSIS_FACE_CRASHED; may be empty */
} AnalysisFace;

/* ranks: not kept. Never returns NULL. */
AnalysisFace *analysis_face_new (const AnalysisRanks *ranks);
void analysis_face_free (AnalysisFace *face);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (AnalysisFace, analysis_face_free)
