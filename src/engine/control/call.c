/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls a function in a stopped rank: all its registers are kept and put back, the red zone of
 * the interrupted frame is left alone, and the return address is a trap at the program's entry,
 * which never runs twice. Only the one thread runs. */
#include "engine/control/private.h"
#include "base/patience.h"
#include <errno.h>
#include <elf.h>
#include <signal.h>
#include <string.h>

struct _EngineCall {
    EngineThread *thread;
    MachineRegisters saved;
    GBytes *extended;
    guint64 return_address, stack;
    guint64 handled_trap; /* the thread's, before */
    gboolean planted;
    gboolean is_own; /* no code of the user's */
    gboolean
        is_watched; /* the program's own system call goes on by what the kernel has noted of it */
    gboolean is_noted;   /* one that was made in between has replaced that */
    gboolean is_hurried; /* somebody wanted to have it over */
    gboolean is_left;    /* nobody waits for it any more, but the thread has not stopped yet */
    gint64 stopped_us;   /* when the thread was, g_get_monotonic_time */
    int signal;          /* that it raised */
    guint64 pending;     /* signals that waited before: the program's own */
};
typedef EngineCall Call;

#define SPARE 64u            /* between what the program may have there and what is ours */
#define MAX_STACK (1u << 16) /* of arguments and their data */
#define OWN_TIME_US (10 * G_USEC_PER_SEC)
#define STOP_TIME_US G_USEC_PER_SEC
#define LOOK_US 50000
#define MOST_TIMES                                                                             \
    10 /* a user's call that hardly gets a processor has so many times its time */
#define LEAST_MORE_US 1000
#define NS_PER_S G_GINT64_CONSTANT (1000000000)

/* Below the red zone the data, below that the words for the stack, aligned when the function begins. */
static gboolean
put_memory (Call *call, const EvaluateCall *what, guint64 *ret_data, GError **error)
{
    EngineProcess *process = call->thread->process;
    gsize n_words = what->arguments.stack != NULL ? what->arguments.stack->len : 0;
    gsize data = what->data != NULL ? what->data->len : 0;
    MachineRegisters *registers = &call->thread->registers;
    guint64 top = (machine_registers_get_sp (registers) - machine_call_get_red_zone () - SPARE
                   - what->kept)
                  & ~(guint64) 15,
            words;

    if (what->kept > MAX_STACK || data > MAX_STACK || n_words * 8 > MAX_STACK) {
        base_error_set (error, BASE_ERROR_UNSUPPORTED,
                        "cannot call a function: its arguments are too large");
        return FALSE;
    }
    *ret_data = (top - data) & ~(guint64) 15;
    for (gsize i = 0; i < MIN (n_words, 64); i++)
        if (what->stack_in_data & G_GUINT64_CONSTANT (1) << i)
            g_array_index (what->arguments.stack, guint64, i) += *ret_data;
    words = machine_call_place_stack (*ret_data, n_words, &call->stack);
    return (data == 0
            || base_memory_write (engine_process_get_memory (process), *ret_data,
                                  what->data->data, data, error))
           && (n_words == 0
               || base_memory_write (engine_process_get_memory (process), words,
                                     what->arguments.stack->data, n_words * 8, error))
           && machine_call_write_return (registers, engine_process_get_memory (process),
                                         call->stack, call->return_address, error);
}

static gboolean
put_vectors (Call *call, const EvaluateCall *what)
{
    gsize size = 0;
    const guint8 *state = call->extended != NULL ? g_bytes_get_data (call->extended, &size)
                                                 : NULL;
    g_autoptr (GBytes) changed = NULL;
    guint8 *bytes;

    if (what->arguments.n_vectors == 0) {
        return TRUE;
    }
    bytes = g_memdup2 (state, size);
    changed = g_bytes_new_take (bytes, size);
    return machine_call_put_vectors (bytes, size, what->arguments.vectors,
                                     what->arguments.n_vectors)
           && target_thread_write_extended (call->thread->tid, changed);
}

static gboolean
set_up (Call *call, const EvaluateCall *what, GError **error)
{
    EngineThread *thread = call->thread;
    EngineProcess *process = thread->process;
    MachineRegisters *registers = &thread->registers;
    guint64 data;

    if (!target_process_read_auxv (process->pid, AT_ENTRY, &call->return_address)
        || !engine_thread_load_registers (thread)) {
        base_error_set (error, BASE_ERROR_GONE, "cannot call a function: the rank has ended");
        return FALSE;
    }
    call->saved = thread->registers;
    call->is_watched = machine_registers_has_noted_call (registers);
    call->extended = target_thread_read_extended (thread->tid);
    call->planted = !target_traps_find (engine_process_get_traps (process),
                                        call->return_address);
    if (!put_memory (call, what, &data, error)
        || !target_traps_plant (engine_process_get_traps (process), call->return_address,
                                error)) {
        return FALSE;
    }
    if (!put_vectors (call, what)) {
        base_error_set (error, BASE_ERROR_UNSUPPORTED,
                        "cannot call a function: the vector registers cannot be set");
        return FALSE;
    }
    machine_registers_set_pc (registers, what->function);
    for (guint i = 0; i < what->arguments.n_words; i++) {
        machine_registers_set_argument (registers, i,
                                        what->arguments.words[i]
                                            + (what->in_data & 1u << i ? data : 0));
    }
    machine_registers_prepare_call (registers, what->arguments.n_vectors);
    thread->registers_changed = TRUE;
    return TRUE;
}

static void
free_call (Call *call)
{
    g_clear_pointer (&call->extended, g_bytes_unref);
    g_free (call);
}

void
engine_call_forget (EngineThread *thread)
{
    if (engine_thread_is_in_call (thread)) {
        g_clear_pointer (&thread->made_call, free_call);
    }
}

/* The program's own call begins from its start. A sleep goes on with what was left of it when it was interrupted, if its
 * program wanted to be told: the kernel has written it there. */
static void
begin_again (Call *call)
{
    BaseMemoryReader *memory = engine_process_get_memory (call->thread->process);
    gint64 number = machine_registers_get_system_call (&call->saved), left;
    guint64 arguments[MACHINE_N_ARGUMENTS], place, time[2];

    for (guint i = 0; i < G_N_ELEMENTS (arguments); i++) {
        arguments[i] = machine_registers_get_system_argument (&call->saved, i);
    }
    machine_registers_begin_call_again (&call->saved);
    if (!target_system_call_use_left (number, arguments, &place)
        || !base_memory_read (memory, place, time, sizeof time, NULL)) {
        return;
    }
    left = (gint64) (time[0] * NS_PER_S + time[1])
           - (g_get_monotonic_time () - call->stopped_us) * 1000;
    time[0] = (guint64) MAX (left, 0) / NS_PER_S;
    time[1] = (guint64) MAX (left, 0) % NS_PER_S;
    if (base_memory_write (memory, place, time, sizeof time, NULL)) {
        machine_registers_prepare_system_call (&call->saved, number, arguments,
                                               G_N_ELEMENTS (arguments));
    }
}

/* The thread is as it was before. */
static void
put_back (Call *call)
{
    EngineThread *thread = call->thread;
    EngineProcess *process = thread->process;

    thread->made_call = NULL;
    if (!process->ended && call->planted) {
        target_traps_remove (engine_process_get_traps (process), call->return_address, NULL);
    }
    if (call->is_watched && call->is_noted && !process->ended) {
        begin_again (call);
    }
    if (!process->ended && thread->state == ENGINE_THREAD_STOPPED) {
        thread->registers = call->saved;
        thread->has_registers = TRUE;
        thread->registers_changed = FALSE;
        target_thread_set_registers (thread->tid, &thread->registers);
        thread->loaded = thread->registers;
        if (call->extended != NULL) {
            target_thread_write_extended (thread->tid, call->extended);
        }
        thread->handled_trap = call->handled_trap;
    }
    free_call (call);
}

typedef enum {
    CALL_GOES_ON,
    CALL_RETURNED,
    CALL_FAULT,
    CALL_SIGNAL,
    CALL_LEFT, /* it cannot be stopped now */
    CALL_GONE
} CallAnswer;

/* A trap in the way is stepped over, the one at the return address ends the call. */
static CallAnswer
judge_trap (Call *call)
{
    EngineThread *thread = call->thread;
    guint64 address = machine_trap_get_address (engine_thread_get_pc (thread));

    if (address == call->return_address
        && machine_registers_get_sp (&thread->registers)
               == machine_call_get_sp_after (call->stack)) {
        return CALL_RETURNED;
    }
    if (!engine_trap_is_planted (thread->process, address)) {
        return CALL_FAULT;
    }
    engine_thread_set_pc (thread, address);
    thread->handled_trap = address;
    return engine_trap_step_over (thread) ? CALL_GOES_ON
           : thread->process->ended       ? CALL_GONE
                                          : CALL_FAULT;
}

/* The program has sent the signal to itself, and it would stop for it: the function that was called did so
 * (abort, raise, kill). Of signals from elsewhere, or from before, nothing is lost: they are held. */
static gboolean
is_raised (const Call *call, const TargetStop *stop)
{
    const EngineProcess *process = call->thread->process;

    return stop->info.si_code <= 0 && stop->info.si_pid == process->pid
           && engine_signal_is_stop (process, stop->signal)
           && !(call->pending & G_GUINT64_CONSTANT (1) << ((stop->signal - 1) & 63));
}

static void
note_call (Call *call, const TargetStop *stop)
{
    const MachineRegisters *registers = &call->thread->registers;

    call->is_noted |= engine_thread_load_registers (call->thread)
                      && (machine_registers_has_noted_call (registers)
                          || (stop->kind == TARGET_STOP_CALL
                              && target_system_call_replaces_noted (
                                  machine_registers_get_system_call (registers))));
}

gboolean
engine_call_is_watched (const EngineThread *thread)
{
    return thread->made_call != NULL && thread->made_call->is_watched;
}

gboolean
engine_call_wants_calls (const EngineThread *thread)
{
    return engine_call_is_watched (thread) && !thread->made_call->is_noted;
}

static CallAnswer
judge (Call *call, const TargetStop *stop)
{
    EngineThread *thread = call->thread;

    note_call (call, stop);
    if (stop->kind == TARGET_STOP_CALL && call->is_watched) {
        return CALL_GOES_ON;
    }
    if (target_stop_is_trap (stop)) {
        gboolean is_watch = thread->watch_hit;

        thread->watch_hit = FALSE; /* who calls it knows that it may write */
        return is_watch ? CALL_GOES_ON : judge_trap (call);
    }
    if (target_stop_is_fault (stop)) {
        return CALL_FAULT; /* of the call, not of the program: dropped */
    }
    if (stop->kind == TARGET_STOP_SIGNAL && is_raised (call, stop)) {
        call->signal = stop->signal; /* dropped, too: it would end the program later */
        return CALL_SIGNAL;
    }
    engine_thread_hold_noted (thread, stop);
    return stop->kind == TARGET_STOP_EXEC ? CALL_GONE : CALL_GOES_ON;
}

static void
resume (EngineThread *thread)
{
    int kept = thread->pending_signal;
    gboolean was_step = thread->resume_step;

    thread->pending_signal = 0;
    thread->resume_step = FALSE;
    engine_thread_resume (thread);
    thread->pending_signal = kept;
    thread->resume_step = was_step;
}

/* GOES_ON: not in time. */
static CallAnswer
run_call (Call *call, gint64 end)
{
    CallAnswer answer = CALL_GOES_ON;
    EngineThread *thread = call->thread;

    while (answer == CALL_GOES_ON) {
        TargetStop stop;
        EngineCame came;
        gint64 left = end - g_get_monotonic_time ();

        if (thread->state == ENGINE_THREAD_STOPPED) {
            resume (thread);
        }
        came = engine_thread_await (thread, MAX (left, 0), TRUE, &stop);
        if (came == ENGINE_CAME_NOT) {
            gboolean is_hurried = engine_work_take_hurry ();

            if (is_hurried && call->is_own && !thread->process->ended) {
                continue; /* it is brought to its end all the same */
            }
            call->is_hurried |= is_hurried;
            return thread->process->ended ? CALL_GONE : CALL_GOES_ON;
        }
        answer = came == ENGINE_CAME_TO_STOP ? judge (call, &stop) : CALL_GONE;
    }
    return answer;
}

/* Inside a system call that has its result still to come (a thread or process is being made): what
 * would be put back is not what the call returns. */
static gboolean
is_inside_call (EngineThread *thread)
{
    const MachineRegisters *registers = &thread->registers;
    TargetSystemCall call;

    return thread->at_call_entry
           || (engine_call_is_watched (thread)
               && target_thread_get_system_call (thread->tid, &call))
           || (engine_thread_load_registers (thread)
               && (gint64) machine_registers_get_result (registers, 0) == -ENOSYS
               && target_system_call_makes_thread (
                   machine_registers_get_system_call (registers)));
}

/* FALSE: it has not, within a second, or at once where the kernel lets nobody wake it. */
static gboolean
await_stop (EngineThread *thread, gint64 end)
{
    while (thread->state == ENGINE_THREAD_RUNNING && !thread->process->ended) {
        if (!engine_thread_await_held (thread, LOOK_US)
            && (g_get_monotonic_time () >= end
                || target_thread_get_state (thread->process->pid, thread->tid) == 'D')) {
            return FALSE;
        }
    }
    return TRUE;
}

/* From a stop inside a system call to one behind it. */
static gboolean
leave_system_call (EngineThread *thread)
{
    thread->interrupt_pending = target_thread_stop_again (thread->tid);
    engine_thread_set_state (thread, ENGINE_THREAD_RUNNING);
    return thread->interrupt_pending;
}

/* The call may have returned meanwhile. */
static CallAnswer
interrupt_call (Call *call)
{
    EngineThread *thread = call->thread;
    gint64 end = g_get_monotonic_time () + STOP_TIME_US;
    gboolean is_coming = TRUE;

    if (thread->state == ENGINE_THREAD_RUNNING) {
        is_coming = thread->interrupt_pending = target_thread_interrupt (thread->tid);
    }
    while (is_coming && !thread->process->ended) {
        if (!await_stop (thread, end)) {
            return CALL_LEFT;
        }
        if (thread->process->ended || !is_inside_call (thread)) {
            break;
        }
        is_coming = leave_system_call (thread);
    }
    if (thread->process->ended || thread->state != ENGINE_THREAD_STOPPED) {
        return CALL_GONE;
    }
    return engine_thread_get_pc (thread) == call->return_address
                   && machine_registers_get_sp (&thread->registers)
                          == machine_call_get_sp_after (call->stack)
               ? CALL_RETURNED
               : CALL_GOES_ON;
}

/* ---- one that could not be stopped ---- */

gboolean
engine_thread_is_in_call (const EngineThread *thread)
{
    return thread->made_call != NULL && thread->made_call->is_left;
}

/* It is behind the call's system call: it goes on where it was before the call, if its rank runs. */
static void
end_left_call (Call *call)
{
    EngineThread *thread = call->thread;
    EngineProcess *process = thread->process;

    put_back (call);
    if (process->ongoing != NULL) {
        process->has_stragglers = TRUE;
    } else if (process->suspended.n > 0) {
        return;
    } else if (engine_process_is_stopped (process)) {
        engine_process_make_safe (process);
    } else if (thread->held_stops->len == 0 && engine_thread_may_go (thread)) {
        engine_thread_go_on (thread);
    }
}

gboolean
engine_call_take_stop (EngineThread *thread, const TargetStop *stop)
{
    Call *call = thread->made_call;

    if (!engine_thread_is_in_call (thread) || stop->kind == TARGET_STOP_ENDED) {
        return FALSE;
    }
    if (stop->kind == TARGET_STOP_EXEC) {
        engine_call_forget (thread);
        return FALSE;
    }
    call->is_left = FALSE; /* the stop is handled as any other */
    if (target_stop_is_trap (stop) || target_stop_is_fault (stop)) {
        const TargetStop asked = { stop->tid, TARGET_STOP_ASKED, 0 };

        engine_thread_hold (thread, &asked); /* the call's, not the program's */
    } else {
        engine_thread_hold (thread, stop);
    }
    note_call (call, stop);
    if (thread->exiting) {
        g_clear_pointer (&thread->made_call, free_call);
    } else if (thread->state == ENGINE_THREAD_RUNNING || is_inside_call (thread)) {
        call->is_left = thread->state == ENGINE_THREAD_RUNNING || leave_system_call (thread);
    } else {
        end_left_call (call);
    }
    return TRUE;
}

/* It could run, and has not had its time: it waits for a processor just now, which the kernel counts when it has one. */
static gboolean
is_in_queue (const EngineThread *thread, gint64 ran_us, gint64 timeout_us)
{
    gint64 now_us = base_patience_get_ran_us (thread->tid);

    return ran_us >= 0 && now_us >= 0 && now_us - ran_us < timeout_us
           && target_thread_get_state (thread->process->pid, thread->tid) == 'R';
}

/* Where others have the processors it is no fault of the function's: the time for which it waited for one does not count. */
static CallAnswer
run_in_time (Call *call, gint64 timeout_us)
{
    EngineThread *thread = call->thread;
    gint64 begin = g_get_monotonic_time (),
           queued_us = base_patience_get_queued_us (thread->tid),
           ran_us = base_patience_get_ran_us (thread->tid), left_us = timeout_us, now = begin;
    CallAnswer answer;

    do {
        answer = run_call (call, now + left_us);
        now = g_get_monotonic_time ();
        left_us = timeout_us - (now - begin);
        if (answer == CALL_GOES_ON) {
            left_us += base_patience_get_queued_us (thread->tid) - queued_us;
            left_us = left_us <= LEAST_MORE_US && is_in_queue (thread, ran_us, timeout_us)
                          ? LOOK_US
                          : left_us;
        }
    } while (answer == CALL_GOES_ON && !call->is_hurried && left_us > LEAST_MORE_US
             && now - begin < MOST_TIMES * timeout_us);
    return answer;
}

/* What our own calls take they give back: one is never taken out where it computes, however little time a
 * loaded machine gives it. Where it waits in the kernel, it is for a thread that stands still. */
static CallAnswer
run_to_end (Call *call, guint timeout_ms)
{
    gint64 last = g_get_monotonic_time () + OWN_TIME_US;
    CallAnswer answer;

    do {
        answer = run_in_time (call, (gint64) timeout_ms * 1000);
        if (answer == CALL_GOES_ON) {
            answer = interrupt_call (call);
        }
    } while (answer == CALL_GOES_ON && call->is_own && g_get_monotonic_time () < last
             && machine_registers_get_system_call (&call->thread->registers) < 0);
    return answer;
}

gboolean
engine_call_read_result (EngineThread *thread, MachineResult *ret_result)
{
    g_autoptr (GBytes) state = target_thread_read_extended (thread->tid);
    gsize size = 0;
    const guint8 *bytes = state != NULL ? g_bytes_get_data (state, &size) : NULL;

    memset (ret_result, 0, sizeof *ret_result);
    if (!machine_call_get_vectors (bytes, size, ret_result->vectors, ret_result->floats)) {
        return FALSE;
    }
    for (guint i = 0; i < G_N_ELEMENTS (ret_result->integers); i++) {
        ret_result->integers[i] = machine_registers_get_result (&thread->registers, i);
    }
    return TRUE;
}

gboolean
engine_call_leave (EngineThread *thread, MachineRegisters *ret_saved, GBytes **ret_extended)
{
    if (!engine_thread_is_in_call (thread)) {
        return FALSE;
    }
    if (engine_call_is_watched (thread) && thread->made_call->is_noted) {
        begin_again (thread->made_call);
    }
    *ret_saved = thread->made_call->saved;
    *ret_extended = g_steal_pointer (&thread->made_call->extended);
    engine_call_forget (thread);
    return TRUE;
}

static void
set_failure (const Call *call, CallAnswer answer, guint timeout_ms, GError **error)
{
    if (answer == CALL_GOES_ON && call->is_hurried && !call->is_own) {
        base_error_set (error, BASE_ERROR_BUSY,
                        "cannot call a function: it was interrupted halfway; locks that "
                        "it took are still locked");
    } else if (answer == CALL_GOES_ON) {
        base_error_set (error, BASE_ERROR_TIMEOUT,
                        "cannot call a function: it did not return within %u ms "
                        "and was stopped halfway; locks that it took are still locked",
                        timeout_ms);
    } else if (answer == CALL_LEFT) {
        base_error_set (
            error, BASE_ERROR_TIMEOUT,
            "cannot call a function: after %u ms it waits in the kernel, which does not "
            "let it stop; the thread goes back to where it was as soon as it does",
            timeout_ms);
    } else if (answer == CALL_FAULT) {
        base_error_set (error, BASE_ERROR_FAULT, "cannot call a function: it faulted");
    } else if (answer == CALL_SIGNAL) {
        base_error_set (error, BASE_ERROR_FAULT, "cannot call a function: it raised %s",
                        engine_signal_get_name (call->signal));
    } else {
        base_error_set (error, BASE_ERROR_GONE, "cannot call a function: the rank has ended");
    }
}

static gboolean
stands (const EngineThread *thread)
{
    const EngineProcess *process = thread->process;

    return !process->ended && !engine_thread_is_gone (thread)
           && thread->state == ENGINE_THREAD_STOPPED && engine_space_takes_traps (process);
}

/* FALSE: no function can be called where the thread is. */
static gboolean
prepare (EngineThread *thread, guint timeout_ms, GError **error)
{
    EngineProcess *process = thread->process;

    if (thread->made_call != NULL) {
        base_error_set (error, BASE_ERROR_BUSY,
                        "cannot call a function: the thread is still in one that was called "
                        "before");
        return FALSE;
    }
    if (!engine_fork_await_traps (process, (gint64) timeout_ms * 1000)) {
        base_error_set (error, BASE_ERROR_BUSY,
                        "cannot call a function: another thread's child of vfork runs in the "
                        "same memory; try again when that has executed its program");
        return FALSE;
    }
    if (!process->ended && !engine_thread_is_gone (thread) && !process->may_trap) {
        engine_thread_take_pending_trap (
            thread); /* the program's own: the call would end by it */
    }
    if (!stands (thread)) {
        base_error_set (error, BASE_ERROR_BUSY,
                        "cannot call a function: the thread is running");
        return FALSE;
    }
    if (engine_thread_has_shadow_stack (thread)) {
        base_error_set (error, BASE_ERROR_UNSUPPORTED,
                        "cannot call a function: the program has a shadow stack (CET), which "
                        "allows no calls from outside");
        return FALSE;
    }
    if (is_inside_call (thread)) {
        base_error_set (
            error, BASE_ERROR_BUSY,
            "cannot call a function: the thread is inside a system call; step over it first");
        return FALSE;
    }
    if (!engine_trap_action_check_call (thread)
        || !stands (thread)) { /* it was made to answer */
        base_error_set (error, BASE_ERROR_BUSY,
                        "cannot call a function: the thread is running");
        return FALSE;
    }
    return TRUE;
}

static gboolean
make_call (EngineThread *thread, const EvaluateCall *what, gboolean is_own, guint timeout_ms,
           MachineResult *ret_result, GError **error)
{
    EngineProcess *process = thread->process;
    guint n_software = process->watch.n_software;
    CallAnswer answer;
    Call *call;

    if (!prepare (thread, timeout_ms, error)) {
        return FALSE;
    }
    thread->made_call = call = g_new0 (Call, 1);
    *call = (Call){ .thread = thread,
                    .is_own = is_own,
                    .handled_trap = thread->handled_trap,
                    .stopped_us = thread->stopped_us };
    if (!set_up (call, what, error)) {
        put_back (call);
        return FALSE;
    }
    engine_process_suspend (process, ENGINE_SUSPENDS_CALL);
    process->watch.n_software = 0;
    thread->watch_hit = FALSE;
    call->pending = target_thread_get_pending (thread->tid);
    answer = run_to_end (call, timeout_ms);
    process->watch.n_software = n_software;
    if (answer == CALL_RETURNED && !engine_call_read_result (thread, ret_result)) {
        answer = CALL_GONE; /* it was killed as it returned */
    }
    if (answer != CALL_RETURNED) {
        set_failure (call, answer, timeout_ms, error);
    }
    call->is_left = answer == CALL_LEFT;
    if (answer != CALL_LEFT) {
        put_back (call);
    }
    engine_process_unsuspend (process, ENGINE_SUSPENDS_CALL);
    if (engine_process_is_stopped (process)) {
        engine_process_make_safe (process);
    }
    return answer == CALL_RETURNED;
}

gboolean
engine_call_any (EngineThread *thread, const EvaluateCall *what, guint timeout_ms,
                 MachineResult *ret_result, GError **error)
{
    return make_call (thread, what, FALSE, timeout_ms, ret_result, error);
}

gboolean
engine_call_with (EngineThread *thread, guint64 function, const guint64 *arguments,
                  guint timeout_ms, guint64 *ret_value, GError **error)
{
    EvaluateCall what = { .function = function };
    MachineResult result;

    what.arguments.n_words = ENGINE_CALL_N_ARGUMENTS;
    memcpy (what.arguments.words, arguments, ENGINE_CALL_N_ARGUMENTS * sizeof *arguments);
    if (!make_call (thread, &what, TRUE, timeout_ms, &result, error)) {
        return FALSE;
    }
    if (ret_value != NULL) {
        *ret_value = result.integers[0];
    }
    return TRUE;
}

gboolean
engine_call (EngineThread *thread, guint64 function, guint64 arg1, guint64 arg2,
             guint timeout_ms, guint64 *ret_value, GError **error)
{
    const guint64 arguments[ENGINE_CALL_N_ARGUMENTS] = { arg1, arg2 };

    return engine_call_with (thread, function, arguments, timeout_ms, ret_value, error);
}
