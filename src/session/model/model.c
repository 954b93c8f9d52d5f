/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lists and their items. What is in them is looked up in the session when a file of it says that
 * something has changed: an item never has another truth than the session. */
#include "session/model.h"
#include "session/private.h"

struct _SessionItem {
    GObject parent;
    guint32 number;                      /* of a breakpoint; 0: a set's */
    char *name;                          /* of a set */
    const SessionBreakpoint *breakpoint; /* NULL: deleted */
    const JobRankSet *ranks;
    const char *live_text;
    guint64 stop;
    gint64 changed_us;
};

G_DEFINE_TYPE (SessionItem, session_item, G_TYPE_OBJECT)

static void
session_item_finalize (GObject *object)
{
    g_free (SESSION_ITEM (object)->name);
    G_OBJECT_CLASS (session_item_parent_class)->finalize (object);
}

static void
session_item_class_init (SessionItemClass *klass)
{
    G_OBJECT_CLASS (klass)->finalize = session_item_finalize;
}

static void
session_item_init (SessionItem *item)
{
}

/* ---- writing ---- */

static int
compare_key (const SessionItem *item, guint32 number, const char *name)
{
    return name != NULL            ? g_strcmp0 (item->name, name)
           : item->number < number ? -1
                                   : item->number > number;
}

/* Where the key's item is, or would be; *ret_item NULL: it is not there. */
static guint
find_item (SessionList *list, guint32 number, const char *name, SessionItem **ret_item)
{
    const GPtrArray *items = session_list_get_items (list);
    guint at = 0;

    while (at < items->len && compare_key (items->pdata[at], number, name) < 0) {
        at++;
    }
    *ret_item = at < items->len && compare_key (items->pdata[at], number, name) == 0
                    ? items->pdata[at]
                    : NULL;
    return at;
}

static void
remove_item (SessionList *list, guint at)
{
    SessionItem *item
        = session_list_get_items (list)->pdata[at]; /* a view may have it for longer */

    item->breakpoint = NULL;
    item->ranks = NULL;
    item->live_text = NULL;
    session_list_remove (list, at, 1);
}

/* The one writer. `fact` has what the item shows now; its `ranks` NULL: it is gone. */
static void
write_item (SessionList *list, const SessionItem *fact, guint64 stop)
{
    SessionItem *item;
    guint at = find_item (list, fact->number, fact->name, &item);
    gboolean is_new = item == NULL;

    if (fact->ranks == NULL) {
        if (!is_new) {
            remove_item (list, at);
        }
        return;
    }
    if (is_new) {
        item = g_object_new (SESSION_TYPE_ITEM, NULL);
        item->number = fact->number;
        item->name = g_strdup (fact->name);
    }
    item->breakpoint = fact->breakpoint;
    item->ranks = fact->ranks;
    item->live_text = fact->live_text;
    item->stop = MAX (item->stop, stop);
    item->changed_us = g_get_monotonic_time ();
    if (is_new) {
        session_list_insert (list, at, item);
    } else {
        session_list_say_changed (list, at, 1);
    }
}

void
session_model_note_breakpoint (Session *session, guint32 number, guint64 stop)
{
    const SessionBreakpoint *breakpoint = session_find_breakpoint (session, number);
    const SessionItem fact = { .number = number,
                               .breakpoint = breakpoint,
                               .ranks = breakpoint != NULL ? breakpoint->ranks : NULL };

    write_item (session->lists->breakpoints, &fact, stop);
    g_signal_emit (session, session_signals[SESSION_BREAKPOINTS_CHANGED], 0);
}

void
session_model_note_set (Session *session, const char *name)
{
    const char *live_text = NULL;
    const JobRankSet *ranks = session_find_named (session, name, &live_text);
    const SessionItem fact = { .name = (char *) name, .ranks = ranks, .live_text = live_text };

    write_item (session->lists->sets, &fact, 0);
    g_signal_emit (session, session_signals[SESSION_SETS_CHANGED], 0);
}

void
session_model_init (Session *session)
{
    session->lists->breakpoints = session_list_new (SESSION_TYPE_ITEM);
    session->lists->sets = session_list_new (SESSION_TYPE_ITEM);
}

static void
clear_list (SessionList *list)
{
    while (session_list_get_items (list)->len > 0) {
        remove_item (list, session_list_get_items (list)->len - 1);
    }
    g_object_unref (list);
}

void
session_model_clear (Session *session)
{
    clear_list (session->lists->breakpoints);
    clear_list (session->lists->sets);
}

/* ---- reading ---- */

GListModel *
session_get_breakpoint_list (const Session *session)
{
    return G_LIST_MODEL (session->lists->breakpoints);
}

GListModel *
session_get_set_list (const Session *session)
{
    return G_LIST_MODEL (session->lists->sets);
}

const SessionBreakpoint *
session_item_get_breakpoint (const SessionItem *item)
{
    return item->breakpoint;
}

const char *
session_item_get_name (const SessionItem *item)
{
    return item->name;
}

const JobRankSet *
session_item_get_ranks (const SessionItem *item)
{
    return item->ranks;
}

const char *
session_item_get_live_text (const SessionItem *item)
{
    return item->live_text;
}

guint64
session_item_get_stop (const SessionItem *item)
{
    return item->stop;
}

gint64
session_item_get_changed_us (const SessionItem *item)
{
    return item->changed_us;
}
