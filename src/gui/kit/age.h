/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The age of stale data, and the grey in which it is shown. */
#pragma once
#include <gtk/gtk.h>

char *gui_age_format (gint64 since_us);        /* "as of 7 s ago"; caller owns */
char *gui_age_format_sample (gint64 since_us); /* "sampled 7 s ago"; caller owns */
/* In a cell's data function: the text, and where it is stale for longer than a moment, in grey and with its
 * age. since_us 0: it is not stale. */
void gui_age_render (GtkCellRenderer *cell, GtkWidget *view, const char *text, gint64 since_us);
/* The grey for text on the widget's background; static. */
const char *gui_age_get_colour (GtkWidget *widget);
