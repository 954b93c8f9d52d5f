/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Threads that do not stop in time when their rank does: they wait in the kernel, or get no processor. */
#include "engine/control/private.h"

#define MAX_HALTS 30 /* where a trap has to be taken out while all stand still */

gboolean
engine_thread_is_stoppable (const EngineThread *thread)
{
    return thread->state == ENGINE_THREAD_RUNNING && !thread->in_vfork && !thread->exiting;
}

/* One that runs although all were told to stop would miss the trap. */
static gboolean
has_runaway (const EngineProcess *process)
{
    gboolean found = FALSE;

    for (guint i = 0; i < process->threads->len && !found; i++) {
        const EngineThread *thread = g_ptr_array_index (process->threads, i);

        found = engine_thread_is_stoppable (thread) && thread->is_given_up
                && !thread->is_uninterruptible;
    }
    return found;
}

void
engine_process_await_runaways (EngineProcess *process)
{
    for (guint i = 0; i < MAX_HALTS && !process->ended && has_runaway (process); i++) {
        if (engine_process_halt (process)) {
            engine_process_keep_halted (process);
        }
    }
}

/* Each once, until it has stopped. */
void
engine_process_tell_given_up (EngineProcess *process)
{
    for (guint i = 0; i < process->threads->len; i++) {
        EngineThread *thread = g_ptr_array_index (process->threads, i);

        if (engine_thread_is_stoppable (thread) && thread->is_given_up && !thread->is_told) {
            g_autofree char *number = g_strdup_printf ("%u", thread->number);

            thread->is_told = TRUE;
            engine_say (process,
                        thread->is_uninterruptible
                            ? "thread %s waits in the kernel, which does not let it stop"
                            : "thread %s does not stop: it still runs",
                        number);
        }
    }
}
