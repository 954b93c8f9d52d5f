/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What ranks and the processes that they have forked are called. */
#include "profile/private.h"
#include <glib/gi18n.h>

#define MAX_FORKS 1000u /* one inside another: a damaged archive may have a circle */

/* The rank whose child, or child's child, it is. */
static guint32
find_rank (const ProfileModel *model, guint index)
{
    guint32 number = profile_model_get_rank (model, index);

    for (guint i = 0; i < MAX_FORKS && index < model->ranks->len; i++) {
        const ProfileProcess *process = profile_model_get_process (model, index);

        if (process->parent == 0) {
            break;
        }
        number = process->parent - 1;
        index = profile_model_find_place (model, number);
        if (!profile_model_has_rank (model, number)) {
            break;
        }
    }
    return number;
}

char *
profile_model_format_rank (BaseTextForm form, const ProfileModel *model, guint index)
{
    const ProfileProcess *process = profile_model_get_process (model, index);
    g_autoptr (JobRankSet) ranks = job_rank_set_new ();
    g_autofree char *text = NULL;

    if (process->parent != 0) {
        guint32 rank = find_rank (model, index);

        return process->pid > 0
                   ? base_text_print (form, N_ ("process %d (child of rank %u)"), process->pid,
                                      rank)
                   : base_text_print (form, N_ ("process (child of rank %u)"), rank);
    }
    if (profile_model_get_n_members (model, index) == 1) {
        return base_text_print (form, N_ ("rank %u"), profile_model_get_rank (model, index));
    }
    profile_model_add_members (model, index, ranks);
    text = job_rank_set_format_brief (ranks);
    return base_text_print (form, N_ ("ranks %s"), text);
}

JobRankSet *
profile_model_dup_ranks (const ProfileModel *model)
{
    JobRankSet *ranks = job_rank_set_new ();

    for (guint i = 0; i < model->ranks->len; i++) {
        if (!profile_model_is_child (model, i)) {
            profile_model_add_members (model, i, ranks);
        }
    }
    return ranks;
}
