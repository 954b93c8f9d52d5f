/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/slice.h"
#include "base/array.h"
#include "profile/delays.h"
#include "profile/exact-lines.h"
#include "profile/losses.h"
#include "profile/native.h"
#include "profile/private.h"
#include "profile/values.h"
#include "profile/waits.h"

static const ProfileRank *
get_rank (const ProfileModel *model, guint index)
{
    return g_ptr_array_index (model->ranks, index);
}

gint64
profile_model_find_first (const ProfileModel *model)
{
    gint64 first_us = G_MAXINT64;

    for (guint i = 0; i < model->ranks->len; i++) {
        const ProfileRank *rank = get_rank (model, i);

        if (rank->last_us != 0) {
            first_us = MIN (first_us, rank->first_us + rank->process.offset_us);
        }
    }
    return first_us == G_MAXINT64 ? 0 : first_us;
}

double
profile_model_get_end (const ProfileModel *model)
{
    gint64 first_us = profile_model_find_first (model), last_us = first_us;

    for (guint i = 0; i < model->ranks->len; i++) {
        const ProfileRank *rank = get_rank (model, i);

        if (rank->last_us != 0) {
            last_us = MAX (last_us, rank->last_us + rank->process.offset_us);
        }
    }
    return (double) (last_us - first_us) / G_USEC_PER_SEC;
}

double
profile_model_get_seconds (const ProfileModel *model, guint index, gint64 time_us)
{
    return (double) (time_us + get_rank (model, index)->process.offset_us
                     - profile_model_find_first (model))
           / G_USEC_PER_SEC;
}

gboolean
profile_model_find_index (const ProfileModel *model, guint32 rank, guint *ret_index)
{
    guint index = profile_model_find_place (model, rank);

    if (index >= model->ranks->len || get_rank (model, index)->rank != rank) {
        return FALSE;
    }
    *ret_index = index;
    return TRUE;
}

/* ---- a model of a part ---- */

/* The slice's end on the clock of the rank's host. */
static gint64
make_time (gint64 first_us, const ProfileRank *rank, double seconds)
{
    double time_us = (double) (first_us - rank->process.offset_us) + seconds * G_USEC_PER_SEC;

    return (gint64) CLAMP (time_us, -4e18, 4e18);
}

static void
keep (ProfileRank *rank, ProfileThread *thread, const ProfileSample *sample)
{
    gint64 begin_us = sample->time_us - (gint64) sample->weight_us;

    g_array_append_val (thread->samples, *sample);
    rank->n_kept++;
    rank->first_us = rank->last_us == 0 ? begin_us : MIN (rank->first_us, begin_us);
    rank->last_us = MAX (rank->last_us, sample->time_us);
    rank->n_threads = MAX (rank->n_threads, thread->number);
    if (thread->number == 1 || !sample->is_blocked) {
        rank->n_samples++;
        g_array_index (rank->samples, guint32, sample->context)++;
    }
    profile_model_count (rank, thread->number, sample, sample->weight_us);
}

static void
slice_thread (ProfileRank *rank, const ProfileThread *from, gint64 begin_us, gint64 end_us,
              int class)
{
    ProfileThread *thread = profile_samples_find_thread (rank, from->number);

    for (guint i = profile_samples_find (from->samples, (double) begin_us);
         i < from->samples->len; i++) {
        ProfileSample sample = g_array_index (from->samples, ProfileSample, i);
        gint64 sample_begin_us = sample.time_us - (gint64) sample.weight_us;

        if (sample_begin_us >= end_us) {
            break;
        }
        if (class == PROFILE_ALL_CLASSES || sample.class == class) {
            sample.time_us = MIN (sample.time_us, end_us);
            sample.weight_us = (guint32) (sample.time_us - MAX (sample_begin_us, begin_us));
            keep (rank, thread, &sample);
        }
    }
}

static void
slice_rank (ProfileModel *model, const ProfileRank *from, gint64 begin_us, gint64 end_us,
            int class)
{
    ProfileRank *rank = profile_model_find_rank (model, from->rank);

    g_clear_pointer (&rank->tree, job_context_tree_free);
    g_array_unref (rank->merged);
    rank->merged = g_array_ref (from->merged);
    g_array_set_size (rank->self, from->self->len);
    g_array_set_size (rank->computing, from->self->len);
    g_array_set_size (rank->samples, from->self->len);
    profile_model_set_process (model, from->rank, &from->process);
    for (guint i = 0; i < from->threads->len; i++) {
        slice_thread (rank, g_ptr_array_index (from->threads, i), begin_us, end_us, class);
    }
    for (guint i = 0; i < from->metrics->len; i++) {
        const JobMetrics *metrics = &g_array_index (from->metrics, JobMetrics, i);

        if (metrics->time_us >= begin_us && metrics->time_us < end_us) {
            profile_samples_keep_metrics (rank, metrics);
        }
    }
    rank->n_halvings = from->n_halvings;
    rank->n_dropped = from->n_dropped;
}

/* All that the rank has spent is in the slice: what is exact stays so. */
static void
copy_calls (ProfileRank *rank, const ProfileRank *from)
{
    rank->calls = g_array_ref (from->calls);
    rank->kinds = g_array_ref (from->kinds);
    g_array_unref (rank->self);
    g_array_unref (rank->computing);
    rank->self = g_array_ref (from->self);
    rank->computing = g_array_ref (from->computing);
    for (guint class = 0; class < JOB_N_CLASSES; class ++) {
        rank->classes[class] = from->classes[class];
    }
}

static void
copy_counts (ProfileRank *rank, const ProfileRank *from)
{
    if (from->calls != NULL) {
        copy_calls (rank, from);
    }
    if (from->counts != NULL) {
        rank->counts = g_array_ref (from->counts);
        rank->counted = from->counted;
    }
}

static gboolean
has_rank (const ProfileSlice *slice, guint32 rank)
{
    return slice->ranks == NULL || job_rank_set_contains (slice->ranks, rank);
}

/* What is not there is missing in each part of the time. */
static void
copy_losses (ProfileModel *part, const ProfileModel *model, const ProfileSlice *slice)
{
    for (guint i = 0; i < model->losses->len; i++) {
        const ProfileLoss *loss = &g_array_index (model->losses, ProfileLoss, i);

        if (has_rank (slice, loss->rank)) {
            profile_model_add_loss (part, loss);
        }
    }
}

/* What each rank has used, and what the ranks have done to each other: of some of them that would be another thing. */
static void
copy_uses (ProfileModel *part, const ProfileModel *model, const ProfileSlice *slice)
{
#define COPY(list, Type, add)                                                                  \
    BASE_EACH_ROW (model->list, const Type, row) {                                             \
        if (has_rank (slice, row->rank)) {                                                     \
            add (part, row);                                                                   \
        }                                                                                      \
    }
    COPY (file_uses, ProfileFileUse, profile_model_add_file_use)
    COPY (lock_waits, ProfileLockWait, profile_model_add_lock_wait)
    COPY (allocations, ProfileAllocation, profile_model_add_allocation)
    COPY (own_metrics, ProfileOwnMetric, profile_model_add_own_metric)
    COPY (parameters, ProfileParameter, profile_model_add_parameter)
#undef COPY
    if (slice->ranks == NULL) {
        BASE_EACH_ROW (model->delays, const ProfileDelay, delay) {
            profile_model_add_delay (part, delay);
        }
        BASE_EACH_ROW (model->path, const ProfilePathPart, piece) {
            profile_model_add_path_part (part, piece);
        }
    }
}

/* What is known of the whole run alone. */
static void
copy_sums (ProfileModel *part, const ProfileModel *model, const ProfileSlice *slice)
{
    for (guint i = 0; i < model->waits->len; i++) {
        const ProfileWait *wait = &g_array_index (model->waits, ProfileWait, i);

        if (has_rank (slice, wait->rank)) {
            profile_model_add_wait (part, wait);
        }
    }
    for (guint i = 0; i < model->traffic->len; i++) {
        const ProfileTraffic *traffic = &g_array_index (model->traffic, ProfileTraffic, i);

        if (has_rank (slice, traffic->from) || has_rank (slice, traffic->to)) {
            profile_model_add_traffic (part, traffic);
        }
    }
    for (guint i = 0; slice->ranks == NULL && i < model->message_sums->len; i++) {
        profile_model_add_message_sum (part, &g_array_index (model->message_sums,
                                                             ProfileMessageSum, i));
    }
    copy_uses (part, model, slice);
    part->exact_lines = g_ptr_array_new ();
    for (guint i = 0; model->exact_lines != NULL && i < model->exact_lines->len; i++) {
        const ProfileExactLine *line = g_ptr_array_index (model->exact_lines, i);

        if (has_rank (slice, line->rank)) {
            g_ptr_array_add (part->exact_lines, (gpointer) line);
        }
    }
}

ProfileModel *
profile_model_new_slice (const ProfileModel *model, const ProfileSlice *slice)
{
    ProfileModel *part = profile_model_new ();
    gint64 first_us = profile_model_find_first (model);
    gboolean is_whole = slice->begin_s <= 0 && slice->end_s > profile_model_get_end (model)
                        && slice->class == PROFILE_ALL_CLASSES;

    job_context_tree_free (part->tree);
    part->tree = model->tree;
    part->is_slice = TRUE;
    part->is_traced = model->is_traced;
    profile_model_set_info (part, &model->info);
    part->problem = model->problem != NULL ? base_text_dup (model->problem) : NULL;
    for (guint i = 0; i < model->ranks->len; i++) {
        const ProfileRank *rank = get_rank (model, i);

        if (!has_rank (slice, rank->rank)) {
            continue;
        }
        if (rank->costs == NULL) {
            slice_rank (part, rank, make_time (first_us, rank, slice->begin_s),
                        make_time (first_us, rank, slice->end_s), slice->class);
            if (is_whole) { /* else nobody knows when its counts were */
                copy_counts (profile_model_find_rank (part, rank->rank), rank);
            }
        } else if (is_whole) { /* else nobody knows when its time was */
            profile_groups_add_column (part, rank);
        }
    }
    copy_losses (part, model, slice);
    if (is_whole) {
        copy_sums (part, model, slice);
    }
    return part;
}
