/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One set of ranks, shown by one of them, the viewed rank. */
#pragma once
#include <gtk/gtk.h>
#include "session/saved.h"

#define GUI_TYPE_GROUP_WINDOW (gui_group_window_get_type ())
G_DECLARE_FINAL_TYPE (GuiGroupWindow, gui_group_window, GUI, GROUP_WINDOW, GtkApplicationWindow)

/* Returns the open window of the set, or a new one. name NULL: "Ranks". */
GtkWidget *gui_group_window_open (GtkApplication *application, Session *session,
                                  const JobRankSet *ranks, const char *name);
Session *gui_group_window_get_session (GuiGroupWindow *window);
/* A line that was found elsewhere, and the window. */
void gui_group_window_show_source (GuiGroupWindow *window, const char *file, guint line);
/* The window's state for a saved session. Caller owns. */
SessionSavedWindow *gui_group_window_dup_saved (GuiGroupWindow *window);
void gui_group_window_restore (GuiGroupWindow *window, const SessionSavedWindow *saved);
