/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names in a process: resolves a WHERE to places, and finds the names that contain a text. The
 * latter serves completion while the user types, so it stops no rank, and ranks with the same
 * files share one answer. */
#include "engine/control/control.h"
#include "engine/modules/modules.h"
#include "engine/notices.h"
#include "index/format.h"
#include "index/search.h"
#include "target/maps.h"
#include <string.h>

#define MAX_NAMES 1000
#define MAX_INLINED 32

/* ---- places ---- */

gboolean
engine_code_is_made (EngineProcess *process, guint64 address)
{
    g_autoptr (GArray) maps = process->core == NULL && !process->ended
                                  ? target_maps_read (process->pid, NULL)
                                  : NULL;
    const TargetMap *map = maps != NULL ? target_maps_find (maps, address) : NULL;

    return map != NULL && map->executable && map->inode == 0 && *map->path != '[';
}

EnginePlace *
engine_code_dup_place (EngineProcess *process, const JobWhere *where)
{
    g_autofree char *name = base_text_format_address (where->address);
    EnginePlace *place;

    if (where->kind != JOB_WHERE_ADDRESS || !engine_code_is_made (process, where->address)) {
        return NULL;
    }
    place = g_new0 (EnginePlace, 1);
    place->address = where->address;
    place->location = job_location_new (name, NULL, 0);
    return place;
}

void
engine_place_free (EnginePlace *place)
{
    job_location_free (place->location);
    g_free (place);
}

static JobLocation *
locate (const StackModule *module, IndexImage *image, const char *function, const char *file,
        guint32 line, guint64 address)
{
    JobLocation *location = job_location_new (function, file, line);
    IndexFrame frame = { 0 };

    location->module = g_path_get_basename (module->path);
    location->offset = address;
    if (image != NULL && index_image_find_frames (image, address, &frame, 1) > 0) {
        location->language = frame.language;
        if (location->function == NULL) {
            location->function = g_strdup (frame.function);
        }
        if (location->file == NULL && frame.line > 0) {
            location->file = g_strdup (frame.file);
            location->line = frame.line;
        }
    }
    return location;
}

static void
add_place (GPtrArray *places, guint64 address, JobLocation *location)
{
    EnginePlace *place = g_new0 (EnginePlace, 1);

    place->address = address;
    place->location = location;
    g_ptr_array_add (places, place);
}

/* The place is in the function's own code, not in a call of it that is inlined. */
static gboolean
is_own_code (IndexImage *image, const IndexPlace *place)
{
    IndexFrame frames[MAX_INLINED];
    guint n = index_image_find_frames (image, place->address, frames, G_N_ELEMENTS (frames));

    return n > 0 && g_strcmp0 (frames[n - 1].function, place->function) == 0;
}

/* The function at the place is the one that its name means with these parameters. */
static gboolean
has_parameters (EngineProcess *process, const StackModule *module, IndexImage *image,
                const IndexPlace *place, const char *parameters)
{
    g_autofree char *text = g_strdup_printf ("(unsigned long) '%s%s'", place->function,
                                             parameters);
    EvaluateContext context = { .memory = engine_process_get_memory (process),
                                .bias = module->bias };
    g_autoptr (JobValue) value = NULL;
    const EvaluateProgram *program;
    guint64 entry;

    if (process->symbols == NULL || !index_image_find_entry (image, place->address, &entry)) {
        return FALSE;
    }
    program = index_client_bind (process->symbols, stack_module_get_file (module),
                                 place->address, 0, text, NULL);
    value = program != NULL
                ? evaluate_program_run (program, &context, &process->engine->limits, NULL)
                : NULL;
    /* below 2^47, which the number has room for */
    return value != NULL && !value->is_problem && value->is_number
           && value->number == (double) (entry + module->bias);
}

/* Of the overloads of a name those that have the parameters; inlined calls by the line that the function is
 * declared in. */
static void
keep_overload (EngineProcess *process, const StackModule *module, IndexImage *image,
               const char *parameters, GArray *found)
{
    g_autoptr (GHashTable) lines = g_hash_table_new (NULL, NULL);

    for (guint i = found->len; i-- > 0;) {
        const IndexPlace *place = &g_array_index (found, IndexPlace, i);

        if (!is_own_code (image, place)) {
            continue;
        }
        if (has_parameters (process, module, image, place, parameters)) {
            g_hash_table_add (lines, GUINT_TO_POINTER (place->declared));
        } else {
            g_array_remove_index (found, i);
        }
    }
    for (guint i = found->len; i-- > 0;) {
        const IndexPlace *place = &g_array_index (found, IndexPlace, i);

        if (!is_own_code (image, place)
            && (place->declared == 0
                || !g_hash_table_contains (lines, GUINT_TO_POINTER (place->declared)))) {
            g_array_remove_index (found, i);
        }
    }
}

static GArray *
find_function (EngineProcess *process, const StackModule *module, IndexImage *image,
               const char *name)
{
    const char *parameters = job_where_find_parameters (name);
    g_autofree char *bare = parameters != NULL
                                ? g_strchomp (g_strndup (name, (gsize) (parameters - name)))
                                : NULL;
    GArray *found = index_image_find_function (image, bare != NULL ? bare : name);

    if (parameters != NULL) {
        keep_overload (process, module, image, parameters, found);
    }
    return found;
}

static void
find_in_module (EngineProcess *process, const JobWhere *where, StackModule *module,
                GPtrArray *places, gboolean *file_known)
{
    IndexImage *image = engine_process_open_image (process, module);
    g_autoptr (GArray) found = NULL;

    if (image == NULL) {
        return;
    }
    if (where->kind == JOB_WHERE_LINE) {
        *file_known |= where->file != NULL && index_image_has_file (image, where->file);
        found = where->file != NULL ? index_image_find_line (image, where->file, where->line)
                                    : NULL;
    } else {
        found = find_function (process, module, image, where->function);
    }
    for (guint i = 0; found != NULL && i < found->len; i++) {
        IndexPlace *place = &g_array_index (found, IndexPlace, i);

        if (where->kind == JOB_WHERE_FUNCTION && where->file != NULL
            && !job_where_match_file (where->file, place->file)) {
            continue;
        }
        if (where->kind
            == JOB_WHERE_ADDRESS) { /* the function's first instruction, before any prologue */
            index_image_find_entry (image, place->address, &place->address);
            place->file = NULL;
            place->line = 0;
        }
        add_place (places, place->address + module->bias,
                   locate (module, image, place->function, place->file, place->line,
                           place->address));
    }
}

/* A function named in a Python program is the user's, not one of CPython's own: those count when
 * the user looks at interpreter frames. */
static gboolean
is_hidden_interpreter (EngineProcess *process, const JobWhere *where, StackModule *module)
{
    IndexImage *image;
    guint64 address;

    if (where->function == NULL || !process->engine->notices->has_agent (process)
        || process->engine->interpreter_frames) {
        return FALSE;
    }
    image = engine_process_open_image (process, module);
    return image != NULL && index_image_find_symbol (image, "_PyRuntime", &address, NULL);
}

/* Its functions have MPI's names, and call MPI's. */
static gboolean
is_recorder (const StackModule *module)
{
    return strstr (module->path, "/libpddt-mpi") != NULL;
}

gboolean
engine_modules_is_recorder (EngineProcess *process, guint64 address)
{
    const StackModule *module = stack_modules_find (engine_process_get_modules (process),
                                                    address);

    return module != NULL && is_recorder (module);
}

void
engine_modules_find_places (EngineProcess *process, const JobWhere *where,
                            const StackModule *only, GPtrArray *places, gboolean *file_known)
{
    if (where->kind == JOB_WHERE_ADDRESS && where->function == NULL) {
        IndexImage *image = NULL;
        StackModule *module = engine_modules_find_image (process, where->address, &image);

        if (module != NULL && (only == NULL || module == only)) {
            add_place (places, where->address,
                       locate (module, image, NULL, NULL, 0, where->address - module->bias));
        }
        if (module == NULL && only == NULL) {
            EnginePlace *made = engine_code_dup_place (process, where);

            if (made != NULL) {
                g_ptr_array_add (places, made);
            }
        }
        return;
    }
    ENGINE_EACH_MODULE (process, module) {
        if ((only == NULL || only == module) && !is_hidden_interpreter (process, where, module)
            && !is_recorder (module)) {
            find_in_module (process, where, module, places, file_known);
        }
    }
}

/* ---- which names hold a text ---- */

/* What the process has loaded, without where. */
static char *
make_key (EngineProcess *process)
{
    GString *key = g_string_new (NULL);

    ENGINE_EACH_MODULE (process, module) {
        g_string_append (key, stack_module_get_file (module));
        g_string_append_c (key, '\n');
    }
    return g_string_free (key, FALSE);
}

/* The user's own: those of libraries are many and seldom meant. */
static void
add_types (EngineProcess *process, StackModule *module, const char *text, JobNames *names)
{
    g_autofree char *small = g_ascii_strdown (text, -1);
    g_auto (GStrv) found = index_client_find_types (process->symbols,
                                                    stack_module_get_file (module), text);

    for (guint i = 0; found != NULL && found[i] != NULL; i++) {
        gsize length;
        const char *last = index_find_last_component (found[i], &length);
        const char *hit = strstr (found[i], text) != NULL ? strstr (found[i], text)
                                                          : strstr (found[i], small);
        guint score = hit != NULL ? index_search_rate (found[i], last, hit, strlen (text))
                                  : JOB_NAME_INSIDE;

        job_names_add (names, JOB_NAME_TYPE, score + JOB_NAME_IS_BARE, found[i], NULL, 0);
    }
}

/* Before what native code calls so. */
static void
add_python_function (const char *name, const char *file, guint32 line, gpointer user)
{
    job_names_add (user, JOB_NAME_FUNCTION,
                   python_is_library_file (file) ? JOB_NAME_IS_LIBRARY : 0, name, file, line);
}

static void
add_python_functions (EngineProcess *process, const char *text, JobNames *names)
{
    PythonRuntime *runtime = process->ended ? NULL
                             : engine_process_is_stopped (process)
                                 ? engine_runtime_find (process)
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
    g_autoptr (JobNames) names = job_names_new (CLAMP (request->count, 1, MAX_NAMES));
    g_autoptr (GRegex) pattern = g_regex_new (request->text, G_REGEX_RAW, 0, NULL);

    ENGINE_EACH_MODULE (process, module) {
        IndexImage *image = pattern != NULL && module->is_user
                                ? engine_process_open_image (process, module)
                                : NULL;

        if (image != NULL) {
            index_search_functions (image, pattern, request->text2, names);
        }
    }
    return job_names_format (names);
}

static char *
search_process (EngineProcess *process, const JobRequest *request)
{
    g_autoptr (JobNames) names = job_names_new (CLAMP (request->count, 1, MAX_NAMES));

    ENGINE_EACH_MODULE (process, module) {
        IndexImage *image = engine_process_open_image (process, module);

        if (image != NULL) {
            index_search_names (image, request->text, (guint) request->delta, !module->is_user,
                                names);
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

/* An EngineWork, in one of the request's ranks, which all run the same files. */
static void
answer (EngineProcess *process, const JobRequest *request)
{
    gboolean is_pattern = ((guint) request->delta & JOB_NAME_BY_PATTERN) != 0;
    gboolean is_lent = process->ended && engine_remains_lend (process);
    JobEvent *event = job_event_new (JOB_EVENT_TEXT, request->id, request->ranks);

    event->text = (is_pattern ? match_process : search_process) (process, request);
    if (is_lent) {
        engine_remains_take_back (process);
    }
    event->final = TRUE;
    engine_emit (process->engine, event);
}

static char *
dup_key (EngineProcess *process)
{
    gboolean is_lent = process->ended && engine_remains_lend (process);
    char *key = make_key (process);

    if (is_lent) {
        engine_remains_take_back (process);
    }
    return key;
}

void
engine_names_handle (Engine *engine, const JobRequest *request)
{
    g_autoptr (GPtrArray) parts
        = g_ptr_array_new_with_free_func ((GDestroyNotify) job_request_free);
    g_autoptr (GHashTable) by_key = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                                           NULL);
    JobRankIter iter = { 0 };
    guint32 slot;

    while (request->text != NULL && job_rank_set_next (request->ranks, &iter, &slot)) {
        EngineProcess *process = engine_find_process (engine, slot);
        g_autofree char *key = process != NULL ? dup_key (process) : NULL;
        JobRequest *part = key != NULL ? g_hash_table_lookup (by_key, key) : NULL;

        if (key != NULL && part == NULL) {
            part = job_request_dup (request);
            job_rank_set_clear (part->ranks);
            g_ptr_array_add (parts, part);
            g_hash_table_insert (by_key, g_steal_pointer (&key), part);
        }
        if (part != NULL) {
            job_rank_set_add (part->ranks, slot);
        }
    }
    for (guint i = 0; i < parts->len; i++) {
        const JobRequest *part = g_ptr_array_index (parts, i);

        engine_work_do (engine_find_process (engine, job_rank_set_get_lowest (part->ranks)),
                        part, answer);
    }
}

/* ---- the first function ---- */

/* Of the program's own file: of EnginePlace, new. */
static GPtrArray *
find_in_program (EngineProcess *process, const char *name)
{
    JobWhere where = { .kind = JOB_WHERE_FUNCTION, .function = (char *) name };
    g_autoptr (GPtrArray) places
        = g_ptr_array_new_with_free_func ((GDestroyNotify) engine_place_free);
    gboolean known = FALSE;

    ENGINE_EACH_MODULE (process, module) {
        if (module->is_executable) {
            engine_modules_find_places (process, &where, module, places, &known);
        }
    }
    for (guint i = places->len; places->len > 1 && i-- > 0;) {
        if (g_strcmp0 (((const EnginePlace *) g_ptr_array_index (places, i))
                           ->location->function,
                       name)
            != 0) {
            g_ptr_array_remove_index (places, i);
        }
    }
    return g_steal_pointer (&places);
}

/* Written in another language than Fortran, whose compiler makes a main that calls MAIN__. */
static gboolean
is_users_main (EngineProcess *process, const EnginePlace *place)
{
    IndexImage *image;
    StackModule *module = engine_modules_find_image (process, place->address, &image);
    IndexFrame frame;

    return image != NULL
           && index_image_find_frames (image, place->address - module->bias, &frame, 1) > 0
           && frame.line != 0 && frame.language != JOB_LANGUAGE_FORTRAN;
}

GPtrArray *
engine_modules_find_main (EngineProcess *process)
{
    g_autoptr (GPtrArray) fortran = find_in_program (process, "MAIN__");
    g_autoptr (GPtrArray) usual = find_in_program (process, "main");
    gboolean is_usual = fortran->len == 0
                        || (usual->len > 0
                            && is_users_main (process, g_ptr_array_index (usual, 0)));

    return is_usual ? g_steal_pointer (&usual) : g_steal_pointer (&fortran);
}
