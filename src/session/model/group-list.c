/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lists of groups. They are grouped again in pieces after ranks have changed, with a pause that grows
 * with what the last time cost, so that a flood of events costs a tenth of the time at most. */
#include "session/private.h"
#include "base/clock.h"

enum { PIECE = 1 << 17, PAUSE_FACTOR = 10 };

struct _SessionGroup {
    GObject parent;
    char *key, *text, *line;
    JobEvent *event;
    gint64 place_us;
};

G_DEFINE_TYPE (SessionGroup, session_group, G_TYPE_OBJECT)

struct _SessionGroupList {
    SessionList parent;
    Session *session; /* weak; NULL: it is gone */
    SessionGrouping by;
    JobRankSet *ranks; /* NULL: all */
    gboolean is_awake, is_dirty;
    SessionGrouper *grouper; /* under way; NULL */
    guint source;
    guint32 n_rest;
    gint64 cost_us, next_us; /* of the grouping; when the next one may begin */
};

typedef struct {
    SessionListClass parent_class;
} SessionGroupListClass;

G_DEFINE_TYPE (SessionGroupList, session_group_list, SESSION_TYPE_LIST)

/* ---- an item ---- */

static void
session_group_finalize (GObject *object)
{
    SessionGroup *group = SESSION_GROUP (object);

    job_event_free (group->event);
    g_free (group->key);
    g_free (group->text);
    g_free (group->line);
    G_OBJECT_CLASS (session_group_parent_class)->finalize (object);
}

static void
session_group_class_init (SessionGroupClass *klass)
{
    G_OBJECT_CLASS (klass)->finalize = session_group_finalize;
}

static void
session_group_init (SessionGroup *group)
{
}

const JobEvent *
session_group_get_event (const SessionGroup *group)
{
    return group->event;
}

const char *
session_group_get_text (const SessionGroup *group)
{
    return group->text;
}

const char *
session_group_get_line (const SessionGroup *group)
{
    return group->line;
}

guint64
session_group_get_stop (const SessionGroup *group)
{
    return group->event->stop;
}

gint64
session_group_get_place_us (const SessionGroup *group)
{
    return group->place_us;
}

gint64
session_group_get_stale_us (const SessionGroup *group, const Session *session)
{
    const JobRankSet *silent = session_find_silent (session);

    if (silent != NULL && job_rank_set_intersects (silent, group->event->ranks)) {
        return session_get_silent_since_us (session, group->event->ranks);
    }
    return job_state_get_info (group->event->state)->is_moving
                   && group->event->state != JOB_STATE_BLOCKED
               ? group->place_us
               : 0;
}

static SessionGroup *
make_group (const Session *session, SessionRankGroup *found)
{
    SessionGroup *group = g_object_new (SESSION_TYPE_GROUP, NULL);
    const JobEvent *event = found->event;

    group->key = g_steal_pointer (&found->key);
    group->event = g_steal_pointer (&found->event);
    group->line = session_format_event_state (BASE_TEXT_SHOWN, session, event);
    group->text = session_format_state_and_reason (BASE_TEXT_SHOWN, session, group->line,
                                                   event->text2);
    group->place_us = event->place != NULL ? session_ranks_get_time (session, found->place_tick)
                                           : 0;
    return group;
}

static const char *
get_key (gpointer item)
{
    return SESSION_GROUP (item)->key;
}

static gboolean
take (gpointer item, gpointer data)
{
    SessionGroup *group = item, *fresh = data;

    if (group->place_us == fresh->place_us && group->event->stop == fresh->event->stop
        && g_strcmp0 (group->text, fresh->text) == 0
        && job_rank_set_equal (group->event->ranks, fresh->event->ranks)) {
        return FALSE;
    }
    job_event_free (group->event);
    group->event = g_steal_pointer (&fresh->event);
    g_free (group->text);
    group->text = g_steal_pointer (&fresh->text);
    g_free (group->line);
    group->line = g_steal_pointer (&fresh->line);
    group->place_us = fresh->place_us;
    return TRUE;
}

/* ---- keeping it up to date ---- */

static void
become (SessionGroupList *list, GPtrArray *groups)
{
    static const SessionListRules rules = { get_key, take };
    GPtrArray *fresh = g_ptr_array_new_with_free_func (g_object_unref);

    list->n_rest = 0;
    for (guint i = 0; i < groups->len; i++) {
        SessionRankGroup *found = groups->pdata[i];

        if (i < SESSION_MAX_GROUPS) {
            g_ptr_array_add (fresh, make_group (list->session, found));
        } else {
            list->n_rest += job_rank_set_get_count (found->event->ranks);
        }
    }
    session_list_become (SESSION_LIST (list), fresh, &rules);
}

static void schedule (SessionGroupList *list);

/* TRUE: it is complete. */
static gboolean
group_piece (SessionGroupList *list)
{
    gint64 begin_us = base_clock_get_us ();
    g_autoptr (GPtrArray) groups = NULL;

    if (list->grouper == NULL) {
        g_autoptr (JobRankSet) all = list->ranks != NULL ? job_rank_set_dup (list->ranks)
                                                         : session_dup_all (list->session);

        list->is_dirty = FALSE;
        list->cost_us = 0;
        list->grouper = session_grouping_new (all, list->by);
    }
    if (session_grouping_go_on (list->grouper, list->session, PIECE)) {
        groups = session_grouping_take (list->grouper);
        g_clear_pointer (&list->grouper, session_grouping_free);
        become (list, groups);
    }
    list->cost_us += base_clock_get_us () - begin_us;
    return groups != NULL;
}

static gboolean
on_turn (gpointer user)
{
    SessionGroupList *list = user;
    G_GNUC_UNUSED g_autoptr (GObject) alive = g_object_ref (G_OBJECT (list));

    list->source = 0;
    if (group_piece (list)) {
        list->next_us = base_clock_get_us () + PAUSE_FACTOR * list->cost_us;
    }
    schedule (list);
    return G_SOURCE_REMOVE;
}

static void
schedule (SessionGroupList *list)
{
    gint64 wait_us = list->grouper != NULL ? 0 : list->next_us - base_clock_get_us ();

    if (list->session != NULL && list->is_awake && list->source == 0
        && (list->is_dirty || list->grouper != NULL)) {
        list->source = g_timeout_add_full (G_PRIORITY_DEFAULT_IDLE,
                                           wait_us > 0 ? (guint) (wait_us / 1000) + 1 : 0,
                                           on_turn, list, NULL);
    }
}

static void
stop_grouping (SessionGroupList *list)
{
    g_clear_handle_id (&list->source, g_source_remove);
    g_clear_pointer (&list->grouper, session_grouping_free);
}

/* What it shows is of other ranks: not in a while, but at once. */
static void
begin_anew (SessionGroupList *list)
{
    stop_grouping (list);
    list->is_dirty = TRUE;
    list->next_us = 0;
    if (list->is_awake && list->session != NULL && !group_piece (list)) {
        schedule (list);
    }
}

void
session_group_lists_note (Session *session, guint32 first, guint32 end)
{
    g_autoptr (JobRankSet) changed = job_rank_set_new_range (first, end);
    guint n_files = g_hash_table_size (session->texts->files);
    gboolean has_names
        = n_files != session->texts->n_named_files; /* what a place is called depends on them */

    session->texts->n_named_files = n_files;
    BASE_EACH (session->lists->groups, SessionGroupList, list) {
        if (has_names || list->ranks == NULL
            || job_rank_set_intersects (list->ranks, changed)) {
            list->is_dirty = TRUE;
            schedule (list);
        }
    }
}

void
session_group_lists_renumber (Session *session)
{
    BASE_EACH (session->lists->groups, SessionGroupList, list) {
        if (list->grouper != NULL) {
            stop_grouping (list);
            list->is_dirty = TRUE;
            schedule (list);
        }
    }
}

static void
empty (SessionGroupList *list)
{
    stop_grouping (list);
    list->n_rest = 0;
    session_list_remove (SESSION_LIST (list), 0,
                         session_list_get_items (SESSION_LIST (list))->len);
}

void
session_group_lists_forget (Session *session)
{
    for (guint i = 0; i < session->lists->groups->len; i++) {
        empty (session->lists->groups->pdata[i]);
    }
}

void
session_group_lists_clear (Session *session)
{
    BASE_EACH (session->lists->groups, SessionGroupList, list) {
        list->session = NULL;
        empty (list);
    }
    g_ptr_array_unref (session->lists->groups);
}

/* ---- the list as an object ---- */

static void
session_group_list_finalize (GObject *object)
{
    SessionGroupList *list = (SessionGroupList *) object;

    stop_grouping (list);
    if (list->session != NULL) {
        g_ptr_array_remove (list->session->lists->groups, list);
    }
    job_rank_set_free (list->ranks);
    G_OBJECT_CLASS (session_group_list_parent_class)->finalize (object);
}

static void
session_group_list_class_init (SessionGroupListClass *klass)
{
    G_OBJECT_CLASS (klass)->finalize = session_group_list_finalize;
    SESSION_LIST_CLASS (klass)->item_type = SESSION_TYPE_GROUP;
}

static void
session_group_list_init (SessionGroupList *list)
{
}

SessionGroupList *
session_group_list_new (Session *session, const JobRankSet *ranks, SessionGrouping by)
{
    SessionGroupList *list = g_object_new (SESSION_TYPE_GROUP_LIST, NULL);

    list->session = session;
    list->by = by;
    list->ranks = ranks != NULL ? job_rank_set_dup (ranks) : NULL;
    list->is_dirty = TRUE;
    g_ptr_array_add (session->lists->groups, list);
    return list;
}

void
session_group_list_set_awake (SessionGroupList *list, gboolean is_awake)
{
    if (list->is_awake == is_awake) {
        return;
    }
    list->is_awake = is_awake;
    if (!is_awake) {
        list->is_dirty = list->is_dirty || list->grouper != NULL;
        stop_grouping (list);
    } else if (list->is_dirty) {
        begin_anew (list);
    }
}

void
session_group_list_set_ranks (SessionGroupList *list, const JobRankSet *ranks)
{
    gboolean is_same = ranks == NULL || list->ranks == NULL
                           ? ranks == list->ranks
                           : job_rank_set_equal (ranks, list->ranks);

    if (!is_same) {
        job_rank_set_free (list->ranks);
        list->ranks = ranks != NULL ? job_rank_set_dup (ranks) : NULL;
        begin_anew (list);
    }
}

guint32
session_group_list_count_rest (const SessionGroupList *list)
{
    return list->n_rest;
}
