/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rank sets against a plain array of truths, their text, and their bytes under damage. */
#include "base/error.h"
#include "job/rank-set.h"
#include <string.h>

#define N_RANKS 70

static JobRankSet *
parse (const char *text)
{
    g_autoptr (GError) error = NULL;
    JobRankSet *set = job_rank_set_parse (text, 1000000, &error);

    g_assert_no_error (error);
    return set;
}

static void
assert_normal (const JobRankSet *set)
{
    for (guint i = 0; i < set->ranges->len; i++) {
        JobRankRange range = g_array_index (set->ranges, JobRankRange, i);

        g_assert_cmpuint (range.first, <, range.end);
        if (i > 0) {
            g_assert_cmpuint (g_array_index (set->ranges, JobRankRange, i - 1).end, <,
                              range.first);
        }
    }
}

static void
assert_members (const JobRankSet *set, const gboolean *members)
{
    guint32 count = 0;
    JobRankIter iter = { 0 };
    guint32 rank;

    assert_normal (set);
    for (guint32 i = 0; i < N_RANKS; i++) {
        g_assert_cmpint (job_rank_set_contains (set, i), ==, members[i]);
        count += members[i] ? 1 : 0;
    }
    g_assert_cmpuint (job_rank_set_get_count (set), ==, count);
    while (job_rank_set_next (set, &iter, &rank)) {
        g_assert_true (members[rank]);
        count--;
    }
    g_assert_cmpuint (count, ==, 0);
}

/* A set built by random steps, and the truths beside it. */
static JobRankSet *
new_random (GRand *random, gboolean *members)
{
    JobRankSet *set = job_rank_set_new ();

    memset (members, 0, N_RANKS * sizeof *members);
    for (int i = g_rand_int_range (random, 0, 20); i > 0; i--) {
        guint32 first = (guint32) g_rand_int_range (random, 0, N_RANKS);
        guint32 end = (guint32) g_rand_int_range (random, 0, N_RANKS + 1);

        if (g_rand_boolean (random)) {
            job_rank_set_remove (set, first);
            members[first] = FALSE;
            continue;
        }
        end = MIN (end, first + 9);
        job_rank_set_add_range (set, first, end);
        for (guint32 k = first; k < end; k++) {
            members[k] = TRUE;
        }
    }
    return set;
}

static void
check_pair (const JobRankSet *a, const gboolean *in_a, const JobRankSet *b,
            const gboolean *in_b)
{
    g_autoptr (JobRankSet) both = job_rank_set_union (a, b);
    g_autoptr (JobRankSet) common = job_rank_set_intersect (a, b);
    g_autoptr (JobRankSet) rest = job_rank_set_subtract (a, b);
    g_autoptr (JobRankSet) merged = job_rank_set_dup (a);
    gboolean in_both[N_RANKS], in_common[N_RANKS], in_rest[N_RANKS];

    for (guint i = 0; i < N_RANKS; i++) {
        in_both[i] = in_a[i] || in_b[i];
        in_common[i] = in_a[i] && in_b[i];
        in_rest[i] = in_a[i] && !in_b[i];
    }
    job_rank_set_merge (merged, b);
    assert_members (both, in_both);
    assert_members (merged, in_both);
    assert_members (common, in_common);
    assert_members (rest, in_rest);
    g_assert_true (job_rank_set_equal (both, merged));
    g_assert_cmpint (job_rank_set_intersects (a, b), ==, !job_rank_set_is_empty (common));
    g_assert_true (job_rank_set_is_subset (common, a) && job_rank_set_is_subset (a, both));
    g_assert_cmpint (job_rank_set_is_subset (a, b), ==, job_rank_set_is_empty (rest));
}

static void
check_text_and_bytes (const JobRankSet *set)
{
    g_autofree char *text = job_rank_set_format (set);
    g_autoptr (GByteArray) bytes = g_byte_array_new ();
    g_autoptr (JobRankSet) decoded = NULL;

    job_rank_set_encode (set, bytes);
    decoded = job_rank_set_decode (bytes->data, bytes->len, N_RANKS, NULL);
    g_assert_nonnull (decoded);
    g_assert_true (job_rank_set_equal (set, decoded));
    if (!job_rank_set_is_empty (set)) {
        g_autoptr (JobRankSet) parsed = parse (text);

        g_assert_true (job_rank_set_equal (set, parsed));
    }
}

static void
test_random (void)
{
    g_autoptr (GRand) random = g_rand_new_with_seed (4);

    for (int i = 0; i < 2000; i++) {
        gboolean in_a[N_RANKS], in_b[N_RANKS];
        g_autoptr (JobRankSet) a = new_random (random, in_a);
        g_autoptr (JobRankSet) b = new_random (random, in_b);

        assert_members (a, in_a);
        check_pair (a, in_a, b, in_b);
        check_text_and_bytes (a);
    }
}

static void
test_format (void)
{
    static const char *const texts[] = {
        "0-3,5,8-14/2", "0", "0-1", "0,2", "0-4/2", "5,8-14/2", "0,2,7-9", "1-3,5,7,100-300/100"
    };

    for (gsize i = 0; i < G_N_ELEMENTS (texts); i++) {
        g_autoptr (JobRankSet) set = parse (texts[i]);
        g_autofree char *text = job_rank_set_format (set);

        g_assert_cmpstr (text, ==, texts[i]);
    }
}

static void
test_parse (void)
{
    static const char *const wrong[] = { "",
                                         "x",
                                         "1-",
                                         "-1",
                                         "3-1",
                                         "1-5/0",
                                         "1-5/",
                                         "1,",
                                         ",1",
                                         "1 2",
                                         "10",
                                         "0-10",
                                         "99999999999999999999",
                                         "1-2-3",
                                         "all" };
    g_autoptr (JobRankSet) spaced = job_rank_set_parse (" 1 , 3 - 7 / 2 ", 10, NULL);
    g_autoptr (JobRankSet) plain = job_rank_set_parse ("1-7/2", 10, NULL);
    g_autoptr (JobRankSet) even = parse ("0-30/2");

    g_assert_true (job_rank_set_equal (spaced, plain));
    g_assert_cmpuint (job_rank_set_get_count (even), ==, 16);
    for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++) {
        g_autoptr (GError) error = NULL;

        g_assert_null (job_rank_set_parse (wrong[i], 10, &error));
        g_assert_error (error, BASE_ERROR, BASE_ERROR_INVALID);
    }
}

static gsize
get_encoded_size (const char *text)
{
    g_autoptr (JobRankSet) set = parse (text);
    g_autoptr (GByteArray) bytes = g_byte_array_new ();
    g_autoptr (JobRankSet) decoded = NULL;

    job_rank_set_encode (set, bytes);
    decoded = job_rank_set_decode (bytes->data, bytes->len, 1000000, NULL);
    g_assert_true (job_rank_set_equal (set, decoded));
    return bytes->len;
}

static void
test_small (void)
{
    g_assert_cmpuint (get_encoded_size ("0-999999"), <=, 6);
    g_assert_cmpuint (get_encoded_size ("0-999999/2"), <=, 12);
    g_assert_cmpuint (
        get_encoded_size ("0,3,4,9,11,17,18,19,23,29,31,40,41,47,50,52,55,57,60,63"), <=, 16);
}

static void
test_damage (void)
{
    g_autoptr (GRand) random = g_rand_new_with_seed (5);

    for (int i = 0; i < 20000; i++) {
        guint8 data[12];
        gsize size = (gsize) g_rand_int_range (random, 0, sizeof data + 1);
        g_autoptr (JobRankSet) set = NULL;
        g_autoptr (GError) error = NULL;

        for (gsize k = 0; k < size; k++) {
            data[k] = (guint8) g_rand_int_range (random, 0, k == 0 ? 4 : 256);
        }
        set = job_rank_set_decode (data, size, N_RANKS, &error);
        if (set == NULL) {
            g_assert_error (error, BASE_ERROR, BASE_ERROR_CORRUPT);
            continue;
        }
        assert_normal (set);
        g_assert_true (job_rank_set_is_empty (set) || !job_rank_set_contains (set, N_RANKS));
    }
}

/* Values one by one, in runs that begin and end anywhere within the words that are looked at. */
static void
test_choose (void)
{
    g_autoptr (GRand) random = g_rand_new_with_seed (7);
    guint8 values[N_RANKS];

    for (int round = 0; round < 3000; round++) {
        gboolean members[N_RANKS];
        g_autoptr (JobRankSet) set = new_random (random, members);
        g_autoptr (JobRankSet) chosen = NULL;
        guint8 wanted[256] = { [1] = 1, [255] = 1 };
        guint32 n = (guint32) g_rand_int_range (random, 0, N_RANKS + 1);
        int run = g_rand_int_range (random, 1, 70);

        for (guint32 i = 0; i < N_RANKS; i++) {
            static const guint8 kinds[] = { 0, 1, 2, 255 };

            values[i] = i > 0 && g_rand_int_range (random, 0, run) > 0
                            ? values[i - 1]
                            : kinds[g_rand_int_range (random, 0, 4)];
        }
        chosen = job_rank_set_choose (set, values, n, wanted);
        for (guint32 i = 0; i < N_RANKS; i++) {
            members[i] = members[i] && i < n && wanted[values[i]] == 1;
        }
        assert_members (chosen, members);
    }
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/job/rank-set/random", test_random);
    g_test_add_func ("/job/rank-set/choose", test_choose);
    g_test_add_func ("/job/rank-set/format", test_format);
    g_test_add_func ("/job/rank-set/parse", test_parse);
    g_test_add_func ("/job/rank-set/small", test_small);
    g_test_add_func ("/job/rank-set/damage", test_damage);
    return g_test_run ();
}
