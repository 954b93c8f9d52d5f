/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Both ends of the star in one loop, and the strangers that must not come in. */
#include "net/link.h"
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

#define LIMIT_MS 10000

typedef struct {
    NetRoot *root;
    NetLeaf *leaf;
    char public_key[41], secret_key[41];    /* the front end's */
    char daemon_key[41], daemon_secret[41]; /* the daemons' */
    char *folder;
    guint n_hosts, n_batches; /* of events */
    guint n_turns;            /* of the loop that are still busy and have an event each */
    GPtrArray *events, *requests;
    GString *said; /* liveness words */
    guint32 base;
    guint n_welcomes, n_ends, n_lost;
    gboolean late;
} Link;

static void
on_host (NetRoot *root, guint index, const char *host, gpointer user)
{
    ((Link *) user)->n_hosts++;
}

static void
on_events (NetRoot *root, GPtrArray *events, gpointer user)
{
    ((Link *) user)->n_batches++;
    for (guint i = 0; i < events->len; i++) {
        g_ptr_array_add (((Link *) user)->events, job_event_dup (events->pdata[i]));
    }
}

static void
on_liveness (NetRoot *root, guint index, const char *what, gpointer user)
{
    g_string_append_printf (((Link *) user)->said, "%s ", what);
}

static void
on_welcome (NetLeaf *leaf, guint32 base, gpointer user)
{
    ((Link *) user)->base = base;
    ((Link *) user)->n_welcomes++;
}

static void
on_request (NetLeaf *leaf, const JobRequest *request, gpointer user)
{
    g_ptr_array_add (((Link *) user)->requests, job_request_dup (request));
}

static void
on_end (NetLeaf *leaf, gpointer user)
{
    ((Link *) user)->n_ends++;
}

static void
on_lost (NetLeaf *leaf, gboolean closed, gpointer user)
{
    ((Link *) user)->n_lost++;
}

static const NetRootHandler root_handler = { on_host, on_events, on_liveness };
static const NetLeafHandler leaf_handler = { on_welcome, on_request, on_end, on_lost };

static gboolean
on_late (gpointer user)
{
    *(gboolean *) user = TRUE;
    return G_SOURCE_REMOVE;
}

#define WAIT(link, condition)                                                                  \
    do {                                                                                       \
        (link)->late = FALSE;                                                                  \
        guint timer = g_timeout_add (LIMIT_MS, on_late, &(link)->late);                        \
        while (!(condition) && !(link)->late) {                                                \
            g_main_context_iteration (NULL, TRUE);                                             \
        }                                                                                      \
        if (!(link)->late) {                                                                   \
            g_source_remove (timer);                                                           \
        }                                                                                      \
        g_assert_true (condition);                                                             \
    } while (0)

static void
open_link (Link *link)
{
    g_autoptr (GError) error = NULL;
    *link = (Link){ 0 };
    link->events = g_ptr_array_new_with_free_func ((GDestroyNotify) job_event_free);
    link->requests = g_ptr_array_new_with_free_func ((GDestroyNotify) job_request_free);
    link->said = g_string_new (NULL);
    g_assert_true (net_make_keys (link->public_key, link->secret_key, &error));
    g_assert_true (net_make_keys (link->daemon_key, link->daemon_secret, &error));
    const NetRootKeys keys = { link->public_key, link->secret_key, link->daemon_key };
    link->folder = g_dir_make_tmp ("link-XXXXXX", &error);
    g_assert_no_error (error);
    link->root = net_root_new ("session", link->folder, &keys, &root_handler, link, &error);
    g_assert_no_error (error);
}

static const char *
get_local (const Link *link)
{
    return strchr (net_root_get_endpoint (link->root), ' ') + 1;
}

static NetLeaf *
make_leaf (Link *link, const char *session, const char *host)
{
    g_autoptr (GError) error = NULL;
    const NetLeafKeys keys = { link->public_key, link->daemon_key, link->daemon_secret };
    NetLeaf *leaf = net_leaf_new (get_local (link), session, host, &keys, &leaf_handler, link,
                                  &error);
    g_assert_no_error (error);
    return leaf;
}

static void
close_link (Link *link)
{
    net_leaf_free (link->leaf);
    net_root_free (link->root);
    g_autofree char *path = g_build_filename (link->folder, "link", NULL);
    unlink (path);
    g_assert_cmpint (rmdir (link->folder), ==, 0);
    g_free (link->folder);
    g_ptr_array_unref (link->events);
    g_ptr_array_unref (link->requests);
    g_string_free (link->said, TRUE);
}

static JobEvent *
make_ranks_event (guint32 slot, guint32 rank)
{
    g_autoptr (JobRankSet) ranks = job_rank_set_new_range (slot, slot + 1);
    JobEvent *event = job_event_new (JOB_EVENT_RANKS, 0, ranks);
    const JobProcess process = {
        .slot = slot, .rank = rank, .size = 8, .host = (char *) "h", .program = (char *) "p"
    };
    event->processes = job_process_list_new ();
    job_process_list_add (event->processes, &process);
    return event;
}

static void
test_both_ways (void)
{
    Link link;
    open_link (&link);
    g_autoptr (JobRequest) start = job_request_new (JOB_VERB_START, NULL);
    start->text = g_strdup ("main");
    net_root_send (link.root, start);
    link.leaf = make_leaf (&link, "session", "one");
    WAIT (&link, link.n_welcomes == 1 && link.requests->len == 1);
    NetLeaf *second = make_leaf (&link, "session", "two");
    WAIT (&link, link.n_welcomes == 2 && link.n_hosts == 2 && link.requests->len == 2);
    g_assert_cmpint (((JobRequest *) link.requests->pdata[1])->verb, ==, JOB_VERB_START);
    g_assert_cmpuint (link.base, ==, NET_BLOCK_SLOTS);

    g_autoptr (JobEvent) a = make_ranks_event (0, 4);
    g_autoptr (JobEvent) b = make_ranks_event (1, 5);
    net_leaf_send (second, a);
    net_leaf_send (second, b);
    WAIT (&link, link.events->len > 0);
    JobEvent *got = link.events->pdata[0];
    g_assert_cmpuint (link.events->len, ==, 1); /* merged */
    g_assert_cmpuint (job_rank_set_get_lowest (got->ranks), ==, NET_BLOCK_SLOTS);
    g_assert_cmpuint (JOB_PROCESS (got->processes, 1)->slot, ==, NET_BLOCK_SLOTS + 1);
    guint32 first, end;
    g_assert_false (net_root_find_slots (link.root, 0, &first, &end));
    g_assert_true (net_root_find_slots (link.root, 1, &first, &end));
    g_assert_cmpuint (first, ==, NET_BLOCK_SLOTS);
    g_assert_cmpuint (end, ==, NET_BLOCK_SLOTS + 2);

    g_autoptr (JobRankSet) set = job_rank_set_new_range (NET_BLOCK_SLOTS + 1,
                                                         NET_BLOCK_SLOTS + 2);
    g_autoptr (JobRequest) request = job_request_new (JOB_VERB_CONTINUE, set);
    request->id = 7;
    net_root_send (link.root, request);
    WAIT (&link, link.requests->len == 3);
    JobRequest *came = link.requests->pdata[2];
    g_assert_cmpuint (job_rank_set_get_lowest (came->ranks), ==, 1);
    g_assert_cmpuint (came->id, ==, 7);
    net_leaf_free (second);
    WAIT (&link, strstr (link.said->str, "bye"));
    net_root_end (link.root);
    WAIT (&link, link.n_ends == 1);
    close_link (&link);
}

/* Each host gets what is selected in its own slots, by its own numbers. */
static gboolean
on_busy (gpointer user)
{
    Link *link = user;
    if (link->n_turns > 0) {
        g_autoptr (JobRankSet) ranks = job_rank_set_new_range (0, 1);
        g_autoptr (JobEvent) event = job_event_new (JOB_EVENT_LOG, 0, ranks);
        event->text = g_strdup_printf ("%u left", --link->n_turns);
        net_leaf_send (link->leaf, event);
    }
    g_usleep (100);
    return G_SOURCE_CONTINUE;
}

/* In a loop that always has something to do, events arrive all the same, and many at a time. */
static void
test_busy (void)
{
    const guint n = 2000;
    Link link;
    open_link (&link);
    link.leaf = make_leaf (&link, "session", "one");
    WAIT (&link, link.n_welcomes == 1);
    g_autoptr (JobEvent) event = make_ranks_event (0, 0);
    net_leaf_send (link.leaf, event);
    WAIT (&link, link.events->len == 1);
    link.n_turns = n;
    guint source = g_idle_add_full (G_PRIORITY_DEFAULT, on_busy, &link, NULL);
    WAIT (&link, link.events->len == n + 1);
    g_assert_cmpuint (link.n_batches, <, n / 5);
    g_source_remove (source);
    close_link (&link);
}

static void
test_selections (void)
{
    Link link;
    open_link (&link);
    link.leaf = make_leaf (&link, "session", "one");
    NetLeaf *second = make_leaf (&link, "session", "two");
    WAIT (&link, link.n_welcomes == 2);
    g_autoptr (JobRankSet) both = job_rank_set_new_range (0, 2);
    g_autoptr (JobRankSet) far = job_rank_set_new_range (NET_BLOCK_SLOTS, NET_BLOCK_SLOTS + 2);
    g_autoptr (JobRankSet) all = job_rank_set_union (both, far);
    g_autoptr (JobRequest) request = job_request_new (JOB_VERB_PRINT, all);
    request->id = 7;
    job_request_select (request, far, 3, TRUE, 2);
    net_root_send (link.root, request);
    WAIT (&link, link.requests->len == 2);
    guint n_selected = 0;
    for (guint i = 0; i < 2; i++) {
        const JobSelection *selection = job_request_find_selection (link.requests->pdata[i], 1);
        n_selected += selection != NULL && selection->thread == 3 && selection->frame == 2;
    }
    g_assert_cmpuint (n_selected, ==, 1);
    net_leaf_free (second);
    close_link (&link);
}

static guint
count_ranks (const Link *link, JobEventKind kind)
{
    guint n = 0;
    for (guint i = 0; i < link->events->len; i++) {
        const JobEvent *event = link->events->pdata[i];
        n += event->kind == kind ? job_rank_set_get_count (event->ranks) : 0;
    }
    return n;
}

static void
report (NetLeaf *leaf, guint32 first, guint32 end)
{
    for (guint32 slot = first; slot < end; slot++) {
        g_autoptr (JobEvent) event = make_ranks_event (slot, slot % 8);
        net_leaf_send (leaf, event);
    }
}

/* Trees and tables hold sets of their own: all are the front end's after the way up. */
static void
test_inner_sets (void)
{
    Link link;
    open_link (&link);
    link.leaf = make_leaf (&link, "session", "one");
    NetLeaf *second = make_leaf (&link, "session", "two");
    WAIT (&link, link.n_welcomes == 2);
    report (link.leaf, 3, 5);
    report (second, 3, 5);
    g_autoptr (JobRankSet) ranks = job_rank_set_new_range (3, 5);
    g_autoptr (JobEvent) event = job_event_new (JOB_EVENT_VALUES, 1, ranks);
    g_autoptr (JobValue) value = job_value_new ("x", "int", "3");
    event->table = job_value_table_new ();
    job_value_table_add (event->table, "x", ranks, value);
    event->tree = job_stack_tree_new ();
    net_leaf_send (link.leaf, event);
    net_leaf_send (second, event);
    WAIT (&link, count_ranks (&link, JOB_EVENT_VALUES) == 4);
    g_autoptr (JobRankSet) seen = job_rank_set_new ();
    for (guint i = 0; i < link.events->len; i++) { /* one when they came in one turn */
        JobEvent *got = link.events->pdata[i];
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
    close_link (&link);
}

/* An event of that kind, of these slots by its own set, its tree, its table or its queues. */
static JobEvent *
make_claim (JobEventKind kind, guint way, const JobRankSet *claimed, const JobRankSet *own)
{
    JobEvent *event = job_event_new (kind, 1, way == 0 ? claimed : own);
    g_autoptr (JobValue) value = job_value_new ("x", "int", "3");
    g_autoptr (GPtrArray) frames = g_ptr_array_new ();
    event->state = JOB_STATE_EXITED;
    if (way == 1) {
        event->tree = job_stack_tree_new ();
        job_stack_tree_add (event->tree, frames, claimed);
    } else if (way == 2) {
        event->table = job_value_table_new ();
        job_value_table_add (event->table, "x", claimed, value);
    } else if (way == 3) {
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
    enum { N_WAYS = 4 };
    Link link;
    open_link (&link);
    link.leaf = make_leaf (&link, "session", "one");
    WAIT (&link, link.n_welcomes == 1);
    report (link.leaf, 0, 2);
    WAIT (&link, count_ranks (&link, JOB_EVENT_RANKS) == 2);
    g_ptr_array_set_size (link.events, 0);
    g_autoptr (JobRankSet) own = job_rank_set_new_range (0, 1),
                           others = job_rank_set_new_range (1, 3);
    GLogLevelFlags fatal
        = g_log_set_always_fatal (G_LOG_LEVEL_ERROR); /* each claim is a warning */
    for (guint kind = JOB_EVENT_STATE; kind < JOB_N_EVENTS; kind++) {
        for (guint way = 0; way < N_WAYS; way++) {
            g_autoptr (JobEvent) claim = make_claim ((JobEventKind) kind, way, others, own);
            net_leaf_send (link.leaf, claim);
            net_leaf_flush (link.leaf);
        }
    }
    g_autoptr (JobEvent) last = make_claim (JOB_EVENT_NOTICE, 0, own, own);
    net_leaf_send (link.leaf, last);
    WAIT (&link, link.events->len > 0);
    g_log_set_always_fatal (fatal);
    g_assert_cmpuint (link.events->len, ==, 1);
    g_assert_cmpuint (count_ranks (&link, JOB_EVENT_NOTICE), ==, 1);
    close_link (&link);
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
        Link link;
        struct rlimit given = { small ? 300 : 2000, before.rlim_max };
        g_assert_cmpint (setrlimit (RLIMIT_NOFILE, &given), ==, 0);
        open_link (&link);
        link.leaf = make_leaf (&link, "session", "one");
        WAIT (&link, link.n_welcomes == 1);
        g_assert_cmpint (getrlimit (RLIMIT_NOFILE, &now), ==, 0);
        g_assert_cmpuint (now.rlim_cur, ==, small ? before.rlim_max : 2000);
        close_link (&link);
    }
    g_assert_cmpint (setrlimit (RLIMIT_NOFILE, &before), ==, 0);
}

static void
test_wrong_session (void)
{
    Link link;
    open_link (&link);
    link.leaf = make_leaf (&link, "another", "one");
    WAIT (&link, link.n_ends == 1);
    g_assert_cmpuint (link.n_hosts, ==, 0);
    close_link (&link);
}

static void
test_front_end_gone (void)
{
    Link link;
    open_link (&link);
    link.leaf = make_leaf (&link, "session", "one");
    WAIT (&link, link.n_welcomes == 1);
    net_root_free (link.root);
    link.root = NULL;
    WAIT (&link, link.n_lost == 1);
    close_link (&link);
}

/* A daemon that is killed says no BYE. */
static void
test_daemon_killed (void)
{
    Link link;
    open_link (&link);
    g_autofree char *self = g_file_read_link ("/proc/self/exe", NULL);
    const char *argv[] = {
        self, "--leaf", get_local (&link), link.public_key, link.daemon_key, link.daemon_secret,
        NULL
    };
    GPid child;
    g_assert_true (g_spawn_async (NULL, (char **) argv, NULL, G_SPAWN_DO_NOT_REAP_CHILD, NULL,
                                  NULL, &child, NULL));
    WAIT (&link, link.events->len == 1);
    kill (child, SIGKILL);
    waitpid (child, NULL, 0);
    WAIT (&link, strstr (link.said->str, "closed"));
    g_assert_null (strstr (link.said->str, "bye"));
    close_link (&link);
}

static int
run_leaf (char **argv)
{
    Link link = { 0 };
    link.requests = g_ptr_array_new ();
    const NetLeafKeys keys = { argv[3], argv[4], argv[5] };
    link.leaf = net_leaf_new (argv[2], "session", "child", &keys, &leaf_handler, &link, NULL);
    g_autoptr (JobEvent) event = make_ranks_event (0, 0);
    net_leaf_send (link.leaf, event);
    while (link.n_lost + link.n_ends == 0) {
        g_main_context_iteration (NULL, TRUE);
    }
    return 0;
}

/* Sends what a daemon would, with the keys given; NULL: none. */
static void *
make_stranger (void *context, Link *link, const char *server, const char *public_key,
               const char *secret_key)
{
    void *socket = zmq_socket (context, ZMQ_DEALER);
    int linger = 0;
    zmq_setsockopt (socket, ZMQ_LINGER, &linger, sizeof linger);
    if (server) {
        zmq_setsockopt (socket, ZMQ_CURVE_SERVERKEY, server, 40);
        zmq_setsockopt (socket, ZMQ_CURVE_PUBLICKEY, public_key, 40);
        zmq_setsockopt (socket, ZMQ_CURVE_SECRETKEY, secret_key, 40);
    }
    g_assert_cmpint (zmq_connect (socket, get_local (link)), ==, 0);
    net_socket_send (socket, NULL, NET_HELLO, 1, 0,
                     g_variant_new ("(ssu)", "session", "evil", 1));
    return socket;
}

static void
test_strangers (void)
{
    Link link;
    char public_key[41], secret_key[41];
    open_link (&link);
    void *context = zmq_ctx_new ();
    net_make_keys (public_key, secret_key, NULL);
    void *strangers[] = {
        make_stranger (context, &link, link.public_key, public_key, secret_key), /* own keys */
        make_stranger (context, &link, link.public_key, link.public_key,
                       link.secret_key),                                    /* the server's */
        make_stranger (context, &link, NULL, NULL, NULL),                   /* plain */
        make_stranger (context, &link, public_key, public_key, secret_key), /* wrong server */
    };
    link.leaf = make_leaf (&link, "session", "good");
    WAIT (&link, link.n_welcomes == 1);
    g_autoptr (JobEvent) event = make_ranks_event (0, 0);
    for (guint i = 0; i < 20; i++) { /* as many turns as strangers could need */
        net_leaf_send (link.leaf, event);
        net_leaf_flush (link.leaf);
        WAIT (&link, link.events->len == i + 1);
    }
    g_assert_cmpuint (link.n_hosts, ==, 1);
    for (guint i = 0; i < G_N_ELEMENTS (strangers); i++) {
        zmq_close (strangers[i]);
    }
    zmq_ctx_term (context);
    close_link (&link);
}

/* ---- who says nothing ---- */

/* In a process of its own: connections that never say a word. Returns its end, which says when all stand. */
static pid_t
start_crowd (const char *endpoint, guint n, int *ret_ready)
{
    int ends[2];
    g_assert_cmpint (pipe (ends), ==, 0);
    pid_t pid = fork ();
    if (pid == 0) {
        prctl (PR_SET_PDEATHSIG, SIGKILL);
        for (guint i = 0; i < n; i++) {
            struct pollfd waiting = { net_address_connect (endpoint), POLLOUT, 0 };
            if (waiting.fd < 0 || poll (&waiting, 1, LIMIT_MS) != 1) {
                _exit (1);
            }
        }
        if (write (ends[1], "G", 1) == 1) {
            pause ();
        }
        _exit (1);
    }
    close (ends[1]);
    fcntl (ends[0], F_SETFL, O_NONBLOCK);
    *ret_ready = ends[0];
    return pid;
}

static guint
count_descriptors (void)
{
    g_autoptr (GDir) folder = g_dir_open ("/proc/self/fd", 0, NULL);
    guint n = 0;
    while (folder && g_dir_read_name (folder)) {
        n++;
    }
    return n;
}

static gboolean
on_poll (gpointer user)
{
    return G_SOURCE_CONTINUE; /* wakes the loop */
}

/* 600 of them leave descriptors for files, and a daemon from another host comes in beside them. */
static void
test_crowd (void)
{
    enum { CROWD = 600, LEFT = 64 };
    Link link;
    char letter;
    int ready;
    open_link (&link);
    g_assert_true (net_root_bind (link.root, "tcp://127.0.0.1:*"));
    const char *endpoint = strrchr (net_root_get_endpoint (link.root), ' ') + 1;
    guint before = count_descriptors (), poll_timer = g_timeout_add (10, on_poll, NULL);
    pid_t crowd = start_crowd (endpoint, CROWD, &ready);
    gboolean stands = FALSE;
    WAIT (&link, (stands = stands || read (ready, &letter, 1) == 1));
    const NetLeafKeys keys = { link.public_key, link.daemon_key, link.daemon_secret };
    link.leaf = net_leaf_new (endpoint, "session", "far", &keys, &leaf_handler, &link, NULL);
    WAIT (&link, link.n_welcomes == 1);
    WAIT (&link, count_descriptors () <= before + LEFT + 4);
    g_assert_cmpuint (net_startups_get_count (link.root->startups), <=, LEFT);
    g_assert_cmpuint (link.n_hosts, ==, 1);
    g_assert_cmpuint (link.n_lost, ==, 0);
    kill (crowd, SIGKILL);
    waitpid (crowd, NULL, 0);
    close (ready);
    g_source_remove (poll_timer);
    close_link (&link);
}

/* ---- another user of this host ---- */

#define NOBODY 65534

static gboolean
can_be_another (void)
{
    if (geteuid () != 0) {
        g_test_skip ("only root can try to be another user");
        return FALSE;
    }
    return TRUE;
}

/* Even where the folder has been opened to all: the kernel says who connects. */
static void
test_other_client (void)
{
    Link link;
    if (!can_be_another ()) {
        return;
    }
    open_link (&link);
    const char *path = get_local (&link) + strlen ("ipc://");
    g_assert_true (g_str_has_prefix (path, link.folder));
    g_assert_true (g_chmod (link.folder, 0755) == 0 && g_chmod (path, 0777) == 0);
    pid_t pid = fork ();
    if (pid == 0) {
        char letter;
        struct sockaddr_un address = { .sun_family = AF_UNIX };
        int fd = socket (AF_UNIX, SOCK_STREAM, 0);
        g_strlcpy (address.sun_path, path, sizeof address.sun_path);
        _exit (setresuid (NOBODY, NOBODY, NOBODY) == 0
                       && connect (fd, (struct sockaddr *) &address, sizeof address) == 0
                       && read (fd, &letter, 1) <= 0
                   ? 0
                   : 1);
    }
    int status = -1;
    guint poll_timer = g_timeout_add (10, on_poll, NULL);
    gboolean is_over = FALSE;
    WAIT (&link, (is_over = is_over || waitpid (pid, &status, WNOHANG) == pid));
    g_assert_cmpint (status, ==, 0); /* not a byte of the greeting */
    g_source_remove (poll_timer);
    link.leaf = make_leaf (&link, "session", "own");
    WAIT (&link, link.n_welcomes == 1);
    close_link (&link);
}

/* Nor does a daemon speak to whoever took the name. */
static void
test_other_server (void)
{
    int ends[2];
    char letter;
    if (!can_be_another ()) {
        return;
    }
    g_assert_cmpint (pipe (ends), ==, 0);
    g_autofree char *name = g_strdup_printf ("pddt-test-other-%d", (int) getpid ());
    g_autofree char *endpoint = g_strconcat ("ipc://@", name, NULL);
    pid_t pid = fork ();
    if (pid == 0) {
        struct sockaddr_un address = { .sun_family = AF_UNIX };
        socklen_t size = (socklen_t) (offsetof (struct sockaddr_un, sun_path) + 1
                                      + strlen (name));
        int fd = socket (AF_UNIX, SOCK_STREAM, 0);
        memcpy (address.sun_path + 1, name, strlen (name));
        g_assert_cmpint (setresuid (NOBODY, NOBODY, NOBODY), ==, 0);
        prctl (PR_SET_PDEATHSIG, SIGKILL);
        if (bind (fd, (struct sockaddr *) &address, size) == 0 && listen (fd, 4) == 0
            && write (ends[1], "G", 1) == 1) {
            pause ();
        }
        _exit (1);
    }
    g_assert_cmpint (read (ends[0], &letter, 1), ==, 1);
    g_assert_cmpint (net_address_connect (endpoint), ==, -1);
    kill (pid, SIGKILL);
    waitpid (pid, NULL, 0);
    close (ends[0]);
    close (ends[1]);
}

/* One with the right key that sends garbage neither stops nor confuses the others. */
static void
test_garbage (void)
{
    Link link;
    open_link (&link);
    void *context = zmq_ctx_new ();
    void *socket = make_stranger (context, &link, link.public_key, link.daemon_key,
                                  link.daemon_secret);
    WAIT (&link, link.n_hosts == 1);
    guint8 noise[64];
    for (guint i = 0; i < 200; i++) {
        for (gsize j = 0; j < sizeof noise; j++) {
            noise[j] = (guint8) g_test_rand_int_range (0, 256);
        }
        guint8 header[NET_HEADER_SIZE];
        net_packet_encode_header ((NetPacketType) (1 + i % (NET_N_TYPES - 1)), i + 2, 0,
                                  header);
        gboolean has_header = i % 3 != 0;
        zmq_send (socket, has_header ? header : noise, NET_HEADER_SIZE, ZMQ_SNDMORE);
        zmq_send (socket, noise, (gsize) g_test_rand_int_range (0, sizeof noise),
                  i % 7 == 0 ? ZMQ_SNDMORE : 0);
        if (i % 7 == 0) {
            zmq_send (socket, "", 0, 0);
        }
    }
    link.leaf = make_leaf (&link, "session", "good");
    WAIT (&link, link.n_welcomes == 1);
    g_autoptr (JobEvent) event = make_ranks_event (0, 0);
    net_leaf_send (link.leaf, event);
    WAIT (&link, link.events->len == 1);
    zmq_close (socket);
    zmq_ctx_term (context);
    close_link (&link);
}

/* While the front end does something else its end of the links lives on, and it can end then. */
static void
test_many_come_and_go (void)
{
    Link link;
    open_link (&link);
    const struct timeval limit = { .tv_sec = LIMIT_MS / 1000 };
    guint8 noise[64] = "no greeting of ours";
    for (guint i = 0; i < 1500; i++) { /* libzmq's own limit was at a thousand */
        int fd = net_address_connect (get_local (&link));
        g_assert_cmpint (fd, >=, 0);
        fcntl (fd, F_SETFL, 0);
        setsockopt (fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
        g_assert_cmpint (send (fd, noise, sizeof noise, MSG_NOSIGNAL), ==, sizeof noise);
        gssize n;
        while ((n = recv (fd, noise, 1, 0)) > 0) { /* its greeting */
        }
        g_assert_true (n == 0 || errno == ECONNRESET);
        close (fd);
    }
    close_link (&link);
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
    guint timer = g_timeout_add (LIMIT_MS, on_late, &late);
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
    g_test_add_func ("/link/busy", test_busy);
    g_test_add_func ("/link/selections", test_selections);
    g_test_add_func ("/link/inner-sets", test_inner_sets);
    g_test_add_func ("/link/speakers", test_speakers);
    g_test_add_func ("/link/many-files", test_many_files);
    g_test_add_func ("/link/wrong-session", test_wrong_session);
    g_test_add_func ("/link/front-end-gone", test_front_end_gone);
    g_test_add_func ("/link/daemon-killed", test_daemon_killed);
    g_test_add_func ("/link/strangers", test_strangers);
    g_test_add_func ("/link/crowd", test_crowd);
    g_test_add_func ("/link/other-client", test_other_client);
    g_test_add_func ("/link/other-server", test_other_server);
    g_test_add_func ("/link/garbage", test_garbage);
    g_test_add_func ("/link/many-come-and-go", test_many_come_and_go);
    g_test_add_func ("/packet/decode", test_decode);
    g_test_add_func ("/beat/within-the-wait", test_beat);
    g_test_add_func ("/liveness/limits", test_liveness);
    return g_test_run ();
}
