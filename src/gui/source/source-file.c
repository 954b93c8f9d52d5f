/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gui/source/source-file.h"
#include "gui/kit/theme.h"
#include "gui/source/source-menu.h"
#include "gui/source/source-page.h"
#include "gui/source/source-style.h"

void
gui_source_file_free (gpointer data)
{
    GuiSourceFile *self = data;

    g_clear_handle_id (&self->idle, g_source_remove);
    g_signal_handlers_disconnect_by_data (self->view, self);
    g_signal_handlers_disconnect_by_data (self->gutter, self);
    g_object_unref (self->view);
    g_free (self->file);
    g_object_unref (self->buffer);
    g_free (self);
}

gboolean
gui_source_file_is_open (const GuiSourceFile *self)
{
    return gtk_widget_get_visible (self->page);
}

guint
gui_source_file_get_line (const GuiSourceFile *self)
{
    GtkTextBuffer *buffer = GTK_TEXT_BUFFER (self->buffer);
    GtkTextIter iter;

    if (!self->is_loaded || self->is_missing) {
        return self->pending_line;
    }
    gtk_text_buffer_get_iter_at_mark (buffer, &iter, gtk_text_buffer_get_insert (buffer));
    return (guint) gtk_text_iter_get_line (&iter) + 1;
}

void
gui_source_file_mark (GuiSourceFile *self, guint line, const char *as)
{
    GtkTextBuffer *buffer = GTK_TEXT_BUFFER (self->buffer);
    GtkTextIter start, end;

    gtk_text_buffer_get_bounds (buffer, &start, &end);
    gtk_text_buffer_remove_tag_by_name (buffer, "here", &start, &end);
    gtk_text_buffer_remove_tag_by_name (buffer, "there", &start, &end);
    if (line > 0 && (int) line <= gtk_text_buffer_get_line_count (buffer)) {
        gtk_text_buffer_get_iter_at_line (buffer, &start, (int) line - 1);
        end = start;
        gtk_text_iter_forward_line (&end);
        gtk_text_buffer_apply_tag_by_name (buffer, as, &start, &end);
    }
}

void
gui_source_file_scroll_to (GuiSourceFile *self, guint line)
{
    GtkTextBuffer *buffer = GTK_TEXT_BUFFER (self->buffer);
    GtkTextView *view = GTK_TEXT_VIEW (self->view);
    GdkRectangle visible, place;
    GtkTextIter iter;

    gtk_text_buffer_get_iter_at_line (buffer, &iter, (int) MAX (line, 1) - 1);
    gtk_text_buffer_place_cursor (buffer, &iter);
    self->is_wanted = TRUE;
    if (self->height == 0) {
        return; /* on_size will: the view does not take a size while it scrolls */
    }
    gtk_text_view_get_visible_rect (view, &visible);
    gtk_text_view_get_iter_location (view, &iter, &place);
    if (place.y < visible.y + place.height
        || place.y + 2 * place.height > visible.y + visible.height) {
        gtk_text_view_scroll_to_mark (view, gtk_text_buffer_get_insert (buffer), 0, TRUE, 0,
                                      0.4);
    }
}

static gboolean
scroll_again (gpointer user)
{
    GuiSourceFile *self = user;

    self->idle = 0;
    gui_source_file_scroll_to (self, gui_source_file_get_line (self));
    return G_SOURCE_REMOVE;
}

/* A view that shrinks must not hide the requested line. */
static void
on_size (GtkWidget *view, GtkAllocation *allocation, GuiSourceFile *self)
{
    if (allocation->height != self->height && self->is_wanted && self->is_loaded
        && self->idle == 0) {
        self->idle = g_idle_add (scroll_again, self);
    }
    self->height = allocation->height;
}

static gboolean
on_user (GtkWidget *view, GdkEvent *event, GuiSourceFile *self)
{
    self->is_wanted = FALSE;
    if (event->type == GDK_BUTTON_PRESS && gdk_event_triggers_context_menu (event)
        && event->button.window
               == gtk_text_view_get_window (GTK_TEXT_VIEW (view), GTK_TEXT_WINDOW_TEXT)) {
        gui_source_menu_place_cursor (GTK_TEXT_VIEW (view), &event->button);
    }
    return FALSE;
}

gboolean
gui_source_file_set_text (GuiSourceFile *self, const char *text, gsize size)
{
    gboolean is_shown = self->is_loaded && !self->is_missing;
    guint line = gui_source_file_get_line (self);
    if (!gui_source_text_set (GTK_TEXT_VIEW (self->view), text, size, is_shown,
                              &self->encoding)) {
        return FALSE;
    }
    self->pending_line = line;
    return TRUE;
}

static void
on_gutter_menu (GuiSourceFile *self, guint line)
{
    GtkTextIter iter;
    gboolean is_done;

    gtk_text_buffer_get_iter_at_line (GTK_TEXT_BUFFER (self->buffer), &iter, (int) line - 1);
    gtk_text_buffer_place_cursor (GTK_TEXT_BUFFER (self->buffer), &iter);
    g_signal_emit_by_name (self->view, "popup-menu", &is_done);
}

GuiSourceFile *
gui_source_file_new (const char *file, gboolean is_reader)
{
    GuiSourceFile *self = g_new0 (GuiSourceFile, 1);
    GtkSourceGutter *gutter;
    g_autofree char *name = g_path_get_basename (file);

    self->file = g_strdup (file);
    self->buffer = gtk_source_buffer_new (NULL);
    self->view = g_object_ref (gtk_source_view_new_with_buffer (self->buffer));
    gtk_text_view_set_editable (GTK_TEXT_VIEW (self->view), FALSE);
    gtk_text_view_set_monospace (GTK_TEXT_VIEW (self->view), TRUE);
    gtk_source_view_set_show_line_numbers (GTK_SOURCE_VIEW (self->view), TRUE);
    gtk_source_view_set_highlight_current_line (GTK_SOURCE_VIEW (self->view), FALSE);
    gtk_style_context_add_class (gtk_widget_get_style_context (self->view), "pddt-source");
    gui_theme_name (self->view, "source", name);
    gutter = gtk_source_view_get_gutter (GTK_SOURCE_VIEW (self->view), GTK_TEXT_WINDOW_LEFT);
    self->gutter = GUI_DEBUG_GUTTER (gui_debug_gutter_new ());
    gtk_source_gutter_insert (gutter, GTK_SOURCE_GUTTER_RENDERER (self->gutter), -40);
    g_signal_connect_swapped (self->gutter, "menu", G_CALLBACK (on_gutter_menu), self);
    gtk_widget_set_has_tooltip (self->view, TRUE);
    g_signal_connect (self->view, "size-allocate", G_CALLBACK (on_size), self);
    g_signal_connect (self->view, "button-press-event", G_CALLBACK (on_user), self);
    g_signal_connect (self->view, "key-press-event", G_CALLBACK (on_user), self);
    g_signal_connect (self->view, "scroll-event", G_CALLBACK (on_user), self);
    self->page = gui_source_page_new (self->view, !is_reader);
    gtk_widget_show (self->page);
    self->is_dark = gui_theme_is_dark (self->view);
    gui_source_style_begin (self->buffer, self->file, self->is_dark);
    gtk_source_gutter_renderer_set_visible (GTK_SOURCE_GUTTER_RENDERER (self->gutter),
                                            !is_reader);
    return self;
}
