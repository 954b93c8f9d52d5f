/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decides whether a breakpoint or watchpoint that was hit stops its rank (condition, count,
 * thread) or writes its log text. */
#include "engine/breakpoint/private.h"
#include "engine/inspect/inspect.h"
#include "engine/modules/modules.h"
#include "index/client.h"
#include <string.h>

/* A breakpoint's names are those of where it stands, a watch's those of where it was set. */
static JobValue *
evaluate (EngineBreakpointSite *site, EngineThread *thread, const char *expression,
          GError **error)
{
    return site->watch != NULL ? engine_watch_evaluate (site, thread, expression, error)
                               : engine_inspect_evaluate (thread, 0, expression, error);
}

/* A condition that cannot be told is a reason to stop. */
static gboolean
check_condition (EngineBreakpointSite *site, EngineThread *thread)
{
    const char *condition = site->breakpoint->request->condition;
    g_autoptr (GError) error = NULL;
    g_autoptr (JobValue) value = NULL;

    if (condition == NULL || condition[0] == '\0') {
        return TRUE;
    }
    value = evaluate (site, thread, condition, &error);
    if (value != NULL && !value->is_problem) {
        return job_value_is_true (value);
    }
    if (engine_work_is_abandoned ()) {
        return FALSE; /* there is nobody left to stop, or to be told */
    }
    engine_say (site->process, "cannot evaluate the condition of breakpoint %u: %s",
                site->breakpoint->number, value != NULL ? value->text : error->message);
    return TRUE;
}

gboolean
engine_breakpoint_site_check (const EngineBreakpointSite *site, const JobRequest *request,
                              GError **error)
{
    EngineProcess *process = site->process;
    const char *condition = request->condition;
    g_autoptr (GArray) addresses = g_array_new (FALSE, FALSE, sizeof (guint64));
    g_autoptr (GError) invalid = NULL;

    if (site->python_places->len > 0) {
        return TRUE; /* the agent has judged it */
    }
    /* noted first: binding may wait, and the places change meanwhile */
    for (guint i = 0; condition != NULL && *condition != '\0' && i < site->places->len; i++) {
        const EnginePlace *place = g_ptr_array_index (site->places, i);

        g_array_append_val (addresses, place->address);
    }
    for (guint i = 0; i < addresses->len && process->symbols != NULL; i++) {
        guint64 address = g_array_index (addresses, guint64, i);
        const StackModule *module = stack_modules_find (engine_process_get_modules (process),
                                                        address);
        g_autoptr (GError) problem = NULL;

        if (module == NULL) {
            continue;
        }
        if (index_client_bind (process->symbols, stack_module_get_file (module),
                               address - module->bias, 0, condition, &problem)
                != NULL
            || !g_error_matches (problem, BASE_ERROR, BASE_ERROR_INVALID)) {
            return TRUE;
        }
        if (invalid == NULL) {
            invalid = g_steal_pointer (&problem);
        }
    }
    if (invalid == NULL) {
        return TRUE;
    }
    base_error_set (error, BASE_ERROR_INVALID, "cannot take the condition \"%s\": %s",
                    condition, invalid->message);
    return FALSE;
}

static void
append_value (GString *text, EngineBreakpointSite *site, EngineThread *thread,
              const char *expression)
{
    g_autoptr (GError) error = NULL;
    g_autoptr (JobValue) value = evaluate (site, thread, expression, &error);

    if (value != NULL && value->text != NULL) {
        g_string_append (text, value->text);
    } else {
        g_string_append_printf (text, "<%s>", error != NULL ? error->message : "no value");
    }
}

static void
write_log (EngineBreakpointSite *site, EngineThread *thread)
{
    g_autoptr (JobRankSet) slot = job_rank_set_new_range (site->process->slot,
                                                          site->process->slot + 1);
    g_autoptr (GString) text = g_string_new (NULL);
    JobEvent *event;

    for (const char *c = site->breakpoint->request->log; *c != '\0';) {
        const char *end = *c == '{' ? strchr (c, '}') : NULL;

        if (end == NULL) {
            g_string_append_c (text, *c++);
            continue;
        }
        g_autofree char *expression = g_strndup (c + 1, (gsize) (end - c - 1));
        append_value (text, site, thread, expression);
        c = end + 1;
    }
    event = job_event_new (JOB_EVENT_LOG, 0, slot);
    event->number = (gint32) site->breakpoint->number;
    event->text = g_string_free (g_steal_pointer (&text), FALSE);
    engine_emit (site->process->engine, event);
}

static gboolean
is_counted (guint64 hits, guint64 every)
{
    return (every & JOB_EVERY_FROM) != 0 ? hits >= (every & ~JOB_EVERY_FROM)
                                         : every <= 1 || hits % every == 0;
}

gboolean
engine_breakpoint_site_judge (EngineBreakpointSite *site, EngineThread *thread)
{
    const JobRequest *request = site->breakpoint->request;

    if (!site->enabled || (request->thread != 0 && request->thread != thread->number)
        || !check_condition (site, thread)) {
        return FALSE;
    }
    if (site->every != request->every && (request->every & JOB_EVERY_FROM) != 0) {
        site->hits = 0;
    }
    site->every = request->every;
    site->hits++;
    if (!is_counted (site->hits, request->every)) {
        return FALSE;
    }
    if (request->log != NULL) {
        write_log (site, thread);
        return FALSE;
    }
    if (request->flags & JOB_REQUEST_TEMPORARY) {
        engine_breakpoint_site_set_enabled (site, FALSE);
    }
    return TRUE;
}
