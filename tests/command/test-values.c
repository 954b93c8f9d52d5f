/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values as lines: what is equal, what differs, what was summed up. */
#include "rig.h"
#include <math.h>
#include <string.h>

/* A value of which the text leaves something out. */
static void
add_rest (JobEvent *event, const char *name, const char *ranks, const char *text, guint64 rest)
{
    g_autoptr (JobRankSet) set = job_rank_set_parse (ranks, 1000, NULL);
    g_autoptr (JobValue) value = job_value_new (NULL, NULL, text);

    value->rest = rest;
    if (event->table == NULL) {
        event->table = job_value_table_new ();
    }
    job_value_table_add (event->table, name, set, value);
}

static void
test_values (void)
{
    g_autoptr (Rig) rig = rig_new (8, FALSE);
    JobEvent *a = rig_event (JOB_EVENT_VALUES, "0-3"), *b = rig_event (JOB_EVENT_VALUES, "4-7");

    rig_add_value (a, "x", "0-3", "3", 3);
    rig_add_value (b, "x", "4-7", "3", 3);
    a->stop = 5; /* hosts count their stops as they like */
    b->stop = 9;
    rig_answer (rig, a, b, NULL);
    rig_assert (rig, "print x", "0-7: x = 3\n");
    a = rig_event (JOB_EVENT_VALUES, "0-7");
    for (guint i = 0; i < 8; i++) {
        g_autofree char *text = g_strdup_printf ("%u", i);

        rig_add_value (a, "x", text, text, i);
    }
    rig_answer (rig, a, NULL);
    rig_assert (rig, "p x", "0-7: x = [0..7] min 0 at 0 max 7 at 7 mean 3.5\n");
    a = rig_event (JOB_EVENT_VALUES, "0-2");
    a->flags = JOB_EVENT_SAMPLED;
    rig_add_value (a, "x", "0-2", "\"a\"", NAN);
    b = rig_event (JOB_EVENT_VALUES, "3-6");
    b->flags = JOB_EVENT_SAMPLED;
    rig_add_value (b, "x", "3-6", "\"b\"", NAN);
    rig_answer (rig, a, b, rig_failure ("7", "no symbol \"x\" in frame work"), NULL);
    rig_assert (rig, "print x",
                "0-2: x = \"a\" (sampled)\n3-6: x = \"b\" (sampled)\n"
                "error: no symbol \"x\" in frame work (7)\n");
    a = rig_event (JOB_EVENT_VALUES, "0-7");
    for (guint i = 0; i < 8; i++) {
        g_autofree char *text = g_strdup_printf ("%u", i);

        add_rest (a, "x", text, "{0, 0...}", i == 5 ? 2 : i == 7 ? 0 : 1);
    }
    rig_answer (rig, a, NULL);
    rig_assert (rig, "print x",
                "0-4,6: x = {0, 0...} (differs further on)\n"
                "5: x = {0, 0...} (differs further on)\n"
                "7: x = {0, 0...} (differs further on)\n");
    a = rig_event (JOB_EVENT_VALUES, "0-7");
    add_rest (a, "x", "0-3", "{0, 0...}", 1);
    add_rest (a, "x", "4-6", "{0, 0...}", 1);
    add_rest (a, "x", "7", "{0, 1...}", 2);
    rig_answer (rig, a, NULL);
    rig_assert (rig, "print x", "0-6: x = {0, 0...}\n7: x = {0, 1...}\n");
}

static void
test_odd_values (void)
{
    g_autoptr (Rig) rig = rig_new (20, FALSE);
    JobEvent *event = rig_event (JOB_EVENT_VALUES, "0-19");

    rig_add_value (event, NULL, "0", "0.5", 0.5);
    rig_add_value (event, NULL, "1-17", "123456789.25", 123456789.25);
    rig_add_value (event, NULL, "18", "nan", NAN);
    rig_add_value (event, NULL, "19", "inf", INFINITY);
    rig_answer (rig, event, NULL);
    rig_assert (rig, "print y",
                "0-19: y = [0.5..1.23457e+08] min 0.5 at 0 max 1.23457e+08 at 1 "
                "mean 1.16598e+08 nan at 18 inf at 19\n");
    event = rig_event (JOB_EVENT_VALUES, "0-19");
    for (guint i = 0; i < 10; i++) {
        g_autofree char *ranks = i < 9 ? g_strdup_printf ("%u", i) : g_strdup ("9-19");
        g_autofree char *text = g_strdup_printf ("\"s%u\"", i);

        rig_add_value (event, "s", ranks, text, NAN);
    }
    rig_answer (rig, event, NULL);
    rig_assert (rig, "print s",
                "0: s = \"s0\"\n1: s = \"s1\"\n2: s = \"s2\"\n3: s = \"s3\"\n"
                "4: s = \"s4\"\n5: s = \"s5\"\n6: s = \"s6\"\n9-19: s = \"s9\"\n"
                "s = 2 more values in 2 ranks\n");
}

/* What hosts have summed up is told as a summary, and numbers are told as if they had not. */
static void
test_summaries (void)
{
    g_autoptr (Rig) rig = rig_new (100, FALSE);
    JobEvent *event = rig_event (JOB_EVENT_VALUES, "0-99"), *rest = NULL;
    g_autoptr (JobRankSet) further = job_rank_set_new_range (2, 100);

    for (guint i = 0; i < 99; i++) {
        g_autofree char *ranks = i < 98 ? g_strdup_printf ("%u", i) : g_strdup ("98-99");
        g_autofree char *text = g_strdup_printf ("\"s%u\"", i);
        g_autofree char *number = g_strdup_printf ("%u", i);

        rig_add_value (event, "s", ranks, text, NAN);
        rig_add_value (event, "n", ranks, number, i);
    }
    job_value_row_cut (g_ptr_array_index (event->table->rows, 0), 50, 2);
    job_value_row_cut (g_ptr_array_index (event->table->rows, 1), 50, 2);
    rig_answer (rig, event, NULL);
    rig_assert (
        rig, "info locals",
        "0: s = \"s0\"\n98-99: s = \"s98\"\n"
        "s = at least 97 different values in 97 further ranks (a summary: ask fewer ranks to "
        "see each)\n"
        "0-99: n = [0..98] min 0 at 0 max 98 at 98 mean 49.49\n");
    g_assert_cmpuint (((JobRequest *) rig->requests->pdata[0])->flags & JOB_REQUEST_SUMMARY, !=,
                      0);
    event = rig_event (JOB_EVENT_TEXT, "0-1");
    event->text = g_strdup ("a");
    rest = rig_event (JOB_EVENT_TEXT, "2-99");
    rest->flags = JOB_EVENT_REST;
    rest->number = 70;
    rig_answer (rig, event, rest, NULL);
    rig_assert (
        rig, "printf \"%s\", s",
        "0-1: a\nat least 70 different texts in 98 further ranks (a summary: ask fewer ranks "
        "to see each)\n");
    event = rig_event (JOB_EVENT_DETAILS, "0-1");
    event->details = job_detail_list_new ();
    g_ptr_array_add (event->details, job_detail_new (JOB_DETAIL_REGISTER, 0, "rax", "1"));
    rest = rig_event (JOB_EVENT_DETAILS, "2-99");
    rest->flags = JOB_EVENT_REST;
    rest->number = 70;
    rig_answer (rig, event, rest, NULL);
    rig_assert (
        rig, "info registers",
        "0-1: rax     1\nat least 70 different lists in 98 further ranks (a summary: ask fewer "
        "ranks to see each)\n");
}

/* Programs that read JSON get the value of each rank. */
static void
test_whole_json (void)
{
    g_autoptr (Rig) rig = rig_new (4, TRUE);
    JobEvent *event = rig_event (JOB_EVENT_VALUES, "0-3");
    g_autofree char *said = NULL;

    rig_add_value (event, "s", "0-3", "1", 1);
    rig_answer (rig, event, NULL);
    said = rig_run (rig, "info locals");
    g_assert_cmpuint (((JobRequest *) rig->requests->pdata[0])->flags & JOB_REQUEST_SUMMARY, ==,
                      0);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/command/values/lines", test_values);
    g_test_add_func ("/command/values/summaries", test_summaries);
    g_test_add_func ("/command/values/whole-json", test_whole_json);
    g_test_add_func ("/command/values/odd-values", test_odd_values);
    return g_test_run ();
}
