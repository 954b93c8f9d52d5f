/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Collectives that do not agree, and messages that are received as another type than they were sent
 * as, are told while the program runs, also where nothing hangs by them: as long as ranks move, what
 * they have called is read now and then without stopping anybody, less often the longer it takes. A
 * mismatch stops the members of its communicator, or sender and receiver, as any MPI error. */
#include "session/private.h"
#include "analysis/collective.h"
#include "analysis/types.h"
#include "base/clock.h"

struct _SessionCollectives {
    SessionQuery *query;   /* the look under way; NULL none is */
    JobMessageTable *last; /* of ranks that are in MPI_Finalize or beyond; NULL */
    GHashTable *told;      /* set of "communicator sequence" */
    guint source;
    gint64 begin_us;
    gboolean is_off;  /* by option */
    gboolean is_full; /* the look is the one that reads places */
};

#define POLL_MS 250
#define EARLY_MS 500 /* while nobody has a recorder: a Python program loads MPI later */
#define POLL_PAUSE                                                                             \
    200 /* times as long as a poll took: it costs no more than 0.5 % of a processor */
/* At most, however long it took: other work of this machine makes a poll slow as well, and hang.c
 * promises to announce a deadlock within 5 s. */
#define MAX_POLL_MS 1000

static gboolean on_poll (gpointer data);
static void on_answer (SessionQuery *query, SessionAnswer *answer, gpointer user);

static void
begin_pause (Session *session, guint pause_ms)
{
    if (session->watch->collectives->source == 0 && session->watch->collectives->query == NULL
        && session->backend != NULL && session->backend->is_polled && !session->life->ended
        && session->ranks->size > 1) {
        if (session->watch->collectives->told == NULL) {
            session->watch->collectives->told = g_hash_table_new_full (g_str_hash, g_str_equal,
                                                                       g_free, NULL);
        }
        pause_ms = MIN (pause_ms, session_hang_get_rest_ms (session));
        session->watch->collectives->source = g_timeout_add (pause_ms, on_poll, session);
    }
}

static void
poll (Session *session, gboolean full)
{
    g_autoptr (JobRankSet) alive = session_ranks_dup_alive (session);
    JobRequest *request;

    g_clear_pointer (&session->watch->collectives->query, session_query_free);
    if (job_rank_set_is_empty (alive)) {
        return;
    }
    request = job_request_new (JOB_VERB_QUEUE, alive);
    request->text = g_strdup (full ? "runs" : "collectives");
    session->watch->collectives->is_full = full;
    session->watch->collectives->begin_us = base_clock_get_us ();
    session->watch->collectives->query = session_query_new (session, request, on_answer,
                                                            session);
}

static gboolean
on_poll (gpointer data)
{
    Session *session = data;

    session->watch->collectives->source = 0;
    if (session->ranks->counts[JOB_STATE_RUNNING] + session->ranks->counts[JOB_STATE_STEPPING]
            + session->ranks->counts[JOB_STATE_BLOCKED]
        > 0) {
        poll (session, FALSE);
    }
    return G_SOURCE_REMOVE;
}

/* ---- what was read ---- */

static gboolean
has_recorder (const JobMessageTable *table)
{
    return BASE_HAS (table->queues, const JobMessageQueue, queue,
                     queue->source == JOB_MESSAGE_SOURCE_RECORDER);
}

static char *
dup_key (const AnalysisMismatch *mismatch)
{
    const AnalysisParty *first = g_ptr_array_index (mismatch->parties, 0);

    /* Other types do not change the order of what follows: there may be more to tell. */
    return g_strdup_printf ("%" G_GUINT64_FORMAT " %s", mismatch->communicator,
                            mismatch->kind == ANALYSIS_MISMATCH_EARLIER ? "earlier"
                            : mismatch->kind == ANALYSIS_MISMATCH_TYPE ? first->collective->name
                                                                       : "");
}

static char *
print_mismatch (BaseTextForm form, const AnalysisCommunicator *communicator,
                const AnalysisMismatch *mismatch)
{
    g_autofree char *name = analysis_communicator_format (form, communicator,
                                                          mismatch->communicator);
    g_autofree char *calls = analysis_mismatch_format (form, mismatch);

    /* Translators: a communicator, and what the ranks have called. */
    return base_text_print (form, "collective mismatch on %s: %s", name, calls);
}

static void
tell (Session *session, const AnalysisCommunicator *communicator, AnalysisMismatch *mismatch,
      const AnalysisRank *ranks)
{
    g_autoptr (JobRankSet) members = job_rank_set_new ();

    BASE_EACH (mismatch->parties, const AnalysisParty, party) {
        job_rank_set_merge (members, party->ranks);
    }
    analysis_mismatch_find_places (mismatch, ranks, session->ranks->size);
    session_note (session, members,
                  base_text_new_take (print_mismatch (BASE_TEXT_ENGLISH, communicator,
                                                      mismatch),
                                      print_mismatch (BASE_TEXT_SHOWN, communicator,
                                                      mismatch)));
}

static GHashTable *
dup_communicators (Session *session, const JobMessageTable *table, AnalysisRank *ranks)
{
    BASE_EACH (table->queues, const JobMessageQueue, queue) {
        /* A table that changed while it was read proves nothing, nor does one that lacks calls. */
        if (queue->rank < session->ranks->size
            && !(queue->flags & (JOB_MESSAGE_QUEUE_CHANGING | JOB_MESSAGE_QUEUE_INCOMPLETE))) {
            ranks[queue->rank].queue = queue;
        }
    }
    return analysis_communicators_new (ranks, session->ranks->size);
}

static void
stop_ranks (Session *session, const JobRankSet *ranks)
{
    g_autoptr (JobRankSet) alive = session_ranks_dup_alive (session);
    JobRankSet *moving = job_rank_set_intersect (ranks, alive);

    session_submit (session, job_request_new (JOB_VERB_PAUSE, moving));
    job_rank_set_free (moving);
}

/* Who has called what the others have not is stopped with them. */
static void
stop_members (Session *session, const AnalysisMismatch *mismatch)
{
    g_autoptr (JobRankSet) members = job_rank_set_new ();

    BASE_EACH (mismatch->parties, const AnalysisParty, party) {
        job_rank_set_merge (members, party->ranks);
    }
    stop_ranks (session, members);
}

/* ---- types of messages ---- */

static char *
print_types (BaseTextForm form, const AnalysisCommunicator *communicator,
             const AnalysisTypeMismatch *mismatch)
{
    g_autofree char *name = analysis_communicator_format (form, communicator,
                                                          mismatch->communicator);
    g_autofree char *what = analysis_type_mismatch_format (form, mismatch);

    /* Translators: a communicator, and who has sent which type to whom. */
    return base_text_print (form, "type mismatch on %s: %s", name, what);
}

static void
tell_types (Session *session, const AnalysisCommunicator *communicator,
            const AnalysisTypeMismatch *mismatch)
{
    g_autoptr (JobRankSet) members = job_rank_set_union (mismatch->senders,
                                                         mismatch->receivers);

    session_note (session, members,
                  base_text_new_take (print_types (BASE_TEXT_ENGLISH, communicator, mismatch),
                                      print_types (BASE_TEXT_SHOWN, communicator, mismatch)));
}

/* TRUE: one of its pairs was not told yet; with add it counts as told from now on. */
static gboolean
is_new_pair (Session *session, const AnalysisTypeMismatch *mismatch, gboolean add)
{
    gboolean is_new = FALSE;

    BASE_EACH (mismatch->keys, const char, key) {
        is_new |= !g_hash_table_contains (session->watch->collectives->told, key);
        if (add) {
            g_hash_table_add (session->watch->collectives->told, g_strdup (key));
        }
    }
    return is_new;
}

static gboolean
judge_types (Session *session, GHashTable *communicators, const AnalysisRank *ranks,
             gboolean full)
{
    g_autoptr (GPtrArray) list = analysis_types_list_mismatches (ranks, session->ranks->size);
    gboolean is_new = FALSE;

    BASE_EACH (list, const AnalysisTypeMismatch, mismatch) {
        if (!is_new_pair (session, mismatch, full)) {
            continue;
        }
        is_new = TRUE;
        if (full) {
            tell_types (session,
                        analysis_communicators_find (communicators, mismatch->communicator),
                        mismatch);
        } else {
            g_autoptr (JobRankSet) members = job_rank_set_union (mismatch->senders,
                                                                 mismatch->receivers);

            stop_ranks (session, members);
        }
    }
    return is_new;
}

/* ---- both ---- */

/* full: the table has places, otherwise they are to be read when TRUE is answered. */
static gboolean
judge (Session *session, const JobMessageTable *table, gboolean full)
{
    g_autofree AnalysisRank *ranks = g_new0 (AnalysisRank, session->ranks->size + 1);
    g_autoptr (GHashTable) communicators = dup_communicators (session, table, ranks);
    g_autoptr (GPtrArray) list = analysis_collective_list_mismatches (communicators);
    gboolean is_new = judge_types (session, communicators, ranks, full);

    BASE_EACH (list, AnalysisMismatch, mismatch) {
        g_autofree char *key = dup_key (mismatch);

        if (g_hash_table_contains (session->watch->collectives->told, key)) {
            continue;
        }
        is_new = TRUE;
        if (full) {
            g_hash_table_add (session->watch->collectives->told, g_steal_pointer (&key));
            tell (session, analysis_communicators_find (communicators, mismatch->communicator),
                  mismatch, ranks);
        } else {
            stop_members (session, mismatch);
        }
    }
    return is_new;
}

static void
on_answer (SessionQuery *query, SessionAnswer *answer, gpointer user)
{
    Session *session = user;
    g_autoptr (JobMessageTable) table = session_answer_take_queues (answer);
    guint took_ms = (guint) ((base_clock_get_us () - session->watch->collectives->begin_us)
                             / 1000);

    g_clear_pointer (&session->watch->collectives->query, session_query_free);
    if (!session->watch->collectives->is_full) {
        session_hang_update (session, table);
    }
    if (!has_recorder (table)) {
        begin_pause (session, CLAMP (took_ms * POLL_PAUSE, EARLY_MS, MAX_POLL_MS));
    } else if (!session->watch->collectives->is_off
               && judge (session, table, session->watch->collectives->is_full)
               && !session->watch->collectives->is_full) {
        poll (session, TRUE);
    } else {
        begin_pause (session, CLAMP (took_ms * POLL_PAUSE, POLL_MS, MAX_POLL_MS));
    }
}

/* ---- from the session's other files ---- */

/* The last one to come to MPI_Finalize completes the picture. */
void
session_collectives_apply (Session *session, const JobEvent *event)
{
    if (session->watch->collectives->last == NULL) {
        session->watch->collectives->last = job_message_table_new ();
    }
    job_message_table_merge (session->watch->collectives->last, event->queues);
    if (session->watch->collectives->last->queues->len == session->ranks->size
        && session->watch->collectives->told != NULL) {
        judge (session, session->watch->collectives->last, TRUE);
    }
}

void
session_collectives_note_state (Session *session, const JobEvent *event)
{
    if ((event->flags & JOB_EVENT_FRESH) || !job_state_get_info (event->state)->is_moving
        || session->life->is_measured) { /* which runs as if nobody looked */
        return;
    }
    begin_pause (session, POLL_MS);
}

void
session_collectives_note_option (Session *session, const JobRequest *request)
{
    if (request->verb == JOB_VERB_OPTION && g_strcmp0 (request->text, "mpi-errors") == 0) {
        session->watch->collectives->is_off = g_strcmp0 (request->text2, "off") == 0;
        begin_pause (session, POLL_MS);
    }
}

void
session_collectives_init (Session *session)
{
    session->watch->collectives = g_new0 (SessionCollectives, 1);
}

void
session_collectives_clear (Session *session)
{
    g_clear_handle_id (&session->watch->collectives->source, g_source_remove);
    g_clear_pointer (&session->watch->collectives->query, session_query_free);
    g_clear_pointer (&session->watch->collectives->last, job_message_table_free);
    g_clear_pointer (&session->watch->collectives->told, g_hash_table_unref);
}
