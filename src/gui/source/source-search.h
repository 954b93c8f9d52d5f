/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Searching in a source file: a bar with an entry, hidden until it is opened. All matches are
 * highlighted while it is open. */
#pragma once
#include <gtksourceview/gtksource.h>

#define GUI_TYPE_SOURCE_SEARCH (gui_source_search_get_type ())
G_DECLARE_FINAL_TYPE (GuiSourceSearch, gui_source_search, GUI, SOURCE_SEARCH, GtkBox)

/* The view to search in; NULL: none. Borrowed. */
typedef GtkTextView *(*GuiSourceSearchIn) (gpointer user);

GtkWidget *gui_source_search_new (GuiSourceSearchIn get_view, gpointer user);
/* Shows the bar, with the focus in its entry. */
void gui_source_search_open (GuiSourceSearch *search);
