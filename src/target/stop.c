/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decodes waitpid's statuses for a tracer that has seized its tracees with
 * PTRACE_O_TRACESYSGOOD. */
#include "target/stop.h"
#include "target/process.h"
#include <errno.h>
#include <sched.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#ifndef TRAP_HWBKPT
#define TRAP_HWBKPT 4
#endif
#define N_YIELDS 200u /* before it sleeps in between, for a part of what it has waited: */
#define PAUSE_PART 16
#define LEAST_PAUSE_US 50
#define MOST_PAUSE_US 1000
#define LOOK_US 20000

static TargetStopKind
decode_event (int event, int signal)
{
    switch (event) {
    case PTRACE_EVENT_CLONE: return TARGET_STOP_CLONE;
    case PTRACE_EVENT_FORK: return TARGET_STOP_FORK;
    case PTRACE_EVENT_VFORK: return TARGET_STOP_VFORK;
    case PTRACE_EVENT_VFORK_DONE: return TARGET_STOP_VFORK_DONE;
    case PTRACE_EVENT_EXEC: return TARGET_STOP_EXEC;
    case PTRACE_EVENT_EXIT: return TARGET_STOP_EXIT;
    default: return signal != SIGTRAP ? TARGET_STOP_GROUP : TARGET_STOP_ASKED;
    }
}

/* Linux gives 0x80 (SI_KERNEL) for int3, TRAP_TRACE, TRAP_BRKPT and TRAP_HWBKPT for single
 * steps and debug registers, and where a step has delivered a signal, ptrace_notify's own
 * SIGTRAP (5) as the code. A signal that was sent has none of these codes. */
static TargetStopKind
decode_trap (const siginfo_t *info)
{
    switch (info->si_code) {
    case SI_KERNEL: return TARGET_STOP_TRAP;
    case TRAP_TRACE:
    case TRAP_BRKPT:
    case TRAP_HWBKPT: return TARGET_STOP_STEP;
    case SIGTRAP: return TARGET_STOP_HANDLER;
    default: return TARGET_STOP_SIGNAL;
    }
}

static void
decode (int status, TargetStop *stop)
{
    int event = status >> 16;

    if (!WIFSTOPPED (status)) {
        stop->kind = TARGET_STOP_ENDED;
        stop->number = WIFEXITED (status) ? WEXITSTATUS (status) : 0;
        stop->signal = WIFSIGNALED (status) ? WTERMSIG (status) : 0;
        return;
    }
    stop->signal = WSTOPSIG (status);
    if (event != 0) {
        stop->kind = decode_event (event, stop->signal);
    } else if (stop->signal == (SIGTRAP | 0x80)) {
        stop->kind = TARGET_STOP_CALL;
    } else if (ptrace (PTRACE_GETSIGINFO, stop->tid, NULL, &stop->info) != 0) {
        stop->kind = TARGET_STOP_ASKED;
    } else {
        stop->kind = stop->signal == SIGTRAP ? decode_trap (&stop->info) : TARGET_STOP_SIGNAL;
    }
}

TargetWait
target_wait (pid_t tid, TargetStop *ret_stop)
{
    TargetStop stop = { 0 };
    int status;

    do {
        stop.tid = waitpid (tid, &status, __WALL | __WNOTHREAD | WNOHANG);
    } while (stop.tid < 0 && errno == EINTR);
    if (stop.tid <= 0) {
        return stop.tid == 0 ? TARGET_WAIT_NONE : TARGET_WAIT_NOBODY;
    }
    decode (status, &stop);
    *ret_stop = stop;
    return TARGET_WAIT_STOP;
}

/* A process's first thread that has ended is told of when all others have been waited for. */
static gboolean
is_dead_leader (pid_t tid)
{
    char state = target_thread_get_state (tid, tid);

    return state == 'Z' || state == 'X';
}

TargetWait
target_wait_for (pid_t tid, gint64 timeout_us, TargetStop *ret_stop)
{
    gint64 begin = g_get_monotonic_time (), look_us = begin;
    gboolean is_dead = FALSE;

    for (guint round = 0;; round++) {
        TargetWait answer = target_wait (tid, ret_stop);
        gint64 now = g_get_monotonic_time ();

        if (answer != TARGET_WAIT_NONE || is_dead || now > begin + timeout_us) {
            return answer;
        }
        if (round < N_YIELDS) {
            sched_yield ();
            continue;
        }
        if (now >= look_us) {
            is_dead = is_dead_leader (tid);
            look_us = now + LOOK_US;
        }
        g_usleep ((gulong) CLAMP ((now - begin) / PAUSE_PART, LEAST_PAUSE_US, MOST_PAUSE_US));
    }
}

gboolean
target_stop_has_child (const TargetStop *stop)
{
    return stop->kind == TARGET_STOP_CLONE || stop->kind == TARGET_STOP_FORK
           || stop->kind == TARGET_STOP_VFORK;
}

gboolean
target_stop_is_fault (const TargetStop *stop)
{
    return stop->kind == TARGET_STOP_SIGNAL && stop->info.si_code > 0
           && (stop->signal == SIGSEGV || stop->signal == SIGBUS || stop->signal == SIGFPE
               || stop->signal == SIGILL);
}

gboolean
target_stop_is_watch (const TargetStop *stop)
{
    return stop->kind == TARGET_STOP_STEP && stop->info.si_code == TRAP_HWBKPT;
}

gboolean
target_stop_is_reported (const TargetStop *stop)
{
    return stop->kind == TARGET_STOP_STEP && stop->info.si_code == TRAP_BRKPT;
}

gboolean
target_stop_is_trap (const TargetStop *stop)
{
    return stop->kind == TARGET_STOP_TRAP || stop->kind == TARGET_STOP_STEP
           || stop->kind == TARGET_STOP_HANDLER;
}

gboolean
target_stop_takes_signal (const TargetStop *stop)
{
    return stop->kind == TARGET_STOP_SIGNAL || stop->kind == TARGET_STOP_TRAP
           || stop->kind == TARGET_STOP_STEP;
}
