/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `show queue`: what MPI holds of a set, one row for what is equal. Queues of all ranks are read,
 * as a message in transit has two ends. */
#include "command/private.h"
#include "command/queue-private.h"
#include "session/sources.h"
#include <string.h>

#define MAX_ROWS 200u /* of each kind, in text */

typedef struct _CommandShow {
    CommandJob *job;
    JobMessageTable *table;
    JobRankSet *absent;  /* have not answered */
    GPtrArray *rows;     /* of CommandQueueRow */
    GHashTable *by_text; /* row by its text, borrowed */
} Show;

BASE_FREE (free_row, CommandQueueRow, row, job_rank_set_free (row->ranks);
           job_location_free (row->place); g_free (row->text); g_free (row->operation);
           g_free (row->communicator); g_free (row->datatype); g_free (row->method))

/* ---- rows ---- */

static void
add_row (Show *show, guint32 rank, CommandQueueRow *row)
{
    CommandQueueRow *known = g_hash_table_lookup (show->by_text, row->text);

    if (known == NULL) {
        row->ranks = job_rank_set_new ();
        g_ptr_array_add (show->rows, row);
        g_hash_table_insert (show->by_text, row->text, row);
        known = row;
    } else {
        free_row (row);
    }
    job_rank_set_add (known->ranks, rank);
}

static void
append_place (Show *show, GString *text, const JobLocation *place)
{
    g_autofree char *file = NULL;

    if (place == NULL) {
        return;
    }
    if (place->file != NULL && place->line != 0) {
        file = session_dup_short_file (show->job->session, place->file);
        g_string_append_printf (text, " at %s:%u", file, place->line);
    } else if (place->module != NULL) {
        g_string_append_printf (text, " at %s (%s+0x%" G_GINT64_MODIFIER "x)",
                                place->function != NULL ? place->function : "??", place->module,
                                place->offset);
    }
}

/* ": 0, -1" of a basic type, else the bytes. */
static void
append_first (GString *text, const CommandQueueRow *row)
{
    g_autofree char *values = job_message_format_values (row->datatype, row->first,
                                                         row->n_first, row->bytes);
    g_autofree char *bytes = values == NULL && row->n_first > 0
                                 ? job_message_format_first (row->first, row->n_first)
                                 : NULL;

    if (values != NULL) {
        g_string_append_printf (text, ": %s", values);
    }
    if (bytes != NULL) {
        g_string_append_printf (text, " \"%s\"", bytes);
    }
}

static const char *
get_plural (guint64 count)
{
    return count == 1 ? "" : "s";
}

/* "from 1, tag 7, halo, 8 bytes of MPI_INT": what one operation is about. */
static void
append_operation (GString *text, CommandQueueRow *row, JobMessageKind kind, gint32 peer,
                  gint32 tag, guint64 bytes, const char *datatype)
{
    g_autofree char *who = kind == JOB_MESSAGE_RMA && peer == JOB_MESSAGE_ANY
                               ? g_strdup ("all")
                               : job_message_peer_format (peer);

    if (kind == JOB_MESSAGE_COLLECTIVE) {
        if (row->sequence > 0) {
            g_autofree char *ordinal = job_message_format_ordinal (BASE_TEXT_ENGLISH,
                                                                   row->sequence);

            g_string_append_printf (text, ", %s collective on %s", ordinal, row->communicator);
        }
        if (peer != JOB_MESSAGE_NONE) {
            g_string_append_printf (text, ", root %s", who);
        }
    } else {
        if (peer != JOB_MESSAGE_NONE) {
            g_string_append_printf (text, " %s %s",
                                    kind == JOB_MESSAGE_SEND  ? "to"
                                    : kind == JOB_MESSAGE_RMA ? "of"
                                                              : "from",
                                    who);
        }
        if (tag == JOB_MESSAGE_TAG_LOCK_EXCLUSIVE || tag == JOB_MESSAGE_TAG_LOCK_SHARED) {
            g_string_append (text,
                             tag == JOB_MESSAGE_TAG_LOCK_SHARED ? ", shared" : ", exclusive");
        } else if (tag == JOB_MESSAGE_ANY || job_message_tag_is_number (tag)) {
            g_autofree char *number = job_message_tag_format (tag);

            g_string_append_printf (text, ", tag %s", number);
        }
        if (row->communicator != NULL) {
            g_string_append_printf (text, ", %s", row->communicator);
        }
    }
    if (bytes > 0) {
        g_string_append_printf (text, ", %s%" G_GUINT64_FORMAT " byte%s",
                                kind == JOB_MESSAGE_RECV ? "room for " : "", bytes,
                                get_plural (bytes));
        if (datatype != NULL) {
            g_string_append_printf (text, " of %s", datatype);
        }
    }
}

static char *
dup_communicator (const JobMessageQueue *queue, guint64 id)
{
    return id != JOB_MESSAGE_UNKNOWN_ID ? job_message_queue_format_communicator (queue, id)
                                        : NULL;
}

/* MPI's queue library does not say which call began an operation. */
static const char *
get_word (const JobMessageOperation *operation)
{
    switch (operation->kind) {
    case JOB_MESSAGE_SEND: return "send";
    case JOB_MESSAGE_RECV: return "receive";
    case JOB_MESSAGE_LOCAL: return operation->flags & JOB_MESSAGE_MATCHED ? "message" : "?";
    default: return "?";
    }
}

/* A method of mpi4py stands first, with its place: the user wrote that one. */
static void
begin_call (Show *show, GString *text, const CommandQueueRow *row)
{
    if (row->method == NULL) {
        g_string_append (text, "in ");
        return;
    }
    g_string_append (text, row->method);
    append_place (show, text, row->place);
    g_string_append (text, ", its step ");
}

static CommandQueueRow *
new_operation_row (Show *show, const JobMessageQueue *queue,
                   const JobMessageOperation *operation, const char *what)
{
    CommandQueueRow *row = g_new0 (CommandQueueRow, 1);
    g_autoptr (GString) text = g_string_new (NULL);

    row->what = what;
    row->operation = g_strdup (operation->name);
    row->communicator = dup_communicator (queue, operation->communicator);
    row->datatype = g_strdup (operation->datatype);
    row->peer = operation->peer;
    row->tag = operation->tag;
    row->bytes = operation->bytes;
    row->sequence = operation->sequence;
    row->n_first = operation->n_first;
    memcpy (row->first, operation->first, JOB_MESSAGE_MAX_BYTES);
    row->place = job_location_dup (operation->place);
    row->method = g_strdup (session_find_method (show->job->session, operation->place));
    if (strcmp (what, "call") == 0) {
        begin_call (show, text, row);
    } else if (operation->kind != JOB_MESSAGE_LOCAL || row->operation != NULL) {
        g_string_append (text, "open ");
    }
    g_string_append (text, row->operation != NULL ? row->operation : get_word (operation));
    append_operation (text, row, operation->kind, operation->peer, operation->tag,
                      operation->bytes, operation->datatype);
    append_first (text, row);
    if (row->operation == NULL && (operation->flags & JOB_MESSAGE_MATCHED)) {
        g_string_append (text, operation->kind == JOB_MESSAGE_LOCAL ? ", not asked for"
                                                                    : ", matched");
    }
    if (row->method == NULL || strcmp (what, "call") != 0) {
        append_place (show, text, row->place);
    }
    row->text = g_string_free (g_steal_pointer (&text), FALSE);
    return row;
}

static CommandQueueRow *
new_call_row (Show *show, const JobMessageQueue *queue, const JobMessageCall *call)
{
    CommandQueueRow *row = g_new0 (CommandQueueRow, 1);
    g_autoptr (GString) text = g_string_new (NULL);

    row->what = "call";
    row->operation = g_strdup (call->name);
    row->peer = call->peer;
    row->tag = call->tag;
    row->place = job_location_dup (call->place);
    row->method = g_strdup (session_find_method (show->job->session, call->place));
    row->n_requests = call->waits->len;
    begin_call (show, text, row);
    g_string_append (text, call->name);
    if (call->waits->len == 0 && job_message_tag_is_number (call->tag)) {
        g_string_append_printf (text, ", tag %d", call->tag);
    }
    if (call->waits->len > 0) {
        g_string_append_printf (text, " for %s%u request%s",
                                call->kind == JOB_MESSAGE_WAIT_ANY ? "one of " : "",
                                call->waits->len, get_plural (call->waits->len));
    }
    if (row->method == NULL) {
        append_place (show, text, row->place);
    }
    row->text = g_string_free (g_steal_pointer (&text), FALSE);
    return row;
}

static void
add_calls (Show *show, const JobMessageQueue *queue)
{
    BASE_EACH (queue->calls, const JobMessageCall, call) {
        gboolean is_shown = FALSE;

        for (guint k = 0; k < call->waits->len; k++) {
            const JobMessageOperation *operation
                = g_ptr_array_index (queue->operations,
                                     g_array_index (call->waits, guint32, k));

            /* of a call for other jobs, too, the collective among its own is nothing more */
            if ((operation->flags & JOB_MESSAGE_IN_CALL)
                && (operation->kind != JOB_MESSAGE_COLLECTIVE
                    || call->kind != JOB_MESSAGE_OUTER)) {
                add_row (show, queue->rank, new_operation_row (show, queue, operation, "call"));
                is_shown = TRUE;
            }
        }
        if (!is_shown) {
            add_row (show, queue->rank, new_call_row (show, queue, call));
        }
    }
}

static void
add_requests (Show *show, const JobMessageQueue *queue)
{
    BASE_EACH (queue->operations, const JobMessageOperation, operation) {
        if (!(operation->flags & JOB_MESSAGE_IN_CALL)) {
            add_row (show, queue->rank, new_operation_row (show, queue, operation, "request"));
        }
    }
}

static const JobMessage *
find_taken (const JobMessageQueue *queue, const JobMessageFlow *lock)
{
    const JobMessage *found = NULL;

    BASE_EACH (queue->sent, const JobMessage, message) {
        if (message->communicator == lock->communicator && message->peer == lock->peer
            && message->tag == lock->tag) {
            found = message; /* the last one */
        }
    }
    return found;
}

/* "holds a lock of 2, exclusive, window of MPI_COMM_WORLD, MPI_Win_lock at a.c:30" */
static void
add_lock (Show *show, const JobMessageQueue *queue, const JobMessageFlow *lock)
{
    const JobMessage *taken = find_taken (queue, lock);
    CommandQueueRow *row = g_new0 (CommandQueueRow, 1);
    g_autoptr (GString) text = g_string_new ("holds a lock");

    row->what = "lock";
    row->peer = lock->peer;
    row->tag = JOB_MESSAGE_TAG_NONE;
    row->communicator = dup_communicator (queue, lock->communicator);
    row->operation = g_strdup (taken != NULL ? taken->name : NULL);
    row->place = taken != NULL ? job_location_dup (taken->place) : NULL;
    append_operation (text, row, JOB_MESSAGE_RMA, lock->peer, lock->tag, 0, NULL);
    if (row->operation != NULL) {
        g_string_append_printf (text, ", %s", row->operation);
        append_place (show, text, row->place);
    }
    row->text = g_string_free (g_steal_pointer (&text), FALSE);
    add_row (show, queue->rank, row);
}

static void
add_locks (Show *show, const JobMessageQueue *queue)
{
    BASE_EACH (queue->flows, const JobMessageFlow, flow) {
        if (flow->n_messages > 0
            && (flow->tag == JOB_MESSAGE_TAG_LOCK_EXCLUSIVE
                || flow->tag == JOB_MESSAGE_TAG_LOCK_SHARED)) {
            add_lock (show, queue, flow);
        }
    }
}

static void
add_source (Show *show, const JobMessageQueue *queue)
{
    CommandQueueRow *row = g_new0 (CommandQueueRow, 1);
    g_autoptr (GString) text = g_string_new ("from the ");

    row->what = "source";
    row->peer = JOB_MESSAGE_NONE;
    row->tag = JOB_MESSAGE_TAG_NONE;
    row->operation = g_strdup (job_message_source_get_name (queue->source));
    if (queue->source == JOB_MESSAGE_SOURCE_NONE) {
        g_string_assign (text, "nothing known");
    } else {
        g_string_append (text, row->operation);
    }
    if (queue->library != NULL) {
        g_string_append_printf (text, " (%s)", queue->library);
    }
    if (queue->remark != NULL) {
        g_string_append_printf (text, ": %s", queue->remark);
    }
    g_string_append (text, queue->flags & JOB_MESSAGE_QUEUE_FINALIZED ? ", finalized" : "");
    g_string_append (text, queue->flags & JOB_MESSAGE_QUEUE_SAMPLED ? ", sampled" : "");
    g_string_append (text, queue->flags & JOB_MESSAGE_QUEUE_CHANGING ? ", changing" : "");
    g_string_append (text, queue->flags & JOB_MESSAGE_QUEUE_INCOMPLETE ? ", incomplete" : "");
    if (queue->source == JOB_MESSAGE_SOURCE_RECORDER
        && !(queue->flags & JOB_MESSAGE_QUEUE_COUNTED)) {
        g_string_append (text, ", messages in transit are not known");
    }
    row->text = g_string_free (g_steal_pointer (&text), FALSE);
    add_row (show, queue->rank, row);
}

static void
add_transit (Show *show, const AnalysisTransit *transit)
{
    const JobMessageQueue *queue = job_message_table_find (show->table, transit->source);
    const JobMessage *message = transit->message;
    CommandQueueRow *row = g_new0 (CommandQueueRow, 1);
    g_autoptr (GString) text = g_string_new (NULL);

    row->what = transit->is_asked   ? "in flight"
                : transit->is_final ? "never asked for"
                                    : "not asked for";
    row->peer = (gint32) transit->destination;
    row->tag = transit->tag;
    row->communicator = dup_communicator (queue, transit->communicator);
    row->count = transit->n_messages;
    g_string_append_printf (text, "sent");
    if (message != NULL) {
        row->operation = g_strdup (message->name);
        row->bytes = message->bytes;
        row->datatype = g_strdup (message->datatype);
        row->n_first = message->n_first;
        memcpy (row->first, message->first, JOB_MESSAGE_MAX_BYTES);
        row->place = job_location_dup (message->place);
    } else {
        g_string_append_printf (text, " %" G_GUINT64_FORMAT " earlier message%s", row->count,
                                get_plural (row->count));
    }
    append_operation (text, row, JOB_MESSAGE_SEND, row->peer, row->tag, row->bytes,
                      row->datatype);
    append_first (text, row);
    g_string_append_printf (text, ", %s", row->what);
    if (row->operation != NULL) {
        g_string_append_printf (text, ", %s", row->operation);
        append_place (show, text, row->place);
    }
    row->text = g_string_free (g_steal_pointer (&text), FALSE);
    add_row (show, transit->source, row);
}

/* ---- the answer ---- */

static void
fill_rows (Show *show)
{
    g_autoptr (GPtrArray) transits = analysis_messages_list (show->table);

    BASE_EACH (show->table->queues, const JobMessageQueue, queue) {
        if (job_rank_set_contains (show->job->set, queue->rank)) {
            add_source (show, queue);
        }
    }
    BASE_EACH (show->table->queues, const JobMessageQueue, queue) {
        if (job_rank_set_contains (show->job->set, queue->rank)) {
            add_calls (show, queue);
            add_requests (show, queue);
            add_locks (show, queue);
        }
    }
    BASE_EACH (transits, const AnalysisTransit, transit) {
        if (job_rank_set_contains (show->job->set, transit->source)
            || job_rank_set_contains (show->job->set, transit->destination)) {
            add_transit (show, transit);
        }
    }
}

/* Of each kind of row a text has only the first ones, and how many there are. */
static gboolean
is_shown (const Show *show, GHashTable *counts, const CommandQueueRow *row)
{
    guint n = GPOINTER_TO_UINT (g_hash_table_lookup (counts, row->what));

    g_hash_table_insert (counts, (gpointer) row->what, GUINT_TO_POINTER (n + 1));
    return show->job->context->json || n < MAX_ROWS || strcmp (row->what, "call") == 0
           || strcmp (row->what, "source") == 0;
}

static void
write_hidden (const Show *show, GHashTable *counts)
{
    GHashTableIter iter;
    gpointer what, count;

    g_hash_table_iter_init (&iter, counts);
    while (!show->job->context->json && g_hash_table_iter_next (&iter, &what, &count)) {
        guint n = GPOINTER_TO_UINT (count);
        g_autofree char *ranks = job_rank_set_format (show->job->set);
        gboolean is_all = n <= MAX_ROWS || g_strcmp0 (what, "call") == 0
                          || g_strcmp0 (what, "source") == 0;
        g_autofree char *line
            = !is_all ? g_strdup_printf ("%s: the first %u of %u rows \"%s\" are shown", ranks,
                                         MAX_ROWS, n, (const char *) what)
                      : NULL;

        if (line != NULL) {
            command_context_write (show->job->context, COMMAND_OUT_ANSWER, line);
        }
    }
}

static void
write_rows (Show *show)
{
    CommandContext *context = show->job->context;
    g_autoptr (GHashTable) counts = g_hash_table_new (g_str_hash, g_str_equal);

    BASE_EACH (show->rows, const CommandQueueRow, row) {
        g_autofree char *ranks = job_rank_set_format (row->ranks);
        g_autofree char *line
            = context->json
                  ? command_json_format_queue (command_job_get_number (show->job), row)
                  : g_strdup_printf ("%s: %s", ranks, row->text);

        if (is_shown (show, counts, row)) {
            command_context_write (context, COMMAND_OUT_ANSWER, line);
        }
    }
    write_hidden (show, counts);
}

/* Takes the queues out of the answers; what is left are failures. */
static JobMessageTable *
take_queues (CommandJob *job)
{
    JobMessageTable *table = job_message_table_new ();

    for (guint i = job->answers->len; i > 0; i--) {
        const JobEvent *event = g_ptr_array_index (job->answers, i - 1);

        if (event->kind == JOB_EVENT_QUEUES && event->queues != NULL) {
            job_message_table_merge (table, event->queues);
            g_ptr_array_remove_index (job->answers, i - 1);
        } else if (!job_rank_set_intersects (event->ranks, job->set)) {
            g_ptr_array_remove_index (job->answers, i - 1); /* nobody has asked for these */
        }
    }
    return table;
}

static void
free_show (Show *show)
{
    g_hash_table_unref (show->by_text);
    g_ptr_array_unref (show->rows);
    job_message_table_free (show->table);
    job_rank_set_free (show->absent);
    g_free (show);
}

static void
show_queues (gpointer user)
{
    Show *show = user;
    CommandJob *job = show->job;

    fill_rows (show);
    write_rows (show);
    command_job_print_answers (job,
                               job->answers->len == 0 && job_rank_set_is_empty (show->absent),
                               show->absent);
    job->show = NULL;
    free_show (show);
    command_job_end (job);
}

static void
on_queues (CommandJob *job, gboolean ok, const JobRankSet *missing)
{
    Show *show = g_new0 (Show, 1);

    show->job = job;
    show->table = take_queues (job);
    show->rows = g_ptr_array_new_with_free_func (free_row);
    show->by_text = g_hash_table_new (g_str_hash, g_str_equal);
    show->absent = job_rank_set_intersect (missing, job->set);
    job->show = show;
    session_load_methods (job->session, show->table, command_job_get_reading (job), show_queues,
                          show);
}

void
command_queue_forget (CommandJob *job)
{
    g_clear_pointer (&job->show, free_show);
}

static JobRankSet *
dup_living (Session *session)
{
    JobRankSet *ranks = session_dup_all (session);
    static const JobState ended[] = { JOB_STATE_EXITED, JOB_STATE_FAILED, JOB_STATE_LOST,
                                      JOB_STATE_NONE };

    for (guint i = 0; i < G_N_ELEMENTS (ended); i++) {
        g_autoptr (JobRankSet) gone = session_dup_ranks_in_state (session, ended[i]);
        JobRankSet *rest = job_rank_set_subtract (ranks, gone);

        job_rank_set_free (ranks);
        ranks = rest;
    }
    return ranks;
}

void
command_run_queue (CommandJob *job)
{
    g_autoptr (JobRankSet) living = dup_living (job->session);
    g_autoptr (JobRankSet) asked = job_rank_set_union (living, job->set);

    command_job_query (job, job_request_new (JOB_VERB_QUEUE, asked), on_queues);
}
