/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The shim's walk from its first instruction to the program's: directory, lock, daemon, greeting,
 * permission to trace, exec. What it opens is closed at exec; what it sets the program inherits
 * only where the contract says so (no address randomisation, an input). */
#include "launch/shim.h"
#include "base/error.h"
#include "job/rank-set.h"
#include "launch/hand-over.h"
#include "launch/host-directory-private.h"
#include "launch/launch.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define EXIT_REFUSED 126
#define EXIT_NO_PROGRAM 127

typedef struct {
    const char *session; /* directory; NULL: run the program without a debugger */
    const char *input;   /* set of ranks; NULL */
    char **program;
} ShimWords;

static gboolean
read_words (int argc, char **argv, ShimWords *words)
{
    int i = 1;
    for (; i < argc && strncmp (argv[i], "--", 2) == 0; i++) {
        if (strcmp (argv[i], "--") == 0) {
            i++;
            break;
        }
        if (strcmp (argv[i], "--session") == 0 && i + 1 < argc) {
            words->session = argv[++i];
        } else if (strcmp (argv[i], "--input") == 0 && i + 1 < argc) {
            words->input = argv[++i];
        } else {
            return FALSE;
        }
    }
    words->program = argv + i;
    return i < argc;
}

static int
connect_daemon (const char *host_directory)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    g_snprintf (address.sun_path, sizeof address.sun_path, "%s/" LAUNCH_SOCKET_NAME,
                host_directory);
    int fd = socket (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (fd >= 0 && connect (fd, (struct sockaddr *) &address, sizeof address) < 0) {
        close (fd);
        fd = -1;
    }
    return fd;
}

/* In the child: nothing of the rank may stay with the daemon, or its launcher waits for ever for
 * the end of the rank's output. */
static void
become_guard (char **guard_argv, char **environment, int ready_fd)
{
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

/* Twice forked: the daemon's parent must be nobody whom the rank's program or its launcher could
 * wait for. */
static gboolean
start_daemon (const char *session, const char *host_directory, GError **error)
{
    g_autofree char *guard = launch_find_program ("pddt-guard", error);
    int pipe_fds[2];
    if (!guard || pipe2 (pipe_fds, O_CLOEXEC) < 0) {
        if (guard) {
            g_set_error (error, BASE_ERROR, BASE_ERROR_DENIED, "cannot start pddt's daemon: %s",
                         g_strerror (errno));
        }
        return FALSE;
    }
    char *argv[] = { guard, "--host", (char *) session, (char *) host_directory, "--ready-fd",
                     "3", NULL };
    g_auto (GStrv) environment = g_environ_unsetenv (g_get_environ (), "LD_PRELOAD");
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
        g_set_error (error, BASE_ERROR, BASE_ERROR_DENIED, "cannot start pddt's daemon: %s",
                     *answer ? answer : "it ended at once");
        return FALSE;
    }
    return TRUE;
}

static int
reach_daemon (const char *session, GError **error)
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
        if (fd < 0 && start_daemon (session, directory, error)) {
            fd = connect_daemon (directory);
            if (fd < 0) {
                g_set_error (error, BASE_ERROR, BASE_ERROR_LOST,
                             "cannot reach pddt's daemon: it ended");
            }
        }
        close (lock);
        return fd;
    }
    g_set_error (error, BASE_ERROR, BASE_ERROR_GONE, "cannot reach pddt's daemon: its directory "
                 "goes away again and again");
    return -1;
}

/* Yama lets the named process and its descendants trace: the guard is the daemon's parent and
 * may have to restore planted bytes after the daemon died. */
static void
allow_tracing (int fd)
{
    struct ucred peer;
    socklen_t size = sizeof peer;
    if (getsockopt (fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0 || peer.pid <= 0) {
        return;
    }
    g_autofree char *path = g_strdup_printf ("/proc/%d/stat", (int) peer.pid);
    g_autofree char *text = NULL;
    int parent = 0;
    if (g_file_get_contents (path, &text, NULL, NULL) && strrchr (text, ')')) {
        sscanf (strrchr (text, ')') + 1, " %*c %d", &parent);
    }
    prctl (PR_SET_PTRACER, (unsigned long) (parent > 1 ? parent : peer.pid), 0, 0, 0);
}

static gboolean
send_hello (int fd, LaunchRankInfo info, int input_fd)
{
    LaunchHello hello = { .version = LAUNCH_HAND_OVER_VERSION, .rank = info.rank,
                          .size = info.size, .local_rank = info.local_rank,
                          .has_input = input_fd >= 0 };
    char room[CMSG_SPACE (sizeof (int))] = { 0 };
    struct iovec bytes = { .iov_base = &hello, .iov_len = sizeof hello };
    struct msghdr message = { .msg_iov = &bytes, .msg_iovlen = 1 };
    if (input_fd >= 0) {
        message.msg_control = room;
        message.msg_controllen = sizeof room;
        struct cmsghdr *part = CMSG_FIRSTHDR (&message);
        part->cmsg_level = SOL_SOCKET;
        part->cmsg_type = SCM_RIGHTS;
        part->cmsg_len = CMSG_LEN (sizeof input_fd);
        memcpy (CMSG_DATA (part), &input_fd, sizeof input_fd);
    }
    return sendmsg (fd, &message, MSG_NOSIGNAL) == sizeof hello;
}

/* The write end of the new standard input, or -1 when this rank keeps its launcher's. */
static int
replace_input (const char *set, guint32 rank)
{
    gboolean all = g_strcmp0 (set, "all") == 0;
    g_autoptr (JobRankSet) ranks = set && !all ? job_rank_set_parse (set, G_MAXUINT32, NULL) : NULL;
    int pipe_fds[2];
    if ((!all && (!ranks || !job_rank_set_contains (ranks, rank))) ||
        pipe2 (pipe_fds, O_CLOEXEC) < 0) {
        return -1;
    }
    dup2 (pipe_fds[0], 0);
    close (pipe_fds[0]);
    return pipe_fds[1];
}

static gboolean
hand_over (const ShimWords *words, GError **error)
{
    int fd = reach_daemon (words->session, error);
    if (fd < 0) {
        return FALSE;
    }
    LaunchRankInfo info = launch_rank_info_read (g_getenv);
    allow_tracing (fd);
    int input_fd = replace_input (words->input, info.rank);
    char answer[4096];
    gssize size = -1;
    if (send_hello (fd, info, input_fd)) {
        do {
            size = recv (fd, answer, sizeof answer - 1, 0);
        } while (size < 0 && errno == EINTR);
    }
    if (input_fd >= 0) {
        close (input_fd);
    }
    close (fd);
    if (size == 1 && answer[0] == 'G') {
        return TRUE;
    }
    answer[MAX (size, 0)] = '\0';
    g_set_error (error, BASE_ERROR, BASE_ERROR_DENIED, "%s",
                 size > 0 ? answer : "cannot hand the rank over: pddt's daemon went away");
    return FALSE;
}

static int
become_program (char **program)
{
    execvp (program[0], program);
    int reason = errno;
    fprintf (stderr, "pddt: cannot start %s: %s\n", program[0],
             reason == ENOENT ? "no such file" : g_strerror (reason));
    return EXIT_NO_PROGRAM;
}

int
launch_shim_run (int argc, char **argv)
{
    ShimWords words = { 0 };
    if (!read_words (argc, argv, &words)) {
        fprintf (stderr, "usage: pddt-start [--session DIRECTORY] [--input SET] [--] PROGRAM "
                         "[ARG...]\n");
        return 2;
    }
    g_autofree char *key = words.session ? g_build_filename (words.session, "key", NULL) : NULL;
    if (!key || access (key, F_OK) < 0) {
        return become_program (words.program); /* the session is over: nothing to debug with */
    }
    g_autoptr (GError) error = NULL;
    if (!hand_over (&words, &error)) {
        fprintf (stderr, "pddt: %s\n", error->message);
        return EXIT_REFUSED;
    }
    int persona = personality (0xffffffff);
    if (persona >= 0) {
        personality ((unsigned long) persona | ADDR_NO_RANDOMIZE);
    }
    return become_program (words.program);
}
