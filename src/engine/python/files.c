/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Relative file names of Python code, which scripts have up to 3.8, and code passed to
 * compile() always. They are relative to the folder in which the program started, which it may
 * have left. */
#include "engine/python/python.h"
#include "base/file.h"
#include <string.h>
#include <sys/stat.h>

void
engine_python_note_folder (EngineProcess *process)
{
    g_autofree char *link = g_strdup_printf ("/proc/%d/cwd", (int) process->pid);

    g_free (process->folder);
    process->folder = g_file_read_link (link, NULL);
}

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

char *
engine_python_dup_path (const char *file, gpointer user)
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
