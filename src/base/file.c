/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opens files without side effects and rejects special file systems: statfs(2). */
#include "base/file.h"
#include "base/array.h"
#include "base/error.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#ifndef TRACEFS_MAGIC
#define TRACEFS_MAGIC 0x74726163
#endif

#define PROCESS_BYTES 4096 /* of a first read; most answers are shorter */

/* Reading files on these may block or have side effects. */
static gboolean
is_pseudo_filesystem (int fd)
{
    static const guint32 kinds[] = { PROC_SUPER_MAGIC, SYSFS_MAGIC, DEBUGFS_MAGIC,
                                     TRACEFS_MAGIC };
    struct statfs status;

    if (fstatfs (fd, &status) != 0) {
        return TRUE;
    }
    return BASE_ANY (i, G_N_ELEMENTS (kinds), (guint32) status.f_type == kinds[i]);
}

/* Reads the size that it had when opened; less if it was truncated since. */
static char *
read_all (int fd, gsize size, gsize *ret_size)
{
    char *text = g_try_malloc (size + 1);
    gsize done = 0;
    gssize n = 1;

    while (text != NULL && done < size && n != 0) {
        n = read (fd, text + done, size - done);
        if (n < 0 && errno != EINTR) {
            g_free (text);
            return NULL;
        }
        done += n > 0 ? (gsize) n : 0;
    }
    if (text != NULL) {
        text[done] = '\0';
        *ret_size = done;
    } else {
        errno = ENOMEM;
    }
    return text;
}

static int
find_code (int reason)
{
    return reason == ENOENT || reason == ENOTDIR ? BASE_ERROR_NOT_FOUND : BASE_ERROR_DENIED;
}

char *
base_file_read (const char *path, gsize limit, gsize *ret_size, GError **error)
{
    int fd = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    int reason = errno;
    struct stat info;
    gsize size = 0;
    char *text = NULL;

    if (fd < 0 && reason == ENXIO) {
        base_error_set (error, BASE_ERROR_UNSUPPORTED,
                        "cannot read %s: it is not a regular file", path);
        return NULL;
    }
    if (fd < 0) {
        base_error_set (error, find_code (reason), "cannot read %s: %s", path,
                        g_strerror (reason));
        return NULL;
    }
    if (fstat (fd, &info) != 0 || !S_ISREG (info.st_mode) || is_pseudo_filesystem (fd)) {
        base_error_set (error, BASE_ERROR_UNSUPPORTED,
                        "cannot read %s: it is not a regular file", path);
    } else if ((guint64) info.st_size > limit) {
        g_autofree char *length = g_format_size ((guint64) info.st_size),
                        *most = g_format_size (limit);

        base_error_set (error, BASE_ERROR_INVALID,
                        "cannot read %s: it is too large, %s; %s at most", path, length, most);
    } else if ((text = read_all (fd, (gsize) info.st_size, &size)) == NULL) {
        base_error_set (error, BASE_ERROR_DENIED, "cannot read %s: %s", path,
                        g_strerror (errno));
    }
    close (fd);
    if (text != NULL && ret_size != NULL) {
        *ret_size = size;
    }
    return text;
}

char *
base_file_read_place (const BasePlace *place, gsize limit)
{
    int fd = base_place_open (place, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW, 0);
    struct stat info;
    gsize size = 0;
    char *text = NULL;

    if (fd >= 0 && fstat (fd, &info) == 0 && S_ISREG (info.st_mode)
        && !is_pseudo_filesystem (fd) && (guint64) info.st_size <= limit) {
        text = read_all (fd, (gsize) info.st_size, &size);
    }
    if (fd >= 0) {
        close (fd);
    }
    return text;
}

char *
base_file_read_process (int pid, const char *name, gsize *ret_size)
{
    g_autofree char *path = g_strdup_printf ("/proc/%d/%s", pid, name), *more = NULL;
    int fd = open (path, O_RDONLY | O_CLOEXEC);
    gboolean is_in_parts = strcmp (name, "smaps") == 0, is_all = FALSE;
    char first[PROCESS_BYTES],
        *text = first; /* a room that most of them need would be dear to make and give back */
    gsize room = sizeof first, size = 0;
    gssize n = fd >= 0 ? 1 : -1;

    while (!is_all && (n > 0 || (n < 0 && fd >= 0 && errno == EINTR))) {
        if (size + 1 == room) {
            room *= 2;
            more = g_realloc (more, room);
            text = text == first ? memcpy (more, first, size) : more;
        }
        n = read (fd, text + size, room - 1 - size);
        size += n > 0 ? (gsize) n : 0;
        is_all = n > 0 && size + 1 < room && !is_in_parts;
    }
    if (fd >= 0) {
        close (fd);
    }
    if (n < 0) {
        return NULL;
    }
    text[size] = '\0';
    if (ret_size != NULL) {
        *ret_size = size;
    }
    return text == first ? g_memdup2 (first, size + 1) : g_steal_pointer (&more);
}

typedef struct {
    struct stat status;
    gint64 us;
} Lately;

gboolean
base_file_stat_lately (const char *path, struct stat *ret_status, gint64 *ret_us)
{
    static GHashTable *known; /* path to Lately: those asked for since then */
    static gint64 since_us;
    gint64 now = g_get_monotonic_time ();
    Lately *lately;

    if (known == NULL) {
        known = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
    }
    if (now - since_us >= BASE_FILE_LATELY_US) {
        g_hash_table_remove_all (known);
        since_us = now;
    }
    lately = g_hash_table_lookup (known, path);
    if (lately == NULL) {
        if (stat (path, ret_status) != 0) {
            return FALSE;
        }
        lately = g_new (Lately, 1);
        *lately = (Lately){ *ret_status, now };
        g_hash_table_insert (known, g_strdup (path), lately);
    }
    *ret_status = lately->status;
    *ret_us = lately->us;
    return TRUE;
}
