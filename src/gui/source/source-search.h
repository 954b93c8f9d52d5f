/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Searching in a source file: a bar with an entry, hidden until it is opened. All matches are
 * highlighted while it is open. Signal "get-view" () → GtkTextView: the view to search in, which the handler
 * gives a reference of, or NULL. */
#pragma once
#include <gtksourceview/gtksource.h>

#define GUI_TYPE_SOURCE_SEARCH (gui_source_search_get_type ())
G_DECLARE_FINAL_TYPE (GuiSourceSearch, gui_source_search, GUI, SOURCE_SEARCH, GtkBox)

/* Shows the bar, with the focus in its entry. */
void gui_source_search_open (GuiSourceSearch *search);
