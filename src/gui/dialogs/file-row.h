/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A file or folder in a dialog: a label, an entry, and a button that opens the chooser. */
#pragma once
#include <gtk/gtk.h>

typedef enum { GUI_FILE_ROW_TEXT, GUI_FILE_ROW_FILE, GUI_FILE_ROW_FOLDER } GuiFileRowKind;

/* Fills that row of the grid, three columns, and returns the entry. label: with mnemonic. */
GtkWidget *gui_file_row_add (GtkGrid *grid, int row, const char *label, const char *id,
                             GuiFileRowKind kind);
/* Opens the chooser over the entry's window, in `folder` (NULL: in the one that the entry has, or the current one). */
void gui_file_row_choose (GtkWidget *entry, GuiFileRowKind kind, const char *title,
                          const char *folder);
