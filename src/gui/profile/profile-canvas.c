/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gui/profile/profile-canvas.h"
#include <glib/gi18n.h>
#include <math.h>
#include "gui/kit/template.h"
#include "gui/kit/theme.h"
#include "base/array.h"

enum { DRAG_PX = 4, WHEEL_PX = 60 };

typedef struct {
    GuiProfileSelection *selection;
    GtkWidget *area, *bar;
    GtkAdjustment *rows;
    double from_x, from_y;
    gboolean is_down, is_dragging;
} GuiProfileCanvasPrivate;

static void view_init (GuiProfileViewInterface *iface);

G_DEFINE_ABSTRACT_TYPE_WITH_CODE (GuiProfileCanvas, gui_profile_canvas, GTK_TYPE_BOX,
                                  G_ADD_PRIVATE (GuiProfileCanvas)
                                      G_IMPLEMENT_INTERFACE (GUI_TYPE_PROFILE_VIEW, view_init))

static guint moment_signal;

static GuiProfileCanvasPrivate *
get (gpointer canvas)
{
    return gui_profile_canvas_get_instance_private (canvas);
}

/* ---- what views call ---- */

GuiProfileSelection *
gui_profile_canvas_get_selection (GuiProfileCanvas *canvas)
{
    return get (canvas)->selection;
}

double
gui_profile_canvas_get_width (GuiProfileCanvas *canvas)
{
    return MAX (1, gtk_widget_get_allocated_width (get (canvas)->area));
}

double
gui_profile_canvas_get_height (GuiProfileCanvas *canvas)
{
    return MAX (1, gtk_widget_get_allocated_height (get (canvas)->area));
}

double
gui_profile_canvas_get_offset (GuiProfileCanvas *canvas)
{
    return gtk_adjustment_get_value (get (canvas)->rows);
}

static double
get_full_height (GuiProfileCanvas *canvas, double width, double otherwise)
{
    GuiProfileCanvasClass *klass = GUI_PROFILE_CANVAS_GET_CLASS (canvas);

    return klass->get_full_height != NULL
                   && gui_profile_selection_get_model (get (canvas)->selection) != NULL
               ? klass->get_full_height (canvas, width)
               : otherwise;
}

static void
fit_rows (GuiProfileCanvas *canvas)
{
    GuiProfileCanvasPrivate *self = get (canvas);
    double height = gui_profile_canvas_get_height (canvas);
    double full = get_full_height (canvas, gui_profile_canvas_get_width (canvas), height);
    double value = CLAMP (gtk_adjustment_get_value (self->rows), 0, MAX (0, full - height));

    gtk_adjustment_configure (self->rows, value, 0, MAX (full, height), WHEEL_PX, height * 0.9,
                              height);
    gtk_widget_set_visible (self->bar, full > height + 0.5);
}

void
gui_profile_canvas_queue (GuiProfileCanvas *canvas)
{
    if (gtk_widget_get_mapped (get (canvas)->area)) {
        fit_rows (canvas);
        gtk_widget_queue_draw (get (canvas)->area);
    }
}

void
gui_profile_canvas_reveal (GuiProfileCanvas *canvas, double top, double bottom)
{
    gtk_adjustment_clamp_page (get (canvas)->rows, top, bottom);
}

void
gui_profile_canvas_emit_moment (GuiProfileCanvas *canvas, double time_s, guint rank,
                                guint thread)
{
    g_signal_emit (canvas, moment_signal, 0, time_s, rank, thread);
}

/* Groups of ranks, which have no samples. */
static gboolean
has_sums_alone (const ProfileModel *model)
{
    return !BASE_ANY (i, profile_model_get_n_ranks (model),
                      profile_samples_get_n_threads (model, i) > 0);
}

/* Why there is no picture. */
static const char *
get_nothing (const ProfileModel *model)
{
    return model != NULL && profile_model_is_traced (model) ? _ ("No calls were recorded")
                                                            : _ ("No samples yet");
}

void
gui_profile_canvas_paint (GuiProfileCanvas *canvas, cairo_t *cr,
                          const GuiProfilePainting *painting)
{
    const ProfileModel *model = gui_profile_selection_get_model (get (canvas)->selection);

    gui_profile_set_colour (cr, painting->colours->background, 1);
    cairo_rectangle (cr, 0, 0, painting->width, painting->height);
    cairo_fill (cr);
    if (model == NULL || profile_model_get_n_samples (model) == 0) {
        gui_profile_draw_text (cr, get_nothing (model), 13, FALSE, painting->colours->muted,
                               GUI_PROFILE_MIDDLE, painting->width / 2,
                               painting->height / 2 - 10, -1);
        return;
    }
    if (GUI_PROFILE_CANVAS_GET_CLASS (canvas)->needs_times && has_sums_alone (model)) {
        gui_profile_draw_text (
            cr,
            _ ("With more than 4,096 ranks pddt keeps totals only: see Calls, Functions and Ranks."),
            13, FALSE, painting->colours->muted, GUI_PROFILE_MIDDLE, painting->width / 2,
            painting->height / 2 - 10, painting->width - 20);
        return;
    }
    GUI_PROFILE_CANVAS_GET_CLASS (canvas)->paint (canvas, cr, painting);
}

/* ---- the widget ---- */

static void
describe (GuiProfileCanvas *canvas)
{
    GuiProfileCanvasClass *klass = GUI_PROFILE_CANVAS_GET_CLASS (canvas);
    GuiProfileCanvasPrivate *self = get (canvas);

    if (klass->describe != NULL && gui_profile_selection_get_model (self->selection) != NULL) {
        g_autofree char *text = klass->describe (canvas);

        atk_object_set_description (gtk_widget_get_accessible (self->area),
                                    text != NULL ? text : "");
    }
}

static gboolean
on_draw (GtkWidget *area, cairo_t *cr, GuiProfileCanvas *canvas)
{
    GuiProfileColours colours;
    GuiProfilePainting painting = { gui_profile_canvas_get_width (canvas),
                                    gui_profile_canvas_get_height (canvas),
                                    gui_profile_canvas_get_offset (canvas), &colours, TRUE };

    gui_profile_colours_fill (area, &colours);
    gui_profile_canvas_paint (canvas, cr, &painting);
    if (gtk_widget_has_visible_focus (area)) {
        gtk_render_focus (gtk_widget_get_style_context (area), cr, 1, 1, painting.width - 2,
                          painting.height - 2);
    }
    return FALSE;
}

static void
on_changed (GuiProfileSelection *selection, guint what, GuiProfileCanvas *canvas)
{
    GuiProfileCanvasClass *klass = GUI_PROFILE_CANVAS_GET_CLASS (canvas);

    if (klass->changed != NULL) {
        klass->changed (canvas, what);
    }
    if (gtk_widget_get_mapped (GTK_WIDGET (canvas))) {
        describe (canvas);
    }
    gui_profile_canvas_queue (canvas);
}

static gboolean
on_press (GtkWidget *area, const GdkEventButton *event, GuiProfileCanvas *canvas)
{
    GuiProfileCanvasPrivate *self = get (canvas);

    gtk_widget_grab_focus (area);
    if (event->type != GDK_BUTTON_PRESS) {
        return FALSE;
    }
    if (event->button != GDK_BUTTON_PRIMARY) {
        if (GUI_PROFILE_CANVAS_GET_CLASS (canvas)->click != NULL) {
            GUI_PROFILE_CANVAS_GET_CLASS (canvas)->click (canvas, event);
        }
        return TRUE;
    }
    self->is_down = TRUE;
    self->is_dragging = FALSE;
    self->from_x = event->x;
    self->from_y = event->y;
    return TRUE;
}

static gboolean
on_motion (GtkWidget *area, const GdkEventMotion *event, GuiProfileCanvas *canvas)
{
    GuiProfileCanvasClass *klass = GUI_PROFILE_CANVAS_GET_CLASS (canvas);
    GuiProfileCanvasPrivate *self = get (canvas);

    if (self->is_down && klass->drag != NULL
        && (self->is_dragging
            || hypot (event->x - self->from_x, event->y - self->from_y) >= DRAG_PX)) {
        self->is_dragging = TRUE;
        klass->drag (canvas, self->from_x, self->from_y, event->x, event->y, FALSE);
    }
    return FALSE;
}

static gboolean
on_release (GtkWidget *area, const GdkEventButton *event, GuiProfileCanvas *canvas)
{
    GuiProfileCanvasClass *klass = GUI_PROFILE_CANVAS_GET_CLASS (canvas);
    GuiProfileCanvasPrivate *self = get (canvas);

    if (event->button != GDK_BUTTON_PRIMARY || !self->is_down) {
        return FALSE;
    }
    self->is_down = FALSE;
    if (self->is_dragging) {
        self->is_dragging = FALSE;
        klass->drag (canvas, self->from_x, self->from_y, event->x, event->y, TRUE);
    } else if (klass->click != NULL) {
        klass->click (canvas, event);
    }
    return TRUE;
}

static gboolean
on_scroll (GtkWidget *area, const GdkEventScroll *event, GuiProfileCanvas *canvas)
{
    GuiProfileCanvasClass *klass = GUI_PROFILE_CANVAS_GET_CLASS (canvas);
    GuiProfileCanvasPrivate *self = get (canvas);
    double steps = event->direction == GDK_SCROLL_UP     ? -1
                   : event->direction == GDK_SCROLL_DOWN ? 1
                                                         : event->delta_y;

    if (steps != 0
        && (klass->wheel == NULL
            || !klass->wheel (canvas, event->x, event->y, steps, event->state))) {
        gtk_adjustment_set_value (self->rows,
                                  gtk_adjustment_get_value (self->rows) + steps * WHEEL_PX);
    }
    return TRUE;
}

static gboolean
on_key (GtkWidget *area, const GdkEventKey *event, GuiProfileCanvas *canvas)
{
    GuiProfileCanvasClass *klass = GUI_PROFILE_CANVAS_GET_CLASS (canvas);
    GuiProfileCanvasPrivate *self = get (canvas);
    double page = gtk_adjustment_get_page_increment (self->rows);
    double step = event->keyval == GDK_KEY_Page_Down ? page
                  : event->keyval == GDK_KEY_Page_Up ? -page
                  : event->keyval == GDK_KEY_Down    ? WHEEL_PX / 2
                  : event->keyval == GDK_KEY_Up      ? -WHEEL_PX / 2
                                                     : 0;

    if (klass->key != NULL && klass->key (canvas, event)) {
        return TRUE;
    }
    if (step != 0 && gtk_widget_get_visible (self->bar)) {
        gtk_adjustment_set_value (self->rows, gtk_adjustment_get_value (self->rows) + step);
        return TRUE;
    }
    return FALSE;
}

static gboolean
on_tip (GtkWidget *area, int x, int y, gboolean keyboard, GtkTooltip *tooltip,
        GuiProfileCanvas *canvas)
{
    GuiProfileCanvasClass *klass = GUI_PROFILE_CANVAS_GET_CLASS (canvas);
    g_autofree char *text = NULL;

    if (keyboard || klass->get_tip == NULL || get (canvas)->is_down
        || gui_profile_selection_get_model (get (canvas)->selection) == NULL) {
        return FALSE;
    }
    text = klass->get_tip (canvas, x, y);
    gtk_tooltip_set_text (tooltip, text);
    return text != NULL;
}

static void
on_map (GtkWidget *area, GuiProfileCanvas *canvas)
{
    gui_profile_canvas_queue (canvas);
    describe (canvas);
}

static void
on_allocate (GtkWidget *area, GdkRectangle *allocation, GuiProfileCanvas *canvas)
{
    if (get (canvas)->selection != NULL) {
        gui_profile_canvas_queue (canvas);
    }
}

static void
leave_selection (gpointer canvas)
{
    g_signal_handlers_disconnect_by_data (get (canvas)->selection, canvas);
}

static void
enter_selection (gpointer canvas)
{
    GuiProfileCanvasPrivate *self = get (canvas);
    GuiProfileCanvasClass *klass = GUI_PROFILE_CANVAS_GET_CLASS (canvas);

    gui_theme_name (self->area, klass->id, _ (klass->title));
    g_signal_connect (self->selection, "changed", G_CALLBACK (on_changed), canvas);
    on_changed (self->selection, GUI_PROFILE_CHANGE_MODEL | GUI_PROFILE_CHANGE_SLICE, canvas);
}

/* ---- the view ---- */

static const char *
get_title (GuiProfileView *view)
{
    return _ (GUI_PROFILE_CANVAS_GET_CLASS (view)->title);
}

static const char *
get_id (GuiProfileView *view)
{
    return GUI_PROFILE_CANVAS_GET_CLASS (view)->id;
}

static double
get_height (GuiProfileView *view, double width)
{
    GuiProfileCanvas *canvas = GUI_PROFILE_CANVAS (view);

    return get_full_height (canvas, width, gui_profile_canvas_get_height (canvas));
}

static void
draw_view (GuiProfileView *view, cairo_t *cr, double width, double height,
           const GuiProfileColours *colours)
{
    GuiProfilePainting painting = { width, height, 0, colours, FALSE };

    gui_profile_canvas_paint (GUI_PROFILE_CANVAS (view), cr, &painting);
}

static void
view_init (GuiProfileViewInterface *iface)
{
    iface->get_title = get_title;
    iface->get_id = get_id;
    iface->get_height = get_height;
    iface->draw = draw_view;
}

/* ---- the object ---- */

static void
gui_profile_canvas_class_init (GuiProfileCanvasClass *klass)
{
    const GuiProperty selection = { "selection",
                                    GUI_TYPE_PROFILE_SELECTION,
                                    G_PRIVATE_OFFSET (GuiProfileCanvas, selection),
                                    leave_selection,
                                    enter_selection,
                                    G_PARAM_CONSTRUCT_ONLY };
    GtkWidgetClass *widget = GTK_WIDGET_CLASS (klass);

    G_OBJECT_CLASS (klass)->dispose = gui_properties_dispose;
    gui_properties_install (G_OBJECT_CLASS (klass), &selection, 1);
    moment_signal = GUI_SIGNAL (klass, "moment", G_TYPE_DOUBLE, G_TYPE_UINT, G_TYPE_UINT);
    GUI_TEMPLATE (klass, "profile-canvas.ui");
    gtk_widget_class_bind_template_child_private (widget, GuiProfileCanvas, area);
    gtk_widget_class_bind_template_child_private (widget, GuiProfileCanvas, rows);
    gtk_widget_class_bind_template_child_private (widget, GuiProfileCanvas, bar);
    GUI_CALLBACKS (klass, gtk_widget_queue_draw, on_draw, on_press, on_motion, on_release,
                   on_scroll, on_key, on_tip, on_map, on_allocate);
}

static void
gui_profile_canvas_init (GuiProfileCanvas *canvas)
{
    gtk_widget_init_template (GTK_WIDGET (canvas));
    gui_theme_name (get (canvas)->bar, NULL, _ ("Scroll rows"));
}
