/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "folder.h"
#include <errno.h>
#include <glib.h>
#include <glib/gstdio.h>

#define LIMIT_US (120 * G_USEC_PER_SEC)

static void
remove_content (const char *path)
{
    g_autoptr (GDir) folder = g_dir_open (path, 0, NULL);
    const char *name;

    while (folder != NULL && (name = g_dir_read_name (folder)) != NULL) {
        g_autofree char *child = g_build_filename (path, name, NULL);

        if (g_unlink (child) != 0) {
            remove_content (child);
            g_rmdir (child);
        }
    }
}

void
folder_remove (const char *path)
{
    gint64 end_us = g_get_monotonic_time () + LIMIT_US;

    do {
        remove_content (path);
    } while (g_rmdir (path) != 0 && errno == ENOTEMPTY && g_get_monotonic_time () < end_us);
    g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
}
