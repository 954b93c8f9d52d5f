/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stack trees: any order of merging gives the same tree, bytes keep it, depth is no danger. */
#include "base/error.h"
#include "job/stack-tree.h"
#include <string.h>

/* "main:1 work:12" outermost first, as the tree shows it; frames go in innermost first. */
static void
add_stack (JobStackTree *tree, const char *text, guint32 first, guint32 end)
{
    g_auto (GStrv) words = g_strsplit (text, " ", -1);
    g_autoptr (GPtrArray) frames
        = g_ptr_array_new_with_free_func ((GDestroyNotify) job_frame_free);
    g_autoptr (JobRankSet) ranks = job_rank_set_new_range (first, end);

    for (guint i = 0; words[i] != NULL; i++) {
        JobFrame *frame = job_frame_new ();
        char *colon = strchr (words[i], ':');

        frame->location.function = g_strndup (words[i], (gsize) (colon - words[i]));
        frame->location.file = g_strdup ("/x/a.c");
        frame->location.line = (guint32) g_ascii_strtoull (colon + 1, NULL, 10);
        frame->arguments = g_strdup_printf ("(rank=%u)", first);
        g_ptr_array_insert (frames, 0, frame);
    }
    job_stack_tree_add (tree, frames, ranks);
}

static JobStackNode *
get_child (const JobStackNode *node, guint index)
{
    return g_ptr_array_index (node->children, index);
}

static void
test_shape (void)
{
    g_autoptr (JobStackTree) tree = job_stack_tree_new ();
    const JobStackNode *main_node;

    add_stack (tree, "main:1 work:12", 4, 8);
    add_stack (tree, "main:1 idle:3", 0, 2);
    add_stack (tree, "main:1 work:12 deep:4", 2, 3);
    g_assert_cmpuint (job_rank_set_get_count (tree->root->ranks), ==, 7);
    main_node = get_child (tree->root, 0);
    g_assert_cmpuint (main_node->children->len, ==, 2);
    g_assert_cmpstr (get_child (main_node, 0)->location.function, ==, "idle");
    g_assert_cmpstr (get_child (main_node, 1)->location.function, ==, "work");
    g_assert_cmpuint (job_rank_set_get_count (get_child (main_node, 1)->ranks), ==, 5);
    g_assert_cmpstr (get_child (main_node, 1)->arguments, ==, "(rank=…)");
}

static void
add_arguments (JobStackTree *tree, guint32 rank, const char *arguments)
{
    g_autoptr (GPtrArray) frames
        = g_ptr_array_new_with_free_func ((GDestroyNotify) job_frame_free);
    g_autoptr (JobRankSet) ranks = job_rank_set_new_range (rank, rank + 1);
    JobFrame *frame = job_frame_new ();

    frame->location.function = g_strdup ("work");
    frame->arguments = g_strdup (arguments);
    g_ptr_array_add (frames, frame);
    job_stack_tree_add (tree, frames, ranks);
}

static void
expect_arguments (const char *a, const char *b, const char *expected)
{
    g_autoptr (JobStackTree) tree = job_stack_tree_new (), other = job_stack_tree_new ();

    add_arguments (tree, 0, a);
    add_arguments (tree, 1, b);
    add_arguments (other, 1, b);
    add_arguments (other, 0, a);
    g_assert_cmpstr (get_child (tree->root, 0)->arguments, ==, expected);
    g_assert_true (job_stack_tree_equal (tree, other));
}

/* No rank is said to have the arguments of another one. */
static void
test_arguments (void)
{
    expect_arguments ("(n=3, name=\"a, b\")", "(n=3, name=\"a, b\")", "(n=3, name=\"a, b\")");
    expect_arguments ("(n=3, name=\"a, b\")", "(n=4, name=\"a, b\")", "(n=…, name=\"a, b\")");
    expect_arguments ("(n=3, name=\"a, b\")", "(n=3, name=\"a, c\\\")\")", "(n=3, name=…)");
    expect_arguments ("(p={x = 1, y = (2, 3)}, q=1)", "(p={x = 1, y = (2, 4)}, q=1)",
                      "(p=…, q=1)");
    expect_arguments ("(n=3)", "(n=3, m=4)", "(…)");
    expect_arguments ("(n=3)", "(m=3)", "(…)");
    expect_arguments ("()", "(n=3)", "(…)");
    expect_arguments ("()", "()", "()");
    expect_arguments ("(n=3)", NULL, "(n=3)");
}

static JobStackTree *
new_random (GRand *random)
{
    JobStackTree *tree = job_stack_tree_new ();

    for (int i = g_rand_int_range (random, 1, 6); i > 0; i--) {
        g_autoptr (GString) text = g_string_new ("main:1");
        guint32 first = (guint32) g_rand_int_range (random, 0, 30);

        for (int k = g_rand_int_range (random, 0, 4); k > 0; k--) {
            g_string_append_printf (text, " f%d:%d", g_rand_int_range (random, 0, 3),
                                    g_rand_int_range (random, 0, 3));
        }
        add_stack (tree, text->str, first, first + (guint32) g_rand_int_range (random, 1, 5));
    }
    return tree;
}

static JobStackTree *
merge (const JobStackTree *a, const JobStackTree *b)
{
    JobStackTree *tree = job_stack_tree_dup (a);

    job_stack_tree_merge (tree, b);
    return tree;
}

static void
test_order (void)
{
    g_autoptr (GRand) random = g_rand_new_with_seed (8);

    for (int i = 0; i < 500; i++) {
        g_autoptr (JobStackTree) a = new_random (random);
        g_autoptr (JobStackTree) b = new_random (random);
        g_autoptr (JobStackTree) c = new_random (random);
        g_autoptr (JobStackTree) ab = merge (a, b);
        g_autoptr (JobStackTree) ba = merge (b, a);
        g_autoptr (JobStackTree) bc = merge (b, c);
        g_autoptr (JobStackTree) left = merge (ab, c);
        g_autoptr (JobStackTree) right = merge (a, bc);

        g_assert_true (job_stack_tree_equal (ab, ba));
        g_assert_true (job_stack_tree_equal (left, right));
    }
}

static void
test_wire (void)
{
    g_autoptr (GRand) random = g_rand_new_with_seed (9);

    for (int i = 0; i < 200; i++) {
        g_autoptr (JobStackTree) tree = new_random (random);
        g_autoptr (GVariant) variant = g_variant_ref_sink (job_stack_tree_encode (tree));
        g_autoptr (JobStackTree) again = job_stack_tree_decode (variant, 40, NULL);

        g_assert_nonnull (again);
        g_assert_true (job_stack_tree_equal (tree, again));
    }
}

static void
test_deep (void)
{
    g_autoptr (JobStackTree) tree = job_stack_tree_new ();
    g_autoptr (GPtrArray) frames = g_ptr_array_new ();
    g_autoptr (JobRankSet) ranks = job_rank_set_new_range (0, 4);
    g_autoptr (JobFrame) frame = job_frame_new ();
    g_autoptr (GVariant) variant = NULL;
    g_autoptr (JobStackTree) again = NULL;

    frame->location.function = g_strdup ("recurse");
    for (int i = 0; i < 200000; i++) {
        g_ptr_array_add (frames, frame);
    }
    job_stack_tree_add (tree, frames, ranks);
    variant = g_variant_ref_sink (job_stack_tree_encode (tree));
    again = job_stack_tree_decode (variant, 4, NULL);
    g_assert_nonnull (again);
    g_assert_true (job_stack_tree_equal (tree, again));
}

static void
test_damage (void)
{
    g_autoptr (GRand) random = g_rand_new_with_seed (10);
    g_autoptr (JobStackTree) tree = new_random (random);
    g_autoptr (GVariant) variant = g_variant_ref_sink (job_stack_tree_encode (tree));
    gsize size = g_variant_get_size (variant);
    guint n_corrupt = 0;

    for (int i = 0; i < 20000; i++) {
        guint8 *data = g_memdup2 (g_variant_get_data (variant), size);
        g_autoptr (GVariant) damaged = NULL;
        g_autoptr (GError) error = NULL;
        JobStackTree *read;

        data[g_rand_int_range (random, 0, (gint32) size)] = (guint8) g_rand_int (random);
        damaged = g_variant_ref_sink (g_variant_new_from_data (g_variant_get_type (variant),
                                                               data, size, FALSE, g_free,
                                                               data));
        read = job_stack_tree_decode (damaged, 100, &error);
        n_corrupt += read == NULL;
        g_assert_true ((read == NULL) == (error != NULL));
        job_stack_tree_free (read);
    }
    g_assert_cmpuint (n_corrupt, >, 0);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/job/stack-tree/arguments", test_arguments);
    g_test_add_func ("/job/stack-tree/shape", test_shape);
    g_test_add_func ("/job/stack-tree/order", test_order);
    g_test_add_func ("/job/stack-tree/wire", test_wire);
    g_test_add_func ("/job/stack-tree/deep", test_deep);
    g_test_add_func ("/job/stack-tree/damage", test_damage);
    return g_test_run ();
}
