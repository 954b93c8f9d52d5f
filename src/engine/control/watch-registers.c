/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The debug registers of a thread: it gets those of its process before it goes on. */
#include "engine/control/private.h"
#include "engine/notices.h"

/* A thread that is gone is refused everything. */
static gboolean
is_there (EngineThread *thread)
{
    MachineRegisters registers;

    return target_thread_get_registers (thread->tid, &registers);
}

void
engine_watch_load (EngineThread *thread)
{
    EngineWatchSet *set = &thread->process->watch;

    if (thread->watch_serial == set->serial) {
        return;
    }
    thread->watch_serial = set->serial;
    for (guint i = 0; i < 4 && !set->refused; i++) {
        if (!target_thread_set_watch (thread->tid, i, set->addresses[i], set->sizes[i])
            && set->sizes[i] != 0 && is_there (thread)) {
            set->refused = TRUE;
            engine_tell (thread->process, thread->process->engine->notices->registers_refused);
        }
    }
}

void
engine_watch_unload (EngineThread *thread)
{
    for (guint i = 0; i < 4 && thread->watch_serial != 0; i++) {
        target_thread_set_watch (thread->tid, i, 0, 0);
    }
    thread->watch_serial = 0;
}

void
engine_watch_note (EngineThread *thread)
{
    if (thread->watch_serial != 0 && target_thread_take_watch_hits (thread->tid) != 0) {
        thread->watch_hit = TRUE;
    }
}
