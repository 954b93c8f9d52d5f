/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Commands that move ranks or choose what they look at. */
#include "command/private.h"
#include "base/error.h"
#include <string.h>

/* A number alone, or nothing: `fallback`. FALSE: the command has failed and ended. */
static gboolean
take_count (CommandJob *job, guint32 fallback, guint32 *ret_count)
{
    *ret_count = fallback;
    if (*job->arguments != '\0'
        && !command_parse_number (job->arguments, G_MAXINT32, ret_count)) {
        command_job_fail (job, NULL, "%s needs a number, not \"%s\"", job->row->name,
                          job->arguments);
        command_job_end (job);
        return FALSE;
    }
    return TRUE;
}

void
command_run_move (CommandJob *job)
{
    JobRequest *request;
    guint32 count;

    if (!take_count (job, 1, &count)) {
        return;
    }
    request = job_request_new (job->row->verb, job->set);
    request->number = MAX (count, 1);
    command_job_submit (job, request);
}

/* The file of a bare line number: that of the selected frames, if they agree. */
static char *
find_set_file (CommandJob *job, GError **error)
{
    const char *file = NULL;
    JobRankIter iter = { 0 };
    guint32 rank;

    while (job_rank_set_next (job->set, &iter, &rank)) {
        const JobLocation *place = session_get_selected_place (job->session, rank);

        if (place == NULL || place->file == NULL) {
            continue;
        }
        if (file != NULL && strcmp (file, place->file) != 0) {
            g_set_error (error, BASE_ERROR, BASE_ERROR_INVALID,
                         "the frames of the set are in different files: say FILE:LINE");
            return NULL;
        }
        file = place->file;
    }
    if (file == NULL) {
        g_set_error (error, BASE_ERROR, BASE_ERROR_NOT_FOUND,
                     "no rank of the set is in a known file: say FILE:LINE");
    }
    return g_strdup (file);
}

gboolean
command_parse_where (CommandJob *job, const char *text, JobWhere *ret_where, GError **error)
{
    JobWhere where = { 0 };

    if (!job_where_parse (text, &where, error)) {
        return FALSE;
    }
    if (where.kind == JOB_WHERE_LINE && where.file == NULL) {
        where.file = find_set_file (job, error);
        if (where.file == NULL) {
            return FALSE;
        }
    }
    *ret_where = where;
    return TRUE;
}

void
command_run_where_to (CommandJob *job)
{
    g_autoptr (GError) error = NULL;
    g_autoptr (JobRequest) request = job_request_new (job->row->verb, job->set);
    const char *text = job->arguments;
    g_autofree char *word = command_take_word (&text, "", &error);

    if (error == NULL) {
        command_parse_where (job, word != NULL ? word : "", &request->where, &error);
    }
    if (error != NULL) {
        command_job_fail (job, NULL, "%s", error->message);
        command_job_end (job);
        return;
    }
    command_job_submit (job, g_steal_pointer (&request));
}

void
command_run_frame (CommandJob *job)
{
    g_autoptr (JobRequest) request = job_request_new (job->row->verb, job->set);
    gboolean is_up = strcmp (job->row->name, "up") == 0;
    guint32 count;

    if (!take_count (job, is_up || strcmp (job->row->name, "down") == 0 ? 1 : 0, &count)) {
        return;
    }
    if (is_up || strcmp (job->row->name, "down") == 0) {
        request->flags = JOB_REQUEST_RELATIVE;
        request->delta = is_up ? (gint32) count : -(gint32) count;
    } else {
        request->number = count;
    }
    command_job_submit (job, g_steal_pointer (&request));
}

void
command_run_where (CommandJob *job)
{
    g_autoptr (JobRequest) request = job_request_new (job->row->verb, job->set);
    g_auto (GStrv) words = g_strsplit_set (job->arguments, " \t", -1);

    for (guint i = 0; words[i] != NULL; i++) {
        if (*words[i] == '\0') {
            continue;
        }
        if (g_str_has_prefix ("threads", words[i])) {
            request->flags |= JOB_REQUEST_THREADS;
        } else if (g_str_has_prefix ("full", words[i])) {
            request->flags |= JOB_REQUEST_FULL;
        } else if (!command_parse_number (words[i], G_MAXINT32, &request->number)) {
            command_job_fail (job, NULL, "where [N] [threads] [full], not \"%s\"", words[i]);
            command_job_end (job);
            return;
        }
    }
    command_job_submit (job, g_steal_pointer (&request));
}

void
command_run_plain (CommandJob *job)
{
    command_job_submit (job, job_request_new (job->row->verb, job->set));
}

void
command_run_text (CommandJob *job)
{
    JobRequest *request;

    if (*job->arguments == '\0') {
        command_job_fail (job, NULL, "%s %s", job->row->name, job->row->usage);
        command_job_end (job);
        return;
    }
    request = job_request_new (job->row->verb, job->set);
    request->text = g_strdup (job->arguments);
    job->expression = g_strdup (job->arguments);
    command_job_submit (job, request);
}

/* The '=' that assigns: no half of ==, <=, >=, != and not inside brackets or quotes. */
static const char *
find_assignment (const char *text)
{
    int depth = 0;
    char quote = '\0';

    for (const char *at = text; *at != '\0'; at++) {
        if (quote != '\0') {
            quote = *at == quote ? '\0' : quote;
        } else if (*at == '"' || *at == '\'') {
            quote = *at;
        } else if (strchr ("([{", *at) != NULL) {
            depth++;
        } else if (strchr (")]}", *at) != NULL) {
            depth--;
        } else if (*at == '=' && depth == 0 && at[1] != '=' && at > text
                   && strchr ("=<>!", at[-1]) == NULL) {
            return at;
        }
    }
    return NULL;
}

void
command_run_set_var (CommandJob *job)
{
    const char *equals = find_assignment (job->arguments);
    JobRequest *request;

    if (equals == NULL) {
        command_job_fail (job, NULL, "set var needs LHS = EXPR");
        command_job_end (job);
        return;
    }
    request = job_request_new (JOB_VERB_SET, job->set);
    request->text = g_strstrip (g_strndup (job->arguments, (gsize) (equals - job->arguments)));
    request->text2 = g_strstrip (g_strdup (equals + 1));
    job->expression = g_strdup (request->text);
    command_job_submit (job, request);
}

/* "/4xb ADDR": the format is text, the place is where; an address may stand without its '*'. */
void
command_run_examine (CommandJob *job)
{
    g_autoptr (JobRequest) request = job_request_new (job->row->verb, job->set);
    g_autoptr (GError) error = NULL;
    g_autofree char *place = NULL;
    const char *text = job->arguments;

    if (*text == '/') {
        text++;
        request->text = command_take_word (&text, "", &error);
    }
    place = g_strstrip (g_strdup (text));
    if (error == NULL && g_ascii_isdigit (*place)) {
        g_autofree char *address = g_strdup_printf ("*%s", place);

        job_where_parse (address, &request->where, &error);
    } else if (error == NULL && *place == '*') {
        job_where_parse (place, &request->where, &error);
    } else if (error == NULL && *place != '\0') {
        request->where.kind = JOB_WHERE_FUNCTION;
        request->where.function = g_steal_pointer (&place);
    } else if (error == NULL && job->row->verb == JOB_VERB_EXAMINE) {
        g_set_error (&error, BASE_ERROR, BASE_ERROR_INVALID, "x/FMT ADDR: the address is missing");
    }
    if (error != NULL) {
        command_job_fail (job, NULL, "%s", error->message);
        command_job_end (job);
        return;
    }
    command_job_submit (job, g_steal_pointer (&request));
}

void
command_run_input (CommandJob *job)
{
    if (*job->arguments != '\0') {
        g_autofree char *line = g_strdup_printf ("%s\n", job->arguments);

        session_write_input (job->session, job->set, line, FALSE);
        command_job_end (job);
        return;
    }
    if (!job->context->can_hand_over) {
        command_job_fail (job, NULL, "input alone needs a terminal: say input TEXT");
    } else {
        g_clear_pointer (&job->context->hand_over, job_rank_set_free);
        job->context->hand_over = job_rank_set_dup (job->set);
    }
    command_job_end (job);
}
