/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gui/source/source-inline.h"

#define KEY "pddt-inline"
#define GAP_PX 24
#define MAX_PX 4000

typedef struct {
    guint line;
    char *text; /* NULL: none */
} Note;

static void
free_note (gpointer data)
{
    g_free (((Note *) data)->text);
    g_free (data);
}

static gboolean
on_draw (GtkTextView *view, cairo_t *cairo)
{
    const Note *note = g_object_get_data (G_OBJECT (view), KEY);
    GtkTextBuffer *buffer = gtk_text_view_get_buffer (view);
    GdkWindow *window = gtk_text_view_get_window (view, GTK_TEXT_WINDOW_TEXT);
    g_autoptr (PangoLayout) layout = NULL;
    GdkRectangle place;
    GtkTextIter end;
    GdkRGBA colour;
    int x, y;

    if (note == NULL || note->text == NULL || window == NULL
        || (int) note->line >= gtk_text_buffer_get_line_count (buffer)) {
        return FALSE;
    }
    gtk_text_buffer_get_iter_at_line (buffer, &end, (int) note->line);
    if (!gtk_text_iter_ends_line (&end)) {
        gtk_text_iter_forward_to_line_end (&end);
    }
    gtk_text_view_get_iter_location (view, &end, &place);
    gtk_text_view_buffer_to_window_coords (view, GTK_TEXT_WINDOW_WIDGET,
                                           place.x + place.width + GAP_PX, place.y, &x, &y);
    layout = gtk_widget_create_pango_layout (GTK_WIDGET (view), note->text);
    pango_layout_set_width (layout, MAX_PX * PANGO_SCALE);
    pango_layout_set_ellipsize (layout, PANGO_ELLIPSIZE_END);
    gtk_style_context_get_color (gtk_widget_get_style_context (GTK_WIDGET (view)),
                                 GTK_STATE_FLAG_NORMAL, &colour);
    cairo_set_source_rgba (cairo, colour.red, colour.green, colour.blue, 0.6);
    cairo_move_to (cairo, x, y);
    pango_cairo_show_layout (cairo, layout);
    return FALSE;
}

void
gui_source_inline_set (GtkTextView *view, guint line, const char *text)
{
    Note *note = g_object_get_data (G_OBJECT (view), KEY);

    if (note == NULL && text == NULL) {
        return;
    }
    if (note == NULL) {
        note = g_new0 (Note, 1);
        g_object_set_data_full (G_OBJECT (view), KEY, note, free_note);
        g_signal_connect_after (view, "draw", G_CALLBACK (on_draw), NULL);
    }
    if (note->line != line || g_strcmp0 (note->text, text) != 0) {
        g_free (note->text);
        *note = (Note){ line, g_strdup (text) };
        gtk_widget_queue_draw (GTK_WIDGET (view));
    }
}

const char *
gui_source_inline_get (GtkTextView *view)
{
    const Note *note = g_object_get_data (G_OBJECT (view), KEY);

    return note != NULL ? note->text : NULL;
}
