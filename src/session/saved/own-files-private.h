/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of the saved sessions that pddt has written for this user ($XDG_STATE_HOME/pddt/own-sessions). */
#pragma once
#include <glib.h>

/* TRUE when pddt wrote a file with exactly this content. */
gboolean session_own_files_has (const char *text, gsize size);
void session_own_files_remember (const char *text, gsize size);
/* Writes it atomically, with mode 0600. Neither follows nor replaces a symbolic link at the
 * path. DENIED. */
gboolean session_own_files_write (const char *path, const char *text, gsize size,
                                  GError **error);
