/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A file or a folder in a dialog: its label, an entry that can be typed into, and a button that opens
 * the chooser. */
#pragma once
#include <gtk/gtk.h>

typedef enum { GUI_FILE_ROW_TEXT, GUI_FILE_ROW_FILE, GUI_FILE_ROW_FOLDER } GuiFileRowKind;

/* Into that row of the grid, three columns; gives the entry. label: with its mnemonic. */
GtkWidget *gui_file_row_add (GtkGrid *grid, int row, const char *label, const char *id,
                             GuiFileRowKind kind);
/* The chooser over the entry's window; begins in `folder` (NULL: where it was last). */
void gui_file_row_choose (GtkWidget *entry, GuiFileRowKind kind, const char *title,
                          const char *folder);
