/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How a group view divides its room among source, stack and values. */
#pragma once
#include <gtk/gtk.h>

typedef struct {
    GtkOrientation
        side; /* stack and values: one above the other, or in a low view beside each other */
    int source, stack; /* pixels: the width of the one, the width or height of the other */
} GuiGroupRoom;

/* char_width: pixels, on average (gui_theme_get_char_width); the larger the text, the more of the width stack and
 * values get. has_lists: more tabs than the console's view, which need the width. */
GuiGroupRoom gui_group_room_divide (int width, int height, int char_width, gboolean has_lists);
