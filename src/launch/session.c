/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A session's directory: its name on every host, and the key file with which its daemons find
 * the front end and authenticate. */
#include "base/array.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/log.h"
#include "launch/launch.h"
#include "launch/seal-private.h"
#include "launch/session-private.h"
#include "launch/stale-private.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#define KEY_NAME "key"
#define COPY_NAME "copy" /* holds the path of the folder with a copy of the key */

static char *
make_id (void)
{
    guint8 bytes[8];
    if (getrandom (bytes, sizeof bytes, 0) != sizeof bytes) {
        for (gsize i = 0; i < sizeof bytes; i++) {
            bytes[i] = (guint8) g_random_int_range (0, 256);
        }
    }
    GString *id = g_string_new (NULL);
    for (gsize i = 0; i < sizeof bytes; i++) {
        g_string_append_printf (id, "%02x", bytes[i]);
    }
    return g_string_free (id, FALSE);
}

/* Open MPI splits its hook's value at spaces, and shells of other hosts read the path: no other character. */
#define SAFE "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._+@%=-"
static char *
make_temporary_folder (void)
{
    return g_strdup_printf ("/tmp/pddt-state-%u", (guint) getuid ());
}

static char *
make_state_folder (void)
{
    const char *given = g_getenv ("XDG_STATE_HOME");
    g_autofree char *state = given && *given ? g_strdup (given)
                                             : g_build_filename (g_get_home_dir (), ".local",
                                                                 "state", NULL);
    if (g_path_is_absolute (state) && state[strspn (state, SAFE)] == '\0') {
        return g_build_filename (state, "pddt", NULL);
    }
    return make_temporary_folder ();
}

static gboolean
check_own_folder (const char *path, GError **error)
{
    struct stat status;
    if (lstat (path, &status) < 0 || !S_ISDIR (status.st_mode)) {
        base_error_set (error, BASE_ERROR_DENIED, "cannot use %s: it is not a folder", path);
    } else if (status.st_uid != geteuid ()) {
        base_error_set (error, BASE_ERROR_DENIED, "cannot use %s: it belongs to another user",
                        path);
    } else if ((status.st_mode & 022) != 0) {
        base_error_set (error, BASE_ERROR_DENIED, "%s is writable by others: run chmod go-w %s",
                        path, path);
    } else {
        return TRUE;
    }
    return FALSE;
}

/* With a lock that shows that the session is alive. -1, with errno set. */
static int
make_directory (const char *folder, const char *directory)
{
    int hold_fd = -1, reason;
    if (g_mkdir_with_parents (folder, 0700) == 0 && mkdir (directory, 0700) == 0) {
        hold_fd = launch_stale_hold (directory);
        reason = errno;
        if (hold_fd < 0) {
            launch_session_remove_directory (directory);
            errno = reason;
        }
    }
    return hold_fd;
}

/* A home that is full, read-only or not there keeps nobody from working: other hosts get the key in another way. */
static int
make_elsewhere (char **folder, char **directory, const char *id)
{
    int reason = errno;
    g_autofree char *other = make_temporary_folder ();
    g_autofree char *place = g_build_filename (other, id, NULL);
    int hold_fd = reason == ENOENT || reason == ENOTDIR || reason == EACCES || reason == EROFS
                          || reason == ENOSPC || reason == EDQUOT || reason == EPERM
                      ? make_directory (other, place)
                      : -1;
    if (hold_fd < 0) {
        errno = reason;
        return -1;
    }
    base_log_say (
        "cannot write to %s (%s): this session is in %s; set XDG_STATE_HOME to a folder that you can write to",
        *folder, g_strerror (reason), other);
    g_free (*folder);
    g_free (*directory);
    *folder = g_steal_pointer (&other);
    *directory = g_steal_pointer (&place);
    return hold_fd;
}

LaunchSession *
launch_session_new (const char *server_key, const char *public_key, const char *secret_key,
                    GError **error)
{
    g_autofree char *folder = make_state_folder ();
    g_autofree char *id = make_id ();
    g_autofree char *directory = g_build_filename (folder, id, NULL);
    int hold_fd = make_directory (folder, directory);
    if (hold_fd < 0) {
        hold_fd = make_elsewhere (&folder, &directory, id);
    }
    if (hold_fd < 0) {
        base_error_set (
            error, BASE_ERROR_DENIED,
            "cannot create %s: %s; set XDG_STATE_HOME to a folder that you can write to",
            directory, g_strerror (errno));
        return NULL;
    }
    if (!check_own_folder (folder, error)) {
        close (hold_fd);
        launch_session_remove_directory (directory);
        return NULL;
    }
    launch_stale_clean (directory, "", launch_session_remove_directory);
    LaunchSession *session = g_new0 (LaunchSession, 1);
    session->hold_fd = hold_fd;
    session->id = g_steal_pointer (&id);
    session->directory = g_steal_pointer (&directory);
    session->server_key = g_strdup (server_key);
    session->public_key = g_strdup (public_key);
    session->secret_key = g_strdup (secret_key);
    return session;
}

static gboolean
write_private (const char *path, const char *text, gsize size, GError **error)
{
    g_autofree char *part = g_strconcat (path, ".part", NULL);
    int fd = open (part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    gboolean done = fd >= 0 && write (fd, text, size) == (gssize) size && fsync (fd) == 0;
    int reason = errno;
    if (fd >= 0) {
        close (fd);
    }
    if (done && rename (part, path) == 0) {
        return TRUE;
    }
    base_error_set (error, BASE_ERROR_DENIED, "cannot write %s: %s", path,
                    g_strerror (done ? errno : reason));
    unlink (part);
    return FALSE;
}

gboolean
launch_session_is_over (const char *directory)
{
    return access (directory, F_OK) < 0 ? errno == ENOENT : !launch_stale_is_held (directory);
}

/* Names and texts of the file's lines, NAME=TEXT. */
#define N_FIELDS 5
static const char *const field_names[N_FIELDS] = { "id", "endpoint", "server", "public",
                                                   "secret" };

/* base_secret_free. */
static char *
format_key (const LaunchSession *session, const char *endpoint)
{
    return g_strdup_printf ("id=%s\nendpoint=%s\nserver=%s\npublic=%s\nsecret=%s\n",
                            session->id, endpoint, session->server_key, session->public_key,
                            session->secret_key);
}

char *
launch_session_format_key (const LaunchSession *session)
{
    char *text = format_key (session, session->endpoint);
    char *word = g_base64_encode ((const guchar *) text, strlen (text));
    base_secret_free (text);
    return word;
}

gboolean
launch_session_unpack_key (const char *directory, const char *key, GError **error)
{
    g_autofree char *path = g_build_filename (directory, KEY_NAME, NULL);
    char *word = launch_seal_is_sealed (key) ? launch_unseal (key, error) : g_strdup (key);
    gsize size;
    if (!word) {
        return FALSE;
    }
    guchar *text = g_base64_decode (word, &size);
    gboolean done = write_private (path, (const char *) text, size, error);
    explicit_bzero (text, size);
    g_free (text);
    base_secret_free (word);
    return done;
}

gboolean
launch_session_publish (LaunchSession *session, const char *endpoint, GError **error)
{
    g_autofree char *path = g_build_filename (session->directory, KEY_NAME, NULL);
    char *text = format_key (session, endpoint);
    gboolean done = write_private (path, text, strlen (text), error);
    base_secret_free (text);
    if (!done) {
        return FALSE;
    }
    g_free (session->endpoint);
    session->endpoint = g_strdup (endpoint);
    return TRUE;
}

/* base_secret_free. */
static char *
read_private (const char *path, GError **error)
{
    char buffer[4096] = "";
    int fd = open (path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) {
        base_error_set (error, errno == ENOENT ? BASE_ERROR_NOT_FOUND : BASE_ERROR_DENIED,
                        "cannot read %s: %s", path, g_strerror (errno));
        return NULL;
    }
    struct stat status;
    gboolean own = fstat (fd, &status) == 0 && S_ISREG (status.st_mode)
                   && status.st_uid == geteuid () && (status.st_mode & 077) == 0;
    gssize size = own ? read (fd, buffer, sizeof buffer - 1) : -1;
    close (fd);
    if (size < 0) {
        base_error_set (error, BASE_ERROR_DENIED,
                        "cannot use %s: it is not a file that only you can read", path);
        return NULL;
    }
    char *text = g_strndup (buffer, (gsize) size);
    explicit_bzero (buffer, sizeof buffer);
    return text;
}

static char *
dup_field (const char *text, const char *name)
{
    gsize length = strlen (name);
    for (const char *line = text; line && *line;
         line = strchr (line, '\n') ? strchr (line, '\n') + 1 : NULL) {
        if (strncmp (line, name, length) == 0 && line[length] == '=') {
            return g_strndup (line + length + 1, strcspn (line + length + 1, "\n"));
        }
    }
    return NULL;
}

static gboolean
is_key (const char *text)
{
    return text && strlen (text) == 40;
}

LaunchSession *
launch_session_load (const char *directory, GError **error)
{
    g_autofree char *path = g_build_filename (directory, KEY_NAME, NULL);
    char *text = read_private (path, error);
    if (!text) {
        return NULL;
    }
    LaunchSession *session = g_new0 (LaunchSession, 1);
    char **fields[N_FIELDS] = { &session->id, &session->endpoint, &session->server_key,
                                &session->public_key, &session->secret_key };
    session->hold_fd = -1;
    for (gsize i = 0; i < N_FIELDS; i++) {
        *fields[i] = dup_field (text, field_names[i]);
    }
    base_secret_free (text);
    session->directory = g_strdup (directory);
    if (!session->id || !session->endpoint || !is_key (session->server_key)
        || !is_key (session->public_key) || !is_key (session->secret_key)) {
        launch_session_free (session);
        base_error_set (error, BASE_ERROR_CORRUPT,
                        "cannot use %s: it does not contain a "
                        "session's keys",
                        path);
        return NULL;
    }
    return session;
}

/* ---- other hosts ---- */

gboolean
launch_session_is_on_network (const char *folder)
{
    /* NFS, CIFS, SMB2, AFS, Lustre, GPFS, Ceph, BeeGFS, GFS2, OCFS2, PanFS, OrangeFS, 9P */
    static const guint32 kinds[] = { 0x6969,     0xff534d42, 0xfe534d42, 0x5346414f, 0x0bd00bd0,
                                     0x47504653, 0x00c36400, 0x19830326, 0x01161970, 0x7461636f,
                                     0xaad7aaea, 0x20030528, 0x01021997 };
    struct statfs status;
    return statfs (folder, &status) == 0
           && BASE_ANY (i, G_N_ELEMENTS (kinds), (guint32) status.f_type == kinds[i]);
}

gboolean
launch_session_is_shared (const LaunchSession *session)
{
    return launch_session_is_on_network (session->directory);
}

/* Its path is noted in the session's folder, for removal with it. */
gboolean
launch_session_copy (const LaunchSession *session, const char *folder)
{
    g_autofree char *note = g_build_filename (session->directory, COPY_NAME, NULL);
    g_autofree char *key = g_build_filename (folder, KEY_NAME, NULL);
    if (!write_private (note, folder, strlen (folder), NULL) || mkdir (folder, 0700) < 0) {
        return FALSE;
    }
    char *text = format_key (session, session->endpoint);
    gboolean done = write_private (key, text, strlen (text), NULL);
    base_secret_free (text);
    if (!done) {
        rmdir (folder);
    }
    return done;
}

static void
remove_copy (const char *directory)
{
    g_autofree char *note = g_build_filename (directory, COPY_NAME, NULL);
    char *folder = read_private (note, NULL);
    g_autofree char *key = folder ? g_build_filename (folder, KEY_NAME, NULL) : NULL;
    struct stat status;
    if (folder && lstat (folder, &status) == 0 && S_ISDIR (status.st_mode)
        && status.st_uid == geteuid ()) {
        unlink (key);
        rmdir (folder);
    }
    g_free (folder);
}

void
launch_session_remove_directory (const char *directory)
{
    remove_copy (directory);
    launch_stale_remove (directory, NULL);
}

void
launch_session_remove (LaunchSession *session)
{
    if (session) {
        launch_session_remove_directory (session->directory);
        launch_session_free (session);
    }
}

void
launch_session_free (LaunchSession *session)
{
    if (!session) {
        return;
    }
    g_free (session->id);
    g_free (session->directory);
    g_free (session->server_key);
    g_free (session->public_key);
    base_secret_free (session->secret_key);
    g_free (session->trace_folder);
    g_free (session->endpoint);
    if (session->hold_fd >= 0) {
        close (session->hold_fd);
    }
    g_free (session);
}
