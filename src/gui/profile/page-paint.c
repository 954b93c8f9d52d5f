/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every block gets its place once; only those that can be seen are drawn. */
#include "gui/profile/page-paint.h"
#include <glib/gi18n.h>
#include <math.h>
#include "profile/page-blocks.h"
#include "base/array.h"

enum {
    EDGE = 16,
    TEXT = 13,
    SMALL = 11,
    TITLE = 18,
    SECTION = 15,
    ROW = 22,
    GAP = 8,
    CARD = 56,
    LEAST_CARD = 130,
    METER = 60,
    STACK = 180,
    SHARE = 46, /* of its number */
    COLUMN_GAP = 14,
    LEAST_COLUMN = 60
};

typedef struct {
    const ProfileBlock *block; /* NULL: the title of a section */
    const char *title;
    double y, height;
    double *widths; /* of a table's columns */
    double *tops;   /* of its rows below y, and their end; with the head as number 0 */
} Place;

struct _GuiPagePaint {
    ProfilePage *page;
    double width, height;
    GArray *places; /* of Place */
    cairo_t *cr;    /* to measure with */
};

/* ---- text of more than one line ---- */

/* A hyphen where a name is broken would seem to be one of its letters. */
static PangoLayout *
lay_out (cairo_t *cr, const char *text, double size, const char *family, double width)
{
    PangoAttrList *attributes = pango_attr_list_new ();
    PangoLayout *layout = pango_cairo_create_layout (cr);
    PangoFontDescription *font = pango_font_description_from_string (family);
    g_autofree char *valid = g_utf8_make_valid (text, -1);

    pango_font_description_set_absolute_size (font, size * PANGO_SCALE);
    pango_layout_set_font_description (layout, font);
    pango_layout_set_text (layout, valid, -1);
    pango_layout_set_wrap (layout, PANGO_WRAP_WORD_CHAR);
    pango_attr_list_insert (attributes, pango_attr_insert_hyphens_new (FALSE));
    pango_layout_set_attributes (layout, attributes);
    pango_attr_list_unref (attributes);
    pango_layout_set_width (layout, (int) (MAX (width, 1) * PANGO_SCALE));
    pango_font_description_free (font);
    return layout;
}

static const char *
get_family (const ProfileBlock *block)
{
    return block->kind == PROFILE_BLOCK_LINES ? "monospace" : "sans-serif";
}

static double
measure_paragraph (GuiPagePaint *paint, const ProfileBlock *block)
{
    g_autoptr (PangoLayout) layout = lay_out (paint->cr, block->text, TEXT, get_family (block),
                                              paint->width - 2 * EDGE - 16);
    int height;

    pango_layout_get_pixel_size (layout, NULL, &height);
    return height + GAP + (block->kind == PROFILE_BLOCK_TEXT ? 0 : 10);
}

/* ---- layout ---- */

static const ProfileColumn *
get_column (const ProfileBlock *block, guint i)
{
    return &g_array_index (block->columns, ProfileColumn, i);
}

static char *
dup_head (const ProfileColumn *column)
{
    return profile_column_get_shown_unit (column) != NULL
               ? g_strdup_printf ("%s (%s)", column->title,
                                  profile_column_get_shown_unit (column))
               : g_strdup (column->title);
}

static gboolean
is_stacked (const ProfileBlock *block)
{
    return block->style == PROFILE_TABLE_STACKED;
}

static double
measure_column (GuiPagePaint *paint, const ProfileBlock *block, guint i)
{
    const ProfileColumn *column = get_column (block, i);
    g_autofree char *head = dup_head (column);
    double width = gui_profile_measure_text (paint->cr, head, SMALL, TRUE, NULL) + 2;
    gboolean has_meter = column->kind == PROFILE_COLUMN_SHARE && !is_stacked (block);

    if (is_stacked (block) && column->kind == PROFILE_COLUMN_SHARE) {
        width += 14;
    }
    for (guint row = 0; row < profile_block_get_n_rows (block); row++) {
        const char *text = profile_block_get_shown (block, row, i);
        double own = gui_profile_measure_text (paint->cr,
                                               text != NULL ? text : _ ("not measured"), TEXT,
                                               FALSE, NULL);

        width = MAX (width, own + 2 + (has_meter ? METER + 8 : 0));
    }
    return width + COLUMN_GAP;
}

static gboolean
is_wrapped (const ProfileColumn *column)
{
    return column->kind == PROFILE_COLUMN_TEXT || column->kind == PROFILE_COLUMN_CODE;
}

/* What is too much is taken from the columns of text, the widest first. */
static double *
fit_columns (GuiPagePaint *paint, const ProfileBlock *block)
{
    guint n = block->columns->len;
    double *widths = g_new0 (double, MAX (n, 1));
    double sum = is_stacked (block) ? STACK + COLUMN_GAP : 0;
    double room = paint->width - 2 * EDGE;

    for (guint i = 0; i < n; i++) {
        widths[i] = measure_column (paint, block, i);
        sum += widths[i];
    }
    while (sum > room) {
        guint widest = 0;
        double less;

        for (guint i = 1; i < n; i++) {
            widest = widths[i] > widths[widest] ? i : widest;
        }
        less = MIN (sum - room, MAX (widths[widest] - LEAST_COLUMN, 0));
        less = MIN (less, MAX (widths[widest] / 4, 1));
        if (widths[widest] - less < LEAST_COLUMN || less <= 0) {
            break;
        }
        widths[widest] -= less;
        sum -= less;
    }
    return widths;
}

/* Text that is wider than its column takes more lines. */
static double *
place_rows (GuiPagePaint *paint, const ProfileBlock *block, const double *widths)
{
    guint n_rows = profile_block_get_n_rows (block);
    double *tops = g_new0 (double, (gsize) n_rows + 2);

    tops[1] = ROW;
    for (guint row = 0; row < n_rows; row++) {
        double height = ROW;

        for (guint i = 0; i < block->columns->len; i++) {
            const char *text = profile_block_get_shown (block, row, i);
            double width = widths[i] - COLUMN_GAP;
            g_autoptr (PangoLayout) layout = NULL;
            int taken;

            if (text == NULL || !is_wrapped (get_column (block, i))
                || gui_profile_measure_text (paint->cr, text, TEXT, FALSE, NULL) <= width) {
                continue;
            }
            layout = lay_out (paint->cr, text, TEXT, "sans-serif", width);
            pango_layout_get_pixel_size (layout, NULL, &taken);
            height = MAX (height, taken + 6);
        }
        tops[row + 2] = tops[row + 1] + height;
    }
    return tops;
}

static guint
count_cards (const GuiPagePaint *paint)
{
    return (guint) MAX (1, (paint->width - 2 * EDGE + GAP) / (LEAST_CARD + GAP));
}

static void
add_place (GuiPagePaint *paint, const ProfileBlock *block, const char *title, double height,
           double *widths, double *tops)
{
    BASE_APPEND (paint->places, Place, block, title, paint->height, height, widths, tops);
    paint->height += height;
}

static void
place_block (GuiPagePaint *paint, const ProfileBlock *block)
{
    guint n;

    switch (block->kind) {
    case PROFILE_BLOCK_TEXT:
    case PROFILE_BLOCK_IMPORTANT:
    case PROFILE_BLOCK_LINES:
        add_place (paint, block, NULL, measure_paragraph (paint, block), NULL, NULL);
        break;
    case PROFILE_BLOCK_TABLE:
        if (block->style == PROFILE_TABLE_CARDS) {
            n = (block->columns->len + count_cards (paint) - 1) / count_cards (paint);
            add_place (paint, block, NULL, n * (double) (CARD + GAP), NULL, NULL);
        } else {
            double *widths = fit_columns (paint, block);
            double *tops = place_rows (paint, block, widths);

            add_place (paint, block, NULL, tops[profile_block_get_n_rows (block) + 1] + GAP,
                       widths, tops);
        }
        break;
    case PROFILE_BLOCK_TIMELINE:
        add_place (paint, block, NULL, (block->rows->len + 1) * (double) ROW + GAP, NULL, NULL);
        break;
    }
}

static PangoLayout *
lay_out_title (cairo_t *cr, const char *title, double width)
{
    return lay_out (cr, title, TITLE, "sans-serif bold", width);
}

static double
measure_title (GuiPagePaint *paint, const char *title)
{
    g_autoptr (PangoLayout) layout = lay_out_title (paint->cr, title, paint->width - 2 * EDGE);
    int height;

    pango_layout_get_pixel_size (layout, NULL, &height);
    return height + GAP;
}

GuiPagePaint *
gui_page_paint_new (ProfilePage *page, double width)
{
    GuiPagePaint *paint = g_new0 (GuiPagePaint, 1);
    cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, 1, 1);

    paint->page = page;
    paint->width = width;
    paint->height = EDGE;
    paint->cr = cairo_create (surface);
    cairo_surface_destroy (surface);
    paint->places = g_array_new (FALSE, FALSE, sizeof (Place));
    add_place (paint, NULL, page->title, measure_title (paint, page->title), NULL, NULL);
    BASE_EACH (page->sections, const ProfileSection, section) {
        if (*section->title != '\0') {
            paint->height += GAP;
            add_place (paint, NULL, section->title, SECTION * 2, NULL, NULL);
        }
        for (guint j = 0; j < section->blocks->len; j++) {
            place_block (paint, g_ptr_array_index (section->blocks, j));
        }
    }
    paint->height += EDGE;
    return paint;
}

void
gui_page_paint_free (GuiPagePaint *paint)
{
    if (paint == NULL) {
        return;
    }
    for (guint i = 0; i < paint->places->len; i++) {
        g_free (g_array_index (paint->places, Place, i).widths);
        g_free (g_array_index (paint->places, Place, i).tops);
    }
    g_array_unref (paint->places);
    profile_page_free (paint->page);
    cairo_destroy (paint->cr);
    g_free (paint);
}

double
gui_page_paint_get_width (const GuiPagePaint *paint)
{
    return paint->width;
}

double
gui_page_paint_get_height (const GuiPagePaint *paint)
{
    return paint->height;
}

/* ---- drawing ---- */

typedef struct {
    const GuiPagePaint *paint;
    cairo_t *cr;
    const GuiProfileColours *colours;
    double offset, height; /* that is visible */
} Drawing;

static guint32
get_colour (const Drawing *to, const char *colour)
{
    return colour != NULL && *colour == '#' ? (guint32) g_ascii_strtoull (colour + 1, NULL, 16)
                                            : to->colours->classes[JOB_CLASS_MPI];
}

static void
fill (const Drawing *to, guint32 colour, double alpha, double x, double y, double width,
      double height)
{
    gui_profile_set_colour (to->cr, colour, alpha);
    cairo_rectangle (to->cr, x, y, MAX (width, 0), height);
    cairo_fill (to->cr);
}

static void
draw_paragraph (const Drawing *to, const Place *place, double y)
{
    const ProfileBlock *block = place->block;
    double width = to->paint->width - 2 * EDGE;
    gboolean is_boxed = block->kind != PROFILE_BLOCK_TEXT;
    g_autoptr (PangoLayout) layout = lay_out (to->cr, block->text, TEXT, get_family (block),
                                              width - 16);

    if (is_boxed) {
        fill (to, to->colours->grid, 0.6, EDGE, y, width, place->height - GAP);
    }
    if (block->kind == PROFILE_BLOCK_IMPORTANT) {
        fill (to, to->colours->heat, 1, EDGE, y, 4, place->height - GAP);
    }
    gui_profile_set_colour (to->cr, to->colours->foreground, 1);
    cairo_move_to (to->cr, EDGE + (is_boxed ? 12 : 0), y + (is_boxed ? 5 : 0));
    pango_cairo_show_layout (to->cr, layout);
}

static double
get_share (const ProfileBlock *block, guint row, guint column)
{
    const char *text = profile_block_get_shown (block, row, column);
    double share = text != NULL ? g_ascii_strtod (text, NULL) / 100 : 0;

    return isfinite (share) ? CLAMP (share, 0, 1) : 0;
}

static void
draw_stack (const Drawing *to, const ProfileBlock *block, guint row, double x, double y)
{
    double before = 0;

    fill (to, to->colours->grid, 1, x, y + 3, STACK, ROW - 8);
    for (guint i = 0; i < block->columns->len; i++) {
        const ProfileColumn *column = get_column (block, i);
        double share = column->kind == PROFILE_COLUMN_SHARE ? get_share (block, row, i) : 0;

        fill (to, get_colour (to, column->colour), 1, x + STACK * before, y + 3,
              STACK * MIN (share, 1 - before), ROW - 8);
        before = MIN (before + share, 1);
    }
}

static void
draw_head (const Drawing *to, const Place *place, double y)
{
    double x = EDGE;

    for (guint i = 0; i < place->block->columns->len; i++) {
        const ProfileColumn *column = get_column (place->block, i);
        double width = place->widths[i] - COLUMN_GAP;
        g_autofree char *head = dup_head (column);
        double dot = is_stacked (place->block) && column->kind == PROFILE_COLUMN_SHARE ? 14 : 0;

        if (profile_column_is_number (column)) {
            double taken = gui_profile_draw_text (to->cr, head, SMALL, TRUE, to->colours->muted,
                                                  GUI_PROFILE_RIGHT, x + width, y + 4,
                                                  width - dot);

            if (dot > 0) {
                fill (to, get_colour (to, column->colour), 1, x + width - taken - dot, y + 6, 9,
                      9);
            }
        } else {
            gui_profile_draw_text (to->cr, head, SMALL, TRUE, to->colours->muted,
                                   GUI_PROFILE_LEFT, x, y + 4, width);
        }
        x += place->widths[i] + (is_stacked (place->block) && i == 0 ? STACK + COLUMN_GAP : 0);
    }
    fill (to, to->colours->grid, 1, EDGE, y + ROW - 1, to->paint->width - 2 * EDGE, 1);
}

static void
draw_cell (const Drawing *to, const Place *place, guint row, guint i, double x, double y)
{
    const ProfileColumn *column = get_column (place->block, i);
    const char *text = profile_block_get_shown (place->block, row, i);
    double width = place->widths[i] - COLUMN_GAP;
    gboolean is_number = profile_column_is_number (column);

    if (column->kind == PROFILE_COLUMN_SHARE && !is_stacked (place->block) && text != NULL) {
        double left = x + MAX (0, width - METER - 8 - SHARE);

        fill (to, to->colours->grid, 1, left, y + 7, METER, 8);
        fill (to, get_colour (to, column->colour), 1, left, y + 7,
              METER * get_share (place->block, row, i), 8);
    }
    if (text != NULL && is_wrapped (column)
        && place->tops[row + 2] - place->tops[row + 1] > ROW) {
        g_autoptr (PangoLayout) layout = lay_out (to->cr, text, TEXT, "sans-serif", width);

        gui_profile_set_colour (to->cr, to->colours->foreground, 1);
        cairo_move_to (to->cr, x, y + 2);
        pango_cairo_show_layout (to->cr, layout);
        return;
    }
    gui_profile_draw_text (to->cr, text != NULL ? text : _ ("not measured"), TEXT, FALSE,
                           text != NULL ? to->colours->foreground : to->colours->muted,
                           is_number ? GUI_PROFILE_RIGHT : GUI_PROFILE_LEFT,
                           is_number ? x + width : x, y + 2, width);
}

static void
draw_table (const Drawing *to, const Place *place, double y)
{
    guint n_rows = profile_block_get_n_rows (place->block);

    draw_head (to, place, y);
    for (guint row = 0; row < n_rows; row++) {
        double x = EDGE, top = y + place->tops[row + 1], bottom = y + place->tops[row + 2];

        if (bottom < 0 || top > to->height) {
            continue;
        }
        for (guint i = 0; i < place->block->columns->len; i++) {
            draw_cell (to, place, row, i, x, top);
            x += place->widths[i];
            if (is_stacked (place->block) && i == 0) {
                draw_stack (to, place->block, row, x, top);
                x += STACK + COLUMN_GAP;
            }
        }
        fill (to, to->colours->grid, 0.6, EDGE, bottom - 1, to->paint->width - 2 * EDGE, 1);
    }
}

static void
draw_cards (const Drawing *to, const Place *place, double y)
{
    guint n = count_cards (to->paint);
    double width = (to->paint->width - 2 * EDGE + GAP) / n - GAP;

    for (guint i = 0; i < place->block->columns->len; i++) {
        const ProfileColumn *column = get_column (place->block, i);
        const char *text = profile_block_get_shown (place->block, 0, i);
        double x = EDGE + (i % n) * (width + GAP), top = y + i / n * (double) (CARD + GAP);
        g_autofree char *value = text != NULL && profile_column_get_shown_unit (column) != NULL
                                     ? g_strdup_printf ("%s %s", text,
                                                        profile_column_get_shown_unit (column))
                                     : g_strdup (text != NULL ? text : _ ("not measured"));

        gui_profile_set_colour (to->cr, to->colours->grid, 1);
        cairo_set_line_width (to->cr, 1);
        cairo_rectangle (to->cr, floor (x) + 0.5, floor (top) + 0.5, floor (width) - 1,
                         CARD - 1);
        cairo_stroke (to->cr);
        gui_profile_draw_text (to->cr, column->title, SMALL, FALSE, to->colours->muted,
                               GUI_PROFILE_LEFT, x + 10, top + 7, width - 20);
        gui_profile_draw_text (to->cr, value, text != NULL ? TITLE : TEXT, text != NULL,
                               text != NULL ? to->colours->foreground : to->colours->muted,
                               GUI_PROFILE_LEFT, x + 10, top + 24, width - 20);
    }
}

static void
draw_timeline (const Drawing *to, const Place *place, double y)
{
    const ProfileBlock *block = place->block;
    double left = EDGE + 110, width = to->paint->width - left - EDGE;
    double end_s = block->end_s > 0 ? block->end_s : 1;
    g_autofree char *end = gui_profile_format_time (block->end_s);

    for (guint i = 0; i < block->rows->len; i++) {
        const ProfileTimelineRow *row = g_ptr_array_index (block->rows, i);
        double top = y + i * (double) ROW;

        gui_profile_draw_text (to->cr, row->label, TEXT, FALSE, to->colours->foreground,
                               GUI_PROFILE_LEFT, EDGE, top + 2, 104);
        fill (to, to->colours->grid, 1, left, top + 2, width, ROW - 5);
        BASE_EACH_ROW (row->spans, const ProfileSpan, span) {
            fill (to, get_colour (to, span->colour), 1, left + width * span->begin_s / end_s,
                  top + 2, MAX (1, width * (span->end_s - span->begin_s) / end_s), ROW - 5);
        }
    }
    y += block->rows->len * (double) ROW;
    gui_profile_draw_text (to->cr, "0 s", SMALL, FALSE, to->colours->muted, GUI_PROFILE_LEFT,
                           left, y, -1);
    gui_profile_draw_text (to->cr, end, SMALL, FALSE, to->colours->muted, GUI_PROFILE_RIGHT,
                           left + width, y, -1);
}

static void
draw_place (const Drawing *to, const Place *place, double y)
{
    if (place->block == NULL) {
        if (place != &g_array_index (to->paint->places, Place, 0)) {
            gui_profile_draw_text (to->cr, place->title, SECTION, TRUE, to->colours->foreground,
                                   GUI_PROFILE_LEFT, EDGE, y + 2, to->paint->width - 2 * EDGE);
        } else {
            g_autoptr (PangoLayout) layout = lay_out_title (to->cr, place->title,
                                                            to->paint->width - 2 * EDGE);

            gui_profile_set_colour (to->cr, to->colours->foreground, 1);
            cairo_move_to (to->cr, EDGE, y);
            pango_cairo_show_layout (to->cr, layout);
        }
        return;
    }
    switch (place->block->kind) {
    case PROFILE_BLOCK_TEXT:
    case PROFILE_BLOCK_IMPORTANT:
    case PROFILE_BLOCK_LINES: draw_paragraph (to, place, y); break;
    case PROFILE_BLOCK_TABLE:
        if (place->block->style == PROFILE_TABLE_CARDS) {
            draw_cards (to, place, y);
        } else {
            draw_table (to, place, y);
        }
        break;
    case PROFILE_BLOCK_TIMELINE: draw_timeline (to, place, y); break;
    }
}

void
gui_page_paint_draw (const GuiPagePaint *paint, cairo_t *cr, double offset, double height,
                     const GuiProfileColours *colours)
{
    const Drawing to = { paint, cr, colours, offset, height };

    BASE_EACH_ROW (paint->places, const Place, place) {
        double y = place->y - offset;

        if (y + place->height >= 0 && y <= height) {
            draw_place (&to, place, y);
        }
    }
}
