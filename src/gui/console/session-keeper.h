/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Saves a session's breakpoints, sets, windows and watches in the program's file, and restores
 * them when the program is debugged again. Lives as long as the console window. */
#pragma once
#include "gui/kit/command-panel.h"
#include "session/saved.h"

typedef struct _GuiSessionKeeper GuiSessionKeeper;

/* file: a saved session that the user opened; NULL: the program's own file, if any. The keeper
 * restores it when the session is ready, by a command in the panel. */
GuiSessionKeeper *gui_session_keeper_new (GtkApplication *application, Session *session,
                                          GuiCommandPanel *panel, const char *file);
/* Saves changes. Does nothing before everything is restored or after the job has ended. */
void gui_session_keeper_save (GuiSessionKeeper *keeper);
/* Saves to another file. UNSUPPORTED: pddt did not start the job. DENIED. */
gboolean gui_session_keeper_save_as (GuiSessionKeeper *keeper, const char *file,
                                     GError **error);
void gui_session_keeper_free (GuiSessionKeeper *keeper);
