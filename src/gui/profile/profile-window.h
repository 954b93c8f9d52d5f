/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The Performance window: the views of one profile, with one selection of time, ranks and class that all of
 * them obey. Signals, when the window belongs to a session: "go-to-source" (const char *file, guint line),
 * "debug-here" (the same). Without a session it shows the source itself, and asks for the next run with the
 * Run dialog. */
#pragma once
#include <gtk/gtk.h>
#include "gui/profile/profile-selection.h"
#include "session/session.h"

#define GUI_TYPE_PROFILE_WINDOW (gui_profile_window_get_type ())
G_DECLARE_FINAL_TYPE (GuiProfileWindow, gui_profile_window, GUI, PROFILE_WINDOW,
                      GtkApplicationWindow)

/* The profile of an archive; takes the model. name: what it was read from. Properties: "archive" and "archive-program"
 * as for GuiTimelineView; "pddt": its own path, for another run of the command; NULL: the window starts none. */
GtkWidget *gui_profile_window_new (GtkApplication *application, ProfileModel *model,
                                   const char *name);
/* The window of that session's profiles, which are shown while they are taken; there is one of each
 * session. */
GtkWidget *gui_profile_window_open (GtkApplication *application, Session *session);
GuiProfileSelection *gui_profile_window_get_selection (GuiProfileWindow *window);
/* Reads that archive and shows, on a page of its own, what is different in it; or says why it cannot. */
void gui_profile_window_compare (GuiProfileWindow *window, const char *path);
/* Opens that archive in a process of its own, with the window's property "pddt"; says why it could not open it. */
void gui_profile_window_open_other (GuiProfileWindow *window, const char *path);
/* The page with that id ("activity"); FALSE: there is none. */
gboolean gui_profile_window_show_page (GuiProfileWindow *window, const char *id);
