/* SPDX-License-Identifier: GPL-3.0-or-later */
/* profile-pictures EXAMPLES FOLDER [RANKS]: pictures of the views of a profile that need no run. */
#include <gtk/gtk.h>
#include "gui/profile/profile-calls.h"
#include "gui/profile/profile-functions.h"
#include "gui/kit/theme.h"
#include "gui/profile/profile-source.h"
#include "profile-sample.h"

static void
settle (void)
{
    gint64 end_us = g_get_monotonic_time () + 600000;

    while (g_get_monotonic_time () < end_us) {
        if (!g_main_context_iteration (NULL, FALSE)) {
            g_usleep (2000);
        }
    }
}

static void
save_window (GtkWidget *window, const char *folder, const char *name)
{
    g_autofree char *file = g_strconcat (folder, "/", name, ".png", NULL);
    GdkWindow *gdk = gtk_widget_get_window (window);
    g_autoptr (GdkPixbuf) picture = NULL;

    /* no tooltip in the picture */
    gdk_device_warp (gdk_seat_get_pointer (gdk_display_get_default_seat (
                         gdk_display_get_default ())),
                     gdk_screen_get_default (), 1200, 800);
    settle ();
    picture = gdk_pixbuf_get_from_window (gdk, 0, 0, gdk_window_get_width (gdk),
                                          gdk_window_get_height (gdk));
    g_assert_true (gdk_pixbuf_save (picture, file, "png", NULL, NULL));
}

static void
save_drawing (GtkWidget *view, const char *folder, const char *name)
{
    g_autofree char *file = g_strconcat (folder, "/", name, "-paper.png", NULL);
    double height = gui_profile_view_get_height (GUI_PROFILE_VIEW (view), 900);
    cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, 900,
                                                           (int) height);
    cairo_t *cr = cairo_create (surface);
    GuiProfileColours colours;

    gui_profile_colours_fill (NULL, &colours);
    gui_profile_view_draw (GUI_PROFILE_VIEW (view), cr, 900, height, &colours);
    cairo_destroy (cr);
    g_assert_cmpint (cairo_surface_write_to_png (surface, file), ==, CAIRO_STATUS_SUCCESS);
    cairo_surface_destroy (surface);
}

int
main (int argc, char **argv)
{
    g_autoptr (GuiProfileSelection) selection = NULL;
    g_autoptr (ProfileModel) model = NULL;
    GtkWidget *window, *stack, *calls, *functions, *source;
    guint n_ranks = argc > 3 ? (guint) atoi (argv[3]) : 16;
    const char *suffix = g_getenv ("PICTURE_SUFFIX");
    g_autofree char *folder = NULL;

    g_assert_cmpint (argc, >, 2);
    gui_theme_open_display ();
    gui_theme_init ();
    if (g_getenv ("TEXT_DPI") != NULL) {
        g_object_set (gtk_settings_get_default (), "gtk-xft-dpi",
                      atoi (g_getenv ("TEXT_DPI")) * 1024, NULL);
    }
    model = profile_sample_new (n_ranks, 3000, 300, argv[1]);
    selection = gui_profile_selection_new ();
    gui_profile_selection_set_model (selection, model);
    window = gtk_window_new (GTK_WINDOW_TOPLEVEL);
    stack = gtk_stack_new ();
    calls = gui_profile_calls_new (selection);
    functions = gui_profile_functions_new (selection);
    gtk_container_add (GTK_CONTAINER (stack), calls);
    gtk_container_add (GTK_CONTAINER (stack), functions);
    source = gui_profile_source_new (selection);
    gtk_container_add (GTK_CONTAINER (stack), source);
    gtk_container_add (GTK_CONTAINER (window), stack);
    gtk_window_set_default_size (GTK_WINDOW (window), 1000, 640);
    gtk_widget_show_all (window);
    folder = g_strconcat (argv[2], "/", suffix != NULL ? suffix : "light", NULL);
    g_mkdir_with_parents (folder, 0700);
    save_window (window, folder, "icicle");
    save_drawing (calls, folder, "icicle");
    gui_profile_calls_set_polar (GUI_PROFILE_CALLS (calls), TRUE);
    save_window (window, folder, "sunburst");
    save_drawing (calls, folder, "sunburst");
    gtk_stack_set_visible_child (GTK_STACK (stack), functions);
    gui_profile_selection_set_context (selection, 7);
    save_window (window, folder, "functions");
    save_drawing (functions, folder, "functions");
    gtk_stack_set_visible_child (GTK_STACK (stack), source);
    save_window (window, folder, "source");
    save_drawing (source, folder, "source");
    gtk_widget_destroy (window);
    return 0;
}
