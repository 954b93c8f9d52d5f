/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The backend of tests: ranks that are there at once, whose requests go to a function. */
#include "session/sources.h"
#include "session/queues.h"
#include "base/error.h"
#include "session/private.h"
#include <string.h>

typedef struct {
    void (*send) (const JobRequest *request, gpointer user);
    gpointer user;
    GHashTable *texts;    /* path to text; NULL: none */
    GHashTable *times;    /* the same: path to gint64, when it was said */
    GPtrArray *running;   /* of SessionRunning; NULL: none */
    GHashTable *programs; /* set of paths; NULL: none */
    GHashTable *queues;   /* question to answer; NULL: there are no batch systems */
} Script;

#define SCRIPTED_HOST 16384 /* ranks that report at once */

/* There may be something to say before it starts. */
static Script *
get_script (Session *session)
{
    if (session->backend_data == NULL) {
        session->backend_data = g_new0 (Script, 1);
    }
    return session->backend_data;
}

static void
report_scripted (Session *session, guint32 first, guint32 end, guint32 n_ranks)
{
    g_autoptr (JobRankSet) ranks = job_rank_set_new_range (first, end);
    g_autoptr (JobEvent) there = job_event_new (JOB_EVENT_RANKS, 0, ranks);

    there->processes = job_process_list_new ();
    for (guint32 rank = first; rank < end; rank++) {
        const JobProcess process = { .slot = rank,
                                     .rank = rank,
                                     .size = n_ranks,
                                     .pid = (gint32) (1000 + rank),
                                     .host = (char *) "localhost" };

        job_process_list_add (there->processes, &process);
    }
    session_apply (session, there);
}

void
session_start_scripted (Session *session, guint32 n_ranks,
                        void (*send) (const JobRequest *request, gpointer user), gpointer user)
{
    g_autoptr (JobRankSet) all = NULL;
    g_autoptr (JobEvent) stopped = NULL;

    session->backend = &session_scripted_backend;
    session->life->started = TRUE;
    get_script (session)->send = send;
    get_script (session)->user = user;
    if (n_ranks == 0) {
        return;
    }
    for (guint32 first = 0; first < n_ranks; first += SCRIPTED_HOST) {
        report_scripted (session, first, MIN (first + SCRIPTED_HOST, n_ranks), n_ranks);
    }
    all = job_rank_set_new_range (0, n_ranks);
    stopped = job_event_new (JOB_EVENT_STATE, 0, all);
    stopped->state = JOB_STATE_STOPPED;
    session_apply (session, stopped);
}

void
session_script_restart (Session *session)
{
    guint32 n_ranks = session_get_size (session);
    const Script before = *get_script (session); /* whose texts go with the job */

    session_restart_forget (session);
    session_start_scripted (session, n_ranks, before.send, before.user);
}

static void
send_to_script (Session *session, const JobRequest *request)
{
    if (get_script (session)->send != NULL) {
        get_script (session)->send (request, get_script (session)->user);
    }
}

static gboolean
end_script (Session *session)
{
    return TRUE;
}

static void
clear_script (Session *session)
{
    session_files_close (session);
    g_clear_pointer (&get_script (session)->texts, g_hash_table_unref);
    g_clear_pointer (&get_script (session)->times, g_hash_table_unref);
    g_clear_pointer (&get_script (session)->running, g_ptr_array_unref);
    g_clear_pointer (&get_script (session)->programs, g_hash_table_unref);
    g_clear_pointer (&get_script (session)->queues, g_hash_table_unref);
    g_clear_pointer (&session->backend_data, g_free);
}

/* ---- what stands where the job is: nothing but what the script has said ---- */

void
session_script_source (Session *session, const char *path, const char *text)
{
    if (get_script (session)->texts == NULL) {
        get_script (session)->texts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                                             g_free);
        get_script (session)->times = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                                             g_free);
    }
    if (text != NULL) {
        gint64 *time_us = g_new (gint64, 1);

        *time_us = g_get_real_time ();
        g_hash_table_replace (get_script (session)->times, g_strdup (path), time_us);
        g_hash_table_replace (get_script (session)->texts, g_strdup (path), g_strdup (text));
    } else {
        g_hash_table_remove (get_script (session)->texts, path);
    }
}

void
session_script_program (Session *session, const char *path)
{
    if (get_script (session)->programs == NULL) {
        get_script (session)->programs = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                                                NULL);
    }
    g_hash_table_add (get_script (session)->programs, g_strdup (path));
}

void
session_script_queues (Session *session, const char *verb, const char *text)
{
    if (get_script (session)->queues == NULL) {
        get_script (session)->queues = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                                              g_free);
    }
    g_hash_table_insert (get_script (session)->queues, g_strdup (verb), g_strdup (text));
}

void
session_script_running (Session *session, const SessionRunning *running)
{
    if (get_script (session)->running == NULL) {
        get_script (session)->running = g_ptr_array_new_with_free_func (session_running_free);
    }
    g_ptr_array_add (get_script (session)->running, session_running_dup (running));
}

static gboolean
is_in_script (const char *path, gpointer user)
{
    Session *session = user;

    return get_script (session)->texts != NULL
           && g_hash_table_contains (get_script (session)->texts, path);
}

static void
read_from_script (Session *session, GTask *task)
{
    const SessionWanted *wanted = g_task_get_task_data (task);
    g_autofree char *path = session_find_moved (wanted, is_in_script, session);
    const char *text = get_script (session)->texts != NULL
                           ? g_hash_table_lookup (get_script (session)->texts, path)
                           : NULL;

    if (text == NULL || strlen (text) > wanted->limit) {
        g_task_return_new_error (task, BASE_ERROR, BASE_ERROR_NOT_FOUND,
                                 "cannot read %s: no such file", wanted->path);
        return;
    }
    g_task_return_pointer (task, g_bytes_new (text, strlen (text) + 1),
                           (GDestroyNotify) g_bytes_unref);
}

static void
time_in_script (Session *session, GTask *task)
{
    g_autofree char *path = session_find_moved (g_task_get_task_data (task), is_in_script,
                                                session);
    const gint64 *time_us = is_in_script (path, session)
                                ? g_hash_table_lookup (get_script (session)->times, path)
                                : NULL;

    g_task_return_int (task, time_us != NULL ? *time_us : 0);
}

static void
list_from_script (Session *session, GTask *task)
{
    const SessionWanted *wanted = g_task_get_task_data (task);
    GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
    GHashTableIter iter;
    gpointer path;

    if (get_script (session)->texts != NULL) {
        g_hash_table_iter_init (&iter, get_script (session)->texts);
        while (names->len < wanted->limit && g_hash_table_iter_next (&iter, &path, NULL)) {
            g_autofree char *folder = g_path_get_dirname (path);

            if (strcmp (folder, wanted->path) == 0) {
                g_ptr_array_add (names, g_path_get_basename (path));
            }
        }
    }
    g_task_return_pointer (task, names, (GDestroyNotify) g_ptr_array_unref);
}

static gboolean
is_script_program (const char *path, gpointer user)
{
    Session *session = user;

    return get_script (session)->programs != NULL
           && g_hash_table_contains (get_script (session)->programs, path);
}

static gboolean
is_script_file (const char *path, gpointer user)
{
    return is_script_program (path, user) || is_in_script (path, user);
}

static char *
find_in_script_path (const char *name, gpointer user)
{
    Session *session = user;
    gpointer path;

    if (get_script (session)->programs == NULL) {
        return NULL;
    }
    BASE_WALK (get_script (session)->programs, &path, NULL) {
        g_autofree char *base = g_path_get_basename (path);

        if (strcmp (base, name) == 0) {
            return g_strdup (path);
        }
    }
    return NULL;
}

static void
find_program_in_script (Session *session, GTask *task)
{
    const SessionPrograms script = { is_script_file, is_script_program, find_in_script_path,
                                     NULL };
    GError *error = NULL;
    char *path = session_find_program (g_task_get_task_data (task), &script, session, &error);

    if (path != NULL) {
        g_task_return_pointer (task, path, g_free);
    } else {
        g_task_return_error (task, error);
    }
}

static void
name_process_of_script (Session *session, GTask *task)
{
    const SessionWanted *wanted = g_task_get_task_data (task);
    const GPtrArray *list = get_script (session)->running;

    for (guint i = 0; list != NULL && i < list->len; i++) {
        const SessionRunning *running = list->pdata[i];

        if (running->pid == wanted->pid) {
            g_task_return_pointer (task,
                                   g_strndup (running->command,
                                              strcspn (running->command, " ")),
                                   g_free);
            return;
        }
    }
    session_answer_gone (task);
}

static void
ask_queue_of_script (Session *session, GTask *task)
{
    const SessionWanted *wanted = g_task_get_task_data (task);
    GHashTable *queues = get_script (session)->queues;
    const char *text = queues != NULL ? g_hash_table_lookup (queues, wanted->path) : "";

    if (text != NULL) {
        g_task_return_pointer (task, g_strdup (text), g_free);
    } else {
        g_task_return_new_error (task, BASE_ERROR, BASE_ERROR_UNSUPPORTED,
                                 "the script says no");
    }
}

static void
list_no_cores (Session *session, GTask *task)
{
    g_task_return_pointer (task, g_ptr_array_new (), (GDestroyNotify) g_ptr_array_unref);
}

static void
list_running_from_script (Session *session, GTask *task)
{
    GPtrArray *list = g_ptr_array_new_with_free_func (session_running_free);

    for (guint i = 0;
         get_script (session)->running != NULL && i < get_script (session)->running->len; i++) {
        g_ptr_array_add (list, session_running_dup (get_script (session)->running->pdata[i]));
    }
    g_task_return_pointer (task, list, (GDestroyNotify) g_ptr_array_unref);
}

const SessionBackend session_scripted_backend = {
    .send = send_to_script,
    .end = end_script,
    .clear = clear_script,
    .read_source = read_from_script,
    .time_source = time_in_script,
    .list_folder = list_from_script,
    .list_running = list_running_from_script,
    .list_cores = list_no_cores,
    .find_program = find_program_in_script,
    .name_process = name_process_of_script,
    .ask_queue = ask_queue_of_script,
    .feeds_all = TRUE,
};
