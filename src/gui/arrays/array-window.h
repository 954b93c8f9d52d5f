/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An array of one rank, or the same of all ranks of a group: table, picture, statistics, files. */
#pragma once
#include <gtk/gtk.h>
#include "session/selection.h"

#define GUI_TYPE_ARRAY_WINDOW (gui_array_window_get_type ())
G_DECLARE_FINAL_TYPE (GuiArrayWindow, gui_array_window, GUI, ARRAY_WINDOW, GtkWindow)

/* selection: whose frames the expression is of; NULL: those that the ranks are in. */
GtkWidget *gui_array_window_open (GtkWindow *parent, Session *session,
                                  SessionSelection *selection, const JobRankSet *ranks,
                                  guint32 rank, const char *expression);
