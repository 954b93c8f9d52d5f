/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The commands about functions and files that steps skip. */
#include "command/private.h"
#include "session/options.h"

/* To all ranks, those of a later start too. */
static void
submit (CommandJob *job)
{
    JobRequest *request = session_make_skip_request (job->session);

    if (request != NULL) {
        command_job_submit (job, request);
    } else {
        command_job_end (job);
    }
}

static void
add (CommandJob *job, const char *kind, const char *name)
{
    g_autofree char *line = g_strconcat (kind, name, NULL);
    g_autofree char *text = g_strdup_printf ("skip %u: %s",
                                             session_add_skip (job->session, line), line);

    command_job_answer (job, NULL, text);
    submit (job);
}

static void delete (CommandJob *job, const char *text)
{
    g_auto (GStrv) words = g_strsplit_set (text, " ,", -1);
    guint32 number;

    for (guint i = 1; *text == '\0' && i <= session_get_skips (job->session)->len; i++) {
        session_remove_skip (job->session, i);
    }
    for (guint i = 0; words[i] != NULL; i++) {
        if (*words[i] != '\0'
            && (!command_parse_number (words[i], G_MAXINT32, &number)
                || !session_remove_skip (job->session, number))) {
            command_job_fail (job, NULL, "no skip %s", words[i]);
        }
    }
    submit (job);
}

/* The function that the lowest rank of the set is shown in. */
static const char *
find_function (CommandJob *job)
{
    JobRankIter iter = { 0 };
    guint32 rank;
    const JobLocation *place = job_rank_set_next (job->set, &iter, &rank)
                                   ? session_selection_get_place (job->context->selection, rank)
                                   : NULL;

    return place != NULL ? place->function : NULL;
}

/* Of gdb's forms; those with patterns, and of several kinds at once, there are not. */
static const char *
find_kind (const char *word, const char *rest)
{
    static const char *const files[] = { "file", "-file", "-fi", NULL }, *const functions[] = {
        "function", "-function", "-fu", NULL
    };

    if (word == NULL || *rest == '\0' || strstr (rest, " -") != NULL) {
        return NULL;
    }
    return g_strv_contains (files, word)       ? JOB_SKIP_FILE
           : g_strv_contains (functions, word) ? JOB_SKIP_FUNCTION
                                               : NULL;
}

void
command_run_skip (CommandJob *job)
{
    const char *text = job->arguments, *function;
    const char *before = text, *kind;
    g_autofree char *word = command_take_word (&text, "", NULL);

    text = command_skip_spaces (text);
    kind = find_kind (word, text);
    if (g_strcmp0 (word, "delete") == 0) {
        delete (job, text);
    } else if (kind != NULL) {
        add (job, kind, text);
    } else if (*before == '-' || g_strcmp0 (word, "enable") == 0
               || g_strcmp0 (word, "disable") == 0) {
        command_job_fail (
            job, NULL, "no skip %s: skip FUNCTION, skip file FILE and skip delete N are there",
            before);
        command_job_end (job);
    } else if (*before != '\0') {
        add (job, JOB_SKIP_FUNCTION, before);
    } else if ((function = find_function (job)) != NULL) {
        add (job, JOB_SKIP_FUNCTION, function);
    } else {
        command_job_fail (job, NULL,
                          "skip needs a name, because no function is selected: use skip "
                          "FUNCTION or skip file FILE");
        command_job_end (job);
    }
}

void
command_run_show_skips (CommandJob *job)
{
    const GPtrArray *skips = session_get_skips (job->session);
    g_autoptr (GString) text = g_string_new (NULL);

    for (guint i = 0; i < skips->len; i++) {
        const char *line = g_ptr_array_index (skips, i);

        if (line != NULL) {
            g_string_append_printf (text, "%sskip %u: %s", text->len > 0 ? "\n" : "", i + 1,
                                    line);
        }
    }
    command_job_answer (job, NULL, text->len > 0 ? text->str : "no skips");
    command_job_end (job);
}
