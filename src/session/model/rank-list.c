/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of single ranks: positions are counted, and items made when they are asked for. */
#include "session/rank-list.h"
#include "session/private.h"

struct _SessionRankItem {
    GObject parent;
    Session *session; /* weak */
    guint32 rank;
};

G_DEFINE_TYPE (SessionRankItem, session_rank_item, G_TYPE_OBJECT)

struct _SessionRankList {
    GObject parent;
    Session *session; /* weak */
    JobRankSet *ranks;
    guint32 *before; /* how many there are in front of each range */
    guint32 count;
    guint n_files; /* known: what a place is called depends on them */
};

static void session_rank_list_init_model (GListModelInterface *iface);

G_DEFINE_TYPE_WITH_CODE (SessionRankList, session_rank_list, G_TYPE_OBJECT,
                         G_IMPLEMENT_INTERFACE (G_TYPE_LIST_MODEL,
                                                session_rank_list_init_model))

static void
session_rank_item_finalize (GObject *object)
{
    g_clear_weak_pointer (&SESSION_RANK_ITEM (object)->session);
    G_OBJECT_CLASS (session_rank_item_parent_class)->finalize (object);
}

static void
session_rank_item_class_init (SessionRankItemClass *klass)
{
    G_OBJECT_CLASS (klass)->finalize = session_rank_item_finalize;
}

static void
session_rank_item_init (SessionRankItem *item)
{
}

guint32
session_rank_item_get_rank (const SessionRankItem *item)
{
    return item->rank;
}

SessionRank
session_rank_item_get (const SessionRankItem *item)
{
    return item->session != NULL ? session_get_rank (item->session, item->rank)
                                 : (SessionRank){ .is_there = FALSE };
}

static void
count (SessionRankList *list)
{
    const GArray *ranges = list->ranks->ranges;

    list->count = 0;
    g_free (list->before);
    list->before = g_new (guint32, ranges->len + 1);
    for (guint i = 0; i < ranges->len; i++) {
        const JobRankRange *range = &g_array_index (ranges, JobRankRange, i);

        list->before[i] = list->count;
        list->count += range->end - range->first;
    }
}

/* The range that has the position: the last one with no more than so many in front of it. */
static guint
find_range (const SessionRankList *list, guint32 position)
{
    guint low = 0, high = list->ranks->ranges->len;

    while (high - low > 1) {
        guint middle = (low + high) / 2;

        if (list->before[middle] <= position) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

/* How many ranks of the list are lower. */
static guint32
find_position (const SessionRankList *list, guint32 rank)
{
    const GArray *ranges = list->ranks->ranges;
    guint low = BASE_BISECT (middle, 0, ranges->len,
                             g_array_index (ranges, JobRankRange, middle).end <= rank);

    if (low == ranges->len) {
        return list->count;
    }
    return list->before[low]
           + (rank > g_array_index (ranges, JobRankRange, low).first
                  ? rank - g_array_index (ranges, JobRankRange, low).first
                  : 0);
}

static GType
get_item_type (GListModel *model)
{
    return SESSION_TYPE_RANK_ITEM;
}

static guint
get_n_items (GListModel *model)
{
    return SESSION_RANK_LIST (model)->count;
}

static gpointer
get_item (GListModel *model, guint position)
{
    const SessionRankList *list = SESSION_RANK_LIST (model);
    SessionRankItem *item;
    guint range;

    if (position >= list->count) {
        return NULL;
    }
    range = find_range (list, position);
    item = g_object_new (SESSION_TYPE_RANK_ITEM, NULL);
    g_set_weak_pointer (&item->session, list->session);
    item->rank = g_array_index (list->ranks->ranges, JobRankRange, range).first + position
                 - list->before[range];
    return item;
}

static void
session_rank_list_init_model (GListModelInterface *iface)
{
    iface->get_item_type = get_item_type;
    iface->get_n_items = get_n_items;
    iface->get_item = get_item;
}

static void
on_states_changed (SessionRankList *list, guint first, guint end)
{
    gboolean has_names = list->n_files != g_hash_table_size (list->session->texts->files);
    guint32 from = has_names ? 0 : find_position (list, first);
    guint32 to = has_names ? list->count : find_position (list, end);

    list->n_files = g_hash_table_size (list->session->texts->files);
    if (to > from) {
        g_list_model_items_changed (G_LIST_MODEL (list), from, to - from, to - from);
    }
}

static void
session_rank_list_finalize (GObject *object)
{
    SessionRankList *list = SESSION_RANK_LIST (object);

    g_clear_weak_pointer (&list->session);
    job_rank_set_free (list->ranks);
    g_free (list->before);
    G_OBJECT_CLASS (session_rank_list_parent_class)->finalize (object);
}

static void
session_rank_list_class_init (SessionRankListClass *klass)
{
    G_OBJECT_CLASS (klass)->finalize = session_rank_list_finalize;
}

static void
session_rank_list_init (SessionRankList *list)
{
}

SessionRankList *
session_rank_list_new (Session *session, const JobRankSet *ranks)
{
    SessionRankList *list = g_object_new (SESSION_TYPE_RANK_LIST, NULL);

    g_set_weak_pointer (&list->session, session);
    list->ranks = job_rank_set_dup (ranks);
    count (list);
    g_signal_connect_object (session, "states-changed", G_CALLBACK (on_states_changed), list,
                             G_CONNECT_SWAPPED);
    return list;
}

void
session_rank_list_set_ranks (SessionRankList *list, const JobRankSet *ranks)
{
    guint32 n = list->count;

    if (!job_rank_set_equal (ranks, list->ranks)) {
        job_rank_set_free (list->ranks);
        list->ranks = job_rank_set_dup (ranks);
        count (list);
        g_list_model_items_changed (G_LIST_MODEL (list), 0, n, list->count);
    }
}
