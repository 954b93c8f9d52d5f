/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Why a traced thread has stopped, or how it has ended: waitpid's status (ptrace(2)), decoded
 * when it arrives, because the kernel forgets the details when the thread resumes. Only on the
 * tracer's thread. */
#pragma once
#include <glib.h>
#include <signal.h>
#include <sys/types.h>

typedef enum {
    TARGET_STOP_ENDED,  /* it is gone; its process is, when it is the first thread */
    TARGET_STOP_SIGNAL, /* about to be delivered */
    TARGET_STOP_TRAP,   /* an int3 was run, the tracer's or the program's; pc is behind it */
    TARGET_STOP_STEP,   /* a single step has ended, or a debug register has triggered */
    TARGET_STOP_HANDLER, /* before the first instruction of a signal's handler: where a single step that
                             * delivered the signal ends. Or the program has sent itself a SIGTRAP of that kind. */
    TARGET_STOP_CALL, /* at the entry of a system call, or at its return */
    TARGET_STOP_CLONE,
    TARGET_STOP_FORK,
    TARGET_STOP_VFORK,
    TARGET_STOP_VFORK_DONE,
    TARGET_STOP_EXEC,
    TARGET_STOP_EXIT, /* about to end; its registers can still be read */
    TARGET_STOP_ASKED, /* target_thread_interrupt, a new thread's or child's first stop, or nothing is known
                             * as it is being killed */
    TARGET_STOP_GROUP, /* job control stops the process */
} TargetStopKind;

typedef struct {
    pid_t tid;
    TargetStopKind kind;
    int signal; /* SIGNAL, TRAP, STEP, HANDLER (the last three SIGTRAP), GROUP; ENDED: that killed it, 0 none */
    int number;     /* ENDED: exit status */
    siginfo_t info; /* SIGNAL, TRAP, STEP, HANDLER */
} TargetStop;

typedef enum { TARGET_WAIT_NOBODY = -1, TARGET_WAIT_NONE, TARGET_WAIT_STOP } TargetWait;
/* The next stop of that thread, -1: of any. Does not wait. NOBODY: there is none that it could come from. */
TargetWait target_wait (pid_t tid, TargetStop *ret_stop);
/* The same, until it comes: for a stop that is certain to come at once. NONE: it does not within timeout_us. */
TargetWait target_wait_for (pid_t tid, gint64 timeout_us, TargetStop *ret_stop);
/* One of fork, vfork, clone: the child that target_thread_get_event_message names. */
gboolean target_stop_has_child (const TargetStop *stop);
/* TRAP, STEP or HANDLER: nobody sent it. */
gboolean target_stop_is_trap (const TargetStop *stop);
/* A signal is about to be delivered, so that another one, or none, can be in its place. */
gboolean target_stop_takes_signal (const TargetStop *stop);
