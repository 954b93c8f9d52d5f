/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The user's own editor, at a line of a source file. */
#pragma once
#include <gtk/gtk.h>

/* Starts it: the command of the preference "editor", else of $VISUAL or $EDITOR. FALSE with NOT_FOUND: the file is not on
 * this host, or there is no editor or no terminal for it, or what starting it said; in sentences for the user. */
gboolean gui_source_editor_open (const char *file, guint line, GError **error);
/* The words of the command. `command`: with %f and %l where file and line go, or an editor's name, whose own way of
 * saying the line is used. is_in_terminal: it wants one. NULL with INVALID. Caller owns. */
char **gui_source_editor_make (const char *command, const char *file, guint line,
                               gboolean *ret_is_in_terminal, GError **error);
