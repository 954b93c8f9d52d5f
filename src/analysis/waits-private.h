/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the files that build the waits-for graph. */
#pragma once
#include "analysis/waits.h"

typedef struct {
    guint32 from, to;
} AnalysisEdge;

typedef struct {
    AnalysisWaits *waits;
    GArray *edges;             /* of AnalysisEdge */
    GHashTable *collectives;   /* "communicator/sequence" or a call's name to node */
    GHashTable *some, *roots;  /* "communicator/sequence" to nodes that need one member, or the
                                 root */
    GHashTable *any;           /* communicator to node */
    GHashTable *gone, *halted; /* rank to node */
    guint32 unknown;           /* node; 0 not made */
    guint n_linked;            /* edges of the last operation */
} AnalysisBuild;

guint32 analysis_build_node (AnalysisBuild *build, AnalysisNodeKind kind, guint32 rank);
void analysis_build_edge (AnalysisBuild *build, guint32 from, guint32 to);
/* The node for a rank as a partner: its own, or GONE. */
guint32 analysis_build_partner (AnalysisBuild *build, guint32 rank);
guint32 analysis_build_unknown (AnalysisBuild *build);
/* Any member of the communicator; JOB_MESSAGE_UNKNOWN_ID: any rank. */
guint32 analysis_build_any (AnalysisBuild *build, guint64 communicator);

/* halted.c */
/* Adds an edge to the peer, if it is stopped and the rank is not. TRUE: added. */
gboolean analysis_build_link_halted (AnalysisBuild *build, guint32 node, guint32 rank,
                                     gint32 peer);
/* Adds edges to members that are stopped inside a collective; call it when all other edges of
 * collectives exist. */
void analysis_build_halted_members (AnalysisBuild *build);

/* needs.c */
/* Makes a node for the rank's operation at index; the call's node points to it. Without edges
 * it completes by itself. TRUE: certainly unfinished; FALSE: it is or may be finished. */
gboolean analysis_build_operation (AnalysisBuild *build, guint32 rank,
                                   const JobMessageCall *call, guint32 index,
                                   guint32 *ret_node);
/* For a call of which only the kind and perhaps the peer are known. */
guint32 analysis_build_bare_operation (AnalysisBuild *build, guint32 rank,
                                       const JobMessageCall *call);

/* members.c */
/* Nodes of collectives: made when something waits for them, linked to missing members at the
 * end. is_any: a single arrival is enough. */
guint32 analysis_build_collective (AnalysisBuild *build, guint64 communicator, guint64 sequence,
                                   gboolean is_any);
/* A collective that waits only for its root. */
guint32 analysis_build_root (AnalysisBuild *build, const JobMessageOperation *operation,
                             guint32 root);
/* A collective known only by its call: MPI_Init, MPI_Finalize, and whatever stacks show. */
guint32 analysis_build_named (AnalysisBuild *build, const char *name);
void analysis_build_members (AnalysisBuild *build);

/* pairing.c */
/* Fills waits->inbound with the senders to each rank, and who has partitions that are not ready. */
void analysis_pairing_index (AnalysisWaits *waits);
/* FALSE: the counts of the rank or its peer (ANY: of any rank) are incomplete. */
gboolean analysis_pairing_is_counted (const AnalysisWaits *waits, guint32 rank, gint32 peer);
/* TRUE when a sent message matches the receive (the rank's operation at index) and no earlier
 * receive of that rank takes it. */
gboolean analysis_pairing_has_message (const AnalysisWaits *waits, guint32 rank, guint32 index);
typedef enum {
    ANALYSIS_SEND_RECEIVED, /* it is finished */
    ANALYSIS_SEND_WANTED,   /* the peer has posted a receive: in transit */
    ANALYSIS_SEND_LISTED,   /* MPI's own library lists it as unfinished */
    ANALYSIS_SEND_UNWANTED, /* the peer has not posted a receive */
} AnalysisSend;
AnalysisSend analysis_pairing_judge_send (const AnalysisWaits *waits, guint32 rank,
                                          const JobMessageOperation *send);
/* The receiver's flow, when MPI_Mprobe took the message of the send there, and no MPI_Mrecv has received it or
 * does; NULL. */
const JobMessageFlow *analysis_pairing_find_matched (const AnalysisWaits *waits, guint32 rank,
                                                     const JobMessageOperation *send);
/* TRUE when the message that the receive (the rank's operation at index) waits for is a partitioned one
 * of which some partition was never marked by MPI_Pready. */
gboolean analysis_pairing_is_unready (const AnalysisWaits *waits, guint32 rank, guint32 index);
/* TRUE when the source is still inside the send that the receive waits for. */
gboolean analysis_pairing_is_being_sent (const AnalysisWaits *waits, guint32 rank,
                                         const JobMessageOperation *receive);
