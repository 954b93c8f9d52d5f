/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where new windows go: on the screen, and not over what the console window has to say. Where the
 * display decides by itself (Wayland), nothing is lost. */
#pragma once
#include <gtk/gtk.h>

/* The part of the window down to the end of this widget stays visible when windows are placed. */
void gui_placement_keep_visible (GtkWindow *window, GtkWidget *widget);
/* Before the window is shown: its default size is cut to the screen, and it is placed beside the
 * kept part of `other` (NULL: anywhere), `n_before` steps away from its like. */
void gui_placement_place (GtkWindow *window, GtkWindow *other, guint n_before);
