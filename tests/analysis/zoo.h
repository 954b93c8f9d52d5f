/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Builds jobs as values for tests of the analysis: ranks with queues, in a compact form. */
#pragma once
#include "analysis/verdict.h"

#define WORLD JOB_MESSAGE_WORLD_ID
#define HALO 77 /* another communicator */
/* Kind and name of a call. */
#define RECV JOB_MESSAGE_RECV, "MPI_Recv"
#define SEND JOB_MESSAGE_SEND, "MPI_Send"

typedef struct {
    AnalysisRank *ranks;
    guint32 n;
    GPtrArray *queues, *places;
} Zoo;

/* n running ranks that know MPI_COMM_WORLD, are initialised and outside MPI. */
Zoo *zoo_new (guint32 n);
void zoo_free (Zoo *zoo);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Zoo, zoo_free)
JobMessageQueue *zoo_queue (Zoo *zoo, guint32 rank);
/* The rank is at a line (app.c), in this state. */
void zoo_at (Zoo *zoo, guint32 rank, JobState state, guint32 line);
/* Inside a call that waits for one message; flags are the operation's. */
void zoo_in (Zoo *zoo, guint32 rank, JobMessageKind kind, const char *name, gint32 peer, gint32 tag,
             guint64 communicator, guint32 line);
/* Inside a call of that kind that waits for operations that are added after it. */
JobMessageCall *zoo_call (Zoo *zoo, guint32 rank, JobMessageKind kind, const char *name,
                          guint32 line);
JobMessageOperation *zoo_operation (Zoo *zoo, guint32 rank, JobMessageCall *call,
                                    JobMessageKind kind, const char *name, gint32 peer, gint32 tag,
                                    guint64 communicator);
/* The next collective of the communicator: begun, and finished or waited in. */
JobMessageCollective *zoo_collective (Zoo *zoo, guint32 rank, guint64 communicator,
                                      const char *name, gboolean is_finished, guint32 line);
/* All ranks know one more communicator of all. */
void zoo_communicator (Zoo *zoo, guint64 id, const char *name);
void zoo_sent (Zoo *zoo, guint32 from, guint32 to, guint64 communicator, gint32 tag, guint64 n);
void zoo_received (Zoo *zoo, guint32 to, guint32 from, guint64 communicator, gint32 tag, guint64 n);
/* What the thread of a rank outside of MPI waits for; further fields are the caller's to set. */
JobWait *zoo_wait (Zoo *zoo, guint32 rank, JobWaitKind kind, const char *name);
AnalysisVerdict *zoo_judge (Zoo *zoo, const char *set); /* NULL: all */
/* g_test_init. Verdicts are compared in a language, too, where there is one (tests/support/pseudo.h). */
void zoo_init (int *argc, char ***argv);
/* The verdict on the ranks of the set: its kind, culprits ("0-1"), command (NULL: none), and text. */
void zoo_assert_verdict (Zoo *zoo, const char *set, AnalysisVerdictKind kind, const char *culprits,
                         const char *command, const char *text);
