/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the ranks of which the same is known, in pieces: a million ranks take longer than a turn of the main
 * loop may. A rank that changes meanwhile is told of as it was when it was looked at. */
#include "session/private.h"

typedef struct {
    JobEvent *event;
    guint32 place_tick; /* of the oldest place; 0: one has none */
} Alike;

struct _SessionGrouper {
    SessionGrouping by;
    JobRankSet *ranks;
    guint range;        /* to look at next */
    guint32 rank;       /* of it */
    GHashTable *known;  /* number to Alike */
    GPtrArray *numbers; /* of Alike: ranks of equal numbers, as they come */
};

BASE_FREE (free_alike, Alike, alike, job_event_free (alike->event))

SessionGrouper *
session_grouping_new (const JobRankSet *ranks, SessionGrouping by)
{
    SessionGrouper *grouper = g_new0 (SessionGrouper, 1);

    grouper->by = by;
    grouper->ranks = job_rank_set_dup (ranks);
    grouper->known = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
    grouper->numbers = g_ptr_array_new_with_free_func (free_alike);
    return grouper;
}

BASE_FREE_PUBLIC (session_grouping_free, SessionGrouper, grouper,
                  job_rank_set_free (grouper->ranks);
                  g_hash_table_unref (grouper->known); g_ptr_array_unref (grouper->numbers))

/* A running rank's place is shown only when it was learned after it began to move. */
static JobEvent *
describe_rank (const Session *session, guint32 rank, SessionGrouping by)
{
    const SessionFact *fact = session_ranks_get_fact (session, rank);
    JobEvent *event = job_event_new (JOB_EVENT_STATE, 0, NULL);
    gboolean is_lost = fact->state == JOB_STATE_LOST && !session_is_detached_text (fact->text);

    event->state = fact->state;
    if (by == SESSION_BY_STATE) {
        return event;
    }
    event->number = fact->state == JOB_STATE_BREAKPOINT || fact->state == JOB_STATE_FAILED
                        ? fact->number
                        : 0;
    event->text = g_strdup (is_lost ? session_ranks_get_host (session, rank) : fact->text);
    event->text2 = g_strdup (fact->text2);
    if (!job_state_get_info (fact->state)->is_moving
        || session->ranks->records[rank].is_place_new) {
        event->place = job_location_dup (fact->place);
    }
    return event;
}

/* For ranks with equal numbers, describe_rank says the same. */
static guint64
number_rank (const Session *session, guint32 rank, SessionGrouping by)
{
    const SessionRankRecord *r = &session->ranks->records[rank];
    gboolean is_lost = session->ranks->states[rank] == JOB_STATE_LOST;

    if (by == SESSION_BY_STATE) {
        return session->ranks->states[rank];
    }
    return (guint64) session->ranks->fact_indexes[rank] | (guint64) r->is_place_new << 32
           | (guint64) (is_lost ? r->host : 0) << 33;
}

static Alike *
find_number (SessionGrouper *grouper, const Session *session, guint32 rank, guint64 number)
{
    Alike *alike = g_hash_table_lookup (grouper->known, &number);

    if (alike == NULL) {
        alike = g_new (Alike, 1);
        *alike = (Alike){ describe_rank (session, rank, grouper->by), G_MAXUINT32 };
        g_ptr_array_add (grouper->numbers, alike);
        g_hash_table_insert (grouper->known, g_memdup2 (&number, sizeof number), alike);
    }
    return alike;
}

/* Goes on from `rank` while the number is the same, at most to `end`. */
static guint32
add_run (SessionGrouper *grouper, const Session *session, guint32 rank, guint32 end)
{
    guint64 number = number_rank (session, rank, grouper->by);
    Alike *alike = find_number (grouper, session, rank, number);
    guint64 stop = alike->event->stop;
    guint32 tick = alike->place_tick, first = rank;

    while (rank < end && number_rank (session, rank, grouper->by) == number) {
        stop = MAX (stop, session->ranks->records[rank].stop);
        tick = MIN (tick, session->ranks->records[rank].place_tick);
        rank++;
    }
    alike->event->stop = stop;
    alike->place_tick = tick;
    job_rank_set_add_range (alike->event->ranks, first, rank);
    return rank;
}

gboolean
session_grouping_go_on (SessionGrouper *grouper, const Session *session, guint32 n_ranks)
{
    const GArray *ranges = grouper->ranks->ranges;

    while (grouper->range < ranges->len && n_ranks > 0) {
        const JobRankRange *range = &g_array_index (ranges, JobRankRange, grouper->range);
        guint32 end = MIN (range->end, session->ranks->size);
        guint32 rank = MAX (grouper->rank, range->first);
        guint32 next = rank < end ? add_run (grouper, session, rank,
                                             end - rank > n_ranks ? rank + n_ranks : end)
                                  : end;

        n_ranks -= MIN (n_ranks, MAX (next, rank) - rank + 1); /* a range costs as well */
        grouper->rank = next;
        if (next >= end) {
            grouper->range++;
            grouper->rank = 0;
        }
    }
    return grouper->range == ranges->len;
}

/* Takes the event, or merges it into the group with the same line, dropping a differing text2. */
static void
add_group (GHashTable *keys, GPtrArray *groups, Alike *from)
{
    char *key = session_format_make_key (from->event, FALSE);
    SessionRankGroup *group = g_hash_table_lookup (keys, key);

    if (group == NULL) {
        group = g_new (SessionRankGroup, 1);
        *group = (SessionRankGroup){ key, g_steal_pointer (&from->event), from->place_tick };
        g_hash_table_insert (keys, key, group);
        g_ptr_array_add (groups, group);
        return;
    }
    g_free (key);
    job_rank_set_merge (group->event->ranks, from->event->ranks);
    group->event->stop = MAX (group->event->stop, from->event->stop);
    group->place_tick = MIN (group->place_tick, from->place_tick);
    if (g_strcmp0 (group->event->text2, from->event->text2) != 0) {
        g_clear_pointer (&group->event->text2, g_free);
    }
}

BASE_ORDER_POINTERS (compare_lowest, SessionRankGroup,
                     job_rank_set_compare_lowest (left->event->ranks, right->event->ranks))

static int
compare_state (gconstpointer a, gconstpointer b)
{
    return (int) (*(SessionRankGroup *const *) a)->event->state
           - (int) (*(SessionRankGroup *const *) b)->event->state;
}

BASE_FREE (free_group, SessionRankGroup, alike, job_event_free (alike->event);
           g_free (alike->key))

GPtrArray *
session_grouping_take (SessionGrouper *grouper)
{
    GPtrArray *groups = g_ptr_array_new_with_free_func (free_group);
    g_autoptr (GHashTable) keys = g_hash_table_new (g_str_hash, g_str_equal);

    for (guint i = 0; i < grouper->numbers->len; i++) {
        add_group (keys, groups, grouper->numbers->pdata[i]);
    }
    g_ptr_array_sort (groups, grouper->by == SESSION_BY_STATE ? compare_state : compare_lowest);
    return groups;
}
