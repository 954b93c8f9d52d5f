/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Asks what becomes of a running job when its window is closed. The response is one of GuiClosing; any
 * other one: the window stays. */
#pragma once
#include <gtk/gtk.h>
#include "session/session.h"

#define GUI_TYPE_CLOSING_DIALOG (gui_closing_dialog_get_type ())
G_DECLARE_FINAL_TYPE (GuiClosingDialog, gui_closing_dialog, GUI, CLOSING_DIALOG,
                      GtkMessageDialog)

typedef enum { GUI_CLOSING_LET_RUN = 1, GUI_CLOSING_END = 2 } GuiClosing;

GtkWidget *gui_closing_dialog_new (GtkWindow *parent, Session *session);
