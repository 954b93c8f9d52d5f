/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One cell of the slice is a rectangle, or many cells share a pixel: then it shows the first
 * NaN, else the largest value. Painted once into a surface. */
#include "gui/arrays/array-picture.h"
#include <glib/gi18n.h>
#include "gui/kit/template.h"
#include "gui/kit/theme.h"

enum { MARGIN = 8, SCALE = 18, MAX_CELLS_A_PIXEL = 64, SWATCH = 12 };
/* None of these is in the scale, and dichromats can distinguish them. */
enum {
    COLOUR_NAN = 0xd5320a,
    COLOUR_INFINITE = 0x6fd3ff,
    COLOUR_FINITE = 0xe4e4e4,
    COLOUR_FINITE_DARK = 0x45494a,
    COLOUR_HIDDEN = 0xffffff,
    COLOUR_HIDDEN_DARK = 0x1e1e1e
};

struct _GuiArrayPicture {
    GtkDrawingArea parent;
    const GuiArrayData *data;
    GuiArraySlice slice;
    double min, max;
    gboolean only_problems, is_dark;
    cairo_surface_t *surface;
};

G_DEFINE_TYPE (GuiArrayPicture, gui_array_picture, GTK_TYPE_DRAWING_AREA)

/* Anchors of a scale with evenly increasing lightness, so that it works for the
 * colour-blind. */
static guint32
get_colour (double share)
{
    static const guint8 anchors[][3] = {
        { 68, 1, 84 }, { 59, 82, 139 }, { 33, 145, 140 }, { 94, 201, 98 }, { 253, 231, 37 }
    };
    double at = CLAMP (share, 0, 1) * (G_N_ELEMENTS (anchors) - 1);
    guint i = MIN ((guint) at, G_N_ELEMENTS (anchors) - 2);
    double part = at - i;
    guint32 colour = 0;

    for (guint j = 0; j < 3; j++) {
        colour = colour << 8
                 | (guint32) (anchors[i][j] + part * (anchors[i + 1][j] - anchors[i][j]));
    }
    return colour;
}

static guint32
get_value_colour (const GuiArrayPicture *self, double value)
{
    if (__builtin_isnan (value)) {
        return COLOUR_NAN;
    }
    if (__builtin_isinf (value)) {
        return COLOUR_INFINITE;
    }
    if (self->only_problems) {
        return self->is_dark ? COLOUR_FINITE_DARK : COLOUR_FINITE;
    }
    return get_colour (self->max > self->min ? (value - self->min) / (self->max - self->min)
                                             : 0.5);
}

static void
get_area (GuiArrayPicture *self, GdkRectangle *area)
{
    area->x = area->y = MARGIN;
    area->width = MAX (gtk_widget_get_allocated_width (GTK_WIDGET (self)) - 2 * MARGIN, 1);
    area->height
        = MAX (gtk_widget_get_allocated_height (GTK_WIDGET (self)) - 3 * MARGIN - SCALE, 1);
}

/* The colour of what stands there; where all is hidden, of nothing. */
static guint32
choose_colour (const GuiArrayPicture *self, guint64 row, guint64 row_end, guint64 column,
               guint64 column_end)
{
    double chosen = 0;
    gboolean any = FALSE;
    guint64 step = MAX ((row_end - row) * (column_end - column) / MAX_CELLS_A_PIXEL, 1);

    if (self->only_problems || self->data->hidden != NULL) {
        step = 1; /* a single one must be visible */
    }
    for (guint64 i = row; i < row_end; i++) {
        for (guint64 j = column; j < column_end; j += step) {
            guint64 position = gui_array_slice_get_position (self->data, &self->slice, i, j);
            double value = gui_array_data_get (self->data, position);

            if (gui_array_data_is_hidden (self->data, position)) {
                continue;
            }
            if (!__builtin_isfinite (value)) {
                return get_value_colour (self, value);
            }
            chosen = !any || value > chosen ? value : chosen;
            any = TRUE;
        }
    }
    return any             ? get_value_colour (self, chosen)
           : self->is_dark ? COLOUR_HIDDEN_DARK
                           : COLOUR_HIDDEN;
}

static void
paint (GuiArrayPicture *self, const GdkRectangle *area)
{
    guint64 n_rows = self->data->shape[self->slice.rows];
    guint64 n_columns = gui_array_slice_get_n_columns (self->data, &self->slice);
    guint32 *pixels;
    int stride;

    self->surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, area->width, area->height);
    pixels = (guint32 *) cairo_image_surface_get_data (self->surface);
    stride = cairo_image_surface_get_stride (self->surface) / 4;
    for (int y = 0; y < area->height; y++) {
        guint64 row = (guint64) y * n_rows / (guint64) area->height;
        guint64 row_end = MAX ((guint64) (y + 1) * n_rows / (guint64) area->height, row + 1);
        gboolean same = y > 0 && row == (guint64) (y - 1) * n_rows / (guint64) area->height;

        for (int x = 0; x < area->width; x++) {
            guint64 column = (guint64) x * n_columns / (guint64) area->width;
            guint64 end = MAX ((guint64) (x + 1) * n_columns / (guint64) area->width,
                               column + 1);

            pixels[y * stride + x]
                = same ? pixels[(y - 1) * stride + x]
                  : x > 0 && column == (guint64) (x - 1) * n_columns / (guint64) area->width
                          && end == column + 1
                      ? pixels[y * stride + x - 1]
                      : choose_colour (self, row, row_end, column, end);
        }
    }
    cairo_surface_mark_dirty (self->surface);
}

/* Gives its width. */
static int
draw_text (GuiArrayPicture *self, cairo_t *cr, double x, double y, gboolean right,
           const char *text)
{
    g_autoptr (PangoLayout) layout = gtk_widget_create_pango_layout (GTK_WIDGET (self), text);
    int width, height;

    pango_layout_get_pixel_size (layout, &width, &height);
    gtk_render_layout (gtk_widget_get_style_context (GTK_WIDGET (self)), cr,
                       right ? x - width : x, y - height / 2, layout);
    return width;
}

static void
set_colour (cairo_t *cr, guint32 colour)
{
    cairo_set_source_rgb (cr, (colour >> 16 & 255) / 255.0, (colour >> 8 & 255) / 255.0,
                          (colour & 255) / 255.0);
}

static void
draw_legend (GuiArrayPicture *self, cairo_t *cr, double x, double y)
{
    const struct {
        guint32 colour;
        const char *text;
    } parts[] = {
        { COLOUR_NAN, _ ("not a number") },
        { COLOUR_INFINITE, _ ("infinite") },
        { self->is_dark ? COLOUR_FINITE_DARK : COLOUR_FINITE, _ ("finite") },
    };

    for (guint i = 0; i < G_N_ELEMENTS (parts); i++) {
        set_colour (cr, parts[i].colour);
        cairo_rectangle (cr, x, y - SWATCH / 2, SWATCH, SWATCH);
        cairo_fill (cr);
        x += SWATCH + MARGIN;
        x += draw_text (self, cr, x, y, FALSE, parts[i].text) + 2 * MARGIN;
    }
}

static void
draw_scale (GuiArrayPicture *self, cairo_t *cr, const GdkRectangle *area)
{
    int y = area->y + area->height + MARGIN, third = area->width / 3;
    g_autofree char *low = g_strdup_printf ("%.6g", self->min);
    g_autofree char *high = g_strdup_printf ("%.6g", self->max);

    if (self->only_problems) {
        draw_legend (self, cr, area->x, y + SCALE / 2);
        return;
    }
    for (int i = 0; i < third; i++) {
        set_colour (cr, get_colour ((double) i / third));
        cairo_rectangle (cr, area->x + third + i, y + 3, 1, SCALE - 6);
        cairo_fill (cr);
    }
    draw_text (self, cr, area->x + third - 6, y + SCALE / 2, TRUE, low);
    draw_text (self, cr, area->x + 2 * third + 6, y + SCALE / 2, FALSE, high);
}

static gboolean
draw (GtkWidget *widget, cairo_t *cr)
{
    GuiArrayPicture *self = GUI_ARRAY_PICTURE (widget);
    GdkRectangle area;

    if (self->data == NULL || self->data->n_elements == 0) {
        return FALSE;
    }
    get_area (self, &area);
    if (self->is_dark != gui_theme_is_dark (widget)) {
        self->is_dark = !self->is_dark;
        g_clear_pointer (&self->surface, cairo_surface_destroy);
    }
    if (self->surface == NULL || cairo_image_surface_get_width (self->surface) != area.width
        || cairo_image_surface_get_height (self->surface) != area.height) {
        g_clear_pointer (&self->surface, cairo_surface_destroy);
        paint (self, &area);
    }
    cairo_set_source_surface (cr, self->surface, area.x, area.y);
    cairo_paint (cr);
    draw_scale (self, cr, &area);
    return FALSE;
}

static gboolean
query_tooltip (GtkWidget *widget, int x, int y, gboolean keyboard, GtkTooltip *tooltip)
{
    GuiArrayPicture *self = GUI_ARRAY_PICTURE (widget);
    GdkRectangle area;
    guint64 position;

    get_area (self, &area);
    if (self->data == NULL || self->data->n_elements == 0 || keyboard || x < area.x
        || y < area.y || x >= area.x + area.width || y >= area.y + area.height) {
        return FALSE;
    }
    position = gui_array_slice_get_position (self->data, &self->slice,
                                             (guint64) (y - area.y)
                                                 * self->data->shape[self->slice.rows]
                                                 / (guint64) area.height,
                                             (guint64) (x - area.x)
                                                 * gui_array_slice_get_n_columns (self->data,
                                                                                  &self->slice)
                                                 / (guint64) area.width);
    g_autofree char *index = gui_array_data_format_index (self->data, position);
    g_autofree char *value = gui_array_data_format (self->data, position, TRUE);
    g_autofree char *text = g_strdup_printf ("%s = %s", index, value);
    gtk_tooltip_set_text (tooltip, text);
    return TRUE;
}

void
gui_array_picture_set (GuiArrayPicture *self, const GuiArrayData *data,
                       const GuiArraySlice *slice, double min, double max)
{
    self->data = data;
    self->slice = *slice;
    self->min = min;
    self->max = max;
    g_clear_pointer (&self->surface, cairo_surface_destroy);
    gtk_widget_queue_draw (GTK_WIDGET (self));
}

GUI_FINALIZE (gui_array_picture, GuiArrayPicture,
              g_clear_pointer (&self->surface, cairo_surface_destroy))

static void
gui_array_picture_constructed (GObject *object)
{
    gboolean only_problems = GUI_ARRAY_PICTURE (object)->only_problems;

    G_OBJECT_CLASS (gui_array_picture_parent_class)->constructed (object);
    gui_theme_name (GTK_WIDGET (object), only_problems ? "array-problems" : "array-picture",
                    only_problems ? _ ("Map of NaN values") : _ ("Image of the values"));
}

static void
gui_array_picture_class_init (GuiArrayPictureClass *klass)
{
    G_OBJECT_CLASS (klass)->constructed = gui_array_picture_constructed;
    G_OBJECT_CLASS (klass)->finalize = gui_array_picture_finalize;
    GUI_PROPERTIES (klass, GuiArrayPicture,
                    (only_problems, G_TYPE_BOOLEAN, .flags = G_PARAM_CONSTRUCT_ONLY));
    GTK_WIDGET_CLASS (klass)->draw = draw;
    GTK_WIDGET_CLASS (klass)->query_tooltip = query_tooltip;
}

static void
gui_array_picture_init (GuiArrayPicture *self)
{
    gtk_widget_set_has_tooltip (GTK_WIDGET (self), TRUE);
}
