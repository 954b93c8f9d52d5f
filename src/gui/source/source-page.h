/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a tab of the source shows: the text, under a note when it is not all that it seems, or why there
 * is none. Signal "locate": the user wants to say where the missing file is. Properties, given at construction: "view", of
 * the text; "can-locate": with the button "Locate Source…". */
#pragma once
#include <gtk/gtk.h>
#include "gui/source/source-text.h"

#define GUI_TYPE_SOURCE_PAGE (gui_source_page_get_type ())
G_DECLARE_FINAL_TYPE (GuiSourcePage, gui_source_page, GUI, SOURCE_PAGE, GtkBox)

GtkWidget *gui_source_page_new (GtkWidget *view, gboolean can_locate);
/* Says above the text when it is not quite the file's, or newer than what runs. */
void gui_source_page_show_text (GuiSourcePage *page, const char *file,
                                GuiSourceEncoding encoding, gboolean is_newer);
/* file: as the program names it; reason: why it cannot be read. */
void gui_source_page_show_missing (GuiSourcePage *page, const char *file, const char *reason);
