/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sets that need an answer from ranks: by value, stack, neighbour, and MPI state; ranks that do
 * not answer are named. */
#include "command/private.h"
#include "rig.h"
#include "../support/folder.h"
#include <string.h>

#define HERE "main at /a/ring.c:10"

static Rig *
make_rig (void)
{
    Rig *rig = rig_new (8, FALSE);

    rig_state (rig, "0-7", JOB_STATE_STOPPED, 0, NULL, HERE);
    command_context_flush (rig->context);
    return rig;
}

static void
add_value (JobEvent *event, const char *ranks, const char *text, gboolean is_problem)
{
    g_autoptr (JobRankSet) set = job_rank_set_parse (ranks, 100, NULL);
    g_autoptr (JobValue) value = job_value_new (NULL, NULL, text);

    value->is_problem = is_problem;
    if (event->table == NULL) {
        event->table = job_value_table_new ();
    }
    job_value_table_add (event->table, NULL, set, value);
}

static JobEvent *
make_stack (const char *ranks, const char *inner, const char *outer)
{
    g_autoptr (JobRankSet) set = job_rank_set_parse (ranks, 100, NULL);
    g_autoptr (GPtrArray) frames
        = g_ptr_array_new_with_free_func ((GDestroyNotify) job_frame_free);
    JobEvent *event = rig_event (JOB_EVENT_STACKS, ranks);
    const char *const names[] = { inner, outer };

    for (guint i = 0; i < 2; i++) {
        JobFrame *frame = job_frame_new ();

        frame->location.function = g_strdup (names[i]);
        frame->location.file = g_strdup ("/a/ring.c");
        frame->location.line = 10 + i;
        g_ptr_array_add (frames, frame);
    }
    event->tree = job_stack_tree_new ();
    job_stack_tree_add (event->tree, frames, set);
    return event;
}

static void
add_costs (JobCosts *costs, guint32 first, guint32 end, guint32 work_ms, guint32 mpi_ms,
           guint64 cycles)
{
    static const char *const names[] = { "main", "work", "MPI_Recv" };
    g_autoptr (JobRankSet) ranks = job_rank_set_new_range (first, end);
    g_autoptr (GArray) row = g_array_new (FALSE, FALSE, sizeof (JobCost));
    guint32 numbers[3];

    for (guint i = 0; i < 3; i++) {
        const JobLocation place = { .function = (char *) names[i],
                                    .file = (char *) "/a/app.c",
                                    .line = 10 + i,
                                    .language = JOB_LANGUAGE_C };

        numbers[i] = job_context_tree_add (job_costs_get_tree (costs), i > 0 ? numbers[0] : 0,
                                           &place, 0);
    }
    {
        const JobCost work = { numbers[1], JOB_CLASS_NATIVE, work_ms },
                      mpi = { numbers[2], JOB_CLASS_MPI, mpi_ms };

        g_array_append_val (row, work);
        g_array_append_val (row, mpi);
    }
    job_costs_add (costs, ranks, row);
    if (cycles > 0) {
        const JobContextCounts counted
            = { numbers[1],
                { { [JOB_COUNT_CYCLES] = cycles, [JOB_COUNT_INSTRUCTIONS] = 2 * cycles } } };
        g_autoptr (GArray) counts = g_array_new (FALSE, FALSE, sizeof counted);

        g_array_append_val (counts, counted);
        job_costs_add_counts (costs, end - first,
                              1u << JOB_COUNT_CYCLES | 1u << JOB_COUNT_INSTRUCTIONS, counts);
    }
    job_costs_note (costs, (guint64) (end - first) * 500, 0, 5000);
}

static JobEvent *
make_costs (guint32 first, guint32 end, guint32 work_ms, guint32 mpi_ms, guint64 cycles)
{
    g_autoptr (JobRankSet) ranks = job_rank_set_new_range (first, end);
    JobEvent *event = job_event_new (JOB_EVENT_COSTS, 0, ranks);

    event->costs = job_costs_new ();
    add_costs (event->costs, first, end, work_ms, mpi_ms, cycles);
    return event;
}

/* The sums of a group are written under its lowest rank. */
static void
assert_saved (Rig *rig)
{
    g_autofree char *folder = g_dir_make_tmp ("pddt-ask-XXXXXX", NULL);
    g_autofree char *inner = g_build_filename (folder, "saved", NULL);
    g_autofree char *line = g_strconcat ("profile save ", inner, NULL);
    guint n_files = 0;

    g_free (rig_run (rig, line));
    for (guint rank = 0; rank < 5000; rank++) {
        g_autofree char *name = g_strdup_printf ("cpu_%u.prof", rank);
        g_autofree char *path = g_build_filename (inner, name, NULL);

        n_files += g_file_test (path, G_FILE_TEST_EXISTS) && (rank == 0 || rank == 4000);
        g_assert_true (rank == 0 || rank == 4000 || !g_file_test (path, G_FILE_TEST_EXISTS));
    }
    g_assert_cmpuint (n_files, ==, 2);
    folder_remove (folder);
}

/* Of so many ranks the hosts tell sums, and the answer is one tree. */
static void
test_profile (void)
{
    Rig *rig = rig_new (5000, FALSE), *few = rig_new (4096, FALSE);
    const JobRequest *request;

    rig_answer (rig, make_costs (0, 4000, 4000, 1000, 0),
                make_costs (4000, 5000, 1000, 4000, 0), NULL);
    rig_assert (
        rig, "profile 5",
        "0-4999: 5.0 s, 2500000 samples\n"
        "native 68.0 %, MPI 32.0 %\n"
        "100.0 % main at app.c:10\n"
        " 68.0 %   work at app.c:11: 20 % of ranks 4000-4999 to 80 % of ranks 0-3999\n"
        " 32.0 %   MPI_Recv at app.c:12: 20 % of ranks 0-3999 to 80 % of ranks 4000-4999\n"
        "own time:\n"
        " 68.0 % work at app.c:11: 20 % of ranks 4000-4999 to 80 % of ranks 0-3999\n"
        " 32.0 % MPI_Recv at app.c:12: 20 % of ranks 0-3999 to 80 % of ranks 4000-4999\n"
        "not available: IPC, Memory-bound, Cache misses, Page faults\n");
    request = g_ptr_array_index (rig->requests, rig->requests->len - 1);
    g_assert_cmpuint (request->flags, ==, JOB_REQUEST_SUMMED);
    g_assert_cmpuint (request->every, ==, 5000);
    rig_answer (few, make_costs (0, 4096, 100, 100, 0), NULL);
    g_free (rig_run (few, "profile 1"));
    request = g_ptr_array_index (few->requests, few->requests->len - 1);
    g_assert_cmpuint (request->flags, ==, 0);
    rig_answer (rig, make_costs (0, 4000, 500, 500, 100),
                make_costs (4000, 5000, 500, 500, 300), NULL);
    rig_assert (rig, "profile 5",
                "0-4999: 5.0 s, 2500000 samples\n"
                "native 50.0 %, MPI 50.0 %\n"
                "100.0 % main at app.c:10\n"
                " 50.0 %   work at app.c:11\n"
                " 50.0 %   MPI_Recv at app.c:12\n"
                "own time:\n"
                " 50.0 % work at app.c:11; IPC 2.00\n"
                " 50.0 % MPI_Recv at app.c:12\n"
                "not available: Memory-bound, Cache misses, Page faults\n");
    rig_free (rig);
    rig_free (few);
    rig = rig_new (5000, TRUE);
    rig_answer (rig, make_costs (0, 4000, 4000, 1000, 0),
                make_costs (4000, 5000, 1000, 4000, 0), NULL);
    {
        g_autofree char *json = rig_run (rig, "profile 5");

        g_assert_nonnull (strstr (json, "\"groups\":[\"0-3999\",\"4000-4999\"]"));
    }
    assert_saved (rig);
    rig_free (rig);
}

/* Texts that are no numbers: what the language takes for true. */
static void
test_truth (void)
{
    g_autoptr (Rig) rig = make_rig ();
    JobEvent *event = rig_event (JOB_EVENT_VALUES, "0-7");

    add_value (event, "0", "True", FALSE);
    add_value (event, "1", "False", FALSE);
    add_value (event, "2", "[]", FALSE);
    add_value (event, "3", "[0]", FALSE);
    add_value (event, "4", "None", FALSE);
    add_value (event, "5", "(char *) 0x0", FALSE);
    add_value (event, "6", "(char *) 0x10", FALSE);
    add_value (event, "7", "''", FALSE);
    rig_answer (rig, event, NULL);
    rig_assert (rig, "on where (x) show state", "0-6/3: stopped, main at ring.c:10\n");
    g_assert_cmpuint (rig->n_failed, ==, 0);
}

/* Unknown is not false: it is said, and the others are acted upon. */
static void
test_unknown (void)
{
    g_autoptr (Rig) rig = make_rig ();
    JobEvent *event = rig_event (JOB_EVENT_VALUES, "0-2"), *failure, *early;

    session_set_deadlines (rig->session, 50, 50);
    add_value (event, "0-1", "True", FALSE);
    add_value (event, "2", "<optimised out>", TRUE);
    failure = rig_event (JOB_EVENT_FAILURE, "4-5");
    failure->text = g_strdup ("no symbol \"x\" in frame main");
    early = rig_event (JOB_EVENT_FAILURE, "3");
    early->text = g_strdup ("no symbol \"x\" in frame work");
    rig_answer (rig, event, failure, early, NULL); /* told by their ranks, whoever is first */
    rig_assert (rig, "on where (x > 3) show state",
                "error: cannot evaluate where (x > 3): <optimised out> (2)\n"
                "error: no symbol \"x\" in frame work (3)\n"
                "error: no symbol \"x\" in frame main (4-5)\n"
                "error: no answer (6-7)\n"
                "0-1: stopped, main at ring.c:10\n");
    g_assert_cmpuint (rig->n_failed, ==, 1);
}

/* Running ranks are asked too: the engine stops them for a moment and says so. */
static void
test_stacks (void)
{
    g_autoptr (Rig) rig = make_rig ();
    const JobRequest *request;

    rig_state (rig, "6-7", JOB_STATE_RUNNING, 0, NULL, NULL);
    command_context_flush (rig->context);
    rig_answer (rig, make_stack ("0-3,6", "work", "main"), make_stack ("4-5,7", "rest", "main"),
                NULL);
    rig_assert (rig, "set a = in work", "");
    request = g_ptr_array_index (rig->requests, 0);
    g_assert_cmpint (request->verb, ==, JOB_VERB_WHERE);
    g_assert_cmpuint (job_rank_set_get_count (request->ranks), ==, 8);
    rig_answer (rig, make_stack ("0-3,6", "work", "main"), make_stack ("4-5,7", "rest", "main"),
                NULL);
    rig_assert (rig, "set b = same 4", "");
    rig_assert (rig, "show sets", "focus = 0-7\na = 0-3,6\nb = 4-5,7\n");
    rig_state (rig, "4", JOB_STATE_EXITED, 0, NULL, NULL);
    command_context_flush (rig->context);
    rig_assert (rig, "pick same 4", "error: rank 4 has ended: it has no stack\n");
}

/* Rank 5 of a 2 x 4 grid that is periodic in its rows only. */
static void
test_neighbours (void)
{
    g_autoptr (Rig) rig = make_rig ();
    JobEvent *event = rig_event (JOB_EVENT_QUEUES, "5");
    JobMessageQueue *queue = job_message_queue_new (5);
    JobMessageCommunicator *grid = job_message_communicator_new (9, "grid");
    const gint32 dims[] = { 2, 4 }, periods[] = { 0, 1 }, coords[] = { 1, 1 };

    grid->flags = JOB_MESSAGE_COMMUNICATOR_CARTESIAN;
    grid->size = 8;
    grid->local_rank = 5;
    grid->dims = g_array_append_vals (g_array_new (FALSE, FALSE, 4), dims, 2);
    grid->periods = g_array_append_vals (g_array_new (FALSE, FALSE, 4), periods, 2);
    grid->coords = g_array_append_vals (g_array_new (FALSE, FALSE, 4), coords, 2);
    queue->source = JOB_MESSAGE_SOURCE_RECORDER;
    g_ptr_array_add (queue->communicators, grid);
    event->queues = job_message_table_new ();
    job_message_table_add (event->queues, queue);
    rig_answer (rig, event, NULL);
    rig_assert (rig, "on nof 5 show state", "1,4,6: stopped, main at ring.c:10\n");
    /* Without such a communicator by number. */
    rig_assert (rig, "on nof 5, nof 0 show state", "1,4,6: stopped, main at ring.c:10\n");
    rig_assert (rig, "on nof 9 step", "error: no rank 9\n");
}

/* Continued ranks count as blocked when they are inside MPI and do not get on. */
static void
test_blocked (void)
{
    g_autoptr (Rig) rig = make_rig ();

    rig_state (rig, "0-2", JOB_STATE_RUNNING, 0, NULL, NULL);
    rig_state (rig, "7", JOB_STATE_BLOCKED, 0, NULL, "MPI_Recv at /a/ring.c:40");
    command_context_flush (rig->context);
    for (guint i = 0; i < 2; i++) {
        JobEvent *event = rig_event (JOB_EVENT_QUEUES, "0-7");

        event->queues = job_message_table_new ();
        for (guint32 rank = 0; rank < 3; rank++) {
            JobMessageQueue *queue = job_message_queue_new (rank);
            JobMessageCall *call = job_message_call_new (JOB_MESSAGE_RECV, "MPI_Recv");

            queue->source = JOB_MESSAGE_SOURCE_RECORDER;
            queue->completed = rank == 2 ? i : 0;
            call->peer = 3;
            if (rank > 0) {
                g_ptr_array_add (queue->calls, call);
            } else {
                job_message_call_free (call);
            }
            job_message_table_add (event->queues, queue);
        }
        rig_answer (rig, event, NULL);
    }
    rig_assert (rig, "set stuck = blocked", "");
    rig_assert (rig, "show sets", "focus = 0-7\nstuck = 1,7\n");
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/command/ask/profile", test_profile);
    g_test_add_func ("/command/ask/truth", test_truth);
    g_test_add_func ("/command/ask/unknown", test_unknown);
    g_test_add_func ("/command/ask/stacks", test_stacks);
    g_test_add_func ("/command/ask/neighbours", test_neighbours);
    g_test_add_func ("/command/ask/blocked", test_blocked);
    return g_test_run ();
}
