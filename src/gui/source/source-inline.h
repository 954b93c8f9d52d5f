/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A text behind the end of a line of a source view, which is no part of its buffer. */
#pragma once
#include <gtk/gtk.h>

/* line: from 0. text NULL: none. Drawn from now on until it is set again. */
void gui_source_inline_set (GtkTextView *view, guint line, const char *text);
/* What is drawn, borrowed; NULL: nothing. */
const char *gui_source_inline_get (GtkTextView *view);
