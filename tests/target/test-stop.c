/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A killed process of two traced threads: the kernel tells the end of the first when that of the other has
 * been taken, and who waits for it alone must not wait for ever. */
#include "base/error.h"
#include "target/process.h"
#include "target/stop.h"
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define DEADLINE_US (120 * G_USEC_PER_SEC)

static void *
sleep_on (void *unused)
{
    for (;;) {
        pause ();
    }
    return NULL;
}

static pid_t
start_child (void)
{
    pid_t pid = fork ();

    if (pid == 0) {
        pthread_t thread;

        prctl (PR_SET_PDEATHSIG, SIGKILL);
        pthread_create (&thread, NULL, sleep_on, NULL);
        sleep_on (NULL);
    }
    return pid;
}

/* The thread that is not the first; 0: there is none yet. */
static pid_t
find_other (pid_t pid)
{
    g_autoptr (GArray) tids = target_process_list_threads (pid);

    for (guint i = 0; i < tids->len; i++) {
        if (g_array_index (tids, pid_t, i) != pid) {
            return g_array_index (tids, pid_t, i);
        }
    }
    return 0;
}

static void
stop (pid_t tid)
{
    TargetStop stopped;

    g_assert_true (target_thread_seize (tid, FALSE, NULL));
    g_assert_true (target_thread_interrupt (tid));
    g_assert_cmpint (target_wait_for (tid, DEADLINE_US, &stopped), ==, TARGET_WAIT_STOP);
    g_assert_cmpint (stopped.kind, ==, TARGET_STOP_ASKED);
}

static void
test_dead_leader (void)
{
    gint64 end = g_get_monotonic_time () + DEADLINE_US;
    pid_t pid = start_child (), other;
    TargetStop ended;

    while ((other = find_other (pid)) == 0) {
        g_assert_cmpint (g_get_monotonic_time (), <, end);
        g_usleep (100);
    }
    stop (pid);
    stop (other);
    kill (pid, SIGKILL);
    while (target_thread_get_state (pid, pid) != 'Z') {
        /* from a stop for its exit, to which its options lead */
        target_thread_continue (pid, 0);
        g_assert_cmpint (g_get_monotonic_time (), <, end);
    }
    do {
        g_assert_cmpint (g_get_monotonic_time (), <, end);
    } while (target_wait_for (pid, 2 * DEADLINE_US, &ended) == TARGET_WAIT_STOP);
    do {
        g_assert_cmpint (target_wait_for (other, DEADLINE_US, &ended), ==, TARGET_WAIT_STOP);
        target_thread_continue (other, 0);
    } while (ended.kind != TARGET_STOP_ENDED);
    g_assert_cmpint (target_wait_for (pid, DEADLINE_US, &ended), ==, TARGET_WAIT_STOP);
    g_assert_cmpint (ended.kind, ==, TARGET_STOP_ENDED);
    g_assert_cmpint (ended.signal, ==, SIGKILL);
    g_assert_cmpint (g_get_monotonic_time (), <, end);
}

/* A child with so many signals pending, and behind them a SIGTRAP such as a trap's. */
static pid_t
start_loaded (guint n_signals)
{
    pid_t pid = fork ();

    if (pid == 0) {
        siginfo_t trap = { .si_signo = SIGTRAP, .si_code = TRAP_TRACE };
        sigset_t all;

        prctl (PR_SET_PDEATHSIG, SIGKILL);
        sigfillset (&all);
        sigprocmask (SIG_SETMASK, &all, NULL);
        for (guint i = 0; i < n_signals; i++) {
            pthread_kill (pthread_self (), SIGRTMIN + 3);
        }
        syscall (SYS_rt_tgsigqueueinfo, getpid (), getpid (), SIGTRAP, &trap);
        kill (getpid (), SIGUSR2); /* the last */
        sleep_on (NULL);
    }
    return pid;
}

/* All that are pending are looked at, however many there are. */
static void
test_many_pending (void)
{
    static const guint counts[] = { 0, 15, 16, 40 };

    for (guint i = 0; i < G_N_ELEMENTS (counts); i++) {
        pid_t pid = start_loaded (counts[i]);
        gint64 end = g_get_monotonic_time () + DEADLINE_US;
        TargetStop stopped;

        stop (pid);
        while ((target_thread_get_pending (pid) >> (SIGUSR2 - 1) & 1) == 0) {
            g_assert_cmpint (g_get_monotonic_time (), <, end);
            g_assert_true (target_thread_continue (pid, 0));
            g_assert_true (target_thread_interrupt (pid));
            g_assert_cmpint (target_wait_for (pid, DEADLINE_US, &stopped), ==,
                             TARGET_WAIT_STOP);
        }
        g_assert_true (target_thread_has_pending_trap (pid));
        g_assert_cmpuint (target_thread_get_pending (pid) >> (SIGTRAP - 1) & 1, ==, 1);
        g_assert_cmpuint (target_thread_get_pending (pid) >> (SIGUSR2 - 1) & 1, ==, 1);
        g_assert_true (target_thread_blocks_signal (pid, SIGUSR2));
        kill (pid, SIGKILL);
        g_assert_cmpint (target_wait_for (pid, DEADLINE_US, &stopped), ==, TARGET_WAIT_STOP);
    }
}

/* A thread that another process traces is named, with the process. */
static void
test_other_tracer (void)
{
    pid_t pid = start_child (), other, tracer;
    gint64 end = g_get_monotonic_time () + DEADLINE_US;
    g_autofree char *thread = NULL, *process = NULL;
    g_autoptr (GError) error = NULL;
    int ready[2];
    char byte;

    while ((other = find_other (pid)) == 0) {
        g_assert_cmpint (g_get_monotonic_time (), <, end);
    }
    g_assert_true (target_process_check_tracers (pid, &error));
    g_assert_cmpint (pipe (ready), ==, 0);
    tracer = fork ();
    if (tracer == 0) {
        prctl (PR_SET_PDEATHSIG, SIGKILL);
        target_thread_seize (other, FALSE, NULL);
        g_assert_cmpint (write (ready[1], "", 1), ==, 1);
        sleep_on (NULL);
    }
    g_assert_cmpint (read (ready[0], &byte, 1), ==, 1);
    g_assert_false (target_process_check_tracers (pid, &error));
    g_assert_error (error, BASE_ERROR, BASE_ERROR_DENIED);
    thread = g_strdup_printf ("tracing its thread %d", (int) other);
    process = g_strdup_printf ("process %d (", (int) tracer);
    g_assert_nonnull (strstr (error->message, thread));
    g_assert_nonnull (strstr (error->message, process));
    kill (tracer, SIGKILL);
    kill (pid, SIGKILL);
    g_assert_cmpint (waitpid (tracer, NULL, 0), ==, tracer);
    g_assert_cmpint (waitpid (pid, NULL, 0), ==, pid);
    close (ready[0]);
    close (ready[1]);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/target/stop/dead-leader", test_dead_leader);
    g_test_add_func ("/target/stop/many-pending", test_many_pending);
    g_test_add_func ("/target/stop/other-tracer", test_other_tracer);
    return g_test_run ();
}
