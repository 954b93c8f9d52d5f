/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One expression over ranks: which value which ranks have, and of numbers a picture by rank and a histogram. Signal
 * "set-chosen" (gpointer JobRankSet*, borrowed): wants a window of these ranks. */
#pragma once
#include <gtk/gtk.h>
#include "session/logged.h"
#include "session/selection.h"

#define GUI_TYPE_COMPARE_WINDOW (gui_compare_window_get_type ())
G_DECLARE_FINAL_TYPE (GuiCompareWindow, gui_compare_window, GUI, COMPARE_WINDOW, GtkWindow)

/* selection: whose frames the expression is of. rank: ranks that are in another function than this one are compared
 * only when the user wants it, since a variable of theirs with the same name is another one. */
GtkWidget *gui_compare_window_open (GtkWindow *parent, Session *session,
                                    SessionSelection *selection, const JobRankSet *ranks,
                                    guint32 rank, const char *expression);
/* The same with what the ranks wrote last at a logpoint, which is old; Update asks them what it is now. */
GtkWidget *gui_compare_window_open_logged (GtkWindow *parent, Session *session,
                                           SessionSelection *selection,
                                           const SessionLogged *logged);
