/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gui/profile/profile-bar-cell.h"
#include "gui/kit/template.h"

enum { MIN_WIDTH = 60, MAX_WIDTH = 200, BAR = 4, HEIGHT = 16 };

struct _GuiProfileBarCell {
    GtkCellRenderer parent;
    GBytes *bars;
};

G_DEFINE_TYPE (GuiProfileBarCell, gui_profile_bar_cell, GTK_TYPE_CELL_RENDERER)

void
gui_profile_bar_cell_paint (cairo_t *cr, const float *bars, guint n_bars, guint32 colour,
                            double x, double y, double width, double height)
{
    double step = MIN (n_bars > 0 ? width / n_bars : 0, 24), most = 0;

    for (guint i = 0; i < n_bars; i++) {
        most = MAX (most, (double) bars[i]);
    }
    for (guint i = 0; i < n_bars && most > 0; i++) {
        double share = bars[i] / most;
        double tall = share > 0 ? MAX (share * height, 1) : 0;

        gui_profile_set_colour (cr, colour, 0.4 + 0.6 * share);
        cairo_rectangle (cr, x + i * step, y + height - tall, MAX (step - (step > 2.5), 0.5),
                         tall);
        cairo_fill (cr);
    }
    gui_profile_set_colour (cr, colour, 0.35); /* what is empty has a line to stand on */
    cairo_rectangle (cr, x, y + height, step * n_bars, 1);
    cairo_fill (cr);
}

static void
get_width (GtkCellRenderer *cell, GtkWidget *widget, int *minimum, int *natural)
{
    GBytes *bars = GUI_PROFILE_BAR_CELL (cell)->bars;
    int wanted = bars != NULL ? (int) (g_bytes_get_size (bars) / sizeof (float)) * BAR : 0;

    *minimum = MIN_WIDTH;
    *natural = CLAMP (wanted, MIN_WIDTH, MAX_WIDTH);
}

static void
get_height (GtkCellRenderer *cell, GtkWidget *widget, int *minimum, int *natural)
{
    *minimum = *natural = HEIGHT;
}

static void
render (GtkCellRenderer *cell, cairo_t *cr, GtkWidget *widget, const GdkRectangle *background,
        const GdkRectangle *area, GtkCellRendererState flags)
{
    GuiProfileBarCell *self = GUI_PROFILE_BAR_CELL (cell);
    GtkStyleContext *style = gtk_widget_get_style_context (widget);
    const float *bars;
    GdkRGBA ink;
    gsize size;

    if (self->bars == NULL) {
        return;
    }
    bars = g_bytes_get_data (self->bars, &size);
    gtk_style_context_get_color (style, gtk_style_context_get_state (style), &ink);
    gui_profile_bar_cell_paint (cr, bars, (guint) (size / sizeof (float)),
                                (guint32) (ink.red * 255) << 16
                                    | (guint32) (ink.green * 255) << 8
                                    | (guint32) (ink.blue * 255),
                                area->x + 2, area->y + 1, area->width - 4, area->height - 3);
}

static void
gui_profile_bar_cell_class_init (GuiProfileBarCellClass *klass)
{
    GtkCellRendererClass *cell = GTK_CELL_RENDERER_CLASS (klass);

    G_OBJECT_CLASS (klass)->dispose = gui_properties_dispose;
    GUI_PROPERTIES (klass, GuiProfileBarCell, (bars, G_TYPE_BYTES));
    cell->get_preferred_width = get_width;
    cell->get_preferred_height = get_height;
    cell->render = render;
}

static void
gui_profile_bar_cell_init (GuiProfileBarCell *self)
{
}

GtkCellRenderer *
gui_profile_bar_cell_new (void)
{
    return g_object_new (GUI_TYPE_PROFILE_BAR_CELL, NULL);
}
