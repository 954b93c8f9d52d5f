/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The progress of a step of many ranks: which have arrived and when, and how long the others
 * may take until the session asks what they wait for. Never ends a motion. */
#include "session/private.h"
#include "base/clock.h"

#define MIN_SOFT_MS 300
#define MAX_SOFT_MS 5000
#define SOFT_FACTOR 3 /* times the median of those that have arrived */
#define MAX_AGAIN_MS 16000
#define N_BUCKETS 128 /* of times: four for each doubling of a millisecond */

/* Ranks of one motion that have arrived or left it, while an event tells of them one by one. */
typedef struct {
    guint64 id;
    guint32 n_arrived, n_left;
    gboolean is_held;
} Arrivals;

typedef struct {
    Session *session;
    guint64 id;
    JobRankSet *asked;
    gint64 begin_us;
    guint32 n_asked, n_arrived, n_left; /* left: started another motion, ended, or refused */
    guint32 times[N_BUCKETS];           /* of those that have arrived */
    guint32 n_told;                     /* n_arrived in the last signal */
    guint again_ms;
    guint source;
} Motion;

BASE_FREE (free_motion, Motion, motion, g_clear_handle_id (&motion->source, g_source_remove);
           job_rank_set_free (motion->asked))

struct _SessionProgress {
    GHashTable *steps;   /* request id to Motion */
    JobRankSet *stepped; /* who was asked for the step that has ended last, all arrived; NULL */
    Arrivals arrivals;
};

void
session_progress_init (Session *session)
{
    session->ask->progress = g_new0 (SessionProgress, 1);
    session->ask->progress->steps = g_hash_table_new_full (g_int64_hash, g_int64_equal, NULL,
                                                           free_motion);
}

void
session_progress_clear (Session *session)
{
    g_clear_pointer (&session->ask->progress->stepped, job_rank_set_free);
    g_hash_table_unref (session->ask->progress->steps);
    g_free (session->ask->progress);
}

void
session_progress_forget (Session *session)
{
    g_hash_table_remove_all (session->ask->progress->steps);
    g_clear_pointer (&session->ask->progress->stepped, job_rank_set_free);
}

/* ---- times ---- */

static guint
find_bucket (guint64 ms)
{
    guint bucket = 0;

    while (ms >= 8 && bucket < N_BUCKETS - 8) {
        ms /= 2;
        bucket += 4;
    }
    return bucket + (guint) MIN (ms, 7);
}

/* The longest time that falls into it. */
static guint64
get_bucket_end (guint bucket)
{
    return bucket < 8 ? bucket + 1
                      : ((guint64) (4 + bucket % 4) + 1) << MIN ((bucket - 4) / 4, 40);
}

static guint64
find_median_ms (const Motion *motion)
{
    guint32 n = 0;

    for (guint i = 0; i < N_BUCKETS; i++) {
        n += motion->times[i];
        if (n > 0 && 2 * (guint64) n >= motion->n_arrived) {
            return get_bucket_end (i);
        }
    }
    return 0;
}

static guint
get_soft_ms (const Motion *motion)
{
    return (guint) CLAMP (SOFT_FACTOR * find_median_ms (motion), MIN_SOFT_MS, MAX_SOFT_MS);
}

/* ---- one motion ---- */

static guint32
get_asked (const Motion *motion)
{
    return motion->n_asked - motion->n_left;
}

static void
tell (Motion *motion)
{
    motion->n_told = motion->n_arrived;
    g_signal_emit (motion->session, session_signals[SESSION_PROGRESS], 0, motion->id,
                   motion->n_arrived, get_asked (motion));
}

static void begin_soft (Motion *motion, guint ms);

static gboolean
on_soft (gpointer data)
{
    Motion *motion = data;
    gint64 late_us = base_clock_get_us () - motion->begin_us;
    guint soft_ms = get_soft_ms (motion);

    motion->source = 0;
    if (late_us / 1000 < soft_ms) { /* ranks that arrived since extend the limit for the
                                       others */
        begin_soft (motion, (guint) (soft_ms - late_us / 1000) + 1);
        return G_SOURCE_REMOVE;
    }
    motion->again_ms = CLAMP (2 * motion->again_ms, soft_ms, MAX_AGAIN_MS);
    begin_soft (motion, motion->again_ms);
    session_why_ask (motion->session, 0);
    if (motion->n_arrived > motion->n_told) {
        tell (motion);
    }
    return G_SOURCE_REMOVE;
}

static void
begin_soft (Motion *motion, guint ms)
{
    motion->source = g_timeout_add (ms, on_soft, motion);
}

void
session_progress_begin (Session *session, JobVerb verb, const JobRankSet *ranks, guint64 id)
{
    gboolean is_step = verb == JOB_VERB_STEP || verb == JOB_VERB_NEXT || verb == JOB_VERB_FINISH
                       || verb == JOB_VERB_UNTIL || verb == JOB_VERB_STEPI
                       || verb == JOB_VERB_NEXTI;
    Motion *motion;

    if (session->ask->progress->stepped != NULL
        && job_rank_set_intersects (session->ask->progress->stepped, ranks)) {
        g_clear_pointer (&session->ask->progress->stepped, job_rank_set_free);
    }
    if (!is_step || job_rank_set_is_empty (ranks)) {
        return;
    }
    motion = g_new0 (Motion, 1);
    motion->session = session;
    motion->id = id;
    motion->asked = job_rank_set_dup (ranks);
    motion->n_asked = job_rank_set_get_count (ranks);
    motion->begin_us = base_clock_get_us ();
    g_hash_table_insert (session->ask->progress->steps, &motion->id, motion);
    begin_soft (motion, MIN_SOFT_MS);
}

/* Not from within the event of the last rank. */
static gboolean
on_complete (gpointer data)
{
    Motion *motion = data;
    Session *session = motion->session;

    motion->source = 0;
    tell (motion);
    g_hash_table_remove (session->ask->progress->steps, &motion->id);
    return G_SOURCE_REMOVE;
}

static void
end_motion (Motion *motion)
{
    Session *session = motion->session;

    job_rank_set_free (session->ask->progress->stepped);
    session->ask->progress->stepped = motion->n_left == 0 ? job_rank_set_dup (motion->asked)
                                                          : NULL;
    if (motion->n_told == 0) {
        g_hash_table_remove (session->ask->progress->steps, &motion->id);
        return;
    }
    g_clear_handle_id (&motion->source, g_source_remove);
    motion->source = g_idle_add (on_complete, motion);
}

static void
note_arrivals (Session *session, guint64 id, guint32 n_arrived, guint32 n_left)
{
    Motion *motion = g_hash_table_lookup (session->ask->progress->steps, &id);

    if (motion == NULL) {
        return;
    }
    motion->n_arrived += n_arrived;
    motion->n_left += n_left;
    if (n_arrived > 0) {
        motion->times[find_bucket ((guint64) MAX (base_clock_get_us () - motion->begin_us, 0)
                                   / 1000)]
            += n_arrived;
    }
    if (motion->n_arrived >= get_asked (motion)) {
        end_motion (motion);
    }
}

static void
flush (Arrivals *arrivals, Session *session)
{
    Arrivals told = *arrivals;

    arrivals->n_arrived = arrivals->n_left = 0;
    if (told.n_arrived + told.n_left > 0) {
        note_arrivals (session, told.id, told.n_arrived, told.n_left);
    }
}

void
session_progress_hold (Session *session)
{
    session->ask->progress->arrivals.is_held = TRUE;
}

void
session_progress_release (Session *session)
{
    session->ask->progress->arrivals.is_held = FALSE;
    flush (&session->ask->progress->arrivals, session);
}

void
session_progress_note (Session *session, guint64 id, gboolean has_arrived)
{
    Arrivals *arrivals = &session->ask->progress->arrivals;

    if (arrivals->id != id) {
        flush (arrivals, session);
        arrivals->id = id;
    }
    *(has_arrived ? &arrivals->n_arrived : &arrivals->n_left) += 1;
    if (!arrivals->is_held) {
        flush (arrivals, session);
    }
}

guint
session_progress_get_rest_ms (const Session *session, guint64 id)
{
    const Motion *motion = g_hash_table_lookup (session->ask->progress->steps, &id);
    gint64 late_ms = motion != NULL ? (base_clock_get_us () - motion->begin_us) / 1000 : 0;

    return motion != NULL ? (guint) MAX ((gint64) get_soft_ms (motion) - late_ms, 0) : 0;
}

/* The newest step of any rank of the set (NULL: of the job). */
static const Motion *
find_last (const Session *session, const JobRankSet *set)
{
    const Motion *last = NULL;
    gpointer value;

    BASE_WALK (session->ask->progress->steps, NULL, &value) {
        const Motion *motion = value;

        if ((last == NULL || motion->id > last->id)
            && (set == NULL || job_rank_set_intersects (motion->asked, set))) {
            last = motion;
        }
    }
    return last;
}

gboolean
session_find_progress (const Session *session, const JobRankSet *set, guint32 *ret_arrived,
                       guint32 *ret_asked)
{
    const Motion *last = find_last (session, set);

    if (last == NULL) {
        return FALSE;
    }
    *ret_arrived = last->n_arrived;
    *ret_asked = get_asked (last);
    return TRUE;
}

JobRankSet *
session_dup_late (const Session *session, const JobRankSet *set)
{
    const Motion *last = find_last (session, set);
    JobRankSet *late = job_rank_set_new ();
    JobRankIter iter = { 0 };
    guint32 rank;

    while (last != NULL && job_rank_set_next (last->asked, &iter, &rank)
           && rank < session->ranks->size) {
        if (session->ranks->records[rank].motion == (guint32) last->id) {
            job_rank_set_add (late, rank);
        }
    }
    return late;
}

/* ---- the last step that has ended ---- */

const JobRankSet *
session_find_last_step (const Session *session, const JobRankSet *set)
{
    const JobRankSet *stepped = session->ask->progress->stepped;

    if (stepped == NULL || !job_rank_set_intersects (stepped, set)) {
        return NULL;
    }
    JOB_EACH_RANK_BELOW (stepped, rank, session->ranks->size) {
        if (!job_state_get_info ((JobState) session->ranks->states[rank])->is_stopped) {
            return NULL; /* it moves, or has ended */
        }
    }
    return stepped;
}
