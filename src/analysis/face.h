/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The face: are the ranks of a set together? A pure function of where they last were. */
#pragma once
#include "job/location.h"
#include "job/rank-set.h"
#include "job/state.h"

typedef enum {
    ANALYSIS_FACE_TOGETHER, /* all stopped, at the same function, file and line */
    ANALYSIS_FACE_APART,    /* none moves, and they are not together */
    ANALYSIS_FACE_UNKNOWN,  /* some move, are not started or lost, or nothing says where they are */
    ANALYSIS_FACE_ENDED,    /* all have exited or failed */
} AnalysisFaceKind;

/* One rank, and the n_more after it that are in the same state at the same place: `place` is that of its topmost user frame, borrowed, NULL when unknown. */
typedef struct {
    guint32 rank;
    JobState state;
    const JobLocation *place;
    guint32 n_more;
} AnalysisMember;

/* Ranks at one place. Stopped ones form one group whatever stopped them; `state` is then the most
 * severe of theirs. Of ended ranks the place is NULL. */
typedef struct {
    JobRankSet *ranks;
    JobLocation *place; /* NULL unknown */
    JobState state;
} AnalysisPlaceGroup;

typedef struct {
    AnalysisFaceKind kind;
    char *text;        /* "Together: 8 ranks at work, app.py:12",
                          "Apart: 7 of 8 at app.py:12 · 1 at app.py:8 (3)",
                          "5 of 7 stopped, 2 running", "All ended", "no ranks" */
    GPtrArray *groups; /* of AnalysisPlaceGroup, largest first, then by lowest rank */
} AnalysisFace;

/* Each rank once, in any order; members are not kept. Never NULL. */
AnalysisFace *analysis_face_new (const AnalysisMember *members, guint n_members);
/* Its groups alone. Caller owns (unref). */
GPtrArray *analysis_face_dup_groups (const AnalysisMember *members, guint n_members);
void analysis_face_free (AnalysisFace *face);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (AnalysisFace, analysis_face_free)
