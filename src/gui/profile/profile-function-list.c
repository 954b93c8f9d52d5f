/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A list store behind a filter behind a sorter: the store is filled anew, the others keep what the user
 * has chosen. */
#include "gui/profile/profile-function-list.h"
#include <glib/gi18n.h>
#include <string.h>
#include "gui/profile/profile-bar-cell.h"
#include "gui/profile/profile-call-paint.h"
#include "gui/profile/profile-common.h"
#include "gui/kit/template.h"
#include "gui/kit/theme.h"

enum { FOLDED = GUI_PROFILE_FUNCTION_N_COLUMNS, ABOUT, N_STORED };
enum { SELECTED, ACTIVATED, MENU, N_SIGNALS };
enum { BESIDE = 14 }; /* pixels of a column that its text does not have */

struct _GuiProfileFunctionList {
    GtkTreeView parent;
    GtkListStore *store;
    GtkTreeModel *filter, *sorted;
    char *wanted, *folded;   /* the property; casefolded, "" all */
    double total;            /* of the costs */
    guint32 wanted_function; /* that was scrolled to last */
    guint64 most_calls;      /* that any function has had */
    gboolean is_quiet;
};

G_DEFINE_TYPE (GuiProfileFunctionList, gui_profile_function_list, GTK_TYPE_TREE_VIEW)

static guint signals[N_SIGNALS];

static gboolean
is_figure (int column)
{
    return column >= GUI_PROFILE_FUNCTION_FIGURES;
}

const char *
gui_profile_function_list_get_title (int column)
{
    static const char *const titles[] = {
        N_ ("Function"),  N_ ("Place"),     N_ ("Calls"), N_ ("Self"),
        N_ ("Inclusive"), N_ ("Min"),       N_ ("Mean"),  N_ ("Max"),
        N_ ("Std. Dev."), N_ ("Imbalance"), N_ ("Ranks"),
    };

    return is_figure (column)
               ? _ (profile_figure_get_text (column - GUI_PROFILE_FUNCTION_FIGURES)->title)
               : _ (titles[column]);
}

static const char *
get_about (int column)
{
    static const char *const texts[] = {
        NULL,
        N_ ("File and line where most of its own time went"),
        N_ ("How often it was called, all ranks together"),
        N_ ("Time in the function itself, all ranks together"),
        N_ ("Time in the function and in what it has called, all ranks together"),
        N_ ("The rank with the least time"),
        N_ ("Mean of the ranks"),
        N_ ("The rank with the most time"),
        N_ ("Standard deviation over the ranks"),
        N_ ("How much longer than the mean the slowest rank takes"),
        N_ ("Time of each rank"),
    };

    if (is_figure (column)) {
        return _ (profile_figure_get_text (column - GUI_PROFILE_FUNCTION_FIGURES)->about);
    }
    return texts[column] != NULL ? _ (texts[column]) : NULL;
}

/* ---- content ---- */

static void
set_figures (GuiProfileFunctionList *self, GtkTreeIter *iter, guint32 counted,
             const JobCounts *counts)
{
    for (int figure = 0; figure < PROFILE_N_FIGURES; figure++) {
        double value;

        if (!profile_figure_find (figure, counted, counts, &value)) {
            value = -1; /* not known: behind all that are */
        }
        gtk_list_store_set (self->store, iter, GUI_PROFILE_FUNCTION_FIGURES + figure, value,
                            -1);
    }
}

static void
add_row (GuiProfileFunctionList *self, const ProfileCosts *costs,
         const ProfileFunctionTable *table, const ProfileFunctionRow *row)
{
    GtkTreeIter iter;
    g_autofree char *name = gui_profile_call_dup_name (costs, row->function);
    g_autofree char *valid = g_utf8_make_valid (name, -1);
    g_autofree char *place = gui_profile_dup_place (&row->location);
    g_autofree char *valid_place = g_utf8_make_valid (place, -1);
    g_autofree char *both = g_strconcat (valid, "\n", valid_place, NULL);
    g_autofree char *folded = g_utf8_casefold (both, -1);
    g_autofree char *about = g_markup_escape_text (both, -1);
    g_autoptr (GBytes) bars = g_bytes_new (row->bars, table->n_bars * sizeof (float));

    gtk_list_store_insert_with_values (self->store, &iter, -1, GUI_PROFILE_FUNCTION_NAME, valid,
                                       GUI_PROFILE_FUNCTION_PLACE, valid_place,
                                       GUI_PROFILE_FUNCTION_CALLS, row->n_calls,
                                       GUI_PROFILE_FUNCTION_SELF, row->self,
                                       GUI_PROFILE_FUNCTION_TOTAL, row->total,
                                       GUI_PROFILE_FUNCTION_MIN, row->min,
                                       GUI_PROFILE_FUNCTION_MEAN, row->mean,
                                       GUI_PROFILE_FUNCTION_MAX, row->max,
                                       GUI_PROFILE_FUNCTION_DEVIATION, row->deviation,
                                       GUI_PROFILE_FUNCTION_IMBALANCE, row->imbalance,
                                       GUI_PROFILE_FUNCTION_BARS, bars,
                                       GUI_PROFILE_FUNCTION_NUMBER, row->function, FOLDED,
                                       folded, ABOUT, about, -1);
    set_figures (self, &iter, costs->counted, &row->counts);
}

static gboolean
is_visible (GtkTreeModel *model, GtkTreeIter *iter, gpointer user)
{
    GuiProfileFunctionList *self = user;
    g_autofree char *folded = NULL;

    if (*self->folded == '\0') {
        return TRUE;
    }
    gtk_tree_model_get (model, iter, FOLDED, &folded, -1);
    return folded != NULL && strstr (folded, self->folded) != NULL;
}

/* Above the store, which has all its rows: else each would be filtered and sorted in by itself. */
static void
make_models (GuiProfileFunctionList *self, int column, GtkSortType order)
{
    self->filter = gtk_tree_model_filter_new (GTK_TREE_MODEL (self->store), NULL);
    gtk_tree_model_filter_set_visible_func (GTK_TREE_MODEL_FILTER (self->filter), is_visible,
                                            self, NULL);
    self->sorted = gtk_tree_model_sort_new_with_model (self->filter);
    gtk_tree_sortable_set_sort_column_id (GTK_TREE_SORTABLE (self->sorted), column, order);
    gtk_tree_view_set_model (GTK_TREE_VIEW (self), self->sorted);
}

static void
show_calls (GuiProfileFunctionList *self, gboolean has_calls)
{
    gtk_tree_view_column_set_visible (gtk_tree_view_get_column (GTK_TREE_VIEW (self),
                                                                GUI_PROFILE_FUNCTION_CALLS),
                                      has_calls);
}

static void
show_figures (GuiProfileFunctionList *self, guint32 counted)
{
    for (int figure = 0; figure < PROFILE_N_FIGURES; figure++) {
        gtk_tree_view_column_set_visible (gtk_tree_view_get_column (GTK_TREE_VIEW (self),
                                                                    GUI_PROFILE_FUNCTION_BARS
                                                                        + 1 + figure),
                                          profile_figure_is_known (figure, counted));
    }
}

/* As wide as its title and usual figures: to measure all rows takes its time. A number of calls has all its digits:
 * without the last ones it would be another number. */
static int
get_width (GuiProfileFunctionList *self, int number)
{
    static const char *const samples[] = { "MMMMMMMM", "source.py:123", "99999",
                                           "99.9 ms 100 %", "99.9 ms 100 %" };
    g_autofree char *calls = g_strdup_printf ("%" G_GUINT64_FORMAT, self->most_calls);
    const char *sample = number == GUI_PROFILE_FUNCTION_CALLS && self->most_calls > 99999
                             ? calls
                         : number < (int) G_N_ELEMENTS (samples) ? samples[number]
                                                                 : "99.9 ms";
    g_autoptr (PangoLayout) layout = gtk_widget_create_pango_layout (GTK_WIDGET (self), sample);
    int width, title;

    pango_layout_get_pixel_size (layout, &width, NULL);
    pango_layout_set_text (layout, gui_profile_function_list_get_title (number), -1);
    pango_layout_get_pixel_size (layout, &title, NULL);
    if (number == GUI_PROFILE_FUNCTION_BARS) {
        width = 64;
    }
    return MAX (width + BESIDE, title + 24); /* the arrow of the order is beside the title */
}

static void
fit_calls (GuiProfileFunctionList *self, const ProfileFunctionTable *table)
{
    GtkTreeViewColumn *column = gtk_tree_view_get_column (GTK_TREE_VIEW (self),
                                                          GUI_PROFILE_FUNCTION_CALLS);

    for (guint i = 0; table != NULL && i < table->rows->len; i++) {
        self->most_calls = MAX (self->most_calls,
                                g_array_index (table->rows, ProfileFunctionRow, i).n_calls);
    }
    gtk_tree_view_column_set_fixed_width (column,
                                          MAX (get_width (self, GUI_PROFILE_FUNCTION_CALLS),
                                               gtk_tree_view_column_get_fixed_width (column)));
}

void
gui_profile_function_list_show (GuiProfileFunctionList *self, const ProfileCosts *costs,
                                const ProfileFunctionTable *table)
{
    g_autoptr (GtkTreePath) top = NULL;
    GtkSortType order;
    GtkTreeIter iter;
    int column;

    self->is_quiet = TRUE;
    gtk_tree_view_get_visible_range (GTK_TREE_VIEW (self), &top, NULL);
    gtk_tree_sortable_get_sort_column_id (GTK_TREE_SORTABLE (self->sorted), &column, &order);
    gtk_tree_view_set_model (GTK_TREE_VIEW (self), NULL);
    g_clear_object (&self->sorted);
    g_clear_object (&self->filter);
    gtk_list_store_clear (self->store);
    self->total = costs != NULL ? costs->total : 0;
    for (guint i = 0; costs != NULL && table != NULL && i < table->rows->len; i++) {
        add_row (self, costs, table, &g_array_index (table->rows, ProfileFunctionRow, i));
    }
    show_calls (self, table != NULL && table->has_calls);
    fit_calls (self, table);
    show_figures (self, costs != NULL ? costs->counted : 0);
    make_models (self, column, order);
    if (top != NULL && gtk_tree_model_get_iter (self->sorted, &iter, top)) {
        /* A list that is updated stays where it is. */
        gtk_tree_view_scroll_to_cell (GTK_TREE_VIEW (self), top, NULL, TRUE, 0, 0);
    }
    self->is_quiet = FALSE;
}

static void
enter_filter (gpointer user)
{
    GuiProfileFunctionList *self = user;

    g_free (self->folded);
    self->folded = g_utf8_casefold (self->wanted != NULL ? self->wanted : "", -1);
    self->is_quiet = TRUE; /* a selected row that goes takes no selection with it */
    gtk_tree_model_filter_refilter (GTK_TREE_MODEL_FILTER (self->filter));
    self->is_quiet = FALSE;
}

static guint32
get_function (GtkTreeModel *model, GtkTreeIter *iter)
{
    guint function;

    gtk_tree_model_get (model, iter, GUI_PROFILE_FUNCTION_NUMBER, &function, -1);
    return function;
}

GArray *
gui_profile_function_list_dup_shown (GuiProfileFunctionList *self)
{
    GArray *shown = g_array_new (FALSE, FALSE, sizeof (guint32));
    GtkTreeIter iter;

    for (gboolean is_there = gtk_tree_model_get_iter_first (self->sorted, &iter); is_there;
         is_there = gtk_tree_model_iter_next (self->sorted, &iter)) {
        guint32 function = get_function (self->sorted, &iter);

        g_array_append_val (shown, function);
    }
    return shown;
}

void
gui_profile_function_list_select (GuiProfileFunctionList *self, guint32 function)
{
    GtkTreeSelection *selection = gtk_tree_view_get_selection (GTK_TREE_VIEW (self));
    GtkTreeIter iter;
    gboolean is_there = function != 0 && gtk_tree_model_get_iter_first (self->sorted, &iter);

    while (is_there && get_function (self->sorted, &iter) != function) {
        is_there = gtk_tree_model_iter_next (self->sorted, &iter);
    }
    self->is_quiet = TRUE;
    if (is_there) {
        g_autoptr (GtkTreePath) path = gtk_tree_model_get_path (self->sorted, &iter);

        if (function != self->wanted_function) {
            gtk_tree_view_set_cursor (GTK_TREE_VIEW (self), path, NULL, FALSE);
            if (gtk_widget_get_realized (GTK_WIDGET (self))) {
                gtk_tree_view_scroll_to_cell (GTK_TREE_VIEW (self), path, NULL, FALSE, 0, 0);
            }
        } else {
            gtk_tree_selection_select_iter (selection, &iter);
        }
    } else {
        gtk_tree_selection_unselect_all (selection);
    }
    self->wanted_function = function;
    self->is_quiet = FALSE;
}

/* ---- order ---- */

static int
get_sort_column (GtkTreeViewColumn *column)
{
    int number = GPOINTER_TO_INT (g_object_get_data (G_OBJECT (column), "pddt-column"));

    return number == GUI_PROFILE_FUNCTION_BARS ? GUI_PROFILE_FUNCTION_IMBALANCE : number;
}

static void
sort (GuiProfileFunctionList *self, int wanted, GtkSortType order)
{
    GList *columns = gtk_tree_view_get_columns (GTK_TREE_VIEW (self));

    gtk_tree_sortable_set_sort_column_id (GTK_TREE_SORTABLE (self->sorted), wanted, order);
    for (GList *at = columns; at != NULL; at = at->next) {
        int number = GPOINTER_TO_INT (g_object_get_data (at->data, "pddt-column"));

        gtk_tree_view_column_set_sort_indicator (at->data, number == wanted);
        gtk_tree_view_column_set_sort_order (at->data, order);
    }
    g_list_free (columns);
}

/* Figures begin with the greatest. */
static void
on_header (GtkTreeViewColumn *column, GuiProfileFunctionList *self)
{
    int number = get_sort_column (column), before;
    GtkSortType order;

    gtk_tree_sortable_get_sort_column_id (GTK_TREE_SORTABLE (self->sorted), &before, &order);
    if (before == number) {
        order = order == GTK_SORT_ASCENDING ? GTK_SORT_DESCENDING : GTK_SORT_ASCENDING;
    } else {
        order = number <= GUI_PROFILE_FUNCTION_PLACE ? GTK_SORT_ASCENDING : GTK_SORT_DESCENDING;
    }
    sort (self, number, order);
}

/* ---- columns ---- */

static void
set_figure (GtkTreeViewColumn *column, GtkCellRenderer *cell, GtkTreeModel *model,
            GtkTreeIter *iter, gpointer user)
{
    int number = GPOINTER_TO_INT (user);
    g_autofree char *text = NULL;
    double value;

    gtk_tree_model_get (model, iter, number, &value, -1);
    text = number == GUI_PROFILE_FUNCTION_IMBALANCE ? gui_profile_call_format_share (value, 1)
           : value > 0                              ? gui_profile_format_time (value)
                                                    : g_strdup ("0");
    g_object_set (cell, "text", text, NULL);
}

static void
set_calls (GtkTreeViewColumn *column, GtkCellRenderer *cell, GtkTreeModel *model,
           GtkTreeIter *iter, gpointer user)
{
    g_autofree char *text = NULL;
    guint64 n;

    gtk_tree_model_get (model, iter, GUI_PROFILE_FUNCTION_CALLS, &n, -1);
    /* of what samples have seen between calls, nobody has counted any */
    text = n > 0 ? g_strdup_printf ("%" G_GUINT64_FORMAT, n) : g_strdup ("–");
    g_object_set (cell, "text", text, NULL);
}

/* Of what was counted. */
static void
set_counted (GtkTreeViewColumn *column, GtkCellRenderer *cell, GtkTreeModel *model,
             GtkTreeIter *iter, gpointer user)
{
    int number = GPOINTER_TO_INT (user);
    g_autofree char *text = NULL;
    double value;

    gtk_tree_model_get (model, iter, number, &value, -1);
    text
        = value < 0
              ? g_strdup ("–")
              : g_strdup_printf ("%.*f",
                                 (int)
                                     profile_figure_get_digits (number
                                                                - GUI_PROFILE_FUNCTION_FIGURES),
                                 value);
    g_object_set (cell, "text", text, NULL);
}

static void
set_share (GtkTreeViewColumn *column, GtkCellRenderer *cell, GtkTreeModel *model,
           GtkTreeIter *iter, gpointer user)
{
    GuiProfileFunctionList *self
        = GUI_PROFILE_FUNCTION_LIST (gtk_tree_view_column_get_tree_view (column));
    int number = GPOINTER_TO_INT (g_object_get_data (G_OBJECT (column), "pddt-column"));
    g_autofree char *text = NULL;
    double value;

    gtk_tree_model_get (model, iter, number, &value, -1);
    text = gui_profile_call_format_share (value, self->total);
    g_object_set (cell, "text", text, NULL);
}

static void
add_text_cell (GtkTreeViewColumn *column, int number)
{
    GtkCellRenderer *cell = gtk_cell_renderer_text_new ();

    g_object_set (cell, "ellipsize",
                  number == GUI_PROFILE_FUNCTION_NAME ? PANGO_ELLIPSIZE_MIDDLE
                                                      : PANGO_ELLIPSIZE_START,
                  NULL);
    gtk_tree_view_column_pack_start (column, cell, TRUE);
    gtk_tree_view_column_add_attribute (column, cell, "text", number);
}

static void
add_figure_cells (GtkTreeViewColumn *column, int number)
{
    GtkCellRenderer *cell = gtk_cell_renderer_text_new ();
    gboolean has_share = number == GUI_PROFILE_FUNCTION_SELF
                         || number == GUI_PROFILE_FUNCTION_TOTAL;

    /* A figure in a column that is too narrow would make the row higher. */
    g_object_set (cell, "xalign", 1.0, "ellipsize", PANGO_ELLIPSIZE_END, NULL);
    gtk_tree_view_column_pack_start (column, cell, TRUE);
    gtk_tree_view_column_set_cell_data_func (column, cell,
                                             number == GUI_PROFILE_FUNCTION_CALLS ? set_calls
                                             : is_figure (number)                 ? set_counted
                                                                                  : set_figure,
                                             GINT_TO_POINTER (number), NULL);
    gtk_tree_view_column_set_alignment (column, 1);
    if (has_share) {
        cell = gtk_cell_renderer_text_new ();
        g_object_set (cell, "xalign", 1.0, "xpad", 4, "width-chars", 6, "ellipsize",
                      PANGO_ELLIPSIZE_END, NULL);
        gtk_tree_view_column_pack_start (column, cell, FALSE);
        gtk_tree_view_column_set_cell_data_func (column, cell, set_share,
                                                 GINT_TO_POINTER (number), NULL);
    }
}

static void
add_columns (GuiProfileFunctionList *self)
{
    for (int number = 0; number < GUI_PROFILE_FUNCTION_N_COLUMNS; number++) {
        GtkTreeViewColumn *column;

        if (number == GUI_PROFILE_FUNCTION_NUMBER) {
            continue;
        }
        column = gtk_tree_view_column_new ();
        g_object_set_data (G_OBJECT (column), "pddt-column", GINT_TO_POINTER (number));
        gtk_tree_view_column_set_title (column, gui_profile_function_list_get_title (number));
        if (number == GUI_PROFILE_FUNCTION_BARS) {
            GtkCellRenderer *cell = gui_profile_bar_cell_new ();

            gtk_tree_view_column_pack_start (column, cell, TRUE);
            gtk_tree_view_column_add_attribute (column, cell, "bars", number);
        } else if (number <= GUI_PROFILE_FUNCTION_PLACE) {
            add_text_cell (column, number);
        } else {
            add_figure_cells (column, number);
        }
        gtk_tree_view_column_set_sizing (column, GTK_TREE_VIEW_COLUMN_FIXED);
        gtk_tree_view_column_set_resizable (column, TRUE);
        gtk_tree_view_column_set_clickable (column, TRUE);
        gtk_tree_view_column_set_expand (column, number <= GUI_PROFILE_FUNCTION_PLACE);
        gtk_tree_view_append_column (GTK_TREE_VIEW (self), column);
        gtk_widget_set_tooltip_text (gtk_tree_view_column_get_button (column),
                                     get_about (number));
        g_signal_connect (column, "clicked", G_CALLBACK (on_header), self);
    }
}

static void
gui_profile_function_list_style_updated (GtkWidget *widget)
{
    GList *columns = gtk_tree_view_get_columns (GTK_TREE_VIEW (widget));

    GTK_WIDGET_CLASS (gui_profile_function_list_parent_class)->style_updated (widget);
    for (GList *at = columns; at != NULL; at = at->next) {
        int number = GPOINTER_TO_INT (g_object_get_data (at->data, "pddt-column"));

        gtk_tree_view_column_set_fixed_width (at->data,
                                              get_width (GUI_PROFILE_FUNCTION_LIST (widget),
                                                         number));
    }
    g_list_free (columns);
}

/* ---- the user ---- */

static guint32
get_selected (GuiProfileFunctionList *self)
{
    GtkTreeModel *model;
    GtkTreeIter iter;

    return gtk_tree_selection_get_selected (gtk_tree_view_get_selection (GTK_TREE_VIEW (self)),
                                            &model, &iter)
               ? get_function (model, &iter)
               : 0;
}

static void
on_selected (GuiProfileFunctionList *self)
{
    if (!self->is_quiet) {
        g_signal_emit (self, signals[SELECTED], 0, get_selected (self));
    }
}

static void
gui_profile_function_list_row_activated (GtkTreeView *view, GtkTreePath *path,
                                         GtkTreeViewColumn *column)
{
    GuiProfileFunctionList *self = GUI_PROFILE_FUNCTION_LIST (view);
    GtkTreeIter iter;

    if (gtk_tree_model_get_iter (self->sorted, &iter, path)) {
        g_signal_emit (self, signals[ACTIVATED], 0, get_function (self->sorted, &iter));
    }
}

static gboolean
gui_profile_function_list_button_press_event (GtkWidget *widget, GdkEventButton *event)
{
    gboolean is_taken = GTK_WIDGET_CLASS (gui_profile_function_list_parent_class)
                            ->button_press_event (widget, event);

    if (gdk_event_triggers_context_menu ((GdkEvent *) event)) {
        g_signal_emit (widget, signals[MENU], 0,
                       get_selected (GUI_PROFILE_FUNCTION_LIST (widget)), event);
        return TRUE;
    }
    return is_taken;
}

static gboolean
gui_profile_function_list_popup_menu (GtkWidget *widget)
{
    g_signal_emit (widget, signals[MENU], 0, get_selected (GUI_PROFILE_FUNCTION_LIST (widget)),
                   NULL);
    return TRUE;
}

static void
gui_profile_function_list_destroy (GtkWidget *widget)
{
    GUI_PROFILE_FUNCTION_LIST (widget)->is_quiet = TRUE;
    GTK_WIDGET_CLASS (gui_profile_function_list_parent_class)->destroy (widget);
}

GUI_FINALIZE (gui_profile_function_list, GuiProfileFunctionList, g_clear_object (&self->sorted);
              g_clear_object (&self->filter); g_clear_object (&self->store);
              g_free (self->folded);
              gui_properties_clear (self, GUI_TYPE_PROFILE_FUNCTION_LIST))

static void
gui_profile_function_list_class_init (GuiProfileFunctionListClass *klass)
{
    GtkWidgetClass *widget = GTK_WIDGET_CLASS (klass);

    G_OBJECT_CLASS (klass)->finalize = gui_profile_function_list_finalize;
    GUI_PROPERTIES (klass, GuiProfileFunctionList,
                    (wanted, G_TYPE_STRING, .enter = enter_filter));
    widget->destroy = gui_profile_function_list_destroy;
    widget->style_updated = gui_profile_function_list_style_updated;
    widget->button_press_event = gui_profile_function_list_button_press_event;
    widget->popup_menu = gui_profile_function_list_popup_menu;
    GTK_TREE_VIEW_CLASS (klass)->row_activated = gui_profile_function_list_row_activated;
    signals[SELECTED] = GUI_SIGNAL (klass, "selected", G_TYPE_UINT);
    signals[ACTIVATED] = GUI_SIGNAL (klass, "activated", G_TYPE_UINT);
    signals[MENU] = GUI_SIGNAL (klass, "menu", G_TYPE_UINT, G_TYPE_POINTER);
}

static void
gui_profile_function_list_init (GuiProfileFunctionList *self)
{
    GType types[N_STORED] = { G_TYPE_STRING, G_TYPE_STRING, G_TYPE_UINT64 };

    for (int column = GUI_PROFILE_FUNCTION_SELF; column < FOLDED; column++) {
        types[column] = G_TYPE_DOUBLE;
    }
    types[GUI_PROFILE_FUNCTION_BARS] = G_TYPE_BYTES;
    types[GUI_PROFILE_FUNCTION_NUMBER] = G_TYPE_UINT;
    types[FOLDED] = types[ABOUT] = G_TYPE_STRING;
    self->folded = g_strdup ("");
    self->store = gtk_list_store_newv (N_STORED, types);
    make_models (self, GUI_PROFILE_FUNCTION_SELF, GTK_SORT_DESCENDING);
    add_columns (self);
    gtk_tree_view_set_enable_search (GTK_TREE_VIEW (self), FALSE);
    gtk_tree_view_set_tooltip_column (GTK_TREE_VIEW (self), ABOUT);
    sort (self, GUI_PROFILE_FUNCTION_SELF, GTK_SORT_DESCENDING);
    g_signal_connect_swapped (gtk_tree_view_get_selection (GTK_TREE_VIEW (self)), "changed",
                              G_CALLBACK (on_selected), self);
    gui_theme_name (GTK_WIDGET (self), "function-list", _ ("Functions"));
}
