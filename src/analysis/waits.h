/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The waits-for graph of a job: which rank waits for which, reduced to the ranks that no
 * running rank can free. A node waits for all of its targets, or for any one of them
 * (wildcards, MPI_Waitany). The missing members of a collective are stored once per collective,
 * so that the total cost is O(ranks + operations + members of the communicators involved). */
#pragma once
#include "analysis/collective.h"

typedef enum {
    ANALYSIS_NODE_RANK,       /* node i is rank i */
    ANALYSIS_NODE_GONE,       /* a rank that no longer communicates: in MPI_Finalize or after
                                 it */
    ANALYSIS_NODE_HALTED,     /* a stopped participant */
    ANALYSIS_NODE_CALL,       /* a call that a thread is inside */
    ANALYSIS_NODE_OPERATION,  /* what a call waits for */
    ANALYSIS_NODE_ANY,        /* any member of a communicator */
    ANALYSIS_NODE_COLLECTIVE, /* missing members of a collective */
    ANALYSIS_NODE_UNKNOWN,    /* something that pddt cannot see */
} AnalysisNodeKind;

typedef enum {
    ANALYSIS_FATE_STUCK,    /* waits, and no moving rank will free it */
    ANALYSIS_FATE_FREE,     /* can move, or will once those it waits for do */
    ANALYSIS_FATE_HELD,     /* stopped by the user; otherwise free */
    ANALYSIS_FATE_CRASHED,  /* stopped by its own fault: a fatal signal, an error, an early
                               exit */
    ANALYSIS_FATE_ENDED,    /* exited, failed, lost, or has left MPI */
    ANALYSIS_FATE_MISMATCH, /* all are in a collective, but not in the same one */
} AnalysisFate;

typedef struct {
    AnalysisNodeKind kind;
    AnalysisFate fate;
    gboolean is_any;            /* one target is enough */
    guint32 rank;               /* whose; G_MAXUINT32 of ANY, COLLECTIVE and UNKNOWN */
    const JobMessageCall *call; /* CALL, OPERATION */
    const JobMessageOperation *operation; /* OPERATION; NULL when only the call is known */
    guint64 communicator, sequence;       /* ANY, COLLECTIVE */
    const char *name; /* COLLECTIVE known only by name, "MPI_Finalize" … */
    guint32 need;     /* targets that must still become free */
} AnalysisNode;

typedef struct {
    const AnalysisRank *ranks;
    guint32 n_ranks;
    GHashTable *communicators; /* as in communicators.h */
    GPtrArray *mismatches;     /* of AnalysisMismatch */
    GArray *nodes;             /* of AnalysisNode; the first n_ranks are the ranks */
    guint32 *first;            /* [nodes + 1]: where a node's targets begin in `targets` */
    guint32 *targets;
    guint32 *first_inbound; /* [n_ranks + 1]: where the senders to a rank begin in
                                  `inbound` */
    guint32 *inbound;
    GPtrArray *made;     /* of JobMessageCall: of ranks that wait outside MPI for another one */
    GHashTable *flows;   /* pairing.c's: how many messages of which tag between whom */
    guint8 *has_unready; /* [n_ranks]: 1: MPI_Pready has not marked all of a send of it */
} AnalysisWaits;

/* The ranks (and what they borrow) must outlive it. */
AnalysisWaits *analysis_waits_new (const AnalysisRank *ranks, guint32 n_ranks);
void analysis_waits_free (AnalysisWaits *waits);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (AnalysisWaits, analysis_waits_free)
const AnalysisNode *analysis_waits_get (const AnalysisWaits *waits, guint32 node);
/* The rank that is the child whose end the rank waits for outside MPI; G_MAXUINT32: none. Such a rank is stuck if that
 * child is, or stands still. */
guint32 analysis_waits_get_child (const AnalysisWaits *waits, guint32 rank);
/* TRUE when the rank is inside MPI and waits there, free or stuck. */
gboolean analysis_waits_is_waiting (const AnalysisWaits *waits, guint32 rank);
