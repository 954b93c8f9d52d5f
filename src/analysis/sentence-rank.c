/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a rank does that others wait for, as a clause about it or as a caption. */
#include "analysis/calls.h"
#include "analysis/repeats.h"
#include "analysis/verdict-private.h"
#include "base/array.h"

typedef AnalysisSubject Subject;

/* ---- ended ---- */

static const JobLocation *
find_finalize (const AnalysisRank *rank)
{
    return BASE_PICK (rank->queue != NULL ? rank->queue->calls : NULL, const JobMessageCall,
                      call, call->kind == JOB_MESSAGE_FINALIZE, call->place, NULL);
}

static gboolean
is_in_finalize (const AnalysisRank *rank)
{
    return rank->queue != NULL
           && BASE_HAS (rank->queue->calls, const JobMessageCall, call,
                        call->kind == JOB_MESSAGE_FINALIZE);
}

static char *
describe_failed (const Subject *of, const AnalysisRank *rank)
{
    g_autofree char *number = g_strdup_printf ("%d", rank->number);
    const char *how = rank->text != NULL ? rank->text : number;

    /* Translators: an exit status, or a signal: "failed 3", "failed SIGKILL". */
    return of->who == NULL ? base_text_print_in (of->form, "caption", "failed %s", how)
                           /* Translators: ranks, and an exit status or a signal. */
                           : base_text_print_plural (of->form, "%s has failed %s",
                                                     "%s have failed %s", of->n, of->who, how);
}

static char *
describe_ended (const Subject *of, const AnalysisRank *rank)
{
    char *text;

    if (rank->state == JOB_STATE_EXITED) {
        /* Translators: its exit status is 0. */
        return of->who == NULL ? base_text_print_in (of->form, "caption", "exited 0")
                               : base_text_print_plural (of->form, "%s has exited 0",
                                                         "%s have exited 0", of->n, of->who);
    }
    if (rank->state == JOB_STATE_FAILED) {
        return describe_failed (of, rank);
    }
    if (rank->state == JOB_STATE_LOST) {
        return of->who == NULL ? base_text_print_in (of->form, "caption", "lost")
                               : base_text_print_plural (of->form, "%s is lost", "%s are lost",
                                                         of->n, of->who);
    }
    if (!is_in_finalize (rank)) {
        return of->who == NULL ? base_text_print_in (of->form, "caption", "has left MPI")
                               : base_text_print_plural (of->form, "%s has left MPI",
                                                         "%s have left MPI", of->n, of->who);
    }
    text = of->who == NULL ? g_strdup ("MPI_Finalize")
                           : base_text_print_plural (of->form, "%s is in MPI_Finalize",
                                                     "%s are in MPI_Finalize", of->n, of->who);
    return analysis_words_add_line (of->form, text, find_finalize (rank));
}

/* ---- polls ---- */

static gboolean
has_left (const AnalysisRank *rank)
{
    const JobMessageCall *call = rank->queue != NULL && rank->queue->calls->len > 0
                                     ? g_ptr_array_index (rank->queue->calls, 0)
                                     : NULL;

    return (call != NULL && call->kind == JOB_MESSAGE_FINALIZE)
           || (rank->queue != NULL && (rank->queue->flags & JOB_MESSAGE_QUEUE_FINALIZED));
}

static const JobMessageCall *
find_poll (const JobMessageQueue *queue)
{
    const JobMessageCall *call = NULL;

    if (queue != NULL && queue->calls->len > 0) {
        call = job_message_queue_find_call (queue);
    } else if (queue != NULL && queue->recent->len > 0) {
        call = g_ptr_array_index (queue->recent, queue->recent->len - 1);
    }
    return call != NULL && call->kind == JOB_MESSAGE_POLL ? call : NULL;
}

/* Is it for the request of a send? */
static gboolean
is_poll_of_send (const JobMessageQueue *queue, const JobMessageCall *poll)
{
    guint32 index = poll->waits->len == 1 ? g_array_index (poll->waits, guint32, 0)
                                          : G_MAXUINT32;

    return index < queue->operations->len
           && ((JobMessageOperation *) g_ptr_array_index (queue->operations, index))->kind
                  == JOB_MESSAGE_SEND;
}

/* "MPI_Test from 1, tag 3 (a.c:7), while 1 is in MPI_Finalize" */
static char *
format_poll (BaseTextForm form, const AnalysisWaits *waits, const JobMessageQueue *queue,
             const JobMessageCall *poll)
{
    const AnalysisRank *peer = poll->peer >= 0 && (guint32) poll->peer < waits->n_ranks
                                   ? &waits->ranks[poll->peer]
                                   : NULL;
    JobMessageKind kind = is_poll_of_send (queue, poll) ? JOB_MESSAGE_SEND : JOB_MESSAGE_RECV;
    char *label = g_strdup (poll->name);

    if (poll->peer != JOB_MESSAGE_NONE) {
        label = analysis_sentence_add_message (form, label, waits, kind, poll->peer, poll->tag,
                                               poll->communicator);
    }
    label = analysis_words_add_line (form, label, poll->place);
    if (peer != NULL && (job_state_get_info (peer->state)->is_ended || has_left (peer))) {
        g_autofree char *who = g_strdup_printf ("%d", poll->peer);
        g_autofree char *ended = describe_ended (&(Subject){ form, who, 1 }, peer);
        g_autofree char *polled = label;

        /* Translators: a call, and what the other rank does meanwhile: "MPI_Test from 1, while 1
           is in MPI_Finalize". */
        return base_text_print (form, "%s, while %s", polled, ended);
    }
    return label;
}

/* Inside it or at its line: else it may do something else between two polls. */
static gboolean
is_at (const AnalysisRank *rank, const JobMessageCall *poll)
{
    return rank->queue->calls->len > 0 || rank->place == NULL || poll->place == NULL
           || rank->place->line == poll->place->line;
}

static char *
describe_poll (const Subject *of, const char *polled)
{
    /* Translators: a call that asks whether a message is there, over and over: "polls with
       MPI_Test". */
    return of->who == NULL ? base_text_print_in (of->form, "caption", "polls with %s", polled)
                           : base_text_print_plural (of->form, "%s polls with %s",
                                                     "%s poll with %s", of->n, of->who, polled);
}

/* ---- moving ---- */

/* The clause, which it takes, with the poll that came before. */
static char *
add_poll (BaseTextForm form, char *clause, const char *polled)
{
    g_autofree char *owned = clause;

    return polled != NULL
               /* Translators: what a rank does, and the call that it has returned from: "3 is
                  computing at app.c:7 after MPI_Test from 1". */
               ? base_text_print_in (form, "what a rank does after a call", "%s after %s",
                                     owned, polled)
               : g_steal_pointer (&owned);
}

static char *
describe_call (const Subject *of, const JobMessageQueue *queue)
{
    const JobMessageCall *call = job_message_queue_find_call (queue);
    const char *name = call->name != NULL ? call->name : "MPI";

    /* Translators: ranks, and an MPI call: "3 is in MPI_Wait". */
    return analysis_words_add_line (of->form,
                                    of->who == NULL
                                        ? g_strdup (name)
                                        : base_text_print_plural (of->form, "%s is in %s",
                                                                  "%s are in %s", of->n,
                                                                  of->who, name),
                                    call->place);
}

static char *
describe_computing (const Subject *of)
{
    return of->who == NULL ? base_text_print_in (of->form, "caption", "computing")
                           : base_text_print_plural (of->form, "%s is computing",
                                                     "%s are computing", of->n, of->who);
}

static char *
describe_repeats (const Subject *of, const char *calls)
{
    return of->who == NULL
               ? base_text_print_in (of->form, "caption", "keeps calling %s", calls)
               /* Translators: ranks, and MPI calls: "3 keeps calling MPI_Get and MPI_Win_flush (a.c:9-10)". */
               : base_text_print_plural (of->form, "%s keeps calling %s", "%s keep calling %s",
                                         of->n, of->who, calls);
}

static char *
describe_progress (const Subject *of, const AnalysisRank *rank)
{
    g_autofree char *calls = analysis_repeats_format (of->form, rank);

    if (calls != NULL) {
        return describe_repeats (of, calls);
    }
    return analysis_words_add_place (of->form,
                                     of->who == NULL
                                         ? base_text_print_in (of->form, "caption",
                                                               "making progress")
                                         : base_text_print_plural (of->form,
                                                                   "%s is making progress",
                                                                   "%s are making progress",
                                                                   of->n, of->who),
                                     rank->place);
}

/* In a library without symbols, of which nobody knows what it does there. */
static gboolean
is_in_module (const JobLocation *place)
{
    return place != NULL && place->function == NULL && place->line == 0
           && place->module != NULL;
}

static char *
describe_module (const Subject *of, const char *module)
{
    return of->who == NULL ? base_text_print_in (of->form, "caption", "in %s", module)
                           : base_text_print_plural (of->form, "%s is in %s", "%s are in %s",
                                                     of->n, of->who, module);
}

static char *
describe_mover (const Subject *of, const AnalysisWaits *waits, guint32 rank)
{
    const AnalysisRank *r = &waits->ranks[rank];
    const JobMessageCall *poll = find_poll (r->queue);
    g_autofree char *polled = poll != NULL ? format_poll (of->form, waits, r->queue, poll)
                                           : NULL;
    char *wait = r->queue != NULL
                     ? analysis_sentence_describe_wait_at (of, r->queue->waits, r->place)
                     : NULL;

    if (wait != NULL) {
        return add_poll (of->form, wait, polled);
    }
    if (r->moved) {
        return describe_progress (of, r);
    }
    if (poll != NULL && is_at (r, poll)) {
        return describe_poll (of, polled);
    }
    if (r->place != NULL && analysis_calls_find_kind (r->place->function) == JOB_MESSAGE_POLL) {
        return analysis_words_add_place (of->form, describe_poll (of, r->place->function),
                                         r->place);
    }
    if (r->state == JOB_STATE_NONE) {
        return of->who == NULL ? base_text_print_in (of->form, "caption", "has not started")
                               : base_text_print_plural (of->form, "%s has not started",
                                                         "%s have not started", of->n, of->who);
    }
    if (r->queue != NULL && r->queue->calls->len > 0) {
        return describe_call (of, r->queue);
    }
    return add_poll (of->form,
                     is_in_module (r->place)
                         ? describe_module (of, r->place->module)
                         : analysis_words_add_place (of->form, describe_computing (of),
                                                     r->place),
                     polled);
}

/* ---- stopped ---- */

/* "crashed with SIGSEGV", "failed with ValueError", "is leaving without MPI_Finalize" */
static char *
describe_crash (const Subject *of, const AnalysisRank *rank)
{
    g_autofree char *unknown = base_text_print (of->form, "an error");
    const char *text = rank->text != NULL ? rank->text : unknown;
    char *clause;

    switch (rank->state) {
    case JOB_STATE_SIGNAL:
        /* Translators: a signal: "crashed with SIGSEGV". */
        clause = of->who == NULL
                     ? base_text_print_in (of->form, "caption", "crashed with %s", text)
                     : base_text_print_plural (of->form, "%s crashed with %s",
                                               "%s crashed with %s", of->n, of->who, text);
        break;
    case JOB_STATE_EXCEPTION:
        /* Translators: an exception or an error of MPI: "failed with ValueError". */
        clause = of->who == NULL
                     ? base_text_print_in (of->form, "caption", "failed with %s", text)
                     : base_text_print_plural (of->form, "%s failed with %s",
                                               "%s failed with %s", of->n, of->who, text);
        break;
    default:
        clause = of->who == NULL
                     ? base_text_print_in (of->form, "caption", "leaving without MPI_Finalize")
                     : base_text_print_plural (of->form, "%s is leaving without MPI_Finalize",
                                               "%s are leaving without MPI_Finalize", of->n,
                                               of->who);
    }
    return analysis_words_add_place (of->form, clause, rank->place);
}

static char *
describe_paused (const Subject *of, const char *signal)
{
    if (signal != NULL) {
        /* Translators: a signal: "paused at SIGUSR1". */
        return of->who == NULL
                   ? base_text_print_in (of->form, "caption", "paused at %s", signal)
                   : base_text_print_plural (of->form, "%s is paused at %s",
                                             "%s are paused at %s", of->n, of->who, signal);
    }
    return of->who == NULL ? base_text_print_in (of->form, "caption", "paused")
                           : base_text_print_plural (of->form, "%s is paused", "%s are paused",
                                                     of->n, of->who);
}

/* A paused rank whose threads wait for each other is told with what they wait for. */
static char *
describe_held (const Subject *of, const AnalysisRank *rank)
{
    const char *signal = rank->state == JOB_STATE_SIGNAL ? rank->text : NULL;
    char *clause = analysis_words_add_place (of->form, describe_paused (of, signal),
                                             rank->place);

    return rank->queue != NULL ? analysis_sentence_add_wait (of, clause, rank->queue->waits)
                               : clause;
}

static char *
describe_other (const Subject *of, const AnalysisWaits *waits, guint32 rank)
{
    const AnalysisRank *r = &waits->ranks[rank];

    return analysis_rank_is_crashed (r)                ? describe_crash (of, r)
           : job_state_get_info (r->state)->is_stopped ? describe_held (of, r)
           : job_state_get_info (r->state)->is_ended   ? describe_ended (of, r)
                                                       : describe_mover (of, waits, rank);
}

char *
analysis_sentence_describe_rank (const AnalysisSubject *subject, AnalysisVerdictKind kind,
                                 const AnalysisWaits *waits, guint32 rank)
{
    switch (kind) {
    case ANALYSIS_VERDICT_CRASHED: return describe_crash (subject, &waits->ranks[rank]);
    case ANALYSIS_VERDICT_HELD: return describe_held (subject, &waits->ranks[rank]);
    case ANALYSIS_VERDICT_ENDED: return describe_ended (subject, &waits->ranks[rank]);
    default: return describe_other (subject, waits, rank);
    }
}
