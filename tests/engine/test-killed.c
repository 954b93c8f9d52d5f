/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The process that traces an attached program is killed at each of the system calls by which it has the program make
 * one in between: the program goes on as if nothing had been. PDDT_LONG: at each of them; else at some of them, others
 * in each run. */
#include "failing.h"
#include "../support/folder.h"
#include "rig.h"
#include "target/process.h"
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define DEADLINE_US (120 * G_USEC_PER_SEC)
#define STRIDE 9u

static char *base; /* where folders are made */

static pid_t
start (const char *alive, const char *how)
{
    g_autofree char *path = rig_dup_inferior ("inferior-undisturbed");
    char *argv[] = { path, (char *) alive, (char *) how, NULL };
    int ends[2];
    char ready;
    pid_t pid;

    g_assert_cmpint (pipe2 (ends, O_CLOEXEC), ==, 0);
    pid = fork ();
    g_assert_cmpint (pid, >=, 0);
    if (pid == 0) {
        sigset_t none;

        prctl (PR_SET_PDEATHSIG, SIGKILL);
        sigemptyset (&none);
        sigprocmask (SIG_SETMASK, &none, NULL);
        dup2 (ends[1], 1);
        execv (path, argv);
        _exit (126);
    }
    close (ends[1]);
    g_assert_cmpint (read (ends[0], &ready, 1), ==,
                     1); /* nobody takes pddt's traps out of the loader */
    close (ends[0]);
    return pid;
}

static void
await_handler (Rig *rig, pid_t pid)
{
    gint64 end = g_get_monotonic_time () + DEADLINE_US;

    while (target_process_get_signal_use (pid, SIGTRAP) != TARGET_SIGNAL_CAUGHT) {
        g_assert_cmpint (g_get_monotonic_time (), <, end);
        rig_pump (rig, 1);
    }
}

/* The tracer, in a process of its own; status 0: it has let the program go before its `nth` call. */
static void
trace (pid_t pid, guint nth)
{
    EngineRankInfo info = { .pid = pid, .size = 1, .input_fd = -1 };
    Rig rig;

    rig_open (&rig, "none");
    engine_attach (rig.engine, &info, 1);
    rig_expect (&rig, 0, JOB_STATE_STOPPED, NULL, 0);
    rig_break (&rig, 0, 1, "never", NULL);
    rig_wait (&rig, 0, JOB_EVENT_BREAKPOINT);
    failing_kill_at (nth);
    rig_do (&rig, 0, JOB_VERB_CONTINUE);
    await_handler (&rig, pid);
    rig_do (&rig, 0, JOB_VERB_DETACH);
    rig_expect (&rig, 0, JOB_STATE_LOST, NULL, 0);
    g_assert_cmpint (target_process_get_signal_use (pid, SIGTRAP), ==, TARGET_SIGNAL_DEFAULT);
    failing_end ();
    rig_close (&rig);
    _exit (0);
}

static int
await (pid_t pid)
{
    gint64 end = g_get_monotonic_time () + DEADLINE_US;
    int status = 0;
    pid_t found;

    while ((found = waitpid (pid, &status, WNOHANG)) == 0) {
        g_assert_cmpint (g_get_monotonic_time (), <, end);
        g_usleep (500);
    }
    g_assert_cmpint (found, ==, pid);
    return status;
}

/* TRUE: the tracer had less to do. */
static gboolean
run (const char *folder, const char *how, guint nth)
{
    g_autofree char *alive = g_build_filename (folder, "alive", NULL);
    pid_t program, tracer;
    int status;

    g_assert_true (g_file_set_contents (alive, "", 0, NULL));
    program = start (alive, how);
    tracer = fork ();
    g_assert_cmpint (tracer, >=, 0);
    if (tracer == 0) {
        prctl (PR_SET_PDEATHSIG, SIGKILL);
        trace (program, nth);
    }
    status = await (tracer);
    unlink (alive);
    g_test_message ("%s %u: tracer %x", how, nth, (guint) status);
    g_assert_true (status == 0 || (WIFSIGNALED (status) && WTERMSIG (status) == SIGKILL));
    g_assert_cmpint (await (program), ==, 0);
    return status == 0;
}

/* GLib reads TMPDIR once, at the first use: not before the tracer, which is another process. */
static void
test_kept (gconstpointer how)
{
    gboolean is_long = g_getenv ("PDDT_LONG") != NULL;
    g_autofree char *folder = g_build_filename (base, "pddt-test-XXXXXX", NULL);
    guint nth = is_long ? 1 : 1 + (guint) getpid () % STRIDE;

    g_assert_nonnull (g_mkdtemp (folder));
    g_setenv ("TMPDIR", folder, TRUE); /* what a tracer that is killed leaves there */
    while (!run (folder, how, nth)) {
        nth += is_long ? 1 : STRIDE;
    }
    g_assert_cmpuint (nth, >, 2 * STRIDE);
    folder_remove (folder);
}

int
main (int argc, char **argv)
{
    const char *set = g_getenv ("TMPDIR");

    base = g_strdup (set != NULL ? set : "/tmp");
    g_test_init (&argc, &argv, NULL);
    g_test_add_data_func ("/registers", "registers", test_kept);
    g_test_add_data_func ("/sleep", "sleep", test_kept);
    g_test_add_data_func ("/poll", "poll", test_kept);
    return g_test_run ();
}
