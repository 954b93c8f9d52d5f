/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which names of a process hold a text: asked while somebody types, so no rank is stopped for it and
 * ranks that have loaded the same files are answered for together. */
#include "engine/private.h"
#include "index/format.h"
#include "index/search.h"

#define MAX_NAMES 1000

/* What the process has loaded, without where. */
static char *
make_key (EngineProcess *process)
{
    GString *key = g_string_new (NULL);
    guint count = process->modules != NULL ? stack_modules_get_count (process->modules) : 0;

    for (guint i = 0; i < count; i++) {
        g_string_append (key, stack_module_get_file (stack_modules_get (process->modules, i)));
        g_string_append_c (key, '\n');
    }
    return g_string_free (key, FALSE);
}

/* The user's own: those of libraries are many and seldom meant. */
static void
add_types (EngineProcess *process, StackModule *module, const char *text, JobNames *names)
{
    g_autofree char *small = g_ascii_strdown (text, -1);
    g_auto (GStrv) found = index_client_find_types (process->symbols, stack_module_get_file (module),
                                                    text);

    for (guint i = 0; found != NULL && found[i] != NULL; i++) {
        gsize length;
        const char *last = index_find_last_component (found[i], &length);
        const char *hit = strstr (found[i], text) != NULL ? strstr (found[i], text) : strstr (found[i], small);
        guint score = hit != NULL ? index_search_rate (found[i], last, hit, strlen (text)) : JOB_NAME_INSIDE;

        job_names_add (names, JOB_NAME_TYPE, score + JOB_NAME_IS_BARE, found[i], NULL, 0);
    }
}

/* Before what native code calls so. */
static void
add_python_function (const char *name, const char *file, guint32 line, gpointer user)
{
    job_names_add (user, JOB_NAME_FUNCTION, python_is_library_file (file) ? JOB_NAME_IS_LIBRARY : 0, name, file,
                   line);
}

static void
add_python_functions (EngineProcess *process, const char *text, JobNames *names)
{
    PythonRuntime *runtime = process->ended                       ? NULL
                             : engine_process_is_stopped (process) ? engine_process_find_runtime (process)
                                                                   : process->runtime;

    if (runtime != NULL) {
        python_runtime_invalidate (runtime);
        python_runtime_find_functions (runtime, text, add_python_function, names);
    }
}

/* An expression that cannot be read has been refused where it was typed. */
static char *
match_process (EngineProcess *process, const JobRequest *request)
{
    g_autoptr (JobNames) names = job_names_new (CLAMP (request->number, 1, MAX_NAMES));
    g_autoptr (GRegex) pattern = g_regex_new (request->text, G_REGEX_RAW, 0, NULL);
    guint count = process->modules != NULL ? stack_modules_get_count (process->modules) : 0;

    for (guint i = 0; pattern != NULL && i < count; i++) {
        StackModule *module = stack_modules_get (process->modules, i);
        IndexImage *image = module->is_user ? stack_module_open_image (process->modules, module) : NULL;

        if (image != NULL) {
            index_search_functions (image, pattern, request->text2, names);
        }
    }
    return job_names_format (names);
}

static char *
search_process (EngineProcess *process, const JobRequest *request)
{
    g_autoptr (JobNames) names = job_names_new (CLAMP (request->number, 1, MAX_NAMES));
    guint count = process->modules != NULL ? stack_modules_get_count (process->modules) : 0;

    for (guint i = 0; i < count; i++) {
        StackModule *module = stack_modules_get (process->modules, i);
        IndexImage *image = stack_module_open_image (process->modules, module);

        if (image != NULL) {
            index_search_names (image, request->text, (guint) request->delta, !module->is_user, names);
            if (((guint) request->delta & JOB_NAME_TYPE) && module->is_user) {
                add_types (process, module, request->text, names);
            }
        }
    }
    if ((guint) request->delta & JOB_NAME_FUNCTION) {
        add_python_functions (process, request->text, names);
    }
    return job_names_format (names);
}

void
engine_names_handle (Engine *engine, const JobRequest *request)
{
    g_autoptr (GHashTable) answers = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
    JobRankIter iter = { 0 };
    guint32 slot;

    while (request->text != NULL && job_rank_set_next (request->ranks, &iter, &slot)) {
        EngineProcess *process = engine_find_process (engine, slot);
        g_autoptr (JobRankSet) only = job_rank_set_new_range (slot, slot + 1);
        g_autofree char *key = NULL;
        JobEvent *event;

        if (process == NULL) {
            continue;
        }
        key = make_key (process);
        if (!g_hash_table_contains (answers, key)) {
            gboolean is_pattern = ((guint) request->delta & JOB_NAME_BY_PATTERN) != 0;

            g_hash_table_insert (answers, g_strdup (key),
                                 (is_pattern ? match_process : search_process) (process, request));
        }
        event = job_event_new (JOB_EVENT_TEXT, request->id, only);
        event->text = g_strdup (g_hash_table_lookup (answers, key));
        event->final = TRUE;
        engine_emit (engine, event);
    }
}
