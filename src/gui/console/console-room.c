/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gui/console/console-room.h"
#include <glib/gi18n.h>
#include "gui/kit/theme.h"

enum { HEADER = 50, PAGES = 210, LEAST_VIEW = 200 }; /* heights in pixels */

/* Where both would be too low, source, stack and values are the first page of those below, and all else
 * takes as little height as it can. */
static void
set_low (GuiConsoleRoom *room, gboolean is_low)
{
    GtkWidget *view = GTK_WIDGET (room->view);
    GtkStyleContext *style = gtk_widget_get_style_context (GTK_WIDGET (room->window));
    int margin = is_low ? 3 : 8;

    room->is_low = is_low;
    (is_low ? gtk_style_context_add_class : gtk_style_context_remove_class) (style, "pddt-low");
    g_object_set (room->chart, "is-low", is_low, NULL);
    g_object_set (room->toolbar, "margin-top", margin, "margin-bottom", margin, NULL);
    g_object_ref (view);
    gtk_container_remove (GTK_CONTAINER (gtk_widget_get_parent (view)), view);
    if (is_low) {
        gtk_notebook_insert_page (GTK_NOTEBOOK (room->pages), view, NULL, 0);
        gtk_notebook_set_tab_label_text (GTK_NOTEBOOK (room->pages), view, _ ("Source"));
    } else {
        gtk_container_add (GTK_CONTAINER (room->rows), view); /* its first half */
        gtk_container_child_set (GTK_CONTAINER (room->rows), view, "resize", TRUE, NULL);
    }
    g_object_unref (view);
    /* an only child gets what there is, if it be too little */
    gtk_container_child_set (GTK_CONTAINER (room->rows), room->pages, "shrink", !is_low, NULL);
    gtk_notebook_set_current_page (GTK_NOTEBOOK (room->pages), 0);
}

static gboolean
is_too_low (const GuiConsoleRoom *room, int height)
{
    return height - room->least - HEADER - PAGES < LEAST_VIEW;
}

/* Seven lines of the pages, the rest for the view. */
static void
share_room (GuiConsoleRoom *room, int width, int height)
{
    int below = height - room->least - HEADER; /* what the rows share */
    int view = room->is_low ? below : below - PAGES;

    gtk_paned_set_position (GTK_PANED (room->rows), view);
    gui_group_view_set_room (room->view, width, view);
}

static gboolean
follow_size (gpointer user)
{
    GuiConsoleRoom *room = user;
    int width, height;

    room->source = 0;
    gtk_window_get_size (room->window, &width, &height);
    if (room->is_new) { /* its parts have got their places, by the sizes that they had before */
        room->is_new = FALSE;
        share_room (room, width, height);
    }
    if (is_too_low (room, height) != room->is_low) {
        room->is_new = TRUE;
        set_low (room, !room->is_low);
    }
    room->height = height;
    return G_SOURCE_REMOVE;
}

/* A window that has become high, or low, is laid out for that. */
static void
on_size (GuiConsoleRoom *room)
{
    int height;

    gtk_window_get_size (room->window, NULL, &height);
    if (room->least > 0 && (height != room->height || room->is_new) && room->source == 0) {
        room->source = g_idle_add (follow_size, room);
    }
}

/* Buttons lose their words where they are too wide. */
void
gui_console_room_begin (GuiConsoleRoom *room)
{
    int width, height, least_width;

    gtk_window_get_default_size (room->window, &width, &height);
    gtk_widget_get_preferred_width (room->toolbar, &least_width, NULL);
    if (least_width > width) {
        gui_theme_drop_labels (room->moves);
    }
    gtk_widget_get_preferred_height (room->column, &room->least, NULL);
    if (is_too_low (room, height)) {
        set_low (room, TRUE);
    }
    share_room (room, width, height);
    room->height = height;
    g_signal_connect_swapped (room->window, "size-allocate", G_CALLBACK (on_size), room);
}

void
gui_console_room_clear (GuiConsoleRoom *room)
{
    g_clear_handle_id (&room->source, g_source_remove);
    room->least = 0;
}
