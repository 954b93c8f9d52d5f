/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/otf2/processes.h"
#include "base/array.h"

#define KEY(id) GUINT_TO_POINTER ((guint) (id))
#define MAX_RANK (1u << 24)

static const char *
find_host (const ProfileOtf2Definitions *definitions, guint32 id)
{
    const char *name = NULL;

    for (guint i = 0; i < 32; i++) {
        const ProfileOtf2Node *node = g_hash_table_lookup (definitions->nodes, KEY (id));

        if (node == NULL) {
            break;
        }
        name = node->is_host || name == NULL ? node->name : name;
        if (node->is_host) {
            break;
        }
        id = node->parent;
    }
    return name;
}

static ProfileOtf2Processes *
make_processes (void)
{
    ProfileOtf2Processes *processes = g_new0 (ProfileOtf2Processes, 1);

    processes->all = g_ptr_array_new_with_free_func (profile_otf2_process_free);
    processes->by_group = g_hash_table_new (NULL, NULL);
    return processes;
}

void
profile_otf2_processes_free (ProfileOtf2Processes *processes)
{
    g_hash_table_unref (processes->by_group);
    g_ptr_array_unref (processes->all);
    g_free (processes);
}

ProfileOtf2Processes *
profile_otf2_processes_put (const ProfileOtf2Definitions *definitions,
                            const ProfileOtf2Fill *fill, ProfileSpool *to)
{
    ProfileOtf2Processes *processes = make_processes ();
    guint32 next = 0;

    for (guint i = 0; i < definitions->group_list->len; i++) {
        const ProfileOtf2Group *group = g_ptr_array_index (definitions->group_list, i);
        ProfileProcess process = { .parent = group->parent,
                                   .pid = (gint32) group->pid,
                                   .host = (char *) find_host (definitions, group->node),
                                   .program = (char *) group->program,
                                   .ending = group->ending };
        guint32 rank = group->rank != G_MAXUINT32 ? group->rank : next;
        ProfileOtf2Process *its;

        if (!group->is_process || rank >= MAX_RANK) {
            continue;
        }
        next = rank + 1;
        profile_spool_put_process (to, rank, &process);
        its = profile_otf2_process_new (definitions, rank, group);
        its->process = process;
        if (fill != NULL) {
            its->sampled = profile_otf2_fill_find (fill, process.host, process.pid);
        }
        g_ptr_array_add (processes->all, its);
        g_hash_table_insert (processes->by_group, KEY (group->self), its);
    }
    return processes;
}

ProfileOtf2Process *
profile_otf2_processes_find (const ProfileOtf2Processes *processes,
                             const ProfileOtf2Definitions *definitions,
                             const ProfileOtf2Location *location)
{
    const ProfileOtf2Group *group = g_hash_table_lookup (definitions->groups,
                                                         KEY (location->group));

    return group == NULL ? NULL
                         : g_hash_table_lookup (processes->by_group,
                                                KEY (group->is_accelerator ? group->creator
                                                                           : group->self));
}

/* NULL: there is none. */
static ProfileOtf2Process *
find_rank (const ProfileOtf2Processes *processes, guint32 rank)
{
    return BASE_FIND (processes->all, ProfileOtf2Process, process, process->rank == rank);
}

/* The process of the tree that is that one of the samples; NULL: there is none. */
static ProfileOtf2Process *
find_sampled (const ProfileOtf2Processes *processes, const ProfileModel *samples, guint32 rank)
{
    return BASE_FIND (processes->all, ProfileOtf2Process, process,
                      process->sampled != G_MAXUINT
                          && profile_model_get_rank (samples, process->sampled) == rank);
}

static guint32
find_free_rank (const ProfileOtf2Processes *processes, const ProfileModel *samples)
{
    guint n = profile_model_get_n_ranks (samples);
    guint32 next = n > 0 ? profile_model_get_rank (samples, n - 1) + 1 : 0;

    for (guint i = 0; i < processes->all->len; i++) {
        next = MAX (next,
                    ((const ProfileOtf2Process *) g_ptr_array_index (processes->all, i))->rank
                        + 1);
    }
    return next;
}

/* Which process of the tree has started one of the samples, or has the number of the rank that has; NULL: none. */
static const ProfileOtf2Process *
find_parent (const ProfileOtf2Processes *processes, const ProfileModel *samples, guint32 parent)
{
    const ProfileOtf2Process *process = NULL;
    guint index;

    for (guint32 next = parent; process == NULL && next != 0;) {
        parent = next;
        process = find_sampled (processes, samples, parent - 1);
        next = profile_model_find_index (samples, parent - 1, &index)
                   ? profile_model_get_process (samples, index)->parent
                   : 0;
        next = next < parent ? next : 0; /* whatever the archive says */
    }
    return process != NULL || parent == 0 ? process : find_rank (processes, parent - 1);
}

void
profile_otf2_processes_put_sampled (ProfileOtf2Processes *processes,
                                    const ProfileOtf2Definitions *definitions,
                                    const ProfileOtf2Fill *fill, ProfileSpool *to)
{
    static const ProfileOtf2Group nothing;
    const ProfileModel *samples = profile_otf2_fill_get_samples (fill);

    for (guint i = 0; i < profile_model_get_n_ranks (samples); i++) {
        ProfileProcess known = *profile_model_get_process (samples, i);
        guint32 rank = profile_model_get_rank (samples, i);
        const ProfileOtf2Process *parent = find_parent (processes, samples, known.parent);
        ProfileOtf2Process *process = known.parent == 0 ? find_rank (processes, rank) : NULL;

        if (find_sampled (processes, samples, rank) != NULL
            || profile_samples_get_n_threads (samples, i) == 0
            || (known.parent != 0 && parent == NULL)) {
            continue;
        }
        if (process != NULL) {
            process->process.namesake = known.pid;
            profile_spool_put_process (to, rank, &process->process);
            continue;
        }
        known.parent = parent != NULL ? parent->rank + 1 : 0;
        rank = parent != NULL ? find_free_rank (processes, samples) : rank;
        process = profile_otf2_process_new (definitions, rank, &nothing);
        process->sampled = i;
        g_ptr_array_add (processes->all, process);
        profile_spool_put_process (to, rank, &known);
    }
}
