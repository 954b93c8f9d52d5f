/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lists of breakpoints and sets: which items come, change and go, and how fresh they are. What logpoints have
 * written, as values. */
#include <math.h>
#include "session/logged.h"
#include "session/model.h"
#include "session/sources.h"
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

/* ---- what logpoints have written ---- */

static void
set_logpoint (Rig *rig, guint32 number, const char *text)
{
    g_autoptr (JobRankSet) all = job_rank_set_new_range (0, 8);
    JobRequest *request = job_request_new (JOB_VERB_BREAK, all);

    request->number = number;
    request->log = g_strdup (text);
    session_submit (rig->session, request);
}

static void
write_line (Rig *rig, gint32 number, const char *ranks, const char *line)
{
    g_autoptr (JobRankSet) set = job_rank_set_parse (ranks, 8, NULL);
    g_autoptr (JobEvent) event = job_event_new (JOB_EVENT_LOG, 0, set);

    event->number = number;
    event->text = g_strdup (line);
    session_apply (rig->session, event);
}

/* "0-1: 3, 2: x" */
static void
assert_values (GListModel *list, guint position, const char *expected)
{
    g_autoptr (SessionLogged) logged = g_list_model_get_item (list, position);
    g_autoptr (JobValueTable) table = session_logged_dup_values (logged);
    g_autoptr (GString) text = g_string_new (NULL);

    for (guint i = 0;
         table->rows->len > 0 && i < ((JobValueRow *) table->rows->pdata[0])->groups->len;
         i++) {
        const JobValueGroup *group = ((JobValueRow *) table->rows->pdata[0])->groups->pdata[i];
        g_autofree char *ranks = job_rank_set_format (group->ranks);

        g_string_append_printf (text, "%s%s: %s", i > 0 ? ", " : "", ranks, group->value->text);
    }
    g_assert_cmpstr (text->str, ==, expected);
}

/* Means of hits, "1 2.5", the first one's number before them. */
static void
assert_hits (GListModel *list, guint position, const char *expected)
{
    g_autoptr (SessionLogged) logged = g_list_model_get_item (list, position);
    guint32 first;
    g_autoptr (GArray) hits = session_logged_dup_hits (logged, &first);
    g_autoptr (GString) text = g_string_new (NULL);

    g_string_printf (text, "%u:", first);
    for (guint i = 0; i < hits->len; i++) {
        double mean = g_array_index (hits, double, i);

        g_string_append_printf (text, isnan (mean) ? " -" : " %g", mean);
    }
    g_assert_cmpstr (text->str, ==, expected);
}

static void
test_logged (void)
{
    Rig rig;
    GListModel *list;
    g_autoptr (SessionLogged) second = NULL, plain = NULL;
    g_autoptr (GArray) numbers = NULL;
    gboolean is_integer;

    rig_init (&rig);
    list = session_get_logged_list (rig.session);
    set_logpoint (&rig, 2, "i={i} x={x}!");
    set_logpoint (&rig, 1, "here");
    write_line (&rig, 2, "0-1", "i=3 x=0.5!");
    write_line (&rig, 2, "2", "i=4 x=no x=!!"); /* a text that has what follows it */
    write_line (&rig, 1, "5", "here");
    write_line (&rig, 7, "5", "of none");
    g_assert_cmpuint (g_list_model_get_n_items (list), ==, 3);
    plain = g_list_model_get_item (list, 0);
    g_assert_cmpstr (session_logged_get_expression (plain), ==, "");
    g_assert_cmpuint (session_logged_get_lines (plain), ==, 1);
    assert_values (list, 0, "");
    assert_values (list, 1, "0-1: 3, 2: 4");
    assert_values (list, 2, "0-1: 0.5, 2: no x=!");
    write_line (&rig, 2, "0", "i=5 x=1.5!");
    write_line (&rig, 2, "1", "something else"); /* counted, and of no value */
    assert_values (list, 1, "0: 5, 2: 4");
    assert_values (list, 2, "0: 1.5, 2: no x=!");
    assert_hits (list, 2, "1: 0.5 1.5");
    second = g_list_model_get_item (list, 1);
    g_assert_cmpuint (session_logged_get_lines (second), ==, 5);
    g_assert_cmpuint (job_rank_set_get_count (session_logged_get_ranks (second)), ==, 3);
    numbers = session_logged_dup_numbers (second, &is_integer);
    g_assert_true (is_integer);
    g_assert_cmpuint (numbers->len, ==, 3);
    g_assert_true (isnan (g_array_index (numbers, double, 1)));
    for (guint i = 0; i < 60; i++) { /* the latest ones stay */
        g_autofree char *line = g_strdup_printf ("i=%u x=0!", i);

        write_line (&rig, 2, "0", line);
    }
    {
        guint32 first;
        g_autoptr (GArray) hits = session_logged_dup_hits (second, &first);

        g_assert_cmpuint (hits->len, ==, SESSION_LOGGED_HITS);
        g_assert_cmpuint (first, ==, 62 - SESSION_LOGGED_HITS + 1);
        g_assert_cmpfloat (g_array_index (hits, double, hits->len - 1), ==, 59);
    }
    submit (&rig, JOB_VERB_DELETE, 2, "0-7");
    g_assert_cmpuint (g_list_model_get_n_items (list), ==, 1);
    session_script_restart (rig.session); /* nothing of the job before */
    g_assert_cmpuint (g_list_model_get_n_items (list), ==, 0);
    rig_clear (&rig);
}

/* The values of a text that was changed are not those of the one before. */
static void
test_logged_anew (void)
{
    Rig rig;
    GListModel *list;
    g_autoptr (JobRankSet) all = job_rank_set_new_range (0, 8);
    JobRequest *request = job_request_new (JOB_VERB_CONDITION, all);

    rig_init (&rig);
    list = session_get_logged_list (rig.session);
    set_logpoint (&rig, 1, "{a}");
    write_line (&rig, 1, "0-7", "1");
    request->number = 1;
    request->log = g_strdup ("{b}{c}"); /* nobody knows where one ends */
    session_submit (rig.session, request);
    write_line (&rig, 1, "0", "23");
    g_assert_cmpuint (g_list_model_get_n_items (list), ==, 2);
    assert_values (list, 0, "");
    assert_values (list, 1, "");
    rig_clear (&rig);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/model/breakpoints", test_breakpoints);
    g_test_add_func ("/model/sets", test_sets);
    g_test_add_func ("/model/logged", test_logged);
    g_test_add_func ("/model/logged-anew", test_logged_anew);
    return g_test_run ();
}
