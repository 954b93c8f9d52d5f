/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The user's running processes, launchers first, with a filter. "start": attach to the selected
 * processes, or to all ranks of the selected launcher. */
#pragma once
#include "gui/dialogs/start-dialog.h"

#define GUI_TYPE_ATTACH_DIALOG (gui_attach_dialog_get_type ())
G_DECLARE_FINAL_TYPE (GuiAttachDialog, gui_attach_dialog, GUI, ATTACH_DIALOG, GuiStartDialog)

/* session: whose backend lists the processes, as property "session"; NULL: this host's. */
GtkWidget *gui_attach_dialog_new (GtkWindow *parent, Session *session);
