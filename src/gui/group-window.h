/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One set of ranks, seen through one representative of them. */
#pragma once
#include <gtk/gtk.h>
#include "session/saved.h"

#define GUI_TYPE_GROUP_WINDOW (gui_group_window_get_type ())
G_DECLARE_FINAL_TYPE (GuiGroupWindow, gui_group_window, GUI, GROUP_WINDOW, GtkApplicationWindow)

/* The window of the set: the one that is open, or a new one. name NULL: "Ranks". */
GtkWidget *gui_group_window_open (GtkApplication *application, Session *session,
                                  const JobRankSet *ranks, const char *name);
Session *gui_group_window_get_session (GuiGroupWindow *window);
/* What is kept of it, and brought back. Caller owns. */
SessionSavedWindow *gui_group_window_dup_saved (GuiGroupWindow *window);
void gui_group_window_restore (GuiGroupWindow *window, const SessionSavedWindow *saved);
