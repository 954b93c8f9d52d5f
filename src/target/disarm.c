/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A process that was left by a tracer that died: its threads still have the tracer's debug registers
 * and its single steps, and the next write to what was watched, or the next instruction, would end it. */
#include "target/process.h"
#include <signal.h>
#include <stddef.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>

#define DEADLINE_US G_USEC_PER_SEC
#define ROUNDS 4 /* signals that are taken from one thread */

static gboolean
wait_for_status (pid_t tid, gint64 end, int *ret_status)
{
    pid_t found;

    while ((found = waitpid (tid, ret_status, __WALL | WNOHANG)) == 0 && g_get_monotonic_time () < end) {
        g_usleep (50);
    }
    return found == tid;
}

/* The signal to let it go with; that of a debug register or of a single step is nobody's any more. */
static int
judge_signal (pid_t tid, int status)
{
    TargetSignalInfo info;

    if (status >> 16 != 0) {
        return 0;
    }
    if (WSTOPSIG (status) == SIGTRAP && target_thread_get_signal_info (tid, &info) && info.code > 0
        && info.code != SI_KERNEL
        && (target_thread_take_watch_hits (tid) != 0 || info.code == TRAP_TRACE)) {
        return 0;
    }
    return WSTOPSIG (status);
}

static void
disarm_thread (pid_t tid, gint64 end)
{
    int status, signal;

    for (guint round = 0; round < ROUNDS; round++) {
        if (!wait_for_status (tid, end, &status) || !WIFSTOPPED (status)) {
            return; /* gone; or it is let go when the caller ends */
        }
        ptrace (PTRACE_POKEUSER, tid, (void *) (offsetof (struct user, u_debugreg) + 7 * sizeof (long)),
                NULL);
        signal = judge_signal (tid, status);
        if (signal != 0 || !target_thread_has_pending_trap (tid) || round + 1 == ROUNDS) {
            break;
        }
        target_thread_continue (tid, 0); /* no further than to that signal */
    }
    target_thread_detach (tid, signal);
}

void
target_process_disarm (pid_t pid)
{
    g_autoptr (GArray) tids = target_process_list_threads (pid);
    gint64 end = g_get_monotonic_time () + DEADLINE_US;

    /* A thread that is made meanwhile has none. */
    for (guint i = tids->len; i-- > 0;) {
        pid_t tid = g_array_index (tids, pid_t, i);

        if (ptrace (PTRACE_SEIZE, tid, NULL, NULL) != 0) {
            g_array_remove_index (tids, i);
        } else {
            target_thread_interrupt (tid);
        }
    }
    for (guint i = 0; i < tids->len; i++) {
        disarm_thread (g_array_index (tids, pid_t, i), end);
    }
}
