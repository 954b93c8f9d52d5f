/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Items stay the same objects as long as what they are about exists, so that views can keep what they
 * know of them. After each "items-changed" the list is as it said, not before and not later. */
#include "session/model/list-private.h"
#include "base/array.h"

typedef struct {
    GPtrArray *items; /* of GObject */
    GType item_type;
} SessionListPrivate;

static void session_list_init_model (GListModelInterface *iface);

G_DEFINE_TYPE_WITH_CODE (SessionList, session_list, G_TYPE_OBJECT,
                         G_ADD_PRIVATE (SessionList)
                             G_IMPLEMENT_INTERFACE (G_TYPE_LIST_MODEL, session_list_init_model))

static SessionListPrivate *
get_private (gpointer list)
{
    return session_list_get_instance_private (SESSION_LIST (list));
}

static void
session_list_finalize (GObject *object)
{
    g_ptr_array_unref (get_private (object)->items);
    G_OBJECT_CLASS (session_list_parent_class)->finalize (object);
}

static void
session_list_class_init (SessionListClass *klass)
{
    G_OBJECT_CLASS (klass)->finalize = session_list_finalize;
    klass->item_type = G_TYPE_OBJECT;
}

static void
session_list_init (SessionList *list)
{
    get_private (list)->items = g_ptr_array_new_with_free_func (g_object_unref);
}

static GType
get_item_type (GListModel *model)
{
    const SessionListPrivate *list = get_private (model);

    return list->item_type != 0 ? list->item_type : SESSION_LIST_GET_CLASS (model)->item_type;
}

static guint
get_n_items (GListModel *model)
{
    return get_private (model)->items->len;
}

static gpointer
get_item (GListModel *model, guint position)
{
    const SessionListPrivate *list = get_private (model);

    return position < list->items->len ? g_object_ref (list->items->pdata[position]) : NULL;
}

static void
session_list_init_model (GListModelInterface *iface)
{
    iface->get_item_type = get_item_type;
    iface->get_n_items = get_n_items;
    iface->get_item = get_item;
}

SessionList *
session_list_new (GType item_type)
{
    SessionList *list = g_object_new (SESSION_TYPE_LIST, NULL);

    get_private (list)->item_type = item_type;
    return list;
}

GPtrArray *
session_list_get_items (SessionList *list)
{
    return get_private (list)->items;
}

void
session_list_insert (SessionList *list, guint at, gpointer item)
{
    g_ptr_array_insert (get_private (list)->items, (gint) at, item);
    g_list_model_items_changed (G_LIST_MODEL (list), at, 0, 1);
}

void
session_list_remove (SessionList *list, guint at, guint n)
{
    if (n > 0) {
        g_ptr_array_remove_range (get_private (list)->items, at, n);
        g_list_model_items_changed (G_LIST_MODEL (list), at, n, 0);
    }
}

void
session_list_say_changed (SessionList *list, guint at, guint n)
{
    g_list_model_items_changed (G_LIST_MODEL (list), at, n, n);
}

/* ---- becoming another list ---- */

/* Of each fresh item: where its key was before, plus one; 0: it is new. */
static guint *
find_before (GPtrArray *items, GPtrArray *fresh, const SessionListRules *rules)
{
    g_autoptr (GHashTable) places = g_hash_table_new (g_str_hash, g_str_equal);
    guint *before = g_new0 (guint, fresh->len + 1);

    for (guint i = 0; i < items->len; i++) {
        g_hash_table_insert (places, (gpointer) rules->get_key (items->pdata[i]),
                             GUINT_TO_POINTER (i + 1));
    }
    for (guint i = 0; i < fresh->len; i++) {
        before[i] = GPOINTER_TO_UINT (g_hash_table_lookup (places,
                                                           rules->get_key (fresh->pdata[i])));
    }
    return before;
}

/* Which items of before stay where they are: the longest rising sequence in `before` (patience sorting:
 * `ends` has the last member of the best sequence of each length). */
static guint8 *
find_staying (const guint *before, guint n_fresh, guint n_items)
{
    g_autofree guint *ends = g_new (guint, n_fresh + 1), *previous = g_new (guint, n_fresh + 1);
    guint8 *stays = g_new0 (guint8, n_items + 1);
    guint length = 0;

    for (guint i = 0; i < n_fresh; i++) {
        guint low;

        if (before[i] == 0) {
            continue;
        }
        low = BASE_BISECT (middle, 0, length, before[ends[middle]] < before[i]);
        previous[i] = low > 0 ? ends[low - 1] : G_MAXUINT;
        ends[low] = i;
        length = MAX (length, low + 1);
    }
    for (guint i = length > 0 ? ends[length - 1] : G_MAXUINT; i != G_MAXUINT; i = previous[i]) {
        stays[before[i] - 1] = TRUE;
    }
    return stays;
}

static void
remove_others (SessionList *list, const guint8 *stays)
{
    for (guint end = get_private (list)->items->len; end > 0;) {
        guint first = end;

        while (first > 0 && !stays[first - 1]) {
            first--;
        }
        session_list_remove (list, first, end - first);
        end = first > 0 ? first - 1 : 0;
    }
}

/* What is said at one place: n new ones, or n that are different. */
typedef struct {
    guint at, n;
    gboolean are_new;
} Run;

static void
end_run (SessionList *list, Run *run)
{
    if (run->n > 0) {
        g_list_model_items_changed (G_LIST_MODEL (list), run->at, run->are_new ? 0 : run->n,
                                    run->n);
    }
    run->n = 0;
}

static void
add_to_run (SessionList *list, Run *run, guint at, gboolean is_new)
{
    if (run->n == 0 || run->are_new != is_new) {
        end_run (list, run);
        *run = (Run){ .at = at, .are_new = is_new };
    }
    run->n++;
}

/* The items of a run are in the list before it is said; those behind it are still as they were. */
static void
put_fresh (SessionList *list, GPtrArray *fresh, const guint *before, const guint8 *stays,
           GPtrArray *was, const SessionListRules *rules)
{
    GPtrArray *items = get_private (list)->items;
    Run run = { 0 };

    for (guint i = 0; i < fresh->len; i++) {
        gpointer item = before[i] > 0 ? was->pdata[before[i] - 1] : NULL;

        if (item == NULL || !stays[before[i] - 1]) {
            if (run.n > 0 && !run.are_new) {
                end_run (list, &run); /* while positions are still those */
            }
            if (item != NULL) {
                rules->take (item, fresh->pdata[i]);
            }
            g_ptr_array_insert (items, (gint) i,
                                g_object_ref (item != NULL ? item : fresh->pdata[i]));
            add_to_run (list, &run, i, TRUE);
            continue;
        }
        if (run.n > 0 && run.are_new) {
            end_run (list, &run);
        }
        if (rules->take (item, fresh->pdata[i])) {
            add_to_run (list, &run, i, FALSE);
        } else {
            end_run (list, &run);
        }
    }
    end_run (list, &run);
}

void
session_list_become (SessionList *list, GPtrArray *fresh, const SessionListRules *rules)
{
    GPtrArray *items = get_private (list)->items;
    g_autoptr (GPtrArray) taken = fresh;
    g_autoptr (GPtrArray) was = g_ptr_array_new_with_free_func (g_object_unref);
    g_autofree guint *before = find_before (items, fresh, rules);
    g_autofree guint8 *stays = find_staying (before, fresh->len, items->len);

    for (guint i = 0; i < items->len; i++) {
        g_ptr_array_add (was, g_object_ref (items->pdata[i]));
    }
    remove_others (list, stays);
    put_fresh (list, fresh, before, stays, was, rules);
}
