/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gui/group/value-windows.h"
#include "gui/arrays/array-length.h"
#include "gui/compare/compare-window.h"

static void
on_set_chosen (GtkWidget *view, const JobRankSet *set)
{
    g_signal_emit_by_name (view, "set-chosen", set);
}

void
gui_value_window_open (GtkWidget *view, const char *as, Session *session,
                       SessionSelection *selection, const JobRankSet *ranks, guint32 rank,
                       const char *expression)
{
    GtkWindow *parent = GTK_WINDOW (gtk_widget_get_toplevel (view));
    GtkWidget *compare;

    if (g_str_equal (as, "array")) {
        gui_array_length_open (parent, session, selection, ranks, rank, expression);
        return;
    }
    compare = gui_compare_window_open (parent, session, selection, ranks, rank, expression);
    g_signal_connect_object (compare, "set-chosen", G_CALLBACK (on_set_chosen), view,
                             G_CONNECT_SWAPPED);
}
