/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An operation, a message or a place in words. */
#include "analysis/calls.h"
#include "analysis/verdict-private.h"
#include "analysis/windows.h"
#include <string.h>

static char *
format_peer (const char *word, gint32 peer)
{
    switch (peer) {
    case JOB_MESSAGE_ANY: return g_strdup_printf (" %s any rank", word);
    case JOB_MESSAGE_NONE: return g_strdup_printf (" %s nobody", word);
    case JOB_MESSAGE_OUTSIDE: return g_strdup_printf (" %s another job", word);
    case JOB_MESSAGE_UNKNOWN: return g_strdup ("");
    default: return g_strdup_printf (" %s %d", word, peer);
    }
}

char *
analysis_sentence_format_message (const AnalysisWaits *waits, JobMessageKind kind, gint32 peer,
                                  gint32 tag, guint64 communicator)
{
    GString *text = g_string_new (NULL);
    g_autofree char *peer_text = format_peer (kind == JOB_MESSAGE_SEND    ? "to"
                                              : kind == JOB_MESSAGE_OUTER ? "with"
                                                                          : "from",
                                              peer);

    g_string_append (text, peer_text);
    if (tag == JOB_MESSAGE_ANY) {
        g_string_append (text, ", any tag");
    } else if (tag >= 0) {
        g_string_append_printf (text, ", tag %d", tag);
    }
    if (communicator != JOB_MESSAGE_WORLD_ID && communicator != JOB_MESSAGE_UNKNOWN_ID) {
        g_autofree char *name
            = analysis_communicator_format (analysis_communicators_find (waits->communicators,
                                                                         communicator),
                                            communicator);

        g_string_append_printf (text, " on %s", name);
    }
    return g_string_free (text, FALSE);
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
    for (guint i = 0; call != NULL && i < G_N_ELEMENTS (classes); i++) {
        if (g_str_has_prefix (call, classes[i])
            && g_ascii_strcasecmp (call + strlen (classes[i]), word) == 0) {
            return TRUE;
        }
    }
    return call != NULL && g_ascii_strcasecmp (word, "recv") == 0
           && (strcmp (call, "MPI_Mprobe") == 0 || strcmp (call, "MPI_Mrecv") == 0);
}

/* As the user wrote it: "MPI_Recv", "comm.recv", "comm.allreduce, its step MPI_Recv". */
static char *
name_call (const JobMessageCall *call)
{
    const char *name = call->name != NULL ? call->name : "MPI";

    if (call->method == NULL) {
        return g_strdup (name);
    }
    return is_named_after (call->method, name)
               ? g_strdup (call->method)
               : g_strdup_printf ("%s, its step %s", call->method, name);
}

char *
analysis_sentence_format_place (const JobLocation *place)
{
    g_autofree char *file = NULL;

    if (place == NULL) {
        return g_strdup ("");
    }
    if (place->file != NULL && place->line > 0) {
        file = g_path_get_basename (place->file);
        return g_strdup_printf (" at %s:%u", file, place->line);
    }
    return place->function != NULL ? g_strdup_printf (" in %s", place->function)
                                   : g_strdup ("");
}

/* " on 2, locked by 1 at a.c:30" */
static char *
format_lock (const AnalysisWaits *waits, guint32 rank, const JobMessageOperation *operation)
{
    g_autoptr (JobRankSet) holders = job_rank_set_new ();
    GString *text = g_string_new (NULL);

    if (operation->peer >= 0) {
        g_string_append_printf (text, " on %d", operation->peer);
    }
    if (analysis_windows_find (waits->ranks, waits->n_ranks, rank, operation, holders)
        == ANALYSIS_WINDOW_HOLDERS) {
        g_autofree char *who = job_rank_set_format (holders);
        g_autofree char *place = analysis_sentence_format_place (analysis_windows_find_lock (
            &waits->ranks[job_rank_set_get_lowest (holders)], operation));

        g_string_append_printf (text, ", locked by %s%s", who, place);
    }
    return g_string_free (text, FALSE);
}

static char *
format_operation (const AnalysisWaits *waits, const AnalysisStep *step)
{
    const JobMessageOperation *operation = step->operation;
    g_autofree char *call = name_call (step->call);
    g_autofree char *message = NULL;
    gboolean is_own = g_strcmp0 (operation->name, step->call->name) == 0
                      || (operation->flags & JOB_MESSAGE_IN_CALL);

    if (operation->kind == JOB_MESSAGE_COLLECTIVE) {
        g_autofree char *name = analysis_communicator_format (
            analysis_communicators_find (waits->communicators, operation->communicator),
            operation->communicator);

        g_autofree char *ordinal = job_message_format_ordinal (operation->sequence);

        return g_strdup_printf ("the %s collective on %s, %s", ordinal, name,
                                is_own || operation->name == NULL ? call : operation->name);
    }
    if (operation->kind == JOB_MESSAGE_RMA) {
        g_autofree char *lock = format_lock (waits, step->rank, operation);

        return g_strdup_printf ("%s%s", call, lock);
    }
    message = is_message (operation->kind) || operation->kind == JOB_MESSAGE_OUTER
                  ? analysis_sentence_format_message (waits, operation->kind, operation->peer,
                                                      operation->tag, operation->communicator)
                  : g_strdup ("");
    if (is_own || operation->name == NULL) {
        return g_strdup_printf ("%s%s", call, message);
    }
    return g_strdup_printf ("%s for %s%s", call, operation->name, message);
}

char *
analysis_sentence_format_step (const AnalysisWaits *waits, const AnalysisStep *step)
{
    g_autofree char *line = analysis_format_line (step->call->place);
    g_autofree char *words = NULL;

    if (step->operation != NULL) {
        words = format_operation (waits, step);
    } else {
        g_autofree char *call = name_call (step->call);
        g_autofree char *message
            = is_message (step->call->kind)
                  ? analysis_sentence_format_message (waits, step->call->kind, step->call->peer,
                                                      step->call->tag, step->call->communicator)
                  : g_strdup ("");

        words = g_strconcat (call, message, NULL);
    }
    return g_strdup_printf ("%s%s", words, line);
}
