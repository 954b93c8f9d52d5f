/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The commands about functions and files that steps skip. */
#include "command/private.h"
#include <string.h>

/* To all ranks, those of a later start too. */
static void
submit (CommandJob *job)
{
    g_autoptr (JobRankSet) all = session_dup_all (job->session);
    g_autoptr (GString) lines = g_string_new (NULL);
    GPtrArray *skips = job->context->skips;
    JobRequest *request;

    for (guint i = 0; i < skips->len; i++) {
        const char *line = g_ptr_array_index (skips, i);

        if (line != NULL) {
            g_string_append_printf (lines, "%s%s", lines->len > 0 ? "\n" : "", line);
        }
    }
    if (job_rank_set_is_empty (all)) {
        command_job_end (job);
        return;
    }
    request = job_request_new (JOB_VERB_OPTION, all);
    request->text = g_strdup (JOB_OPTION_SKIP);
    request->text2 = g_string_free (g_steal_pointer (&lines), FALSE);
    command_job_submit (job, request);
}

static void
add (CommandJob *job, const char *kind, const char *name)
{
    g_autofree char *text = g_strdup_printf ("skip %u: %s%s", job->context->skips->len + 1,
                                             kind, name);

    g_ptr_array_add (job->context->skips, g_strconcat (kind, name, NULL));
    command_job_answer (job, NULL, text);
    submit (job);
}

static gboolean
delete_one (CommandContext *context, guint32 number)
{
    if (number < 1 || number > context->skips->len
        || g_ptr_array_index (context->skips, number - 1) == NULL) {
        return FALSE;
    }
    g_free (g_ptr_array_index (context->skips, number - 1));
    context->skips->pdata[number - 1] = NULL;
    return TRUE;
}

static void delete (CommandJob *job, const char *text)
{
    g_auto (GStrv) words = g_strsplit_set (text, " ,", -1);
    guint32 number;

    for (guint i = 1; *text == '\0' && i <= job->context->skips->len; i++) {
        delete_one (job->context, i);
    }
    for (guint i = 0; words[i] != NULL; i++) {
        if (*words[i] != '\0'
            && (!command_parse_number (words[i], G_MAXINT32, &number)
                || !delete_one (job->context, number))) {
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
                                   ? session_get_selected_place (job->session, rank)
                                   : NULL;

    return place != NULL ? place->function : NULL;
}

void
command_run_skip (CommandJob *job)
{
    const char *text = job->arguments, *function;
    const char *before = text;
    g_autofree char *word = command_take_word (&text, "", NULL);

    text = command_skip_spaces (text);
    if (g_strcmp0 (word, "delete") == 0) {
        delete (job, text);
    } else if (g_strcmp0 (word, "file") == 0 && *text != '\0') {
        add (job, JOB_SKIP_FILE, text);
    } else if (g_strcmp0 (word, "function") == 0 && *text != '\0') {
        add (job, JOB_SKIP_FUNCTION, text);
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
    GPtrArray *skips = job->context->skips;
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
