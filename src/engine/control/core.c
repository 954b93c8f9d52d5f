/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The core file that a process may be. */
#include "engine/control/private.h"
#include "target/core.h"

void
engine_core_close (EngineProcess *process)
{
    g_clear_pointer (&process->core, target_core_free);
}

GBytes *
engine_core_read_extended (EngineThread *thread)
{
    guint n;
    const TargetCoreThread *threads = target_core_get_threads (thread->process->core, &n);

    return BASE_CHOOSE (i, n, threads[i].tid == thread->tid && threads[i].extended != NULL,
                        g_bytes_ref (threads[i].extended), NULL);
}
