/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of source files as answers of a command. The session reads the files, one after the other, so that
 * the answers keep their order. */
#include "command/private.h"
#include "session/moment.h"
#include "session/sources.h"
#include <string.h>

enum { LINES_AROUND = 5 };

typedef struct {
    JobRankSet *ranks; /* NULL: the answer is nobody's */
    char *head;        /* a line before those of the file; NULL: none */
    char *file;
    guint32 first, last; /* last 0: those around the first */
    guint32 current;     /* it has an arrow; 0: none */
} Listing;

BASE_FREE (free_listing, Listing, listing, job_rank_set_free (listing->ranks);
           g_free (listing->head); g_free (listing->file))

/* ---- what was shown ---- */

BASE_FREE (free_shown, CommandShown, shown, job_rank_set_free (shown->ranks);
           g_free (shown->file))

void
command_forget_shown (CommandContext *context)
{
    g_clear_pointer (&context->shown, g_ptr_array_unref);
    g_clear_pointer (&context->shown_ranks, job_rank_set_free);
}

static guint64
sign_now (CommandJob *job)
{
    return session_sign_moment (job->session, job->set)
           + 31 * session_selection_sign (job->context->selection, job->set);
}

const GPtrArray *
command_get_shown (CommandJob *job)
{
    CommandContext *context = job->context;

    return context->shown != NULL && job_rank_set_equal (context->shown_ranks, job->set)
                   && context->shown_sign == sign_now (job)
               ? context->shown
               : NULL;
}

void
command_note_shown (CommandJob *job, const JobRankSet *ranks, const char *file, guint32 first,
                    guint32 next)
{
    CommandContext *context = job->context;
    CommandShown *shown = g_new (CommandShown, 1);

    if (!job->has_shown) {
        job->has_shown = TRUE;
        command_forget_shown (context);
        context->shown = g_ptr_array_new_with_free_func (free_shown);
        context->shown_ranks = job_rank_set_dup (job->set);
        context->shown_sign = sign_now (job);
    }
    *shown = (CommandShown){ ranks != NULL ? job_rank_set_dup (ranks) : NULL, g_strdup (file),
                             first, next };
    g_ptr_array_add (context->shown, shown);
}

/* ---- files ---- */

/* The lines without what ends them. */
static char **
split (const char *contents, guint32 *ret_n)
{
    char **lines = g_strsplit (contents, "\n", -1);
    guint32 n = g_strv_length (lines);

    n -= n > 0 && *lines[n - 1] == '\0';
    for (guint32 i = 0; i < n; i++) {
        gsize length = strlen (lines[i]);

        lines[i][length > 0 && lines[i][length - 1] == '\r' ? length - 1 : length] = '\0';
    }
    *ret_n = n;
    return lines;
}

static void
show_around (CommandJob *job, const Listing *listing, char **lines, guint32 n_lines)
{
    guint32 first = listing->first > LINES_AROUND ? listing->first - LINES_AROUND : 1;
    g_autoptr (GString) text = g_string_new (listing->head);

    if (first > n_lines) {
        g_autofree char *file = session_dup_short_file (job->session, listing->file);

        command_job_fail (job, listing->ranks, "line %u is out of range: %s has %u lines",
                          listing->first, file, n_lines);
        return;
    }
    g_string_append_c (text, '\n');
    command_note_shown (job, listing->ranks, listing->file, first,
                        MIN (first + 2 * LINES_AROUND, n_lines + 1));
    for (guint32 i = first; i < first + 2 * LINES_AROUND && i <= n_lines; i++) {
        g_string_append_printf (text, "%s%6u %s %s", i > first ? "\n" : "", i,
                                i == listing->current ? "->" : "  ", lines[i - 1]);
    }
    command_job_answer (job, listing->ranks, text->str);
}

static void
show_range (CommandJob *job, const Listing *listing, char **lines, guint32 n_lines)
{
    g_autofree char *ranks = listing->ranks != NULL ? job_rank_set_format (listing->ranks)
                                                    : NULL;
    g_autoptr (GString) text = g_string_new (NULL);

    if (listing->first > n_lines) {
        command_job_fail (job, listing->ranks, "line %u is out of range: %s has %u lines",
                          listing->first, listing->head, n_lines);
        return;
    }
    if (ranks != NULL) { /* of several */
        g_string_append_printf (text, "%s: %s", ranks, listing->head);
    }
    command_note_shown (job, listing->ranks, listing->file, MAX (listing->first, 1),
                        MIN (listing->last, n_lines) + 1);
    for (guint32 i = MAX (listing->first, 1); i <= MIN (listing->last, n_lines); i++) {
        g_string_append_printf (text, "%s%6u    %s", text->len > 0 ? "\n" : "", i,
                                g_strchomp (lines[i - 1]));
    }
    command_job_answer (job, listing->ranks, text->str);
}

static void
on_source (GObject *source, GAsyncResult *result, gpointer user)
{
    CommandJob *job = user;
    g_autoptr (GError) error = NULL;
    g_autofree char *contents = session_read_source_finish (result, NULL, &error);
    const Listing *listing;

    if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED)) {
        return; /* the job may be gone */
    }
    listing = g_ptr_array_index (job->listings, 0);
    if (contents == NULL) {
        command_job_fail (job, listing->ranks, "%s", error->message);
    } else {
        guint32 n_lines;
        g_auto (GStrv) lines = split (contents, &n_lines);

        if (listing->last == 0) {
            show_around (job, listing, lines, n_lines);
        } else {
            show_range (job, listing, lines, n_lines);
        }
    }
    g_ptr_array_remove_index (job->listings, 0);
    command_end_listing (job);
}

void
command_add_listing (CommandJob *job, const JobRankSet *ranks, const char *head,
                     const char *file, guint32 first, guint32 last, guint32 current)
{
    Listing *listing = g_new (Listing, 1);

    *listing = (Listing){ .ranks = ranks != NULL ? job_rank_set_dup (ranks) : NULL,
                          .head = g_strdup (head),
                          .file = g_strdup (file),
                          .first = first,
                          .last = last,
                          .current = current };
    if (job->listings == NULL) {
        job->listings = g_ptr_array_new_with_free_func (free_listing);
    }
    g_ptr_array_add (job->listings, listing);
}

void
command_end_listing (CommandJob *job)
{
    const Listing *listing;

    if (job->listings == NULL || job->listings->len == 0) {
        command_job_end (job);
        return;
    }
    listing = g_ptr_array_index (job->listings, 0);
    session_read_text_async (job->session, listing->ranks, listing->file, COMMAND_MAX_SOURCE,
                             command_job_get_reading (job), on_source, job);
}
