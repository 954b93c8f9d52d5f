/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Knows `rbreak`: asks the ranks for their functions that match, and sets a breakpoint on each. */
#include "command/private.h"
#include <string.h>

#define MAX_FUNCTIONS 200u

/* "FILE:REGEX": as in a place, FILE has a point or a slash, and its colon is no half of "::". NULL: all files. */
static char *
take_file (const char **text)
{
    gsize length = strcspn (*text, ":");
    const char *colon = *text + length, *start = *text;

    if (colon[0] != ':' || colon[1] == ':' || strcspn (start, "\\[(*+?^$|") < length
        || (memchr (start, '.', length) == NULL && memchr (start, '/', length) == NULL)) {
        return NULL;
    }
    *text = command_skip_spaces (colon + 1);
    return g_strndup (start, length);
}

BASE_ORDER_POINTERS (compare_names, JobName,
                     g_strcmp0 (left->file, right->file) ?: BASE_BY (line)
                         ?: strcmp (left->name, right->name))

/* Its whole name, so that no namesake of another scope is meant. */
static JobRequest *
make_request (CommandJob *job, const JobName *name, const char *file)
{
    JobRequest *request = job_request_new (JOB_VERB_BREAK, job->set);

    request->where.kind = JOB_WHERE_FUNCTION;
    request->where.function = g_strconcat ("::", name->name, NULL);
    request->where.file = g_strdup (file);
    request->number = session_next_breakpoint_number (job->session);
    return request;
}

static void
set_all (CommandJob *job, GPtrArray *names)
{
    const char *text = job->arguments;
    g_autofree char *file = take_file (&text);
    GPtrArray *requests = g_ptr_array_new ();

    g_ptr_array_sort (names, compare_names);
    for (guint i = 0; i < names->len; i++) {
        g_ptr_array_add (requests, make_request (job, g_ptr_array_index (names, i), file));
    }
    command_job_submit_all (job, requests);
}

static void
on_names (CommandJob *job, gboolean ok, const JobRankSet *missing)
{
    g_autoptr (JobNames) names = job_names_new (MAX_FUNCTIONS + 1);
    GPtrArray *list;

    BASE_EACH (job->answers, const JobEvent, event) {
        if (event->kind == JOB_EVENT_TEXT && event->text != NULL) {
            job_names_read (names, event->text);
        }
    }
    g_ptr_array_set_size (job->answers, 0);
    if (missing != NULL && !job_rank_set_is_empty (missing)) {
        job->missing = job->missing != NULL ? job->missing : job_rank_set_new ();
        job_rank_set_merge (job->missing, missing);
        command_job_fail_missing (job, missing);
    }
    list = job_names_get (names);
    if (list->len == 0) {
        command_job_fail (job, NULL, "no function of the program matches \"%s\"",
                          job->arguments);
        command_job_end (job);
    } else if (list->len > MAX_FUNCTIONS) {
        command_job_fail (job, NULL,
                          "more than %u functions match \"%s\": name fewer, as with ^solve_ or "
                          "FILE:REGEX",
                          MAX_FUNCTIONS, job->arguments);
        command_job_end (job);
    } else {
        set_all (job, list);
    }
}

void
command_run_rbreak (CommandJob *job)
{
    const char *text = job->arguments;
    g_autofree char *file = take_file (&text);
    g_autoptr (GError) error = NULL;
    g_autoptr (GRegex) regex = *text != '\0' ? g_regex_new (text, G_REGEX_RAW, 0, &error)
                                             : NULL;
    JobRequest *request;

    if (regex == NULL) {
        command_job_fail (job, NULL, "rbreak [FILE:]REGEX: %s",
                          error != NULL ? error->message : "a regular expression is missing");
        command_job_end (job);
        return;
    }
    request = job_request_new (JOB_VERB_NAMES, job->set);
    request->text = g_strdup (text);
    request->text2 = g_steal_pointer (&file);
    request->number = MAX_FUNCTIONS + 1;
    request->delta = JOB_NAME_FUNCTION | JOB_NAME_BY_PATTERN;
    command_job_query (job, request, on_names);
}
