/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Address spaces: the memory that programs run in, and what is planted there. Processes use them, and so do a parent that is
 * held while its child of vfork runs in its memory, and what is kept of an ended program; an exec leaves one for another.
 * When the last user has left, nothing is read there any more. Who only wants to know whether that has happened, or what was
 * planted, has a reference. No process is without one, so that whoever comes at a moment when there is no program (before the
 * first exec, after the end) reads and plants in vain, and nothing worse. */
#include "engine/control/private.h"

struct _EngineSpace {
    Engine *engine;
    guint n_references, n_users; /* a user has a reference, too */
    BaseMemoryReader *memory;    /* NULL: nobody uses it any more */
    gboolean
        is_of_files; /* its memory is somebody else's, who has it longer than there are users */
    gboolean can_read;     /* there is a program's memory */
    StackModules *modules; /* what is mapped; NULL: not read */
    TargetTraps *traps;
    EngineDisplaced *displaced;
    GHashTable *boundaries;
};

static EngineSpace *
make (Engine *engine, BaseMemoryReader *memory, TargetTraps *traps)
{
    EngineSpace *space = g_new0 (EngineSpace, 1);

    space->engine = engine;
    space->n_references = space->n_users = 1;
    space->memory = memory;
    space->traps = traps;
    space->displaced = engine_displaced_new ();
    space->boundaries = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
    return space;
}

/* pid 0: of none, where nothing can be read. */
static EngineSpace *
make_live (Engine *engine, pid_t pid, gboolean takes_traps)
{
    BaseMemoryReader *memory = target_memory_new (pid);
    EngineSpace *space = make (engine, memory,
                               target_traps_new (pid, takes_traps ? memory : NULL,
                                                 engine->shared_traps));

    space->can_read = pid != 0;
    return space;
}

EngineSpace *
engine_space_new_of_files (Engine *engine, BaseMemoryReader *memory, StackModules *modules)
{
    EngineSpace *space = make (engine, memory, target_traps_new (0, NULL, NULL));

    space->is_of_files = space->can_read = TRUE;
    space->modules = modules;
    return space;
}

/* A work that waits for an index may be about to look at one of them. */
static void
set_modules (EngineSpace *space, StackModules *modules)
{
    if (space->modules != NULL) {
        engine_free_later (space->engine, space->modules, (GDestroyNotify) stack_modules_free);
    }
    space->modules = modules;
}

/* ---- users ---- */

EngineSpace *
engine_space_ref (EngineSpace *space)
{
    space->n_references++;
    return space;
}

BASE_FREE (free_space, EngineSpace, space, target_traps_free (space->traps);
           engine_displaced_free (space->displaced); g_hash_table_unref (space->boundaries))

/* Works may be on their way to it. */
void
engine_space_unref (EngineSpace *space)
{
    if (space != NULL && --space->n_references == 0) {
        engine_free_later (space->engine, space, free_space);
    }
}

EngineSpace *
engine_space_use (EngineSpace *space)
{
    space->n_users++;
    return engine_space_ref (space);
}

void
engine_space_leave (EngineSpace *space)
{
    if (--space->n_users == 0) {
        target_traps_retire (space->traps);
        set_modules (space, NULL);
        if (!space->is_of_files) {
            engine_free_later (space->engine, space->memory,
                               (GDestroyNotify) target_memory_free);
        }
        space->memory = NULL;
        space->can_read = FALSE;
    }
    engine_space_unref (space);
}

void
engine_space_enter (EngineProcess *process, EngineSpace *space)
{
    EngineSpace *before = process->space;

    process->space = space != NULL ? engine_space_use (space) : NULL;
    if (before != NULL) {
        engine_space_leave (before);
    }
}

static void
enter_new (EngineProcess *process, pid_t pid, gboolean takes_traps)
{
    EngineSpace *space = make_live (process->engine, pid, takes_traps);

    engine_space_enter (process, space);
    engine_space_leave (space);
}

void
engine_space_open (EngineProcess *process)
{
    enter_new (process, process->pid, TRUE);
    process->exec_seen = TRUE;
}

void
engine_space_share (EngineProcess *process)
{
    enter_new (process, process->pid, FALSE);
    process->exec_seen = FALSE;
}

void
engine_space_close (EngineProcess *process)
{
    enter_new (process, 0, FALSE);
}

/* ---- what is in it ---- */

BaseMemoryReader *
engine_space_find_memory (const EngineSpace *space)
{
    return space->memory;
}

BaseMemoryReader *
engine_process_get_memory (const EngineProcess *process)
{
    return process->space->memory;
}

gboolean
engine_process_can_read (const EngineProcess *process)
{
    return process->space->can_read;
}

void
engine_process_begin_caching (EngineProcess *process)
{
    if (!process->space->is_of_files) {
        target_memory_begin_caching (process->space->memory);
    }
}

void
engine_process_forget_cache (EngineProcess *process)
{
    if (!process->space->is_of_files) {
        target_memory_forget_cache (process->space->memory);
    }
}

void
engine_process_end_caching (EngineProcess *process)
{
    if (!process->space->is_of_files) {
        target_memory_end_caching (process->space->memory);
    }
}

StackModules *
engine_process_get_modules (const EngineProcess *process)
{
    return process->space->modules;
}

EngineModuleWalk
engine_modules_begin (const EngineProcess *process)
{
    return (EngineModuleWalk){ process, process->space->modules, 0 };
}

/* The list is there as long as the work that walks along it (set_modules). */
StackModule *
engine_modules_next (EngineModuleWalk *walk)
{
    gboolean is_last = walk->process->space->modules != walk->modules
                       || walk->next >= stack_modules_get_count (walk->modules);

    return is_last ? NULL : stack_modules_get (walk->modules, walk->next++);
}

IndexImage *
engine_process_open_image (EngineProcess *process, StackModule *module)
{
    StackModules *modules = process->space->modules;
    IndexImage *image = modules != NULL ? stack_module_open_image (modules, module) : NULL;

    return process->space->modules == modules ? image : NULL;
}

void
engine_process_set_modules (EngineProcess *process, StackModules *modules)
{
    set_modules (process->space, modules);
}

StackModules *
engine_process_steal_modules (EngineProcess *process)
{
    return g_steal_pointer (&process->space->modules);
}

TargetTraps *
engine_process_get_traps (const EngineProcess *process)
{
    return process->space->traps;
}

EngineDisplaced *
engine_process_get_displaced (const EngineProcess *process)
{
    return process->space->displaced;
}

GHashTable *
engine_process_get_boundaries (const EngineProcess *process)
{
    return process->space->boundaries;
}

gboolean
engine_space_takes_traps (const EngineProcess *process)
{
    return target_traps_takes_any (process->space->traps);
}

gboolean
engine_space_lift (EngineSpace *space)
{
    if (!target_traps_takes_any (space->traps)) {
        return FALSE;
    }
    target_traps_lift (space->traps);
    return TRUE;
}

void
engine_space_plant_again (EngineSpace *space)
{
    target_traps_plant_again (space->traps);
}

gboolean
engine_space_is_lifted (const EngineSpace *space)
{
    return target_traps_are_lifted (space->traps);
}

void
engine_space_move (EngineSpace *space, pid_t pid)
{
    target_traps_move (space->traps, pid);
}

void
engine_space_clear (EngineSpace *space)
{
    engine_displaced_clear (space->displaced, space->memory);
    target_traps_remove_all (space->traps);
}

void
engine_space_retire (EngineSpace *space)
{
    target_traps_retire (space->traps);
}

void
engine_space_clean_child (EngineSpace *space, pid_t child)
{
    target_traps_clean_child (space->traps, child);
    engine_displaced_clean_child (space->displaced, child);
}
