/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Knows `search` and `reverse-search`: the next line that matches, from what was listed or found last on. */
#include "command/private.h"
#include "session/sources.h"

#define LINES_BEFORE 5u /* what was found: where list goes on */

static gboolean
is_backwards (const CommandJob *job)
{
    return g_str_has_prefix (job->row->name, "reverse");
}

/* The line that it begins behind, or before, and its file: the first one that was shown last, or else the selected
 * frame's. FALSE: it is not known. */
static gboolean
find_start (CommandJob *job, const char **ret_file, guint32 *ret_line)
{
    const GPtrArray *shown = command_get_shown (job);
    const CommandShown *last = shown != NULL
                                   ? g_ptr_array_index ((GPtrArray *) shown, shown->len - 1)
                                   : NULL;
    const JobLocation *place = session_selection_get_place (job->context->selection,
                                                            job_rank_set_get_lowest (job->set));

    if (last == NULL && (place == NULL || place->file == NULL || place->line == 0)) {
        return FALSE;
    }
    *ret_file = last != NULL ? last->file : place->file;
    *ret_line = last != NULL ? last->first
                             : place->line; /* as gdb: what is on the screen is searched, too */
    return TRUE;
}

static void
show_match (CommandJob *job, const char *contents)
{
    g_autofree char *path = NULL;
    g_autoptr (GRegex) regex = g_regex_new (job->arguments, G_REGEX_RAW, 0, NULL);
    g_auto (GStrv) lines = g_strsplit (contents, "\n", -1);
    g_autofree char *file = NULL;
    guint32 n_lines = g_strv_length (lines), step = is_backwards (job) ? G_MAXUINT32 : 1,
            start = 0;
    const char *from = NULL;

    if (!find_start (job, &from, &start)) { /* it has moved meanwhile */
        command_job_fail (job, job->set, "the source line of the selected frame is not known");
        return;
    }
    path = g_strdup (from);
    for (guint32 line = start + step; regex != NULL && line >= 1 && line <= n_lines;
         line += step) {
        if (g_regex_match (regex, g_strchomp (lines[line - 1]), 0, NULL)) {
            g_autofree char *text = g_strdup_printf ("%6u    %s", line, lines[line - 1]);

            command_note_shown (job, NULL, path, line,
                                line > LINES_BEFORE ? line - LINES_BEFORE : 1);
            command_job_answer (job, NULL, text);
            return;
        }
    }
    file = session_dup_short_file (job->session, path);
    command_job_fail (job, NULL, "no line %s line %u of %s matches \"%s\"",
                      is_backwards (job) ? "before" : "after", start, file, job->arguments);
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
    const char *file = NULL;
    guint32 line;
    g_autoptr (GError) error = NULL;
    g_autoptr (GRegex) regex = *job->arguments != '\0'
                                   ? g_regex_new (job->arguments, G_REGEX_RAW, 0, &error)
                                   : NULL;

    if (regex == NULL) {
        command_job_fail (job, NULL, "%s REGEX: %s", job->row->name,
                          error != NULL ? error->message : "there is no regular expression");
    } else if (!find_start (job, &file, &line)) {
        command_job_fail (job, job->set, "the source line of the selected frame is not known");
    } else {
        session_read_text_async (job->session, job->set, file, COMMAND_MAX_SOURCE,
                                 command_job_get_reading (job), on_source, job);
        return;
    }
    command_job_end (job);
}
