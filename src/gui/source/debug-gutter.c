/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws disc, ring, half disc, diamond and question mark for breakpoints; filled and outlined arrows
 * with counts. */
#include "gui/source/debug-gutter.h"
#include <math.h>
#include "gui/kit/template.h"
#include "gui/kit/theme.h"
#include "base/array.h"

enum { WIDTH = 58, DISC_X = 10, COUNT_X = 20, ARROW_X = 46 };

typedef struct {
    guint marks, n_ranks;
    GString *text;
} Entry;

struct _GuiDebugGutter {
    GtkSourceGutterRenderer parent;
    GHashTable *entries; /* line to Entry */
};

G_DEFINE_TYPE (GuiDebugGutter, gui_debug_gutter, GTK_SOURCE_TYPE_GUTTER_RENDERER)

static guint toggled_signal, menu_signal;

BASE_FREE (free_entry, Entry, entry, g_string_free (entry->text, TRUE))

static void
draw_question (cairo_t *cr, double x, double y)
{
    cairo_text_extents_t extents;

    cairo_select_font_face (cr, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_BOLD);
    cairo_set_font_size (cr, 13);
    cairo_text_extents (cr, "?", &extents);
    cairo_move_to (cr, x - extents.width / 2 - extents.x_bearing,
                   y - extents.height / 2 - extents.y_bearing);
    cairo_show_text (cr, "?");
}

/* Two bars like "=": light on filled marks, in the mark's colour on others. */
static void
draw_bars (cairo_t *cr, gboolean is_filled, double x, double y)
{
    if (is_filled) {
        cairo_set_source_rgb (cr, 1, 1, 1);
    }
    cairo_rectangle (cr, floor (x) - 3, floor (y) - 2, 6, 1); /* on whole pixels */
    cairo_rectangle (cr, floor (x) - 3, floor (y) + 1, 6, 1);
    cairo_fill (cr);
}

static void
trace_shape (cairo_t *cr, guint marks, double x, double y)
{
    cairo_new_path (cr);
    if (marks & GUI_MARK_LOG) {
        cairo_move_to (cr, x - 6, y);
        cairo_line_to (cr, x, y - 6);
        cairo_line_to (cr, x + 6, y);
        cairo_line_to (cr, x, y + 6);
        cairo_close_path (cr);
    } else {
        cairo_arc (cr, x, y, 5, 0, 2 * G_PI);
    }
}

static void
draw_breakpoint (cairo_t *cr, guint marks, gboolean dark, double x, double y)
{
    gboolean is_filled = (marks & (GUI_MARK_DISABLED | GUI_MARK_PARTIAL)) == 0;

    cairo_set_source_rgb (cr, dark ? 1 : 0.8, dark ? 0.36 : 0.1, dark ? 0.36 : 0.15);
    cairo_set_line_width (cr, 1.5);
    if (marks & GUI_MARK_PENDING) {
        draw_question (cr, x, y);
        return;
    }
    trace_shape (cr, marks, x, y);
    if (is_filled) {
        cairo_fill (cr);
    } else {
        cairo_stroke (cr);
    }
    if (marks & GUI_MARK_PARTIAL) {
        cairo_save (cr);
        cairo_rectangle (cr, x - 7, y - 7, 7, 14);
        cairo_clip (cr);
        trace_shape (cr, marks, x, y);
        cairo_fill (cr);
        cairo_restore (cr);
    }
    if (marks & GUI_MARK_CONDITION) {
        draw_bars (cr, is_filled, x, y);
    }
}

static void
draw_arrow (cairo_t *cr, gboolean filled, gboolean dark, double x, double y)
{
    cairo_new_path (cr);
    cairo_move_to (cr, x - 6, y - 2);
    cairo_line_to (cr, x, y - 2);
    cairo_line_to (cr, x, y - 5.5);
    cairo_line_to (cr, x + 6.5, y);
    cairo_line_to (cr, x, y + 5.5);
    cairo_line_to (cr, x, y + 2);
    cairo_line_to (cr, x - 6, y + 2);
    cairo_close_path (cr);
    cairo_set_source_rgb (cr, 0.93, 0.65, 0.05);
    cairo_set_line_width (cr, 1.4);
    if (filled) {
        cairo_fill_preserve (cr);
        cairo_set_source_rgb (cr, 0.45, 0.3, 0);
        cairo_set_line_width (cr, 1);
    } else if (!dark) { /* the fill's orange is too pale for a line on a light ground */
        cairo_set_source_rgb (cr, 0.77, 0.44, 0);
    }
    cairo_stroke (cr);
}

static void
draw_count (GtkSourceGutterRenderer *renderer, cairo_t *cr, guint n, double right, double y)
{
    GtkTextView *view = gtk_source_gutter_renderer_get_view (renderer);
    GtkStyleContext *style = gtk_widget_get_style_context (GTK_WIDGET (view));
    g_autofree char *text = n > 9999 ? g_strdup_printf ("%uk", n / 1000)
                                     : g_strdup_printf ("%u", n);
    cairo_text_extents_t extents;
    GdkRGBA colour;

    gtk_style_context_get_color (style, gtk_style_context_get_state (style), &colour);
    gdk_cairo_set_source_rgba (cr, &colour);
    cairo_select_font_face (cr, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                            CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size (cr, 10);
    cairo_text_extents (cr, text, &extents);
    cairo_move_to (cr, right - extents.x_advance, y + 3.5);
    cairo_show_text (cr, text);
}

static void
draw (GtkSourceGutterRenderer *renderer, cairo_t *cr, GdkRectangle *background,
      GdkRectangle *cell, GtkTextIter *start, GtkTextIter *end,
      GtkSourceGutterRendererState state)
{
    guint line = (guint) gtk_text_iter_get_line (start) + 1;
    Entry *entry = g_hash_table_lookup (GUI_DEBUG_GUTTER (renderer)->entries,
                                        GUINT_TO_POINTER (line));

    if (GTK_SOURCE_GUTTER_RENDERER_CLASS (gui_debug_gutter_parent_class)->draw != NULL) {
        GTK_SOURCE_GUTTER_RENDERER_CLASS (gui_debug_gutter_parent_class)
            ->draw (renderer, cr, background, cell, start, end, state);
    }
    if (entry == NULL) {
        return;
    }
    double y = floor (cell->y + cell->height / 2.0) + 0.5;
    gboolean dark
        = gui_theme_is_dark (GTK_WIDGET (gtk_source_gutter_renderer_get_view (renderer)));
    cairo_save (cr);
    if (entry->marks & GUI_MARK_BREAKPOINT) {
        draw_breakpoint (cr, entry->marks, dark, cell->x + DISC_X, y);
    }
    if (entry->marks & (GUI_MARK_HERE | GUI_MARK_OTHERS)) {
        draw_arrow (cr, (entry->marks & GUI_MARK_HERE) != 0, dark, cell->x + ARROW_X, y);
    }
    if (entry->n_ranks > 1) {
        draw_count (renderer, cr, entry->n_ranks, cell->x + ARROW_X - 8, y);
    }
    cairo_restore (cr);
}

static gboolean
query_activatable (GtkSourceGutterRenderer *renderer, GtkTextIter *iter, GdkRectangle *area,
                   GdkEvent *event)
{
    return TRUE;
}

static void
activate (GtkSourceGutterRenderer *renderer, GtkTextIter *iter, GdkRectangle *area,
          GdkEvent *event)
{
    guint line = (guint) gtk_text_iter_get_line (iter) + 1;

    if (event->type == GDK_BUTTON_PRESS && gdk_event_triggers_context_menu (event)) {
        g_signal_emit (renderer, menu_signal, 0, line);
    } else if (event->type == GDK_BUTTON_PRESS && event->button.button == GDK_BUTTON_PRIMARY) {
        g_signal_emit (renderer, toggled_signal, 0, line);
    }
}

static gboolean
query_tooltip (GtkSourceGutterRenderer *renderer, GtkTextIter *iter, GdkRectangle *area, int x,
               int y, GtkTooltip *tooltip)
{
    guint line = (guint) gtk_text_iter_get_line (iter) + 1;
    Entry *entry = g_hash_table_lookup (GUI_DEBUG_GUTTER (renderer)->entries,
                                        GUINT_TO_POINTER (line));

    if (entry == NULL || entry->text->len == 0) {
        return FALSE;
    }
    gtk_tooltip_set_text (tooltip, entry->text->str);
    atk_object_set_description (
        gtk_widget_get_accessible (GTK_WIDGET (gtk_source_gutter_renderer_get_view (renderer))),
        entry->text->str); /* tooltips are not read */
    return TRUE;
}

void
gui_debug_gutter_clear (GuiDebugGutter *self)
{
    g_hash_table_remove_all (self->entries);
    gtk_source_gutter_renderer_queue_draw (GTK_SOURCE_GUTTER_RENDERER (self));
}

void
gui_debug_gutter_add (GuiDebugGutter *self, guint line, guint marks, guint n_ranks,
                      const char *text)
{
    Entry *entry = g_hash_table_lookup (self->entries, GUINT_TO_POINTER (line));

    if (entry == NULL) {
        entry = g_new0 (Entry, 1);
        entry->text = g_string_new (NULL);
        g_hash_table_insert (self->entries, GUINT_TO_POINTER (line), entry);
    }
    entry->marks |= marks;
    entry->n_ranks += n_ranks;
    if (text != NULL) {
        g_string_append_printf (entry->text, "%s%s", entry->text->len > 0 ? "\n" : "", text);
    }
    gtk_source_gutter_renderer_queue_draw (GTK_SOURCE_GUTTER_RENDERER (self));
}

GUI_FINALIZE (gui_debug_gutter, GuiDebugGutter, g_hash_table_unref (self->entries))

static void
gui_debug_gutter_class_init (GuiDebugGutterClass *klass)
{
    GtkSourceGutterRendererClass *renderer = GTK_SOURCE_GUTTER_RENDERER_CLASS (klass);

    G_OBJECT_CLASS (klass)->finalize = gui_debug_gutter_finalize;
    renderer->draw = draw;
    renderer->query_activatable = query_activatable;
    renderer->activate = activate;
    renderer->query_tooltip = query_tooltip;
    toggled_signal = GUI_SIGNAL (klass, "toggled", G_TYPE_UINT);
    menu_signal = GUI_SIGNAL (klass, "menu", G_TYPE_UINT);
}

static void
gui_debug_gutter_init (GuiDebugGutter *self)
{
    self->entries = g_hash_table_new_full (NULL, NULL, NULL, free_entry);
}

GtkSourceGutterRenderer *
gui_debug_gutter_new (void)
{
    return g_object_new (GUI_TYPE_DEBUG_GUTTER, "size", WIDTH, NULL);
}
