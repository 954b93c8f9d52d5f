/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The face of a session's ranks and those that are stopped, in all sets and mixtures: beside what asking each
 * rank gives. */
#include "session/model.h"
#include "session/session.h"

enum { N_RANKS = 700, MANY_PLACES = 400 };

static void
ignore (const JobRequest *request, gpointer user)
{
}

static Session *
new_session (void)
{
    Session *session = session_new ();

    session_start_scripted (session, N_RANKS, ignore, NULL);
    return session;
}

static void
change (Session *session, guint32 rank, JobState state, guint32 line, guint64 stop)
{
    g_autoptr (JobEvent) event = job_event_new (JOB_EVENT_STATE, 0, NULL);

    job_rank_set_add (event->ranks, rank);
    event->state = state;
    event->stop = stop;
    if (line > 0) {
        JobLocation place = { .function = "work", .file = "/x/app.c", .line = line };

        event->place = job_location_dup (&place);
    }
    session_apply (session, event);
}

/* n_places: 400 are more members than a byte can number. */
static void
mix (Session *session, GRand *random, int n_places)
{
    static const JobState states[] = { JOB_STATE_STOPPED, JOB_STATE_BREAKPOINT,
                                       JOB_STATE_RUNNING, JOB_STATE_EXITED };

    for (guint32 rank = 0; rank < N_RANKS; rank++) {
        JobState state = states[g_rand_int_range (random, 0, n_places == 1 ? 2 : 4)];
        gboolean has_place = job_state_get_info (state)->is_stopped;

        change (session, rank, state,
                has_place ? (guint32) g_rand_int_range (random, 1, n_places + 1) : 0, rank + 1);
    }
}

static void
assert_face (Session *session, const JobRankSet *set)
{
    g_autoptr (AnalysisFace) face = session_dup_face (session, set);
    g_autoptr (JobRankSet) all = job_rank_set_new ();

    for (guint i = 0; i < face->groups->len; i++) {
        const AnalysisPlaceGroup *group = face->groups->pdata[i];
        JobRankIter iter = { 0 };
        guint32 rank;

        g_assert_false (job_rank_set_intersects (all, group->ranks));
        job_rank_set_merge (all, group->ranks);
        while (job_rank_set_next (group->ranks, &iter, &rank)) {
            const SessionRank info = session_get_rank (session, rank);
            gboolean is_stopped = job_state_get_info (info.state)->is_stopped;

            g_assert_cmpint (job_state_get_info (group->state)->is_stopped, ==, is_stopped);
            g_assert_true (is_stopped || info.state == group->state);
            g_assert_true (job_location_equal (info.place, group->place)
                           || info.state == JOB_STATE_EXITED);
        }
    }
    g_assert_true (job_rank_set_equal (all, set));
}

static void
assert_stopped (Session *session, const JobRankSet *set)
{
    g_autoptr (JobRankSet) expected = job_rank_set_new ();
    g_autoptr (JobRankSet) stopped = session_dup_stopped (session, set, NULL);
    JobRankIter iter = { 0 };
    guint32 rank;

    while (job_rank_set_next (set, &iter, &rank)) {
        if (job_state_get_info (session_get_rank (session, rank).state)->is_stopped) {
            job_rank_set_add (expected, rank);
        }
    }
    g_assert_true (job_rank_set_equal (stopped, expected));
}

static void
test_mixed (void)
{
    static const char *const sets[] = { "0-699", "0", "1-699/2", "3-65,67-130,650-699", "699" };
    static const int places[] = { 1, 3, MANY_PLACES };
    g_autoptr (GRand) random = g_rand_new_with_seed (11);

    for (guint i = 0; i < G_N_ELEMENTS (places); i++) {
        g_autoptr (Session) session = new_session ();

        mix (session, random, places[i]);
        for (guint j = 0; j < G_N_ELEMENTS (sets); j++) {
            g_autoptr (JobRankSet) set = job_rank_set_parse (sets[j], N_RANKS, NULL);

            g_assert_nonnull (set);
            assert_face (session, set);
            assert_stopped (session, set);
        }
    }
}

static guint64
sign (Session *session, const JobRankSet *set)
{
    guint64 signature;
    g_autoptr (JobRankSet) stopped = session_dup_stopped (session, set, &signature);

    return signature;
}

/* The signature is that of the set's stopped ranks: nothing else changes it, and each of their stops does. */
static void
test_signature (void)
{
    g_autoptr (Session) session = new_session ();
    g_autoptr (JobRankSet) set = job_rank_set_parse ("0-99", N_RANKS, NULL);
    guint64 none, one, again, both;

    for (guint32 rank = 0; rank < N_RANKS; rank++) {
        change (session, rank, JOB_STATE_RUNNING, 0, 0);
    }
    none = sign (session, set);
    change (session, 7, JOB_STATE_STOPPED, 12, 1);
    one = sign (session, set);
    g_assert_cmpuint (one, !=, none);
    change (session, 100, JOB_STATE_STOPPED, 12, 1); /* another set's */
    change (session, 8, JOB_STATE_EXITED, 0, 1);
    g_assert_cmpuint (sign (session, set), ==, one);
    change (session, 7, JOB_STATE_STOPPED, 12, 2); /* there once more */
    again = sign (session, set);
    g_assert_cmpuint (again, !=, one);
    change (session, 9, JOB_STATE_STOPPED, 12, 2);
    both = sign (session, set);
    g_assert_cmpuint (both, !=, again);
    change (session, 7, JOB_STATE_RUNNING, 0, 3);
    g_assert_cmpuint (sign (session, set), !=, both);
    change (session, 9, JOB_STATE_RUNNING, 0, 3);
    g_assert_cmpuint (sign (session, set), ==, none);
}

static void
fail (Session *session, guint32 rank, const char *signal)
{
    g_autoptr (JobEvent) event = job_event_new (JOB_EVENT_STATE, 0, NULL);

    job_rank_set_add (event->ranks, rank);
    event->state = JOB_STATE_FAILED;
    event->text = g_strdup (signal);
    session_apply (session, event);
}

static AnalysisFaceKind
get_kind (Session *session, guint32 end)
{
    g_autoptr (JobRankSet) set = job_rank_set_new_range (0, end);
    g_autoptr (AnalysisFace) face = session_dup_face (session, set);

    return face->kind;
}

/* Who was killed on request has ended, and nothing is wrong; by somebody else, or otherwise, it has crashed. */
static void
test_killed (void)
{
    g_autoptr (Session) session = new_session ();
    g_autoptr (JobRankSet) first = job_rank_set_new_range (0, 1),
                           both = job_rank_set_new_range (0, 2);

    session_submit (session, job_request_new (JOB_VERB_KILL, first));
    fail (session, 0, "SIGKILL");
    g_assert_true (session_were_killed (session, first));
    g_assert_cmpint (get_kind (session, 1), ==, ANALYSIS_FACE_ENDED);
    fail (session, 1, "SIGKILL");
    g_assert_false (session_were_killed (session, both));
    g_assert_cmpint (get_kind (session, 2), ==, ANALYSIS_FACE_CRASHED);
    session_submit (session, job_request_new (JOB_VERB_KILL, both));
    fail (session, 0, "SIGSEGV");
    g_assert_false (session_were_killed (session, first));
    g_assert_cmpint (get_kind (session, 1), ==, ANALYSIS_FACE_CRASHED);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/session/face/mixed", test_mixed);
    g_test_add_func ("/session/face/signature", test_signature);
    g_test_add_func ("/session/face/killed", test_killed);
    return g_test_run ();
}
