/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the menu of a source file offers beside what GtkSourceView has in it. */
#pragma once
#include <gtk/gtk.h>

/* verb: as GuiSourceView's signal "chosen" has it; both texts are valid during the call. */
typedef void (*GuiSourceMenuFunc) (const char *verb, const char *expression, gpointer user);

/* For the expression that is selected or at the cursor, and the cursor's line. is_reader: no rank is
 * there that could be asked or moved. */
void gui_source_menu_fill (GtkWidget *menu, GtkTextBuffer *buffer, gboolean is_reader,
                           GuiSourceMenuFunc func, gpointer user);
