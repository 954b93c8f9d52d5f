/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One rank and its threads: stopping all of them, resuming them, and their end. status.c
 * handles their wait statuses. */
#include "engine/control/private.h"
#include "engine/notices.h"
#include <signal.h>
#include <unistd.h>

#define HALT_TIMEOUT_US 1000000
#define UNINTERRUPTIBLE_US 150000 /* of a thread that the kernel lets nobody wake */
#define STATE_LOOK_US 10000

/* ---- threads ---- */

EngineThread *
engine_process_add_thread (EngineProcess *process, pid_t tid)
{
    EngineThread *thread = g_new0 (EngineThread, 1);

    thread->process = process;
    thread->tid = tid;
    thread->began_us = g_get_monotonic_time ();
    thread->number = ++process->next_number;
    thread->held_stops = g_array_new (FALSE, FALSE, sizeof (TargetStop));
    g_ptr_array_add (process->threads, thread);
    process->thread_changes++;
    g_hash_table_insert (process->engine->by_tid, GINT_TO_POINTER (tid), thread);
    engine_tell_of_thread (thread, process->engine->notices->thread_added);
    return thread;
}

EngineThread *
engine_process_get_main (EngineProcess *process)
{
    /* The first thread may have left by pthread_exit and wait, dead, for the others. */
    return BASE_PICK (process->threads, EngineThread, thread, !thread->exiting, thread,
                      process->threads->len > 0 ? g_ptr_array_index (process->threads, 0)
                                                : NULL);
}

EngineThread *
engine_process_find_thread (const EngineProcess *process, guint number)
{
    return BASE_FIND (number != 0 ? process->threads : NULL, EngineThread, thread,
                      thread->number == number);
}

static guint
get_number (const EngineThread *thread)
{
    return thread != NULL ? thread->number : 0;
}

EngineThread *
engine_process_get_stopped (const EngineProcess *process)
{
    return engine_process_find_thread (process, process->stop_thread);
}

void
engine_process_set_stopped (EngineProcess *process, const EngineThread *thread)
{
    process->stop_thread = get_number (thread);
}

EngineThread *
engine_process_get_selected (const EngineProcess *process)
{
    return engine_process_find_thread (process, process->selected_thread);
}

void
engine_process_set_selected (EngineProcess *process, const EngineThread *thread)
{
    process->selected_thread = get_number (thread);
}

EngineThread *
engine_process_get_moving_alone (const EngineProcess *process)
{
    return engine_process_find_thread (process, process->only_thread);
}

void
engine_process_set_moving_alone (EngineProcess *process, const EngineThread *thread)
{
    process->only_thread = get_number (thread);
}

gboolean
engine_thread_may_go (const EngineThread *thread)
{
    const EngineThread *alone = engine_process_get_moving_alone (thread->process);

    return alone == NULL || alone == thread;
}

static void
free_thread (gpointer thread)
{
    EngineThread *dead = thread;

    g_array_unref (dead->held_stops);
    g_clear_pointer (&dead->resent, g_array_unref);
    g_free (dead->idle_key);
    g_free (thread);
}

void
engine_process_drop_thread (EngineThread *thread)
{
    EngineProcess *process = thread->process;
    Engine *engine = process->engine;

    if (process->ongoing != NULL) {
        engine_ongoing_forget_thread (process->ongoing, thread);
    }
    if (engine->notices->is_stepped (thread)) {
        engine_process_end_motion (process);
    }
    engine_call_forget (thread);
    engine_vfork_hand_over (thread);
    engine->n_held -= thread->held_stops->len;
    g_array_set_size (thread->held_stops, 0);
    if (g_hash_table_lookup (engine->by_tid, GINT_TO_POINTER (thread->tid)) == thread) {
        g_hash_table_remove (engine->by_tid, GINT_TO_POINTER (thread->tid));
    }
    g_ptr_array_remove (process->threads, thread);
    process->thread_changes++;
    process->has_run = TRUE; /* it may have, last, without a stop */
    if (process->selected_thread == thread->number) {
        engine_process_set_selected (process, engine_process_get_main (process));
        g_clear_pointer (&process->stack, stack_free);
        g_clear_pointer (&process->stop_stack, stack_free);
    }
    engine_free_later (engine, thread, free_thread);
}

void
engine_process_drop_other_threads (EngineThread *thread)
{
    GPtrArray *threads = thread->process->threads;

    for (guint i = threads->len; i-- > 0;) {
        EngineThread *other = g_ptr_array_index (threads, i);

        if (other != thread) {
            engine_process_drop_thread (other);
        }
    }
}

EngineProcess *
engine_process_new (Engine *engine, const EngineRankInfo *info)
{
    EngineProcess *process = g_new0 (EngineProcess, 1);

    process->engine = engine;
    process->slot = engine->processes->len;
    process->rank = info->rank;
    process->size = info->size;
    process->local_rank = info->local_rank;
    process->pid = info->pid;
    process->launched = process->exit_kill = info->launched;
    process->input = info->input_fd >= 0 ? engine_input_new (info->input_fd) : NULL;
    process->threads = g_ptr_array_new ();
    process->traps = engine_trap_table_new ();
    engine_space_close (process);
    engine_owner_note (process);
    engine_tell (process, engine->notices->made);
    return process;
}

void
engine_process_forget_space (EngineProcess *process)
{
    engine_trap_clear (process);
    engine_trap_action_forget (process);
    engine_tell (process, process->engine->notices->space_ends);
    g_clear_pointer (&process->command, g_strfreev);
    g_clear_pointer (&process->stack, stack_free);
    g_clear_pointer (&process->stop_stack, stack_free);
    engine_space_close (process);
    if (process->core != NULL) {
        engine_core_close (process);
    }
}

void
engine_process_free (EngineProcess *process)
{
    if (process == NULL) {
        return;
    }
    engine_turn_abandon (process);
    engine_vfork_stay (process);
    engine_vfork_end (process);
    while (process->threads->len > 0) {
        engine_process_drop_thread (g_ptr_array_index (process->threads, 0));
    }
    engine_process_forget_space (process);
    engine_space_enter (process, NULL);
    engine_tell (process, process->engine->notices->freed);
    engine_input_free (process->input);
    g_ptr_array_unref (process->threads);
    g_clear_pointer (&process->breakpoint_list, g_ptr_array_unref);
    engine_trap_table_free (process->traps);
    job_location_free (process->state_place);
    g_clear_error (&process->refusal);
    g_free (process->executable);
    g_free (process->folder);
    g_free (process->signals);
    g_free (process->state_text);
    g_free (process->state_text2);
    job_text_free (process->reason);
    g_free (process);
}

void
engine_thread_take_pending_trap (EngineThread *thread)
{
    for (guint i = 0; i < 4 && thread->state == ENGINE_THREAD_STOPPED && !thread->in_group_stop
                      && target_thread_has_pending_trap (thread->tid);
         i++) {
        engine_thread_store_registers (thread);
        if (!target_thread_continue (thread->tid, 0)) {
            return; /* killed: its exit status is under way */
        }
        engine_thread_set_state (thread, ENGINE_THREAD_RUNNING);
        if (!engine_thread_await_held (thread, HALT_TIMEOUT_US)) {
            return;
        }
    }
}

gboolean
engine_process_take_pending_traps (EngineProcess *process)
{
    for (guint i = process->may_trap ? process->threads->len : 0; i-- > 0 && !process->ended;) {
        engine_thread_take_pending_trap (g_ptr_array_index (process->threads, i));
    }
    return !process->ended;
}

/* The next stop of the thread comes before its next instruction, without the step. A signal that waits to
 * be delivered would be lost. */
static void
clear_step_flag (EngineThread *thread)
{
    if (!thread->has_step_flag || thread->pending_signal != 0 || thread->exiting
        || !target_thread_stop_again (thread->tid)) {
        return;
    }
    engine_thread_set_state (thread, ENGINE_THREAD_RUNNING);
    if (engine_thread_await_held (thread, HALT_TIMEOUT_US)) {
        thread->has_step_flag = FALSE;
    }
}

/* An attached process goes on by itself when its tracer is killed: as long as it stands still no
 * trap stands in it or is under way to it, and the kernel knows where its threads go on. */
void
engine_process_make_safe (EngineProcess *process)
{
    if (process->exit_kill || process->ended || !engine_process_take_pending_traps (process)) {
        return;
    }
    for (guint i = 0; i < process->threads->len; i++) {
        EngineThread *thread = g_ptr_array_index (process->threads, i);

        if (thread->state == ENGINE_THREAD_STOPPED) {
            engine_thread_store_registers (thread);
            engine_watch_unload (thread); /* they are loaded when it goes on */
            clear_step_flag (thread);
        }
    }
    target_traps_rest (engine_process_get_traps (process), TRUE);
}

/* ---- going on ---- */

/* The signal that it goes on with does nothing there. With another one a handler runs first, which comes back to the trap, or
 * the program ends where it stands. */
static gboolean
takes_no_signal (const EngineThread *thread)
{
    int signal = thread->pending_signal;
    TargetSignalUse use = signal != 0
                              ? target_process_get_signal_use (thread->process->pid, signal)
                              : TARGET_SIGNAL_IGNORED;

    return use == TARGET_SIGNAL_IGNORED
           || (use == TARGET_SIGNAL_DEFAULT
               && (signal == SIGCHLD || signal == SIGURG || signal == SIGWINCH));
}

/* TRUE when the instruction at its pc stands under a trap that has been dealt with. One that goes back to a system call has
 * yet to come there. */
static gboolean
is_over_due (EngineThread *thread)
{
    return thread->handled_trap != 0 && !thread->in_group_stop
           && engine_thread_get_pc (thread) == thread->handled_trap
           && !machine_registers_will_restart (&thread->registers)
           && engine_trap_is_in_memory (thread->process, thread->handled_trap)
           && takes_no_signal (thread);
}

static gboolean
can_displace (EngineThread *thread)
{
    guint64 slot;

    return engine_displaced_find (thread->process, thread->handled_trap, &slot);
}

/* Should we be killed while it is under way, the guard takes the step off it. */
static void
note_steps (EngineThread *thread)
{
    engine_thread_note_step (thread);
    if (!thread->process->exit_kill) {
        target_traps_note_armed (engine_process_get_traps (thread->process));
    }
}

gboolean
engine_thread_goes_by_steps (const EngineThread *thread)
{
    return thread->resume_step || thread->process->watch.n_software > 0;
}

/* Something of ours may stop it. */
static gboolean
is_armed (const EngineThread *thread)
{
    const EngineProcess *process = thread->process;

    return thread->has_step_flag || process->watch.serial != 0
           || !target_traps_is_empty (engine_process_get_traps (process));
}

gboolean
engine_thread_resume (EngineThread *thread)
{
    guint64 slot;
    gboolean done;
    int signal;

    if (thread->makes_our_call) { /* whoever waits for that call puts it back */
        g_critical ("thread %d is resumed in the middle of pddt's system call",
                    (int) thread->tid);
        return FALSE;
    }
    if (!engine_trap_action_check (thread)) {
        return FALSE;
    }
    if (is_over_due (thread)
        && engine_displaced_find (thread->process, thread->handled_trap, &slot)) {
        machine_registers_set_pc (&thread->registers, slot);
        thread->registers_changed = TRUE;
    }
    signal = engine_signal_take_pending (thread);
    target_traps_rest (engine_process_get_traps (thread->process), FALSE);
    engine_process_forget_cache (thread->process);
    engine_thread_store_registers (thread);
    engine_watch_load (thread); /* or steps, where there is no register left */
    thread->ends_call = thread->at_call_entry ? engine_thread_goes_by_steps (thread)
                                              : engine_thread_will_step_call (thread, signal);
    if (engine_thread_goes_by_steps (thread) && !thread->in_group_stop && !thread->ends_call) {
        note_steps (thread);
    } else if (!thread->in_group_stop) {
        engine_thread_note_no_step (thread);
    }
    thread->handled_trap = 0;
    engine_thread_set_state (thread, ENGINE_THREAD_RUNNING);
    if (!thread->has_begun) {
        thread->has_begun = TRUE;
        thread->began_us = g_get_monotonic_time ();
    }
    thread->process->may_trap |= is_armed (thread);
    if (!thread->in_group_stop) {
        engine_trap_mask_begin (thread, signal);
    }
    if (thread->in_group_stop) {
        done = target_thread_listen (thread->tid);
    } else if (thread->has_step_flag) {
        done = target_thread_step (thread->tid, signal);
    } else {
        done = thread->ends_call || engine_call_wants_calls (thread)
                       || engine_ask (thread->process,
                                      thread->process->engine->notices->wants_calls)
                       || thread->process->n_calls_watched > 0
                   ? target_thread_continue_to_call (thread->tid, signal)
                   : target_thread_continue (thread->tid, signal);
    }
    return done; /* FALSE: killed, its exit status is under way */
}

static gboolean
has_held (const EngineThread *thread)
{
    return thread->held_stops->len > 0;
}

void
engine_thread_queue_stop (EngineThread *thread, const TargetStop *stop)
{
    g_array_append_vals (thread->held_stops, stop, 1);
    thread->process->engine->n_held++;
}

/* Going over counts as the step of a thread that goes by steps. TRUE: it may be resumed. */
static gboolean
go_over (EngineThread *thread)
{
    if (!engine_trap_step_over (thread)) {
        return FALSE;
    }
    if (engine_thread_goes_by_steps (thread) || thread->watch_hit) {
        engine_thread_queue_stop (thread, &(TargetStop){ thread->tid, TARGET_STOP_STEP,
                                                         .signal = SIGTRAP });
        return FALSE;
    }
    return !has_held (thread);
}

void
engine_thread_go_on (EngineThread *thread)
{
    EngineProcess *process = thread->process;

    if (process->ended || thread->state == ENGINE_THREAD_RUNNING) {
        return;
    }
    if (!is_over_due (thread) || can_displace (thread) || engine_trap_emulate (thread)) {
        engine_thread_resume (thread);
        return;
    }
    if (process->threads->len == 1) {
        if (go_over (thread)) {
            engine_thread_resume (thread);
        }
        return;
    }
    engine_thread_suspend (thread, ENGINE_SUSPENDS_GOING_ON);
    if (!engine_process_halt (process)) {
        engine_thread_unsuspend (thread, ENGINE_SUSPENDS_GOING_ON);
    } else {
        gboolean may_resume = go_over (thread);

        engine_thread_unsuspend (thread, ENGINE_SUSPENDS_GOING_ON);
        engine_process_release (process);
        if (may_resume && thread->state != ENGINE_THREAD_RUNNING && !process->ended
            && process->suspended.n == 0) {
            engine_thread_resume (thread);
        }
    }
}

static gboolean
may_run (EngineThread *thread)
{
    return thread->state != ENGINE_THREAD_RUNNING && thread->suspended.n == 0
           && !has_held (thread) && engine_thread_may_go (thread);
}

static void
resume_all (EngineProcess *process)
{
    g_autoptr (GPtrArray) threads = g_ptr_array_copy (process->threads, NULL, NULL);

    for (guint i = 0; i < threads->len; i++) {
        EngineThread *thread = g_ptr_array_index (threads, i);

        if (may_run (thread)) {
            engine_thread_resume (thread);
        }
    }
}

void
engine_process_go_on (EngineProcess *process, JobState state)
{
    g_autoptr (GPtrArray) threads = g_ptr_array_copy (process->threads, NULL, NULL);

    engine_process_forget_stacks (process);
    process->running_us = g_get_monotonic_time ();
    engine_process_set_state (process, state, 0, NULL, NULL);
    engine_tell (process, process->engine->notices->goes_on);
    engine_trap_action_expire (process);
    /* Over the traps while all stand still, then all go. */
    engine_process_suspend (process, ENGINE_SUSPENDS_GOING_ON);
    engine_tell (process, process->engine->notices->about_to_run);
    for (guint i = 0; i < threads->len && !process->ended; i++) {
        EngineThread *thread = g_ptr_array_index (threads, i);

        thread->n_hidden = 0;
        if (may_run (thread) && is_over_due (thread) && !can_displace (thread)) {
            go_over (thread);
        }
    }
    engine_process_unsuspend (process, ENGINE_SUSPENDS_GOING_ON);
    if (!process->ended) {
        resume_all (process);
    }
}

/* ---- standing still ---- */

/* It waits for a device, for a server of files, or for its vforked child: it stops before it is back in the
 * program, whenever that is. */
static gboolean
is_uninterruptible (const EngineThread *thread)
{
    return target_thread_get_state (thread->process->pid, thread->tid) == 'D';
}

/* One of those that have been told to stop at begun_us. */
static gboolean
await_halt (EngineThread *thread, gint64 begun_us)
{
    gint64 certain_end = begun_us + (thread->is_uninterruptible ? 0 : UNINTERRUPTIBLE_US),
           now = g_get_monotonic_time ();
    gint64 end = now + HALT_TIMEOUT_US,
           look_us = thread->is_uninterruptible ? 0 : STATE_LOOK_US;

    thread->is_uninterruptible = FALSE;
    while (!engine_thread_await_held (thread, look_us)) {
        now = g_get_monotonic_time ();
        look_us = STATE_LOOK_US;
        thread->is_uninterruptible = now >= certain_end && is_uninterruptible (thread);
        /* it may have been seen to stop or to end, with others that were waited for */
        if (thread->is_uninterruptible || now >= end || !engine_thread_is_stoppable (thread)
            || thread->process->ended) {
            return FALSE;
        }
    }
    return TRUE;
}

/* The first from *at on that is still to stop; NULL: none. */
static EngineThread *
find_stoppable (EngineProcess *process, guint *at)
{
    for (; *at < process->threads->len; (*at)++) {
        EngineThread *thread = g_ptr_array_index (process->threads, *at);

        if (engine_thread_is_stoppable (thread) && !thread->is_given_up) {
            return thread;
        }
    }
    return NULL;
}

/* The list changes meanwhile: one of them may have made another, or ended. */
static void
await_halts (EngineProcess *process)
{
    gint64 begun = g_get_monotonic_time ();
    guint at = 0, changes = process->thread_changes;
    EngineThread *thread;

    while (!process->ended && (thread = find_stoppable (process, &at)) != NULL) {
        if (!await_halt (thread, begun) && !process->ended
            && engine_thread_is_stoppable (thread)) {
            thread->is_given_up = TRUE;
            g_message ("thread %d of process %d does not stop", (int) thread->tid,
                       (int) process->pid);
        }
        at = changes == process->thread_changes ? at : 0;
        changes = process->thread_changes;
    }
}

gboolean
engine_process_halt (EngineProcess *process)
{
    if (process->ended) {
        return FALSE;
    }
    engine_process_suspend (process, ENGINE_SUSPENDS_HALT);
    for (guint i = 0; i < process->threads->len; i++) {
        EngineThread *thread = g_ptr_array_index (process->threads, i);

        thread->is_given_up = FALSE;
        if (engine_thread_is_stoppable (thread) && !thread->interrupt_pending) {
            thread->interrupt_pending = target_thread_interrupt (thread->tid);
        }
    }
    await_halts (process);
    if (process->ended) {
        engine_process_end_suspensions (process);
    } else {
        engine_tell (process, process->engine->notices->halted);
    }
    return !process->ended;
}

void
engine_process_release (EngineProcess *process)
{
    engine_process_unsuspend (process, ENGINE_SUSPENDS_HALT);
    if (process->suspended.n == 0 && !process->ended && !engine_process_is_stopped (process)
        && !process->held_at_exec) {
        resume_all (process);
    }
}

void
engine_process_keep_halted (EngineProcess *process)
{
    engine_process_unsuspend (process, ENGINE_SUSPENDS_HALT);
}

void
engine_process_end_work (EngineProcess *process)
{
    gboolean has_stragglers = process->has_stragglers, has_lost_step = process->has_lost_step;

    process->has_stragglers = process->has_lost_step = FALSE;
    if (has_lost_step && !process->ended && !engine_process_is_stopped (process)) {
        engine_process_leave_step (process);
    }
    if (has_stragglers && process->suspended.n == 0 && !process->ended
        && !engine_process_is_stopped (process) && !process->held_at_exec) {
        resume_all (process);
    }
}

/* Steps that were under way mean nothing after a stop. */
static void
drop_held_steps (EngineProcess *process)
{
    for (guint i = 0; i < process->threads->len; i++) {
        EngineThread *thread = g_ptr_array_index (process->threads, i);

        thread->resume_step = FALSE;
        for (guint j = thread->watch_hit ? 0 : thread->held_stops->len; j-- > 0;) {
            TargetStopKind kind = g_array_index (thread->held_stops, TargetStop, j).kind;

            if (kind == TARGET_STOP_STEP || kind == TARGET_STOP_HANDLER) {
                g_array_remove_index (thread->held_stops, j);
                process->engine->n_held--;
            }
        }
    }
}

/* What will be planted where it stands does not stop it when it goes on. What is planted there now it has
 * either been stopped by, or is about to meet: then who planted it has yet to hear of it. */
static void
note_seen (EngineThread *thread)
{
    guint64 pc = engine_thread_get_pc (thread);

    if (!engine_trap_is_planted (thread->process, pc)) {
        thread->handled_trap = pc;
    }
}

void
engine_process_stop (EngineProcess *process, EngineThread *thread, JobState state,
                     gint32 number, const char *text, const char *text2,
                     const JobLocation *place)
{
    if (process->ended || engine_process_is_stopped (process)) {
        return;
    }
    if (thread != NULL) {
        engine_thread_suspend (thread, ENGINE_SUSPENDS_STOP);
    }
    engine_tell (process, process->engine->notices->stops);
    if (!engine_process_halt (process)) {
        return;
    }
    engine_process_keep_halted (process);
    if (thread != NULL) {
        engine_thread_unsuspend (thread, ENGINE_SUSPENDS_STOP);
    }
    if (thread != NULL && engine_thread_is_gone (thread)) {
        /* another one has executed a program, or it was killed: what it met is no place to stop at any more */
        engine_say (process, "the thread that stopped has ended");
        thread = NULL;
        state = JOB_STATE_STOPPED;
        number = 0;
        text = text2 = NULL;
        place = NULL;
    }
    drop_held_steps (process);
    engine_process_tell_given_up (process);
    engine_tell (process, process->engine->notices->stopped);
    engine_process_set_moving_alone (process, NULL);
    engine_process_set_state (process, state, number, text, text2);
    process->stop++;
    thread = thread != NULL ? thread : engine_process_get_main (process);
    engine_process_set_stopped (process, thread);
    engine_process_set_selected (process, thread);
    if (thread != NULL) {
        note_seen (thread);
    }
    engine_process_make_safe (process);
    engine_process_forget_stacks (process);
    engine_process_begin_caching (process);
    engine_process_take_place (process,
                               place != NULL
                                   ? job_location_dup (place)
                                   : process->engine->notices->dup_place (process, thread));
    engine_process_end_caching (process);
    engine_emit_state (process, process->motion, FALSE, 0);
}

/* ---- the end ---- */

static void
end_process (EngineProcess *process, const TargetStop *stop)
{
    if (process->ended) {
        return;
    }
    engine_vfork_end (process); /* before what is planted there is forgotten */
    engine_tell (process, process->engine->notices->ends);
    process->ended = TRUE;
    engine_tell (process, process->engine->notices->program_ends);
    while (process->threads->len > 0) {
        engine_process_drop_thread (g_ptr_array_index (process->threads, 0));
    }
    engine_fork_on_gone (process);
    engine_tell (process, process->engine->notices->ended);
    engine_process_forget_space (process);
    g_clear_pointer (&process->input, engine_input_free);
    process->stop++;
    engine_process_set_state (process,
                              stop->signal == 0 && stop->number == 0 ? JOB_STATE_EXITED
                                                                     : JOB_STATE_FAILED,
                              stop->signal != 0 ? stop->signal : stop->number,
                              stop->signal != 0 ? engine_signal_get_name (stop->signal) : NULL,
                              NULL);
    engine_emit_state (process, process->motion, FALSE, 0);
}

void
engine_process_end_motion (EngineProcess *process)
{
    engine_tell (process, process->engine->notices->motion_ends);
}

void
engine_process_leave_step (EngineProcess *process)
{
    engine_process_end_motion (process);
    engine_say (process, "the thread that was stepped has ended");
    engine_process_stop (process, engine_process_get_main (process), JOB_STATE_STOPPED, 0, NULL,
                         NULL, NULL);
}

void
engine_thread_end (EngineThread *thread, const TargetStop *stop)
{
    EngineProcess *process = thread->process;

    if (thread->tid == process->pid) {
        end_process (process, stop);
    } else {
        engine_thread_leave (thread);
    }
}

void
engine_thread_leave (EngineThread *thread)
{
    EngineProcess *process = thread->process;

    gboolean is_stepped = process->engine->notices->is_stepped (thread);

    engine_process_drop_thread (thread);
    if (is_stepped && process->ongoing != NULL) {
        process->has_lost_step = TRUE; /* its work goes first */
    } else if (is_stepped) {
        engine_process_leave_step (process);
    }
}
