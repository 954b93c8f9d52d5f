/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reaches a session's daemon on this host: opens its directory and lock, and starts guard and
 * daemon if this is the first process. */
#include "launch/reach-private.h"
#include "base/channel.h"
#include "base/error.h"
#include "base/limits.h"
#include "launch/batch-private.h"
#include "launch/hand-over.h"
#include "launch/host-directory-private.h"
#include "launch/hosts-private.h"
#include "launch/launch.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <string.h>
#include <unistd.h>

#define EXIT_NO_PROGRAM 127

static int
connect_daemon (const char *host_directory)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    g_snprintf (address.sun_path, sizeof address.sun_path, "%s/" LAUNCH_SOCKET_NAME,
                host_directory);
    int fd = socket (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (fd >= 0
        && (connect (fd, (struct sockaddr *) &address, sizeof address) < 0
            || !base_channel_is_own (fd))) {
        close (fd);
        fd = -1;
    }
    return fd;
}

/* In the child: the daemon must not inherit anything of the rank, or the launcher would wait
 * forever for the end of the rank's output. */
static void
become_guard (char **guard_argv, char **environment, int ready_fd)
{
    base_limits_restore (NULL);
    int null = open ("/dev/null", O_RDWR);
    dup2 (null, 0);
    dup2 (null, 1);
    dup2 (null, 2);
    dup2 (ready_fd, 3);
    close_range (4, ~0u, 0);
    for (int number = 1; number < NSIG; number++) {
        signal (number, SIG_DFL);
    }
    sigset_t none;
    sigemptyset (&none);
    sigprocmask (SIG_SETMASK, &none, NULL);
    if (chdir ("/") == 0) {
        execve (guard_argv[0], guard_argv, environment);
    }
    _exit (EXIT_NO_PROGRAM);
}

static char *
read_ready (int fd)
{
    GString *text = g_string_new (NULL);
    char buffer[512];
    gssize size;
    while ((size = read (fd, buffer, sizeof buffer)) > 0 || (size < 0 && errno == EINTR)) {
        g_string_append_len (text, buffer, MAX (size, 0));
    }
    return g_string_free (text, FALSE);
}

/* Forks twice: the daemon must not be a child that the rank's program or its launcher could
 * wait for. */
static gboolean
start_daemon (const char *session, const char *host_directory, GError **error)
{
    g_autofree char *guard = launch_find_program ("pddt-guard", error);
    int pipe_fds[2];
    if (!guard || pipe2 (pipe_fds, O_CLOEXEC) < 0) {
        if (guard) {
            base_error_set (error, BASE_ERROR_DENIED, "cannot start pddt's daemon: %s",
                            g_strerror (errno));
        }
        return FALSE;
    }
    char *argv[] = { guard, "--host", (char *) session, (char *) host_directory, "--ready-fd",
                     "3",   NULL };
    g_auto (GStrv) environment = g_environ_unsetenv (g_environ_unsetenv (g_get_environ (),
                                                                         "LD_PRELOAD"),
                                                     LAUNCH_KEY_VARIABLE);
    pid_t pid = fork ();
    if (pid == 0) {
        setsid ();
        pid = fork ();
        if (pid == 0) {
            become_guard (argv, environment, pipe_fds[1]);
        }
        _exit (pid < 0);
    }
    close (pipe_fds[1]);
    while (pid > 0 && waitpid (pid, NULL, 0) < 0 && errno == EINTR) {
    }
    g_autofree char *answer = read_ready (pipe_fds[0]);
    close (pipe_fds[0]);
    if (strcmp (answer, "G") != 0) {
        if (*answer) {
            base_error_set (error, BASE_ERROR_DENIED, "cannot start pddt's daemon: %s", answer);
        } else {
            base_error_set (error, BASE_ERROR_DENIED,
                            "cannot start pddt's daemon: it ended at once");
        }
        return FALSE;
    }
    return TRUE;
}

char *
launch_reach_find_key (const char *session)
{
    g_autofree char *id = g_path_get_basename (session);
    g_autofree char *folder = launch_host_directory_dup_path (id);
    const char *const folders[] = { session, folder };
    for (gsize i = 0; i < G_N_ELEMENTS (folders); i++) {
        g_autofree char *file = folders[i] ? g_build_filename (folders[i], "key", NULL) : NULL;
        if (file && access (file, R_OK) == 0) {
            return g_strdup (folders[i]);
        }
    }
    return NULL;
}

/* The directory with the session's key: the front end's, or on a host that does not see it this
 * host's own, with the key that an agent brought or that came in the environment, or a copy that this names. */
static char *
find_key (const char *session, const char *host_directory, GError **error)
{
    char *found = launch_reach_find_key (session);
    const char *carried = g_getenv (LAUNCH_KEY_VARIABLE);
    if (found || !carried) {
        return found ? found : g_strdup (session);
    }
    g_autofree char *id = g_path_get_basename (session);
    char *copy = launch_batch_find_copy (carried, id);
    if (copy) {
        return copy;
    }
    return launch_session_unpack_key (host_directory, carried, error)
               ? g_strdup (host_directory)
               : NULL;
}

static gboolean
bring_daemon (const char *session, const char *host_directory, GError **error)
{
    g_autofree char *key = find_key (session, host_directory, error);
    launch_host_directory_clean (host_directory);
    if (!key) {
        launch_host_directory_remove_locked (host_directory); /* no daemon will */
        return FALSE;
    }
    return start_daemon (key, host_directory, error);
}

gboolean
launch_reach_is_served (const char *session)
{
    g_autofree char *id = g_path_get_basename (session);
    g_autofree char *directory = launch_host_directory_dup_path (id);
    int fd = directory ? connect_daemon (directory) : -1;
    if (fd >= 0) {
        close (fd);
    }
    return fd >= 0;
}

int
launch_reach_daemon (const char *session, GError **error)
{
    g_autofree char *id = g_path_get_basename (session);
    for (int attempt = 0; attempt < 20; attempt++) {
        g_autoptr (GError) reason = NULL;
        g_autofree char *directory = launch_host_directory_open (id, error);
        if (!directory) {
            return -1;
        }
        int lock = launch_host_directory_lock (directory, &reason);
        if (lock < 0) {
            if (g_error_matches (reason, BASE_ERROR, BASE_ERROR_GONE)) {
                continue;
            }
            g_propagate_error (error, g_steal_pointer (&reason));
            return -1;
        }
        int fd = connect_daemon (directory);
        if (fd < 0 && bring_daemon (session, directory, error)) {
            fd = connect_daemon (directory);
            if (fd < 0) {
                base_error_set (error, BASE_ERROR_LOST, "cannot reach pddt's daemon: it ended");
            }
        }
        close (lock);
        return fd;
    }
    base_error_set (error, BASE_ERROR_GONE,
                    "cannot reach pddt's daemon: something "
                    "keeps removing its directory");
    return -1;
}
