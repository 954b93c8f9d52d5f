/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The conversation with the agent: one thread resumes from the stop, executes the mailbox's
 * command and returns to the stop. It runs alone at first; if that takes long, the others run
 * too, because the GIL may have to change hands; then it is interrupted. For a user's request
 * this is a task of the rank. The handling of a stop waits for the agent instead, because that
 * runs no user code. */
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
    EngineTask task; /* of one that is waited for only thread and due_us are used */
    Phase phase;
    gboolean was_stopped, is_hurried;
    guint n_known; /* threads with greater numbers are new */
    PythonTalkDone done;
    gpointer user;
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
    return engine_trap_step_over (thread) ? PYTHON_TALK_GOES_ON : PYTHON_TALK_FAULT;
}

static gboolean
is_fault (int signal)
{
    return signal == SIGSEGV || signal == SIGBUS || signal == SIGFPE || signal == SIGILL
           || signal == SIGABRT;
}

static PythonTalkAnswer
judge (EngineThread *thread, const TargetStop *stop)
{
    if (stop->kind == TARGET_STOP_ENDED) {
        engine_thread_end (thread, stop);
        return PYTHON_TALK_GONE;
    }
    thread->state = ENGINE_THREAD_STOPPED;
    thread->has_registers = thread->registers_changed = FALSE;
    thread->at_signal_stop = target_stop_takes_signal (stop);
    if (target_stop_is_trap (stop)) {
        return judge_trap (thread);
    }
    if (stop->kind == TARGET_STOP_SIGNAL && !is_fault (stop->signal)) {
        thread->pending_signal = engine_signal_is_pass (thread->process, stop->signal)
                                     ? stop->signal
                                     : 0;
        thread->pending_info = stop->info;
        return PYTHON_TALK_GOES_ON;
    }
    engine_thread_hold (thread, stop);
    return stop->kind == TARGET_STOP_SIGNAL ? PYTHON_TALK_FAULT
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
        process->suspend_count--;
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
    EngineThread *thread = talk->task.thread;

    talk->phase = phase;
    talk->task.due_us = g_get_monotonic_time () + length_us;
    if (thread->state == ENGINE_THREAD_STOPPED) {
        engine_thread_resume (thread);
    }
}

static void
begin (Talk *talk, EngineThread *thread, Phase phase, gint64 length_us)
{
    talk->task.process = thread->process;
    talk->task.thread = thread;
    thread->suspend_count++;
    thread->process->suspend_count++;
    talk->n_known = thread->process->next_number;
    enter_phase (talk, phase, length_us);
}

static void
begin_conversation (Talk *talk, EngineThread *thread)
{
    talk->was_stopped = engine_process_is_stopped (thread->process);
    engine_python_pass_stop (thread, thread->process->python->stop_function);
    if (talk->was_stopped) {
        begin (talk, thread, PHASE_ALONE, ALONE_US);
    } else {
        begin (talk, thread, PHASE_ONLY, get_limit_us (thread));
    }
}

/* Its time is over. FALSE: that was the last phase. */
static gboolean
enter_next_phase (Talk *talk)
{
    EngineThread *thread = talk->task.thread;

    if (talk->phase == PHASE_ALONE) {
        let_others_go (thread);
        enter_phase (talk, PHASE_TOGETHER, get_limit_us (thread) - ALONE_US);
        return TRUE;
    }
    if (talk->phase == PHASE_TOGETHER && ask_to_end (thread) && talk->task.thread != NULL) {
        let_others_go (thread);
        enter_phase (talk, PHASE_INTERRUPTED, INTERRUPT_US);
        return TRUE;
    }
    return FALSE;
}

static gboolean
is_together (const Talk *talk)
{
    return talk->phase == PHASE_TOGETHER || talk->phase == PHASE_INTERRUPTED;
}

/* Threads that the code has made, whose first stop came before the word of their birth. */
static void
let_newborns_go (Talk *talk)
{
    EngineProcess *process = talk->task.process;

    for (guint i = 0; is_together (talk) && i < process->threads->len; i++) {
        EngineThread *other = g_ptr_array_index (process->threads, i);

        if (other->number > talk->n_known && other->state == ENGINE_THREAD_STOPPED
            && other->held_stops->len == 0) {
            engine_thread_resume (other);
        }
    }
    talk->n_known = process->next_number;
}

static PythonTalkAnswer
take_stop (Talk *talk, const TargetStop *stop)
{
    EngineThread *thread = talk->task.thread;
    PythonTalkAnswer answer = judge (thread, stop);

    if (answer == PYTHON_TALK_GOES_ON) {
        let_newborns_go (talk);
    }
    if (answer == PYTHON_TALK_GOES_ON && thread->state == ENGINE_THREAD_STOPPED) {
        engine_thread_resume (thread);
    }
    return answer;
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
    EngineProcess *process = talk->task.process;

    if (!process->ended && process->suspend_count > 0) {
        if (talk->was_stopped || answer == PYTHON_TALK_GOES_ON) {
            gather (process);
        }
        if (!process->ended && talk->phase == PHASE_INTERRUPTED && answer == PYTHON_TALK_DONE) {
            forget_interruption (process);
        }
        if (process->suspend_count > 0) {
            process->suspend_count--;
        }
    }
    if (talk->task.thread != NULL) {
        talk->task.thread->suspend_count--;
    }
}

/* ---- waited for ---- */

static PythonTalkAnswer
wait (Talk *talk)
{
    PythonTalkAnswer answer = PYTHON_TALK_GOES_ON;

    while (answer == PYTHON_TALK_GOES_ON) {
        gint64 left = talk->task.due_us - g_get_monotonic_time ();
        TargetStop stop;

        if (engine_work_wait (talk->task.thread, MAX (left, 0), &stop)) {
            answer = take_stop (talk, &stop);
        } else if (g_get_monotonic_time () < talk->task.due_us) {
            answer = !talk->task.process->ended && engine_work_take_hurry ()
                         ? PYTHON_TALK_GOES_ON
                         : PYTHON_TALK_GONE;
        } else if (!enter_next_phase (talk)) {
            break;
        }
    }
    end (talk, answer);
    return answer;
}

PythonTalkAnswer
engine_python_talk (EngineThread *thread)
{
    Talk talk = { 0 };

    begin_conversation (&talk, thread);
    return wait (&talk);
}

gboolean
engine_python_run_for (EngineThread *thread, gint64 duration_us)
{
    Talk talk = { 0 };

    begin (&talk, thread, PHASE_ONLY, duration_us);
    return wait (&talk) == PYTHON_TALK_DONE;
}

/* ---- as a task ---- */

static void
finish (Talk *talk, PythonTalkAnswer answer)
{
    EngineProcess *process = talk->task.process;
    PythonTalkDone done = talk->done;
    gpointer user = talk->user;

    end (talk, answer);
    if (talk->is_hurried) {
        answer = answer == PYTHON_TALK_DONE      ? PYTHON_TALK_CUT
                 : answer == PYTHON_TALK_GOES_ON ? PYTHON_TALK_HELD
                                                 : answer;
    }
    engine_task_end (&talk->task);
    g_free (talk);
    done (process, answer, user);
}

static void
on_stop (EngineTask *task, const TargetStop *stop)
{
    PythonTalkAnswer answer = take_stop ((Talk *) task, stop);

    if (answer != PYTHON_TALK_GOES_ON) {
        finish ((Talk *) task, answer);
    }
}

/* At its first stop, or where it has made another, it goes on while all do. */
static void
on_other (EngineTask *task, EngineThread *other, const TargetStop *stop)
{
    Talk *talk = (Talk *) task;
    gboolean is_passing = stop->kind == TARGET_STOP_ASKED || stop->kind == TARGET_STOP_CLONE;

    let_newborns_go (talk);
    if (is_passing && is_together (talk) && other->state == ENGINE_THREAD_STOPPED
        && other->held_stops->len == 0) {
        engine_thread_resume (other);
    }
}

static void
on_time (EngineTask *task)
{
    gboolean goes_on = enter_next_phase ((Talk *) task);

    if (task->thread == NULL) {
        finish ((Talk *) task, PYTHON_TALK_GONE); /* it ended while it was being interrupted */
    } else if (!goes_on) {
        finish ((Talk *) task, PYTHON_TALK_GOES_ON);
    }
}

static void
on_gone (EngineTask *task)
{
    finish ((Talk *) task, PYTHON_TALK_GONE);
}

static void
on_hurry (EngineTask *task)
{
    Talk *talk = (Talk *) task;

    if (talk->phase == PHASE_ALONE || talk->phase == PHASE_TOGETHER) {
        talk->phase = PHASE_TOGETHER;
        talk->is_hurried = TRUE;
        task->due_us = 0;
    }
}

static void
on_abandon (EngineTask *task)
{
    finish ((Talk *) task, task->thread != NULL ? PYTHON_TALK_HELD : PYTHON_TALK_GONE);
}

void
engine_python_talk_begin (EngineThread *thread, guint64 request, PythonTalkDone done,
                          gpointer user)
{
    Talk *talk = g_new0 (Talk, 1);

    talk->task = (EngineTask){ .request = request,
                               .on_stop = on_stop,
                               .on_other = on_other,
                               .on_time = on_time,
                               .on_gone = on_gone,
                               .on_hurry = on_hurry,
                               .on_abandon = on_abandon };
    talk->done = done;
    talk->user = user;
    begin_conversation (talk, thread);
    engine_task_begin (&talk->task);
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
