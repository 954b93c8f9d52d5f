/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/losses.h"
#include "profile/private.h"
#include "base/array.h"

void
profile_losses_init (ProfileModel *model)
{
    model->losses = g_array_new (FALSE, FALSE, sizeof (ProfileLoss));
}

void
profile_losses_clear (ProfileModel *model)
{
    g_array_unref (model->losses);
}

void
profile_model_add_loss (ProfileModel *model, const ProfileLoss *loss)
{
    g_array_append_val (model->losses, *loss);
}

const GArray *
profile_model_get_losses (const ProfileModel *model)
{
    return model->losses;
}

/* Returns the rank that has lost the most. */
static guint32
find_worst (const ProfileModel *model, guint64 *ret_n, guint64 *ret_most, ProfileKept *ret_kept)
{
    g_autoptr (GHashTable) sums = g_hash_table_new_full (NULL, NULL, NULL, g_free);
    guint32 worst = 0;

    *ret_n = *ret_most = 0;
    *ret_kept = PROFILE_KEPT_SOME;
    for (guint i = 0; i < model->losses->len; i++) {
        const ProfileLoss *loss = &g_array_index (model->losses, ProfileLoss, i);
        gpointer key = GUINT_TO_POINTER (loss->rank);
        guint64 *sum = g_hash_table_lookup (sums, key);

        if (sum == NULL) {
            sum = g_new0 (guint64, 1);
            g_hash_table_insert (sums, key, sum);
        }
        *sum += loss->n_events;
        *ret_n += loss->n_events;
        *ret_kept = MAX (*ret_kept, loss->kept);
        if (*sum > *ret_most) {
            *ret_most = *sum;
            worst = loss->rank;
        }
    }
    return worst;
}

/* There was no room for any of what came after some moment. */
static gboolean
has_ended (const ProfileModel *model)
{
    return BASE_ANY (i, model->losses->len,
                     g_array_index (model->losses, ProfileLoss, i).edge_us != 0);
}

const char *
profile_losses_get_bound (const ProfileModel *model)
{
    guint64 n, most;
    ProfileKept kept;

    find_worst (model, &n, &most, &kept);
    return n > 0 && kept == PROFILE_KEPT_SOME && has_ended (model) ? "at least " : "";
}

char *
profile_format_losses (const ProfileModel *model, BaseTextForm form)
{
    guint64 n, most;
    ProfileKept kept;
    guint32 rank = find_worst (model, &n, &most, &kept);
    g_autofree char *number = NULL, *part = NULL;

    if (n == 0) {
        return NULL;
    }
    number = g_strdup_printf ("%" G_GUINT64_FORMAT, n);
    part = g_strdup_printf ("%" G_GUINT64_FORMAT, most);
    switch (kept) {
    case PROFILE_KEPT_FIRST:
        return base_text_print (
            form, "The buffer was full: the last %s events are lost, %s of them from rank %u",
            number, part, rank);
    case PROFILE_KEPT_LAST:
        return base_text_print (
            form, "The buffer was full: the first %s events are lost, %s of them from rank %u",
            number, part, rank);
    default:
        if (!has_ended (model)) {
            return base_text_print (
                form,
                "%s events could not be recorded, %s of them from rank %u: a signal handler interrupted the recording, or a thread was ending",
                number, part, rank);
        }
        return base_text_print (
            form,
            "There was no more room for the trace: at least %s events are lost, %s of them from rank %u",
            number, part, rank);
    }
}

gboolean
profile_losses_lack_mpi (const ProfileModel *model)
{
    guint n_ranks = profile_model_get_n_ranks (model);

    return profile_model_has_calls (model) && n_ranks - profile_model_get_n_children (model) > 1
           && !BASE_ANY (i, n_ranks, profile_model_get_class (model, i, JOB_CLASS_MPI) > 0);
}

char *
profile_format_unrecorded (const ProfileModel *model, BaseTextForm form)
{
    return profile_losses_lack_mpi (model) ? base_text_print (
               form,
               "No call of MPI was recorded: if the ranks called it, that time counts for the functions around the calls")
                                           : NULL;
}
