/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Windows in a test's own process. */
#pragma once
#include <gtk/gtk.h>

/* The last widget below root with that accessible id; fails where there is none. Borrowed. */
GtkWidget *widgets_find (GtkWidget *root, const char *id);
/* Runs the loop until it has had nothing to do for a moment. */
void widgets_settle (void);
/* For a main function: gtk_test_init with pddt's settings and style, and an application for its windows. Caller owns. */
GtkApplication *widgets_start (int *argc, char ***argv);
