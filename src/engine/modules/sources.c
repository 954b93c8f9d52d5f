/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Source files that were changed after the program was built, so that the shown lines are
 * wrong. Reported once for each file, at the first stop in it. */
#include "engine/modules/modules.h"
#include <string.h>
#include <sys/stat.h>

static const StackModule *
find_module (const EngineProcess *process, const char *name)
{
    for (guint i = 0; i < stack_modules_get_count (process->modules); i++) {
        const StackModule *module = stack_modules_get (process->modules, i);
        const char *slash = strrchr (module->path, '/');

        if (strcmp (slash != NULL ? slash + 1 : module->path, name) == 0) {
            return module;
        }
    }
    return NULL;
}

void
engine_sources_check (EngineProcess *process)
{
    const JobLocation *place = process->state_place;
    Engine *engine = process->engine;
    struct stat source, built;
    const StackModule *module;

    if (place == NULL || place->file == NULL || place->module == NULL
        || process->modules == NULL || place->language == JOB_LANGUAGE_PYTHON
        || !g_path_is_absolute (place->file)) {
        return;
    }
    g_autofree char *key = g_strdup_printf ("%u %s %s", process->rank, place->module,
                                            place->file);
    if (engine->seen_sources == NULL) {
        engine->seen_sources = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
    }
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
