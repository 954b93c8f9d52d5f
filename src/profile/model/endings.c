/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ranks that have been killed, or have said by their status that they failed; and what is not in the tree. */
#include "profile/model/endings.h"
#include "profile/private.h"

#define MOST_GROUPS 4u /* that are named */

typedef struct {
    const char *ending; /* interned */
    JobRankSet *ranks;
} Group;

BASE_FREE (free_group, Group, group, job_rank_set_free (group->ranks))

/* Whom a launcher has killed after another one had failed are many. */
BASE_ORDER_POINTERS (compare_groups, Group,
                     job_rank_set_compare_counts (left->ranks, right->ranks)
                         ?: g_strcmp0 (left->ending, right->ending))

static GPtrArray *
find_groups (const ProfileModel *model)
{
    GPtrArray *groups = g_ptr_array_new_with_free_func (free_group);

    for (guint i = 0; i < model->ranks->len; i++) {
        const char *ending = profile_model_get_process (model, i)->ending;
        Group *group = NULL;

        if (ending == NULL || profile_model_is_child (model, i)) {
            continue;
        }
        for (guint j = 0; j < groups->len && group == NULL; j++) {
            Group *other = g_ptr_array_index (groups, j);

            group = other->ending == ending ? other : NULL;
        }
        if (group == NULL) {
            group = g_new0 (Group, 1);
            group->ending = ending;
            group->ranks = job_rank_set_new ();
            g_ptr_array_add (groups, group);
        }
        profile_model_add_members (model, i, group->ranks);
    }
    g_ptr_array_sort (groups, compare_groups);
    return groups;
}

static char *
format_group (BaseTextForm form, const Group *group)
{
    g_autofree char *ranks = job_rank_set_format_brief (group->ranks);
    gulong n = job_rank_set_get_count (group->ranks);

    return g_ascii_isdigit (*group->ending)
               ? base_text_print_plural (form, "rank %s ended with status %s",
                                         "ranks %s ended with status %s", n, ranks,
                                         group->ending)
               : base_text_print_plural (form, "rank %s was killed by %s",
                                         "ranks %s were killed by %s", n, ranks, group->ending);
}

char *
profile_format_endings (const ProfileModel *model, BaseTextForm form)
{
    g_autoptr (GPtrArray) groups = find_groups (model);
    g_autoptr (GString) text = g_string_new (NULL);

    for (guint i = 0; i < MIN (groups->len, MOST_GROUPS); i++) {
        g_autofree char *part = format_group (form, g_ptr_array_index (groups, i));

        g_string_append_printf (text, "%s%s", i > 0 ? "; " : "", part);
    }
    if (groups->len > MOST_GROUPS) {
        g_string_append (text, "; …");
    }
    return groups->len > 0 ? base_text_print (form, "Not all ranks ended well: %s", text->str)
                           : NULL;
}

char *
profile_format_namesakes (const ProfileModel *model, BaseTextForm form)
{
    g_autoptr (JobRankSet) ranks = job_rank_set_new (), pids = job_rank_set_new ();
    g_autofree char *ranks_text = NULL, *pids_text = NULL;

    for (guint i = 0; i < model->ranks->len; i++) {
        gint32 pid = profile_model_get_process (model, i)->namesake;

        if (pid > 0) {
            job_rank_set_add (pids, (guint32) pid);
            job_rank_set_add (ranks, profile_model_get_rank (model, i));
        }
    }
    if (job_rank_set_is_empty (ranks)) {
        return NULL;
    }
    ranks_text = job_rank_set_format_brief (ranks);
    pids_text = job_rank_set_format_brief (pids);
    return base_text_print_plural (
        form,
        "The samples of process %s are left out, because here rank %s is another process: "
        "FOLDER/profile has them",
        "The samples of processes %s are left out, because here ranks %s are other processes: "
        "FOLDER/profile has them",
        job_rank_set_get_count (ranks), pids_text, ranks_text);
}
