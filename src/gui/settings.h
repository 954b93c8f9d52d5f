/* SPDX-License-Identifier: GPL-3.0-or-later */
/* GSettings org.pddt.Pddt; absent settings are no reason to fail. */
#pragma once
#include <gtk/gtk.h>

/* Where the schema is when pddt runs from its build tree; before any GSettings. */
void gui_settings_init (void);
/* Where the words are: in the build tree, or in `installed`. Before any window. */
void gui_settings_init_words (const char *domain, const char *installed);
/* Borrowed; NULL when the schema is not installed. */
GSettings *gui_settings_get (void);
/* Sizes of windows, remembered by name ("console", "group"). */
void gui_settings_restore_size (GtkWindow *window, const char *name, int width, int height);
