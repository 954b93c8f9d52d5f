/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is asked about batch systems, and the answers, are texts of key files: they cross to another host as they are.
 * The half that asks reads its answers as what somebody else may have written. */
#include "session/queues.h"
#include "base/array.h"
#include "base/error.h"
#include "base/escape.h"
#include "launch/launch.h"
#include "launch/queue.h"
#include "session/backend/backend.h"
#include "session/backend/offers-private.h"
#include "session/backend/queues-private.h"
#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define GROUP SESSION_QUEUES_GROUP

enum { MAX_ROWS = 1000 };

/* ---- where the job is ---- */

/* What the shell's command prints, both of its outputs. folder: NULL: here. FALSE: its status is another one than 0. */
static gboolean
run (const char *command, const char *folder, char **ret_said, char **ret_complaint)
{
    char *words[] = { (char *) "/bin/sh", (char *) "-c", (char *) command, NULL };
    g_autoptr (GError) error = NULL;
    int status = 0;

    *ret_said = *ret_complaint = NULL;
    if (!g_spawn_sync (folder, words, NULL, G_SPAWN_DEFAULT, NULL, NULL, ret_said,
                       ret_complaint, &status, &error)) {
        *ret_said = g_strdup ("");
        *ret_complaint = g_strdup (error->message);
        return FALSE;
    }
    return WIFEXITED (status) && WEXITSTATUS (status) == 0;
}

/* On one line. Caller owns. */
static char *
join_lines (const char *text)
{
    g_auto (GStrv) lines = g_strsplit (text, "\n", -1);

    for (guint i = 0; lines[i] != NULL; i++) {
        g_strstrip (lines[i]);
    }
    return g_strjoinv ("; ", lines);
}

static void
append_word (GString *line, const char *word)
{
    g_autofree char *quoted = g_shell_quote (word);

    g_string_append_printf (line, "%s ", quoted);
}

/* NAME='value', as the shell sets it. */
static void
append_assignment (GString *line, const char *assignment)
{
    const char *equal = strchr (assignment, '=');
    g_autofree char *value = g_shell_quote (equal != NULL ? equal + 1 : "");

    g_string_append_printf (line, "%.*s=%s ",
                            (int) (equal != NULL ? equal - assignment
                                                 : (gssize) strlen (assignment)),
                            assignment, value);
}

static char **
get_words (GKeyFile *asked, const char *key)
{
    char **words = g_key_file_get_string_list (asked, GROUP, key, NULL, NULL);

    return words != NULL ? words : g_new0 (char *, 1);
}

/* What stands before the job's line in the script. */
static char *
make_prefix (GKeyFile *asked, const char *token, GError **error)
{
    g_autofree char *own = launch_find_program ("pddt", error);
    g_auto (GStrv) environment = get_words (asked, "Environment"),
                   options = get_words (asked, "Options");
    g_autoptr (GString) line = g_string_new (NULL);
    const char *folder = g_getenv ("PDDT_CONNECT_FOLDER");

    if (own == NULL) {
        return NULL;
    }
    for (guint i = 0; environment[i] != NULL; i++) {
        append_assignment (line, environment[i]);
    }
    if (folder != NULL && *folder != '\0') {
        g_string_append (line, "PDDT_CONNECT_FOLDER=");
        append_word (line, folder);
    }
    g_string_append_printf (line, "PDDT_SUBMITTED=%s ", token);
    append_word (line, own);
    for (guint i = 0; options[i] != NULL; i++) {
        append_word (line, options[i]);
    }
    g_string_append (line, "--");
    return g_string_free (g_steal_pointer (&line), FALSE);
}

static LaunchQueue *
load_filled (GKeyFile *asked, GError **error)
{
    g_autofree char *name = g_key_file_get_string (asked, GROUP, "Id", NULL);
    g_auto (GStrv) fields = get_words (asked, "Fields");
    g_autoptr (LaunchQueue) queue = launch_queue_load (name != NULL ? name : "", error);

    for (guint i = 0; queue != NULL && fields[i] != NULL; i++) {
        if (!launch_queue_set (queue, fields[i], error)) {
            return NULL;
        }
    }
    return g_steal_pointer (&queue);
}

static char *
write_script (const char *text, const char *token, GError **error)
{
    g_autofree char *name = g_strdup_printf ("pddt-%s.sh", token);
    g_autofree char *folder = g_build_filename (g_get_home_dir (), ".local", "state", "pddt",
                                                "submitted", NULL);
    g_autofree char *path = g_build_filename (folder, name, NULL);

    if (g_mkdir_with_parents (folder, 0700) != 0) {
        base_error_set (error, BASE_ERROR_UNSUPPORTED, "cannot make the folder %s: %s", folder,
                        g_strerror (errno));
        return NULL;
    }
    if (!g_file_set_contents_full (path, text, -1, G_FILE_SET_CONTENTS_CONSISTENT, 0700,
                                   error)) {
        g_unlink (path); /* where the disk is full */
        return NULL;
    }
    return g_steal_pointer (&path);
}

/* The job's id; NULL: with an error. Caller owns. */
static char *
submit_script (const LaunchQueue *queue, const char *script, const char *token,
               const char *folder, GError **error)
{
    g_autofree char *path = write_script (script, token, error), *said = NULL,
                    *complaint = NULL, *command = NULL, *id = NULL;
    gboolean ok;

    if (path == NULL) {
        return NULL;
    }
    command = launch_queue_make_submit (queue, path);
    ok = run (command, folder, &said, &complaint);
    g_unlink (path); /* the queue has a copy */
    id = ok ? launch_queue_find_id (queue, said) : NULL;
    if (id == NULL) {
        g_autofree char *why = join_lines (*g_strstrip (complaint) != '\0' ? complaint
                                                                           : g_strstrip (said));

        base_error_set (error, BASE_ERROR_UNSUPPORTED, "%s has not taken the job: %s",
                        launch_queue_get_name (queue),
                        *why != '\0' ? why : "it does not say why");
    }
    return g_steal_pointer (&id);
}

static gboolean
submit (GKeyFile *asked, GKeyFile *answer, GError **error)
{
    g_autoptr (LaunchQueue) queue = load_filled (asked, error);
    g_autofree char *token = g_strdup_printf ("%08x%08x", g_random_int (), g_random_int ());
    g_autofree char *prefix = queue != NULL ? make_prefix (asked, token, error) : NULL;
    g_autofree char *folder = g_key_file_get_string (asked, GROUP, "Folder", NULL);
    g_auto (GStrv) argv = get_words (asked, "Argv");
    g_autofree char *script = prefix != NULL && argv[0] != NULL
                                  ? launch_queue_compose (queue, (const char *const *) argv,
                                                          prefix, error)
                                  : NULL;
    g_autofree char *id = script != NULL ? submit_script (queue, script, token, folder, error)
                                         : NULL;

    if (id != NULL) {
        g_key_file_set_string (answer, GROUP, "Name", launch_queue_get_name (queue));
        g_key_file_set_string (answer, GROUP, "Job", id);
        g_key_file_set_string (answer, GROUP, "Token", token);
    }
    return id != NULL;
}

static void
find_offer (const char *token, GKeyFile *answer)
{
    g_autoptr (GPtrArray) offers = session_offers_list (NULL);

    for (guint i = 0; offers != NULL && i < offers->len; i++) {
        const SessionOffer *offer = offers->pdata[i];

        if (!offer->is_taken && g_strcmp0 (offer->submitted, token) == 0) {
            g_key_file_set_string (answer, GROUP, "Offer", offer->id);
        }
    }
}

static void
find_place (const LaunchQueue *queue, const char *id, GKeyFile *answer)
{
    g_autofree char *command = launch_queue_make_order (queue), *said = NULL, *complaint = NULL;
    guint n, place = command != NULL && run (command, NULL, &said, &complaint)
                         ? launch_queue_find_place (id, said, &n)
                         : 0;

    if (place > 0) {
        g_key_file_set_integer (answer, GROUP, "Place", (int) place);
        g_key_file_set_integer (answer, GROUP, "Waiting", (int) n);
    }
}

static void
ask_state (const LaunchQueue *queue, const char *id, GKeyFile *answer)
{
    g_autofree char *command = launch_queue_make_state (queue, id), *said = NULL,
                    *complaint = NULL, *reason = NULL;
    gboolean ok = command != NULL && run (command, NULL, &said, &complaint);
    LaunchQueueState state = command != NULL
                                 ? launch_queue_find_state (queue, id, said, complaint, ok)
                                 : LAUNCH_QUEUE_UNKNOWN;

    g_key_file_set_integer (answer, GROUP, "State",
                            state == LAUNCH_QUEUE_WAITS  ? SESSION_QUEUED_WAITS
                            : state == LAUNCH_QUEUE_RUNS ? SESSION_QUEUED_RUNS
                            : state == LAUNCH_QUEUE_OVER ? SESSION_QUEUED_OVER
                                                         : SESSION_QUEUED_UNKNOWN);
    if (!ok && command != NULL && state == LAUNCH_QUEUE_UNKNOWN) {
        g_autofree char *why = join_lines (g_strstrip (complaint));

        g_key_file_set_string (answer, GROUP, "Problem", why);
    }
    if (state == LAUNCH_QUEUE_WAITS) {
        reason = launch_queue_find_reason (queue, said);
        if (reason != NULL) {
            g_key_file_set_string (answer, GROUP, "Reason", reason);
        }
        find_place (queue, id, answer);
    }
}

static gboolean
look (GKeyFile *asked, GKeyFile *answer, GError **error)
{
    g_autofree char *job = g_key_file_get_string (asked, GROUP, "Job", NULL),
                    *token = g_key_file_get_string (asked, GROUP, "Token", NULL);
    gboolean asks = g_key_file_get_boolean (asked, GROUP, "Asks", NULL);
    g_autoptr (LaunchQueue) queue = asks ? load_filled (asked, error) : NULL;

    if (queue == NULL && asks) {
        return FALSE;
    }
    if (asks && job != NULL) {
        ask_state (queue, job, answer);
    }
    find_offer (token, answer); /* last: a job that is over has none any more */
    return TRUE;
}

static gboolean
cancel (GKeyFile *asked, GKeyFile *answer, GError **error)
{
    g_autoptr (LaunchQueue) queue = load_filled (asked, error);
    g_autofree char *job = g_key_file_get_string (asked, GROUP, "Job", NULL), *said = NULL,
                    *complaint = NULL;
    g_autofree char *command = queue != NULL && job != NULL
                                   ? launch_queue_make_cancel (queue, job)
                                   : NULL;

    if (queue == NULL) {
        return FALSE;
    }
    if (command == NULL || !run (command, NULL, &said, &complaint)) {
        base_error_set (error, BASE_ERROR_UNSUPPORTED, "cannot cancel job %s: %s", job,
                        complaint != NULL && *g_strstrip (complaint) != '\0' ? complaint
                        : command != NULL ? "it does not say why"
                                          : "the template does not say how");
        return FALSE;
    }
    return TRUE;
}

static void
add_field (GKeyFile *answer, const char *group, const LaunchQueueField *field)
{
    g_key_file_set_string (answer, group, "Name", field->name);
    g_key_file_set_string (answer, group, "Label", field->label);
    g_key_file_set_string (answer, group, "Value", field->value);
    g_key_file_set_boolean (answer, group, "Lines", field->has_lines);
    if (field->pattern != NULL) {
        g_key_file_set_string (answer, group, "Pattern", field->pattern);
    }
    if (field->choices != NULL) {
        g_key_file_set_string_list (answer, group, "Choices",
                                    (const char *const *) field->choices,
                                    g_strv_length (field->choices));
    }
}

static gboolean
list (GKeyFile *asked, GKeyFile *answer, GError **error)
{
    g_autoptr (GPtrArray) names = launch_queue_list ();

    for (guint i = 0; i < names->len; i++) {
        g_autoptr (GError) problem = NULL;
        g_autoptr (LaunchQueue) queue = launch_queue_load (names->pdata[i], &problem);
        g_autofree char *group = g_strdup_printf ("%u", i);
        const LaunchQueueField *field;

        g_key_file_set_string (answer, group, "Id", names->pdata[i]);
        g_key_file_set_string (answer, group, "Name",
                               queue != NULL ? launch_queue_get_name (queue) : names->pdata[i]);
        if (queue == NULL) {
            g_key_file_set_string (answer, group, "Problem", problem->message);
        }
        for (guint j = 0; queue != NULL && (field = launch_queue_get_field (queue, j)) != NULL;
             j++) {
            g_autofree char *one = g_strdup_printf ("%u %u", i, j);

            add_field (answer, one, field);
        }
    }
    return TRUE;
}

static gboolean
list_offers (GKeyFile *asked, GKeyFile *answer, GError **error)
{
    g_autoptr (GPtrArray) offers = session_offers_list (error),
                          measured = session_measured_list ();

    for (guint i = 0; offers != NULL && i < offers->len + measured->len; i++) {
        g_autofree char *group = g_strdup_printf ("%u", i);

        session_offer_put (i < offers->len ? offers->pdata[i]
                                           : measured->pdata[i - offers->len],
                           answer, group);
    }
    return offers != NULL;
}

static const struct {
    const char *name;
    gboolean (*function) (GKeyFile *asked, GKeyFile *answer, GError **error);
} verbs[] = {
    { "submit", submit },
    { "look", look },
    { "cancel", cancel },
    { "list", list },
    { "list-offers", list_offers },
    { "list-measured", session_measured_list_files },
    { "read-measured", session_measured_read },
    { "forget-measured", session_measured_drop },
};

static void
ask_here (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
    const SessionWanted *wanted = data;
    g_autoptr (GKeyFile) asked = g_key_file_new (), answer = g_key_file_new ();
    GError *error = NULL;
    gboolean ok = FALSE;
    const char *text = wanted->folders != NULL ? wanted->folders : "";

    for (guint i = 0; i < G_N_ELEMENTS (verbs); i++) {
        if (strcmp (wanted->path, verbs[i].name) == 0
            && (*text == '\0'
                || g_key_file_load_from_data (asked, text, strlen (text), 0, NULL))) {
            ok = verbs[i].function (asked, answer, &error);
        }
    }
    if (ok) {
        g_task_return_pointer (task, g_key_file_to_data (answer, NULL, NULL), g_free);
    } else {
        if (error == NULL) {
            base_error_set (&error, BASE_ERROR_INVALID, "this cannot be submitted");
        }
        g_task_return_error (task, error);
    }
}

void
session_queues_ask_here (Session *session, GTask *task)
{
    g_task_run_in_thread (task, ask_here);
}

/* ---- who asks ---- */

void
session_queues_ask (Session *session, const char *verb, GKeyFile *asked,
                    GCancellable *cancellable, GAsyncReadyCallback done, gpointer user)
{
    g_autoptr (GTask) task = g_task_new (session, cancellable, done, user);
    SessionWanted *wanted = g_new0 (SessionWanted, 1);

    wanted->path = g_strdup (verb);
    wanted->folders = asked != NULL ? g_key_file_to_data (asked, NULL, NULL) : NULL;
    g_clear_pointer (&asked, g_key_file_unref);
    g_task_set_task_data (task, wanted, session_wanted_free);
    session_sources_get_backend (session)->ask_queue (session, task);
}

GKeyFile *
session_queues_read_answer (GAsyncResult *result, GError **error)
{
    g_autofree char *text = g_task_propagate_pointer (G_TASK (result), error);
    g_autoptr (GKeyFile) answer = g_key_file_new ();

    if (text == NULL) {
        return NULL;
    }
    if (*text != '\0' && !g_key_file_load_from_data (answer, text, strlen (text), 0, NULL)) {
        base_error_set (error, BASE_ERROR_CORRUPT, "the other side sent a damaged answer");
        return NULL;
    }
    return g_steal_pointer (&answer);
}

/* Fit to be shown. NULL: there is none. Caller owns. */
static char *
get_shown (GKeyFile *answer, const char *group, const char *key)
{
    char *text = g_key_file_get_string (answer, group, key, NULL);

    return text != NULL ? base_escape_take (text, BASE_ESCAPE_NAME) : NULL;
}

static void
set_list (GKeyFile *asked, const char *key, const char *const *words)
{
    if (words != NULL) {
        g_key_file_set_string_list (asked, GROUP, key, words, g_strv_length ((char **) words));
    }
}

static gboolean
are_texts (const char *const *words)
{
    for (guint i = 0; words != NULL && words[i] != NULL; i++) {
        if (!g_utf8_validate (words[i], -1, NULL)) {
            return FALSE;
        }
    }
    return TRUE;
}

void
session_list_queues_async (Session *session, GCancellable *cancellable,
                           GAsyncReadyCallback done, gpointer user)
{
    session_queues_ask (session, "list", NULL, cancellable, done, user);
}

BASE_FREE (free_field, SessionQueueField, field, g_free (field->name); g_free (field->label);
           g_free (field->value); g_free (field->pattern); g_strfreev (field->choices))

BASE_FREE (free_queue, SessionQueue, queue, g_free (queue->id); g_free (queue->name);
           g_free (queue->problem); g_ptr_array_unref (queue->fields))

gboolean
session_queue_field_check (const SessionQueueField *field, const char *value, GError **error)
{
    return launch_queue_check (field->label, field->pattern, field->value, value, error);
}

static SessionQueueField *
read_field (GKeyFile *answer, const char *group)
{
    SessionQueueField *field = g_new0 (SessionQueueField, 1);

    field->name = get_shown (answer, group, "Name");
    field->label = get_shown (answer, group, "Label");
    field->value = g_key_file_get_string (answer, group, "Value", NULL);
    field->pattern = g_key_file_get_string (answer, group, "Pattern", NULL);
    field->choices = g_key_file_get_string_list (answer, group, "Choices", NULL, NULL);
    field->has_lines = g_key_file_get_boolean (answer, group, "Lines", NULL);
    if (field->name == NULL || field->label == NULL || field->value == NULL) {
        g_clear_pointer (&field, free_field);
    }
    return field;
}

static SessionQueue *
read_queue (GKeyFile *answer, guint index)
{
    g_autofree char *group = g_strdup_printf ("%u", index);
    SessionQueue *queue = g_new0 (SessionQueue, 1);

    queue->id = g_key_file_get_string (answer, group, "Id", NULL);
    queue->name = get_shown (answer, group, "Name");
    queue->problem = get_shown (answer, group, "Problem");
    queue->fields = g_ptr_array_new_with_free_func (free_field);
    for (guint j = 0; j < MAX_ROWS; j++) {
        g_autofree char *one = g_strdup_printf ("%u %u", index, j);
        SessionQueueField *field = read_field (answer, one);

        if (field == NULL) {
            break;
        }
        g_ptr_array_add (queue->fields, field);
    }
    if (queue->id == NULL || queue->name == NULL) {
        g_clear_pointer (&queue, free_queue);
    }
    return queue;
}

GPtrArray *
session_list_queues_finish (GAsyncResult *result, GError **error)
{
    g_autoptr (GKeyFile) answer = session_queues_read_answer (result, error);
    g_autoptr (GPtrArray) queues = g_ptr_array_new_with_free_func (free_queue);
    SessionQueue *queue;

    if (answer == NULL) {
        return NULL;
    }
    while (queues->len < MAX_ROWS && (queue = read_queue (answer, queues->len)) != NULL) {
        g_ptr_array_add (queues, queue);
    }
    return g_steal_pointer (&queues);
}

void
session_submit_async (Session *session, const SessionSubmission *submission,
                      GCancellable *cancellable, GAsyncReadyCallback done, gpointer user)
{
    GKeyFile *asked;

    if (!are_texts (submission->argv) || !are_texts (submission->environment)
        || !are_texts (submission->fields) || !are_texts (submission->options)) {
        g_task_report_new_error (session, done, user, NULL, BASE_ERROR, BASE_ERROR_INVALID,
                                 "a job whose words are no UTF-8 cannot be submitted");
        return;
    }
    asked = g_key_file_new ();
    g_key_file_set_string (asked, GROUP, "Id", submission->queue);
    set_list (asked, "Argv", submission->argv);
    set_list (asked, "Environment", submission->environment);
    set_list (asked, "Fields", submission->fields);
    set_list (asked, "Options", submission->options);
    if (submission->folder != NULL) {
        g_key_file_set_string (asked, GROUP, "Folder", submission->folder);
    }
    session_queues_ask (session, "submit", asked, cancellable, done, user);
}

void
session_submitted_free (SessionSubmitted *submitted)
{
    g_free (submitted->queue);
    g_free (submitted->name);
    g_free (submitted->id);
    g_free (submitted->token);
    g_free (submitted);
}

/* The template that was asked for. Caller owns. */
static char *
find_asked (GAsyncResult *result)
{
    const SessionWanted *wanted = g_task_get_task_data (G_TASK (result));
    g_autoptr (GKeyFile) asked = g_key_file_new ();

    return g_key_file_load_from_data (asked, wanted->folders, strlen (wanted->folders), 0, NULL)
               ? g_key_file_get_string (asked, GROUP, "Id", NULL)
               : NULL;
}

SessionSubmitted *
session_submit_finish (GAsyncResult *result, GError **error)
{
    g_autoptr (GKeyFile) answer = session_queues_read_answer (result, error);
    g_autoptr (SessionSubmitted) submitted = answer != NULL ? g_new0 (SessionSubmitted, 1)
                                                            : NULL;

    if (submitted == NULL) {
        return NULL;
    }
    submitted->queue = find_asked (result);
    submitted->name = get_shown (answer, GROUP, "Name");
    submitted->id = get_shown (answer, GROUP, "Job");
    submitted->token = get_shown (answer, GROUP, "Token");
    if (submitted->queue == NULL || submitted->name == NULL || submitted->id == NULL
        || submitted->token == NULL) {
        base_error_set (error, BASE_ERROR_CORRUPT, "the other side sent a damaged answer");
        return NULL;
    }
    return g_steal_pointer (&submitted);
}

/* Floating in no way: caller owns. */
static GKeyFile *
make_asked (const SessionSubmitted *submitted)
{
    GKeyFile *asked = g_key_file_new ();

    g_key_file_set_string (asked, GROUP, "Id", submitted->queue);
    g_key_file_set_string (asked, GROUP, "Job", submitted->id);
    g_key_file_set_string (asked, GROUP, "Token", submitted->token);
    return asked;
}

void
session_look_queued_async (Session *session, const SessionSubmitted *submitted,
                           gboolean asks_queue, GCancellable *cancellable,
                           GAsyncReadyCallback done, gpointer user)
{
    GKeyFile *asked = make_asked (submitted);

    g_key_file_set_boolean (asked, GROUP, "Asks", asks_queue);
    session_queues_ask (session, "look", asked, cancellable, done, user);
}

void
session_queued_job_free (SessionQueuedJob *job)
{
    g_free (job->reason);
    g_free (job->problem);
    g_free (job->offer);
    g_free (job);
}

SessionQueuedJob *
session_look_queued_finish (GAsyncResult *result, GError **error)
{
    g_autoptr (GKeyFile) answer = session_queues_read_answer (result, error);
    SessionQueuedJob *job = answer != NULL ? g_new0 (SessionQueuedJob, 1) : NULL;

    if (job == NULL) {
        return NULL;
    }
    job->state = (SessionQueuedState) CLAMP (g_key_file_get_integer (answer, GROUP, "State",
                                                                     NULL),
                                             SESSION_QUEUED_UNKNOWN, SESSION_QUEUED_OVER);
    job->reason = get_shown (answer, GROUP, "Reason");
    job->problem = get_shown (answer, GROUP, "Problem");
    job->place = (guint) MAX (g_key_file_get_integer (answer, GROUP, "Place", NULL), 0);
    job->n_waiting = (guint) MAX (g_key_file_get_integer (answer, GROUP, "Waiting", NULL), 0);
    job->offer = g_key_file_get_string (answer, GROUP, "Offer", NULL);
    if (job->offer != NULL && !session_offer_is_id (job->offer)) {
        g_clear_pointer (&job->offer, g_free);
    }
    return job;
}

void
session_cancel_queued_async (Session *session, const SessionSubmitted *submitted,
                             GCancellable *cancellable, GAsyncReadyCallback done, gpointer user)
{
    session_queues_ask (session, "cancel", make_asked (submitted), cancellable, done, user);
}

gboolean
session_cancel_queued_finish (GAsyncResult *result, GError **error)
{
    g_autoptr (GKeyFile) answer = session_queues_read_answer (result, error);

    return answer != NULL;
}

void
session_list_offers_async (Session *session, GCancellable *cancellable,
                           GAsyncReadyCallback done, gpointer user)
{
    session_queues_ask (session, "list-offers", NULL, cancellable, done, user);
}

GPtrArray *
session_list_offers_finish (GAsyncResult *result, GError **error)
{
    g_autoptr (GKeyFile) answer = session_queues_read_answer (result, error);
    g_autoptr (GPtrArray) offers = g_ptr_array_new_with_free_func (session_offer_free);

    if (answer == NULL) {
        return NULL;
    }
    while (offers->len < MAX_ROWS) {
        g_autofree char *group = g_strdup_printf ("%u", offers->len);
        SessionOffer *offer = session_offer_get (answer, group);

        if (offer == NULL) {
            break;
        }
        g_ptr_array_add (offers, offer);
    }
    return g_steal_pointer (&offers);
}
