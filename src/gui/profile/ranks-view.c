/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gui/profile/ranks-view.h"
#include <glib/gi18n.h>
#include <math.h>
#include "gui/profile/profile-axis.h"
#include "gui/profile/profile-common.h"
#include "profile/balance.h"
#include "base/array.h"
#include "gui/kit/template.h"

#define ALIKE 0.01 /* of the most work: a difference that is not worth a word */

enum { HEAD = 52, LEAST_ROW = 7, MOST_ROW = 26, LABEL_ROW = 13, VALUES = 96, BOTTOM = 6 };

struct _GuiRanksView {
    GuiProfileCanvas parent;
    ProfileModel *part; /* the selected time and class of all ranks; NULL: to be made */
    double most;        /* s of the rank with the most */
    double room;        /* that rows share; 0: the widget's */
    guint current, anchor;
    gboolean is_dragging;
    guint from_row, to_row;
};

G_DEFINE_TYPE (GuiRanksView, gui_ranks_view, GUI_TYPE_PROFILE_CANVAS)

static GuiProfileSelection *
get_selection (GuiRanksView *self)
{
    return gui_profile_canvas_get_selection (GUI_PROFILE_CANVAS (self));
}

/* Of each of its ranks, where the row is a group of them. */
static double
get_class (const ProfileModel *model, guint index, JobClass class)
{
    return profile_model_get_class (model, index, class)
           / profile_model_get_n_members (model, index);
}

static double
get_time (const ProfileModel *model, guint index)
{
    return BASE_SUM (double, class, JOB_N_CLASSES, get_class (model, index, class));
}

static const ProfileModel *
get_part (GuiRanksView *self)
{
    GuiProfileSelection *selection = get_selection (self);
    const ProfileModel *model = gui_profile_selection_get_model (selection);

    if (self->part == NULL && model != NULL) {
        double end = gui_profile_selection_get_end (selection);
        ProfileSlice slice
            = { gui_profile_selection_get_begin (selection),
                end >= gui_profile_selection_get_duration (selection) ? G_MAXDOUBLE : end, NULL,
                gui_profile_selection_get_class (selection) };

        self->part = profile_model_new_slice (model, &slice);
        self->most = 0;
        for (guint i = 0; i < profile_model_get_n_ranks (self->part); i++) {
            self->most = MAX (self->most, get_time (self->part, i));
        }
    }
    return self->part;
}

static guint
count_rows (GuiRanksView *self)
{
    const ProfileModel *model = gui_profile_selection_get_model (get_selection (self));

    return model != NULL ? profile_model_get_n_ranks (model) : 0;
}

static void
changed (GuiProfileCanvas *canvas, guint what)
{
    GuiRanksView *self = GUI_RANKS_VIEW (canvas);

    if ((what & (GUI_PROFILE_CHANGE_MODEL | GUI_PROFILE_CHANGE_SLICE)) != 0) {
        g_clear_pointer (&self->part, profile_model_free);
    }
}

/* ---- rows ---- */

static double
get_row_height (GuiRanksView *self)
{
    double room = self->room > 0 ? self->room
                                 : gui_profile_canvas_get_height (GUI_PROFILE_CANVAS (self));

    return CLAMP (floor ((room - HEAD - BOTTOM) / MAX (count_rows (self), 1)), LEAST_ROW,
                  MOST_ROW);
}

static double
get_full_height (GuiProfileCanvas *canvas, double width)
{
    GuiRanksView *self = GUI_RANKS_VIEW (canvas);

    return HEAD + count_rows (self) * get_row_height (self) + BOTTOM;
}

static gboolean
find_row (GuiRanksView *self, double y, guint *ret_row)
{
    double at = y - HEAD + gui_profile_canvas_get_offset (GUI_PROFILE_CANVAS (self));

    *ret_row = at >= 0 ? (guint) (at / get_row_height (self)) : 0;
    return y >= HEAD && *ret_row < count_rows (self);
}

gboolean
gui_ranks_view_hit (GuiRanksView *self, double y, guint32 *ret_rank)
{
    guint row;

    if (!find_row (self, y, &row)) {
        return FALSE;
    }
    *ret_rank = profile_model_get_rank (gui_profile_selection_get_model (get_selection (self)),
                                        row);
    return TRUE;
}

void
gui_ranks_view_set_room (GuiRanksView *self, double height)
{
    self->room = height;
}

/* ---- the sentence ---- */

/* Of the ranks with the most and the least time in the class that alone is shown. */
static char *
dup_class_sentence (const ProfileModel *part)
{
    guint n = 0, least = 0, most = 0;
    g_autofree char *low = NULL, *high = NULL;

    for (guint i = 0; i < profile_model_get_n_ranks (part); i++) {
        if (!profile_model_is_child (part, i)) {
            least = n == 0 || get_time (part, i) < get_time (part, least) ? i : least;
            most = n == 0 || get_time (part, i) > get_time (part, most) ? i : most;
            n++;
        }
    }
    if (n < 2 || get_time (part, most) <= 0) {
        return g_strdup ("");
    }
    low = gui_profile_format_time (get_time (part, least));
    high = gui_profile_format_time (get_time (part, most));
    return g_strdup_printf (_ ("Rank %u spends the most time in this class, %s; rank %u the "
                               "least, %s."),
                            profile_model_get_rank (part, most), high,
                            profile_model_get_rank (part, least), low);
}

char *
gui_ranks_view_dup_sentence (GuiRanksView *self)
{
    const ProfileModel *part = get_part (self);
    g_autoptr (ProfileBalance) balance = part != NULL ? profile_balance_new (part) : NULL;
    g_autofree char *idle = NULL;
    guint n_idle;

    if (part != NULL
        && gui_profile_selection_get_class (get_selection (self)) != PROFILE_ALL_CLASSES) {
        return dup_class_sentence (part);
    }
    if (balance == NULL || balance->n_ranks < 2 || balance->most_s <= 0) {
        return g_strdup ("");
    }
    n_idle = job_rank_set_get_count (balance->idle);
    if (n_idle > 0) {
        idle = job_rank_set_format_brief (balance->idle);
        /* The second number of ranks is always above one. */
        return g_strdup_printf (
            ngettext ("%u of %u ranks did nothing: rank %s worked less than 5 %% as long as "
                      "rank %u, the busiest.",
                      "%u of %u ranks did nothing: ranks %s worked less than 5 %% as long as "
                      "rank %u, the busiest.",
                      n_idle),
            n_idle, balance->n_ranks, idle, balance->busiest);
    }
    if (balance->most_s - balance->least_s < ALIKE * balance->most_s) {
        return g_strdup_printf (
            _ ("All %u ranks work for about the same time, %.3g s to %.3g s."),
            balance->n_ranks, balance->least_s, balance->most_s);
    }
    return g_strdup_printf (
        _ ("Rank %u works %.0f %% longer than the mean of %u ranks; rank %u "
           "works the least, %.3g s of %.3g s."),
        balance->busiest, balance->imbalance * 100, balance->n_ranks, balance->laziest,
        balance->least_s, balance->most_s);
}

/* ---- painting ---- */

static void
paint_head (GuiRanksView *self, cairo_t *cr, const GuiProfilePainting *painting)
{
    const ProfileModel *part = get_part (self);
    g_autoptr (ProfileBalance) balance = profile_balance_new (part);
    g_autofree char *sentence = gui_ranks_view_dup_sentence (self);
    g_autofree char *time = gui_profile_format_time (self->most);
    g_autofree char *scale = g_strdup_printf (_ ("Time of each rank; the longest bar is %s"),
                                              time);
    gboolean is_bad = !job_rank_set_is_empty (balance->idle) || balance->imbalance > 0.1;

    gui_profile_draw_text (cr, sentence, 13, is_bad, painting->colours->foreground,
                           GUI_PROFILE_LEFT, 10, 6, painting->width - 20);
    gui_profile_draw_text (cr, scale, 11, FALSE, painting->colours->muted, GUI_PROFILE_LEFT, 10,
                           28, painting->width - 20);
}

static gboolean
is_selected (GuiRanksView *self, guint32 rank)
{
    const JobRankSet *ranks = gui_profile_selection_get_ranks (get_selection (self));

    return ranks != NULL && job_rank_set_contains (ranks, rank);
}

static void
paint_bar (GuiRanksView *self, cairo_t *cr, guint index, double y, double height,
           const GuiProfilePainting *painting)
{
    const JobClass *order = gui_profile_colours_get_order ();
    const ProfileModel *part = get_part (self);
    double width = MAX (1, painting->width - GUI_PROFILE_LABELS - VALUES);
    double x = GUI_PROFILE_LABELS, before = 0;
    double gap = height > 10 ? 3 : 1;

    for (guint k = 0; k < JOB_N_CLASSES && self->most > 0; k++) {
        double seconds = get_class (part, index, order[k]);
        double left = floor (x + width * before / self->most);
        double right = floor (x + width * (before + seconds) / self->most);

        before += seconds;
        if (right > left) {
            gui_profile_fill_class (cr, painting->colours, order[k], left, y, right - left,
                                    height - gap);
        }
    }
}

static void
paint_row (GuiRanksView *self, cairo_t *cr, guint index, double y, double height, guint every,
           const GuiProfilePainting *painting)
{
    const ProfileModel *part = get_part (self);
    guint32 rank = profile_model_get_rank (part, index);
    gboolean is_chosen = is_selected (self, rank);
    double size = CLAMP (height - 5, 9, 12);

    if (is_chosen) {
        gui_profile_set_colour (cr, painting->colours->classes[JOB_CLASS_MPI], 0.2);
        cairo_rectangle (cr, 0, y - 1, painting->width, height);
        cairo_fill (cr);
    }
    paint_bar (self, cr, index, y, height, painting);
    if (index % every == 0) {
        g_autofree char *label = gui_profile_dup_label (part, index);
        g_autofree char *time = gui_profile_format_time (get_time (part, index));

        gui_profile_draw_text (cr, label, size, is_chosen, painting->colours->foreground,
                               GUI_PROFILE_LEFT, 12, y + (height - 2 - size * 1.4) / 2,
                               GUI_PROFILE_LABELS - 16);
        gui_profile_draw_text (cr, time, size, FALSE, painting->colours->muted,
                               GUI_PROFILE_LEFT, painting->width - VALUES + 8,
                               y + (height - 2 - size * 1.4) / 2, VALUES - 12);
    }
    if (painting->is_screen && index == self->current) {
        gui_profile_set_colour (cr, painting->colours->selection, 1);
        cairo_rectangle (cr, 3, y + height / 2 - 3, 4, 4);
        cairo_fill (cr);
    }
}

static void
paint (GuiProfileCanvas *canvas, cairo_t *cr, const GuiProfilePainting *painting)
{
    GuiRanksView *self = GUI_RANKS_VIEW (canvas);
    double height = get_row_height (self);
    guint every = (guint) MAX (1, ceil (LABEL_ROW / height));
    guint first = (guint) MAX (0, painting->offset / height);
    guint end = (guint) MIN (count_rows (self),
                             ceil ((painting->offset + painting->height - HEAD) / height));

    get_part (self);
    cairo_save (cr);
    cairo_rectangle (cr, 0, HEAD - 1, painting->width, MAX (painting->height - HEAD + 1, 0));
    cairo_clip (cr);
    for (guint row = first; row < end; row++) {
        paint_row (self, cr, row, HEAD + row * height - painting->offset, height, every,
                   painting);
    }
    if (painting->is_screen && self->is_dragging) {
        guint low = MIN (self->from_row, self->to_row);
        guint high = MAX (self->from_row, self->to_row);

        gui_profile_set_colour (cr, painting->colours->selection, 0.15);
        cairo_rectangle (cr, 0, HEAD + low * height - painting->offset, painting->width,
                         (high - low + 1) * height);
        cairo_fill (cr);
    }
    cairo_restore (cr);
    paint_head (self, cr, painting);
}

/* ---- the pointer and the keyboard ---- */

static void
select_rows (GuiRanksView *self, guint one, guint other, gboolean is_more)
{
    const ProfileModel *model = gui_profile_selection_get_model (get_selection (self));
    const JobRankSet *before = gui_profile_selection_get_ranks (get_selection (self));
    g_autoptr (JobRankSet) ranks = is_more && before != NULL ? job_rank_set_dup (before)
                                                             : job_rank_set_new ();

    for (guint row = MIN (one, other); row <= MAX (one, other) && row < count_rows (self);
         row++) {
        guint32 rank = profile_model_get_rank (model, row);

        if (is_more && one == other && job_rank_set_contains (ranks, rank)) {
            job_rank_set_remove (ranks, rank);
        } else {
            job_rank_set_add (ranks, rank);
        }
    }
    gui_profile_selection_set_ranks (get_selection (self), ranks);
}

static void
choose (GuiRanksView *self, guint row, guint state)
{
    guint32 rank
        = profile_model_get_rank (gui_profile_selection_get_model (get_selection (self)), row);
    const JobRankSet *ranks = gui_profile_selection_get_ranks (get_selection (self));

    self->current = row;
    if ((state & GDK_SHIFT_MASK) != 0) {
        select_rows (self, self->anchor, row, FALSE);
        return;
    }
    self->anchor = row;
    if ((state & GDK_CONTROL_MASK) == 0 && ranks != NULL && job_rank_set_get_count (ranks) == 1
        && job_rank_set_contains (ranks, rank)) {
        gui_profile_selection_set_ranks (get_selection (self), NULL); /* the same again */
    } else {
        select_rows (self, row, row, (state & GDK_CONTROL_MASK) != 0);
    }
}

static void
click (GuiProfileCanvas *canvas, const GdkEventButton *event)
{
    GuiRanksView *self = GUI_RANKS_VIEW (canvas);
    guint row;

    if (event->button == GDK_BUTTON_PRIMARY && find_row (self, event->y, &row)) {
        choose (self, row, event->state);
        gui_profile_canvas_queue (canvas);
    }
}

static void
drag (GuiProfileCanvas *canvas, double from_x, double from_y, double x, double y,
      gboolean is_end)
{
    GuiRanksView *self = GUI_RANKS_VIEW (canvas);

    if (count_rows (self) == 0) {
        return;
    }
    if (!find_row (self, from_y, &self->from_row)) {
        self->from_row = from_y < HEAD ? 0 : count_rows (self) - 1;
    }
    if (!find_row (self, y, &self->to_row)) {
        self->to_row = y < HEAD ? 0 : count_rows (self) - 1;
    }
    self->is_dragging = !is_end;
    if (is_end) {
        self->current = self->to_row;
        self->anchor = self->from_row;
        select_rows (self, self->from_row, self->to_row, FALSE);
    }
    gui_profile_canvas_queue (canvas);
}

static gboolean
key (GuiProfileCanvas *canvas, const GdkEventKey *event)
{
    GuiRanksView *self = GUI_RANKS_VIEW (canvas);
    guint n = count_rows (self), row = self->current;
    double height;

    if (n == 0) {
        return FALSE;
    }
    switch (event->keyval) {
    case GDK_KEY_Up: row = row > 0 ? row - 1 : 0; break;
    case GDK_KEY_Down: row = MIN (row + 1, n - 1); break;
    case GDK_KEY_Home: row = 0; break;
    case GDK_KEY_End: row = n - 1; break;
    case GDK_KEY_Return:
    case GDK_KEY_KP_Enter:
    case GDK_KEY_space: choose (self, row, event->state); return TRUE;
    default: return FALSE;
    }
    self->current = row;
    if ((event->state & GDK_SHIFT_MASK) != 0) {
        select_rows (self, self->anchor, row, FALSE);
    }
    height = get_row_height (self);
    gui_profile_canvas_reveal (canvas, row * height, HEAD + (row + 1) * height);
    gui_profile_canvas_queue (canvas);
    return TRUE;
}

/* ---- words ---- */

static char *
get_tip (GuiProfileCanvas *canvas, double x, double y)
{
    GuiRanksView *self = GUI_RANKS_VIEW (canvas);
    const JobClass *order = gui_profile_colours_get_order ();
    const ProfileModel *part = get_part (self);
    GString *text = g_string_new (NULL);
    const ProfileProcess *process;
    g_autofree char *label = NULL;
    guint row;

    if (y < HEAD) {
        return gui_ranks_view_dup_sentence (self);
    }
    if (!find_row (self, y, &row)) {
        return g_string_free (text, TRUE);
    }
    process = profile_model_get_process (part, row);
    label = profile_model_format_rank (BASE_TEXT_SHOWN, part, row);
    g_string_assign (text, label);
    if (profile_model_get_n_members (part, row) > 1) {
        g_autofree char *each
            = g_strdup_printf (ngettext ("the mean of %u rank that does the same",
                                         "the mean of %u ranks that do the same",
                                         profile_model_get_n_members (part, row)),
                               profile_model_get_n_members (part, row));

        g_string_append_printf (text, "\n%s", each);
    }
    if (process->host != NULL) {
        g_string_append_printf (text, ", %s", process->host);
    }
    for (guint k = 0; k < JOB_N_CLASSES; k++) {
        double seconds = get_class (part, row, order[k]);
        g_autofree char *time = gui_profile_format_time (seconds);

        if (seconds > 0) {
            g_string_append_printf (text, "\n%s %s, %.1f %%",
                                    gui_profile_colours_get_title (order[k]), time,
                                    100 * seconds / get_time (part, row));
        }
    }
    return g_string_free (text, FALSE);
}

static char *
describe (GuiProfileCanvas *canvas)
{
    return gui_ranks_view_dup_sentence (GUI_RANKS_VIEW (canvas));
}

/* ---- the object ---- */

GUI_FINALIZE (gui_ranks_view, GuiRanksView, profile_model_free (self->part))

static void
gui_ranks_view_class_init (GuiRanksViewClass *klass)
{
    GuiProfileCanvasClass *canvas = GUI_PROFILE_CANVAS_CLASS (klass);

    G_OBJECT_CLASS (klass)->finalize = gui_ranks_view_finalize;
    canvas->id = "ranks";
    canvas->title = N_ ("Ranks");
    canvas->paint = paint;
    canvas->get_full_height = get_full_height;
    canvas->changed = changed;
    canvas->click = click;
    canvas->drag = drag;
    canvas->key = key;
    canvas->get_tip = get_tip;
    canvas->describe = describe;
}

static void
gui_ranks_view_init (GuiRanksView *self)
{
}

GtkWidget *
gui_ranks_view_new (GuiProfileSelection *selection)
{
    return g_object_new (GUI_TYPE_RANKS_VIEW, "selection", selection, NULL);
}
