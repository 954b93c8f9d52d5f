/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shows pages of the manual where the desktop has no web browser: headings, text, lists, tables and code of the HTML
 * that doc/render.py writes, and links among its pages. A page that cannot be read says why. */
#pragma once
#include <gtk/gtk.h>

/* Opens a window with the page, beside the parent (may be NULL). */
void gui_manual_reader_open (GtkWindow *parent, const char *page);
