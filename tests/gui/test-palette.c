/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All pairs of state colours stay apart for normal sight and three kinds of dichromacy: Machado,
 * Oliveira and Fernandes 2009 at severity 1, distances in CIELAB. */
#include "gui/kit/palette.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "gui/kit/resources.h"
#include "gui/profile/profile-colours.h"

#define FLOOR 14.0

static const double matrices[4][9] = {
    { 1, 0, 0, 0, 1, 0, 0, 0, 1 },
    { .152286, 1.052583, -.204868, .114503, .786281, .099216, -.003882, -.048116, 1.051998 },
    { .367322, .860646, -.227968, .280085, .672501, .047413, -.011820, .042940, .968881 },
    { 1.255528, -.076749, -.178779, -.078411, .930809, .147602, .004733, .691367, .303900 },
};

static double
make_linear (guint32 byte)
{
    double c = byte / 255.0;

    return c <= 0.04045 ? c / 12.92 : pow ((c + 0.055) / 1.055, 2.4);
}

static double
bend (double t)
{
    return t > 216.0 / 24389 ? cbrt (t) : (24389.0 / 27 * t + 16) / 116;
}

static void
see (guint32 colour, const double *matrix, double *ret_lab)
{
    double rgb[3] = { make_linear (colour >> 16 & 255), make_linear (colour >> 8 & 255),
                      make_linear (colour & 255) };
    double seen[3];

    for (guint i = 0; i < 3; i++) {
        seen[i] = CLAMP (matrix[3 * i] * rgb[0] + matrix[3 * i + 1] * rgb[1]
                             + matrix[3 * i + 2] * rgb[2],
                         0, 1);
    }
    double x = bend ((0.4124564 * seen[0] + 0.3575761 * seen[1] + 0.1804375 * seen[2])
                     / 0.95047);
    double y = bend (0.2126729 * seen[0] + 0.7151522 * seen[1] + 0.0721750 * seen[2]);
    double z = bend ((0.0193339 * seen[0] + 0.1191920 * seen[1] + 0.9503041 * seen[2])
                     / 1.08883);
    ret_lab[0] = 116 * y - 16;
    ret_lab[1] = 500 * (x - y);
    ret_lab[2] = 200 * (y - z);
}

static void
test_distances (gconstpointer data)
{
    gboolean dark = GPOINTER_TO_INT (data);
    double smallest = G_MAXDOUBLE;

    for (guint m = 0; m < G_N_ELEMENTS (matrices); m++) {
        for (guint i = 0; i < JOB_N_STATES; i++) {
            for (guint j = 0; j < i; j++) {
                double a[3], b[3];
                guint32 one = gui_palette_get (i, dark), other = gui_palette_get (j, dark);

                if (one == other) { /* exception and signal: by glyph */
                    continue;
                }
                see (one, matrices[m], a);
                see (other, matrices[m], b);
                smallest = MIN (smallest, sqrt ((a[0] - b[0]) * (a[0] - b[0])
                                                + (a[1] - b[1]) * (a[1] - b[1])
                                                + (a[2] - b[2]) * (a[2] - b[2])));
            }
        }
    }
    g_test_message ("smallest distance %.1f", smallest);
    g_assert_cmpfloat (smallest, >=, FLOOR);
}

enum { TILE = 48 };

/* Where the class's hatching leaves its colour, as text; NULL: nowhere. */
static char *
dup_pattern (const GuiProfileColours *colours, JobClass class)
{
    cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, TILE, TILE);
    cairo_t *cr = cairo_create (surface);
    g_autoptr (GString) pattern = g_string_new (NULL);
    gboolean is_plain = TRUE;

    gui_profile_fill_class (cr, colours, class, 0, 0, TILE, TILE);
    cairo_destroy (cr);
    cairo_surface_flush (surface);
    for (guint y = 0; y < TILE; y++) {
        const guint32 *row
            = (const guint32
                   *) (const void *) (cairo_image_surface_get_data (surface)
                                      + (gsize) y
                                            * (gsize) cairo_image_surface_get_stride (surface));

        for (guint x = 0; x < TILE; x++) {
            gboolean is_own = (row[x] & 0xffffff) == colours->classes[class];

            is_plain = is_plain && is_own;
            g_string_append_c (pattern, is_own ? '.' : '#');
        }
    }
    cairo_surface_destroy (surface);
    return is_plain ? NULL : g_string_free (g_steal_pointer (&pattern), FALSE);
}

/* Classes of a profile: by colour, or by hatching. */
static void
test_classes (gconstpointer data)
{
    GuiProfileColours colours;
    char *patterns[JOB_N_CLASSES];
    guint n_plain = 0;

    gui_profile_colours_fill_theme (GPOINTER_TO_INT (data), &colours);
    for (guint i = 0; i < JOB_N_CLASSES; i++) {
        patterns[i] = dup_pattern (&colours, i);
        n_plain += patterns[i] == NULL;
    }
    g_assert_cmpuint (n_plain, ==, 4);
    for (guint i = 0; i < JOB_N_CLASSES; i++) {
        for (guint j = 0; j < i; j++) {
            gboolean is_same = g_strcmp0 (patterns[i], patterns[j]) == 0;

            for (guint m = 0; is_same && m < G_N_ELEMENTS (matrices); m++) {
                double a[3], b[3];

                see (colours.classes[i], matrices[m], a);
                see (colours.classes[j], matrices[m], b);
                g_assert_cmpfloat (sqrt ((a[0] - b[0]) * (a[0] - b[0])
                                         + (a[1] - b[1]) * (a[1] - b[1])
                                         + (a[2] - b[2]) * (a[2] - b[2])),
                                   >=, FLOOR);
            }
        }
    }
    for (guint i = 0; i < JOB_N_CLASSES; i++) {
        g_free (patterns[i]);
    }
}

static double
get_contrast (guint32 one, guint32 other)
{
    double l[2] = { 0 };
    const guint32 colours[2] = { one, other };

    for (guint i = 0; i < 2; i++) {
        l[i] = 0.2126 * make_linear (colours[i] >> 16 & 255)
               + 0.7152 * make_linear (colours[i] >> 8 & 255)
               + 0.0722 * make_linear (colours[i] & 255);
    }
    return (MAX (l[0], l[1]) + 0.05) / (MIN (l[0], l[1]) + 0.05);
}

/* Numbers and glyphs on the chart: WCAG's 4.5 to 1. */
static void
test_texts (gconstpointer data)
{
    for (guint i = 0; i < JOB_N_STATES; i++) {
        guint32 colour = gui_palette_get (i, GPOINTER_TO_INT (data));

        g_assert_cmpfloat (get_contrast (colour, gui_palette_get_text (colour)), >=, 4.5);
    }
}

static guint32
find_colour (const char *line, const char *attribute, guint32 otherwise)
{
    g_autofree char *start = g_strdup_printf ("%s=\"#", attribute);
    const char *at = strstr (line, start);

    return at != NULL ? (guint32) strtoul (at + strlen (start), NULL, 16) : otherwise;
}

/* Source: every colour of pddt's own schemes on its ground, also on the line where the rank is. */
static void
test_scheme (gconstpointer data)
{
    gboolean dark = GPOINTER_TO_INT (data);
    g_autoptr (GBytes) bytes
        = g_resources_lookup_data (dark ? "/org/pddt/Pddt/pddt-dark.style.xml"
                                        : "/org/pddt/Pddt/pddt-light.style.xml",
                                   0, NULL);
    g_autofree char *text = g_strndup (g_bytes_get_data (bytes, NULL),
                                       g_bytes_get_size (bytes));
    g_auto (GStrv) styles = g_strsplit (text, "<style ", -1);
    guint32 paper = 0, here = dark ? 0x4d4008 : 0xfff299;
    guint n = 0;

    for (guint i = 1; styles[i] != NULL; i++) {
        guint32 ink = find_colour (styles[i], "foreground", G_MAXUINT32);

        paper = i == 1 ? find_colour (styles[i], "background", 0) : paper;
        if (ink == G_MAXUINT32) {
            continue;
        }
        n++;
        g_test_message ("%.40s", styles[i]);
        g_assert_cmpfloat (get_contrast (ink, find_colour (styles[i], "background", paper)), >=,
                           4.5);
        if (strstr (styles[i], "background") == NULL) {
            g_assert_cmpfloat (get_contrast (ink, here), >=, 4.5);
        }
    }
    g_assert_cmpuint (n, >, 10);
}

static void
test_glyphs (void)
{
    for (guint i = 0; i < JOB_N_STATES; i++) {
        for (guint j = 0; j < i; j++) {
            if (gui_palette_get (i, FALSE) == gui_palette_get (j, FALSE)
                && !(i == JOB_STATE_SIGNAL && j == JOB_STATE_EXCEPTION)) {
                g_assert_cmpstr (job_state_get_info (i)->glyph, !=,
                                 job_state_get_info (j)->glyph);
            }
        }
    }
    g_assert_cmphex (gui_palette_get_text (0xffffff), ==, 0);
    g_assert_cmphex (gui_palette_get_text (0x0072b2), ==, 0xffffff);
}

/* On the paper of the output's terminal. */
static void
test_ranks (void)
{
    for (guint32 rank = 0; rank < 20; rank++) {
        for (int dark = 0; dark < 2; dark++) {
            guint32 colour = gui_palette_get_rank (rank, dark);

            g_assert_cmpfloat (get_contrast (colour, dark ? 0x262626 : 0xffffff), >=, 4.5);
            g_assert_cmphex (colour, !=, gui_palette_get_rank (rank + 1, dark));
        }
    }
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_resources_register (gui_get_resource ());
    g_test_add_data_func ("/palette/light", GINT_TO_POINTER (FALSE), test_distances);
    g_test_add_data_func ("/palette/dark", GINT_TO_POINTER (TRUE), test_distances);
    g_test_add_data_func ("/palette/classes-light", GINT_TO_POINTER (FALSE), test_classes);
    g_test_add_data_func ("/palette/classes-dark", GINT_TO_POINTER (TRUE), test_classes);
    g_test_add_data_func ("/palette/texts-light", GINT_TO_POINTER (FALSE), test_texts);
    g_test_add_data_func ("/palette/texts-dark", GINT_TO_POINTER (TRUE), test_texts);
    g_test_add_data_func ("/palette/scheme-light", GINT_TO_POINTER (FALSE), test_scheme);
    g_test_add_data_func ("/palette/scheme-dark", GINT_TO_POINTER (TRUE), test_scheme);
    g_test_add_func ("/palette/ranks", test_ranks);
    g_test_add_func ("/palette/glyphs", test_glyphs);
    return g_test_run ();
}
