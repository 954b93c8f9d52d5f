/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is known of the Python in a process: the agent's state, and the interpreter, found on demand
 * among the modules; once refused it is only looked for again when they have changed. */
#include "engine/python/private.h"
#include <string.h>
#include <stdio.h>

static void
free_request (gpointer request)
{
    job_request_free (request);
}

EnginePython *
engine_python_new (void)
{
    EnginePython *python = g_new0 (EnginePython, 1);

    python->queue = g_ptr_array_new_with_free_func (free_request);
    return python;
}

void
engine_python_reset (EnginePython *python)
{
    GPtrArray *queue = python->queue;

    g_ptr_array_set_size (queue, 0);
    job_request_free (python->agent_request);
    engine_python_free_boundary (python->boundary);
    memset (python, 0, sizeof *python);
    python->queue = queue;
}

void
engine_python_free (EnginePython *python)
{
    engine_python_reset (python);
    g_ptr_array_unref (python->queue);
    g_free (python);
}

void
engine_python_set_refused (EngineProcess *process, gboolean is_refused)
{
    process->python->is_refused = is_refused;
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

void
engine_python_forget_runtime (EngineProcess *process)
{
    g_clear_pointer (&process->runtime, python_runtime_free);
    process->python->is_runtime_refused = FALSE;
}

void
engine_python_retry_runtime (EngineProcess *process)
{
    if (process->runtime == NULL) {
        process->python->is_runtime_refused = FALSE;
    }
}

PythonRuntime *
engine_python_find_runtime (EngineProcess *process)
{
    g_autoptr (GArray) images = NULL;
    g_autoptr (GError) error = NULL;

    if (process->runtime != NULL || process->python->is_runtime_refused
        || process->modules == NULL) {
        return process->runtime;
    }
    images = stack_modules_list_python_images (process->modules);
    process->runtime = python_runtime_open (process->memory, (const PythonImage *) images->data,
                                            images->len, &error);
    if (process->runtime != NULL && process->core == NULL) {
        python_runtime_set_dup_path (process->runtime, engine_python_dup_path, process);
    }
    if (process->runtime == NULL) {
        process->python->is_runtime_refused = TRUE;
        process->python->is_runtime_unsupported = g_error_matches (error, BASE_ERROR,
                                                                   BASE_ERROR_UNSUPPORTED);
        if (process->python->is_refused) {
            return NULL; /* pddt has said so */
        }
        if (error != NULL) {
            engine_emit_notice (process, error->message);
        } else if (engine_python_is_too_old (process)) {
            engine_say (process,
                        "this Python is not one of CPython 3.8 to 3.14: pddt shows its C "
                        "functions only");
        }
    }
    return process->runtime;
}

gboolean
engine_python_is_too_old (EngineProcess *process)
{
    guint n = process->modules != NULL ? stack_modules_get_count (process->modules) : 0;

    for (guint i = 0; i < n; i++) {
        const char *path = stack_modules_get (process->modules, i)->path;
        g_autofree char *name = g_path_get_basename (path != NULL ? path : "");
        guint major = 3, minor = 8;

        if ((sscanf (name, "python%u.%u", &major, &minor) >= 1
             || sscanf (name, "libpython%u.%u", &major, &minor) == 2)
            && (major < 3 || (major == 3 && minor < 8))) {
            return TRUE;
        }
    }
    return FALSE;
}
