/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A function that is called in one rank and does not return holds up nobody else; whatever comes in between, the
 * rank goes on afterwards as if nothing had been called. */
#include "engine/private.h"
#include "rig.h"
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

static Rig rig;
static guint32 slot, other;
static pid_t pid;

static guint64
ask (guint32 of, JobVerb verb, const char *text)
{
    JobRequest *request = job_request_new (verb, NULL);

    request->text = g_strdup (text);
    return rig_send (&rig, of, request);
}

static const char *
wait_for_value (guint32 of)
{
    const JobEvent *event = rig_wait (&rig, of, JOB_EVENT_VALUES);
    const JobValueRow *row = g_ptr_array_index (event->table->rows, 0);

    return ((const JobValueGroup *) g_ptr_array_index (row->groups, 0))->value->text;
}

static gboolean
is_busy (void)
{
    return engine_find_process (rig.engine, slot)->task != NULL;
}

static gboolean
is_calling (void)
{
    const EngineTask *task = engine_find_process (rig.engine, slot)->task;

    return task != NULL && !task->awaits_answer;
}

static gboolean
is_asking (void)
{
    return is_busy () && !is_calling ();
}

/* Two ranks. */
static void
open_plain_rig (void)
{
    g_autofree char *path = rig_dup_inferior ("inferior-steps");

    rig_open (&rig, "main");
    slot = rig_start (&rig, (char *[]){ path, NULL }, &pid);
    rig_expect (&rig, slot, JOB_STATE_STOPPED, "main", 0);
    other = rig_start_inferior (&rig, "inferior-steps", NULL);
    rig_expect (&rig, other, JOB_STATE_STOPPED, "main", 0);
}

/* One of the ranks is in a call that does not return. Returns the call's request. */
static guint64
open_rig (void)
{
    guint64 id;

    open_plain_rig ();
    id = ask (slot, JOB_VERB_CALL, "(int) pause ()");
    while (!is_calling ()) {
        g_assert_true (is_busy ()); /* it asks for its names first */
        rig_pump (&rig, 10);
    }
    return id;
}

/* One of them has asked pddt-symbols, which does not answer. Returns the request; 0: there is no pddt-symbols. */
static guint64
open_hung_rig (void)
{
    guint64 id;

    open_plain_rig ();
    if (!rig_has_symbols (&rig)) {
        g_test_skip ("no pddt-symbols");
        rig_close (&rig);
        return 0;
    }
    kill (rig.symbols, SIGSTOP);
    id = ask (slot, JOB_VERB_PRINT, "sizeof (int) + 38");
    g_assert_true (is_asking ());
    return id;
}

static void
expect_plain_end (void)
{
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    rig_expect (&rig, slot, JOB_STATE_EXITED, NULL, 0);
    rig_close (&rig);
}

static void
cancel (guint64 id)
{
    JobRequest *request = job_request_new (JOB_VERB_CANCEL, NULL);

    request->every = id;
    rig_send (&rig, slot, request);
}

static void
test_others (void)
{
    open_rig ();
    ask (other, JOB_VERB_PRINT, "6 * 7");
    g_assert_true (is_busy ());
    g_assert_cmpstr (wait_for_value (other), ==, "42");
    g_assert_nonnull (strstr (wait_for_value (slot), "halfway"));
    g_assert_false (is_busy ());
    expect_plain_end ();
}

/* Requests made meanwhile for the rank are carried out in order. */
static void
test_cancel (void)
{
    guint64 id = open_rig ();

    ask (slot, JOB_VERB_PRINT, "6 * 7");
    cancel (id);
    g_assert_nonnull (strstr (wait_for_value (slot), "it was interrupted halfway"));
    g_assert_cmpstr (wait_for_value (slot), ==, "42");
    expect_plain_end ();
}

/* Calls inside an expression are made one after the other, each with a time limit of its
 * own. */
static void
test_several (void)
{
    guint64 id;

    rig_open (&rig, "main");
    slot = rig_start_inferior (&rig, "inferior-steps", NULL);
    rig_expect (&rig, slot, JOB_STATE_STOPPED, "main", 0);
    ask (slot, JOB_VERB_PRINT, "((int) usleep (2000)) + add (40, (int) usleep (2000) + 2)");
    g_assert_cmpstr (wait_for_value (slot), ==, "42");
    id = ask (slot, JOB_VERB_PRINT, "((int) usleep (2000)) + (int) pause ()");
    cancel (id); /* of the first or of the second */
    wait_for_value (slot);
    expect_plain_end ();
}

static void
test_detach (void)
{
    int status = 0;

    open_rig ();
    rig_do (&rig, slot, JOB_VERB_DETACH);
    while (!engine_find_process (rig.engine, slot)->ended) {
        rig_pump (&rig, 10);
    }
    g_assert_cmpint (waitpid (pid, &status, 0), ==, pid);
    g_assert_true (WIFEXITED (status));
    g_assert_cmpint (WEXITSTATUS (status), ==, 0);
    rig_close (&rig);
}

static void
test_death (void)
{
    open_rig ();
    kill (pid, SIGKILL);
    rig_expect (&rig, slot, JOB_STATE_FAILED, NULL, 0);
    g_assert_false (is_busy ());
    ask (other, JOB_VERB_PRINT, "6 * 7");
    g_assert_cmpstr (wait_for_value (other), ==, "42");
    rig_close (&rig);
}

static void
test_abandon (void)
{
    open_rig ();
    rig_close (&rig);
}

/* The other rank continues and runs to its end. */
static void
test_hung (void)
{
    if (open_hung_rig () == 0) {
        return;
    }
    rig_do (&rig, other, JOB_VERB_CONTINUE);
    rig_expect (&rig, other, JOB_STATE_EXITED, NULL, 0);
    g_assert_true (is_asking ());
    kill (rig.symbols, SIGCONT);
    g_assert_cmpstr (wait_for_value (slot), ==, "42");
    g_assert_false (is_busy ());
    expect_plain_end ();
}

static void
test_hung_side_by_side (void)
{
    if (open_hung_rig () == 0) {
        return;
    }
    ask (other, JOB_VERB_PRINT, "sizeof (int) + 38");
    g_assert_nonnull (engine_find_process (rig.engine, other)->task);
    g_assert_true (is_asking ());
    kill (rig.symbols, SIGCONT);
    g_assert_cmpstr (wait_for_value (other), ==, "42");
    rig.seen = 0; /* either may be first */
    g_assert_cmpstr (wait_for_value (slot), ==, "42");
    expect_plain_end ();
}

/* A cancel is answered at once; the next question, when pddt-symbols answers again. */
static void
test_hung_cancel (void)
{
    guint64 id = open_hung_rig ();
    const JobEvent *event;

    if (id == 0) {
        return;
    }
    cancel (id);
    do {
        event = rig_wait (&rig, slot, JOB_EVENT_FAILURE);
    } while (event->request != id);
    g_assert_nonnull (strstr (event->text, "interrupted"));
    kill (rig.symbols, SIGCONT);
    ask (slot, JOB_VERB_PRINT, "sizeof (int) + 38");
    g_assert_cmpstr (wait_for_value (slot), ==, "42");
    expect_plain_end ();
}

static void
test_hung_death (void)
{
    if (open_hung_rig () == 0) {
        return;
    }
    kill (pid, SIGKILL);
    rig_expect (&rig, slot, JOB_STATE_FAILED, NULL, 0);
    g_assert_false (is_busy ());
    kill (rig.symbols, SIGCONT);
    ask (other, JOB_VERB_PRINT, "sizeof (int) + 38");
    g_assert_cmpstr (wait_for_value (other), ==, "42");
    rig_close (&rig);
}

static void
test_hung_abandon (void)
{
    if (open_hung_rig () != 0) {
        kill (rig.symbols, SIGCONT);
        rig_close (&rig);
    }
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/engine/work/others", test_others);
    g_test_add_func ("/engine/work/cancel", test_cancel);
    g_test_add_func ("/engine/work/several", test_several);
    g_test_add_func ("/engine/work/detach", test_detach);
    g_test_add_func ("/engine/work/death", test_death);
    g_test_add_func ("/engine/work/abandon", test_abandon);
    g_test_add_func ("/engine/work/hung", test_hung);
    g_test_add_func ("/engine/work/hung-side-by-side", test_hung_side_by_side);
    g_test_add_func ("/engine/work/hung-cancel", test_hung_cancel);
    g_test_add_func ("/engine/work/hung-death", test_hung_death);
    g_test_add_func ("/engine/work/hung-abandon", test_hung_abandon);
    return g_test_run ();
}
