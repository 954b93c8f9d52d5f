/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Both ends of the star in one loop, packets and liveness; who must not come in: test-strangers.c. */
#include "rig.h"
#include "net/address-private.h"
#include "net/beat-private.h"
#include "net/liveness-private.h"
#include "net/packet-private.h"
#include "net/root-private.h"
#include "net/socket-private.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stddef.h>
#include <string.h>
#include <glib/gstdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zmq.h>
static void
test_both_ways (void)
{
    Rig rig;
    rig_open (&rig);
    g_autoptr (JobRequest) start = job_request_new (JOB_VERB_START, NULL);
    start->text = g_strdup ("main");
    net_root_send (rig.root, start);
    rig.leaf = rig_make_leaf (&rig, "session", "one");
    WAIT (&rig, rig.n_welcomes == 1 && rig.requests->len == 1);
    NetLeaf *second = rig_make_leaf (&rig, "session", "two");
    WAIT (&rig, rig.n_welcomes == 2 && rig.n_hosts == 2 && rig.requests->len == 2);
    g_assert_cmpint (((JobRequest *) rig.requests->pdata[1])->verb, ==, JOB_VERB_START);
    g_assert_cmpuint (rig.base, ==, NET_BLOCK_SLOTS);

    g_autoptr (JobEvent) a = rig_make_ranks_event (0, 4);
    g_autoptr (JobEvent) b = rig_make_ranks_event (1, 5);
    net_leaf_send (second, a);
    net_leaf_send (second, b);
    WAIT (&rig, rig.events->len > 0);
    JobEvent *got = rig.events->pdata[0];
    g_assert_cmpuint (rig.events->len, ==, 1); /* merged */
    g_assert_cmpuint (job_rank_set_get_lowest (got->ranks), ==, NET_BLOCK_SLOTS);
    g_assert_cmpuint (JOB_PROCESS (got->processes, 1)->slot, ==, NET_BLOCK_SLOTS + 1);
    guint32 first, end;
    g_assert_false (net_root_find_slots (rig.root, 0, &first, &end));
    g_assert_true (net_root_find_slots (rig.root, 1, &first, &end));
    g_assert_cmpuint (first, ==, NET_BLOCK_SLOTS);
    g_assert_cmpuint (end, ==, NET_BLOCK_SLOTS + 2);

    g_autoptr (JobRankSet) set = job_rank_set_new_range (NET_BLOCK_SLOTS + 1,
                                                         NET_BLOCK_SLOTS + 2);
    g_autoptr (JobRequest) request = job_request_new (JOB_VERB_CONTINUE, set);
    request->id = 7;
    net_root_send (rig.root, request);
    WAIT (&rig, rig.requests->len == 3);
    JobRequest *came = rig.requests->pdata[2];
    g_assert_cmpuint (job_rank_set_get_lowest (came->ranks), ==, 1);
    g_assert_cmpuint (came->id, ==, 7);
    net_leaf_free (second);
    WAIT (&rig, strstr (rig.said->str, "bye"));
    net_root_end (rig.root);
    WAIT (&rig, rig.n_ends == 1);
    rig_close (&rig);
}

static gboolean
on_busy (gpointer user)
{
    Rig *rig = user;
    if (rig->n_turns > 0) {
        g_autoptr (JobRankSet) ranks = job_rank_set_new_range (0, 1);
        g_autoptr (JobEvent) event = job_event_new (JOB_EVENT_LOG, 0, ranks);
        event->text = g_strdup_printf ("%u left", --rig->n_turns);
        net_leaf_send (rig->leaf, event);
    }
    g_usleep (100);
    return G_SOURCE_CONTINUE;
}

/* In a loop that always has something to do, events arrive all the same, and many at a time. */
static void
test_busy (void)
{
    const guint n = 2000;
    Rig rig;
    rig_open (&rig);
    rig.leaf = rig_make_leaf (&rig, "session", "one");
    WAIT (&rig, rig.n_welcomes == 1);
    g_autoptr (JobEvent) event = rig_make_ranks_event (0, 0);
    net_leaf_send (rig.leaf, event);
    WAIT (&rig, rig.events->len == 1);
    rig.n_turns = n;
    guint source = g_idle_add_full (G_PRIORITY_DEFAULT, on_busy, &rig, NULL);
    WAIT (&rig, rig.events->len == n + 1);
    g_assert_cmpuint (rig.n_batches, <, n / 5);
    g_source_remove (source);
    rig_close (&rig);
}

/* Each host gets what is selected in its own slots, by its own numbers. */
static void
test_selections (void)
{
    Rig rig;
    rig_open (&rig);
    rig.leaf = rig_make_leaf (&rig, "session", "one");
    NetLeaf *second = rig_make_leaf (&rig, "session", "two");
    WAIT (&rig, rig.n_welcomes == 2);
    g_autoptr (JobRankSet) both = job_rank_set_new_range (0, 2);
    g_autoptr (JobRankSet) far = job_rank_set_new_range (NET_BLOCK_SLOTS, NET_BLOCK_SLOTS + 2);
    g_autoptr (JobRankSet) all = job_rank_set_union (both, far);
    g_autoptr (JobRequest) request = job_request_new (JOB_VERB_PRINT, all);
    request->id = 7;
    job_request_select (request, far, 3, TRUE, 2);
    net_root_send (rig.root, request);
    WAIT (&rig, rig.requests->len == 2);
    guint n_selected = 0;
    for (guint i = 0; i < 2; i++) {
        const JobSelection *selection = job_request_find_selection (rig.requests->pdata[i], 1);
        n_selected += selection != NULL && selection->thread == 3 && selection->frame == 2;
    }
    g_assert_cmpuint (n_selected, ==, 1);
    net_leaf_free (second);
    rig_close (&rig);
}

static gboolean
is_answered (const Rig *rig, guint n)
{
    return rig->requests->len + rig->events->len >= n;
}

/* A daemon that does not read: what is sent to it waits up to a limit, and arrives in its order; what is
 * beyond is answered. Nothing is lost. */
static void
test_full (void)
{
    enum { MOST = 100000 };
    Rig rig;
    guint n = 0;
    guint64 last = 0;
    rig_open (&rig);
    rig.leaf = rig_make_leaf (&rig, "session", "one");
    WAIT (&rig, rig.n_welcomes == 1 && rig.n_hosts == 1);
    const NetHost *host = rig.root->hosts->pdata[0];
    g_autoptr (JobRankSet) ranks = job_rank_set_new_range (0, 3);
    while (rig.root->batch->len < 5 && n < MOST) {
        g_autoptr (JobRequest) request = job_request_new (JOB_VERB_STATE, ranks);
        request->id = ++n;
        net_root_send (rig.root, request);
    }
    g_assert_cmpuint (n, <, MOST);
    g_assert_cmpuint (n, >, NET_MAX_WAITING);
    g_assert_cmpuint (host->waiting.length, ==, NET_MAX_WAITING);
    g_assert_cmpuint (host->waiting_bytes, <=, NET_MAX_WAITING_BYTES);
    g_assert_cmpuint (rig.events->len, ==, 0); /* not from within the call */
    WAIT (&rig, is_answered (&rig, n));
    g_assert_cmpuint (rig.requests->len + rig.events->len, ==, n);
    g_assert_cmpuint (rig.events->len, ==, 5);
    for (guint i = 0; i < rig.events->len; i++) {
        const JobEvent *event = rig.events->pdata[i];
        g_assert_cmpint (event->kind, ==, JOB_EVENT_FAILURE);
        g_assert_true (event->final);
        g_assert_cmpuint (event->request, ==, n - 4 + i);
        g_assert_true (job_rank_set_equal (event->ranks, ranks));
        g_assert_cmpstr (
            event->text, ==,
            "cannot send the request: host one has not taken the last 4096 requests");
    }
    for (guint i = 0; i < rig.requests->len; i++) {
        const JobRequest *request = rig.requests->pdata[i];
        g_assert_cmpuint (request->id, ==, ++last);
    }
    g_assert_cmpuint (host->waiting.length, ==, 0);
    g_assert_cmpuint (host->waiting_bytes, ==, 0);
    g_autoptr (JobRequest) request = job_request_new (JOB_VERB_STATE, ranks); /* as before */
    request->id = ++n;
    net_root_send (rig.root, request);
    WAIT (&rig, is_answered (&rig, n));
    g_assert_cmpuint (rig.events->len, ==, 5);
    g_assert_cmpint (strstr (rig.said->str, "closed") == NULL, ==, TRUE);
    rig_close (&rig);
}

/* What waits for a daemon that ends is forgotten with it. */
static void
test_full_and_gone (void)
{
    Rig rig;
    rig_open (&rig);
    rig.leaf = rig_make_leaf (&rig, "session", "one");
    WAIT (&rig, rig.n_welcomes == 1 && rig.n_hosts == 1);
    const NetHost *host = rig.root->hosts->pdata[0];
    g_autoptr (JobRankSet) ranks = job_rank_set_new_range (0, 3);
    for (guint n = 0; host->waiting.length < 100 && n < 100000; n++) {
        g_autoptr (JobRequest) request = job_request_new (JOB_VERB_STATE, ranks);
        request->id = n + 1;
        net_root_send (rig.root, request);
    }
    g_assert_cmpuint (host->waiting.length, ==, 100);
    g_clear_pointer (&rig.leaf, net_leaf_free);
    WAIT (&rig, strstr (rig.said->str, "closed") || strstr (rig.said->str, "bye"));
    g_assert_cmpuint (host->waiting.length, ==, 0);
    rig_close (&rig);
}

static guint
count_ranks (const Rig *rig, JobEventKind kind)
{
    guint n = 0;
    for (guint i = 0; i < rig->events->len; i++) {
        const JobEvent *event = rig->events->pdata[i];
        n += event->kind == kind ? job_rank_set_get_count (event->ranks) : 0;
    }
    return n;
}

static void
report (NetLeaf *leaf, guint32 first, guint32 end)
{
    for (guint32 slot = first; slot < end; slot++) {
        g_autoptr (JobEvent) event = rig_make_ranks_event (slot, slot % 8);
        net_leaf_send (leaf, event);
    }
}

/* A table holds sets of its own: all are the front end's after the way up. */
static void
test_inner_sets (void)
{
    Rig rig;
    rig_open (&rig);
    rig.leaf = rig_make_leaf (&rig, "session", "one");
    NetLeaf *second = rig_make_leaf (&rig, "session", "two");
    WAIT (&rig, rig.n_welcomes == 2);
    report (rig.leaf, 3, 5);
    report (second, 3, 5);
    g_autoptr (JobRankSet) ranks = job_rank_set_new_range (3, 5);
    g_autoptr (JobEvent) event = job_event_new (JOB_EVENT_VALUES, 1, ranks);
    g_autoptr (JobValue) value = job_value_new ("x", "int", "3");
    event->table = job_value_table_new ();
    job_value_table_add (event->table, "x", ranks, value);
    net_leaf_send (rig.leaf, event);
    net_leaf_send (second, event);
    WAIT (&rig, count_ranks (&rig, JOB_EVENT_VALUES) == 4);
    g_autoptr (JobRankSet) seen = job_rank_set_new ();
    for (guint i = 0; i < rig.events->len; i++) { /* one when they came in one turn */
        JobEvent *got = rig.events->pdata[i];
        if (got->kind != JOB_EVENT_VALUES) {
            continue;
        }
        JobValueRow *row = got->table->rows->pdata[0];
        JobValueGroup *group = row->groups->pdata[0];
        g_assert_true (job_rank_set_equal (group->ranks, got->ranks));
        job_rank_set_merge (seen, got->ranks);
    }
    g_autofree char *text = job_rank_set_format (seen);
    g_assert_cmpstr (text, ==, "3-4,65539-65540");
    net_leaf_free (second);
    rig_close (&rig);
}

/* An event of that kind, of these slots by its own set (way 0) or by what it has. */
static JobEvent *
make_claim (JobEventKind kind, guint way, const JobRankSet *claimed, const JobRankSet *own)
{
    JobEvent *event = job_event_new (kind, 1, way == 0 ? claimed : own);
    g_autoptr (JobValue) value = job_value_new ("x", "int", "3");
    g_autoptr (GPtrArray) frames = g_ptr_array_new ();
    event->state = JOB_STATE_EXITED;
    if (way == JOB_CONTENT_TREE) {
        event->tree = job_stack_tree_new ();
        job_stack_tree_add (event->tree, frames, claimed);
    } else if (way == JOB_CONTENT_TABLE) {
        event->table = job_value_table_new ();
        job_value_table_add (event->table, "x", claimed, value);
    } else if (way == JOB_CONTENT_QUEUES) {
        event->queues = job_message_table_new ();
        job_message_table_add (event->queues,
                               job_message_queue_new (job_rank_set_get_lowest (claimed) + 1));
    }
    return event;
}

/* A host says nothing of processes that it has not reported, in no kind of event and in no part of one. */
static void
test_speakers (void)
{
    Rig rig;
    rig_open (&rig);
    rig.leaf = rig_make_leaf (&rig, "session", "one");
    WAIT (&rig, rig.n_welcomes == 1);
    report (rig.leaf, 0, 2);
    WAIT (&rig, count_ranks (&rig, JOB_EVENT_RANKS) == 2);
    g_ptr_array_set_size (rig.events, 0);
    g_autoptr (JobRankSet) own = job_rank_set_new_range (0, 1),
                           others = job_rank_set_new_range (1, 3);
    GLogLevelFlags fatal
        = g_log_set_always_fatal (G_LOG_LEVEL_ERROR); /* each claim is a warning */
    for (guint kind = JOB_EVENT_STATE; kind < JOB_N_EVENTS; kind++) {
        JobContent content = job_event_kind_get_content ((JobEventKind) kind);
        gboolean has_sets = content == JOB_CONTENT_TREE || content == JOB_CONTENT_TABLE
                            || content == JOB_CONTENT_QUEUES;
        for (guint way = 0; way <= (has_sets ? 2 : 0); way++) {
            g_autoptr (JobEvent) claim = make_claim ((JobEventKind) kind, way > 0 ? content : 0,
                                                     others, own);
            if (way == 2 && content == JOB_CONTENT_TABLE) { /* by what has been summed up */
                job_value_row_cut (claim->table->rows->pdata[0], 0, 0);
            }
            net_leaf_send (rig.leaf, claim);
            net_leaf_flush (rig.leaf);
        }
    }
    g_autoptr (JobEvent) last = make_claim (JOB_EVENT_NOTICE, 0, own, own);
    net_leaf_send (rig.leaf, last);
    WAIT (&rig, rig.events->len > 0);
    g_log_set_always_fatal (fatal);
    g_assert_cmpuint (rig.events->len, ==, 1);
    g_assert_cmpuint (count_ranks (&rig, JOB_EVENT_NOTICE), ==, 1);
    rig_close (&rig);
}

static guint
count_events (const Rig *rig, JobEventKind kind)
{
    guint n = 0;
    for (guint i = 0; i < rig->events->len; i++) {
        n += ((const JobEvent *) rig->events->pdata[i])->kind == kind;
    }
    return n;
}

/* A host hands on a summary to who has asked for one, and to nobody else. */
static void
test_summary (void)
{
    enum { N = JOB_MAX_GROUPS + 200 };
    Rig rig;
    rig_open (&rig);
    rig.leaf = rig_make_leaf (&rig, "session", "one");
    WAIT (&rig, rig.n_welcomes == 1);
    report (rig.leaf, 0, N);
    WAIT (&rig, count_ranks (&rig, JOB_EVENT_RANKS) == N);
    for (guint summary = 0; summary < 2; summary++) {
        g_autoptr (JobRankSet) all = job_rank_set_new_range (0, N);
        g_autoptr (JobRequest) request = job_request_new (JOB_VERB_PRINTF, all);
        g_ptr_array_set_size (rig.events, 0);
        g_ptr_array_set_size (rig.requests, 0);
        request->id = 70 + summary;
        request->flags = summary ? JOB_REQUEST_SUMMARY : 0;
        net_root_send (rig.root, request);
        WAIT (&rig, rig.requests->len == 1);
        for (guint32 slot = 0; slot < N; slot++) {
            g_autoptr (JobRankSet) one = job_rank_set_new_range (slot, slot + 1);
            g_autoptr (JobEvent) event = job_event_new (JOB_EVENT_TEXT, request->id, one);
            event->final = TRUE;
            event->text = g_strdup_printf ("%u", slot);
            net_leaf_send (rig.leaf, event);
        }
        net_leaf_flush (rig.leaf);
        WAIT (&rig, count_ranks (&rig, JOB_EVENT_TEXT) == N);
        g_assert_cmpuint (count_events (&rig, JOB_EVENT_TEXT), ==,
                          summary ? JOB_KEPT_GROUPS + 1 : N);
    }
    rig_close (&rig);
}

/* The limit of open files grows with the hosts, and not before there is need. */
static void
test_many_files (void)
{
    struct rlimit before, now;
    g_assert_cmpint (getrlimit (RLIMIT_NOFILE, &before), ==, 0);
    if (before.rlim_max < 2048) {
        g_test_skip ("too few files may be open here");
        return;
    }
    for (int small = 0; small < 2; small++) {
        Rig rig;
        struct rlimit given = { small ? 300 : 2000, before.rlim_max };
        g_assert_cmpint (setrlimit (RLIMIT_NOFILE, &given), ==, 0);
        rig_open (&rig);
        rig.leaf = rig_make_leaf (&rig, "session", "one");
        WAIT (&rig, rig.n_welcomes == 1);
        g_assert_cmpint (getrlimit (RLIMIT_NOFILE, &now), ==, 0);
        g_assert_cmpuint (now.rlim_cur, ==, small ? before.rlim_max : 2000);
        rig_close (&rig);
    }
    g_assert_cmpint (setrlimit (RLIMIT_NOFILE, &before), ==, 0);
}

static void
test_wrong_session (void)
{
    Rig rig;
    rig_open (&rig);
    rig.leaf = rig_make_leaf (&rig, "another", "one");
    WAIT (&rig, rig.n_ends == 1);
    g_assert_cmpuint (rig.n_hosts, ==, 0);
    rig_close (&rig);
}

/* Both ends have one clock here, so that the answer is between the two times; nothing comes unasked. */
static void
test_clock (void)
{
    Rig rig;
    rig_open (&rig);
    rig.leaf = rig_make_leaf (&rig, "session", "one");
    net_root_ask_clocks (rig.root); /* nobody is there */
    WAIT (&rig, rig.n_welcomes == 1);
    g_assert_cmpuint (rig.n_clocks, ==, 0);
    for (guint i = 1; i <= 5; i++) {
        gint64 before_us = g_get_monotonic_time ();
        net_root_ask_clocks (rig.root);
        WAIT (&rig, rig.n_clocks == i);
        g_assert_cmpint (rig.reading.sent_us, >=, before_us);
        g_assert_cmpint (rig.reading.there_us, >=, rig.reading.sent_us);
        g_assert_cmpint (rig.reading.received_us, >=, rig.reading.there_us);
        g_assert_cmpint (rig.reading.received_us, <=, g_get_monotonic_time ());
    }
    rig_close (&rig);
}

static void
test_front_end_gone (void)
{
    Rig rig;
    rig_open (&rig);
    rig.leaf = rig_make_leaf (&rig, "session", "one");
    WAIT (&rig, rig.n_welcomes == 1);
    net_root_free (rig.root);
    rig.root = NULL;
    WAIT (&rig, rig.n_lost == 1);
    rig_close (&rig);
}

/* A daemon that is killed says no BYE. */
static void
test_daemon_killed (void)
{
    Rig rig;
    rig_open (&rig);
    g_autofree char *self = g_file_read_link ("/proc/self/exe", NULL);
    const char *argv[] = {
        self, "--leaf", rig_get_local (&rig), rig.public_key, rig.daemon_key, rig.daemon_secret,
        NULL
    };
    GPid child;
    g_assert_true (g_spawn_async (NULL, (char **) argv, NULL, G_SPAWN_DO_NOT_REAP_CHILD, NULL,
                                  NULL, &child, NULL));
    WAIT (&rig, rig.events->len == 1);
    kill (child, SIGKILL);
    waitpid (child, NULL, 0);
    WAIT (&rig, strstr (rig.said->str, "closed"));
    g_assert_null (strstr (rig.said->str, "bye"));
    rig_close (&rig);
}

static int
run_leaf (char **argv)
{
    Rig rig = { 0 };
    rig.requests = g_ptr_array_new ();
    const NetLeafKeys keys = { argv[3], argv[4], argv[5] };
    rig.leaf = net_leaf_new (argv[2], "session", "child", &keys, &rig_leaf_handler, &rig, NULL);
    g_autoptr (JobEvent) event = rig_make_ranks_event (0, 0);
    net_leaf_send (rig.leaf, event);
    while (rig.n_lost + rig.n_ends == 0) {
        g_main_context_iteration (NULL, TRUE);
    }
    return 0;
}

static void
test_decode (void)
{
    guint8 header[NET_HEADER_SIZE], body[256];
    g_autoptr (GError) error = NULL;
    for (guint i = 0; i < 20000; i++) {
        NetPacketType type = (NetPacketType) (1 + i % (NET_N_TYPES - 1));
        net_packet_encode_header (type, i, 0, header);
        gsize size = (gsize) g_test_rand_int_range (0, sizeof body);
        for (gsize j = 0; j < size; j++) {
            body[j] = (guint8) (i % 2 ? g_test_rand_int_range (0, 256)
                                      : g_test_rand_int_range (0, 4));
        }
        g_autoptr (NetPacket) packet = net_packet_decode (header, sizeof header, body, size,
                                                          NULL);
        if (packet && type == NET_EVENTS) {
            g_autoptr (GVariant) list = g_variant_get_child_value (packet->body, 1);
            for (gsize j = 0; j < g_variant_n_children (list); j++) {
                g_autoptr (GVariant) boxed = g_variant_get_child_value (list, j);
                g_autoptr (GVariant) content = g_variant_get_variant (boxed);
                g_autoptr (JobEvent) event = job_event_decode (content, 16, NULL, NULL);
            }
        }
    }
    g_assert_null (net_packet_decode (header, 23, body, 0, &error));
}

static gboolean
count_beat (gpointer user)
{
    guint *n = user;
    return ++*n < 2;
}

/* The first beat is within the wait, the second ends it. */
static void
test_beat (void)
{
    guint n = 0;
    gboolean late = FALSE;
    guint timer = g_timeout_add (LIMIT_MS, rig_on_late, &late);
    NetBeat *beat = net_beat_new (1, count_beat, &n);
    while (n < 2 && !late) {
        g_main_context_iteration (NULL, TRUE);
        g_assert_cmpuint (n, !=, 1);
    }
    g_assert_cmpuint (n, ==, 2);
    net_beat_free (beat);
    g_source_remove (timer);
}

static void
test_liveness (void)
{
    NetLiveness liveness;
    gint64 now = 1000000000;
    /* What the manual says: reported, lost, and given up by a daemon. */
    g_assert_cmpint (NET_SILENT_US, ==, 5 * G_USEC_PER_SEC);
    g_assert_cmpint (NET_LOST_US, ==, 30 * G_USEC_PER_SEC);
    g_assert_cmpint (NET_GIVE_UP_US, ==, 600 * G_USEC_PER_SEC);
    net_liveness_init (&liveness, now);
    guint n_pings = 0;
    for (guint i = 0; i < 120; i++) {
        now += G_USEC_PER_SEC;
        n_pings += net_liveness_tick (&liveness, now);
    }
    g_assert_cmpuint (n_pings, ==, 2);
    g_assert_cmpint (net_liveness_get_silence_us (&liveness), ==, 115 * G_USEC_PER_SEC);
    net_liveness_hear (&liveness);
    g_assert_cmpint (net_liveness_get_silence_us (&liveness), ==, 0);
    for (guint i = 0; i < 9; i++) { /* a sign of life that is late by 4 s */
        net_liveness_tick (&liveness, now += G_USEC_PER_SEC);
    }
    g_assert_cmpint (net_liveness_get_silence_us (&liveness), <, NET_SILENT_US);
    net_liveness_tick (&liveness, now += G_USEC_PER_SEC);
    g_assert_cmpint (net_liveness_get_silence_us (&liveness), ==, NET_SILENT_US);
    net_liveness_hear (&liveness);
    net_liveness_tick (&liveness, now += G_GINT64_CONSTANT (3600)
                                         * G_USEC_PER_SEC); /* the observer was stalled */
    g_assert_cmpint (net_liveness_get_silence_us (&liveness), ==, 0);
}
int
main (int argc, char **argv)
{
    if (argc == 6 && strcmp (argv[1], "--leaf") == 0) {
        return run_leaf (argv);
    }
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/link/both-ways", test_both_ways);
    g_test_add_func ("/link/summary", test_summary);
    g_test_add_func ("/link/busy", test_busy);
    g_test_add_func ("/link/selections", test_selections);
    g_test_add_func ("/link/full", test_full);
    g_test_add_func ("/link/full-and-gone", test_full_and_gone);
    g_test_add_func ("/link/inner-sets", test_inner_sets);
    g_test_add_func ("/link/speakers", test_speakers);
    g_test_add_func ("/link/many-files", test_many_files);
    g_test_add_func ("/link/wrong-session", test_wrong_session);
    g_test_add_func ("/link/clock", test_clock);
    g_test_add_func ("/link/front-end-gone", test_front_end_gone);
    g_test_add_func ("/link/daemon-killed", test_daemon_killed);
    g_test_add_func ("/packet/decode", test_decode);
    g_test_add_func ("/beat/within-the-wait", test_beat);
    g_test_add_func ("/liveness/limits", test_liveness);
    return g_test_run ();
}
