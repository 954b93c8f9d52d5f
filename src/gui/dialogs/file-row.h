/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A file or folder in a dialog: an entry, and a button that opens the chooser. In a template both are internal
 * children, "entry" and "button". Properties: "title", given at construction: the chooser's title and the names of both
 * for assistive technology, where the '_' of a mnemonic is left out; "is-folder", given at construction; "folder": where
 * the chooser of files begins (NULL and "": in the current folder; that of folders begins in the one that the entry
 * has). */
#pragma once
#include <gtk/gtk.h>

#define GUI_TYPE_FILE_ROW (gui_file_row_get_type ())
G_DECLARE_FINAL_TYPE (GuiFileRow, gui_file_row, GUI, FILE_ROW, GtkBox)
