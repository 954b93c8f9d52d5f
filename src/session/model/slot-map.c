/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs of slots, their growth by one process after the other, and the mapping of sets. */
#include "session/model/slot-map.h"
#include "base/array.h"
#include <string.h>

#define MAX_RANKS (1u << 24)
#define FEW 256 /* pieces to sort; for more, a bitmap is faster */

typedef struct {
    guint32 slot, rank, step, count;
} Run;

struct _SessionSlotMap {
    GArray *runs;         /* of Run, by slot, disjoint */
    GArray *slot_of_rank; /* guint32; G_MAXUINT32 */
    gboolean has_moved;   /* some rank changed its slot: an older run still contains it */
};

#define RUN(map, i) g_array_index ((map)->runs, Run, (i))

SessionSlotMap *
session_slot_map_new (void)
{
    SessionSlotMap *map = g_new0 (SessionSlotMap, 1);

    map->runs = g_array_new (FALSE, FALSE, sizeof (Run));
    map->slot_of_rank = g_array_new (FALSE, FALSE, sizeof (guint32));
    return map;
}

BASE_FREE_PUBLIC (session_slot_map_free, SessionSlotMap, map, g_array_unref (map->runs);
                  g_array_unref (map->slot_of_rank))

/* Index of the first run that ends after the slot. */
static guint
find_run (const SessionSlotMap *map, guint32 slot)
{
    return BASE_BISECT (middle, 0, map->runs->len,
                        !(slot - RUN (map, middle).slot < RUN (map, middle).count
                          || slot < RUN (map, middle).slot));
}

guint32
session_slot_map_find_rank (const SessionSlotMap *map, guint32 slot)
{
    guint i = find_run (map, slot);

    if (i == map->runs->len || RUN (map, i).slot > slot) {
        return G_MAXUINT32;
    }
    return RUN (map, i).rank + (slot - RUN (map, i).slot) * RUN (map, i).step;
}

static void
note_slot (SessionSlotMap *map, guint32 slot, guint32 rank)
{
    const guint32 unknown = G_MAXUINT32;

    while (map->slot_of_rank->len <= rank) {
        g_array_append_val (map->slot_of_rank, unknown);
    }
    map->has_moved |= g_array_index (map->slot_of_rank, guint32, rank) != unknown;
    g_array_index (map->slot_of_rank, guint32, rank) = slot;
}

static gboolean
extend_run (Run *run, guint32 slot, guint32 rank)
{
    if (slot != run->slot + run->count) {
        return FALSE;
    }
    if (run->count == 1 && rank > run->rank) {
        run->step = rank - run->rank;
    } else if (rank != run->rank + run->step * run->count) {
        return FALSE;
    }
    run->count++;
    return TRUE;
}

void
session_slot_map_add (SessionSlotMap *map, guint32 slot, guint32 rank)
{
    Run fresh = { slot, rank, 1, 1 };
    guint i = find_run (map, slot);

    if (rank >= MAX_RANKS || (i < map->runs->len && RUN (map, i).slot <= slot)) {
        return; /* a slot is never another rank's */
    }
    note_slot (map, slot, rank);
    if (i == 0 || !extend_run (&RUN (map, i - 1), slot, rank)) {
        g_array_insert_val (map->runs, i, fresh);
    }
}

BASE_ORDER (compare_ranges, JobRankRange, BASE_BY (first))

static JobRankSet *
make_set_by_bits (const GArray *pieces)
{
    JobRankSet *set = job_rank_set_new ();
    g_autofree guint8 *marks = NULL;
    guint32 end = 0;

    for (guint i = 0; i < pieces->len; i++) {
        end = MAX (end, g_array_index (pieces, JobRankRange, i).end);
    }
    marks = g_malloc0 (end);
    BASE_EACH_ROW (pieces, const JobRankRange, piece) {
        memset (marks + piece->first, 1, piece->end - piece->first);
    }
    for (guint32 at = 0; at < end;) {
        const guint8 *first = memchr (marks + at, 1, end - at);
        const guint8 *stop = first != NULL ? memchr (first, 0, end - (guint32) (first - marks))
                                           : NULL;

        if (first == NULL) {
            break;
        }
        at = stop != NULL ? (guint32) (stop - marks) : end;
        job_rank_set_add_range (set, (guint32) (first - marks), at);
    }
    return set;
}

static JobRankSet *
make_set (GArray *pieces, gboolean is_ordered)
{
    JobRankSet *set;

    if (!is_ordered && pieces->len > FEW) {
        return make_set_by_bits (pieces);
    }
    if (!is_ordered) {
        g_array_sort (pieces, compare_ranges);
    }
    set = job_rank_set_new ();
    BASE_EACH_ROW (pieces, const JobRankRange, piece) {
        job_rank_set_add_range (set, piece->first, piece->end);
    }
    return set;
}

typedef struct {
    GArray *pieces; /* of JobRankRange */
    gboolean is_ordered;
} Pieces;

static void
add_piece (Pieces *pieces, guint32 first, guint32 end)
{
    JobRankRange piece = { first, end };

    if (pieces->pieces->len > 0) {
        JobRankRange *last = &g_array_index (pieces->pieces, JobRankRange,
                                             pieces->pieces->len - 1);

        if (last->end == first) {
            last->end = end;
            return;
        }
        pieces->is_ordered = pieces->is_ordered && last->end < first;
    }
    g_array_append_val (pieces->pieces, piece);
}

JobRankSet *
session_slot_map_to_ranks (const SessionSlotMap *map, const JobRankSet *slots)
{
    g_autoptr (GArray) array = g_array_new (FALSE, FALSE, sizeof (JobRankRange));
    Pieces pieces = { array, TRUE };

    BASE_EACH_ROW (slots->ranges, const JobRankRange, range) {
        for (guint j = find_run (map, range->first); j < map->runs->len; j++) {
            const Run *run = &RUN (map, j);
            guint32 first = MAX (range->first, run->slot),
                    end = MIN (range->end, run->slot + run->count);

            if (first >= end) {
                break;
            }
            if (run->step == 1) {
                add_piece (&pieces, run->rank + (first - run->slot),
                           run->rank + (end - run->slot));
                continue;
            }
            for (guint32 slot = first; slot < end; slot++) {
                guint32 rank = run->rank + (slot - run->slot) * run->step;

                add_piece (&pieces, rank, rank + 1);
            }
        }
    }
    return make_set (array, pieces.is_ordered);
}

static void
add_few (const SessionSlotMap *map, const JobRankSet *ranks, Pieces *pieces)
{
    JOB_EACH_RANK_BELOW (ranks, rank, map->slot_of_rank->len) {
        guint32 slot = g_array_index (map->slot_of_rank, guint32, rank);

        if (slot != G_MAXUINT32) {
            add_piece (pieces, slot, slot + 1);
        }
    }
}

/* The ranks of a run without gaps that are in the set. */
static void
add_run (const Run *run, const JobRankSet *ranks, Pieces *pieces)
{
    g_autoptr (JobRankSet) all = job_rank_set_new_range (run->rank, run->rank + run->count);
    g_autoptr (JobRankSet) wanted = job_rank_set_intersect (ranks, all);

    BASE_EACH_ROW (wanted->ranges, const JobRankRange, range) {
        add_piece (pieces, run->slot + (range->first - run->rank),
                   run->slot + (range->end - run->rank));
    }
}

/* With few runs without gaps and few ranges, no lookup by rank is needed. */
static gboolean
is_simple (const SessionSlotMap *map, const JobRankSet *ranks)
{
    if (map->has_moved
        || (guint64) map->runs->len * ranks->ranges->len > map->slot_of_rank->len) {
        return FALSE;
    }
    return BASE_ALL (i, map->runs->len, RUN (map, i).step == 1);
}

/* In the order of slots. A rank that changed its slot has left the older one. */
static void
add_many (const SessionSlotMap *map, const JobRankSet *ranks, Pieces *pieces)
{
    guint32 n = map->slot_of_rank->len;
    const guint32 *slots = (const guint32 *) map->slot_of_rank->data;
    g_autofree guint8 *wanted = g_malloc0 (MAX (n, 1));

    BASE_EACH_ROW (ranks->ranges, const JobRankRange, range) {
        if (range->first < n) {
            memset (wanted + range->first, 1, MIN (range->end, n) - range->first);
        }
    }
    for (guint i = 0; i < map->runs->len; i++) {
        const Run *run = &RUN (map, i);
        guint32 rank = run->rank;

        for (guint32 j = 0; j < run->count; j++, rank += run->step) {
            if (wanted[rank] && slots[rank] == run->slot + j) {
                add_piece (pieces, run->slot + j, run->slot + j + 1);
            }
        }
    }
}

JobRankSet *
session_slot_map_to_slots (const SessionSlotMap *map, const JobRankSet *ranks)
{
    g_autoptr (GArray) array = g_array_new (FALSE, FALSE, sizeof (JobRankRange));
    Pieces pieces = { array, TRUE };

    if (job_rank_set_get_count (ranks) <= FEW) {
        add_few (map, ranks, &pieces);
    } else if (is_simple (map, ranks)) {
        for (guint i = 0; i < map->runs->len; i++) {
            add_run (&RUN (map, i), ranks, &pieces);
        }
    } else {
        add_many (map, ranks, &pieces);
    }
    return make_set (array, pieces.is_ordered);
}
