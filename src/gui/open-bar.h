/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A line to type a file, FILE:LINE, a line or a function into, with completion. Signals:
 *  "open" (const char *file, guint line)   file "" is the one that is shown
 *  "lookup" (const char *text)             what is named so? answer with add_function and, when
 *                                          that was all, finish */
#pragma once
#include <gtk/gtk.h>

#define GUI_TYPE_OPEN_BAR (gui_open_bar_get_type ())
G_DECLARE_FINAL_TYPE (GuiOpenBar, gui_open_bar, GUI, OPEN_BAR, GtkBox)

GtkWidget *gui_open_bar_new (void);
/* files: known ones; others of their folders are found here. lines_only: for "go to line". */
void gui_open_bar_show (GuiOpenBar *bar, char **files, gboolean lines_only);
/* Or a file: then its line is 1. file NULL: nobody knows where its source is. */
void gui_open_bar_add_function (GuiOpenBar *bar, const char *function, const char *file,
                                guint line);
void gui_open_bar_finish (GuiOpenBar *bar);
