/* SPDX-License-Identifier: GPL-3.0-or-later */
/* GSettings org.pddt.Pddt; everything works without them. */
#pragma once
#include <gtk/gtk.h>

/* Finds the schema when pddt runs from its build tree; call it before any GSettings. */
void gui_settings_init (void);
/* Borrowed; NULL when the schema is not installed. */
GSettings *gui_settings_get (void);
/* Restores and remembers the window's size under name ("console", "group"). */
void gui_settings_restore_size (GtkWindow *window, const char *name, int width, int height);
