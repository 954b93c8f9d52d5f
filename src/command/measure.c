/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A measured run: the job as if pddt were not there, and a paragraph on standard error at its end. */
#include "command/measure-private.h"
#include "command/sampled-run.h"
#include "base/array.h"
#include "base/error.h"
#include "base/escape.h"
#include "base/log.h"
#include "base/patience.h"
#include "session/sources.h"
#include "profile/archive.h"
#include "profile/experiment.h"
#include "profile/export.h"
#include "profile/report.h"
#include "profile/spool.h"
#include "profile/summary.h"
#include "profile/trace-files.h"
#include <errno.h>
#include <glib-unix.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_LET_GO 100u /* names that are remembered */
#define N_LET_GO 5u     /* names that are said */
#define END_MS 20000    /* for the launcher and its ranks to end in order */
#define REFUSED 126     /* pddt-start's status where pddt's daemon does not work */

typedef struct {
    Session *session;
    const CommandMeasureOptions *options;
    char *folder;
    char *sample_folder; /* where the recording has its file */
    char *trace_folder;  /* absolute: where the ranks have theirs; NULL: they are not traced */
    char *settings;      /* of the trace */
    CommandSampledRun *sampled;
    GHashTable
        *let_go; /* name to GUINT_TO_POINTER: programs that were not to be traced, how often */
    GMainLoop *loop;
    guint signal_source, duration_source, end_source;
    int signals;
    int wait_status;
    gboolean is_attached, is_ended, was_told_to_end, lacks_outputs, has_run, is_unread;
} Measure;

/* ---- the folder ---- */

static void
remove_empty (const Measure *measure)
{
    const char *const files[] = { "trace/spool/settings", "trace/spool/" PROFILE_SPOOL_NAME,
                                  "profile/" PROFILE_SPOOL_NAME, PROFILE_SPOOL_NAME };
    const char *const folders[] = { "trace/spool", "trace", "profile", "" };

    for (guint i = 0; i < G_N_ELEMENTS (files); i++) {
        g_autofree char *path = g_build_filename (measure->folder, files[i], NULL);

        unlink (path);
    }
    for (guint i = 0; i < G_N_ELEMENTS (folders); i++) {
        g_autofree char *path = g_build_filename (measure->folder, folders[i], NULL);

        rmdir (path);
    }
}

static gboolean
make_folders (Measure *measure, GError **error)
{
    const CommandMeasureOptions *options = measure->options;
    g_autofree char *spool = g_build_filename (measure->folder, PROFILE_TRACE_FOLDER, NULL);
    g_autofree char *path = g_build_filename (spool, "settings", NULL);
    g_autoptr (GError) reason = NULL;

    measure->sample_folder = !options->is_traced ? g_strdup (measure->folder)
                             : options->is_sampled
                                 ? g_build_filename (measure->folder, "profile", NULL)
                                 : g_strdup (spool);
    if (!options->is_traced) {
        return TRUE;
    }
    if (g_mkdir_with_parents (spool, 0777) != 0
        || g_mkdir_with_parents (measure->sample_folder, 0777) != 0) {
        g_set_error (error, BASE_ERROR, BASE_ERROR_DENIED, "cannot make folders in %s: %s",
                     measure->folder, g_strerror (errno));
        return FALSE;
    }
    measure->trace_folder = g_canonicalize_filename (spool, NULL);
    if (!g_file_set_contents (path, measure->settings, -1, &reason)) {
        g_set_error (error, BASE_ERROR, BASE_ERROR_DENIED, "cannot write %s: %s", path,
                     reason->message);
        return FALSE;
    }
    return TRUE;
}

/* ---- the end ---- */

static gboolean
on_late (gpointer user)
{
    Measure *measure = user;

    measure->end_source = 0;
    session_end (measure->session);
    return G_SOURCE_REMOVE;
}

/* Attached ranks are let go; a job of ours gets the time to end as it does without pddt. */
static void
end_early (Measure *measure)
{
    if (measure->was_told_to_end) {
        return;
    }
    measure->was_told_to_end = TRUE;
    if (measure->is_attached) {
        session_end (measure->session);
    } else {
        session_signal_launcher (measure->session, SIGTERM);
        measure->end_source = base_patience_add (END_MS, on_late, measure, NULL);
    }
}

static gboolean
on_duration (gpointer user)
{
    Measure *measure = user;

    measure->duration_source = 0;
    end_early (measure);
    return G_SOURCE_REMOVE;
}

/* What a key of the terminal sends goes to the whole group: the launcher has it already. */
static gboolean
on_signal (int fd, GIOCondition condition, gpointer user)
{
    Measure *measure = user;
    struct signalfd_siginfo info;

    while (read (fd, &info, sizeof info) == sizeof info) {
        gboolean is_key = info.ssi_signo == SIGINT || info.ssi_signo == SIGQUIT;

        if (!is_key || measure->is_attached) {
            end_early (measure);
        } else if (info.ssi_code != SI_KERNEL) {
            session_signal_launcher (measure->session, (int) info.ssi_signo);
        }
    }
    return G_SOURCE_CONTINUE;
}

/* Blocked from now on, also in threads that come: they are read from a descriptor. */
static void
take_signals (Measure *measure)
{
    sigset_t wanted;

    sigemptyset (&wanted);
    sigaddset (&wanted, SIGINT);
    sigaddset (&wanted, SIGQUIT);
    sigaddset (&wanted, SIGTERM);
    sigaddset (&wanted, SIGHUP);
    sigprocmask (SIG_BLOCK, &wanted, NULL);
    measure->signals = signalfd (-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK);
    if (measure->signals >= 0) {
        measure->signal_source = g_unix_fd_add (measure->signals, G_IO_IN, on_signal, measure);
    }
}

/* ---- the session ---- */

static void
on_ended (Session *session, int wait_status, Measure *measure)
{
    measure->is_ended = TRUE;
    measure->wait_status = wait_status;
    g_main_loop_quit (measure->loop);
}

static void
on_message (Session *session, guint severity, const char *text, const char *shown,
            Measure *measure)
{
    if (severity > 0) {
        base_log_say ("%s", text);
    }
}

/* Its time counts from when the first rank runs: a launcher takes what it takes. */
static void
begin_duration (Measure *measure)
{
    if (measure->options->duration_ms > 0 && !measure->has_run) {
        measure->duration_source = g_timeout_add (measure->options->duration_ms, on_duration,
                                                  measure);
    }
    measure->has_run = TRUE;
}

static void
add_let_go (Measure *measure, const JobEvent *event)
{
    const char *program = event->text2 != NULL ? event->text2 : "";
    guint n = GPOINTER_TO_UINT (g_hash_table_lookup (measure->let_go, program));

    if (n > 0 || g_hash_table_size (measure->let_go) < MAX_LET_GO) {
        g_hash_table_replace (measure->let_go, g_strdup (program),
                              GUINT_TO_POINTER (n + job_rank_set_get_count (event->ranks)));
    }
}

/* Nothing is to stop a rank; should something do so all the same, it goes on. */
static void
on_event (Session *session, const JobEvent *event, gpointer user)
{
    Measure *measure = user;

    if (event->kind == JOB_EVENT_NOTICE && (event->flags & JOB_EVENT_LET_GO) != 0) {
        add_let_go (measure, event);
    }
    if (event->kind == JOB_EVENT_NOTICE && (event->flags & JOB_EVENT_UNREAD) != 0
        && measure->options->is_sampled && !measure->is_unread) {
        measure->is_unread = TRUE; /* once, of however many ranks */
        base_log_say ("%s", event->text);
    }
    if (event->kind != JOB_EVENT_STATE) {
        return;
    }
    if (job_state_get_info (event->state)->is_moving) {
        begin_duration (measure);
    }
    if (job_state_get_info (event->state)->is_stopped && !measure->was_told_to_end) {
        session_submit (session, job_request_new (JOB_VERB_CONTINUE, event->ranks));
    }
}

static ProfileInfo
make_info (const CommandMeasureOptions *options)
{
    GString *command = g_string_new (NULL);
    ProfileInfo info = { .begin_us = g_get_monotonic_time (),
                         .begin_real_us = g_get_real_time (),
                         .rate = options->start.rate };

    for (guint i = 0; options->start.argv != NULL && options->start.argv[i] != NULL; i++) {
        g_autofree char *word = g_shell_quote (options->start.argv[i]);

        g_string_append_printf (command, "%s%s", i > 0 ? " " : "", word);
    }
    info.command = g_string_free (command, FALSE);
    return info;
}

static gboolean
begin (Measure *measure, GError **error)
{
    ProfileInfo info = make_info (measure->options);
    SessionOptions start = measure->options->start;
    gboolean is_begun;

    if (make_folders (measure, error)) {
        measure->sampled = command_sampled_run_new (measure->session, measure->sample_folder,
                                                    &info, error);
    }
    start.trace_folder = measure->trace_folder;
    start.is_unsampled = !measure->options->is_sampled;
    if (measure->trace_folder
        != NULL) { /* the kernel counts the records as what the ranks have written */
        start.metrics = (start.metrics != 0 ? start.metrics : JOB_METRIC_ALL)
                        & ~(1u << JOB_METRIC_WRITTEN);
    }
    is_begun = measure->sampled != NULL && session_start (measure->session, &start, error);
    g_free (info.command);
    return is_begun;
}

static void
run (Measure *measure)
{
    gulong ended = g_signal_connect (measure->session, "ended", G_CALLBACK (on_ended), measure);

    session_add_listener (measure->session, on_event, measure);
    measure->loop = g_main_loop_new (NULL, FALSE);
    if (!session_is_ended (measure->session)) {
        g_main_loop_run (measure->loop);
    }
    g_signal_handler_disconnect (measure->session, ended);
    session_remove_listener (measure->session, on_event, measure);
    session_end (measure->session);
    g_main_loop_unref (measure->loop);
    g_clear_handle_id (&measure->duration_source, g_source_remove);
    g_clear_handle_id (&measure->end_source, g_source_remove);
}

/* ---- what comes of it ---- */

static gboolean
write_report (const ProfileModel *model, const char *path)
{
    const ProfileInfo *info = profile_model_get_info (model);
    g_autoptr (GDateTime) begun = g_date_time_new_from_unix_local (info->begin_real_us
                                                                   / G_USEC_PER_SEC);
    g_autofree char *date = begun != NULL && info->begin_real_us > 0
                                ? g_date_time_format (begun, "%Y-%m-%d %H:%M:%S")
                                : NULL;
    const ProfileReportFacts facts = { info->command, date, info->rate };
    g_autoptr (GError) error = NULL;

    if (!profile_report_write (model, path, &facts, &error)) {
        base_log_say ("%s", error->message);
        return FALSE;
    }
    return TRUE;
}

/* what: FORMAT or FORMAT=FILE. */
static gboolean
write_export (const ProfileModel *model, const char *what, const char *folder)
{
    const char *file = strchr (what, '=');
    g_autofree char *format = file != NULL ? g_strndup (what, (gsize) (file - what))
                                           : g_strdup (what);
    g_autofree char *path = file != NULL ? g_strdup (file + 1)
                                         : g_build_filename (folder, "export", NULL);
    g_autoptr (GError) error = NULL;

    if ((file == NULL && !profile_export_make_folder (path, &error))
        || !profile_export (model, format, path, &error)) {
        base_log_say ("%s", error->message);
        return FALSE;
    }
    return TRUE;
}

/* FALSE: some could not be written; the others were. folder: the archive's. */
static gboolean
write_outputs (const ProfileModel *model, const char *folder,
               const CommandMeasureOutputs *outputs)
{
    gboolean is_written = TRUE;

    for (guint i = 0; i < outputs->reports->len; i++) {
        is_written &= write_report (model, g_ptr_array_index (outputs->reports, i));
    }
    for (guint i = 0; i < outputs->exports->len; i++) {
        is_written &= write_export (model, g_ptr_array_index (outputs->exports, i), folder);
    }
    return is_written;
}

/* what: NULL: nothing. */
static void
tell_left_out (const char *what)
{
    if (what != NULL) {
        base_log_say ("not kept: %s", what);
    }
}

/* FALSE: they are not all kept. */
static gboolean
tell_samples (const Measure *measure)
{
    const ProfileModel *model = command_sampled_run_get_model (measure->sampled);
    const char *problem = command_sampled_run_get_problem (measure->sampled);
    g_autofree char *summary = profile_format_summary (model);
    g_autofree char *left_out = NULL;
    g_autofree char *spool = g_build_filename (measure->sample_folder, PROFILE_SPOOL_NAME,
                                               NULL);
    g_autoptr (GError) error = NULL;

    if (problem != NULL) {
        base_log_say ("%s The samples could not be kept in %s: %s.", summary,
                      measure->sample_folder, problem);
    } else if (profile_model_get_n_samples (model) == 0) {
        base_log_say (
            "%s It ended before a sample was taken, so there is no archive of samples. "
            "--rate takes more of them in a second.",
            summary);
        unlink (spool);
        rmdir (measure->sample_folder);
        return TRUE;
    } else if (!profile_archive_write (measure->options->archive_program,
                                       measure->sample_folder, &left_out, &error)) {
        base_log_say (
            "%s The archive could not be written: %s. pddt --finalize %s tries again.", summary,
            error->message, measure->sample_folder);
    } else {
        base_log_say ("%s The archive is %s.", summary, measure->sample_folder);
        tell_left_out (left_out);
        return left_out == NULL;
    }
    return FALSE;
}

static gboolean
has_rank (const ProfileModel *model, guint32 rank)
{
    return BASE_ANY (i, profile_model_get_n_ranks (model),
                     profile_model_get_rank (model, i) == rank
                         && !profile_model_is_child (model, i));
}

/* Ranks that have run and recorded nothing that is kept. */
static void
tell_untraced (const ProfileModel *run, const ProfileModel *traced, gboolean is_all_kept)
{
    g_autoptr (JobRankSet) missing = job_rank_set_new ();
    g_autofree char *text = NULL;

    for (guint i = 0; i < profile_model_get_n_ranks (run); i++) {
        guint32 rank = profile_model_get_rank (run, i);

        if (!profile_model_is_child (run, i) && !has_rank (traced, rank)) {
            job_rank_set_add (missing, rank);
        }
    }
    if (!job_rank_set_is_empty (missing)) {
        text = job_rank_set_format (missing);
        base_log_say (
            is_all_kept
                ? "not traced: %s: a rank that runs no Python code, or none that pddt can trace, "
                  "records nothing"
                : "not traced: %s: what was recorded there is not kept, or nothing was, as no Python "
                  "code ran that pddt can trace",
            text);
    }
}

static void
tell_unmatched (const char *unmatched)
{
    if (unmatched != NULL) {
        base_log_say ("no Python function has matched these rules: %s", unmatched);
    }
}

/* The archive of what the ranks have recorded; NULL: there is none, and the user knows why. */
static ProfileModel *
tell_trace (Measure *measure)
{
    const char *program = measure->options->archive_program;
    g_autofree char *path
        = g_build_filename (measure->folder, measure->options->is_sampled ? "trace" : "", NULL);
    g_autofree char *summary = NULL, *left_out = NULL;
    g_autofree char *unmatched = profile_trace_settings_find_unmatched (measure->settings,
                                                                        measure->trace_folder);
    g_autoptr (GError) error = NULL;
    ProfileModel *model;

    if (!profile_archive_write (program, measure->folder, &left_out, &error)) {
        if (!g_str_has_prefix (error->message, PROFILE_TRACE_NOTHING)) {
            base_log_say (
                "The archive could not be written: %s. pddt --finalize %s tries again.",
                error->message, measure->folder);
            return NULL;
        }
        base_log_say ("nothing is traced: %s", error->message);
        if (!measure->options->is_sampled) {
            remove_empty (measure);
        }
        return NULL;
    }
    model = profile_archive_read (program, path, &error);
    if (model == NULL) {
        base_log_say ("%s", error->message);
        return NULL;
    }
    summary = profile_format_summary (model);
    base_log_say ("%s The archive is %s.", summary, path);
    tell_left_out (left_out);
    measure->lacks_outputs |= left_out != NULL;
    tell_unmatched (unmatched);
    tell_untraced (command_sampled_run_get_model (measure->sampled), model, left_out == NULL);
    return model;
}

/* Children that the kernel would have given no rights of their files. */
static void
tell_let_go (const Measure *measure)
{
    g_autoptr (GList) names = g_list_sort (g_hash_table_get_keys (measure->let_go),
                                           (GCompareFunc) g_strcmp0);
    GString *text = g_string_new (NULL);
    guint i = 0;

    for (GList *each = names; each != NULL && i < N_LET_GO; each = each->next, i++) {
        guint n = GPOINTER_TO_UINT (g_hash_table_lookup (measure->let_go, each->data));

        g_string_append_printf (text, "%s%s", i > 0 ? ", " : "", (char *) each->data);
        if (n > 1) {
            g_string_append_printf (text, " (%u processes)", n);
        }
    }
    if (i > 0) {
        base_log_say ("not measured: %s%s: the kernel gives a program that is traced none of "
                      "its file's rights (set-user-ID and the like), so pddt let it go",
                      text->str, i < g_hash_table_size (measure->let_go) ? " and others" : "");
    }
    g_string_free (text, TRUE);
}

/* Both archives as one, whose calls are the trace's; NULL: it cannot be read, and the user knows why. */
static ProfileModel *
read_both (const Measure *measure)
{
    g_autoptr (GError) error = NULL;
    ProfileModel *model = profile_archive_read (measure->options->archive_program,
                                                measure->folder, &error);
    const char *problem = model != NULL ? profile_model_get_problem (model, BASE_TEXT_ENGLISH)
                                        : error->message;

    if (problem != NULL) {
        g_autofree char *shown = base_escape_dup (problem, BASE_ESCAPE_NAME);

        base_log_say ("%s: %s", measure->folder, shown);
    }
    return model;
}

static void
tell (Measure *measure)
{
    const CommandMeasureOptions *options = measure->options;
    const ProfileModel *sampled = command_sampled_run_get_model (measure->sampled);
    g_autoptr (ProfileModel) traced = NULL, both = NULL;
    const ProfileModel *model;
    gboolean has_outputs = options->outputs.reports->len + options->outputs.exports->len > 0;

    if (profile_model_get_n_ranks (sampled) == 0) {
        remove_empty (measure);
        base_log_say ("no rank has been measured");
        return;
    }
    if (options->is_traced) {
        traced = tell_trace (measure);
        measure->lacks_outputs |= traced == NULL;
    }
    if (options->is_sampled) {
        measure->lacks_outputs |= !tell_samples (measure);
    }
    if (traced != NULL && options->is_sampled && has_outputs) {
        both = read_both (measure);
        measure->lacks_outputs |= both == NULL
                                  || profile_model_get_problem (both, BASE_TEXT_ENGLISH)
                                         != NULL;
    }
    model = both != NULL ? both : traced != NULL || !options->is_sampled ? traced : sampled;
    measure->lacks_outputs |= model != NULL
                              && !write_outputs (model, measure->folder, &options->outputs);
}

/* As a shell has it. */
static int
get_status (int wait_status)
{
    return WIFSIGNALED (wait_status) ? 128 + WTERMSIG (wait_status) : WEXITSTATUS (wait_status);
}

/* A launcher that has ended before any rank came has its own reasons, and its own status. */
static int
choose_status (const Measure *measure)
{
    gboolean has_ranks
        = profile_model_get_n_ranks (command_sampled_run_get_model (measure->sampled)) > 0;
    int status = get_status (measure->wait_status);

    if (session_get_failure (measure->session) != NULL
        && (has_ranks || measure->is_attached || status == 0 || status == REFUSED)) {
        return 3;
    }
    if (measure->lacks_outputs && (measure->is_attached || status == 0)) {
        return 3;
    }
    return measure->is_attached ? 0 : status;
}

int
command_measure_run (Session *session, const CommandMeasureOptions *options)
{
    Measure measure = { .session = session, .options = options, .signals = -1 };
    g_autoptr (GError) error = NULL;
    gulong message;
    int status;

    measure.is_attached = options->start.argv == NULL;
    measure.let_go = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
    measure.settings = profile_trace_settings_format (&options->trace, &error);
    if (measure.settings == NULL) {
        base_log_say ("%s", error->message);
        g_hash_table_unref (measure.let_go);
        return 2;
    }
    measure.folder = command_measure_make_folder (session, options);
    if (measure.folder == NULL) {
        g_free (measure.settings);
        g_hash_table_unref (measure.let_go);
        return 3;
    }
    take_signals (&measure);
    message = g_signal_connect (session, "message", G_CALLBACK (on_message), &measure);
    if (begin (&measure, &error)) {
        run (&measure);
        command_sampled_run_end (measure.sampled, measure.wait_status);
        tell (&measure);
        tell_let_go (&measure);
        status = choose_status (&measure);
    } else {
        base_log_say ("%s", error->message);
        remove_empty (&measure);
        status = g_error_matches (error, BASE_ERROR, BASE_ERROR_INVALID) ? 2 : 3;
    }
    g_signal_handler_disconnect (session, message);
    g_clear_handle_id (&measure.signal_source, g_source_remove);
    if (measure.signals >= 0) {
        close (measure.signals);
    }
    command_sampled_run_free (measure.sampled);
    g_hash_table_unref (measure.let_go);
    g_free (measure.folder);
    g_free (measure.sample_folder);
    g_free (measure.trace_folder);
    g_free (measure.settings);
    return status;
}

/* Of FOLDER or what it has in two folders. path: where the archive comes to be. The last process of an experiment, which
 * runs this by itself, has nothing to say where all is well (agent/trace-last.c). */
static gboolean
finalize_part (const char *archive_program, const char *folder, const char *path)
{
    g_autoptr (GError) error = NULL;
    g_autoptr (ProfileModel) model = NULL;
    g_autofree char *summary = NULL, *left_out = NULL,
                    *unmatched = profile_trace_settings_read_unmatched (folder);
    gboolean is_quiet = g_getenv ("PDDT_TRACE_LAST") != NULL;

    if (profile_archive_write (archive_program, folder, &left_out, &error)) {
        model = profile_archive_read (archive_program, path, &error);
    }
    if (model == NULL) {
        gboolean is_named = strstr (error->message, folder) != NULL;

        base_log_say ("%s%s%s", is_named ? "" : folder, is_named ? "" : ": ", error->message);
        return FALSE;
    }
    summary = profile_format_summary (model);
    if (profile_experiment_is (folder)) {
        g_autofree char *place = profile_experiment_complete (model, folder, unmatched, &error);

        if (!is_quiet || place == NULL) {
            base_log_say ("%s The experiment is %s%s%s.", summary,
                          place != NULL ? place : folder,
                          place != NULL ? "" : ", which is incomplete: ",
                          place != NULL ? "" : error->message);
        }
        tell_left_out (left_out);
        return place != NULL && left_out == NULL;
    }
    base_log_say ("%s The archive is %s.", summary, path);
    tell_left_out (left_out);
    tell_unmatched (unmatched);
    return left_out == NULL;
}

static gboolean
has_file (const char *folder, const char *name)
{
    g_autofree char *path = g_build_filename (folder, name, NULL);

    return g_file_test (path, G_FILE_TEST_EXISTS);
}

int
command_measure_print_score (const char *archive_program, const char *path)
{
    g_autoptr (GError) error = NULL;
    g_autofree char *text = profile_archive_score (archive_program, path, &error);

    if (text == NULL) {
        g_autofree char *shown = base_escape_dup (error->message, BASE_ESCAPE_NAME);

        base_log_say ("%s", shown);
        return 1;
    }
    text = base_escape_take (text, BASE_ESCAPE_KEEP_LINES);
    return fputs (text, stdout) < 0 || fflush (stdout) != 0 ? 1 : 0;
}

int
command_measure_print_settings (const char *filter)
{
    const ProfileTraceSettings settings = { .filter = *filter != '\0' ? filter : NULL };
    g_autoptr (GError) error = NULL;
    g_autofree char *text = profile_trace_settings_format (&settings, &error);

    if (text == NULL) {
        base_log_say ("%s", error->message);
        return 2;
    }
    return fputs (text, stdout) < 0 || fflush (stdout) != 0 ? 1 : 0;
}

int
command_measure_finalize (const char *archive_program, const char *folder)
{
    g_autofree char *sampled = g_build_filename (folder, "profile", NULL);
    g_autofree char *traced = g_build_filename (folder, "trace", NULL);
    gboolean is_double = g_file_test (sampled, G_FILE_TEST_IS_DIR), is_done = TRUE;
    gboolean has_trace = has_file (folder, PROFILE_TRACE_FOLDER);
    gboolean has_samples = has_file (folder, PROFILE_SPOOL_NAME);
    gboolean has_both = is_double && has_file (sampled, PROFILE_SPOOL_NAME);

    if (!has_trace && !has_samples && !has_both
        && (has_file (folder, "traces.otf2") || has_file (traced, "traces.otf2"))) {
        base_log_say ("%s has its archive already", folder);
        return 0;
    }
    if (has_trace) {
        is_done = finalize_part (archive_program, folder, is_double ? traced : folder);
    }
    if (has_both) {
        is_done &= finalize_part (archive_program, sampled, sampled);
    }
    if (has_samples || (!has_trace && !has_both)) {
        is_done &= finalize_part (archive_program, folder, folder);
    }
    return is_done ? 0 : 1;
}

int
command_measure_print (const char *archive_program, const char *path, gboolean json,
                       const CommandMeasureOutputs *outputs)
{
    g_autoptr (GError) error = NULL;
    g_autoptr (ProfileModel) model = profile_archive_read (archive_program, path, &error);
    const char *problem = model != NULL ? profile_model_get_problem (model, BASE_TEXT_ENGLISH)
                                        : NULL;
    g_autofree char *text = NULL, *summary = NULL;

    if (model == NULL) {
        base_log_say ("%s", error->message);
        return 1;
    }
    if (problem != NULL) {
        g_autofree char *shown = base_escape_dup (problem, BASE_ESCAPE_NAME);

        base_log_say ("%s: %s", path, shown);
    }
    if (outputs->reports->len + outputs->exports->len > 0) {
        g_autofree char *folder = g_file_test (path, G_FILE_TEST_IS_DIR)
                                      ? g_strdup (path)
                                      : g_path_get_dirname (path);

        return !write_outputs (model, folder, outputs) || problem != NULL;
    }
    text = command_profile_format (model, json);
    summary = profile_format_summary (model);
    if ((json ? printf ("%s\n", text) : printf ("%s\n\n%s\n", text, summary)) < 0
        || fflush (stdout) != 0) {
        return 1;
    }
    return problem != NULL;
}
