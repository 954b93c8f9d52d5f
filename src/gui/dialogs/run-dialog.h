/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The Run dialog, with which pddt starts without arguments. Signal "start" (gpointer
 * SessionOptions*, const char *saved, both borrowed): the user pressed Debug and the fields are
 * valid; saved is the file of the saved session that was opened, NULL without one. Property "session", at construction:
 * whose backend looks for programs, processes and core files; NULL, as of every real dialog: those of this host. */
#pragma once
#include <gtk/gtk.h>
#include "session/session.h"

#define GUI_TYPE_RUN_DIALOG (gui_run_dialog_get_type ())
G_DECLARE_FINAL_TYPE (GuiRunDialog, gui_run_dialog, GUI, RUN_DIALOG, GtkApplicationWindow)

GtkWidget *gui_run_dialog_new (GtkApplication *application);
/* Shows the saved session's command, which Debug starts, or why the file cannot be opened. */
void gui_run_dialog_open (GuiRunDialog *dialog, const char *file);
/* "attach" or "core": like the buttons of that name. */
void gui_run_dialog_choose (GuiRunDialog *dialog, const char *what);
/* Why the job could not be started. */
void gui_run_dialog_show_error (GuiRunDialog *dialog, const char *text);
