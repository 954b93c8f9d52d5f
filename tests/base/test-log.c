/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The log file of programs without a terminal. */
#include "base/log.h"
#include <glib/gstdio.h>

static void
write_messages (const char *path)
{
    base_log_init ("program", path);
    g_message ("hello %d", 7);
    g_debug ("unseen");
    base_log_init ("program", NULL);
}

static void
test_file (void)
{
    g_autofree char *folder = g_dir_make_tmp ("pddt-log-XXXXXX", NULL);
    g_autofree char *path = g_build_filename (folder, "log", NULL);
    g_autofree char *text = NULL;
    GStatBuf status;

    g_unsetenv ("PDDT_DEBUG");
    write_messages (path);
    g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
    g_assert_nonnull (g_strstr_len (text, -1, "program["));
    g_assert_nonnull (g_strstr_len (text, -1, " message: hello 7\n"));
    g_assert_null (g_strstr_len (text, -1, "unseen"));
    g_assert_cmpint (g_stat (path, &status), ==, 0);
    g_assert_cmpint (status.st_mode & 0777, ==, 0600);
    g_unlink (path);
    g_rmdir (folder);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/base/log/file", test_file);
    return g_test_run ();
}
