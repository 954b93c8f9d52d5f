/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The face over small sets: each kind, its sentence and its groups. */
#include "analysis/face.h"
#include "../support/pseudo.h"
#include <string.h>

static JobLocation at_12 = { .function = "work", .file = "/x/app.py", .line = 12 };
static JobLocation at_8 = { .function = "work", .file = "/x/app.py", .line = 8 };
static JobLocation twin = { .function = "work", .file = "/y/app.py", .line = 12 };
static JobLocation bare = { .function = "poll", .module = "libc.so.6", .offset = 16 };

/* A member as a test writes it: a rank and so many more. */
typedef struct {
    guint32 rank;
    JobState state;
    const JobLocation *place;
    guint32 n_more;
    const char *text;
} Some;

typedef struct {
    const Some *some;
    guint n;
} All;

static JobRankSet *
dup_ranks (const guint8 *wanted, gpointer user)
{
    const All *all = user;
    JobRankSet *set = job_rank_set_new ();

    for (guint i = 0; i < all->n; i++) {
        if (wanted[i]) {
            job_rank_set_add_range (set, all->some[i].rank,
                                    all->some[i].rank + all->some[i].n_more + 1);
        }
    }
    return set;
}

static AnalysisFace *
face_of (const Some *some, guint n)
{
    All all = { some, n };
    g_autofree AnalysisMember *members = g_new0 (AnalysisMember, n);
    AnalysisRanks ranks = { members, n, dup_ranks, &all };

    for (guint i = 0; i < n; i++) {
        members[i] = (AnalysisMember){ some[i].state, some[i].place, some[i].text,
                                       some[i].n_more + 1 };
    }
    return analysis_face_new (&ranks);
}

/* One member a rank: `states` and `places` are parallel. */
static AnalysisFace *
make_face (const JobState *states, const JobLocation *const *places, guint n)
{
    g_autofree Some *members = g_new0 (Some, n);

    for (guint i = 0; i < n; i++) {
        members[i].rank = i;
        members[i].state = states[i];
        members[i].place = places[i];
    }
    return face_of (members, n);
}

static void
assert_face (const AnalysisFace *face, AnalysisFaceKind kind, const char *text)
{
    g_assert_cmpint (face->kind, ==, kind);
    g_assert_cmpstr (face->text, ==, text);
}

static void
test_together (void)
{
    const JobState states[] = { JOB_STATE_STOPPED, JOB_STATE_BREAKPOINT, JOB_STATE_STOPPED };
    const JobLocation *const places[] = { &at_12, &at_12, &at_12 };
    const JobLocation *const bare_places[] = { &bare, &bare, &bare };
    g_autoptr (AnalysisFace) face = make_face (states, places, 3);
    g_autoptr (AnalysisFace) one = make_face (states, places, 1);
    g_autoptr (AnalysisFace) deep = make_face (states, bare_places, 3);
    const AnalysisPlaceGroup *group = g_ptr_array_index (face->groups, 0);

    assert_face (face, ANALYSIS_FACE_TOGETHER, "Together: 3 ranks at work, app.py:12");
    assert_face (one, ANALYSIS_FACE_TOGETHER, "Together: 1 rank at work, app.py:12");
    assert_face (deep, ANALYSIS_FACE_TOGETHER, "Together: 3 ranks at poll");
    g_assert_cmpint (group->state, ==, JOB_STATE_BREAKPOINT);
    g_assert_cmpuint (job_rank_set_get_count (group->ranks), ==, 3);
}

static void
test_apart (void)
{
    JobState states[8];
    const JobLocation *places[8];
    g_autoptr (AnalysisFace) face = NULL;
    g_autoptr (AnalysisFace) same_name = NULL;
    g_autoptr (AnalysisFace) ended = NULL;
    g_autoptr (AnalysisFace) exited = NULL;

    for (guint i = 0; i < 8; i++) {
        states[i] = JOB_STATE_STOPPED;
        places[i] = i == 3 ? &at_8 : &at_12;
    }
    face = make_face (states, places, 8);
    assert_face (face, ANALYSIS_FACE_DIVERGED,
                 "Diverged: 7 of 8 at app.py:12 · 1 at app.py:8 (3)");
    g_assert_cmpuint (face->groups->len, ==, 2);
    places[3] = &twin;
    same_name = make_face (states, places, 8);
    assert_face (same_name, ANALYSIS_FACE_DIVERGED,
                 "Diverged: 7 of 8 at work, /x/app.py:12 · 1 at work, /y/app.py:12 (3)");
    states[3] = JOB_STATE_FAILED;
    ended = make_face (states, places, 8);
    assert_face (ended, ANALYSIS_FACE_CRASHED, "Rank 3 failed · 7 at app.py:12 (0-2,4-7)");
    g_assert_false (ended->is_together);
    states[3] = JOB_STATE_EXITED;
    exited = make_face (states, places, 8);
    assert_face (exited, ANALYSIS_FACE_DIVERGED,
                 "Diverged: 7 of 8 at app.py:12 · 1 exited (3)");
}

static void
test_many_places (void)
{
    JobLocation locations[9];
    const JobLocation *places[9];
    JobState states[9];
    g_autoptr (AnalysisFace) face = NULL;

    for (guint i = 0; i < 9; i++) {
        locations[i] = at_12;
        locations[i].line = i + 1;
        places[i] = &locations[i];
        states[i] = JOB_STATE_STOPPED;
    }
    face = make_face (states, places, 9);
    assert_face (face, ANALYSIS_FACE_DIVERGED,
                 "Diverged: 1 of 9 at app.py:1 · 1 at app.py:2 (1) · 1 at app.py:3 (2)"
                 " · 6 more places");
}

static void
test_unknown (void)
{
    const JobState states[] = { JOB_STATE_STOPPED, JOB_STATE_STOPPED, JOB_STATE_BREAKPOINT,
                                JOB_STATE_SIGNAL,  JOB_STATE_STOPPED, JOB_STATE_RUNNING,
                                JOB_STATE_RUNNING };
    const JobState lost[] = { JOB_STATE_LOST, JOB_STATE_EXITED };
    const JobState stopped[] = { JOB_STATE_STOPPED };
    const JobLocation *const places[]
        = { &at_12, &at_12, &at_12, &at_12, &at_12, &at_12, NULL };
    const JobLocation *const none[] = { NULL, NULL };
    g_autoptr (AnalysisFace) running = make_face (states, places, 7);
    g_autoptr (AnalysisFace) gone = make_face (lost, none, 2);
    g_autoptr (AnalysisFace) placeless = make_face (stopped, none, 1);
    g_autoptr (AnalysisFace) empty = face_of (NULL, 0);

    assert_face (running, ANALYSIS_FACE_UNKNOWN, "5 of 7 stopped, 2 running");
    assert_face (gone, ANALYSIS_FACE_UNKNOWN, "1 exited, 1 lost");
    assert_face (placeless, ANALYSIS_FACE_UNKNOWN, "1 of 1 stopped");
    assert_face (empty, ANALYSIS_FACE_UNKNOWN, "no ranks");
    g_assert_cmpuint (empty->groups->len, ==, 0);
}

static void
test_ended (void)
{
    const JobState states[] = { JOB_STATE_EXITED, JOB_STATE_EXITED, JOB_STATE_FAILED };
    const JobLocation *const places[] = { &at_12, NULL, NULL };
    g_autoptr (AnalysisFace) well = make_face (states, places, 2);
    g_autoptr (AnalysisFace) badly = make_face (states, places, 3);

    assert_face (well, ANALYSIS_FACE_ENDED, "All ended");
    assert_face (badly, ANALYSIS_FACE_CRASHED, "Rank 2 failed · 2 exited");
    g_assert_cmpuint (badly->main_length, ==, strlen ("Rank 2 failed"));
    g_assert_cmpuint (well->main_length, ==, strlen ("All ended"));
    g_assert_cmpuint (well->groups->len, ==, 1);
}

/* A crash comes first, whatever the others do; a signal that ends nobody is none. */
static void
test_crashed (void)
{
    Some members[] = {
        { 0, JOB_STATE_BREAKPOINT, &at_12, 2, NULL },
        { 3, JOB_STATE_SIGNAL, &at_8, 0, "SIGSEGV" },
        { 4, JOB_STATE_RUNNING, NULL, 1, NULL },
    };
    Some together[] = { { 0, JOB_STATE_SIGNAL, &at_8, 7, "SIGFPE" } };
    Some many[] = {
        { 0, JOB_STATE_SIGNAL, &at_8, 0, "SIGSEGV" },
        { 1, JOB_STATE_SIGNAL, &at_8, 0, "SIGABRT" },
        { 2, JOB_STATE_EXCEPTION, &at_12, 1, "ValueError" },
        { 4, JOB_STATE_SIGNAL, &at_8, 0, "SIGSEGV" },
        { 5, JOB_STATE_FAILED, NULL, 0, "SIGKILL" },
    };
    Some user[] = { { 0, JOB_STATE_SIGNAL, &at_8, 1, "SIGUSR1" } };
    g_autoptr (AnalysisFace) moving = face_of (members, 3);
    g_autoptr (AnalysisFace) still = face_of (members, 2);
    g_autoptr (AnalysisFace) alone = face_of (members + 1, 1);
    g_autoptr (AnalysisFace) all = face_of (together, 1);
    g_autoptr (AnalysisFace) mixed = face_of (many, 5);
    g_autoptr (AnalysisFace) raised = face_of (many + 2, 1);
    g_autoptr (AnalysisFace) killed = face_of (many + 4, 1);
    g_autoptr (AnalysisFace) asked = face_of (user, 1);

    assert_face (moving, ANALYSIS_FACE_CRASHED,
                 "Rank 3 crashed (SIGSEGV) at app.py:8 · 3 of 5 stopped, 2 running");
    assert_face (still, ANALYSIS_FACE_CRASHED,
                 "Rank 3 crashed (SIGSEGV) at app.py:8 · 3 at app.py:12 (0-2)");
    assert_face (alone, ANALYSIS_FACE_CRASHED, "Rank 3 crashed (SIGSEGV) at app.py:8");
    assert_face (all, ANALYSIS_FACE_CRASHED, "Ranks 0-7 crashed (SIGFPE) at app.py:8");
    g_assert_true (all->is_together);
    g_assert_cmpuint (job_rank_set_get_count (all->crashed), ==, 8);
    assert_face (
        mixed, ANALYSIS_FACE_CRASHED,
        "Ranks 0,4 crashed (SIGSEGV) at app.py:8 · Rank 1 crashed (SIGABRT) at app.py:8"
        " · 3 more crashed");
    assert_face (raised, ANALYSIS_FACE_CRASHED, "Ranks 2-3 raised ValueError at app.py:12");
    assert_face (killed, ANALYSIS_FACE_CRASHED, "Rank 5 failed (SIGKILL)");
    assert_face (asked, ANALYSIS_FACE_TOGETHER, "Together: 2 ranks at work, app.py:8");
    g_assert_true (job_rank_set_is_empty (asked->crashed));
}

static void
test_blocked (void)
{
    Some members[] = {
        { 0, JOB_STATE_BLOCKED, &at_12, 1, NULL },
        { 2, JOB_STATE_RUNNING, NULL, 1, NULL },
        { 4, JOB_STATE_STOPPED, &at_8, 0, NULL },
        { 5, JOB_STATE_SIGNAL, &at_8, 0, "SIGSEGV" },
    };
    g_autoptr (AnalysisFace) all = face_of (members, 1);
    g_autoptr (AnalysisFace) some = face_of (members, 3);
    g_autoptr (AnalysisFace) crashed = face_of (members, 4);

    assert_face (all, ANALYSIS_FACE_BLOCKED, "Ranks 0-1 blocked");
    assert_face (some, ANALYSIS_FACE_BLOCKED, "Ranks 0-1 blocked · 1 of 3 stopped, 2 running");
    assert_face (crashed, ANALYSIS_FACE_CRASHED,
                 "Rank 5 crashed (SIGSEGV) at app.py:8 · 1 of 5 stopped, 2 running, 2 blocked");
}

/* States are words of the window's language, too. */
static void
test_language (void)
{
    const JobState states[] = { JOB_STATE_STOPPED, JOB_STATE_RUNNING, JOB_STATE_EXITED,
                                JOB_STATE_NONE };
    const JobLocation *const places[] = { &at_12, NULL, NULL, NULL };
    Some crashed[] = { { 0, JOB_STATE_FAILED, NULL, 0, "SIGKILL" },
                       { 1, JOB_STATE_EXITED, NULL, 1, NULL } };
    g_autoptr (AnalysisFace) face = NULL, ended = NULL;

    if (!pseudo_open ()) {
        g_test_skip ("no locale with UTF-8");
        return;
    }
    face = make_face (states, places, 4);
    g_assert_cmpstr (face->text, ==,
                     "‹1 of 4 stopped›, 1 ‹not started›, 1 ‹running›, 1 ‹exited›");
    ended = face_of (crashed, 2);
    g_assert_cmpstr (ended->text, ==, "‹Rank 0 failed (SIGKILL)›‹ · 2 ‹exited››");
    g_assert_cmpuint (ended->main_length, ==, strlen ("‹Rank 0 failed (SIGKILL)›"));
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/analysis/face/together", test_together);
    g_test_add_func ("/analysis/face/apart", test_apart);
    g_test_add_func ("/analysis/face/many-places", test_many_places);
    g_test_add_func ("/analysis/face/unknown", test_unknown);
    g_test_add_func ("/analysis/face/ended", test_ended);
    g_test_add_func ("/analysis/face/crashed", test_crashed);
    g_test_add_func ("/analysis/face/blocked", test_blocked);
    g_test_add_func ("/analysis/face/language", test_language);
    return g_test_run ();
}
