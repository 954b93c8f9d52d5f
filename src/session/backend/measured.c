/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The archive of a job that a queue has measured, brought from the host where it is to this one: questions of queues.c. What
 * comes from there names files below one new folder, and nothing else. */
#include "session/queues.h"
#include "base/array.h"
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
#define MAX_PIECE (384u << 10)
#define PIECE (32u << 10) /* that is asked for */

enum {
    MAX_FILES = 1 << 20,
    MAX_DEPTH = 4,
    MAX_SIZE_BITS = 50,
    MAX_PIECES = 64, /* that are asked for at once */
    FIRST_PIECES = 2,
    MIN_ROUND = 4,   /* pieces whose delays are compared */
    NEAR_US = 12000, /* so much longer a piece may wait for those before it */
};

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

BASE_ORDER_POINTERS (compare_files, File, strcmp (left->name, right->name))

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

/* The archive that this process's front end brings away; no other process does meanwhile. */
typedef struct {
    char *id, *path;
    GPtrArray *files; /* of File; NULL: they could not be listed */
    int lock;         /* -1: another process has it */
} Claim;

static GMutex claim_mutex;
static Claim *claimed; /* NULL: none */

static void
clear_claim (gpointer data)
{
    Claim *claim = data;

    g_free (claim->id);
    g_free (claim->path);
    g_clear_pointer (&claim->files, g_ptr_array_unref);
    if (claim->lock >= 0) {
        close (claim->lock);
    }
}

static void
drop_claim (Claim *claim)
{
    g_atomic_rc_box_release_full (claim, clear_claim);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Claim, drop_claim)

/* Caller owns. NULL: no such job is noted, or its archive is not there. */
static SessionOffer *
find_measured (const char *id, GError **error)
{
    g_autoptr (GPtrArray) measured = session_measured_list ();

    for (guint i = 0; i < measured->len; i++) {
        if (g_strcmp0 (((const SessionOffer *) measured->pdata[i])->id, id) == 0) {
            return g_ptr_array_steal_index (measured, i);
        }
    }
    base_error_set (error, BASE_ERROR_NOT_FOUND, "no job %s waits there any more",
                    id != NULL ? id : "");
    return NULL;
}

/* NULL: as that, or another process has it. */
static Claim *
make_claim (const char *id, GError **error)
{
    g_autoptr (SessionOffer) offer = find_measured (id, error);
    g_autoptr (Claim) claim = offer != NULL ? g_atomic_rc_box_new0 (Claim) : NULL;

    if (offer == NULL) {
        return NULL;
    }
    claim->id = g_strdup (offer->id);
    claim->path = g_strdup (offer->archive);
    claim->lock = session_offer_lock (offer->id);
    if (claim->lock < 0) {
        base_error_set (
            error, BASE_ERROR_DENIED,
            "another pddt is already copying the archive of job %s: take it again if that one gives up",
            offer->job != NULL ? offer->job : offer->id);
        return NULL;
    }
    claim->files = list_files (claim->path, error);
    return claim->files != NULL ? g_steal_pointer (&claim) : NULL;
}

/* A reference; NULL as make_claim. Several threads answer. */
static Claim *
claim_archive (GKeyFile *asked, GError **error)
{
    g_autofree char *id = g_key_file_get_string (asked, GROUP, "Id", NULL);
    Claim *claim = NULL;

    g_mutex_lock (&claim_mutex);
    if (claimed == NULL || g_strcmp0 (claimed->id, id) != 0) {
        g_clear_pointer (&claimed, drop_claim);
        claimed = make_claim (id, error);
    }
    claim = claimed != NULL ? g_atomic_rc_box_acquire (claimed) : NULL;
    g_mutex_unlock (&claim_mutex);
    return claim;
}

void
session_measured_release (void)
{
    g_mutex_lock (&claim_mutex);
    g_clear_pointer (&claimed, drop_claim);
    g_mutex_unlock (&claim_mutex);
}

gboolean
session_measured_list_files (GKeyFile *asked, GKeyFile *answer, GError **error)
{
    g_autoptr (Claim) claim = claim_archive (asked, error);
    g_autoptr (GPtrArray) names = g_ptr_array_new ();
    g_autoptr (GPtrArray) sizes = g_ptr_array_new_with_free_func (g_free);

    if (claim == NULL) {
        return FALSE;
    }
    for (guint i = 0; i < claim->files->len; i++) {
        const File *file = claim->files->pdata[i];

        g_ptr_array_add (names, file->name);
        g_ptr_array_add (sizes, g_strdup_printf ("%" G_GUINT64_FORMAT, file->size));
    }
    g_key_file_set_string_list (answer, GROUP, "Names", (const char *const *) names->pdata,
                                names->len);
    g_key_file_set_string_list (answer, GROUP, "Sizes", (const char *const *) sizes->pdata,
                                sizes->len);
    return TRUE;
}

/* Adds the file's bytes from `at` on, at most so many as `limit` has room for. */
static gboolean
append_file (GByteArray *bytes, const char *path, guint64 at, guint64 size, guint limit,
             GError **error)
{
    int fd = open (path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    guint begin = bytes->len, wanted = (guint) MIN (size - at, limit - begin), done = 0;
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
    g_autoptr (Claim) claim = claim_archive (asked, error);
    g_autofree char *text = NULL;
    g_autoptr (GByteArray) bytes = g_byte_array_new ();
    guint64 offset = g_key_file_get_uint64 (asked, GROUP, "Offset", NULL),
            size = g_key_file_get_uint64 (asked, GROUP, "Size", NULL);
    guint limit = (guint) MIN (size, MAX_PIECE);

    for (guint i = 0; claim != NULL && i < claim->files->len && bytes->len < limit; i++) {
        const File *file = claim->files->pdata[i];

        if (offset < file->size) {
            g_autofree char *path = g_build_filename (claim->path, file->name, NULL);

            if (!append_file (bytes, path, offset, file->size, limit, error)) {
                return FALSE;
            }
        }
        offset -= MIN (offset, file->size);
    }
    text = g_base64_encode (bytes->data, bytes->len);
    g_key_file_set_string (answer, GROUP, "Bytes", text);
    return claim != NULL;
}

gboolean
session_measured_drop (GKeyFile *asked, GKeyFile *answer, GError **error)
{
    g_autofree char *id = g_key_file_get_string (asked, GROUP, "Id", NULL);
    g_autoptr (SessionOffer) offer = find_measured (id, NULL);

    if (offer != NULL) {
        session_measured_forget (offer->archive);
        session_measured_release ();
    }
    return TRUE;
}

/* ---- where it is brought to ---- */

typedef struct {
    Session *session; /* NULL: none */
    char *id;
    char *target, *folder; /* folder: beside it, until all is there */
    char **names;
    GArray *sizes;                 /* guint64, of each name */
    guint n_files;                 /* that were begun */
    guint64 missing, asked, total; /* missing: of the last one that was begun */
    int fd;                        /* of that; -1: none */
    GQueue pieces;                 /* of Piece, in their order, that are not written yet */
    guint n_asked, n_wanted;       /* pieces on their way, and how many there may be */
    guint n_heard;                 /* in this round */
    gint64 round_us, least_us;     /* the least delay of a piece in this round, and ever */
    gboolean has_waited;           /* one for another */
    GError *failure;               /* what is on its way is waited for; NULL */
} Bringing;

typedef struct {
    GTask *task;
    gsize size;
    gint64 asked_us;
    guint8 *data; /* NULL: it is on its way */
} Piece;

static void
free_piece (gpointer data)
{
    g_free (((Piece *) data)->data);
    g_free (data);
}

static void
close_file (Bringing *bringing)
{
    if (bringing->fd >= 0) {
        close (bringing->fd);
    }
    bringing->fd = -1;
}

BASE_FREE (free_bringing, Bringing, bringing, close_file (bringing);
           g_clear_object (&bringing->session); g_free (bringing->id);
           g_free (bringing->target); g_free (bringing->folder); g_strfreev (bringing->names);
           g_clear_pointer (&bringing->sizes, g_array_unref);
           g_queue_clear_full (&bringing->pieces, free_piece);
           g_clear_error (&bringing->failure))

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

static GError *
make_damaged (void)
{
    return g_error_new_literal (BASE_ERROR, BASE_ERROR_CORRUPT,
                                "the other side sent a damaged answer");
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

static void
ask_piece (GTask *task)
{
    Bringing *bringing = g_task_get_task_data (task);
    GKeyFile *asked = g_key_file_new ();
    Piece *piece = g_new0 (Piece, 1);

    piece->task = task;
    piece->size = (gsize) MIN (bringing->total - bringing->asked, PIECE);
    piece->asked_us = g_get_monotonic_time ();
    g_queue_push_tail (&bringing->pieces, piece);
    g_key_file_set_string (asked, GROUP, "Id", bringing->id);
    g_key_file_set_uint64 (asked, GROUP, "Offset", bringing->asked);
    g_key_file_set_uint64 (asked, GROUP, "Size", piece->size);
    bringing->asked += piece->size;
    bringing->n_asked++;
    session_queues_ask (bringing->session, "read-measured", asked,
                        g_task_get_cancellable (task), on_piece, piece);
}

/* Takes the task when it is over. */
static void
go_on (GTask *task)
{
    Bringing *bringing = g_task_get_task_data (task);
    const Piece *first;

    while (bringing->failure == NULL && (first = g_queue_peek_head (&bringing->pieces)) != NULL
           && first->data != NULL) {
        write_piece (bringing, first->data, first->size, &bringing->failure);
        free_piece (g_queue_pop_head (&bringing->pieces));
    }
    while (bringing->failure == NULL && bringing->asked < bringing->total
           && bringing->n_asked < bringing->n_wanted && bringing->pieces.length < MAX_PIECES) {
        ask_piece (task);
    }
    if (bringing->n_asked > 0) {
        return;
    }
    if (bringing->failure != NULL) {
        fail (task, g_steal_pointer (&bringing->failure));
    } else {
        finish (task);
    }
}

/* More are asked for at once until a piece waits for those before it: then they fill the way, on which the user's own
 * questions, of this process or another one, would wait, too. The best of a round counts, as a busy machine delays some. */
static void
note_delay (Bringing *bringing, gint64 delay_us)
{
    guint n = bringing->n_wanted;

    bringing->least_us = bringing->least_us != 0 ? MIN (bringing->least_us, delay_us)
                                                 : MAX (delay_us, 1);
    bringing->round_us = bringing->n_heard > 0 ? MIN (bringing->round_us, delay_us) : delay_us;
    if (++bringing->n_heard < MAX (n, MIN_ROUND)) {
        return;
    }
    bringing->n_heard = 0;
    if (bringing->round_us > bringing->least_us + 2 * NEAR_US) {
        bringing->has_waited = TRUE;
        bringing->n_wanted = MAX (n - (n + 3) / 4, 1);
    } else if (bringing->round_us < bringing->least_us + NEAR_US) {
        bringing->n_wanted = MIN (n + (bringing->has_waited ? 1 : n), MAX_PIECES);
    }
}

static void
on_piece (GObject *source, GAsyncResult *result, gpointer user)
{
    Piece *piece = user;
    Bringing *bringing = g_task_get_task_data (piece->task);
    GError *error = NULL;
    g_autoptr (GKeyFile) answer = session_queues_read_answer (result, &error);
    g_autofree char *text = answer != NULL
                                ? g_key_file_get_string (answer, GROUP, "Bytes", NULL)
                                : NULL;
    gsize size = 0;

    bringing->n_asked--;
    piece->data = text != NULL ? g_base64_decode (text, &size) : NULL;
    if (answer != NULL && size != piece->size) {
        error = make_damaged ();
    }
    if (error == NULL) {
        note_delay (bringing, g_get_monotonic_time () - piece->asked_us);
    } else if (bringing->failure == NULL) {
        bringing->failure = error;
    } else {
        g_error_free (error);
    }
    go_on (piece->task);
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
        fail (task, make_damaged ());
    } else if (g_file_test (bringing->target, G_FILE_TEST_EXISTS)) {
        set_error (bringing, EEXIST, &error);
        fail (task, error);
    } else if (g_mkdtemp_full (bringing->folder, 0777) == NULL) {
        set_error (bringing, errno, &error);
        fail (task, error);
    } else if (!begin_files (bringing, &error)) {
        fail (task, error);
    } else {
        go_on (task);
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
    bringing->n_wanted = FIRST_PIECES;
    g_queue_init (&bringing->pieces);
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
