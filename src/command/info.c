/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `info frame|line|symbol|scope|macro`, `macro expand`, `disassemble`, `generate-core-file`, `return`, `signal`. */
#include "command/private.h"
#include "base/error.h"
#include <string.h>

static void
end_with (CommandJob *job, const GError *error)
{
    command_job_fail (job, NULL, "%s", error->message);
    command_job_end (job);
}

/* The second word of the row's name says what; what is asked about may be left out where that makes
 * sense. */
void
command_run_info (CommandJob *job)
{
    const char *what = strchr (job->row->name, ' ') + 1;
    gboolean takes_place = strcmp (what, "line") == 0 || strcmp (what, "scope") == 0;
    g_autoptr (JobRequest) request = job_request_new (JOB_VERB_INFO, job->set);
    g_autoptr (GError) error = NULL;
    const char *text = job->arguments;

    request->flags |= JOB_REQUEST_ENDED;
    request->text = g_strdup (what);
    if (takes_place && *text == '*') {
        command_resolve_place (job, text, g_steal_pointer (&request), command_job_submit_all);
        return;
    }
    if (takes_place && *text != '\0') {
        g_autofree char *word = command_take_word (&text, "", &error);

        if (error == NULL) {
            command_parse_where (job, word != NULL ? word : "", &request->where, &error);
        }
        if (error != NULL) {
            end_with (job, error);
            return;
        }
        text = command_skip_spaces (text);
    } else if (strcmp (what, "symbol") == 0) {
        if (*text == '\0') {
            command_job_fail (job, NULL, "%s %s", job->row->name, job->row->usage);
            command_job_end (job);
            return;
        }
        request->text2 = g_strdup (text);
        text = "";
    }
    if (*text != '\0') {
        command_job_fail (job, NULL, "%s takes no argument, not \"%s\"", job->row->name, text);
        command_job_end (job);
        return;
    }
    command_job_submit (job, g_steal_pointer (&request));
}

/* `info macro NAME`, `info macros [BEGINNING]`, `macro expand EXPR`, `macro expand-once EXPR` */
void
command_run_macro (CommandJob *job)
{
    static const char *const words[][2] = { { "info macro", "info" },
                                            { "info macros", "list" },
                                            { "macro expand", "expand" },
                                            { "macro expand-once", "once" } };
    g_autoptr (JobRequest) request = job_request_new (JOB_VERB_INFO, job->set);
    const char *what = NULL;

    for (guint i = 0; i < G_N_ELEMENTS (words); i++) {
        what = strcmp (job->row->name, words[i][0]) == 0 ? words[i][1] : what;
    }
    if (*job->arguments == '\0' && strcmp (what, "list") != 0) {
        command_job_fail (job, NULL, "%s %s", job->row->name, job->row->usage);
        command_job_end (job);
        return;
    }
    request->text = g_strdup ("macro");
    request->text2 = g_strdup_printf ("%s %s", what, job->arguments);
    command_job_submit (job, g_steal_pointer (&request));
}

/* Where "+LENGTH" stands in "START,+LENGTH", of which START is no number; NULL: it is not that. */
static const char *
find_length (const char *text, guint64 *ret_length)
{
    const char *comma = strrchr (text, ',');
    const char *plus = comma != NULL ? command_skip_spaces (comma + 1) : "";
    const char *digits = *plus == '+' ? command_skip_spaces (plus + 1) : "";
    char *end = NULL;

    if (!g_ascii_isdigit (*digits) || g_ascii_isdigit (*text)) {
        return NULL;
    }
    *ret_length = g_ascii_strtoull (digits, &end, 0);
    return *command_skip_spaces (end) == '\0' ? comma : NULL;
}

/* "START,END", "START,+LENGTH", in numbers. FALSE: it is no range, or *ret_error says what is wrong. */
static gboolean
parse_code_range (const char *text, JobRequest *request, GError **ret_error)
{
    const char *comma = strchr (text, ',');
    const char *end = comma != NULL ? command_skip_spaces (comma + 1) : NULL;
    gboolean is_length = end != NULL && *end == '+';
    g_autofree char *first = NULL, *second = NULL;
    JobWhere low = { 0 }, high = { 0 };

    if (comma == NULL || (!g_ascii_isdigit (*text) && *text != '$')) {
        return FALSE;
    }
    first = g_strdup_printf ("*%.*s", (int) (comma - text), text);
    second = g_strdup_printf ("*%s", end + is_length);
    g_strchomp (first);
    if (!job_where_parse (first, &low, NULL) || !job_where_parse (second, &high, NULL)
        || low.kind != JOB_WHERE_ADDRESS || high.kind != JOB_WHERE_ADDRESS
        || (!is_length && high.address < low.address)) {
        base_error_set (
            ret_error, BASE_ERROR_INVALID,
            "disassemble START,END takes numbers, and START,+LENGTH an expression and "
            "a number, not \"%s\"",
            text);
        return FALSE;
    }
    request->where = low;
    request->bytes = MAX (is_length ? high.address : high.address - low.address, 1);
    return TRUE;
}

/* "[/FLAGS] [WHERE | START,END | START,+LENGTH]" */
void
command_run_disassemble (CommandJob *job)
{
    g_autoptr (JobRequest) request = job_request_new (JOB_VERB_DISASSEMBLE, job->set);
    g_autoptr (GError) error = NULL;
    const char *text = job->arguments, *comma;
    guint64 length = 0;

    while (*text == '/') {
        g_autofree char *flags = command_take_word (&text, "", NULL);

        if (flags[1] == '\0' || flags[1 + strspn (flags + 1, "rbsm")] != '\0') {
            command_job_fail (job, NULL,
                              "disassemble does not support %s; use /r for the bytes; "
                              "/s and /m, source lines, are always on",
                              flags);
            command_job_end (job);
            return;
        }
        if (strpbrk (flags, "rb") != NULL) {
            g_free (request->text);
            request->text = g_strdup ("r");
        }
        text = command_skip_spaces (text);
    }
    comma = find_length (text, &length);
    if (*text == '*' || comma != NULL) {
        int size = (int) (comma != NULL ? (gsize) (comma - text) : strlen (text));
        g_autofree char *place = g_strdup_printf ("%s%.*s", *text == '*' ? "" : "*", size,
                                                  text);

        request->bytes = MAX (length, comma != NULL);
        command_resolve_place (job, place, g_steal_pointer (&request), command_job_submit_all);
        return;
    }
    if (*text != '\0' && !parse_code_range (text, request, &error) && error == NULL) {
        g_autofree char *word = NULL;

        if (g_ascii_isdigit (*text) && strspn (text, "0123456789") < strlen (text)
            && strchr (text, ':') == NULL) {
            word = g_strdup_printf ("*%s", text);
        }
        command_parse_where (job, word != NULL ? word : text, &request->where, &error);
    }
    if (error != NULL) {
        end_with (job, error);
        return;
    }
    command_job_submit (job, g_steal_pointer (&request));
}

/* Each rank has a file of its own. */
void
command_run_dump (CommandJob *job)
{
    g_autofree char *base
        = g_canonicalize_filename (*job->arguments != '\0' ? job->arguments : "core", NULL);
    GPtrArray *requests = g_ptr_array_new ();

    JOB_EACH_RANK (job->set, rank) {
        g_autoptr (JobRankSet) one = job_rank_set_new ();
        JobRequest *request;

        job_rank_set_add (one, rank);
        request = job_request_new (JOB_VERB_DUMP, one);
        request->text = g_strdup_printf ("%s.%u", base, rank);
        g_ptr_array_add (requests, request);
    }
    command_job_submit_all (job, requests);
}

void
command_run_return (CommandJob *job)
{
    JobRequest *request = job_request_new (JOB_VERB_RETURN, job->set);

    request->text = *job->arguments != '\0' ? g_strdup (job->arguments) : NULL;
    command_job_submit (job, request);
}

void
command_run_signal (CommandJob *job)
{
    JobRequest *request;

    if (*job->arguments == '\0' || strpbrk (job->arguments, " \t") != NULL) {
        command_job_fail (job, NULL, "%s %s", job->row->name, job->row->usage);
        command_job_end (job);
        return;
    }
    request = job_request_new (JOB_VERB_SIGNAL, job->set);
    request->text = g_strdup (job->arguments);
    command_job_submit (job, request);
}
