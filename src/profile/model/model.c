/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/private.h"
#include "base/error.h"

BASE_FREE (free_rank, ProfileRank, rank, job_context_tree_free (rank->tree);
           g_array_unref (rank->merged); g_clear_pointer (&rank->self, g_array_unref);
           g_clear_pointer (&rank->computing, g_array_unref);
           g_clear_pointer (&rank->samples, g_array_unref); profile_samples_clear (rank);
           g_free (rank->process.host); g_free (rank->process.program);
           g_clear_pointer (&rank->calls, g_array_unref);
           g_clear_pointer (&rank->kinds, g_array_unref);
           g_clear_pointer (&rank->counts, g_array_unref))

ProfileModel *
profile_model_new (void)
{
    ProfileModel *model = g_new0 (ProfileModel, 1);

    model->ranks = g_ptr_array_new_with_free_func (free_rank);
    model->clocks = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                           (GDestroyNotify) profile_clock_free);
    model->tree = job_context_tree_new ();
    model->messages = profile_messages_new ();
    profile_waits_init (model);
    profile_delays_init (model);
    profile_values_init (model);
    profile_native_init (model);
    profile_losses_init (model);
    profile_groups_init (model);
    return model;
}

void
profile_model_free (ProfileModel *model)
{
    if (model == NULL) {
        return;
    }
    g_ptr_array_unref (model->ranks);
    profile_waits_clear (model);
    profile_delays_clear (model);
    profile_values_clear (model);
    profile_native_clear (model);
    profile_losses_clear (model);
    profile_messages_free (model->messages);
    g_hash_table_unref (model->clocks);
    profile_groups_clear (model);
    if (!model->is_slice) {
        job_context_tree_free (model->tree);
    }
    g_free (model->info.command);
    g_clear_pointer (&model->exact_lines, g_ptr_array_unref);
    base_text_free (model->problem);
    g_free (model);
}

guint
profile_model_find_place (const ProfileModel *model, guint32 rank)
{
    return BASE_BISECT (middle, 0, model->ranks->len,
                        ((const ProfileRank *) g_ptr_array_index (model->ranks, middle))->rank
                            < rank);
}

ProfileRank *
profile_model_find_rank (ProfileModel *model, guint32 number)
{
    guint index = profile_model_find_place (model, number);
    ProfileRank *rank = index < model->ranks->len ? g_ptr_array_index (model->ranks, index)
                                                  : NULL;

    if (rank == NULL || rank->rank != number) {
        rank = g_new0 (ProfileRank, 1);
        rank->rank = number;
        rank->tree = job_context_tree_new ();
        rank->merged = g_array_new (FALSE, TRUE, sizeof (guint32));
        rank->self = g_array_new (FALSE, TRUE, sizeof (double));
        rank->samples = g_array_new (FALSE, TRUE, sizeof (guint32));
        g_array_set_size (rank->merged, 1); /* number 0: no context */
        g_array_set_size (rank->self, 1);
        rank->computing = g_array_new (FALSE, TRUE, sizeof (double));
        g_array_set_size (rank->computing, 1);
        profile_samples_init (rank);
        g_array_set_size (rank->samples, 1);
        g_ptr_array_insert (model->ranks, (gint) index, rank);
    }
    return rank;
}

gboolean
profile_model_has_rank (const ProfileModel *model, guint32 number)
{
    guint index = profile_model_find_place (model, number);

    return index < model->ranks->len
           && ((const ProfileRank *) g_ptr_array_index (model->ranks, index))->rank == number;
}

/* "csu/libc-start.c" of "./csu/../csu/libc-start.c", as compilers call a file in a folder of which nobody knows where it was;
 * NULL: it is an absolute path, in which .. may lead elsewhere where there are links, or needs nothing. Caller owns. */
static char *
tidy_path (const char *path)
{
    g_autoptr (GPtrArray) parts = NULL;
    g_auto (GStrv) words = NULL;

    if (path == NULL || *path == '/'
        || (!g_str_has_prefix (path, "./") && strstr (path, "/../") == NULL)) {
        return NULL;
    }
    words = g_strsplit (path, "/", -1);
    parts = g_ptr_array_new ();
    for (guint i = 0; words[i] != NULL; i++) {
        gboolean is_up = strcmp (words[i], "..") == 0 && parts->len > 0
                         && strcmp (g_ptr_array_index (parts, parts->len - 1), "..") != 0;

        if (is_up) {
            g_ptr_array_set_size (parts, (int) parts->len - 1);
        } else if (*words[i] != '\0' && strcmp (words[i], ".") != 0) {
            g_ptr_array_add (parts, words[i]);
        }
    }
    g_ptr_array_add (parts, NULL);
    return g_strjoinv ("/", (char **) parts->pdata);
}

guint32
profile_model_add_context (ProfileModel *model, guint32 parent, const JobContext *context)
{
    JobLocation location = context->location;
    g_autofree char *file = tidy_path (location.file);

    location.file = file != NULL ? file : location.file;
    return job_context_tree_add (model->tree, parent, &location, context->flags);
}

/* Parents have lower numbers. */
static void
merge_contexts (ProfileModel *model, ProfileRank *rank)
{
    guint32 count = job_context_tree_get_count (rank->tree);

    for (guint32 number = rank->merged->len; number <= count; number++) {
        const JobContext *context = job_context_tree_get (rank->tree, number);
        guint32 parent = g_array_index (rank->merged, guint32, context->parent);
        guint32 merged = profile_model_add_context (model, parent, context);

        g_array_append_val (rank->merged, merged);
    }
    g_array_set_size (rank->self, count + 1);
    g_array_set_size (rank->samples, count + 1);
    g_array_set_size (rank->computing, count + 1);
}

void
profile_model_count (ProfileRank *rank, guint32 thread, const ProfileSample *sample,
                     double weight_us)
{
    if (thread != 1 && sample->is_blocked) {
        rank->idle += weight_us;
        return;
    }
    rank->others += thread != 1 ? weight_us : 0;
    rank->classes[sample->class] += weight_us;
    g_array_index (rank->self, double, sample->context) += weight_us;
    if (sample->class == JOB_CLASS_NATIVE || sample->class == JOB_CLASS_PYTHON) {
        g_array_index (rank->computing, double, sample->context) += weight_us;
    }
}

static void
count_sample (ProfileRank *rank, const JobSample *sample)
{
    gint64 begin_us = sample->time_us - (gint64) sample->weight_us;

    rank->first_us = rank->last_us == 0 ? begin_us : MIN (rank->first_us, begin_us);
    rank->last_us = MAX (rank->last_us, sample->time_us);
    rank->n_threads = MAX (rank->n_threads, sample->thread);
    if (sample->thread == 1 || !sample->is_blocked) {
        rank->n_samples++;
        g_array_index (rank->samples, guint32, sample->context)++;
    }
    profile_samples_keep (rank, sample);
}

gboolean
profile_model_add (ProfileModel *model, guint32 number, GBytes *batch, GError **error)
{
    ProfileRank *rank = profile_model_find_rank (model, number);
    g_autoptr (GArray) samples = g_array_new (FALSE, FALSE, sizeof (JobSample));
    g_autoptr (GArray) metrics = g_array_new (FALSE, FALSE, sizeof (JobMetrics));
    g_autoptr (GArray) counts = g_array_new (FALSE, FALSE, sizeof (JobContextCounts));
    g_autoptr (GArray) threads = g_array_new (FALSE, FALSE, sizeof (JobSampleThread));
    JobSampleExtras extras = { metrics, counts, 0, threads };
    gboolean has_counts;
    guint64 n_dropped;

    rank->is_broken = rank->is_broken || rank->costs != NULL
                      || !job_sample_batch_decode_all (batch, rank->tree, samples, &n_dropped,
                                                       &extras, &has_counts, error);
    if (rank->is_broken) {
        if (error != NULL && *error == NULL) {
            g_set_error (error, BASE_ERROR, BASE_ERROR_CORRUPT,
                         "the rank's samples are broken");
        }
        return FALSE;
    }
    merge_contexts (model, rank);
    rank->n_dropped = n_dropped;
    for (guint i = 0; i < threads->len; i++) {
        profile_samples_note_thread (rank, &g_array_index (threads, JobSampleThread, i));
    }
    for (guint i = 0; i < samples->len; i++) {
        count_sample (rank, &g_array_index (samples, JobSample, i));
    }
    for (guint i = 0; i < metrics->len; i++) {
        profile_samples_keep_metrics (rank, &g_array_index (metrics, JobMetrics, i));
    }
    if (has_counts) {
        profile_counts_take (rank, extras.counted, counts);
    }
    return TRUE;
}

void
profile_model_set_info (ProfileModel *model, const ProfileInfo *info)
{
    g_autofree char *before = model->info.command;

    model->info = *info;
    model->info.command = g_strdup (info->command);
}

void
profile_model_set_process (ProfileModel *model, guint32 number, const ProfileProcess *process)
{
    ProfileProcess *known = &profile_model_find_rank (model, number)->process;
    g_autofree char *host = known->host, *program = known->program;

    *known = *process;
    known->host = g_strdup (process->host);
    known->program = g_strdup (process->program);
}

/* Sums of samples are as good as their grain; from here on the rank has the exact ones. */
static void
begin_counts (ProfileRank *rank)
{
    rank->calls = g_array_new (FALSE, TRUE, sizeof (guint64));
    g_array_set_size (rank->calls, rank->self->len);
    rank->kinds = g_array_new (FALSE, TRUE, sizeof (guint8));
    g_array_set_size (rank->kinds, rank->self->len);
    for (guint i = 0; i < rank->self->len; i++) {
        g_array_index (rank->self, double, i) = 0;
        g_array_index (rank->computing, double, i) = 0;
    }
    for (guint i = 0; i < JOB_N_CLASSES; i++) {
        rank->classes[i] = 0;
    }
}

void
profile_model_set_counts (ProfileModel *model, guint32 number, guint32 first,
                          const GArray *counts)
{
    ProfileRank *rank = profile_model_find_rank (model, number);

    model->is_traced = TRUE;
    if (rank->calls == NULL) {
        begin_counts (rank);
    }
    for (guint32 i = 0; i < counts->len && first + (guint64) i < rank->calls->len; i++) {
        const ProfileCount *count = &g_array_index (counts, ProfileCount, i);
        double us = count->self_s * G_USEC_PER_SEC;

        g_array_index (rank->calls, guint64, first + i) += count->n_calls;
        g_array_index (rank->kinds, guint8, first + i) = (guint8) count->class;
        g_array_index (rank->self, double, first + i) += us;
        rank->classes[count->class] += us;
        if (count->class == JOB_CLASS_NATIVE || count->class == JOB_CLASS_PYTHON) {
            g_array_index (rank->computing, double, first + i) += us;
        }
    }
}

/* ---- clocks ---- */

ProfileClock *
profile_model_find_clock (ProfileModel *model, const char *host)
{
    ProfileClock *clock = g_hash_table_lookup (model->clocks, host);

    if (clock == NULL) {
        clock = profile_clock_new ();
        g_hash_table_insert (model->clocks, g_strdup (host), clock);
    }
    return clock;
}

const ProfileClock *
profile_model_get_host_clock (const ProfileModel *model, const char *host)
{
    const ProfileClock *clock = host != NULL ? g_hash_table_lookup (model->clocks, host) : NULL;

    return clock != NULL && profile_clock_is_known (clock) ? clock : NULL;
}

const ProfileClock *
profile_model_get_clock (const ProfileModel *model, const ProfileRank *rank)
{
    return profile_model_get_host_clock (model, rank->process.host);
}

gboolean
profile_model_has_clock (const ProfileModel *model, const char *host)
{
    return g_hash_table_contains (model->clocks, host);
}

gboolean
profile_model_has_clocks (const ProfileModel *model)
{
    return g_hash_table_size (model->clocks) > 0;
}

void
profile_model_settle_clocks (ProfileModel *model)
{
    gpointer clock;

    BASE_WALK (model->clocks, NULL, &clock) {
        profile_clock_settle (clock);
    }
    for (guint i = 0; i < model->ranks->len; i++) {
        ProfileRank *rank = g_ptr_array_index (model->ranks, i);
        const ProfileClock *known = profile_model_get_clock (model, rank);
        gint64 middle_us = rank->first_us + (rank->last_us - rank->first_us) / 2;

        if (known != NULL) {
            rank->process.offset_us = profile_clock_get_offset (known, middle_us);
        }
    }
}

/* ---- what it tells ---- */

const char *
profile_model_get_problem (const ProfileModel *model, BaseTextForm form)
{
    return model->problem != NULL ? base_text_get (model->problem, form) : NULL;
}

const ProfileInfo *
profile_model_get_info (const ProfileModel *model)
{
    return &model->info;
}

static const ProfileRank *
get_rank (const ProfileModel *model, guint index)
{
    return g_ptr_array_index (model->ranks, index);
}

guint
profile_model_get_n_ranks (const ProfileModel *model)
{
    return model->ranks->len;
}

guint32
profile_model_get_rank (const ProfileModel *model, guint index)
{
    return get_rank (model, index)->rank;
}

/* An archive has no sample that only repeats a wait, and some are missed everywhere: a number of samples is that of the
 * periods which they stand for. */
static guint64
count_periods (const ProfileModel *model, double us, guint32 n)
{
    return n == 0 || model->info.rate == 0
               ? n
               : MAX (1, (guint64) (us * model->info.rate / G_USEC_PER_SEC + 0.5));
}

/* Of all contexts together: an archive may have fewer than the run had. */
static guint64
count_rank (const ProfileModel *model, const ProfileRank *rank)
{
    gboolean has_gaps = rank->classes[JOB_CLASS_UNSAMPLED] > 0;
    double us = 0;
    guint32 n = 0;

    for (guint32 number = 0; number < rank->samples->len; number++) {
        us += g_array_index (rank->self, double, number);
        n += g_array_index (rank->samples, guint32, number);
    }
    return count_periods (model, us, n)
           - count_periods (model, MIN (rank->classes[JOB_CLASS_UNSAMPLED], us), has_gaps);
}

guint64
profile_model_get_n_samples (const ProfileModel *model)
{
    guint64 n = 0;

    for (guint i = 0; i < model->ranks->len; i++) {
        const ProfileRank *rank = get_rank (model, i);

        if (rank->costs != NULL || model->is_traced) {
            n += rank->n_samples;
            continue;
        }
        n += count_rank (model, rank);
    }
    return n;
}

guint64
profile_model_get_n_dropped (const ProfileModel *model)
{
    return BASE_SUM (guint64, i, model->ranks->len, get_rank (model, i)->n_dropped);
}

double
profile_model_get_duration (const ProfileModel *model, guint index)
{
    const ProfileRank *rank = get_rank (model, index);

    return (double) (rank->last_us - rank->first_us) / G_USEC_PER_SEC;
}

double
profile_model_get_longest (const ProfileModel *model)
{
    double longest = 0;

    for (guint i = 0; i < model->ranks->len; i++) {
        longest = MAX (longest, profile_model_get_duration (model, i));
    }
    return longest;
}

double
profile_model_get_run (const ProfileModel *model)
{
    const ProfileInfo *info = &model->info;

    return info->begin_us != 0 && info->end_us > info->begin_us
               ? (double) (info->end_us - info->begin_us) / G_USEC_PER_SEC
               : 0;
}

double
profile_model_get_class (const ProfileModel *model, guint index, JobClass class)
{
    return get_rank (model, index)->classes[class] / G_USEC_PER_SEC;
}

double
profile_model_get_idle (const ProfileModel *model, guint index)
{
    return get_rank (model, index)->idle / G_USEC_PER_SEC;
}

const ProfileProcess *
profile_model_get_process (const ProfileModel *model, guint index)
{
    return &get_rank (model, index)->process;
}

gboolean
profile_model_is_child (const ProfileModel *model, guint index)
{
    return get_rank (model, index)->process.parent != 0;
}

guint
profile_model_get_n_children (const ProfileModel *model)
{
    return BASE_SUM (guint, i, model->ranks->len, profile_model_is_child (model, i));
}

gint64
profile_model_get_last_us (const ProfileModel *model, guint index)
{
    return get_rank (model, index)->last_us;
}

void
profile_model_set_ending (ProfileModel *model, guint index, const char *ending)
{
    ((ProfileRank *) g_ptr_array_index (model->ranks, index))->process.ending = ending;
}

gboolean
profile_model_has_offset (const ProfileModel *model, guint index)
{
    return profile_model_get_clock (model, get_rank (model, index)) != NULL;
}

guint
profile_model_get_n_halvings (const ProfileModel *model, guint index)
{
    return get_rank (model, index)->n_halvings;
}

guint32
profile_model_get_merged (const ProfileModel *model, guint index, guint32 context)
{
    return g_array_index (get_rank (model, index)->merged, guint32, context);
}

guint
profile_model_get_n_threads (const ProfileModel *model, guint index)
{
    return get_rank (model, index)->n_threads;
}

double
profile_model_get_others (const ProfileModel *model, guint index)
{
    return get_rank (model, index)->others / G_USEC_PER_SEC;
}

const JobContextTree *
profile_model_get_contexts (const ProfileModel *model)
{
    return model->tree;
}

gboolean
profile_model_is_traced (const ProfileModel *model)
{
    return model->is_traced;
}

gboolean
profile_model_is_filled (const ProfileModel *model)
{
    guint32 count = job_context_tree_get_count (model->tree);

    for (guint32 number = 1; number <= count && model->is_traced; number++) {
        if ((job_context_tree_get (model->tree, number)->flags & JOB_FRAME_SAMPLED) != 0) {
            return TRUE;
        }
    }
    return FALSE;
}

gboolean
profile_model_has_calls (const ProfileModel *model)
{
    return BASE_ANY (i, model->ranks->len, get_rank (model, i)->calls != NULL);
}

guint64
profile_model_get_n_calls (const ProfileModel *model)
{
    guint64 n = 0;

    for (guint i = 0; i < model->ranks->len; i++) {
        const GArray *calls = get_rank (model, i)->calls;

        for (guint j = 0; calls != NULL && j < calls->len; j++) {
            n += g_array_index (calls, guint64, j);
        }
    }
    return n;
}

void
profile_model_add_calls (const ProfileModel *model, guint index, guint64 *calls)
{
    const ProfileRank *rank = get_rank (model, index);

    for (guint32 number = 0; rank->calls != NULL && number < rank->calls->len; number++) {
        calls[g_array_index (rank->merged, guint32, number)] += g_array_index (rank->calls,
                                                                               guint64, number);
    }
}

void
profile_model_add_self (const ProfileModel *model, guint index, double *seconds,
                        guint64 *samples)
{
    const ProfileRank *rank = get_rank (model, index);
    const ProfileSums sums = profile_model_get_sums (model, rank);
    gboolean is_exact = rank->costs != NULL || model->is_traced;

    for (guint32 number = 0; number < sums.self->len; number++) {
        guint32 merged = g_array_index (sums.merged, guint32, number);
        guint32 n = g_array_index (sums.samples, guint32, number);

        seconds[merged] += g_array_index (sums.self, double, number) / G_USEC_PER_SEC;
        samples[merged] += is_exact
                               ? n
                               : count_periods (model,
                                                g_array_index (sums.self, double, number), n);
    }
}
