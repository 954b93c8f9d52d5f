/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Real pddtd programs with made-up ranks, and the front end's whole session over them: start, state
 * query, merged stacks, a step, memory and idling. What is missing is ptrace and a network. */
#include "session/private.h"
#include "launch/hand-over.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define IDLE_S 10

typedef struct {
    Session *session;
    guint n_daemons;
    pid_t *pids;
    char *folder;
    guint64 waited;
    gboolean finished;
} Scale;

static void
on_finished (Session *session, guint64 id, gboolean ok, JobRankSet *missing, Scale *scale)
{
    if (id == scale->waited) {
        scale->finished = TRUE;
        if (!job_rank_set_is_empty (missing)) {
            printf ("%u ranks did not answer\n", job_rank_set_get_count (missing));
        }
    }
}

static double
to_ms (gint64 from_us)
{
    return (double) (g_get_monotonic_time () - from_us) / 1000;
}

static void
start_daemon (Scale *scale, guint index, guint32 n_ranks, guint32 size, const char *program)
{
    g_autofree char *host = g_strdup_printf ("%s/%u", scale->folder, index);
    g_autofree char *ranks = g_strdup_printf ("%u", n_ranks), *total = g_strdup_printf ("%u", size);
    g_autofree char *first = g_strdup_printf ("%u", index * n_ranks);
    const char *session = scale->session->launch_session->directory;

    g_mkdir_with_parents (host, 0700);
    scale->pids[index] = fork ();
    if (scale->pids[index] == 0) {
        execl (program, program, session, host, "--backend=fake", "--fake-ranks", ranks, "--fake-first",
               first, "--fake-size", total, "--seed", "7", NULL);
        _exit (127);
    }
}

static gboolean
is_there (Session *session, guint32 size)
{
    return session->size == size && session->n_reported == size && session->n_arrived == size;
}

static double
ask_once (Scale *scale, JobVerb verb)
{
    g_autoptr (JobRankSet) all = session_dup_all (scale->session);
    gint64 begin_us = g_get_monotonic_time ();

    scale->finished = FALSE;
    scale->waited = session_get_next_request (scale->session);
    session_submit (scale->session, job_request_new (verb, all));
    while (!scale->finished) {
        g_main_context_iteration (NULL, TRUE);
    }
    return to_ms (begin_us);
}

static int
compare_doubles (gconstpointer a, gconstpointer b)
{
    return *(const double *) a < *(const double *) b ? -1 : 1;
}

static double
ask (Scale *scale, JobVerb verb, guint rounds)
{
    g_autofree double *times = g_new (double, rounds);

    for (guint i = 0; i < rounds; i++) {
        times[i] = ask_once (scale, verb);
    }
    qsort (times, rounds, sizeof *times, compare_doubles);
    return times[rounds / 2];
}

/* Sums of a field over the daemons: kB of PSS, or clock ticks. */
static double
sum_memory (const Scale *scale)
{
    double sum = 0;

    for (guint i = 0; i < scale->n_daemons; i++) {
        g_autofree char *path = g_strdup_printf ("/proc/%d/smaps_rollup", (int) scale->pids[i]);
        g_autofree char *text = NULL;
        const char *at = g_file_get_contents (path, &text, NULL, NULL) ? strstr (text, "Pss:") : NULL;

        sum += at != NULL ? strtod (at + 4, NULL) : 0;
    }
    return sum;
}

static double
sum_ticks (const Scale *scale)
{
    double sum = 0;

    for (guint i = 0; i < scale->n_daemons; i++) {
        g_autofree char *path = g_strdup_printf ("/proc/%d/stat", (int) scale->pids[i]);
        g_autofree char *text = NULL;
        unsigned long user = 0, system = 0;

        if (g_file_get_contents (path, &text, NULL, NULL) && strrchr (text, ')') != NULL) {
            sscanf (strrchr (text, ')') + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user,
                    &system);
        }
        sum += (double) (user + system);
    }
    return sum;
}

static gboolean
note_time (gpointer data)
{
    *(gboolean *) data = TRUE;
    return G_SOURCE_REMOVE;
}

static double
measure_idling (const Scale *scale)
{
    gboolean over = FALSE;
    double before = sum_ticks (scale);

    g_timeout_add_seconds (IDLE_S, note_time, &over);
    while (!over) {
        g_main_context_iteration (NULL, TRUE);
    }
    return (sum_ticks (scale) - before) / (double) sysconf (_SC_CLK_TCK) / IDLE_S * 100;
}

static void
end_daemons (Scale *scale)
{
    net_root_end (scale->session->net);
    for (guint i = 0; i < 50; i++) {
        g_main_context_iteration (NULL, FALSE);
        g_usleep (2000);
    }
    for (guint i = 0; i < scale->n_daemons; i++) {
        kill (scale->pids[i], SIGTERM);
        while (waitpid (scale->pids[i], NULL, 0) < 0 && errno == EINTR) {
        }
        g_autofree char *host = g_strdup_printf ("%s/%u", scale->folder, i);
        launch_host_directory_remove (host);
    }
    rmdir (scale->folder);
}

static void
measure (guint n_daemons, guint32 each, const char *program)
{
    g_autoptr (Session) session = session_new ();
    g_autoptr (GError) error = NULL;
    Scale scale = { .session = session, .n_daemons = n_daemons, .pids = g_new0 (pid_t, n_daemons) };
    guint32 size = n_daemons * each;
    gint64 begin_us = g_get_monotonic_time ();
    double start_ms, state_ms, where_ms, step_ms, memory, idling;

    scale.folder = g_dir_make_tmp ("pddt-scale-XXXXXX", NULL);
    session->hosts = g_ptr_array_new_with_free_func (g_free);
    session->started = TRUE;
    if (!session_life_open_net (session, &error)) {
        g_error ("%s", error->message);
    }
    g_signal_connect (session, "finished", G_CALLBACK (on_finished), &scale);
    session_submit (session, job_request_new (JOB_VERB_START, NULL));
    for (guint i = 0; i < n_daemons; i++) {
        start_daemon (&scale, i, each, size, program);
    }
    while (!is_there (session, size)) {
        g_main_context_iteration (NULL, TRUE);
    }
    start_ms = to_ms (begin_us);
    state_ms = ask (&scale, JOB_VERB_STATE, 21);
    where_ms = ask (&scale, JOB_VERB_WHERE, 11);
    step_ms = ask (&scale, JOB_VERB_STEP, 11);
    memory = sum_memory (&scale) / n_daemons;
    idling = n_daemons >= 1024 ? measure_idling (&scale) : -1;
    printf ("scale %5u daemons %8u ranks: start %7.0f ms; state %6.1f ms; where %6.1f ms; step %6.1f ms; "
            "memory %4.0f kB a daemon", n_daemons, size, start_ms, state_ms, where_ms, step_ms, memory);
    if (idling >= 0) {
        printf ("; idle %.1f %% of a core", idling);
    }
    printf ("\n");
    fflush (stdout);
    end_daemons (&scale);
    session->ending = TRUE;
    g_free (scale.pids);
    g_free (scale.folder);
}

int
main (int argc, char **argv)
{
    static const struct {
        guint daemons;
        guint32 each;
    } cases[] = { { 8, 128 }, { 64, 160 }, { 64, 1563 }, { 64, 15625 }, { 256, 3907 }, { 1024, 977 } };

    if (argc < 2) {
        fprintf (stderr, "usage: bench-scale PDDTD [DAEMONS RANKS-A-DAEMON]\n");
        return 2;
    }
    if (argc == 4) {
        measure ((guint) strtoul (argv[2], NULL, 10), (guint32) strtoul (argv[3], NULL, 10), argv[1]);
        return 0;
    }
    for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
        measure (cases[i].daemons, cases[i].each, argv[1]);
    }
    return 0;
}
