/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tree over real daemons with fake ranks: it forms, merges, and survives an inner node that
 * is killed or stopped during a motion. A fake rank counts its steps in its line, which shows
 * what was done twice or not at all. */
#include "launch/hand-over.h"
#include "net/root-private.h"
#include "session/backend/tree-private.h"
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define N_DAEMONS 68
#define EACH 3
#define SIZE (N_DAEMONS * EACH)
#define LIMIT_MS 120000
#define FIRST_LINE 10
#define APART 40 /* lines that ranks apart are further */

static const char *program;

typedef struct {
    Session *session;
    pid_t pids[N_DAEMONS];
    char *folder;
    guint64 finished; /* the last request that did */
    JobRankSet *missing;
    gboolean late;
} Tree;

static void
on_finished (Session *session, guint64 id, gboolean ok, JobRankSet *missing, Tree *tree)
{
    tree->finished = id;
    job_rank_set_free (tree->missing);
    tree->missing = job_rank_set_dup (missing);
}

static gboolean
on_late (gpointer user)
{
    *(gboolean *) user = TRUE;
    return G_SOURCE_REMOVE;
}

#define WAIT(tree, condition)                                                                  \
    do {                                                                                       \
        (tree)->late = FALSE;                                                                  \
        guint timer = g_timeout_add (LIMIT_MS, on_late, &(tree)->late);                        \
        while (!(condition) && !(tree)->late) {                                                \
            g_main_context_iteration (NULL, TRUE);                                             \
        }                                                                                      \
        if (!(tree)->late) {                                                                   \
            g_source_remove (timer);                                                           \
        }                                                                                      \
        g_assert_true (condition);                                                             \
    } while (0)

static void
start_daemon (Tree *tree, guint index)
{
    g_autofree char *host = g_strdup_printf ("%s/%u", tree->folder, index);
    g_autofree char *ranks = g_strdup_printf ("%u %u %u 7", EACH, index * EACH, SIZE);
    char *argv[] = { (char *) program,
                     session_tree_get (tree->session)->launch_session->directory, host, NULL };

    g_mkdir_with_parents (host, 0700);
    g_setenv ("PDDT_SCALE", ranks, TRUE);
    g_assert_cmpint (posix_spawn (&tree->pids[index], program, NULL, NULL, argv, environ), ==,
                     0);
}

static guint
count_on_tree (const Tree *tree)
{
    const NetRoot *root = session_tree_get (tree->session)->net;
    guint n = 0;

    for (guint i = 0; i < root->hosts->len; i++) {
        n += ((const NetHost *) root->hosts->pdata[i])->is_on_tree;
    }
    return n;
}

static guint64
count_packets (const Tree *tree)
{
    const NetRoot *root = session_tree_get (tree->session)->net;
    guint64 n = 0;

    for (guint i = 0; i < root->hosts->len; i++) {
        n += ((const NetHost *) root->hosts->pdata[i])->received;
    }
    return n;
}

static pid_t
get_pid (const NetHost *host)
{
    gsize size;
    g_autofree char *name = g_strndup (g_bytes_get_data (host->routing, &size),
                                       g_bytes_get_size (host->routing));

    return atoi (strchr (name, '/') + 1);
}

static JobRankSet *
dup_ranks_of (const Tree *tree, const NetHost *host)
{
    g_autoptr (JobRankSet) slots = job_rank_set_dup (host->speaker.reported);

    return session_slots_to_ranks (tree->session, slots);
}

/* Ranks that stand at so manyth a line. */
static guint
count_at (const Tree *tree, guint32 line)
{
    guint n = 0;

    for (guint32 rank = 0; rank < SIZE; rank++) {
        const JobLocation *place = session_ranks_get_fact (tree->session, rank)->place;
        gboolean is_stopped = tree->session->ranks->states[rank] == JOB_STATE_STOPPED;

        n += is_stopped && place != NULL
             && (place->line == line || place->line == line + APART);
    }
    return n;
}

static guint64
ask (Tree *tree, JobVerb verb)
{
    g_autoptr (JobRankSet) all = session_dup_all (tree->session);

    return session_submit (tree->session, job_request_new (verb, all));
}

static void
open_tree (Tree *tree)
{
    g_autoptr (GError) error = NULL;

    *tree = (Tree){ .session = session_new () };
    tree->folder = g_dir_make_tmp ("pddt-tree-XXXXXX", NULL);
    tree->session->life->started = TRUE;
    session_set_deadlines (tree->session, 30000, 30000);
    g_assert_true (session_tree_open_net (tree->session, &error));
    g_signal_connect (tree->session, "finished", G_CALLBACK (on_finished), tree);
    session_submit (tree->session, job_request_new (JOB_VERB_START, NULL));
    for (guint i = 0; i < N_DAEMONS; i++) {
        start_daemon (tree, i);
    }
    WAIT (tree, tree->session->ranks->n_arrived == SIZE && count_on_tree (tree) == N_DAEMONS);
}

static void
close_tree (Tree *tree)
{
    tree->session->life->ending = TRUE;
    net_root_end (session_tree_get (tree->session)->net);
    for (guint i = 0; i < N_DAEMONS; i++) {
        gint64 end = g_get_monotonic_time () + LIMIT_MS * 1000;
        pid_t pid;

        while ((pid = waitpid (tree->pids[i], NULL, WNOHANG)) == 0
               && g_get_monotonic_time () < end) {
            g_main_context_iteration (NULL, FALSE);
            g_usleep (1000);
        }
        g_assert_cmpint (pid, ==, tree->pids[i]); /* END ends each */
        g_autofree char *host = g_strdup_printf ("%s/%u", tree->folder, i);
        launch_host_directory_remove (host);
    }
    rmdir (tree->folder);
    g_object_unref (tree->session);
    job_rank_set_free (tree->missing);
    g_free (tree->folder);
}

static NetHost *
find_leader (const Tree *tree, guint group)
{
    NetRoot *root = session_tree_get (tree->session)->net;

    g_assert_cmpuint (group, <, root->groups->len);
    NetHost *leader = ((NetGroup *) root->groups->pdata[group])->leader;
    g_assert_nonnull (leader);
    return leader;
}

/* The answers of 68 hosts come in few packets. Signs of life are packets too, so not in each round. */
static void
check_combining (Tree *tree, const JobRankSet *lost)
{
    guint64 least = G_MAXUINT64;

    for (guint i = 0; i < 4; i++) {
        guint64 before = count_packets (tree), id = ask (tree, JOB_VERB_STATE);

        WAIT (tree, tree->finished == id);
        g_assert_true (job_rank_set_equal (tree->missing, lost));
        least = MIN (least, count_packets (tree) - before);
    }
    g_assert_cmpuint (least, <=, 20);
}

static void
check_step (Tree *tree, guint32 line)
{
    guint64 id = ask (tree, JOB_VERB_STEP);

    WAIT (tree, tree->finished == id && count_at (tree, line) == SIZE);
    g_assert_true (job_rank_set_is_empty (tree->missing));
}

/* All but the node's own ranks move once, and a query that follows has all of them. */
static JobRankSet *
check_killed (Tree *tree, guint32 line)
{
    NetHost *leader = find_leader (tree, 1);
    JobRankSet *own = dup_ranks_of (tree, leader);
    guint64 id = ask (tree, JOB_VERB_STEP);

    g_assert_cmpuint (job_rank_set_get_count (own), ==, EACH);
    kill (get_pid (leader), SIGKILL);
    WAIT (tree, tree->finished == id && count_at (tree, line) >= SIZE - EACH
                    && tree->session->ranks->counts[JOB_STATE_LOST] == EACH);
    g_assert_true (job_rank_set_is_subset (tree->missing, own));
    id = ask (tree, JOB_VERB_STATE);
    WAIT (tree, tree->finished == id && count_at (tree, line) == SIZE - EACH);
    g_assert_true (job_rank_set_is_subset (tree->missing, own));
    WAIT (tree, count_on_tree (tree) == N_DAEMONS - 1); /* the group has another inner node */
    return own;
}

/* A node that stands still holds nobody up for long, and wakes up into an older epoch. */
static void
check_stopped (Tree *tree, guint32 line, const JobRankSet *lost)
{
    NetHost *leader = find_leader (tree, 0);
    pid_t pid = get_pid (leader);
    guint64 id;

    kill (pid, SIGSTOP);
    id = ask (tree, JOB_VERB_STEP);
    WAIT (tree, count_at (tree, line) == SIZE - 2 * EACH);
    kill (pid, SIGCONT);
    WAIT (tree, tree->finished == id && count_at (tree, line) == SIZE - EACH);
    WAIT (tree, count_on_tree (tree) == N_DAEMONS - 1);
    check_combining (tree, lost);
    g_assert_cmpuint (count_at (tree, line), ==, SIZE - EACH);
}

static void
test_tree (void)
{
    Tree tree;
    g_autoptr (JobRankSet) nobody = job_rank_set_new ();
    g_autoptr (JobRankSet) lost = NULL;

    open_tree (&tree);
    check_combining (&tree, nobody);
    check_step (&tree, FIRST_LINE + 1);
    lost = check_killed (&tree, FIRST_LINE + 2);
    check_stopped (&tree, FIRST_LINE + 3, lost);
    close_tree (&tree);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_assert_cmpint (argc, ==, 2);
    program = argv[1];
    g_test_add_func ("/tree/nodes-lost", test_tree);
    return g_test_run ();
}
