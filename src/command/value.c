/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values in gdb's formats: `print/F`, `output`, `printf`. */
#include "command/private.h"
#include "base/error.h"
#include <string.h>

gboolean
command_take_format (const char **text, char *ret_letter, GError **error)
{
    static const char letters[] = "xduotzacfsr";
    const char *at = *text;
    g_autofree char *word = NULL;

    *ret_letter = '\0';
    if (*at != '/') {
        return TRUE;
    }
    at++;
    word = command_take_word (&at, "", error);
    if (word == NULL || word[0] == '\0' || word[1] != '\0'
        || strchr (letters, word[0]) == NULL) {
        g_clear_error (error);
        g_set_error (
            error, BASE_ERROR, BASE_ERROR_INVALID,
            "/%s is not a format for values: use one of x d u o t z a c f s r; x/FMT shows memory",
            word != NULL ? word : "");
        return FALSE;
    }
    *ret_letter = word[0];
    *text = command_skip_spaces (at);
    return TRUE;
}

JobRequest *
command_new_print (JobVerb verb, const JobRankSet *ranks, const char *expression, char letter)
{
    JobRequest *request = job_request_new (verb, ranks);

    request->text = g_strdup (expression);
    request->text2 = letter != '\0' ? g_strdup_printf ("%c", letter) : NULL;
    return request;
}

/* gdb's print takes options for one value, "-elements 3 -- x"; ours stay set. */
static gboolean
has_options (const char *text)
{
    return text[0] == '-' && g_ascii_isalpha (text[1]) && strstr (text, " -- ") != NULL;
}

/* The request of "[/F] EXPR"; NULL: the command has failed and ended. */
static JobRequest *
make_print (CommandJob *job, JobVerb verb)
{
    g_autoptr (GError) error = NULL;
    const char *text = job->arguments;
    char letter;

    if (!command_take_format (&text, &letter, &error)) {
        command_job_fail (job, NULL, "%s", error->message);
    } else if (*text == '\0') {
        command_job_fail (job, NULL, "%s %s", job->row->name, job->row->usage);
    } else if (has_options (text)) {
        command_job_fail (job, NULL,
                          "%s takes no options before --: set option limit-items N changes how "
                          "many elements are shown; show options lists the others",
                          job->row->name);
    } else {
        JobRequest *request = command_new_print (verb, job->set, text, letter);

        job->expression = g_strdup (text);
        request->flags |= verb == JOB_VERB_PRINT ? JOB_REQUEST_ENDED : 0;
        return request;
    }
    command_job_end (job);
    return NULL;
}

void
command_run_print (CommandJob *job)
{
    JobRequest *request = make_print (job, job->row->verb);

    if (request != NULL) {
        command_job_submit (job, request);
    }
}

void
command_run_output (CommandJob *job)
{
    JobRequest *request = make_print (job, JOB_VERB_PRINT);

    if (request != NULL) {
        job->is_bare = TRUE;
        command_job_submit (job, request);
    }
}

/* "[/FMT] START, END, VALUE…": each rank evaluates them itself. */
void
command_run_find (CommandJob *job)
{
    g_autoptr (JobRequest) request = job_request_new (JOB_VERB_FIND, job->set);
    const char *text = job->arguments;

    if (*text == '/') {
        text++;
        request->text2 = command_take_word (&text, "", NULL);
        text = command_skip_spaces (text);
    }
    if (*text == '\0') {
        command_job_fail (job, NULL, "%s %s", job->row->name, job->row->usage);
        command_job_end (job);
        return;
    }
    request->text = g_strdup (text);
    command_job_submit (job, g_steal_pointer (&request));
}

/* Where a quoted text ends: behind its quote; NULL: it does not. */
static const char *
find_quoted_end (const char *text)
{
    for (text++; *text != '\0' && *text != '"'; text++) {
        text += *text == '\\' && text[1] != '\0';
    }
    return *text == '"' ? text + 1 : NULL;
}

void
command_run_printf (CommandJob *job)
{
    const char *text = job->arguments;
    const char *end = *text == '"' ? find_quoted_end (text) : NULL;
    const char *rest = end != NULL ? command_skip_spaces (end) : "";
    JobRequest *request;

    if (end == NULL
        || (*rest != '\0' && (*rest != ',' || *command_skip_spaces (rest + 1) == '\0'))) {
        command_job_fail (job, NULL, "%s %s", job->row->name, job->row->usage);
        command_job_end (job);
        return;
    }
    request = job_request_new (JOB_VERB_PRINTF, job->set);
    request->flags |= JOB_REQUEST_ENDED;
    request->text = g_strndup (text + 1, (gsize) (end - text - 2));
    request->text2 = *rest == ',' ? g_strdup (rest + 1) : NULL;
    command_job_submit (job, request);
}
