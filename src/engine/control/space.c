/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The memory that a process runs in, and the traps in it: the one door to process->memory, ->planted and ->space. Neither of
 * the first two is ever NULL, so that whoever comes at a moment when there is no program (before the first exec, after the
 * end, in the middle of vfork) reads and plants in vain, and nothing worse. */
#include "engine/control/private.h"

static void
set (EngineProcess *process, pid_t pid, gboolean takes_traps)
{
    process->own_memory = process->memory = target_memory_new (pid);
    process->planted = target_traps_new (pid, takes_traps ? process->memory : NULL,
                                         process->engine->shared_traps);
    process->can_read = pid != 0;
}

/* What the reader is known to is freed when none of them can be on its way to it any more. */
static void
drop (EngineProcess *process)
{
    g_clear_pointer (&process->planted, target_traps_free);
    process->memory = NULL;
    engine_free_later (process->engine, g_steal_pointer (&process->own_memory),
                       (GDestroyNotify) target_memory_free);
}

void
engine_space_make (EngineProcess *process)
{
    set (process, 0, FALSE);
}

void
engine_space_open (EngineProcess *process)
{
    drop (process);
    set (process, process->pid, TRUE);
    process->exec_seen = TRUE;
}

void
engine_space_share (EngineProcess *process)
{
    drop (process);
    set (process, process->pid, FALSE);
    process->exec_seen = FALSE;
}

void
engine_space_close (EngineProcess *process)
{
    drop (process);
    set (process, 0, FALSE);
    process->space++;
}

TargetTraps *
engine_space_retire_traps (EngineProcess *process)
{
    TargetTraps *planted = process->planted;

    target_traps_retire (planted);
    process->planted = target_traps_new (0, NULL, NULL);
    return planted;
}

void
engine_space_lend (EngineProcess *process, BaseMemoryReader *memory)
{
    process->memory = memory;
    process->can_read = TRUE;
}

void
engine_space_take_back (EngineProcess *process)
{
    process->memory = process->own_memory;
    process->can_read = FALSE;
}

void
engine_space_free (EngineProcess *process)
{
    drop (process);
}

gboolean
engine_space_takes_traps (const EngineProcess *process)
{
    return target_traps_takes_any (process->planted);
}
