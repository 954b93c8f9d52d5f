/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is known of the agent in a process. */
#include "engine/python/private.h"
#include <string.h>

void
engine_python_make (EngineProcess *process)
{
    process->python = g_new0 (EnginePython, 1);
    process->python->queue = g_ptr_array_new_with_free_func ((GDestroyNotify) job_request_free);
}

void
engine_python_reset (EngineProcess *process)
{
    EnginePython *python = process->python;
    GPtrArray *queue = python->queue;

    g_ptr_array_set_size (queue, 0);
    job_request_free (python->agent_request);
    job_request_free (python->late_request);
    engine_python_free_boundary (python->boundary);
    memset (python, 0, sizeof *python);
    process->is_python_refused = FALSE;
    python->queue = queue;
}

void
engine_python_free (EngineProcess *process)
{
    engine_python_reset (process);
    g_ptr_array_unref (process->python->queue);
    g_free (process->python);
}

gboolean
engine_python_is_expected (const EngineProcess *process)
{
    return process->python->is_agent_expected;
}

gboolean
engine_python_has_agent (const EngineProcess *process)
{
    return process->python->has_agent;
}
