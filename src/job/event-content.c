/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What events have, one for each kind: a row of the table says how it is copied, compared and merged. */
#include "job/event-private.h"
#include "base/array.h"

static const guint8 contents[JOB_N_EVENTS] = {
    [JOB_EVENT_RANKS] = JOB_CONTENT_PROCESSES, [JOB_EVENT_BREAKPOINT] = JOB_CONTENT_PLACES,
    [JOB_EVENT_STACKS] = JOB_CONTENT_TREE,     [JOB_EVENT_VALUES] = JOB_CONTENT_TABLE,
    [JOB_EVENT_RETURNED] = JOB_CONTENT_TABLE,  [JOB_EVENT_QUEUES] = JOB_CONTENT_QUEUES,
    [JOB_EVENT_DETAILS] = JOB_CONTENT_DETAILS, [JOB_EVENT_COSTS] = JOB_CONTENT_COSTS,
    [JOB_EVENT_OUTPUT] = JOB_CONTENT_BYTES,    [JOB_EVENT_ARRAY] = JOB_CONTENT_BYTES,
    [JOB_EVENT_SAMPLES] = JOB_CONTENT_BYTES,
};

JobContent
job_event_kind_get_content (JobEventKind kind)
{
    return (guint) kind < JOB_N_EVENTS ? contents[kind] : JOB_CONTENT_NONE;
}

JobContent
job_event_find_content (const JobEvent *event)
{
    return event->content != NULL ? job_event_kind_get_content (event->kind) : JOB_CONTENT_NONE;
}

static gpointer
get (const JobEvent *event, JobContent kind)
{
    return job_event_kind_get_content (event->kind) == kind ? event->content : NULL;
}

GArray *
job_event_get_processes (const JobEvent *event)
{
    return get (event, JOB_CONTENT_PROCESSES);
}

JobValueTable *
job_event_get_table (const JobEvent *event)
{
    return get (event, JOB_CONTENT_TABLE);
}

GPtrArray *
job_event_get_details (const JobEvent *event)
{
    return get (event, JOB_CONTENT_DETAILS);
}

GBytes *
job_event_get_bytes (const JobEvent *event)
{
    return get (event, JOB_CONTENT_BYTES);
}

/* ---- processes ---- */

static gpointer
dup_processes (gconstpointer list)
{
    return job_process_list_dup (list);
}

static void
free_processes (gpointer list)
{
    g_array_unref (list);
}

static void
merge_processes (gpointer a, gconstpointer b)
{
    job_process_list_append (a, b);
}

/* ---- places ---- */

static gpointer
dup_places (gconstpointer data)
{
    const GPtrArray *list = data;
    GPtrArray *copy = g_ptr_array_new_with_free_func ((GDestroyNotify) job_location_free);

    for (guint i = 0; i < list->len; i++) {
        g_ptr_array_add (copy, job_location_dup (g_ptr_array_index (list, i)));
    }
    return copy;
}

/* Whoever made a list may have left out the free function; the event owns the items. */
static void
free_list (gpointer list, GDestroyNotify free_item)
{
    g_ptr_array_set_free_func (list, free_item);
    g_ptr_array_unref (list);
}

static void
free_places (gpointer list)
{
    free_list (list, (GDestroyNotify) job_location_free);
}

/* None is as an empty list. */
static gboolean
equal_places (gconstpointer a, gconstpointer b)
{
    const GPtrArray *left = a, *right = b;
    guint n = left != NULL ? left->len : 0;

    if (n != (right != NULL ? right->len : 0)) {
        return FALSE;
    }
    return BASE_ALL (i, n,
                     job_location_equal (g_ptr_array_index (left, i),
                                         g_ptr_array_index (right, i)));
}

/* ---- trees, tables, queues, costs ---- */

#define MERGED(Type, name, prefix)                                                             \
    static gpointer dup_##name (gconstpointer content)                                         \
    {                                                                                          \
        return prefix##_dup ((const Type *) content);                                          \
    }                                                                                          \
    static void free_##name (gpointer content)                                                 \
    {                                                                                          \
        prefix##_free ((Type *) content);                                                      \
    }                                                                                          \
    static void merge_##name (gpointer a, gconstpointer b)                                     \
    {                                                                                          \
        prefix##_merge ((Type *) a, (const Type *) b);                                         \
    }

MERGED (JobStackTree, tree, job_stack_tree)
MERGED (JobValueTable, table, job_value_table)
MERGED (JobMessageTable, queues, job_message_table)
MERGED (JobCosts, costs, job_costs)

/* ---- details ---- */

static gpointer
dup_details (gconstpointer list)
{
    return job_detail_list_dup (list);
}

static void
free_details (gpointer list)
{
    free_list (list, (GDestroyNotify) job_detail_free);
}

static gboolean
equal_details (gconstpointer a, gconstpointer b)
{
    return job_detail_list_equal (a, b);
}

static guint
hash_details (gconstpointer data)
{
    const GPtrArray *list = data;
    guint hash = 0;

    BASE_EACH (list, const JobDetail, detail) {
        hash = hash * 31 + (guint) detail->number;
        hash = hash * 31 + (detail->text != NULL ? g_str_hash (detail->text) : 0);
    }
    return hash;
}

/* ---- bytes ---- */

static gpointer
dup_bytes (gconstpointer bytes)
{
    return g_bytes_ref ((GBytes *) bytes);
}

static void
free_bytes (gpointer bytes)
{
    g_bytes_unref (bytes);
}

static gboolean
equal_bytes (gconstpointer a, gconstpointer b)
{
    return a == b || (a != NULL && b != NULL && g_bytes_equal (a, b));
}

/* ---- all of them ---- */

static const struct {
    gpointer (*dup) (gconstpointer content);
    void (*free) (gpointer content);
    gboolean (*equal) (gconstpointer a, gconstpointer b); /* NULL: they are merged */
    guint (*hash) (gconstpointer content);                /* NULL: 0 */
    void (*merge) (gpointer a, gconstpointer b);
    gboolean may_lack; /* one that has nothing is merged with one that has something */
} table[JOB_N_CONTENTS] = {
    [JOB_CONTENT_PROCESSES] = { dup_processes, free_processes, NULL, NULL, merge_processes,
                                TRUE },
    [JOB_CONTENT_PLACES] = { dup_places, free_places, equal_places, NULL, NULL, FALSE },
    [JOB_CONTENT_TREE] = { dup_tree, free_tree, NULL, NULL, merge_tree, FALSE },
    [JOB_CONTENT_TABLE] = { dup_table, free_table, NULL, NULL, merge_table, FALSE },
    [JOB_CONTENT_QUEUES] = { dup_queues, free_queues, NULL, NULL, merge_queues, FALSE },
    [JOB_CONTENT_DETAILS] = { dup_details, free_details, equal_details, hash_details, NULL,
                              FALSE },
    [JOB_CONTENT_COSTS] = { dup_costs, free_costs, NULL, NULL, merge_costs, FALSE },
    [JOB_CONTENT_BYTES] = { dup_bytes, free_bytes, equal_bytes, g_bytes_hash, NULL, FALSE },
};

gpointer
job_content_dup (JobContent kind, gconstpointer content)
{
    return table[kind].dup != NULL && content != NULL ? table[kind].dup (content) : NULL;
}

void
job_content_free (JobContent kind, gpointer content)
{
    if (table[kind].free != NULL && content != NULL) {
        table[kind].free (content);
    }
}

gboolean
job_content_is_alike (JobContent kind, gconstpointer a, gconstpointer b)
{
    return table[kind].equal != NULL ? table[kind].equal (a, b)
                                     : table[kind].may_lack || (a == NULL) == (b == NULL);
}

gpointer
job_content_merge (JobContent kind, gpointer a, gconstpointer b)
{
    if (a == NULL || table[kind].merge == NULL) {
        return a != NULL ? a : job_content_dup (kind, b);
    }
    if (b != NULL) {
        table[kind].merge (a, b);
    }
    return a;
}

guint
job_content_hash (JobContent kind, gconstpointer content)
{
    return table[kind].hash != NULL && content != NULL ? table[kind].hash (content) : 0;
}
