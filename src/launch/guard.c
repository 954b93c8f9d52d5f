/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The launcher's parent: when the front end closes the lifeline, also by dying, the launcher's
 * process group is ended, at first politely. */
#include "launch/guard.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define GRACE_US (10 * G_USEC_PER_SEC)

static void
say (int lifeline, guint32 kind, int value)
{
    LaunchGuardWord word = { .kind = kind, .value = value };
    send (lifeline, &word, sizeof word, MSG_NOSIGNAL);
}

/* In the child; the mask is the one that this program was started with. The failure's number goes
 * into a pipe that closes at exec. */
static void
become_launcher (char **argv, const sigset_t *mask, pid_t guard, int failure)
{
    setpgid (0, 0);
    prctl (PR_SET_PDEATHSIG, SIGTERM);
    if (getppid () != guard) {
        _exit (127);
    }
    sigprocmask (SIG_SETMASK, mask, NULL);
    execvp (argv[0], argv);
    int reason = errno;
    gssize written = write (failure, &reason, sizeof reason);
    _exit (written > 0 ? 127 : 126);
}

/* FALSE when the front end wants the launcher ended, or is no more. */
static gboolean
hear_front_end (int lifeline)
{
    char byte;
    gssize size = recv (lifeline, &byte, 1, MSG_DONTWAIT);
    return size < 0 && (errno == EAGAIN || errno == EINTR);
}

/* TRUE when the launcher ended. */
static gboolean
reap (pid_t launcher, int *ret_status)
{
    pid_t pid;
    int status;
    while ((pid = waitpid (-1, &status, WNOHANG)) > 0) {
        if (pid == launcher) {
            *ret_status = status;
            return TRUE;
        }
    }
    return FALSE;
}

static int
watch (pid_t launcher, int lifeline, int signals)
{
    gint64 deadline = 0;
    gboolean killed = FALSE;
    int status = 0;
    struct pollfd fds[] = { { .fd = signals, .events = POLLIN },
                            { .fd = lifeline, .events = POLLIN } };
    while (!reap (launcher, &status)) {
        gint64 left = deadline ? (deadline - g_get_monotonic_time ()) / 1000 + 1 : -1;
        poll (fds, deadline ? 1 : 2, deadline && !killed ? (int) MAX (left, 0) : -1);
        struct signalfd_siginfo info;
        gboolean asked = FALSE;
        while (read (signals, &info, sizeof info) == sizeof info) {
            asked |= info.ssi_signo != SIGCHLD;
        }
        if (!deadline && (asked || (fds[1].revents && !hear_front_end (lifeline)))) {
            deadline = g_get_monotonic_time () + GRACE_US;
            kill (-launcher, SIGTERM);
            kill (-launcher, SIGCONT);
        } else if (deadline && !killed && g_get_monotonic_time () >= deadline) {
            killed = TRUE;
            kill (-launcher, SIGKILL);
        }
    }
    if (deadline || WIFSIGNALED (status)) {
        kill (-launcher, SIGKILL); /* what it left in its group */
    }
    return status;
}

static int
end_like (int status)
{
    if (!WIFSIGNALED (status)) {
        return WEXITSTATUS (status);
    }
    struct rlimit no_core = { 0, 0 };
    sigset_t all;
    setrlimit (RLIMIT_CORE, &no_core);
    signal (WTERMSIG (status), SIG_DFL);
    raise (WTERMSIG (status));
    sigfillset (&all);
    sigprocmask (SIG_UNBLOCK, &all, NULL);
    return 128 + WTERMSIG (status);
}

int
launch_guard_run (int lifeline_fd, char **launcher_argv)
{
    sigset_t mask, wanted;
    sigemptyset (&wanted);
    sigaddset (&wanted, SIGCHLD);
    sigaddset (&wanted, SIGTERM);
    sigaddset (&wanted, SIGINT);
    sigaddset (&wanted, SIGHUP);
    sigprocmask (SIG_BLOCK, &wanted, &mask);
    int signals = signalfd (-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK);
    pid_t self = getpid (), launcher = -1;
    int failure[2] = { -1, -1 }, reason = 0;
    if (signals >= 0 && pipe2 (failure, O_CLOEXEC) == 0) {
        launcher = fork ();
    }
    if (launcher == 0) {
        become_launcher (launcher_argv, &mask, self, failure[1]);
    }
    reason = errno;
    close (failure[1]);
    if (launcher < 0 || read (failure[0], &reason, sizeof reason) == sizeof reason) {
        say (lifeline_fd, 'E', reason);
        return 127;
    }
    close (failure[0]);
    setpgid (launcher, launcher);
    say (lifeline_fd, 'P', launcher);
    int status = watch (launcher, lifeline_fd, signals);
    say (lifeline_fd, 'W', status);
    return end_like (status);
}
