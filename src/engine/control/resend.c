/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Signals that a thread had already taken from the kernel's queue when something else came first: a call, another
 * signal, a stop at which none can be delivered. They are sent again, and get back what their siginfo said
 * when they arrive. */
#include "engine/control/private.h"
#include <signal.h>
#include <string.h>
#include <unistd.h>

#define DELIVERY_US G_USEC_PER_SEC
/* Of one that gets no processor, with a mask that is not its own: it stops before it executes anything. */
#define TAKE_BACK_US (30 * G_USEC_PER_SEC)
#define MAX_TAKEN 1000u

typedef struct {
    siginfo_t info;
    gboolean
        is_decided; /* what is to be done about it has been decided: it is passed on silently */
} Resent;

static pid_t
get_group (const EngineThread *thread)
{
    return thread->shares_memory ? thread->tid : thread->process->pid;
}

/* One that stops the program is void once SIGCONT has been sent, which waits until the thread goes on. */
static gboolean
is_void (const EngineThread *thread, int signal)
{
    return (signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU)
           && (target_thread_get_pending (thread->tid) & target_signal_get_bit (SIGCONT)) != 0;
}

/* It was taken from the queue before those that were sent again and are still there: it gets back what it said before
 * them. */
static void
resend (EngineThread *thread, const siginfo_t *info, gboolean is_decided)
{
    const Resent resent = { *info, is_decided };

    if (is_void (thread, info->si_signo)) {
        return;
    }
    if (thread->resent == NULL) {
        thread->resent = g_array_new (FALSE, FALSE, sizeof (Resent));
    }
    if (target_thread_send_signal (get_group (thread), thread->tid, info->si_signo)) {
        g_array_prepend_val (thread->resent, resent);
    }
}

/* tgkill's, by this process, which a process in another namespace does not see. */
static gboolean
is_sent_by_us (const siginfo_t *info)
{
    return info->si_code == SI_TKILL && (info->si_pid == getpid () || info->si_pid == 0);
}

/* A signal can be given along only from a signal stop; from others it is sent again. Who sent it and where it
 * was raised the kernel forgets when the thread runs in between. */
int
engine_signal_take_pending (EngineThread *thread)
{
    siginfo_t info = thread->pending_info;
    int signal = thread->pending_signal;
    gboolean is_known = signal != 0 && info.si_signo == signal;

    thread->pending_signal = 0;
    if (is_known) {
        thread->pending_info.si_signo = 0;
    }
    if (signal != 0 && !thread->at_signal_stop) {
        if (!is_known) {
            info = (siginfo_t){ .si_signo = signal, .si_code = SI_USER };
            info.si_pid = getpid ();
        }
        resend (thread, &info, TRUE);
        return 0;
    }
    if (is_known) {
        target_thread_set_signal_info (thread->tid, &info);
    }
    return signal;
}

gboolean
engine_signal_take_resent (EngineThread *thread, TargetStop *stop)
{
    gboolean is_decided = FALSE, found = FALSE;

    if (thread->resent == NULL || !is_sent_by_us (&stop->info)) {
        return FALSE;
    }
    for (guint i = 0; i < thread->resent->len && !found; i++) {
        const Resent *resent = &g_array_index (thread->resent, Resent, i);

        if (resent->info.si_signo == stop->signal) {
            found = TRUE;
            stop->info = resent->info;
            is_decided = resent->is_decided;
            g_array_remove_index (thread->resent, i);
        }
    }
    return is_decided;
}

void
engine_signal_resend_held (EngineThread *thread)
{
    g_autoptr (GArray) held = g_array_new (FALSE, FALSE, sizeof (Resent));

    for (guint i = 0; i < thread->held_stops->len;) {
        TargetStop stop = g_array_index (thread->held_stops, TargetStop, i);
        Resent resent;

        if (stop.kind != TARGET_STOP_SIGNAL) {
            i++;
            continue;
        }
        g_array_remove_index (thread->held_stops, i);
        thread->process->engine->n_held--;
        resent.is_decided = engine_signal_take_resent (thread, &stop);
        resent.info = stop.info;
        g_array_append_val (held, resent);
    }
    for (guint i = held->len; i-- > 0;) {
        const Resent *resent = &g_array_index (held, Resent, i);

        resend (thread, &resent->info, resent->is_decided);
    }
}

/* ---- before the thread is let go ---- */

static GArray *
list_signals (EngineThread *thread)
{
    GArray *signals = g_array_new (FALSE, TRUE, sizeof (siginfo_t));
    siginfo_t pending = thread->pending_info;

    if (thread->pending_signal != 0) {
        if (pending.si_signo != thread->pending_signal) {
            memset (&pending, 0, sizeof pending);
            pending.si_signo = thread->pending_signal;
            pending.si_code = SI_USER;
            pending.si_pid = getpid ();
        }
        g_array_append_val (signals, pending);
    }
    for (guint i = 0; i < thread->held_stops->len; i++) {
        TargetStop stop = g_array_index (thread->held_stops, TargetStop, i);

        if (stop.kind == TARGET_STOP_SIGNAL
            && (engine_signal_take_resent (thread, &stop)
                || engine_signal_is_pass (thread->process, stop.signal))) {
            g_array_append_val (signals, stop.info);
        }
    }
    thread->pending_signal = 0;
    return signals;
}

static guint64
get_resent (const EngineThread *thread)
{
    guint64 signals = 0;

    for (guint i = 0; thread->resent != NULL && i < thread->resent->len; i++) {
        signals
            |= target_signal_get_bit (g_array_index (thread->resent, Resent, i).info.si_signo);
    }
    return signals & target_thread_get_pending (thread->tid);
}

/* Those that were sent again and have not arrived: later nobody would give them back what they said. The thread takes
 * them, whatever it blocks, before it executes anything. TRUE: it stands where it has taken one. */
static gboolean
take_back (EngineThread *thread, GArray *signals)
{
    guint64 mask = 0, resent = get_resent (thread);
    gboolean is_taken = FALSE,
             has_mask = resent != 0 && target_thread_get_mask (thread->tid, &mask);

    for (guint i = 0; has_mask && resent != 0 && i < MAX_TAKEN; i++) {
        TargetStop stop;

        if (!target_thread_set_mask (thread->tid, ~resent)
            || engine_thread_go_to_stop (thread, 0, FALSE, TAKE_BACK_US, &stop)
                   != ENGINE_CAME_TO_STOP
            || stop.kind != TARGET_STOP_SIGNAL) {
            break;
        }
        is_taken = TRUE;
        if (engine_signal_take_resent (thread, &stop)
            || engine_signal_is_pass (thread->process, stop.signal)) {
            g_array_append_val (signals, stop.info);
        }
        resent = get_resent (thread);
    }
    if (has_mask) {
        target_thread_set_mask (thread->tid, mask);
    }
    return is_taken;
}

/* Lets the thread take the signal, 0 for none, as far as the first instruction of its handler. FALSE: it does not
 * stop there. */
static gboolean
deliver (EngineThread *thread, int signal)
{
    TargetStop stop;

    return target_thread_interrupt (thread->tid)
           && engine_thread_go_to_stop (thread, signal, FALSE, DELIVERY_US, &stop)
                  == ENGINE_CAME_TO_STOP
           && stop.kind == TARGET_STOP_ASKED;
}

/* To a stop at which this signal can be delivered with its siginfo. Another one, that came while it stood, may be first. */
static gboolean
bring_to (EngineThread *thread, const siginfo_t *info)
{
    gboolean is_able = target_thread_send_signal (get_group (thread), thread->tid,
                                                  info->si_signo);

    for (guint i = 0; is_able && i < MAX_TAKEN; i++) {
        TargetStop stop;

        if (engine_thread_go_to_stop (thread, 0, FALSE, DELIVERY_US, &stop)
                != ENGINE_CAME_TO_STOP
            || stop.kind != TARGET_STOP_SIGNAL) {
            return FALSE;
        }
        if (stop.signal == info->si_signo) {
            return TRUE;
        }
        is_able = deliver (thread, engine_signal_is_pass (thread->process, stop.signal)
                                       ? stop.signal
                                       : 0);
    }
    return FALSE;
}

/* Of several signals with one number only the first has its handler entered: the others are blocked meanwhile. */
static gboolean
is_first (const GArray *signals, guint index)
{
    const siginfo_t *info = &g_array_index (signals, siginfo_t, index);
    gboolean is_repeated = FALSE;

    for (guint i = 0; i < index && !is_repeated; i++) {
        is_repeated = g_array_index (signals, siginfo_t, i).si_signo == info->si_signo;
    }
    return !is_repeated;
}

/* The last one first: each handler that is entered stands before those that were entered already. */
int
engine_signal_deliver_all (EngineThread *thread)
{
    g_autoptr (GArray) signals = list_signals (thread);
    gboolean is_able = thread->state == ENGINE_THREAD_STOPPED && !thread->in_group_stop
                       && !thread->exiting && !thread->in_vfork;
    gboolean at_signal = is_able && (take_back (thread, signals) || thread->at_signal_stop);
    int current = 0;

    for (guint i = signals->len; i-- > 0;) {
        const siginfo_t *info = &g_array_index (signals, siginfo_t, i);

        if (!is_first (signals, i)) {
            continue;
        }
        is_able = is_able && thread->state == ENGINE_THREAD_STOPPED
                  && (current == 0 || deliver (thread, current));
        current = is_able ? 0 : current;
        if (is_able && !target_thread_blocks_signal (thread->tid, info->si_signo)
            && (at_signal || bring_to (thread, info))) {
            target_thread_set_signal_info (thread->tid, info);
            current = info->si_signo;
            at_signal = FALSE;
        } else {
            target_thread_queue_signal (get_group (thread), thread->tid, info);
        }
    }
    for (guint i = 1; i < signals->len; i++) {
        if (!is_first (signals, i)) {
            target_thread_queue_signal (get_group (thread), thread->tid,
                                        &g_array_index (signals, siginfo_t, i));
        }
    }
    return current;
}
