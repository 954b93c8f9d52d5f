/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Each rank's last state while events pour in: an index for each rank, and each distinct state
 * once. A flood of events for single ranks needs no additional memory and little time. */
#include "session/private.h"
#include <string.h>

#define N_KNOWN 16 /* states that successive events may alternate between */
#define BLOCK 64   /* ranks that are looked at together */
#define MAX_RANKS (1u << 24)

struct _SessionLastStates {
    guint32 size;    /* of `last`: whole blocks */
    guint32 *last;   /* by rank: index of its state plus one; 0 none */
    guint8 *touched; /* by block */
    GPtrArray *said; /* of JobEvent without ranks */
    const JobEvent *known[N_KNOWN];
    guint32 known_at[N_KNOWN];
    guint n_known;
};

SessionLastStates *
session_last_states_new (void)
{
    SessionLastStates *last = g_new0 (SessionLastStates, 1);

    last->said = g_ptr_array_new_with_free_func ((GDestroyNotify) job_event_free);
    return last;
}

BASE_FREE_PUBLIC (session_last_states_free, SessionLastStates, last,
                  g_ptr_array_unref (last->said);
                  g_free (last->last); g_free (last->touched))

static gboolean
is_same_line (const JobEvent *a, const JobEvent *b)
{
    return a->state == b->state && a->number == b->number && a->request == b->request
           && g_strcmp0 (a->text, b->text) == 0 && g_strcmp0 (a->text2, b->text2) == 0
           && (a->place == b->place || job_location_equal (a->place, b->place));
}

static JobEvent *
dup_without_ranks (const JobEvent *event)
{
    JobEvent shallow = *event;
    g_autoptr (JobRankSet) nobody = job_rank_set_new ();

    shallow.ranks = nobody;
    return job_event_dup (&shallow);
}

static guint32
find_said (SessionLastStates *last, const JobEvent *event)
{
    guint slot;

    for (guint i = 0; i < MIN (last->n_known, N_KNOWN); i++) {
        if (is_same_line (last->known[i], event)) {
            return last->known_at[i];
        }
    }
    slot = last->n_known++ % N_KNOWN;
    last->known[slot] = dup_without_ranks (event);
    g_ptr_array_add (last->said, (gpointer) last->known[slot]);
    last->known_at[slot] = last->said->len;
    return last->said->len;
}

static void
grow (SessionLastStates *last, guint32 end)
{
    guint32 size = MAX ((end + BLOCK - 1) / BLOCK * BLOCK, MIN (last->size * 2, MAX_RANKS));

    if (end <= last->size) {
        return;
    }
    last->last = g_renew (guint32, last->last, size);
    last->touched = g_renew (guint8, last->touched, size / BLOCK);
    memset (last->last + last->size, 0, (size - last->size) * sizeof *last->last);
    memset (last->touched + last->size / BLOCK, 0, (size - last->size) / BLOCK);
    last->size = size;
}

void
session_last_states_add (SessionLastStates *last, const JobEvent *event)
{
    const GArray *ranges = event->ranks->ranges;
    guint32 at;

    if (event->kind != JOB_EVENT_STATE || ranges->len == 0) {
        return;
    }
    at = find_said (last, event);
    grow (last, MIN (g_array_index (ranges, JobRankRange, ranges->len - 1).end, MAX_RANKS));
    BASE_EACH_ROW (ranges, const JobRankRange, range) {
        guint32 end = MIN (range->end, last->size);

        for (guint32 rank = range->first; rank < end; rank++) {
            last->last[rank] = at;
            last->touched[rank / BLOCK] = TRUE;
        }
    }
}

gboolean
session_last_states_is_empty (const SessionLastStates *last)
{
    return last->said->len == 0;
}

/* Adds each rank of the block to its state's set, and resets the block. */
static void
sort_block (SessionLastStates *last, guint32 first)
{
    for (guint32 rank = first, end; rank < first + BLOCK; rank = end) {
        guint32 at = last->last[rank];

        for (end = rank + 1; end < first + BLOCK && last->last[end] == at; end++) {
        }
        if (at != 0) {
            JobEvent *event = g_ptr_array_index (last->said, at - 1);

            job_rank_set_add_range (event->ranks, rank, end);
        }
    }
    memset (last->last + first, 0, BLOCK * sizeof *last->last);
}

GPtrArray *
session_last_states_take (SessionLastStates *last, const Session *session, gboolean exact)
{
    GPtrArray *groups = g_ptr_array_new_with_free_func ((GDestroyNotify) job_event_free);
    g_autoptr (GHashTable) keys = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

    for (guint32 block = 0; block < last->size / BLOCK; block++) {
        if (last->touched[block]) {
            last->touched[block] = FALSE;
            sort_block (last, block * BLOCK);
        }
    }
    for (guint i = last->said->len; i > 0; i--) {
        const JobEvent *event = g_ptr_array_index (last->said, i - 1);

        if (!job_rank_set_is_empty (event->ranks)
            && (exact
                || (event->state != JOB_STATE_RUNNING && event->state != JOB_STATE_STEPPING))) {
            session_format_add_last (session, keys, groups, event, exact);
        }
    }
    session_format_sort_groups (groups);
    g_ptr_array_set_size (last->said, 0);
    last->n_known = 0;
    return groups;
}

GPtrArray *
session_dup_last_states (const Session *session, GPtrArray *events, gboolean exact)
{
    g_autoptr (SessionLastStates) last = session_last_states_new ();

    for (guint i = 0; i < events->len; i++) {
        session_last_states_add (last, g_ptr_array_index (events, i));
    }
    return session_last_states_take (last, session, exact);
}
