/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How a source text looks: its language, and the tags "here" and "there", of the line where the viewed rank is,
 * or was. */
#pragma once
#include <gtksourceview/gtksource.h>

/* file: its name tells the language. */
void gui_source_style_begin (GtkSourceBuffer *buffer, const char *file, gboolean is_dark);
/* Colours, as the theme is light or dark. */
void gui_source_style_colour (GtkSourceBuffer *buffer, gboolean is_dark);
