/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Recursion is folded where users lose nothing by it: whole repetitions of frames that are alike, in the
 * same ranks, without values. */
#include "job/stack-fold.h"
#include <string.h>

/* Words "f*40" stand for as many frames, outermost first. */
static void
add_stack (JobStackTree *tree, const char *text, guint32 first, guint32 end)
{
    g_auto (GStrv) words = g_strsplit (text, " ", -1);
    g_autoptr (GPtrArray) frames
        = g_ptr_array_new_with_free_func ((GDestroyNotify) job_frame_free);
    g_autoptr (JobRankSet) ranks = job_rank_set_new_range (first, end);

    for (guint i = 0; words[i] != NULL; i++) {
        const char *star = strchr (words[i], '*');
        guint count = star != NULL ? (guint) g_ascii_strtoull (star + 1, NULL, 10) : 1;

        for (guint j = 0; j < count; j++) {
            JobFrame *frame = job_frame_new ();

            frame->location.function = g_strndup (words[i], strcspn (words[i], "*"));
            frame->location.file = g_strdup ("/x/a.py");
            frame->location.line = 3;
            g_ptr_array_insert (frames, 0, frame);
        }
    }
    job_stack_tree_add (tree, frames, ranks);
}

static const JobStackNode *
get_inner (const JobStackNode *node, guint count)
{
    while (count-- > 0) {
        node = g_ptr_array_index (node->children, 0);
    }
    return node;
}

/* From which frame on (1: the outermost), how long one repetition is, how many are hidden; 0: no fold. */
static void
assert_fold (const JobStackTree *tree, guint at, guint period, guint n_hidden)
{
    guint found = 0;
    JobStackFold fold = { 0 };

    for (guint i = 1; found == 0 && get_inner (tree->root, i - 1)->children->len > 0; i++) {
        found = job_stack_fold_find (get_inner (tree->root, i), &fold) ? i : 0;
    }
    g_assert_cmpuint (found, ==, at);
    g_assert_cmpuint (fold.period, ==, period);
    g_assert_cmpuint (fold.n_hidden, ==, n_hidden);
}

static void
assert_stack (const char *text, guint at, guint period, guint n_hidden)
{
    g_autoptr (JobStackTree) tree = job_stack_tree_new ();

    add_stack (tree, text, 0, 4);
    assert_fold (tree, at, period, n_hidden);
}

static void
test_periods (void)
{
    assert_stack ("main f*500 g", 2, 1, 498);
    assert_stack ("main f*12", 2, 1, 10);
    assert_stack ("main f*11 g", 0, 0, 0);
    assert_stack ("f*100000", 1, 1, 99998);
    for (guint period = 2; period <= 9; period++) {
        GString *text = g_string_new ("main");

        for (guint i = 0; i < 20 * period + 1; i++) {
            g_string_append_printf (text, " f%u", i % period);
        }
        if (period <= 8) {
            assert_stack (text->str, 2, period, 18 * period);
        } else {
            assert_stack (text->str, 0, 0, 0);
        }
        g_string_free (text, TRUE);
    }
}

static void
test_ranks (void)
{
    g_autoptr (JobStackTree) tree = job_stack_tree_new ();

    /* where one rank is no deeper, all see it */
    add_stack (tree, "main f*200", 0, 4);
    add_stack (tree, "main f*50", 4, 5);
    assert_fold (tree, 2, 1, 48);
    g_assert_true (job_stack_fold_find (get_inner (tree->root, 52), &(JobStackFold){ 0 }));
    g_assert_true (get_inner (tree->root, 52)
                   == job_stack_fold_skip (get_inner (tree->root, 52), 0));
    g_assert_true (get_inner (tree->root, 60)
                   == job_stack_fold_skip (get_inner (tree->root, 52), 8));
}

static void
test_values (void)
{
    g_autoptr (JobStackTree) tree = job_stack_tree_new ();
    JobStackNode *node;

    add_stack (tree, "main f*30", 0, 4);
    node = (JobStackNode *) get_inner (tree->root, 20);
    node->arguments = g_strdup ("(n=3)");
    assert_fold (tree, 2, 1, 16);
    for (guint i = 1; i <= 31; i++) {
        node = (JobStackNode *) get_inner (tree->root, i);
        g_free (node->arguments);
        node->arguments = g_strdup ("(n=3)");
    }
    assert_fold (tree, 0, 0, 0);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/job/stack-fold/periods", test_periods);
    g_test_add_func ("/job/stack-fold/ranks", test_ranks);
    g_test_add_func ("/job/stack-fold/values", test_values);
    return g_test_run ();
}
