/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The text of what a place calls its file. That of Python code may be in no file: then the ranks that stand are asked
 * for it, one part after the other. */
#include "base/error.h"
#include "session/private.h"
#include "session/sources.h"
#include <glib/gi18n.h>
#include <string.h>

typedef struct {
    char *path;
    gsize limit;       /* bytes */
    JobRankSet *ranks; /* who is asked; NULL: all that stand */
    GString *text;
    guint32 n_characters; /* of it */
    GError *error;        /* why it is not known; at first, why it is in no file */
    SessionQuery *query;
    gboolean is_refused;
} Wanted;

BASE_FREE (free_wanted, Wanted, wanted, g_free (wanted->path);
           job_rank_set_free (wanted->ranks); g_string_free (wanted->text, TRUE);
           g_clear_error (&wanted->error); session_query_free (wanted->query))

static void
finish (GTask *task)
{
    Wanted *wanted = g_task_get_task_data (task);
    gsize size = wanted->text->len;
    char *text = g_string_free (wanted->text, FALSE);

    wanted->text = g_string_new (NULL);
    g_task_return_pointer (task, g_bytes_new_take (text, size + 1),
                           (GDestroyNotify) g_bytes_unref);
    g_object_unref (task);
}

static void
fail (GTask *task)
{
    Wanted *wanted = g_task_get_task_data (task);

    g_task_return_error (task, g_error_copy (wanted->error));
    g_object_unref (task);
}

/* A file that is missing is said to be missing. */
static void
refuse (Wanted *wanted, const char *format)
{
    wanted->is_refused = TRUE;
    if (*wanted->path == '<') {
        g_clear_error (&wanted->error);
        base_error_set (&wanted->error, BASE_ERROR_UNSUPPORTED, format, wanted->path);
    }
}

static void ask (GTask *task);

static void
on_part (SessionQuery *query, SessionAnswer *answer, gpointer user)
{
    GTask *task = user;
    Wanted *wanted = g_task_get_task_data (task);
    const JobEvent *part = answer->groups->len > 0 ? answer->groups->pdata[0] : NULL;

    if (answer->groups->len > 1) {
        refuse (wanted, N_ ("ranks have different texts of %s"));
    } else if (answer->failures->len > 0) {
        refuse (wanted, N_ ("Python has no text of %s"));
    } else if (part != NULL && part->text != NULL
               && wanted->text->len + strlen (part->text) > wanted->limit) {
        refuse (wanted, N_ ("%s is too large"));
    }
    if (part == NULL || part->text == NULL || wanted->is_refused) {
        fail (task);
        return;
    }
    if (*part->text == '\0') {
        finish (task);
        return;
    }
    g_string_append (wanted->text, part->text);
    wanted->n_characters += (guint32) g_utf8_strlen (part->text, -1);
    g_clear_pointer (&wanted->query, session_query_free);
    ask (task);
}

static void
ask (GTask *task)
{
    Session *session = g_task_get_source_object (task);
    Wanted *wanted = g_task_get_task_data (task);
    g_autoptr (JobRankSet) standing = session_dup_ranks_in_state (session, JOB_STATE_STOPPED);
    g_autoptr (JobRankSet) asked
        = job_rank_set_intersect (standing, wanted->ranks != NULL ? wanted->ranks : standing);
    JobRequest *request;

    if (job_rank_set_is_empty (asked)) {
        refuse (wanted, N_ ("%s is in no file, and no rank stands that could be asked for it"));
        fail (task);
        return;
    }
    request = job_request_new (JOB_VERB_INFO, asked);
    request->text = g_strdup ("source");
    request->text2 = g_strdup (wanted->path);
    request->number = wanted->n_characters;
    wanted->query = session_query_new (session, request, on_part, task);
}

static void
on_file (GObject *source, GAsyncResult *result, gpointer user)
{
    GTask *task = user;
    Wanted *wanted = g_task_get_task_data (task);
    gsize size = 0;
    char *text = session_read_source_finish (result, &size, &wanted->error);
    gboolean may_be_python = *wanted->path == '<' || g_str_has_suffix (wanted->path, ".py");

    if (text != NULL) {
        g_string_append_len (wanted->text, text, (gssize) size);
        g_free (text);
        finish (task);
    } else if (!may_be_python || source == NULL
               || g_error_matches (wanted->error, G_IO_ERROR, G_IO_ERROR_CANCELLED)) {
        fail (task);
    } else {
        ask (task);
    }
}

void
session_read_text_async (Session *session, const JobRankSet *ranks, const char *path,
                         gsize limit, GCancellable *cancellable, GAsyncReadyCallback done,
                         gpointer user)
{
    GTask *task = g_task_new (session, cancellable, done, user);
    Wanted *wanted = g_new0 (Wanted, 1);

    wanted->path = g_strdup (path);
    wanted->limit = limit;
    wanted->ranks = ranks != NULL ? job_rank_set_dup (ranks) : NULL;
    wanted->text = g_string_new (NULL);
    g_task_set_task_data (task, wanted, free_wanted);
    session_read_source_async (session, path, limit, cancellable, on_file, task);
}
