/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stretches of time against a search through all of them. */
#include "profile/model/stretches.h"

enum { MANY = 20000, SPAN_US = 1000000 };

static GArray *
make_list (GRand *random, guint n)
{
    GArray *list = g_array_new (FALSE, FALSE, sizeof (ProfileStretch));

    for (guint i = 0; i < n; i++) {
        gint64 begin_us = g_rand_int_range (random, 0, SPAN_US);
        /* Mostly short ones, and a few that last for long. */
        gint64 length_us = g_rand_int_range (random, 0, i % 1000 == 0 ? SPAN_US / 2 : 50);
        ProfileStretch stretch = { begin_us, begin_us + length_us, i };

        g_array_append_val (list, stretch);
    }
    return list;
}

static GArray *
dup_list (const GArray *list)
{
    GArray *copy = g_array_new (FALSE, FALSE, sizeof (ProfileStretch));

    g_array_append_vals (copy, list->data, list->len);
    return copy;
}

static gboolean
is_inside (const ProfileStretch *stretch, gint64 begin_us, gint64 end_us)
{
    return stretch->begin_us <= end_us && stretch->end_us >= begin_us;
}

/* Numbers are places in the list. */
static void
check (const GArray *list, const ProfileStretches *stretches, gint64 begin_us, gint64 end_us,
       guint most)
{
    g_autoptr (GArray) found = g_array_new (FALSE, FALSE, sizeof (guint32));
    g_autofree gboolean *is_found = g_new0 (gboolean, MAX (list->len, 1));
    gboolean is_all = profile_stretches_find (stretches, begin_us, end_us, most, found);
    guint wanted = 0;

    for (guint i = 0; i < list->len; i++) {
        wanted += is_inside (&g_array_index (list, ProfileStretch, i), begin_us, end_us);
    }
    g_assert_cmpint (is_all, ==, wanted <= most);
    g_assert_cmpuint (found->len, <=, most);
    /* One of four neighbours is left for each step, but for the ends of the part. */
    g_assert_cmpuint (found->len, >=, is_all ? wanted : most >= 32 ? most / 8 : 0);
    for (guint i = 0; i < found->len; i++) {
        guint32 number = g_array_index (found, guint32, i);

        g_assert_false (is_found[number]);
        is_found[number] = TRUE;
        g_assert_true (is_inside (&g_array_index (list, ProfileStretch, number), begin_us,
                                  end_us));
        g_assert_true (i == 0
                       || g_array_index (list, ProfileStretch, number).begin_us
                              >= g_array_index (list, ProfileStretch,
                                                g_array_index (found, guint32, i - 1))
                                     .begin_us);
    }
    if (is_all) {
        g_assert_cmpuint (found->len, ==, wanted);
    }
}

static void
test_search (void)
{
    g_autoptr (GRand) random = g_rand_new_with_seed (20261127);
    static const guint counts[] = { 0, 1, 2, 255, 256, 257, 1000, MANY };

    for (guint i = 0; i < G_N_ELEMENTS (counts); i++) {
        g_autoptr (GArray) list = make_list (random, counts[i]);
        g_autoptr (ProfileStretches) stretches = profile_stretches_new (dup_list (list));

        check (list, stretches, -10, -1, 100);
        check (list, stretches, 0, 2 * SPAN_US, 100);
        check (list, stretches, 0, 2 * SPAN_US, MANY);
        for (guint j = 0; j < 200; j++) {
            gint64 begin_us = g_rand_int_range (random, 0, SPAN_US);
            gint64 end_us = begin_us + g_rand_int_range (random, 0, SPAN_US >> (j % 16));

            check (list, stretches, begin_us, end_us, 1u << (j % 13));
        }
    }
}

/* Of too many, the longest are among those that are taken. */
static void
test_longest (void)
{
    g_autoptr (GRand) random = g_rand_new_with_seed (3);
    GArray *list = make_list (random, MANY);
    g_autoptr (GArray) found = g_array_new (FALSE, FALSE, sizeof (guint32));
    g_autoptr (ProfileStretches) stretches = NULL;
    gboolean is_there = FALSE;

    g_array_index (list, ProfileStretch, 1234) = (ProfileStretch){ 300000, 300000 + SPAN_US,
                                                                   1234 };
    stretches = profile_stretches_new (list);
    g_assert_false (profile_stretches_find (stretches, 0, 2 * SPAN_US, 300, found));
    for (guint i = 0; i < found->len; i++) {
        is_there |= g_array_index (found, guint32, i) == 1234;
    }
    g_assert_true (is_there);
    g_assert_cmpuint (found->len, >, 300 / 8);
}

/* Of equal ones not always the first of its neighbours, which may be those of one rank. */
static void
test_equal (void)
{
    GArray *list = g_array_new (FALSE, FALSE, sizeof (ProfileStretch));
    g_autoptr (ProfileStretches) stretches = NULL;
    g_autoptr (GArray) found = g_array_new (FALSE, FALSE, sizeof (guint32));
    guint ranks[4] = { 0 };

    for (guint i = 0; i < MANY; i++) { /* four ranks send at the same time */
        ProfileStretch stretch = { i / 4 * 10, i / 4 * 10 + 3, i };

        g_array_append_val (list, stretch);
    }
    stretches = profile_stretches_new (list);
    g_assert_false (profile_stretches_find (stretches, 0, SPAN_US, 1000, found));
    for (guint i = 0; i < found->len; i++) {
        ranks[g_array_index (found, guint32, i) % 4]++;
    }
    for (guint i = 0; i < 4; i++) {
        g_assert_cmpuint (ranks[i], >, found->len / 12);
    }
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/stretches/search", test_search);
    g_test_add_func ("/stretches/longest", test_longest);
    g_test_add_func ("/stretches/equal", test_equal);
    return g_test_run ();
}
