/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a process does with SIGTRAP, in two respects. The kernel forces the signal of a trap or a step on its thread: one
 * that blocks or ignores it loses what its program has said is to be done about it, which is put back before the thread
 * goes on. And a trap that a process meets while its tracer dies would end it: one that outlives its tracer, and does
 * nothing about SIGTRAP, gets a handler (machine/rescue.h) as long as a trap is planted. */
#include "engine/control/private.h"
#include "engine/notices.h"
#include "machine/rescue.h"
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>

#define LOOK_US 100000
/* Where a trap could make the kernel forget it, a handler counts so long as the one in force, and twice as long each time
 * that it still is: asking costs two stops, and these take long where the rank has no processor. */
#define TRUST_US 1000 /* at first: a program that has just begun sets its handlers soon */
#define MOST_TRUST_US G_USEC_PER_SEC
#define DOUBT_US 20000    /* a thread that has just met a trap has come to its stop by then */
#define UNBLOCKED_TIMES 8 /* as long where the signal is not blocked: it may be, any time */
#define KERNEL_SET_SIZE 8u

struct _EngineTrapAction {
    guint64 code;     /* of machine/rescue.h, in the process; 0: not there */
    guint8 *original; /* what stood there; NULL: another process has put it there */
    gboolean is_refused;
    gboolean is_ours, was_ours; /* the handler is in force; it has been */
    gboolean is_lost; /* the program's own one, which is known: it is to be put back */
    gboolean is_known, was_known; /* the program's own action, if it has one; it has had one */
    MachineSignalAction own;
    pid_t left;         /* this thread is in the code, or on its way out of it; 0: none */
    gboolean is_unsure; /* since the user lets it go on: for a thread that blocks the signal */
    gint64 looked_us, read_us, trust_us;
    gint64 wait_us;    /* until it is looked again whether there is a handler by now */
    gint64 doubted_us; /* the handler has been gone since, and nobody has lost it so far; 0 */
};

static EngineTrapAction *
get_action (EngineProcess *process)
{
    if (process->trap_action == NULL) {
        process->trap_action = g_new0 (EngineTrapAction, 1);
    }
    return process->trap_action;
}

void
engine_trap_action_forget (EngineProcess *process)
{
    if (process->trap_action != NULL) {
        g_free (process->trap_action->original);
        g_clear_pointer (&process->trap_action, g_free);
    }
}

/* By single steps that execute no system call and take no signal, a process with one thread has changed nothing about it. One
 * that outlives its tracer is looked at all the same: a trap may be planted by now. */
static gboolean
is_unchanged (const EngineProcess *process)
{
    return process->exit_kill && !process->has_run && process->threads->len == 1;
}

void
engine_trap_action_expire (EngineProcess *process)
{
    if (process->trap_action != NULL && !is_unchanged (process)) {
        process->trap_action->looked_us = 0;
        process->trap_action->is_unsure = TRUE;
    }
}

/* ---- in the process ---- */

static gboolean
has_code (EngineProcess *process, guint64 address)
{
    g_autofree guint8 *bytes = g_malloc (machine_rescue_size);

    return base_memory_read (engine_process_get_memory (process), address, bytes,
                             machine_rescue_action, NULL)
           && memcmp (bytes, machine_rescue_code, machine_rescue_action) == 0;
}

static gboolean
put_code (EngineProcess *process)
{
    EngineTrapAction *action = get_action (process);
    g_autofree guint8 *original = g_malloc (machine_rescue_size);
    guint64 address;

    if (action->code != 0 || action->is_refused) {
        return action->code != 0;
    }
    address = engine_displaced_reserve (process, machine_rescue_size);
    if (address == 0
        || !base_memory_read (engine_process_get_memory (process), address, original,
                              machine_rescue_size, NULL)
        || !base_memory_write (engine_process_get_memory (process), address,
                               machine_rescue_code, machine_rescue_size, NULL)) {
        action->is_refused = TRUE;
        return FALSE;
    }
    action->code = address;
    action->original = g_steal_pointer (&original);
    return TRUE;
}

static gboolean
is_inside (EngineProcess *process, EngineThread *thread)
{
    guint64 code = process->trap_action->code, pc = engine_thread_get_pc (thread);

    return pc >= code && pc < code + machine_rescue_size;
}

/* The code holds the registers of one thread at a time. */
static gboolean
is_occupied (EngineProcess *process)
{
    EngineTrapAction *action = process->trap_action;
    EngineThread *thread = action->left != 0
                               ? g_hash_table_lookup (process->engine->by_tid,
                                                      GINT_TO_POINTER (action->left))
                               : NULL;

    if (thread == NULL || thread->process != process
        || (thread->state == ENGINE_THREAD_STOPPED && !is_inside (process, thread))) {
        action->left = 0;
    }
    return action->left != 0;
}

/* rt_sigaction(2) of SIGTRAP; either may be 0. FALSE also when the rank has no action any more, as it executed another
 * program meanwhile. */
static gboolean
make_call (EngineThread *thread, guint64 set, guint64 get)
{
    const guint64 arguments[] = { SIGTRAP, set, get, KERNEL_SET_SIZE };
    EngineProcess *process = thread->process;
    const EngineSpace *space = process->space;
    EngineInserted answer;
    gint64 result;

    if (is_occupied (process)) {
        return FALSE;
    }
    process->trap_action->left = thread->tid;
    answer = engine_thread_insert_call (thread, process->trap_action->code, SYS_rt_sigaction,
                                        arguments, G_N_ELEMENTS (arguments), &result);
    if (process->ended || process->space != space || process->trap_action == NULL) {
        return FALSE;
    }
    if (answer != ENGINE_INSERTED_LEFT) {
        process->trap_action->left = 0;
    }
    return answer != ENGINE_INSERTED_NOT && result == 0;
}

/* The action there was is read from below the thread's stack, where what stands is nobody's. wanted: NULL, or to be in force
 * from now on. */
static gboolean
exchange (EngineThread *thread, const MachineSignalAction *wanted,
          MachineSignalAction *ret_before)
{
    EngineProcess *process = thread->process;
    guint64 set = wanted != NULL ? process->trap_action->code + machine_rescue_action : 0, get;

    if (!engine_thread_load_registers (thread)) {
        return FALSE;
    }
    get = (machine_registers_get_sp (&thread->registers) - machine_call_get_red_zone ()
           - sizeof *ret_before)
          & ~(guint64) 15;
    if ((wanted != NULL
         && !base_memory_write (engine_process_get_memory (process), set, wanted,
                                sizeof *wanted, NULL))
        || !make_call (thread, set, get)) {
        return FALSE;
    }
    engine_process_forget_cache (process);
    return base_memory_read (engine_process_get_memory (process), get, ret_before,
                             sizeof *ret_before, NULL);
}

static gboolean
get_current (EngineThread *thread, MachineSignalAction *ret_action)
{
    return exchange (thread, NULL, ret_action);
}

/* In the place of none. Another thread may have set one since that was seen: that one stays, and is *ret_action. */
static gboolean
set_action (EngineThread *thread, const MachineSignalAction *wanted,
            MachineSignalAction *ret_action)
{
    MachineSignalAction before, replaced;

    if (!exchange (thread, wanted, &before)) {
        return FALSE;
    }
    *ret_action = before.handler == MACHINE_SIGNAL_DEFAULT ? *wanted : before;
    return before.handler == MACHINE_SIGNAL_DEFAULT || exchange (thread, &before, &replaced);
}

/* ---- what the program does about it ---- */

/* Behind the system call that the thread is in, where it can make another one. Signals that come first are sent again. Not
 * with a step: that ends there, and the signal is not blocked for it. Nor where somebody wants to see the call's end. */
static gboolean
leave_call (EngineThread *thread)
{
    EngineProcess *process = thread->process;
    gboolean is_behind = !engine_thread_goes_by_steps (thread)
                         && !(thread->at_call_entry
                              && engine_ask (process, process->engine->notices->wants_calls))
                         && engine_thread_leave_call (thread);

    if (is_behind) {
        engine_signal_resend_held (thread);
    }
    return is_behind && process->trap_action != NULL;
}

/* A handler of the program's, or ours, which it may have from its parent. must_know: it may be forgotten before another
 * stop. */
static void
note_handler (EngineThread *thread, gboolean must_know)
{
    EngineProcess *process = thread->process;
    EngineTrapAction *action;
    MachineSignalAction current;
    gboolean is_read = put_code (process)
                       && (get_current (thread, &current)
                           || (must_know && process->trap_action != NULL && leave_call (thread)
                               && get_current (thread, &current))),
             is_same;

    action = process->trap_action;
    if (action == NULL) {
        return;
    }
    if (!is_read || process->ended) {
        action->looked_us = 0; /* at a stop where it can */
        return;
    }
    if (current.handler == MACHINE_SIGNAL_DEFAULT) { /* another thread has lost it meanwhile */
        action->looked_us = 0;
        return;
    }
    is_same = action->own.handler == current.handler;
    action->is_unsure = FALSE;
    action->own = current;
    action->read_us = action->looked_us;
    action->is_ours = action->own.handler == action->code;
    if (!action->is_ours && has_code (process, action->own.handler)) {
        g_clear_pointer (&action->original, g_free);
        action->code = action->own.handler;
        action->is_ours = TRUE;
    }
    action->is_known = !action->is_ours;
    action->trust_us = is_same ? MIN (2 * action->trust_us, MOST_TRUST_US) : TRUST_US;
}

/* It has blocked all signals while it ran, as posix_spawn does, and so SIGTRAP, too, which the kernel has unblocked again as it
 * forced it. */
static gboolean
blocks_all_others (const EngineThread *thread)
{
    const guint64 trap = target_signal_get_bit (SIGTRAP);
    /* the C library lets nobody block the two after the 31 usual ones, which are its own */
    const guint64 others = ~(target_signal_get_bit (SIGTRAP) | target_signal_get_bit (SIGKILL)
                             | target_signal_get_bit (SIGSTOP) | target_signal_get_bit (32)
                             | target_signal_get_bit (33));
    guint64 mask = 0;

    return thread->state == ENGINE_THREAD_STOPPED && target_thread_get_mask (thread->tid, &mask)
           && (mask & (others | trap)) == others;
}

/* By a trap or a step, rather than set to the default by the program itself. */
static gboolean
has_lost (const EngineThread *thread)
{
    return thread->met_trap
           && (thread->blocks_trap
               || thread->process->trap_action->own.handler == MACHINE_SIGNAL_IGNORE
               || blocks_all_others (thread));
}

static gboolean
is_lost (const EngineProcess *process)
{
    gboolean found = FALSE;

    for (guint i = 0; i < process->threads->len && !found; i++) {
        found = has_lost (g_ptr_array_index (process->threads, i));
    }
    return found;
}

/* Those that had blocked the signal: others may have met a trap at the same time, and who blocked it when it went on may
 * have unblocked it since. */
static void
block_again (EngineThread *thread)
{
    gboolean has_blocked = thread->lost_trap || thread->call_may_block
                           || blocks_all_others (thread);
    guint64 mask = 0;

    if (thread->state == ENGINE_THREAD_STOPPED && thread->met_trap && has_blocked
        && target_thread_get_mask (thread->tid, &mask)) {
        thread->is_open = thread->lost_trap = thread->call_may_block = FALSE;
        target_thread_set_mask (thread->tid, mask | target_signal_get_bit (SIGTRAP));
    }
}

static void
put_back (EngineThread *thread)
{
    EngineProcess *process = thread->process;
    EngineTrapAction *action;
    MachineSignalAction wanted, current;
    gboolean is_set;

    if (!put_code (process)) {
        process->trap_action->is_lost = TRUE;
        return;
    }
    wanted = process->trap_action->own;
    is_set = set_action (thread, &wanted, &current);
    action = process->trap_action;
    if (action == NULL) {
        return;
    }
    action->is_lost = !is_set;
    if (is_set) {
        action->own = current;
    }
    for (guint i = 0;
         is_set && action->own.handler != MACHINE_SIGNAL_IGNORE && i < process->threads->len;
         i++) {
        block_again (g_ptr_array_index (process->threads, i));
    }
}

static void
install (EngineThread *thread)
{
    EngineProcess *process = thread->process;
    MachineSignalAction rescue, current;
    gboolean is_set;

    if (put_code (process)) {
        rescue = machine_rescue_make_action (process->trap_action->code);
        process->trap_action->was_ours = TRUE;
        is_set = set_action (thread, &rescue, &current);
        if (process->trap_action != NULL) {
            process->trap_action->is_ours = is_set && current.handler == rescue.handler;
            process->trap_action->is_known = is_set && !process->trap_action->is_ours;
            process->trap_action->own = is_set ? current : rescue;
            process->trap_action->read_us = process->trap_action->looked_us;
            process->trap_action->trust_us = TRUST_US;
        }
    }
}

/* A handler is known, since so long that it may be another one by now, for so many times what it is trusted. */
static gboolean
is_old (const EngineTrapAction *action, gint64 times)
{
    return (action->is_known || action->is_ours) && action->own.handler != MACHINE_SIGNAL_IGNORE
           && g_get_monotonic_time () - action->read_us > action->trust_us * times;
}

/* Another thread may have met a trap that made the kernel forget it, and has not been seen to stop yet. */
static gboolean
may_be_lost (EngineThread *thread)
{
    EngineProcess *process = thread->process;
    EngineTrapAction *action = process->trap_action;
    gboolean runs = FALSE;

    for (guint i = 0; i < process->threads->len && !runs; i++) {
        runs = engine_thread_is_stoppable (g_ptr_array_index (process->threads, i));
    }
    if (runs && action->doubted_us == 0) {
        action->doubted_us = action->looked_us;
    }
    return runs && action->looked_us - action->doubted_us < DOUBT_US;
}

/* may_lose: the thread may meet a trap of ours or a step's end while it blocks the signal, and nobody could know any more what
 * handler it had: the system tells that there is one, and not which. */
static void
look (EngineThread *thread, gboolean may_lose, gboolean may_leave)
{
    EngineProcess *process = thread->process;
    EngineTrapAction *action = get_action (process);
    TargetSignalUse use;

    action->looked_us = g_get_monotonic_time ();
    process->has_run = FALSE;
    use = target_process_get_signal_use (process->pid, SIGTRAP);
    action->is_lost = action->is_lost && use == TARGET_SIGNAL_DEFAULT;
    action->was_known = action->was_known || action->is_known;
    action->doubted_us = use == TARGET_SIGNAL_DEFAULT ? action->doubted_us : 0;
    switch (use) {
    case TARGET_SIGNAL_IGNORED:
        action->is_known = TRUE;
        action->is_ours = FALSE;
        action->own = (MachineSignalAction){ .handler = MACHINE_SIGNAL_IGNORE };
        return;
    case TARGET_SIGNAL_CAUGHT:
        action->is_known = action->is_known && action->own.handler != MACHINE_SIGNAL_IGNORE;
        if (!(action->is_known || action->is_ours) || may_lose) {
            note_handler (thread,
                          may_leave
                              && (may_lose
                                  || target_thread_blocks_signal (thread->tid, SIGTRAP)));
        }
        return;
    case TARGET_SIGNAL_DEFAULT:
        if (action->is_known && (action->is_lost || is_lost (process))) {
            put_back (thread);
            return;
        }
        if (action->is_known && may_be_lost (thread)) {
            action->looked_us = 0;
            return;
        }
        action->is_known = action->is_ours = FALSE;
        action->wait_us = CLAMP (2 * action->wait_us, TRUST_US, LOOK_US);
        if (!process->exit_kill && !action->was_known
            && !target_traps_is_empty (engine_process_get_traps (process))) {
            install (thread);
        }
        return;
    case TARGET_SIGNAL_UNKNOWN: return;
    }
}

/* Without a handler so far: one that the program has set since, and a thread that may forget it. */
static gboolean
is_overdue (EngineThread *thread)
{
    const EngineTrapAction *action = thread->process->trap_action;
    gint64 since_us = g_get_monotonic_time () - action->looked_us;

    return since_us > LOOK_US
           || (!action->is_known && !action->is_ours
               && (since_us > action->wait_us
                   || (since_us > action->wait_us / UNBLOCKED_TIMES && !thread->is_open
                       && target_thread_blocks_signal (thread->tid, SIGTRAP))));
}

/* will_trap: it meets a trap of ours next, which is not planted yet. */
static gboolean
check (EngineThread *thread, gboolean will_trap)
{
    EngineProcess *process = thread->process;
    const EngineTrapAction *action = process->trap_action;
    const EngineSpace *space = process->space;
    gboolean takes_trap, is_due;

    if (engine_process_get_modules (process) == NULL || process->vfork != NULL
        || thread->shares_memory) {
        return TRUE;
    }
    /* its own signal: another thread may have made the kernel forget what is to be done about it */
    takes_trap = action != NULL && action->is_known && thread->pending_signal == SIGTRAP;
    if (!will_trap && target_traps_is_empty (engine_process_get_traps (process))
        && !thread->met_trap && !takes_trap && (action == NULL || !action->is_lost)) {
        return TRUE;
    }
    is_due = action != NULL
             && (is_old (action, UNBLOCKED_TIMES)
                 || ((is_old (action, 1) || (action->is_unsure && is_old (action, 0)))
                     && target_thread_blocks_signal (thread->tid, SIGTRAP)));
    if (action == NULL || (will_trap && !action->is_known)
        || (action->is_known && (thread->met_trap || action->is_lost)) || takes_trap || is_due
        || is_overdue (thread)) {
        look (thread, is_due,
              !will_trap); /* nobody calls a function from inside a system call */
    }
    thread->met_trap = thread->lost_trap = FALSE;
    return !process->ended && process->space == space && thread->state == ENGINE_THREAD_STOPPED;
}

gboolean
engine_trap_action_check (EngineThread *thread)
{
    return check (thread, FALSE);
}

gboolean
engine_trap_action_check_call (EngineThread *thread)
{
    return check (thread, TRUE);
}

void
engine_trap_action_begin (EngineThread *thread)
{
    const EngineTrapAction *action = thread->process->trap_action;

    thread->call_may_block = FALSE;
    thread->blocks_trap = action != NULL && action->is_known
                          && action->own.handler != MACHINE_SIGNAL_IGNORE
                          && (target_thread_blocks_signal (thread->tid, SIGTRAP)
                              || (thread->call_may_block = engine_thread_steps_mask (thread)));
}

/* ---- the end ---- */

/* With one of its threads, all of which stand still. TRUE: the handler of ours is no longer in force. */
static gboolean
settle (EngineProcess *process)
{
    EngineTrapAction *action = process->trap_action;
    const MachineSignalAction none = { MACHINE_SIGNAL_DEFAULT, 0, 0, 0 };
    MachineSignalAction current;

    for (guint i = 0; i < process->threads->len && !process->ended; i++) {
        EngineThread *thread = g_ptr_array_index (process->threads, i);

        if (!get_current (thread, &current)
            && !(process->trap_action != NULL && engine_thread_leave_call (thread)
                 && get_current (thread, &current))) {
            if (process->trap_action == NULL) {
                return FALSE;
            }
            continue;
        }
        if (current.handler == action->code) {
            return exchange (thread, &none, &current);
        }
        if (current.handler == MACHINE_SIGNAL_DEFAULT
            && (action->is_lost || (action->is_known && is_lost (process)))) {
            put_back (thread);
        }
        return TRUE;
    }
    return FALSE;
}

/* A thread is in the handler, as a signal has been passed to it, or on its way out of a call. */
static gboolean
is_used (EngineProcess *process)
{
    gboolean found = is_occupied (process);

    for (guint i = 0; i < process->threads->len && !found; i++) {
        found = is_inside (process, g_ptr_array_index (process->threads, i));
    }
    return found;
}

void
engine_trap_action_end (EngineProcess *process)
{
    EngineTrapAction *action = process->trap_action;
    gboolean is_free;

    if (action == NULL || process->vfork != NULL
        || (action->code == 0
            && !(action->is_known && is_lost (process) && put_code (process)))) {
        return;
    }
    is_free = settle (process);
    action = process->trap_action;
    if (action == NULL) {
        return;
    }
    is_free = is_free || !(action->is_ours || action->was_ours);
    if (action->is_lost && !process->ended) {
        engine_say (process,
                    "a breakpoint or a step has made the system forget what the program "
                    "does about SIGTRAP");
    }
    if (is_free && !process->ended && action->original != NULL && !is_used (process)) {
        base_memory_write (engine_process_get_memory (process), action->code, action->original,
                           machine_rescue_size, NULL);
    }
    engine_trap_action_forget (process);
}
