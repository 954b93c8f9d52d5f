/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lists of breakpoints and sets: which items come, change and go, and how fresh they are. */
#include "session/model.h"
#include <string.h>

typedef struct {
    Session *session;
    GString *breakpoints, *sets; /* "position -removed +added " */
} Rig;

static void
on_changed (GListModel *list, guint position, guint removed, guint added, gpointer user)
{
    g_string_append_printf (user, "%u-%u+%u ", position, removed, added);
}

static void
rig_init (Rig *rig)
{
    rig->session = session_new ();
    rig->breakpoints = g_string_new (NULL);
    rig->sets = g_string_new (NULL);
    session_start_scripted (rig->session, 8, NULL, NULL);
    g_signal_connect (session_get_breakpoint_list (rig->session), "items-changed",
                      G_CALLBACK (on_changed), rig->breakpoints);
    g_signal_connect (session_get_set_list (rig->session), "items-changed",
                      G_CALLBACK (on_changed), rig->sets);
}

static void
rig_clear (Rig *rig)
{
    g_object_unref (rig->session);
    g_string_free (rig->breakpoints, TRUE);
    g_string_free (rig->sets, TRUE);
}

/* What has been said since, and forgets it. */
static void
assert_said (GString *said, const char *expected)
{
    g_assert_cmpstr (said->str, ==, expected);
    g_string_truncate (said, 0);
}

static void
submit (Rig *rig, JobVerb verb, guint32 number, const char *ranks)
{
    g_autoptr (JobRankSet) set = job_rank_set_parse (ranks, 8, NULL);
    JobRequest *request = job_request_new (verb, set);

    request->number = number;
    session_submit (rig->session, request);
}

static void
hit (Rig *rig, gint32 number, const char *ranks, guint64 stop)
{
    g_autoptr (JobRankSet) set = job_rank_set_parse (ranks, 8, NULL);
    g_autoptr (JobEvent) event = job_event_new (JOB_EVENT_STATE, 0, set);

    event->state = JOB_STATE_BREAKPOINT;
    event->number = number;
    event->stop = stop;
    session_apply (rig->session, event);
}

static SessionItem *
get (GListModel *list, guint position)
{
    return SESSION_ITEM (g_list_model_get_item (list, position));
}

static void
test_breakpoints (void)
{
    Rig rig;
    g_autoptr (SessionItem) first = NULL, second = NULL, again = NULL;
    GListModel *list;

    rig_init (&rig);
    list = session_get_breakpoint_list (rig.session);
    g_assert_true (g_list_model_get_item_type (list) == SESSION_TYPE_ITEM);
    submit (&rig, JOB_VERB_BREAK, 2, "0-7");
    submit (&rig, JOB_VERB_BREAK, 1, "0-3");
    assert_said (rig.breakpoints, "0-0+1 0-0+1 ");
    first = get (list, 0);
    second = get (list, 1);
    g_assert_cmpuint (session_item_get_breakpoint (first)->number, ==, 1);
    g_assert_cmpuint (session_item_get_breakpoint (second)->number, ==, 2);
    g_assert_null (session_item_get_name (first));
    g_assert_cmpuint (session_item_get_stop (second), ==, 0);
    hit (&rig, 2, "0-3", 5);
    hit (&rig, 2, "4", 3);
    assert_said (rig.breakpoints, "1-1+1 1-1+1 ");
    again = get (list, 1);
    g_assert_true (again == second);
    g_assert_cmpuint (session_item_get_breakpoint (again)->hits, ==, 5);
    g_assert_cmpuint (session_item_get_stop (again), ==, 5);
    g_assert_cmpuint (session_item_get_stop (first), ==, 0);
    g_assert_cmpint (session_item_get_changed_us (again), >=,
                     session_item_get_changed_us (first));
    submit (&rig, JOB_VERB_DISABLE, 1, "0-1");
    assert_said (rig.breakpoints, "0-1+1 ");
    submit (&rig, JOB_VERB_BREAK, 1, "4-5"); /* on further ranks */
    assert_said (rig.breakpoints, "0-1+1 ");
    g_assert_cmpuint (job_rank_set_get_count (session_item_get_ranks (first)), ==, 6);
    submit (&rig, JOB_VERB_DELETE, 1, "0-1");
    assert_said (rig.breakpoints, "0-1+1 ");
    submit (&rig, JOB_VERB_DELETE, 1, "2-7");
    assert_said (rig.breakpoints, "0-1+0 ");
    g_assert_null (session_item_get_breakpoint (first));
    g_assert_null (session_item_get_ranks (first));
    g_assert_cmpuint (g_list_model_get_n_items (list), ==, 1);
    g_assert_null (g_list_model_get_item (list, 1));
    rig_clear (&rig);
    g_assert_null (session_item_get_breakpoint (second)); /* the view outlives the session */
}

static void
test_sets (void)
{
    Rig rig;
    g_autoptr (JobRankSet) ranks = job_rank_set_new_range (2, 4);
    g_autoptr (SessionItem) a = NULL, b = NULL;
    GListModel *list;

    rig_init (&rig);
    list = session_get_set_list (rig.session);
    session_set_named (rig.session, "b", ranks, NULL);
    session_set_named (rig.session, "a", NULL, "in work");
    assert_said (rig.sets, "0-0+1 0-0+1 ");
    a = get (list, 0);
    b = get (list, 1);
    g_assert_cmpstr (session_item_get_name (a), ==, "a");
    g_assert_cmpstr (session_item_get_live_text (a), ==, "in work");
    g_assert_cmpuint (job_rank_set_get_count (session_item_get_ranks (b)), ==, 2);
    g_assert_null (session_item_get_live_text (b));
    job_rank_set_add (ranks, 7);
    session_set_named (rig.session, "b", ranks, NULL);
    assert_said (rig.sets, "1-1+1 ");
    g_assert_cmpuint (job_rank_set_get_count (session_item_get_ranks (b)), ==, 3);
    g_assert_true (session_remove_named (rig.session, session_item_get_name (a)));
    assert_said (rig.sets, "0-1+0 ");
    g_assert_false (session_remove_named (rig.session, "a"));
    session_set_focus (rig.session, ranks); /* no set's change */
    assert_said (rig.sets, "");
    assert_said (rig.breakpoints, "");
    rig_clear (&rig);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/model/breakpoints", test_breakpoints);
    g_test_add_func ("/model/sets", test_sets);
    return g_test_run ();
}
