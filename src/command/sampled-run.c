/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "command/sampled-run.h"
#include "profile/run.h"
#include "profile/spool.h"
#include "base/array.h"
#include <string.h>

#define FLUSH_MS 1000
#define USUAL_RATE 100u /* src/engine/sampling has the same three */
#define CROWD_RATE 50u
#define MANY_RANKS 16u
#define LEAST_REWRITE (32u << 20) /* bytes */
#define FIRST_QUESTIONS 10u       /* for the time on a host that has come */
#define QUESTION_MS 20
#define ASK_EVERY 2u /* flushes */

struct _CommandSampledRun {
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
on_clock (Session *session, const SessionClockReading *reading, CommandSampledRun *run)
{
    gint64 middle_us = reading->sent_us + (reading->received_us - reading->sent_us) / 2;
    const ProfileClockPoint point = { reading->there_us, middle_us - reading->there_us,
                                      reading->received_us - reading->sent_us };

    if (is_other_host (reading->host)) {
        profile_clock_add (profile_model_find_clock (run->model, reading->host), &point);
        profile_spool_put_clock (run->spool, reading->host, &point, FALSE);
    }
}

/* Nothing arrives before it was sampled. index: the rank's. */
static void
note_arrival (CommandSampledRun *run, guint index)
{
    const char *host = profile_model_get_process (run->model, index)->host;
    gint64 last_us = profile_model_get_last_us (run->model, index);
    const ProfileClockPoint limit = { last_us, g_get_monotonic_time () - last_us, 0 };

    if (is_other_host (host) && last_us != 0) {
        profile_clock_add_limit (profile_model_find_clock (run->model, host), limit.there_us,
                                 limit.offset_us);
        profile_spool_put_clock (run->spool, host, &limit, TRUE);
    }
}

static gboolean
on_first_questions (gpointer user)
{
    CommandSampledRun *run = user;

    session_ask_clocks (run->session);
    run->question_source = --run->n_questions > 0 ? run->question_source : 0;
    return run->question_source != 0;
}

/* A host has come: several questions, so that one of them is answered at once. */
static void
begin_to_ask (CommandSampledRun *run)
{
    run->n_questions = FIRST_QUESTIONS;
    if (run->question_source == 0) {
        run->question_source = g_timeout_add (QUESTION_MS, on_first_questions, run);
    }
}

/* Until its end: nobody knows when that is. */
static void
go_on_asking (CommandSampledRun *run)
{
    if (profile_model_has_clocks (run->model) && run->n_flushes++ % ASK_EVERY == 0) {
        session_ask_clocks (run->session);
    }
}

static void
put_offsets (CommandSampledRun *run)
{
    profile_model_settle_clocks (run->model);
    for (guint i = 0; i < profile_model_get_n_ranks (run->model); i++) {
        if (profile_model_has_offset (run->model, i)) {
            profile_spool_put_process (run->spool, profile_model_get_rank (run->model, i),
                                       profile_model_get_process (run->model, i));
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

BASE_FREE (free_process, ProfileProcess, process, g_free (process->host);
           g_free (process->program))

static void
put_process (CommandSampledRun *run, guint32 rank, const ProfileProcess *process)
{
    profile_model_set_process (run->model, rank, process);
    profile_spool_put_process (run->spool, rank, process);
}

/* FALSE: nothing has to be kept of it yet. */
static gboolean
admit (CommandSampledRun *run, guint32 number, const JobEvent *event)
{
    const ProfileProcess *child = g_hash_table_lookup (run->children,
                                                       GUINT_TO_POINTER (number));

    if (child != NULL && job_sample_batch_is_empty (event->bytes)) {
        return FALSE;
    }
    if (child != NULL) {
        put_process (run, number, child);
        g_hash_table_remove (run->children, GUINT_TO_POINTER (number));
    }
    return TRUE;
}

static void
take_ranks (CommandSampledRun *run, const JobEvent *event)
{
    for (guint i = 0; event->processes != NULL && i < event->processes->len; i++) {
        const JobProcess *process = JOB_PROCESS (event->processes, i);
        ProfileProcess known = { .parent = session_find_parent (run->session, process),
                                 .pid = process->pid,
                                 .host = process->host,
                                 .program = process->program };

        if (is_other_host (process->host)
            && !profile_model_has_clock (run->model, process->host)) {
            profile_model_find_clock (run->model, process->host);
            begin_to_ask (run);
        }
        if (process->parent > 0 && !profile_model_has_rank (run->model, process->rank)) {
            g_hash_table_insert (run->children, GUINT_TO_POINTER (process->rank),
                                 dup_process (&known));
        } else {
            put_process (run, process->rank, &known);
        }
    }
}

/* What is kept of the rank has become half as dense: from now on it is sampled so. */
static void
slow_down (CommandSampledRun *run, guint32 number, guint times)
{
    g_autoptr (JobRankSet) ranks = job_rank_set_new_range (number, number + 1);
    JobRequest *request = job_request_new (JOB_VERB_PROFILE, ranks);

    request->flags = JOB_REQUEST_SLOWER;
    request->rate = times;
    session_submit (run->session, request);
}

static guint
count_halvings (const CommandSampledRun *run, guint32 number)
{
    return profile_model_has_rank (run->model, number)
               ? profile_model_get_n_halvings (run->model,
                                               profile_model_find_place (run->model, number))
               : 0;
}

static void
take_samples (CommandSampledRun *run, const JobEvent *event)
{
    JobRankIter iter = { 0 };
    guint32 number;

    while (event->bytes != NULL && job_rank_set_next (event->ranks, &iter, &number)) {
        g_autoptr (GError) error = NULL;
        guint n_halvings = count_halvings (run, number), n_more;

        if (!admit (run, number, event)) {
            continue;
        }
        if (!profile_model_add (run->model, number, event->bytes, &error)) {
            g_message ("rank %u: %s", number, error->message);
            continue;
        }
        profile_spool_put_batch (run->spool, number, event->bytes);
        note_arrival (run, profile_model_find_place (run->model, number));
        n_more = count_halvings (run, number) - n_halvings;
        if (n_more > 0 && !event->final) {
            slow_down (run, number, 1u << MIN (n_more, 8));
        }
    }
}

/* Not all ended well. */
static void
take_state (CommandSampledRun *run, const JobEvent *event)
{
    g_autofree char *status = g_strdup_printf ("%" G_GINT64_FORMAT, (gint64) event->number);
    const char *ending = g_intern_string (event->text != NULL ? event->text : status);
    JobRankIter iter = { 0 };
    guint32 number;

    while (event->state == JOB_STATE_FAILED
           && job_rank_set_next (event->ranks, &iter, &number)) {
        if (profile_model_has_rank (run->model, number)) {
            guint index = profile_model_find_place (run->model, number);

            profile_model_set_ending (run->model, index, ending);
            profile_spool_put_process (run->spool, number,
                                       profile_model_get_process (run->model, index));
        }
    }
}

static void
on_event (Session *session, const JobEvent *event, gpointer user)
{
    CommandSampledRun *run = user;

    if (event->kind == JOB_EVENT_RANKS) {
        take_ranks (run, event);
    } else if (event->kind == JOB_EVENT_STATE) {
        take_state (run, event);
    } else if (event->kind == JOB_EVENT_SAMPLES) {
        take_samples (run, event);
    }
}

/* ---- the file ---- */

/* It has all samples that have ever come, of which the model keeps a part. */
static void
keep_small (CommandSampledRun *run)
{
    if (profile_spool_get_size (run->spool) > run->rewrite_size
        && profile_spool_get_problem (run->spool) == NULL) {
        profile_spool_rewrite (run->spool, run->model);
        run->rewrite_size = MAX (2 * profile_spool_get_size (run->spool), LEAST_REWRITE);
    }
}

static void
note_problem (CommandSampledRun *run)
{
    const char *problem = profile_spool_get_problem (run->spool);

    if (problem != NULL && run->problem == NULL) {
        run->problem = g_strdup (problem);
    }
}

static gboolean
on_flush (gpointer user)
{
    CommandSampledRun *run = user;

    go_on_asking (run);
    profile_spool_flush (run->spool);
    note_problem (run);
    keep_small (run);
    return G_SOURCE_CONTINUE;
}

CommandSampledRun *
command_sampled_run_new (Session *session, const char *folder, const ProfileInfo *info,
                         GError **error)
{
    ProfileSpool *spool = profile_spool_create (folder, error);
    CommandSampledRun *run;

    if (spool == NULL) {
        return NULL;
    }
    run = g_new0 (CommandSampledRun, 1);
    run->session = g_object_ref (session);
    run->model = profile_model_new ();
    run->spool = spool;
    run->rewrite_size = LEAST_REWRITE;
    run->children = g_hash_table_new_full (NULL, NULL, NULL, free_process);
    profile_model_set_info (run->model, info);
    profile_spool_put_info (spool, info);
    profile_spool_flush (spool);
    run->flush_source = g_timeout_add (FLUSH_MS, on_flush, run);
    session_add_listener (session, on_event, run);
    run->clock_handler = g_signal_connect (session, "clock", G_CALLBACK (on_clock), run);
    return run;
}

/* As the engine decides it where the user has not. */
static guint32
find_rate (const CommandSampledRun *run)
{
    g_autoptr (GHashTable) hosts = g_hash_table_new (g_str_hash, g_str_equal);
    guint most = 0;

    for (guint i = 0; i < profile_model_get_n_ranks (run->model); i++) {
        const ProfileProcess *process = profile_model_get_process (run->model, i);
        const char *host = process->host != NULL ? process->host : "";
        guint n = GPOINTER_TO_UINT (g_hash_table_lookup (hosts, host)) + 1;

        g_hash_table_insert (hosts, (gpointer) host, GUINT_TO_POINTER (n));
        most = process->parent == 0 ? MAX (most, n) : most;
    }
    return most > MANY_RANKS ? CROWD_RATE : USUAL_RATE;
}

/* A full disk may have room again for what is kept. */
void
command_sampled_run_end (CommandSampledRun *run, int wait_status)
{
    ProfileInfo info = *profile_model_get_info (run->model);

    info.end_us = g_get_monotonic_time ();
    info.wait_status = wait_status;
    info.rate = info.rate != 0 ? info.rate : find_rate (run);
    profile_model_set_info (run->model, &info);
    put_offsets (run);
    profile_spool_put_info (run->spool, profile_model_get_info (run->model));
    if (!profile_spool_flush (run->spool) && profile_spool_rewrite (run->spool, run->model)) {
        g_clear_pointer (&run->problem, g_free);
    }
    profile_spool_unlock (run->spool);
    note_problem (run);
}

void
command_sampled_run_free (CommandSampledRun *run)
{
    if (run == NULL) {
        return;
    }
    session_remove_listener (run->session, on_event, run);
    g_signal_handler_disconnect (run->session, run->clock_handler);
    g_clear_handle_id (&run->flush_source, g_source_remove);
    g_clear_handle_id (&run->question_source, g_source_remove);
    profile_spool_free (run->spool);
    profile_model_free (run->model);
    g_hash_table_unref (run->children);
    g_object_unref (run->session);
    g_free (run->problem);
    g_free (run);
}

const ProfileModel *
command_sampled_run_get_model (const CommandSampledRun *run)
{
    return run->model;
}

const char *
command_sampled_run_get_problem (const CommandSampledRun *run)
{
    return run->problem;
}
