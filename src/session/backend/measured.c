/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The archive of a job that a queue has measured, brought from the host where it is to this one: questions of queues.c. What
 * comes from there names files below one new folder, and nothing else. */
#include "session/queues.h"
#include "base/error.h"
#include "session/backend/offers-private.h"
#include "session/backend/queues-private.h"
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define GROUP SESSION_QUEUES_GROUP
#define PIECE (384u << 10)

enum { MAX_FILES = 1 << 20, MAX_DEPTH = 4, MAX_SIZE_BITS = 50 };

/* ---- where it is ---- */

typedef struct {
    char *name; /* below the archive's folder */
    guint64 size;
} File;

static void
free_file (gpointer data)
{
    g_free (((File *) data)->name);
    g_free (data);
}

static int
compare_files (gconstpointer a, gconstpointer b)
{
    return strcmp ((*(File *const *) a)->name, (*(File *const *) b)->name);
}

/* Those below `below`, which ends in a '/' or is empty. Links and what is no file are no part of an archive. */
static gboolean
add_files (GPtrArray *files, const char *root, const char *below, guint depth, GError **error)
{
    g_autofree char *path = g_build_filename (root, below, NULL);
    g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
    const char *one;

    if (dir == NULL) {
        base_error_set (error, BASE_ERROR_DENIED, "cannot read %s: %s", path,
                        g_strerror (errno));
        return FALSE;
    }
    while ((one = g_dir_read_name (dir)) != NULL) {
        g_autofree char *name = g_strconcat (below, one, NULL);
        g_autofree char *place = g_build_filename (root, name, NULL);
        struct stat info;

        if (lstat (place, &info) != 0) {
            continue;
        }
        if (S_ISDIR (info.st_mode)) {
            g_autofree char *inner = g_strconcat (name, "/", NULL);

            if (depth < MAX_DEPTH && !add_files (files, root, inner, depth + 1, error)) {
                return FALSE;
            }
        } else if (S_ISREG (info.st_mode)) {
            File *file = g_new (File, 1);

            *file = (File){ g_steal_pointer (&name), (guint64) info.st_size };
            g_ptr_array_add (files, file);
        }
        if (files->len > MAX_FILES || !g_utf8_validate (one, -1, NULL)) {
            base_error_set (error, BASE_ERROR_INVALID, "%s holds other files than an archive",
                            path);
            return FALSE;
        }
    }
    return TRUE;
}

/* The folder of the archive that is asked for; NULL: no such job is noted, or it is not there. Caller owns. */
static char *
find_archive (GKeyFile *asked, GError **error)
{
    g_autoptr (GPtrArray) measured = session_measured_list ();
    g_autofree char *id = g_key_file_get_string (asked, GROUP, "Id", NULL);

    for (guint i = 0; i < measured->len; i++) {
        const SessionOffer *offer = measured->pdata[i];

        if (g_strcmp0 (offer->id, id) == 0) {
            return g_strdup (offer->archive);
        }
    }
    base_error_set (error, BASE_ERROR_NOT_FOUND, "no job %s waits there any more",
                    id != NULL ? id : "");
    return NULL;
}

/* In their order. NULL with an error. Caller owns (unref). */
static GPtrArray *
list_files (const char *archive, GError **error)
{
    g_autoptr (GPtrArray) files = g_ptr_array_new_with_free_func (free_file);

    if (!add_files (files, archive, "", 0, error)) {
        return NULL;
    }
    g_ptr_array_sort (files, compare_files);
    return g_steal_pointer (&files);
}

gboolean
session_measured_list_files (GKeyFile *asked, GKeyFile *answer, GError **error)
{
    g_autofree char *archive = find_archive (asked, error);
    g_autoptr (GPtrArray) files = archive != NULL ? list_files (archive, error) : NULL;
    g_autoptr (GPtrArray) names = g_ptr_array_new ();
    g_autoptr (GPtrArray) sizes = g_ptr_array_new_with_free_func (g_free);

    if (files == NULL) {
        return FALSE;
    }
    for (guint i = 0; i < files->len; i++) {
        const File *file = files->pdata[i];

        g_ptr_array_add (names, file->name);
        g_ptr_array_add (sizes, g_strdup_printf ("%" G_GUINT64_FORMAT, file->size));
    }
    g_key_file_set_string_list (answer, GROUP, "Names", (const char *const *) names->pdata,
                                names->len);
    g_key_file_set_string_list (answer, GROUP, "Sizes", (const char *const *) sizes->pdata,
                                sizes->len);
    return TRUE;
}

/* Adds the file's bytes from `at` on, at most so many as are missing. */
static gboolean
append_file (GByteArray *bytes, const char *path, guint64 at, guint64 size, GError **error)
{
    int fd = open (path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    guint begin = bytes->len, wanted = (guint) MIN (size - at, PIECE - begin), done = 0;
    gssize n = 1;

    g_byte_array_set_size (bytes, begin + wanted);
    while (fd >= 0 && done < wanted && n > 0) {
        n = pread (fd, bytes->data + begin + done, wanted - done, (off_t) (at + done));
        done += n > 0 ? (guint) n : 0;
    }
    if (done < wanted) {
        base_error_set (error, BASE_ERROR_DENIED, "cannot read %s: %s", path,
                        fd < 0 || n < 0 ? g_strerror (errno) : "it has become shorter");
    }
    if (fd >= 0) {
        close (fd);
    }
    return done == wanted;
}

gboolean
session_measured_read (GKeyFile *asked, GKeyFile *answer, GError **error)
{
    g_autofree char *archive = find_archive (asked, error), *text = NULL;
    g_autoptr (GPtrArray) files = archive != NULL ? list_files (archive, error) : NULL;
    g_autoptr (GByteArray) bytes = g_byte_array_new ();
    guint64 offset = g_key_file_get_uint64 (asked, GROUP, "Offset", NULL);

    for (guint i = 0; files != NULL && i < files->len && bytes->len < PIECE; i++) {
        const File *file = files->pdata[i];
        g_autofree char *path = g_build_filename (archive, file->name, NULL);

        if (offset < file->size && !append_file (bytes, path, offset, file->size, error)) {
            return FALSE;
        }
        offset -= MIN (offset, file->size);
    }
    text = g_base64_encode (bytes->data, bytes->len);
    g_key_file_set_string (answer, GROUP, "Bytes", text);
    return files != NULL;
}

gboolean
session_measured_drop (GKeyFile *asked, GKeyFile *answer, GError **error)
{
    g_autofree char *archive = find_archive (asked, NULL);

    if (archive != NULL) {
        session_measured_forget (archive);
    }
    return TRUE;
}

/* ---- where it is brought to ---- */

typedef struct {
    Session *session; /* NULL: none */
    char *id;
    char *target, *folder; /* folder: beside it, until all is there */
    char **names;
    GArray *sizes;                  /* guint64, of each name */
    guint n_files;                  /* that were begun */
    guint64 offset, missing, total; /* missing: of the last one that was begun */
    int fd;                         /* of that; -1: none */
} Bringing;

static void
close_file (Bringing *bringing)
{
    if (bringing->fd >= 0) {
        close (bringing->fd);
    }
    bringing->fd = -1;
}

static void
free_bringing (gpointer data)
{
    Bringing *bringing = data;

    close_file (bringing);
    g_clear_object (&bringing->session);
    g_free (bringing->id);
    g_free (bringing->target);
    g_free (bringing->folder);
    g_strfreev (bringing->names);
    g_clear_pointer (&bringing->sizes, g_array_unref);
    g_free (bringing);
}

/* Half an archive is none. Takes the task and the error. */
static void
fail (GTask *task, GError *error)
{
    Bringing *bringing = g_task_get_task_data (task);

    close_file (bringing);
    for (guint i = bringing->n_files; i-- > 0;) {
        g_autofree char *path = g_build_filename (bringing->folder, bringing->names[i], NULL);
        char *slash;

        g_unlink (path);
        while (strlen (path) > strlen (bringing->folder)
               && (slash = strrchr (path, '/')) != NULL) {
            *slash = '\0';
            g_rmdir (path); /* when it is empty */
        }
    }
    g_task_return_error (task, error);
    g_object_unref (task);
}

static void
fail_damaged (GTask *task)
{
    fail (task, g_error_new_literal (BASE_ERROR, BASE_ERROR_CORRUPT,
                                     "the other side sent a damaged answer"));
}

/* It leads nowhere but below the folder. */
static gboolean
is_below (const char *name)
{
    g_auto (GStrv) parts = g_strsplit (name, "/", -1);
    guint n = g_strv_length (parts);
    gboolean ok = n > 0 && n <= MAX_DEPTH + 1;

    for (guint i = 0; ok && i < n; i++) {
        ok = *parts[i] != '\0' && strcmp (parts[i], ".") != 0 && strcmp (parts[i], "..") != 0;
    }
    return ok;
}

static gboolean
take_list (Bringing *bringing, GKeyFile *answer)
{
    g_auto (GStrv) sizes = g_key_file_get_string_list (answer, GROUP, "Sizes", NULL, NULL);
    guint n;

    bringing->names = g_key_file_get_string_list (answer, GROUP, "Names", NULL, NULL);
    n = bringing->names != NULL ? g_strv_length (bringing->names) : 0;
    if (n == 0 || n > MAX_FILES || sizes == NULL || g_strv_length (sizes) != n) {
        return FALSE;
    }
    bringing->sizes = g_array_new (FALSE, FALSE, sizeof (guint64));
    for (guint i = 0; i < n; i++) {
        guint64 size;

        if (!is_below (bringing->names[i])
            || !g_ascii_string_to_unsigned (sizes[i], 10, 0, (guint64) 1 << MAX_SIZE_BITS,
                                            &size, NULL)) {
            return FALSE;
        }
        g_array_append_val (bringing->sizes, size);
        bringing->total += size;
    }
    return TRUE;
}

/* The next file, if there is one. */
static gboolean
begin_file (Bringing *bringing, GError **error)
{
    g_autofree char *path = g_build_filename (bringing->folder,
                                              bringing->names[bringing->n_files], NULL);
    g_autofree char *folder = g_path_get_dirname (path);

    close_file (bringing);
    bringing->missing = g_array_index (bringing->sizes, guint64, bringing->n_files);
    bringing->n_files++;
    bringing->fd = g_mkdir_with_parents (folder, 0777) == 0
                       ? open (path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666)
                       : -1;
    if (bringing->fd < 0) {
        base_error_set (error, BASE_ERROR_DENIED, "cannot write %s: %s", path,
                        g_strerror (errno));
    }
    return bringing->fd >= 0;
}

/* Begins files until one misses bytes, or all are there. */
static gboolean
begin_files (Bringing *bringing, GError **error)
{
    while (bringing->missing == 0 && bringing->names[bringing->n_files] != NULL) {
        if (!begin_file (bringing, error)) {
            return FALSE;
        }
    }
    return TRUE;
}

static gboolean
write_piece (Bringing *bringing, const guint8 *data, gsize size, GError **error)
{
    while (size > 0) {
        gssize n = write (bringing->fd, data, MIN (size, bringing->missing));

        if (n < 0 && errno != EINTR) {
            base_error_set (error, BASE_ERROR_DENIED, "cannot write to %s: %s",
                            bringing->target, g_strerror (errno));
            return FALSE;
        }
        n = MAX (n, 0);
        data += n;
        size -= (gsize) n;
        bringing->offset += (guint64) n;
        bringing->missing -= (guint64) n;
        if (!begin_files (bringing, error)) {
            return FALSE;
        }
    }
    return TRUE;
}

static void on_piece (GObject *source, GAsyncResult *result, gpointer user);

static void
set_error (const Bringing *bringing, int reason, GError **error)
{
    base_error_set (error, BASE_ERROR_DENIED, "cannot make the folder %s: %s", bringing->target,
                    g_strerror (reason));
}

/* Takes the task. */
static void
finish (GTask *task)
{
    Bringing *bringing = g_task_get_task_data (task);
    GError *error = NULL;

    close_file (bringing);
    if (g_rename (bringing->folder, bringing->target) != 0) {
        set_error (bringing, errno, &error);
        fail (task, error);
        return;
    }
    g_task_return_boolean (task, TRUE);
    g_object_unref (task);
}

/* Takes the task. */
static void
ask_piece (GTask *task)
{
    Bringing *bringing = g_task_get_task_data (task);
    GKeyFile *asked;

    if (bringing->offset == bringing->total) {
        finish (task);
        return;
    }
    asked = g_key_file_new ();
    g_key_file_set_string (asked, GROUP, "Id", bringing->id);
    g_key_file_set_uint64 (asked, GROUP, "Offset", bringing->offset);
    session_queues_ask (bringing->session, "read-measured", asked,
                        g_task_get_cancellable (task), on_piece, task);
}

static void
on_piece (GObject *source, GAsyncResult *result, gpointer user)
{
    GTask *task = user;
    Bringing *bringing = g_task_get_task_data (task);
    GError *error = NULL;
    g_autoptr (GKeyFile) answer = session_queues_read_answer (result, &error);
    g_autofree char *text = answer != NULL
                                ? g_key_file_get_string (answer, GROUP, "Bytes", NULL)
                                : NULL;
    g_autofree guint8 *data = NULL;
    gsize size = 0;

    if (answer == NULL) {
        fail (task, error);
        return;
    }
    data = text != NULL ? g_base64_decode (text, &size) : NULL;
    if (size == 0 || size > bringing->total - bringing->offset) {
        fail_damaged (task);
    } else if (!write_piece (bringing, data, size, &error)) {
        fail (task, error);
    } else {
        ask_piece (task);
    }
}

static void
on_list (GObject *source, GAsyncResult *result, gpointer user)
{
    GTask *task = user;
    Bringing *bringing = g_task_get_task_data (task);
    GError *error = NULL;
    g_autoptr (GKeyFile) answer = session_queues_read_answer (result, &error);

    if (answer == NULL) {
        fail (task, error);
    } else if (!take_list (bringing, answer)) {
        fail_damaged (task);
    } else if (g_file_test (bringing->target, G_FILE_TEST_EXISTS)) {
        set_error (bringing, EEXIST, &error);
        fail (task, error);
    } else if (g_mkdtemp_full (bringing->folder, 0777) == NULL) {
        set_error (bringing, errno, &error);
        fail (task, error);
    } else if (!begin_files (bringing, &error)) {
        fail (task, error);
    } else {
        ask_piece (task);
    }
}

void
session_bring_measured_async (Session *session, const char *id, const char *folder,
                              GCancellable *cancellable, GAsyncReadyCallback done,
                              gpointer user)
{
    GTask *task = g_task_new (session, cancellable, done, user);
    Bringing *bringing = g_new0 (Bringing, 1);
    GKeyFile *asked = g_key_file_new ();

    bringing->session = session != NULL ? g_object_ref (session) : NULL;
    bringing->id = g_strdup (id);
    bringing->target = g_strdup (folder);
    bringing->folder = g_strdup_printf ("%s.XXXXXX", folder);
    bringing->fd = -1;
    g_task_set_task_data (task, bringing, free_bringing);
    g_key_file_set_string (asked, GROUP, "Id", id);
    session_queues_ask (session, "list-measured", asked, cancellable, on_list, task);
}

gboolean
session_bring_measured_finish (GAsyncResult *result, GError **error)
{
    return g_task_propagate_boolean (G_TASK (result), error);
}

void
session_forget_measured_async (Session *session, const char *id, GCancellable *cancellable,
                               GAsyncReadyCallback done, gpointer user)
{
    GKeyFile *asked = g_key_file_new ();

    g_key_file_set_string (asked, GROUP, "Id", id);
    session_queues_ask (session, "forget-measured", asked, cancellable, done, user);
}

gboolean
session_forget_measured_finish (GAsyncResult *result, GError **error)
{
    g_autoptr (GKeyFile) answer = session_queues_read_answer (result, error);

    return answer != NULL;
}
