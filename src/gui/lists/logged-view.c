/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines may come by the thousand in a moment: the rows are filled at most once in FILL_MS, and only while they are
 * seen. */
#include "gui/lists/logged-view.h"
#include <glib/gi18n.h>
#include <math.h>
#include "gui/compare/compare-window.h"
#include "gui/kit/template.h"
#include "gui/kit/theme.h"
#include "gui/values/spark-cell.h"
#include "session/logged.h"

enum { FILL_MS = 100 };
/* As in logged-view.ui. */
enum { NUMBER, WHERE, EXPRESSION, LAST, HITS, ACROSS, LINES, RANKS, TIP };

struct _GuiLoggedView {
    GtkScrolledWindow parent;
    GtkWidget *view;
    GtkListStore *store; /* a row for each item of the list, in its order */
    Session *session;
    SessionSelection *selection;
    GListModel *list; /* the session's; NULL: there is no session */
    guint fill_source;
    gboolean is_dirty;
};

G_DEFINE_TYPE (GuiLoggedView, gui_logged_view, GTK_TYPE_SCROLLED_WINDOW)

static guint set_chosen_signal;

/* "3", "0.5..2", or a text. Caller owns. */
static char *
format_last (const SessionLogged *logged, const GArray *numbers, gboolean is_integer)
{
    double low = INFINITY, high = -INFINITY;
    g_autofree char *min = NULL, *max = NULL;

    for (guint i = 0; i < numbers->len; i++) {
        double number = g_array_index (numbers, double, i);

        if (!isnan (number)) {
            low = MIN (low, number);
            high = MAX (high, number);
        }
    }
    if (low > high) {
        return g_strdup (session_logged_get_text (logged));
    }
    min = job_value_format_number (low, is_integer);
    max = job_value_format_number (high, is_integer);
    return low < high ? g_strdup_printf ("%s..%s", min, max) : g_steal_pointer (&min);
}

/* NULL: there is nothing to see. */
static GBytes *
make_bars (const GArray *numbers)
{
    gboolean is_known = FALSE;

    for (guint i = 0; i < numbers->len; i++) {
        is_known = is_known || isfinite (g_array_index (numbers, double, i));
    }
    return is_known && numbers->len > 1
               ? gui_spark_cell_make ((const double *) (gconstpointer) numbers->data,
                                      numbers->len, -1)
               : NULL;
}

static char *
format_where (GuiLoggedView *self, guint32 number)
{
    const SessionBreakpoint *breakpoint = session_find_breakpoint (self->session, number);

    if (breakpoint == NULL) {
        return g_strdup ("");
    }
    return breakpoint->places != NULL && breakpoint->places->len > 0
               ? session_format_place (BASE_TEXT_SHOWN, self->session,
                                       breakpoint->places->pdata[0])
               : job_where_format (&breakpoint->where);
}

static void
fill_row (GuiLoggedView *self, const SessionLogged *logged, GtkTreeIter *iter)
{
    guint32 number = session_logged_get_breakpoint (logged), first;
    gboolean is_integer;
    g_autoptr (GArray) numbers = session_logged_dup_numbers (logged, &is_integer);
    g_autoptr (GArray) hits = session_logged_dup_hits (logged, &first);
    g_autoptr (GBytes) over_hits = make_bars (hits), over_ranks = make_bars (numbers);
    g_autofree char *where = format_where (self, number);
    g_autofree char *last = format_last (logged, numbers, is_integer);
    g_autofree char *valid = last != NULL ? g_utf8_make_valid (last, -1) : g_strdup ("");
    g_autofree char *ranks = job_rank_set_format_brief (session_logged_get_ranks (logged));
    g_autofree char *lines = g_strdup_printf ("%" G_GUINT64_FORMAT,
                                              session_logged_get_lines (logged));
    /* Translators: of a small picture: the mean over all ranks of what they wrote at hits 3 to 50 of a logpoint. */
    g_autofree char *tip
        = g_strdup_printf (_ ("Over hits: mean of the ranks, hits %u to %u. Over ranks: "
                              "what each rank wrote last. Double-click to compare the ranks"),
                           first, first + MAX (hits->len, 1) - 1);

    gtk_list_store_set (self->store, iter, NUMBER, number, WHERE, where, EXPRESSION,
                        session_logged_get_expression (logged), LAST, valid, HITS, over_hits,
                        ACROSS, over_ranks, LINES, lines, RANKS, ranks, TIP, tip, -1);
}

static void
fill (GuiLoggedView *self)
{
    guint n = self->list != NULL ? g_list_model_get_n_items (self->list) : 0;
    GtkTreeModel *model = GTK_TREE_MODEL (self->store);
    GtkTreeIter iter;

    self->is_dirty = FALSE;
    for (guint i = 0; i < n; i++) {
        g_autoptr (SessionLogged) logged = g_list_model_get_item (self->list, i);

        if (!gtk_tree_model_iter_nth_child (model, &iter, NULL, (int) i)) {
            gtk_list_store_append (self->store, &iter);
        }
        fill_row (self, logged, &iter);
    }
    while (gtk_tree_model_iter_nth_child (model, &iter, NULL, (int) n)) {
        gtk_list_store_remove (self->store, &iter);
    }
}

static gboolean
on_time (gpointer user)
{
    GuiLoggedView *self = user;

    self->fill_source = 0;
    gtk_widget_set_visible (GTK_WIDGET (self), g_list_model_get_n_items (self->list) > 0);
    if (gtk_widget_get_mapped (GTK_WIDGET (self)) && self->is_dirty) {
        fill (self);
    }
    return G_SOURCE_REMOVE;
}

static void
on_items_changed (GuiLoggedView *self)
{
    self->is_dirty = TRUE;
    if (self->fill_source == 0) {
        self->fill_source = g_timeout_add (FILL_MS, on_time, self);
    }
}

static void
on_map (GuiLoggedView *self)
{
    if (self->is_dirty) {
        fill (self);
    }
}

static void
leave_session (gpointer user)
{
    GuiLoggedView *self = user;

    g_clear_handle_id (&self->fill_source, g_source_remove);
    g_signal_handlers_disconnect_by_data (self->list, self);
    self->list = NULL;
}

static void
enter_session (gpointer user)
{
    GuiLoggedView *self = user;

    if (self->session != NULL) {
        self->list = session_get_logged_list (self->session);
        g_signal_connect_swapped (self->list, "items-changed", G_CALLBACK (on_items_changed),
                                  self);
        gtk_widget_set_visible (GTK_WIDGET (self), g_list_model_get_n_items (self->list) > 0);
    }
    fill (self);
}

static void
on_set_chosen (GuiLoggedView *self, const JobRankSet *set)
{
    g_signal_emit (self, set_chosen_signal, 0, set);
}

static void
on_activated (GuiLoggedView *self, GtkTreePath *path)
{
    g_autoptr (SessionLogged) logged
        = g_list_model_get_item (self->list, (guint) gtk_tree_path_get_indices (path)[0]);
    GtkWidget *window;

    if (logged == NULL || *session_logged_get_expression (logged) == '\0') {
        return;
    }
    window = gui_compare_window_open_logged (
        GTK_WINDOW (gtk_widget_get_toplevel (GTK_WIDGET (self))), self->session,
        self->selection, logged);
    g_signal_connect_object (window, "set-chosen", G_CALLBACK (on_set_chosen), self,
                             G_CONNECT_SWAPPED);
}

static void
gui_logged_view_class_init (GuiLoggedViewClass *klass)
{
    G_OBJECT_CLASS (klass)->dispose = gui_properties_dispose;
    GUI_PROPERTIES (klass, GuiLoggedView,
                    (session, SESSION_TYPE_SESSION, leave_session, enter_session),
                    (selection, SESSION_TYPE_SELECTION));
    set_chosen_signal = GUI_SIGNAL (klass, "set-chosen", G_TYPE_POINTER);
    GUI_ENSURE (G_TYPE_BYTES, GUI_TYPE_SPARK_CELL);
    GUI_TEMPLATE (klass, "logged-view.ui");
    GUI_CHILDREN (klass, GuiLoggedView, store, view);
    GUI_CALLBACKS (klass, on_map, on_activated);
}

static void
gui_logged_view_init (GuiLoggedView *self)
{
    gtk_widget_init_template (GTK_WIDGET (self));
    gtk_tree_view_set_tooltip_column (GTK_TREE_VIEW (self->view), TIP);
    gui_theme_name (self->view, "logpoints", _ ("Logpoints"));
}
