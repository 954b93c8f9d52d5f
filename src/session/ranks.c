/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is known of each rank: state, place, host, the motion it has not finished. Places and
 * texts are kept once, so that a million ranks at one line cost one location. */
#include "session/private.h"
#include "base/clock.h"
#include <string.h>

#define MAX_SIZE (1u << 24) /* ranks; more is a lie of some environment variable */
#define COALESCE_MS 16

static gboolean
equal_places (gconstpointer a, gconstpointer b)
{
    return job_location_equal (a, b);
}

static guint
hash_place (gconstpointer place)
{
    return job_location_hash (place);
}

static void
free_place (gpointer place)
{
    job_location_free (place);
}

void
session_ranks_init (Session *session)
{
    session->places = g_hash_table_new_full (hash_place, equal_places, free_place, NULL);
    session->texts = g_string_chunk_new (1024);
    session->files = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
    session->short_files = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
    session->dirty_first = G_MAXUINT32;
}

void
session_ranks_clear (Session *session)
{
    g_clear_handle_id (&session->dirty_source, g_source_remove);
    g_free (session->ranks);
    g_free (session->rank_privates);
    g_free (session->states);
    g_hash_table_unref (session->places);
    g_hash_table_unref (session->files);
    g_hash_table_unref (session->short_files);
    g_string_chunk_free (session->texts);
}

void
session_ranks_forget (Session *session)
{
    session_ranks_clear (session);
    session->ranks = NULL;
    session->rank_privates = NULL;
    session->states = NULL;
    session->size = session->n_reported = session->n_arrived = 0;
    session->updated_us = 0;
    session->dirty_end = 0;
    memset (session->counts, 0, sizeof session->counts);
    session_ranks_init (session);
    session->generation++;
    if (session->focus_is_all) {
        job_rank_set_clear (session->focus);
    }
}

static gboolean
emit_states_changed (gpointer data)
{
    Session *session = data;
    guint first = session->dirty_first, end = session->dirty_end;

    session->dirty_source = 0;
    session->dirty_first = G_MAXUINT32;
    session->dirty_end = 0;
    g_signal_emit (session, session_signals[SESSION_STATES_CHANGED], 0, first, end);
    return G_SOURCE_REMOVE;
}

static void
note_change (Session *session, guint32 rank)
{
    session->generation++;
    session->dirty_first = MIN (session->dirty_first, rank);
    session->dirty_end = MAX (session->dirty_end, rank + 1);
    if (session->dirty_source == 0) {
        session->dirty_source = g_timeout_add_full (G_PRIORITY_DEFAULT_IDLE, COALESCE_MS,
                                                    emit_states_changed, session, NULL);
    }
}

const JobLocation *
session_ranks_intern_place (Session *session, const JobLocation *place)
{
    JobLocation *known;

    if (place == NULL) {
        return NULL;
    }
    known = g_hash_table_lookup (session->places, place);
    if (known == NULL) {
        known = job_location_dup (place);
        g_hash_table_insert (session->places, known, known);
        session_format_note_place (session, known);
    }
    return known;
}

static char *
intern_text (Session *session, const char *text)
{
    return text != NULL ? g_string_chunk_insert_const (session->texts, text) : NULL;
}

void
session_ranks_grow (Session *session, guint32 size)
{
    guint32 old = session->size;

    size = MIN (size, MAX_SIZE);
    if (size <= old) {
        return;
    }
    session->ranks = g_renew (SessionRank, session->ranks, size);
    session->rank_privates = g_renew (SessionRankPrivate, session->rank_privates, size);
    session->states = g_renew (guint8, session->states, size);
    memset (session->ranks + old, 0, (size - old) * sizeof *session->ranks);
    memset (session->rank_privates + old, 0, (size - old) * sizeof *session->rank_privates);
    memset (session->states + old, 0, size - old);
    session->counts[JOB_STATE_NONE] += size - old;
    session->size = size;
    if (session->focus_is_all && !session->is_attached) {
        g_autoptr (JobRankSet) all = job_rank_set_new_range (0, size);

        job_rank_set_merge (session->focus, all);
        g_signal_emit (session, session_signals[SESSION_SETS_CHANGED], 0);
    }
    note_change (session, old);
    note_change (session, size - 1);
}

static void
set_state (Session *session, guint32 rank, JobState state)
{
    SessionRank *r = &session->ranks[rank];

    session->counts[r->state]--;
    session->counts[state]++;
    r->state = state;
    session->states[rank] = (guint8) state;
    note_change (session, rank);
}

static void
note_arrival (Session *session, guint32 rank)
{
    if (!session->rank_privates[rank].arrived) {
        session->rank_privates[rank].arrived = TRUE;
        session->n_arrived++;
    }
}

static void
apply_process (Session *session, const JobProcess *process, guint32 rank)
{
    SessionRank *r;

    session_ranks_grow (session, MAX (process->size, rank + 1));
    if (rank >= session->size) {
        return;
    }
    r = &session->ranks[rank];
    r->pid = process->pid;
    r->host = intern_text (session, process->host);
    if (!session->rank_privates[rank].reported) {
        session->rank_privates[rank].reported = TRUE;
        session->n_reported++;
        if (session->is_attached && session->focus_is_all) {
            job_rank_set_add (session->focus, rank);
            g_signal_emit (session, session_signals[SESSION_SETS_CHANGED], 0);
        }
    }
    if (r->state == JOB_STATE_NONE) {
        set_state (session, rank, JOB_STATE_RUNNING);
        r->motion = session->start_request;
        r->motion_us = base_clock_get_us ();
        session->rank_privates[rank].motion_accepted = TRUE;
    }
    if (session->stop_at_none) {
        note_arrival (session, rank);
    }
}

void
session_ranks_apply_processes (Session *session, const JobEvent *event)
{
    gboolean is_first = session->n_reported == 0;

    for (guint i = 0; event->processes != NULL && i < event->processes->len; i++) {
        const JobProcess *process = g_ptr_array_index (event->processes, i);

        if (process->rank < MAX_SIZE && process->size <= MAX_SIZE) {
            apply_process (session, process, process->rank);
        }
    }
    if (is_first && session->n_reported > 0) {
        session_life_begin_timeout (session);
    }
}

/* A stop ends the motion, unless it belongs to an earlier one than the rank has not yet begun. */
static void
end_motion (Session *session, guint32 rank, const JobEvent *event)
{
    SessionRank *r = &session->ranks[rank];

    if (event->request == 0 || event->request >= r->motion
        || session->rank_privates[rank].motion_accepted) {
        r->motion = 0;
    }
}

static void
apply_place (Session *session, guint32 rank, const JobEvent *event, const JobLocation *place,
             gint64 now_us)
{
    const JobStateInfo *info = job_state_get_info (event->state);
    SessionRank *r = &session->ranks[rank];

    if (place != NULL || info->is_stopped) {
        r->place = (JobLocation *) place;
        r->place_us = now_us;
    } else if (info->is_moving && (event->flags & JOB_EVENT_FRESH)) {
        r->place_us = 0;
    } else if (info->is_moving) {
        /* Where it was before it moved, even within the clock's same tick. */
        r->place_us = MIN (r->place_us, r->motion_us - 1);
    }
    if (!(event->flags & JOB_EVENT_FRESH)) {
        r->selected_frame = 0;
        session->rank_privates[rank].selected = NULL;
    }
}

static void
apply_rank_state (Session *session, guint32 rank, const JobEvent *event,
                  const JobLocation *place, gint64 now_us)
{
    const JobStateInfo *info = job_state_get_info (event->state);
    SessionRank *r = &session->ranks[rank];
    gboolean was_moving = job_state_get_info (r->state)->is_moving;

    if (event->stop != 0 && event->stop < r->stop) {
        return;
    }
    if ((event->flags & JOB_EVENT_FRESH) && job_state_get_info (r->state)->is_ended
        && r->state != JOB_STATE_LOST && !info->is_ended) {
        return;
    }
    r->stop = MAX (r->stop, event->stop);
    r->number = event->number;
    r->text = intern_text (session, event->text);
    r->text2 = intern_text (session, event->text2);
    if (info->is_moving && !was_moving) {
        r->motion_us = now_us;
    }
    apply_place (session, rank, event, place, now_us);
    set_state (session, rank, event->state);
    if (info->is_stopped || info->is_ended) {
        if (info->is_ended) {
            r->motion = 0;
        } else if (!(event->flags & JOB_EVENT_FRESH)) {
            end_motion (session, rank, event);
        }
        note_arrival (session, rank);
    }
}

void
session_ranks_apply_state (Session *session, const JobEvent *event)
{
    const JobLocation *place = session_ranks_intern_place (session, event->place);
    gint64 now_us = base_clock_get_us ();
    JobRankIter iter = { 0 };
    guint32 rank;

    while (job_rank_set_next (event->ranks, &iter, &rank) && rank < session->size) {
        apply_rank_state (session, rank, event, place, now_us);
    }
    if (event->flags & JOB_EVENT_FRESH) {
        session->updated_us = now_us;
    }
}

void
session_ranks_apply_frame (Session *session, const JobEvent *event)
{
    const JobLocation *place = session_ranks_intern_place (session, event->place);
    JobRankIter iter = { 0 };
    guint32 rank;

    while (job_rank_set_next (event->ranks, &iter, &rank) && rank < session->size) {
        session->ranks[rank].selected_frame = (guint32) MAX (event->number, 0);
        session->rank_privates[rank].selected = place;
        note_change (session, rank);
    }
}

void
session_ranks_begin_motion (Session *session, const JobRankSet *set, guint64 id)
{
    gint64 now_us = base_clock_get_us ();
    JobRankIter iter = { 0 };
    guint32 rank;

    while (job_rank_set_next (set, &iter, &rank) && rank < session->size) {
        session->ranks[rank].motion = id;
        session->ranks[rank].motion_us = now_us;
        session->rank_privates[rank].motion_accepted = FALSE;
        note_change (session, rank);
    }
}

void
session_ranks_accept_motion (Session *session, const JobRankSet *set, guint64 id)
{
    JobRankIter iter = { 0 };
    guint32 rank;

    while (job_rank_set_next (set, &iter, &rank) && rank < session->size) {
        if (session->ranks[rank].motion == id) {
            session->rank_privates[rank].motion_accepted = TRUE;
        }
    }
}

void
session_ranks_clear_motion (Session *session, const JobRankSet *set, guint64 id)
{
    JobRankIter iter = { 0 };
    guint32 rank;

    while (job_rank_set_next (set, &iter, &rank) && rank < session->size) {
        if (session->ranks[rank].motion == id) {
            session->ranks[rank].motion = 0;
            note_change (session, rank);
        }
    }
}

const guint8 *
session_get_states (const Session *session)
{
    return session->states;
}

const guint32 *
session_get_counts (const Session *session)
{
    return session->counts;
}

guint64
session_get_generation (const Session *session)
{
    return session->generation;
}

const SessionRank *
session_get_rank (const Session *session, guint32 rank)
{
    return rank < session->size ? &session->ranks[rank] : NULL;
}

const JobLocation *
session_get_selected_place (const Session *session, guint32 rank)
{
    if (rank >= session->size) {
        return NULL;
    }
    return session->rank_privates[rank].selected != NULL ? session->rank_privates[rank].selected
                                                         : session->ranks[rank].place;
}

static gboolean
is_in_family (JobState rank_state, JobState family)
{
    switch (family) {
    case JOB_STATE_RUNNING:
        return job_state_get_info (rank_state)->is_moving;
    case JOB_STATE_STOPPED:
        return job_state_get_info (rank_state)->is_stopped;
    default:
        return rank_state == family;
    }
}

JobRankSet *
session_dup_ranks_in_state (const Session *session, JobState state)
{
    JobRankSet *set = job_rank_set_new ();
    guint8 is_member[JOB_N_STATES];
    guint32 rank = 0;

    for (guint i = 0; i < JOB_N_STATES; i++) {
        is_member[i] = (guint8) is_in_family ((JobState) i, state);
    }
    while (rank < session->size) {
        guint32 first = rank;

        while (rank < session->size && is_member[session->states[rank]]) {
            rank++;
        }
        job_rank_set_add_range (set, first, rank);
        rank++;
    }
    return set;
}

JobRankSet *
session_dup_all (const Session *session)
{
    JobRankSet *all;

    if (!session->is_attached) {
        return job_rank_set_new_range (0, session->size);
    }
    all = job_rank_set_new ();
    for (guint32 rank = 0; rank < session->size; rank++) {
        if (session->rank_privates[rank].reported) {
            job_rank_set_add (all, rank);
        }
    }
    return all;
}

JobRankSet *
session_dup_unfinished (const Session *session, const JobRankSet *set)
{
    JobRankSet *unfinished = job_rank_set_new ();
    JobRankIter iter = { 0 };
    guint32 rank;

    while (job_rank_set_next (set, &iter, &rank) && rank < session->size) {
        if (session->ranks[rank].motion != 0) {
            job_rank_set_add (unfinished, rank);
        }
    }
    if (session->marching != NULL) {
        g_autoptr (JobRankSet) marching = job_rank_set_intersect (session->marching, set);

        job_rank_set_merge (unfinished, marching);
    }
    return unfinished;
}

JobRankSet *
session_ranks_dup_alive (Session *session)
{
    JobRankSet *set = job_rank_set_new ();
    guint8 is_alive[JOB_N_STATES];

    for (guint state = 0; state < JOB_N_STATES; state++) {
        is_alive[state] = state != JOB_STATE_NONE && !job_state_get_info (state)->is_ended;
    }
    for (guint32 rank = 0; rank < session->size; rank++) {
        guint32 first = rank;

        while (rank < session->size && is_alive[session->states[rank]]) {
            rank++;
        }
        job_rank_set_add_range (set, first, rank);
    }
    return set;
}

JobRankSet *
session_ranks_dup_unreported (Session *session)
{
    JobRankSet *set = job_rank_set_new ();

    for (guint32 rank = 0; rank < session->size; rank++) {
        if (!session->rank_privates[rank].reported) {
            job_rank_set_add (set, rank);
        }
    }
    return set;
}
