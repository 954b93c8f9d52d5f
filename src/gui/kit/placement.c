/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A window goes to the right of the kept part where there is room for most of it, else below, unless the
 * screen is too low for both. */
#include "gui/kit/placement.h"

enum {
    STEP = 28,
    LOW = 700 /* the height of a screen */,
    FRAME = 40 /* title and borders that the window manager adds */,
    SHADOWS = 10 /* of a window that draws its own title */
};

static const char key[] = "pddt-keep-visible";

void
gui_placement_keep_visible (GtkWindow *window, GtkWidget *widget)
{
    g_object_set_data (G_OBJECT (window), key, widget);
}

static gboolean
find_kept (GtkWindow *window, GdkRectangle *ret_kept)
{
    GtkWidget *widget = g_object_get_data (G_OBJECT (window), key);
    int x = 0, y = 0, width, height;

    if (widget == NULL || !gtk_widget_get_mapped (widget)
        || !gtk_widget_translate_coordinates (widget, GTK_WIDGET (window), 0, 0, &x, &y)) {
        return FALSE;
    }
    gtk_window_get_position (window, &ret_kept->x, &ret_kept->y);
    gtk_window_get_size (window, &width, &height);
    ret_kept->width = width + FRAME / 2;
    ret_kept->height = y + gtk_widget_get_allocated_height (widget) + FRAME;
    return TRUE;
}

static void
get_workarea (GtkWindow *other, GdkRectangle *area)
{
    GdkDisplay *display = gdk_display_get_default ();
    GdkWindow *surface = other != NULL ? gtk_widget_get_window (GTK_WIDGET (other)) : NULL;
    GdkMonitor *monitor = surface != NULL ? gdk_display_get_monitor_at_window (display, surface)
                                          : gdk_display_get_monitor (display, 0);

    *area = (GdkRectangle){ 0, 0, 1280, 800 };
    if (monitor != NULL) {
        gdk_monitor_get_workarea (monitor, area);
    }
}

void
gui_placement_place (GtkWindow *window, GtkWindow *other, guint n_before)
{
    GdkRectangle area, kept;
    int width, height, least_width, least_height, x, y;

    get_workarea (other, &area);
    gtk_window_get_default_size (window, &width, &height);
    gtk_widget_get_size_request (GTK_WIDGET (window), &least_width, &least_height);
    width = MIN (width, area.width - SHADOWS);
    height = MIN (height, area.height - FRAME);
    if (other != NULL && find_kept (other, &kept)) {
        int right = area.x + area.width - kept.x - kept.width;
        int below = area.y + area.height - kept.y - kept.height;

        if (right >= MAX (least_width, width * 7 / 8)) {
            width = MIN (width, right);
            x = area.x + area.width - width;
            y = kept.y;
        } else {
            /* on a low screen what is kept is its title only */
            int room = area.height < LOW ? area.height - FRAME - STEP : below - FRAME;

            height = MAX (MIN (height, room), least_height);
            x = area.x + area.width - width;
            y = area.y + area.height - height - FRAME;
        }
        x = MAX (area.x, x - (int) (n_before % 8) * STEP);
        y = MAX (area.y, y - (int) (n_before % 8) * STEP / 2);
        gtk_window_move (window, x, y);
    } else {
        gtk_window_move (window, area.x, area.y); /* leaves room for the windows of groups */
    }
    gtk_window_set_default_size (window, width, height);
}
