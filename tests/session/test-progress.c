/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The progress of slow steps is reported; the limit for the remaining ranks grows if the others
 * took long. */
#include "base/clock.h"
#include "session/private.h"

#define LIMIT_S 120

typedef struct {
    Session *session;
    guint64 request;
    guint n_told, arrived, asked;
} Rig;

static gint64 now_us;

static gint64
get_now_us (void)
{
    return now_us;
}

static void
on_send (const JobRequest *request, gpointer user)
{
}

static void
on_progress (Session *session, guint64 request, guint arrived, guint asked, Rig *rig)
{
    g_assert_cmpuint (request, ==, rig->request);
    rig->n_told++;
    rig->arrived = arrived;
    rig->asked = asked;
}

static Rig *
make_rig (guint32 n)
{
    Rig *rig = g_new0 (Rig, 1);

    rig->session = session_new ();
    g_signal_connect (rig->session, "progress", G_CALLBACK (on_progress), rig);
    session_start_scripted (rig->session, n, on_send, rig);
    return rig;
}

static void
free_rig (Rig *rig)
{
    g_object_unref (rig->session);
    g_free (rig);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Rig, free_rig)

static void
begin (Rig *rig, JobVerb verb, guint32 end)
{
    g_autoptr (JobRankSet) ranks = job_rank_set_new_range (0, end);

    rig->request = session_submit (rig->session, job_request_new (verb, ranks));
}

static void
arrive (Rig *rig, guint32 first, guint32 end, JobState state)
{
    g_autoptr (JobRankSet) ranks = job_rank_set_new_range (first, end);
    g_autoptr (JobEvent) event = job_event_new (JOB_EVENT_STATE, rig->request, ranks);

    event->state = state;
    session_apply (rig->session, event);
}

static gboolean
fail_late (gpointer data)
{
    g_error ("nothing was told within %d s", LIMIT_S);
    return G_SOURCE_REMOVE;
}

static void
await_told (Rig *rig, guint n)
{
    guint limit = g_timeout_add_seconds (LIMIT_S, fail_late, NULL);

    while (rig->n_told < n) {
        g_main_context_iteration (NULL, TRUE);
    }
    g_source_remove (limit);
}

static void
assert_progress (Rig *rig, const JobRankSet *set, guint32 arrived, guint32 asked)
{
    guint32 n = 0, of = 0;

    g_assert_true (session_find_progress (rig->session, set, &n, &of));
    g_assert_cmpuint (n, ==, arrived);
    g_assert_cmpuint (of, ==, asked);
}

static void
test_told (void)
{
    g_autoptr (Rig) rig = make_rig (8);
    g_autoptr (JobRankSet) one = job_rank_set_new_range (0, 1);
    guint32 n, of;

    g_assert_false (session_find_progress (rig->session, NULL, &n, &of));
    begin (rig, JOB_VERB_NEXT, 8);
    arrive (rig, 0, 6, JOB_STATE_STOPPED);
    assert_progress (rig, one, 6, 8);
    await_told (rig, 1);
    g_assert_cmpuint (rig->arrived, ==, 6);
    g_assert_cmpuint (rig->asked, ==, 8);
    arrive (rig, 6, 7, JOB_STATE_BLOCKED); /* that is no arrival */
    assert_progress (rig, NULL, 6, 8);
    arrive (rig, 6, 8, JOB_STATE_BREAKPOINT);
    await_told (rig, 2);
    g_assert_cmpuint (rig->arrived, ==, 8);
    g_assert_false (session_find_progress (rig->session, NULL, &n, &of));
}

/* Ranks that were never asked are neither late nor counted, whatever they do; the step stays known
 * until one of those that were asked moves again. */
static void
test_asked (void)
{
    g_autoptr (Rig) rig = make_rig (8);
    g_autoptr (JobRankSet) all = job_rank_set_new_range (0, 8);
    g_autoptr (JobRankSet) others = job_rank_set_new_range (2, 8);
    g_autoptr (JobRankSet) late = NULL;
    const JobRankSet *asked;

    arrive (rig, 0, 8, JOB_STATE_STOPPED);
    session_submit (rig->session, job_request_new (JOB_VERB_CONTINUE, others));
    begin (rig, JOB_VERB_NEXT, 2);
    g_assert_null (session_find_last_step (rig->session, all));
    arrive (rig, 0, 1, JOB_STATE_STOPPED);
    assert_progress (rig, all, 1, 2);
    late = session_dup_late (rig->session, all);
    g_assert_cmpuint (job_rank_set_get_count (late), ==, 1);
    g_assert_true (job_rank_set_contains (late, 1));
    arrive (rig, 1, 2, JOB_STATE_STOPPED);
    asked = session_find_last_step (rig->session, all);
    g_assert_nonnull (asked);
    g_assert_cmpuint (job_rank_set_get_count (asked), ==, 2);
    g_assert_null (session_find_last_step (rig->session, others));
    begin (rig, JOB_VERB_CONTINUE, 1);
    arrive (rig, 0, 1, JOB_STATE_RUNNING);
    g_assert_null (session_find_last_step (rig->session, all));
}

/* Who ends or gets another motion is out of the count; a step that is quick is not spoken of. */
static void
test_left (void)
{
    g_autoptr (Rig) rig = make_rig (4);
    g_autoptr (JobRankSet) last = job_rank_set_new_range (3, 4);
    guint64 step;
    guint32 n, of;

    begin (rig, JOB_VERB_STEP, 4);
    step = rig->request;
    arrive (rig, 0, 1, JOB_STATE_EXITED);
    assert_progress (rig, NULL, 0, 3);
    session_submit (rig->session, job_request_new (JOB_VERB_PAUSE, last));
    assert_progress (rig, NULL, 0, 2);
    rig->request = step;
    arrive (rig, 1, 3, JOB_STATE_STOPPED);
    g_assert_false (session_find_progress (rig->session, NULL, &n, &of));
    begin (rig, JOB_VERB_CONTINUE, 3); /* has no goal */
    g_assert_false (session_find_progress (rig->session, NULL, &n, &of));
    g_assert_cmpuint (rig->n_told, ==, 0);
}

static void
test_adapts (void)
{
    Rig *rig;

    now_us = G_USEC_PER_SEC;
    base_clock_set (get_now_us);
    rig = make_rig (8);
    begin (rig, JOB_VERB_NEXT, 8);
    g_assert_cmpuint (session_progress_get_rest_ms (rig->session, rig->request), ==, 300);
    now_us += 10000;
    arrive (rig, 0, 1, JOB_STATE_STOPPED); /* a quick one: the shortest limit stays */
    g_assert_cmpuint (session_progress_get_rest_ms (rig->session, rig->request), ==, 290);
    now_us += 990000;
    arrive (rig, 1, 4, JOB_STATE_STOPPED); /* the median is a second: three of them */
    g_assert_cmpuint (session_progress_get_rest_ms (rig->session, rig->request), >=, 2000);
    g_assert_cmpuint (session_progress_get_rest_ms (rig->session, rig->request), <=, 2700);
    now_us += 60 * G_USEC_PER_SEC;
    arrive (rig, 4, 7, JOB_STATE_STOPPED);
    g_assert_cmpuint (session_progress_get_rest_ms (rig->session, rig->request), ==, 0);
    begin (rig, JOB_VERB_NEXT, 8);
    now_us += 4 * G_USEC_PER_SEC;
    arrive (rig, 0, 7, JOB_STATE_STOPPED); /* never longer than five */
    g_assert_cmpuint (session_progress_get_rest_ms (rig->session, rig->request), ==, 1000);
    free_rig (rig);
    base_clock_set (NULL);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/session/progress/told", test_told);
    g_test_add_func ("/session/progress/asked", test_asked);
    g_test_add_func ("/session/progress/left", test_left);
    g_test_add_func ("/session/progress/adapts", test_adapts);
    return g_test_run ();
}
