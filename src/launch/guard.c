/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The launcher's parent: when the front end dies or closes the lifeline, ends the launcher's
 * process group, first with SIGTERM. */
#include "launch/guard.h"
#include "base/inherited.h"
#include "base/limits.h"
#include "base/signals.h"
#include "launch/launch.h"
#include "launch/relay-private.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define GRACE_US (10 * G_USEC_PER_SEC)
#define QUICK_US (3 * G_USEC_PER_SEC) /* it may be asleep in its own delayed abort */

static void
say (int lifeline, guint32 kind, int value)
{
    LaunchGuardWord word = { .kind = kind, .value = value };
    send (lifeline, &word, sizeof word, MSG_NOSIGNAL);
}

/* In the child; restores the original signal mask. Writes errno of a failure to a close-on-exec
 * pipe. group 0: its own. */
static void
become_launcher (char **argv, const sigset_t *mask, pid_t guard, pid_t group, int failure)
{
    setpgid (0, group);
    prctl (PR_SET_PDEATHSIG, SIGTERM);
    if (getppid () != guard) {
        _exit (127);
    }
    sigprocmask (SIG_SETMASK, mask, NULL);
    base_limits_restore (NULL);
    execvp (argv[0], argv);
    int reason = errno;
    gssize written = write (failure, &reason, sizeof reason);
    _exit (written > 0 ? 127 : 126);
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

typedef struct {
    pid_t launcher;
    gboolean is_foreground; /* others are in its group, too */
    int lifeline, signals;
    gint64 deadline; /* for ending after SIGTERM; 0 none */
    gboolean killed, orphaned;
    LaunchRelay *relay; /* the front end left and let the job run on */
} Guard;

static void
send_signal (const Guard *guard, int number)
{
    kill (guard->is_foreground ? guard->launcher : -guard->launcher, number);
}

static void
begin_end (Guard *guard, gint64 grace_us)
{
    if (!guard->deadline) {
        guard->deadline = g_get_monotonic_time () + grace_us;
        send_signal (guard, SIGTERM);
        send_signal (guard, SIGCONT);
    }
}

/* The front end asks to end or keep the launcher, or is gone. */
static void
hear_front_end (Guard *guard)
{
    int fds[LAUNCH_RELAY_FDS];
    LaunchTagForm form;
    int word = launch_relay_receive (guard->lifeline, &form, fds);
    if (word == 'K' && !guard->relay) {
        guard->relay = launch_relay_new (form, fds);
        say (guard->lifeline, 'K', 0);
        signal (SIGPIPE, SIG_IGN);
        close (1); /* the launcher's, whose end must show */
        close (2);
        close (guard->lifeline);
        guard->lifeline = -1;
    } else if (word >= 0) {
        guard->orphaned = word == 0;
        begin_end (guard, word == 'Q' ? QUICK_US : GRACE_US);
    }
}

static void
wait_for_something (Guard *guard)
{
    const int *output = guard->relay ? launch_relay_get_fds (guard->relay) : NULL;
    gint64 left = guard->deadline && !guard->killed
                      ? MAX ((guard->deadline - g_get_monotonic_time ()) / 1000 + 1, 0)
                      : -1;
    struct pollfd fds[] = { { .fd = guard->signals, .events = POLLIN },
                            { .fd = guard->deadline ? -1 : guard->lifeline, .events = POLLIN },
                            { .fd = output ? output[0] : -1, .events = POLLIN },
                            { .fd = output ? output[1] : -1, .events = POLLIN } };
    poll (fds, G_N_ELEMENTS (fds), (int) left);
    struct signalfd_siginfo info;
    while (read (guard->signals, &info, sizeof info) == sizeof info) {
        if (info.ssi_signo != SIGCHLD) {
            begin_end (guard, GRACE_US);
        }
    }
    if (guard->relay) {
        launch_relay_copy (guard->relay);
    }
    if (fds[1].revents) {
        hear_front_end (guard);
    }
    if (guard->deadline && !guard->killed && g_get_monotonic_time () >= guard->deadline) {
        guard->killed = TRUE;
        send_signal (guard, SIGKILL);
    }
}

static int
watch (Guard *guard)
{
    int status = 0;
    while (!reap (guard->launcher, &status)) {
        wait_for_something (guard);
    }
    if (!guard->is_foreground && (guard->deadline || WIFSIGNALED (status))) {
        kill (-guard->launcher, SIGKILL); /* what it left in its group */
    }
    if (guard->relay) {
        launch_relay_copy (guard->relay);
        launch_relay_free (guard->relay);
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

/* Its environment is the launcher's and may contain the session's key: protects it from other
 * readers, and leaves no core. */
int
launch_guard_run (int lifeline_fd, const char *session_directory, gboolean is_foreground,
                  char **launcher_argv)
{
    sigset_t mask;
    base_limits_protect ();
    int signals = base_signals_open (&mask);
    pid_t self = getpid (), launcher = -1, group = is_foreground ? getpgrp () : 0;
    int failure[2] = { -1, -1 }, reason = 0;
    if (is_foreground) {
        setpgid (0, 0);
    }
    if (signals >= 0 && pipe2 (failure, O_CLOEXEC) == 0) {
        launcher = fork ();
    }
    if (launcher == 0) {
        become_launcher (launcher_argv, &mask, self, group, failure[1]);
    }
    reason = errno;
    close (failure[1]);
    if (launcher < 0 || read (failure[0], &reason, sizeof reason) == sizeof reason) {
        say (lifeline_fd, 'E', reason);
        return 127;
    }
    close (failure[0]);
    base_inherited_drop (lifeline_fd);
    setpgid (launcher, group != 0 ? group : launcher);
    say (lifeline_fd, 'P', launcher);
    Guard guard = { .launcher = launcher,
                    .is_foreground = is_foreground,
                    .lifeline = lifeline_fd,
                    .signals = signals };
    int status = watch (&guard);
    if (guard.orphaned && session_directory) {
        launch_session_remove_directory (session_directory);
    }
    if (guard.lifeline >= 0) {
        say (guard.lifeline, 'W', status);
    }
    return end_like (status);
}
