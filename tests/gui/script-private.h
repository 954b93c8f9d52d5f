/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A scripted job from inside, for script.c and its answers. */
#pragma once
#include "script.h"

struct _Script {
    Session *session;
    char *file;
    guint32 n_ranks;
    guint64 *stops;
    guint32 *lines;
    char **functions;
    JobState *states;
    JobRankSet *held; /* they do not arrive when they step; NULL: all do */
    guint64 held_request;
    JobRankSet *mute;    /* they do not answer; NULL: all do */
    JobRankSet *without; /* they have no place for a breakpoint; NULL: all have */
    guint n_asked[JOB_N_VERBS];
    GRand *random;   /* hosts answer when it says so; NULL: at once */
    GQueue hosts[4]; /* of requests that are not answered yet, in their order */
    GPtrArray *kept; /* of JobEvent: answers that come later; NULL: they come at once */
    gboolean is_marked;
    guint moment; /* the newest one */
    ScriptMoment *moments;
};

/* What ranks say when they are asked. FALSE: the verb is no question. May take ranks out of the request. */
gboolean script_answer (Script *script, JobRequest *request);
/* "STEM_MARK": the same for all that have stopped together in that moment. Caller owns. */
char *script_format_place (const char *stem, guint moment);
