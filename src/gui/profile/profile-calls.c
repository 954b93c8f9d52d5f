/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The picture is painted once for each change; the pointer only moves outlines over it. */
#include "gui/profile/profile-calls.h"
#include <gdk/gdkkeysyms.h>
#include <glib/gi18n.h>
#include "gui/profile/profile-call-paint.h"
#include "gui/profile/profile-call-path.h"
#include "gui/profile/profile-call-search.h"
#include "gui/profile/profile-common.h"
#include "gui/kit/template.h"
#include "gui/kit/theme.h"
#include "base/array.h"

enum { ICICLE, SUNBURST, N_SHAPES };
enum { MAX_LEVELS = 200, PAPER_TEXT = 11 };

static const double cut_offs[] = { 0, 0.001, 0.005, 0.01, 0.05 };

struct _GuiProfileCalls {
    GtkBox parent;
    GuiProfileSelection *selection;
    GtkWidget *shapes[N_SHAPES], *levels, *cut_off, *search, *found, *path;
    GtkWidget *area, *scroll, *empty, *stack;
    gboolean is_polar, is_stale, is_updating;
    guint max_levels[N_SHAPES];
    ProfileCosts *costs; /* NULL: nothing to show */
    ProfileCallTree *tree;
    GuiProfileCallLayout layout;
    GuiProfileCallFrame frame;
    cairo_surface_t *surface; /* NULL: to be painted */
    guint32 root_context;     /* of the root; 0: all */
    guint32 pressed;          /* context of the call that was clicked last */
    GuiProfileCallSearch found_calls;
    const ProfileModel *model; /* that the root is of; only compared */
    int hovered;
};

static void gui_profile_calls_view_init (GuiProfileViewInterface *iface);

G_DEFINE_TYPE_WITH_CODE (GuiProfileCalls, gui_profile_calls, GTK_TYPE_BOX,
                         G_IMPLEMENT_INTERFACE (GUI_TYPE_PROFILE_VIEW,
                                                gui_profile_calls_view_init))

static const ProfileCall *
get_box_call (const GuiProfileCalls *self, int index)
{
    return profile_call_tree_get (self->tree,
                                  g_array_index (self->layout.boxes, GuiProfileCallBox, index)
                                      .call);
}

static guint32
get_root (const GuiProfileCalls *self)
{
    return self->root_context != 0 ? profile_call_tree_find (self->tree, self->root_context)
                                   : 0;
}

/* ---- what is shown ---- */

static int
find_selected (const GuiProfileCalls *self)
{
    guint32 context = gui_profile_selection_get_context (self->selection);
    guint32 function = gui_profile_find_function (self->costs, self->selection);
    guint32 call = context != 0 ? profile_call_tree_find (self->tree, context) : 0;

    if (call != 0) {
        return gui_profile_call_layout_find_call (&self->layout, call);
    }
    return BASE_CHOOSE (i, function != 0 ? self->layout.boxes->len : 0,
                        get_box_call (self, (int) i)->function == function, (int) i, -1);
}

static void
queue_picture (GuiProfileCalls *self)
{
    g_clear_pointer (&self->surface, cairo_surface_destroy);
    gtk_widget_queue_draw (self->area);
}

static void
make_layout (GuiProfileCalls *self)
{
    int cut = gtk_combo_box_get_active (GTK_COMBO_BOX (self->cut_off));

    gui_profile_call_layout_clear (&self->layout);
    self->hovered = -1;
    gui_profile_call_layout_init (&self->layout, self->tree, get_root (self),
                                  self->max_levels[self->is_polar],
                                  cut_offs[CLAMP (cut, 0, (int) G_N_ELEMENTS (cut_offs) - 1)]);
    if (!self->is_polar) {
        gui_profile_call_frame_init (&self->frame, FALSE, 100, 1, self->layout.n_levels,
                                     gui_profile_get_text_size (self->area));
        gtk_widget_set_size_request (self->area, -1,
                                     (int) (self->layout.n_levels * self->frame.row) + 1);
    } else {
        gtk_widget_set_size_request (self->area, 200, 200);
    }
    queue_picture (self);
}

/* ---- search ---- */

static void
find_calls (GuiProfileCalls *self)
{
    g_autofree char *share = NULL, *text = NULL;

    gui_profile_call_search_clear (&self->found_calls);
    gui_profile_call_search_init (&self->found_calls, self->costs, self->tree, get_root (self),
                                  gtk_entry_get_text (GTK_ENTRY (self->search)));
    share = gui_profile_call_format_share (self->found_calls.seconds, self->costs->total);
    if (self->found_calls.n_functions > 0) {
        /* Number of functions, their share of all time: "3 functions, 12 %". */
        text = g_strdup_printf (ngettext ("%u function, %s", "%u functions, %s",
                                          self->found_calls.n_functions),
                                self->found_calls.n_functions, share);
    } else if (self->found_calls.is_found != NULL) {
        text = g_strdup (_ ("No match"));
    }
    gtk_label_set_text (GTK_LABEL (self->found), text != NULL ? text : "");
    queue_picture (self);
}

/* ---- the way to the root ---- */

static void
show_path (GuiProfileCalls *self)
{
    gui_profile_call_path_show (GUI_PROFILE_CALL_PATH (self->path), self->costs, self->tree,
                                get_root (self));
}

static void
set_root (GuiProfileCalls *self, guint32 context)
{
    if (self->tree == NULL || self->root_context == context) {
        return;
    }
    self->root_context = context;
    make_layout (self);
    find_calls (self);
    show_path (self);
}

static void
on_chosen (GuiProfileCalls *self, guint context)
{
    set_root (self, context);
}

static void
go_back (GuiProfileCalls *self)
{
    guint32 root = self->tree != NULL ? get_root (self) : 0;

    if (root != 0) {
        guint32 parent = profile_call_tree_get (self->tree, root)->parent;

        set_root (self, profile_call_tree_get (self->tree, parent)->context);
    }
}

static void
on_search (GuiProfileCalls *self)
{
    if (self->tree != NULL) {
        find_calls (self);
    }
}

/* ---- following the selection ---- */

static void
clear_tree (GuiProfileCalls *self)
{
    gui_profile_call_layout_clear (&self->layout);
    g_clear_pointer (&self->tree, profile_call_tree_free);
    g_clear_pointer (&self->costs, profile_costs_free);
    gui_profile_call_search_clear (&self->found_calls);
    self->hovered = -1;
}

static void
update (GuiProfileCalls *self)
{
    self->is_stale = FALSE;
    clear_tree (self);
    self->costs = gui_profile_selection_new_costs (self->selection);
    if (self->costs == NULL || self->costs->total <= 0) {
        g_clear_pointer (&self->costs, profile_costs_free);
        gtk_stack_set_visible_child (GTK_STACK (self->stack), self->empty);
        gtk_label_set_text (GTK_LABEL (self->found), "");
        gtk_widget_hide (self->path);
        return;
    }
    self->tree = profile_call_tree_new (self->costs);
    if (self->root_context != 0 && get_root (self) == 0) {
        self->root_context = 0;
    }
    gtk_stack_set_visible_child (GTK_STACK (self->stack), self->scroll);
    make_layout (self);
    find_calls (self);
    show_path (self);
}

static void
ensure (GuiProfileCalls *self)
{
    if (self->is_stale) {
        update (self);
    }
}

static void
on_changed (GuiProfileSelection *selection, guint what, GuiProfileCalls *self)
{
    if ((what & (GUI_PROFILE_CHANGE_MODEL | GUI_PROFILE_CHANGE_SLICE)) != 0) {
        clear_tree (self); /* the model that it was made of may be gone */
        self->is_stale = TRUE;
        if (gui_profile_selection_get_model (selection) != self->model) {
            self->model = gui_profile_selection_get_model (selection);
            self->root_context = 0;
        }
        if (gtk_widget_get_mapped (GTK_WIDGET (self))) {
            update (self);
        }
    }
    gtk_widget_queue_draw (self->area);
}

static void
gui_profile_calls_map (GtkWidget *widget)
{
    ensure (GUI_PROFILE_CALLS (widget));
    GTK_WIDGET_CLASS (gui_profile_calls_parent_class)->map (widget);
}

/* ---- drawing ---- */

static void
fill_picture (GuiProfileCalls *self, const GuiProfileColours *colours, double text,
              GuiProfileCallPicture *picture)
{
    *picture = (GuiProfileCallPicture){ self->costs, self->tree, &self->layout,
                                        colours,     text,       self->found_calls.is_found,
                                        -1,          -1 };
}

static void
paint_surface (GuiProfileCalls *self, const GuiProfileColours *colours, int width, int height)
{
    GuiProfileCallPicture picture;
    cairo_t *cr;

    self->surface = gdk_window_create_similar_surface (gtk_widget_get_window (self->area),
                                                       CAIRO_CONTENT_COLOR_ALPHA, width,
                                                       height);
    gui_profile_call_frame_init (&self->frame, self->is_polar, width, height,
                                 self->layout.n_levels, gui_profile_get_text_size (self->area));
    fill_picture (self, colours, gui_profile_get_text_size (self->area), &picture);
    cr = cairo_create (self->surface);
    gui_profile_call_paint (cr, &self->frame, &picture);
    cairo_destroy (cr);
}

static gboolean
on_draw (GtkWidget *area, cairo_t *cr, GuiProfileCalls *self)
{
    int width = gtk_widget_get_allocated_width (area);
    int height = gtk_widget_get_allocated_height (area);
    GuiProfileCallPicture picture;
    GuiProfileColours colours;

    ensure (self);
    if (self->tree == NULL) {
        return FALSE;
    }
    gui_profile_colours_fill (area, &colours);
    gui_profile_set_colour (cr, colours.background, 1);
    cairo_paint (cr);
    if (self->surface == NULL) {
        paint_surface (self, &colours, width, height);
    }
    cairo_set_source_surface (cr, self->surface, 0, 0);
    cairo_paint (cr);
    fill_picture (self, &colours, gui_profile_get_text_size (area), &picture);
    picture.selected = find_selected (self);
    picture.hovered = self->hovered;
    gui_profile_call_paint_marks (cr, &self->frame, &picture);
    if (gtk_widget_has_focus (area) && picture.selected < 0) {
        gtk_render_focus (gtk_widget_get_style_context (area), cr, 0, 0, width, height);
    }
    return FALSE;
}

static void
draw_view (GuiProfileView *view, cairo_t *cr, double width, double height,
           const GuiProfileColours *colours)
{
    GuiProfileCalls *self = GUI_PROFILE_CALLS (view);
    GuiProfileCallPicture picture;
    GuiProfileCallFrame frame;

    ensure (self);
    gui_profile_set_colour (cr, colours->background, 1);
    cairo_rectangle (cr, 0, 0, width, height);
    cairo_fill (cr);
    if (self->tree == NULL) {
        return;
    }
    fill_picture (self, colours, PAPER_TEXT, &picture);
    picture.selected = find_selected (self);
    gui_profile_call_frame_init (&frame, self->is_polar, width, height, self->layout.n_levels,
                                 PAPER_TEXT);
    gui_profile_call_paint (cr, &frame, &picture);
}

static double
get_view_height (GuiProfileView *view, double width)
{
    GuiProfileCalls *self = GUI_PROFILE_CALLS (view);
    GuiProfileCallFrame frame;

    ensure (self);
    if (self->tree == NULL) {
        return 100;
    }
    if (self->is_polar) {
        return width;
    }
    gui_profile_call_frame_init (&frame, FALSE, width, 1e6, self->layout.n_levels, PAPER_TEXT);
    return self->layout.n_levels * frame.row;
}

/* ---- the pointer ---- */

static int
find_box (const GuiProfileCalls *self, double x, double y)
{
    double position;
    guint level;

    return self->tree != NULL
                   && gui_profile_call_frame_find (&self->frame, x, y, &level, &position)
               ? gui_profile_call_layout_find (&self->layout, level, position)
               : -1;
}

static char *
dup_rest (const GuiProfileCalls *self, const GuiProfileCallBox *box)
{
    g_autofree char *time = gui_profile_format_time ((box->end - box->begin)
                                                     * profile_call_tree_get (self->tree,
                                                                              self->layout.root)
                                                           ->total);

    /* Number of calls, their time. */
    return g_strdup_printf (ngettext ("%u call below the cut-off: %s",
                                      "%u calls below the cut-off: %s", box->n_rest),
                            box->n_rest, time);
}

/* Of screens' readers and of tooltips. */
static char *
dup_text (const GuiProfileCalls *self, int index)
{
    const GuiProfileCallBox *box = &g_array_index (self->layout.boxes, GuiProfileCallBox,
                                                   index);
    const ProfileCall *call = profile_call_tree_get (self->tree, box->call);
    g_autofree char *name = gui_profile_call_dup_name (self->costs, call->function);
    g_autofree char *total = gui_profile_format_time (call->total);
    g_autofree char *own = gui_profile_format_time (call->self);
    g_autofree char *share = gui_profile_call_format_share (call->total, self->costs->total);
    g_autofree char *own_share = gui_profile_call_format_share (call->self, self->costs->total);
    g_autofree double *seconds = g_new0 (double, self->costs->ranks->len + 1);
    g_autofree char *place = NULL, *ranks = NULL;
    GString *text;

    if (box->n_rest > 0) {
        return dup_rest (self, box);
    }
    text = g_string_new (name);
    if (call->function != 0) {
        place = gui_profile_dup_place (
            &job_context_tree_get (profile_model_get_contexts (self->costs->model),
                                   call->context)
                 ->location);
        g_string_append_printf (text, "%s%s", *place != '\0' ? "\n" : "", place);
    }
    g_string_append_c (text, '\n');
    g_string_append_printf (text, _ ("Inclusive: %s (%s)"), total, share);
    g_string_append_c (text, '\n');
    g_string_append_printf (text, _ ("Self: %s (%s)"), own, own_share);
    if (call->is_recursive) {
        g_string_append_printf (text, "\n%s", _ ("Calls itself"));
    }
    profile_call_tree_fill_ranks (self->tree, self->costs, box->call, seconds);
    ranks = gui_profile_format_ranks (self->costs, seconds);
    g_string_append_printf (text, "\n%s", ranks);
    return g_string_free (text, FALSE);
}

static gboolean
on_query_tooltip (GtkWidget *area, int x, int y, gboolean keyboard, GtkTooltip *tooltip,
                  GuiProfileCalls *self)
{
    int index = self->tree == NULL ? -1
                : keyboard         ? find_selected (self)
                                   : find_box (self, x, y);
    g_autofree char *text = index >= 0 ? dup_text (self, index) : NULL;

    gtk_tooltip_set_text (tooltip, text);
    return text != NULL;
}

static gboolean
on_motion (GtkWidget *area, GdkEventMotion *event, GuiProfileCalls *self)
{
    int index = find_box (self, event->x, event->y);

    if (index != self->hovered) {
        self->hovered = index;
        gtk_widget_queue_draw (area);
        gtk_widget_trigger_tooltip_query (area);
    }
    return FALSE;
}

static gboolean
on_leave (GtkWidget *area, GdkEventCrossing *event, GuiProfileCalls *self)
{
    self->hovered = -1;
    gtk_widget_queue_draw (area);
    return FALSE;
}

static const JobLocation *
get_location (const GuiProfileCalls *self, guint32 context)
{
    return context != 0
               ? &job_context_tree_get (profile_model_get_contexts (self->costs->model),
                                        context)
                      ->location
               : NULL;
}

static void
select_context (GuiProfileCalls *self, guint32 context)
{
    int index;

    gui_profile_selection_set_context (self->selection, context);
    index = self->tree != NULL ? find_selected (self) : -1;
    if (index >= 0) {
        g_autofree char *text = dup_text (self, index);

        atk_object_set_description (gtk_widget_get_accessible (self->area), text);
    }
}

static gboolean
on_press (GtkWidget *area, GdkEventButton *event, GuiProfileCalls *self)
{
    int index = find_box (self, event->x, event->y);
    const GuiProfileCallBox *box
        = index >= 0 ? &g_array_index (self->layout.boxes, GuiProfileCallBox, index) : NULL;
    guint32 context = box != NULL ? get_box_call (self, index)->context : 0;

    gtk_widget_grab_focus (area);
    if (self->tree == NULL || box == NULL) {
        return FALSE;
    }
    if (event->type == GDK_2BUTTON_PRESS) { /* the first click has moved it */
        gui_profile_view_go_to_source (GUI_PROFILE_VIEW (self),
                                       get_location (self, self->pressed));
        return TRUE;
    }
    if (event->type != GDK_BUTTON_PRESS) {
        return FALSE;
    }
    if (gdk_event_triggers_context_menu ((GdkEvent *) event)) {
        if (context != 0) {
            select_context (self, context);
            gui_profile_view_popup_menu (GUI_PROFILE_VIEW (self), get_location (self, context),
                                         (GdkEvent *) event);
        }
        return TRUE;
    }
    if (event->button == GDK_BUTTON_PRIMARY) {
        gboolean is_root = box->call == self->layout.root && box->n_rest == 0;

        self->pressed = context;
        select_context (self, context);
        if (is_root) {
            go_back (self);
        } else {
            set_root (self, context);
        }
    }
    return TRUE;
}

/* ---- the keyboard ---- */

static void
show_row (GuiProfileCalls *self, guint level)
{
    GtkAdjustment *adjustment
        = gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (self->scroll));

    if (!self->is_polar) {
        gtk_adjustment_clamp_page (adjustment, level * self->frame.row,
                                   (level + 1.0) * self->frame.row);
    }
}

static void
move_to (GuiProfileCalls *self, GuiProfileCallStep step)
{
    int index = find_selected (self);
    int next = index >= 0 ? gui_profile_call_layout_find_next (&self->layout, index, step) : 0;

    if (next >= 0) {
        select_context (self, get_box_call (self, next)->context);
        show_row (self, g_array_index (self->layout.boxes, GuiProfileCallBox, next).level);
    }
}

static gboolean
on_key (GtkWidget *area, GdkEventKey *event, GuiProfileCalls *self)
{
    guint32 context = gui_profile_selection_get_context (self->selection);

    if (self->tree == NULL || (event->state & gtk_accelerator_get_default_mod_mask ()) != 0) {
        return FALSE;
    }
    switch (event->keyval) {
    case GDK_KEY_Up: move_to (self, GUI_PROFILE_CALL_OUT); return TRUE;
    case GDK_KEY_Down: move_to (self, GUI_PROFILE_CALL_IN); return TRUE;
    case GDK_KEY_Left: move_to (self, GUI_PROFILE_CALL_BEFORE); return TRUE;
    case GDK_KEY_Right: move_to (self, GUI_PROFILE_CALL_AFTER); return TRUE;
    case GDK_KEY_space:
        if (profile_call_tree_find (self->tree, context) != 0) {
            set_root (self, context);
        }
        return TRUE;
    case GDK_KEY_Return:
    case GDK_KEY_KP_Enter:
        gui_profile_view_go_to_source (GUI_PROFILE_VIEW (self), get_location (self, context));
        return TRUE;
    case GDK_KEY_BackSpace: go_back (self); return TRUE;
    case GDK_KEY_Home: set_root (self, 0); return TRUE;
    default: return FALSE;
    }
}

static gboolean
on_popup_menu (GtkWidget *area, GuiProfileCalls *self)
{
    const JobLocation *location = gui_profile_selection_get_location (self->selection);

    if (location != NULL) {
        gui_profile_view_popup_menu (GUI_PROFILE_VIEW (self), location, NULL);
    }
    return location != NULL;
}

/* ---- controls ---- */

void
gui_profile_calls_set_polar (GuiProfileCalls *self, gboolean is_polar)
{
    self->is_polar = is_polar;
    gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (self->shapes[is_polar]), TRUE);
    self->is_updating = TRUE;
    gtk_spin_button_set_value (GTK_SPIN_BUTTON (self->levels), self->max_levels[is_polar]);
    self->is_updating = FALSE;
    if (self->tree != NULL) {
        make_layout (self);
    }
}

static void
on_shape (GtkToggleButton *button, GuiProfileCalls *self)
{
    gboolean is_polar = GTK_WIDGET (button) == self->shapes[SUNBURST];

    if (gtk_toggle_button_get_active (button) && is_polar != self->is_polar) {
        gui_profile_calls_set_polar (self, is_polar);
    }
}

static void
on_limits (GuiProfileCalls *self)
{
    if (!self->is_updating) {
        self->max_levels[self->is_polar]
            = (guint) gtk_spin_button_get_value_as_int (GTK_SPIN_BUTTON (self->levels));
        if (self->tree != NULL) {
            make_layout (self);
        }
    }
}

static void
on_resized (GtkWidget *area, GtkAllocation *allocation, GuiProfileCalls *self)
{
    g_clear_pointer (&self->surface, cairo_surface_destroy);
}

static void
on_style (GuiProfileCalls *self)
{
    if (self->tree != NULL) {
        make_layout (self);
    }
}

static void
prepare_bar (GuiProfileCalls *self)
{
    gtk_spin_button_set_range (GTK_SPIN_BUTTON (self->levels), 1, MAX_LEVELS);
    gtk_spin_button_set_increments (GTK_SPIN_BUTTON (self->levels), 1, 10);
    for (guint i = 0; i < G_N_ELEMENTS (cut_offs); i++) {
        g_autofree char *text = gui_profile_call_format_share (cut_offs[i], 1);

        gtk_combo_box_text_append_text (GTK_COMBO_BOX_TEXT (self->cut_off),
                                        i > 0 ? text : _ ("None"));
    }
    gtk_combo_box_set_active (GTK_COMBO_BOX (self->cut_off), 1);
    gui_theme_name (self->shapes[ICICLE], "icicle", NULL);
    gui_theme_name (self->shapes[SUNBURST], "sunburst", NULL);
    gui_theme_name (self->levels, "call-levels", _ ("Levels"));
    gui_theme_name (self->cut_off, "call-cut-off", _ ("Cut-off"));
    gui_theme_name (self->search, "call-search", _ ("Search functions"));
    gui_theme_name (self->found, "call-found", NULL);
    gui_theme_name (self->area, "call-picture", _ ("Calls"));
}

/* ---- the object ---- */

static void
gui_profile_calls_view_init (GuiProfileViewInterface *iface)
{
    iface->title = N_ ("Calls");
    iface->id = "calls";
    iface->draw = draw_view;
    iface->get_height = get_view_height;
}

static void
leave_selection (gpointer user)
{
    g_signal_handlers_disconnect_by_data (GUI_PROFILE_CALLS (user)->selection, user);
}

static void
enter_selection (gpointer user)
{
    GuiProfileCalls *self = user;

    self->model = gui_profile_selection_get_model (self->selection);
    g_signal_connect (self->selection, "changed", G_CALLBACK (on_changed), self);
}

static void
gui_profile_calls_destroy (GtkWidget *widget)
{
    GuiProfileCalls *self = GUI_PROFILE_CALLS (widget);

    clear_tree (self);
    g_clear_pointer (&self->surface, cairo_surface_destroy);
    gui_properties_clear (self, GUI_TYPE_PROFILE_CALLS);
    GTK_WIDGET_CLASS (gui_profile_calls_parent_class)->destroy (widget);
}

static void
gui_profile_calls_class_init (GuiProfileCallsClass *klass)
{
    GtkWidgetClass *widget = GTK_WIDGET_CLASS (klass);

    GUI_PROPERTIES (klass, GuiProfileCalls,
                    (selection, GUI_TYPE_PROFILE_SELECTION, leave_selection, enter_selection,
                     G_PARAM_CONSTRUCT_ONLY));
    widget->destroy = gui_profile_calls_destroy;
    widget->map = gui_profile_calls_map;
    GUI_ENSURE (GUI_TYPE_PROFILE_CALL_PATH);
    GUI_TEMPLATE (klass, "profile-calls.ui");
    GUI_CHILDREN (klass, GuiProfileCalls, levels, cut_off, search, found, path, stack, empty,
                  scroll, area);
    gtk_widget_class_bind_template_child_full (widget, "icicle", FALSE,
                                               G_STRUCT_OFFSET (GuiProfileCalls,
                                                                shapes[ICICLE]));
    gtk_widget_class_bind_template_child_full (widget, "sunburst", FALSE,
                                               G_STRUCT_OFFSET (GuiProfileCalls,
                                                                shapes[SUNBURST]));
    GUI_CALLBACKS (klass, on_shape, on_limits, on_search, on_chosen, on_draw, on_resized,
                   on_style, on_motion, on_leave, on_press, on_key, on_popup_menu,
                   on_query_tooltip);
}

static void
gui_profile_calls_init (GuiProfileCalls *self)
{
    self->max_levels[ICICLE] = 40;
    self->max_levels[SUNBURST] = 9;
    self->hovered = -1;
    self->is_stale = TRUE;
    self->is_updating = TRUE;
    gtk_widget_init_template (GTK_WIDGET (self));
    prepare_bar (self);
    gtk_spin_button_set_value (GTK_SPIN_BUTTON (self->levels), self->max_levels[ICICLE]);
    self->is_updating = FALSE;
    gtk_widget_show_all (GTK_WIDGET (self));
}

GtkWidget *
gui_profile_calls_new (GuiProfileSelection *selection)
{
    return g_object_new (GUI_TYPE_PROFILE_CALLS, "selection", selection, NULL);
}
