/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Breakpoints of a thread that does not exist yet. The agent knows threads by the kernel's
 * number, which is unknown until then: the engine completes the mailbox's table when the thread
 * is created, before it runs. Native breakpoints compare pddt's own numbers and need no
 * table. */
#include "engine/python/private.h"

static gsize
get_row (guint i)
{
    return PYTHON_OFFSET (awaited) + i * sizeof (struct pddt_mailbox_thread);
}

gboolean
engine_awaited_name_thread (EngineProcess *process, guint number, guint64 *ret_name)
{
    const EngineThread *thread = engine_process_find_thread (process, number);
    guint n = process->python->n_awaited;
    guint32 known = 0;

    *ret_name = PDDT_MAILBOX_AWAITED | number;
    if (number == 0 || thread != NULL) {
        *ret_name = thread != NULL ? (guint64) thread->tid : 0;
        return TRUE;
    }
    if (BASE_ANY (i, n,
                  engine_python_read_u32 (process, get_row (i), &known) && known == number)) {
        return TRUE;
    }
    if (n >= PDDT_MAILBOX_N_AWAITED || !engine_python_write_u32 (process, get_row (n) + 4, 0)
        || !engine_python_write_u32 (process, get_row (n), number)) {
        return FALSE;
    }
    process->python->n_awaited++;
    return TRUE;
}

void
engine_awaited_on_thread (EngineThread *thread)
{
    EngineProcess *process = thread->process;
    guint32 number = 0;

    for (guint i = 0; i < process->python->n_awaited; i++) {
        if (engine_python_read_u32 (process, get_row (i), &number)
            && number == thread->number) {
            engine_python_write_u32 (process, get_row (i) + 4, (guint32) thread->tid);
        }
    }
}
