/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The grammar of SET, row by row. */
#include "command/private.h"
#include "rig.h"
#include <string.h>

static const struct {
    const char *text, *ranks, *error;
} rows[] = {
    { "3", "3", NULL },
    { "0-7", "0-7", NULL },
    { "0-6/2", "0-6/2", NULL },
    { "0-30/2", NULL, "no rank 30: ranks are 0-9" },
    { "7-3", NULL, "\"7-3\" ends before it begins" },
    { "1-2-3", NULL, "\"1-2-3\" is not a rank or a range of ranks" },
    { "0-4/0", NULL, "\"0-4/0\" is not a rank or a range of ranks" },
    { "all", "0-9", NULL },
    { "even", "0-8/2", NULL },
    { "odd except 3 , 5", "1,7,9", NULL },
    { "all except 0-3, 9", "4-8", NULL },
    { "1,  3 ,5-6", "1,3,5-6", NULL },
    { "nof 5", "4,6", NULL },
    { "nof 0", "1", NULL },
    { "nof rank 9", "8", NULL },
    { "node 1", "1", NULL },
    { "ranks 1-2", "1-2", NULL },
    { "stopped", "0-5", NULL },
    { "breakpoint", "2-3", NULL },
    { "signal", "4", NULL },
    { "running", "6-8", NULL },
    { "blocked", "8", NULL },
    { "exited", "9", NULL },
    { "at app.c:12", "2-3", NULL },
    { "at a/app.c:12, 9", "2-3,9", NULL },
    { "at pp.c:12", "", NULL },
    { "in work", "2-3", NULL },
    { "in \"f<int, int>\"", "5", NULL },
    { "host local*", "0-9", NULL },
    { "host elsewhere", "", NULL },
    { "same 2", "2-3", NULL },
    { "mine", "1-2", NULL },
    { "moving, 0", "0,6-8", NULL },
    { "mine except moving", "1-2", NULL },
    { "nobody", NULL, "no set \"nobody\"" },
    { "12", NULL, "no rank 12: ranks are 0-9" },
    { "", NULL, "a set of ranks is missing" },
    { "1,", NULL, "a set of ranks is missing" },
    { "1 2", NULL, "unexpected \"2\" after the set of ranks" },
    { "all except 1 except 2", NULL, "unexpected \"except 2\" after the set of ranks" },
    { "in \"open", NULL, "a quote (\") is not closed" },
    { "in", NULL, "\"in\" needs a word after it" },
    { "nof x", NULL, "\"nof\" needs a rank" },
    { "where (x > (1))", NULL,
      "where (x > (1)) can only be evaluated by the ranks: use it in a command" },
    { "where x", NULL, "where needs (EXPR)" },
    { "circle", NULL, "the live set \"circle\" refers to itself" },
};

static Rig *
make_rig (void)
{
    Rig *rig = rig_new (10, FALSE);
    g_autoptr (JobRankSet) mine = job_rank_set_new_range (1, 3);

    rig_state (rig, "0-1", JOB_STATE_STOPPED, 0, NULL, "main at /a/app.c:3");
    rig_state (rig, "2-3", JOB_STATE_BREAKPOINT, 1, NULL, "work at /a/app.c:12");
    rig_state (rig, "4", JOB_STATE_SIGNAL, 0, "SIGFPE", "main at /a/app.c:4");
    rig_state (rig, "5", JOB_STATE_STOPPED, 0, NULL, "f<int, int> at /a/app.c:5");
    rig_state (rig, "6", JOB_STATE_RUNNING, 0, NULL, NULL);
    rig_state (rig, "7", JOB_STATE_STEPPING, 0, NULL, NULL);
    rig_state (rig, "8", JOB_STATE_BLOCKED, 0, NULL, NULL);
    rig_state (rig, "9", JOB_STATE_EXITED, 0, NULL, NULL);
    session_set_named (rig->session, "mine", mine, NULL);
    session_set_named (rig->session, "moving", NULL, "running");
    session_set_named (rig->session, "circle", NULL, "circle");
    return rig;
}

static void
test_rows (void)
{
    g_autoptr (Rig) rig = make_rig ();

    for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
        g_autoptr (GError) error = NULL;
        g_autoptr (JobRankSet) set = command_parse_set (rig->session, rows[i].text, &error);
        g_autofree char *ranks = set != NULL ? job_rank_set_format (set) : NULL;

        g_test_message ("%s", rows[i].text);
        g_assert_cmpstr (ranks, ==, rows[i].ranks);
        g_assert_cmpstr (error != NULL ? error->message : NULL, ==, rows[i].error);
    }
}

/* Where the set ends and the command begins. */
static void
test_ends (void)
{
    static const struct {
        const char *text, *rest;
    } ends[] = {
        { "0-3 where", " where" },
        { "0, 1 , 2 print x, y", " print x, y" },
        { "all except 3, 4 continue", " continue" },
        { "in f step 2", " step 2" },
        { "where (x == \")\") next", " next" },
        { "stopped, signal set a = 3", " set a = 3" },
    };
    g_autoptr (Rig) rig = make_rig ();

    for (guint i = 0; i < G_N_ELEMENTS (ends); i++) {
        const char *text = ends[i].text;
        CommandSet *set = command_set_parse (rig->session, &text, NULL);

        g_assert_nonnull (set);
        g_assert_cmpstr (text, ==, ends[i].rest);
        command_set_free (set);
    }
}

/* Bytes that nobody would type must not do harm. */
static void
test_noise (void)
{
    static const char alphabet[] = "0123456789,-/ \"'()allexcptwhrsnofi";
    g_autoptr (Rig) rig = make_rig ();
    g_autoptr (GRand) random = g_rand_new_with_seed (7);

    for (guint i = 0; i < 5000; i++) {
        char text[24];
        guint size = (guint) g_rand_int_range (random, 0, sizeof text);

        for (guint j = 0; j < size; j++) {
            text[j] = alphabet[g_rand_int_range (random, 0, sizeof alphabet - 1)];
        }
        text[size] = '\0';
        g_autoptr (GError) error = NULL;
        g_autoptr (JobRankSet) set = command_parse_set (rig->session, text, &error);

        g_assert_true ((set == NULL) == (error != NULL));
    }
}

/* A million ranks cost what their runs cost: sets of few runs stay small, whatever is done. */
static void
test_million (void)
{
    static const struct {
        const char *text;
        guint32 n;
        guint max_runs;
    } sets[] = {
        { "all", 1000000, 1 },
        { "all except 5", 999999, 2 },
        { "0-999999", 1000000, 1 },
        { "running", 600000, 1 },
        { "stopped except 0-99, 200", 399899, 2 },
        { "at app.c:12", 400000, 1 },
        { "host node*", 0, 0 },
        { "big, 3, 7-9", 999999, 2 },
        { "moving except moving", 0, 0 },
        { "even", 500000, 500000 },
        { "0-999999/1000", 1000, 1000 },
    };
    g_autoptr (Rig) rig = rig_new (1000000, FALSE);
    g_autoptr (JobRankSet) big = job_rank_set_new_range (1, 1000000);
    g_autoptr (JobRankSet) moving = job_rank_set_new_range (400000, 1000000);
    g_autoptr (JobRankSet) stopped = job_rank_set_new_range (0, 400000);
    g_autoptr (JobEvent) event = job_event_new (JOB_EVENT_STATE, 0, moving);
    g_autoptr (JobEvent) stop = job_event_new (JOB_EVENT_STATE, 0, stopped);
    g_autofree char *line = NULL;

    event->state = JOB_STATE_RUNNING;
    stop->state = JOB_STATE_STOPPED;
    stop->place = job_location_new ("work", "/a/app.c", 12);
    session_apply (rig->session, event);
    session_apply (rig->session, stop);
    session_set_named (rig->session, "big", big, NULL);
    session_set_named (rig->session, "moving", NULL, "running");
    for (guint i = 0; i < G_N_ELEMENTS (sets); i++) {
        g_autoptr (GError) error = NULL;
        g_autoptr (JobRankSet) set = command_parse_set (rig->session, sets[i].text, &error);

        g_assert_no_error (error);
        g_assert_cmpuint (job_rank_set_get_count (set), ==, sets[i].n);
        g_assert_cmpuint (set->ranges->len, <=, sets[i].max_runs);
    }
    command_context_flush (rig->context);
    rig_assert (rig, "on stopped except 5 show state",
                "0-4,6-399999: stopped, work at app.c:12\n");
    line = rig_run (rig, "on all except 400000 continue");
    g_assert_cmpstr (line, ==, "");
    g_assert_cmpuint (rig->requests->len, ==, 1);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/command/set/rows", test_rows);
    g_test_add_func ("/command/set/ends", test_ends);
    g_test_add_func ("/command/set/noise", test_noise);
    g_test_add_func ("/command/set/million", test_million);
    return g_test_run ();
}
