/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ranks as input of the analysis, and all their communicators, merged by id. */
#pragma once
#include "base/text.h"
#include "job/message-queue.h"
#include "job/state.h"

/* One rank; everything is borrowed. Arrays of these are dense: element i is rank i. */
typedef struct {
    JobState state;
    gint32 number;    /* exit status */
    const char *text; /* of a signal or failure its name, of an exception its text; NULL */
    const JobLocation *place;     /* of its topmost user frame; NULL unknown */
    const JobMessageQueue *queue; /* NULL: nothing is known of its MPI */
    gboolean is_core;             /* it cannot go on */
    gboolean moved;               /* it made progress between two readings, so it does not
                                    wait */
    const JobMessageQueue *
        before; /* of the earlier of two readings; NULL: there was one, or it could not be read */
} AnalysisRank;

typedef struct {
    guint32 rank;
    const JobMessageCommunicator *communicator; /* as this rank knows it */
} AnalysisEntry;

typedef struct {
    guint64 id;
    const JobMessageCommunicator *whole; /* one entry's, with all members if possible */
    GArray *entries;                     /* of AnalysisEntry, rising ranks */
    guint32 n_job;                       /* ranks of the job */
} AnalysisCommunicator;

/* Stopped by a fault of its own: a fatal signal, an MPI error, an uncaught exception, or an
 * exit without MPI_Finalize. */
gboolean analysis_rank_is_crashed (const AnalysisRank *rank);

/* guint64* id to AnalysisCommunicator*; the ranks must outlive it. O(ranks' communicators). */
GHashTable *analysis_communicators_new (const AnalysisRank *ranks, guint32 n_ranks);
const AnalysisCommunicator *analysis_communicators_find (GHashTable *communicators, guint64 id);
/* NULL: the rank does not know this communicator. */
const JobMessageCommunicator *
analysis_communicator_find (const AnalysisCommunicator *communicator, guint32 rank);
/* Ranks of both groups that are ranks of this job, of guint32, in rising order; if not all
 * members are known, the ranks that know the communicator. */
GArray *analysis_communicator_dup_members (const AnalysisCommunicator *communicator);
/* Some of its members are processes of another job. */
gboolean analysis_communicator_has_outside (const AnalysisCommunicator *communicator);
/* The number of a rank of the job in it; -1: it is none of its members, they are not known, or it has two sides. */
gint32 analysis_communicator_find_local (const AnalysisCommunicator *communicator, gint32 rank);
/* "halo", "MPI_COMM_WORLD", "the communicator of MPI_Comm_split (a.c:12)", "communicator #3f2a". */
char *analysis_communicator_format (BaseTextForm form, const AnalysisCommunicator *communicator,
                                    guint64 id);
