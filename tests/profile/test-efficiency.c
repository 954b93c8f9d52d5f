/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which ranks the others wait for, computed by hand. */
#include <glib/gstdio.h>
#include "profile/report.h"
#include "profile/summary.h"
#include "profile/view/efficiency.h"
#include "profile/view/lone-work.h"
#include <math.h>
#include <string.h>

enum { STEP_MS = 100, N_STEPS = 40 };

static void
assert_near (double a, double b)
{
    g_assert_cmpfloat (fabs (a - b), <, 1e-6);
}

static guint32
add (JobContextTree *tree, guint32 parent, const char *function, const char *file, guint32 line,
     guint32 flags)
{
    JobLocation location = { .function = (char *) function,
                             .file = (char *) file,
                             .line = line,
                             .language = JOB_LANGUAGE_C };

    return job_context_tree_add (tree, parent, &location, flags);
}

static void
spend_ms (GArray *samples, guint32 context, JobClass class, guint ms)
{
    gint64 now_us = samples->len > 0
                        ? g_array_index (samples, JobSample, samples->len - 1).time_us
                        : 1000000;
    JobSample sample = { .time_us = now_us + ms * 1000,
                         .weight_us = ms * 1000,
                         .context = context,
                         .thread = 1,
                         .class = (guint8) class };

    g_array_append_val (samples, sample);
}

static void
spend (GArray *samples, guint32 context, JobClass class, guint seconds)
{
    spend_ms (samples, context, class, seconds * 1000);
}

/* Seconds in MPI_Init, in what that rank works, and in MPI_Barrier. */
static void
give_round (ProfileModel *model, guint32 rank, gboolean is_io, guint init, guint work,
            guint barrier)
{
    JobContextTree *tree = job_context_tree_new ();
    g_autoptr (GArray) samples = g_array_new (FALSE, FALSE, sizeof (JobSample));
    g_autoptr (GBytes) batch = NULL;
    g_autoptr (GError) error = NULL;
    guint32 main_at = add (tree, 0, "main", "/src/a.c", 3, 0);
    guint32 init_at = add (tree, main_at, "PMPI_Init_thread", NULL, 0, JOB_FRAME_LIBRARY);
    guint32 inner = add (tree, init_at, "poll", NULL, 0, JOB_FRAME_LIBRARY);
    guint32 solve = add (tree, main_at, "solve", "/src/a.c", 10, 0);
    guint32 store = add (tree, main_at, "store", "/src/a.c", 40, 0);
    guint32 write_at = add (tree, store, "write", NULL, 0, JOB_FRAME_LIBRARY);
    guint32 barrier_at = add (tree, main_at, "MPI_Barrier", NULL, 0, JOB_FRAME_LIBRARY);

    add (tree, main_at, "MPI_Initialized", NULL, 0, JOB_FRAME_LIBRARY);
    spend (samples, inner, JOB_CLASS_MPI, init);
    spend (samples, is_io ? write_at : solve, is_io ? JOB_CLASS_IO : JOB_CLASS_NATIVE, work);
    spend (samples, barrier_at, JOB_CLASS_MPI, barrier);
    batch = job_sample_batch_encode (tree, 1, samples, 0);
    g_assert_true (profile_model_add (model, rank, batch, &error));
    g_assert_no_error (error);
    job_context_tree_free (tree);
}

/* Two ranks that write are waited for; the time that MPI takes to begin is none of its messages'. */
static void
test_waited_for (void)
{
    g_autoptr (ProfileModel) model = profile_model_new ();
    g_autoptr (JobRankSet) ranks = NULL;
    g_autofree char *text = NULL, *place = NULL;
    ProfileEfficiency all;

    give_round (model, 0, FALSE, 4, 2, 6);
    give_round (model, 1, TRUE, 5, 6, 1);
    give_round (model, 2, TRUE, 4, 7, 1);
    give_round (model, 3, FALSE, 4, 3, 5);
    g_assert_true (profile_efficiency_find (model, &all));
    assert_near (all.mpi_s, 30);
    assert_near (all.least_mpi_s, 5);
    assert_near (all.messages_s, 13);
    assert_near (all.least_messages_s, 1);
    assert_near (all.waiting_s, 9);
    ranks = profile_efficiency_dup_least (model, &all);
    text = job_rank_set_format (ranks);
    g_assert_cmpstr (text, ==, "1-2");
    place = profile_efficiency_find_work (model, ranks);
    g_assert_cmpstr (place, ==, "store at a.c:40");
}

/* Rank `rank` of steps that take as long as the slowest rank needs, sampled each 10 ms: it needs the whole step in those that
 * are its own, and else 10 ms. Its own are those whose number leaves `turn` when it is divided by n_turns. */
static void
give_steps (ProfileModel *model, guint32 rank, guint turn, guint n_turns, guint step_ms,
            JobClass class)
{
    g_autoptr (JobContextTree) tree = job_context_tree_new ();
    g_autoptr (GArray) samples = g_array_new (FALSE, FALSE, sizeof (JobSample));
    g_autoptr (GBytes) batch = NULL;
    g_autofree char *name = g_strdup_printf ("slow%u", rank);
    guint32 main_at = add (tree, 0, "main", "/src/a.c", 3, 0);
    guint32 slow = add (tree, main_at, name, "/src/a.c", 10 + rank, 0);
    guint32 quick = add (tree, main_at, "quick", "/src/a.c", 30, 0);
    guint32 barrier = add (tree, main_at, "MPI_Barrier", NULL, 0, JOB_FRAME_LIBRARY);

    for (guint step = 0; step < N_STEPS; step++) {
        for (guint ms = 0; ms < step_ms; ms += 10) {
            gboolean is_slow = step % n_turns == turn;

            spend_ms (samples,
                      is_slow   ? slow
                      : ms == 0 ? quick
                                : barrier,
                      is_slow   ? class
                      : ms == 0 ? JOB_CLASS_NATIVE
                                : JOB_CLASS_MPI,
                      10);
        }
    }
    batch = job_sample_batch_encode (tree, 1, samples, 0);
    g_assert_true (profile_model_add (model, rank, batch, NULL));
}

static gboolean
has_sentence (const ProfileModel *model, const char *text)
{
    const ProfileReportFacts facts = { 0 };
    g_autoptr (ProfilePage) page = profile_report_new (model, &facts, BASE_TEXT_ENGLISH);
    g_autofree char *path = NULL, *written = NULL;
    int file = g_file_open_tmp ("pddt-test-XXXXXX.txt", &path, NULL);
    gboolean is_there;

    g_assert_cmpint (file, >=, 0);
    g_assert_true (profile_page_save (page, path, NULL));
    g_assert_true (g_file_get_contents (path, &written, NULL, NULL));
    g_strdelimit (written, "\n", ' ');
    is_there = strstr (written, text) != NULL;
    if (!is_there) {
        g_test_message ("%s", written);
    }
    g_assert_true (g_close (file, NULL));
    g_assert_cmpint (g_remove (path), ==, 0);
    return is_there;
}

/* Rank 0 is slow in even steps, rank 1 writes in odd ones: their sums are equal, and both are named, with what they did. */
static void
test_turns (void)
{
    g_autoptr (ProfileModel) model = profile_model_new ();
    g_autoptr (GArray) alone = NULL;
    const ProfileLoneWork *first, *second;

    give_steps (model, 0, 0, 2, STEP_MS, JOB_CLASS_NATIVE);
    give_steps (model, 1, 1, 2, STEP_MS, JOB_CLASS_IO);
    give_steps (model, 2, 2, 2, STEP_MS, JOB_CLASS_NATIVE); /* never slow */
    alone = profile_lone_work_new (model);
    g_assert_cmpuint (alone->len, ==, 2);
    first = &g_array_index (alone, ProfileLoneWork, 0);
    second = first + 1;
    /* In each of its 20 steps for 90 ms, while two others wait. */
    assert_near (first->seconds, 3.6);
    assert_near (second->seconds, 3.6);
    g_assert_cmpuint (first->rank + second->rank, ==, 1);
    g_assert_cmpstr ((first->rank == 0 ? first : second)->place, ==, "slow0 at a.c:10");
    g_assert_cmpstr ((first->rank == 1 ? first : second)->place, ==, "slow1 at a.c:11");
    g_assert_true (has_sentence (model,
                                 "only one rank at a time was at work: ranks 0 (50 %, slow0 at "
                                 "a.c:10), 1 (50 %, slow1 at a.c:11)."));
}

/* Steps of two samples: who came last in them, nobody knows. */
static void
test_short_turns (void)
{
    g_autoptr (ProfileModel) model = profile_model_new ();
    g_autoptr (GArray) alone = NULL;

    give_steps (model, 0, 0, 2, 20, JOB_CLASS_NATIVE);
    give_steps (model, 1, 1, 2, 20, JOB_CLASS_NATIVE);
    alone = profile_lone_work_new (model);
    g_assert_cmpuint (alone->len, ==, 0);
    g_assert_false (has_sentence (model, "at a time"));
}

/* Two of three ranks work at the same time: nobody is the last one. */
static void
test_together (void)
{
    g_autoptr (ProfileModel) model = profile_model_new ();
    g_autoptr (GArray) alone = NULL;

    give_steps (model, 0, 0, 2, STEP_MS, JOB_CLASS_NATIVE);
    give_steps (model, 1, 0, 2, STEP_MS, JOB_CLASS_NATIVE);
    give_steps (model, 2, 2, 2, STEP_MS, JOB_CLASS_NATIVE);
    alone = profile_lone_work_new (model);
    g_assert_cmpuint (alone->len, ==, 0);
}

/* As the calls of a trace, most of MPI's time is at no line: what is at one is not said to be the largest part. */
static void
test_no_line (void)
{
    g_autoptr (ProfileModel) model = profile_model_new ();
    g_autoptr (JobContextTree) tree = job_context_tree_new ();
    g_autoptr (GArray) samples = g_array_new (FALSE, FALSE, sizeof (JobSample));
    g_autoptr (GBytes) batch = NULL;
    guint32 program = add (tree, 0, "ring", NULL, 0, 0);
    guint32 main_at = add (tree, program, "main", "/src/a.c", 3, 0);

    spend (samples, add (tree, program, "MPI_Waitall", NULL, 0, 0), JOB_CLASS_MPI, 8);
    spend (samples, add (tree, main_at, "poll", NULL, 0, JOB_FRAME_LIBRARY), JOB_CLASS_MPI, 1);
    spend (samples, main_at, JOB_CLASS_NATIVE, 1);
    batch = job_sample_batch_encode (tree, 1, samples, 0);
    g_assert_true (profile_model_add (model, 0, batch, NULL));
    g_assert_true (has_sentence (
        model, "Most of the time, 90 %, is MPI: the largest part, 80 %, in MPI_Waitall."));
    g_assert_true (has_sentence (model,
                                 "The largest part, 10.0 % of all time, is in main at a.c:3."));
}

/* A function without a name is named by its module wherever a place is; what nobody has looked at is nobody's. */
static void
test_nameless (void)
{
    const JobLocation nameless = { .module = (char *) "shares", .offset = 0x1180 };
    g_autoptr (ProfileModel) model = profile_model_new ();
    g_autoptr (JobContextTree) tree = job_context_tree_new ();
    g_autoptr (GArray) samples = g_array_new (FALSE, FALSE, sizeof (JobSample));
    g_autoptr (GBytes) batch = NULL;
    g_autofree char *summary = NULL;
    guint32 main_at = add (tree, 0, "main", "/src/a.c", 3, 0);
    guint32 program = job_context_tree_add (tree, 0, &nameless,
                                            JOB_FRAME_LIBRARY | JOB_FRAME_PROGRAM);

    spend (samples, main_at, JOB_CLASS_NATIVE, 1);
    spend (samples, program, JOB_CLASS_NATIVE, 3);
    spend (samples, add (tree, program, "qsort", NULL, 0, JOB_FRAME_LIBRARY), JOB_CLASS_NATIVE,
           2);
    spend (samples, add (tree, main_at, "(not recorded)", NULL, 0, 0), JOB_CLASS_UNSAMPLED, 4);
    batch = job_sample_batch_encode (tree, 1, samples, 0);
    g_assert_true (profile_model_add (model, 0, batch, NULL));
    summary = profile_format_summary (model);
    g_assert_nonnull (strstr (summary,
                              "The most expensive places: shares+0x1180 50.0 %; main at "
                              "a.c:3 10.0 %."));
    g_assert_true (has_sentence (
        model, "Most of the time, 60 %, is native: the largest part, 50 %, in shares+0x1180."));
    g_assert_true (has_sentence (model, "shares+0x1180   shares"));
    g_assert_true (has_sentence (model, "a.c:3  main         1.000       10.0"));
}

/* Of few samples nearly nothing is known; no run took "0.0 s". */
static void
test_short (void)
{
    static const struct {
        double seconds;
        const char *text;
    } rows[] = { { 11.94, "11.9 s" },
                 { 0.96, "1.0 s" },
                 { 0.5, "0.5 s" },
                 { 0.024, "0.024 s" },
                 { 0.0005, "0.5 ms" } };
    g_autoptr (ProfileModel) model = profile_model_new ();
    g_autoptr (JobContextTree) tree = job_context_tree_new ();
    g_autoptr (GArray) samples = g_array_new (FALSE, FALSE, sizeof (JobSample));
    g_autoptr (GBytes) batch = NULL;

    spend_ms (samples, add (tree, 0, "main", "/src/a.c", 3, 0), JOB_CLASS_NATIVE, 10);
    batch = job_sample_batch_encode (tree, 1, samples, 0);
    g_assert_true (profile_model_add (model, 0, batch, NULL));
    g_assert_true (has_sentence (
        model, "native                 0.010      100.0                      43.6"));
    for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
        g_autofree char *text = profile_format_time (rows[i].seconds);

        g_assert_cmpstr (text, ==, rows[i].text);
    }
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/profile/efficiency/waited-for", test_waited_for);
    g_test_add_func ("/profile/efficiency/turns", test_turns);
    g_test_add_func ("/profile/efficiency/short-turns", test_short_turns);
    g_test_add_func ("/profile/efficiency/together", test_together);
    g_test_add_func ("/profile/efficiency/no-line", test_no_line);
    g_test_add_func ("/profile/efficiency/nameless", test_nameless);
    g_test_add_func ("/profile/efficiency/short", test_short);
    return g_test_run ();
}
