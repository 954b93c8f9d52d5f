/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The engine inside a process that runs already, as the daemon has it, without the net. Prints one
 * figure a line:
 *   attach PID…           ms to attach, give all stacks with names, lines and arguments, detach; "spent": of processor time,
 *                         which other programs lengthen less
 *   names PID…            the same without arguments
 *   floor PID…            ms that ptrace and libunwind alone need to attach, unwind the first threads, detach
 *   memory PID…           KiB of its own for each process attached and looked at
 *   step PROGRAM N        ms from "next" to the last stop, of N ranks in PROGRAM's loop
 *   together PROGRAM N    ms from "continue" to the last stop, of N ranks that all meet one breakpoint
 *   condition PROGRAM S   µs for each hit of a breakpoint whose condition is false, in S seconds */
#include "../engine/rig.h"
#include <libunwind-ptrace.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>

#define ROUNDS 7

static gint
compare_doubles (gconstpointer a, gconstpointer b)
{
    double left = *(const double *) a, right = *(const double *) b;

    return (left > right) - (left < right);
}

static void
print_rounds (const char *what, double *ms, guint n)
{
    qsort (ms, n, sizeof *ms, compare_doubles);
    printf ("%s median %.2f best %.2f\n", what, ms[n / 2], ms[0]);
}

static double
get_ms (void)
{
    return (double) g_get_monotonic_time () / 1000;
}

static double
get_spent_ms (void)
{
    struct timespec spent;

    clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &spent);
    return (double) spent.tv_sec * 1000 + (double) spent.tv_nsec / 1e6;
}

typedef gboolean (*IsMeant) (const JobEvent *event);

/* Until as many ranks have an event that is meant. */
static void
wait_all (Rig *rig, guint n, IsMeant is_meant)
{
    guint done = 0;

    while (done < n) {
        for (; rig->seen < rig->events->len; rig->seen++) {
            const JobEvent *event = g_ptr_array_index (rig->events, rig->seen);

            done += is_meant (event) ? job_rank_set_get_count (event->ranks) : 0;
        }
        if (done < n) {
            rig_pump (rig, 1000);
        }
    }
}

static gboolean
is_stop (const JobEvent *event)
{
    return event->kind == JOB_EVENT_STATE && job_state_get_info (event->state)->is_stopped;
}

static gboolean
is_stack (const JobEvent *event)
{
    return event->kind == JOB_EVENT_STACKS;
}

static gboolean
is_leave (const JobEvent *event)
{
    return event->kind == JOB_EVENT_STATE && event->state == JOB_STATE_LOST;
}

static void
wait_all_stopped (Rig *rig, guint n)
{
    wait_all (rig, n, is_stop);
}

/* ---- attach ---- */

typedef struct {
    EngineRankInfo *infos;
    guint n;
} Targets;

static Targets
read_targets (int argc, char **argv)
{
    Targets targets = { g_new0 (EngineRankInfo, argc), (guint) argc };

    for (int i = 0; i < argc; i++) {
        targets.infos[i] = (EngineRankInfo){ .pid = (pid_t) atoi (argv[i]),
                                             .rank = (guint32) i,
                                             .size = (guint32) argc,
                                             .input_fd = -1 };
    }
    return targets;
}

static guint64
ask_all (Rig *rig, JobRankSet *slots, JobVerb verb, guint32 flags)
{
    g_autoptr (JobRequest) request = job_request_new (verb, slots);

    request->id = ++rig->last_request;
    request->flags = flags;
    engine_handle (rig->engine, request);
    return request->id;
}

/* Frames of one rank, and how many of them have a line and arguments. */
static void
count_frames (const JobStackNode *node, guint *n, guint *n_lines, guint *n_arguments)
{
    for (guint i = 0; node->children != NULL && i < node->children->len; i++) {
        const JobStackNode *child = g_ptr_array_index (node->children, i);

        ++*n;
        *n_lines += child->location.line > 0;
        *n_arguments += child->arguments != NULL;
        count_frames (child, n, n_lines, n_arguments);
    }
}

static void
describe_answer (Rig *rig, guint first_event)
{
    guint n = 0, n_lines = 0, n_arguments = 0, n_ranks = 0;

    for (guint i = first_event; i < rig->events->len; i++) {
        const JobEvent *event = g_ptr_array_index (rig->events, i);

        if (event->kind == JOB_EVENT_STACKS) {
            count_frames (event->tree->root, &n, &n_lines, &n_arguments);
            n_ranks += job_rank_set_get_count (event->ranks);
        }
    }
    printf ("answer ranks %u, tree of %u frames, %u with lines, %u with arguments\n", n_ranks,
            n, n_lines, n_arguments);
}

static void
attach_all (int argc, char **argv, guint32 flags)
{
    Targets targets = read_targets (argc, argv);
    double all[ROUNDS], attach[ROUNDS], look[ROUNDS], leave[ROUNDS], spent[ROUNDS];
    Rig rig;

    rig_open (&rig, NULL);
    for (int round = -1; round < ROUNDS; round++) { /* the first one reads the files */
        guint32 first = (guint32) (round + 1) * targets.n;
        g_autoptr (JobRankSet) slots = job_rank_set_new_range (first, first + targets.n);
        guint first_event = rig.events->len;
        double begin = get_ms (), begin_spent = get_spent_ms (), stopped, seen, left;

        engine_attach (rig.engine, targets.infos, targets.n);
        wait_all_stopped (&rig, targets.n);
        stopped = get_ms ();
        ask_all (&rig, slots, JOB_VERB_WHERE, flags);
        wait_all (&rig, targets.n, is_stack);
        seen = get_ms ();
        ask_all (&rig, slots, JOB_VERB_DETACH, 0);
        wait_all (&rig, targets.n, is_leave);
        left = get_ms ();
        if (round < 0) {
            printf ("first %.2f\n", left - begin);
            describe_answer (&rig, first_event);
            continue;
        }
        all[round] = left - begin;
        attach[round] = stopped - begin;
        look[round] = seen - stopped;
        leave[round] = left - seen;
        spent[round] = get_spent_ms () - begin_spent;
    }
    print_rounds ("all", all, ROUNDS);
    print_rounds ("spent", spent, ROUNDS);
    print_rounds ("attach", attach, ROUNDS);
    print_rounds ("stacks", look, ROUNDS);
    print_rounds ("detach", leave, ROUNDS);
    rig_close (&rig);
    g_free (targets.infos);
}

static void
bench_attach (int argc, char **argv)
{
    attach_all (argc, argv, JOB_REQUEST_FULL);
}

static void
bench_names (int argc, char **argv)
{
    attach_all (argc, argv, 0);
}

/* ---- the same without pddt ---- */

static pid_t unwound; /* whose memory read_word reads */

/* Faster than libunwind's own, which asks ptrace. */
static int
read_word (unw_addr_space_t space, unw_word_t address, unw_word_t *value, int is_write,
           void *context)
{
    struct iovec to = { value, sizeof *value },
                 from = { GSIZE_TO_POINTER (address), sizeof *value };

    return !is_write && process_vm_readv (unwound, &to, 1, &from, 1, 0) > 0 ? 0 : -UNW_EINVAL;
}

/* Returns the number of frames. */
static guint
unwind_alone (unw_addr_space_t space, pid_t pid)
{
    void *context = _UPT_create (pid);
    unw_cursor_t cursor;
    guint n = 1;

    unwound = pid;
    g_assert_cmpint (unw_init_remote (&cursor, space, context), ==, 0);
    while (unw_step (&cursor) > 0) {
        n++;
    }
    _UPT_destroy (context);
    return n;
}

static guint
attach_alone (unw_addr_space_t space, const Targets *targets)
{
    guint n_frames = 0;

    for (guint i = 0; i < targets->n; i++) {
        g_assert_cmpint (ptrace (PTRACE_SEIZE, targets->infos[i].pid, NULL, NULL), ==, 0);
        g_assert_cmpint (ptrace (PTRACE_INTERRUPT, targets->infos[i].pid, NULL, NULL), ==, 0);
    }
    for (guint i = 0; i < targets->n; i++) {
        g_assert_cmpint (waitpid (targets->infos[i].pid, NULL, __WALL), ==,
                         targets->infos[i].pid);
        n_frames += unwind_alone (space, targets->infos[i].pid);
    }
    for (guint i = 0; i < targets->n; i++) {
        g_assert_cmpint (ptrace (PTRACE_DETACH, targets->infos[i].pid, NULL, NULL), ==, 0);
    }
    return n_frames;
}

static void
bench_floor (int argc, char **argv)
{
    Targets targets = read_targets (argc, argv);
    unw_accessors_t accessors = _UPT_accessors;
    double all[ROUNDS], spent[ROUNDS];
    unw_addr_space_t space;

    accessors.access_mem = read_word;
    space = unw_create_addr_space (&accessors, 0);
    unw_set_caching_policy (space, UNW_CACHE_GLOBAL);
    for (int round = -1; round < ROUNDS; round++) { /* the first one reads the files */
        double begin = get_ms (), begin_spent = get_spent_ms ();
        guint n_frames = attach_alone (space, &targets);

        if (round < 0) {
            printf ("frames of each %.1f\n", (double) n_frames / targets.n);
        } else {
            all[round] = get_ms () - begin;
            spent[round] = get_spent_ms () - begin_spent;
        }
    }
    print_rounds ("floor", all, ROUNDS);
    print_rounds ("spent", spent, ROUNDS);
    unw_destroy_addr_space (space);
    g_free (targets.infos);
}

/* ---- memory ---- */

static guint
read_own_kib (void)
{
    g_autofree char *text = NULL;
    const char *field;

    if (!g_file_get_contents ("/proc/self/status", &text, NULL, NULL)) {
        return 0;
    }
    field = strstr (text, "RssAnon:");
    return field != NULL ? (guint) strtoul (field + 8, NULL, 10) : 0;
}

static void
bench_memory (int argc, char **argv)
{
    Targets targets = read_targets (argc, argv);
    g_autoptr (JobRankSet) one = job_rank_set_new_range (0, 1);
    g_autoptr (JobRankSet) others = job_rank_set_new_range (1, targets.n);
    guint before;
    Rig rig;

    rig_open (&rig, NULL);
    engine_attach (rig.engine, targets.infos, 1);
    wait_all_stopped (&rig, 1);
    ask_all (&rig, one, JOB_VERB_WHERE, JOB_REQUEST_FULL);
    wait_all (&rig, 1, is_stack);
    before = read_own_kib ();
    engine_attach (rig.engine, targets.infos + 1, targets.n - 1);
    wait_all_stopped (&rig, targets.n - 1);
    ask_all (&rig, others, JOB_VERB_WHERE, JOB_REQUEST_FULL);
    wait_all (&rig, targets.n - 1, is_stack);
    g_ptr_array_set_size (rig.events, 0);
    printf ("memory base %u each %.1f\n", before,
            (double) (read_own_kib () - before) / (targets.n - 1));
    rig_close (&rig);
    g_free (targets.infos);
}

/* ---- steps ---- */

static guint32
find_line (const char *program)
{
    g_autofree char *text = NULL;
    g_auto (GStrv) lines = NULL;

    g_assert_true (g_file_get_contents (g_getenv ("BENCH_SOURCE"), &text, NULL, NULL));
    lines = g_strsplit (text, "\n", -1);
    for (guint i = 0; lines[i] != NULL; i++) {
        if (strstr (lines[i], "/*@ line */") != NULL) {
            return i + 1;
        }
    }
    g_error ("no marked line of %s", program);
}

static void
break_all (Rig *rig, JobRankSet *slots, const char *program, const char *condition,
           guint32 flags)
{
    g_autoptr (JobRequest) request = job_request_new (JOB_VERB_BREAK, slots);
    g_autofree char *where = g_strdup_printf ("deep.c:%u", find_line (program));

    g_assert_true (job_where_parse (where, &request->where, NULL));
    request->id = ++rig->last_request;
    request->number = 1;
    request->condition = g_strdup (condition);
    request->flags = flags;
    engine_handle (rig->engine, request);
}

static void
start_loops (Rig *rig, const char *program, guint n)
{
    char *argv[] = { (char *) program, (char *) "loop", NULL };

    for (guint i = 0; i < n; i++) {
        rig_start (rig, argv, NULL);
    }
    wait_all_stopped (rig, n);
}

static void
bench_together (const char *program, guint n)
{
    g_autoptr (JobRankSet) slots = job_rank_set_new_range (0, n);
    double ms[ROUNDS];
    Rig rig;

    rig_open (&rig, "main");
    start_loops (&rig, program, n);
    break_all (&rig, slots, program, NULL, 0);
    for (int round = -1; round < ROUNDS; round++) {
        double begin = get_ms ();

        ask_all (&rig, slots, JOB_VERB_CONTINUE, 0);
        wait_all_stopped (&rig, n);
        ms[MAX (round, 0)] = get_ms () - begin;
    }
    print_rounds ("together", ms, ROUNDS);
    rig_close (&rig);
}

static void
bench_step (const char *program, guint n)
{
    g_autoptr (JobRankSet) slots = job_rank_set_new_range (0, n);
    double ms[ROUNDS];
    Rig rig;

    rig_open (&rig, "main");
    start_loops (&rig, program, n);
    break_all (&rig, slots, program, NULL, JOB_REQUEST_TEMPORARY);
    ask_all (&rig, slots, JOB_VERB_CONTINUE, 0);
    wait_all_stopped (&rig, n);
    for (int round = -3; round < ROUNDS; round++) {
        double begin = get_ms ();

        ask_all (&rig, slots, JOB_VERB_NEXT, 0);
        wait_all_stopped (&rig, n);
        ms[MAX (round, 0)] = get_ms () - begin;
    }
    print_rounds ("next", ms, ROUNDS);
    rig_close (&rig);
}

static void
bench_condition (const char *program, double seconds)
{
    g_autoptr (JobRankSet) slots = job_rank_set_new_range (0, 1);
    guint64 hits = 0;
    double begin;
    Rig rig;

    rig_open (&rig, "main");
    start_loops (&rig, program, 1);
    break_all (&rig, slots, program, "counter == 123456789", 0);
    ask_all (&rig, slots, JOB_VERB_CONTINUE, 0);
    begin = get_ms ();
    while (get_ms () - begin < seconds * 1000) {
        rig_pump (&rig, 10);
    }
    begin = get_ms () - begin;
    ask_all (&rig, slots, JOB_VERB_PAUSE, 0);
    {
        g_autoptr (JobRequest) request = job_request_new (JOB_VERB_PRINT, slots);

        hits = 0;
        request->id = ++rig.last_request;
        request->text = g_strdup ("turns");
        engine_handle (rig.engine, request);
    }
    for (guint i = rig.seen; i < rig.events->len; i++) {
        const JobEvent *event = g_ptr_array_index (rig.events, i);

        if (event->kind == JOB_EVENT_VALUES && event->table->rows->len > 0) {
            const JobValueRow *row = g_ptr_array_index (event->table->rows, 0);
            const JobValueGroup *group = g_ptr_array_index (row->groups, 0);

            hits = g_ascii_strtoull (group->value->text, NULL, 10);
        }
    }
    printf ("condition hits %" G_GUINT64_FORMAT " each %.1f\n", hits,
            begin * 1000 / (double) MAX (hits, 1));
    rig_close (&rig);
}

int
main (int argc, char **argv)
{
    if (argc > 2 && strcmp (argv[1], "attach") == 0) {
        bench_attach (argc - 2, argv + 2);
    } else if (argc > 2 && strcmp (argv[1], "names") == 0) {
        bench_names (argc - 2, argv + 2);
    } else if (argc > 2 && strcmp (argv[1], "floor") == 0) {
        bench_floor (argc - 2, argv + 2);
    } else if (argc > 3 && strcmp (argv[1], "memory") == 0) {
        bench_memory (argc - 2, argv + 2);
    } else if (argc == 4 && strcmp (argv[1], "step") == 0) {
        bench_step (argv[2], (guint) atoi (argv[3]));
    } else if (argc == 4 && strcmp (argv[1], "together") == 0) {
        bench_together (argv[2], (guint) atoi (argv[3]));
    } else if (argc == 4 && strcmp (argv[1], "condition") == 0) {
        bench_condition (argv[2], g_ascii_strtod (argv[3], NULL));
    } else {
        fprintf (
            stderr,
            "usage: bench-engine attach PID… | names PID… | floor PID… | memory PID PID… | "
            "step PROGRAM N | together PROGRAM N | condition PROGRAM SECONDS\n");
        return 2;
    }
    return 0;
}
