/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the dialogs Attach and Core Files are: a list is read in the background, of which the user chooses what a
 * session starts with. Escape closes it. Signal "start" (gpointer SessionOptions*, borrowed): the user has chosen. */
#pragma once
#include <gtk/gtk.h>
#include "session/session.h"

#define GUI_TYPE_START_DIALOG (gui_start_dialog_get_type ())
G_DECLARE_DERIVABLE_TYPE (GuiStartDialog, gui_start_dialog, GUI, START_DIALOG, GtkWindow)

struct _GuiStartDialogClass {
    GtkWindowClass parent;
};

/* Emits "start". */
void gui_start_dialog_start (GuiStartDialog *dialog, const SessionOptions *options);
/* For reading the list: is cancelled when it is read the next time, and when the dialog is gone. Borrowed. */
GCancellable *gui_start_dialog_begin_reading (GuiStartDialog *dialog);
