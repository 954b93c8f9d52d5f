/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds ranks by state or unfinished motion. Handles none, all and long runs of equal ranks
 * without visiting each rank. */
#include "session/private.h"
#include "analysis/communicators.h"
#include <string.h>

/* The rank behind the last of those from `rank` on that are told by the same fact, at most `end`. */
static guint32
find_end (const Session *session, guint32 rank, guint32 end)
{
    guint32 fact = session->ranks->fact_indexes[rank];

    while (rank < end && session->ranks->fact_indexes[rank] == fact) {
        rank++;
    }
    return rank;
}

guint32
session_find_run_end (const Session *session, guint32 rank)
{
    guint32 fact = session->ranks->fact_indexes[rank],
            host = session->ranks->records[rank].host;

    while (rank < session->ranks->size && session->ranks->fact_indexes[rank] == fact
           && session->ranks->records[rank].host == host) {
        rank++;
    }
    return rank;
}

static gboolean
is_in_family (JobState rank_state, JobState family)
{
    switch (family) {
    case JOB_STATE_RUNNING: return job_state_get_info (rank_state)->is_moving;
    case JOB_STATE_STOPPED: return job_state_get_info (rank_state)->is_stopped;
    default: return rank_state == family;
    }
}

/* is_member: by state. No visit to each rank if the result is none or all. */
static JobRankSet *
dup_in_states (const Session *session, const guint8 is_member[256])
{
    g_autoptr (JobRankSet) all = job_rank_set_new_range (0, session->ranks->size);
    guint32 n_members = 0;

    for (guint state = 0; state < JOB_N_STATES; state++) {
        n_members += is_member[state] ? session->ranks->counts[state] : 0;
    }
    if (n_members == session->ranks->size) {
        return g_steal_pointer (&all);
    }
    return n_members > 0 ? job_rank_set_choose (all, session->ranks->states,
                                                session->ranks->size, is_member)
                         : job_rank_set_new ();
}

JobRankSet *
session_dup_ranks_in_state (const Session *session, JobState state)
{
    guint8 is_member[256] = { 0 };

    for (guint i = 0; i < JOB_N_STATES; i++) {
        is_member[i] = is_in_family ((JobState) i, state);
    }
    return dup_in_states (session, is_member);
}

JobRankSet *
session_dup_ranks_in_one_state (const Session *session, JobState state)
{
    guint8 is_member[256] = { 0 };

    is_member[state] = TRUE;
    return dup_in_states (session, is_member);
}

JobRankSet *
session_dup_stopped (const Session *session, const JobRankSet *set, guint64 *ret_signature)
{
    guint8 is_stopped[256] = { 0 };
    JobRankSet *stopped;
    guint64 signature = 0;

    for (guint i = 0; i < JOB_N_STATES; i++) {
        is_stopped[i] = job_state_get_info ((JobState) i)->is_stopped != FALSE;
    }
    stopped = job_rank_set_choose (set, session->ranks->states, session->ranks->size,
                                   is_stopped);
    for (guint i = 0; i < stopped->ranges->len && ret_signature != NULL; i++) {
        const JobRankRange *range = &g_array_index (stopped->ranges, JobRankRange, i);

        signature += session_moment_sign_range (session, range->first, range->end);
    }
    if (ret_signature != NULL) {
        *ret_signature = stopped->ranges->len > 0
                             ? signature + session_moment_sign_job (session)
                             : 0;
    }
    return stopped;
}

/* What session_dup_face tells the analysis of, a member for each fact. */
typedef struct {
    const Session *session;
    const JobRankSet *set;
    GArray *members;  /* of AnalysisMember */
    guint32 *numbers; /* of members, by fact, from 1 */
    guint8
        *values; /* of each rank of the set: its member's number, where a byte can hold all */
} Members;

enum { MAX_VALUES = 255 };

static void
count_run (Members *members, guint32 rank, guint32 end)
{
    guint32 *number = &members->numbers[members->session->ranks->fact_indexes[rank]];

    if (*number == 0) {
        const SessionFact *fact = session_ranks_get_fact (members->session, rank);
        /* who was killed on request has just ended */
        BASE_APPEND (members->members, AnalysisMember,
                     fact->is_wanted ? JOB_STATE_EXITED : fact->state, fact->place, fact->text,
                     0);
        *number = members->members->len;
    }
    g_array_index (members->members, AnalysisMember, *number - 1).n_ranks += end - rank;
    memset (members->values + rank, (int) (*number & MAX_VALUES), end - rank);
}

static void
count_members (Members *members)
{
    const Session *session = members->session;

    BASE_EACH_ROW (members->set->ranges, const JobRankRange, range) {
        guint32 end = MIN (range->end, session->ranks->size);

        for (guint32 rank = range->first, next; rank < end; rank = next) {
            next = find_end (session, rank, end);
            count_run (members, rank, next);
        }
    }
}

static JobRankSet *
dup_ranks (const guint8 *wanted, gpointer user)
{
    const Members *members = user;
    const Session *session = members->session;
    JobRankSet *ranks;

    if (members->members->len <= MAX_VALUES) {
        guint8 values[256] = { 0 };

        memcpy (values + 1, wanted, members->members->len);
        return job_rank_set_choose (members->set, members->values, session->ranks->size,
                                    values);
    }
    ranks = job_rank_set_new ();
    BASE_EACH_ROW (members->set->ranges, const JobRankRange, range) {
        guint32 end = MIN (range->end, session->ranks->size);

        for (guint32 rank = range->first, next; rank < end; rank = next) {
            next = find_end (session, rank, end);
            if (wanted[members->numbers[session->ranks->fact_indexes[rank]] - 1]) {
                job_rank_set_add_range (ranks, rank, next);
            }
        }
    }
    return ranks;
}

AnalysisFace *
session_dup_face (const Session *session, const JobRankSet *set)
{
    g_autoptr (GArray) list = g_array_new (FALSE, FALSE, sizeof (AnalysisMember));
    g_autofree guint32 *numbers = g_new0 (guint32, session->ranks->facts->len);
    g_autofree guint8 *values = g_malloc (session->ranks->size);
    Members members = { session, set, list, numbers, values };
    AnalysisRanks ranks = { .dup_ranks = dup_ranks, .user = &members };

    count_members (&members);
    ranks.members = (const AnalysisMember *) (void *) list->data;
    ranks.n_members = list->len;
    return analysis_face_new (&ranks);
}

JobRankSet *
session_dup_all (const Session *session)
{
    JobRankSet *all;

    if (!session->life->is_attached) {
        return job_rank_set_new_range (0, session->ranks->size);
    }
    all = job_rank_set_new ();
    for (guint32 rank = 0; rank < session->ranks->size; rank++) {
        if (session->ranks->records[rank].reported) {
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

    while (session->ranks->n_motions > 0 && job_rank_set_next (set, &iter, &rank)
           && rank < session->ranks->size) {
        if (session->ranks->records[rank].motion != 0) {
            job_rank_set_add (unfinished, rank);
        }
    }
    session_diverged_add_marching (session, set, unfinished);
    return unfinished;
}

JobRankSet *
session_ranks_dup_alive (Session *session)
{
    guint8 is_alive[256] = { 0 };

    for (guint state = 0; state < JOB_N_STATES; state++) {
        is_alive[state] = state != JOB_STATE_NONE
                          && !job_state_get_info ((JobState) state)->is_ended;
    }
    return dup_in_states (session, is_alive);
}

JobRankSet *
session_ranks_dup_unreported (Session *session)
{
    JobRankSet *set = job_rank_set_new ();

    for (guint32 rank = 0; rank < session->ranks->size; rank++) {
        if (!session->ranks->records[rank].reported) {
            job_rank_set_add (set, rank);
        }
    }
    return set;
}

char *
session_dup_signal_names (const Session *session, gboolean *ret_is_crash)
{
    enum { MAX_LOOKED = 256, MAX_NAMED = 3 };
    const guint8 *states = session->ranks->states;
    g_autoptr (GPtrArray) names = g_ptr_array_new ();
    guint n_looked = 0;

    *ret_is_crash = TRUE;
    for (guint32 rank = 0;
         session->ranks->counts[JOB_STATE_SIGNAL] > 0 && n_looked < MAX_LOOKED; rank++) {
        const guint8 *found = rank < session->ranks->size
                                  ? memchr (states + rank, JOB_STATE_SIGNAL,
                                            session->ranks->size - rank)
                                  : NULL;
        AnalysisRank one = { .state = JOB_STATE_SIGNAL };

        if (found == NULL) {
            break;
        }
        rank = (guint32) (found - states);
        n_looked++;
        one.text = session_ranks_get_fact (session, rank)->text;
        *ret_is_crash &= analysis_rank_is_crashed (&one);
        rank = find_end (session, rank, session->ranks->size) - 1; /* the same of all */
        if (one.text != NULL && names->len <= MAX_NAMED
            && !g_ptr_array_find_with_equal_func (names, one.text, g_str_equal, NULL)) {
            g_ptr_array_add (names, (gpointer) one.text);
        }
    }
    if (names->len == 0) {
        return NULL;
    }
    if (names->len > MAX_NAMED) {
        names->pdata[MAX_NAMED] = (gpointer) "…";
    }
    g_ptr_array_add (names, NULL);
    return g_strjoinv (", ", (char **) names->pdata);
}

gboolean
session_were_killed (const Session *session, const JobRankSet *ranks)
{
    JOB_EACH_RANK (ranks, rank) {
        if (rank >= session->ranks->size
            || !session_ranks_get_fact (session, rank)->is_wanted) {
            return FALSE;
        }
    }
    return !job_rank_set_is_empty (ranks);
}

/* ---- as another session learns it ---- */

typedef struct {
    guint64 stop;
    guint32 fact;
} Known;

static guint
hash_known (gconstpointer data)
{
    const Known *known = data;

    return (guint) (known->stop * 31 + known->fact);
}

static gboolean
equal_known (gconstpointer a, gconstpointer b)
{
    const Known *left = a, *right = b;

    return left->stop == right->stop && left->fact == right->fact;
}

static JobEvent *
make_state (const Session *session, const Known *known)
{
    const SessionFact *fact = g_ptr_array_index (session->ranks->facts, known->fact);
    const JobText *said = fact->text2 != NULL
                              ? g_hash_table_lookup (session->texts->reasons, fact->text2)
                              : NULL;
    JobEvent *event = job_event_new (JOB_EVENT_STATE, 0, NULL);

    event->state = fact->state;
    event->number = fact->number;
    event->text = g_strdup (fact->text);
    event->text2 = g_strdup (fact->text2);
    event->said = said != NULL ? job_text_dup (said) : NULL;
    event->stop = known->stop;
    if (fact->place != NULL && !job_state_get_info (fact->state)->is_moving) {
        event->place = job_location_dup (fact->place);
    }
    return event;
}

GPtrArray *
session_ranks_dup_states (const Session *session)
{
    GPtrArray *events = g_ptr_array_new_with_free_func ((GDestroyNotify) job_event_free);
    g_autoptr (GHashTable) found = g_hash_table_new_full (hash_known, equal_known, g_free,
                                                          NULL);

    for (guint32 rank = 0, end; rank < session->ranks->size; rank = end) {
        const Known known = { session->ranks->records[rank].stop,
                              session->ranks->fact_indexes[rank] };
        JobEvent *event = g_hash_table_lookup (found, &known);
        g_autoptr (JobRankSet) run = NULL;

        for (end = rank + 1;
             end < session->ranks->size && session->ranks->fact_indexes[end] == known.fact
             && session->ranks->records[end].stop == known.stop;
             end++) {
        }
        if (session->ranks->states[rank] == JOB_STATE_NONE) {
            continue;
        }
        if (event == NULL) {
            event = make_state (session, &known);
            g_ptr_array_add (events, event);
            g_hash_table_insert (found, g_memdup2 (&known, sizeof known), event);
        }
        run = job_rank_set_new_range (rank, end);
        job_rank_set_merge (event->ranks, run);
    }
    return events;
}
