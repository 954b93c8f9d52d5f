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

enum { MAX_CORES = 20000 };    /* files of a folder that are looked at */
#define MAX_SOURCE (64u << 20) /* bytes */

void
session_wanted_free (gpointer data)
{
    SessionWanted *wanted = data;

    g_free (wanted->path);
    g_free (wanted->folders);
    g_free (wanted->pattern);
    g_free (wanted->folder);
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

const SessionBackend *
session_sources_get_backend (const Session *session)
{
    return session != NULL && session->backend != NULL ? session->backend
           : session_remote_is_connected ()            ? &session_remote_backend
                                                       : &session_tree_backend;
}

void
session_read_source_async (Session *session, const char *path, gsize limit,
                           GCancellable *cancellable, GAsyncReadyCallback done, gpointer user)
{
    g_autoptr (GTask) task = make_task (session, path, limit, cancellable, done, user);

    session_sources_get_backend (session)->read_source (session, task);
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
session_time_source_async (Session *session, const char *path, GCancellable *cancellable,
                           GAsyncReadyCallback done, gpointer user)
{
    g_autoptr (GTask) task = make_task (session, path, 0, cancellable, done, user);

    session_sources_get_backend (session)->time_source (session, task);
}

gint64
session_time_source_finish (GAsyncResult *result)
{
    gint64 time_us = g_task_propagate_int (G_TASK (result), NULL);

    return MAX (time_us, 0); /* -1: an error */
}

void
session_list_folder_async (Session *session, const char *path, guint limit,
                           GCancellable *cancellable, GAsyncReadyCallback done, gpointer user)
{
    g_autoptr (GTask) task = make_task (session, path, limit, cancellable, done, user);

    session_sources_get_backend (session)->list_folder (session, task);
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

    session_sources_get_backend (session)->list_running (session, task);
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
    session_sources_get_backend (session)->list_cores (session, task);
}

GPtrArray *
session_list_cores_finish (GAsyncResult *result, GError **error)
{
    return g_task_propagate_pointer (G_TASK (result), error);
}

void
session_find_program_async (Session *session, const char *folder, const char *program,
                            gboolean is_script, GCancellable *cancellable,
                            GAsyncReadyCallback done, gpointer user)
{
    g_autoptr (GTask) task = make_task (session, program, 0, cancellable, done, user);
    SessionWanted *wanted = g_task_get_task_data (task);

    wanted->folder = folder != NULL && *folder != '\0' ? g_strdup (folder) : NULL;
    wanted->is_script = is_script;
    session_sources_get_backend (session)->find_program (session, task);
}

char *
session_find_program_finish (GAsyncResult *result, GError **error)
{
    return g_task_propagate_pointer (G_TASK (result), error);
}

void
session_name_process_async (Session *session, guint32 pid, GCancellable *cancellable,
                            GAsyncReadyCallback done, gpointer user)
{
    g_autoptr (GTask) task = make_task (session, NULL, 0, cancellable, done, user);

    ((SessionWanted *) g_task_get_task_data (task))->pid = pid;
    session_sources_get_backend (session)->name_process (session, task);
}

char *
session_name_process_finish (GAsyncResult *result, GError **error)
{
    return g_task_propagate_pointer (G_TASK (result), error);
}

/* ---- a source that has moved ---- */

/* "OLD=NEW" without the folders that both paths end in; the folder alone for a path that is relative. */
static char *
dup_mapping (const char *path, const char *there)
{
    gsize path_length = strlen (path), there_length = strlen (there), same = 0;
    g_autofree char *from = NULL, *to = NULL;

    if (!g_path_is_absolute (path)) {
        return g_path_get_dirname (there);
    }
    for (gsize i = 1; i <= MIN (path_length, there_length)
                      && path[path_length - i] == there[there_length - i];
         i++) {
        same = path[path_length - i] == '/' ? i : same;
    }
    from = g_strndup (path, path_length - same);
    to = g_strndup (there, there_length - same);
    return g_strdup_printf ("%s=%s", *from != '\0' ? from : "/", *to != '\0' ? to : "/");
}

/* What the option source-folders has to say more; NULL with INVALID. Caller owns. */
static char *
make_mapping (const char *path, const char *there, GError **error)
{
    g_autofree char *wanted = g_path_get_basename (path), *name = g_path_get_basename (there);
    g_autofree char *mapping = NULL;

    if (strcmp (wanted, name) != 0) {
        base_error_set (error, BASE_ERROR_INVALID, "%s is not called %s", there, wanted);
        return NULL;
    }
    mapping = dup_mapping (path, there);
    if (strchr (mapping, ':') != NULL
        || (g_path_is_absolute (path) && strchr (path, '=') != NULL)) {
        base_error_set (error, BASE_ERROR_INVALID,
                        "The option source-folders cannot hold a path with \":\" or \"=\". "
                        "Start pddt where %s is.",
                        wanted);
        return NULL;
    }
    return g_steal_pointer (&mapping);
}

/* The task's data is what the option is to say more. */
static void
on_located (GObject *source, GAsyncResult *result, gpointer user)
{
    g_autoptr (GTask) task = user;
    Session *session = SESSION_SESSION (g_task_get_source_object (task));
    const char *mapping = g_task_get_task_data (task);
    const char *before = session_get_source_folders (session);
    GError *error = NULL;
    g_autofree char *text = session_read_source_finish (result, NULL, &error);
    g_autofree char *folders = before != NULL ? g_strconcat (mapping, ":", before, NULL)
                                              : g_strdup (mapping);

    if (text == NULL) {
        g_task_return_error (task, error);
        return;
    }
    job_request_free (session_set_option (session, "source-folders", folders));
    g_task_return_boolean (task, TRUE);
}

void
session_locate_source_async (Session *session, const char *path, const char *there,
                             GCancellable *cancellable, GAsyncReadyCallback done, gpointer user)
{
    GTask *task = g_task_new (session, cancellable, done, user);
    g_autoptr (GTask) look = make_task (session, there, MAX_SOURCE, cancellable, on_located,
                                        task);
    GError *error = NULL;
    char *mapping = make_mapping (path, there, &error);

    if (mapping == NULL) {
        g_task_return_error (look, error); /* on_located hands it on */
        return;
    }
    g_task_set_task_data (task, mapping, g_free);
    /* the option says where other files are: this one is where the user says */
    g_clear_pointer (&((SessionWanted *) g_task_get_task_data (look))->folders, g_free);
    session_sources_get_backend (session)->read_source (session, look);
}

gboolean
session_locate_source_finish (GAsyncResult *result, GError **error)
{
    return g_task_propagate_boolean (G_TASK (result), error);
}

/* ---- for all backends ---- */

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

char *
session_find_program (const SessionWanted *wanted, const SessionPrograms *programs,
                      gpointer user, GError **error)
{
    gboolean has_place = wanted->is_script || strchr (wanted->path, '/') != NULL;
    g_autofree char *path = NULL;

    if (!has_place) {
        path = programs->find_in_path (wanted->path, user);
    } else if (wanted->folder == NULL || g_path_is_absolute (wanted->path)) {
        path = g_strdup (wanted->path);
    } else if (g_path_is_absolute (wanted->folder)) {
        path = g_canonicalize_filename (wanted->path, wanted->folder); /* without "./" */
    } else {
        path = g_build_filename (wanted->folder, wanted->path, NULL);
    }
    if (path == NULL) {
        base_error_set (error, BASE_ERROR_NOT_FOUND,
                        "No program %s in PATH; write ./%s for one in this folder",
                        wanted->path, wanted->path);
        return NULL;
    }
    if (programs->is_folder != NULL && programs->is_folder (path, user)) {
        base_error_set (error, BASE_ERROR_INVALID, "%s is a folder: name a program in it",
                        path);
        return NULL;
    }
    if (!programs->is_there (path, user)) {
        base_error_set (error, BASE_ERROR_NOT_FOUND, "No such program: %s", path);
        return NULL;
    }
    if (!wanted->is_script && !programs->is_executable (path, user)) {
        base_error_set (error, BASE_ERROR_DENIED, "%s is not executable", path);
        return NULL;
    }
    return g_steal_pointer (&path);
}

void
session_answer_gone (GTask *task)
{
    const SessionWanted *wanted = g_task_get_task_data (task);
    GError *error = NULL;

    base_error_set (&error, BASE_ERROR_NOT_FOUND, "there is no process %u", wanted->pid);
    g_task_return_error (task, error);
}

/* ---- this host's ---- */

static gboolean
is_executable_here (const char *path, gpointer unused)
{
    return g_file_test (path, G_FILE_TEST_IS_EXECUTABLE);
}

static char *
find_in_path_here (const char *name, gpointer unused)
{
    return g_find_program_in_path (name);
}

static gboolean
is_here (const char *path, gpointer unused)
{
    return g_file_test (path, G_FILE_TEST_IS_REGULAR);
}

char *
session_dup_local_source (Session *session, const char *path)
{
    g_autofree char *own_path = g_strdup (path);
    g_autofree char *folders = g_strdup (session_get_source_folders (session));
    const SessionWanted wanted = { .path = own_path, .folders = folders };

    return session_find_moved (&wanted, is_here, NULL);
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

void
session_core_file_free (gpointer data)
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
    g_autoptr (GPtrArray) cores = g_ptr_array_new_with_free_func (session_core_file_free);
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

static gboolean
is_folder_here (const char *path, gpointer user)
{
    return g_file_test (path, G_FILE_TEST_IS_DIR);
}

static void
find_program_here (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
    const SessionPrograms here = { is_here, is_executable_here, find_in_path_here,
                                   is_folder_here };
    GError *error = NULL;
    char *path = session_find_program (data, &here, NULL, &error);

    if (path != NULL) {
        g_task_return_pointer (task, path, g_free);
    } else {
        g_task_return_error (task, error);
    }
}

void
session_sources_find_program_here (Session *session, GTask *task)
{
    g_task_run_in_thread (task, find_program_here);
}

void
session_sources_list_cores_here (Session *session, GTask *task)
{
    g_task_run_in_thread (task, list_cores_here);
}

static void
time_here (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
    g_autofree char *path = session_find_moved (data, is_here, NULL);
    GStatBuf info;

    g_task_return_int (task, g_stat (path, &info) == 0 ? info.st_mtim.tv_sec * G_USEC_PER_SEC
                                                             + info.st_mtim.tv_nsec / 1000
                                                       : 0);
}

void
session_sources_time_here (Session *session, GTask *task)
{
    g_task_run_in_thread (task, time_here);
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
