/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Asks the backend; and what a backend of this host answers: files are read in a thread, as a disk may be far
 * away. */
#include "session/sources.h"
#include "base/error.h"
#include "base/elf.h"
#include "base/file.h"
#include "session/private.h"
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

enum { MAX_CORES = 20000 }; /* files of a folder that are looked at */

void
session_wanted_free (gpointer data)
{
    SessionWanted *wanted = data;

    g_free (wanted->path);
    g_free (wanted->folders);
    g_free (wanted->pattern);
    g_free (wanted);
}

static GTask *
make_task (Session *session, const char *path, gsize limit, GCancellable *cancellable,
           GAsyncReadyCallback done, gpointer user)
{
    GTask *task = g_task_new (session, cancellable, done, user);
    SessionWanted *wanted = g_new0 (SessionWanted, 1);

    wanted->path = g_strdup (path);
    wanted->folders = session != NULL ? g_strdup (session_get_source_folders (session)) : NULL;
    wanted->limit = limit;
    g_task_set_task_data (task, wanted, session_wanted_free);
    return task;
}

static const SessionBackend *
get_backend (const Session *session)
{
    return session != NULL && session->backend != NULL ? session->backend
                                                       : &session_tree_backend;
}

void
session_read_source_async (Session *session, const char *path, gsize limit,
                           GCancellable *cancellable, GAsyncReadyCallback done, gpointer user)
{
    g_autoptr (GTask) task = make_task (session, path, limit, cancellable, done, user);

    get_backend (session)->read_source (session, task);
}

char *
session_read_source_finish (GAsyncResult *result, gsize *ret_size, GError **error)
{
    g_autoptr (GBytes) bytes = g_task_propagate_pointer (G_TASK (result), error);
    char *text;
    gsize size;

    if (bytes == NULL) {
        return NULL;
    }
    text = g_bytes_unref_to_data (g_steal_pointer (&bytes), &size); /* with its NUL */
    if (ret_size != NULL) {
        *ret_size = size - 1;
    }
    return text;
}

void
session_list_folder_async (Session *session, const char *path, guint limit,
                           GCancellable *cancellable, GAsyncReadyCallback done, gpointer user)
{
    g_autoptr (GTask) task = make_task (session, path, limit, cancellable, done, user);

    get_backend (session)->list_folder (session, task);
}

GPtrArray *
session_list_folder_finish (GAsyncResult *result, GError **error)
{
    return g_task_propagate_pointer (G_TASK (result), error);
}

void
session_list_running_async (Session *session, GCancellable *cancellable,
                            GAsyncReadyCallback done, gpointer user)
{
    g_autoptr (GTask) task = make_task (session, NULL, 0, cancellable, done, user);

    get_backend (session)->list_running (session, task);
}

GPtrArray *
session_list_running_finish (GAsyncResult *result, GError **error)
{
    return g_task_propagate_pointer (G_TASK (result), error);
}

void
session_list_cores_async (Session *session, const char *folder, const char *pattern,
                          GCancellable *cancellable, GAsyncReadyCallback done, gpointer user)
{
    g_autoptr (GTask) task = make_task (session, folder, 0, cancellable, done, user);

    ((SessionWanted *) g_task_get_task_data (task))->pattern = g_strdup (pattern);
    get_backend (session)->list_cores (session, task);
}

GPtrArray *
session_list_cores_finish (GAsyncResult *result, GError **error)
{
    return g_task_propagate_pointer (G_TASK (result), error);
}

/* ---- this host's ---- */

/* "OLD=NEW" for paths that begin so; else a folder that holds the path's end, the longest that it has. */
static char *
find_by (const char *entry, const char *path, SessionIsThere is_there, gpointer user)
{
    const char *equal = strchr (entry, '=');
    char *found = NULL;

    if (equal != NULL) {
        gsize length = (gsize) (equal - entry);

        found = strncmp (path, entry, length) == 0
                        && (path[length] == '/' || path[length - 1] == '/')
                    ? g_build_filename (equal + 1, path + length, NULL)
                    : NULL;
        if (found != NULL && !is_there (found, user)) {
            g_clear_pointer (&found, g_free);
        }
        return found;
    }
    for (const char *end = path; end != NULL; end = strchr (end + 1, '/')) {
        found = g_build_filename (entry, end, NULL);
        if (is_there (found, user)) {
            return found;
        }
        g_clear_pointer (&found, g_free);
    }
    return NULL;
}

char *
session_find_moved (const SessionWanted *wanted, SessionIsThere is_there, gpointer user)
{
    g_auto (GStrv) entries = wanted->folders != NULL ? g_strsplit (wanted->folders, ":", -1)
                                                     : NULL;

    for (guint i = 0; entries != NULL && entries[i] != NULL; i++) {
        char *found = *entries[i] != '\0' ? find_by (entries[i], wanted->path, is_there, user)
                                          : NULL;

        if (found != NULL) {
            return found;
        }
    }
    return g_strdup (wanted->path);
}

static gboolean
is_here (const char *path, gpointer unused)
{
    return g_file_test (path, G_FILE_TEST_IS_REGULAR);
}

static void
read_here (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
    const SessionWanted *wanted = data;
    g_autofree char *path = session_find_moved (wanted, is_here, NULL);
    GError *error = NULL;
    gsize size = 0;
    char *text = base_file_read (path, wanted->limit, &size, &error);

    if (text != NULL) {
        g_task_return_pointer (task, g_bytes_new_take (text, size + 1),
                               (GDestroyNotify) g_bytes_unref);
    } else {
        g_task_return_error (task, error);
    }
}

static void
list_here (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
    const SessionWanted *wanted = data;
    g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
    GError *error = NULL;
    g_autoptr (GDir) dir = g_dir_open (wanted->path, 0, &error);
    const char *name;

    if (dir == NULL) {
        g_task_return_error (task, error);
        return;
    }
    while (names->len < wanted->limit && (name = g_dir_read_name (dir)) != NULL) {
        g_ptr_array_add (names, g_strdup (name));
    }
    g_task_return_pointer (task, g_steal_pointer (&names), (GDestroyNotify) g_ptr_array_unref);
}

static void
free_core (gpointer data)
{
    SessionCoreFile *core = data;

    g_free (core->name);
    g_free (core->path);
    g_free (core);
}

static gboolean
is_core (const char *path)
{
    const BaseElfImage image = base_elf_in_file (open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK
                                                                 | O_NOCTTY));
    gboolean ok = image.fd >= 0 && base_elf_read_type (&image) == ET_CORE;

    if (image.fd >= 0) {
        close (image.fd);
    }
    return ok;
}

/* Takes the name. */
static void
add_core (GPtrArray *cores, const char *folder, const char *file, char *name)
{
    g_autofree char *shown = name;
    g_autofree char *path = g_build_filename (folder, file, NULL);
    SessionCoreFile *core;
    GStatBuf info;

    if (g_stat (path, &info) != 0 || !S_ISREG (info.st_mode) || !is_core (path)) {
        return;
    }
    core = g_new (SessionCoreFile, 1);
    *core = (SessionCoreFile){ g_steal_pointer (&shown), g_steal_pointer (&path),
                               (guint64) info.st_size, info.st_mtime * G_USEC_PER_SEC };
    g_ptr_array_add (cores, core);
}

static void
list_cores_here (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
    const SessionWanted *wanted = data;
    g_autoptr (GPtrArray) cores = g_ptr_array_new_with_free_func (free_core);
    GError *error = NULL;
    g_autoptr (GDir) dir = g_dir_open (wanted->path, 0, &error);
    const char *file;

    if (dir == NULL) {
        g_task_return_error (task, error);
        return;
    }
    for (guint n = 0; n < MAX_CORES && !g_cancellable_is_cancelled (cancellable)
                      && (file = g_dir_read_name (dir)) != NULL;
         n++) {
        g_autofree char *name = g_filename_display_name (file);

        if (g_pattern_match_simple (wanted->pattern, name)) {
            add_core (cores, wanted->path, file, g_steal_pointer (&name));
        }
    }
    g_task_return_pointer (task, g_steal_pointer (&cores), (GDestroyNotify) g_ptr_array_unref);
}

void
session_sources_list_cores_here (Session *session, GTask *task)
{
    g_task_run_in_thread (task, list_cores_here);
}

void
session_sources_read_here (Session *session, GTask *task)
{
    g_task_run_in_thread (task, read_here);
}

void
session_sources_list_here (Session *session, GTask *task)
{
    g_task_run_in_thread (task, list_here);
}

void
session_sources_list_running_here (Session *session, GTask *task)
{
    g_task_return_pointer (task, session_running_list_here (),
                           (GDestroyNotify) g_ptr_array_unref);
}
