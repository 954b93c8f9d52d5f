/* SPDX-License-Identifier: GPL-3.0-or-later */
/* States of a million ranks that stop without any order, on their way to a front end elsewhere: no more than so many bytes
 * a second cross, what crosses later is what is true by then, and nothing is lost or comes in another order. */
#include "session/backend/served-pace.h"

enum {
    N_RANKS = 1000000,
    SECONDS = 20,
    TURNS_A_SECOND = 20,
    MOVED = N_RANKS / SECONDS / TURNS_A_SECOND
};

typedef struct {
    guint8 *true_states, *known;
    gsize n_bytes;
    guint n_events;
} Chart;

static gsize
find_size (const JobEvent *event)
{
    g_autoptr (GVariant) packed = g_variant_ref_sink (job_event_encode (event));

    return g_variant_get_size (packed);
}

static void
set_states (guint8 *states, const JobEvent *event)
{
    JobRankIter iter = { 0 };
    guint32 rank;

    while (job_rank_set_next (event->ranks, &iter, &rank)) {
        states[rank] = (guint8) event->state;
    }
}

static void
cross (Chart *chart, const JobEvent *event)
{
    chart->n_bytes += find_size (event);
    chart->n_events++;
    set_states (chart->known, event);
}

static void
release (Chart *chart, SessionPace *pace, gint64 now_us)
{
    g_autoptr (GPtrArray) events = session_pace_release (pace, now_us);

    for (guint i = 0; i < events->len; i++) {
        session_pace_spend (pace, find_size (events->pdata[i]));
        cross (chart, events->pdata[i]);
    }
}

/* Of a motion, which each rank ends once: order is theirs. */
static JobEvent *
make_states (const guint32 *order, guint turn)
{
    static const JobState states[] = { JOB_STATE_STOPPED, JOB_STATE_BREAKPOINT,
                                       JOB_STATE_EXITED };
    g_autoptr (JobRankSet) ranks = job_rank_set_new ();
    JobEvent *event;

    for (guint i = 0; i < MOVED; i++) {
        job_rank_set_add (ranks, order[turn * MOVED + i]);
    }
    event = job_event_new (JOB_EVENT_STATE, 1, ranks);
    event->state = states[turn % G_N_ELEMENTS (states)];
    event->final = TRUE;
    return event;
}

static guint32 *
make_order (void)
{
    g_autoptr (GRand) random = g_rand_new_with_seed (4711);
    guint32 *order = g_new (guint32, N_RANKS);

    for (guint32 i = 0; i < N_RANKS; i++) {
        guint32 j = (guint32) g_rand_int_range (random, 0, (gint32) i + 1);

        order[i] = order[j];
        order[j] = i;
    }
    return order;
}

static void
test_random (void)
{
    g_autofree guint32 *order = make_order ();
    Chart chart = { g_malloc0 (N_RANKS), g_malloc0 (N_RANKS), 0, 0 };
    SessionPace *pace = session_pace_new (0);
    gsize n_bytes = 0, most = 0, begin = 0;
    gint64 now_us = 0;

    for (guint turn = 0; turn < SECONDS * TURNS_A_SECOND;
         turn++, now_us += G_USEC_PER_SEC / TURNS_A_SECOND) {
        g_autoptr (JobEvent) event = make_states (order, turn);
        gsize size = find_size (event);

        n_bytes += size;
        set_states (chart.true_states, event);
        if (!session_pace_hold (pace, event, size, now_us)) {
            cross (&chart, event);
        }
        g_assert_cmpint (session_pace_concerns (pace, event), ==,
                         session_pace_get_due_us (pace) >= 0);
        if (session_pace_get_due_us (pace) >= 0 && session_pace_get_due_us (pace) <= now_us) {
            begin = chart.n_bytes;
            release (&chart, pace, now_us);
            most = MAX (most, chart.n_bytes - begin);
            g_assert_cmpmem (chart.known, N_RANKS, chart.true_states, N_RANKS);
            g_assert_cmpint (session_pace_get_since_us (pace), ==, -1);
        }
    }
    release (&chart, pace, now_us);
    g_assert_cmpmem (chart.known, N_RANKS, chart.true_states, N_RANKS);
    g_test_message ("%" G_GSIZE_FORMAT " bytes of %" G_GSIZE_FORMAT ", %" G_GSIZE_FORMAT
                    " at once",
                    chart.n_bytes, n_bytes, most);
    g_assert_cmpuint (n_bytes, >, 2 * SECONDS * SESSION_PACE_RATE);
    g_assert_cmpuint (chart.n_bytes, <=,
                      SESSION_PACE_BURST + SECONDS * SESSION_PACE_RATE + 2 * most);
    session_pace_free (pace);
    g_free (chart.true_states);
    g_free (chart.known);
}

/* What a user does by hand waits for nothing. */
static void
test_few (void)
{
    g_autofree guint32 *order = make_order ();
    SessionPace *pace = session_pace_new (0);

    for (guint turn = 0; turn < 100; turn++) {
        g_autoptr (JobEvent) event = make_states (order, turn);

        g_assert_false (session_pace_hold (pace, event, find_size (event),
                                           turn * G_USEC_PER_SEC));
    }
    g_assert_cmpint (session_pace_get_due_us (pace), ==, -1);
    session_pace_free (pace);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/session/pace/random", test_random);
    g_test_add_func ("/session/pace/few", test_few);
    return g_test_run ();
}
