/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The mailbox's contents: events, commands, queries and replies. talk.c makes the
 * agent's thread read and write it. */
#include "engine/control/control.h"
#include "engine/python/private.h"
#include <string.h>

void
engine_python_close (EngineProcess *process)
{
    if (process->python->has_agent) {
        engine_python_take_log (process);
        engine_python_write_u32 (process, PYTHON_OFFSET (attached), 0);
    }
}

gboolean
engine_python_read_u32 (EngineProcess *process, gsize offset, guint32 *ret_value)
{
    return base_memory_read (engine_process_get_memory (process),
                             process->python->mailbox + offset, ret_value, sizeof *ret_value,
                             NULL);
}

gboolean
engine_python_write_u32 (EngineProcess *process, gsize offset, guint32 value)
{
    return base_memory_write (engine_process_get_memory (process),
                              process->python->mailbox + offset, &value, sizeof value, NULL);
}

struct pddt_mailbox *
engine_python_read_event (EngineProcess *process)
{
    g_autofree struct pddt_mailbox *box = g_new0 (struct pddt_mailbox, 1);

    if (!base_memory_read (engine_process_get_memory (process), process->python->mailbox, box,
                           PYTHON_OFFSET (command), NULL)
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

gboolean
engine_python_is_listening (EngineThread *thread)
{
    return !engine_thread_is_gone (thread) && thread->state == ENGINE_THREAD_STOPPED
           && engine_thread_get_pc (thread) == thread->process->python->stop_function;
}

void
engine_python_pass_stop (EngineThread *thread, guint64 stop_function)
{
    if (engine_thread_get_pc (thread) == stop_function) {
        engine_thread_set_pc (thread, stop_function + 1);
        thread->handled_trap = 0;
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

gboolean
engine_python_fetch_answer (EngineProcess *process, PythonAnswer *ret_answer, guint32 *ret_id,
                            GError **error)
{
    guint32 event = 0, size = 0, status = 0;
    PythonAnswer answer = { 0 };

    if (!engine_python_read_u32 (process, PYTHON_OFFSET (event), &event)
        || !engine_python_read_u32 (process, PYTHON_OFFSET (out_size), &size)
        || !engine_python_read_u32 (process, PYTHON_OFFSET (status), &status)
        || !engine_python_read_u32 (process, PYTHON_OFFSET (answer_id), ret_id)
        || event != PDDT_EVENT_ANSWER || size > PDDT_MAILBOX_OUT_SIZE) {
        base_error_set (error, BASE_ERROR_CORRUPT, "pddt's agent gave an invalid answer");
        return FALSE;
    }
    answer.status = (gint32) status;
    answer.out_size = size;
    answer.out = g_malloc0 (size + 1u);
    if (size > 0
        && !base_memory_read (engine_process_get_memory (process),
                              process->python->mailbox + PYTHON_OFFSET (out), answer.out, size,
                              error)) {
        g_free (answer.out);
        return FALSE;
    }
    *ret_answer = answer;
    return TRUE;
}

/* That of the last command, and of no other one. */
static gboolean
take_answer (EngineProcess *process, PythonAnswer *ret_answer, GError **error)
{
    g_auto (PythonAnswer) answer = { 0 };
    guint32 id;

    if (!engine_python_fetch_answer (process, &answer, &id, error)) {
        return FALSE;
    }
    if (id != process->python->last_command_id) {
        base_error_set (error, BASE_ERROR_CORRUPT,
                        "pddt's agent has answered an earlier command");
        return FALSE;
    }
    if (ret_answer != NULL) {
        *ret_answer = answer;
        answer.out = NULL;
    }
    return TRUE;
}

/* Those that the user has set: the agent has larger ones of its own. */
static gboolean
write_limits (EngineProcess *process)
{
    const Engine *engine = process->engine;

    return engine_python_write_u32 (process, PYTHON_OFFSET (limit_depth), engine->asked.depth)
           && engine_python_write_u32 (process, PYTHON_OFFSET (limit_items),
                                       engine->asked.items)
           && engine_python_write_u32 (process, PYTHON_OFFSET (limit_bytes),
                                       engine->asked.bytes)
           && engine_python_write_u32 (process, PYTHON_OFFSET (limit_s), engine->limit_s);
}

void
engine_python_write_whole (EngineProcess *process, const JobRequest *request)
{
    const EvaluateLimits whole = engine_find_limits (process->engine, request);

    (void) (engine_python_write_u32 (process, PYTHON_OFFSET (limit_depth), whole.depth)
            && engine_python_write_u32 (process, PYTHON_OFFSET (limit_items), whole.items)
            && engine_python_write_u32 (process, PYTHON_OFFSET (limit_bytes), whole.bytes));
}

gboolean
engine_python_write_question (EngineThread *thread, guint32 command, guint32 number,
                              guint32 frame, const void *in, gsize in_size, GError **error)
{
    EngineProcess *process = thread->process;
    const guint64 mailbox = process->python->mailbox;

    if (!engine_python_is_listening (thread)) {
        base_error_set (error, BASE_ERROR_BUSY,
                        "pddt's agent is still busy with an earlier command");
        return FALSE;
    }
    if (in_size >= PDDT_MAILBOX_IN_SIZE) {
        base_error_set (error, BASE_ERROR_INVALID, "the text is too long");
        return FALSE;
    }
    if (!engine_python_write_command (process, command, 1) || !write_limits (process)
        || !engine_python_write_u32 (process, PYTHON_OFFSET (command_number), number)
        || !engine_python_write_u32 (process, PYTHON_OFFSET (command_frame), frame)
        || !engine_python_write_u32 (process, PYTHON_OFFSET (command_id),
                                     ++process->python->last_command_id)
        || (in_size > 0
            && !base_memory_write (engine_process_get_memory (process),
                                   mailbox + PYTHON_OFFSET (in), in, in_size, NULL))) {
        base_error_set (error, BASE_ERROR_FAULT, "cannot write to pddt's agent");
        return FALSE;
    }
    return TRUE;
}

gboolean
engine_python_read_reply (EngineProcess *process, EngineThread *thread, PythonTalkAnswer talked,
                          PythonAnswer *ret_answer, GError **error)
{
    switch (talked) {
    case PYTHON_TALK_DONE:
    case PYTHON_TALK_CUT:
        thread->handled_trap = process->python->stop_function;
        return take_answer (process, ret_answer, error);
    case PYTHON_TALK_GOES_ON:
    case PYTHON_TALK_HELD:
        process->python->stopped_tid = 0;
        process->python->late_tid = thread->tid;
        process->python->late_command = PDDT_COMMAND_CONTINUE;
        process->python->late_frame = 0;
        if (talked == PYTHON_TALK_HELD) {
            base_error_set (error, BASE_ERROR_TIMEOUT,
                            "interrupted, but the code still waits for something; continue the "
                            "rank, or pause it elsewhere");
        } else {
            base_error_set (error, BASE_ERROR_TIMEOUT,
                            "no answer in %u s: the code may wait for something; continue the "
                            "rank, or set option limit-time SECONDS",
                            process->engine->limit_s);
        }
        return FALSE;
    case PYTHON_TALK_FAULT:
        process->python->stopped_tid = 0;
        base_error_set (error, BASE_ERROR_FAULT, "the evaluated code crashed");
        return FALSE;
    case PYTHON_TALK_GONE:
    default: base_error_set (error, BASE_ERROR_GONE, "the rank has ended"); return FALSE;
    }
}

gboolean
engine_python_converse (EngineThread *thread, guint32 command, guint32 number, guint32 frame,
                        const void *in, gsize in_size, PythonAnswer *ret_answer, GError **error)
{
    EngineProcess *process = thread->process;

    return engine_python_write_question (thread, command, number, frame, in, in_size, error)
           && engine_python_read_reply (process, thread, engine_python_talk (thread, FALSE),
                                        ret_answer, error);
}
