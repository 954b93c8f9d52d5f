/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Wait statuses and what follows from each: steps, traps, signals, events. A status that comes while
 * its process must stand still is held and dealt with when it goes on; a trap's is undone instead
 * (pc back), so that the thread meets the trap again. */
#include "engine/private.h"
#include "engine/queue.h"
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define CODE_KERNEL 0x80 /* SI_KERNEL: int3 */

static int
get_trap_code (EngineThread *thread)
{
    TargetSignalInfo info = { 0 };

    target_thread_get_signal_info (thread->tid, &info);
    return info.code;
}

/* At the entry of a system call or at its return (PTRACE_O_TRACESYSGOOD). */
static gboolean
is_call (int status)
{
    return status >> 8 == (SIGTRAP | 0x80);
}

static void
note_status (EngineThread *thread, int status)
{
    int event = status >> 16;

    thread->state = ENGINE_THREAD_STOPPED;
    thread->has_registers = thread->registers_changed = thread->at_handler = FALSE;
    thread->at_signal_stop = event == 0 && !is_call (status);
    thread->at_call_entry = FALSE;
    if (is_call (status)) {
        engine_catch_note_call (thread);
    }
    if (status >> 8 == SIGTRAP) {
        engine_watch_note (thread);
    }
    if (event == PTRACE_EVENT_STOP) {
        thread->interrupt_pending = FALSE;
        thread->in_group_stop = WSTOPSIG (status) != SIGTRAP;
    } else if (event == PTRACE_EVENT_EXIT) {
        thread->exiting = TRUE;
    }
}

/* Events that are dealt with at once, whatever the process does. */
static gboolean
take_event (EngineThread *thread, int event)
{
    switch (event) {
    case PTRACE_EVENT_CLONE:
        engine_fork_take_clone (thread);
        return TRUE;
    case PTRACE_EVENT_FORK:
    case PTRACE_EVENT_VFORK:
        engine_fork_take (thread, event);
        return TRUE;
    case PTRACE_EVENT_VFORK_DONE:
        engine_fork_take_vfork_done (thread);
        return TRUE;
    case PTRACE_EVENT_STOP:
    case PTRACE_EVENT_EXIT:
        return TRUE;
    default:
        return FALSE;
    }
}

/* Back to before an int3 of ours, which may have been removed since it was met. */
static gboolean
rewind_trap (EngineThread *thread)
{
    guint8 byte = 0;
    guint64 pc;

    if (get_trap_code (thread) != CODE_KERNEL) {
        return FALSE;
    }
    pc = engine_thread_get_pc (thread) - 1;
    if (!engine_trap_is_planted (thread->process, pc)
        && (base_memory_read_some (thread->process->memory, pc, &byte, 1) != 1 || byte == 0xcc)) {
        return FALSE;
    }
    engine_thread_set_pc (thread, pc);
    return TRUE;
}

/* The first thread leaves alone by pthread_exit: its end is reported with the last one's. */
static gboolean
leaves_step (EngineThread *thread)
{
    EngineProcess *process = thread->process;

    return thread->tid == process->pid && engine_step_is_of (thread) && process->threads->len > 1
           && engine_thread_load_registers (thread) && thread->registers.orig_rax == SYS_exit;
}

/* What take_event has dealt with, and is_caught may be about. */
static gboolean
is_taken_once (int event)
{
    return event == PTRACE_EVENT_FORK || event == PTRACE_EVENT_VFORK || event == PTRACE_EVENT_EXIT;
}

/* Something is to be said or done about such an event. */
static gboolean
is_event_wanted (EngineThread *thread, int event)
{
    return thread->newborn != 0 || engine_catch_wants_event (thread, event)
           || (event == PTRACE_EVENT_EXIT && (engine_queue_wants_exit (thread) || leaves_step (thread)));
}

void
engine_thread_hold (EngineThread *thread, int status)
{
    int event = status >> 16;

    thread->interrupt_pending = FALSE;
    if (!WIFSTOPPED (status)) {
        engine_thread_end (thread, status);
        return;
    }
    note_status (thread, status);
    if (thread->is_apart && event == PTRACE_EVENT_EXEC) {
        engine_fork_leave_apart (thread);
        return;
    }
    if (take_event (thread, event)) {
        if (is_event_wanted (thread, event)) {
            engine_thread_queue_status (thread, status);
        } else if (event == PTRACE_EVENT_EXIT) {
            engine_thread_resume (thread);
        }
        return;
    }
    if ((status >> 8 == SIGTRAP && rewind_trap (thread)) || (is_call (status) && !engine_catch_wants_call (thread))) {
        return;
    }
    engine_thread_queue_status (thread, status);
}

static void
take_signal_stop (EngineThread *thread, int signal)
{
    EngineProcess *process = thread->process;

    if (process->displaced != NULL) {
        engine_thread_load_registers (thread); /* the handler's frame must not name a copy */
    }
    thread->pending_signal = engine_signal_is_pass (process, signal) ? signal : 0;
    if (thread->expected_signal == signal) {
        thread->expected_signal = 0;
        thread->pending_signal = signal;
        engine_thread_go_on (thread);
        return;
    }
    if (engine_signal_is_stop (process, signal) || engine_catch_signal (thread, signal)) {
        TargetSignalInfo info = { 0 };
        g_autofree char *reason = target_thread_get_signal_info (thread->tid, &info)
                                      ? engine_signal_dup_reason (thread, signal, &info) : NULL;

        engine_process_stop (process, thread, JOB_STATE_SIGNAL, signal,
                             engine_signal_get_name (signal), reason, NULL);
        return;
    } else if (engine_signal_is_print (process, signal)) {
        g_autofree char *text = g_strdup_printf ("received %s", engine_signal_get_name (signal));

        engine_emit_notice (process, text);
    }
    thread->calls_again = FALSE; /* its handler comes first, and may take its place */
    if (thread->pending_signal != 0) {
        engine_step_on_signal (thread);
    }
    engine_thread_go_on (thread);
}

/* The kernel's own word (ptrace_notify): a single step that delivered a signal has ended at the first
 * instruction of its handler. Nobody sent a SIGTRAP. */
static gboolean
is_handler_entered (EngineThread *thread, int code)
{
    return code == SIGTRAP && (thread->resume_step || thread->process->watch.n_software > 0);
}

/* An int3 that is not ours (any more): the program's own is a signal, an old one of ours is run
 * again as what it was. */
static void
take_foreign_trap (EngineThread *thread, guint64 address)
{
    guint8 byte = 0;

    base_memory_read_some (thread->process->memory, address, &byte, 1);
    if (byte == 0xcc) {
        take_signal_stop (thread, SIGTRAP);
        return;
    }
    engine_thread_set_pc (thread, address);
    engine_thread_go_on (thread);
}

static void
take_step (EngineThread *thread)
{
    guint64 pc = engine_thread_get_pc (thread);

    if (engine_watch_check (thread)) {
        return;
    }
    if (engine_trap_is_planted (thread->process, pc)) {
        if (engine_trap_hit (thread, pc)) {
            return;
        }
        if (!engine_step_is_active (thread->process)) {
            engine_thread_go_on (thread);
            return;
        }
    }
    if (!engine_step_on_stop (thread)) {
        thread->resume_step = FALSE;
        engine_thread_go_on (thread);
    }
}

static void
take_trap (EngineThread *thread)
{
    int code = get_trap_code (thread);
    guint64 pc = engine_thread_get_pc (thread);

    if (code == CODE_KERNEL) {
        if (!engine_trap_is_planted (thread->process, pc - 1)) {
            take_foreign_trap (thread, pc - 1);
            return;
        }
        engine_thread_set_pc (thread, pc - 1);
        if (!engine_trap_hit (thread, pc - 1) && thread->state != ENGINE_THREAD_RUNNING
            && !(thread->held_statuses->len > 0)) {
            engine_thread_go_on (thread);
        }
    } else if (code == TRAP_TRACE || code == TRAP_BRKPT || thread->watch_hit
               || is_handler_entered (thread, code)) {
        thread->at_handler = code == SIGTRAP;
        take_step (thread);
    } else {
        take_signal_stop (thread, SIGTRAP);
    }
}

/* The first thread has left its step alone. */
static gboolean
leave_step (EngineThread *thread)
{
    if (!leaves_step (thread)) {
        return FALSE;
    }
    engine_thread_resume (thread);
    engine_thread_leave_step (thread);
    return TRUE;
}

static gboolean
is_caught (EngineThread *thread, int event)
{
    switch (event) {
    case PTRACE_EVENT_FORK:
    case PTRACE_EVENT_VFORK:
        return engine_fork_follow (thread, event == PTRACE_EVENT_VFORK)
               || engine_catch_fork (thread, event == PTRACE_EVENT_VFORK);
    case PTRACE_EVENT_EXIT:
        engine_python_take_log (thread->process);
        return engine_catch_exit (thread) || engine_queue_check_exit (thread) || leave_step (thread);
    default:
        return FALSE;
    }
}

static void
judge_event (EngineThread *thread, int event)
{
    EngineProcess *process = thread->process;

    if (!is_caught (thread, event) && (process->only_thread == NULL || process->only_thread == thread)) {
        engine_thread_go_on (thread);
    }
}

static void
take_stop (EngineThread *thread, int status)
{
    int event = status >> 16;

    if (event == PTRACE_EVENT_EXEC && thread->is_apart) {
        engine_fork_leave_apart (thread);
    } else if (event == PTRACE_EVENT_EXEC) {
        engine_exec_handle (thread);
    } else if (take_event (thread, event)) {
        judge_event (thread, event);
    } else if (WSTOPSIG (status) == SIGTRAP) {
        take_trap (thread);
    } else if (is_call (status)) {
        if (!engine_catch_call (thread)) {
            engine_thread_go_on (thread);
        }
    } else {
        take_signal_stop (thread, WSTOPSIG (status));
    }
}

void
engine_process_take_status (Engine *engine, pid_t tid, int status)
{
    EngineThread *thread = g_hash_table_lookup (engine->by_tid, GINT_TO_POINTER (tid));

    if (thread == NULL) {
        engine_fork_take_stranger (engine, tid, status);
    } else if (!WIFSTOPPED (status)) {
        engine_thread_end (thread, status);
    } else if (thread->process->halt_depth > 0 || thread->process->held_at_exec
               || engine_process_is_stopped (thread->process)) {
        EngineProcess *process = thread->process;

        engine_thread_hold (thread, status);
        if (process->halt_depth == 0 && engine_process_is_stopped (process)) {
            engine_process_make_safe (process); /* it came to its stop after the others */
        }
    } else {
        note_status (thread, status);
        take_stop (thread, status);
    }
}

static void
drain_process (EngineProcess *process)
{
    g_autoptr (GPtrArray) threads = g_ptr_array_copy (process->threads, NULL, NULL);

    for (guint i = 0; i < threads->len; i++) {
        EngineThread *thread = g_ptr_array_index (threads, i);
        int status;

        if (process->ended || engine_process_is_stopped (process) || !(thread->held_statuses->len > 0)) {
            continue;
        }
        status = g_array_index (thread->held_statuses, int, 0);
        g_array_remove_index (thread->held_statuses, 0);
        process->engine->n_held--;
        if (status == (SIGTRAP << 8 | 0x7f)) {
            /* A step: the stop's details may be gone, but a held int3 was undone. */
            if (get_trap_code (thread) == CODE_KERNEL) {
                take_trap (thread);
            } else {
                take_step (thread);
            }
        } else if (is_taken_once (status >> 16)) {
            judge_event (thread, status >> 16);
        } else {
            take_stop (thread, status);
        }
    }
}

void
engine_process_drain_held (Engine *engine)
{
    for (guint i = 0; engine->n_held > 0 && i < engine->processes->len; i++) {
        EngineProcess *process = g_ptr_array_index (engine->processes, i);

        if (!process->ended && process->halt_depth == 0 && !process->held_at_exec) {
            drain_process (process);
        }
    }
}
