/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lists of groups, ranks and messages: which items come, change, move and go, how fresh they are, and what
 * a million ranks cost. */
#include "session/group-list.h"
#include "session/messages.h"
#include "session/model.h"
#include "session/operations.h"
#include "session/rank-list.h"
#include <string.h>

/* A copy of a list, kept by what it says alone: wrong positions or forgotten items make it differ. */
typedef struct {
    GListModel *list;
    GPtrArray *items;
    GString *said; /* "position -removed +added " */
    gulong handler;
} Mirror;

static void
on_changed (GListModel *list, guint position, guint removed, guint added, gpointer user)
{
    Mirror *mirror = user;

    g_string_append_printf (mirror->said, "%u-%u+%u ", position, removed, added);
    if (removed > 0) {
        g_ptr_array_remove_range (mirror->items, position, removed);
    }
    for (guint i = position; i < position + added; i++) {
        g_ptr_array_insert (mirror->items, (gint) i, g_list_model_get_item (list, i));
    }
    g_assert_cmpuint (g_list_model_get_n_items (list), ==, mirror->items->len);
}

static void
mirror_init (Mirror *mirror, gpointer list)
{
    mirror->list = list;
    mirror->items = g_ptr_array_new_with_free_func (g_object_unref);
    mirror->said = g_string_new (NULL);
    for (guint i = 0; i < g_list_model_get_n_items (list); i++) {
        g_ptr_array_add (mirror->items, g_list_model_get_item (list, i));
    }
    mirror->handler = g_signal_connect (list, "items-changed", G_CALLBACK (on_changed), mirror);
}

static void
mirror_clear (Mirror *mirror)
{
    g_signal_handler_disconnect (mirror->list, mirror->handler);
    g_ptr_array_unref (mirror->items);
    g_string_free (mirror->said, TRUE);
}

/* What has been said since, and forgets it; the copy has the list's own objects. */
static void
assert_said (Mirror *mirror, const char *expected)
{
    g_assert_cmpstr (mirror->said->str, ==, expected);
    g_string_truncate (mirror->said, 0);
    g_assert_cmpuint (g_list_model_get_n_items (mirror->list), ==, mirror->items->len);
    for (guint i = 0; i < mirror->items->len; i++) {
        g_autoptr (GObject) item = g_list_model_get_item (mirror->list, i);

        g_assert_true (item == mirror->items->pdata[i]);
    }
}

static void
change (Session *session, const char *ranks, JobState state, const char *function, guint32 line,
        guint64 stop)
{
    g_autoptr (JobRankSet) set = job_rank_set_parse (ranks, G_MAXUINT32, NULL);
    g_autoptr (JobEvent) event = job_event_new (JOB_EVENT_STATE, 0, set);

    event->state = state;
    event->stop = stop;
    event->place = function != NULL ? job_location_new (function, "/src/app.c", line) : NULL;
    event->text = state == JOB_STATE_SIGNAL ? g_strdup ("SIGSEGV") : NULL;
    session_apply (session, event);
}

/* Update: the ranks 2 and 3 are still where they were. */
static void
answer_without_news (Session *session)
{
    g_autoptr (JobRankSet) set = job_rank_set_new_range (2, 4);
    g_autoptr (JobEvent) event = job_event_new (JOB_EVENT_STATE, 0, set);

    event->state = JOB_STATE_STOPPED;
    event->flags = JOB_EVENT_FRESH;
    event->stop = 4;
    event->place = job_location_new ("work", "/src/app.c", 9);
    session_apply (session, event);
}

static gboolean
give_up (gpointer user)
{
    *(gboolean *) user = TRUE;
    return G_SOURCE_REMOVE;
}

/* Until the list has said something; FALSE: it says nothing for a while. */
static gboolean
wait_for (Mirror *mirror, guint ms)
{
    gboolean is_late = FALSE;
    guint source = g_timeout_add (ms, give_up, &is_late);

    while (mirror->said->len == 0 && !is_late) {
        g_main_context_iteration (NULL, TRUE);
    }
    if (!is_late) {
        g_source_remove (source);
    }
    return !is_late;
}

/* "0-3 running|4-7 stopped, main at app.c:5" */
static char *
describe (GListModel *list)
{
    GString *text = g_string_new (NULL);

    for (guint i = 0; i < g_list_model_get_n_items (list); i++) {
        g_autoptr (SessionGroup) group = g_list_model_get_item (list, i);
        g_autofree char *ranks = job_rank_set_format (session_group_get_event (group)->ranks);

        g_string_append_printf (text, "%s%s %s", i > 0 ? "|" : "", ranks,
                                session_group_get_text (group));
    }
    return g_string_free (text, FALSE);
}

static void
assert_groups (SessionGroupList *list, const char *expected)
{
    g_autofree char *text = describe (G_LIST_MODEL (list));

    g_assert_cmpstr (text, ==, expected);
}

static void
test_places (void)
{
    g_autoptr (Session) session = session_new ();
    SessionGroupList *list = session_group_list_new (session, NULL, SESSION_BY_PLACE);
    g_autoptr (SessionGroup) main_group = NULL, again = NULL;
    Mirror mirror;

    mirror_init (&mirror, list);
    session_start_scripted (session, 8, NULL, NULL);
    change (session, "0-7", JOB_STATE_STOPPED, "main", 5, 1);
    g_assert_false (wait_for (&mirror, 100)); /* asleep */
    session_group_list_set_awake (list, TRUE);
    assert_said (&mirror, "0-0+1 "); /* at once */
    assert_groups (list, "0-7 stopped, main at app.c:5");
    main_group = g_list_model_get_item (G_LIST_MODEL (list), 0);
    g_assert_cmpuint (session_group_get_stop (main_group), ==, 1);
    g_assert_cmpint (session_group_get_place_us (main_group), >, 0);
    g_assert_cmpint (session_group_get_stale_us (main_group, session), ==, 0);

    change (session, "2-3", JOB_STATE_STOPPED, "work", 9, 4);
    change (session, "6", JOB_STATE_STOPPED, "rest", 11, 2);
    g_assert_true (wait_for (&mirror, 120000));
    assert_said (&mirror, "0-1+1 1-0+2 ");
    assert_groups (list, "0-1,4-5,7 stopped, main at app.c:5|2-3 stopped, work at app.c:9|"
                         "6 stopped, rest at app.c:11");
    again = g_list_model_get_item (G_LIST_MODEL (list), 0);
    g_assert_true (again == main_group);

    change (session, "0-1,4-5", JOB_STATE_STOPPED, "rest", 11,
            2); /* the first one now, and main the last */
    g_assert_true (wait_for (&mirror, 120000));
    assert_said (&mirror, "1-2+0 0-0+2 2-1+1 ");
    assert_groups (list, "0-1,4-6 stopped, rest at app.c:11|2-3 stopped, work at app.c:9|"
                         "7 stopped, main at app.c:5");
    change (session, "7", JOB_STATE_SIGNAL, "main", 5, 3);
    g_assert_true (wait_for (&mirror, 120000));
    assert_said (&mirror, "2-1+0 2-0+1 ");
    g_assert_cmpuint (session_group_get_stop (main_group), ==,
                      1); /* who has it still may ask */
    answer_without_news (session);
    g_assert_false (wait_for (&mirror, 150));

    g_clear_object (&session);
    g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (list)), ==, 0);
    mirror_clear (&mirror);
    g_object_unref (list);
}

/* A place of ranks that move grows old; one of ranks that are blocked there is where they are. */
static void
test_stale_places (void)
{
    g_autoptr (Session) session = session_new ();
    g_autoptr (SessionGroupList) list = session_group_list_new (session, NULL,
                                                                SESSION_BY_PLACE);
    g_autoptr (SessionGroup) moving = NULL, blocked = NULL;

    session_start_scripted (session, 4, NULL, NULL);
    change (session, "0-1", JOB_STATE_RUNNING, "main", 5, 1);
    change (session, "2-3", JOB_STATE_BLOCKED, "main", 6, 1);
    session_group_list_set_awake (list, TRUE);
    assert_groups (list, "0-1 running, main at app.c:5|2-3 blocked, main at app.c:6");
    moving = g_list_model_get_item (G_LIST_MODEL (list), 0);
    blocked = g_list_model_get_item (G_LIST_MODEL (list), 1);
    g_assert_cmpint (session_group_get_stale_us (moving, session), ==,
                     session_group_get_place_us (moving));
    g_assert_cmpint (session_group_get_place_us (blocked), >, 0);
    g_assert_cmpint (session_group_get_stale_us (blocked, session), ==, 0);
}

static void
test_states (void)
{
    g_autoptr (Session) session = session_new ();
    g_autoptr (JobRankSet) some = job_rank_set_new_range (2, 6), none = job_rank_set_new ();
    g_autoptr (SessionGroupList) list = session_group_list_new (session, some,
                                                                SESSION_BY_STATE);
    Mirror mirror;

    session_start_scripted (session, 8, NULL, NULL);
    session_group_list_set_awake (list, TRUE);
    mirror_init (&mirror, list);
    assert_groups (list, "2-5 stopped");
    change (session, "0-1", JOB_STATE_RUNNING, NULL, 0, 0); /* others */
    g_assert_false (wait_for (&mirror, 100));
    change (session, "4", JOB_STATE_RUNNING, NULL, 0, 0);
    change (session, "5", JOB_STATE_SIGNAL, NULL, 0, 7);
    g_assert_true (wait_for (&mirror, 120000));
    assert_groups (list, "4 running|2-3 stopped|5 signal");
    session_group_list_set_ranks (list, none);
    assert_groups (list, "");
    session_group_list_set_ranks (list, NULL);
    assert_groups (list, "0-1,4 running|2-3,6-7 stopped|5 signal");
    session_group_list_set_awake (list, FALSE);
    g_string_truncate (mirror.said, 0);
    change (session, "0-7", JOB_STATE_RUNNING, NULL, 0, 0);
    g_assert_false (wait_for (&mirror, 100));
    session_group_list_set_awake (list, TRUE);
    assert_groups (list, "0-7 running");
    mirror_clear (&mirror);
}

/* Any change of many groups is told right: the copy is the list, and no more is said than was needed. */
static void
test_random (void)
{
    g_autoptr (Session) session = session_new ();
    g_autoptr (SessionGroupList) list = session_group_list_new (session, NULL,
                                                                SESSION_BY_PLACE);
    g_autoptr (GRand) random = g_rand_new_with_seed (20);
    Mirror mirror;

    session_start_scripted (session, 40, NULL, NULL);
    mirror_init (&mirror, list);
    session_group_list_set_awake (list, TRUE);
    for (guint i = 1; i < 60; i++) {
        g_autofree char *shown = NULL, *truth = NULL;
        g_autoptr (JobRankSet) all = session_dup_all (session);
        g_autoptr (GPtrArray) groups = NULL;

        for (gint n = g_rand_int_range (random, 1, 20); n > 0; n--) {
            g_autofree char *rank = g_strdup_printf ("%d", g_rand_int_range (random, 0, 40));

            change (session, rank, JOB_STATE_STOPPED, "f",
                    (guint32) g_rand_int_range (random, 1, 12), i);
        }
        g_string_truncate (mirror.said, 0);
        wait_for (&mirror, 1000);
        g_string_truncate (mirror.said, 0);
        assert_said (&mirror, "");
        groups = session_dup_state_groups (session, all);
        g_assert_cmpuint (groups->len, ==, mirror.items->len);
        for (guint k = 0; k < groups->len; k++) {
            const JobEvent *event = session_group_get_event (mirror.items->pdata[k]);

            g_assert_true (job_rank_set_equal (event->ranks,
                                               ((JobEvent *) groups->pdata[k])->ranks));
        }
    }
    mirror_clear (&mirror);
}

static void
test_many (void)
{
    g_autoptr (Session) session = session_new ();
    g_autoptr (SessionGroupList) list = session_group_list_new (session, NULL,
                                                                SESSION_BY_PLACE);
    Mirror mirror;

    session_start_scripted (session, 3000, NULL, NULL);
    for (guint i = 0; i < 3000; i++) {
        g_autofree char *rank = g_strdup_printf ("%u", i);

        change (session, rank, JOB_STATE_STOPPED, "f", i + 1, 1);
    }
    mirror_init (&mirror, list);
    session_group_list_set_awake (list, TRUE);
    assert_said (&mirror, "0-0+1000 ");
    g_assert_cmpuint (session_group_list_count_rest (list), ==, 2000);
    mirror_clear (&mirror);
}

/* The turns of the main loop stay short, and only groups take memory. */
static void
test_million (void)
{
    enum { N = 1000000 };
    g_autoptr (Session) session = session_new ();
    g_autoptr (SessionGroupList) list = session_group_list_new (session, NULL,
                                                                SESSION_BY_PLACE);
    Mirror mirror;
    guint n_turns = 0;

    session_start_scripted (session, N, NULL, NULL);
    change (session, "0-499999", JOB_STATE_STOPPED, "a", 1, 1);
    change (session, "500000-999999", JOB_STATE_STOPPED, "b", 2, 1);
    mirror_init (&mirror, list);
    session_group_list_set_awake (list, TRUE);
    g_assert_cmpuint (mirror.items->len, ==, 0); /* it takes more than one turn */
    while (mirror.said->len == 0) {
        g_main_context_iteration (NULL, TRUE);
        n_turns++;
    }
    g_assert_cmpuint (n_turns, >=, 5);
    assert_said (&mirror, "0-0+2 ");
    assert_groups (list, "0-499999 stopped, a at app.c:1|500000-999999 stopped, b at app.c:2");
    mirror_clear (&mirror);
}

static void
test_ranks (void)
{
    g_autoptr (Session) session = session_new ();
    g_autoptr (JobRankSet) some = job_rank_set_parse ("1-3,6,10-19", 40, NULL);
    g_autoptr (JobRankSet) few = job_rank_set_parse ("6", 40, NULL);
    SessionRankList *list;
    g_autoptr (SessionRankItem) item = NULL;
    Mirror mirror;

    session_start_scripted (session, 40, NULL, NULL);
    list = session_rank_list_new (session, some);
    mirror_init (&mirror, list);
    while (wait_for (&mirror, 50)) { /* of the start */
        g_string_truncate (mirror.said, 0);
    }
    g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (list)), ==, 14);
    g_assert_null (g_list_model_get_item (G_LIST_MODEL (list), 14));
    for (guint i = 0; i < 14; i++) {
        static const guint32 ranks[] = { 1, 2, 3, 6, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19 };
        g_autoptr (SessionRankItem) one = g_list_model_get_item (G_LIST_MODEL (list), i);

        g_assert_cmpuint (session_rank_item_get_rank (one), ==, ranks[i]);
    }
    item = g_list_model_get_item (G_LIST_MODEL (list), 4);
    g_signal_handler_block (list, mirror.handler);
    change (session, "11-12", JOB_STATE_STOPPED, "main", 5,
            9); /* a new file: all names may change */
    while (session_rank_item_get (item).state != JOB_STATE_STOPPED) {
        g_main_context_iteration (NULL, TRUE);
    }
    g_signal_handler_unblock (list, mirror.handler);
    while (wait_for (&mirror, 100)) {
        g_string_truncate (mirror.said, 0);
    }
    change (session, "4-5", JOB_STATE_RUNNING, NULL, 0, 0);
    g_assert_false (wait_for (&mirror, 100)); /* none of its ranks */
    change (session, "6,10", JOB_STATE_RUNNING, NULL, 0, 0);
    g_assert_true (wait_for (&mirror, 120000));
    g_assert_cmpstr (mirror.said->str, ==, "3-2+2 ");
    g_string_truncate (mirror.said, 0);
    g_assert_cmpint (session_rank_item_get (item).state, ==, JOB_STATE_RUNNING);
    session_rank_list_set_ranks (list, few);
    g_assert_cmpstr (mirror.said->str, ==, "0-14+1 ");
    g_clear_object (&session);
    g_assert_false (session_rank_item_get (item).is_there);
    mirror_clear (&mirror);
    g_object_unref (list);
}

static void
test_messages (void)
{
    g_autoptr (Session) session = session_new ();
    g_autoptr (BaseText) text = base_text_new ("the %s has ended", "job");
    g_autoptr (SessionMessage) severe = NULL;
    GListModel *list = session_get_message_list (session);
    Mirror mirror;

    mirror_init (&mirror, list);
    session_start_scripted (session, 8, NULL, NULL);
    session_say_text (session, 1, text);
    assert_said (&mirror, "0-0+1 ");
    g_assert_cmpstr (session_message_get_english (mirror.items->pdata[0]), ==,
                     "the job has ended");
    g_assert_cmpuint (session_message_get_severity (mirror.items->pdata[0]), ==, 1);
    g_assert_null (session_message_get_event (mirror.items->pdata[0]));
    change (session, "3", JOB_STATE_SIGNAL, "main", 5, 2);
    change (session, "1-2", JOB_STATE_SIGNAL, "main", 5, 4);
    g_assert_true (wait_for (&mirror, 120000));
    assert_said (&mirror, "1-0+1 "); /* equal ones are one */
    severe = g_list_model_get_item (list, 1);
    g_assert_cmpstr (session_message_get_english (severe), ==,
                     "1-3: signal SIGSEGV, main at app.c:5");
    g_assert_cmpuint (session_message_get_severity (severe), ==, 2);
    g_assert_cmpuint (job_rank_set_get_count (session_message_get_event (severe)->ranks), ==,
                      3);
    g_assert_cmpuint (session_message_get_stop (severe), >=, 2);
    g_assert_cmpint (session_message_get_said_us (severe), >=,
                     session_message_get_said_us (mirror.items->pdata[0]));
    for (guint i = 2; i < SESSION_MAX_MESSAGES; i++) {
        session_add_message (session, 0, text);
    }
    g_assert_cmpuint (g_list_model_get_n_items (list), ==, SESSION_MAX_MESSAGES);
    g_string_truncate (mirror.said, 0);
    session_add_message (session, 0, text);
    assert_said (&mirror, "0-1000+0 9000-0+1 ");
    mirror_clear (&mirror);
}

static void
answer_queue (const JobRequest *request, gpointer user)
{
    static const struct {
        guint32 rank;
        gint32 peer, tag;
    } all[] = { { 0, 1, 7 }, { 0, 1, 7 }, { 1, 0, 3 } }; /* twice the same: two operations */
    Session **session = user;
    g_autoptr (JobEvent) event = job_event_new (JOB_EVENT_QUEUES, request->id, request->ranks);

    if (request->verb != JOB_VERB_QUEUE) {
        return;
    }
    event->final = TRUE;
    event->queues = job_message_table_new ();
    for (guint32 rank = 0; rank < 2; rank++) {
        JobMessageQueue *queue = job_message_queue_new (rank);

        queue->source = JOB_MESSAGE_SOURCE_RECORDER;
        for (guint i = 0; i < G_N_ELEMENTS (all); i++) {
            if (all[i].rank == rank) {
                JobMessageOperation *one = job_message_operation_new (JOB_MESSAGE_RECV,
                                                                      "MPI_Irecv");

                one->peer = all[i].peer;
                one->tag = all[i].tag;
                one->place = job_location_new ("main", "/src/app.c", 5);
                g_ptr_array_add (queue->operations, one);
            }
        }
        job_message_table_add (event->queues, queue);
    }
    session_apply (*session, event);
}

static void
on_why (Session *session, const AnalysisVerdict *verdict, const JobRankSet *missing,
        const JobMessageTable *table, gpointer user)
{
    *(gboolean *) user = TRUE;
}

static void
ask_why (Session *session)
{
    g_autoptr (JobRankSet) all = session_dup_all (session);
    gboolean is_done = FALSE;

    session_why (session, all, SESSION_LOOK_RECORDED, on_why, &is_done);
    while (!is_done) {
        g_main_context_iteration (NULL, TRUE);
    }
}

static void
test_operations (void)
{
    Session *session = session_new ();
    g_autoptr (GListModel) list = g_object_ref (session_get_operation_list (session));
    SessionOperation *last;
    Mirror mirror;
    gint64 read_us;

    session_start_scripted (session, 2, answer_queue, &session);
    mirror_init (&mirror, list);
    ask_why (session);
    assert_said (&mirror, "0-0+3 ");
    last = mirror.items->pdata[2];
    read_us = session_operation_get_read_us (last);
    g_assert_cmpuint (session_operation_get_rank (last), ==, 1);
    g_assert_cmpint (session_operation_get_peer (last), ==, 0);
    g_assert_cmpint (session_operation_get_tag (last), ==, 3);
    g_assert_cmpstr (session_operation_get_name (last), ==, "MPI_Irecv");
    g_assert_cmpuint (session_operation_get_place (last)->line, ==, 5);
    g_assert_cmpint (session_operation_get_stale_us (last, session), ==, 0);
    ask_why (session);
    assert_said (&mirror, "0-3+3 "); /* the same objects, read again */
    g_assert_true (mirror.items->pdata[2] == last);
    g_assert_cmpint (session_operation_get_read_us (last), >=, read_us);
    change (session, "1", JOB_STATE_STOPPED, "main", 6, 4); /* it has moved on */
    g_assert_cmpint (session_operation_get_stale_us (last, session), ==,
                     session_operation_get_read_us (last));
    ask_why (session);
    g_assert_cmpint (session_operation_get_stale_us (last, session), ==, 0);
    change (session, "1", JOB_STATE_BLOCKED, "main", 6, 4); /* it stands where it stood */
    g_assert_cmpint (session_operation_get_stale_us (last, session), ==, 0);
    change (session, "1", JOB_STATE_RUNNING, "main", 6, 4);
    g_assert_cmpint (session_operation_get_stale_us (last, session), ==,
                     session_operation_get_read_us (last));
    g_object_unref (session);
    g_assert_cmpuint (g_list_model_get_n_items (list), ==, 0);
    mirror_clear (&mirror);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/lists/places", test_places);
    g_test_add_func ("/lists/stale-places", test_stale_places);
    g_test_add_func ("/lists/states", test_states);
    g_test_add_func ("/lists/random", test_random);
    g_test_add_func ("/lists/many", test_many);
    g_test_add_func ("/lists/million", test_million);
    g_test_add_func ("/lists/ranks", test_ranks);
    g_test_add_func ("/lists/messages", test_messages);
    g_test_add_func ("/lists/operations", test_operations);
    return g_test_run ();
}
