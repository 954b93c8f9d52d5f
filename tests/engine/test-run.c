/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Starting, stopping, signals, threads, forks and ends, without any debug information needed. */
#include "base/error.h"
#include "rig.h"
#include "../support/folder.h"
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

static void
expect_end (Rig *rig, guint32 slot, JobState state, int number, const char *text)
{
    const JobEvent *event = rig_wait_stop (rig, slot);

    g_assert_cmpstr (job_state_get_info (event->state)->word, ==,
                     job_state_get_info (state)->word);
    g_assert_cmpint (event->number, ==, number);
    g_assert_cmpstr (event->text, ==, text);
    g_assert_cmpuint (engine_get_n_ranks (rig->engine), ==, 0);
}

static void
run_to_end (const char *argument, JobState state, int number, const char *text)
{
    Rig rig;

    rig_open (&rig, "none");
    guint32 slot = rig_start_inferior (&rig, "inferior-signals", argument);
    expect_end (&rig, slot, state, number, text);
    rig_close (&rig);
}

static void
test_exits (void)
{
    run_to_end ("0", JOB_STATE_EXITED, 0, NULL);
    run_to_end ("3", JOB_STATE_FAILED, 3, NULL);
}

static void
test_alarms_pass (void)
{
    run_to_end ("alarm", JOB_STATE_EXITED, 0, NULL);
}

static void
check_signal (const char *argument, const char *name, gboolean fatal)
{
    Rig rig;
    const JobEvent *event;

    rig_open (&rig, "none");
    guint32 slot = rig_start_inferior (&rig, "inferior-signals", argument);
    event = rig_wait_stop (&rig, slot);
    g_assert_cmpint (event->state, ==, JOB_STATE_SIGNAL);
    g_assert_cmpstr (event->text, ==, name);
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    expect_end (&rig, slot, fatal ? JOB_STATE_FAILED : JOB_STATE_EXITED,
                fatal ? (strcmp (name, "SIGFPE") == 0    ? SIGFPE
                         : strcmp (name, "SIGSEGV") == 0 ? SIGSEGV
                                                         : SIGABRT)
                      : 0,
                fatal ? name : NULL);
    rig_close (&rig);
}

static void
test_signals (void)
{
    check_signal ("fpe", "SIGFPE", TRUE);
    check_signal ("segv", "SIGSEGV", TRUE);
    check_signal ("abort", "SIGABRT", TRUE);
    check_signal ("usr1", "SIGUSR1", FALSE);
}

static void
test_start_at_main (void)
{
    Rig rig;
    const JobEvent *event;

    rig_open (&rig, "main");
    guint32 slot = rig_start_inferior (&rig, "inferior-signals", "3");
    event = rig_wait_stop (&rig, slot);
    g_assert_cmpint (event->state, ==, JOB_STATE_STOPPED);
    g_assert_cmpuint (event->request, ==, rig.start_request);
    g_assert_nonnull (event->place);
    g_assert_cmpstr (event->place->function, ==, "main");
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    expect_end (&rig, slot, JOB_STATE_FAILED, 3, NULL);
    rig_close (&rig);
}

/* The main function of the wrapper is no stop. */
static void
test_start_through_env (void)
{
    Rig rig;
    const JobEvent *event;
    g_autofree char *path = rig_dup_inferior ("inferior-signals");
    char *argv[] = { "env", "A=1", "sh", "-c", NULL, NULL };
    g_autofree char *line = g_strdup_printf ("exec %s 5", path);

    argv[4] = line;
    rig_open (&rig, "main");
    guint32 slot = rig_start (&rig, argv, NULL);
    event = rig_wait_stop (&rig, slot);
    g_assert_cmpint (event->state, ==, JOB_STATE_STOPPED);
    g_assert_cmpstr (event->place->function, ==, "main");
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    expect_end (&rig, slot, JOB_STATE_FAILED, 5, NULL);
    rig_close (&rig);
}

/* START comes after the rank has reported. */
static void
test_held_until_start (void)
{
    Rig rig;
    g_autoptr (JobRequest) request = job_request_new (JOB_VERB_START, NULL);

    rig_open (&rig, NULL);
    guint32 slot = rig_start_inferior (&rig, "inferior-signals", "0");
    rig_wait (&rig, slot, JOB_EVENT_RANKS);
    rig_wait (&rig, slot, JOB_EVENT_RANKS); /* after the exec */
    request->id = ++rig.last_request;
    request->text = g_strdup ("start");
    engine_handle (rig.engine, request);
    g_assert_cmpint (rig_wait_stop (&rig, slot)->state, ==, JOB_STATE_STOPPED);
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    expect_end (&rig, slot, JOB_STATE_EXITED, 0, NULL);
    rig_close (&rig);
}

static void
test_pause (void)
{
    Rig rig;
    guint64 id;
    const JobEvent *event;

    rig_open (&rig, "none");
    guint32 slot = rig_start_inferior (&rig, "inferior-signals", "loop");
    rig_wait (&rig, slot, JOB_EVENT_STATE);
    for (guint i = 0; i < 20; i++) {
        id = rig_do (&rig, slot, JOB_VERB_PAUSE);
        event = rig_wait (&rig, slot, JOB_EVENT_ACCEPTED);
        g_assert_cmpuint (event->request, ==, id);
        event = rig_wait_stop (&rig, slot);
        g_assert_cmpint (event->state, ==, JOB_STATE_STOPPED);
        g_assert_cmpuint (event->request, ==, id);
        id = rig_do (&rig, slot, JOB_VERB_CONTINUE);
        event = rig_wait (&rig, slot, JOB_EVENT_STATE);
        g_assert_cmpint (event->state, ==, JOB_STATE_RUNNING);
        g_assert_true (event->final);
        g_assert_cmpuint (event->request, ==, id);
    }
    rig_do (&rig, slot, JOB_VERB_KILL);
    expect_end (&rig, slot, JOB_STATE_FAILED, SIGKILL, "SIGKILL");
    id = rig_do (&rig, slot, JOB_VERB_CONTINUE);
    event = rig_wait (&rig, slot, JOB_EVENT_FAILURE);
    g_assert_cmpuint (event->request, ==, id);
    rig_close (&rig);
}

/* A system call that sleeps continues to sleep after a stop. */
static void
test_pause_in_sleep (void)
{
    Rig rig;

    rig_open (&rig, "none");
    guint32 slot = rig_start_inferior (&rig, "inferior-signals", "sleep");
    rig_wait (&rig, slot, JOB_EVENT_STATE);
    for (guint i = 0; i < 5; i++) {
        rig_do (&rig, slot, JOB_VERB_PAUSE);
        g_assert_cmpint (rig_wait_stop (&rig, slot)->state, ==, JOB_STATE_STOPPED);
        rig_do (&rig, slot, JOB_VERB_CONTINUE);
        rig_pump (&rig, 5);
    }
    g_assert_cmpuint (engine_get_n_ranks (rig.engine), ==, 1);
    rig_close (&rig);
}

static void
test_threads (void)
{
    Rig rig;
    g_autofree char *path = rig_dup_inferior ("inferior-threads");
    char *argv[] = { path, "8", "20000", NULL };

    rig_open (&rig, "none");
    guint32 slot = rig_start (&rig, argv, NULL);
    for (guint i = 0; i < 5; i++) {
        rig_pump (&rig, 1);
    }
    expect_end (&rig, slot, JOB_STATE_EXITED, 0, NULL);
    rig_close (&rig);
}

static void
test_many_ranks (void)
{
    Rig rig;
    guint32 slots[64];

    rig_open (&rig, "none");
    for (guint i = 0; i < G_N_ELEMENTS (slots); i++) {
        slots[i] = rig_start_inferior (&rig, "inferior-signals", "loop");
    }
    for (guint i = 0; i < G_N_ELEMENTS (slots); i++) {
        JobRequest *request = job_request_new (JOB_VERB_KILL, NULL);

        rig_send (&rig, slots[i], request);
    }
    for (gint64 end = g_get_monotonic_time () + 120 * G_USEC_PER_SEC;
         engine_get_n_ranks (rig.engine) > 0;) {
        g_assert_cmpint (g_get_monotonic_time (), <, end);
        rig_pump (&rig, 100);
    }
    rig_close (&rig);
}

static void
test_detach (void)
{
    Rig rig;
    pid_t pid;
    int status;
    g_autofree char *path = rig_dup_inferior ("inferior-signals");
    char *argv[] = { path, "loop", NULL };

    rig_open (&rig, "main");
    guint32 slot = rig_start (&rig, argv, &pid);
    rig_wait_stop (&rig, slot);
    rig_do (&rig, slot, JOB_VERB_DETACH);
    g_assert_cmpint (rig_wait_stop (&rig, slot)->state, ==, JOB_STATE_LOST);
    rig_close (&rig);
    g_assert_cmpint (waitpid (pid, &status, WNOHANG), ==, 0); /* it runs on */
    kill (pid, SIGKILL);
    g_assert_cmpint (waitpid (pid, &status, 0), ==, pid);
}

/* For a stripped program, the C library knows where main is. */
static void
test_stripped (void)
{
    Rig rig;
    const JobEvent *event;

    rig_open (&rig, "main");
    guint32 slot = rig_start_inferior (&rig, "inferior-stripped", "3");
    event = rig_wait_stop (&rig, slot);
    g_assert_cmpint (event->state, ==, JOB_STATE_STOPPED);
    g_assert_nonnull (event->place);
    g_assert_cmpstr (event->place->function, ==, "main");
    g_assert_cmpstr (event->place->module, ==, "inferior-stripped");
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    expect_end (&rig, slot, JOB_STATE_FAILED, 3, NULL);
    rig_close (&rig);
}

/* Attaches to a process with threads while it runs, and detaches without leaving a trace. */
static void
test_attach (void)
{
    Rig rig;
    g_autofree char *path = rig_dup_inferior ("inferior-threads");
    pid_t pid = fork ();
    EngineRankInfo info = { .pid = pid, .size = 1, .launched = FALSE, .input_fd = -1 };
    g_autoptr (GError) error = NULL;
    guint32 slot = 0;
    int status;

    if (pid == 0) {
        execl (path, path, "4", "20000000", NULL);
        _exit (126);
    }
    for (gint64 end = g_get_monotonic_time () + 120 * G_USEC_PER_SEC;;) {
        g_autofree char *task = g_strdup_printf ("/proc/%d/task", (int) pid);
        g_autoptr (GDir) folder = g_dir_open (task, 0, NULL);
        guint n = 0;

        while (folder != NULL && g_dir_read_name (folder) != NULL) {
            n++;
        }
        if (n >= 5) {
            break;
        }
        g_assert_cmpint (g_get_monotonic_time (), <, end);
    }
    rig_open (&rig, NULL);
    g_assert_true (engine_adopt (rig.engine, &info, &slot, &error));
    g_assert_cmpint (rig_wait_stop (&rig, slot)->state, ==, JOB_STATE_STOPPED);
    if (rig_has_symbols (&rig)) {
        rig_break (&rig, slot, 1, "hit", NULL);
        for (guint i = 0; i < 20; i++) {
            rig_do (&rig, slot, JOB_VERB_CONTINUE);
            g_assert_cmpint (rig_wait_stop (&rig, slot)->state, ==, JOB_STATE_BREAKPOINT);
        }
        rig_do (&rig, slot, JOB_VERB_CONTINUE);
    }
    rig_close (&rig); /* in the middle of hits */
    g_assert_cmpint (waitpid (pid, &status, 0), ==, pid);
    g_assert_true (WIFEXITED (status));
    g_assert_cmpint (WEXITSTATUS (status), ==, 0); /* not one instruction was lost */
}

/* A process of which another one traces a thread is refused, and goes on. */
static void
test_attach_traced (void)
{
    Rig rig;
    g_autofree char *path = rig_dup_inferior ("inferior-signals");
    EngineRankInfo info = { .size = 1, .launched = FALSE, .input_fd = -1 };
    g_autoptr (GError) error = NULL;
    int ready[2];
    char byte;
    pid_t tracer;

    g_assert_cmpint (pipe (ready), ==, 0);
    info.pid = fork ();
    if (info.pid == 0) {
        execl (path, path, "sleep", NULL);
        _exit (126);
    }
    tracer = fork ();
    if (tracer == 0) {
        prctl (PR_SET_PDEATHSIG, SIGKILL);
        byte = ptrace (PTRACE_SEIZE, info.pid, NULL, NULL) == 0;
        g_assert_cmpint (write (ready[1], &byte, 1), ==, 1);
        pause ();
    }
    g_assert_cmpint (read (ready[0], &byte, 1), ==, 1);
    g_assert_cmpint (byte, ==, 1);
    rig_open (&rig, NULL);
    g_assert_false (engine_adopt (rig.engine, &info, NULL, &error));
    g_assert_error (error, BASE_ERROR, BASE_ERROR_DENIED);
    g_assert_nonnull (strstr (error->message, "already tracing it"));
    g_assert_cmpuint (engine_get_n_ranks (rig.engine), ==, 0);
    kill (tracer, SIGKILL);
    g_assert_cmpint (waitpid (tracer, NULL, 0), ==, tracer);
    kill (info.pid, SIGKILL);
    g_assert_cmpint (waitpid (info.pid, NULL, 0), ==, info.pid);
    rig_close (&rig);
    close (ready[0]);
    close (ready[1]);
}

/* The tracer is killed: a launched rank must not outlive it. */
static void
test_killed_tracer (void)
{
    int pipe_fd[2], status;
    pid_t tracer, rank = 0;

    g_assert_cmpint (pipe (pipe_fd), ==, 0);
    tracer = fork ();
    if (tracer == 0) {
        Rig rig;
        g_autofree char *path = rig_dup_inferior ("inferior-signals");
        char *argv[] = { path, "loop", NULL };

        rig_open (&rig, "main");
        rig_wait_stop (&rig, rig_start (&rig, argv, &rank));
        if (rig.symbols > 0) {
            kill (rig.symbols, SIGKILL);
            waitpid (rig.symbols, NULL, 0);
        }
        folder_remove (rig.folder); /* nobody is left to do it */
        if (write (pipe_fd[1], &rank, sizeof rank) != sizeof rank) {
            _exit (1);
        }
        pause ();
    }
    g_assert_cmpint (read (pipe_fd[0], &rank, sizeof rank), ==, sizeof rank);
    kill (tracer, SIGKILL);
    g_assert_cmpint (waitpid (tracer, &status, 0), ==, tracer);
    for (gint64 end = g_get_monotonic_time () + 120 * G_USEC_PER_SEC;;) {
        g_autofree char *stat_path = g_strdup_printf ("/proc/%d/stat", (int) rank);
        g_autofree char *text = NULL;

        if (!g_file_get_contents (stat_path, &text, NULL, NULL)
            || strstr (text, ") Z ") != NULL) {
            break;
        }
        g_assert_cmpint (g_get_monotonic_time (), <, end);
        g_usleep (1000);
    }
    close (pipe_fd[0]);
    close (pipe_fd[1]);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/engine/run/exits", test_exits);
    g_test_add_func ("/engine/run/alarms-pass", test_alarms_pass);
    g_test_add_func ("/engine/run/signals", test_signals);
    g_test_add_func ("/engine/run/start-at-main", test_start_at_main);
    g_test_add_func ("/engine/run/start-through-env", test_start_through_env);
    g_test_add_func ("/engine/run/held-until-start", test_held_until_start);
    g_test_add_func ("/engine/run/pause", test_pause);
    g_test_add_func ("/engine/run/pause-in-sleep", test_pause_in_sleep);
    g_test_add_func ("/engine/run/threads", test_threads);
    g_test_add_func ("/engine/run/many-ranks", test_many_ranks);
    g_test_add_func ("/engine/run/detach", test_detach);
    g_test_add_func ("/engine/run/killed-tracer", test_killed_tracer);
    g_test_add_func ("/engine/run/stripped", test_stripped);
    g_test_add_func ("/engine/run/attach", test_attach);
    g_test_add_func ("/engine/run/attach-traced", test_attach_traced);
    return g_test_run ();
}
