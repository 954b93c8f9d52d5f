/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of the waits-for graph share while it is being built. */
#pragma once
#include "analysis/waits.h"

typedef struct {
    guint32 from, to;
} AnalysisEdge;

typedef struct {
    AnalysisWaits *waits;
    GArray *edges;           /* of AnalysisEdge */
    GHashTable *collectives; /* "communicator/sequence" or a call's name to node */
    GHashTable *some, *roots; /* "communicator/sequence" to nodes of those that need one, or the root */
    GHashTable *any;         /* communicator to node */
    GHashTable *gone, *halted; /* rank to node */
    guint32 unknown;         /* node; 0 not made */
    guint n_linked;          /* edges of the operation that was built last */
} AnalysisBuild;

guint32 analysis_build_node (AnalysisBuild *build, AnalysisNodeKind kind, guint32 rank);
void analysis_build_edge (AnalysisBuild *build, guint32 from, guint32 to);
/* The node that stands for a rank as a partner: its own, or that it is gone. */
guint32 analysis_build_partner (AnalysisBuild *build, guint32 rank);
guint32 analysis_build_unknown (AnalysisBuild *build);
/* Any member of the communicator; JOB_MESSAGE_UNKNOWN_ID: any rank. */
guint32 analysis_build_any (AnalysisBuild *build, guint64 communicator);

/* halted.c */
/* The node of a rank that others need, and that is stopped. */
guint32 analysis_build_halted (AnalysisBuild *build, guint32 rank);
/* An edge to the peer when it is stopped and the rank is not. TRUE: so it was. */
gboolean analysis_build_link_halted (AnalysisBuild *build, guint32 node, guint32 rank, gint32 peer);
/* Once all edges of collectives are there: those of their members that are stopped inside. */
void analysis_build_halted_members (AnalysisBuild *build);

/* needs.c */
/* The n-th operation of the rank, as a node for its call to point to; without edges it ends by itself.
 * TRUE: it is certainly open, FALSE: it may be over, or is. */
gboolean analysis_build_operation (AnalysisBuild *build, guint32 rank, const JobMessageCall *call,
                                   guint32 index, guint32 *ret_node);
/* Only the call is known: its kind, and perhaps its peer. */
guint32 analysis_build_bare_operation (AnalysisBuild *build, guint32 rank,
                                       const JobMessageCall *call);

/* members.c */
/* Nodes of collectives: made as they are waited for, linked to those they lack at the end. is_any: it
 * goes on as soon as one of them comes. */
guint32 analysis_build_collective (AnalysisBuild *build, guint64 communicator, guint64 sequence,
                                   gboolean is_any);
/* Only its root holds the collective up. */
guint32 analysis_build_root (AnalysisBuild *build, const JobMessageOperation *operation,
                             guint32 root);
/* Known by the call alone: MPI_Init, MPI_Finalize, and where there is nothing but stacks. */
guint32 analysis_build_named (AnalysisBuild *build, const char *name);
void analysis_build_members (AnalysisBuild *build);

/* pairing.c */
/* Who has sent to whom: waits->inbound. */
void analysis_pairing_index (AnalysisWaits *waits);
/* FALSE: what the rank or its peer (ANY: any of them) counts is incomplete. */
gboolean analysis_pairing_is_counted (const AnalysisWaits *waits, guint32 rank, gint32 peer);
/* TRUE when a message that was sent matches the receive (the n-th operation of its rank), and no
 * earlier receive of that rank takes it. */
gboolean analysis_pairing_has_message (const AnalysisWaits *waits, guint32 rank, guint32 index);
typedef enum {
    ANALYSIS_SEND_RECEIVED, /* it is over */
    ANALYSIS_SEND_WANTED,   /* the peer has asked for it: it is on its way */
    ANALYSIS_SEND_LISTED,   /* MPI's own library has it among those that are open */
    ANALYSIS_SEND_UNWANTED, /* the peer has not asked for it */
} AnalysisSend;
AnalysisSend analysis_pairing_judge_send (const AnalysisWaits *waits, guint32 rank,
                                          const JobMessageOperation *send);
/* TRUE when the source is still inside the send of what the receive waits for. */
gboolean analysis_pairing_is_being_sent (const AnalysisWaits *waits, guint32 rank,
                                         const JobMessageOperation *receive);
