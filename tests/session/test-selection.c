/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two clients of a scripted session select threads and frames: each keeps its own, says it in its requests,
 * and loses it when ranks move. */
#include "session/selection.h"

static JobEvent *
make_frame (const char *ranks, gint32 number, guint32 line)
{
    g_autoptr (JobRankSet) set = job_rank_set_parse (ranks, 100, NULL);
    JobEvent *event = job_event_new (JOB_EVENT_FRAME, 0, set);

    event->number = number;
    event->place = job_location_new ("main", "/a/app.c", line);
    return event;
}

static void
choose (SessionSelection *selection, const char *ranks, gint32 number, guint32 line,
        guint32 thread)
{
    g_autoptr (JobEvent) event = make_frame (ranks, number, line);

    session_selection_apply (selection, event, thread);
}

static void
move (Session *session, const char *ranks, guint32 flags)
{
    g_autoptr (JobRankSet) set = job_rank_set_parse (ranks, 100, NULL);
    g_autoptr (JobEvent) event = job_event_new (JOB_EVENT_STATE, 0, set);

    event->state = JOB_STATE_STOPPED;
    event->flags = flags;
    event->place = job_location_new ("work", "/a/app.c", 50);
    session_apply (session, event);
}

/* "0-1 t0 f2" of each, in the order of ranks */
static void
assert_marks (const SessionSelection *selection, const char *expected)
{
    g_autoptr (JobRankSet) all = job_rank_set_new_range (0, 8);
    g_autoptr (JobRequest) request = job_request_new (JOB_VERB_PRINT, all);
    g_autoptr (GString) text = g_string_new (NULL);

    session_selection_mark (selection, request);
    for (guint32 rank = 0; rank < 8; rank++) {
        const JobSelection *marked = job_request_find_selection (request, rank);

        if (marked == NULL) {
            g_string_append (text, "- ");
        } else if (marked->has_frame) {
            g_string_append_printf (text, "t%uf%u ", marked->thread, marked->frame);
        } else {
            g_string_append_printf (text, "t%u ", marked->thread);
        }
    }
    g_assert_cmpstr (text->str, ==, expected);
}

static void
on_changed (SessionSelection *selection, guint *count)
{
    (*count)++;
}

/* Another number for other frames, of these ranks alone. */
static void
assert_signs (SessionSelection *selection)
{
    g_autoptr (JobRankSet) these = job_rank_set_new_range (0, 2);
    g_autoptr (JobRankSet) others = job_rank_set_new_range (4, 8);
    guint64 sign = session_selection_sign (selection, these);

    g_assert_cmpuint (sign, !=, 0);
    g_assert_cmpuint (session_selection_sign (selection, others), ==, 0);
    choose (selection, "1", 3, 30, 0);
    g_assert_cmpuint (session_selection_sign (selection, these), !=, sign);
    choose (selection, "0-3", 2, 30, 0);
    g_assert_cmpuint (session_selection_sign (selection, these), ==, sign);
}

static void
test_two (void)
{
    Session *session = session_new ();
    g_autoptr (SessionSelection) first = NULL, second = NULL;
    guint n_first = 0, n_second = 0;
    guint32 frame;

    session_start_scripted (session, 8, NULL, NULL);
    first = session_selection_new (session);
    second = session_selection_new (session);
    g_signal_connect (first, "changed", G_CALLBACK (on_changed), &n_first);
    g_signal_connect (second, "changed", G_CALLBACK (on_changed), &n_second);
    move (session, "0-7", 0);
    choose (first, "0-3", 2, 30, 0);
    choose (second, "2-5", 1, 20, 0);
    assert_marks (first, "t0f2 t0f2 t0f2 t0f2 - - - - ");
    assert_marks (second, "- - t0f1 t0f1 t0f1 t0f1 - - ");
    g_assert_cmpuint (session_selection_get_place (first, 2)->line, ==, 30);
    g_assert_cmpuint (session_selection_get_place (second, 2)->line, ==, 20);
    g_assert_cmpuint (session_selection_get_place (second, 0)->line, ==,
                      50); /* its own place */
    g_assert_true (session_selection_find_frame (first, 0, &frame));
    g_assert_cmpuint (frame, ==, 2);
    g_assert_false (session_selection_find_frame (second, 0, &frame));
    g_assert_cmpuint (n_first, ==, 1);
    g_assert_cmpuint (n_second, ==, 1);
    assert_signs (first);
    move (session, "0-2", JOB_EVENT_FRESH); /* a query's answer: they have not moved */
    assert_marks (first, "t0f2 t0f2 t0f2 t0f2 - - - - ");
    move (session, "2", 0);
    assert_marks (first, "t0f2 t0f2 - t0f2 - - - - ");
    assert_marks (second, "- - - t0f1 t0f1 t0f1 - - ");
    g_object_unref (session);
}

/* A frame is one of the thread that its rank is in. */
static void
test_threads (void)
{
    Session *session = session_new ();
    g_autoptr (SessionSelection) selection = NULL;

    session_start_scripted (session, 8, NULL, NULL);
    selection = session_selection_new (session);
    choose (selection, "0-3", 0, 10, 2);
    choose (selection, "4-5", 0, 10, 3);
    assert_marks (selection, "t2 t2 t2 t2 t3 t3 - - ");
    choose (selection, "2-6", 1, 20, 0);
    assert_marks (selection, "t2 t2 t2f1 t2f1 t3f1 t3f1 t0f1 - ");
    choose (selection, "3", 4, 40, 0);
    assert_marks (selection, "t2 t2 t2f1 t2f4 t3f1 t3f1 t0f1 - ");
    g_assert_cmpuint (session_selection_get_thread (selection, 3), ==, 2);
    g_assert_cmpuint (session_selection_get_thread (selection, 6), ==, 0);
    choose (selection, "0-7", 0, 10, 1);
    assert_marks (selection, "t1 t1 t1 t1 t1 t1 t1 t1 ");
    g_object_unref (session);
}

int
main (int argc, char *argv[])
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/session/selection/two", test_two);
    g_test_add_func ("/session/selection/threads", test_threads);
    return g_test_run ();
}
