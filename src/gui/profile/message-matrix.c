/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gui/profile/message-matrix.h"
#include <glib/gi18n.h>
#include <math.h>
#include "gui/kit/template.h"
#include "gui/kit/theme.h"
#include "base/array.h"

enum {
    MOST_CELLS = 128,
    LABELS = 64,
    HEAD = 40,
    EDGE = 8,
    LEAST_TEXT = 46,
    LEAST_LABEL = 14,
    WIDE = 16
};

struct _GuiMessageMatrix {
    GtkDrawingArea parent;
    guint32 n_ranks, n;        /* n: cells in a row and in a column */
    guint64 *bytes, *messages; /* n × n */
    guint64 most;
    guint64 step;        /* of so many messages one was counted */
    JobRankSet *ranks;   /* NULL: all */
    guint32 row, column; /* that have the keyboard's mark */
};

G_DEFINE_TYPE (GuiMessageMatrix, gui_message_matrix, GTK_TYPE_DRAWING_AREA)

static guint chosen_signal;

/* ---- cells ---- */

static guint32
find_cell (const GuiMessageMatrix *self, guint32 rank)
{
    return (guint32) ((guint64) rank * self->n / MAX (self->n_ranks, 1));
}

/* The ranks of a cell's row or column. */
static void
get_ranks (const GuiMessageMatrix *self, guint32 cell, guint32 *ret_first, guint32 *ret_last)
{
    *ret_first = (guint32) (((guint64) cell * self->n_ranks + self->n - 1) / self->n);
    *ret_last = (guint32) ((((guint64) cell + 1) * self->n_ranks + self->n - 1) / self->n) - 1;
}

void
gui_message_matrix_show (GuiMessageMatrix *self, const GArray *traffic, guint32 n_ranks,
                         const JobRankSet *ranks, guint64 step)
{
    g_clear_pointer (&self->ranks, job_rank_set_free);
    self->ranks = ranks != NULL ? job_rank_set_dup (ranks) : NULL;
    self->n_ranks = traffic->len > 0 ? n_ranks : 0;
    self->most = 0;
    self->step = step;
    BASE_EACH_ROW (traffic, const ProfileTraffic, pair) {
        self->n_ranks = MAX (self->n_ranks, MAX (pair->from, pair->to) + 1);
    }
    self->n = MIN (self->n_ranks, MOST_CELLS);
    g_free (self->bytes);
    g_free (self->messages);
    self->bytes = g_new0 (guint64, (gsize) self->n * self->n + 1);
    self->messages = g_new0 (guint64, (gsize) self->n * self->n + 1);
    BASE_EACH_ROW (traffic, const ProfileTraffic, pair) {
        gsize at = (gsize) find_cell (self, pair->from) * self->n + find_cell (self, pair->to);

        self->bytes[at] += pair->bytes;
        self->messages[at] += pair->n;
        self->most = MAX (self->most, self->bytes[at]);
    }
    self->row = MIN (self->row, MAX (self->n, 1) - 1);
    self->column = MIN (self->column, MAX (self->n, 1) - 1);
    gtk_widget_queue_draw (GTK_WIDGET (self));
}

/* The width and the height of a cell: few have room for numbers, many are nearly square. */
static void
get_size (const GuiMessageMatrix *self, double width, double height, double *ret_width,
          double *ret_height)
{
    double wide = (width - LABELS - EDGE) / MAX (self->n, 1);
    double high = (height - HEAD - EDGE) / MAX (self->n, 1);

    *ret_height = MAX (high, 1);
    *ret_width = self->n > WIDE ? CLAMP (wide, 1, *ret_height * 2) : MAX (wide, 1);
}

/* FALSE: there is none. */
static gboolean
find_point (const GuiMessageMatrix *self, double x, double y, guint32 *ret_row,
            guint32 *ret_column)
{
    double width, height;

    if (self->n == 0 || x < LABELS || y < HEAD) {
        return FALSE;
    }
    get_size (self, gtk_widget_get_allocated_width (GTK_WIDGET (self)),
              gtk_widget_get_allocated_height (GTK_WIDGET (self)), &width, &height);
    *ret_row = (guint32) ((y - HEAD) / height);
    *ret_column = (guint32) ((x - LABELS) / width);
    return *ret_row < self->n && *ret_column < self->n;
}

static char *
name_ranks (const GuiMessageMatrix *self, guint32 cell)
{
    guint32 first, last;

    get_ranks (self, cell, &first, &last);
    return first == last ? g_strdup_printf ("%u", first)
                         : g_strdup_printf ("%u-%u", first, last);
}

static char *
describe_cell (const GuiMessageMatrix *self, guint32 row, guint32 column)
{
    gsize at = (gsize) row * self->n + column;
    g_autofree char *from = name_ranks (self, row), *to = name_ranks (self, column);
    g_autofree char *size = g_format_size_full (self->bytes[at], G_FORMAT_SIZE_LONG_FORMAT
                                                                     | G_FORMAT_SIZE_IEC_UNITS);
    g_autofree char *n = g_strdup_printf ("%" G_GUINT64_FORMAT, self->messages[at]);
    /* Translators: ranks "3" or "0-7", a number, "1.2 MB (1,234,567 bytes)" */
    g_autofree char *text = g_strdup_printf (ngettext ("From %s to %s: %s message, %s",
                                                       "From %s to %s: %s messages, %s",
                                                       (gulong) self->messages[at]),
                                             from, to, n, size);
    g_autofree char *step = g_strdup_printf ("%" G_GUINT64_FORMAT, self->step);
    g_autofree char *estimate
        /* Translators: a number, always above one. */
        = g_strdup_printf (_ ("Estimated: the window keeps one of %s messages"), step);

    return self->step > 1 ? g_strdup_printf ("%s\n%s", text, estimate)
                          : g_steal_pointer (&text);
}

char *
gui_message_matrix_describe (GuiMessageMatrix *self, double x, double y)
{
    guint32 row, column;

    return find_point (self, x, y, &row, &column) ? describe_cell (self, row, column) : NULL;
}

/* ---- painting ---- */

static gboolean
is_pale (const GuiMessageMatrix *self, guint32 row, guint32 column)
{
    guint32 first, last;

    if (self->ranks == NULL) {
        return FALSE;
    }
    for (guint side = 0; side < 2; side++) {
        get_ranks (self, side == 0 ? row : column, &first, &last);
        for (guint32 rank = first; rank <= last; rank++) {
            if (job_rank_set_contains (self->ranks, rank)) {
                return FALSE;
            }
        }
    }
    return TRUE;
}

static void
paint_cell (const GuiMessageMatrix *self, cairo_t *cr, guint32 row, guint32 column,
            double width, double height, const GuiProfileColours *colours)
{
    gsize at = (gsize) row * self->n + column;
    double x = LABELS + column * width, y = HEAD + row * height;
    double gap = MIN (width, height) > 6 ? 1 : 0;
    double share = self->most > 0 ? (double) self->bytes[at] / (double) self->most : 0;

    if (self->messages[at] > 0) {
        gui_profile_set_colour (cr, gui_profile_colours_get_heat (colours, 0.02 + share * 0.98),
                                is_pale (self, row, column) ? 0.25 : 1);
    } else {
        gui_profile_set_colour (cr, colours->grid, 0.45);
    }
    cairo_rectangle (cr, x, y, width - gap, height - gap);
    cairo_fill (cr);
    if (self->messages[at] > 0 && width >= LEAST_TEXT && height >= LEAST_LABEL) {
        g_autofree char *size = g_format_size_full (self->bytes[at], G_FORMAT_SIZE_IEC_UNITS);
        g_autofree char *shown = g_strconcat (self->step > 1 ? "≈ " : "", size, NULL);

        gui_profile_draw_text (cr, shown, 11, FALSE,
                               share > 0.35 && !colours->is_dark && !is_pale (self, row, column)
                                   ? 0xffffff
                                   : colours->foreground,
                               GUI_PROFILE_MIDDLE, x + width / 2, y + height / 2 - 8,
                               width - 4);
    }
}

static void
paint_labels (const GuiMessageMatrix *self, cairo_t *cr, double width, double height,
              const GuiProfileColours *colours)
{
    guint32 every_row = (guint32) MAX (1, ceil (LEAST_LABEL / height));
    guint32 every_column = (guint32) MAX (1, ceil (34 / width));

    gui_profile_draw_text (cr, _ ("Receiver"), 11, TRUE, colours->muted, GUI_PROFILE_LEFT,
                           LABELS, 2, -1);
    gui_profile_draw_text (cr, _ ("Sender"), 11, TRUE, colours->muted, GUI_PROFILE_LEFT, EDGE,
                           HEAD - 18, LABELS - EDGE);
    for (guint32 i = 0; i < self->n; i++) {
        g_autofree char *ranks = name_ranks (self, i);

        if (i % every_row == 0) {
            gui_profile_draw_text (cr, ranks, 11, FALSE, colours->foreground, GUI_PROFILE_RIGHT,
                                   LABELS - 8, HEAD + (i + 0.5) * height - 8, LABELS - EDGE);
        }
        if (i % every_column == 0) {
            gui_profile_draw_text (cr, ranks, 11, FALSE, colours->foreground,
                                   GUI_PROFILE_MIDDLE, LABELS + (i + 0.5) * width, HEAD - 18,
                                   every_column * width);
        }
    }
}

void
gui_message_matrix_paint (GuiMessageMatrix *self, cairo_t *cr, double width, double height,
                          const GuiProfileColours *colours)
{
    double wide, high;

    gui_profile_set_colour (cr, colours->background, 1);
    cairo_rectangle (cr, 0, 0, width, height);
    cairo_fill (cr);
    if (self->n == 0) {
        gui_profile_draw_text (cr, _ ("No messages between ranks"), 13, FALSE, colours->muted,
                               GUI_PROFILE_MIDDLE, width / 2, height / 2 - 10, width);
        return;
    }
    get_size (self, width, height, &wide, &high);
    for (guint32 row = 0; row < self->n; row++) {
        for (guint32 column = 0; column < self->n; column++) {
            paint_cell (self, cr, row, column, wide, high, colours);
        }
    }
    paint_labels (self, cr, wide, high, colours);
}

static gboolean
draw (GtkWidget *widget, cairo_t *cr)
{
    GuiMessageMatrix *self = GUI_MESSAGE_MATRIX (widget);
    double width = gtk_widget_get_allocated_width (widget);
    double height = gtk_widget_get_allocated_height (widget), wide, high;
    GuiProfileColours colours;

    gui_profile_colours_fill (widget, &colours);
    gui_message_matrix_paint (self, cr, width, height, &colours);
    if (gtk_widget_has_visible_focus (widget) && self->n > 0) {
        get_size (self, width, height, &wide, &high);
        gui_profile_set_colour (cr, colours.selection, 1);
        cairo_set_line_width (cr, 2);
        cairo_rectangle (cr, LABELS + self->column * wide, HEAD + self->row * high, wide, high);
        cairo_stroke (cr);
    }
    return FALSE;
}

/* ---- the user ---- */

static void
emit_chosen (GuiMessageMatrix *self)
{
    guint32 from, to, last;

    get_ranks (self, self->row, &from, &last);
    get_ranks (self, self->column, &to, &last);
    g_signal_emit (self, chosen_signal, 0, from, to);
}

static void
mark (GuiMessageMatrix *self, guint32 row, guint32 column)
{
    g_autofree char *text = NULL;

    self->row = row;
    self->column = column;
    text = describe_cell (self, row, column);
    atk_object_set_description (gtk_widget_get_accessible (GTK_WIDGET (self)), text);
    gtk_widget_queue_draw (GTK_WIDGET (self));
}

static gboolean
button_press (GtkWidget *widget, GdkEventButton *event)
{
    GuiMessageMatrix *self = GUI_MESSAGE_MATRIX (widget);
    guint32 row, column;

    gtk_widget_grab_focus (widget);
    if (event->button == GDK_BUTTON_PRIMARY && event->type == GDK_BUTTON_PRESS
        && find_point (self, event->x, event->y, &row, &column)) {
        mark (self, row, column);
        emit_chosen (self);
    }
    return TRUE;
}

static gboolean
key_press (GtkWidget *widget, GdkEventKey *event)
{
    GuiMessageMatrix *self = GUI_MESSAGE_MATRIX (widget);
    guint32 row = self->row, column = self->column;

    if (self->n == 0) {
        return FALSE;
    }
    switch (event->keyval) {
    case GDK_KEY_Up: row = row > 0 ? row - 1 : 0; break;
    case GDK_KEY_Down: row = MIN (row + 1, self->n - 1); break;
    case GDK_KEY_Left: column = column > 0 ? column - 1 : 0; break;
    case GDK_KEY_Right: column = MIN (column + 1, self->n - 1); break;
    case GDK_KEY_Return:
    case GDK_KEY_KP_Enter:
    case GDK_KEY_space: emit_chosen (self); return TRUE;
    default: return FALSE;
    }
    mark (self, row, column);
    return TRUE;
}

static gboolean
query_tooltip (GtkWidget *widget, int x, int y, gboolean is_keyboard, GtkTooltip *tooltip)
{
    GuiMessageMatrix *self = GUI_MESSAGE_MATRIX (widget);
    g_autofree char *text = is_keyboard && self->n > 0
                                ? describe_cell (self, self->row, self->column)
                                : gui_message_matrix_describe (self, x, y);

    gtk_tooltip_set_text (tooltip, text);
    return text != NULL;
}

GUI_FINALIZE (gui_message_matrix, GuiMessageMatrix, g_free (self->bytes);
              g_free (self->messages); g_clear_pointer (&self->ranks, job_rank_set_free))

static void
gui_message_matrix_class_init (GuiMessageMatrixClass *klass)
{
    GtkWidgetClass *widget = GTK_WIDGET_CLASS (klass);

    G_OBJECT_CLASS (klass)->finalize = gui_message_matrix_finalize;
    widget->draw = draw;
    widget->button_press_event = button_press;
    widget->key_press_event = key_press;
    widget->query_tooltip = query_tooltip;
    chosen_signal = g_signal_new ("chosen", GUI_TYPE_MESSAGE_MATRIX, G_SIGNAL_RUN_LAST, 0, NULL,
                                  NULL, NULL, G_TYPE_NONE, 2, G_TYPE_UINT, G_TYPE_UINT);
}

static void
gui_message_matrix_init (GuiMessageMatrix *self)
{
    gtk_widget_set_can_focus (GTK_WIDGET (self), TRUE);
    gtk_widget_set_has_tooltip (GTK_WIDGET (self), TRUE);
    gtk_widget_add_events (GTK_WIDGET (self), GDK_BUTTON_PRESS_MASK | GDK_KEY_PRESS_MASK);
    gtk_widget_set_size_request (GTK_WIDGET (self), 240, 120);
    gui_theme_name (GTK_WIDGET (self), "message-matrix", _ ("Messages between ranks"));
}
