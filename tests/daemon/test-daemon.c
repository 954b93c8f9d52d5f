/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From the command line to a rank's end through all of pddt's programs, and the effects of each
 * dying. The daemon's engine is a test double that really traces. */
#include "launch/hand-over.h"
#include "launch/launch.h"
#include "launch/reach-private.h"
#include "base/trap-table.h"
#include "net/link.h"
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define LIMIT_MS 120000

typedef struct {
    LaunchSession *session;
    NetRoot *root;
    LaunchJob *job;
    GString *output[3]; /* by stream, "RANK|text" pieces; [0] unused */
    guint32 ranks_of_output;
    GArray *pids; /* of ranks */
    guint n_stopped, n_exited, n_failed;
    guint n_logs;
    char *failure, *notice;
    gboolean ended, host_gone;
    int status;
    gboolean late;
} Bench;

static void
on_events (NetRoot *root, GPtrArray *events, gpointer user)
{
    Bench *bench = user;
    for (guint i = 0; i < events->len; i++) {
        JobEvent *event = events->pdata[i];
        guint n = job_rank_set_get_count (event->ranks);
        if (event->kind == JOB_EVENT_STATE) {
            bench->n_stopped += event->state == JOB_STATE_STOPPED ? n : 0;
            bench->n_exited += event->state == JOB_STATE_EXITED ? n : 0;
            bench->n_failed += event->state == JOB_STATE_FAILED ? n : 0;
        } else if (event->kind == JOB_EVENT_LOG) {
            bench->n_logs++;
        } else if (event->kind == JOB_EVENT_NOTICE) {
            g_free (bench->notice);
            bench->notice = g_strdup (event->text);
        } else if (event->kind == JOB_EVENT_FAILURE) {
            g_free (bench->failure);
            bench->failure = g_strdup (event->text);
        }
        for (guint j = 0; event->kind == JOB_EVENT_RANKS && j < event->processes->len; j++) {
            const JobProcess *process = JOB_PROCESS (event->processes, j);
            g_array_append_val (bench->pids, process->pid);
        }
    }
}

static void
on_liveness (NetRoot *root, guint host, const char *what, gpointer user)
{
    Bench *bench = user;
    bench->host_gone |= strcmp (what, "bye") == 0 || strcmp (what, "closed") == 0;
}

static void
on_output (LaunchJob *job, guint32 rank, int stream, GBytes *text, gpointer user)
{
    Bench *bench = user;
    gsize size;
    const char *data = g_bytes_get_data (text, &size);
    if (rank == G_MAXUINT32) {
        g_string_append (bench->output[stream], "job|");
    } else {
        g_string_append_printf (bench->output[stream], "%u|", rank);
    }
    g_string_append_len (bench->output[stream], data, (gssize) size);
}

static void
on_ended (LaunchJob *job, int status, gpointer user)
{
    Bench *bench = user;
    bench->ended = TRUE;
    bench->status = status;
}

static gboolean
on_late (gpointer user)
{
    *(gboolean *) user = TRUE;
    return G_SOURCE_REMOVE;
}

#define WAIT(bench, condition)                                                                 \
    do {                                                                                       \
        (bench)->late = FALSE;                                                                 \
        guint timer = g_timeout_add (LIMIT_MS, on_late, &(bench)->late);                       \
        while (!(condition) && !(bench)->late) {                                               \
            g_main_context_iteration (NULL, TRUE);                                             \
        }                                                                                      \
        if (!(bench)->late) {                                                                  \
            g_source_remove (timer);                                                           \
        }                                                                                      \
        g_assert_true (condition);                                                             \
    } while (0)

static gboolean
on_poll (gpointer user)
{
    return G_SOURCE_CONTINUE;
}

/* Facts that no event tells of: looked at every 10 ms. */
#define WAIT_OUTSIDE(bench, condition)                                                         \
    do {                                                                                       \
        guint poll_timer = g_timeout_add (10, on_poll, NULL);                                  \
        WAIT (bench, condition);                                                               \
        g_source_remove (poll_timer);                                                          \
    } while (0)

static void
bench_open (Bench *bench)
{
    static const NetRootHandler handler = { NULL, on_events, on_liveness };
    char public_key[41], secret_key[41], daemon_key[41], daemon_secret[41];
    const NetRootKeys keys = { public_key, secret_key, daemon_key };
    g_autoptr (GError) error = NULL;
    *bench = (Bench){ 0 };
    bench->output[1] = g_string_new (NULL);
    bench->output[2] = g_string_new (NULL);
    bench->pids = g_array_new (FALSE, FALSE, sizeof (gint32));
    g_assert_true (net_make_keys (public_key, secret_key, &error));
    g_assert_true (net_make_keys (daemon_key, daemon_secret, &error));
    bench->session = launch_session_new (public_key, daemon_key, daemon_secret, &error);
    g_assert_no_error (error);
    bench->root = net_root_new (bench->session->id, bench->session->directory, &keys, &handler,
                                bench, &error);
    g_assert_no_error (error);
    g_assert_true (launch_session_publish (bench->session, net_root_get_endpoint (bench->root),
                                           &error));
}

static char *
host_directory (Bench *bench)
{
    return g_strdup_printf ("%s/pddt-%u-%.24s-%s", g_get_tmp_dir (), (guint) getuid (),
                            g_get_host_name (), bench->session->id);
}

static void
bench_start (Bench *bench, const char *const *argv, const char *input, const char *stop_at)
{
    g_autoptr (GError) error = NULL;
    if (stop_at) {
        g_autoptr (JobRequest) start = job_request_new (JOB_VERB_START, NULL);
        start->id = 1;
        start->text = g_strdup (stop_at);
        net_root_send (bench->root, start);
    }
    LaunchLine *line = launch_line_new (argv, bench->session, input, &error);
    g_assert_no_error (error);
    bench->job = launch_job_start (line, NULL, NULL, on_output, on_ended, bench, &error);
    g_assert_no_error (error);
    launch_line_free (line);
}

static void
bench_continue (Bench *bench)
{
    g_autoptr (JobRankSet) all = job_rank_set_new_range (0, 65536);
    g_autoptr (JobRequest) request = job_request_new (JOB_VERB_CONTINUE, all);
    request->id = 2;
    net_root_send (bench->root, request);
}

static gboolean
is_dead (pid_t pid)
{
    g_autofree char *path = g_strdup_printf ("/proc/%d/stat", (int) pid);
    g_autofree char *text = NULL;
    if (!g_file_get_contents (path, &text, NULL, NULL)) {
        return TRUE;
    }
    char *state = strrchr (text, ')');
    return state && (state[2] == 'Z' || state[2] == 'X');
}

static gboolean
all_dead (Bench *bench)
{
    for (guint i = 0; i < bench->pids->len; i++) {
        if (!is_dead (g_array_index (bench->pids, gint32, i))) {
            return FALSE;
        }
    }
    return TRUE;
}

static void
bench_close (Bench *bench)
{
    g_autofree char *directory = host_directory (bench);
    net_root_end (bench->root);
    WAIT_OUTSIDE (bench, !g_file_test (directory, G_FILE_TEST_EXISTS));
    g_assert_true (all_dead (bench));
    launch_job_free (bench->job);
    net_root_free (bench->root);
    launch_session_remove (bench->session);
    g_string_free (bench->output[1], TRUE);
    g_string_free (bench->output[2], TRUE);
    g_array_unref (bench->pids);
    g_free (bench->failure);
    g_free (bench->notice);
}

static void
test_plain (void)
{
    Bench bench;
    bench_open (&bench);
    const char *argv[] = { "/bin/sh", "-c", "echo out; echo err >&2; exit 3", NULL };
    bench_start (&bench, argv, NULL, NULL);
    WAIT (&bench, bench.n_stopped == 1);
    g_assert_cmpstr (bench.output[1]->str, ==, "");
    bench_continue (&bench);
    WAIT (&bench, bench.ended && bench.n_failed == 1);
    g_assert_cmpint (WEXITSTATUS (bench.status), ==, 3);
    g_assert_cmpstr (bench.output[1]->str, ==, "0|out\n");
    g_assert_cmpstr (bench.output[2]->str, ==, "0|err\n");
    bench_close (&bench);
}

/* The rank sees no descriptor, variable, mask or child of ours. */
static void
test_pristine (void)
{
    Bench bench;
    bench_open (&bench);
    const char *argv[]
        = { "/bin/sh", "-c",
            "read c < /proc/$$/task/$$/children; f=$(ls /proc/self/fd | wc -l); "
            "e=$(env | grep -c PDDT); s=$(sed -n 's/SigBlk:.//p' /proc/self/status); "
            "echo $f $e $s \"$c\"",
            NULL };
    bench_start (&bench, argv, NULL, "none");
    WAIT (&bench, bench.ended);
    g_assert_cmpstr (bench.output[1]->str, ==, "0|4 0 0000000000000000 \n");
    bench_close (&bench);
}

static void
test_input (void)
{
    Bench bench;
    bench_open (&bench);
    const char *argv[] = { "cat", NULL };
    bench_start (&bench, argv, "0", "none");
    WAIT (&bench, bench.pids->len == 1);
    g_autoptr (JobRankSet) all = job_rank_set_new_range (0, 1);
    g_autoptr (JobRequest) request = job_request_new (JOB_VERB_INPUT, all);
    request->id = 3;
    request->text = g_strdup ("hello\n");
    net_root_send (bench.root, request);
    WAIT (&bench, bench.ended);
    g_assert_cmpstr (bench.output[1]->str, ==, "0|hello\n");
    bench_close (&bench);
}

/* Lines of logpoints that come faster than the front end takes them are counted, and nothing else is lost. */
static void
test_flood (void)
{
    const guint n = 30000;
    const char *argv[] = { "/bin/true", NULL };
    Bench bench;
    bench_open (&bench);
    bench_start (&bench, argv, NULL, NULL);
    WAIT (&bench, bench.n_stopped == 1);
    g_autoptr (JobRankSet) all = job_rank_set_new_range (0, 1);
    g_autoptr (JobRequest) request = job_request_new (JOB_VERB_PRINTF, all);
    request->id = 1;
    request->number = n;
    net_root_send (bench.root, request);
    WAIT (&bench, bench.notice != NULL);
    g_assert_nonnull (strstr (bench.notice, " lines of logpoints on host "));
    g_assert_cmpuint (bench.n_logs, >, 1000);
    g_assert_cmpuint (bench.n_logs + (guint) atoi (bench.notice), ==, n);
    bench_continue (&bench);
    WAIT (&bench, bench.ended && bench.n_exited == 1);
    bench_close (&bench);
}

static void
test_launcher_input (void)
{
    Bench bench;
    bench_open (&bench);
    const char *argv[] = { "cat", NULL };
    bench_start (&bench, argv, NULL, "none");
    g_assert_true (launch_job_write_input (bench.job, "hello\n", 6, TRUE, NULL));
    WAIT (&bench, bench.ended);
    g_assert_cmpstr (bench.output[1]->str, ==, "0|hello\n");
    bench_close (&bench);
}

static void
test_mpirun (void)
{
    Bench bench;
    bench_open (&bench);
    const char *argv[]
        = { "mpirun", "-np", "2", "sh", "-c", "echo $OMPI_COMM_WORLD_RANK", NULL };
    bench_start (&bench, argv, NULL, NULL);
    WAIT (&bench, bench.n_stopped == 2);
    bench_continue (&bench);
    WAIT (&bench, bench.ended && bench.n_exited == 2);
    g_assert_cmpint (bench.status, ==, 0);
    g_assert_nonnull (strstr (bench.output[1]->str, "0|0\n"));
    g_assert_nonnull (strstr (bench.output[1]->str, "1|1\n"));
    bench_close (&bench);
}

static void
test_refused (void)
{
    Bench bench;
    bench_open (&bench);
    g_setenv ("PDDT_TEST_FORBID", "1", TRUE);
    const char *argv[] = { "/bin/echo", "never", NULL };
    bench_start (&bench, argv, NULL, NULL);
    WAIT (&bench, bench.ended && bench.failure);
    g_unsetenv ("PDDT_TEST_FORBID");
    g_assert_cmpint (WEXITSTATUS (bench.status), ==, 126);
    g_assert_nonnull (strstr (bench.failure, "cannot debug rank 0: cannot attach"));
    g_assert_nonnull (strstr (bench.output[2]->str, "the double forbids it"));
    g_assert_cmpstr (bench.output[1]->str, ==, "");
    bench_close (&bench);
}

static pid_t
find_parent (pid_t pid)
{
    g_autofree char *path = g_strdup_printf ("/proc/%d/stat", (int) pid);
    g_autofree char *text = NULL;
    int parent = 0;
    if (g_file_get_contents (path, &text, NULL, NULL)) {
        sscanf (strrchr (text, ')') + 1, " %*c %d", &parent);
    }
    return parent;
}

static pid_t
find_tracer (pid_t pid)
{
    g_autofree char *path = g_strdup_printf ("/proc/%d/status", (int) pid);
    g_autofree char *text = NULL;
    char *line = g_file_get_contents (path, &text, NULL, NULL) ? strstr (text, "TracerPid:")
                                                               : NULL;
    return line ? atoi (line + strlen ("TracerPid:")) : 0;
}

static const char *const sleepers[] = { "mpirun", "-np", "2", "sleep", "600", NULL };

static void
test_daemon_killed (void)
{
    Bench bench;
    bench_open (&bench);
    bench_start (&bench, sleepers, NULL, NULL);
    WAIT (&bench, bench.n_stopped == 2);
    pid_t daemon = find_tracer (g_array_index (bench.pids, gint32, 0));
    pid_t guard = find_parent (daemon);
    g_assert_cmpint (daemon, >, 1);
    kill (daemon, SIGKILL);
    WAIT (&bench, bench.host_gone && bench.ended);
    WAIT_OUTSIDE (&bench, all_dead (&bench) && is_dead (guard));
    bench_close (&bench);
}

/* A byte that looks planted, in a process that is only attached to and outlives the tracer. */
static volatile guint8 planted = 0xcc;

static void
plant (const char *directory, pid_t pid, guint8 original)
{
    g_autofree char *path = g_build_filename (directory, "traps", NULL);
    int fd = open (path, O_RDWR | O_CLOEXEC);
    BaseTrapTable head;
    BaseTrap trap = {
        .pid = (guint32) pid, .used = 1, .address = (gsize) &planted, .original = { original }
    };
    g_assert_cmpint (pread (fd, &head, sizeof head, 0), ==, sizeof head);
    g_assert_cmpuint (head.magic, ==, BASE_TRAP_TABLE_MAGIC);
    g_assert_cmpuint (head.capacity, ==, BASE_TRAP_TABLE_CAPACITY);
    g_assert_cmpint (pwrite (fd, &trap, sizeof trap, sizeof head + 5 * sizeof trap), ==,
                     sizeof trap);
    close (fd);
}

static guint8
read_planted (pid_t pid)
{
    g_autofree char *path = g_strdup_printf ("/proc/%d/mem", (int) pid);
    int fd = open (path, O_RDONLY | O_CLOEXEC);
    guint8 byte = 0;
    g_assert_cmpint (pread (fd, &byte, 1, (off_t) (gsize) &planted), ==, 1);
    close (fd);
    return byte;
}

static void
test_bytes_restored (void)
{
    Bench bench;
    bench_open (&bench);
    pid_t survivor = fork ();
    if (survivor == 0) {
        prctl (PR_SET_PDEATHSIG, SIGKILL);
        for (;;) {
            pause ();
        }
    }
    const char *argv[] = { "sleep", "600", NULL };
    bench_start (&bench, argv, NULL, NULL);
    WAIT (&bench, bench.n_stopped == 1);
    g_autofree char *directory = host_directory (&bench);
    plant (directory, survivor, 0x55);
    kill (find_tracer (g_array_index (bench.pids, gint32, 0)), SIGKILL);
    WAIT_OUTSIDE (&bench, read_planted (survivor) == 0x55);
    kill (survivor, SIGKILL);
    waitpid (survivor, NULL, 0);
    WAIT (&bench, bench.ended);
    bench_close (&bench);
}

static void
test_launcher_killed (void)
{
    Bench bench;
    bench_open (&bench);
    bench_start (&bench, sleepers, NULL, "none");
    WAIT (&bench, bench.pids->len == 2);
    kill (launch_job_get_pid (bench.job), SIGKILL);
    WAIT (&bench, bench.ended);
    g_assert_true (WIFSIGNALED (bench.status) && WTERMSIG (bench.status) == SIGKILL);
    net_root_end (bench.root);
    WAIT_OUTSIDE (&bench, all_dead (&bench));
    bench_close (&bench);
}

static void
test_ended (void)
{
    Bench bench;
    bench_open (&bench);
    bench_start (&bench, sleepers, NULL, NULL);
    WAIT (&bench, bench.n_stopped == 2);
    launch_job_end (bench.job);
    WAIT (&bench, bench.ended);
    WAIT_OUTSIDE (&bench, all_dead (&bench));
    bench_close (&bench);
}

/* A second front end, which dies; this process only looks at what it leaves. */
static void
test_front_end_killed (void)
{
    g_autofree char *self = g_file_read_link ("/proc/self/exe", NULL);
    const char *argv[] = { self, "--front-end", NULL };
    GPid child;
    int output;
    g_assert_true (g_spawn_async_with_pipes (NULL, (char **) argv, NULL,
                                             G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL, &child,
                                             NULL, &output, NULL, NULL));
    char text[4096] = "";
    gsize size = 0;
    gssize n;
    while (!memchr (text, '\n', size)
           && (n = read (output, text + size, sizeof text - 1 - size)) > 0) {
        size += (gsize) n;
    }
    int ranks[2], launcher, daemon;
    char directory[1024], session[1024];
    g_assert_cmpint (sscanf (text, "%d %d %d %d %1000s %1000s", &ranks[0], &ranks[1], &launcher,
                             &daemon, directory, session),
                     ==, 6);
    kill (child, SIGKILL);
    waitpid (child, NULL, 0);
    Bench bench = { 0 };
    WAIT_OUTSIDE (&bench, is_dead (ranks[0]) && is_dead (ranks[1]) && is_dead (launcher)
                              && is_dead (daemon)
                              && !g_file_test (directory, G_FILE_TEST_EXISTS)
                              && !g_file_test (session, G_FILE_TEST_EXISTS));
    close (output);
}

/* With "keep" the front end goes and the job runs on, its output too. */
static void
test_kept (void)
{
    g_autofree char *self = g_file_read_link ("/proc/self/exe", NULL);
    const char *argv[] = { self, "--keeper", NULL };
    g_autofree char *output = NULL;
    g_autofree char *errors = NULL;
    int status;
    g_assert_true (g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_DEFAULT, NULL, NULL,
                                 &output, &errors, &status, NULL));
    g_assert_cmpint (status, ==, 0);
    g_assert_cmpstr (output, ==, "after the front end\n");
}

/* The launched program waits until its front end, whose pid it is given, is gone. */
static int
run_keeper (void)
{
    Bench bench;
    bench_open (&bench);
    g_autofree char *script
        = g_strdup_printf ("while [ -e /proc/%d/exe ]; do :; done; echo after the front end",
                           (int) getpid ());
    const char *argv[] = { "sh", "-c", script, NULL };
    LaunchLine line = { .final_argv = (char **) argv };
    g_autoptr (GError) error = NULL;
    bench.job = launch_job_start (&line, NULL, NULL, on_output, on_ended, &bench, &error);
    launch_job_keep (bench.job);
    launch_session_remove (bench.session);
    return error != NULL;
}

static int
run_front_end (void)
{
    Bench bench;
    prctl (PR_SET_PDEATHSIG, SIGKILL);
    bench_open (&bench);
    bench_start (&bench, sleepers, NULL, NULL);
    WAIT (&bench, bench.n_stopped == 2);
    g_autofree char *directory = host_directory (&bench);
    gint32 first = g_array_index (bench.pids, gint32, 0);
    g_print ("%d %d %d %d %s %s\n", first, g_array_index (bench.pids, gint32, 1),
             (int) launch_job_get_pid (bench.job), (int) find_tracer (first), directory,
             bench.session->directory);
    WAIT (&bench, FALSE);
    return 1;
}

/* Many shims at once without a launcher: one daemon takes them all. */
static void
test_race (void)
{
    Bench bench;
    g_autoptr (GError) error = NULL;
    bench_open (&bench);
    g_autofree char *shim = launch_find_program ("pddt-start", &error);
    g_assert_no_error (error);
    const char *argv[] = { shim,  "--session", bench.session->directory, "--", "sleep",
                           "600", NULL };
    GPid children[8];
    for (guint i = 0; i < G_N_ELEMENTS (children); i++) {
        g_assert_true (g_spawn_async (NULL, (char **) argv, NULL, G_SPAWN_DO_NOT_REAP_CHILD,
                                      NULL, NULL, &children[i], &error));
    }
    WAIT (&bench, bench.n_stopped == G_N_ELEMENTS (children));
    pid_t daemon = find_tracer (children[0]);
    for (guint i = 0; i < G_N_ELEMENTS (children); i++) {
        g_assert_cmpint (find_tracer (children[i]), ==, daemon);
    }
    net_root_end (bench.root);
    for (guint i = 0; i < G_N_ELEMENTS (children); i++) {
        g_assert_cmpint (waitpid (children[i], NULL, 0), ==, children[i]);
    }
    bench_close (&bench);
}

/* While ranks stop without end, the next rank is taken, requests are answered, and events are sent. */
static void
test_storm (void)
{
    Bench bench;
    g_autoptr (GError) error = NULL;
    bench_open (&bench);
    g_setenv ("PDDT_TEST_STORM", "1", TRUE);
    g_autofree char *shim = launch_find_program ("pddt-start", &error);
    g_assert_no_error (error);
    const char *argv[]
        = { shim, "--session", bench.session->directory, "--", "/bin/true", NULL };
    GPid children[2];
    for (guint i = 0; i < G_N_ELEMENTS (children); i++) {
        g_assert_true (g_spawn_async (NULL, (char **) argv, NULL, G_SPAWN_DO_NOT_REAP_CHILD,
                                      NULL, NULL, &children[i], &error));
        WAIT (&bench, bench.n_stopped == i + 1 && bench.n_logs >= 100 * (i + 1));
    }
    g_unsetenv ("PDDT_TEST_STORM");
    bench_continue (&bench);
    WAIT (&bench, bench.n_exited == G_N_ELEMENTS (children));
    for (guint i = 0; i < G_N_ELEMENTS (children); i++) {
        g_assert_cmpint (waitpid (children[i], NULL, 0), ==, children[i]);
    }
    bench_close (&bench);
}

/* Some connect to the daemon and say nothing: it waits for none of them, which would take eight minutes. */
static void
test_silent (void)
{
    const char *argv[] = { "/bin/true", NULL };
    g_autoptr (GError) error = NULL;
    int silent[8];
    Bench bench;
    bench_open (&bench);
    for (guint i = 0; i < G_N_ELEMENTS (silent); i++) {
        silent[i] = launch_reach_daemon (bench.session->directory, &error);
        g_assert_no_error (error);
    }
    bench_start (&bench, argv, NULL, NULL);
    WAIT (&bench, bench.n_stopped == 1);
    bench_continue (&bench);
    WAIT (&bench, bench.ended && bench.n_exited == 1);
    for (guint i = 0; i < G_N_ELEMENTS (silent); i++) {
        close (silent[i]);
    }
    bench_close (&bench);
}

/* A session that is over does not keep programs from running. */
static void
test_session_over (void)
{
    g_autoptr (GError) error = NULL;
    g_autofree char *shim = launch_find_program ("pddt-start", &error);
    const char *argv[] = { shim, "--session", "/nonexistent/0123", "--", "echo", "hi", NULL };
    g_autofree char *output = NULL;
    int status;
    g_assert_true (g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_DEFAULT, NULL, NULL,
                                 &output, NULL, &status, &error));
    g_assert_cmpstr (output, ==, "hi\n");
    const char *missing[] = { shim, "--", "/nonexistent/program", NULL };
    g_autofree char *errors = NULL;
    g_assert_true (g_spawn_sync (NULL, (char **) missing, NULL, G_SPAWN_DEFAULT, NULL, NULL,
                                 NULL, &errors, &status, &error));
    g_assert_cmpint (WEXITSTATUS (status), ==, 127);
    g_assert_cmpstr (errors, ==, "pddt: cannot start /nonexistent/program: no such file\n");
}

int
main (int argc, char **argv)
{
    g_setenv ("OMPI_ALLOW_RUN_AS_ROOT", "1", TRUE);
    g_setenv ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", TRUE);
    g_setenv ("OMPI_MCA_rmaps_base_oversubscribe", "1", TRUE);
    g_setenv ("PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe", TRUE);
    if (argc == 2 && strcmp (argv[1], "--front-end") == 0) {
        return run_front_end ();
    }
    if (argc == 2 && strcmp (argv[1], "--keeper") == 0) {
        return run_keeper ();
    }
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/daemon/plain", test_plain);
    g_test_add_func ("/daemon/pristine", test_pristine);
    g_test_add_func ("/daemon/input", test_input);
    g_test_add_func ("/daemon/flood", test_flood);
    g_test_add_func ("/daemon/launcher-input", test_launcher_input);
    g_test_add_func ("/daemon/mpirun", test_mpirun);
    g_test_add_func ("/daemon/refused", test_refused);
    g_test_add_func ("/daemon/race", test_race);
    g_test_add_func ("/daemon/storm", test_storm);
    g_test_add_func ("/daemon/silent", test_silent);
    g_test_add_func ("/daemon/session-over", test_session_over);
    g_test_add_func ("/daemon/ended", test_ended);
    g_test_add_func ("/daemon/launcher-killed", test_launcher_killed);
    g_test_add_func ("/daemon/daemon-killed", test_daemon_killed);
    g_test_add_func ("/daemon/bytes-restored", test_bytes_restored);
    g_test_add_func ("/daemon/kept", test_kept);
    g_test_add_func ("/daemon/front-end-killed", test_front_end_killed);
    return g_test_run ();
}
