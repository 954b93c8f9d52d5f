/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A session's directory: its name on every host, and the key file by which its daemons find the
 * front end and prove to belong to it. */
#include "base/error.h"
#include "launch/launch.h"
#include "launch/stale-private.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define KEY_GROUP "session"

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

/* Open MPI splits its hook's value at spaces, so that no path with one can be used. */
static char *
make_state_folder (void)
{
    const char *given = g_getenv ("XDG_STATE_HOME");
    g_autofree char *state = given && *given ? g_strdup (given)
                                             : g_build_filename (g_get_home_dir (), ".local",
                                                                 "state", NULL);
    if (g_path_is_absolute (state) && !strpbrk (state, " \t\n,:\"'")) {
        return g_build_filename (state, "pddt", NULL);
    }
    return g_strdup_printf ("/tmp/pddt-state-%u", (guint) getuid ());
}

static gboolean
check_own_folder (const char *path, GError **error)
{
    struct stat status;
    if (lstat (path, &status) < 0 || !S_ISDIR (status.st_mode) || status.st_uid != geteuid () ||
        (status.st_mode & 022) != 0) {
        g_set_error (error, BASE_ERROR, BASE_ERROR_DENIED,
                     "cannot use %s: it is not a folder that only you can write", path);
        return FALSE;
    }
    return TRUE;
}

LaunchSession *
launch_session_new (const char *public_key, const char *secret_key, GError **error)
{
    g_autofree char *folder = make_state_folder ();
    g_autofree char *id = make_id ();
    g_autofree char *directory = g_build_filename (folder, id, NULL);
    if (g_mkdir_with_parents (folder, 0700) < 0 || mkdir (directory, 0700) < 0) {
        g_set_error (error, BASE_ERROR, BASE_ERROR_DENIED, "cannot make %s: %s", directory,
                     g_strerror (errno));
        return NULL;
    }
    if (!check_own_folder (folder, error)) {
        rmdir (directory);
        return NULL;
    }
    int hold_fd = launch_stale_hold (directory);
    if (hold_fd < 0) {
        g_set_error (error, BASE_ERROR, BASE_ERROR_DENIED, "cannot write in %s: %s", directory,
                     g_strerror (errno));
        launch_session_remove_directory (directory);
        return NULL;
    }
    launch_stale_clean (directory, "", launch_session_remove_directory);
    LaunchSession *session = g_new0 (LaunchSession, 1);
    session->hold_fd = hold_fd;
    session->id = g_steal_pointer (&id);
    session->directory = g_steal_pointer (&directory);
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
    g_set_error (error, BASE_ERROR, BASE_ERROR_DENIED, "cannot write %s: %s", path,
                 g_strerror (done ? errno : reason));
    unlink (part);
    return FALSE;
}

static char *
format_key (const LaunchSession *session, const char *endpoint, gsize *ret_size)
{
    g_autoptr (GKeyFile) file = g_key_file_new ();
    g_key_file_set_string (file, KEY_GROUP, "id", session->id);
    g_key_file_set_string (file, KEY_GROUP, "endpoint", endpoint);
    g_key_file_set_string (file, KEY_GROUP, "public", session->public_key);
    g_key_file_set_string (file, KEY_GROUP, "secret", session->secret_key);
    return g_key_file_to_data (file, ret_size, NULL);
}

char *
launch_session_format_key (const LaunchSession *session)
{
    gsize size;
    g_autofree char *text = format_key (session, session->endpoint, &size);
    return g_base64_encode ((const guchar *) text, size);
}

gboolean
launch_session_unpack_key (const char *directory, const char *key, GError **error)
{
    g_autofree char *path = g_build_filename (directory, "key", NULL);
    gsize size;
    g_autofree guchar *text = g_base64_decode (key, &size);
    return write_private (path, (const char *) text, size, error);
}

gboolean
launch_session_publish (LaunchSession *session, const char *endpoint, GError **error)
{
    gsize size;
    g_autofree char *text = format_key (session, endpoint, &size);
    g_autofree char *path = g_build_filename (session->directory, "key", NULL);
    if (!write_private (path, text, size, error)) {
        return FALSE;
    }
    g_free (session->endpoint);
    session->endpoint = g_strdup (endpoint);
    return TRUE;
}

static char *
read_private (const char *path, gsize *ret_size, GError **error)
{
    char buffer[4096];
    int fd = open (path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) {
        g_set_error (error, BASE_ERROR, errno == ENOENT ? BASE_ERROR_NOT_FOUND : BASE_ERROR_DENIED,
                     "cannot read %s: %s", path, g_strerror (errno));
        return NULL;
    }
    struct stat status;
    gboolean own = fstat (fd, &status) == 0 && S_ISREG (status.st_mode) &&
                   status.st_uid == geteuid () && (status.st_mode & 077) == 0;
    gssize size = own ? read (fd, buffer, sizeof buffer) : -1;
    close (fd);
    if (size < 0) {
        g_set_error (error, BASE_ERROR, BASE_ERROR_DENIED,
                     "cannot use %s: it is not a file that only you can read", path);
        return NULL;
    }
    *ret_size = (gsize) size;
    return g_strndup (buffer, (gsize) size);
}

LaunchSession *
launch_session_load (const char *directory, GError **error)
{
    g_autofree char *path = g_build_filename (directory, "key", NULL);
    gsize size;
    g_autofree char *text = read_private (path, &size, error);
    if (!text) {
        return NULL;
    }
    g_autoptr (GKeyFile) file = g_key_file_new ();
    LaunchSession *session = g_new0 (LaunchSession, 1);
    session->hold_fd = -1;
    if (g_key_file_load_from_data (file, text, size, G_KEY_FILE_NONE, NULL)) {
        session->id = g_key_file_get_string (file, KEY_GROUP, "id", NULL);
        session->endpoint = g_key_file_get_string (file, KEY_GROUP, "endpoint", NULL);
        session->public_key = g_key_file_get_string (file, KEY_GROUP, "public", NULL);
        session->secret_key = g_key_file_get_string (file, KEY_GROUP, "secret", NULL);
    }
    session->directory = g_strdup (directory);
    if (!session->id || !session->endpoint || !session->public_key || strlen (session->public_key) != 40 ||
        !session->secret_key || strlen (session->secret_key) != 40) {
        launch_session_free (session);
        g_set_error (error, BASE_ERROR, BASE_ERROR_CORRUPT, "cannot use %s: no session's keys",
                     path);
        return NULL;
    }
    return session;
}

void
launch_session_remove_directory (const char *directory)
{
    g_autoptr (GDir) folder = g_dir_open (directory, 0, NULL);
    const char *name;
    while (folder && (name = g_dir_read_name (folder))) {
        g_autofree char *path = g_build_filename (directory, name, NULL);
        unlink (path);
    }
    rmdir (directory);
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
    g_free (session->public_key);
    if (session->secret_key) {
        explicit_bzero (session->secret_key, strlen (session->secret_key));
    }
    g_free (session->secret_key);
    g_free (session->endpoint);
    if (session->hold_fd >= 0) {
        close (session->hold_fd);
    }
    g_free (session);
}
