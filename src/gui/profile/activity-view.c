/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gui/profile/activity-view.h"
#include <glib/gi18n.h>
#include <math.h>
#include "gui/profile/profile-axis.h"
#include "base/array.h"
#include "gui/kit/template.h"

enum { BAND = 58, BAND_GAP = 8, LEAST_STACK = 70, BOTTOM = 8, MAX_BANDS = 5 };

typedef enum { SHOW_PROCESSORS, SHOW_BYTES, SHOW_BYTES_A_SECOND, SHOW_COUNT_A_SECOND } Unit;

typedef struct {
    JobMetric metric;
    const char *title;
    double factor; /* to the unit */
    Unit unit;
} BandKind;

static const BandKind kinds[MAX_BANDS] = {
    { JOB_METRIC_CPU, N_ ("Processors"), 1e-6, SHOW_PROCESSORS },
    { JOB_METRIC_RSS, N_ ("Memory"), 1, SHOW_BYTES },
    { JOB_METRIC_READ, N_ ("Read"), 1, SHOW_BYTES_A_SECOND },
    { JOB_METRIC_WRITTEN, N_ ("Written"), 1, SHOW_BYTES_A_SECOND },
    { JOB_METRIC_LOSSES, N_ ("Preempted"), 1, SHOW_COUNT_A_SECOND },
};

struct _GuiActivityView {
    GuiProfileCanvas parent;
    double begin, end; /* that are shown */
    gboolean is_zoomed;
    /* Of what is shown, for one width; 0 bins: to be made. */
    guint n_bins, n_bands;
    double bins_begin, bins_end;
    JobRankSet *ranks;  /* that it is of; NULL: all */
    float *shares;      /* n_bins × JOB_N_CLASSES */
    ProfileBand *bands; /* n_bands × n_bins */
    const BandKind *band_kinds[MAX_BANDS];
    double from, to; /* while a drag goes on */
    gboolean is_dragging;
    double moment; /* s, that was asked for; negative: none */
};

G_DEFINE_TYPE (GuiActivityView, gui_activity_view, GUI_TYPE_PROFILE_CANVAS)

static GuiProfileSelection *
get_selection (GuiActivityView *self)
{
    return gui_profile_canvas_get_selection (GUI_PROFILE_CANVAS (self));
}

static void
forget (GuiActivityView *self)
{
    g_clear_pointer (&self->shares, g_free);
    g_clear_pointer (&self->bands, g_free);
    g_clear_pointer (&self->ranks, job_rank_set_free);
    self->n_bins = 0;
}

static gboolean
is_same (const JobRankSet *one, const JobRankSet *other)
{
    return one == other || (one != NULL && other != NULL && job_rank_set_equal (one, other));
}

static void
changed (GuiProfileCanvas *canvas, guint what)
{
    GuiActivityView *self = GUI_ACTIVITY_VIEW (canvas);

    if ((what & GUI_PROFILE_CHANGE_MODEL) != 0 && (what & GUI_PROFILE_CHANGE_PLACE) != 0) {
        self->moment = -1; /* another model */
        self->is_zoomed = FALSE;
    }
    if ((what & GUI_PROFILE_CHANGE_MODEL) != 0
        || !is_same (gui_profile_selection_get_ranks (get_selection (self)), self->ranks)) {
        forget (self);
    }
    if (!self->is_zoomed) {
        self->begin = 0;
        self->end = gui_profile_selection_get_duration (get_selection (self));
    }
}

/* ---- what is shown ---- */

/* There is something to see. */
static gboolean
is_known (const ProfileBand *bands, guint n)
{
    return BASE_ANY (i, n, bands[i].most > 0);
}

static void
gather (GuiActivityView *self, guint n_bins)
{
    const ProfileModel *model = gui_profile_selection_get_model (get_selection (self));
    const JobRankSet *ranks = gui_profile_selection_get_ranks (get_selection (self));

    if (self->n_bins == n_bins && self->bins_begin == self->begin
        && self->bins_end == self->end) {
        return;
    }
    forget (self);
    self->n_bins = n_bins;
    self->bins_begin = self->begin;
    self->bins_end = self->end;
    self->ranks = ranks != NULL ? job_rank_set_dup (ranks) : NULL;
    self->shares = g_new (float, (gsize) n_bins *JOB_N_CLASSES);
    profile_model_get_activity (model, ranks, self->begin, self->end, n_bins, self->shares);
    self->bands = g_new (ProfileBand, (gsize) n_bins * MAX_BANDS);
    self->n_bands = 0;
    for (guint i = 0; i < MAX_BANDS; i++) {
        ProfileBand *bands = self->bands + (gsize) self->n_bands * n_bins;

        profile_model_get_bands (model, ranks, kinds[i].metric, self->begin, self->end, n_bins,
                                 bands);
        if (is_known (bands, n_bins)) {
            self->band_kinds[self->n_bands++] = &kinds[i];
        }
    }
}

static char *
format_value (const BandKind *kind, double value)
{
    g_autofree char *size = NULL;

    switch (kind->unit) {
    case SHOW_PROCESSORS: return g_strdup_printf ("%.2f", value * kind->factor);
    case SHOW_COUNT_A_SECOND: return g_strdup_printf ("%.0f/s", value);
    default:
        size = g_format_size_full ((guint64) MAX (value, 0), G_FORMAT_SIZE_IEC_UNITS);
        return kind->unit == SHOW_BYTES ? g_steal_pointer (&size)
                                        : g_strdup_printf ("%s/s", size);
    }
}

/* ---- painting ---- */

/* Adds what the class has of each bin, in whole pixels so that neighbours touch. before: the share below it,
 * which grows. FALSE: it has nothing. */
static gboolean
add_boxes (const GuiActivityView *self, cairo_t *cr, const GuiProfileAxis *axis, double top,
           double height, JobClass class, float *before)
{
    double step = axis->width / self->n_bins;
    gboolean is_there = FALSE;

    for (guint bin = 0; bin < self->n_bins; bin++) {
        double share = self->shares[(gsize) bin * JOB_N_CLASSES + class];
        double low = floor (top + height * (1 - MIN (before[bin], 1)) + 0.5);
        double high = floor (top + height * (1 - MIN (before[bin] + share, 1)) + 0.5);

        before[bin] += (float) share;
        if (low > high) {
            cairo_rectangle (cr, axis->x + bin * step, high, step, low - high);
            is_there = TRUE;
        }
    }
    return is_there;
}

static void
paint_stack (GuiActivityView *self, cairo_t *cr, const GuiProfileAxis *axis, double top,
             double height, const GuiProfileColours *colours)
{
    const JobClass *order = gui_profile_colours_get_order ();
    int chosen = gui_profile_selection_get_class (get_selection (self));
    g_autofree float *before = g_new0 (float, MAX (self->n_bins, 1));

    for (guint k = 0; k < JOB_N_CLASSES; k++) {
        cairo_pattern_t *hatching;

        cairo_new_path (cr);
        if (!add_boxes (self, cr, axis, top, height, order[k], before)) {
            continue;
        }
        gui_profile_set_colour (cr, colours->classes[order[k]],
                                chosen == PROFILE_ALL_CLASSES || chosen == (int) order[k]
                                    ? 1
                                    : 0.25);
        cairo_fill_preserve (cr);
        hatching = gui_profile_create_hatching (colours, order[k]);
        if (hatching != NULL) {
            cairo_set_source (cr, hatching);
            cairo_fill_preserve (cr);
            cairo_pattern_destroy (hatching);
        }
    }
    cairo_new_path (cr);
}

static void
paint_shares (cairo_t *cr, double top, double height, const GuiProfileColours *colours)
{
    gui_profile_draw_text (cr, _ ("Ranks"), 11, TRUE, colours->foreground, GUI_PROFILE_LEFT, 8,
                           top + height / 2 - 8, GUI_PROFILE_LABELS - 48);
    gui_profile_draw_text (cr, "100 %", 11, FALSE, colours->muted, GUI_PROFILE_RIGHT,
                           GUI_PROFILE_LABELS - 6, top - 2, -1);
    gui_profile_draw_text (cr, "0", 11, FALSE, colours->muted, GUI_PROFILE_RIGHT,
                           GUI_PROFILE_LABELS - 6, top + height - 14, -1);
}

static void
paint_band (const GuiActivityView *self, cairo_t *cr, const GuiProfileAxis *axis, guint number,
            double top, const GuiProfileColours *colours)
{
    const ProfileBand *bands = self->bands + (gsize) number * self->n_bins;
    const BandKind *kind = self->band_kinds[number];
    double most = 0, step = axis->width / self->n_bins, bottom = top + BAND;
    g_autofree char *text = NULL;

    for (guint i = 0; i < self->n_bins; i++) {
        most = MAX (most, bands[i].most);
    }
    text = format_value (kind, most);
    gui_profile_draw_text (cr, _ (kind->title), 11, TRUE, colours->foreground, GUI_PROFILE_LEFT,
                           8, top + 4, GUI_PROFILE_LABELS - 14);
    gui_profile_draw_text (cr, text, 11, FALSE, colours->muted, GUI_PROFILE_LEFT, 8, top + 20,
                           GUI_PROFILE_LABELS - 14);
    gui_profile_set_colour (cr, colours->grid, 1);
    cairo_rectangle (cr, axis->x, bottom - 0.5, axis->width, 1);
    cairo_fill (cr);
    most = most > 0 ? most : 1;
    for (guint i = 0; i < self->n_bins; i++) {
        double low = bottom - (BAND - 2) * bands[i].least / most;
        double high = bottom - (BAND - 2) * bands[i].most / most;

        if (bands[i].n_ranks > 0) {
            cairo_rectangle (cr, axis->x + i * step, high - 0.5, step, low - high + 1);
        }
    }
    gui_profile_set_colour (cr, colours->classes[JOB_CLASS_MPI], 0.35);
    cairo_fill (cr);
    for (guint i = 0; i < self->n_bins; i++) {
        double y = bottom - (BAND - 2) * bands[i].mean / most;

        if (bands[i].n_ranks == 0) {
            continue;
        }
        if (i == 0 || bands[i - 1].n_ranks == 0) {
            cairo_move_to (cr, axis->x + i * step, y);
        }
        cairo_line_to (cr, axis->x + (i + 0.5) * step, y);
        if (i + 1 == self->n_bins || bands[i + 1].n_ranks == 0) {
            cairo_line_to (cr, axis->x + (i + 1) * step, y);
        }
    }
    cairo_set_line_width (cr, 1.5);
    gui_profile_set_colour (cr, colours->foreground, 0.9);
    cairo_stroke (cr);
}

/* What is not selected is paler. */
static void
paint_selection (GuiActivityView *self, cairo_t *cr, const GuiProfileAxis *axis, double bottom,
                 const GuiProfileColours *colours)
{
    GuiProfileSelection *selection = get_selection (self);
    double begin = self->is_dragging ? MIN (self->from, self->to)
                                     : gui_profile_selection_get_begin (selection);
    double end = self->is_dragging ? MAX (self->from, self->to)
                                   : gui_profile_selection_get_end (selection);
    double left = CLAMP (gui_profile_axis_get_x (axis, begin), axis->x, axis->x + axis->width);
    double right = CLAMP (gui_profile_axis_get_x (axis, end), axis->x, axis->x + axis->width);
    double top = GUI_PROFILE_AXIS;

    if (!self->is_dragging && gui_profile_selection_is_all_time (selection)) {
        return;
    }
    gui_profile_set_colour (cr, colours->background, 0.65);
    cairo_rectangle (cr, axis->x, top, left - axis->x, bottom - top);
    cairo_rectangle (cr, right, top, axis->x + axis->width - right, bottom - top);
    cairo_fill (cr);
    gui_profile_set_colour (cr, colours->selection, 1);
    cairo_set_line_width (cr, 1.5);
    cairo_rectangle (cr, left, top + 0.5, MAX (right - left, 1), bottom - top - 1);
    cairo_stroke (cr);
}

static guint
count_bands (const GuiActivityView *self, double height)
{
    double room = height - GUI_PROFILE_AXIS - BOTTOM;

    room -= MAX (LEAST_STACK, room * 0.45);

    return room > 0 ? MIN (self->n_bands, (guint) (room / (BAND + BAND_GAP))) : 0;
}

static void
paint (GuiProfileCanvas *canvas, cairo_t *cr, const GuiProfilePainting *painting)
{
    GuiActivityView *self = GUI_ACTIVITY_VIEW (canvas);
    GuiProfileAxis axis;
    double height, bottom = painting->height - BOTTOM;
    guint n_bands;

    gui_profile_axis_init (&axis, self->begin, self->end, painting->width);
    gather (self, (guint) MAX (1, axis.width));
    n_bands = count_bands (self, painting->height);
    height = bottom - GUI_PROFILE_AXIS - n_bands * (double) (BAND + BAND_GAP);
    gui_profile_axis_draw (&axis, cr, painting->colours, bottom);
    paint_shares (cr, GUI_PROFILE_AXIS, height, painting->colours);
    paint_stack (self, cr, &axis, GUI_PROFILE_AXIS, height, painting->colours);
    for (guint i = 0; i < n_bands; i++) {
        paint_band (self, cr, &axis, i,
                    GUI_PROFILE_AXIS + height + BAND_GAP + i * (double) (BAND + BAND_GAP),
                    painting->colours);
    }
    paint_selection (self, cr, &axis, bottom, painting->colours);
    if (painting->is_screen && self->moment >= self->begin && self->moment <= self->end) {
        gui_profile_set_colour (cr, painting->colours->selection, 0.9);
        cairo_rectangle (cr, floor (gui_profile_axis_get_x (&axis, self->moment)),
                         GUI_PROFILE_AXIS, 1, bottom - GUI_PROFILE_AXIS);
        cairo_fill (cr);
    }
}

/* ---- the pointer and the keyboard ---- */

static void
get_axis (GuiActivityView *self, GuiProfileAxis *axis)
{
    gui_profile_axis_init (axis, self->begin, self->end,
                           gui_profile_canvas_get_width (GUI_PROFILE_CANVAS (self)));
}

static void
drag (GuiProfileCanvas *canvas, double from_x, double from_y, double x, double y,
      gboolean is_end)
{
    GuiActivityView *self = GUI_ACTIVITY_VIEW (canvas);
    GuiProfileAxis axis;

    get_axis (self, &axis);
    self->from = gui_profile_axis_get_time (&axis, from_x);
    self->to = gui_profile_axis_get_time (&axis, x);
    self->is_dragging = !is_end;
    if (is_end) {
        gui_profile_selection_set_time (get_selection (self), self->from, self->to);
    }
    gui_profile_canvas_queue (canvas);
}

static void
click (GuiProfileCanvas *canvas, const GdkEventButton *event)
{
    GuiProfileAxis axis;

    get_axis (GUI_ACTIVITY_VIEW (canvas), &axis);
    if (event->button == GDK_BUTTON_PRIMARY && event->x >= axis.x
        && gui_profile_selection_get_model (gui_profile_canvas_get_selection (canvas))
               != NULL) {
        GUI_ACTIVITY_VIEW (canvas)->moment = gui_profile_axis_get_time (&axis, event->x);
        gui_profile_canvas_emit_moment (canvas, GUI_ACTIVITY_VIEW (canvas)->moment, G_MAXUINT,
                                        0);
        gui_profile_canvas_queue (canvas);
    }
}

void
gui_activity_view_set_shown (GuiActivityView *self, double begin_s, double end_s)
{
    double duration = gui_profile_selection_get_duration (get_selection (self));

    self->begin = CLAMP (begin_s, 0, duration);
    self->end = CLAMP (end_s, self->begin, duration);
    self->is_zoomed = self->end - self->begin < duration * (1 - 1e-9);
    gui_profile_canvas_queue (GUI_PROFILE_CANVAS (self));
}

static void
zoom (GuiActivityView *self, double time_s, double steps)
{
    double duration = gui_profile_selection_get_duration (get_selection (self));

    double begin = self->begin, end = self->end;

    gui_profile_axis_zoom (&begin, &end, time_s, steps, GUI_PROFILE_LEAST_SAMPLED, duration);
    gui_activity_view_set_shown (self, begin, end);
}

static void
pan (GuiActivityView *self, double share)
{
    double duration = gui_profile_selection_get_duration (get_selection (self));
    double span = self->end - self->begin;

    self->begin = CLAMP (self->begin + share * span, 0, MAX (0, duration - span));
    self->end = self->begin + span;
    gui_profile_canvas_queue (GUI_PROFILE_CANVAS (self));
}

static gboolean
wheel (GuiProfileCanvas *canvas, double x, double y, double steps, guint state)
{
    GuiActivityView *self = GUI_ACTIVITY_VIEW (canvas);
    GuiProfileAxis axis;

    get_axis (self, &axis);
    if ((state & GDK_SHIFT_MASK) != 0) {
        pan (self, steps * 0.1);
    } else {
        zoom (self, gui_profile_axis_get_time (&axis, x), steps);
    }
    return TRUE;
}

static gboolean
key (GuiProfileCanvas *canvas, const GdkEventKey *event)
{
    GuiActivityView *self = GUI_ACTIVITY_VIEW (canvas);
    double middle = (self->begin + self->end) / 2;

    switch (event->keyval) {
    case GDK_KEY_plus:
    case GDK_KEY_equal:
    case GDK_KEY_KP_Add: zoom (self, middle, -1); return TRUE;
    case GDK_KEY_minus:
    case GDK_KEY_KP_Subtract: zoom (self, middle, 1); return TRUE;
    case GDK_KEY_Left: pan (self, -0.1); return TRUE;
    case GDK_KEY_Right: pan (self, 0.1); return TRUE;
    case GDK_KEY_Home: zoom (self, middle, 1000); return TRUE;
    case GDK_KEY_Return:
    case GDK_KEY_KP_Enter:
        gui_profile_selection_set_time (get_selection (self), self->begin, self->end);
        return TRUE;
    default: return FALSE;
    }
}

static void
append_shares (const GuiActivityView *self, GString *text, guint bin)
{
    const JobClass *order = gui_profile_colours_get_order ();

    for (guint k = 0; k < JOB_N_CLASSES; k++) {
        double share = self->shares[(gsize) bin * JOB_N_CLASSES + order[k]];

        if (share >= 0.0005) {
            g_string_append_printf (text, "\n%s %.1f %%",
                                    gui_profile_colours_get_title (order[k]), share * 100);
        }
    }
}

static char *
get_tip (GuiProfileCanvas *canvas, double x, double y)
{
    GuiActivityView *self = GUI_ACTIVITY_VIEW (canvas);
    GString *text = g_string_new (NULL);
    GuiProfileAxis axis;
    guint bin;

    get_axis (self, &axis);
    if (x < axis.x || x >= axis.x + axis.width || self->n_bins == 0) {
        return g_string_free (text, TRUE);
    }
    bin = MIN ((guint) ((x - axis.x) / axis.width * self->n_bins), self->n_bins - 1);
    g_string_printf (text, _ ("at %.*f s"),
                     (int) gui_profile_axis_get_digits (axis.end_s - axis.begin_s),
                     gui_profile_axis_get_time (&axis, x));
    append_shares (self, text, bin);
    for (guint i = 0; i < self->n_bands; i++) {
        const ProfileBand *band = &self->bands[(gsize) i * self->n_bins + bin];
        g_autofree char *least = format_value (self->band_kinds[i], band->least);
        g_autofree char *mean = format_value (self->band_kinds[i], band->mean);
        g_autofree char *most = format_value (self->band_kinds[i], band->most);

        if (band->n_ranks > 0) {
            g_string_append_printf (text, "\n%s ", _ (self->band_kinds[i]->title));
            /* A metric's least, mean and greatest value over the ranks. */
            g_string_append_printf (text, _ ("%s min, %s mean, %s max"), least, mean, most);
        }
    }
    return g_string_free (text, FALSE);
}

static char *
describe (GuiProfileCanvas *canvas)
{
    GuiProfileSelection *selection = gui_profile_canvas_get_selection (canvas);
    const ProfileModel *slice = gui_profile_selection_get_slice (selection);
    GString *text = g_string_new (NULL);
    double all = 0, classes[JOB_N_CLASSES] = { 0 };

    for (guint i = 0; i < profile_model_get_n_ranks (slice); i++) {
        for (guint class = 0; class < JOB_N_CLASSES; class ++) {
            classes[class] += profile_model_get_class (slice, i, class);
            all += profile_model_get_class (slice, i, class);
        }
    }
    for (guint class = 0; class < JOB_N_CLASSES; class ++) {
        if (classes[class] > 0) {
            g_string_append_printf (text, "%s%s %.1f %%", text->len > 0 ? ", " : "",
                                    gui_profile_colours_get_title (class),
                                    100 * classes[class] / all);
        }
    }
    return g_string_free (text, FALSE);
}

/* ---- the object ---- */

GUI_FINALIZE (gui_activity_view, GuiActivityView, forget (self))

static void
gui_activity_view_class_init (GuiActivityViewClass *klass)
{
    GuiProfileCanvasClass *canvas = GUI_PROFILE_CANVAS_CLASS (klass);

    G_OBJECT_CLASS (klass)->finalize = gui_activity_view_finalize;
    canvas->id = "activity";
    canvas->title = N_ ("Activity");
    canvas->needs_times = TRUE;
    canvas->paint = paint;
    canvas->changed = changed;
    canvas->click = click;
    canvas->drag = drag;
    canvas->wheel = wheel;
    canvas->key = key;
    canvas->get_tip = get_tip;
    canvas->describe = describe;
}

static void
gui_activity_view_init (GuiActivityView *self)
{
    self->moment = -1;
}

GtkWidget *
gui_activity_view_new (GuiProfileSelection *selection)
{
    return g_object_new (GUI_TYPE_ACTIVITY_VIEW, "selection", selection, NULL);
}
