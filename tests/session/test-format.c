/* SPDX-License-Identifier: GPL-3.0-or-later */
/* State lines: grouping, places, the shortest suffix of a path. */
#include "session/messages.h"
#include "session/session.h"
#include "../support/pseudo.h"

static gboolean has_language;

static void
apply (Session *session, const char *ranks, JobState state, gint32 number, const char *text,
       const char *function, const char *file, guint32 line)
{
    g_autoptr (JobRankSet) set = job_rank_set_parse (ranks, 100, NULL);
    g_autoptr (JobEvent) event = job_event_new (JOB_EVENT_STATE, 0, set);

    event->state = state;
    event->number = number;
    event->text = g_strdup (text);
    event->place = function != NULL ? job_location_new (function, file, line) : NULL;
    session_apply (session, event);
}

static void
assert_state (Session *session, const char *expected)
{
    g_autoptr (JobRankSet) all = session_dup_all (session);
    g_autofree char *lines = session_format_state (BASE_TEXT_ENGLISH, session, all);

    g_assert_cmpstr (lines, ==, expected);
    if (has_language) {
        g_autofree char *shown = session_format_state (BASE_TEXT_SHOWN, session, all);

        pseudo_check (lines, shown);
    }
}

static Session *
start (guint32 n)
{
    Session *session = session_new ();

    session_start_scripted (session, n, NULL, NULL);
    return session;
}

static void
test_lines (void)
{
    g_autoptr (Session) session = start (10);

    apply (session, "0-3,5", JOB_STATE_BREAKPOINT, 1, NULL, "work", "/a/app.py", 12);
    apply (session, "4", JOB_STATE_EXCEPTION, 0, "ValueError", "work", "/a/app.py", 9);
    apply (session, "6", JOB_STATE_SIGNAL, 0, "SIGFPE", "divide", "/a/app.c", 8);
    apply (session, "7", JOB_STATE_FAILED, 3, NULL, NULL, NULL, 0);
    apply (session, "8", JOB_STATE_FAILED, 0, "SIGSEGV", NULL, NULL, 0);
    apply (session, "9", JOB_STATE_EXITED, 0, NULL, NULL, NULL, 0);
    assert_state (session, "0-3,5: breakpoint 1, work at app.py:12\n"
                           "4: exception ValueError, work at app.py:9\n"
                           "6: signal SIGFPE, divide at app.c:8\n"
                           "7: failed 3\n8: failed SIGSEGV\n9: exited 0\n");
}

static void
test_moving (void)
{
    g_autoptr (Session) session = start (4);
    g_autoptr (JobRankSet) one = job_rank_set_new_range (1, 2);
    g_autoptr (JobEvent) fresh = job_event_new (JOB_EVENT_STATE, 0, one);

    apply (session, "0-3", JOB_STATE_STOPPED, 0, NULL, "main", "/a/ring.c", 10);
    apply (session, "0-2", JOB_STATE_RUNNING, 0, NULL, NULL, NULL, 0);
    /* where it was before it ran is not where it is */
    assert_state (session, "0-2: running\n3: stopped, main at ring.c:10\n");
    fresh->state = JOB_STATE_RUNNING;
    fresh->flags = JOB_EVENT_FRESH;
    fresh->place = job_location_new ("MPI_Recv", "/a/ring.c", 40);
    session_apply (session, fresh);
    assert_state (session, "0,2: running\n1: running, MPI_Recv at ring.c:40\n"
                           "3: stopped, main at ring.c:10\n");
    apply (session, "0", JOB_STATE_BLOCKED, 0, NULL, "MPI_Recv", "/a/ring.c", 40);
    apply (session, "2", JOB_STATE_LOST, 0, NULL, NULL, NULL, 0);
    assert_state (session,
                  "0: blocked, MPI_Recv at ring.c:40\n1: running, MPI_Recv at ring.c:40\n"
                  "2: lost, host localhost\n3: stopped, main at ring.c:10\n");
}

static void
test_short_files (void)
{
    g_autoptr (Session) session = start (3);

    apply (session, "0", JOB_STATE_STOPPED, 0, NULL, "f", "/p/x/util.c", 1);
    assert_state (session, "0: stopped, f at util.c:1\n1-2: stopped\n");
    apply (session, "1", JOB_STATE_STOPPED, 0, NULL, "f", "/p/y/util.c", 1);
    apply (session, "2", JOB_STATE_STOPPED, 0, NULL, "f", "/p/y/myutil.c", 1);
    assert_state (session, "0: stopped, f at x/util.c:1\n1: stopped, f at y/util.c:1\n"
                           "2: stopped, f at myutil.c:1\n");
}

static void
test_no_lines (void)
{
    g_autoptr (Session) session = start (1);
    g_autoptr (JobRankSet) all = session_dup_all (session);
    g_autoptr (JobEvent) event = job_event_new (JOB_EVENT_STATE, 0, all);

    event->state = JOB_STATE_STOPPED;
    event->place = job_location_new ("_start", NULL, 0);
    event->place->module = g_strdup ("ld.so");
    event->place->offset = 0x10;
    session_apply (session, event);
    assert_state (session, "0: stopped, _start (ld.so+0x10)\n");
}

static void
test_last_states (void)
{
    g_autoptr (Session) session = start (4);
    g_autoptr (GPtrArray) events
        = g_ptr_array_new_with_free_func ((GDestroyNotify) job_event_free);
    g_autofree char *lines = NULL;
    const struct {
        const char *ranks;
        JobState state;
    } list[] = {
        { "0-3", JOB_STATE_RUNNING },
        { "0-1", JOB_STATE_STOPPED },
        { "2", JOB_STATE_STOPPED },
        { "1", JOB_STATE_RUNNING },
    };

    for (guint i = 0; i < G_N_ELEMENTS (list); i++) {
        g_autoptr (JobRankSet) set = job_rank_set_parse (list[i].ranks, 4, NULL);
        JobEvent *event = job_event_new (JOB_EVENT_STATE, 0, set);

        event->state = list[i].state;
        g_ptr_array_add (events, event);
    }
    lines = session_format_event_states (session, events);
    g_assert_cmpstr (lines, ==, "0,2: stopped\n");
}

/* Thousands of events of single ranks say in the end what each rank was told last. */
static void
test_many_last_states (void)
{
    enum { RANKS = 500, EVENTS = 4000 };
    static const JobState states[] = { JOB_STATE_RUNNING, JOB_STATE_STOPPED,
                                       JOB_STATE_BREAKPOINT };
    g_autoptr (Session) session = session_new ();
    g_autoptr (GPtrArray) events
        = g_ptr_array_new_with_free_func ((GDestroyNotify) job_event_free);
    g_autoptr (GPtrArray) groups = NULL;
    g_autoptr (JobRankSet) told = job_rank_set_new ();
    g_autoptr (GRand) random = g_rand_new_with_seed (3);
    const JobEvent *last[RANKS] = { NULL };

    session_start_scripted (session, RANKS, NULL, NULL);
    for (guint i = 0; i < EVENTS; i++) {
        guint32 rank = (guint32) g_rand_int_range (random, 0, RANKS);
        guint32 end = (guint32) g_rand_int_range (random, (gint32) rank + 1,
                                                  MIN ((gint32) rank + 4, RANKS) + 1);
        g_autoptr (JobRankSet) set = job_rank_set_new_range (rank, end);
        JobEvent *event = job_event_new (JOB_EVENT_STATE, 0, set);

        event->state = states[g_rand_int_range (random, 0, G_N_ELEMENTS (states))];
        event->place = job_location_new ("work", "/a.c",
                                         (guint) g_rand_int_range (random, 1, 20));
        g_ptr_array_add (events, event);
        while (rank < end && rank < RANKS) {
            last[rank++] = event;
        }
    }
    groups = session_dup_last_states (session, events, TRUE);
    g_assert_cmpuint (groups->len, ==, G_N_ELEMENTS (states) * 19);
    for (guint i = 0; i < groups->len; i++) {
        const JobEvent *group = g_ptr_array_index (groups, i);
        JobRankIter iter = { 0 };
        guint32 rank;

        g_assert_false (job_rank_set_intersects (told, group->ranks));
        job_rank_set_merge (told, group->ranks);
        while (job_rank_set_next (group->ranks, &iter, &rank)) {
            g_assert_cmpint (group->state, ==, last[rank]->state);
            g_assert_true (job_location_equal (group->place, last[rank]->place));
        }
    }
    g_assert_cmpuint (job_rank_set_get_count (told), ==, RANKS);
}

/* What was given is forgotten, and what comes then is not mixed with it. */
static void
test_last_states_again (void)
{
    g_autoptr (Session) session = start (200);
    g_autoptr (SessionLastStates) last = session_last_states_new ();

    for (guint32 round = 0; round < 3; round++) {
        g_autoptr (JobRankSet) set = job_rank_set_new_range (round * 60, round * 60 + 70);
        g_autoptr (JobEvent) event = job_event_new (JOB_EVENT_STATE, 0, set);
        g_autoptr (JobEvent) other = job_event_new (JOB_EVENT_NOTICE, 0, set);
        g_autoptr (GPtrArray) groups = NULL;

        g_assert_true (session_last_states_is_empty (last));
        session_last_states_add (last, other);
        g_assert_true (session_last_states_is_empty (last));
        event->state = JOB_STATE_STOPPED;
        session_last_states_add (last, event);
        groups = session_last_states_take (last, session, FALSE);
        g_assert_cmpuint (groups->len, ==, 1);
        g_assert_true (job_rank_set_equal (((JobEvent *) groups->pdata[0])->ranks, set));
    }
}

/* Where a person reads, a long list of ranks is cut; where a script does, it is whole. */
static void
test_brief (void)
{
    g_autoptr (Session) session = start (1000);
    g_autoptr (JobRankSet) scattered = job_rank_set_new ();
    g_autoptr (JobEvent) event = NULL;
    g_autofree char *whole = NULL, *brief = NULL;

    for (guint32 rank = 0; rank < 1000; rank += 4) {
        job_rank_set_add_range (scattered, rank, rank + 2);
    }
    event = job_event_new (JOB_EVENT_STATE, 0, scattered);
    event->state = JOB_STATE_STOPPED;
    session_apply (session, event);
    whole = session_format_state (BASE_TEXT_ENGLISH, session, scattered);
    session_set_brief (session, TRUE);
    brief = session_format_state (BASE_TEXT_ENGLISH, session, scattered);
    g_assert_true (g_str_has_prefix (whole, "0-1,4-5,8-9,"));
    g_assert_true (g_str_has_suffix (whole, ",996-997: stopped\n"));
    g_assert_cmpstr (brief, ==,
                     "0-1,4-5,8-9,12-13,16-17,20-21,24-25,28-29,32-33,36-37,40-41,44-45,… "
                     "(500 ranks): stopped\n");
}

/* What a daemon says stands in the log as it said it, and in the user's language. */
static void
test_notice (void)
{
    g_autoptr (Session) session = start (2);
    g_autoptr (JobRankSet) one = job_rank_set_new_range (1, 2);
    g_autoptr (JobEvent) notice = job_event_new (JOB_EVENT_NOTICE, 0, one);
    g_autoptr (JobEvent) foreign = job_event_new (JOB_EVENT_NOTICE, 0, one);
    g_autoptr (SessionMessage) said = NULL;
    g_autoptr (SessionMessage) other = NULL;
    const char *english = "follows the child, process 77";

    job_event_say (notice, job_text_new ("follows the child, process %d", 77));
    foreign->text = g_strdup ("as another program says");
    session_apply (session, notice);
    session_apply (session, foreign);
    said = g_list_model_get_item (session_get_message_list (session), 0);
    other = g_list_model_get_item (session_get_message_list (session), 1);
    g_assert_cmpstr (session_message_get_english (said), ==, english);
    g_assert_cmpstr (session_message_get_shown (other), ==, foreign->text);
    if (has_language) {
        pseudo_check (english, session_message_get_shown (said));
    }
}

static void
assert_signals (const Session *session, const char *expected, gboolean expects_crash)
{
    gboolean is_crash;
    g_autofree char *names = session_dup_signal_names (session, &is_crash);

    g_assert_cmpstr (names, ==, expected);
    if (expected != NULL) {
        g_assert_cmpint (is_crash, ==, expects_crash);
    }
}

/* "1 crashed (SIGFPE)", as the window counts. */
static void
test_signals (void)
{
    g_autoptr (Session) session = start (40);

    assert_signals (session, NULL, FALSE);
    apply (session, "39", JOB_STATE_SIGNAL, 0, "SIGFPE", "divide", "/a/app.c", 8);
    assert_signals (session, "SIGFPE", TRUE);
    apply (session, "0-9", JOB_STATE_SIGNAL, 0, "SIGSEGV", "work", "/a/app.c", 9);
    assert_signals (session, "SIGSEGV, SIGFPE", TRUE);
    apply (session, "20", JOB_STATE_SIGNAL, 0, "SIGUSR1", "work", "/a/app.c", 9);
    assert_signals (session, "SIGSEGV, SIGUSR1, SIGFPE", FALSE);
    apply (session, "21", JOB_STATE_SIGNAL, 0, "SIGBUS", "work", "/a/app.c", 9);
    assert_signals (session, "SIGSEGV, SIGUSR1, SIGBUS, …", FALSE);
    apply (session, "0-39", JOB_STATE_RUNNING, 0, NULL, NULL, NULL, 0);
    assert_signals (session, NULL, FALSE);
}

/* Why a signal came is kept with its form, for whoever shows the state later; an exception's own words are not ours. */
static void
test_reasons (void)
{
    g_autoptr (Session) session = start (2);
    g_autoptr (JobRankSet) one = job_rank_set_new_range (0, 1);
    g_autoptr (JobRankSet) other = job_rank_set_new_range (1, 2);
    g_autoptr (JobEvent) crash = job_event_new (JOB_EVENT_STATE, 0, one);
    g_autoptr (JobEvent) raised = job_event_new (JOB_EVENT_STATE, 0, other);
    const char *english = "a null pointer (address 0x8)", *words = "integer overflow";
    SessionRank rank;
    g_autofree char *same = NULL, *shown = NULL, *foreign = NULL, *line = NULL;

    crash->state = JOB_STATE_SIGNAL;
    crash->text = g_strdup ("SIGSEGV");
    crash->said = job_text_new ("a null pointer (address %s)", "0x8");
    crash->text2 = job_text_print (BASE_TEXT_ENGLISH, crash->said);
    raised->state = JOB_STATE_EXCEPTION;
    raised->text = g_strdup ("OverflowError");
    raised->text2 = g_strdup (words);
    session_apply (session, crash);
    session_apply (session, raised);
    rank = session_get_rank (session, 0);
    g_assert_cmpstr (rank.text2, ==, english);
    same = session_format_reason (BASE_TEXT_ENGLISH, session, rank.text2);
    g_assert_cmpstr (same, ==, english);
    shown = session_format_reason (BASE_TEXT_SHOWN, session, rank.text2);
    foreign = session_format_reason (BASE_TEXT_SHOWN, session,
                                     session_get_rank (session, 1).text2);
    g_assert_cmpstr (foreign, ==, words);
    line = session_format_state_and_reason (BASE_TEXT_SHOWN, session, "‹stopped›", english);
    if (has_language) {
        pseudo_check (english, shown);
        g_assert_cmpstr (line, ==, "‹‹stopped›: ‹a null pointer (address 0x8)››");
    }
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    has_language = pseudo_open ();
    g_test_add_func ("/session/format/lines", test_lines);
    g_test_add_func ("/session/format/moving", test_moving);
    g_test_add_func ("/session/format/short-files", test_short_files);
    g_test_add_func ("/session/format/no-lines", test_no_lines);
    g_test_add_func ("/session/format/last-states", test_last_states);
    g_test_add_func ("/session/format/many-last-states", test_many_last_states);
    g_test_add_func ("/session/format/last-states-again", test_last_states_again);
    g_test_add_func ("/session/format/brief", test_brief);
    g_test_add_func ("/session/format/notice", test_notice);
    g_test_add_func ("/session/format/signals", test_signals);
    g_test_add_func ("/session/format/reasons", test_reasons);
    return g_test_run ();
}
