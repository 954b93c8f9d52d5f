/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A killed process of two traced threads: the kernel tells the end of the first when that of the other has
 * been taken, and who waits for it alone must not wait for ever. */
#include "target/process.h"
#include "target/stop.h"
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#define DEADLINE_US (60 * G_USEC_PER_SEC)

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

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/target/stop/dead-leader", test_dead_leader);
    return g_test_run ();
}
