/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Clocks of other hosts: known at points, and between them. */
#include "profile/clock.h"
#include "profile/private.h"
#include "profile/spool.h"
#include "profile/summary.h"
#include <glib/gstdio.h>

#define SECOND G_USEC_PER_SEC

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ProfileClock, profile_clock_free)

static void
add (ProfileClock *clock, gint64 there_us, gint64 offset_us, gint64 round_us)
{
    const ProfileClockPoint point = { there_us, offset_us, round_us };

    profile_clock_add (clock, &point);
}

static void
test_between (void)
{
    g_autoptr (ProfileClock) clock = profile_clock_new ();

    g_assert_false (profile_clock_is_known (clock));
    g_assert_cmpint (profile_clock_get_offset (clock, 5), ==, 0);
    add (clock, 100 * SECOND, -50 * SECOND, 100);
    g_assert_cmpint (profile_clock_get_offset (clock, 5), ==, -50 * SECOND);
    add (clock, 200 * SECOND, -51 * SECOND, 100);
    profile_clock_settle (clock);
    g_assert_cmpint (profile_clock_get_offset (clock, 0), ==, -50 * SECOND);
    g_assert_cmpint (profile_clock_get_offset (clock, 150 * SECOND), ==, -50500000);
    g_assert_cmpint (profile_clock_get_offset (clock, 200 * SECOND), ==, -51 * SECOND);
    g_assert_cmpint (profile_clock_get_offset (clock, 1000 * SECOND), ==, -51 * SECOND);
    g_assert_cmpint (profile_clock_get_corrected_us (clock), ==, 0);
}

/* Of answers that are near each other the fastest counts. */
static void
test_fastest (void)
{
    g_autoptr (ProfileClock) clock = profile_clock_new ();

    add (clock, 10 * SECOND, 7000, 9000);
    add (clock, 11 * SECOND, 3000, 90);
    add (clock, 12 * SECOND, 5000, 4000);
    add (clock, 13 * SECOND, 1, -5); /* nobody answers before the question */
    add (clock, 2 * SECOND, 4, 5);   /* nor does time run backwards */
    g_assert_cmpuint (profile_clock_get_points (clock)->len, ==, 1);
    g_assert_cmpint (profile_clock_get_offset (clock, 10 * SECOND), ==, 3000);
}

/* A clock that drifts by 50 µs a second, over a day, seen through a network that takes up to 4 ms: few points
 * are kept, and nowhere is one further from the truth than half the time of its answer. */
static void
test_day (void)
{
    g_autoptr (ProfileClock) clock = profile_clock_new ();
    g_autoptr (GRand) random = g_rand_new_with_seed (3);

    for (gint64 s = 0; s < 86400; s += 2) {
        gint64 up = g_rand_int_range (random, 100, 2000),
               down = g_rand_int_range (random, 100, 2000);

        add (clock, s * SECOND, 1000000 - 50 * s + (up - down) / 2, up + down);
    }
    g_assert_cmpuint (profile_clock_get_points (clock)->len, <=, 256);
    profile_clock_settle (clock);
    g_assert_cmpuint (profile_clock_get_points (clock)->len, <, 40);
    for (gint64 s = 0; s < 86400; s += 600) {
        gint64 off_us = profile_clock_get_offset (clock, s * SECOND) - (1000000 - 50 * s);

        g_assert_cmpint (ABS (off_us), <, 2000);
    }
    g_assert_cmpint (profile_clock_get_corrected_us (clock), ==, 0);
}

static void
expect_forward (const ProfileClock *clock, gint64 end_us)
{
    gint64 before_us = G_MININT64;

    for (gint64 us = 0; us < end_us; us += end_us / 1000) {
        gint64 here_us = us + profile_clock_get_offset (clock, us);

        g_assert_cmpint (here_us, >=, before_us);
        before_us = here_us;
    }
}

/* Two answers cannot both be right: the slow one gives way, and it is said by how much. */
static void
test_backwards (void)
{
    g_autoptr (ProfileClock) clock = profile_clock_new ();

    add (clock, 1 * SECOND, 500, 100);
    add (clock, 7 * SECOND, 30 * SECOND, 60 * SECOND);
    add (clock, 13 * SECOND, 600, 100);
    profile_clock_settle (clock);
    expect_forward (clock, 20 * SECOND);
    g_assert_cmpint (profile_clock_get_corrected_us (clock), ==, 24 * SECOND - 600);
    g_assert_cmpint (profile_clock_get_offset (clock, 7 * SECOND), ==, 550);
    profile_clock_settle (clock);
    g_assert_cmpint (profile_clock_get_corrected_us (clock), ==, 24 * SECOND - 600);
}

/* The front end's machine has slept for an hour between two answers: what had come before it fell asleep was
 * sampled before. */
static void
test_sleep (void)
{
    g_autoptr (ProfileClock) clock = profile_clock_new ();
    gint64 hour = G_TIME_SPAN_HOUR;

    for (gint64 s = 10; s < 30; s += 6) {
        add (clock, s * SECOND, 0, 200);
        profile_clock_add_limit (clock, s * SECOND + 500000, 300);
    }
    add (clock, hour + 40 * SECOND, -hour, 200); /* our clock has stood still */
    profile_clock_add_limit (clock, hour + 40 * SECOND, 400 - hour);
    profile_clock_settle (clock);
    expect_forward (clock, hour + 60 * SECOND);
    g_assert_cmpint (ABS (profile_clock_get_offset (clock, 28 * SECOND + 500000)), <, 1000000);
    g_assert_cmpint (profile_clock_get_offset (clock, hour + 40 * SECOND), ==, -hour);
}

static void
test_limits (void)
{
    g_autoptr (ProfileClock) clock = profile_clock_new (), alone = profile_clock_new ();

    add (clock, 10 * SECOND, 5 * SECOND, 100);
    add (clock, 20 * SECOND, 5 * SECOND, 100);
    profile_clock_add_limit (clock, 15 * SECOND, 2 * SECOND); /* three seconds too early */
    profile_clock_settle (clock);
    g_assert_cmpint (profile_clock_get_corrected_us (clock), ==, 3 * SECOND);
    g_assert_cmpint (profile_clock_get_offset (clock, 15 * SECOND), ==, 2 * SECOND);
    expect_forward (clock, 30 * SECOND);
    profile_clock_add_limit (alone, 10 * SECOND, 700); /* a daemon that does not answer */
    profile_clock_add_limit (alone, 16 * SECOND, 400);
    profile_clock_add_limit (alone, 22 * SECOND, 900);
    profile_clock_settle (alone);
    g_assert_cmpint (profile_clock_get_offset (alone, 30 * SECOND), ==, 400);
    g_assert_cmpint (profile_clock_get_corrected_us (alone), ==, 0);
}

static GBytes *
make_batch (gint64 begin_us)
{
    g_autoptr (JobContextTree) tree = job_context_tree_new ();
    const JobLocation location = { .function = (char *) "main", .file = (char *) "app.c" };
    g_autoptr (GArray) samples = g_array_new (FALSE, FALSE, sizeof (JobSample));

    job_context_tree_add (tree, 0, &location, 0);
    for (guint i = 1; i <= 100; i++) {
        JobSample sample = { begin_us + i * 10000, 10000, 1, 1, JOB_CLASS_NATIVE, FALSE };

        g_array_append_val (samples, sample);
    }
    return job_sample_batch_encode (tree, 1, samples, 0);
}

/* What the spool says of clocks is in the model that comes of it, also after it was written anew. */
static void
test_spool (void)
{
    g_autofree char *folder = g_dir_make_tmp ("pddt-clock-XXXXXX", NULL);
    g_autofree char *path = g_build_filename (folder, PROFILE_SPOOL_NAME, NULL);

    for (guint round = 0; round < 2; round++) {
        g_autoptr (ProfileSpool) spool = profile_spool_create (folder, NULL);
        g_autoptr (GBytes) batch = make_batch (100 * SECOND);
        const ProfileProcess process = { .pid = 7, .host = (char *) "node1" };
        const ProfileClockPoint points[3] = { { 99 * SECOND, -98 * SECOND, 100 },
                                              { 105 * SECOND, -98 * SECOND, 100 },
                                              { 111 * SECOND, -108 * SECOND, 300 } };
        g_autoptr (ProfileModel) model = NULL;
        g_autofree char *said = NULL;

        profile_spool_put_process (spool, 0, &process);
        for (guint i = 0; i < 3; i++) {
            profile_spool_put_clock (spool, "node1", &points[i], FALSE);
        }
        profile_spool_put_clock (spool, "node1",
                                 &(const ProfileClockPoint){ 101000000, -99000000, 0 }, TRUE);
        profile_spool_put_batch (spool, 0, batch);
        g_assert_true (profile_spool_flush (spool));
        model = profile_spool_load (path, NULL);
        if (round > 0) {
            g_assert_true (profile_spool_rewrite (spool, model));
            profile_model_free (model);
            model = profile_spool_load (path, NULL);
        }
        g_assert_cmpint (profile_model_get_process (model, 0)->offset_us, <=, -98 * SECOND);
        g_assert_cmpint (profile_model_get_process (model, 0)->offset_us, >=, -99 * SECOND);
        said = profile_format_summary (model);
        g_assert_nonnull (strstr (said,
                                  round > 0
                                      ? "1 rank"
                                      : "The clock of node1 has run backwards beside this "
                                        "host's, by up to 4.000 s"));
        g_unlink (path);
    }
    g_rmdir (folder);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/clock/between", test_between);
    g_test_add_func ("/clock/fastest", test_fastest);
    g_test_add_func ("/clock/day", test_day);
    g_test_add_func ("/clock/backwards", test_backwards);
    g_test_add_func ("/clock/sleep", test_sleep);
    g_test_add_func ("/clock/limits", test_limits);
    g_test_add_func ("/clock/spool", test_spool);
    return g_test_run ();
}
