/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The requests about breakpoints: set, changed, disabled, deleted. */
#include "engine/breakpoint/private.h"
#include "engine/notices.h"

gboolean
engine_breakpoint_tell (EngineProcess *process, const JobRequest *request, GError **error)
{
    return process->engine->notices->breakpoint_changes (process, request, error);
}

/* ---- EngineWorks ---- */

static void
add_code_site (EngineProcess *process, const JobRequest *request)
{
    g_autoptr (GError) gone = NULL;

    if (!process->ended) {
        engine_breakpoint_add_site (engine_breakpoint_add (process->engine, request,
                                                           ENGINE_BREAKPOINT_CODE),
                                    process, request->id);
        return;
    }
    gone = g_error_new (BASE_ERROR, BASE_ERROR_GONE,
                        "cannot set a breakpoint: the rank has ended");
    engine_emit_failure (process, request->id, gone);
}

/* What a breakpoint does at its place is the same for all its ranks: the first one that takes the change
 * makes it. An agent that has it gets it again. */
static void
change_condition (EngineProcess *process, const JobRequest *request)
{
    EngineBreakpoint *breakpoint = engine_breakpoint_find (process->engine, request->number);
    EngineBreakpointSite *site = engine_breakpoint_find_site (breakpoint, process);
    g_autoptr (GError) error = NULL;

    if (site != NULL && request->id >= breakpoint->modified_by) {
        g_autoptr (JobRequest) changed = job_request_dup (breakpoint->request);

        job_request_copy_modifiers (request, changed);
        if (breakpoint->kind == ENGINE_BREAKPOINT_CODE && !process->ended
            && !engine_breakpoint_site_check (site, changed, &error)) {
            engine_emit_failure (process, request->id, error);
            return;
        }
        if (breakpoint->kind == ENGINE_BREAKPOINT_CODE && !process->ended
            && !engine_breakpoint_tell (process, changed, &error)) {
            engine_breakpoint_tell (process, breakpoint->request, NULL);
            engine_emit_failure (process, request->id, error);
            return;
        }
        if (request->id > breakpoint->modified_by) {
            breakpoint->modified_by = request->id;
            engine_breakpoint_replace_request (breakpoint, process->engine,
                                               g_steal_pointer (&changed));
        }
    }
    engine_emit_accepted (process, request->id);
}

static void
change_site (EngineProcess *process, const JobRequest *request)
{
    EngineBreakpointSite *site
        = engine_breakpoint_find_site (engine_breakpoint_find (process->engine,
                                                               request->number),
                                       process);

    if (site != NULL && !process->ended) {
        engine_breakpoint_tell (process, request, NULL);
    }
    if (site != NULL && request->verb == JOB_VERB_DELETE) {
        engine_breakpoint_site_remove (site);
    } else if (site != NULL) {
        engine_breakpoint_site_set_enabled (site, request->verb == JOB_VERB_ENABLE);
    }
    engine_emit_accepted (process, request->id);
}

void
engine_breakpoint_handle (Engine *engine, const JobRequest *request)
{
    if (engine->breakpoints == NULL) {
        return;
    }
    switch (request->verb) {
    case JOB_VERB_BREAK: engine_work_do_all (engine, request, add_code_site); break;
    case JOB_VERB_CATCH: engine_catch_handle (engine, request); break;
    case JOB_VERB_WATCH: engine_work_do_all (engine, request, engine_watch_add); break;
    case JOB_VERB_CONDITION: engine_work_do_all (engine, request, change_condition); break;
    default: engine_work_do_all (engine, request, change_site); break;
    }
}
