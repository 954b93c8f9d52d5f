/* SPDX-License-Identifier: GPL-3.0-or-later */
/* timeline-tips PDDT-ARCHIVE ARCHIVE BEGIN END N: shows that part of a trace (s since its beginning) in Timeline, waits until
 * the events themselves are there, and prints for N places of the first row the time and what its tooltip says, on one
 * line with | between its lines. */
#include <gtk/gtk.h>
#include <stdio.h>
#include <stdlib.h>
#include "gui/kit/settings.h"
#include "gui/kit/theme.h"
#include "gui/profile/profile-axis.h"
#include "gui/profile/timeline-view.h"
#include "profile/archive.h"

static void
settle (GtkWidget *view)
{
    gint64 quiet_us = g_get_monotonic_time ();

    while (g_get_monotonic_time () - quiet_us < 100000) { /* nothing has happened for so long */
        if (gtk_events_pending () || !gui_timeline_view_is_settled (GUI_TIMELINE_VIEW (view))) {
            gtk_main_iteration ();
            quiet_us = g_get_monotonic_time ();
        } else {
            g_usleep (1000);
        }
    }
}

int
main (int argc, char **argv)
{
    g_autoptr (GError) error = NULL;
    g_autoptr (ProfileModel) model = NULL;
    g_autoptr (GuiProfileSelection) selection = NULL;
    GtkWidget *window, *view;
    GuiProfileAxis axis;
    guint n;

    gui_settings_init ();
    gtk_init (&argc, &argv);
    gui_theme_init ();
    g_assert_cmpint (argc, ==, 6);
    model = profile_archive_read (argv[1], argv[2], &error);
    g_assert_no_error (error);
    selection = gui_profile_selection_new ();
    gui_profile_selection_set_model (selection, model);
    window = gtk_window_new (GTK_WINDOW_TOPLEVEL);
    gtk_window_set_default_size (GTK_WINDOW (window), 1000, 300);
    view = gui_timeline_view_new (selection);
    g_object_set (view, "archive-program", argv[1], "archive", argv[2], NULL);
    gtk_container_add (GTK_CONTAINER (window), view);
    gtk_widget_show_all (window);
    gui_profile_selection_set_time (selection, g_ascii_strtod (argv[3], NULL),
                                    g_ascii_strtod (argv[4], NULL));
    settle (view);
    gui_profile_axis_init (&axis, gui_profile_selection_get_begin (selection),
                           gui_profile_selection_get_end (selection),
                           gui_profile_canvas_get_width (GUI_PROFILE_CANVAS (view)));
    n = (guint) atoi (argv[5]);
    for (guint i = 0; i < n; i++) {
        double x = axis.x + (i + 0.5) * axis.width / n;
        g_autofree char *tip
            = GUI_PROFILE_CANVAS_GET_CLASS (view)->get_tip (GUI_PROFILE_CANVAS (view), x,
                                                            GUI_PROFILE_AXIS + 4);

        printf ("%.9f %s\n", gui_profile_axis_get_time (&axis, x),
                tip != NULL ? g_strdelimit (tip, "\n", '|') : "");
    }
    gtk_widget_destroy (window);
    return 0;
}
