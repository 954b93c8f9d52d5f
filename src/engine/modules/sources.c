/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Source files that were changed after the program was built, so that the shown lines are
 * wrong. Reported once for each file, at the first stop in it. */
#include "engine/modules/modules.h"
#include <glib/gi18n.h>
#include <string.h>
#include <sys/stat.h>

static StackModule *
find_module (const EngineProcess *process, const char *name)
{
    ENGINE_EACH_MODULE (process, module) {
        const char *slash = strrchr (module->path, '/');

        if (strcmp (slash != NULL ? slash + 1 : module->path, name) == 0) {
            return module;
        }
    }
    return NULL;
}

static gboolean
has_any_lines (EngineProcess *process, StackModule *module)
{
    const IndexImage *image = engine_process_open_image (process, module);

    return image != NULL && index_image_has_lines (image);
}

/* What runs before main is compiled without lines in every program. */
static gboolean
is_start (const JobLocation *place)
{
    return place->function == NULL || strcmp (place->function, "_start") == 0;
}

/* Once for each program: the window's panes are empty for this reason. What could not be read may well be there. */
static void
check_described (EngineProcess *process, const JobLocation *place)
{
    Engine *engine = process->engine;
    StackModule *module = find_module (process, place->module);
    gboolean has_lines;
    g_autofree char *key = g_strdup_printf ("%u %s", process->rank, place->module);
    g_autoptr (JobRankSet) slot = NULL;
    JobEvent *event;

    if (module == NULL || stack_module_is_late (module)
        || g_str_has_prefix (module->path, "/usr/") || g_str_has_prefix (module->path, "/lib")
        || engine_runtime_find (process) != NULL) {
        return;
    }
    has_lines = has_any_lines (process, module);
    if ((has_lines && is_start (place))
        || !g_hash_table_add (engine->seen_sources, g_steal_pointer (&key))) {
        return;
    }
    slot = job_rank_set_new_range (process->slot, process->slot + 1);
    event = job_event_new (JOB_EVENT_NOTICE, 0, slot);
    event->number = 1; /* a warning */
    if (stack_module_get_loss (module) != NULL) {
        job_event_say (event, job_text_new (N_ ("no source lines and variables of %s: %s"),
                                            place->module, stack_module_get_loss (module)));
    } else if (has_lines) {
        job_event_say (
            event, job_text_new (N_ ("no debug information for %s in %s: compile it with -g "
                                     "to see source lines and variables"),
                                 place->function, place->module));
    } else {
        job_event_say (event,
                       job_text_new (N_ ("no debug information for %s: compile it with -g "
                                         "to see source lines and variables"),
                                     place->module));
    }
    engine_emit (engine, event);
}

void
engine_sources_check (EngineProcess *process)
{
    const JobLocation *place = process->state_place;
    Engine *engine = process->engine;
    struct stat source, built;
    const StackModule *module;

    if (engine->seen_sources == NULL) {
        engine->seen_sources = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
    }
    if (place != NULL && place->line == 0 && place->module != NULL
        && engine_process_get_modules (process) != NULL
        && place->language != JOB_LANGUAGE_PYTHON) {
        check_described (process, place);
    }
    if (place == NULL || place->file == NULL || place->module == NULL
        || engine_process_get_modules (process) == NULL
        || place->language == JOB_LANGUAGE_PYTHON || !g_path_is_absolute (place->file)) {
        return;
    }
    g_autofree char *key = g_strdup_printf ("%u %s %s", process->rank, place->module,
                                            place->file);
    if (!g_hash_table_add (engine->seen_sources, g_steal_pointer (&key))) {
        return;
    }
    module = find_module (process, place->module);
    if (module == NULL || stat (place->file, &source) != 0
        || stat (stack_module_get_file (module), &built) != 0
        || source.st_mtim.tv_sec <= built.st_mtim.tv_sec) {
        return;
    }
    g_autofree char *base = g_path_get_basename (place->file);
    engine_say (process,
                "%s was changed after %s was built: the lines shown may not be those that run",
                base, place->module);
}
