/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The conversation with the agent: one thread resumes from the stop, executes the mailbox's
 * command and returns to the stop. It runs alone at first; if that takes long, the others run
 * too, because the GIL may have to change hands; then it is interrupted, if it runs the user's code.
 * What the handling of a stop asks takes one phase only. */
#include "engine/control/control.h"
#include "engine/modules/modules.h"
#include "engine/python/private.h"
#include <glib/gi18n.h>
#include <signal.h>

#define ALONE_US                                                                               \
    (300 * 1000) /* so long only the one thread runs, then all, up to the engine's limit */
#define INTERRUPT_US (500 * 1000) /* then it is interrupted, and has so long to say so */

typedef enum { PHASE_ALONE, PHASE_TOGETHER, PHASE_INTERRUPTED, PHASE_ONLY } Phase;

typedef struct {
    EngineProcess *process;
    EngineThread *thread;
    Phase phase;
    gint64 due_us; /* g_get_monotonic_time at which the phase ends */
    gboolean was_stopped, may_hurry, is_hurried;
    guint n_known; /* threads with greater numbers are new */
} Talk;

/* ---- what a stop means ---- */

static PythonTalkAnswer
judge_trap (EngineThread *thread)
{
    guint64 pc = engine_thread_get_pc (thread) - 1;

    if (!engine_trap_is_planted (thread->process, pc)) {
        return PYTHON_TALK_FAULT;
    }
    engine_thread_set_pc (thread, pc);
    if (pc == thread->process->python->stop_function
        || pc == thread->process->python->left_function) {
        return PYTHON_TALK_DONE;
    }
    /* a breakpoint or the loader's trap inside the evaluated code: not now */
    thread->handled_trap = pc;
    if (engine_modules_is_loader_trap (thread->process, pc)) {
        engine_modules_note_change (thread->process);
    }
    return engine_trap_step_over (thread) ? PYTHON_TALK_GOES_ON
           : thread->process->ended       ? PYTHON_TALK_GONE
                                          : PYTHON_TALK_FAULT;
}

static gboolean
is_deadly (int signal)
{
    return signal == SIGSEGV || signal == SIGBUS || signal == SIGFPE || signal == SIGILL
           || signal == SIGABRT;
}

/* A fault, or the code has sent the signal to itself, as abort does. */
static gboolean
is_crash (const EngineThread *thread, const TargetStop *stop)
{
    return target_stop_is_fault (stop)
           || (stop->kind == TARGET_STOP_SIGNAL && is_deadly (stop->signal)
               && stop->info.si_code <= 0 && stop->info.si_pid == thread->process->pid);
}

static PythonTalkAnswer
judge (EngineThread *thread, const TargetStop *stop)
{
    if (target_stop_is_trap (stop)) {
        gboolean is_watch = thread->watch_hit;

        thread->watch_hit = FALSE; /* who has the code run knows that it may write */
        return is_watch ? PYTHON_TALK_GOES_ON : judge_trap (thread);
    }
    if (stop->kind == TARGET_STOP_SIGNAL && !is_deadly (stop->signal)) {
        thread->pending_signal = engine_signal_is_pass (thread->process, stop->signal)
                                     ? stop->signal
                                     : 0;
        thread->pending_info = stop->info;
        return PYTHON_TALK_GOES_ON;
    }
    engine_thread_hold_noted (thread, stop);
    return is_crash (thread, stop)          ? PYTHON_TALK_FAULT
           : stop->kind == TARGET_STOP_EXEC ? PYTHON_TALK_GONE
                                            : PYTHON_TALK_GOES_ON;
}

/* The others' statuses are held, as the process counts as stopped. */
static void
let_others_go (EngineThread *thread)
{
    GPtrArray *threads = thread->process->threads;

    for (guint i = 0; i < threads->len; i++) {
        EngineThread *other = g_ptr_array_index (threads, i);

        if (other != thread && other->state == ENGINE_THREAD_STOPPED && other->handled_trap == 0
            && other->held_stops->len == 0) {
            engine_thread_resume (other);
        }
    }
}

static void
gather (EngineProcess *process)
{
    if (engine_process_halt (process)) {
        engine_process_keep_halted (process);
        engine_process_make_safe (process);
    }
}

/* The evaluation still runs: the interpreter is told to raise an exception in it. */
static gboolean
ask_to_end (EngineThread *thread)
{
    EngineProcess *process = thread->process;
    guint32 request = 0;

    gather (process);
    return !process->ended
           && engine_python_read_u32 (process, PYTHON_OFFSET (request), &request)
           && engine_python_write_u32 (process, PYTHON_OFFSET (request),
                                       request | PDDT_REQUEST_INTERRUPT)
           && engine_python_wake (process);
}

/* ---- phases ---- */

static gint64
get_limit_us (const EngineThread *thread)
{
    return (gint64) thread->process->engine->limit_s * G_USEC_PER_SEC;
}

static void
enter_phase (Talk *talk, Phase phase, gint64 length_us)
{
    talk->phase = phase;
    talk->due_us = g_get_monotonic_time () + length_us;
    if (talk->thread->state == ENGINE_THREAD_STOPPED) {
        engine_thread_resume (talk->thread);
    }
}

/* Its time is over. FALSE: that was the last phase, or it has ended while it was to be interrupted. */
static gboolean
enter_next_phase (Talk *talk)
{
    EngineThread *thread = talk->thread;

    if (talk->phase == PHASE_ALONE) {
        let_others_go (thread);
        enter_phase (talk, PHASE_TOGETHER, get_limit_us (thread) - ALONE_US);
        return TRUE;
    }
    if (talk->phase == PHASE_TOGETHER && talk->may_hurry && ask_to_end (thread)
        && !engine_thread_is_gone (thread)) {
        let_others_go (thread);
        enter_phase (talk, PHASE_INTERRUPTED, INTERRUPT_US);
        return TRUE;
    }
    return FALSE;
}

/* ---- the other threads ---- */

static gboolean
is_together (const Talk *talk)
{
    return talk->phase == PHASE_TOGETHER || talk->phase == PHASE_INTERRUPTED;
}

/* Threads that the code has made, whose first stop came before the word of their birth. */
static void
let_newborns_go (Talk *talk)
{
    EngineProcess *process = talk->process;

    for (guint i = 0; is_together (talk) && i < process->threads->len; i++) {
        EngineThread *other = g_ptr_array_index (process->threads, i);

        if (other->number > talk->n_known && other->state == ENGINE_THREAD_STOPPED
            && other->held_stops->len == 0) {
            engine_thread_resume (other);
        }
    }
    talk->n_known = process->next_number;
}

/* An EngineWorkOther: at its first stop, or where it has made another, it goes on while all do. */
static void
on_other (EngineThread *other, const TargetStop *stop, gpointer user)
{
    Talk *talk = user;
    gboolean is_passing = stop->kind == TARGET_STOP_ASKED || stop->kind == TARGET_STOP_CLONE;

    let_newborns_go (talk);
    if (is_passing && is_together (talk) && other->state == ENGINE_THREAD_STOPPED
        && other->held_stops->len == 0) {
        engine_thread_resume (other);
    }
}

/* ---- from its beginning to its end ---- */

static void
begin (Talk *talk, EngineThread *thread, Phase phase, gint64 length_us)
{
    *talk = (Talk){ .process = thread->process,
                    .thread = thread,
                    .was_stopped = talk->was_stopped,
                    .may_hurry = talk->may_hurry,
                    .n_known = thread->process->next_number };
    engine_thread_suspend (thread, ENGINE_SUSPENDS_TALK);
    engine_process_suspend (thread->process, ENGINE_SUSPENDS_TALK);
    engine_work_hear_others (talk->process, on_other, talk);
    enter_phase (talk, phase, length_us);
}

/* It has ended by itself meanwhile: what comes next is not meant. */
static void
forget_interruption (EngineProcess *process)
{
    guint32 request = 0;

    if (engine_python_read_u32 (process, PYTHON_OFFSET (request), &request)
        && request & PDDT_REQUEST_INTERRUPT) {
        engine_python_write_u32 (process, PYTHON_OFFSET (request),
                                 request & ~(guint32) PDDT_REQUEST_INTERRUPT);
    }
}

static void
end (Talk *talk, PythonTalkAnswer answer)
{
    EngineProcess *process = talk->process;

    engine_work_hear_others (process, NULL, NULL);
    if (!process->ended && (talk->was_stopped || answer == PYTHON_TALK_GOES_ON)) {
        gather (process);
    }
    if (!process->ended && talk->phase == PHASE_INTERRUPTED && answer == PYTHON_TALK_DONE) {
        forget_interruption (process);
    }
    engine_process_unsuspend (process, ENGINE_SUSPENDS_TALK);
    engine_thread_unsuspend (talk->thread, ENGINE_SUSPENDS_TALK);
}

static PythonTalkAnswer
take_stop (Talk *talk, const TargetStop *stop)
{
    PythonTalkAnswer answer = judge (talk->thread, stop);

    if (answer == PYTHON_TALK_GOES_ON) {
        let_newborns_go (talk);
        if (talk->thread->state == ENGINE_THREAD_STOPPED
            && !engine_thread_is_gone (talk->thread)) {
            engine_thread_resume (talk->thread);
        }
    }
    return answer;
}

/* Somebody wants the rank now: user code has run long enough. */
static void
hurry (Talk *talk)
{
    if (talk->phase == PHASE_ALONE || talk->phase == PHASE_TOGETHER) {
        talk->phase = PHASE_TOGETHER;
        talk->is_hurried = TRUE;
        talk->due_us = 0;
    }
}

/* The rank is let go, or ends: what runs no user code is brought to its end all the same. */
static gboolean
is_abandoned (const Talk *talk)
{
    return talk->may_hurry && engine_work_is_abandoned ();
}

/* Until it is in the stop again, or cannot be. GOES_ON: not in time. */
static PythonTalkAnswer
run (Talk *talk)
{
    PythonTalkAnswer answer = PYTHON_TALK_GOES_ON;

    while (answer == PYTHON_TALK_GOES_ON) {
        TargetStop stop;
        gint64 left = talk->due_us - g_get_monotonic_time ();

        switch (is_abandoned (talk) ? ENGINE_CAME_NOT
                                    : engine_thread_await (talk->thread, MAX (left, 0),
                                                           talk->may_hurry, &stop)) {
        case ENGINE_CAME_TO_STOP: answer = take_stop (talk, &stop); break;
        case ENGINE_CAME_TO_END: answer = PYTHON_TALK_GONE; break;
        case ENGINE_CAME_NOT:
            if (is_abandoned (talk)) {
                return PYTHON_TALK_HELD;
            }
            if (talk->may_hurry && engine_work_take_hurry ()) {
                hurry (talk);
            }
            if (g_get_monotonic_time () >= talk->due_us && !enter_next_phase (talk)) {
                return engine_thread_is_gone (talk->thread) ? PYTHON_TALK_GONE : answer;
            }
            break;
        }
    }
    return answer;
}

PythonTalkAnswer
engine_python_talk (EngineThread *thread, gboolean may_hurry)
{
    Talk talk = { .was_stopped = engine_process_is_stopped (thread->process),
                  .may_hurry = may_hurry };
    PythonTalkAnswer answer;

    if (!engine_fork_await_traps (thread->process, get_limit_us (thread))
        || engine_thread_is_gone (thread)) {
        return engine_thread_is_gone (thread) ? PYTHON_TALK_GONE : PYTHON_TALK_GOES_ON;
    }
    engine_python_pass_stop (thread, thread->process->python->stop_function);
    begin (&talk, thread, talk.was_stopped ? PHASE_ALONE : PHASE_ONLY,
           talk.was_stopped ? ALONE_US : get_limit_us (thread));
    answer = run (&talk);
    end (&talk, answer);
    return !talk.is_hurried                ? answer
           : answer == PYTHON_TALK_DONE    ? PYTHON_TALK_CUT
           : answer == PYTHON_TALK_GOES_ON ? PYTHON_TALK_HELD
                                           : answer;
}

gboolean
engine_python_run_for (EngineThread *thread, gint64 duration_us)
{
    Talk talk = { 0 };
    PythonTalkAnswer answer;

    begin (&talk, thread, PHASE_ONLY, duration_us);
    answer = run (&talk);
    end (&talk, answer);
    return answer == PYTHON_TALK_DONE;
}

/* ---- the end of a way ---- */

gboolean
engine_python_read_arrival (EngineProcess *process, EngineThread *thread,
                            PythonTalkAnswer answer, gboolean *ret_is_left, GError **error)
{
    *ret_is_left = FALSE;
    if (answer == PYTHON_TALK_DONE || answer == PYTHON_TALK_CUT) {
        thread->handled_trap = engine_thread_get_pc (thread);
        *ret_is_left = thread->handled_trap == process->python->left_function;
        return TRUE;
    }
    process->python->stopped_tid = 0;
    if (answer == PYTHON_TALK_GONE) {
        base_error_set (error, BASE_ERROR_GONE, "the rank has ended");
    } else {
        g_autofree char *late = g_strdup_printf ("no answer in %u s", process->engine->limit_s);

        base_error_set_because (error, BASE_ERROR_TIMEOUT, "cannot run Python code here: %s",
                                answer == PYTHON_TALK_FAULT  ? N_ ("the rank crashed meanwhile")
                                : answer == PYTHON_TALK_HELD ? N_ ("interrupted")
                                                             : late);
    }
    return FALSE;
}
