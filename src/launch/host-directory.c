/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The session's directory on one host: refuses a directory that another user may have planted;
 * a lock serialises starting and removing its daemon. */
#include "base/error.h"
#include "launch/hand-over.h"
#include "launch/host-directory-private.h"
#include "launch/stale-private.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* A socket's path holds 107 bytes; the longest name in the directory takes 16 of them. */
#define PATH_LIMIT 90

static char *
make_prefix (void)
{
    char *prefix = g_strdup_printf ("pddt-%u-%.24s-", (guint) getuid (), g_get_host_name ());
    return g_strdelimit (prefix, "/ ", '_');
}

static gboolean
is_plain_name (const char *name)
{
    return *name && strlen (name) <= 64
           && strspn (name, "0123456789abcdefghijklmnopqrstuvwxyz"
                            "ABCDEFGHIJKLMNOPQRSTUVWXYZ_-")
                  == strlen (name);
}

static char *
make_path (const char *session_id)
{
    g_autofree char *prefix = make_prefix ();
    g_autofree char *name = g_strconcat (prefix, session_id, NULL);
    char *path = g_build_filename (g_get_tmp_dir (), name, NULL);
    if (strlen (path) <= PATH_LIMIT) {
        return path;
    }
    g_free (path);
    return g_build_filename ("/tmp", name, NULL);
}

char *
launch_host_directory_dup_path (const char *session_id)
{
    return is_plain_name (session_id) ? make_path (session_id) : NULL;
}

char *
launch_host_directory_open (const char *session_id, GError **error)
{
    if (!is_plain_name (session_id)) {
        g_set_error (error, BASE_ERROR, BASE_ERROR_CORRUPT,
                     "cannot use session \"%s\": this is not the "
                     "name of a session",
                     session_id);
        return NULL;
    }
    g_autofree char *path = make_path (session_id);
    if (mkdir (path, 0700) < 0 && errno != EEXIST) {
        g_set_error (error, BASE_ERROR, BASE_ERROR_DENIED, "cannot create %s: %s", path,
                     g_strerror (errno));
        return NULL;
    }
    struct stat status;
    if (lstat (path, &status) < 0 || !S_ISDIR (status.st_mode) || status.st_uid != geteuid ()
        || (status.st_mode & 0777) != 0700) {
        g_set_error (error, BASE_ERROR, BASE_ERROR_DENIED,
                     "cannot use %s: it is not a folder of yours that nobody else can enter",
                     path);
        return NULL;
    }
    return g_steal_pointer (&path);
}

int
launch_host_directory_lock (const char *host_directory, GError **error)
{
    g_autofree char *path = g_build_filename (host_directory, LAUNCH_LOCK_NAME, NULL);
    int fd = open (path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    struct stat held, there;
    while (fd >= 0 && flock (fd, LOCK_EX) < 0) {
        if (errno != EINTR) {
            close (fd);
            fd = -1;
        }
    }
    if (fd < 0) {
        g_set_error (error, BASE_ERROR, errno == ENOENT ? BASE_ERROR_GONE : BASE_ERROR_DENIED,
                     "cannot lock %s: %s", path, g_strerror (errno));
        return -1;
    }
    if (fstat (fd, &held) < 0 || lstat (path, &there) < 0 || held.st_ino != there.st_ino
        || held.st_dev != there.st_dev) {
        close (fd);
        g_set_error (error, BASE_ERROR, BASE_ERROR_GONE, "cannot lock %s: it was removed",
                     path);
        return -1;
    }
    return fd;
}

void
launch_host_directory_remove_locked (const char *host_directory)
{
    launch_stale_remove (host_directory, LAUNCH_LOCK_NAME);
}

void
launch_host_directory_remove (const char *host_directory)
{
    int lock = launch_host_directory_lock (host_directory, NULL);
    launch_host_directory_remove_locked (host_directory);
    if (lock >= 0) {
        close (lock);
    }
}

/* A shim of that session may start another daemon there meanwhile. */
static void
remove_stale (const char *host_directory)
{
    int lock = launch_host_directory_lock (host_directory, NULL);
    if (lock >= 0 && !launch_stale_is_held (host_directory)) {
        launch_host_directory_remove_locked (host_directory);
    }
    if (lock >= 0) {
        close (lock);
    }
}

void
launch_host_directory_clean (const char *host_directory)
{
    g_autofree char *prefix = make_prefix ();
    launch_stale_clean (host_directory, prefix, remove_stale);
}
