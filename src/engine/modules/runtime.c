/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The Python interpreter among the modules, found on demand; once refused it is only looked for again when they have
 * changed. Relative file names of its code, which scripts have up to 3.8, and code passed to compile() always, are relative
 * to the folder in which the program started, which it may have left. */
#include "engine/modules/private.h"
#include "base/file.h"
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* ---- files ---- */

/* What the shell that started it said; owned by the caller. NULL: nothing. */
static char *
dup_first_folder (const EngineProcess *process)
{
    gsize size = 0;
    g_autofree char *text = base_file_read_process (process->pid, "environ", &size);

    if (text == NULL) {
        return NULL;
    }
    for (const char *at = text; at < text + size; at += strlen (at) + 1) {
        if (g_str_has_prefix (at, "PWD=/")) {
            return g_strdup (at + strlen ("PWD="));
        }
    }
    return NULL;
}

/* The file in the folder; NULL where there is none. */
static char *
dup_file_in (const char *folder, const char *file, struct stat *ret_stat)
{
    g_autofree char *path = folder != NULL ? g_build_filename (folder, file, NULL) : NULL;

    return path != NULL && stat (path, ret_stat) == 0 ? g_steal_pointer (&path) : NULL;
}

static char *
dup_path (const char *file, gpointer user)
{
    const EngineProcess *process = user;
    g_autofree char *link = g_strdup_printf ("/proc/%d/cwd", (int) process->pid);
    g_autofree char *now = NULL, *first = NULL, *in_now = NULL, *in_first = NULL;
    struct stat one, other;

    if (process->folder != NULL) {
        return dup_file_in (process->folder, file, &one);
    }
    now = g_file_read_link (link, NULL);
    first = dup_first_folder (process);
    in_now = dup_file_in (now, file, &one);
    in_first = dup_file_in (first, file, &other);
    if (in_now != NULL && in_first != NULL
        && (one.st_ino != other.st_ino || one.st_dev != other.st_dev)) {
        return NULL;
    }
    return in_now != NULL ? g_steal_pointer (&in_now) : g_steal_pointer (&in_first);
}

/* ---- the interpreter ---- */

void
engine_runtime_forget (EngineProcess *process)
{
    g_clear_pointer (&process->runtime, python_runtime_free);
    process->map->is_runtime_refused = FALSE;
}

void
engine_runtime_retry (EngineProcess *process)
{
    if (process->runtime == NULL) {
        process->map->is_runtime_refused = FALSE;
    }
}

/* Also to a measured run, which has no other place for it. */
static void
say_unread (EngineProcess *process, const GError *error)
{
    g_autoptr (JobRankSet) slot = job_rank_set_new_range (process->slot, process->slot + 1);
    JobEvent *event = job_event_new (JOB_EVENT_NOTICE, 0, slot);

    if (error != NULL) {
        event->text = g_strdup (error->message);
    } else {
        job_event_say (event, job_text_new ("this Python is not one of CPython 3.8 to 3.14: "
                                            "pddt shows its C functions only"));
    }
    event->flags = JOB_EVENT_UNREAD;
    engine_emit (process->engine, event);
}

PythonRuntime *
engine_runtime_find (EngineProcess *process)
{
    g_autoptr (GArray) images = NULL;
    g_autoptr (GError) error = NULL;

    if (process->runtime != NULL || process->map->is_runtime_refused
        || engine_process_get_modules (process) == NULL) {
        return process->runtime;
    }
    images = stack_modules_list_python_images (engine_process_get_modules (process));
    process->runtime = python_runtime_open (engine_process_get_memory (process),
                                            (const PythonImage *) images->data, images->len,
                                            &error);
    if (process->runtime != NULL && process->core == NULL) {
        python_runtime_set_dup_path (process->runtime, dup_path, process);
    }
    if (process->runtime == NULL) {
        process->map->is_runtime_refused = TRUE;
        process->map->is_runtime_unsupported = g_error_matches (error, BASE_ERROR,
                                                                BASE_ERROR_UNSUPPORTED);
        if (error == NULL) {
            stack_modules_note_no_python (engine_process_get_modules (process));
        }
        if (process->is_python_refused) {
            return NULL; /* pddt has said so */
        }
        if (error != NULL || engine_runtime_is_too_old (process)) {
            say_unread (process, error);
        }
    }
    return process->runtime;
}

gboolean
engine_runtime_is_too_old (EngineProcess *process)
{
    ENGINE_EACH_MODULE (process, module) {
        const char *path = module->path;
        const char *slash = path != NULL ? strrchr (path, '/') : NULL;
        const char *name = slash != NULL ? slash + 1 : path;
        guint major = 3, minor = 8;

        if (name != NULL && strstr (name, "python") != NULL /* few are, and sscanf is slow */
            && (sscanf (name, "python%u.%u", &major, &minor) >= 1
                || sscanf (name, "libpython%u.%u", &major, &minor) == 2)
            && (major < 3 || (major == 3 && minor < 8))) {
            return TRUE;
        }
    }
    return FALSE;
}

gboolean
engine_runtime_is_unsupported (const EngineProcess *process)
{
    return process->map->is_runtime_unsupported;
}
