/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Real pddtd programs with fake ranks, and the front end's whole session over them: start,
 * state query, merged stacks, a step, memory and idling; or, with a number of seconds, one profile
 * of as many, merged on its way up; or, with "differing", answers that are other ones in each rank; or, with "link" or
 * "random-link", what crosses to a front end elsewhere while the chart moves. Without ptrace and a network. Each wait has a
 * deadline, after which it names what is missing and ends the daemons. */
#include "session/backend/tree-private.h"
#include "session/backend/served-pace.h"
#include "launch/hand-over.h"
#include "net/root-private.h"
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define IDLE_S 10
#define LIMIT_S 90 /* for all to come up, and for each answer */
#define RATE 100u
#define FRAME_HEAD 16 /* session/backend/remote-link.h */
#define LINK_PARTS 10u
#define LINK_TURNS 50u

typedef struct {
    Session *session;
    guint n_daemons;
    guint32 size;
    pid_t *pids;
    char *folder;
    guint64 waited;
    gboolean finished, is_late, summary_is_enough;
    guint limit_s;
    JobCosts *costs; /* of the profile, as it comes */
    guint n_events;
} Scale;

/* Median time, and what of the processors' time went to it, in the front end and in all daemons: the
 * latter is true on a busy machine too. */
typedef struct {
    double ms, own_ms, theirs_ms;
} Answer;

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

static gboolean
note_time (gpointer data)
{
    *(gboolean *) data = TRUE;
    return G_SOURCE_REMOVE;
}

/* Runs the loop until it is so; FALSE at the deadline, and from then on at once. */
static gboolean
wait_until (Scale *scale, gboolean (*is_so) (const Scale *scale))
{
    guint timer = g_timeout_add_seconds (scale->limit_s, note_time, &scale->is_late);

    while (!scale->is_late && !is_so (scale)) {
        g_main_context_iteration (NULL, TRUE);
    }
    if (!scale->is_late) {
        g_source_remove (timer);
    }
    return !scale->is_late;
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
    g_autofree char *ranks = g_strdup_printf ("%u %u %u 7", n_ranks, index * n_ranks, size);
    char *argv[] = { (char *) program,
                     session_tree_get (scale->session)->launch_session->directory, host, NULL };

    g_mkdir_with_parents (host, 0700);
    g_setenv ("PDDT_SCALE", ranks, TRUE);
    if (posix_spawn (&scale->pids[index], program, NULL, NULL, argv, environ) != 0) {
        g_error ("cannot start %s", program);
    }
}

/* Every host that can be on the tree is. */
static gboolean
has_tree (const Scale *scale)
{
    const NetRoot *root = session_tree_get (scale->session)->net;

    for (guint i = 0; scale->n_daemons > 63 && i < root->hosts->len; i++) {
        const NetHost *host = root->hosts->pdata[i];

        if (!host->is_on_tree) {
            return FALSE;
        }
    }
    return TRUE;
}

static gboolean
is_there (const Scale *scale)
{
    const Session *session = scale->session;

    return session->ranks->n_reported == scale->size
           && session->ranks->n_arrived == scale->size;
}

static gboolean
is_finished (const Scale *scale)
{
    return scale->finished;
}

static double
ask_once (Scale *scale, JobVerb verb, const char *text)
{
    g_autoptr (JobRankSet) all = session_dup_all (scale->session);
    JobRequest *request = job_request_new (verb, all);
    gint64 begin_us = g_get_monotonic_time ();

    request->text = g_strdup (text);
    request->flags |= scale->summary_is_enough ? JOB_REQUEST_SUMMARY : 0;
    scale->finished = FALSE;
    scale->waited = session_get_next_request (scale->session);
    session_submit (scale->session, request);
    wait_until (scale, is_finished);
    return to_ms (begin_us);
}

static void
on_costs (Session *session, const JobEvent *event, gpointer user)
{
    Scale *scale = user;

    if (event->kind == JOB_EVENT_COSTS && event->costs != NULL) {
        job_costs_merge (scale->costs, event->costs);
        scale->n_events++;
    }
}

/* ms from the end of the time until all of it is here, merged. */
static double
ask_profile (Scale *scale, guint seconds)
{
    g_autoptr (JobRankSet) all = session_dup_all (scale->session);
    JobRequest *request = job_request_new (JOB_VERB_PROFILE, all);
    gint64 begin_us;

    request->flags = JOB_REQUEST_SUMMED;
    request->number = RATE;
    request->every = seconds * 1000;
    scale->costs = job_costs_new ();
    scale->finished = FALSE;
    scale->limit_s = LIMIT_S + seconds;
    session_add_listener (scale->session, on_costs, scale);
    scale->waited = session_get_next_request (scale->session);
    begin_us = g_get_monotonic_time ();
    session_submit (scale->session, request);
    wait_until (scale, is_finished);
    session_remove_listener (scale->session, on_costs, scale);
    return to_ms (begin_us) - seconds * 1000;
}

/* kB of PSS of all daemons. */
static double
sum_memory (const Scale *scale)
{
    double sum = 0;

    for (guint i = 0; i < scale->n_daemons; i++) {
        g_autofree char *path = g_strdup_printf ("/proc/%d/smaps_rollup", (int) scale->pids[i]);
        g_autofree char *text = NULL;
        const char *at = g_file_get_contents (path, &text, NULL, NULL) ? strstr (text, "Pss:")
                                                                       : NULL;

        sum += at != NULL ? strtod (at + 4, NULL) : 0;
    }
    return sum;
}

/* Nanoseconds that the threads of a process have run: ticks are too coarse for a daemon's turn. */
static double
read_runtime_ms (pid_t pid)
{
    g_autofree char *folder = g_strdup_printf ("/proc/%d/task", (int) pid);
    g_autoptr (GDir) threads = g_dir_open (folder, 0, NULL);
    const char *name;
    double sum = 0;

    while (threads != NULL && (name = g_dir_read_name (threads)) != NULL) {
        g_autofree char *path = g_build_filename (folder, name, "schedstat", NULL);
        g_autofree char *text = NULL;

        sum += g_file_get_contents (path, &text, NULL, NULL) ? strtod (text, NULL) / 1e6 : 0;
    }
    return sum;
}

static double
sum_runtime_ms (const Scale *scale)
{
    double sum = 0;

    for (guint i = 0; i < scale->n_daemons; i++) {
        sum += read_runtime_ms (scale->pids[i]);
    }
    return sum;
}

static int
compare_doubles (gconstpointer a, gconstpointer b)
{
    return *(const double *) a < *(const double *) b ? -1 : 1;
}

static double
get_own_ms (void)
{
    struct rusage usage;

    getrusage (RUSAGE_SELF, &usage);
    return (double) (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000
           + (double) (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1000;
}

static Answer
ask (Scale *scale, JobVerb verb, const char *text, guint rounds)
{
    g_autofree double *times = g_new (double, rounds);
    double own = get_own_ms (), theirs = sum_runtime_ms (scale);
    Answer answer;

    for (guint i = 0; i < rounds; i++) {
        times[i] = ask_once (scale, verb, text);
    }
    answer.own_ms = (get_own_ms () - own) / rounds;
    answer.theirs_ms = (sum_runtime_ms (scale) - theirs) / rounds;
    qsort (times, rounds, sizeof *times, compare_doubles);
    answer.ms = times[rounds / 2];
    return answer;
}

static double
measure_idling (const Scale *scale)
{
    gboolean over = FALSE;
    double before = sum_runtime_ms (scale);

    g_timeout_add_seconds (IDLE_S, note_time, &over);
    while (!over) {
        g_main_context_iteration (NULL, TRUE);
    }
    return (sum_runtime_ms (scale) - before) / 1000 / IDLE_S * 100;
}

static void
end_daemons (Scale *scale)
{
    net_root_end (session_tree_get (scale->session)->net);
    for (guint i = 0; i < 50; i++) {
        g_main_context_iteration (NULL, FALSE);
        g_usleep (2000);
    }
    for (guint i = 0; i < scale->n_daemons; i++) {
        kill (scale->pids[i], scale->is_late ? SIGKILL : SIGTERM);
        while (waitpid (scale->pids[i], NULL, 0) < 0 && errno == EINTR) {
        }
        g_autofree char *host = g_strdup_printf ("%s/%u", scale->folder, i);
        launch_host_directory_remove (host);
    }
    rmdir (scale->folder);
}

/* kB of this process. */
static double
get_own_memory (void)
{
    struct rusage usage;

    getrusage (RUSAGE_SELF, &usage);
    return (double) usage.ru_maxrss;
}

static void
start_all (Scale *scale, guint32 each, const char *program)
{
    g_autoptr (GError) error = NULL;
    Session *session = scale->session;

    scale->folder
        = g_strdup ("/dev/shm/pddt-scale-XXXXXX"); /* a thousand hosts share no disk */
    if (!g_mkdtemp (scale->folder)) {
        g_error ("cannot make %s", scale->folder);
    }
    session->life->started = TRUE;
    if (!session_tree_open_net (session, &error)) {
        g_error ("%s", error->message);
    }
    g_signal_connect (session, "finished", G_CALLBACK (on_finished), scale);
    session_submit (session, job_request_new (JOB_VERB_START, NULL));
    for (guint i = 0; i < scale->n_daemons; i++) {
        start_daemon (scale, i, each, scale->size, program);
    }
}

static void
print_answers (const char *name, Answer answer)
{
    printf ("; %s %.1f ms (%.1f + %.1f)", name, answer.ms, answer.own_ms, answer.theirs_ms);
    fflush (stdout); /* who ends this sees how far it came */
}

static void
measure_answers (Scale *scale)
{
    guint rounds = scale->n_daemons > 1024 ? 5 : 11;

    print_answers ("state", ask (scale, JOB_VERB_STATE, NULL, rounds));
    print_answers ("where", ask (scale, JOB_VERB_WHERE, NULL, rounds));
    print_answers ("step", ask (scale, JOB_VERB_STEP, NULL, rounds));
    printf ("; memory %.0f kB a daemon, %.0f kB the front end",
            sum_memory (scale) / scale->n_daemons, get_own_memory ());
}

/* What is another one in each rank, as the command line asks for it, and then whole, as JSON and windows do. */
static void
measure_differing (Scale *scale)
{
    scale->summary_is_enough = TRUE;
    print_answers ("print", ask (scale, JOB_VERB_PRINT, "rank", 1));
    print_answers ("locals", ask (scale, JOB_VERB_LOCALS, NULL, 1));
    print_answers ("printf", ask (scale, JOB_VERB_PRINTF, "\"%d\", rank", 1));
    print_answers ("registers", ask (scale, JOB_VERB_REGISTERS, NULL, 1));
    scale->summary_is_enough = FALSE;
    printf ("; whole");
    print_answers ("print", ask (scale, JOB_VERB_PRINT, "rank", 1));
    print_answers ("locals", ask (scale, JOB_VERB_LOCALS, NULL, 1));
    print_answers ("printf", ask (scale, JOB_VERB_PRINTF, "\"%d\", rank", 1));
    print_answers ("registers", ask (scale, JOB_VERB_REGISTERS, NULL, 1));
    print_answers ("queue", ask (scale, JOB_VERB_QUEUE, NULL, 1));
    printf ("; memory %.0f kB a daemon, %.0f kB the front end",
            sum_memory (scale) / scale->n_daemons, get_own_memory ());
}

static void
measure_profile (Scale *scale, guint seconds)
{
    double own_ms = get_own_ms (), theirs_ms = sum_runtime_ms (scale);
    double ms = ask_profile (scale, seconds);
    g_autoptr (JobRankSet) ranks = job_rank_set_new ();

    for (guint i = 0; i < job_costs_get_n_groups (scale->costs); i++) {
        job_rank_set_merge (ranks, job_costs_get_ranks (scale->costs, i));
    }
    printf (
        "; a profile of %u s, all of it merged %.0f ms after its end: %u ranks, %u contexts, %u "
        "groups in %u events (%.0f ms of the front end, %.0f of all daemons with making it "
        "up); memory %.0f kB the front end",
        seconds, ms, job_rank_set_get_count (ranks),
        job_context_tree_get_count (job_costs_get_tree (scale->costs)),
        job_costs_get_n_groups (scale->costs), scale->n_events, get_own_ms () - own_ms,
        sum_runtime_ms (scale) - theirs_ms, get_own_memory ());
    g_clear_pointer (&scale->costs, job_costs_free);
}

/* ---- what crosses to a front end elsewhere ---- */

typedef struct {
    GByteArray *bytes; /* of the frames */
    guint n_events;
    gsize n_unpaced;   /* bytes, if all went at once */
    SessionPace *pace; /* as the server has it */
} Crossing;

static void
add_frame (Crossing *crossing, GVariant *body)
{
    const guint8 head[FRAME_HEAD] = { 0 };

    g_byte_array_append (crossing->bytes, head, sizeof head);
    g_byte_array_append (crossing->bytes, g_variant_get_data (body),
                         (guint) g_variant_get_size (body));
    crossing->n_events++;
}

static GVariant *
make_body (const JobEvent *event)
{
    return g_variant_ref_sink (g_variant_new ("(uv)", 1, job_event_encode (event)));
}

static void
release (Crossing *crossing)
{
    g_autoptr (GPtrArray) events = session_pace_release (crossing->pace,
                                                         g_get_monotonic_time ());

    for (guint i = 0; i < events->len; i++) {
        g_autoptr (GVariant) body = make_body (events->pdata[i]);

        session_pace_spend (crossing->pace, g_variant_get_size (body));
        add_frame (crossing, body);
    }
}

static void
count_event (Session *session, const JobEvent *event, gpointer user)
{
    Crossing *crossing = user;
    g_autoptr (GVariant) body = make_body (event);
    gsize size = g_variant_get_size (body);
    gint64 now_us = g_get_monotonic_time (), due_us = session_pace_get_due_us (crossing->pace);

    crossing->n_unpaced += FRAME_HEAD + size;
    if ((due_us >= 0 && due_us <= now_us)
        || (event->kind != JOB_EVENT_STATE && session_pace_concerns (crossing->pace, event))) {
        release (crossing);
    }
    if (event->kind != JOB_EVENT_STATE
        || !session_pace_hold (crossing->pace, event, size, now_us)) {
        add_frame (crossing, body);
    }
}

/* As ssh does it. */
static gsize
compress (const GByteArray *bytes)
{
    g_autoptr (GZlibCompressor) zlib = g_zlib_compressor_new (G_ZLIB_COMPRESSOR_FORMAT_ZLIB, 6);
    g_autofree guint8 *out = g_malloc (bytes->len + 1024);
    gsize n_in, n_out = 0;

    g_converter_convert (G_CONVERTER (zlib), bytes->data, bytes->len, out, bytes->len + 1024,
                         G_CONVERTER_INPUT_AT_END, &n_in, &n_out, NULL);
    return n_out;
}

/* One rank in so many, from the first one on, or so many without any order. */
static JobRankSet *
pick (const Scale *scale, guint32 first, guint32 every, gboolean is_random)
{
    JobRankSet *ranks = job_rank_set_new ();

    for (guint32 rank = first; rank < scale->size; rank += every) {
        job_rank_set_add (ranks, is_random
                                     ? (guint32) g_random_int_range (0, (gint32) scale->size)
                                     : rank);
    }
    return ranks;
}

/* All bars of the chart move in a second: each tenth of it, another tenth of all ranks steps. */
static void
measure_moves (Scale *scale, gboolean is_random)
{
    Crossing crossing = { g_byte_array_new (), 0, 0,
                          session_pace_new (g_get_monotonic_time ()) };
    guint n_turns = 0;

    session_add_listener (scale->session, count_event, &crossing);
    for (guint turn = 0; turn < LINK_TURNS && !scale->is_late; turn++) {
        g_autoptr (JobRankSet) ranks = pick (scale, turn % LINK_PARTS, LINK_PARTS, is_random);
        gboolean is_over = FALSE;

        g_timeout_add (1000 / LINK_PARTS, note_time, &is_over);
        scale->finished = FALSE;
        scale->waited = session_get_next_request (scale->session);
        session_submit (scale->session, job_request_new (JOB_VERB_STEP, ranks));
        wait_until (scale, is_finished);
        while (!is_over) {
            g_main_context_iteration (NULL, TRUE);
        }
        n_turns++;
    }
    session_remove_listener (scale->session, count_event, &crossing);
    printf ("; link: the chart moves with %.1f kB/s, %.1f kB/s compressed, %u events a second",
            (double) crossing.bytes->len / 1000 * LINK_PARTS / n_turns,
            (double) compress (crossing.bytes) / 1000 * LINK_PARTS / n_turns,
            crossing.n_events * LINK_PARTS / n_turns);
    if (is_random) {
        printf ("; all at once %.1f kB/s",
                (double) crossing.n_unpaced / 1000 * LINK_PARTS / n_turns);
    }
    g_byte_array_unref (crossing.bytes);
    session_pace_free (crossing.pace);
}

static void
measure_link (Scale *scale)
{
    measure_moves (scale, FALSE);
}

static void
measure_random_link (Scale *scale)
{
    measure_moves (scale, TRUE);
}

/* In brackets: processors' time of the front end and of all daemons. profile_s: 0 no profile, but the
 * other answers. */
static gboolean
measure (guint n_daemons, guint32 each, guint profile_s, void (*ask_more) (Scale *scale),
         const char *program)
{
    g_autoptr (Session) session = session_new ();
    Scale scale = { .session = session,
                    .n_daemons = n_daemons,
                    .size = n_daemons * each,
                    .limit_s = LIMIT_S,
                    .pids = g_new0 (pid_t, n_daemons) };
    gint64 begin_us = g_get_monotonic_time ();
    double own_ms = get_own_ms ();

    start_all (&scale, each, program);
    wait_until (&scale, is_there);
    printf ("scale %5u daemons %8u ranks: start %.0f ms (%.0f + %.0f)", n_daemons, scale.size,
            to_ms (begin_us), get_own_ms () - own_ms, sum_runtime_ms (&scale));
    fflush (stdout);
    if (wait_until (&scale, has_tree)) {
        if (profile_s > 0) {
            measure_profile (&scale, profile_s);
        } else {
            ask_more (&scale);
        }
    }
    if (n_daemons >= 1024 && profile_s == 0 && !scale.is_late) {
        printf ("; idle %.2f %% of a core", measure_idling (&scale));
    }
    if (scale.is_late) {
        printf ("; NOT ALL CAME within %d s: %u of %u daemons, %u ranks reported, %u arrived",
                LIMIT_S, session_tree_get (session)->net->hosts->len, n_daemons,
                session->ranks->n_reported, session->ranks->n_arrived);
    }
    printf ("\n");
    fflush (stdout);
    end_daemons (&scale);
    session->life->ending = TRUE;
    g_free (scale.pids);
    g_free (scale.folder);
    return !scale.is_late;
}

int
main (int argc, char **argv)
{
    if (argc != 4 && argc != 5) {
        fprintf (
            stderr,
            "usage: bench-scale PDDTD DAEMONS RANKS-A-DAEMON [PROFILE-SECONDS|differing|link|random-link]\n");
        return 2;
    }
    return measure ((guint) strtoul (argv[2], NULL, 10), (guint32) strtoul (argv[3], NULL, 10),
                    argc > 4 ? (guint) strtoul (argv[4], NULL, 10) : 0,
                    argc > 4 && strcmp (argv[4], "differing") == 0     ? measure_differing
                    : argc > 4 && strcmp (argv[4], "link") == 0        ? measure_link
                    : argc > 4 && strcmp (argv[4], "random-link") == 0 ? measure_random_link
                                                                       : measure_answers,
                    argv[1])
               ? 0
               : 1;
}
