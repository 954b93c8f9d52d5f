/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The daemon of one host: "SESSION_DIRECTORY HOST_DIRECTORY [--ready-fd FD] [--guard-fd FD]". On the first descriptor it
 * says "G" when shims can come, or why it cannot work; to the second goes its link, for the guard to watch. */
#include "base/crash.h"
#include "base/home.h"
#include "base/limits.h"
#include "base/log.h"
#include "daemon/daemon.h"
#include "launch/hand-over.h"
#include "launch/launch.h"
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define IDLE_MS 60000

typedef struct {
    int ready_fd, guard_fd;
} Words;

static gboolean
read_words (int argc, char **argv, Words *words)
{
    struct {
        const char *name;
        guint32 *number;
    } numbers[] = { { "--ready-fd", (guint32 *) &words->ready_fd },
                    { "--guard-fd", (guint32 *) &words->guard_fd } };
    words->ready_fd = words->guard_fd = -1;
    for (int i = 3; i < argc; i++) {
        gboolean known = FALSE;
        for (gsize j = 0; j < G_N_ELEMENTS (numbers) && !known && i + 1 < argc; j++) {
            if (strcmp (argv[i], numbers[j].name) == 0) {
                *numbers[j].number = (guint32) strtoul (argv[++i], NULL, 10);
                known = TRUE;
            }
        }
        if (!known) {
            return FALSE;
        }
    }
    return argc >= 3;
}

static gboolean
is_over (gpointer session_directory)
{
    return launch_session_is_over (session_directory);
}

static Daemon *
make_daemon (const char *session_directory, const char *host_directory, const Words *words,
             GError **error)
{
    base_limits_protect (); /* it holds the daemons' key from now on */
    LaunchSession *session = launch_session_load (session_directory, error);
    if (!session) {
        return NULL;
    }
    g_autofree char *runner = launch_find_runner (NULL);
    DaemonOptions options = {
        .host_directory = host_directory,
        .host = g_get_host_name (),
        .endpoint = session->endpoint,
        .session_id = session->id,
        .server_key = session->server_key,
        .public_key = session->public_key,
        .secret_key = session->secret_key,
        .runner_path = runner,
        .idle_ms = IDLE_MS,
        .guard_fd = words->guard_fd,
        .is_over = access (session_directory, F_OK) == 0 ? is_over : NULL,
        .user = (gpointer) session_directory,
    };
    Daemon *daemon = daemon_new (&options, error);
    launch_session_free (session);
    return daemon;
}

static void
say_ready (int fd, const char *text)
{
    if (fd >= 0) {
        gssize written = write (fd, text, strlen (text));
        (void) written;
        close (fd);
    }
}

static void
keep_from_children (int fd)
{
    if (fd >= 0) {
        fcntl (fd, F_SETFD, FD_CLOEXEC);
    }
}

int
main (int argc, char **argv)
{
    Words words = { 0 };
    if (!read_words (argc, argv, &words)) {
        fprintf (stderr, "usage: pddtd SESSION_DIRECTORY HOST_DIRECTORY [--ready-fd FD]\n");
        return 2;
    }
    keep_from_children (words.ready_fd);
    keep_from_children (words.guard_fd);
    base_limits_free_size ();
    base_home_settle ();
    signal (SIGPIPE, SIG_IGN); /* a rank may close its input; its job must not end by that */
    g_autofree char *log = g_build_filename (argv[2], "pddtd.log", NULL);
    base_log_init ("pddtd", log);
    base_crash_install ();
    g_autoptr (GError) error = NULL;
    pid_t guard = getppid ();
    Daemon *daemon = make_daemon (argv[1], argv[2], &words, &error);
    if (!daemon) {
        g_warning ("%s", error->message);
        say_ready (words.ready_fd, error->message);
        return 1;
    }
    say_ready (words.ready_fd, "G");
    int status = daemon_run (daemon);
    if (daemon_is_orphaned (daemon)) {
        launch_session_remove_directory (argv[1]);
    }
    daemon_free (daemon);
    if (getppid () != guard) {
        launch_host_directory_remove (argv[2]); /* else the guard's work */
    }
    return status;
}
