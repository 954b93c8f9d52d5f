/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The first rows of the session's list of these ranks. Rows whose ranks have changed are filled again, at
 * most once in FILL_MS and a tenth of the time; fixed heights keep long lists fast. */
#include "gui/lists/rank-table.h"
#include <glib/gi18n.h>
#include "base/clock.h"
#include "gui/kit/age.h"
#include "gui/kit/properties.h"
#include "gui/kit/rank-set.h"
#include "gui/kit/template.h"
#include "gui/kit/theme.h"
#include "session/rank-list.h"

enum { RANK, STATE, PLACE, HOST, N_COLUMNS }; /* as in rank-table.ui */
enum { MAX_ROWS = 10000, PADDING = 18, FILL_MS = 16, PAUSE_FACTOR = 10 };

struct _GuiRankTable {
    GtkScrolledWindow parent;
    GtkListStore *store;
    GtkWidget *view;
    Session *session;
    SessionRankList *list;          /* of the shown ranks; NULL: none, without a session too */
    JobRankSet *ranks;              /* NULL: none yet */
    JobRankSet *selection, *filter; /* filter NULL: all */
    guint n_rows;                   /* of the list's items */
    guint dirty_first, dirty_end;   /* rows to be filled */
    guint fill_source;
    gint64 next_us; /* not before are rows filled again */
    gboolean is_filling, is_selection_dirty;
};

G_DEFINE_TYPE (GuiRankTable, gui_rank_table, GTK_TYPE_SCROLLED_WINDOW)

static guint rank_chosen_signal, set_chosen_signal;

static void
select_rows (GuiRankTable *self, int first, int end)
{
    g_autoptr (GtkTreePath) from = gtk_tree_path_new_from_indices (first, -1);
    g_autoptr (GtkTreePath) to = gtk_tree_path_new_from_indices (end - 1, -1);

    if (end > first) {
        gtk_tree_selection_select_range (
            gtk_tree_view_get_selection (GTK_TREE_VIEW (self->view)), from, to);
    }
}

/* Selects exactly the rows of the selection, in runs, because assistive technology is notified
 * of each change. */
static void
show_selection (GuiRankTable *self)
{
    GtkTreeSelection *selection = gtk_tree_view_get_selection (GTK_TREE_VIEW (self->view));
    GtkTreeModel *model = GTK_TREE_MODEL (self->store);
    GtkTreeIter iter;
    gboolean was_filling = self->is_filling;
    int row = 0, begin = 0;

    self->is_filling = TRUE;
    self->is_selection_dirty = FALSE;
    gtk_tree_selection_unselect_all (selection);
    for (gboolean more = !job_rank_set_is_empty (self->selection)
                         && gtk_tree_model_get_iter_first (model, &iter);
         more; more = gtk_tree_model_iter_next (model, &iter)) {
        guint rank;

        gtk_tree_model_get (model, &iter, RANK, &rank, -1);
        row++;
        if (!job_rank_set_contains (self->selection, rank)) {
            select_rows (self, begin, row - 1);
            begin = row;
        }
    }
    select_rows (self, begin, row);
    self->is_filling = was_filling;
}

/* Where the rank is, or was before it ran on; NULL: it has been asked since, and only said that it runs. */
static const JobLocation *
find_place (const SessionRank *info)
{
    gboolean is_gone = job_state_get_info (info->state)->is_moving && !info->is_place_new
                       && info->place_us == 0;

    return is_gone ? NULL : info->place;
}

static void
fill_row (GuiRankTable *self, guint position, GtkTreeIter *iter)
{
    g_autoptr (SessionRankItem) item = g_list_model_get_item (G_LIST_MODEL (self->list),
                                                              position);
    const SessionRank info = session_rank_item_get (item);
    const JobStateInfo *state = job_state_get_info (info.state);
    g_autofree char *text = g_strdup_printf ("%s %s", state->glyph, _ (state->title));
    g_autofree char *place = session_format_place (BASE_TEXT_SHOWN, self->session,
                                                   find_place (&info));

    gtk_list_store_set (self->store, iter, RANK, session_rank_item_get_rank (item), STATE, text,
                        PLACE, place, HOST, info.host != NULL ? info.host : "", -1);
}

/* As many rows as there are items, up to the limit. */
static void
match_rows (GuiRankTable *self)
{
    guint n = MIN (g_list_model_get_n_items (G_LIST_MODEL (self->list)), MAX_ROWS);
    GtkTreeIter iter;

    for (; self->n_rows < n; self->n_rows++) {
        gtk_list_store_insert (self->store, &iter, -1);
    }
    while (self->n_rows > n
           && gtk_tree_model_iter_nth_child (GTK_TREE_MODEL (self->store), &iter, NULL,
                                             (int) n)) {
        gtk_list_store_remove (self->store, &iter);
        self->n_rows--;
    }
}

static void
fill (GuiRankTable *self)
{
    gint64 begin_us = base_clock_get_us ();
    guint first = self->dirty_first, end;
    GtkTreeIter iter;

    g_clear_handle_id (&self->fill_source, g_source_remove);
    self->is_filling = TRUE;
    match_rows (self);
    end = MIN (self->dirty_end, self->n_rows);
    if (first < end
        && gtk_tree_model_iter_nth_child (GTK_TREE_MODEL (self->store), &iter, NULL,
                                          (int) first)) {
        do {
            fill_row (self, first++, &iter);
        } while (first < end && gtk_tree_model_iter_next (GTK_TREE_MODEL (self->store), &iter));
    }
    self->dirty_first = G_MAXUINT;
    self->dirty_end = 0;
    self->is_filling = FALSE;
    if (self->is_selection_dirty) {
        show_selection (self);
    }
    self->next_us = base_clock_get_us () + PAUSE_FACTOR * (base_clock_get_us () - begin_us);
}

static gboolean
on_time (gpointer user)
{
    GuiRankTable *self = user;

    self->fill_source = 0;
    fill (self);
    return G_SOURCE_REMOVE;
}

static void
on_items_changed (GListModel *list, guint position, guint removed, guint added,
                  GuiRankTable *self)
{
    gint64 wait_ms = (self->next_us - base_clock_get_us ()) / 1000;

    self->dirty_first = MIN (self->dirty_first, position);
    self->dirty_end = MAX (self->dirty_end, removed == added ? position + added : G_MAXUINT);
    if (self->fill_source == 0 && gtk_widget_get_mapped (GTK_WIDGET (self))) {
        self->fill_source = g_timeout_add ((guint) MAX (wait_ms, FILL_MS), on_time, self);
    }
}

static void
on_selection (GtkTreeSelection *selection, GuiRankTable *self)
{
    g_autoptr (JobRankSet) set = job_rank_set_new ();
    GtkTreeModel *model;
    GList *rows;

    if (self->is_filling) {
        return;
    }
    rows = gtk_tree_selection_get_selected_rows (selection, &model);
    for (GList *link = rows; link != NULL; link = link->next) {
        GtkTreeIter iter;
        guint rank;

        gtk_tree_model_get_iter (model, &iter, link->data);
        gtk_tree_model_get (model, &iter, RANK, &rank, -1);
        job_rank_set_add (set, rank);
    }
    g_list_free_full (rows, (GDestroyNotify) gtk_tree_path_free);
    job_rank_set_free (self->selection);
    self->selection = job_rank_set_dup (set);
    g_object_notify (G_OBJECT (self), "selection");
    g_signal_emit (self, set_chosen_signal, 0, set);
}

static void
enter_selection (gpointer user)
{
    GuiRankTable *self = user;

    if (self->selection == NULL) {
        self->selection = job_rank_set_new ();
    }
    self->is_selection_dirty = TRUE;
    if (gtk_widget_get_mapped (GTK_WIDGET (self)) && self->list != NULL
        && self->dirty_end == 0) {
        show_selection (self);
    }
}

/* Its rows are of other ranks now. */
static void
show_ranks (gpointer user)
{
    GuiRankTable *self = user;
    g_autoptr (JobRankSet) shown = NULL;

    if (self->session == NULL || self->ranks == NULL) {
        return;
    }
    shown = self->filter != NULL ? job_rank_set_intersect (self->ranks, self->filter)
                                 : job_rank_set_dup (self->ranks);
    if (self->list == NULL) {
        self->list = session_rank_list_new (self->session, shown);
        g_signal_connect (self->list, "items-changed", G_CALLBACK (on_items_changed), self);
    } else {
        session_rank_list_set_ranks (self->list, shown);
    }
    self->dirty_first = 0;
    self->dirty_end = G_MAXUINT;
    self->is_selection_dirty = TRUE;
    if (gtk_widget_get_mapped (GTK_WIDGET (self))) {
        fill (self);
    }
}

/* Without a list there are no rows. */
static void
drop_list (gpointer user)
{
    GuiRankTable *self = user;
    gboolean was_filling = self->is_filling;

    g_clear_handle_id (&self->fill_source, g_source_remove);
    if (self->list != NULL) {
        g_signal_handlers_disconnect_by_data (self->list, self);
        g_clear_object (&self->list);
    }
    self->is_filling = TRUE;
    gtk_list_store_clear (self->store);
    self->is_filling = was_filling;
    self->n_rows = 0;
}

static void
enter_ranks (gpointer user)
{
    if (GUI_RANK_TABLE (user)->ranks == NULL) {
        drop_list (user);
    }
    show_ranks (user);
}

static void
on_map (GuiRankTable *self)
{
    if (self->list != NULL && (self->dirty_end > 0 || self->is_selection_dirty)) {
        fill (self);
    }
}

static void
on_activated (GtkTreeView *view, GtkTreePath *path, GtkTreeViewColumn *column,
              GuiRankTable *self)
{
    GtkTreeIter iter;
    guint rank;

    if (gtk_tree_model_get_iter (GTK_TREE_MODEL (self->store), &iter, path)) {
        gtk_tree_model_get (GTK_TREE_MODEL (self->store), &iter, RANK, &rank, -1);
        g_signal_emit (self, rank_chosen_signal, 0, rank);
    }
}

/* Since when the data is stale: the rank's host is silent, or its place is from before it
 * moved. 0: up to date. */
static gint64
find_age (GuiRankTable *self, guint32 rank, gboolean of_place)
{
    const JobRankSet *silent = session_find_silent (self->session);
    const SessionRank info = session_get_rank (self->session, rank);

    if (!info.is_there) {
        return 0;
    }
    if (silent != NULL && job_rank_set_contains (silent, rank)) {
        g_autoptr (JobRankSet) one = job_rank_set_new_range (rank, rank + 1);

        return session_get_silent_since_us (self->session, one);
    }
    return of_place && info.place != NULL && !info.is_place_new
                   && job_state_get_info (info.state)->is_moving
               ? info.place_us
               : 0;
}

/* When a row is drawn, so that ages of invisible rows cost nothing. */
static void
render_cell (GtkTreeViewColumn *column, GtkCellRenderer *cell, GtkTreeModel *model,
             GtkTreeIter *iter, gpointer user)
{
    GuiRankTable *self = user;
    int number = GPOINTER_TO_INT (g_object_get_data (G_OBJECT (cell), "column"));
    g_autofree char *text = NULL, *age = NULL, *whole = NULL;
    guint rank;
    gint64 since_us;

    gtk_tree_model_get (model, iter, RANK, &rank, number, &text, -1);
    since_us = self->session != NULL ? find_age (self, rank, number == PLACE) : 0;
    if (since_us != 0 && number != HOST) {
        age = gui_age_format (since_us);
        whole = g_strdup_printf ("%s (%s)", text != NULL ? text : "", age);
    }
    g_object_set (cell, "text", whole != NULL ? whole : text, "foreground",
                  since_us != 0 ? gui_age_get_colour (self->view) : NULL, NULL);
}

void
gui_rank_table_update_ages (GuiRankTable *self)
{
    if (gtk_widget_get_mapped (GTK_WIDGET (self))) {
        gtk_widget_queue_draw (self->view);
    }
}

static void
gui_rank_table_class_init (GuiRankTableClass *klass)
{
    G_OBJECT_CLASS (klass)->dispose = gui_properties_dispose;
    GUI_PROPERTIES (klass, GuiRankTable, (session, SESSION_TYPE_SESSION, drop_list, show_ranks),
                    (ranks, GUI_TYPE_RANK_SET, .enter = enter_ranks),
                    (filter, GUI_TYPE_RANK_SET, .enter = show_ranks),
                    (selection, GUI_TYPE_RANK_SET, .enter = enter_selection));
    rank_chosen_signal = GUI_SIGNAL (klass, "rank-chosen", G_TYPE_UINT);
    set_chosen_signal = GUI_SIGNAL (klass, "set-chosen", G_TYPE_POINTER);
    GUI_TEMPLATE (klass, "rank-table.ui");
    GUI_CHILDREN (klass, GuiRankTable, store, view);
    GUI_CALLBACKS (klass, on_map, on_activated, on_selection);
}

/* What a column needs in the user's font and language; without a text: for any state. */
static int
measure (GtkWidget *view, const char *widest)
{
    g_autoptr (PangoLayout) layout = gtk_widget_create_pango_layout (view, widest);
    int width, most = 0;

    for (guint i = 0; i < (widest != NULL ? 1 : JOB_N_STATES); i++) {
        if (widest == NULL) {
            g_autofree char *text = g_strdup_printf ("%s %s", job_state_get_info (i)->glyph,
                                                     _ (job_state_get_info (i)->title));

            pango_layout_set_text (layout, text, -1);
        }
        pango_layout_get_pixel_size (layout, &width, NULL);
        most = MAX (most, width);
    }
    return most + PADDING;
}

/* All rows are equally high, and all columns as wide as usual texts: none is measured. */
static void
prepare_columns (GuiRankTable *self)
{
    static const char *const widest[] = { "00000", NULL, "time_step at heat.py:24",
                                          "node00000" };

    for (int i = 0; i < N_COLUMNS; i++) {
        GtkTreeViewColumn *column = gtk_tree_view_get_column (GTK_TREE_VIEW (self->view), i);
        g_autoptr (GList) cells = gtk_cell_layout_get_cells (GTK_CELL_LAYOUT (column));

        gtk_tree_view_column_set_fixed_width (column, measure (self->view, widest[i]));
        if (i != RANK) {
            g_object_set_data (cells->data, "column", GINT_TO_POINTER (i));
            gtk_tree_view_column_set_cell_data_func (column, cells->data, render_cell, self,
                                                     NULL);
        }
    }
    gtk_tree_view_set_fixed_height_mode (GTK_TREE_VIEW (self->view), TRUE);
}

static void
gui_rank_table_init (GuiRankTable *self)
{
    self->selection = job_rank_set_new ();
    self->dirty_first = G_MAXUINT;
    gtk_widget_init_template (GTK_WIDGET (self));
    prepare_columns (self);
    gui_theme_name (self->view, "ranks", _ ("Ranks"));
}

GtkWidget *
gui_rank_table_new (void)
{
    return g_object_new (GUI_TYPE_RANK_TABLE, NULL);
}
