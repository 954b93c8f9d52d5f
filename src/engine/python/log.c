/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What log breakpoints of Python write: the agent puts it into a ring, which is emptied while the rank runs. */
#include "engine/control/control.h"
#include "engine/python/private.h"

static void
emit_log (EngineProcess *process, guint32 number, const char *text, gsize size)
{
    g_autoptr (JobRankSet) slot = job_rank_set_new_range (process->slot, process->slot + 1);
    JobEvent *event = job_event_new (JOB_EVENT_LOG, 0, slot);

    event->number = (gint32) number;
    event->text = g_strndup (text, size);
    engine_emit (process->engine, event);
}

/* Of the ring, from `at` on. FALSE: it cannot be read. */
static gboolean
read_log (EngineProcess *process, guint32 at, void *data, guint32 size)
{
    guint32 first = at % PDDT_MAILBOX_LOG_SIZE,
            part = MIN (size, PDDT_MAILBOX_LOG_SIZE - first);
    guint64 ring = process->python->mailbox + PYTHON_OFFSET (log);

    return base_memory_read (engine_process_get_memory (process), ring + first, data, part,
                             NULL)
           && (part == size
               || base_memory_read (engine_process_get_memory (process), ring,
                                    (char *) data + part, size - part, NULL));
}

gboolean
engine_python_take_log (EngineProcess *process)
{
    struct pddt_mailbox_log head;
    guint32 taken, written, at;
    char text[sizeof ((struct pddt_mailbox *) 0)->text];

    if (!process->python->has_agent || process->ended
        || !engine_python_read_u32 (process, PYTHON_OFFSET (log_written), &written)
        || !engine_python_read_u32 (process, PYTHON_OFFSET (log_taken), &taken)
        || written == taken) {
        return FALSE;
    }
    for (at = taken; at != written && written - at <= PDDT_MAILBOX_LOG_SIZE;
         at += sizeof head + head.size) {
        if (!read_log (process, at, &head, sizeof head) || head.size >= sizeof text
            || !read_log (process, at + sizeof head, text, head.size)) {
            break;
        }
        emit_log (process, head.number, text, head.size);
    }
    engine_python_write_u32 (process, PYTHON_OFFSET (log_taken), written);
    return TRUE;
}

static gboolean
is_logging (const EngineProcess *process)
{
    return process->python->has_logs && !process->ended && process->suspended.n == 0
           && process->ongoing == NULL && !engine_process_is_stopped (process);
}

void
engine_python_take_logs (Engine *engine)
{
    for (guint i = 0; i < engine->processes->len; i++) {
        EngineProcess *process = g_ptr_array_index (engine->processes, i);

        if (is_logging (process)) {
            engine_python_take_log (process);
        }
    }
}

int
engine_python_get_timeout_ms (const Engine *engine)
{
    enum { LOOK_MS = 10 };

    return BASE_CHOOSE (i, engine->processes->len,
                        is_logging (g_ptr_array_index (engine->processes, i)), LOOK_MS, -1);
}
