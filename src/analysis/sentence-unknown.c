/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Why it is not known whether the last rank of a way will go on. */
#include "analysis/calls.h"
#include "analysis/verdict-private.h"
#include "base/array.h"

static const AnalysisStep *
get_last (const GArray *way)
{
    return &g_array_index (way, AnalysisStep, way->len - 1);
}

/* ---- the target of a one-sided operation ---- */

gboolean
analysis_sentence_find_target (const AnalysisWaits *waits, const GArray *way,
                               guint32 *ret_target)
{
    const AnalysisStep *last = way->len > 0 ? get_last (way) : NULL;
    const JobMessageOperation *operation = last != NULL ? last->operation : NULL;
    const JobMessageQueue *queue = last != NULL ? waits->ranks[last->rank].queue : NULL;

    if (operation == NULL || operation->kind != JOB_MESSAGE_RMA || operation->peer < 0
        || (guint32) operation->peer >= waits->n_ranks
        || (queue != NULL && (queue->flags & JOB_MESSAGE_QUEUE_OTHERS))) {
        return FALSE;
    }
    *ret_target = (guint32) operation->peer;
    return TRUE;
}

/* Neither in MPI nor stopped or gone. */
static gboolean
is_outside_mpi (const AnalysisRank *target)
{
    return job_state_get_info (target->state)->is_moving && target->queue != NULL
           && target->queue->source == JOB_MESSAGE_SOURCE_RECORDER
           && target->queue->calls->len == 0;
}

static const char *
get_mpi_name (const JobMessageQueue *queue)
{
    static const char *const names[] = { "Open MPI", "MPICH" };

    return BASE_CHOOSE (i, queue->library != NULL ? G_N_ELEMENTS (names) : 0,
                        g_str_has_prefix (queue->library, names[i]), names[i], "MPI");
}

char *
analysis_sentence_format_target (BaseTextForm form, const AnalysisWaits *waits, guint32 target)
{
    const AnalysisRank *rank = &waits->ranks[target];

    return is_outside_mpi (rank)
               /* Translators: the name of an MPI ("MPICH"), and a rank whose memory others access. */
               ? base_text_print (form, "%s may need %u to enter MPI",
                                  get_mpi_name (rank->queue), target)
               : base_text_print (form, "why it does not go on is not known");
}

/* ---- others ---- */

static char *
format_unknown_peer (BaseTextForm form, const GArray *way, const char *remark)
{
    guint32 rank = get_last (way)->rank;

    if (way->len == 1) {
        return remark != NULL
                   ? base_text_print (form, "pddt cannot tell for which rank: %s", remark)
                   : base_text_print (form, "pddt cannot tell for which rank");
    }
    return remark != NULL
               ? base_text_print (form, "pddt cannot tell which rank %u waits for: %s", rank,
                                  remark)
               : base_text_print (form, "pddt cannot tell which rank %u waits for", rank);
}

static gboolean
is_with_outside (const AnalysisWaits *waits, const AnalysisNode *collective)
{
    const AnalysisCommunicator *communicator
        = analysis_communicators_find (waits->communicators, collective->communicator);

    return communicator != NULL && analysis_communicator_has_outside (communicator);
}

static char *
format_other_thread (BaseTextForm form, guint32 rank, const JobMessageQueue *queue)
{
    g_autofree char *who = base_text_print (form, "another thread of %u", rank);
    const AnalysisSubject other = { form, who, 1 };
    g_autofree char *clause = analysis_sentence_describe_wait (&other, queue->waits);

    if (clause == NULL) {
        clause = base_text_print (form, "another thread of %u is outside of MPI", rank);
    }
    /* Translators: whether a rank is stuck; and what another thread of it does. */
    return base_text_print (form, "whether it is stuck is not known: %s", clause);
}

char *
analysis_sentence_format_unknown (BaseTextForm form, const AnalysisWaits *waits,
                                  const GArray *way)
{
    const AnalysisStep *last = get_last (way);
    const JobMessageQueue *queue = waits->ranks[last->rank].queue;
    const char *name = last->call != NULL ? last->call->name : NULL;
    gint32 peer = last->operation != NULL ? last->operation->peer
                  : last->call != NULL    ? last->call->peer
                                          : JOB_MESSAGE_UNKNOWN;

    if (queue != NULL && (queue->flags & JOB_MESSAGE_QUEUE_OTHERS)) {
        return format_other_thread (form, last->rank, queue);
    }
    if (g_strcmp0 (name, "MPI_Comm_accept") == 0) {
        return base_text_print (form, "no other program has connected yet");
    }
    if (peer == JOB_MESSAGE_OUTSIDE || analysis_calls_is_for_another_job (name)
        || (last->collective != NULL && is_with_outside (waits, last->collective))) {
        return base_text_print (form, "what another job does is not known");
    }
    return format_unknown_peer (form, way, queue != NULL ? queue->remark : NULL);
}

char *
analysis_sentence_format_unexplained (BaseTextForm form, const GArray *way, guint n_waiting)
{
    if (way->len > 1) {
        return base_text_print (form, "why %u does not go on is not known",
                                get_last (way)->rank);
    }
    return n_waiting > 1 ? base_text_print (form, "why they do not go on is not known")
                         : base_text_print (form, "why it does not go on is not known");
}
