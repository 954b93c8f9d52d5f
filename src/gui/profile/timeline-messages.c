/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gui/profile/timeline-messages.h"
#include "base/array.h"
#include <glib/gi18n.h>
#include <math.h>

enum { MOST_LINES = 1000, MOST_AREAS = 120, ARROWS = 150, ARROW = 6, NEAR_PX = 4, NARROW = 4 };

/* The middle of the rank's row. FALSE: it has none. */
static gboolean
find_y (const GuiTimelineRows *rows, guint32 rank, double *ret_y)
{
    guint row = GPOINTER_TO_UINT (g_hash_table_lookup (rows->rows, GUINT_TO_POINTER (rank)));

    *ret_y = rows->top + (row - 0.5) * rows->height;
    return row != 0;
}

static double
find_x (const ProfileModel *model, const GuiTimelineRows *rows, gint64 time_us)
{
    return gui_profile_axis_get_x (&rows->axis, profile_messages_get_seconds (model, time_us));
}

/* ---- messages ---- */

typedef struct {
    double x0, y0, x1, y1;
} Line;

/* FALSE: it is not on the screen. */
static gboolean
make_line (const ProfileModel *model, const GuiTimelineRows *rows, guint32 number, Line *line)
{
    const ProfileMessage *message = profile_messages_get (model, number);

    if (!find_y (rows, message->from, &line->y0) || !find_y (rows, message->to, &line->y1)
        || MAX (line->y0, line->y1) < GUI_PROFILE_AXIS
        || MIN (line->y0, line->y1) > rows->bottom) {
        return FALSE;
    }
    line->x0 = find_x (model, rows, message->sent_us);
    line->x1 = find_x (model, rows, message->received_us);
    return TRUE;
}

/* Lines that begin and end in the same pixels are one. */
static gboolean
is_new (GHashTable *known, const Line *line)
{
    gint64 key = ((gint64) line->x0 & 0xffff) | ((gint64) line->x1 & 0xffff) << 16
                 | ((gint64) line->y0 & 0xffff) << 32 | ((gint64) line->y1 & 0xffff) << 48;
    gint64 *copy;

    if (g_hash_table_contains (known, &key)) {
        return FALSE;
    }
    copy = g_new (gint64, 1);
    *copy = key;
    return g_hash_table_add (known, copy);
}

static void
add_arrow (cairo_t *cr, const Line *line)
{
    double angle = atan2 (line->y1 - line->y0, line->x1 - line->x0);

    for (int side = -1; side <= 1; side += 2) {
        cairo_move_to (cr, line->x1, line->y1);
        cairo_line_to (cr, line->x1 - ARROW * cos (angle + side * 0.4),
                       line->y1 - ARROW * sin (angle + side * 0.4));
    }
}

static void
paint_lines (cairo_t *cr, const ProfileModel *model, const GuiTimelineRows *rows,
             const GuiProfileColours *colours, const GArray *messages)
{
    g_autoptr (GHashTable) known = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free,
                                                          NULL);
    Line line;

    for (guint i = 0; i < messages->len; i++) {
        if (!make_line (model, rows, g_array_index (messages, guint32, i), &line)
            || !is_new (known, &line)) {
            continue;
        }
        cairo_move_to (cr, line.x0, line.y0);
        cairo_line_to (cr, line.x1, line.y1);
        if (messages->len <= ARROWS) {
            add_arrow (cr, &line);
        }
    }
    cairo_set_antialias (cr, messages->len <= ARROWS ? CAIRO_ANTIALIAS_DEFAULT
                                                     : CAIRO_ANTIALIAS_NONE);
    /* A rim, so that the line is seen on every class. */
    gui_profile_set_colour (cr, colours->background, 0.55);
    cairo_set_line_width (cr, 2.6);
    if (messages->len <= ARROWS) {
        cairo_stroke_preserve (cr);
    }
    gui_profile_set_colour (cr, colours->selection, messages->len <= ARROWS ? 0.9 : 0.6);
    cairo_set_line_width (cr, 1);
    cairo_stroke (cr);
}

/* ---- collective operations ---- */

/* The first member, from `low` on, whose rank is not below. */
static guint32
find_member (const ProfileModel *model, const ProfileCollective *collective, guint32 rank)
{
    return BASE_BISECT (middle, 0, collective->n,
                        profile_collectives_get_member (model, collective->first + middle)->rank
                            < rank);
}

/* Along the begins of its members, and back along their ends. */
static void
add_area (cairo_t *cr, const ProfileModel *model, const GuiTimelineRows *rows,
          const ProfileCollective *collective, guint32 first, guint32 end)
{
    double y, half = rows->height / 2 - 1;

    for (guint32 i = first; i < end; i++) {
        const ProfileMember *member = profile_collectives_get_member (model,
                                                                      collective->first + i);

        if (find_y (rows, member->rank, &y)) {
            cairo_line_to (cr, find_x (model, rows, member->begin_us), y - half);
            cairo_line_to (cr, find_x (model, rows, member->begin_us), y + half - 1);
        }
    }
    for (guint32 i = end; i > first; i--) {
        const ProfileMember *member = profile_collectives_get_member (model, collective->first
                                                                                 + i - 1);

        if (find_y (rows, member->rank, &y)) {
            cairo_line_to (cr, find_x (model, rows, member->end_us), y + half - 1);
            cairo_line_to (cr, find_x (model, rows, member->end_us), y - half);
        }
    }
    cairo_close_path (cr);
}

/* One that is as wide as a line: a line over its rows. */
static void
add_narrow (cairo_t *cr, const ProfileModel *model, const GuiTimelineRows *rows,
            const ProfileCollective *collective, guint32 first, guint32 end, double x)
{
    double top, bottom;

    if (find_y (rows, profile_collectives_get_member (model, collective->first + first)->rank,
                &top)
        && find_y (rows,
                   profile_collectives_get_member (model, collective->first + end - 1)->rank,
                   &bottom)) {
        cairo_move_to (cr, x + 0.5, top - rows->height / 2);
        cairo_line_to (cr, x + 0.5, bottom + rows->height / 2 - 2);
    }
}

static void
paint_areas (cairo_t *cr, const ProfileModel *model, const GuiTimelineRows *rows,
             const GuiProfileColours *colours, const GArray *collectives)
{
    double before = -1;

    cairo_set_antialias (cr, CAIRO_ANTIALIAS_NONE);
    cairo_new_path (cr);
    for (guint pass = 0; pass < 2; pass++) { /* narrow ones first, with one stroke */
        for (guint i = 0; i < collectives->len; i++) {
            const ProfileCollective *collective
                = profile_collectives_get (model, g_array_index (collectives, guint32, i));
            double x = floor (find_x (model, rows, collective->begin_us));
            double width = find_x (model, rows, collective->end_us) - x;
            guint32 first = find_member (model, collective, rows->first_rank);
            guint32 end = find_member (model, collective, rows->last_rank + 1);

            if (first >= end || (width < NARROW) != (pass == 0)) {
                continue;
            }
            if (pass == 0 && x != before) {
                before = x;
                add_narrow (cr, model, rows, collective, first, end, x);
            } else if (pass == 1) {
                add_area (cr, model, rows, collective, first, end);
            }
        }
        if (pass == 0) {
            gui_profile_set_colour (cr, colours->selection, 0.4);
            cairo_set_line_width (cr, 1);
            cairo_stroke (cr);
        }
    }
    gui_profile_set_colour (cr, colours->selection, 0.13);
    cairo_fill_preserve (cr);
    gui_profile_set_colour (cr, colours->selection, 0.7);
    cairo_stroke (cr);
}

gboolean
gui_timeline_messages_paint (cairo_t *cr, const ProfileModel *model,
                             const GuiTimelineRows *rows, const GuiProfileColours *colours,
                             GArray *messages, GArray *collectives)
{
    gboolean is_all = profile_messages_find (model, rows->axis.begin_s, rows->axis.end_s,
                                             MOST_LINES, messages);

    is_all &= profile_collectives_find (model, rows->axis.begin_s, rows->axis.end_s, MOST_AREAS,
                                        collectives);
    cairo_save (cr);
    cairo_rectangle (cr, rows->axis.x, GUI_PROFILE_AXIS, rows->axis.width,
                     rows->bottom - GUI_PROFILE_AXIS);
    cairo_clip (cr);
    paint_areas (cr, model, rows, colours, collectives);
    paint_lines (cr, model, rows, colours, messages);
    cairo_restore (cr);
    return is_all;
}

/* ---- words ---- */

static double
get_distance (const Line *line, double x, double y)
{
    double dx = line->x1 - line->x0, dy = line->y1 - line->y0, length = dx * dx + dy * dy;
    double at = length > 0 ? ((x - line->x0) * dx + (y - line->y0) * dy) / length : 0;

    at = CLAMP (at, 0, 1);
    return hypot (x - line->x0 - at * dx, y - line->y0 - at * dy);
}

static char *
describe_message (const ProfileModel *model, guint32 number)
{
    const ProfileMessage *message = profile_messages_get (model, number);
    g_autofree char *bytes = g_strdup_printf ("%" G_GUINT64_FORMAT, message->bytes);
    g_autofree char *time
        = gui_profile_format_time ((double) ABS (message->received_us - message->sent_us)
                                   / G_USEC_PER_SEC);
    g_autofree char *head
        = g_strdup_printf (ngettext ("Message from rank %u to rank %u: %s byte, tag %u",
                                     "Message from rank %u to rank %u: %s bytes, tag %u",
                                     (gulong) message->bytes),
                           message->from, message->to, bytes, message->tag);
    g_autofree char *times
        = g_strdup_printf (_ ("Sent at %.6f s, received at %.6f s, %s later"),
                           profile_messages_get_seconds (model, message->sent_us),
                           profile_messages_get_seconds (model, message->received_us), time);

    return g_strdup_printf ("%s\n%s", head, times);
}

/* NULL: the point is not in it. */
static char *
describe_collective (const ProfileModel *model, const GuiTimelineRows *rows, guint32 number,
                     double x, double y)
{
    const ProfileCollective *collective = profile_collectives_get (model, number);
    const ProfileMember *last = NULL, *here = NULL;
    g_autofree char *head = NULL, *came = NULL;
    double middle;

    for (guint32 i = 0; i < collective->n; i++) {
        const ProfileMember *member = profile_collectives_get_member (model,
                                                                      collective->first + i);

        last = last == NULL || member->begin_us > last->begin_us ? member : last;
        if (find_y (rows, member->rank, &middle) && fabs (y - middle) <= rows->height / 2
            && x >= find_x (model, rows, member->begin_us) - 1
            && x <= find_x (model, rows, member->end_us) + 1) {
            here = member;
        }
    }
    if (here == NULL) {
        return NULL;
    }
    head = g_strdup_printf (ngettext ("%s of %u rank", "%s of %u ranks", collective->n),
                            collective->name, collective->n);
    came = g_strdup_printf (_ ("Rank %u came at %.6f s; the last one, rank %u, at %.6f s"),
                            here->rank, profile_messages_get_seconds (model, here->begin_us),
                            last->rank, profile_messages_get_seconds (model, last->begin_us));
    return g_strdup_printf ("%s\n%s", head, came);
}

char *
gui_timeline_messages_get_tip (const ProfileModel *model, const GuiTimelineRows *rows,
                               const GArray *messages, const GArray *collectives, double x,
                               double y)
{
    double nearest = NEAR_PX;
    char *text = NULL;
    Line line;

    for (guint i = 0; i < messages->len; i++) {
        guint32 number = g_array_index (messages, guint32, i);

        if (make_line (model, rows, number, &line) && get_distance (&line, x, y) < nearest) {
            nearest = get_distance (&line, x, y);
            g_free (text);
            text = describe_message (model, number);
        }
    }
    for (guint i = 0; text == NULL && i < collectives->len; i++) {
        text = describe_collective (model, rows, g_array_index (collectives, guint32, i), x, y);
    }
    return text;
}
