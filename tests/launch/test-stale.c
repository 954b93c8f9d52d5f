/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Removes what killed sessions have left behind, and nothing else. */
#include "launch/launch.h"
#include "launch/stale-private.h"
#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char *
make_folder (const char *parent, const char *name, int mode)
{
    char *path = g_build_filename (parent, name, NULL);
    g_assert_cmpint (g_mkdir (path, 0700), ==, 0);
    g_assert_cmpint (g_chmod (path, mode), ==, 0);
    return path;
}

/* A process that holds the folder, as a front end or a guard does. */
static pid_t
hold (const char *folder)
{
    int pipe_fds[2];
    char answer = 0;
    g_assert_cmpint (pipe (pipe_fds), ==, 0);
    pid_t pid = fork ();
    if (pid == 0) {
        answer = launch_stale_hold (folder) >= 0 ? 'y' : 'n';
        gssize written = write (pipe_fds[1], &answer, 1);
        (void) written;
        pause ();
    }
    g_assert_cmpint (read (pipe_fds[0], &answer, 1), ==, 1);
    g_assert_cmpint (answer, ==, 'y');
    close (pipe_fds[0]);
    close (pipe_fds[1]);
    return pid;
}

static void
end (pid_t pid)
{
    kill (pid, SIGKILL);
    waitpid (pid, NULL, 0);
}

static gboolean
is_there (const char *path)
{
    return g_file_test (path, G_FILE_TEST_IS_DIR);
}

static void
write_file (const char *folder, const char *name, const char *text)
{
    g_autofree char *path = g_build_filename (folder, name, NULL);
    g_assert_true (g_file_set_contents (path, text, -1, NULL));
}

static void
test_clean (void)
{
    g_autofree char *parent = g_dir_make_tmp ("stale-XXXXXX", NULL);
    g_autofree char *own = make_folder (parent, "s-own", 0700);
    g_autofree char *dead = make_folder (parent, "s-dead", 0700);
    g_autofree char *alive = make_folder (parent, "s-alive", 0700);
    g_autofree char *fresh = make_folder (parent, "s-fresh", 0700);
    g_autofree char *open_to_all = make_folder (parent, "s-open", 0755);
    g_autofree char *elsewhere = make_folder (parent, "s-elsewhere", 0700);
    g_autofree char *other_name = make_folder (parent, "other", 0700);
    pid_t holder = hold (alive);
    g_autofree char *cut = make_folder (parent, "s-cut", 0700);
    g_autofree char *rest_of_cut = make_folder (cut, "cannot-go", 0700);
    end (hold (dead));
    end (hold (cut));
    end (hold (open_to_all));
    end (hold (other_name));
    write_file (dead, "key", "secret");
    write_file (elsewhere, "held", "another-host\n");
    int fd = launch_stale_hold (own);
    g_assert_cmpint (fd, >=, 0);

    launch_stale_clean (own, "s-", launch_session_remove_directory);
    g_assert_false (is_there (dead));
    g_assert_true (is_there (rest_of_cut));
    rmdir (rest_of_cut);
    g_assert_true (is_there (own) && is_there (alive) && is_there (fresh)
                   && is_there (open_to_all) && is_there (elsewhere) && is_there (other_name));
    end (holder);
    launch_stale_clean (own, "s-", launch_session_remove_directory);
    g_assert_false (is_there (alive));
    g_assert_false (is_there (cut));

    close (fd);
    const char *const rest[] = { own, fresh, open_to_all, elsewhere, other_name, parent };
    for (gsize i = 0; i < G_N_ELEMENTS (rest); i++) {
        launch_session_remove_directory (rest[i]);
    }
}

/* A child that goes on holds the folder for its parent that was killed. */
static void
test_inherited (void)
{
    g_autofree char *parent = g_dir_make_tmp ("stale-XXXXXX", NULL);
    g_autofree char *folder = make_folder (parent, "s", 0700);
    int fd = launch_stale_hold (folder);
    pid_t child = fork ();
    if (child == 0) {
        pause ();
    }
    close (fd);
    g_assert_true (launch_stale_is_held (folder));
    end (child);
    g_assert_false (launch_stale_is_held (folder));
    launch_session_remove_directory (folder);
    g_rmdir (parent);
}

static void
set_back (const char *path, int seconds)
{
    gint64 then = g_get_real_time () / G_USEC_PER_SEC - seconds;
    struct timespec times[] = { { then, 0 }, { then, 0 } };

    g_assert_cmpint (utimensat (AT_FDCWD, path, times, 0), ==, 0);
}

/* What a session makes first, and what it has left where it was killed then. */
static void
test_half_made (void)
{
    g_autofree char *parent = g_dir_make_tmp ("stale-XXXXXX", NULL);
    g_autofree char *folder = make_folder (parent, "s", 0700);

    for (guint has_file = 0; has_file < 2; has_file++) {
        if (has_file) {
            write_file (folder, "held", "");
        }
        set_back (folder, 0);
        g_assert_true (launch_stale_is_held (folder));
        set_back (folder, 120);
        g_assert_false (launch_stale_is_held (folder));
    }
    write_file (folder, "held", "another-host\n");
    set_back (folder, 120);
    g_assert_true (launch_stale_is_held (folder));
    launch_session_remove_directory (folder);
    g_rmdir (parent);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/launch/stale/clean", test_clean);
    g_test_add_func ("/launch/stale/inherited", test_inherited);
    g_test_add_func ("/launch/stale/half-made", test_half_made);
    return g_test_run ();
}
