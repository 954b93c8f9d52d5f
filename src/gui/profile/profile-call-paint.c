/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A call has the colour of the class that it spent most in, paler, and along its lower edge all its
 * classes. */
#include "gui/profile/profile-call-paint.h"
#include <glib/gi18n.h>
#include <math.h>
#include "gui/kit/palette.h"
#include "gui/profile/profile-common.h"
#include "base/array.h"

enum { STRIP = 4, MIN_LABEL = 26, MIN_STRIP = 6, MIN_RING = 3 };

typedef struct {
    cairo_t *cr;
    const GuiProfileCallFrame *frame;
    const GuiProfileCallPicture *picture;
    PangoLayout *layout; /* one for all labels: it is what text costs most */
} Painter;

char *
gui_profile_call_dup_name (const ProfileCosts *costs, guint32 function)
{
    const JobContextTree *tree = profile_model_get_contexts (costs->model);
    const JobContext *context = function > 0
                                    ? job_context_tree_get (tree, costs->examples[function])
                                    : NULL;

    return context != NULL ? gui_profile_dup_name (context) : g_strdup (_ ("All"));
}

char *
gui_profile_call_format_share (double part, double whole)
{
    double share = whole > 0 ? part * 100 / whole : 0;

    return g_strdup_printf (share < 9.95 && share > 0 ? _ ("%.1f %%") : _ ("%.0f %%"), share);
}

static guint32
get_colour (const GuiProfileCallPicture *picture, const GuiProfileCallBox *box)
{
    const ProfileCall *call = profile_call_tree_get (picture->tree, box->call);
    guint most = 0;
    guint32 colour;

    for (guint class = 1; class < JOB_N_CLASSES; class ++) {
        most = call->classes[class] > call->classes[most] ? class : most;
    }
    colour = gui_profile_colours_mix (picture->colours->classes[most],
                                      picture->colours->background,
                                      picture->colours->is_dark ? 0.5 : 0.45);
    if (box->n_rest > 0) {
        colour = gui_profile_colours_mix (colour, picture->colours->background, 0.5);
    }
    if (picture->is_found != NULL && (box->n_rest > 0 || !picture->is_found[box->call])) {
        colour = gui_profile_colours_mix (colour, picture->colours->background, 0.75);
    }
    return colour;
}

static guint32
get_ink (const GuiProfileCallPicture *picture, const GuiProfileCallBox *box, guint32 colour)
{
    gboolean is_dim = picture->is_found != NULL && !picture->is_found[box->call];

    return is_dim ? picture->colours->muted : gui_palette_get_text (colour);
}

/* Sets the label's text; FALSE: there is no room even for its beginning. */
static gboolean
set_label (const Painter *painter, const GuiProfileCallBox *box, double width)
{
    const GuiProfileCallPicture *picture = painter->picture;
    g_autofree char *name = NULL, *valid = NULL;

    if (width < MIN_LABEL) {
        return FALSE;
    }
    if (box->n_rest > 0) {
        name = g_strdup ("…");
    } else {
        const ProfileCall *call = profile_call_tree_get (picture->tree, box->call);
        g_autofree char *plain = gui_profile_call_dup_name (picture->costs, call->function);
        g_autofree char *share = gui_profile_call_format_share (call->total,
                                                                picture->costs->total);

        /* Share and time only where the name has room as well. */
        name = width > painter->picture->text * 14 ? g_strdup_printf ("%s  %s", plain, share)
                                                   : g_steal_pointer (&plain);
    }
    valid = g_utf8_make_valid (name, -1);
    pango_layout_set_text (painter->layout, valid, -1);
    pango_layout_set_width (painter->layout, (int) (width * PANGO_SCALE));
    return TRUE;
}

/* ---- icicle ---- */

static void
paint_strip (const Painter *painter, const ProfileCall *call, double x, double y, double width)
{
    double at = x;

    for (guint class = 0; class < JOB_N_CLASSES; class ++) {
        double part = call->total > 0 ? call->classes[class] / call->total * width : 0;

        if (part > 0) {
            gui_profile_set_colour (painter->cr, painter->picture->colours->classes[class], 1);
            cairo_rectangle (painter->cr, at, y, part, STRIP);
            cairo_fill (painter->cr);
        }
        at += part;
    }
}

static void
paint_row_box (const Painter *painter, const GuiProfileCallBox *box)
{
    const GuiProfileCallFrame *frame = painter->frame;
    double x = box->begin * frame->width, y = box->level * frame->row;
    double width = (box->end - box->begin) * frame->width;
    double gap = width > 3 ? 1 : 0;
    guint32 colour = get_colour (painter->picture, box);
    const ProfileCall *call = profile_call_tree_get (painter->picture->tree, box->call);
    int height;

    gui_profile_set_colour (painter->cr, colour, 1);
    cairo_rectangle (painter->cr, x, y, MAX (width - gap, 0.5), frame->row - 1);
    cairo_fill (painter->cr);
    if (box->n_rest == 0 && width >= MIN_STRIP
        && (painter->picture->is_found == NULL || painter->picture->is_found[box->call])) {
        paint_strip (painter, call, x, y + frame->row - 1 - STRIP, width - gap);
    }
    if (set_label (painter, box, width - 8)) {
        pango_layout_get_pixel_size (painter->layout, NULL, &height);
        gui_profile_set_colour (painter->cr, get_ink (painter->picture, box, colour), 1);
        cairo_move_to (painter->cr, x + 4,
                       floor (y + (frame->row - 1 - STRIP - height) / 2 + 0.5));
        pango_cairo_show_layout (painter->cr, painter->layout);
    }
}

/* ---- sunburst ---- */

static void
trace_ring (cairo_t *cr, const GuiProfileCallFrame *frame, const GuiProfileCallBox *box)
{
    double from = (box->begin - 0.25) * 2 * G_PI, until = (box->end - 0.25) * 2 * G_PI;
    double inner = frame->radius + (box->level - 1.0) * frame->row;

    cairo_new_path (cr);
    if (box->level == 0) {
        cairo_arc (cr, frame->x, frame->y, frame->radius, 0, 2 * G_PI);
    } else {
        cairo_arc (cr, frame->x, frame->y, inner + frame->row, from, until);
        cairo_arc_negative (cr, frame->x, frame->y, inner, until, from);
    }
    cairo_close_path (cr);
}

/* How long a straight text may be along the ring before it leaves it: its middle is near the outer edge
 * then, its ends near the inner one. */
static double
get_chord (const Painter *painter, const GuiProfileCallBox *box, double distance)
{
    double slack = painter->frame->row - painter->picture->text * 1.35;
    double arc = (box->end - box->begin) * 2 * G_PI * distance;

    return slack > 0 ? MIN (sqrt (8 * distance * slack), arc) - 6 : 0;
}

/* Along the radius or along the ring, whichever has more room; never upside down. */
static void
paint_ring_label (const Painter *painter, const GuiProfileCallBox *box, guint32 colour)
{
    const GuiProfileCallFrame *frame = painter->frame;
    double middle = (box->begin + box->end) / 2 * 2 * G_PI;
    double distance = frame->radius + (box->level - 0.5) * frame->row;
    double across = (box->end - box->begin) * 2 * G_PI * (distance - frame->row / 2);
    double chord = box->level > 0 ? get_chord (painter, box, distance) : 0;
    double room = box->level == 0                           ? frame->radius * 1.7
                  : across >= painter->picture->text * 1.25 ? frame->row - 8
                                                            : 0;
    gboolean is_along = chord > room;
    double angle = box->level == 0 ? 0 : is_along ? middle : middle - G_PI / 2;
    int width, height;

    if (!set_label (painter, box, MAX (room, chord))) {
        return;
    }
    if (cos (angle) < -1e-9) {
        angle += G_PI;
    }
    pango_layout_get_pixel_size (painter->layout, &width, &height);
    gui_profile_set_colour (painter->cr, get_ink (painter->picture, box, colour), 1);
    cairo_save (painter->cr);
    cairo_translate (painter->cr, frame->x, frame->y);
    if (box->level > 0) {
        cairo_translate (painter->cr, distance * sin (middle), -distance * cos (middle));
        cairo_rotate (painter->cr, angle);
    }
    cairo_move_to (painter->cr, -width / 2.0, -height / 2.0);
    pango_cairo_show_layout (painter->cr, painter->layout);
    cairo_restore (painter->cr);
}

static void
paint_ring_box (const Painter *painter, const GuiProfileCallBox *box)
{
    guint32 colour = get_colour (painter->picture, box);

    double outer = painter->frame->radius + box->level * painter->frame->row;

    trace_ring (painter->cr, painter->frame, box);
    gui_profile_set_colour (painter->cr, colour, 1);
    if ((box->end - box->begin) * 2 * G_PI * outer < MIN_RING) { /* a line would be all of it */
        cairo_fill (painter->cr);
        return;
    }
    cairo_fill_preserve (painter->cr);
    gui_profile_set_colour (painter->cr, painter->picture->colours->background, 1);
    cairo_set_line_width (painter->cr, 1);
    cairo_stroke (painter->cr);
    paint_ring_label (painter, box, colour);
}

/* ---- both ---- */

static void
paint_mark (cairo_t *cr, const GuiProfileCallFrame *frame, const GuiProfileCallPicture *picture,
            int index, double line, double alpha)
{
    const GuiProfileCallBox *box;

    if (index < 0) {
        return;
    }
    box = &g_array_index (picture->layout->boxes, GuiProfileCallBox, index);
    if (frame->is_polar) {
        trace_ring (cr, frame, box);
    } else {
        double width = MAX ((box->end - box->begin) * frame->width - 1, 2);

        cairo_rectangle (cr, box->begin * frame->width + line / 2,
                         box->level * frame->row + line / 2, MAX (width - line, 1),
                         frame->row - 1 - line);
    }
    cairo_set_line_width (cr, line);
    gui_profile_set_colour (cr, picture->colours->selection, alpha);
    cairo_stroke (cr);
}

void
gui_profile_call_paint_marks (cairo_t *cr, const GuiProfileCallFrame *frame,
                              const GuiProfileCallPicture *picture)
{
    paint_mark (cr, frame, picture, picture->selected, 2.5, 1);
    paint_mark (cr, frame, picture, picture->hovered, 1.5, 0.75);
}

void
gui_profile_call_paint (cairo_t *cr, const GuiProfileCallFrame *frame,
                        const GuiProfileCallPicture *picture)
{
    PangoFontDescription *font = pango_font_description_from_string ("sans-serif");
    Painter painter = { cr, frame, picture, pango_cairo_create_layout (cr) };

    pango_font_description_set_absolute_size (font, picture->text * PANGO_SCALE);
    pango_layout_set_font_description (painter.layout, font);
    pango_font_description_free (font);
    pango_layout_set_single_paragraph_mode (painter.layout, TRUE);
    pango_layout_set_ellipsize (painter.layout, PANGO_ELLIPSIZE_END);
    BASE_EACH_ROW (picture->layout->boxes, const GuiProfileCallBox, box) {
        if (frame->is_polar) {
            paint_ring_box (&painter, box);
        } else {
            paint_row_box (&painter, box);
        }
    }
    gui_profile_call_paint_marks (cr, frame, picture);
    g_object_unref (painter.layout);
}
