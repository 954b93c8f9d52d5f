/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Many pddt-symbols (argument 1) start at once and want the index of one file (argument 2): one
 * of them makes it, and all get it, even if the maker dies, cannot store it, or hangs. A copy
 * of the file has its own index. inotify counts the files made in the folder. */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <glib/gstdio.h>

#include "index/client.h"
#include "symbol/once.h"
#include "../support/folder.h"

#define N_PROCESSES 30
#define LIMIT_MS 120000

static const char *program, *subject;
static char *folder;

static void
fork_children (guint n, void (*run) (guint number, gpointer data), gpointer data, pid_t *pids)
{
    int gate[2];
    g_assert_cmpint (pipe (gate), ==, 0);
    for (guint i = 0; i < n; i++) {
        pids[i] = fork ();
        g_assert_cmpint (pids[i], >=, 0);
        if (pids[i] == 0) {
            char byte;
            close (gate[1]);
            if (read (gate[0], &byte, 1) == 0) /* all begin when the last is there */
                run (i, data);
            _exit (0);
        }
    }
    close (gate[0]);
    close (gate[1]);
}

static void
expect_good (const pid_t *pids, guint n)
{
    for (guint i = 0; i < n; i++) {
        int status;
        g_assert_cmpint (waitpid (pids[i], &status, 0), ==, pids[i]);
        g_assert_cmpint (status, ==, 0);
    }
}

/* Starts a pddt-symbols of its own and asks it; exit status 1 when there is no index. */
static void
ask_one (guint number, gpointer data)
{
    const char *cache = data;
    g_autofree char *name = g_strdup_printf ("%s/socket-%u", folder, number);
    g_autofree char *copy = g_strdup_printf ("%s/copy", folder);
    pid_t pid = fork ();
    if (pid == 0) {
        execl (program, program, "--socket", name, "--cache", cache, NULL);
        _exit (127);
    }
    gint64 limit = g_get_monotonic_time () + LIMIT_MS * 1000;
    while (access (name, F_OK) != 0 && g_get_monotonic_time () < limit)
        g_usleep (1000);
    IndexClient *client = index_client_new (name);
    gboolean good = index_client_open_image (client, number % 2 ? subject : copy, NULL) != NULL;
    kill (pid, SIGKILL);
    waitpid (pid, NULL, 0);
    _exit (good ? 0 : 1);
}

/* Of the names that came into the watched folder, those that begin to be an index and those that are one;
 * the lock's are neither. */
static void
count_made (int watch, guint *ret_begun, guint *ret_made)
{
    char bytes[1 << 16] __attribute__ ((aligned (8)));
    ssize_t size;
    *ret_begun = *ret_made = 0;
    while ((size = read (watch, bytes, sizeof bytes)) > 0)
        for (char *at = bytes; at < bytes + size;) {
            const struct inotify_event *event = (const void *) at;
            gboolean is_lock = g_str_has_suffix (event->name, ".lock");
            *ret_begun += (event->mask & IN_CREATE) && strstr (event->name, ".idx.")
                          && !is_lock;
            *ret_made += (event->mask & IN_MOVED_TO) && g_str_has_suffix (event->name, ".idx");
            at += sizeof *event + event->len;
        }
}

static guint
count_names (const char *path, const char *suffix)
{
    g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
    guint n = 0;
    for (const char *name; dir && (name = g_dir_read_name (dir));)
        n += g_str_has_suffix (name, suffix);
    return n;
}

static void
test_many (void)
{
    g_autofree char *cache = g_build_filename (folder, "cache", NULL);
    g_autofree char *copy = g_build_filename (folder, "copy", NULL);
    g_autofree char *bytes = NULL;
    gsize size;
    pid_t pids[N_PROCESSES];
    guint begun, made;
    g_assert_true (g_file_get_contents (subject, &bytes, &size, NULL));
    g_assert_true (g_file_set_contents (copy, bytes, size, NULL));
    g_mkdir (cache, 0700);
    int watch = inotify_init1 (IN_NONBLOCK);
    g_assert_cmpint (inotify_add_watch (watch, cache, IN_CREATE | IN_MOVED_TO), >=, 0);
    fork_children (N_PROCESSES, ask_one, cache, pids);
    expect_good (pids, N_PROCESSES);
    count_made (watch, &begun, &made);
    close (watch);
    /* a copy is another file, whatever it says of itself */
    g_assert_cmpuint (begun, ==, 2);
    g_assert_cmpuint (made, ==, 2);
    g_assert_cmpuint (count_names (cache, ".idx"), ==, 2);
    g_assert_cmpuint (count_names (cache, ".lock"), ==, 0);
}

static int
begin (const char *path, guint limit_ms, gboolean expected_late)
{
    gboolean late = !expected_late;
    int fd = symbol_once_begin (path, limit_ms, &late);
    g_assert_cmpint (late, ==, expected_late);
    return fd;
}

/* Takes the lock, says so, and stays until it is killed, or until a line comes: then it ends as a maker
 * that could not keep the file does. */
static pid_t
start_maker (const char *path, int *ret_end_fd)
{
    int said[2], end[2];
    char byte = 0;
    g_assert_cmpint (pipe (said) | pipe (end), ==, 0);
    pid_t pid = fork ();
    if (pid == 0) {
        gboolean late;
        int fd = symbol_once_begin (path, 0, &late);
        close (end[1]);
        if (write (said[1], "", fd >= 0) == 1 && read (end[0], &byte, 1) == 1)
            symbol_once_end (path, fd);
        _exit (0);
    }
    close (said[1]);
    close (end[0]);
    g_assert_cmpint (read (said[0], &byte, 1), ==, 1);
    close (said[0]);
    *ret_end_fd = end[1];
    return pid;
}

static gpointer
end_maker (gpointer data)
{
    int fd = GPOINTER_TO_INT (data);
    g_assert_cmpint (write (fd, "x", 1), ==, 1);
    return NULL;
}

static void
test_makers_end (void)
{
    g_autofree char *path = g_build_filename (folder, "thing", NULL);
    g_autofree char *lock = g_strconcat (path, ".lock", NULL);
    int end_fd;
    pid_t pid = start_maker (path, &end_fd);
    g_assert_cmpint (begin (path, 30, TRUE), ==, -1); /* it stands still */
    kill (pid, SIGKILL);
    int fd = begin (path, LIMIT_MS, FALSE); /* it died: this one follows */
    g_assert_cmpint (fd, >=, 0);
    waitpid (pid, NULL, 0);
    close (end_fd);
    symbol_once_end (path, fd);
    g_assert_cmpint (access (lock, F_OK), !=, 0);
    pid = start_maker (path, &end_fd);
    GThread *thread = g_thread_new ("end", end_maker, GINT_TO_POINTER (end_fd));
    fd = begin (path, LIMIT_MS, FALSE); /* it ended: nobody waits, nobody need follow */
    if (fd >= 0)                        /* it had ended before we came */
        symbol_once_end (path, fd);
    g_thread_join (thread);
    waitpid (pid, NULL, 0);
    close (end_fd);
    g_assert_cmpint (access (lock, F_OK), !=, 0);
}

static void
test_no_lock (void)
{
    g_autofree char *path = g_build_filename (folder, "linked", NULL);
    g_autofree char *lock = g_strconcat (path, ".lock", NULL);
    g_assert_cmpint (begin ("/proc/nowhere/thing", LIMIT_MS, FALSE), ==, -1);
    g_assert_cmpint (symlink (subject, lock), ==, 0);
    g_assert_cmpint (begin (path, LIMIT_MS, FALSE), ==, -1);
    symbol_once_end (path, -1);
    g_assert_cmpint (g_unlink (lock), ==, 0);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    program = argv[1];
    subject = argv[2];
    folder = g_dir_make_tmp ("pddt-once-XXXXXX", NULL);
    g_test_add_func ("/symbol/once/makers-end", test_makers_end);
    g_test_add_func ("/symbol/once/no-lock", test_no_lock);
    g_test_add_func ("/symbol/once/many", test_many);
    int status = g_test_run ();
    folder_remove (folder);
    g_free (folder);
    return status;
}
