/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The daemon of one host: "SESSION_DIRECTORY HOST_DIRECTORY [--ready-fd FD]". On the descriptor
 * it says "G" when shims can come, or why it cannot work. */
#include "base/log.h"
#include "daemon/daemon.h"
#include "launch/hand-over.h"
#include "launch/launch.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define IDLE_MS 60000

static Daemon *
make_daemon (const char *session_directory, const char *host_directory, GError **error)
{
    LaunchSession *session = launch_session_load (session_directory, error);
    if (!session) {
        return NULL;
    }
    g_autofree char *runner = launch_find_runner (NULL);
    DaemonOptions options = {
        .host_directory = host_directory, .host = g_get_host_name (),
        .endpoint = session->endpoint, .session_id = session->id,
        .public_key = session->public_key, .secret_key = session->secret_key,
        .runner_path = runner, .idle_ms = IDLE_MS,
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

int
main (int argc, char **argv)
{
    if (argc < 3) {
        fprintf (stderr, "usage: pddtd SESSION_DIRECTORY HOST_DIRECTORY [--ready-fd FD]\n");
        return 2;
    }
    int ready_fd = argc == 5 && strcmp (argv[3], "--ready-fd") == 0 ? atoi (argv[4]) : -1;
    if (ready_fd >= 0) {
        fcntl (ready_fd, F_SETFD, FD_CLOEXEC);
    }
    g_autofree char *log = g_build_filename (argv[2], "pddtd.log", NULL);
    base_log_init ("pddtd", log);
    g_autoptr (GError) error = NULL;
    pid_t guard = getppid ();
    Daemon *daemon = make_daemon (argv[1], argv[2], &error);
    if (!daemon) {
        g_warning ("%s", error->message);
        say_ready (ready_fd, error->message);
        return 1;
    }
    say_ready (ready_fd, "G");
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
