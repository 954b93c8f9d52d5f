/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cleans a process up after its tracer died: its threads still have debug registers and single-
 * step flags set, or traps before them, and the next write to a watched value, or the next instruction, would kill
 * it. */
#include "target/private.h"
#include <errno.h>
#include <signal.h>
#include <sys/ptrace.h>

#define DEADLINE_US G_USEC_PER_SEC
#define PAUSE_US 200
#define ROUNDS 4 /* at most so many signals are taken from one thread */

/* The signal with which to let the thread go. Nobody is waiting for those of debug registers
 * and single steps any more. */
static int
judge_signal (const TargetStop *stop)
{
    switch (stop->kind) {
    case TARGET_STOP_STEP:
        return target_thread_take_watch_hits (stop->tid) != 0
                       || stop->info.si_code == TRAP_TRACE
                   ? 0
                   : SIGTRAP;
    case TARGET_STOP_TRAP: return target_thread_undo_trap (stop->tid) ? 0 : SIGTRAP;
    case TARGET_STOP_SIGNAL:
    case TARGET_STOP_HANDLER: return stop->signal;
    default: return 0;
    }
}

/* traps: NULL once those of its process are restored. */
static void
disarm_thread (pid_t tid, pid_t pid, const BaseTrapTable **traps, gint64 end)
{
    TargetStop stop;
    int signal;

    for (guint round = 0; round < ROUNDS; round++) {
        if (target_wait_for (tid, end - g_get_monotonic_time (), &stop) != TARGET_WAIT_STOP
            || stop.kind == TARGET_STOP_ENDED) {
            return; /* it has ended, or is released when the caller ends */
        }
        if (*traps != NULL) {
            target_thread_restore_traps (tid, pid, *traps);
            *traps = NULL;
        }
        target_thread_clear_watches (tid);
        signal = judge_signal (&stop);
        if (signal != 0 || !target_thread_has_pending_trap (tid) || round + 1 == ROUNDS) {
            break;
        }
        target_thread_continue (tid, 0); /* runs no further than to that signal */
    }
    target_thread_detach (tid, signal);
}

static gboolean
is_alive (pid_t pid, pid_t tid)
{
    char state = target_thread_get_state (pid, tid);

    return state != 0 && state != 'Z' && state != 'X';
}

/* Those that are left are traced; *ret_is_refused: others may still be. A thread created meanwhile has no debug registers
 * set. */
static GArray *
stop_threads (pid_t pid, gboolean *ret_is_refused)
{
    GArray *tids = target_process_list_threads (pid);

    *ret_is_refused = FALSE;
    for (guint i = tids->len; i-- > 0;) {
        pid_t tid = g_array_index (tids, pid_t, i);

        if (ptrace (PTRACE_SEIZE, tid, NULL, NULL) != 0) {
            *ret_is_refused |= errno == EPERM && is_alive (pid, tid);
            g_array_remove_index (tids, i);
        } else {
            target_thread_interrupt (tid);
        }
    }
    return tids;
}

void
target_process_disarm (pid_t pid, const BaseTrapTable *traps, gint64 until_us)
{
    gboolean is_refused;
    g_autoptr (GArray) tids = stop_threads (pid, &is_refused);
    gint64 end;

    while (tids->len == 0 && is_refused && g_get_monotonic_time () < until_us) {
        g_usleep (PAUSE_US);
        g_array_unref (tids);
        tids = stop_threads (pid, &is_refused);
    }
    end = g_get_monotonic_time () + DEADLINE_US;
    for (guint i = 0; i < tids->len; i++) {
        disarm_thread (g_array_index (tids, pid_t, i), pid, &traps, end);
    }
}
