/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gui/profile/profile-colours.h"
#include <glib/gi18n.h>
#include <math.h>
#include "gui/kit/theme.h"

/* How the class is hatched. */
typedef enum { PLAIN, RISING, FALLING, CROSSED, LEVEL, UPRIGHT, DOTS } Hatching;

typedef struct {
    guint32 light, dark;
    Hatching hatching;
    const char *title;
} ClassLook;

static const ClassLook looks[JOB_N_CLASSES] = {
    [JOB_CLASS_NATIVE] = { 0x2f9e44, 0x37b24d, PLAIN, N_ ("Native code") },
    [JOB_CLASS_PYTHON] = { 0xa5d64c, 0xb8e25f, PLAIN, N_ ("Python") },
    [JOB_CLASS_MPI] = { 0x2f6fd6, 0x4a8df0, PLAIN, N_ ("MPI") },
    [JOB_CLASS_IO] = { 0xf08c1a, 0xf59f3a, RISING, N_ ("I/O") },
    [JOB_CLASS_NETWORK] = { 0xb3400a, 0xd9622b, FALLING, N_ ("Network") },
    [JOB_CLASS_LOCK] = { 0xc2255c, 0xe64980, CROSSED, N_ ("Lock") },
    [JOB_CLASS_WAIT] = { 0xadb5bd, 0x6b737b, PLAIN, N_ ("Waiting") },
    [JOB_CLASS_OPENMP] = { 0xf2d13d, 0xf2d13d, DOTS, N_ ("OpenMP wait") },
    [JOB_CLASS_ACCELERATOR] = { 0x7b3fc4, 0xa874e8, UPRIGHT, N_ ("Accelerator") },
    [JOB_CLASS_GIL] = { 0x862e9c, 0xda77f2, LEVEL, N_ ("Python lock (GIL)") },
    [JOB_CLASS_UNSAMPLED] = { 0xf1f3f5, 0x343a40, FALLING, N_ ("Not sampled") },
    [JOB_CLASS_UNKNOWN] = { 0xdee2e6, 0x495057, RISING, N_ ("Not known") },
};

void
gui_profile_colours_fill_theme (gboolean is_dark, GuiProfileColours *ret)
{
    for (guint i = 0; i < JOB_N_CLASSES; i++) {
        ret->classes[i] = is_dark ? looks[i].dark : looks[i].light;
    }
    ret->background = is_dark ? 0x25292c : 0xffffff;
    ret->foreground = is_dark ? 0xeeeeec : 0x1f2326;
    ret->muted = is_dark ? 0xa7adb2 : 0x5c6369;
    ret->grid = is_dark ? 0x3d4347 : 0xe3e6e8;
    ret->selection = is_dark ? 0xffffff : 0x101418;
    ret->heat = is_dark ? 0xe8702a : 0xd9480f;
    ret->is_dark = is_dark;
}

void
gui_profile_colours_fill (GtkWidget *widget, GuiProfileColours *ret)
{
    gui_profile_colours_fill_theme (widget != NULL && gui_theme_is_dark (widget), ret);
}

const char *
gui_profile_colours_get_title (JobClass class)
{
    return _ (looks[class].title);
}

const JobClass *
gui_profile_colours_get_order (void)
{
    static const JobClass order[JOB_N_CLASSES]
        = { JOB_CLASS_NATIVE, JOB_CLASS_PYTHON,  JOB_CLASS_ACCELERATOR, JOB_CLASS_MPI,
            JOB_CLASS_IO,     JOB_CLASS_NETWORK, JOB_CLASS_OPENMP,      JOB_CLASS_GIL,
            JOB_CLASS_LOCK,   JOB_CLASS_WAIT,    JOB_CLASS_UNSAMPLED,   JOB_CLASS_UNKNOWN };

    return order;
}

void
gui_profile_set_colour (cairo_t *cr, guint32 colour, double alpha)
{
    cairo_set_source_rgba (cr, (colour >> 16 & 255) / 255.0, (colour >> 8 & 255) / 255.0,
                           (colour & 255) / 255.0, alpha);
}

static guint32
mix (guint32 from, guint32 to, double share, guint shift)
{
    double a = from >> shift & 255, b = to >> shift & 255;

    return (guint32) (a + (b - a) * share + 0.5) << shift;
}

guint32
gui_profile_colours_mix (guint32 from, guint32 to, double share)
{
    guint32 mixed = 0;

    for (guint shift = 0; shift <= 16; shift += 8) {
        double a = from >> shift & 255, b = to >> shift & 255;

        mixed |= (guint32) (a + (b - a) * share + 0.5) << shift;
    }
    return mixed;
}

guint32
gui_profile_colours_get_heat (const GuiProfileColours *colours, double share)
{
    /* The eye sees a doubling as one step. */
    double step = sqrt (CLAMP (share, 0, 1));

    return mix (colours->background, colours->heat, step, 16)
           | mix (colours->background, colours->heat, step, 8)
           | mix (colours->background, colours->heat, step, 0);
}

/* ---- areas ---- */

#define LEAST_OF_UNIT 0.9995 /* what is less is 999 of the next unit, not "1000" */

enum { STEP = 6 }; /* px between the lines of a hatching */

static void
add_slants (cairo_t *cr, gboolean is_rising, double x, double y, double width, double height)
{
    /* All of them are parts of one grid, so that neighbours fit together. */
    double first = is_rising ? x + y : x - y - height;
    double last = is_rising ? x + y + width + height : x + width - y;

    for (double at = ceil (first / STEP) * STEP; at < last; at += STEP) {
        double top = is_rising ? at - y : at + y;
        double bottom = is_rising ? at - y - height : at + y + height;

        cairo_move_to (cr, top, y);
        cairo_line_to (cr, bottom, y + height);
    }
}

static void
add_lines (cairo_t *cr, gboolean is_upright, double x, double y, double width, double height)
{
    double first = is_upright ? x : y, last = is_upright ? x + width : y + height;

    for (double at = ceil (first / STEP) * STEP + 0.5; at < last; at += STEP) {
        cairo_move_to (cr, is_upright ? at : x, is_upright ? y : at);
        cairo_line_to (cr, is_upright ? at : x + width, is_upright ? y + height : at);
    }
}

static void
add_dots (cairo_t *cr, double x, double y, double width, double height)
{
    for (double row = ceil (y / STEP) * STEP; row < y + height; row += STEP) {
        for (double at = ceil (x / STEP) * STEP; at < x + width; at += STEP) {
            cairo_rectangle (cr, at, row, 2, 2);
        }
    }
}

void
gui_profile_hatch_class (cairo_t *cr, const GuiProfileColours *colours, JobClass class,
                         double x, double y, double width, double height)
{
    Hatching hatching = looks[class].hatching;

    if (hatching == PLAIN || width < 2 || height < 3) {
        return;
    }
    cairo_save (cr);
    cairo_rectangle (cr, x, y, width, height);
    cairo_clip (cr);
    gui_profile_set_colour (cr, colours->background, 0.7);
    cairo_set_line_width (cr, 1.2);
    if (hatching == RISING || hatching == CROSSED) {
        add_slants (cr, TRUE, x, y, width, height);
    }
    if (hatching == FALLING || hatching == CROSSED) {
        add_slants (cr, FALSE, x, y, width, height);
    }
    if (hatching == LEVEL || hatching == UPRIGHT) {
        add_lines (cr, hatching == UPRIGHT, x, y, width, height);
    }
    if (hatching == DOTS) {
        add_dots (cr, x, y, width, height);
        gui_profile_set_colour (cr, 0, 0.6);
        cairo_fill (cr);
    } else {
        cairo_stroke (cr);
    }
    cairo_restore (cr);
}

cairo_pattern_t *
gui_profile_create_hatching (const GuiProfileColours *colours, JobClass class)
{
    cairo_surface_t *tile;
    cairo_pattern_t *pattern;
    cairo_t *cr;

    if (looks[class].hatching == PLAIN) {
        return NULL;
    }
    tile = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, 2 * STEP, 2 * STEP);
    cr = cairo_create (tile);
    gui_profile_hatch_class (cr, colours, class, 0, 0, 2 * STEP, 2 * STEP);
    cairo_destroy (cr);
    pattern = cairo_pattern_create_for_surface (tile);
    cairo_pattern_set_extend (pattern, CAIRO_EXTEND_REPEAT);
    cairo_surface_destroy (tile);
    return pattern;
}

void
gui_profile_fill_class (cairo_t *cr, const GuiProfileColours *colours, JobClass class, double x,
                        double y, double width, double height)
{
    gui_profile_set_colour (cr, colours->classes[class], 1);
    cairo_rectangle (cr, x, y, width, height);
    cairo_fill (cr);
    gui_profile_hatch_class (cr, colours, class, x, y, width, height);
}

/* ---- text ---- */

static PangoLayout *
lay_out (cairo_t *cr, const char *text, double size, gboolean is_bold)
{
    PangoLayout *layout = pango_cairo_create_layout (cr);
    PangoFontDescription *font = pango_font_description_from_string ("sans-serif");
    g_autofree char *valid = g_utf8_make_valid (text, -1);

    pango_font_description_set_absolute_size (font, size * PANGO_SCALE);
    pango_font_description_set_weight (font, is_bold ? PANGO_WEIGHT_BOLD : PANGO_WEIGHT_NORMAL);
    pango_layout_set_font_description (layout, font);
    pango_layout_set_single_paragraph_mode (layout, TRUE);
    pango_layout_set_text (layout, valid, -1);
    pango_font_description_free (font);
    return layout;
}

double
gui_profile_draw_text (cairo_t *cr, const char *text, double size, gboolean is_bold,
                       guint32 colour, GuiProfileAlign align, double x, double y, double width)
{
    g_autoptr (PangoLayout) layout = lay_out (cr, text, size, is_bold);
    int taken;

    if (width >= 0) {
        pango_layout_get_size (layout, &taken, NULL);
        if (taken > width * PANGO_SCALE) {
            pango_layout_set_width (layout, (int) (width * PANGO_SCALE));
            pango_layout_set_ellipsize (layout, PANGO_ELLIPSIZE_END);
        }
    }
    pango_layout_get_size (layout, &taken, NULL);
    if (align != GUI_PROFILE_LEFT) {
        x -= (double) taken / PANGO_SCALE / (align == GUI_PROFILE_MIDDLE ? 2 : 1);
    }
    gui_profile_set_colour (cr, colour, 1);
    cairo_move_to (cr, x, y);
    pango_cairo_show_layout (cr, layout);
    return (double) taken / PANGO_SCALE;
}

double
gui_profile_measure_text (cairo_t *cr, const char *text, double size, gboolean is_bold,
                          double *ret_height)
{
    g_autoptr (PangoLayout) layout = lay_out (cr, text, size, is_bold);
    int width, height;

    pango_layout_get_size (layout, &width, &height);
    if (ret_height != NULL) {
        *ret_height = (double) height / PANGO_SCALE;
    }
    return (double) width / PANGO_SCALE;
}

/* Three digits, also where they are zeros: numbers below each other have the same form. */
char *
gui_profile_format_time (double seconds)
{
    static const char *const units[] = { "s", "ms", "µs" };
    double value = MAX (seconds, 0);
    guint unit = 0;

    if (value == 0) {
        return g_strdup ("0 s");
    }
    for (; unit + 1 < G_N_ELEMENTS (units) && value < LEAST_OF_UNIT; unit++) {
        value *= 1e3;
    }
    return g_strdup_printf ("%.*f %s",
                            value >= 99.95   ? 0
                            : value >= 9.995 ? 1
                                             : 2,
                            value, units[unit]);
}
