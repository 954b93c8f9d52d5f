/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lock that shows that a folder's session is alive. Its content, written after locking,
 * names the host, because some shared file systems do not show other hosts' locks. */
#include "launch/stale-private.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define HOLD_NAME "held"
#define MAX_TEXT 512
#define PATIENCE_MS 2000
#define FORGOTTEN_S (24 * 3600)
#define HALF_MADE_S 60

static char *
format_holder (void)
{
    return g_strdup_printf ("%s\n", g_get_host_name ());
}

static int
lock_patiently (int fd)
{
    int answer = -1;
    for (int i = 0; i < PATIENCE_MS && (answer = flock (fd, LOCK_EX | LOCK_NB)) < 0
                    && (errno == EWOULDBLOCK || errno == EINTR);
         i++) {
        g_usleep (1000);
    }
    return answer;
}

int
launch_stale_hold (const char *folder)
{
    g_autofree char *path = g_build_filename (folder, HOLD_NAME, NULL);
    g_autofree char *text = format_holder ();
    int fd = open (path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    /* a process that checks the lock may briefly hold it */
    if (fd >= 0
        && (lock_patiently (fd) < 0 || ftruncate (fd, 0) < 0
            || write (fd, text, strlen (text)) != (gssize) strlen (text))) {
        int reason = errno;
        close (fd);
        errno = reason;
        return -1;
    }
    return fd;
}

static gboolean
is_own_folder (const char *path)
{
    struct stat status;
    return lstat (path, &status) == 0 && S_ISDIR (status.st_mode) && status.st_uid == geteuid ()
           && (status.st_mode & 0777) == 0700;
}

static gboolean
is_older (const char *path, gint64 seconds)
{
    struct stat status;
    return lstat (path, &status) == 0
           && status.st_mtime < g_get_real_time () / G_USEC_PER_SEC - seconds;
}

/* Never locked long after its creation: a key that an agent brought to a host where no rank
 * started. One in which nothing is was left by a session that was killed while it began. */
static gboolean
is_forgotten (const char *path)
{
    g_autoptr (GDir) entries = g_dir_open (path, 0, NULL);
    gboolean is_empty = entries && !g_dir_read_name (entries);

    return is_older (path, is_empty ? HALF_MADE_S : FORGOTTEN_S);
}

gboolean
launch_stale_is_held (const char *path)
{
    g_autofree char *file = g_build_filename (path, HOLD_NAME, NULL);
    g_autofree char *own = format_holder ();
    char text[MAX_TEXT] = "";
    int fd = open (file, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0 && errno == ENOENT) {
        return !is_forgotten (path);
    }
    gboolean is_free = fd >= 0 && flock (fd, LOCK_EX | LOCK_NB) == 0;
    if (is_free) {
        ssize_t n = read (fd, text, sizeof text - 1);
        /* nothing is in it yet while it is being locked */
        is_free = n > 0 ? strcmp (text, own) == 0 : n == 0 && is_older (path, HALF_MADE_S);
    }
    if (fd >= 0) {
        close (fd);
    }
    return !is_free;
}

static gboolean
remove_file (const char *folder, const char *name)
{
    g_autofree char *path = g_build_filename (folder, name, NULL);

    return unlink (path) == 0 || errno == ENOENT;
}

void
launch_stale_remove (const char *folder, const char *then)
{
    g_autoptr (GDir) entries = g_dir_open (folder, 0, NULL);
    gboolean is_empty = TRUE;
    const char *name;

    while (entries && (name = g_dir_read_name (entries))) {
        if (strcmp (name, HOLD_NAME) != 0 && g_strcmp0 (name, then) != 0) {
            is_empty &= remove_file (folder, name);
        }
    }
    if (then) {
        is_empty &= remove_file (folder, then);
    }
    if (is_empty) {
        remove_file (folder, HOLD_NAME);
        rmdir (folder);
    }
}

void
launch_stale_clean (const char *folder, const char *prefix, void (*remove) (const char *folder))
{
    g_autofree char *parent = g_path_get_dirname (folder);
    g_autofree char *own = g_path_get_basename (folder);
    g_autoptr (GDir) entries = g_dir_open (parent, 0, NULL);
    const char *name;
    while (entries && (name = g_dir_read_name (entries))) {
        g_autofree char *path = g_build_filename (parent, name, NULL);
        if (g_str_has_prefix (name, prefix) && strcmp (name, own) != 0 && is_own_folder (path)
            && !launch_stale_is_held (path)) {
            g_debug ("removed %s, which an earlier session left behind", path);
            remove (path);
        }
    }
}
