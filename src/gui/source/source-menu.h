/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the context menu of a source offers: breakpoints and motions of the line, and what is worth
 * knowing of the expression there. */
#pragma once
#include <gtk/gtk.h>

/* verb: "print", "watch", "stop" (when it changes), "compare" or "array" with an expression, else the name of an action. */
typedef void (*GuiSourceMenuChosen) (gpointer user, const char *verb, const char *expression);

/* Fills the menu that the view has made, whose own items are for editing and go. expression NULL:
 * there is none. is_reader: no rank is there that could be asked or moved. Call it after the view's own handler of "populate-popup". */
void gui_source_menu_fill (GtkTextView *view, GtkWidget *menu, const char *expression,
                           gboolean is_reader, GuiSourceMenuChosen chosen, gpointer user);
/* The menu acts on the line where it was opened: the cursor goes there, unless what is selected is there. */
void gui_source_menu_place_cursor (GtkTextView *view, const GdkEventButton *event);
