/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Chooses core files to open: a folder, a pattern, a selection among the matches, and the
 * program if it has moved. */
#pragma once
#include "gui/dialogs/start-dialog.h"

#define GUI_TYPE_CORE_DIALOG (gui_core_dialog_get_type ())
G_DECLARE_FINAL_TYPE (GuiCoreDialog, gui_core_dialog, GUI, CORE_DIALOG, GuiStartDialog)

/* session: whose backend looks for the files; NULL: on this host. folder: the initial one. Both are also properties,
 * given at construction. */
GtkWidget *gui_core_dialog_new (GtkWindow *parent, Session *session, const char *folder);
