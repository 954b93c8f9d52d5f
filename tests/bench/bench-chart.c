/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Milliseconds to rebuild the state chart from its states and draw it, mean of 30; the peer in the
 * same run is one cairo rectangle for each rank. */
#include <stdio.h>
#include "gui/chart/chart-layout.h"
#include "gui/chart/chart-paint.h"
#include "gui/kit/palette.h"

enum { WIDTH = 1000, HEIGHT = 260, ROUNDS = 30 };

static void
draw_rectangles (cairo_surface_t *surface, guint32 n, const guint8 *states)
{
    cairo_t *cr = cairo_create (surface);

    for (guint32 rank = 0; rank < n; rank++) {
        guint32 colour = gui_palette_get (states[rank], FALSE);

        cairo_set_source_rgb (cr, (colour >> 16) / 255.0, (colour >> 8 & 255) / 255.0,
                              (colour & 255) / 255.0);
        cairo_rectangle (cr, (double) WIDTH * rank / n, 40, MAX ((double) WIDTH / n, 1), 200);
        cairo_fill (cr);
    }
    cairo_destroy (cr);
}

static void
measure (guint32 n)
{
    g_autofree guint8 *states = g_malloc (n);
    guint32 counts[JOB_N_STATES] = { 0 };
    GuiPaletteColours colours = { .foreground = 0x222222, .outline_alpha = 0.5 };
    GuiChartLayout layout;
    cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, WIDTH, HEIGHT);
    cairo_surface_t *screen = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, WIDTH, HEIGHT);
    cairo_t *cr = cairo_create (screen);
    gint64 chart_us = 0, peer_us = 0;

    for (guint i = 0; i < JOB_N_STATES; i++) {
        colours.colours[i] = gui_palette_get (i, FALSE);
    }
    for (guint32 i = 0; i < n; i++) {
        states[i] = (guint8) (i % 97 == 0 ? i % JOB_N_STATES : i % 7 == 0 ? 1 : 5);
        counts[states[i]]++;
    }
    for (guint round = 0; round < ROUNDS; round++) {
        gint64 begin_us = g_get_monotonic_time ();

        gui_chart_layout_init (&layout, n, WIDTH, HEIGHT);
        gui_chart_paint (surface, 1, &layout, states, counts, &colours);
        cairo_set_source_surface (cr, surface, 0, 0);
        cairo_paint (cr);
        chart_us += g_get_monotonic_time () - begin_us;
    }
    gint64 begin_us = g_get_monotonic_time ();
    draw_rectangles (screen, n, states);
    peer_us = g_get_monotonic_time () - begin_us;
    printf ("chart %8u ranks: %6.2f ms; a rectangle for each rank: %8.2f ms\n", n,
            (double) chart_us / ROUNDS / 1000, (double) peer_us / 1000);
    cairo_destroy (cr);
    cairo_surface_destroy (surface);
    cairo_surface_destroy (screen);
}

int
main (void)
{
    static const guint32 sizes[] = { 8, 512, 10000, 100000, 1000000 };

    for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
        measure (sizes[i]);
    }
    return 0;
}
