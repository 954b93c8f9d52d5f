/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The manual as HTML in the desktop's web browser, or in a window of pddt's own. */
#pragma once
#include <gtk/gtk.h>

/* Opens the first page of the manual: from the build tree if pddt runs there, else the
 * installed one. If that fails, a message on parent (may be NULL) says why. */
void gui_manual_show (GtkWindow *parent);
