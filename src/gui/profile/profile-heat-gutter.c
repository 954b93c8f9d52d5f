/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gui/profile/profile-heat-gutter.h"
#include <glib/gi18n.h>
#include <math.h>
#include "gui/kit/palette.h"
#include "gui/kit/template.h"
#include "gui/profile/profile-call-paint.h"
#include "gui/profile/profile-common.h"
#include "base/array.h"

#define FIGURE_EMS 6.8

enum { GAP = 4 };

struct _GuiProfileHeatGutter {
    GtkSourceGutterRenderer parent;
    const ProfileFileLines *lines; /* who listens has them; NULL: none, or not asked for */
    double total, text;
    gboolean is_known;
    GuiProfileColours colours;
};

G_DEFINE_TYPE (GuiProfileHeatGutter, gui_profile_heat_gutter, GTK_SOURCE_TYPE_GUTTER_RENDERER)

static guint selected_signal, get_lines_signal;

static const ProfileFileLine *
find_line (const GuiProfileHeatGutter *self, const GtkTextIter *iter)
{
    return self->lines != NULL
               ? profile_file_lines_find (self->lines,
                                          (guint32) gtk_text_iter_get_line (iter) + 1)
               : NULL;
}

/* ---- drawing ---- */

/* All of one class at once: a line has many bins. */
static void
paint_bins (cairo_t *cr, const GuiProfileColours *colours, const ProfileFileLines *lines,
            const ProfileFileLine *line, double x, double y, double width, double height)
{
    double step = width / lines->n_bins, scale = height / lines->most_bin;
    g_autofree double *tops = g_new0 (double, lines->n_bins);

    for (guint class = 0; class < JOB_N_CLASSES; class ++) {
        if (line->classes[class] <= 0) {
            continue;
        }
        for (guint bin = 0; bin < lines->n_bins; bin++) {
            double tall = line->bins[bin * JOB_N_CLASSES + class] * scale;

            if (tall > 0) {
                cairo_rectangle (cr, x + bin * step, y + height - tops[bin] - tall, step, tall);
                tops[bin] += tall;
            }
        }
        gui_profile_set_colour (cr, colours->classes[class], 1);
        cairo_fill (cr);
    }
}

/* Beside the line, where they are known: the others are in its tooltip. */
static const ProfileFigure shown_figures[] = { PROFILE_FIGURE_IPC, PROFILE_FIGURE_MISSES,
                                               PROFILE_FIGURE_FAULTS };

double
gui_profile_heat_gutter_get_figures_width (const ProfileFileLines *lines, double text)
{
    return BASE_SUM (guint, i, lines != NULL ? G_N_ELEMENTS (shown_figures) : 0,
                     profile_figure_is_known (shown_figures[i], lines->counted))
           * text * FIGURE_EMS;
}

/* Short, for a narrow column: the tooltip has all of it. */
static char *
format_many (double value)
{
    static const char units[] = "\0kMGT";
    guint unit = 0;

    for (; value >= (unit == 0 ? 10000 : 1000) && unit + 2 < sizeof units; unit++) {
        value /= 1000;
    }
    return g_strdup_printf ("%.0f%.1s", value, &units[unit]);
}

static char *
format_figure (ProfileFigure figure, double value)
{
    g_autofree char *many = format_many (value);

    switch (figure) {
    /* Translators: instructions per cycle, beside a line of source. */
    case PROFILE_FIGURE_IPC: return g_strdup_printf (_ ("%.2f IPC"), value);
    /* Translators: misses of the cache per 1000 instructions. */
    case PROFILE_FIGURE_MISSES: return g_strdup_printf (_ ("%.2f MPKI"), value);
    /* Translators: page faults; "176k". */
    default: return g_strdup_printf (_ ("%s faults"), many);
    }
}

static void
paint_figures (cairo_t *cr, const GuiProfileColours *colours, const ProfileFileLines *lines,
               const ProfileFileLine *line, double text, double right, double y, double height)
{
    for (guint i = G_N_ELEMENTS (shown_figures); i > 0; i--) {
        ProfileFigure figure = shown_figures[i - 1];
        double value, tall;

        if (!profile_figure_is_known (figure, lines->counted)) {
            continue;
        }
        if (profile_figure_find (figure, lines->counted, &line->counts, &value)) {
            g_autofree char *shown = format_figure (figure, value);

            gui_profile_measure_text (cr, shown, text, FALSE, &tall);
            gui_profile_draw_text (cr, shown, text, FALSE, colours->foreground,
                                   GUI_PROFILE_RIGHT, right - GAP, y + (height - tall) / 2,
                                   text * FIGURE_EMS - GAP);
        }
        right -= text * FIGURE_EMS;
    }
}

void
gui_profile_heat_gutter_paint (cairo_t *cr, const GuiProfileColours *colours,
                               const ProfileFileLines *lines, const ProfileFileLine *line,
                               double total, double text, double x, double y, double width,
                               double height)
{
    double share = total > 0 ? line->total / total : 0;
    double figures = gui_profile_heat_gutter_get_figures_width (lines, text);
    double column = floor ((width - figures) * 0.42);
    guint32 heat = gui_profile_colours_get_heat (colours, share);
    g_autofree char *figure = gui_profile_call_format_share (line->total, total);
    double tall;

    paint_figures (cr, colours, lines, line, text, x + width, y, height);
    gui_profile_set_colour (cr, heat, 1);
    cairo_rectangle (cr, x, y, column, height);
    cairo_fill (cr);
    gui_profile_measure_text (cr, figure, text, FALSE, &tall);
    gui_profile_draw_text (cr, figure, text, FALSE, gui_palette_get_text (heat),
                           GUI_PROFILE_RIGHT, x + column - GAP, y + (height - tall) / 2,
                           column);
    if (lines->n_bins > 0 && lines->most_bin > 0) {
        cairo_save (cr);
        cairo_set_antialias (cr, CAIRO_ANTIALIAS_NONE);
        paint_bins (cr, colours, lines, line, x + column + GAP, y + 1,
                    width - figures - column - 2 * GAP, height - 2);
        cairo_restore (cr);
    }
}

static void
begin (GtkSourceGutterRenderer *renderer, cairo_t *cr, GdkRectangle *background,
       GdkRectangle *cell, GtkTextIter *start, GtkTextIter *end)
{
    GuiProfileHeatGutter *self = GUI_PROFILE_HEAT_GUTTER (renderer);
    GtkWidget *view = GTK_WIDGET (gtk_source_gutter_renderer_get_view (renderer));

    if (!self->is_known) {
        self->is_known = TRUE;
        g_signal_emit (self, get_lines_signal, 0, &self->total, &self->lines);
    }
    gui_profile_colours_fill (view, &self->colours);
    gui_profile_heat_gutter_resize (self, view);
}

static void
draw (GtkSourceGutterRenderer *renderer, cairo_t *cr, GdkRectangle *background,
      GdkRectangle *cell, GtkTextIter *start, GtkTextIter *end,
      GtkSourceGutterRendererState state)
{
    GuiProfileHeatGutter *self = GUI_PROFILE_HEAT_GUTTER (renderer);
    const ProfileFileLine *line = find_line (self, start);

    if (line != NULL) {
        gui_profile_heat_gutter_paint (cr, &self->colours, self->lines, line, self->total,
                                       self->text, cell->x, cell->y, cell->width, cell->height);
    }
}

/* ---- the pointer ---- */

static gboolean
query_activatable (GtkSourceGutterRenderer *renderer, GtkTextIter *iter, GdkRectangle *area,
                   GdkEvent *event)
{
    return find_line (GUI_PROFILE_HEAT_GUTTER (renderer), iter) != NULL;
}

static void
activate (GtkSourceGutterRenderer *renderer, GtkTextIter *iter, GdkRectangle *area,
          GdkEvent *event)
{
    if (event->type == GDK_BUTTON_PRESS && event->button.button == GDK_BUTTON_PRIMARY) {
        g_signal_emit (renderer, selected_signal, 0, (guint) gtk_text_iter_get_line (iter) + 1);
    }
}

/* Of the line with all that it has called, and of itself. */
static void
append_figures (GString *text, guint32 counted, const ProfileFileLine *line)
{
    for (guint figure = 0; figure < PROFILE_N_FIGURES; figure++) {
        const ProfileFigureText *about = profile_figure_get_text (figure);
        int digits = (int) profile_figure_get_digits (figure);
        double value, own;

        if (!profile_figure_find (figure, counted, &line->counts, &value)) {
            continue;
        }
        g_string_append_printf (text, "\n%s: %.*f", _ (about->about), digits, value);
        if (profile_figure_find (figure, counted, &line->own_counts, &own)) {
            g_string_append_c (text, ' ');
            g_string_append_printf (text, _ ("(self %.*f)"), digits, own);
        }
    }
}

static char *
dup_text (const GuiProfileHeatGutter *self, const ProfileFileLine *line)
{
    g_autofree char *total = gui_profile_format_time (line->total);
    g_autofree char *own = gui_profile_format_time (line->self);
    g_autofree char *share = gui_profile_call_format_share (line->total, self->total);
    g_autofree char *own_share = gui_profile_call_format_share (line->self, self->total);
    GString *text = g_string_new (NULL);

    g_string_append_printf (text, _ ("Inclusive: %s (%s)"), total, share);
    g_string_append_c (text, '\n');
    g_string_append_printf (text, _ ("Self: %s (%s)"), own, own_share);
    for (guint class = 0; class < JOB_N_CLASSES; class ++) {
        g_autofree char *part = gui_profile_call_format_share (line->classes[class],
                                                               line->total);

        if (line->classes[class] > 0) {
            g_string_append_printf (text, "\n%s: %s", gui_profile_colours_get_title (class),
                                    part);
        }
    }
    append_figures (text, self->lines->counted, line);
    if (self->lines->is_traced) {
        g_string_append_printf (
            text, "\n%s", _ ("Calls of the trace count at the first line of their function."));
    }
    return g_string_free (text, FALSE);
}

static gboolean
query_tooltip (GtkSourceGutterRenderer *renderer, GtkTextIter *iter, GdkRectangle *area, int x,
               int y, GtkTooltip *tooltip)
{
    GuiProfileHeatGutter *self = GUI_PROFILE_HEAT_GUTTER (renderer);
    const ProfileFileLine *line = find_line (self, iter);
    g_autofree char *text = line != NULL ? dup_text (self, line) : NULL;

    if (text == NULL) {
        return FALSE;
    }
    gtk_tooltip_set_text (tooltip, text);
    atk_object_set_description (
        gtk_widget_get_accessible (GTK_WIDGET (gtk_source_gutter_renderer_get_view (renderer))),
        text); /* tooltips are not read */
    return TRUE;
}

/* ---- the object ---- */

void
gui_profile_heat_gutter_invalidate (GuiProfileHeatGutter *self)
{
    self->is_known = FALSE;
    self->lines = NULL;
    gtk_source_gutter_renderer_queue_draw (GTK_SOURCE_GUTTER_RENDERER (self));
}

void
gui_profile_heat_gutter_resize (GuiProfileHeatGutter *self, GtkWidget *view)
{
    GtkSourceGutterRenderer *renderer = GTK_SOURCE_GUTTER_RENDERER (self);
    double text = gui_profile_get_text_size (view);
    int size;

    self->text = text * 0.85;
    size = (int) (text * 9.5
                  + gui_profile_heat_gutter_get_figures_width (self->lines, self->text));
    if (size != gtk_source_gutter_renderer_get_size (renderer)) {
        gtk_source_gutter_renderer_set_size (renderer, size);
    }
}

static void
gui_profile_heat_gutter_class_init (GuiProfileHeatGutterClass *klass)
{
    GtkSourceGutterRendererClass *renderer = GTK_SOURCE_GUTTER_RENDERER_CLASS (klass);

    renderer->begin = begin;
    renderer->draw = draw;
    renderer->query_activatable = query_activatable;
    renderer->activate = activate;
    renderer->query_tooltip = query_tooltip;
    selected_signal = GUI_SIGNAL (klass, "selected", G_TYPE_UINT);
    get_lines_signal = g_signal_new ("get-lines", GUI_TYPE_PROFILE_HEAT_GUTTER,
                                     G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_POINTER, 1,
                                     G_TYPE_POINTER);
}

static void
gui_profile_heat_gutter_init (GuiProfileHeatGutter *self)
{
}

GtkSourceGutterRenderer *
gui_profile_heat_gutter_new (void)
{
    return g_object_new (GUI_TYPE_PROFILE_HEAT_GUTTER, "size", 120, NULL);
}
