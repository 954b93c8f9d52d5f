/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Colours, patterns and texts of a profile's views, for the light and the dark theme and for paper.
 * Classes have MAP's colours; the hatching tells those apart that some people see alike. */
#pragma once
#include <gtk/gtk.h>
#include "job/sample.h"

typedef struct {
    guint32 classes[JOB_N_CLASSES]; /* 0xRRGGBB */
    guint32 background, foreground;
    guint32 muted;     /* text and lines of less weight */
    guint32 grid;      /* lines behind the picture */
    guint32 selection; /* outline of what is selected */
    guint32 heat;      /* of what costs most; less is nearer to the background */
    gboolean is_dark;
} GuiProfileColours;

/* Of that widget's theme; NULL: paper. */
void gui_profile_colours_fill (GtkWidget *widget, GuiProfileColours *ret);
/* For tests, and where there is no widget. */
void gui_profile_colours_fill_theme (gboolean is_dark, GuiProfileColours *ret);
/* Translated: "Computing (native)", "MPI", …; static. */
const char *gui_profile_colours_get_title (JobClass class);
/* All JOB_N_CLASSES from the bottom of a stack to its top: work, then MPI and I/O, then waiting. */
const JobClass *gui_profile_colours_get_order (void);

/* ---- painting ---- */
void gui_profile_set_colour (cairo_t *cr, guint32 colour, double alpha);
/* Between the two: `from` at share 0, `to` at 1. */
guint32 gui_profile_colours_mix (guint32 from, guint32 to, double share);
/* Between the background (0) and heat (1). */
guint32 gui_profile_colours_get_heat (const GuiProfileColours *colours, double share);
/* Fills the rectangle with the class's colour, and its hatching where there is room for it. */
void gui_profile_fill_class (cairo_t *cr, const GuiProfileColours *colours, JobClass class,
                             double x, double y, double width, double height);
/* The hatching of the class alone, over what is painted already: for areas that were filled pixel by
 * pixel. Clips to the rectangle. */
void gui_profile_hatch_class (cairo_t *cr, const GuiProfileColours *colours, JobClass class,
                              double x, double y, double width, double height);
/* The same as a pattern that repeats itself, over the class's colour; NULL: it has none. Caller owns. */
cairo_pattern_t *gui_profile_create_hatching (const GuiProfileColours *colours, JobClass class);
typedef enum { GUI_PROFILE_LEFT, GUI_PROFILE_MIDDLE, GUI_PROFILE_RIGHT } GuiProfileAlign;

/* Writes one line of the system's font at that size (in pixels) whose box begins at y, and x is its left
 * end, middle or right end; what is wider than width ends in "…" (width < 0: no limit). Returns the width it
 * takes. is_bold and the colour are the text's. */
double gui_profile_draw_text (cairo_t *cr, const char *text, double size, gboolean is_bold,
                              guint32 colour, GuiProfileAlign align, double x, double y,
                              double width);
/* What it would take; ret_height may be NULL. */
double gui_profile_measure_text (cairo_t *cr, const char *text, double size, gboolean is_bold,
                                 double *ret_height);
/* "12.4 s", "850 ms", "40 µs". Caller owns. */
char *gui_profile_format_time (double seconds);
