/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Queries about a rank that has ended: its files, the initial values of its variables, and what
 * does not depend on a process. During such a query these files replace the rank's memory, and
 * a thread without registers replaces its threads. */
#include "engine/control/private.h"
#include "engine/inspect/inspect.h"
#include "engine/modules/modules.h"
#include <string.h>

struct _EngineRemains {
    StackModules *modules;
    StackContents *contents;
    EngineThread *thread;
};

/* A Python program's variables are in no file, and expressions about it are Python. */
static gboolean
is_worth_keeping (const EngineProcess *process, gboolean is_python)
{
    return process->modules != NULL && process->exec_seen && process->runtime == NULL
           && !is_python;
}

void
engine_remains_keep (EngineProcess *process, gboolean is_python)
{
    EngineRemains *remains;

    if (process->remains != NULL || !is_worth_keeping (process, is_python)) {
        return;
    }
    remains = g_new0 (EngineRemains, 1);
    remains->modules = g_steal_pointer (&process->modules);
    remains->contents = stack_contents_new (remains->modules);
    remains->thread = g_new0 (EngineThread, 1);
    remains->thread->process = process;
    process->remains = remains;
}

void
engine_remains_free (EngineProcess *process)
{
    EngineRemains *remains = g_steal_pointer (&process->remains);

    if (remains == NULL) {
        return;
    }
    stack_contents_free (remains->contents);
    stack_modules_free (remains->modules);
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
    process->modules = remains->modules;
    process->memory = stack_contents_get_memory (remains->contents);
    process->selected_thread = remains->thread;
    stack_contents_reset_used (remains->contents);
    return TRUE;
}

void
engine_remains_take_back (EngineProcess *process)
{
    process->modules = NULL;
    process->memory = NULL;
    process->selected_thread = NULL;
    engine_modules_forget_tables (process);
}

/* Without a place these are about a frame. */
static gboolean
is_about_frame (const JobRequest *request)
{
    return request->verb == JOB_VERB_INFO && g_strcmp0 (request->text, "symbol") != 0
           && request->where.kind == JOB_WHERE_NONE;
}

static gboolean
answer (EngineInspection *look, const JobRequest *request, GError **error)
{
    JobFrame frame = { 0 };

    if (is_about_frame (request)) {
        base_error_set (error, BASE_ERROR_GONE, "the rank has ended: it has no frame");
        return FALSE;
    }
    return request->verb == JOB_VERB_INFO
               ? engine_inspect_answer_info_in (look, request, &frame, error)
               : engine_inspect_answer_in_frame (look, request, &frame, error);
}

static gboolean
may_answer (const JobRequest *request)
{
    switch (request->verb) {
    case JOB_VERB_PRINT:
    case JOB_VERB_PRINTF:
    case JOB_VERB_WHATIS:
    case JOB_VERB_PTYPE:
    case JOB_VERB_GLOBALS:
    case JOB_VERB_INFO: return (request->flags & JOB_REQUEST_ENDED) != 0;
    default: return FALSE;
    }
}

void
engine_remains_answer (EngineProcess *process, const JobRequest *request)
{
    EngineInspection look = { .process = process };
    g_autoptr (GError) error = NULL;

    if (!may_answer (request) || !engine_remains_lend (process)) {
        base_error_set (&error, BASE_ERROR_GONE, "cannot inspect the rank: the rank has ended");
        engine_emit_failure (process, request->id, error);
        return;
    }
    if (!answer (&look, request, &error)) {
        engine_emit_failure (process, request->id, error);
    }
    engine_remains_take_back (process);
}
