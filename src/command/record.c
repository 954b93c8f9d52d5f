/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "command/record.h"
#include "base/patience.h"
#include "command/private.h"
#include "command/record-private.h"
#include <string.h>

#define COLLECT_MS 100   /* ranks that stop within this time are one stop */
#define CLOSE_MS 10000   /* for the last answers */
#define MAX_STOPS 100u   /* that are looked into */
#define MAX_CRASHES 200u /* the same, of stops by a signal or an exception */
#define MAX_CHANGES 20000u
#define MAX_FINDINGS 50u
#define MAX_LINES (512u << 10)
#define MAX_OUTPUT (32u << 10) /* of one rank, at its beginning and at its end */
#define MAX_OUTPUTS (64u << 20)

static double
get_seconds (const CommandRecord *record)
{
    return (double) (g_get_monotonic_time () - record->begin_us) / G_USEC_PER_SEC;
}

/* ---- texts ---- */

static CommandKept *
new_kept (void)
{
    CommandKept *kept = g_new0 (CommandKept, 1);

    kept->head = g_string_new (NULL);
    kept->tail = g_string_new (NULL);
    return kept;
}

BASE_FREE (free_kept, CommandKept, kept, g_string_free (kept->head, TRUE);
           g_string_free (kept->tail, TRUE))

static gssize
add_kept (CommandKept *kept, const char *text, gsize size, gsize limit)
{
    gsize before = kept->head->len + kept->tail->len;

    if (kept->tail->len == 0 && kept->n_lost == 0 && kept->head->len + size <= limit) {
        g_string_append_len (kept->head, text, (gssize) size);
    } else {
        g_string_append_len (kept->tail, text, (gssize) size);
    }
    if (kept->tail->len > 2 * limit) { /* whole lines are lost */
        const char *from = kept->tail->str + kept->tail->len - limit;
        const char *end = strchr (from, '\n');
        gsize lost = (gsize) ((end != NULL && end[1] != '\0' ? end + 1 : from)
                              - kept->tail->str);

        g_string_erase (kept->tail, 0, (gssize) lost);
        kept->n_lost += lost;
    }
    return (gssize) (kept->head->len + kept->tail->len) - (gssize) before;
}

char *
command_kept_format (const CommandKept *kept)
{
    return kept->n_lost == 0
               ? g_strconcat (kept->head->str, kept->tail->str, NULL)
               : g_strdup_printf ("%s[%" G_GUINT64_FORMAT " bytes are left out here]\n%s",
                                  kept->head->str, kept->n_lost, kept->tail->str);
}

void
command_record_take_text (CommandRecord *record, const char *text)
{
    g_autofree char *line = g_strdup_printf ("%s\n", text);

    add_kept (record->lines, line, strlen (line), MAX_LINES);
}

void
command_record_take_finding (CommandRecord *record, const char *text)
{
    char *copy;

    if (record->is_closed || record->findings->len >= MAX_FINDINGS
        || g_hash_table_contains (record->known, text)) {
        return;
    }
    copy = g_strdup (text);
    g_ptr_array_add (record->findings, copy);
    g_hash_table_add (record->known, copy);
}

static void
add_output (CommandRecord *record, guint32 rank, const char *text, gsize size)
{
    CommandKept *kept = g_hash_table_lookup (record->outputs, GUINT_TO_POINTER (rank));

    if (kept == NULL) {
        kept = new_kept ();
        g_hash_table_insert (record->outputs, GUINT_TO_POINTER (rank), kept);
    }
    if (record->n_output >= MAX_OUTPUTS) {
        kept->n_lost += size;
    } else {
        record->n_output += (gsize) add_kept (kept, text, size, MAX_OUTPUT);
    }
}

void
command_record_take_output (CommandRecord *record, const JobRankSet *ranks, guint stream,
                            const char *data, gsize size)
{
    GString *line = g_string_new (stream == 2 ? "stderr: " : NULL);
    JobRankIter iter = { 0 };
    guint32 rank;

    g_string_append_len (line, data, (gssize) size);
    for (gsize i = 0; i < line->len; i++) { /* what follows takes texts */
        line->str[i] = line->str[i] != '\0' ? line->str[i] : ' ';
    }
    g_string_append_c (line, '\n');
    while (ranks != NULL && job_rank_set_next (ranks, &iter, &rank)) {
        add_output (record, rank, line->str, line->len);
    }
    if (ranks == NULL) {
        add_output (record, G_MAXUINT32, line->str, line->len);
    }
    g_string_free (line, TRUE);
}

/* ---- stops ---- */

BASE_FREE (free_stop, CommandStop, stop, job_rank_set_free (stop->ranks); g_free (stop->lines);
           g_ptr_array_unref (stop->stacks); g_ptr_array_unref (stop->values))

static CommandStop *
new_stop (double at_s, JobRankSet *ranks, char *lines)
{
    CommandStop *stop = g_new0 (CommandStop, 1);

    stop->at_s = at_s;
    stop->ranks = ranks;
    stop->lines = lines;
    stop->stacks = g_ptr_array_new_with_free_func ((GDestroyNotify) job_event_free);
    stop->values = g_ptr_array_new_with_free_func ((GDestroyNotify) job_event_free);
    return stop;
}

static guint64
ask (CommandRecord *record, CommandStop *stop, JobVerb verb)
{
    guint64 id = session_get_next_request (record->session);

    g_hash_table_insert (record->open, g_memdup2 (&id, sizeof id), stop);
    session_submit (record->session, job_request_new (verb, stop->ranks));
    return id;
}

static void
note_change (CommandRecord *record, const JobEvent *event)
{
    CommandChange change = { record->pending_s, NULL, event->state };

    record->n_changes++;
    if (record->changes->len < MAX_CHANGES) {
        change.ranks = job_rank_set_dup (event->ranks);
        g_array_append_val (record->changes, change);
    }
}

/* A fault of the program, not what the user has done to it. */
static gboolean
is_fault (const CommandRecord *record, const JobEvent *event)
{
    switch (event->state) {
    case JOB_STATE_SIGNAL:
    case JOB_STATE_EXCEPTION: return TRUE;
    case JOB_STATE_FAILED:
        return !record->was_killed || g_strcmp0 (event->text, "SIGKILL") != 0;
    case JOB_STATE_LOST: return g_strcmp0 (event->text, "detached") != 0;
    default: return FALSE;
    }
}

/* The lines of those that stopped or failed. stopped: gets the ranks that can be asked. */
static char *
describe_states (CommandRecord *record, const GPtrArray *states, JobRankSet *stopped,
                 gboolean *ret_is_crash)
{
    g_autofree char *reasons = command_format_reasons (record->session, states);
    GString *lines = g_string_new (NULL);
    g_auto (GStrv) split = g_strsplit (reasons, "\n", -1);

    BASE_EACH (states, const JobEvent, event) {
        gboolean is_stopped = job_state_get_info (event->state)->is_stopped;
        g_autofree char *line = session_format_state_event (BASE_TEXT_ENGLISH, record->session,
                                                            event);

        note_change (record, event);
        if (is_fault (record, event)) {
            command_record_take_finding (record, line);
            job_rank_set_merge (record->crashed, event->ranks);
            *ret_is_crash |= is_stopped;
        }
        if (is_stopped) {
            job_rank_set_merge (stopped, event->ranks);
            g_string_append_printf (lines, "%s%s", lines->len > 0 ? "\n" : "", line);
        }
    }
    for (guint i = 0; split[i] != NULL; i++) {
        if (*split[i] != '\0') {
            g_string_append_printf (lines, "\n%s", split[i]);
            command_record_take_finding (record, g_str_has_prefix (split[i], "note: ")
                                                     ? split[i] + strlen ("note: ")
                                                     : split[i]);
        }
    }
    return g_string_free (lines, FALSE);
}

static void
take_states (CommandRecord *record)
{
    g_autoptr (GPtrArray) states = NULL;
    g_autoptr (JobRankSet) stopped = NULL;
    g_autofree char *lines = NULL;
    gboolean is_crash = FALSE;
    CommandStop *stop;

    g_clear_handle_id (&record->flush_source, g_source_remove);
    if (session_last_states_is_empty (record->pending)) {
        return;
    }
    states = session_last_states_take (record->pending, record->session, TRUE);
    stopped = job_rank_set_new ();
    lines = describe_states (record, states, stopped, &is_crash);
    if (job_rank_set_is_empty (stopped)) {
        return;
    }
    record->n_stops++;
    if (record->stops->len >= (is_crash ? MAX_STOPS + MAX_CRASHES : MAX_STOPS)) {
        return;
    }
    stop = new_stop (record->pending_s, g_steal_pointer (&stopped), g_steal_pointer (&lines));
    g_ptr_array_add (record->stops, stop);
    stop->stacks_request = ask (record, stop, JOB_VERB_WHERE);
    stop->values_request = ask (record, stop, JOB_VERB_LOCALS);
}

static gboolean
on_flush (gpointer data)
{
    CommandRecord *record = data;

    record->flush_source = 0;
    take_states (record);
    return G_SOURCE_REMOVE;
}

void
command_record_take_command (CommandRecord *record, const char *line, JobVerb verb)
{
    g_autofree char *shown = g_strdup_printf ("[%.3f s] > %s", get_seconds (record), line);

    record->was_killed |= verb == JOB_VERB_KILL;
    take_states (record);
    command_record_take_text (record, shown);
}

/* ---- what the session tells ---- */

/* Each rank's last state within a moment: a flood of events costs little. */
static void
take_state (CommandRecord *record, const JobEvent *event)
{
    if (session_last_states_is_empty (record->pending)) {
        record->pending_s = get_seconds (record);
    }
    session_last_states_add (record->pending, event);
    if (record->flush_source == 0) {
        record->flush_source = g_timeout_add (COLLECT_MS, on_flush, record);
    }
}

static void
on_event (Session *session, const JobEvent *event, gpointer user)
{
    CommandRecord *record = user;
    CommandStop *stop;

    if (record->is_closed) {
        return;
    }
    if (event->kind == JOB_EVENT_STATE && !(event->flags & JOB_EVENT_FRESH)) {
        take_state (record, event);
        return;
    }
    stop = event->request != 0 ? g_hash_table_lookup (record->open, &event->request) : NULL;
    if (stop != NULL
        && (event->kind == JOB_EVENT_STACKS || event->kind == JOB_EVENT_VALUES
            || event->kind == JOB_EVENT_FAILURE)) {
        JobEvent *copy = job_event_dup (event);

        copy->stop = 0; /* equal answers are to become one */
        copy->final = TRUE;
        g_ptr_array_add (event->request == stop->stacks_request ? stop->stacks : stop->values,
                         copy);
    }
}

static void
on_finished (Session *session, guint64 request, gboolean ok, JobRankSet *missing,
             CommandRecord *record)
{
    g_hash_table_remove (record->open, &request);
}

/* ---- its life ---- */

static void
clear_change (gpointer data)
{
    job_rank_set_free (((CommandChange *) data)->ranks);
}

CommandRecord *
command_record_new (Session *session, const char *version)
{
    CommandRecord *record = g_new0 (CommandRecord, 1);
    g_autoptr (GDateTime) now = g_date_time_new_now_local ();

    record->session = g_object_ref (session);
    record->begun = g_date_time_format (now, "%Y-%m-%d %H:%M:%S");
    record->version = g_strdup (version);
    record->begin_us = g_get_monotonic_time ();
    record->pending = session_last_states_new ();
    record->stops = g_ptr_array_new_with_free_func (free_stop);
    record->open = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
    record->changes = g_array_new (FALSE, FALSE, sizeof (CommandChange));
    g_array_set_clear_func (record->changes, clear_change);
    record->crashed = job_rank_set_new ();
    record->findings = g_ptr_array_new_with_free_func (g_free);
    record->known = g_hash_table_new (g_str_hash, g_str_equal);
    record->lines = new_kept ();
    record->outputs = g_hash_table_new_full (NULL, NULL, NULL, free_kept);
    session_add_listener (session, on_event, record);
    g_signal_connect (session, "finished", G_CALLBACK (on_finished), record);
    return record;
}

void
command_record_free (CommandRecord *record)
{
    if (record == NULL) {
        return;
    }
    session_why_cancel (record->session, record);
    session_remove_listener (record->session, on_event, record);
    g_signal_handlers_disconnect_by_data (record->session, record);
    g_clear_handle_id (&record->flush_source, g_source_remove);
    g_clear_pointer (&record->last, free_stop);
    session_last_states_free (record->pending);
    g_ptr_array_unref (record->stops);
    g_hash_table_unref (record->open);
    g_array_unref (record->changes);
    job_rank_set_free (record->crashed);
    g_hash_table_unref (record->known);
    g_ptr_array_unref (record->findings);
    free_kept (record->lines);
    g_hash_table_unref (record->outputs);
    g_free (record->begun);
    g_free (record->version);
    g_free (record->states);
    g_object_unref (record->session);
    g_free (record);
}

/* ---- the end ---- */

static void
on_why (Session *session, const AnalysisVerdict *verdict, const JobRankSet *missing,
        const JobMessageTable *table, gpointer user)
{
    CommandRecord *record = user;

    record->awaits_why = FALSE;
    for (; verdict != NULL; verdict = verdict->next) {
        if (verdict->kind != ANALYSIS_VERDICT_FREE) {
            command_record_take_finding (record, verdict->text->english);
        }
    }
}

static gboolean
note_over (gpointer data)
{
    *(gboolean *) data = TRUE;
    return G_SOURCE_CONTINUE;
}

static void
ask_running (CommandRecord *record)
{
    g_autoptr (JobRankSet) moving = session_dup_ranks_in_state (record->session,
                                                                JOB_STATE_RUNNING);

    if (job_rank_set_is_empty (moving) || session_is_ended (record->session)) {
        return;
    }
    record->awaits_why = TRUE;
    session_why (record->session, moving, SESSION_LOOK_OPEN, on_why, record);
    record->last = new_stop (get_seconds (record), g_steal_pointer (&moving), NULL);
    record->last->stacks_request = ask (record, record->last, JOB_VERB_WHERE);
}

void
command_record_close (CommandRecord *record)
{
    g_autoptr (JobRankSet) all = session_dup_all (record->session);
    gboolean is_over = FALSE;
    guint source = base_patience_add (CLOSE_MS, note_over, &is_over, NULL);

    take_states (record);
    record->states = session_format_state (BASE_TEXT_ENGLISH, record->session, all);
    record->end_s = get_seconds (record);
    ask_running (record);
    while (!is_over && !session_is_ended (record->session)
           && (record->awaits_why || g_hash_table_size (record->open) > 0)) {
        g_main_context_iteration (NULL, TRUE);
    }
    g_source_remove (source);
    session_why_cancel (record->session, record);
    g_clear_handle_id (&record->flush_source, g_source_remove);
    record->is_closed = TRUE;
}

gboolean
command_record_save (const CommandRecord *record, const char *path, GError **error)
{
    g_autoptr (ProfilePage) page = command_record_make_page (record);

    return profile_page_save (page, path, error);
}
