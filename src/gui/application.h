/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The life of the window program, with a given session or starting with the Run dialog. */
#pragma once
#include <gtk/gtk.h>
#include "session/session.h"

/* After gtk_init. Shows the console window of the session (which may be scripted, or started), or
 * the Run dialog when session is NULL, with the saved session of a given file, or with the
 * dialog to attach or to open core files (choose: "attach", "core", NULL). Returns the exit
 * status when the last window is closed. */
int gui_application_run (Session *session, const char *saved, const char *choose);
/* The same for a session that `start` starts. FALSE: it cannot; then there is no window. */
typedef gboolean (*GuiStart) (Session *session, gpointer user);
int gui_application_run_started (Session *session, GuiStart start, gpointer user);
/* While session_start waits for another host: makes the window of that session, which is shown when it is started. */
void gui_application_make_window (void);
/* The same with the Performance window of the archive at path, once program, the path of pddt-archive, has read it; 3,
 * with a line on standard error: it cannot. pddt: path of pddt itself. */
int gui_application_run_archive (const char *path, const char *program, const char *pddt);
