/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the ranks of which the same is known, in pieces: a million ranks take longer than a turn of the main
 * loop may. A rank that changes meanwhile is told of as it was when it was looked at. */
#include "session/private.h"

typedef struct {
    JobEvent *event;
    guint32 place_tick; /* of the oldest place; 0: one has none */
} Gathered;

struct _SessionGather {
    SessionGrouping by;
    JobRankSet *ranks;
    guint range;        /* to look at next */
    guint32 rank;       /* of it */
    GHashTable *known;  /* number to Gathered */
    GPtrArray *numbers; /* of Gathered: ranks of equal numbers, as they come */
};

static void
free_gathered (gpointer data)
{
    Gathered *gathered = data;

    job_event_free (gathered->event);
    g_free (gathered);
}

SessionGather *
session_gather_new (const JobRankSet *ranks, SessionGrouping by)
{
    SessionGather *gather = g_new0 (SessionGather, 1);

    gather->by = by;
    gather->ranks = job_rank_set_dup (ranks);
    gather->known = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
    gather->numbers = g_ptr_array_new_with_free_func (free_gathered);
    return gather;
}

void
session_gather_free (SessionGather *gather)
{
    if (gather != NULL) {
        job_rank_set_free (gather->ranks);
        g_hash_table_unref (gather->known);
        g_ptr_array_unref (gather->numbers);
        g_free (gather);
    }
}

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

static Gathered *
find_number (SessionGather *gather, const Session *session, guint32 rank, guint64 number)
{
    Gathered *gathered = g_hash_table_lookup (gather->known, &number);

    if (gathered == NULL) {
        gathered = g_new (Gathered, 1);
        *gathered = (Gathered){ describe_rank (session, rank, gather->by), G_MAXUINT32 };
        g_ptr_array_add (gather->numbers, gathered);
        g_hash_table_insert (gather->known, g_memdup2 (&number, sizeof number), gathered);
    }
    return gathered;
}

/* Goes on from `rank` while the number is the same, at most to `end`. */
static guint32
gather_run (SessionGather *gather, const Session *session, guint32 rank, guint32 end)
{
    guint64 number = number_rank (session, rank, gather->by);
    Gathered *gathered = find_number (gather, session, rank, number);
    guint64 stop = gathered->event->stop;
    guint32 tick = gathered->place_tick, first = rank;

    while (rank < end && number_rank (session, rank, gather->by) == number) {
        stop = MAX (stop, session->ranks->records[rank].stop);
        tick = MIN (tick, session->ranks->records[rank].place_tick);
        rank++;
    }
    gathered->event->stop = stop;
    gathered->place_tick = tick;
    job_rank_set_add_range (gathered->event->ranks, first, rank);
    return rank;
}

gboolean
session_gather_go_on (SessionGather *gather, const Session *session, guint32 n_ranks)
{
    const GArray *ranges = gather->ranks->ranges;

    while (gather->range < ranges->len && n_ranks > 0) {
        const JobRankRange *range = &g_array_index (ranges, JobRankRange, gather->range);
        guint32 end = MIN (range->end, session->ranks->size);
        guint32 rank = MAX (gather->rank, range->first);
        guint32 next = rank < end ? gather_run (gather, session, rank,
                                                end - rank > n_ranks ? rank + n_ranks : end)
                                  : end;

        n_ranks -= MIN (n_ranks, MAX (next, rank) - rank + 1); /* a range costs as well */
        gather->rank = next;
        if (next >= end) {
            gather->range++;
            gather->rank = 0;
        }
    }
    return gather->range == ranges->len;
}

/* Takes the event, or merges it into the group with the same line, dropping a differing text2. */
static void
add_group (GHashTable *keys, GPtrArray *groups, Gathered *from)
{
    char *key = session_format_make_key (from->event, FALSE);
    SessionGathered *group = g_hash_table_lookup (keys, key);

    if (group == NULL) {
        group = g_new (SessionGathered, 1);
        *group = (SessionGathered){ key, g_steal_pointer (&from->event), from->place_tick };
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

static int
compare_lowest (gconstpointer a, gconstpointer b)
{
    const SessionGathered *left = *(SessionGathered *const *) a,
                          *right = *(SessionGathered *const *) b;
    guint32 l = job_rank_set_get_lowest (left->event->ranks),
            r = job_rank_set_get_lowest (right->event->ranks);

    return l < r ? -1 : l > r;
}

static int
compare_state (gconstpointer a, gconstpointer b)
{
    return (int) (*(SessionGathered *const *) a)->event->state
           - (int) (*(SessionGathered *const *) b)->event->state;
}

void
session_gathered_free (gpointer data)
{
    SessionGathered *gathered = data;

    job_event_free (gathered->event);
    g_free (gathered->key);
    g_free (gathered);
}

GPtrArray *
session_gather_take (SessionGather *gather)
{
    GPtrArray *groups = g_ptr_array_new_with_free_func (session_gathered_free);
    g_autoptr (GHashTable) keys = g_hash_table_new (g_str_hash, g_str_equal);

    for (guint i = 0; i < gather->numbers->len; i++) {
        add_group (keys, groups, gather->numbers->pdata[i]);
    }
    g_ptr_array_sort (groups, gather->by == SESSION_BY_STATE ? compare_state : compare_lowest);
    return groups;
}
