/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The window program's life: a session that was given, or the Run dialog first. */
#pragma once
#include <gtk/gtk.h>
#include "session/session.h"

/* After gtk_init. Shows the console window of the session (which may be scripted, or started), or
 * the Run dialog when session is NULL, with that saved session when a file is given, or with
 * the choice of what to attach to or of core files on top (choose: "attach", "core", NULL); returns the exit status when the last window is closed. */
int gui_application_run (Session *session, const char *saved, const char *choose);
