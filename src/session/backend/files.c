/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files of the user's that a session has to do with: the one that the job reads its input from, and
 * those that keep each rank's output. */
#include "session/private.h"
#include "base/error.h"
#include "base/escape.h"
#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_OPEN = 200, FEED_MS = 20, PIECE = 1 << 18 };

struct _SessionFiles {
    int input; /* -1: none, or read to its end */
    guint feed_source;
    char *output_folder;
    GHashTable *open;  /* path to FILE */
    GHashTable *begun; /* set of paths: written to since the start */
    gulong handler;
    gboolean has_complained;
};

char *
session_dup_output_line (const Session *session, const char *line)
{
    gsize size = strlen (line);
    BaseEscapeFlags flags = BASE_ESCAPE_KEEP_TABS | BASE_ESCAPE_KEEP_COLOURS
                            | (g_get_charset (NULL) ? 0 : BASE_ESCAPE_FOR_BYTES);

    if (session_option_is_on (session, "output-escapes")) {
        return g_strdup (line);
    }
    /* a rank on a terminal of its own ends its lines so */
    return base_escape_take (g_strndup (line,
                                        size > 0 && line[size - 1] == '\r' ? size - 1 : size),
                             flags);
}

/* ---- input ---- */

static gboolean
feed (gpointer data)
{
    Session *session = data;
    SessionFiles *files = session->files;
    char buffer[PIECE];
    gssize n = 0;

    while (!session_is_input_full (session)
           && (n = read (files->input, buffer, sizeof buffer)) > 0) {
        session_forward_input (session, buffer, (gsize) n, FALSE);
    }
    if (n > 0 || session_is_input_full (session) || (n < 0 && errno == EINTR)) {
        return G_SOURCE_CONTINUE;
    }
    if (n < 0) {
        session_say (session, 2, N_ ("cannot read the input file: %s"), g_strerror (errno));
    }
    session_forward_input (session, "", 0, TRUE);
    close (files->input);
    files->input = -1;
    files->feed_source = 0;
    return G_SOURCE_REMOVE;
}

void
session_files_feed (Session *session)
{
    if (session->files != NULL && session->files->input >= 0) {
        session->files->feed_source = g_timeout_add (FEED_MS, feed, session);
    }
}

/* ---- output ---- */

static void
close_file (gpointer file)
{
    fclose (file);
}

/* No link that stands there leads what the ranks write elsewhere. */
static FILE *
open_output (const char *path, gboolean is_begun)
{
    int fd = open (path,
                   O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK
                       | (is_begun ? O_APPEND : 0),
                   0666);
    struct stat info;

    if (fd < 0) {
        return NULL;
    }
    if (fstat (fd, &info) != 0 || !S_ISREG (info.st_mode)
        || (!is_begun && ftruncate (fd, 0) != 0)) {
        close (fd);
        errno = EINVAL;
        return NULL;
    }
    return fdopen (fd, is_begun ? "ab" : "wb");
}

static FILE *
find_file (SessionFiles *files, const char *path)
{
    FILE *file = g_hash_table_lookup (files->open, path);

    if (file == NULL) {
        if (g_hash_table_size (files->open) >= MAX_OPEN) {
            g_hash_table_remove_all (files->open);
        }
        file = open_output (path, g_hash_table_contains (files->begun, path));
        if (file != NULL) {
            g_hash_table_insert (files->open, g_strdup (path), file);
            g_hash_table_add (files->begun, g_strdup (path));
        }
    }
    return file;
}

static void
on_output (Session *session, const JobRankSet *ranks, guint stream, GBytes *bytes,
           gpointer user)
{
    SessionFiles *files = session->files;
    g_autofree char *rank = ranks != NULL ? job_rank_set_format (ranks) : NULL;
    g_autofree char *name = g_strdup_printf ("%s%s.%s", rank != NULL ? "rank-" : "job",
                                             rank != NULL ? rank : "",
                                             stream == 2 ? "err" : "out");
    g_autofree char *path = g_build_filename (files->output_folder, name, NULL);
    FILE *file = find_file (files, path);
    gsize size;
    gconstpointer data = g_bytes_get_data (bytes, &size);

    if ((file == NULL || fwrite (data, 1, size, file) != size || fflush (file) != 0)
        && !files->has_complained) {
        int problem = errno;

        files->has_complained = TRUE;
        session_say (session, 2,
                     problem == ELOOP    ? N_ ("cannot write %s: it is a symbolic link")
                     : problem == EINVAL ? N_ ("cannot write %s: it is not a regular file")
                                         : N_ ("cannot write %s: %s"),
                     path, g_strerror (problem));
    }
}

static gboolean
open_input (SessionFiles *files, const char *path, GError **error)
{
    files->input = open (path, O_RDONLY | O_CLOEXEC);
    if (files->input < 0) {
        base_error_set (error, BASE_ERROR_NOT_FOUND, "cannot read the input file %s: %s", path,
                        g_strerror (errno));
    }
    return files->input >= 0;
}

/* The folder itself may be no link: whoever can put one there says where the output goes. */
static gboolean
open_folder (Session *session, const char *path, GError **error)
{
    struct stat info;

    if (lstat (path, &info) == 0 && S_ISLNK (info.st_mode)) {
        base_error_set (error, BASE_ERROR_DENIED,
                        "cannot write to the output folder %s: it is a "
                        "symbolic link; name the folder that it points to",
                        path);
        return FALSE;
    }
    if (g_mkdir_with_parents (path, 0777) != 0 || access (path, W_OK) != 0) {
        base_error_set (error, BASE_ERROR_DENIED, "cannot write to the output folder %s: %s",
                        path, g_strerror (errno));
        return FALSE;
    }
    session->files->output_folder = g_strdup (path);
    session->files->handler = g_signal_connect (session, "output", G_CALLBACK (on_output),
                                                NULL);
    return TRUE;
}

gboolean
session_files_open (Session *session, const SessionOptions *options, GError **error)
{
    gboolean has_input = options->input_file != NULL && *options->input_file != '\0';
    gboolean has_output = options->output_folder != NULL && *options->output_folder != '\0';
    g_autofree char *input = NULL, *output = NULL;

    session_files_close (session);
    if (options->source_folders != NULL) {
        session_set_option (session, "source-folders", options->source_folders);
    }
    if (!has_input && !has_output) {
        return TRUE;
    }
    session->files = g_new0 (SessionFiles, 1);
    session->files->input = -1;
    session->files->open = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, close_file);
    session->files->begun = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
    input = has_input ? g_canonicalize_filename (options->input_file, options->folder) : NULL;
    output = has_output ? g_canonicalize_filename (options->output_folder, options->folder)
                        : NULL;
    if ((has_input && !open_input (session->files, input, error))
        || (has_output && !open_folder (session, output, error))) {
        session_files_close (session);
        return FALSE;
    }
    return TRUE;
}

void
session_files_close (Session *session)
{
    SessionFiles *files = g_steal_pointer (&session->files);

    if (files == NULL) {
        return;
    }
    g_clear_handle_id (&files->feed_source, g_source_remove);
    if (files->handler != 0 && g_signal_handler_is_connected (session, files->handler)) {
        g_signal_handler_disconnect (session, files->handler);
    }
    if (files->input >= 0) {
        close (files->input);
    }
    g_hash_table_unref (files->open);
    g_hash_table_unref (files->begun);
    g_free (files->output_folder);
    g_free (files);
}
