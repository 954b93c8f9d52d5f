/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The log file of programs without a terminal. */
#include "base/log.h"
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

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

/* What is in it stays, the last line says that it is the last, and then nothing more comes. */
static void
test_full (void)
{
    g_autofree char *folder = g_dir_make_tmp ("pddt-log-XXXXXX", NULL);
    g_autofree char *path = g_build_filename (folder, "log", NULL);
    g_autofree char *text = NULL;
    int fd = g_open (path, O_WRONLY | O_CREAT, 0600);
    char *last;
    gsize size;

    g_assert_cmpint (ftruncate (fd, BASE_LOG_MAX_BYTES - 150), ==, 0); /* sparse */
    close (fd);
    base_log_init ("program", path);
    for (int i = 0; i < 20; i++) {
        g_message ("line %d", i);
    }
    base_log_init ("program", NULL);
    g_assert_true (g_file_get_contents (path, &text, &size, NULL));
    g_assert_cmpuint (size, >=, BASE_LOG_MAX_BYTES);
    g_assert_cmpuint (size, <, BASE_LOG_MAX_BYTES + 300);
    last = text + BASE_LOG_MAX_BYTES - 150;
    g_assert_nonnull (strstr (last, " message: line 0\n"));
    g_assert_true (g_str_has_suffix (last, "\nThe log is full: nothing more is written.\n"));
    g_assert_null (strstr (last, "line 19"));
    g_unlink (path);
    g_rmdir (folder);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/base/log/file", test_file);
    g_test_add_func ("/base/log/full", test_full);
    return g_test_run ();
}
