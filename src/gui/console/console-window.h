/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The whole job in one window; one per session. Closing it ends the session. */
#pragma once
#include <gtk/gtk.h>
#include "session/session.h"

#define GUI_TYPE_CONSOLE_WINDOW (gui_console_window_get_type ())
G_DECLARE_FINAL_TYPE (GuiConsoleWindow, gui_console_window, GUI, CONSOLE_WINDOW,
                      GtkApplicationWindow)

/* saved: the file of the saved session that was opened; NULL: none. */
GtkWidget *gui_console_window_new (GtkApplication *application, Session *session,
                                   const char *saved);
/* Saves the session if it has changed; for callers that end the program without closing the
 * window. */
void gui_console_window_keep_session (GuiConsoleWindow *window);
