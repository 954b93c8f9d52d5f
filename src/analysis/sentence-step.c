/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A call and what it waits for, as a label. */
#include "analysis/verdict-private.h"
#include "analysis/windows.h"
#include "base/array.h"
#include <string.h>

/* The label, which it takes, with whom the message is for. */
static char *
add_receiver (BaseTextForm form, char *label, gint32 peer)
{
    g_autofree char *owned = label;

    switch (peer) {
    case JOB_MESSAGE_ANY: return base_text_print (form, "%s to any rank", owned);
    case JOB_MESSAGE_NONE: return base_text_print (form, "%s to nobody", owned);
    case JOB_MESSAGE_OUTSIDE: return base_text_print (form, "%s to another job", owned);
    case JOB_MESSAGE_UNKNOWN: return g_steal_pointer (&owned);
    /* Translators: a call, and the rank that its message is for: "MPI_Send to 3". */
    default: return base_text_print (form, "%s to %d", owned, peer);
    }
}

static char *
add_sender (BaseTextForm form, char *label, gint32 peer)
{
    g_autofree char *owned = label;

    switch (peer) {
    case JOB_MESSAGE_ANY: return base_text_print (form, "%s from any rank", owned);
    case JOB_MESSAGE_NONE: return base_text_print (form, "%s from nobody", owned);
    case JOB_MESSAGE_OUTSIDE: return base_text_print (form, "%s from another job", owned);
    case JOB_MESSAGE_UNKNOWN: return g_steal_pointer (&owned);
    /* Translators: a call, and the rank that its message comes from: "MPI_Recv from 3". */
    default: return base_text_print (form, "%s from %d", owned, peer);
    }
}

static char *
add_partner (BaseTextForm form, char *label, gint32 peer)
{
    g_autofree char *owned = label;

    switch (peer) {
    case JOB_MESSAGE_ANY: return base_text_print (form, "%s with any rank", owned);
    case JOB_MESSAGE_OUTSIDE: return base_text_print (form, "%s with another job", owned);
    case JOB_MESSAGE_NONE:
    case JOB_MESSAGE_UNKNOWN: return g_steal_pointer (&owned);
    /* Translators: a call, and the rank that it connects to: "MPI_Comm_connect with 3". */
    default: return base_text_print (form, "%s with %d", owned, peer);
    }
}

/* The label, which it takes, with the communicator of its message, and the peer's number there. */
static char *
add_communicator (BaseTextForm form, char *label, const AnalysisWaits *waits, gint32 peer,
                  guint64 id)
{
    const AnalysisCommunicator *communicator
        = analysis_communicators_find (waits->communicators, id);
    g_autofree char *name = analysis_communicator_format (form, communicator, id);
    g_autofree char *one = label;
    gint32 local = communicator != NULL ? analysis_communicator_find_local (communicator, peer)
                                        : -1;

    if (local < 0 || local == peer) {
        /* Translators: a call and its communicator: "MPI_Recv from 3, tag 7 on halo". */
        return base_text_print_in (form, "call and its communicator", "%s on %s", one, name);
    }
    /* Translators: a call, its communicator, a rank of the job and its number there: "MPI_Recv from 3, tag 7 on halo
       (where 3 is rank 1)". */
    return base_text_print (form, "%s on %s (where %d is rank %d)", one, name, peer, local);
}

char *
analysis_sentence_add_message (BaseTextForm form, char *label, const AnalysisWaits *waits,
                               JobMessageKind kind, gint32 peer, gint32 tag,
                               guint64 communicator)
{
    g_autofree char *with = NULL;

    label = kind == JOB_MESSAGE_SEND    ? add_receiver (form, label, peer)
            : kind == JOB_MESSAGE_OUTER ? add_partner (form, label, peer)
                                        : add_sender (form, label, peer);
    with = label;
    if (tag == JOB_MESSAGE_ANY) {
        label = base_text_print (form, "%s, any tag", with);
    } else if (job_message_tag_is_number (tag)) {
        /* Translators: a call and its message: "MPI_Recv from 3, tag 7". */
        label = base_text_print (form, "%s, tag %d", with, tag);
    } else {
        with = NULL;
    }
    return communicator != JOB_MESSAGE_WORLD_ID && communicator != JOB_MESSAGE_UNKNOWN_ID
               ? add_communicator (form, label, waits, peer, communicator)
               : label;
}

static gboolean
is_message (JobMessageKind kind)
{
    return kind == JOB_MESSAGE_SEND || kind == JOB_MESSAGE_RECV || kind == JOB_MESSAGE_PROBE;
}

/* mpi4py's recv is MPI_Mprobe and MPI_Mrecv, its bcast two of MPI_Bcast, its win.Fence is
 * MPI_Win_fence: is the call the one that the method is named after? */
static gboolean
is_named_after (const char *method, const char *call)
{
    static const char *const classes[] = { "MPI_Win_", "MPI_Comm_", "MPI_File_", "MPI_" };
    const char *word = strrchr (method, '.');

    word = word != NULL ? word + 1 : method;
    return (call != NULL
            && BASE_ANY (i, G_N_ELEMENTS (classes),
                         g_str_has_prefix (call, classes[i])
                             && g_ascii_strcasecmp (call + strlen (classes[i]), word) == 0))
           || (call != NULL && g_ascii_strcasecmp (word, "recv") == 0
               && (strcmp (call, "MPI_Mprobe") == 0 || strcmp (call, "MPI_Mrecv") == 0));
}

/* As the user wrote it: "MPI_Recv", "comm.recv", "comm.allreduce, its step MPI_Recv". */
static char *
name_call (BaseTextForm form, const JobMessageCall *call)
{
    const char *name = call->name != NULL ? call->name : "MPI";

    if (call->method == NULL) {
        return g_strdup (name);
    }
    return is_named_after (call->method, name)
               ? g_strdup (call->method)
               /* Translators: a method of mpi4py, and the MPI call that it is in. */
               : base_text_print (form, "%s, its step %s", call->method, name);
}

/* "on the window of 2, which 1 has locked since a.c:30"; takes the label, which has its own line already. */
static char *
add_holders (BaseTextForm form, char *label, const JobRankSet *holders,
             const JobMessageOperation *operation, const JobLocation *place)
{
    g_autofree char *call = label, *who = job_rank_set_format (holders);
    g_autofree char *line = analysis_words_format_line (place);
    guint n = job_rank_set_get_count (holders);

    if (operation->peer < 0) {
        /* Translators: a call for a lock on all ranks' memory, and the ranks that have one: "MPI_Win_lock_all (a.c:9),
           while 1 holds a lock". */
        return base_text_print_plural (form, "%s, while %s holds a lock",
                                       "%s, while %s hold a lock", n, call, who);
    }
    if (line == NULL) {
        /* Translators: a call for a lock, the rank whose memory it is for, and the ranks that have it. */
        return base_text_print_plural (form, "%s on the window of %d, which %s has locked",
                                       "%s on the window of %d, which %s have locked", n, call,
                                       operation->peer, who);
    }
    /* Translators: as before, and the line that has locked it: "MPI_Win_lock (a.c:9) on the window of 2, which 1 has
       locked since a.c:7". */
    return base_text_print_plural (form, "%s on the window of %d, which %s has locked since %s",
                                   "%s on the window of %d, which %s have locked since %s", n,
                                   call, operation->peer, who, line);
}

/* "MPI_Win_lock (a.c:9) on the window of 2, which 1 has locked since a.c:7", "MPI_Win_flush on 2 (a.c:9)" */
static char *
add_lock (BaseTextForm form, char *label, const AnalysisWaits *waits, const AnalysisStep *step)
{
    const JobMessageOperation *operation = step->operation;
    g_autoptr (JobRankSet) holders = job_rank_set_new ();
    g_autofree char *call = NULL;

    if (analysis_windows_find (waits->ranks, waits->n_ranks, step->rank, operation, holders)
        == ANALYSIS_WINDOW_HOLDERS) {
        return add_holders (form, analysis_words_add_line (form, label, step->call->place),
                            holders, operation,
                            analysis_windows_find_lock (
                                &waits->ranks[job_rank_set_get_lowest (holders)], operation));
    }
    if (operation->peer >= 0) {
        call = label;
        /* Translators: a call, and the rank whose memory it is for: "MPI_Win_flush on 2". */
        label = base_text_print_in (form, "call and its target rank", "%s on %d", call,
                                    operation->peer);
    }
    return analysis_words_add_line (form, label, step->call->place);
}

static char *
format_collective (BaseTextForm form, const AnalysisWaits *waits, const AnalysisStep *step,
                   const char *call)
{
    const JobMessageOperation *operation = step->operation;
    g_autofree char *name
        = analysis_communicator_format (form,
                                        analysis_communicators_find (waits->communicators,
                                                                     operation->communicator),
                                        operation->communicator);
    g_autofree char *ordinal = job_message_format_ordinal (form, operation->sequence);

    /* Translators: "the third collective on halo, MPI_Barrier": the name of a call that many
       ranks make together. It stands after "waits in". */
    return base_text_print (form, "the %s collective on %s, %s", ordinal, name, call);
}

/* The label, which it takes, with what MPI_Pready has not marked of a partitioned message. */
static char *
add_partitions (BaseTextForm form, char *label, const JobMessageOperation *operation)
{
    g_autofree char *owned = label;
    guint n_unready = operation->n_partitions - operation->n_ready;

    if (operation->n_partitions <= operation->n_ready) {
        return g_steal_pointer (&owned);
    }
    if (n_unready == 1 && operation->unready >= 0) {
        /* Translators: a call, and the number of a partition of its message. */
        return base_text_print (form, "%s, whose partition %d was never marked by MPI_Pready",
                                owned, operation->unready);
    }
    /* Translators: a call, and how many partitions of its message, and of how many. */
    return base_text_print_plural (
        form, "%s, of which %u of %u partitions was never marked by MPI_Pready",
        "%s, of which %u of %u partitions were never marked by MPI_Pready", n_unready, owned,
        n_unready, operation->n_partitions);
}

/* line: that of the call, if it is to stand behind its name; NULL. */
static char *
format_operation (BaseTextForm form, const AnalysisWaits *waits, const AnalysisStep *step,
                  const JobLocation *line)
{
    const JobMessageOperation *operation = step->operation;
    g_autofree char *call = analysis_words_add_line (form, name_call (form, step->call), line);
    g_autofree char *what = NULL;
    gboolean is_own = g_strcmp0 (operation->name, step->call->name) == 0
                      || (operation->flags & JOB_MESSAGE_IN_CALL) || operation->name == NULL;

    if (operation->kind == JOB_MESSAGE_COLLECTIVE) {
        return format_collective (form, waits, step, is_own ? call : operation->name);
    }
    what = is_own ? g_strdup (call) : g_strdup (operation->name);
    if (is_message (operation->kind) || operation->kind == JOB_MESSAGE_OUTER) {
        what = analysis_sentence_add_message (form, what, waits, operation->kind,
                                              operation->peer, operation->tag,
                                              operation->communicator);
        what = add_partitions (form, what, operation);
    }
    return is_own ? g_steal_pointer (&what)
                  /* Translators: a call, and the request that it waits for: "MPI_Wait for
                     MPI_Irecv from 3, tag 7". */
                  : base_text_print (form, "%s for %s", call, what);
}

char *
analysis_sentence_format_step (BaseTextForm form, const AnalysisWaits *waits,
                               const AnalysisStep *step)
{
    const JobMessageCall *call = step->call;
    char *label;

    if (waits->ranks[step->rank].queue->calls->len == 0) { /* it waits outside MPI */
        label = analysis_sentence_format_lock (form, waits->ranks[step->rank].queue->waits);
        return analysis_words_add_line (form, label, call->place);
    }
    if (step->operation != NULL && step->operation->kind == JOB_MESSAGE_RMA) {
        return add_lock (form, name_call (form, call), waits, step);
    }
    if (step->operation != NULL) {
        label = format_operation (form, waits, step, NULL);
        if (g_str_has_suffix (label, ")")) { /* two lines behind each other would be mixed up */
            g_free (label);
            return format_operation (form, waits, step, call->place);
        }
    } else {
        label = name_call (form, call);
        label = is_message (call->kind)
                    ? analysis_sentence_add_message (form, label, waits, call->kind, call->peer,
                                                     call->tag, call->communicator)
                    : label;
    }
    return analysis_words_add_line (form, label, call->place);
}
