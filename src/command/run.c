/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs commands one after the other: parses each line when its turn comes, asks the ranks about
 * its set if necessary, and calls its row's `run`. */
#include "command/private.h"
#include "base/error.h"
#include <string.h>

static void
end_invalid (CommandJob *job, const GError *error)
{
    command_job_fail (job, NULL, "%s", error->message);
    command_job_end (job);
}

/* A set that was not spelt out means those that can still do something. */
static void
leave_out_ended (CommandJob *job)
{
    g_autoptr (JobRankSet) exited = session_dup_ranks_in_state (job->session, JOB_STATE_EXITED);
    g_autoptr (JobRankSet) failed = session_dup_ranks_in_state (job->session, JOB_STATE_FAILED);
    g_autoptr (JobRankSet) ended = job_rank_set_union (exited, failed);
    JobRankSet *living = job_rank_set_subtract (job->set, ended);

    if (job_rank_set_is_empty (living)) {
        job_rank_set_free (living);
    } else {
        job_rank_set_free (job->set);
        job->set = living;
    }
}

/* A step moves the ranks that stand; that others have ended is said. */
static void
leave_out_fallen (CommandJob *job)
{
    g_autoptr (JobRankSet) wanted = NULL, ended = NULL;
    g_autofree char *ranks = NULL, *line = NULL;

    if (!job_verb_is_step (job->row->verb)) {
        return;
    }
    wanted = job_rank_set_dup (job->parsed_set != NULL || job->hook_ranks != NULL
                                   ? job->set
                                   : session_get_focus (job->session));
    leave_out_ended (job);
    ended = job_rank_set_subtract (wanted, job->set);
    if (!job_rank_set_is_empty (ended)) {
        ranks = job_rank_set_format (ended);
        line = g_strdup_printf ("%s: left out, because it has ended", ranks);
        command_job_answer (job, ended, line);
    }
}

/* What has to be known of it by the commands after it. */
static void
note_motion (CommandJob *job)
{
    CommandContext *context = job->context;
    JobRankSet *others;

    g_clear_pointer (&context->moved, job_rank_set_free);
    if (!(job->row->flags & COMMAND_MOVING)) {
        return;
    }
    context->has_waited = FALSE;
    if (job->is_background) {
        job_rank_set_merge (context->background, job->set);
        return;
    }
    others = job_rank_set_subtract (context->background, job->set);
    job_rank_set_free (context->background);
    context->background = others;
    context->moved = job_rank_set_dup (job->set);
    context->is_unsettled = TRUE;
}

static void
run_job (CommandJob *job)
{
    g_autoptr (GError) error = NULL;

    if (job->parsed_set != NULL) {
        g_clear_pointer (&job->set, job_rank_set_free);
        job->set = command_set_evaluate (job->session, job->parsed_set, &error);
        if (job->set == NULL) {
            end_invalid (job, error);
            return;
        }
    } else {
        job->set = job_rank_set_dup (job->hook_ranks != NULL
                                         ? job->hook_ranks
                                         : session_get_focus (job->session));
        if (job->row->flags & COMMAND_LIVING) {
            leave_out_ended (job);
        }
    }
    if (((job->row->flags & COMMAND_RANKS) || job->parsed_set != NULL)
        && job_rank_set_is_empty (job->set)) {
        command_job_fail (job, NULL, "%s",
                          session_get_size (job->session) == 0 ? "no rank has reported yet"
                                                               : COMMAND_NO_RANK);
        command_job_end (job);
        return;
    }
    leave_out_fallen (job);
    note_motion (job);
    if (job->row->run != command_run_why && job->row->run != command_run_wait) {
        g_clear_pointer (&job->context->announced, g_free);
    }
    job->row->run (job);
}

static void
on_question_answered (CommandJob *job, gboolean ok, const JobRankSet *missing)
{
    command_set_take_answers (job, job->question, missing);
    g_ptr_array_set_size (job->answers, 0);
    command_job_prepare (job);
}

static void
on_blocked_answered (Session *session, const AnalysisVerdict *verdict,
                     const JobRankSet *missing, const JobMessageTable *table, gpointer user)
{
    CommandJob *job = user;
    g_autoptr (JobRankSet) moving = session_dup_ranks_in_state (session, JOB_STATE_RUNNING);

    job->question->known = TRUE;
    job->question->answer = job_rank_set_intersect (verdict->inside, moving);
    command_job_prepare (job);
}

/* Asks the ranks what only they know of the set, one question after the other, then runs. */
void
command_job_prepare (CommandJob *job)
{
    static const JobVerb verbs[] = { [COMMAND_ASK_TRUE] = JOB_VERB_PRINT,
                                     [COMMAND_ASK_IN] = JOB_VERB_WHERE,
                                     [COMMAND_ASK_SAME] = JOB_VERB_WHERE,
                                     [COMMAND_ASK_NEAR] = JOB_VERB_QUEUE };
    g_autoptr (JobRankSet) asked = NULL;
    JobRequest *request;

    job->question = job->parsed_set != NULL
                        ? command_set_find_question (job->session, job->parsed_set)
                        : NULL;
    if (job->question == NULL) {
        job->request = 0;
        run_job (job);
        return;
    }
    asked = command_set_dup_asked (job->session, job->question);
    if (job->question->ask == COMMAND_ASK_BLOCKED) {
        session_why (job->session, asked, SESSION_LOOK_RECORDED, on_blocked_answered, job);
        return;
    }
    request = job_request_new (verbs[job->question->ask], asked);
    request->text = g_strdup (job->question->ask == COMMAND_ASK_TRUE ? job->question->text
                                                                     : NULL);
    request->flags |= job->question->ask == COMMAND_ASK_TRUE ? JOB_REQUEST_TRUTH : 0;
    command_job_query (job, request, on_question_answered);
}

/* One of the two sets would be silently ignored. */
static gboolean
check_set (CommandJob *job, GError **error)
{
    if (job->parsed_set == NULL || !(job->row->flags & COMMAND_WHOLE_JOB)) {
        return TRUE;
    }
    g_set_error (error, BASE_ERROR, BASE_ERROR_INVALID,
                 "%s does not act on a set of ranks: leave out \"on SET\"%s", job->row->name,
                 strcmp (job->row->name, "set") == 0 ? ", or use set var to change a variable"
                                                     : "");
    return FALSE;
}

/* "[on SET] COMMAND [ARGUMENTS]"; FALSE without error: nothing to do. */
static gboolean
parse_line (CommandJob *job, GError **error)
{
    const char *text = command_skip_spaces (job->line);
    g_autofree char *translated = NULL;

    if (*text == '\0' || *text == '#') {
        return FALSE;
    }
    if (strncmp (text, "on", 2) == 0 && g_ascii_isspace (text[2])) {
        text += 2;
        job->parsed_set = command_set_parse (job->session, &text, error);
        if (job->parsed_set == NULL) {
            return FALSE;
        }
        if (*command_skip_spaces (text) == '\0') {
            g_set_error (error, BASE_ERROR, BASE_ERROR_INVALID,
                         "a command is missing after the set; pick SET changes the focus");
            return FALSE;
        }
    }
    if (!command_habit_translate (text, &translated, error)) {
        return FALSE;
    }
    text = translated != NULL ? translated : text;
    if (*text == '\0') {
        return FALSE; /* accepted, without effect */
    }
    job->row = command_table_find (&text, error);
    if (job->row == NULL || !check_set (job, error)) {
        return FALSE;
    }
    job->arguments = g_strstrip (g_strdup (text));
    if ((job->row->flags & COMMAND_MOVING) && g_str_has_suffix (job->arguments, "&")) {
        job->is_background = TRUE;
        job->arguments[strlen (job->arguments) - 1] = '\0';
        g_strchomp (job->arguments);
    }
    return TRUE;
}

/* Takes "[on SET] COMMAND" off the line; NULL: it has none. */
static const CommandRow *
find_row (Session *session, const char **line)
{
    CommandSet *set = NULL;

    *line = command_skip_spaces (*line);
    if (g_str_has_prefix (*line, "on ")) {
        *line += 3;
        set = command_set_parse (session, line, NULL);
        command_set_free (set);
    }
    return command_table_find (line, NULL);
}

static void
note_command (CommandJob *job)
{
    const char *line = job->line;
    const CommandRow *row = find_row (job->session, &line);

    command_record_take_command (job->context->record, job->line,
                                 row != NULL ? row->verb : JOB_VERB_NONE);
}

static void
begin_job (CommandJob *job)
{
    g_autoptr (GError) error = NULL;

    if (job->context->record != NULL) {
        note_command (job);
    }
    if (job->spot != NULL) {
        command_spot_begin (job);
    }
    if (job->hook_ranks == NULL && command_block_take (job)) {
        return;
    }
    if (!parse_line (job, &error)) {
        if (error != NULL) {
            end_invalid (job, error);
        } else {
            command_job_end (job);
        }
        return;
    }
    if (!command_wait_first (job)) {
        command_job_prepare (job);
    }
}

void
command_context_begin_next (CommandContext *context)
{
    if (context->active == NULL && !g_queue_is_empty (context->hooks)) {
        context->active = g_queue_pop_head (context->hooks);
        begin_job (context->active);
        return;
    }
    if (context->active == NULL && context->suspended != NULL) {
        context->active = g_steal_pointer (&context->suspended);
        command_wait_check (context->active);
        return;
    }
    if (context->active == NULL && !g_queue_is_empty (context->jobs)) {
        context->active = g_queue_pop_head (context->jobs);
        begin_job (context->active);
    }
}

gboolean
command_context_is_idle (const CommandContext *context)
{
    return context->active == NULL && g_queue_is_empty (context->jobs)
           && g_queue_is_empty (context->hooks);
}

/* At a prompt, who waits can still stop the ranks or feed them. */
static gboolean
overtakes (CommandContext *context, const char *line)
{
    const CommandRow *row;

    if (!context->can_hand_over || !context->waiting || context->active == NULL
        || context->active->query != NULL || context->suspended != NULL) {
        return FALSE;
    }
    row = find_row (context->session, &line);
    return row != NULL && (row->flags & COMMAND_URGENT);
}

gboolean
command_feeds_input (Session *session, const char *line)
{
    const CommandRow *row = find_row (session, &line);
    gboolean feeds = row != NULL && row->verb == JOB_VERB_INPUT;
    const char *quote = row != NULL && row->run == command_run_commands ? strpbrk (line, "\"'")
                                                                        : NULL;

    if (quote != NULL) {
        g_autofree char *inside = command_take_word (&quote, "", NULL);
        g_autoptr (GPtrArray) lines = command_split_commands (inside != NULL ? inside : "");

        for (guint i = 0; i < lines->len && !feeds; i++) {
            feeds = command_feeds_input (session, g_ptr_array_index (lines, i));
        }
    }
    return feeds;
}

guint64
command_run (CommandContext *context, const char *line, CommandDone done, gpointer user)
{
    CommandJob *job = command_job_new (context, line, done, user);

    if (overtakes (context, line)) {
        context->suspended = g_steal_pointer (&context->active);
        context->active = job;
        begin_job (job);
        return 0;
    }
    g_queue_push_tail (context->jobs, job);
    if (context->active != NULL) {
        return 0;
    }
    command_context_begin_next (context);
    return context->active == job ? job->request : 0;
}
