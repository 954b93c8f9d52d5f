/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The knowledge about each rank: state, place, host, unfinished motion. Places and texts are
 * interned, so that a million ranks at one line need only one location. */
#include "session/private.h"
#include "base/clock.h"
#include <string.h>

#define MAX_SIZE (1u << 24) /* ranks; larger values come from a wrong environment variable */
#define COALESCE_MS 16
#define MAX_STOP ((G_GUINT64_CONSTANT (1) << 40) - 1)
#define MAX_HOSTS (1u << 20)
#define N_MEMO 64
#define MIN_MAX_FACTS 4096

static guint
hash_fact (gconstpointer data)
{
    const SessionFact *fact = data;
    guint hash = g_direct_hash (fact->place) * 31 + g_direct_hash (fact->text);

    return ((hash * 31 + g_direct_hash (fact->text2)) * 31 + (guint) fact->number) * 31
           + fact->state;
}

static gboolean
equal_facts (gconstpointer a, gconstpointer b)
{
    const SessionFact *left = a, *right = b;

    return left->state == right->state && left->number == right->number
           && left->text == right->text && left->text2 == right->text2
           && left->place == right->place && left->is_wanted == right->is_wanted;
}

static guint32
intern_fact (Session *session, const SessionFact *fact)
{
    const SessionFact **recent = &session->ranks->recent_facts[fact->state % SESSION_N_RECENT];
    SessionFact *known;

    if (*recent != NULL && equal_facts (*recent, fact)) {
        return (*recent)->index;
    }
    known = g_hash_table_lookup (session->ranks->fact_set, fact);
    if (known == NULL) {
        known = g_new (SessionFact, 1);
        *known = *fact;
        known->index = session->ranks->facts->len;
        g_ptr_array_add (session->ranks->facts, known);
        g_hash_table_add (session->ranks->fact_set, known);
    }
    *recent = known;
    return known->index;
}

void
session_ranks_init (Session *session)
{
    const SessionFact nothing = { .state = JOB_STATE_NONE };

    session->texts->places = g_hash_table_new_full ((GHashFunc) job_location_hash,
                                                    (GEqualFunc) job_location_equal,
                                                    (GDestroyNotify) job_location_free, NULL);
    session->texts->constants = g_string_chunk_new (1024);
    session->texts->reasons = g_hash_table_new_full (g_str_hash, g_str_equal, NULL,
                                                     (GDestroyNotify) job_text_free);
    session->texts->files = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
    session->texts->methods = g_hash_table_new_full (g_direct_hash, g_direct_equal, NULL,
                                                     g_free);
    session->texts->short_files = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                                         g_free);
    session->ranks->dirty_first = G_MAXUINT32;
    session->ranks->facts = g_ptr_array_new_with_free_func (g_free);
    session->ranks->fact_set = g_hash_table_new (hash_fact, equal_facts);
    session->ranks->fact_texts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
    session->ranks->max_facts = MIN_MAX_FACTS;
    memset (session->ranks->recent_facts, 0, sizeof session->ranks->recent_facts);
    intern_fact (session, &nothing);
    session->ranks->host_names = g_ptr_array_new ();
    g_ptr_array_add (session->ranks->host_names, NULL);
    session->ranks->host_indexes = g_hash_table_new (g_str_hash, g_str_equal);
    session->ranks->begin_us = base_clock_get_us ();
}

void
session_ranks_clear (Session *session)
{
    g_clear_handle_id (&session->ranks->dirty_source, g_source_remove);
    g_free (session->ranks->records);
    g_free (session->ranks->fact_indexes);
    g_free (session->ranks->states);
    g_clear_pointer (&session->ranks->killed, job_rank_set_free);
    g_hash_table_unref (session->ranks->fact_set);
    g_ptr_array_unref (session->ranks->facts);
    g_hash_table_unref (session->texts->reasons);
    g_hash_table_unref (session->ranks->fact_texts);
    g_hash_table_unref (session->ranks->host_indexes);
    g_ptr_array_unref (session->ranks->host_names);
    g_hash_table_unref (session->texts->methods);
    g_hash_table_unref (session->texts->places);
    g_hash_table_unref (session->texts->files);
    g_hash_table_unref (session->texts->short_files);
    g_string_chunk_free (session->texts->constants);
}

void
session_ranks_forget (Session *session)
{
    session_messages_forget (session);
    session_group_lists_forget (session);
    session_operations_forget (session);
    session_logged_forget (session);
    session_ranks_clear (session);
    session->ranks->records = NULL;
    session->ranks->fact_indexes = NULL;
    session->ranks->states = NULL;
    session_silence_clear (session);
    session->ranks->size = session->ranks->n_reported = session->ranks->n_arrived
        = session->ranks->n_motions = 0;
    session->ranks->updated_us = 0;
    session->ranks->dirty_end = 0;
    memset (session->ranks->counts, 0, sizeof session->ranks->counts);
    session_ranks_init (session);
    session_progress_forget (session);
    session->ranks->generation++;
    if (session->sets->focus_is_all) {
        job_rank_set_clear (session->sets->focus);
    }
}

static gboolean
emit_states_changed (gpointer data)
{
    Session *session = data;
    guint first = session->ranks->dirty_first, end = session->ranks->dirty_end;

    session->ranks->dirty_source = 0;
    session->ranks->dirty_first = G_MAXUINT32;
    session->ranks->dirty_end = 0;
    session_group_lists_note (session, first, end);
    g_signal_emit (session, session_signals[SESSION_STATES_CHANGED], 0, first, end);
    return G_SOURCE_REMOVE;
}

static void
note_changes (Session *session, guint32 first, guint32 end)
{
    session->ranks->generation++;
    session->ranks->dirty_first = MIN (session->ranks->dirty_first, first);
    session->ranks->dirty_end = MAX (session->ranks->dirty_end, end);
    if (session->ranks->dirty_source == 0) {
        session->ranks->dirty_source = g_timeout_add_full (G_PRIORITY_DEFAULT_IDLE, COALESCE_MS,
                                                           emit_states_changed, session, NULL);
    }
}

/* Marks the range from the first to the last of a non-empty set. */
void
session_ranks_note_set (Session *session, const JobRankSet *set)
{
    guint32 first = job_rank_set_get_lowest (set), end;

    if (first < session->ranks->size) {
        end = g_array_index (set->ranges, JobRankRange, set->ranges->len - 1).end;
        note_changes (session, first, MIN (end, session->ranks->size));
    }
}

const JobLocation *
session_ranks_intern_place (Session *session, const JobLocation *place)
{
    JobLocation *known;

    if (place == NULL) {
        return NULL;
    }
    known = g_hash_table_lookup (session->texts->places, place);
    if (known == NULL) {
        known = job_location_dup (place);
        g_hash_table_insert (session->texts->places, known, known);
        session_format_note_place (session, known);
    }
    return known;
}

static const char *
intern_text (Session *session, const char *text)
{
    gpointer known = NULL;

    if (text != NULL
        && !g_hash_table_lookup_extended (session->ranks->fact_texts, text, &known, NULL)) {
        known = g_strdup (text);
        g_hash_table_add (session->ranks->fact_texts, known);
    }
    return known;
}

void
session_ranks_grow (Session *session, guint32 size)
{
    guint32 old = session->ranks->size;

    size = MIN (size, MAX_SIZE);
    if (size <= old) {
        return;
    }
    session->ranks->records = g_renew (SessionRankRecord, session->ranks->records, size);
    session->ranks->fact_indexes = g_renew (guint32, session->ranks->fact_indexes, size);
    session->ranks->states = g_renew (guint8, session->ranks->states, size);
    memset (session->ranks->records + old, 0, (size - old) * sizeof *session->ranks->records);
    memset (session->ranks->fact_indexes + old, 0,
            (size - old) * sizeof *session->ranks->fact_indexes);
    memset (session->ranks->states + old, 0, size - old);
    session->ranks->counts[JOB_STATE_NONE] += size - old;
    session->ranks->size = size;
    if (session->sets->focus_is_all && !session->life->is_attached) {
        g_autoptr (JobRankSet) all = job_rank_set_new_range (0, size);

        job_rank_set_merge (session->sets->focus, all);
        g_signal_emit (session, session_signals[SESSION_SETS_CHANGED], 0);
    }
    note_changes (session, old, size);
}

static guint32
get_tick (const Session *session, gint64 now_us)
{
    return (guint32) (MAX (now_us - session->ranks->begin_us, 0) / SESSION_TICK_US) + 1;
}

static const SessionFact *
get_fact (const Session *session, guint32 index)
{
    return g_ptr_array_index (session->ranks->facts, index);
}

static void
set_fact (Session *session, guint32 rank, const SessionFact *fact)
{
    session->ranks->counts[session->ranks->states[rank]]--;
    session->ranks->counts[fact->state]++;
    session->ranks->states[rank] = (guint8) fact->state;
    session->ranks->fact_indexes[rank] = fact->index;
}

/* Ends or replaces the rank's motion; has_arrived: at its destination or at an earlier stop. */
static void
set_motion (Session *session, guint32 rank, guint64 motion, gboolean has_arrived)
{
    SessionRankRecord *r = &session->ranks->records[rank];

    if (r->motion != 0 && r->motion != (guint32) motion) {
        session_progress_note (session, r->motion, has_arrived);
    }
    session->ranks->n_motions += (motion != 0) - (r->motion != 0);
    r->motion = (guint32) motion;
}

static void
note_arrival (Session *session, guint32 rank)
{
    if (!session->ranks->records[rank].arrived) {
        session->ranks->records[rank].arrived = TRUE;
        session->ranks->n_arrived++;
    }
}

static guint32
intern_host (Session *session, const char *name)
{
    gpointer index;

    if (name == NULL) {
        return 0;
    }
    if (!g_hash_table_lookup_extended (session->ranks->host_indexes, name, NULL, &index)) {
        char *known;

        if (session->ranks->host_names->len >= MAX_HOSTS) {
            return 0;
        }
        known = g_string_chunk_insert_const (session->texts->constants, name);
        index = GUINT_TO_POINTER (session->ranks->host_names->len);
        g_ptr_array_add (session->ranks->host_names, known);
        g_hash_table_insert (session->ranks->host_indexes, known, index);
    }
    return GPOINTER_TO_UINT (index);
}

static void
begin_running (Session *session, guint32 rank, guint32 tick, guint64 motion)
{
    const SessionFact running = { .state = JOB_STATE_RUNNING };
    SessionRankRecord *r = &session->ranks->records[rank];

    set_fact (session, rank, get_fact (session, intern_fact (session, &running)));
    set_motion (session, rank, motion, FALSE);
    r->motion_tick = tick;
    r->motion_accepted = TRUE;
}

/* host: its number. */
static void
apply_process (Session *session, const JobProcess *process, guint32 host, guint32 tick)
{
    guint32 rank = process->rank;
    SessionRankRecord *r;

    session_ranks_grow (session, MAX (process->size, rank + 1));
    if (rank >= session->ranks->size) {
        return;
    }
    r = &session->ranks->records[rank];
    r->pid = process->pid;
    r->host = host & (MAX_HOSTS - 1);
    if (!r->reported) {
        r->reported = TRUE;
        session->ranks->n_reported++;
        if (session->life->is_attached && session->sets->focus_is_all) {
            job_rank_set_add (session->sets->focus, rank);
        }
    }
    if (session->ranks->states[rank] == JOB_STATE_NONE) {
        begin_running (session, rank, tick,
                       process->parent > 0 ? session_get_start_request (session)
                                           : session->life->start_request);
        note_changes (session, rank, rank + 1);
    }
    if (process->parent > 0) {
        note_arrival (session, rank);
    }
}

void
session_ranks_apply_processes (Session *session, const JobEvent *event)
{
    gboolean is_first = session->ranks->n_reported == 0;
    guint32 tick = get_tick (session, base_clock_get_us ()), host = 0;
    const char *name = NULL;

    for (guint i = 0;
         job_event_get_processes (event) != NULL && i < job_event_get_processes (event)->len;
         i++) {
        const JobProcess *process = JOB_PROCESS (job_event_get_processes (event), i);

        if (i == 0 || process->host != name) { /* ranks of a host share its name */
            name = process->host;
            host = intern_host (session, name);
        }
        if (process->rank < MAX_SIZE && process->size <= MAX_SIZE) {
            apply_process (session, process, host, tick);
        }
    }
    if (session->life->is_attached && session->sets->focus_is_all
        && job_event_get_processes (event) != NULL) {
        g_signal_emit (session, session_signals[SESSION_SETS_CHANGED], 0);
    }
    if (is_first && session->ranks->n_reported > 0) {
        session_life_begin_timeout (session);
    }
}

/* Applies a STATE event to its ranks. All ranks that share a fact get the same new one, and
 * there are few facts. */
typedef struct {
    const JobEvent *event;
    const JobStateInfo *info;
    SessionFact fact; /* the new one; may keep the previous place */
    gboolean keeps_place, is_fresh;
    guint64 stop;
    guint32 tick;
    guint64 known[N_MEMO / 64]; /* slots of memo that hold something */
    struct {
        const SessionFact *from, *to;
    } memo[N_MEMO];
} Change;

static const SessionFact *
find_next_fact (Session *session, Change *change, const SessionFact *from)
{
    guint slot = from->index % N_MEMO;

    if ((change->known[slot / 64] >> slot % 64 & 1) == 0 || change->memo[slot].from != from) {
        if (change->keeps_place) {
            change->fact.place = from->place;
        }
        change->known[slot / 64] |= G_GUINT64_CONSTANT (1) << slot % 64;
        change->memo[slot].from = from;
        change->memo[slot].to = get_fact (session, intern_fact (session, &change->fact));
    }
    return change->memo[slot].to;
}

/* A stop ends the motion, unless it belongs to an earlier one and the new motion has not
 * begun. */
static void
end_motion (Session *session, guint32 rank, const JobEvent *event)
{
    const SessionRankRecord *r = &session->ranks->records[rank];

    if (event->request == 0 || event->request >= r->motion || r->motion_accepted) {
        set_motion (session, rank, 0, TRUE);
    }
}

static void
apply_times (SessionRankRecord *r, const Change *change, gboolean was_moving)
{
    if (change->info->is_moving && !was_moving) {
        r->motion_tick = change->tick;
        r->is_place_new = FALSE;
    }
    if (!change->keeps_place) {
        r->place_tick = change->tick;
        r->is_place_new = TRUE;
    } else if (change->info->is_moving) {
        r->place_tick = change->is_fresh ? 0 : r->place_tick;
        r->is_place_new = FALSE; /* its place before it moved */
    }
}

static void
apply_rank_state (Session *session, guint32 rank, Change *change)
{
    SessionRankRecord *r = &session->ranks->records[rank];
    const SessionFact *from = get_fact (session, session->ranks->fact_indexes[rank]), *to;
    const JobStateInfo *was;

    if (change->stop != 0 && change->stop < r->stop) {
        return;
    }
    to = find_next_fact (session, change, from);
    was = job_state_get_info (from->state);
    if (change->is_fresh && was->is_ended && from->state != JOB_STATE_LOST
        && !change->info->is_ended) {
        return;
    }
    r->stop = MAX (r->stop, change->stop);
    apply_times (r, change, was->is_moving);
    if (to != from) {
        set_fact (session, rank, to);
    }
    if (change->info->is_ended) {
        set_motion (session, rank, 0, FALSE);
    } else if (change->info->is_stopped && !change->is_fresh) {
        end_motion (session, rank, change->event);
    }
    /* A rank that nothing stops has arrived when its program runs, a moment after it has reported. */
    if (change->info->is_stopped || change->info->is_ended
        || (session->life->stop_at_none && change->fact.state == JOB_STATE_RUNNING)) {
        note_arrival (session, rank);
    }
}

/* An answer about stopped ranks without news: changes nothing visible. */
static guint32
pass_known (const Session *session, guint32 rank, guint32 end, const Change *change,
            guint32 fact)
{
    const SessionRankRecord *r = &session->ranks->records[rank];

    while (rank < end && session->ranks->fact_indexes[rank] == fact && r->arrived
           && change->stop <= r->stop) {
        rank++;
        r++;
    }
    return rank;
}

static void
apply_range (Session *session, guint32 rank, guint32 end, Change *change)
{
    gboolean may_pass = change->is_fresh && change->info->is_stopped;
    guint32 fact = may_pass ? intern_fact (session, &change->fact) : 0;

    while (rank < end) {
        if (may_pass) {
            rank = pass_known (session, rank, end, change, fact);
        }
        if (rank < end) {
            apply_rank_state (session, rank++, change);
        }
    }
}

void
session_ranks_apply_request (Session *session, const JobRequest *request)
{
    if (request->verb == JOB_VERB_KILL) {
        if (session->ranks->killed == NULL) {
            session->ranks->killed = job_rank_set_new ();
        }
        job_rank_set_merge (session->ranks->killed, request->ranks);
    }
}

/* They end as the user wanted. */
static gboolean
is_wanted (const Session *session, const JobEvent *event)
{
    g_autoptr (JobRankSet) others = NULL;

    if (session->ranks->killed == NULL || event->state != JOB_STATE_FAILED
        || g_strcmp0 (event->text, "SIGKILL") != 0) {
        return FALSE;
    }
    others = job_rank_set_subtract (event->ranks, session->ranks->killed);
    return job_rank_set_is_empty (others);
}

static gboolean
is_unused (gpointer text, gpointer value, gpointer used)
{
    return !g_hash_table_contains (used, text);
}

/* Keeps the facts that a rank has, and their texts: each exception may have a message of its own. Nothing that is no
 * longer borrowed may point at the others. */
static void
drop_facts (Session *session)
{
    g_autofree guint32 *indices = g_new0 (guint32,
                                          session->ranks->facts->len); /* new ones, from 1 */
    g_autoptr (GHashTable) used = g_hash_table_new (NULL, NULL);
    GPtrArray *kept = g_ptr_array_new_with_free_func (g_free);

    indices[0] = 1; /* of nothing, which ranks have at first */
    for (guint32 rank = 0; rank < session->ranks->size; rank++) {
        indices[session->ranks->fact_indexes[rank]] = 1;
    }
    g_hash_table_remove_all (session->ranks->fact_set);
    for (guint i = 0; i < session->ranks->facts->len; i++) {
        SessionFact *fact = session->ranks->facts->pdata[i];

        if (indices[i] != 0) {
            session->ranks->facts->pdata[i] = NULL;
            fact->index = kept->len;
            g_ptr_array_add (kept, fact);
            indices[i] = kept->len;
            g_hash_table_add (session->ranks->fact_set, fact);
            g_hash_table_add (used, (gpointer) fact->text);
            g_hash_table_add (used, (gpointer) fact->text2);
        }
    }
    g_ptr_array_unref (session->ranks->facts);
    session->ranks->facts = kept;
    for (guint32 rank = 0; rank < session->ranks->size; rank++) {
        session->ranks->fact_indexes[rank] = indices[session->ranks->fact_indexes[rank]] - 1;
    }
    memset (session->ranks->recent_facts, 0, sizeof session->ranks->recent_facts);
    g_hash_table_foreach_remove (session->texts->reasons, is_unused, used);
    g_hash_table_foreach_remove (session->ranks->fact_texts, is_unused, used);
    session->ranks->max_facts = MAX (2 * kept->len, MIN_MAX_FACTS);
    session_group_lists_renumber (session);
}

void
session_ranks_apply_state (Session *session, const JobEvent *event)
{
    gint64 now_us = base_clock_get_us ();
    Change change;

    change.event = event;
    change.info = job_state_get_info (event->state);
    memset (change.known, 0, sizeof change.known);
    change.fact.state = (guint) event->state < JOB_N_STATES ? event->state : JOB_STATE_NONE;
    change.fact.number = event->number;
    change.fact.text = intern_text (session, event->text);
    change.fact.text2 = intern_text (session, event->text2);
    if (change.fact.text2 != NULL && event->said != NULL
        && !g_hash_table_contains (session->texts->reasons, change.fact.text2)) {
        g_hash_table_insert (session->texts->reasons, (gpointer) change.fact.text2,
                             job_text_dup (event->said));
    }
    change.fact.place = session_ranks_intern_place (session, event->place);
    change.fact.is_wanted = is_wanted (session, event);
    change.keeps_place = event->place == NULL && !change.info->is_stopped;
    change.is_fresh = (event->flags & JOB_EVENT_FRESH) != 0;
    change.stop = MIN (event->stop, MAX_STOP);
    change.tick = get_tick (session, now_us);
    BASE_EACH_ROW (event->ranks->ranges, const JobRankRange, range) {
        apply_range (session, range->first, MIN (range->end, session->ranks->size), &change);
    }
    session_ranks_note_set (session, event->ranks);
    if (change.is_fresh) {
        session->ranks->updated_us = now_us;
    }
    if (session->ranks->facts->len >= session->ranks->max_facts) {
        drop_facts (session);
    }
}

void
session_expect (const Session *session, const JobEvent *event)
{
    guint32 rank = job_rank_set_get_lowest (event->ranks);

    if (rank < session->ranks->size) {
        __builtin_prefetch (&session->ranks->records[rank], 1);
        __builtin_prefetch (&session->ranks->fact_indexes[rank], 1);
        __builtin_prefetch (&session->ranks->states[rank], 1);
    }
}

void
session_ranks_begin_motion (Session *session, const JobRankSet *set, guint64 id)
{
    guint32 tick = get_tick (session, base_clock_get_us ());

    JOB_EACH_RANK_BELOW (set, rank, session->ranks->size) {
        SessionRankRecord *r = &session->ranks->records[rank];

        set_motion (session, rank, id, FALSE);
        r->motion_tick = tick;
        r->is_place_new = FALSE;
        r->motion_accepted = FALSE;
    }
    session_ranks_note_set (session, set);
}

void
session_ranks_accept_motion (Session *session, const JobRankSet *set, guint64 id)
{
    if (session->ranks->n_motions == 0) {
        return;
    }
    JOB_EACH_RANK_BELOW (set, rank, session->ranks->size) {
        if (session->ranks->records[rank].motion == id) {
            session->ranks->records[rank].motion_accepted = TRUE;
        }
    }
}

void
session_ranks_clear_motion (Session *session, const JobRankSet *set, guint64 id)
{
    if (session->ranks->n_motions == 0) {
        return;
    }
    JOB_EACH_RANK_BELOW (set, rank, session->ranks->size) {
        if (session->ranks->records[rank].motion == id) {
            set_motion (session, rank, 0, FALSE);
        }
    }
    session_ranks_note_set (session, set);
}

gboolean
session_ranks_are_moving (const Session *session, const JobRankSet *set)
{
    guint32 n_moving = 0;

    for (guint state = 0; state < JOB_N_STATES; state++) {
        n_moving += job_state_get_info ((JobState) state)->is_moving
                        ? session->ranks->counts[state]
                        : 0;
    }
    if (session->ranks->n_motions == 0 && n_moving == 0) {
        return FALSE;
    }
    JOB_EACH_RANK_BELOW (set, rank, session->ranks->size) {
        if (session->ranks->records[rank].motion != 0
            || job_state_get_info ((JobState) session->ranks->states[rank])->is_moving) {
            return TRUE;
        }
    }
    return FALSE;
}

const SessionFact *
session_ranks_get_fact (const Session *session, guint32 rank)
{
    return get_fact (session, session->ranks->fact_indexes[rank]);
}

const char *
session_ranks_get_host (const Session *session, guint32 rank)
{
    return g_ptr_array_index (session->ranks->host_names, session->ranks->records[rank].host);
}

const guint8 *
session_get_states (const Session *session)
{
    return session->ranks->states;
}

const guint32 *
session_get_counts (const Session *session)
{
    return session->ranks->counts;
}

guint64
session_get_generation (const Session *session)
{
    return session->ranks->generation;
}

gint64
session_ranks_get_time (const Session *session, guint32 tick)
{
    return tick != 0 ? session->ranks->begin_us + (gint64) (tick - 1) * SESSION_TICK_US : 0;
}

SessionRank
session_get_rank (const Session *session, guint32 rank)
{
    const SessionRankRecord *r;
    const SessionFact *fact;

    if (rank >= session->ranks->size) {
        return (SessionRank){ .is_there = FALSE };
    }
    r = &session->ranks->records[rank];
    fact = get_fact (session, session->ranks->fact_indexes[rank]);
    return (SessionRank){ .is_there = TRUE,
                          .state = fact->state,
                          .number = fact->number,
                          .text = fact->text,
                          .text2 = fact->text2,
                          .place = fact->place,
                          .stop = r->stop,
                          .place_us = session_ranks_get_time (session, r->place_tick),
                          .motion_us = session_ranks_get_time (session, r->motion_tick),
                          .is_place_new = r->is_place_new,
                          .motion = r->motion,
                          .pid = r->pid,
                          .host = session_ranks_get_host (session, rank) };
}
