/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gui/profile/profile-edge-list.h"
#include "gui/profile/profile-call-paint.h"
#include "gui/profile/profile-common.h"
#include "gui/kit/template.h"
#include "gui/kit/theme.h"
#include "base/array.h"

enum {
    NAME,
    CALLS,
    TIME,
    SHARE,
    FUNCTION,
    CONTEXT,
    ABOUT,
    N_COLUMNS
}; /* profile-edge-list.ui has the first ones */
enum { ACTIVATED, MENU, N_SIGNALS };
enum { MAX_NODES = 20000, BESIDE = 20 }; /* pixels of a column that its text does not have */

struct _GuiProfileEdgeList {
    GtkTreeView parent;
    char *title;
    GtkTreeStore *store;
};

G_DEFINE_TYPE (GuiProfileEdgeList, gui_profile_edge_list, GTK_TYPE_TREE_VIEW)

static guint signals[N_SIGNALS];

static void
add_row (GuiProfileEdgeList *self, const ProfileCosts *costs, GtkTreeIter *parent,
         guint32 function, guint32 context, double seconds, guint64 n_calls,
         GtkTreeIter *ret_iter)
{
    g_autofree char *name = gui_profile_call_dup_name (costs, function);
    g_autofree char *valid = g_utf8_make_valid (name, -1);
    g_autofree char *time = gui_profile_format_time (seconds);
    g_autofree char *share = gui_profile_call_format_share (seconds, costs->total);
    g_autofree char *calls = g_strdup_printf ("%" G_GUINT64_FORMAT, n_calls);
    g_autofree char *place = NULL, *both = NULL, *valid_both = NULL, *about = NULL;

    if (context != 0) {
        place = gui_profile_dup_place (
            &job_context_tree_get (profile_model_get_contexts (costs->model), context)
                 ->location);
    }
    both = g_strconcat (name, place != NULL && *place != '\0' ? "\n" : "", place, NULL);
    valid_both = g_utf8_make_valid (both, -1);
    about = g_markup_escape_text (valid_both, -1);
    gtk_tree_store_insert_with_values (self->store, ret_iter, parent, -1, NAME, valid, CALLS,
                                       calls, TIME, time, SHARE, share, FUNCTION, function,
                                       CONTEXT, context, ABOUT, about, -1);
}

/* All digits of the largest number: without the first ones it would be another number. */
static void
fit_calls (GuiProfileEdgeList *self, const GArray *edges)
{
    GtkTreeViewColumn *column = gtk_tree_view_get_column (GTK_TREE_VIEW (self), CALLS);
    g_autoptr (PangoLayout) layout = NULL;
    g_autofree char *text = NULL;
    guint64 most = 0;
    int width;

    BASE_EACH_ROW (edges, const ProfileEdge, edge) {
        most = MAX (most, edge->n_calls);
    }
    text = g_strdup_printf ("%" G_GUINT64_FORMAT, most);
    layout = gtk_widget_create_pango_layout (GTK_WIDGET (self), text);
    pango_layout_get_pixel_size (layout, &width, NULL);
    gtk_tree_view_column_set_fixed_width (column,
                                          MAX (width + BESIDE,
                                               gtk_tree_view_column_get_fixed_width (column)));
}

void
gui_profile_edge_list_show (GuiProfileEdgeList *self, const ProfileCosts *costs,
                            const GArray *edges)
{
    gtk_tree_store_clear (self->store);
    gtk_tree_view_set_show_expanders (GTK_TREE_VIEW (self), FALSE);
    if (costs != NULL) {
        gtk_tree_view_column_set_visible (gtk_tree_view_get_column (GTK_TREE_VIEW (self),
                                                                    CALLS),
                                          profile_model_has_calls (costs->model));
    }
    fit_calls (self, edges);
    BASE_EACH_ROW (edges, const ProfileEdge, edge) {
        GtkTreeIter iter;

        add_row (self, costs, NULL, edge->function, edge->context, edge->seconds, edge->n_calls,
                 &iter);
    }
}

void
gui_profile_edge_list_show_tree (GuiProfileEdgeList *self, const ProfileCosts *costs,
                                 const ProfileCallTree *tree)
{
    guint n = tree != NULL ? MIN (tree->calls->len, MAX_NODES) : 0;
    g_autofree GtkTreeIter *iters = g_new0 (GtkTreeIter, n + 1);
    GtkTreePath *path;

    gtk_tree_view_column_set_visible (gtk_tree_view_get_column (GTK_TREE_VIEW (self), CALLS),
                                      FALSE); /* who has called the callers is not counted */
    gtk_tree_view_set_model (GTK_TREE_VIEW (self), NULL);
    gtk_tree_store_clear (self->store);
    for (guint i = 1; i < n; i++) {
        const ProfileCall *call = profile_call_tree_get (tree, i);

        add_row (self, costs, call->parent != 0 ? &iters[call->parent] : NULL, call->function,
                 call->context, call->total, 0, &iters[i]);
    }
    gtk_tree_view_set_model (GTK_TREE_VIEW (self), GTK_TREE_MODEL (self->store));
    path = gtk_tree_path_new_first ();
    for (guint i = 1; i < n && i + 1 < profile_call_tree_get (tree, i)->end; i++) {
        gtk_tree_view_expand_row (GTK_TREE_VIEW (self), path, FALSE);
        gtk_tree_path_down (path);
    }
    gtk_tree_path_free (path);
}

/* ---- the user ---- */

static gboolean
get_row (GtkTreeModel *model, GtkTreeIter *iter, guint *ret_function, guint *ret_context)
{
    gtk_tree_model_get (model, iter, FUNCTION, ret_function, CONTEXT, ret_context, -1);
    return *ret_function != 0;
}

static void
gui_profile_edge_list_row_activated (GtkTreeView *view, GtkTreePath *path,
                                     GtkTreeViewColumn *column)
{
    GtkTreeModel *model = gtk_tree_view_get_model (view);
    guint function, context;
    GtkTreeIter iter;

    if (gtk_tree_model_get_iter (model, &iter, path)
        && get_row (model, &iter, &function, &context)) {
        g_signal_emit (view, signals[ACTIVATED], 0, function, context);
    }
}

static void
emit_menu (GtkWidget *widget, GdkEventButton *event)
{
    GtkTreeModel *model;
    GtkTreeIter iter;
    guint function, context;

    if (gtk_tree_selection_get_selected (gtk_tree_view_get_selection (GTK_TREE_VIEW (widget)),
                                         &model, &iter)
        && get_row (model, &iter, &function, &context)) {
        g_signal_emit (widget, signals[MENU], 0, function, context, event);
    }
}

static gboolean
gui_profile_edge_list_button_press_event (GtkWidget *widget, GdkEventButton *event)
{
    gboolean is_taken = GTK_WIDGET_CLASS (gui_profile_edge_list_parent_class)
                            ->button_press_event (widget, event);

    if (gdk_event_triggers_context_menu ((GdkEvent *) event)) {
        emit_menu (widget, event);
        return TRUE;
    }
    return is_taken;
}

static gboolean
gui_profile_edge_list_popup_menu (GtkWidget *widget)
{
    emit_menu (widget, NULL);
    return TRUE;
}

/* ---- the object ---- */

/* An empty list does not measure its columns: they would keep the widths that they once had. The first one has what
 * the others leave. */
static void
fix_width (GuiProfileEdgeList *self, int number)
{
    GtkTreeViewColumn *column = gtk_tree_view_get_column (GTK_TREE_VIEW (self), number);
    g_autofree char *bold = g_markup_printf_escaped ("<b>%s</b>",
                                                     gtk_tree_view_column_get_title (column));
    g_autoptr (PangoLayout) layout
        = gtk_widget_create_pango_layout (GTK_WIDGET (self),
                                          number == CALLS ? "999999" : "999 ms 100 %");
    int width, wide;

    pango_layout_get_pixel_size (layout, &width, NULL);
    pango_layout_set_markup (layout, bold, -1);
    pango_layout_get_pixel_size (layout, &wide, NULL);
    gtk_tree_view_column_set_fixed_width (column, MAX (width, wide) + BESIDE);
}

static void
gui_profile_edge_list_constructed (GObject *object)
{
    GuiProfileEdgeList *self = GUI_PROFILE_EDGE_LIST (object);

    fix_width (self, CALLS);
    fix_width (self, TIME);
    gui_theme_name (GTK_WIDGET (self), NULL, self->title);
    G_OBJECT_CLASS (gui_profile_edge_list_parent_class)->constructed (object);
}

GUI_FINALIZE (gui_profile_edge_list, GuiProfileEdgeList,
              gui_properties_clear (self, GUI_TYPE_PROFILE_EDGE_LIST);
              g_clear_object (&self->store))

static void
gui_profile_edge_list_class_init (GuiProfileEdgeListClass *klass)
{
    GtkWidgetClass *widget = GTK_WIDGET_CLASS (klass);

    GUI_PROPERTIES (klass, GuiProfileEdgeList,
                    (title, G_TYPE_STRING, .flags = G_PARAM_CONSTRUCT_ONLY));
    G_OBJECT_CLASS (klass)->constructed = gui_profile_edge_list_constructed;
    G_OBJECT_CLASS (klass)->finalize = gui_profile_edge_list_finalize;
    widget->button_press_event = gui_profile_edge_list_button_press_event;
    widget->popup_menu = gui_profile_edge_list_popup_menu;
    GTK_TREE_VIEW_CLASS (klass)->row_activated = gui_profile_edge_list_row_activated;
    signals[ACTIVATED] = GUI_SIGNAL (klass, "activated", G_TYPE_UINT, G_TYPE_UINT);
    signals[MENU] = GUI_SIGNAL (klass, "menu", G_TYPE_UINT, G_TYPE_UINT, G_TYPE_POINTER);
    GUI_TEMPLATE (klass, "profile-edge-list.ui");
}

static void
gui_profile_edge_list_init (GuiProfileEdgeList *self)
{
    self->store = gtk_tree_store_new (N_COLUMNS, G_TYPE_STRING, G_TYPE_STRING, G_TYPE_STRING,
                                      G_TYPE_STRING, G_TYPE_UINT, G_TYPE_UINT, G_TYPE_STRING);
    gtk_widget_init_template (GTK_WIDGET (self));
    gtk_tree_view_set_model (GTK_TREE_VIEW (self), GTK_TREE_MODEL (self->store));
    gtk_tree_view_set_tooltip_column (GTK_TREE_VIEW (self), ABOUT);
}
