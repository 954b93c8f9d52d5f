/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Debug information that arrives during the session, from the user's debuginfod servers: pddt
 * reads these modules again and resolves breakpoints again. */
#include "engine/control/control.h"
#include "engine/modules/modules.h"
#include "engine/notices.h"
#include <string.h>

#define LOOK_MS 300

static gboolean
is_listed (const StackModule *module, char **paths)
{
    return g_strv_contains ((const char *const *) paths, stack_module_get_file (module));
}

static void
take_module (EngineProcess *process, StackModule *module)
{
    g_autofree char *base = g_path_get_basename (module->path);

    g_clear_pointer (&process->stack, stack_free);
    g_clear_pointer (&process->stop_stack, stack_free);
    process->engine->notices->module_changes (process, module);
    stack_module_forget_image (module);
    engine_say (process, "debug information of %s has come from a debuginfod server", base);
}

/* An EngineWork. */
static void
take_arrivals (EngineProcess *process, const JobRequest *request)
{
    char **paths = process->engine->arrived_files;
    gboolean has_any = FALSE;

    ENGINE_EACH_MODULE (process, module) {
        has_any |= is_listed (module, paths);
    }
    if (process->ended || !has_any
        || (process->core == NULL && !engine_process_halt (process))) {
        return;
    }
    ENGINE_EACH_MODULE (process, module) {
        if (is_listed (module, paths)) {
            take_module (process, module);
        }
    }
    if (process->core == NULL) {
        engine_tell (process, process->engine->notices->modules_come);
        engine_process_release (process);
    }
}

static gboolean
on_look (gpointer data)
{
    Engine *engine = data;

    if (engine->n_busy > 0) {
        return G_SOURCE_CONTINUE; /* a thread that runs for a request is not halted for this */
    }
    g_strfreev (engine->arrived_files);
    engine->arrived_files = index_client_take_arrivals (engine->symbols);
    for (guint i = 0; engine->arrived_files != NULL && engine->arrived_files[0] != NULL
                      && i < engine->processes->len;
         i++) {
        engine_work_do (g_ptr_array_index (engine->processes, i), NULL, take_arrivals);
    }
    /* the source ends here; what is still to come makes the next one */
    engine->arrivals_source = 0;
    engine_flush (engine);
    return G_SOURCE_REMOVE;
}

void
engine_arrivals_watch (Engine *engine)
{
    if (engine->arrivals_source == 0 && engine->symbols != NULL
        && index_client_is_waiting (engine->symbols)) {
        engine->arrivals_source = g_timeout_add (LOOK_MS, on_look, engine);
    }
}

void
engine_arrivals_tell (Engine *engine)
{
    for (;;) {
        g_autofree char *note = engine->symbols != NULL && engine->processes->len > 0
                                    ? index_client_take_note (engine->symbols)
                                    : NULL;

        if (note == NULL) {
            return;
        }
        for (guint i = 0; i < engine->processes->len; i++) {
            EngineProcess *process = g_ptr_array_index (engine->processes, i);
            gboolean has = FALSE;

            ENGINE_EACH_MODULE (process, module) {
                const char *file = stack_module_get_file (module);

                has |= g_str_has_prefix (note, file) && note[strlen (file)] == ':';
            }
            if (has && !process->ended) {
                engine_emit_notice (process, note);
            }
        }
    }
}
