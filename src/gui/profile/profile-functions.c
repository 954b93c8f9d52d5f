/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gui/profile/profile-functions.h"
#include <glib/gi18n.h>
#include "gui/profile/profile-bar-cell.h"
#include "gui/profile/profile-call-paint.h"
#include "gui/profile/profile-common.h"
#include "gui/profile/profile-edge-list.h"
#include "gui/profile/profile-function-list.h"
#include "gui/kit/hint.h"
#include "gui/kit/template.h"
#include "gui/kit/theme.h"
#include "base/array.h"

enum { PAPER_TEXT = 11, PAPER_ROW = 18, MAX_PRINTED = 200 };

struct _GuiProfileFunctions {
    GtkBox parent;
    GuiProfileSelection *selection;
    GtkWidget *filter, *compared, *list, *about, *callers, *callees, *bottom_up;
    ProfileCosts *costs; /* NULL: nothing to show */
    ProfileFunctionTable *table;
    guint32 shown; /* function of the lists; 0: none */
    gboolean is_stale;
};

static void gui_profile_functions_view_init (GuiProfileViewInterface *iface);

G_DEFINE_TYPE_WITH_CODE (GuiProfileFunctions, gui_profile_functions, GTK_TYPE_BOX,
                         G_IMPLEMENT_INTERFACE (GUI_TYPE_PROFILE_VIEW,
                                                gui_profile_functions_view_init))

static const ProfileFunctionRow *
find_row (const GuiProfileFunctions *self, guint32 function)
{
    return BASE_FIND_ROW (self->table != NULL ? self->table->rows : NULL,
                          const ProfileFunctionRow, row, row->function == function);
}

/* ---- the selected function ---- */

static void
show_about (GuiProfileFunctions *self, guint32 function)
{
    g_autofree char *name = function != 0 ? gui_profile_call_dup_name (self->costs, function)
                                          : NULL;
    g_autofree char *text
        = name != NULL ? g_strdup (name)
                       : g_strdup (_ ("Select a function to see its callers and callees."));

    gtk_label_set_text (GTK_LABEL (self->about), text);
    gtk_widget_set_tooltip_text (self->about, text);
}

static void
show_lists (GuiProfileFunctions *self, guint32 function)
{
    g_autoptr (GArray) callers = NULL, callees = NULL;
    g_autoptr (ProfileCallTree) tree = NULL;

    self->shown = function;
    if (function != 0) {
        callers = profile_call_tree_dup_callers (self->costs, function);
        callees = profile_call_tree_dup_callees (self->costs, function);
        tree = profile_call_tree_new_bottom_up (self->costs, function);
    }
    gui_profile_edge_list_show (GUI_PROFILE_EDGE_LIST (self->callers), self->costs, callers);
    gui_profile_edge_list_show (GUI_PROFILE_EDGE_LIST (self->callees), self->costs, callees);
    gui_profile_edge_list_show_tree (GUI_PROFILE_EDGE_LIST (self->bottom_up), self->costs,
                                     tree);
    show_about (self, function);
}

static void
follow_place (GuiProfileFunctions *self)
{
    guint32 function = self->costs != NULL
                           ? gui_profile_find_function (self->costs, self->selection)
                           : 0;

    gui_profile_function_list_select (GUI_PROFILE_FUNCTION_LIST (self->list), function);
    if (function != self->shown) {
        show_lists (self, function);
    }
}

/* ---- following the selection ---- */

static void
clear_table (GuiProfileFunctions *self)
{
    g_clear_pointer (&self->table, profile_function_table_free);
    g_clear_pointer (&self->costs, profile_costs_free);
    self->shown = 0;
}

static void
update (GuiProfileFunctions *self)
{
    gboolean by_total = gtk_combo_box_get_active (GTK_COMBO_BOX (self->compared)) == 1;

    self->is_stale = FALSE;
    clear_table (self);
    self->costs = gui_profile_selection_new_costs (self->selection);
    if (self->costs != NULL) {
        self->table = profile_function_table_new (self->costs, by_total);
    }
    gui_profile_function_list_show (GUI_PROFILE_FUNCTION_LIST (self->list), self->costs,
                                    self->table);
    show_lists (self, 0);
    follow_place (self);
}

static void
ensure (GuiProfileFunctions *self)
{
    if (self->is_stale) {
        update (self);
    }
}

static void
on_changed (GuiProfileSelection *selection, guint what, GuiProfileFunctions *self)
{
    if ((what & (GUI_PROFILE_CHANGE_MODEL | GUI_PROFILE_CHANGE_SLICE)) != 0) {
        clear_table (self); /* the model that it was made of may be gone */
        self->is_stale = TRUE;
    }
    if (gtk_widget_get_mapped (GTK_WIDGET (self))) {
        if (self->is_stale) {
            update (self);
        } else {
            follow_place (self);
        }
    }
}

static void
gui_profile_functions_map (GtkWidget *widget)
{
    GuiProfileFunctions *self = GUI_PROFILE_FUNCTIONS (widget);

    ensure (self);
    GTK_WIDGET_CLASS (gui_profile_functions_parent_class)->map (widget);
    follow_place (self);
}

/* ---- the user ---- */

/* Why the list is empty. */
static void
show_hint (GuiProfileFunctions *self)
{
    gboolean is_filtered = *gtk_entry_get_text (GTK_ENTRY (self->filter)) != '\0';

    gui_hint_set (self->list, is_filtered ? _ ("No match") : _ ("Nothing in this selection."));
}

static void
on_filter (GuiProfileFunctions *self)
{
    show_hint (self);
    g_object_set (self->list, "wanted", gtk_entry_get_text (GTK_ENTRY (self->filter)), NULL);
    if (self->costs != NULL) {
        follow_place (self);
    }
}

static void
on_compared (GuiProfileFunctions *self)
{
    if (self->costs != NULL) {
        update (self);
    }
}

static void
on_selected (GtkWidget *list, guint function, GuiProfileFunctions *self)
{
    const ProfileFunctionRow *row = find_row (self, function);

    if (row != NULL && gui_profile_find_function (self->costs, self->selection) != function) {
        gui_profile_selection_set_location (self->selection, &row->location);
    }
}

static void
on_activated (GtkWidget *list, guint function, GuiProfileFunctions *self)
{
    const ProfileFunctionRow *row = find_row (self, function);

    if (row != NULL) {
        gui_profile_view_go_to_source (GUI_PROFILE_VIEW (self), &row->location);
    }
}

static void
on_menu (GtkWidget *list, guint function, GdkEvent *event, GuiProfileFunctions *self)
{
    const ProfileFunctionRow *row = find_row (self, function);

    if (row != NULL) {
        gui_profile_view_popup_function_menu (GUI_PROFILE_VIEW (self), &row->location,
                                              profile_model_get_info (self->costs->model)
                                                  ->command,
                                              event);
    }
}

static const JobLocation *
get_location (const GuiProfileFunctions *self, guint context)
{
    return &job_context_tree_get (profile_model_get_contexts (self->costs->model), context)
                ->location;
}

/* Callers and callees lead from function to function. */
static void
on_edge_activated (GtkWidget *list, guint function, guint context, GuiProfileFunctions *self)
{
    if (context == 0 || self->costs == NULL) {
        return;
    }
    if (list == self->bottom_up) {
        gui_profile_view_go_to_source (GUI_PROFILE_VIEW (self), get_location (self, context));
    } else {
        gui_profile_selection_set_context (self->selection, context);
    }
}

static void
on_edge_menu (GtkWidget *list, guint function, guint context, GdkEvent *event,
              GuiProfileFunctions *self)
{
    if (context != 0 && self->costs != NULL) {
        gui_profile_view_popup_menu (GUI_PROFILE_VIEW (self), get_location (self, context),
                                     event);
    }
}

/* ---- on paper ---- */

/* Shares of the width for the columns of a printed table; a profile has no calls, and longer names. */
static const double paper_columns[] = { 0.16, 0.13, 0.08, 0.1,  0.1, 0.07,
                                        0.07, 0.07, 0.07, 0.07, 0.08 };

static double
get_paper_column (const GuiProfileFunctions *self, int column)
{
    gboolean has_calls = self->table != NULL && self->table->has_calls;

    if (has_calls || column > GUI_PROFILE_FUNCTION_CALLS) {
        return paper_columns[column];
    }
    return column == GUI_PROFILE_FUNCTION_CALLS ? 0
           : column == GUI_PROFILE_FUNCTION_NAME
               ? paper_columns[column] + paper_columns[GUI_PROFILE_FUNCTION_CALLS]
               : paper_columns[column];
}

static void
print_text (cairo_t *cr, const GuiProfileColours *colours, const char *text, int column,
            gboolean is_bold, double x, double y, double width)
{
    gboolean is_left = column <= GUI_PROFILE_FUNCTION_PLACE
                       || column == GUI_PROFILE_FUNCTION_BARS;

    gui_profile_draw_text (cr, text, PAPER_TEXT, is_bold, colours->foreground,
                           is_left ? GUI_PROFILE_LEFT : GUI_PROFILE_RIGHT,
                           is_left ? x + 2 : x + width - 6, y + 2, width - 8);
}

static char *
dup_figure (const GuiProfileFunctions *self, const ProfileFunctionRow *row, int column)
{
    const double figures[] = { row->self, row->total,     row->min,      row->mean,
                               row->max,  row->deviation, row->imbalance };
    double figure = column >= GUI_PROFILE_FUNCTION_SELF && column < GUI_PROFILE_FUNCTION_BARS
                        ? figures[column - GUI_PROFILE_FUNCTION_SELF]
                        : 0;
    g_autofree char *time = NULL, *share = NULL;

    switch (column) {
    case GUI_PROFILE_FUNCTION_NAME:
        return gui_profile_call_dup_name (self->costs, row->function);
    case GUI_PROFILE_FUNCTION_CALLS:
        return g_strdup_printf ("%" G_GUINT64_FORMAT, row->n_calls);
    case GUI_PROFILE_FUNCTION_PLACE: return gui_profile_dup_place (&row->location);
    case GUI_PROFILE_FUNCTION_IMBALANCE: return gui_profile_call_format_share (figure, 1);
    case GUI_PROFILE_FUNCTION_SELF:
    case GUI_PROFILE_FUNCTION_TOTAL:
        time = figure > 0 ? gui_profile_format_time (figure) : g_strdup ("0");
        share = gui_profile_call_format_share (figure, self->costs->total);
        return g_strdup_printf ("%s  %s", time, share);
    default: return figure > 0 ? gui_profile_format_time (figure) : g_strdup ("0");
    }
}

static void
print_row (const GuiProfileFunctions *self, cairo_t *cr, const GuiProfileColours *colours,
           const ProfileFunctionRow *row, double y, double width)
{
    double x = 0;

    for (int column = 0; column < (int) G_N_ELEMENTS (paper_columns); column++) {
        double wide = get_paper_column (self, column) * width;

        if (wide <= 0) {
            continue;
        }
        if (column == GUI_PROFILE_FUNCTION_BARS) {
            gui_profile_bar_cell_paint (cr, row->bars, self->table->n_bars, colours->foreground,
                                        x + 4, y + 3, wide - 8, PAPER_ROW - 6);
        } else {
            g_autofree char *text = dup_figure (self, row, column);

            print_text (cr, colours, text, column, FALSE, x, y, wide);
        }
        x += wide;
    }
}

static void
draw_view (GuiProfileView *view, cairo_t *cr, double width, double height,
           const GuiProfileColours *colours)
{
    GuiProfileFunctions *self = GUI_PROFILE_FUNCTIONS (view);
    g_autoptr (GArray) shown = NULL;
    double x = 0;

    ensure (self);
    shown = gui_profile_function_list_dup_shown (GUI_PROFILE_FUNCTION_LIST (self->list));
    gui_profile_set_colour (cr, colours->background, 1);
    cairo_rectangle (cr, 0, 0, width, height);
    cairo_fill (cr);
    for (int column = 0; column < (int) G_N_ELEMENTS (paper_columns); column++) {
        double wide = get_paper_column (self, column) * width;

        if (wide <= 0) {
            continue;
        }
        print_text (cr, colours, gui_profile_function_list_get_title (column), column, TRUE, x,
                    0, wide);
        x += wide;
    }
    for (guint i = 0; i < shown->len && i < MAX_PRINTED; i++) {
        double y = (i + 1.0) * PAPER_ROW;
        const ProfileFunctionRow *row = find_row (self, g_array_index (shown, guint32, i));

        if (y + PAPER_ROW > height + 1) {
            break;
        }
        gui_profile_set_colour (cr, colours->grid, 1);
        cairo_rectangle (cr, 0, y, width, 1);
        cairo_fill (cr);
        if (row != NULL) {
            print_row (self, cr, colours, row, y, width);
        }
    }
}

static double
get_view_height (GuiProfileView *view, double width)
{
    GuiProfileFunctions *self = GUI_PROFILE_FUNCTIONS (view);
    g_autoptr (GArray) shown = NULL;

    ensure (self);
    shown = gui_profile_function_list_dup_shown (GUI_PROFILE_FUNCTION_LIST (self->list));
    return (1.0 + MIN (shown->len, MAX_PRINTED)) * PAPER_ROW;
}

/* ---- the object ---- */

static void
gui_profile_functions_view_init (GuiProfileViewInterface *iface)
{
    iface->title = N_ ("Functions");
    iface->id = "functions";
    iface->draw = draw_view;
    iface->get_height = get_view_height;
}

static void
leave_selection (gpointer user)
{
    g_signal_handlers_disconnect_by_data (GUI_PROFILE_FUNCTIONS (user)->selection, user);
}

static void
enter_selection (gpointer user)
{
    GuiProfileFunctions *self = user;

    g_signal_connect (self->selection, "changed", G_CALLBACK (on_changed), self);
}

static void
gui_profile_functions_destroy (GtkWidget *widget)
{
    GuiProfileFunctions *self = GUI_PROFILE_FUNCTIONS (widget);

    gui_properties_clear (self, GUI_TYPE_PROFILE_FUNCTIONS);
    clear_table (self);
    GTK_WIDGET_CLASS (gui_profile_functions_parent_class)->destroy (widget);
}

static void
gui_profile_functions_class_init (GuiProfileFunctionsClass *klass)
{
    GtkWidgetClass *widget = GTK_WIDGET_CLASS (klass);

    GUI_PROPERTIES (klass, GuiProfileFunctions,
                    (selection, GUI_TYPE_PROFILE_SELECTION, leave_selection, enter_selection,
                     G_PARAM_CONSTRUCT_ONLY));
    widget->destroy = gui_profile_functions_destroy;
    widget->map = gui_profile_functions_map;
    GUI_ENSURE (GUI_TYPE_PROFILE_FUNCTION_LIST, GUI_TYPE_PROFILE_EDGE_LIST);
    GUI_TEMPLATE (klass, "profile-functions.ui");
    GUI_CHILDREN (klass, GuiProfileFunctions, filter, compared, list, about, callers, callees,
                  bottom_up);
    GUI_CALLBACKS (klass, on_filter, on_compared, on_selected, on_activated, on_menu,
                   on_edge_activated, on_edge_menu);
}

static void
gui_profile_functions_init (GuiProfileFunctions *self)
{
    self->is_stale = TRUE;
    gtk_widget_init_template (GTK_WIDGET (self));
    gtk_combo_box_set_active (GTK_COMBO_BOX (self->compared), 0);
    gui_theme_name (self->filter, "function-filter", _ ("Filter functions and files"));
    gui_theme_name (self->compared, "function-compared", _ ("Compare ranks by"));
    gui_theme_name (self->about, "function-about", NULL);
    gui_theme_name (self->callers, "callers", NULL);
    gui_theme_name (self->callees, "callees", NULL);
    gui_theme_name (self->bottom_up, "bottom-up", NULL);
    show_about (self, 0);
    show_hint (self);
}

GtkWidget *
gui_profile_functions_new (GuiProfileSelection *selection)
{
    return g_object_new (GUI_TYPE_PROFILE_FUNCTIONS, "selection", selection, NULL);
}
