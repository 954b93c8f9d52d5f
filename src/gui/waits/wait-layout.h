/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The arithmetic of the picture of who waits for whom: ranks of one fault stand in a ring, and rings beside
 * each other as long as there is room, then below. Knows neither GTK nor fonts. Uses logical pixels. */
#pragma once
#include <glib.h>

typedef struct {
    guint32 from, to;
} GuiWaitEdge; /* indexes of nodes */

typedef struct {
    double caption_width, caption_height; /* given: of the text under it; 0: there is none */
    guint fault; /* found: equal for those who are joined by edges, from 0 */
    double x, y; /* found: its middle */
} GuiWaitNode;

/* Numbers the faults in the order of their first nodes; returns how many there are. */
guint gui_wait_layout_find_faults (GuiWaitNode *nodes, guint n_nodes, const GuiWaitEdge *edges,
                                   guint n_edges);
/* Places nodes of that radius, whose faults were found, in the width. Returns the height that they need; 0: there
 * are none. No node covers another one or its caption, if the width is that of a caption at least. */
double gui_wait_layout_place (GuiWaitNode *nodes, guint n_nodes, double radius, double width);
