/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/inherited.h"
#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

static GArray *noted; /* of int, rising */

static gint
compare (gconstpointer a, gconstpointer b)
{
    return *(const int *) a - *(const int *) b;
}

void
base_inherited_note (void)
{
    DIR *folder = opendir ("/proc/self/fd");
    const struct dirent *entry;

    g_clear_pointer (&noted, g_array_unref);
    noted = g_array_new (FALSE, FALSE, sizeof (int));
    while (folder != NULL && (entry = readdir (folder)) != NULL) {
        int fd = atoi (entry->d_name);

        if (fd > STDERR_FILENO && fd != dirfd (folder)) {
            g_array_append_val (noted, fd);
        }
    }
    if (folder != NULL) {
        closedir (folder);
    }
    g_array_sort (noted, compare);
}

static void
close_between (int from, int to)
{
    if (from < to) {
        close_range ((guint) from, (guint) to - 1, 0);
    }
}

void
base_inherited_close_others (int kept_fd)
{
    int from = STDERR_FILENO + 1;

    for (guint i = 0; noted != NULL && i < noted->len; i++) {
        int fd = g_array_index (noted, int, i);

        if (kept_fd >= from && kept_fd < fd) {
            close_between (from, kept_fd);
            from = kept_fd + 1;
        }
        close_between (from, fd);
        from = fd + 1;
    }
    if (kept_fd >= from) {
        close_between (from, kept_fd);
        from = kept_fd + 1;
    }
    close_range ((guint) from, ~0u, 0);
}

void
base_inherited_drop (int kept_fd)
{
    for (guint i = 0; noted != NULL && i < noted->len; i++) {
        int fd = g_array_index (noted, int, i);

        if (fd != kept_fd) {
            close (fd);
        }
    }
    g_clear_pointer (&noted, g_array_unref);
}
