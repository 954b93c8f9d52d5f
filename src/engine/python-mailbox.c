/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The conversation with the agent through the mailbox: one thread goes on from the stop, does what
 * the command says and comes back to the stop. */
#include "engine/python-private.h"
#include <signal.h>
#include <string.h>

#define ALONE_US (300 * 1000)       /* so long only the one thread runs */
#define TOGETHER_US (1700 * 1000)   /* then all */
#define INTERRUPT_US (500 * 1000)   /* then it is interrupted, and has so long to say so */

gboolean
engine_python_read_u32 (EngineProcess *process, gsize offset, guint32 *ret_value)
{
    return base_memory_read (process->memory, process->python.mailbox + offset, ret_value,
                             sizeof *ret_value, NULL);
}

gboolean
engine_python_write_u32 (EngineProcess *process, gsize offset, guint32 value)
{
    return base_memory_write (process->memory, process->python.mailbox + offset, &value, sizeof value,
                              NULL);
}

struct pddt_mailbox *
engine_python_read_event (EngineProcess *process)
{
    g_autofree struct pddt_mailbox *box = g_new0 (struct pddt_mailbox, 1);

    if (!base_memory_read (process->memory, process->python.mailbox, box, PYTHON_OFFSET (command), NULL)
        || !engine_python_read_u32 (process, PYTHON_OFFSET (own_frame), &box->own_frame)
        || !engine_python_read_u32 (process, PYTHON_OFFSET (is_selected_by_traceback),
                                    &box->is_selected_by_traceback)) {
        return NULL;
    }
    box->function[sizeof box->function - 1] = '\0';
    box->file[sizeof box->file - 1] = '\0';
    box->text[sizeof box->text - 1] = '\0';
    box->text[sizeof box->text - 2] = '\0';
    return g_steal_pointer (&box);
}

gboolean
engine_python_write_command (EngineProcess *process, guint32 command, guint32 count)
{
    return engine_python_write_u32 (process, PYTHON_OFFSET (command), command)
           && engine_python_write_u32 (process, PYTHON_OFFSET (command_count), count);
}

void
engine_python_pass_stop (EngineThread *thread, guint64 stop_function)
{
    if (engine_thread_get_pc (thread) == stop_function) {
        engine_thread_set_pc (thread, stop_function + 1);
        thread->hit_address = 0;
    }
}

void
engine_python_answer_clear (PythonAnswer *answer)
{
    g_clear_pointer (&answer->out, g_free);
}

const char *
engine_python_next_word (const PythonAnswer *answer, gsize *at)
{
    const char *word = (const char *) answer->out + *at;

    if (answer->out == NULL || *at >= answer->out_size) {
        return NULL;
    }
    *at += strlen (word) + 1;
    return word;
}

/* ---- waiting ---- */

typedef enum { TALK_GOES_ON, TALK_DONE, TALK_FAULT, TALK_GONE } TalkAnswer;

static TalkAnswer
judge_trap (EngineThread *thread)
{
    guint64 pc = engine_thread_get_pc (thread) - 1;

    if (!engine_trap_is_planted (thread->process, pc)) {
        return TALK_FAULT;
    }
    engine_thread_set_pc (thread, pc);
    if (pc == thread->process->python.stop_function || pc == thread->process->python.left_function) {
        return TALK_DONE;
    }
    /* a breakpoint or the loader's trap inside the evaluated code: not now */
    thread->hit_address = pc;
    thread->process->has_pending_resolve = TRUE;
    thread->process->modules_stale |= pc == thread->process->loader_trap;
    return engine_trap_step_over (thread) ? TALK_GOES_ON : TALK_FAULT;
}

static gboolean
is_fault (int signal)
{
    return signal == SIGSEGV || signal == SIGBUS || signal == SIGFPE || signal == SIGILL
           || signal == SIGABRT;
}

static TalkAnswer
judge (EngineThread *thread, const TargetStop *stop)
{
    if (stop->kind == TARGET_STOP_ENDED) {
        engine_thread_end (thread, stop);
        return TALK_GONE;
    }
    thread->state = ENGINE_THREAD_STOPPED;
    thread->has_registers = thread->registers_changed = FALSE;
    thread->at_signal_stop = target_stop_takes_signal (stop);
    if (target_stop_is_trap (stop)) {
        return judge_trap (thread);
    }
    if (stop->kind == TARGET_STOP_SIGNAL && !is_fault (stop->signal)) {
        thread->pending_signal = engine_signal_is_pass (thread->process, stop->signal) ? stop->signal : 0;
        thread->pending_info = stop->info;
        return TALK_GOES_ON;
    }
    engine_thread_hold (thread, stop);
    return stop->kind == TARGET_STOP_SIGNAL ? TALK_FAULT : stop->kind == TARGET_STOP_EXEC ? TALK_GONE : TALK_GOES_ON;
}

static TalkAnswer
wait_for_answer (EngineThread *thread, gint64 timeout_us)
{
    gint64 end = g_get_monotonic_time () + timeout_us;
    TalkAnswer answer = TALK_GOES_ON;
    TargetStop stop;

    while (answer == TALK_GOES_ON) {
        gint64 left = end - g_get_monotonic_time ();

        if (thread->state == ENGINE_THREAD_STOPPED) {
            engine_thread_resume (thread);
        }
        if (!engine_thread_wait (thread, MAX (left, 0), &stop)) {
            return g_get_monotonic_time () >= end ? TALK_GOES_ON : TALK_GONE;
        }
        answer = judge (thread, &stop);
    }
    return answer;
}

/* The others' statuses are held, as the process counts as stopped. */
static void
let_others_go (EngineThread *thread)
{
    GPtrArray *threads = thread->process->threads;

    for (guint i = 0; i < threads->len; i++) {
        EngineThread *other = g_ptr_array_index (threads, i);

        if (other != thread && other->state == ENGINE_THREAD_STOPPED && other->hit_address == 0
            && other->held_stops->len == 0) {
            engine_thread_resume (other);
        }
    }
}

static void
gather (EngineProcess *process)
{
    if (engine_process_halt (process)) {
        process->halt_depth--;
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
    return !process->ended && engine_python_read_u32 (process, PYTHON_OFFSET (request), &request)
           && engine_python_write_u32 (process, PYTHON_OFFSET (request), request | PDDT_REQUEST_INTERRUPT)
           && engine_python_wake (process);
}

static TalkAnswer
talk (EngineThread *thread)
{
    EngineProcess *process = thread->process;
    gboolean was_stopped = engine_process_is_stopped (process), was_dispatching = thread->dispatching;
    TalkAnswer answer;

    engine_python_pass_stop (thread, process->python.stop_function);
    thread->dispatching = TRUE;
    process->halt_depth++;
    answer = wait_for_answer (thread, was_stopped ? ALONE_US : ALONE_US + TOGETHER_US);
    if (answer == TALK_GOES_ON && was_stopped) {
        let_others_go (thread);
        answer = wait_for_answer (thread, TOGETHER_US);
    }
    if (answer == TALK_GOES_ON && was_stopped && ask_to_end (thread)) {
        let_others_go (thread);
        answer = wait_for_answer (thread, INTERRUPT_US);
    }
    if (!process->ended && process->halt_depth > 0) {
        if (was_stopped || answer == TALK_GOES_ON) {
            gather (process);
        }
        process->halt_depth--;
    }
    thread->dispatching = was_dispatching;
    return answer;
}

gboolean
engine_python_run_to_stop (EngineThread *thread, gboolean *ret_is_left, GError **error)
{
    EngineProcess *process = thread->process;
    TalkAnswer answer = talk (thread);

    *ret_is_left = FALSE;
    if (answer == TALK_DONE) {
        thread->hit_address = engine_thread_get_pc (thread);
        *ret_is_left = thread->hit_address == process->python.left_function;
        return TRUE;
    }
    process->python.stopped_tid = 0;
    if (answer == TALK_GONE) {
        g_set_error (error, BASE_ERROR, BASE_ERROR_GONE, "the rank has ended");
    } else {
        g_set_error (error, BASE_ERROR, BASE_ERROR_TIMEOUT,
                     answer == TALK_FAULT ? "cannot run Python code here: the rank crashed meanwhile"
                                          : "cannot run Python code here: no answer in 2 s");
    }
    return FALSE;
}

gboolean
engine_python_run_for (EngineThread *thread, gint64 duration_us)
{
    EngineProcess *process = thread->process;
    gboolean was_dispatching = thread->dispatching;
    TalkAnswer answer;

    thread->dispatching = TRUE;
    process->halt_depth++;
    answer = wait_for_answer (thread, duration_us);
    if (answer == TALK_GOES_ON && !process->ended) {
        gather (process);
    }
    if (process->halt_depth > 0) {
        process->halt_depth--;
    }
    thread->dispatching = was_dispatching;
    return answer == TALK_DONE;
}

static gboolean
fetch_answer (EngineProcess *process, PythonAnswer *ret_answer, GError **error)
{
    guint32 event = 0, size = 0, status = 0;
    PythonAnswer answer = { 0 };

    if (!engine_python_read_u32 (process, PYTHON_OFFSET (event), &event)
        || !engine_python_read_u32 (process, PYTHON_OFFSET (out_size), &size)
        || !engine_python_read_u32 (process, PYTHON_OFFSET (status), &status)
        || event != PDDT_EVENT_ANSWER || size > PDDT_MAILBOX_OUT_SIZE) {
        g_set_error (error, BASE_ERROR, BASE_ERROR_CORRUPT, "pddt's agent gave an invalid answer");
        return FALSE;
    }
    answer.status = (gint32) status;
    answer.out_size = size;
    answer.out = g_malloc0 (size + 1u);
    if (size > 0
        && !base_memory_read (process->memory, process->python.mailbox + PYTHON_OFFSET (out), answer.out,
                              size, error)) {
        g_free (answer.out);
        return FALSE;
    }
    if (ret_answer != NULL) {
        *ret_answer = answer;
    } else {
        g_free (answer.out);
    }
    return TRUE;
}

/* Those that the user has set: the agent has larger ones of its own. */
static gboolean
write_limits (EngineProcess *process)
{
    const Engine *engine = process->engine;

    return engine_python_write_u32 (process, PYTHON_OFFSET (limit_depth), engine->asked.depth)
           && engine_python_write_u32 (process, PYTHON_OFFSET (limit_items), engine->asked.items)
           && engine_python_write_u32 (process, PYTHON_OFFSET (limit_bytes), engine->asked.bytes);
}

gboolean
engine_python_converse (EngineThread *thread, guint32 command, guint32 number, guint32 frame,
                        const void *in, gsize in_size, PythonAnswer *ret_answer, GError **error)
{
    EngineProcess *process = thread->process;
    const guint64 mailbox = process->python.mailbox;

    if (in_size >= PDDT_MAILBOX_IN_SIZE) {
        g_set_error (error, BASE_ERROR, BASE_ERROR_INVALID, "the text is too long");
        return FALSE;
    }
    if (!engine_python_write_command (process, command, 1) || !write_limits (process)
        || !engine_python_write_u32 (process, PYTHON_OFFSET (command_number), number)
        || !engine_python_write_u32 (process, PYTHON_OFFSET (command_frame), frame)
        || (in_size > 0
            && !base_memory_write (process->memory, mailbox + PYTHON_OFFSET (in), in, in_size, NULL))) {
        g_set_error (error, BASE_ERROR, BASE_ERROR_FAULT, "cannot write to pddt's agent");
        return FALSE;
    }
    switch (talk (thread)) {
    case TALK_DONE:
        thread->hit_address = process->python.stop_function;
        return fetch_answer (process, ret_answer, error);
    case TALK_GOES_ON:
        process->python.stopped_tid = 0;
        g_set_error (error, BASE_ERROR, BASE_ERROR_TIMEOUT,
                     "no answer in 2 s: the code may wait for something; continue the rank, or "
                     "pause it elsewhere");
        return FALSE;
    case TALK_FAULT:
        process->python.stopped_tid = 0;
        g_set_error (error, BASE_ERROR, BASE_ERROR_FAULT, "the evaluated code crashed");
        return FALSE;
    case TALK_GONE:
    default:
        g_set_error (error, BASE_ERROR, BASE_ERROR_GONE, "the rank has ended");
        return FALSE;
    }
}
