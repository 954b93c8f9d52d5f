/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Observable lists of what the session knows, for views: GListModels whose items stay the same
 * objects as long as what they show exists. "items-changed" says which items are new, have changed or
 * are gone. Nobody but the session writes them. */
#pragma once
#include "session/session.h"

#define SESSION_TYPE_ITEM (session_item_get_type ())
G_DECLARE_FINAL_TYPE (SessionItem, session_item, SESSION, ITEM, GObject)

/* Breakpoints in the order of their numbers; named sets in the order of their names. Of SessionItem;
 * borrowed, as old as the session. */
GListModel *session_get_breakpoint_list (const Session *session);
GListModel *session_get_set_list (const Session *session);

/* NULL: it is a set's item, or the breakpoint has been deleted. Borrowed, until the item changes. */
const SessionBreakpoint *session_item_get_breakpoint (const SessionItem *item);
/* Of a set; NULL: it is a breakpoint's. */
const char *session_item_get_name (const SessionItem *item);
/* Of a breakpoint those that it was asked for; of a set those that it had when it was named, none for a
 * live one. Borrowed, until the item changes; NULL when it has been deleted. */
const JobRankSet *session_item_get_ranks (const SessionItem *item);
/* A live set's text; NULL: it is fixed, or no set. */
const char *session_item_get_live_text (const SessionItem *item);

/* Freshness: the highest stop number of the events that this item is made of, 0 while it is made of none
 * that has one; and the monotonic time of its last change. */
guint64 session_item_get_stop (const SessionItem *item);
gint64 session_item_get_changed_us (const SessionItem *item);
