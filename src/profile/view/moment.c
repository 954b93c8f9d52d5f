/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/moment.h"
#include "base/array.h"

typedef struct {
    const JobContextTree *tree;
    GHashTable *frames; /* context to ProfileMomentFrame */
} Gathering;

BASE_FREE (free_frame, ProfileMomentFrame, frame, job_rank_set_free (frame->ranks))

static void
add_stack (Gathering *to, guint32 context, guint32 rank)
{
    for (guint32 at = context; at != 0; at = job_context_tree_get (to->tree, at)->parent) {
        ProfileMomentFrame *frame = g_hash_table_lookup (to->frames, GUINT_TO_POINTER (at));

        if (frame == NULL) {
            frame = g_new0 (ProfileMomentFrame, 1);
            frame->context = at;
            frame->ranks = job_rank_set_new ();
            g_hash_table_insert (to->frames, GUINT_TO_POINTER (at), frame);
        }
        job_rank_set_add (frame->ranks, rank);
    }
}

/* The least first: they are taken from the end. */
static gint
compare_frames (gconstpointer a, gconstpointer b)
{
    const ProfileMomentFrame *left = *(ProfileMomentFrame *const *) a;
    const ProfileMomentFrame *right = *(ProfileMomentFrame *const *) b;
    guint32 n_left = job_rank_set_get_count (left->ranks);
    guint32 n_right = job_rank_set_get_count (right->ranks);

    if (n_left != n_right) {
        return n_left < n_right ? -1 : 1;
    }
    return left->context < right->context ? 1 : -1;
}

/* Frames by the context outside them. */
static GHashTable *
group_by_parent (const Gathering *gathering)
{
    GHashTable *groups = g_hash_table_new_full (NULL, NULL, NULL,
                                                (GDestroyNotify) g_ptr_array_unref);
    GHashTableIter iter;
    gpointer frame;

    g_hash_table_iter_init (&iter, gathering->frames);
    while (g_hash_table_iter_next (&iter, NULL, &frame)) {
        guint32 parent = job_context_tree_get (gathering->tree,
                                               ((ProfileMomentFrame *) frame)->context)
                             ->parent;
        GPtrArray *group = g_hash_table_lookup (groups, GUINT_TO_POINTER (parent));

        if (group == NULL) {
            group = g_ptr_array_new ();
            g_hash_table_insert (groups, GUINT_TO_POINTER (parent), group);
        }
        g_ptr_array_add (group, frame);
    }
    g_hash_table_iter_init (&iter, groups);
    while (g_hash_table_iter_next (&iter, NULL, &frame)) {
        g_ptr_array_sort (frame, compare_frames);
    }
    return groups;
}

static void
push (GPtrArray *open, GHashTable *groups, guint32 parent, guint depth)
{
    const GPtrArray *group = g_hash_table_lookup (groups, GUINT_TO_POINTER (parent));

    for (guint i = 0; group != NULL && i < group->len; i++) {
        ((ProfileMomentFrame *) group->pdata[i])->depth = depth;
        g_ptr_array_add (open, group->pdata[i]);
    }
}

GPtrArray *
profile_moment_new (const ProfileModel *model, const JobRankSet *ranks, double time_s,
                    guint rank, guint thread)
{
    Gathering gathering = { profile_model_get_contexts (model), g_hash_table_new (NULL, NULL) };
    GPtrArray *result = g_ptr_array_new_with_free_func (free_frame);
    g_autoptr (GPtrArray) open = g_ptr_array_new ();
    GHashTable *groups;

    for (guint i = 0; i < profile_model_get_n_ranks (model); i++) {
        guint32 number = profile_model_get_rank (model, i);
        guint chosen = thread;
        ProfileSample sample;

        if ((ranks != NULL && !job_rank_set_contains (ranks, number))
            || (number != rank && !profile_model_find_first_thread (model, i, &chosen))) {
            continue;
        }
        if (profile_model_find_sample (model, i, chosen, time_s, &sample)) {
            add_stack (&gathering, profile_samples_get_seen (model, i, &sample), number);
        }
    }
    groups = group_by_parent (&gathering);
    push (open, groups, 0, 0);
    while (open->len > 0) {
        ProfileMomentFrame *frame = g_ptr_array_remove_index (open, open->len - 1);

        g_ptr_array_add (result, frame);
        push (open, groups, frame->context, frame->depth + 1);
    }
    g_hash_table_unref (groups);
    g_hash_table_unref (gathering.frames);
    return result;
}
