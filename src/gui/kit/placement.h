/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Places new windows on the screen without covering the essential part of the console window.
 * On Wayland, where the compositor places windows, this has no effect. */
#pragma once
#include <gtk/gtk.h>

/* The part of the window down to the end of this widget stays visible when windows are placed. */
void gui_placement_keep_visible (GtkWindow *window, GtkWidget *widget);
/* Before the window is shown: limits its default size to the screen and places it beside the
 * kept part of `other` (NULL: anywhere), shifted by `n_before` steps. */
void gui_placement_place (GtkWindow *window, GtkWindow *other, guint n_before);
