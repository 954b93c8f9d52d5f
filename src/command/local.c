/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Commands that the front end answers itself: state, sets, options, help. */
#include "command/private.h"
#include "base/error.h"
#include "session/options.h"

#define MAX_LIMIT 1000000u
#define MAX_STATUS 255u

static void
print_state (CommandJob *job)
{
    g_autoptr (GPtrArray) groups = session_dup_state_groups (job->session, job->set);

    BASE_EACH (groups, JobEvent, event) {
        g_autofree char *line = NULL;

        event->request = job->context->json ? command_job_get_number (job) : 0;
        event->flags |= JOB_EVENT_FRESH;
        line = job->context->json ? command_json_format_event (job->session, event, NULL)
                                  : command_format_event (job->session, event, NULL);
        command_context_write (job->context, COMMAND_OUT_ANSWER, line);
    }
}

static void
on_state_answered (CommandJob *job, gboolean ok, const JobRankSet *missing)
{
    print_state (job);
    command_job_print_answers (job, ok, missing);
    command_job_end (job);
}

void
command_run_show_state (CommandJob *job)
{
    g_autoptr (JobRankSet) moving = session_dup_ranks_in_state (job->session,
                                                                JOB_STATE_RUNNING);
    g_autoptr (JobRankSet) asked = job_rank_set_intersect (job->set, moving);

    if (job_rank_set_is_empty (asked)) {
        print_state (job);
        command_job_end (job);
        return;
    }
    command_job_query (job, job_request_new (JOB_VERB_STATE, asked), on_state_answered);
}

void
command_run_show_sets (CommandJob *job)
{
    g_auto (GStrv) names = session_dup_set_names (job->session);
    g_autofree char *focus = job_rank_set_format (session_get_focus (job->session));
    g_autoptr (GString) text = g_string_new (NULL);

    g_string_append_printf (text, "focus = %s", focus);
    for (guint i = 0; names[i] != NULL; i++) {
        const char *live = NULL;
        const JobRankSet *set = session_find_named (job->session, names[i], &live);
        g_autofree char *ranks = job_rank_set_format (set);

        if (live != NULL) {
            g_string_append_printf (text, "\n%s = %s (live)", names[i], live);
        } else {
            g_string_append_printf (text, "\n%s = %s", names[i], ranks);
        }
    }
    command_job_answer (job, NULL, text->str);
    command_job_end (job);
}

void
command_run_show_options (CommandJob *job)
{
    g_autoptr (GString) text = g_string_new (NULL);

    for (guint i = 0; session_option_get (i) != NULL; i++) {
        const char *name = session_option_get (i)->name;
        const char *python = session_get_option_at_python (job->session, name);

        g_string_append_printf (text, "%s%s = %s", i > 0 ? "\n" : "", name,
                                session_get_option (job->session, name));
        if (python != NULL) {
            g_string_append_printf (text, " (%s at a Python line)", python);
        }
    }
    command_job_answer (job, NULL, text->str);
    command_job_end (job);
}

/* words: two at least. */
static void
refuse_word (CommandJob *job, const char *name, char **words, const char *value)
{
    guint n = g_strv_length (words);
    g_autofree char *last = g_steal_pointer (&words[n - 1]);
    g_autofree char *others = g_strjoinv (", ", words);

    command_job_fail (job, NULL, "%s is %s or %s, not \"%s\"", name, others, last, value);
}

/* The value is one that the option can have; else says so. */
static gboolean
check_option (CommandJob *job, const char *name, const char *value)
{
    const SessionOption *option = session_option_find (name);
    const char *words = option != NULL ? option->words : NULL;
    guint32 number;

    if (option == NULL) {
        command_job_fail (job, NULL, "no option \"%s\"; show options lists them",
                          name != NULL ? name : "");
    } else if (*value == '\0') {
        command_job_fail (job, NULL, "set option NAME VALUE: the value is missing");
    } else if (words != NULL && *words != '\0') {
        g_auto (GStrv) list = g_strsplit (words, "|", -1);

        if (g_strv_contains ((const char *const *) list, value)) {
            return TRUE;
        }
        refuse_word (job, name, list, value);
    } else if (words != NULL && !command_parse_number (value, MAX_LIMIT, &number)) {
        command_job_fail (job, NULL, "%s is a number up to %u, 0 for no limit, not \"%s\"",
                          name, MAX_LIMIT, value);
    } else {
        return TRUE;
    }
    return FALSE;
}

void
command_run_set_option (CommandJob *job)
{
    const char *text = job->arguments;
    g_autofree char *name = command_take_word (&text, "=", NULL);
    g_autofree char *value = NULL;
    JobRequest *request;

    text = command_skip_spaces (text);
    value = g_strstrip (g_strdup (*text == '=' ? text + 1 : text));
    if (!check_option (job, name, value)) {
        command_job_end (job);
        return;
    }
    request = session_set_option (job->session, name, value);
    if (request == NULL) {
        command_job_end (job);
        return;
    }
    command_job_submit (job, request);
}

static gboolean
is_reserved (const char *name)
{
    static const char *const words[] = { "all",  "even",  "odd",   "nof",    "at",   "in",
                                         "host", "same",  "where", "except", "node", "nodes",
                                         "rank", "ranks", "on",    NULL };
    JobState state;

    return g_strv_contains (words, name) || job_state_find (name, &state);
}

static gboolean
is_name (const char *name)
{
    if (name == NULL || (!g_ascii_isalpha (*name) && *name != '_')) {
        return FALSE;
    }
    for (; *name != '\0'; name++) {
        if (!g_ascii_isalnum (*name) && *name != '_' && *name != '-') {
            return FALSE;
        }
    }
    return TRUE;
}

/* "NAME = SET"; the rest after the '=' or NULL: the command has failed. */
static const char *
take_name (CommandJob *job, char **ret_name)
{
    const char *text = job->arguments;
    g_autofree char *name = command_take_word (&text, "=", NULL);

    text = command_skip_spaces (text);
    if (*text != '=' || !is_name (name)) {
        command_job_fail (job, NULL,
                          "%s needs NAME = SET; set var changes a variable, and set option an "
                          "option",
                          job->row->name);
        return NULL;
    }
    if (is_reserved (name)) {
        command_job_fail (job, NULL, "cannot name a set \"%s\": it is a keyword", name);
        return NULL;
    }
    *ret_name = g_steal_pointer (&name);
    return text + 1;
}

/* What waits for the ranks' answers before its set is known. */
typedef void (*UseSet) (CommandJob *job, const JobRankSet *set);

static void
use_named (CommandJob *job, const JobRankSet *set)
{
    if (job_rank_set_is_empty (set)) {
        command_job_fail (job, NULL, COMMAND_NO_RANK);
    } else {
        session_set_named (job->session, job->expression, set, NULL);
    }
}

static void
use_focus (CommandJob *job, const JobRankSet *set)
{
    if (job_rank_set_is_empty (set)) {
        command_job_fail (job, NULL, COMMAND_NO_RANK);
    } else {
        session_set_focus (job->session, set);
    }
}

/* Hands the text to the same machinery that understands "on SET": a set may have to be asked. */
static void
take_set (CommandJob *job, const char *text, UseSet use)
{
    g_autoptr (GError) error = NULL;
    g_autoptr (JobRankSet) set = NULL;

    if (job->parsed_set == NULL) {
        job->parsed_set = command_set_parse (job->session, &text, &error);
        if (job->parsed_set != NULL && *command_skip_spaces (text) != '\0') {
            g_set_error (&error, BASE_ERROR, BASE_ERROR_INVALID,
                         "unexpected \"%s\" after the set of ranks",
                         command_skip_spaces (text));
        } else if (job->parsed_set != NULL
                   && command_set_find_question (job->session, job->parsed_set) != NULL) {
            command_job_prepare (job);
            return;
        }
    }
    if (error == NULL && job->parsed_set != NULL) {
        set = command_set_evaluate (job->session, job->parsed_set, &error);
    }
    if (error != NULL) {
        command_job_fail (job, NULL, "%s", error->message);
    } else {
        use (job, set);
    }
    command_job_end (job);
}

void
command_run_set (CommandJob *job)
{
    g_autofree char *name = NULL;
    const char *text = take_name (job, &name);

    if (text == NULL) {
        command_job_end (job);
        return;
    }
    g_free (job->expression);
    job->expression = g_steal_pointer (&name);
    take_set (job, text, use_named);
}

void
command_run_forget (CommandJob *job)
{
    const char *text = job->arguments;
    g_autofree char *name = command_take_word (&text, "", NULL);

    if (name == NULL || *command_skip_spaces (text) != '\0') {
        command_job_fail (job, NULL, "forget needs the NAME of a set");
    } else if (!session_remove_named (job->session, name)) {
        command_job_fail (job, NULL, "no set %s", name);
    }
    command_job_end (job);
}

void
command_run_pick (CommandJob *job)
{
    take_set (job, job->arguments, use_focus);
}

void
command_run_live_set (CommandJob *job)
{
    g_autoptr (GError) error = NULL;
    g_autofree char *name = NULL;
    const char *text = take_name (job, &name), *rest = text;
    CommandSet *set = text != NULL ? command_set_parse (job->session, &rest, &error) : NULL;

    if (set != NULL && *command_skip_spaces (rest) == '\0') {
        g_autofree char *stripped = g_strstrip (g_strdup (text));

        session_set_named (job->session, name, NULL, stripped);
    } else if (text != NULL) {
        command_job_fail (job, NULL, "%s",
                          error != NULL ? error->message : "live set needs NAME = SET");
    }
    command_set_free (set);
    command_job_end (job);
}

void
command_run_help (CommandJob *job)
{
    g_autofree char *text = command_format_help (job->arguments);

    if (text == NULL) {
        command_job_fail (job, NULL, "no command \"%s\"; help lists them", job->arguments);
    } else {
        command_job_answer (job, NULL, text);
    }
    command_job_end (job);
}

void
command_run_quit (CommandJob *job)
{
    if (*job->arguments != '\0'
        && !command_parse_number (job->arguments, MAX_STATUS, &job->context->quit_status)) {
        command_job_fail (job, NULL, "quit takes an exit status up to %u, not \"%s\"",
                          MAX_STATUS, job->arguments);
    } else {
        job->context->quit = TRUE;
    }
    command_job_end (job);
}
