/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Remembers a hash of every saved session that pddt wrote for this user, to distinguish them
 * from files made by others, wherever they are. Also writes files privately and without
 * following links. */
#include "session/saved/own-files-private.h"
#include "base/error.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_BYTES (1 << 20) /* of the list: about 16,000 files; then drops the older half */

static char *
get_list (void)
{
    return g_build_filename (g_get_user_state_dir (), "pddt", "own-sessions", NULL);
}

/* Opens and locks it; -1: no list that only this user can write. */
static int
open_list (void)
{
    g_autofree char *path = get_list (), *folder = g_path_get_dirname (path);
    struct stat info;
    int fd;

    g_mkdir_with_parents (folder, 0700);
    fd = open (path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd >= 0
        && (fstat (fd, &info) != 0 || !S_ISREG (info.st_mode) || info.st_uid != geteuid ()
            || (info.st_mode & 022) != 0 || flock (fd, LOCK_EX) != 0)) {
        close (fd);
        fd = -1;
    }
    return fd;
}

static char *
read_list (int fd)
{
    g_autofree char *text = g_malloc0 (MAX_BYTES + 1);
    gssize size = pread (fd, text, MAX_BYTES, 0);

    text[MAX (size, 0)] = '\0';
    return g_steal_pointer (&text);
}

static char *
make_line (const char *text, gsize size)
{
    g_autofree char *sum = g_compute_checksum_for_data (G_CHECKSUM_SHA256,
                                                        (const guchar *) text, size);

    return g_strconcat (sum, "\n", NULL);
}

gboolean
session_own_files_has (const char *text, gsize size)
{
    int fd = open_list ();
    g_autofree char *list = fd >= 0 ? read_list (fd) : NULL, *line = make_line (text, size);

    if (fd >= 0) {
        close (fd);
    }
    return list != NULL && strstr (list, line) != NULL;
}

/* Where it is full the newer half stays. */
static void
make_room (int fd, const char *list, gsize wanted)
{
    gsize size = strlen (list);
    const char *half = size + wanted > MAX_BYTES ? strchr (list + size / 2, '\n') : NULL;

    if (half != NULL && ftruncate (fd, 0) == 0) {
        gssize written = write (fd, half + 1, strlen (half + 1));

        (void) written;
    }
}

void
session_own_files_remember (const char *text, gsize size)
{
    int fd = open_list ();
    g_autofree char *list = fd >= 0 ? read_list (fd) : NULL, *line = make_line (text, size);

    if (list != NULL && strstr (list, line) == NULL) {
        gssize written;

        make_room (fd, list, strlen (line));
        written = write (fd, line, strlen (line));
        (void) written;
    }
    if (fd >= 0) {
        close (fd);
    }
}

static gboolean
write_all (int fd, const char *text, gsize size)
{
    while (size > 0) {
        gssize written = write (fd, text, size);

        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written <= 0) {
            return FALSE;
        }
        text += written;
        size -= (gsize) written;
    }
    return fsync (fd) == 0;
}

static int
open_beside (const char *path, char **ret_part)
{
    int fd = -1;

    for (guint i = 0; fd < 0 && i < 100; i++) {
        g_free (*ret_part);
        *ret_part = g_strdup_printf ("%s.%06x", path, g_random_int () & 0xffffff);
        fd = open (*ret_part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (fd < 0 && errno != EEXIST) {
            break;
        }
    }
    return fd;
}

gboolean
session_own_files_write (const char *path, const char *text, gsize size, GError **error)
{
    g_autofree char *part = NULL;
    struct stat there;
    gboolean is_link = lstat (path, &there) == 0 && S_ISLNK (there.st_mode);
    int fd = is_link ? -1 : open_beside (path, &part);
    gboolean good = fd >= 0 && write_all (fd, text, size) && rename (part, path) == 0;
    int reason = errno;

    if (fd >= 0) {
        close (fd);
    }
    if (good) {
        return TRUE;
    }
    if (fd >= 0) {
        unlink (part);
    }
    if (is_link) {
        base_error_set (error, BASE_ERROR_DENIED, "cannot save %s: it is a symbolic link",
                        path);
    } else {
        base_error_set (error, BASE_ERROR_DENIED, "cannot save %s: %s", path,
                        g_strerror (reason));
    }
    return FALSE;
}
