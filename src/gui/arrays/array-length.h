/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An array of which the program's types do not say the length: what a pointer of C points to. The class is the dialog
 * that asks for it; property "expression", given at construction: the pointer. */
#pragma once
#include <gtk/gtk.h>
#include "session/selection.h"

#define GUI_TYPE_ARRAY_LENGTH (gui_array_length_get_type ())
G_DECLARE_FINAL_TYPE (GuiArrayLength, gui_array_length, GUI, ARRAY_LENGTH, GtkDialog)

/* Opens an array window for the expression; where the rank says that it is a pointer, asks for the number
 * of elements first. Another call for the same parent takes the place of one that is being answered.
 * Arguments as for gui_array_window_open. */
void gui_array_length_open (GtkWindow *parent, Session *session, SessionSelection *selection,
                            const JobRankSet *ranks, guint32 rank, const char *expression);
/* Whether the text of a type ("double *", "const struct s * const") is a pointer's to data. */
gboolean gui_array_length_is_pointer (const char *type);
/* "*p@n", or NULL when there is no length. Caller owns. */
char *gui_array_length_format (const char *pointer, const char *length);
