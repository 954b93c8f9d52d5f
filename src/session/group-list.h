/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists of ranks for views: GListModels that the session keeps up to date from what events have said of the
 * ranks. A view that nobody sees puts its list to sleep. */
#pragma once
#include "session/session.h"

typedef enum {
    SESSION_BY_STATE, /* ranks in one state, in the order of states */
    SESSION_BY_PLACE  /* ranks of one state line, by lowest rank */
} SessionGrouping;

/* Ranks that are told of by one line. */
#define SESSION_TYPE_GROUP (session_group_get_type ())
G_DECLARE_FINAL_TYPE (SessionGroup, session_group, SESSION, GROUP, GObject)

/* STATE, with the ranks; by state alone: without place, number and text. Borrowed, until the item
 * changes. */
const JobEvent *session_group_get_event (const SessionGroup *group);
/* The state line without its ranks, as session_dup_shown_state; with the text of the signal or
 * exception where it has one. Borrowed likewise. */
const char *session_group_get_text (const SessionGroup *group);
const char *session_group_get_line (const SessionGroup *group); /* without that text */
/* Freshness. The highest stop number of its ranks; when the place was learned, of the rank where that is
 * longest ago: 0 without a place. */
guint64 session_group_get_stop (const SessionGroup *group);
gint64 session_group_get_place_us (const SessionGroup *group);
/* Since when what it says is not what is known now: some of its ranks' hosts are silent, or they move and
 * their place is from an earlier look. 0: it is what is known, also of those that are blocked: one that gets
 * on is blocked no longer. */
gint64 session_group_get_stale_us (const SessionGroup *group, const Session *session);

/* Of SessionGroup: an item for each group, however many ranks there are; the first SESSION_MAX_GROUPS. */
#define SESSION_MAX_GROUPS 1000
#define SESSION_TYPE_GROUP_LIST (session_group_list_get_type ())
GType session_group_list_get_type (void);
typedef struct _SessionGroupList SessionGroupList;
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SessionGroupList, g_object_unref)
/* ranks NULL: all that there are, also those to come. It is asleep and empty at first. The list may outlive
 * the session, and is empty then. Caller owns (g_object_unref). */
SessionGroupList *session_group_list_new (Session *session, const JobRankSet *ranks,
                                          SessionGrouping by);
/* Asleep: it stays as it is, and costs nothing. Awake: it becomes what is known now, and follows. Where there
 * are few ranks it has done so when this returns. */
void session_group_list_set_awake (SessionGroupList *list, gboolean is_awake);
void session_group_list_set_ranks (SessionGroupList *list, const JobRankSet *ranks);
/* Ranks that belong to it and are in none of its items, as there are too many groups. */
guint32 session_group_list_count_rest (const SessionGroupList *list);
