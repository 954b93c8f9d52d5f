/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which core files to open: those of a folder by a pattern, those of them that are chosen, and the
 * program where it has moved since. Signal "start" (gpointer SessionOptions*, borrowed). */
#pragma once
#include <gtk/gtk.h>
#include "session/session.h"

#define GUI_TYPE_CORE_DIALOG (gui_core_dialog_get_type ())
G_DECLARE_FINAL_TYPE (GuiCoreDialog, gui_core_dialog, GUI, CORE_DIALOG, GtkWindow)

/* folder: that is looked into first. */
GtkWidget *gui_core_dialog_new (GtkWindow *parent, const char *folder);
