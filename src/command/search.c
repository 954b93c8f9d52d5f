/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Knows `search` and `reverse-search`: the next line of the selected frame's source that matches. */
#include "command/private.h"
#include "session/sources.h"
#include <string.h>

/* What was found last; another one from the same frame goes on behind it. */
struct _CommandSearch {
    char *file;
    guint32 from;  /* the line of the frame */
    guint32 found; /* the line that matched */
};

void
command_search_free (CommandSearch *search)
{
    if (search != NULL) {
        g_free (search->file);
        g_free (search);
    }
}

static gboolean
is_backwards (const CommandJob *job)
{
    return g_str_has_prefix (job->row->name, "reverse");
}

/* Where it begins: in another frame anew. */
static void
find_start (CommandContext *context, const JobLocation *place)
{
    CommandSearch *search = context->search;

    if (search != NULL && strcmp (search->file, place->file) == 0
        && search->from == place->line) {
        return;
    }
    command_search_free (search);
    context->search = search = g_new0 (CommandSearch, 1);
    search->file = g_strdup (place->file);
    search->from = search->found = place->line;
}

static void
show_match (CommandJob *job, const char *contents)
{
    CommandSearch *search = job->context->search;
    g_autoptr (GRegex) regex = g_regex_new (job->arguments, G_REGEX_RAW, 0, NULL);
    g_auto (GStrv) lines = g_strsplit (contents, "\n", -1);
    g_autofree char *file = NULL;
    guint32 n_lines = g_strv_length (lines), step = is_backwards (job) ? G_MAXUINT32 : 1;

    for (guint32 line = search->found + step; regex != NULL && line >= 1 && line <= n_lines;
         line += step) {
        if (g_regex_match (regex, g_strchomp (lines[line - 1]), 0, NULL)) {
            g_autofree char *text = g_strdup_printf ("%6u    %s", line, lines[line - 1]);

            search->found = line;
            command_job_answer (job, NULL, text);
            return;
        }
    }
    file = session_dup_short_file (job->session, search->file);
    command_job_fail (job, NULL, "no line %s line %u of %s matches \"%s\"",
                      is_backwards (job) ? "before" : "after", search->found, file,
                      job->arguments);
}

static void
on_source (GObject *source, GAsyncResult *result, gpointer user)
{
    CommandJob *job = user;
    g_autoptr (GError) error = NULL;
    g_autofree char *contents = session_read_source_finish (result, NULL, &error);

    if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED)) {
        return; /* the job may be gone */
    }
    if (contents == NULL) {
        command_job_fail (job, NULL, "%s", error->message);
    } else {
        show_match (job, contents);
    }
    command_job_end (job);
}

void
command_run_search (CommandJob *job)
{
    const JobLocation *place = session_selection_get_place (job->context->selection,
                                                            job_rank_set_get_lowest (job->set));
    g_autoptr (GError) error = NULL;
    g_autoptr (GRegex) regex = *job->arguments != '\0'
                                   ? g_regex_new (job->arguments, G_REGEX_RAW, 0, &error)
                                   : NULL;

    if (regex == NULL) {
        command_job_fail (job, NULL, "%s REGEX: %s", job->row->name,
                          error != NULL ? error->message : "there is no regular expression");
    } else if (place == NULL || place->file == NULL || place->line == 0) {
        command_job_fail (job, job->set, "the source line of the selected frame is not known");
    } else {
        find_start (job->context, place);
        session_read_text_async (job->session, job->set, place->file, COMMAND_MAX_SOURCE,
                                 command_job_get_reading (job), on_source, job);
        return;
    }
    command_job_end (job);
}
