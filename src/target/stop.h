/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Why a traced thread has stopped, or how it has ended: waitpid's status (ptrace(2)), decoded
 * when it arrives, because the kernel forgets the details when the thread resumes. Only on the
 * tracer's thread. */
#pragma once
#include <glib.h>
#include <signal.h>
#include <sys/types.h>

typedef enum {
    TARGET_STOP_ENDED,  /* the thread has ended; if it is the first one, so has the process */
    TARGET_STOP_SIGNAL, /* a signal is about to be delivered */
    TARGET_STOP_TRAP,   /* an int3, the tracer's or the program's, has run; pc is behind it */
    TARGET_STOP_STEP,   /* a single step has ended, or a debug register has triggered */
    /* before the first instruction of a signal handler, where a single step ends if it delivers
     * the signal; or the program has sent itself a SIGTRAP that looks the same */
    TARGET_STOP_HANDLER,
    TARGET_STOP_CALL, /* at the entry of a system call, or at its return */
    TARGET_STOP_CLONE,
    TARGET_STOP_FORK,
    TARGET_STOP_VFORK,
    TARGET_STOP_VFORK_DONE,
    TARGET_STOP_EXEC,
    TARGET_STOP_EXIT, /* about to end; its registers can still be read */
    /* after target_thread_interrupt; the first stop of a new thread or child; or not known,
     * because it is being killed */
    TARGET_STOP_ASKED,
    TARGET_STOP_GROUP, /* job control has stopped the process */
} TargetStopKind;

typedef struct {
    pid_t tid;
    TargetStopKind kind;
    /* SIGNAL, TRAP, STEP, HANDLER (the last three SIGTRAP), GROUP; ENDED: the signal that
     * killed it, 0: none */
    int signal;
    int number;     /* ENDED: exit status */
    siginfo_t info; /* SIGNAL, TRAP, STEP, HANDLER */
} TargetStop;

typedef enum { TARGET_WAIT_NOBODY = -1, TARGET_WAIT_NONE, TARGET_WAIT_STOP } TargetWait;
/* The next stop of that thread, or of any thread if tid is -1. Does not wait. NOBODY: no thread
 * is left that could stop. */
TargetWait target_wait (pid_t tid, TargetStop *ret_stop);
/* The same, but waits, for a stop that is expected to come at once. NONE: it did not come within timeout_us,
 * or cannot, as the thread is the dead leader of a process whose other threads have not been waited for. */
TargetWait target_wait_for (pid_t tid, gint64 timeout_us, TargetStop *ret_stop);
/* For fork, vfork or clone: target_thread_get_event_message names the child. */
gboolean target_stop_has_child (const TargetStop *stop);
/* SIGSEGV and the like, raised by what the thread has executed, not sent by anybody. */
gboolean target_stop_is_fault (const TargetStop *stop);
/* STEP: by a debug register; by an instruction of the program, or a system call that was stepped. */
gboolean target_stop_is_watch (const TargetStop *stop);
gboolean target_stop_is_reported (const TargetStop *stop);
/* TRAP, STEP or HANDLER: not sent by anybody. */
gboolean target_stop_is_trap (const TargetStop *stop);
/* A signal is about to be delivered, so that the tracer can replace or drop it. */
gboolean target_stop_takes_signal (const TargetStop *stop);
