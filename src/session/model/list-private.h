/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The GListModel that the session's lists have in common: its items, and how they become others with as
 * little as possible said about it. */
#pragma once
#include <gio/gio.h>

#define SESSION_TYPE_LIST (session_list_get_type ())
G_DECLARE_DERIVABLE_TYPE (SessionList, session_list, SESSION, LIST, GObject)

struct _SessionListClass {
    GObjectClass parent_class;
    GType item_type;
};

/* Of a class of its own, whose items are of that type: for a list that needs nothing else. */
SessionList *session_list_new (GType item_type);
GPtrArray *session_list_get_items (SessionList *list); /* of GObject; borrowed */
/* Takes the item. Says "items-changed". */
void session_list_insert (SessionList *list, guint at, gpointer item);
void session_list_remove (SessionList *list, guint at, guint n);
void session_list_say_changed (SessionList *list, guint at,
                               guint n); /* they show something else */

typedef struct {
    /* Equal keys: an item of before and a fresh one are about the same thing. Borrowed. */
    const char *(*get_key) (gpointer item);
    /* Takes from the fresh item what it says now. TRUE: it is another thing than before. */
    gboolean (*take) (gpointer item, gpointer fresh);
} SessionListRules;
/* The list becomes what the fresh items are, in their order, with the objects of before where keys are the
 * same. "items-changed" covers those that are new, gone, moved or different, and no others; of those that
 * have changed their order as few as possible count as moved. Takes the fresh items (unref). */
void session_list_become (SessionList *list, GPtrArray *fresh, const SessionListRules *rules);
