/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Drawn over the view, in the colour of insensitive text, until there is a row. */
#include "gui/kit/hint.h"
#include <vte/vte.h>

enum { MARGIN = 16, FIRST_LINES = 2 };
#define HINT "pddt-hint"

static gboolean
is_empty (GtkWidget *view)
{
    GtkTreeModel *model = GTK_IS_TREE_VIEW (view)
                              ? gtk_tree_view_get_model (GTK_TREE_VIEW (view))
                              : NULL;
    GtkTreeIter iter;
    glong column, row;

    if (GTK_IS_TREE_VIEW (view)) {
        return model == NULL || !gtk_tree_model_get_iter_first (model, &iter);
    }
    if (GTK_IS_TEXT_VIEW (view)) {
        return gtk_text_buffer_get_char_count (gtk_text_view_get_buffer (GTK_TEXT_VIEW (view)))
               == 0;
    }
    vte_terminal_get_cursor_position (VTE_TERMINAL (view), &column, &row);
    return column == 0 && row == 0;
}

static gboolean
on_draw (GtkWidget *view, cairo_t *cr)
{
    const char *text = g_object_get_data (G_OBJECT (view), HINT);
    int width = gtk_widget_get_allocated_width (view) - 2 * MARGIN, height;
    GtkStyleContext *style = gtk_widget_get_style_context (gtk_widget_get_toplevel (view));
    g_autoptr (PangoLayout) layout = NULL;

    if (!is_empty (view) || width < 4 * MARGIN) {
        return FALSE;
    }
    layout = gtk_widget_create_pango_layout (gtk_widget_get_toplevel (view), text);
    pango_layout_set_width (layout, width * PANGO_SCALE);
    pango_layout_set_alignment (layout, PANGO_ALIGN_CENTER);
    pango_layout_get_pixel_size (layout, NULL, &height);
    cairo_push_group (cr);
    gtk_render_layout (style, cr, MARGIN,
                       MAX ((gtk_widget_get_allocated_height (view) - height) / 2, MARGIN),
                       layout);
    cairo_pop_group_to_source (cr);
    cairo_paint_with_alpha (cr, 0.75);
    return FALSE;
}

static void
on_text (GtkWidget *view)
{
    GtkTextBuffer *buffer = gtk_text_view_get_buffer (GTK_TEXT_VIEW (view));

    if (gtk_text_buffer_get_line_count (buffer) <= FIRST_LINES) {
        gtk_widget_queue_draw (view);
    }
}

void
gui_hint_set (GtkWidget *view, const char *text)
{
    gboolean is_first = g_object_get_data (G_OBJECT (view), HINT) == NULL;

    atk_object_set_description (gtk_widget_get_accessible (view), text);
    g_object_set_data_full (G_OBJECT (view), HINT, g_strdup (text), g_free);
    gtk_widget_queue_draw (view);
    if (!is_first) {
        return;
    }
    g_signal_connect_after (view, "draw", G_CALLBACK (on_draw), NULL);
    if (GTK_IS_TEXT_VIEW (view)) { /* it draws only the line that has come */
        g_signal_connect_object (gtk_text_view_get_buffer (GTK_TEXT_VIEW (view)), "changed",
                                 G_CALLBACK (on_text), view, G_CONNECT_SWAPPED);
    }
}
