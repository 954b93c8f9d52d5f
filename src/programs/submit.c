/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A job through a batch system. */
#include "programs/submit.h"
#include "base/error.h"
#include "base/log.h"
#include "launch/launch.h"
#include "launch/queue.h"
#include "profile/archive.h"
#include "session/offers.h"
#include "session/saved.h"
#include <errno.h>
#include <glib-unix.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    LOOK_MS = 500,    /* for its offer */
    ASK_S = 5,        /* the queue, at first */
    ASK_LATER_S = 30, /* after a while */
    LATER_S = 300,
    SHOWN_S = 20, /* until an archive is seen from here */
    MAX_OVER
    = 3, /* so often the queue must say that it is over: what has just been submitted may not be there yet */
};

typedef struct {
    const LaunchQueue *queue;
    char *id, *token, *last; /* last: state that was said */
    gboolean is_measured, is_interrupted;
    guint n_over;
} Job;

/* What the shell's command prints, both of its outputs. FALSE: its status is another one than 0. */
static gboolean
run (const char *command, char **ret_said, char **ret_complaint)
{
    char *words[] = { (char *) "/bin/sh", (char *) "-c", (char *) command, NULL };
    g_autoptr (GError) error = NULL;
    int status = 0;

    *ret_said = *ret_complaint = NULL;
    if (!g_spawn_sync (NULL, words, NULL, G_SPAWN_DEFAULT, NULL, NULL, ret_said, ret_complaint,
                       &status, &error)) {
        *ret_said = g_strdup ("");
        *ret_complaint = g_strdup (error->message);
        return FALSE;
    }
    return WIFEXITED (status) && WEXITSTATUS (status) == 0;
}

static char *
make_token (void)
{
    return g_strdup_printf ("%08x%08x", g_random_int (), g_random_int ());
}

static void
append_word (GString *line, const char *word)
{
    g_autofree char *quoted = g_shell_quote (word);

    g_string_append_printf (line, "%s ", quoted);
}

/* What stands before the launcher's line in the script. */
static char *
make_prefix (const ProgramOptions *options, char **argv, const char *token, const char *own,
             const char *archive)
{
    g_autoptr (GString) line = g_string_new (NULL);
    const char *folder = g_getenv ("PDDT_CONNECT_FOLDER");

    if (folder != NULL && *folder != '\0') {
        g_string_append (line, "PDDT_CONNECT_FOLDER=");
        append_word (line, folder);
    }
    g_string_append_printf (line, "PDDT_SUBMITTED=%s ", token);
    append_word (line, own);
    if (!program_options_measures (options)) {
        g_string_append (line, "--connect ");
    }
    for (char **word = argv + 1; word < options->words; word++) {
        if (strcmp (*word, "--submit") == 0 || strcmp (*word, "--field") == 0) {
            word++;
        } else if (program_options_measures (options) && strcmp (*word, "--") != 0
                   && !g_str_has_prefix (*word, "--submit=")
                   && !g_str_has_prefix (*word, "--field=")) {
            append_word (line, *word);
        }
    }
    if (archive != NULL && options->output == NULL) {
        g_string_append (line, "--output ");
        append_word (line, archive);
    }
    g_string_append (line, "--");
    return g_string_free (g_steal_pointer (&line), FALSE);
}

/* Where a measured job writes, so that it is found when the job is over: what --output says, or a name that is free. NULL:
 * it is not measured. Caller owns. */
static char *
find_archive (const ProgramOptions *options)
{
    const char *program = session_saved_find_program ((const char *const *) options->words);
    g_autofree char *base = g_path_get_basename (program);

    if (!program_options_measures (options)) {
        return NULL;
    }
    if (options->output != NULL) {
        return g_canonicalize_filename (options->output, NULL);
    }
    for (guint i = 1;; i++) {
        g_autofree char *name = g_strdup_printf ("pddt-%s-%u", base, i);
        g_autofree char *path = g_canonicalize_filename (name, NULL);

        if (access (path, F_OK) != 0) {
            return g_steal_pointer (&path);
        }
    }
}

/* A shared file system may show it late. One that was cut off is shown as such. */
static gboolean
is_there (const char *archive)
{
    g_autofree char *last = g_build_filename (archive, "traces.otf2", NULL);
    gint64 end_us = g_get_monotonic_time () + SHOWN_S * G_USEC_PER_SEC;

    while (access (last, F_OK) != 0) {
        if (g_get_monotonic_time () > end_us) {
            return profile_archive_is (archive);
        }
        g_usleep (LOOK_MS * 1000);
    }
    return TRUE;
}

static char *
write_script (const char *text, const char *token, GError **error)
{
    g_autofree char *name = g_strdup_printf ("pddt-%s.sh", token);
    g_autofree char *folder = g_build_filename (g_get_home_dir (), ".local", "state", "pddt",
                                                "submitted", NULL);
    g_autofree char *path = g_build_filename (folder, name, NULL);

    g_mkdir_with_parents (folder, 0700);
    return g_file_set_contents_full (path, text, -1, G_FILE_SET_CONTENTS_CONSISTENT, 0700,
                                     error)
               ? g_steal_pointer (&path)
               : NULL;
}

/* FALSE: said why. */
static gboolean
submit (Job *job, const char *script)
{
    g_autoptr (GError) error = NULL;
    g_autofree char *path = write_script (script, job->token, &error), *said = NULL,
                    *complaint = NULL;
    g_autofree char *command = path != NULL ? launch_queue_make_submit (job->queue, path)
                                            : NULL;
    gboolean ok = path != NULL && run (command, &said, &complaint);

    if (path == NULL) {
        base_log_say ("%s", error->message);
        return FALSE;
    }
    g_unlink (path); /* the queue has a copy */
    job->id = ok ? launch_queue_find_id (job->queue, said) : NULL;
    if (job->id == NULL) {
        g_strstrip (complaint);
        g_strstrip (said);
        base_log_say ("%s has not taken the job: %s", launch_queue_get_name (job->queue),
                      *complaint != '\0' ? complaint
                      : *said != '\0'    ? said
                                         : "it does not say why");
        return FALSE;
    }
    base_log_say ("job %s is submitted to %s", job->id, launch_queue_get_name (job->queue));
    return TRUE;
}

/* FALSE: it is over. */
static gboolean
ask_state (Job *job)
{
    g_autofree char *command = launch_queue_make_state (job->queue, job->id), *said = NULL,
                    *complaint = NULL;
    gboolean ok = command != NULL && run (command, &said, &complaint);
    LaunchQueueState state = command != NULL
                                 ? launch_queue_find_state (job->queue, job->id, said, ok)
                                 : LAUNCH_QUEUE_UNKNOWN;
    const char *word = state == LAUNCH_QUEUE_WAITS  ? "waits"
                       : state == LAUNCH_QUEUE_RUNS ? "runs"
                                                    : NULL;

    job->n_over = state == LAUNCH_QUEUE_OVER ? job->n_over + 1 : 0;
    if (word != NULL && g_strcmp0 (word, job->last) != 0) {
        g_free (job->last);
        job->last = g_strdup (word);
        base_log_say ("job %s %s", job->id, word);
    }
    return job->n_over < MAX_OVER;
}

/* NULL: it does not wait to be taken. Caller owns. */
static char *
find_offer (const Job *job)
{
    g_autoptr (GPtrArray) offers = session_offers_list (NULL);

    for (guint i = 0; offers != NULL && i < offers->len; i++) {
        const SessionOffer *offer = offers->pdata[i];

        if (!offer->is_taken && g_strcmp0 (offer->submitted, job->token) == 0) {
            return g_strdup (offer->id);
        }
    }
    return NULL;
}

static gboolean
on_interrupt (gpointer data)
{
    ((Job *) data)->is_interrupted = TRUE;
    return G_SOURCE_CONTINUE;
}

/* Nobody is left to take it. */
static int
leave (const Job *job)
{
    g_autofree char *command = launch_queue_make_cancel (job->queue, job->id), *said = NULL,
                    *complaint = NULL;
    char answer[16] = "";

    if (isatty (STDIN_FILENO) && isatty (STDERR_FILENO)) {
        fprintf (stderr, "\nCancel job %s? [Y/n] ", job->id);
        if (fgets (answer, sizeof answer, stdin) != NULL
            && (*answer == 'n' || *answer == 'N')) {
            base_log_say ("job %s stays in the queue: pddt --cli takes it when it starts",
                          job->id);
            return 3;
        }
    }
    if (command == NULL || !run (command, &said, &complaint)) {
        base_log_say ("cannot cancel job %s: %s", job->id,
                      complaint != NULL ? g_strstrip (complaint)
                                        : "the template does not say how");
    } else {
        base_log_say ("job %s is cancelled", job->id);
    }
    return 3;
}

static char *
wait_for_it (Job *job, int *ret_status)
{
    guint signals[] = { g_unix_signal_add (SIGINT, on_interrupt, job),
                        g_unix_signal_add (SIGTERM, on_interrupt, job) };
    gint64 begin_us = g_get_monotonic_time (), asked_us = 0;
    char *offer = NULL;
    gboolean goes_on = TRUE;

    while (offer == NULL && goes_on && !job->is_interrupted) {
        gint64 now_us = g_get_monotonic_time ();
        gint64 pause_s = now_us - begin_us > LATER_S * G_USEC_PER_SEC ? ASK_LATER_S
                         : job->n_over > 0                            ? 1
                                                                      : ASK_S;

        if (now_us - asked_us >= pause_s * G_USEC_PER_SEC) {
            asked_us = now_us;
            goes_on = ask_state (job);
        }
        offer = job->is_measured ? NULL : find_offer (job);
        if (offer == NULL && goes_on) {
            g_usleep (LOOK_MS * 1000);
            while (g_main_context_iteration (NULL, FALSE)) {
            }
        }
    }
    g_source_remove (signals[0]);
    g_source_remove (signals[1]);
    if (offer == NULL && job->is_interrupted) {
        *ret_status = leave (job);
    } else if (offer == NULL && job->is_measured) {
        base_log_say ("job %s is over", job->id);
        *ret_status = 0;
    } else if (offer == NULL) {
        base_log_say ("job %s is over, and has not waited for pddt: see what it has written",
                      job->id);
        *ret_status = 3;
    }
    return offer;
}

/* NULL: said why. */
static LaunchQueue *
load_queue (const ProgramOptions *options)
{
    g_autoptr (GError) error = NULL;
    g_autoptr (LaunchQueue) queue = launch_queue_load (options->submit, &error);

    for (guint i = 0; queue != NULL && error == NULL && i < options->fields->len; i++) {
        launch_queue_set (queue, options->fields->pdata[i], &error);
    }
    if (error != NULL) {
        base_log_say ("%s", error->message);
        return NULL;
    }
    return g_steal_pointer (&queue);
}

gboolean
program_submit (ProgramOptions *options, char **argv, char **ret_archive, int *ret_status)
{
    g_autoptr (GError) error = NULL;
    g_autoptr (LaunchQueue) queue = load_queue (options);
    g_autofree char *own = launch_find_program ("pddt", &error), *token = make_token ();
    g_autofree char *archive = find_archive (options);
    g_autofree char *prefix = own != NULL ? make_prefix (options, argv, token, own, archive)
                                          : NULL;
    g_autofree char *script = queue != NULL && prefix != NULL
                                  ? launch_queue_compose (queue,
                                                          (const char *const *) options->words,
                                                          prefix, &error)
                                  : NULL;
    Job job
        = { .queue = queue, .token = token, .is_measured = program_options_measures (options) };

    *ret_status = 2;
    *ret_archive = NULL;
    if (error != NULL) {
        base_log_say ("%s", error->message);
    }
    if (script == NULL) {
        return FALSE;
    }
    *ret_status = 3;
    options->taken = submit (&job, script) ? wait_for_it (&job, ret_status) : NULL;
    options->take = options->taken;
    if (archive != NULL && *ret_status == 0 && !is_there (archive)) {
        base_log_say ("it has left no archive in %s: see what the job has written", archive);
        *ret_status = 3;
    }
    *ret_archive = archive != NULL && *ret_status == 0 ? g_steal_pointer (&archive) : NULL;
    g_free (job.id);
    g_free (job.last);
    options->words += options->take != NULL ? g_strv_length (options->words) : 0;
    return options->take != NULL;
}
