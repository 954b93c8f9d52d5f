/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Keeps a session's breakpoints, sets, windows and watches while it runs, in the file of its
 * program, and brings them back when the program is debugged again. Lives as long as the console
 * window. */
#pragma once
#include "gui/command-panel.h"
#include "session/saved.h"

typedef struct _GuiSessionKeeper GuiSessionKeeper;

/* file: a saved session that was opened; NULL: what was kept of the program, if anything. Both are
 * brought back when the session is ready, by a line in the panel. */
GuiSessionKeeper *gui_session_keeper_new (GtkApplication *application, Session *session,
                                          GuiCommandPanel *panel, const char *file);
/* Writes what has changed. Nothing before all was brought back, nor after the job has ended. */
void gui_session_keeper_save (GuiSessionKeeper *keeper);
/* To another file. UNSUPPORTED: pddt has not started the job. DENIED. */
gboolean gui_session_keeper_save_as (GuiSessionKeeper *keeper, const char *file, GError **error);
void gui_session_keeper_free (GuiSessionKeeper *keeper);
