/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The files of a rank that has ended. During a query they replace the rank's memory, and
 * a thread without registers replaces its threads. */
#include "engine/control/control.h"
#include "engine/modules/modules.h"

struct _EngineRemains {
    StackContents *contents;
    EngineSpace *space; /* that of the files */
    EngineThread *thread;
};

/* A Python program's variables are in no file, and expressions about it are Python. */
static gboolean
is_worth_keeping (const EngineProcess *process)
{
    return engine_process_get_modules (process) != NULL && process->exec_seen
           && process->runtime == NULL && !process->was_python;
}

void
engine_remains_keep (EngineProcess *process)
{
    EngineRemains *remains;
    StackModules *modules;

    if (process->remains != NULL || !is_worth_keeping (process)) {
        return;
    }
    remains = g_new0 (EngineRemains, 1);
    modules = engine_process_steal_modules (process);
    remains->contents = stack_contents_new (modules);
    remains->space = engine_space_new_of_files (process->engine,
                                                stack_contents_get_memory (remains->contents),
                                                modules);
    remains->thread = g_new0 (EngineThread, 1);
    remains->thread->process = process;
    remains->thread->number = ++process->next_number;
    process->remains = remains;
}

void
engine_remains_free (EngineProcess *process)
{
    EngineRemains *remains = g_steal_pointer (&process->remains);

    if (remains == NULL) {
        return;
    }
    engine_space_leave (remains->space);
    stack_contents_free (remains->contents);
    g_free (remains->thread);
    g_free (remains);
}

gboolean
engine_remains_are_used (const EngineProcess *process)
{
    const EngineRemains *remains = process->remains;

    return remains != NULL && stack_contents_was_used (remains->contents);
}

gboolean
engine_remains_lend (EngineProcess *process)
{
    EngineRemains *remains = process->remains;

    if (remains == NULL || process->detached) {
        return FALSE;
    }
    g_ptr_array_add (process->threads, remains->thread);
    engine_space_enter (process, remains->space);
    engine_process_set_selected (process, remains->thread);
    stack_contents_reset_used (remains->contents);
    return TRUE;
}

void
engine_remains_take_back (EngineProcess *process)
{
    engine_space_close (process);
    engine_process_set_selected (process, NULL);
    g_ptr_array_set_size (process->threads, 0);
    engine_modules_forget_tables (process);
}
