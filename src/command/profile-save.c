/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The last profile: kept for `profile save`, and filled from `profile start` to `profile stop`. */
#include "command/private.h"
#include "command/script.h"
#include "profile/archive.h"
#include "profile/export.h"
#include "profile/rate.h"
#include "profile/report.h"
#include <errno.h>
#include <string.h>

struct _CommandProfile {
    guint n_refs;
    guint64 number; /* of all that were begun */
    ProfileModel *model;
    char *command; /* the user's; NULL: not known */
    char *begun;   /* date and time */
    JobRankSet *ranks;
    GPtrArray *failures;  /* of JobEvent */
    GPtrArray *broken;    /* of JobEvent: ranks whose samples are not whole, and why */
    guint64 request;      /* of `profile start`, until its last answer; 0: none is open */
    gboolean is_open;     /* `profile start` without `profile stop` */
    CommandJob *stopping; /* waits for the last answer */
};

void
command_profile_unref (CommandProfile *profile)
{
    if (profile == NULL || --profile->n_refs > 0) {
        return;
    }
    profile_model_free (profile->model);
    job_rank_set_free (profile->ranks);
    g_free (profile->command);
    g_free (profile->begun);
    g_ptr_array_unref (profile->failures);
    g_ptr_array_unref (profile->broken);
    g_free (profile);
}

CommandProfile *
command_profile_begin (CommandJob *job, const JobRankSet *ranks)
{
    static guint64 last;
    CommandProfile *profile = g_new0 (CommandProfile, 1);
    g_autoptr (GDateTime) now = g_date_time_new_now_local ();

    profile->n_refs = 1;
    profile->number = ++last;
    profile->model = profile_model_new ();
    profile->command = command_format_argv (job->session);
    profile->begun = g_date_time_format (now, "%Y-%m-%d %H:%M:%S");
    profile->ranks = job_rank_set_dup (ranks);
    profile->failures = g_ptr_array_new_with_free_func ((GDestroyNotify) job_event_free);
    profile->broken = g_ptr_array_new_with_free_func ((GDestroyNotify) job_event_free);
    command_profile_unref (job->context->profile);
    job->context->profile = profile;
    return profile;
}

/* ---- for scripts ---- */

static gboolean
is_taken (const CommandProfile *profile)
{
    return profile != NULL && !profile->is_open && profile->request == 0
           && profile_model_get_n_samples (profile->model) > 0;
}

CommandProfile *
command_profile_find_last (CommandContext *const *contexts, guint n_contexts)
{
    CommandProfile *last = NULL;

    for (guint i = 0; i < n_contexts; i++) {
        CommandProfile *profile = contexts[i] != NULL ? contexts[i]->profile : NULL;

        if (is_taken (profile) && (last == NULL || profile->number > last->number)) {
            last = profile;
        }
    }
    return last;
}

CommandProfile *
command_profile_ref (CommandProfile *profile)
{
    profile->n_refs++;
    return profile;
}

const ProfileModel *
command_profile_get_model (const CommandProfile *profile, ProfileReportFacts *ret_facts)
{
    *ret_facts = (ProfileReportFacts){ profile->command, profile->begun, PROFILE_RATE };
    return profile->model;
}

void
command_profile_add (CommandProfile *profile, const JobEvent *event)
{
    JobRankIter iter = { 0 };
    guint32 rank;

    if (event->kind == JOB_EVENT_FAILURE) {
        g_ptr_array_add (profile->failures, job_event_dup (event));
    }
    if (event->kind == JOB_EVENT_COSTS && event->costs != NULL) {
        profile_model_add_costs (profile->model, job_costs_dup (event->costs));
    }
    while (event->kind == JOB_EVENT_SAMPLES && event->bytes != NULL
           && job_rank_set_next (event->ranks, &iter, &rank)) {
        g_autoptr (GError) error = NULL;

        if (!profile_model_add (profile->model, rank, event->bytes, &error)) {
            g_ptr_array_add (profile->broken,
                             job_event_new_failure (event->request, event->ranks, error));
        }
    }
}

static JobRankSet *
dup_silent (const ProfileModel *model)
{
    JobRankSet *silent = job_rank_set_new ();

    for (guint i = 0; i < profile_model_get_n_ranks (model); i++) {
        if (profile_model_get_duration (model, i) <= 0) {
            profile_model_add_members (model, i, silent);
        }
    }
    return silent;
}

void
command_profile_finish (CommandJob *job, CommandProfile *profile)
{
    g_autoptr (JobRankSet) silent = dup_silent (profile->model);

    job_event_list_merge (profile->failures);
    for (guint i = 0; i < profile->failures->len; i++) {
        command_context_write_event (job->context, COMMAND_OUT_ERROR,
                                     g_ptr_array_index (profile->failures, i), NULL);
        job->failed = TRUE;
    }
    BASE_EACH (profile->broken, const JobEvent, event) {
        command_job_fail (job, event->ranks, "the samples are not whole: %s", event->text);
    }
    if (profile_model_get_n_samples (profile->model) > 0) {
        command_profile_print (job, profile->model);
    }
    if (!job_rank_set_is_empty (silent)) {
        command_job_fail (job, silent, "no samples: only running ranks can be profiled");
    }
}

/* ---- start and stop ---- */

gboolean
command_profile_take (CommandContext *context, const JobEvent *event)
{
    CommandProfile *profile = context->profile;

    if (profile == NULL || profile->request == 0 || event->request != profile->request) {
        return FALSE;
    }
    command_profile_add (profile, event);
    return TRUE;
}

static void
end_stop (CommandJob *job)
{
    CommandProfile *profile = job->context->profile;

    profile->stopping = NULL;
    profile->is_open = FALSE;
    command_profile_finish (job, profile);
    command_job_end (job);
}

gboolean
command_profile_take_end (CommandContext *context, guint64 request)
{
    CommandProfile *profile = context->profile;

    if (profile == NULL || profile->request == 0 || request != profile->request) {
        return FALSE;
    }
    profile->request = 0;
    if (profile->stopping != NULL) {
        end_stop (profile->stopping);
    }
    return TRUE;
}

void
command_profile_forget (CommandJob *job)
{
    CommandProfile *profile = job->context->profile;

    if (profile != NULL && profile->stopping == job) {
        profile->stopping = NULL;
    }
}

gboolean
command_profile_is_open (const CommandContext *context)
{
    return context->profile != NULL && context->profile->is_open;
}

gboolean
command_profile_check_closed (CommandJob *job)
{
    const CommandProfile *profile = job->context->profile;

    if (profile != NULL && profile->is_open) {
        command_job_fail (job, NULL, "already profiling; use profile stop");
        return FALSE;
    }
    return TRUE;
}

static gboolean
check_no_argument (CommandJob *job)
{
    if (*job->arguments != '\0') {
        command_job_fail (job, NULL, "%s takes no argument", job->row->name);
        command_job_end (job);
    }
    return *job->arguments == '\0';
}

void
command_run_profile_start (CommandJob *job)
{
    CommandProfile *profile;
    JobRequest *request;

    if (!check_no_argument (job)) {
        return;
    }
    if (!command_profile_check_closed (job)) {
        command_job_end (job);
        return;
    }
    profile = command_profile_begin (job, job->set);
    profile->is_open = TRUE;
    profile->request = session_get_next_request (job->session);
    request = job_request_new (JOB_VERB_PROFILE, job->set);
    request->rate = PROFILE_RATE;
    session_submit (job->session, request);
    command_job_end (job);
}

/* The last samples are the answer to the start. */
static void
on_stopped (CommandJob *job, gboolean ok, const JobRankSet *missing)
{
    CommandProfile *profile = job->context->profile;

    if (profile->request == 0) {
        end_stop (job);
    } else {
        profile->stopping = job;
    }
}

void
command_run_profile_stop (CommandJob *job)
{
    CommandProfile *profile = job->context->profile;

    if (!check_no_argument (job)) {
        return;
    }
    if (profile == NULL || !profile->is_open) {
        command_job_fail (job, NULL, "no profile is being taken; profile start begins one");
        command_job_end (job);
    } else if (profile->request == 0) { /* its ranks have ended */
        end_stop (job);
    } else {
        command_job_query (job, job_request_new (JOB_VERB_PROFILE, profile->ranks), on_stopped);
    }
}

/* ---- save ---- */

/* A new folder, or one that is empty: nothing is overwritten. */
static gboolean
make_folder (CommandJob *job, const char *path)
{
    g_autoptr (GError) error = NULL;
    g_autoptr (GDir) folder = NULL;

    if (!profile_archive_check_place (path, &error)) {
        command_job_fail (job, NULL, "%s", error->message);
        return FALSE;
    }
    if (g_mkdir_with_parents (path, 0777) != 0) {
        command_job_fail (job, NULL, "cannot make %s: %s", path, g_strerror (errno));
        return FALSE;
    }
    folder = g_dir_open (path, 0, NULL);
    if (folder == NULL || g_dir_read_name (folder) != NULL) {
        command_job_fail (job, NULL, "cannot save into %s: it is not empty", path);
        return FALSE;
    }
    return TRUE;
}

char *
command_format_argv (Session *session)
{
    const char *const *argv = session_get_argv (session);
    GString *text = g_string_new (NULL);

    for (guint i = 0; argv != NULL && argv[i] != NULL; i++) {
        g_autofree char *quoted = g_shell_quote (argv[i]);
        gboolean is_plain = *argv[i] != '\0'
                            && strspn (argv[i],
                                       G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS "%+,-./:=@_")
                                   == strlen (argv[i]);

        g_string_append_printf (text, "%s%s", i > 0 ? " " : "", is_plain ? argv[i] : quoted);
    }
    return g_string_free (text, text->len == 0);
}

static gboolean
save_reports (const CommandProfile *profile, const ProfileReportFacts *facts,
              const char *folder, GError **error)
{
    static const char *const names[] = { "report.html", "report.txt", "report.csv",
                                         "report.json" };
    g_autoptr (ProfilePage) page = profile_report_new (profile->model, facts,
                                                       BASE_TEXT_ENGLISH);

    for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
        g_autofree char *path = g_build_filename (folder, names[i], NULL);

        if (!profile_page_save (page, path, error)) {
            return FALSE;
        }
    }
    return TRUE;
}

static gboolean
save (CommandJob *job, const CommandProfile *profile, const char *folder)
{
    const char *const *formats = profile_export_get_formats ();
    ProfileReportFacts facts = { profile->command, profile->begun, PROFILE_RATE };
    g_autoptr (GError) error = NULL;
    gboolean ok = save_reports (profile, &facts, folder, &error);

    for (guint i = 0; ok && formats[i] != NULL; i++) {
        ok = !profile_export_is_possible (profile->model, formats[i])
             || profile_export (profile->model, formats[i], folder, &error);
    }
    if (!ok) {
        command_job_fail (job, NULL, "%s", error->message);
    }
    return ok;
}

static void
save_into (CommandJob *job, const char *folder)
{
    const CommandProfile *profile = job->context->profile;

    if (!command_profile_check_closed (job)) {
        return;
    }
    if (profile == NULL || profile_model_get_n_samples (profile->model) == 0) {
        command_job_fail (job, NULL, "there is no profile yet; profile SECONDS takes one");
    } else if (make_folder (job, folder) && save (job, profile, folder)) {
        g_autofree char *answer = g_strdup_printf ("profile saved in %s", folder);

        command_job_answer (job, NULL, answer);
    }
}

void
command_run_profile_save (CommandJob *job)
{
    const char *text = job->arguments;
    g_autoptr (GError) error = NULL;
    g_autofree char *folder = *text == '"' || *text == '\''
                                  ? command_take_word (&text, "", &error)
                                  : g_strdup (text);

    if (error != NULL) {
        command_job_fail (job, NULL, "%s", error->message);
    } else if (folder == NULL || *folder == '\0') {
        command_job_fail (job, NULL, "profile save needs a FOLDER");
    } else {
        save_into (job, folder);
    }
    command_job_end (job);
}
