/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The first page of pddt without arguments: what to run. Signal "start" (gpointer
 * SessionOptions*, borrowed): the user pressed Debug and the fields are valid. */
#pragma once
#include <gtk/gtk.h>
#include "session/session.h"

#define GUI_TYPE_RUN_DIALOG (gui_run_dialog_get_type ())
G_DECLARE_FINAL_TYPE (GuiRunDialog, gui_run_dialog, GUI, RUN_DIALOG, GtkApplicationWindow)

GtkWidget *gui_run_dialog_new (GtkApplication *application);
/* Why the job could not be started. */
void gui_run_dialog_show_error (GuiRunDialog *dialog, const char *text);
