/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Chooses core files to open: a folder, a pattern, a selection among the matches, and the
 * program if it has moved. Signal "start" (gpointer SessionOptions*, borrowed). */
#pragma once
#include <gtk/gtk.h>
#include "session/session.h"

#define GUI_TYPE_CORE_DIALOG (gui_core_dialog_get_type ())
G_DECLARE_FINAL_TYPE (GuiCoreDialog, gui_core_dialog, GUI, CORE_DIALOG, GtkWindow)

/* folder: the initial one; also a property, given at construction. */
GtkWidget *gui_core_dialog_new (GtkWindow *parent, const char *folder);
