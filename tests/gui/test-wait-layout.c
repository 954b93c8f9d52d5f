/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The picture of who waits for whom: each fault has its own place, nothing covers anything else, and three
 * faults fit the pane that shows them. */
#include "gui/waits/wait-layout.h"
#include <math.h>

#define RADIUS 17.0
enum { PANE_WIDTH = 360, PANE_HEIGHT = 150 };

static void
check_node (const GuiWaitNode *node, double width, double height)
{
    double half = MAX (node->caption_width / 2, RADIUS);

    g_assert_cmpfloat (node->x - half, >=, -0.01);
    g_assert_cmpfloat (node->x + half, <=, width + 0.01);
    g_assert_cmpfloat (node->y - RADIUS, >=, -0.01);
    g_assert_cmpfloat (node->y + RADIUS + node->caption_height, <=, height + 0.01);
}

/* Neither circles nor captions cover each other. */
static void
check_pair (const GuiWaitNode *a, const GuiWaitNode *b)
{
    const GuiWaitNode *upper = a->y <= b->y ? a : b, *lower = a->y <= b->y ? b : a;
    double across = fabs (a->x - b->x), down = lower->y - upper->y;
    gboolean is_beside = across >= (a->caption_width + b->caption_width) / 2 - 0.01
                         && across >= upper->caption_width / 2 + RADIUS - 0.01;

    g_assert_cmpfloat (hypot (across, down), >=, 2 * RADIUS - 0.01);
    if (upper->caption_height > 0 && !is_beside) {
        g_assert_cmpfloat (down, >=, 2 * RADIUS + upper->caption_height - 0.01);
    }
}

static double
check (GuiWaitNode *nodes, guint n_nodes, const GuiWaitEdge *edges, guint n_edges,
       guint n_faults, double width)
{
    double height;

    g_assert_cmpuint (gui_wait_layout_find_faults (nodes, n_nodes, edges, n_edges), ==,
                      n_faults);
    height = gui_wait_layout_place (nodes, n_nodes, RADIUS, width);
    for (guint i = 0; i < n_nodes; i++) {
        check_node (&nodes[i], width, height);
        for (guint j = 0; j < i; j++) {
            check_pair (&nodes[j], &nodes[i]);
        }
    }
    return height;
}

/* Two deadlocks and one who waits for a rank that sleeps, as in tests/gui/journey-waits.py. */
static void
test_three_faults (void)
{
    const GuiWaitEdge edges[] = { { 0, 1 }, { 1, 0 }, { 2, 3 }, { 3, 2 }, { 5, 4 } };
    GuiWaitNode nodes[6] = { [4] = { .caption_width = 110, .caption_height = 34 } };
    double height = check (nodes, 6, edges, G_N_ELEMENTS (edges), 3, PANE_WIDTH);

    g_assert_cmpfloat (height, <=, PANE_HEIGHT);
    g_assert_cmpuint (nodes[0].fault, ==, nodes[1].fault);
    g_assert_cmpuint (nodes[2].fault, ==, nodes[3].fault);
    g_assert_cmpuint (nodes[4].fault, ==, nodes[5].fault);
    g_assert_cmpfloat (nodes[1].x, <, nodes[2].x); /* the first two beside each other */
}

/* Ranks of faults need not follow each other. */
static void
test_numbers (void)
{
    const GuiWaitEdge edges[] = { { 4, 1 }, { 0, 2 }, { 2, 3 } };
    GuiWaitNode nodes[5] = { 0 };

    check (nodes, 5, edges, G_N_ELEMENTS (edges), 2, PANE_WIDTH);
    for (guint i = 0; i < 5; i++) {
        g_assert_cmpuint (nodes[i].fault, ==, i == 1 || i == 4 ? 1 : 0);
    }
    g_assert_cmpfloat (gui_wait_layout_place (nodes, 0, RADIUS, PANE_WIDTH), ==, 0);
}

/* All sizes of one ring, with captions and without, narrow and wide; and each beside others. */
static void
test_rings (void)
{
    static const double widths[] = { 100, 260, 360, 1000 };

    for (guint n = 1; n <= 24; n++) {
        for (guint i = 0; i < 2 * G_N_ELEMENTS (widths); i++) {
            g_autofree GuiWaitNode *nodes = g_new0 (GuiWaitNode, 2 * n);
            g_autofree GuiWaitEdge *edges = g_new0 (GuiWaitEdge, 2 * n);

            for (guint j = 0; j < 2 * n; j++) {
                guint first = j < n ? 0 : n;

                nodes[j].caption_width = i % 2 == 0 ? 80 + j % 5 : 0;
                nodes[j].caption_height = i % 2 == 0 ? 17 : 0;
                edges[j] = (GuiWaitEdge){ j, first + (j - first + 1) % n };
            }
            check (nodes, n, edges, n, 1, widths[i / 2]);
            check (nodes, 2 * n, edges, 2 * n, 2, widths[i / 2]);
        }
    }
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/wait-layout/three-faults", test_three_faults);
    g_test_add_func ("/wait-layout/numbers", test_numbers);
    g_test_add_func ("/wait-layout/rings", test_rings);
    return g_test_run ();
}
