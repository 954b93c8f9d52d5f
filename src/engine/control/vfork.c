/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A followed child of vfork runs in its parent's memory until it executes a program or ends. The parent's threads
 * are held where they stand meanwhile, so that what is planted there is met by the child alone; where it is followed beside
 * them, nothing is planted there. */
#include "engine/control/private.h"
#include "engine/notices.h"

typedef struct {
    pid_t tid;
    int signal; /* to deliver when it goes on; 0 */
} Held;

struct _EngineVfork {
    pid_t parent;
    EngineSpace *space; /* which it uses */
    GArray *held;       /* of Held */
};

EngineVfork *
engine_vfork_new (EngineProcess *parent)
{
    EngineVfork *vfork = g_new (EngineVfork, 1);

    *vfork = (EngineVfork){ parent->pid, engine_space_use (parent->space),
                            g_array_new (FALSE, FALSE, sizeof (Held)) };
    return vfork;
}

/* Nobody runs there any more for whom traps were lifted. */
void
engine_vfork_enter (EngineProcess *process)
{
    EngineSpace *space = process->vfork->space;

    engine_space_enter (process, space);
    engine_space_move (space, process->pid);
    target_traps_plant_again (engine_process_get_traps (process));
    process->exec_seen = TRUE;
}

void
engine_vfork_hold (EngineVfork *vfork, pid_t tid, int signal)
{
    BASE_APPEND (vfork->held, Held, tid, signal);
}

/* One that was made just now may not have been reported yet, and could not be held. */
static gboolean
are_all_known (const EngineProcess *process)
{
    g_autoptr (GArray) tids = target_process_list_threads (process->pid);
    gboolean is_known = tids->len > 0;

    for (guint i = 0; i < tids->len && is_known; i++) {
        const EngineThread *thread
            = g_hash_table_lookup (process->engine->by_tid,
                                   GINT_TO_POINTER (g_array_index (tids, pid_t, i)));

        is_known = thread != NULL && thread->process == process;
    }
    return is_known;
}

gboolean
engine_vfork_can_hold (const EngineThread *caller)
{
    const EngineProcess *process = caller->process;

    return !BASE_HAS (process->threads, const EngineThread, thread,
                      thread != caller
                          && (thread->in_vfork
                              || (thread->state == ENGINE_THREAD_RUNNING && !thread->exiting)
                              || thread->shares_memory))
           && caller->lifted_for_vfork && process->vfork == NULL && are_all_known (process);
}

/* ---- beside its parent ---- */

struct _EngineGuest {
    EngineSpace *host;   /* what it runs in, with what is planted there */
    pid_t parent;        /* the thread that waits for it; 0: that has gone */
    gboolean holds_lift; /* and would have planted again */
};

EngineSpace *
engine_vfork_get_host (const EngineProcess *process)
{
    return process->guest != NULL ? process->guest->host : process->space;
}

gboolean
engine_vfork_hand_over (EngineThread *thread)
{
    Engine *engine = thread->process->engine;

    for (guint i = 0;
         thread->lifted_for_vfork && !engine->abandoned && i < engine->processes->len; i++) {
        EngineGuest *guest
            = ((EngineProcess *) g_ptr_array_index (engine->processes, i))->guest;

        if (guest != NULL && guest->parent == thread->tid) {
            guest->parent = 0;
            guest->holds_lift = TRUE;
            thread->in_vfork = thread->lifted_for_vfork = FALSE;
            return TRUE;
        }
    }
    return FALSE;
}

void
engine_vfork_begin_beside (EngineProcess *process, const EngineThread *parent)
{
    gboolean is_gone = engine_thread_is_gone (parent);

    process->guest = g_new (EngineGuest, 1);
    *process->guest = (EngineGuest){ engine_space_ref (engine_vfork_get_host (parent->process)),
                                     is_gone ? 0 : parent->tid,
                                     is_gone && parent->lifted_for_vfork };
}

void
engine_vfork_plant_again (Engine *engine, EngineSpace *host)
{
    engine_space_plant_again (host);
    for (guint i = 0; !engine_space_is_lifted (host) && i < engine->processes->len; i++) {
        EngineProcess *process = g_ptr_array_index (engine->processes, i);

        if (process->space == host && !process->ended) {
            engine_tell (process, engine->notices->vfork_over);
        }
    }
}

void
engine_vfork_stay (EngineProcess *process)
{
    if (process->guest != NULL) {
        process->guest->holds_lift = FALSE;
    }
}

static void
end_beside (EngineProcess *process)
{
    EngineGuest *guest = g_steal_pointer (&process->guest);

    if (guest == NULL) {
        return;
    }
    if (guest->holds_lift) {
        engine_vfork_plant_again (process->engine, guest->host);
    }
    engine_space_unref (guest->host);
    g_free (guest);
}

void
engine_vfork_end (EngineProcess *process)
{
    EngineVfork *vfork = g_steal_pointer (&process->vfork);

    end_beside (process);
    if (vfork == NULL) {
        return;
    }
    engine_space_move (vfork->space, vfork->parent);
    engine_space_clear (vfork->space);
    for (guint i = 0; i < vfork->held->len; i++) {
        const Held *held = &g_array_index (vfork->held, Held, i);

        target_thread_detach (held->tid, held->signal);
    }
    engine_space_leave (vfork->space);
    g_array_unref (vfork->held);
    g_free (vfork);
}
