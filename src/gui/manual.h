/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The manual, as HTML files that the desktop's own browser shows. */
#pragma once
#include <gtk/gtk.h>

/* Opens the first page of the manual: that of the build tree that the program runs from, else the
 * installed one. A message on parent (may be NULL) says why where that fails. */
void gui_manual_show (GtkWindow *parent);
