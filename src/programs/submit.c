/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A job through a batch system, here or on the host of --remote. */
#include "programs/submit.h"
#include "base/error.h"
#include "base/log.h"
#include "profile/archive.h"
#include "programs/connect.h"
#include "programs/remote-measure.h"
#include "session/queues.h"
#include "session/remote.h"
#include "session/saved.h"
#include <glib-unix.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
    LOOK_MS = 500, /* for its offer; elsewhere: */
    LOOK_THERE_MS = 2000,
    ASK_S = 5,        /* the queue, at first */
    ASK_LATER_S = 30, /* after a while */
    LATER_S = 300,
    SHOWN_S = 20, /* until an archive is seen from here */
    MAX_OVER
    = 3, /* so often the queue must say that it is over: what has just been submitted may not be there yet */
};

typedef struct {
    SessionSubmitted *submitted;
    char *last;          /* what was said of its state */
    const char *archive; /* of a job that is measured; NULL: it is debugged */
    const char *there;   /* what that is called on the host of --remote; NULL: this host */
    gboolean is_interrupted;
    guint n_over;
} Job;

/* ---- an answer that comes later, at once ---- */

static void
on_answer (GObject *source, GAsyncResult *result, gpointer user)
{
    *(GAsyncResult **) user = g_object_ref (result);
}

static GAsyncResult *
wait_for_answer (GAsyncResult **result)
{
    while (*result == NULL) {
        g_main_context_iteration (NULL, TRUE);
    }
    return *result;
}

/* ---- the script ---- */

/* pddt's own words in it. Of char*, not owned. */
static GPtrArray *
list_own_words (const Job *job, const ProgramOptions *options, char **argv)
{
    GPtrArray *words = g_ptr_array_new ();
    gboolean is_measured = job->archive != NULL;

    if (!is_measured) {
        g_ptr_array_add (words, (char *) "--connect");
    }
    for (char **word = argv + 1; word < options->words; word++) {
        guint n_own = job->there != NULL ? program_measure_count_own (*word) : 0;

        if (strcmp (*word, "--submit") == 0 || strcmp (*word, "--field") == 0) {
            word++;
        } else if (n_own > 0) {
            word += n_own - 1;
        } else if (is_measured && strcmp (*word, "--") != 0
                   && !g_str_has_prefix (*word, "--submit=")
                   && !g_str_has_prefix (*word, "--field=")) {
            g_ptr_array_add (words, *word);
        }
    }
    if (is_measured && !options->profile && !options->trace) {
        g_ptr_array_add (words, (char *) "--profile"); /* which reports and exports imply */
    }
    if (job->there != NULL || (is_measured && options->output == NULL)) {
        g_ptr_array_add (words, (char *) "--output");
        g_ptr_array_add (words, (char *) (job->there != NULL ? job->there : job->archive));
    }
    g_ptr_array_add (words, NULL);
    return words;
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

/* FALSE: said why; *ret_status: 2 where nothing was submitted as the line is wrong. */
static gboolean
submit (Job *job, const ProgramOptions *options, char **argv, int *ret_status)
{
    g_autoptr (GPtrArray) own = list_own_words (job, options, argv);
    g_autoptr (GPtrArray) fields = g_ptr_array_copy (options->fields, NULL, NULL);
    g_autoptr (GError) error = NULL;
    g_autoptr (GAsyncResult) result = NULL;
    SessionSubmission submission = { .queue = options->submit,
                                     .argv = (const char *const *) options->words,
                                     .options = (const char *const *) own->pdata };

    g_ptr_array_set_free_func (fields, NULL);
    g_ptr_array_add (fields, NULL);
    submission.fields = (const char *const *) fields->pdata;
    session_submit_async (NULL, &submission, NULL, on_answer, &result);
    job->submitted = session_submit_finish (wait_for_answer (&result), &error);
    if (job->submitted == NULL) {
        base_log_say ("%s", error->message);
        *ret_status = g_error_matches (error, BASE_ERROR, BASE_ERROR_UNSUPPORTED)
                              || g_error_matches (error, BASE_ERROR, BASE_ERROR_LOST)
                              || error->domain != BASE_ERROR
                          ? 3
                          : 2;
        return FALSE;
    }
    base_log_say ("job %s is submitted to %s", job->submitted->id, job->submitted->name);
    return TRUE;
}

/* ---- waiting ---- */

static char *
describe (const SessionQueuedJob *look)
{
    g_autofree char *place = look->place > 0 ? g_strdup_printf (", place %u of %u", look->place,
                                                                look->n_waiting)
                                             : g_strdup ("");

    switch (look->state) {
    case SESSION_QUEUED_WAITS:
        return look->reason != NULL ? g_strdup_printf ("waits%s (%s)", place, look->reason)
                                    : g_strdup_printf ("waits%s", place);
    case SESSION_QUEUED_RUNS: return g_strdup ("runs");
    default:
        return look->problem != NULL
                   ? g_strdup_printf ("is submitted; its state cannot be asked for: %s",
                                      look->problem)
                   : NULL;
    }
}

/* FALSE: it is over. *ret_offer: once it waits to be taken; caller owns. */
static gboolean
look (Job *job, gboolean asks, char **ret_offer)
{
    g_autoptr (GAsyncResult) result = NULL;
    g_autoptr (GError) error = NULL;
    g_autoptr (SessionQueuedJob) look = NULL;
    g_autofree char *text = NULL;

    session_look_queued_async (NULL, job->submitted, asks, NULL, on_answer, &result);
    look = session_look_queued_finish (wait_for_answer (&result), &error);
    if (look == NULL) {
        base_log_say ("%s", error->message);
        return FALSE;
    }
    if (asks) {
        job->n_over = look->state == SESSION_QUEUED_OVER ? job->n_over + 1 : 0;
    }
    text = describe (look);
    if (text != NULL && g_strcmp0 (text, job->last) != 0) {
        g_free (job->last);
        job->last = g_strdup (text);
        base_log_say ("job %s %s", job->submitted->id, text);
    }
    *ret_offer = job->archive != NULL ? NULL : g_steal_pointer (&look->offer);
    return job->n_over < MAX_OVER;
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
    g_autoptr (GAsyncResult) result = NULL;
    g_autoptr (GError) error = NULL;
    const char *id = job->submitted->id;
    char answer[16] = "";

    if (isatty (STDIN_FILENO) && isatty (STDERR_FILENO)) {
        fprintf (stderr, "\nCancel job %s? [Y/n] ", id);
        if (fgets (answer, sizeof answer, stdin) != NULL
            && (*answer == 'n' || *answer == 'N')) {
            if (job->there != NULL) {
                base_log_say ("job %s stays in the queue: when it has ended, pddt --cli "
                              "--remote %s says how its archive is shown",
                              id, session_remote_get_host ());
            } else if (job->archive != NULL) {
                base_log_say ("job %s stays in the queue: when it has ended, pddt %s shows it",
                              id, job->archive);
            } else {
                base_log_say ("job %s stays in the queue: pddt --cli takes it when it starts",
                              id);
            }
            return 3;
        }
    }
    session_cancel_queued_async (NULL, job->submitted, NULL, on_answer, &result);
    if (session_cancel_queued_finish (wait_for_answer (&result), &error)) {
        base_log_say ("job %s is cancelled", id);
    } else {
        base_log_say ("%s", error->message);
    }
    return 3;
}

static gboolean
on_time (gpointer data)
{
    *(gboolean *) data = TRUE;
    return G_SOURCE_REMOVE;
}

static void
pause_a_while (const Job *job)
{
    gboolean is_over = FALSE;
    guint source = g_timeout_add (session_remote_get_host () != NULL ? LOOK_THERE_MS : LOOK_MS,
                                  on_time, &is_over);

    while (!is_over && !job->is_interrupted) {
        g_main_context_iteration (NULL, TRUE);
    }
    if (!is_over) {
        g_source_remove (source);
    }
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
        gboolean asks = now_us - asked_us >= pause_s * G_USEC_PER_SEC;

        asked_us = asks ? now_us : asked_us;
        goes_on = look (job, asks, &offer);
        if (offer == NULL && goes_on) {
            pause_a_while (job);
        }
    }
    g_source_remove (signals[0]);
    g_source_remove (signals[1]);
    if (offer == NULL && job->is_interrupted) {
        *ret_status = leave (job);
    } else if (offer == NULL && job->archive != NULL) {
        base_log_say ("job %s is over", job->submitted->id);
        *ret_status = 0;
    } else if (offer == NULL && job->n_over >= MAX_OVER) {
        base_log_say ("job %s is over, and has not waited for pddt: see what it has written",
                      job->submitted->id);
        *ret_status = 3;
    }
    return offer;
}

/* Of a measured job that is over. FALSE: said why. */
static gboolean
get_archive (const Job *job)
{
    g_autoptr (GError) error = NULL;

    if (job->there == NULL && !is_there (job->archive)) {
        base_log_say ("it has left no archive in %s: see what the job has written",
                      job->archive);
        return FALSE;
    }
    if (job->there != NULL
        && !program_connect_bring_submitted (job->submitted->token, job->archive, &error)) {
        base_log_say ("%s", error->message);
        return FALSE;
    }
    if (job->there != NULL) {
        base_log_say ("the archive is in %s", job->archive);
    }
    return TRUE;
}

gboolean
program_submit (ProgramOptions *options, char **argv, char **ret_archive, int *ret_status)
{
    g_autofree char *archive = NULL, *there = NULL;
    Job job = { NULL };

    *ret_status = 3;
    *ret_archive = NULL;
    if (options->remote == NULL) {
        archive = find_archive (options);
    } else if (program_options_measures (options)
               && !program_measure_find_names (options, &archive, &there)) {
        return FALSE;
    }
    job.archive = archive;
    job.there = there;
    options->taken = submit (&job, options, argv, ret_status) ? wait_for_it (&job, ret_status)
                                                              : NULL;
    options->take = options->taken;
    if (archive != NULL && *ret_status == 0 && !get_archive (&job)) {
        *ret_status = 3;
    }
    *ret_archive = archive != NULL && *ret_status == 0 ? g_steal_pointer (&archive) : NULL;
    g_clear_pointer (&job.submitted, session_submitted_free);
    g_free (job.last);
    options->words += options->take != NULL ? g_strv_length (options->words) : 0;
    return options->take != NULL;
}
