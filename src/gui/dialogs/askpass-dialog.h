/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What ssh asks while it connects (SSH_ASKPASS): a password, a one-time code, whether a host's key is right. ssh starts
 * the program with the question as its only word, and reads the answer from its standard output. */
#pragma once
#include <gtk/gtk.h>

#define GUI_TYPE_ASKPASS_DIALOG (gui_askpass_dialog_get_type ())
G_DECLARE_FINAL_TYPE (GuiAskpassDialog, gui_askpass_dialog, GUI, ASKPASS_DIALOG, GtkDialog)

/* question: as it came, from whoever answers for that host. kind: SSH_ASKPASS_PROMPT, "confirm", "none" or NULL. */
GtkWidget *gui_askpass_dialog_new (const char *host, const char *question, const char *kind);
/* Asks, and writes the answer to standard output. The exit status for ssh: 0: there is one, or it is confirmed. */
int gui_askpass_dialog_run (const char *host, const char *question, const char *kind);
