/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace-rig.h"
#include <glib/gstdio.h>
#include "gui/profile/profile-window.h"
#include "trace-sample.h"
#include "widgets.h"

const char *trace_rig_folder, *trace_rig_source;
static GtkApplication *application;

void
trace_rig_start (int *argc, char ***argv)
{
    application = widgets_start (argc, argv);
    g_assert_cmpint (*argc, ==, 3);
    trace_rig_folder = (*argv)[1];
    trace_rig_source = (*argv)[2];
    g_mkdir_with_parents (trace_rig_folder, 0700);
}

int
trace_rig_run (void)
{
    int status = g_test_run ();

    g_object_unref (application);
    return status;
}

GtkWidget *
trace_rig_show_model (ProfileModel *model)
{
    GtkWidget *window = gui_profile_window_new (application, model, "app");

    gtk_window_present (GTK_WINDOW (window));
    widgets_settle ();
    return window;
}

GtkWidget *
trace_rig_show (void)
{
    return trace_rig_show_model (trace_sample_new (trace_rig_source));
}

void
trace_rig_save_picture (GtkWidget *window, const char *page)
{
    g_autofree char *file = g_strdup_printf ("%s/%s.png", trace_rig_folder, page);
    GdkWindow *gdk = gtk_widget_get_window (window);
    g_autoptr (GdkPixbuf) picture = NULL;

    widgets_settle ();
    picture = gdk_pixbuf_get_from_window (gdk, 0, 0, gdk_window_get_width (gdk),
                                          gdk_window_get_height (gdk));
    g_assert_true (gdk_pixbuf_save (picture, file, "png", NULL, NULL));
}
