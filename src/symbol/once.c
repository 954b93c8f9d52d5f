/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lock beside a file that is being made: flock, which the kernel releases when its owner
 * dies, also over NFS, on a file that the maker removes at the end. A process that gets the
 * lock of a removed file knows that the maker has finished. */
#include "symbol/once.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define PAUSE_US 4000

static gboolean
is_removed (int fd)
{
    struct stat info;
    return fstat (fd, &info) != 0 || info.st_nlink == 0;
}

int
symbol_once_begin (const char *path, guint limit_ms, gboolean *ret_late)
{
    g_autofree char *name = g_strconcat (path, ".lock", NULL);
    gint64 limit = g_get_monotonic_time () + (gint64) limit_ms * 1000;
    int fd = open (name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    *ret_late = FALSE;
    while (fd >= 0) {
        gboolean held = flock (fd, LOCK_EX | LOCK_NB) == 0;
        if (held && !is_removed (fd))
            return fd;
        if (held || (errno != EWOULDBLOCK && errno != EINTR) || is_removed (fd))
            break;
        *ret_late = g_get_monotonic_time () >= limit;
        if (*ret_late)
            break;
        g_usleep (PAUSE_US);
    }
    if (fd >= 0)
        close (fd);
    return -1;
}

void
symbol_once_end (const char *path, int fd)
{
    if (fd < 0)
        return;
    g_autofree char *name = g_strconcat (path, ".lock", NULL);
    unlink (name);
    close (fd);
}
