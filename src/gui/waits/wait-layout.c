/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gui/waits/wait-layout.h"
#include "base/array.h"
#include <math.h>

enum { MAX_CAPTIONED = 6 }; /* nodes of a ring that is as wide as their captions */
enum { GAP = 6, MARGIN = 4, ARROW = 44 }; /* ARROW: the length of one between two nodes */

/* One fault. */
typedef struct {
    guint n_nodes;
    double caption_width, caption_height; /* the largest ones */
    double width, height;                 /* of all that it draws */
    double reach_x, reach_y;              /* from the ring's middle to its nodes' middles */
    guint n_columns; /* 0: it is a ring; else so narrow that its nodes stand in these, 1 or 2 */
} Ring;

/* ---- which nodes belong together ---- */

guint
gui_wait_layout_find_faults (GuiWaitNode *nodes, guint n_nodes, const GuiWaitEdge *edges,
                             guint n_edges)
{
    g_autofree guint *numbers = g_new (guint, n_nodes + 1);
    guint n_faults = 0;
    gboolean has_changed = TRUE;

    for (guint i = 0; i < n_nodes; i++) {
        nodes[i].fault = i;
        numbers[i] = G_MAXUINT;
    }
    while (has_changed) {
        has_changed = FALSE;
        for (guint i = 0; i < n_edges; i++) {
            GuiWaitNode *from = &nodes[edges[i].from], *to = &nodes[edges[i].to];
            guint lowest = MIN (from->fault, to->fault);

            has_changed |= from->fault != to->fault;
            from->fault = to->fault = lowest;
        }
    }
    for (guint i = 0; i < n_nodes; i++) {
        guint *number = &numbers[nodes[i].fault];

        if (*number == G_MAXUINT) {
            *number = n_faults++;
        }
        nodes[i].fault = *number;
    }
    return n_faults;
}

/* ---- one ring ---- */

static double
get_angle (const Ring *ring, guint index)
{
    return (ring->n_nodes == 2 ? G_PI : -G_PI / 2) + 2 * G_PI * index / ring->n_nodes;
}

/* How far one node must be below the other, which is that far beside it, to cover neither it nor its caption. */
static double
find_drop (const Ring *ring, double radius, double across)
{
    double apart = 2 * radius + GAP;

    if (ring->caption_height > 0) {
        return across < MAX (ring->caption_width, 2 * radius) + GAP
                   ? apart + ring->caption_height
                   : 0;
    }
    return across < apart ? sqrt (apart * apart - across * across) : 0;
}

static double
get_half (const Ring *ring, double radius)
{
    return MAX (ring->caption_width / 2, radius + 1) + MARGIN;
}

/* From the ring's middle. In two columns their order is that of a ring, too. */
static void
get_offset (const Ring *ring, double radius, guint index, double *ret_x, double *ret_y)
{
    double step = 2 * radius + GAP + ring->caption_height;
    guint n_rows = ring->n_columns == 2 ? (ring->n_nodes + 1) / 2 : ring->n_nodes;
    gboolean is_back = index >= n_rows;
    double angle = get_angle (ring, index);

    if (ring->n_columns == 0) {
        *ret_x = ring->n_nodes > 1 ? cos (angle) * ring->reach_x : 0;
        *ret_y = sin (angle) * ring->reach_y;
    } else {
        *ret_x = ring->n_columns == 1 ? 0 : is_back ? -ring->reach_x : ring->reach_x;
        *ret_y = (is_back ? 2 * n_rows - 1 - index : index) * step - ring->reach_y;
    }
}

/* Nodes that are not neighbours may stand above each other, too. */
static gboolean
has_overlaps (const Ring *ring, double radius)
{
    for (guint i = 0; i < ring->n_nodes; i++) {
        for (guint j = 0; j < i; j++) {
            double x, y, other_x, other_y;

            get_offset (ring, radius, i, &x, &y);
            get_offset (ring, radius, j, &other_x, &other_y);
            if (fabs (y - other_y) < find_drop (ring, radius, fabs (x - other_x)) - 0.01) {
                return TRUE;
            }
        }
    }
    return FALSE;
}

/* As high as its width makes it. */
static void
shape (Ring *ring, double radius)
{
    guint n_rows;

    ring->reach_x = ring->n_nodes > 1 ? MAX (ring->width / 2 - get_half (ring, radius), radius)
                                      : 0;
    ring->reach_y = 0;
    for (guint i = 0; ring->n_nodes > 2 && i < ring->n_nodes; i++) {
        double angle = get_angle (ring, i), next = get_angle (ring, i + 1);
        double down = fabs (sin (angle) - sin (next));

        if (down > 0.001) {
            double across = fabs (cos (angle) - cos (next)) * ring->reach_x;

            ring->reach_y = MAX (ring->reach_y, find_drop (ring, radius, across) / down);
        }
    }
    if (has_overlaps (ring, radius)) {
        ring->n_columns = find_drop (ring, radius, 2 * ring->reach_x) > 0 ? 1 : 2;
        n_rows = (ring->n_nodes + ring->n_columns - 1) / ring->n_columns;
        ring->reach_y = (n_rows - 1) * (2 * radius + GAP + ring->caption_height) / 2;
    }
    ring->height = 2 * (ring->reach_y + radius + MARGIN) + ring->caption_height;
}

/* The width that it wants beside others. */
static double
find_width (const Ring *ring, double radius)
{
    double reach = 0;

    if (ring->n_nodes == 2) {
        reach = MAX (2 * radius + ARROW, ring->caption_width + GAP) / 2;
    } else if (ring->n_nodes > 2) {
        double apart = 2 * radius + ARROW / 2.0;

        if (ring->n_nodes <= MAX_CAPTIONED) { /* captions of neighbours stand side by side */
            apart = MAX (apart, ring->caption_width + GAP);
        }
        reach = apart / (2 * sin (G_PI / ring->n_nodes));
    }
    return 2 * (reach + get_half (ring, radius));
}

static GArray *
make_rings (const GuiWaitNode *nodes, guint n_nodes, double radius, double width)
{
    GArray *rings = g_array_new (FALSE, TRUE, sizeof (Ring));

    for (guint i = 0; i < n_nodes; i++) {
        Ring *ring;

        if (nodes[i].fault >= rings->len) {
            g_array_set_size (rings, nodes[i].fault + 1);
        }
        ring = &g_array_index (rings, Ring, nodes[i].fault);
        ring->n_nodes++;
        ring->caption_width = MAX (ring->caption_width, nodes[i].caption_width);
        ring->caption_height = MAX (ring->caption_height, nodes[i].caption_height);
    }
    BASE_EACH_ROW (rings, Ring, ring) {
        /* the only one may as well have it all, where arrows do not get too long by that */
        ring->width = rings->len == 1 && ring->n_nodes > 2
                          ? width
                          : MIN (find_width (ring, radius), width);
        shape (ring, radius);
    }
    return rings;
}

/* ---- all rings ---- */

/* The end of the row that begins with this ring; at least one is in it. */
static guint
find_row_end (const GArray *rings, guint first, double width, double *ret_width,
              double *ret_height)
{
    guint end = first;

    *ret_width = *ret_height = 0;
    while (end < rings->len) {
        const Ring *ring = &g_array_index (rings, Ring, end);

        if (end > first && *ret_width + ring->width > width) {
            break;
        }
        *ret_width += ring->width;
        *ret_height = MAX (*ret_height, ring->height);
        end++;
    }
    return end;
}

static void
place_ring (GuiWaitNode *nodes, guint n_nodes, guint fault, const Ring *ring, double radius,
            double x, double y)
{
    guint index = 0;

    for (guint i = 0; i < n_nodes; i++) {
        if (nodes[i].fault == fault) {
            double across, down;

            get_offset (ring, radius, index++, &across, &down);
            nodes[i].x = x + ring->width / 2 + across;
            nodes[i].y = y + MARGIN + radius + ring->reach_y + down;
        }
    }
}

double
gui_wait_layout_place (GuiWaitNode *nodes, guint n_nodes, double radius, double width)
{
    g_autoptr (GArray) rings = make_rings (nodes, n_nodes, radius, width);
    double y = 0;

    for (guint first = 0, end; first < rings->len; first = end) {
        double row_width, row_height, space, x;

        end = find_row_end (rings, first, width, &row_width, &row_height);
        space = MAX (width - row_width, 0) / (end - first + 1);
        x = space;
        for (guint i = first; i < end; i++) {
            const Ring *ring = &g_array_index (rings, Ring, i);

            place_ring (nodes, n_nodes, i, ring, radius, x, y);
            x += ring->width + space;
        }
        y += row_height;
    }
    return y;
}
