/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/recording.h"
#include "profile/private.h"
#include "profile/spool.h"
#include <string.h>

#define FLUSH_MS 1000
#define USUAL_RATE 100u /* src/engine/sampling has the same three */
#define CROWD_RATE 50u
#define MANY_RANKS 16u
#define LEAST_REWRITE (32u << 20) /* bytes */
#define FIRST_QUESTIONS 10u       /* for the time on a host that has come */
#define QUESTION_MS 20
#define ASK_EVERY 2u /* flushes */

struct _ProfileRecording {
    Session *session;
    ProfileModel *model;
    ProfileSpool *spool;
    GHashTable
        *children; /* rank to ProfileProcess, of those without samples: most are so short */
    guint flush_source, question_source;
    guint n_questions; /* of the first ones, that are left */
    guint n_flushes;
    gulong clock_handler;
    guint64 rewrite_size;
    char *problem;
};

/* ---- times of other hosts ---- */

static gboolean
is_other_host (const char *host)
{
    return host != NULL && strcmp (host, g_get_host_name ()) != 0;
}

static void
on_clock (Session *session, const SessionClockReading *reading, ProfileRecording *recording)
{
    gint64 middle_us = reading->sent_us + (reading->received_us - reading->sent_us) / 2;
    const ProfileClockPoint point = { reading->there_us, middle_us - reading->there_us,
                                      reading->received_us - reading->sent_us };

    if (is_other_host (reading->host)) {
        profile_clock_add (profile_model_find_clock (recording->model, reading->host), &point);
        profile_spool_put_clock (recording->spool, reading->host, &point, FALSE);
    }
}

/* Nothing arrives before it was sampled. */
static void
note_arrival (ProfileRecording *recording, const ProfileRank *rank)
{
    const ProfileClockPoint limit = { rank->last_us, g_get_monotonic_time () - rank->last_us,
                                      0 };

    if (is_other_host (rank->process.host) && rank->last_us != 0) {
        profile_clock_add_limit (profile_model_find_clock (recording->model,
                                                           rank->process.host),
                                 limit.there_us, limit.offset_us);
        profile_spool_put_clock (recording->spool, rank->process.host, &limit, TRUE);
    }
}

static gboolean
on_first_questions (gpointer user)
{
    ProfileRecording *recording = user;

    session_ask_clocks (recording->session);
    recording->question_source = --recording->n_questions > 0 ? recording->question_source : 0;
    return recording->question_source != 0;
}

/* A host has come: several questions, so that one of them is answered at once. */
static void
begin_to_ask (ProfileRecording *recording)
{
    recording->n_questions = FIRST_QUESTIONS;
    if (recording->question_source == 0) {
        recording->question_source = g_timeout_add (QUESTION_MS, on_first_questions, recording);
    }
}

/* Until its end: nobody knows when that is. */
static void
go_on_asking (ProfileRecording *recording)
{
    if (g_hash_table_size (recording->model->clocks) > 0
        && recording->n_flushes++ % ASK_EVERY == 0) {
        session_ask_clocks (recording->session);
    }
}

static void
put_offsets (ProfileRecording *recording)
{
    profile_model_settle_clocks (recording->model);
    for (guint i = 0; i < recording->model->ranks->len; i++) {
        const ProfileRank *rank = g_ptr_array_index (recording->model->ranks, i);

        if (profile_model_get_clock (recording->model, rank) != NULL) {
            profile_spool_put_process (recording->spool, rank->rank, &rank->process);
        }
    }
}

/* ---- events ---- */

static ProfileProcess *
dup_process (const ProfileProcess *process)
{
    ProfileProcess *copy = g_memdup2 (process, sizeof *process);

    copy->host = g_strdup (process->host);
    copy->program = g_strdup (process->program);
    return copy;
}

static void
free_process (gpointer data)
{
    ProfileProcess *process = data;

    g_free (process->host);
    g_free (process->program);
    g_free (process);
}

static void
put_process (ProfileRecording *recording, guint32 rank, const ProfileProcess *process)
{
    profile_model_set_process (recording->model, rank, process);
    profile_spool_put_process (recording->spool, rank, process);
}

/* FALSE: nothing has to be kept of it yet. */
static gboolean
admit (ProfileRecording *recording, guint32 number, const JobEvent *event)
{
    const ProfileProcess *child = g_hash_table_lookup (recording->children,
                                                       GUINT_TO_POINTER (number));

    if (child != NULL && job_sample_batch_is_empty (event->bytes)) {
        return FALSE;
    }
    if (child != NULL) {
        put_process (recording, number, child);
        g_hash_table_remove (recording->children, GUINT_TO_POINTER (number));
    }
    return TRUE;
}

static void
take_ranks (ProfileRecording *recording, const JobEvent *event)
{
    for (guint i = 0; event->processes != NULL && i < event->processes->len; i++) {
        const JobProcess *process = JOB_PROCESS (event->processes, i);
        ProfileProcess known = { .parent = session_find_parent (recording->session, process),
                                 .pid = process->pid,
                                 .host = process->host,
                                 .program = process->program };

        if (is_other_host (process->host)
            && !g_hash_table_contains (recording->model->clocks, process->host)) {
            profile_model_find_clock (recording->model, process->host);
            begin_to_ask (recording);
        }
        if (process->parent > 0 && !profile_model_has_rank (recording->model, process->rank)) {
            g_hash_table_insert (recording->children, GUINT_TO_POINTER (process->rank),
                                 dup_process (&known));
        } else {
            put_process (recording, process->rank, &known);
        }
    }
}

/* What is kept of the rank has become half as dense: from now on it is sampled so. */
static void
slow_down (ProfileRecording *recording, guint32 number, guint times)
{
    g_autoptr (JobRankSet) ranks = job_rank_set_new_range (number, number + 1);
    JobRequest *request = job_request_new (JOB_VERB_PROFILE, ranks);

    request->flags = JOB_REQUEST_SLOWER;
    request->rate = times;
    session_submit (recording->session, request);
}

static void
take_samples (ProfileRecording *recording, const JobEvent *event)
{
    JobRankIter iter = { 0 };
    guint32 number;

    while (event->bytes != NULL && job_rank_set_next (event->ranks, &iter, &number)) {
        g_autoptr (GError) error = NULL;
        ProfileRank *rank;
        guint n_halvings;

        if (!admit (recording, number, event)) {
            continue;
        }
        rank = profile_model_find_rank (recording->model, number);
        n_halvings = rank->n_halvings;
        if (!profile_model_add (recording->model, number, event->bytes, &error)) {
            g_message ("rank %u: %s", number, error->message);
            continue;
        }
        profile_spool_put_batch (recording->spool, number, event->bytes);
        note_arrival (recording, rank);
        if (rank->n_halvings > n_halvings && !event->final) {
            slow_down (recording, number, 1u << MIN (rank->n_halvings - n_halvings, 8));
        }
    }
}

/* Not all ended well. */
static void
take_state (ProfileRecording *recording, const JobEvent *event)
{
    g_autofree char *status = g_strdup_printf ("%" G_GINT64_FORMAT, (gint64) event->number);
    const char *ending = g_intern_string (event->text != NULL ? event->text : status);
    JobRankIter iter = { 0 };
    guint32 number;

    while (event->state == JOB_STATE_FAILED
           && job_rank_set_next (event->ranks, &iter, &number)) {
        if (profile_model_has_rank (recording->model, number)) {
            ProfileProcess *known
                = &profile_model_find_rank (recording->model, number)->process;

            known->ending = ending;
            profile_spool_put_process (recording->spool, number, known);
        }
    }
}

static void
on_event (Session *session, const JobEvent *event, gpointer user)
{
    ProfileRecording *recording = user;

    if (event->kind == JOB_EVENT_RANKS) {
        take_ranks (recording, event);
    } else if (event->kind == JOB_EVENT_STATE) {
        take_state (recording, event);
    } else if (event->kind == JOB_EVENT_SAMPLES) {
        take_samples (recording, event);
    }
}

/* ---- the file ---- */

/* It has all samples that have ever come, of which the model keeps a part. */
static void
keep_small (ProfileRecording *recording)
{
    if (profile_spool_get_size (recording->spool) > recording->rewrite_size
        && profile_spool_get_problem (recording->spool) == NULL) {
        profile_spool_rewrite (recording->spool, recording->model);
        recording->rewrite_size = MAX (2 * profile_spool_get_size (recording->spool),
                                       LEAST_REWRITE);
    }
}

static void
note_problem (ProfileRecording *recording)
{
    const char *problem = profile_spool_get_problem (recording->spool);

    if (problem != NULL && recording->problem == NULL) {
        recording->problem = g_strdup (problem);
    }
}

static gboolean
on_flush (gpointer user)
{
    ProfileRecording *recording = user;

    go_on_asking (recording);
    profile_spool_flush (recording->spool);
    note_problem (recording);
    keep_small (recording);
    return G_SOURCE_CONTINUE;
}

ProfileRecording *
profile_recording_new (Session *session, const char *folder, const ProfileInfo *info,
                       GError **error)
{
    ProfileSpool *spool = profile_spool_create (folder, error);
    ProfileRecording *recording;

    if (spool == NULL) {
        return NULL;
    }
    recording = g_new0 (ProfileRecording, 1);
    recording->session = g_object_ref (session);
    recording->model = profile_model_new ();
    recording->spool = spool;
    recording->rewrite_size = LEAST_REWRITE;
    recording->children = g_hash_table_new_full (NULL, NULL, NULL, free_process);
    profile_model_set_info (recording->model, info);
    profile_spool_put_info (spool, info);
    profile_spool_flush (spool);
    recording->flush_source = g_timeout_add (FLUSH_MS, on_flush, recording);
    session_add_listener (session, on_event, recording);
    recording->clock_handler = g_signal_connect (session, "clock", G_CALLBACK (on_clock),
                                                 recording);
    return recording;
}

/* As the engine decides it where the user has not. */
static guint32
find_rate (const ProfileRecording *recording)
{
    g_autoptr (GHashTable) hosts = g_hash_table_new (g_str_hash, g_str_equal);
    guint most = 0;

    for (guint i = 0; i < recording->model->ranks->len; i++) {
        const ProfileRank *rank = g_ptr_array_index (recording->model->ranks, i);
        const char *host = rank->process.host != NULL ? rank->process.host : "";
        guint n = GPOINTER_TO_UINT (g_hash_table_lookup (hosts, host)) + 1;

        g_hash_table_insert (hosts, (gpointer) host, GUINT_TO_POINTER (n));
        most = rank->process.parent == 0 ? MAX (most, n) : most;
    }
    return most > MANY_RANKS ? CROWD_RATE : USUAL_RATE;
}

/* A full disk may have room again for what is kept. */
void
profile_recording_end (ProfileRecording *recording, int wait_status)
{
    ProfileInfo info = recording->model->info;

    info.end_us = g_get_monotonic_time ();
    info.wait_status = wait_status;
    info.rate = info.rate != 0 ? info.rate : find_rate (recording);
    recording->model->info = info;
    put_offsets (recording);
    profile_spool_put_info (recording->spool, &info);
    if (!profile_spool_flush (recording->spool)
        && profile_spool_rewrite (recording->spool, recording->model)) {
        g_clear_pointer (&recording->problem, g_free);
    }
    note_problem (recording);
}

void
profile_recording_free (ProfileRecording *recording)
{
    if (recording == NULL) {
        return;
    }
    session_remove_listener (recording->session, on_event, recording);
    g_signal_handler_disconnect (recording->session, recording->clock_handler);
    g_clear_handle_id (&recording->flush_source, g_source_remove);
    g_clear_handle_id (&recording->question_source, g_source_remove);
    profile_spool_free (recording->spool);
    profile_model_free (recording->model);
    g_hash_table_unref (recording->children);
    g_object_unref (recording->session);
    g_free (recording->problem);
    g_free (recording);
}

const ProfileModel *
profile_recording_get_model (const ProfileRecording *recording)
{
    return recording->model;
}

const char *
profile_recording_get_problem (const ProfileRecording *recording)
{
    return recording->problem;
}
