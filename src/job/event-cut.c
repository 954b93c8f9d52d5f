/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Answers that differ in too many ranks, cut to a summary before they leave a host. */
#include "job/event.h"
#include "base/array.h"

static gboolean
is_whole (const JobEvent *event)
{
    return (event->flags & JOB_EVENT_SUMMARY) != 0 && (event->flags & JOB_EVENT_REST) == 0
           && (event->kind == JOB_EVENT_TEXT || event->kind == JOB_EVENT_DETAILS);
}

static guint
hash_kind (gconstpointer data)
{
    const JobEvent *event = data;

    return (guint) event->kind + (guint) event->request * 31 + (guint) event->stop * 17;
}

static gboolean
is_one_kind (gconstpointer a, gconstpointer b)
{
    const JobEvent *left = a, *right = b;

    return left->kind == right->kind && left->request == right->request
           && left->stop == right->stop && left->flags == right->flags
           && left->final == right->final;
}

static int
compare_counts (gconstpointer a, gconstpointer b)
{
    const JobRankSet *left = (*(const JobEvent *const *) a)->ranks,
                     *right = (*(const JobEvent *const *) b)->ranks;
    guint32 l = job_rank_set_get_count (left), r = job_rank_set_get_count (right);

    if (l != r) {
        return l > r ? -1 : 1;
    }
    l = job_rank_set_get_lowest (left);
    r = job_rank_set_get_lowest (right);
    return l < r ? -1 : l > r;
}

/* Empties the ranks of those that it sums up. */
static JobEvent *
sum_up (GPtrArray *alike)
{
    const JobEvent *first = g_ptr_array_index (alike, 0);
    JobEvent *rest = job_event_new (first->kind, first->request, NULL);

    rest->final = first->final;
    rest->flags = first->flags | JOB_EVENT_REST;
    rest->stop = first->stop;
    rest->number = (gint32) (alike->len - JOB_KEPT_GROUPS);
    g_ptr_array_sort (alike, compare_counts);
    for (guint i = JOB_KEPT_GROUPS; i < alike->len; i++) {
        JobEvent *event = g_ptr_array_index (alike, i);

        job_rank_set_merge (rest->ranks, event->ranks);
        job_rank_set_clear (event->ranks);
    }
    return rest;
}

static void
drop_emptied (GPtrArray *events)
{
    guint n = 0;

    for (guint i = 0; i < events->len; i++) {
        JobEvent *event = g_steal_pointer (&events->pdata[i]);

        if (is_whole (event) && job_rank_set_is_empty (event->ranks)) {
            job_event_free (event);
        } else {
            events->pdata[n++] = event;
        }
    }
    g_ptr_array_set_size (events, (int) n);
}

static void
cut_tables (const GPtrArray *events)
{
    BASE_EACH (events, const JobEvent, event) {
        const JobValueTable *table = event->flags & JOB_EVENT_SUMMARY
                                         ? job_event_get_table (event)
                                         : NULL;

        for (guint j = 0; table != NULL && j < table->rows->len; j++) {
            job_value_row_cut (g_ptr_array_index (table->rows, j), JOB_MAX_GROUPS,
                               JOB_KEPT_GROUPS);
        }
    }
}

void
job_event_list_cut (GPtrArray *events)
{
    g_autoptr (GHashTable) kinds = NULL;
    g_autoptr (GPtrArray) rests = g_ptr_array_new ();
    gpointer alike;

    cut_tables (events);
    if (events->len <= JOB_MAX_GROUPS) {
        return;
    }
    kinds = g_hash_table_new_full (hash_kind, is_one_kind, NULL,
                                   (GDestroyNotify) g_ptr_array_unref);
    BASE_EACH (events, JobEvent, event) {
        GPtrArray *list = is_whole (event) ? g_hash_table_lookup (kinds, event) : NULL;

        if (is_whole (event) && list == NULL) {
            list = g_ptr_array_new ();
            g_hash_table_insert (kinds, event, list);
        }
        if (list != NULL) {
            g_ptr_array_add (list, event);
        }
    }
    BASE_WALK (kinds, NULL, &alike) {
        if (((GPtrArray *) alike)->len > JOB_MAX_GROUPS) {
            g_ptr_array_add (rests, sum_up (alike));
        }
    }
    g_clear_pointer (&kinds, g_hash_table_unref);
    if (rests->len > 0) {
        drop_emptied (events);
        g_ptr_array_extend (events, rests, NULL, NULL);
        job_event_list_merge (events); /* a rest that has come joins one that was made */
    }
}
