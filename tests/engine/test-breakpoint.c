/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Breakpoints: by line, function and address, pending ones, conditions, counts, logs, threads and
 * children. */
#include "rig.h"
#include <string.h>

static void
start_at_main (Rig *rig, guint32 *ret_slot, const char *name, const char *argument)
{
    rig_open (rig, "main");
    *ret_slot = rig_start_inferior (rig, name, argument);
    rig_expect (rig, *ret_slot, JOB_STATE_STOPPED, "main", 0);
}

static char *
format_line (const char *file, const char *mark)
{
    return g_strdup_printf ("%s:%u", file, rig_find_mark (file, mark));
}

static void
go_on (Rig *rig, guint32 slot)
{
    rig_do (rig, slot, JOB_VERB_CONTINUE);
}

static void
expect_exit (Rig *rig, guint32 slot)
{
    const JobEvent *event = rig_wait_stop (rig, slot);

    g_assert_cmpint (event->number, ==, 0);
    g_assert_cmpint (event->state, ==, JOB_STATE_EXITED);
}

static const JobEvent *
expect_set (Rig *rig, guint32 slot, guint64 request, gboolean is_set)
{
    const JobEvent *event = rig_wait (rig, slot, JOB_EVENT_BREAKPOINT);

    g_assert_cmpuint (event->request, ==, request);
    g_assert_cmpint (event->final, ==, request != 0);
    g_assert_cmpint (event->places->len > 0, ==, is_set);
    return event;
}

static void
test_line (void)
{
    Rig rig;
    guint32 slot;
    const JobEvent *event;
    g_autofree char *where = format_line ("steps.c", "half");

    start_at_main (&rig, &slot, "inferior-steps", NULL);
    event = expect_set (&rig, slot, rig_break (&rig, slot, 1, where, NULL), TRUE);
    g_assert_cmpint (event->number, ==, 1);
    g_assert_cmpuint (event->places->len, ==, 1);
    g_assert_cmpstr (((JobLocation *) event->places->pdata[0])->function, ==, "half");
    go_on (&rig, slot);
    event = rig_wait_stop (&rig, slot);
    g_assert_cmpint (event->state, ==, JOB_STATE_BREAKPOINT);
    g_assert_cmpint (event->number, ==, 1);
    g_assert_cmpstr (event->place->function, ==, "half");
    g_assert_cmpuint (event->place->line, ==, rig_find_mark ("steps.c", "half"));
    go_on (&rig, slot);
    expect_exit (&rig, slot);
    rig_close (&rig);
}

static void
test_function (void)
{
    Rig rig;
    guint32 slot;

    start_at_main (&rig, &slot, "inferior-steps", NULL);
    expect_set (&rig, slot, rig_break (&rig, slot, 2, "factorial", NULL), TRUE);
    for (guint i = 0; i < 5; i++) {
        go_on (&rig, slot);
        rig_expect (&rig, slot, JOB_STATE_BREAKPOINT, "factorial",
                    rig_find_mark ("steps.c", "factorial-if"));
    }
    go_on (&rig, slot);
    expect_exit (&rig, slot);
    rig_close (&rig);
}

/* A variable in memory, and one in a register. */
static void
test_condition (gconstpointer condition)
{
    Rig rig;
    guint32 slot;

    start_at_main (&rig, &slot, "inferior-steps", NULL);
    expect_set (&rig, slot, rig_break (&rig, slot, 1, "count", condition), TRUE);
    go_on (&rig, slot);
    rig_expect (&rig, slot, JOB_STATE_BREAKPOINT, "count", rig_find_mark ("steps.c", "count"));
    go_on (&rig, slot);
    expect_exit (&rig, slot);
    rig_close (&rig);
}

static void
test_bad_condition (void)
{
    Rig rig;
    guint32 slot;

    start_at_main (&rig, &slot, "inferior-steps", NULL);
    expect_set (&rig, slot, rig_break (&rig, slot, 1, "half", "nowhere > 2"), TRUE);
    go_on (&rig, slot);
    rig_wait (&rig, slot, JOB_EVENT_NOTICE);
    rig_expect (&rig, slot, JOB_STATE_BREAKPOINT, "half", 0);
    rig_close (&rig);
}

static void
test_every_and_temporary (void)
{
    Rig rig;
    guint32 slot;
    JobRequest *request = job_request_new (JOB_VERB_BREAK, NULL);
    guint64 id;

    start_at_main (&rig, &slot, "inferior-steps", NULL);
    request->number = 1;
    request->every = 40;
    g_assert_true (job_where_parse ("count", &request->where, NULL));
    rig_send (&rig, slot, request);
    request = job_request_new (JOB_VERB_BREAK, NULL);
    request->number = 2;
    request->flags = JOB_REQUEST_TEMPORARY;
    g_assert_true (job_where_parse ("factorial", &request->where, NULL));
    id = rig_send (&rig, slot, request);
    while (rig_wait (&rig, slot, JOB_EVENT_BREAKPOINT)->request != id) {
    }
    go_on (&rig, slot);
    g_assert_cmpint (rig_wait_stop (&rig, slot)->number, ==, 2);
    for (guint i = 0; i < 2; i++) {
        go_on (&rig, slot);
        g_assert_cmpint (rig_wait_stop (&rig, slot)->number, ==, 1);
    }
    go_on (&rig, slot);
    expect_exit (&rig, slot);
    rig_close (&rig);
}

/* From the 99th of 100 calls on: both that are left stop. */
static void
test_every_from (void)
{
    Rig rig;
    guint32 slot;
    JobRequest *request = job_request_new (JOB_VERB_BREAK, NULL);

    start_at_main (&rig, &slot, "inferior-steps", NULL);
    request->number = 1;
    request->every = 99 | JOB_EVERY_FROM;
    g_assert_true (job_where_parse ("count", &request->where, NULL));
    rig_send (&rig, slot, request);
    for (guint i = 0; i < 2; i++) {
        go_on (&rig, slot);
        g_assert_cmpint (rig_wait_stop (&rig, slot)->number, ==, 1);
    }
    go_on (&rig, slot);
    expect_exit (&rig, slot);
    rig_close (&rig);
}

static void
test_log (void)
{
    Rig rig;
    guint32 slot;
    JobRequest *request = job_request_new (JOB_VERB_BREAK, NULL);
    const JobEvent *event;

    start_at_main (&rig, &slot, "inferior-steps", NULL);
    request->number = 1;
    request->log = g_strdup ("n is {n}!");
    g_assert_true (job_where_parse ("factorial", &request->where, NULL));
    rig_send (&rig, slot, request);
    go_on (&rig, slot);
    for (int n = 5; n >= 1; n--) {
        g_autofree char *text = g_strdup_printf ("n is %d!", n);

        event = rig_wait (&rig, slot, JOB_EVENT_LOG);
        g_assert_cmpstr (event->text, ==, text);
        g_assert_cmpint (event->number, ==, 1);
    }
    expect_exit (&rig, slot);
    rig_close (&rig);
}

static void
test_disable_and_delete (void)
{
    Rig rig;
    guint32 slot;
    JobRequest *request;

    start_at_main (&rig, &slot, "inferior-steps", NULL);
    rig_break (&rig, slot, 1, "count", NULL);
    go_on (&rig, slot);
    rig_expect (&rig, slot, JOB_STATE_BREAKPOINT, "count", 0);
    request = job_request_new (JOB_VERB_DISABLE, NULL);
    request->number = 1;
    rig_send (&rig, slot, request);
    request = job_request_new (JOB_VERB_ENABLE, NULL);
    request->number = 1;
    rig_send (&rig, slot, request);
    go_on (&rig, slot);
    rig_expect (&rig, slot, JOB_STATE_BREAKPOINT, "count", 0);
    rig_delete (&rig, slot, 1);
    go_on (&rig, slot);
    expect_exit (&rig, slot);
    rig_close (&rig);
}

/* Set at the place in main where the rank is: continuing must not hit it before main has
 * moved. */
static void
test_at_place (void)
{
    Rig rig;
    guint32 slot;

    start_at_main (&rig, &slot, "inferior-steps", NULL);
    expect_set (&rig, slot, rig_break (&rig, slot, 1, "main", NULL), TRUE);
    go_on (&rig, slot);
    expect_exit (&rig, slot);
    rig_close (&rig);
}

static void
test_pending (void)
{
    Rig rig;
    guint32 slot;
    g_autofree char *plugin = rig_dup_inferior ("inferior-plugin.so");
    g_autofree char *where = format_line ("plugin.c", "plugin");
    const JobEvent *event;
    guint64 id;

    start_at_main (&rig, &slot, "inferior-loads", plugin);
    id = rig_break (&rig, slot, 7, where, NULL);
    event = expect_set (&rig, slot, id, FALSE);
    g_assert_cmpstr (event->text, ==, "no file \"plugin.c\" yet");
    go_on (&rig, slot);
    event = expect_set (&rig, slot, 0, TRUE);
    g_assert_cmpint (event->number, ==, 7);
    for (guint i = 0; i < 2; i++) {
        rig_expect (&rig, slot, JOB_STATE_BREAKPOINT, "plugin_work",
                    rig_find_mark ("plugin.c", "plugin"));
        go_on (&rig, slot);
    }
    event = rig_wait_stop (&rig, slot);
    g_assert_cmpint (event->number, ==, 4);
    rig_close (&rig);
}

/* Each hit resumes over the trap: none is lost, and the program counts right. */
static void
test_threads (void)
{
    Rig rig;
    guint32 slot;
    g_autofree char *path = rig_dup_inferior ("inferior-threads");
    char *argv[] = { path, "4", "250", NULL };
    JobRequest *request = job_request_new (JOB_VERB_BREAK, NULL);

    rig_open (&rig, "main");
    slot = rig_start (&rig, argv, NULL);
    rig_expect (&rig, slot, JOB_STATE_STOPPED, "main", 0);
    request->number = 1;
    request->every = 1000;
    g_assert_true (job_where_parse ("hit", &request->where, NULL));
    rig_send (&rig, slot, request);
    go_on (&rig, slot);
    rig_expect (&rig, slot, JOB_STATE_BREAKPOINT, "hit", 0); /* the very last one */
    go_on (&rig, slot);
    expect_exit (&rig, slot);
    rig_close (&rig);
}

/* An indirect function, which a resolver chooses when the program is linked: a breakpoint stops
 * in the function chosen and never in the resolver, whether that has run already or not. */
static void
test_chosen (gconstpointer name)
{
    static const char *const phases[] = { "main", "start" };

    for (guint i = 0; i < G_N_ELEMENTS (phases); i++) {
        Rig rig;
        guint32 slot;
        const JobEvent *event;

        rig_open (&rig, phases[i]);
        slot = rig_start_inferior (&rig, name, NULL);
        rig_wait_stop (&rig, slot);
        expect_set (&rig, slot, rig_break (&rig, slot, 2, "chosen", NULL), TRUE);
        go_on (&rig, slot);
        event = rig_wait_stop (&rig, slot);
        g_assert_cmpint (event->state, ==, JOB_STATE_BREAKPOINT);
        g_assert_cmpstr (event->place->function, ==, "add");
        go_on (&rig, slot);
        expect_exit (&rig, slot);
        rig_close (&rig);
    }
}

static void
test_children (void)
{
    Rig rig;
    guint32 slot;
    const JobEvent *event;

    start_at_main (&rig, &slot, "inferior-forks", NULL);
    expect_set (&rig, slot, rig_break (&rig, slot, 1, "pass", NULL), TRUE);
    for (guint i = 0; i < 2; i++) {
        go_on (&rig, slot);
        rig_expect (&rig, slot, JOB_STATE_BREAKPOINT, "pass", 0);
    }
    go_on (&rig, slot);
    event = rig_wait_stop (&rig, slot);
    g_assert_cmpint (event->number, ==, 0);
    g_assert_cmpint (event->state, ==, JOB_STATE_EXITED);
    rig_close (&rig);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/engine/breakpoint/line", test_line);
    g_test_add_func ("/engine/breakpoint/function", test_function);
    g_test_add_data_func ("/engine/breakpoint/condition", "i == 42", test_condition);
    g_test_add_data_func ("/engine/breakpoint/condition-register", "$rdi == 42",
                          test_condition);
    g_test_add_func ("/engine/breakpoint/bad-condition", test_bad_condition);
    g_test_add_func ("/engine/breakpoint/every-and-temporary", test_every_and_temporary);
    g_test_add_func ("/engine/breakpoint/every-from", test_every_from);
    g_test_add_func ("/engine/breakpoint/log", test_log);
    g_test_add_func ("/engine/breakpoint/disable-and-delete", test_disable_and_delete);
    g_test_add_func ("/engine/breakpoint/at-place", test_at_place);
    g_test_add_func ("/engine/breakpoint/pending", test_pending);
    g_test_add_func ("/engine/breakpoint/threads", test_threads);
    g_test_add_func ("/engine/breakpoint/children", test_children);
    g_test_add_data_func ("/engine/breakpoint/chosen/now", "inferior-ways", test_chosen);
    g_test_add_data_func ("/engine/breakpoint/chosen/static", "inferior-ways-static",
                          test_chosen);
    g_test_add_data_func ("/engine/breakpoint/chosen/lazy", "inferior-ways-lazy", test_chosen);
    return g_test_run ();
}
