/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Three of the session's lists, each below a row of its own. The number of rows depends on sets, states and
 * places, not on ranks. */
#include "gui/console/group-list.h"
#include <glib/gi18n.h>
#include <string.h>
#include "command/command.h"
#include "session/group-list.h"
#include "session/model.h"
#include "gui/kit/age.h"
#include "gui/kit/template.h"
#include "gui/kit/theme.h"

/* group-list.ui has numbers of these. */
enum { SECTION, KEY, TITLE, RANKS, COUNT, LIVE, IS_NAMED, WEIGHT, ITEM, N_COLUMNS };
enum { SETS, STATES, PLACES, N_SECTIONS };

struct _GuiGroupList {
    GtkBox parent;
    GtkTreeStore *store; /* below each section's row: what its list has, in its order */
    GtkWidget *view, *open, *select, *rename, *forget;
    GtkCellRenderer *title_cell;
    GtkTreeViewColumn *title_column;
    Session *session;
    GListModel *lists[N_SECTIONS]; /* the session's sets; groups by state; groups by place */
    char *chosen; /* key of the selected row, which may be gone for a moment; NULL */
    guint chosen_section;
    gboolean is_editing, is_filling;
    gboolean is_late; /* the sets have changed while a name was edited */
};

G_DEFINE_TYPE (GuiGroupList, gui_group_list, GTK_TYPE_BOX)

enum { OPEN, SELECT, RUN_LINE, N_SIGNALS };
static guint signals[N_SIGNALS];

/* The selected row's section and key; FALSE: none. */
static gboolean
get_selected (GuiGroupList *self, GtkTreeIter *iter, guint *ret_section, char **ret_key)
{
    GtkTreeSelection *selection = gtk_tree_view_get_selection (GTK_TREE_VIEW (self->view));

    if (!gtk_tree_selection_get_selected (selection, NULL, iter)) {
        return FALSE;
    }
    gtk_tree_model_get (GTK_TREE_MODEL (self->store), iter, SECTION, ret_section, KEY, ret_key,
                        -1);
    return *ret_key != NULL;
}

/* ---- rows ---- */

/* A live set that only the ranks can evaluate is shown by its text, without ranks. */
static void
fill_set (GuiGroupList *self, SessionItem *item, GtkTreeIter *iter)
{
    const char *live = session_item_get_live_text (item), *name = session_item_get_name (item);
    g_autoptr (JobRankSet) now = live != NULL
                                     ? command_parse_set (self->session, live, NULL)
                                     : job_rank_set_dup (session_item_get_ranks (item));
    g_autofree char *ranks = now != NULL ? job_rank_set_format_brief (now) : g_strdup (live);
    g_autofree char *count = now != NULL ? g_strdup_printf ("%u", job_rank_set_get_count (now))
                                         : g_strdup ("?");

    gtk_tree_store_set (self->store, iter, KEY, name, TITLE, name, RANKS, ranks, COUNT, count,
                        LIVE, live, -1);
}

static void
fill_group (GuiGroupList *self, guint section, SessionGroup *group, GtkTreeIter *iter)
{
    const JobEvent *event = session_group_get_event (group);
    const JobStateInfo *info = job_state_get_info (event->state);
    g_autofree char *title = section == STATES
                                 ? g_strdup_printf ("%s %s", info->glyph, _ (info->title))
                                 : g_strdup (session_group_get_line (group));
    g_autofree char *ranks = job_rank_set_format_brief (event->ranks);
    g_autofree char *count = g_strdup_printf ("%u", job_rank_set_get_count (event->ranks));

    gtk_tree_store_set (self->store, iter, KEY, section == STATES ? info->word : title, TITLE,
                        title, RANKS, ranks, COUNT, count, -1);
}

static void
fill_row (GuiGroupList *self, guint section, guint position, GtkTreeIter *iter)
{
    g_autoptr (GObject) item = g_list_model_get_item (self->lists[section], position);

    gtk_tree_store_set (self->store, iter, SECTION, section, IS_NAMED, section == SETS, WEIGHT,
                        PANGO_WEIGHT_NORMAL, ITEM, item, -1);
    if (section == SETS) {
        fill_set (self, SESSION_ITEM (item), iter);
    } else {
        fill_group (self, section, SESSION_GROUP (item), iter);
    }
}

static void
find_head (GuiGroupList *self, guint section, GtkTreeIter *ret_iter)
{
    gtk_tree_model_iter_nth_child (GTK_TREE_MODEL (self->store), ret_iter, NULL, (int) section);
}

static gboolean
is_chosen (GuiGroupList *self, guint section, GtkTreeIter *iter)
{
    g_autofree char *key = NULL;

    gtk_tree_model_get (GTK_TREE_MODEL (self->store), iter, KEY, &key, -1);
    return section == self->chosen_section && g_strcmp0 (key, self->chosen) == 0;
}

/* The row that the user has chosen is the selected one, also when it has moved, and no other: where the
 * cursor's row goes, GTK selects its neighbour. */
static void
select_chosen (GuiGroupList *self)
{
    GtkTreeSelection *selection = gtk_tree_view_get_selection (GTK_TREE_VIEW (self->view));
    GtkTreeModel *model = GTK_TREE_MODEL (self->store);
    GtkTreeIter head, iter;
    gboolean is_there;

    if (self->chosen == NULL
        || (gtk_tree_selection_get_selected (selection, NULL, &iter)
            && is_chosen (self, self->chosen_section, &iter))) {
        return;
    }
    find_head (self, self->chosen_section, &head);
    is_there = gtk_tree_model_iter_children (model, &iter, &head);
    while (is_there && !is_chosen (self, self->chosen_section, &iter)) {
        is_there = gtk_tree_model_iter_next (model, &iter);
    }
    if (is_there) {
        gtk_tree_selection_select_iter (selection, &iter);
    } else {
        gtk_tree_selection_unselect_all (selection);
    }
}

static void
say_whether_empty (GuiGroupList *self)
{
    GtkTreeIter head;

    find_head (self, SETS, &head);
    gtk_tree_store_set (self->store, &head, RANKS,
                        g_list_model_get_n_items (self->lists[SETS]) == 0
                            ? _ ("none yet: select ranks and give them a name")
                            : "",
                        -1);
}

/* Rows of items that only say something else stay; the rows are as the list is now. */
static void
change_rows (GuiGroupList *self, guint section, guint position, guint removed, guint added)
{
    GtkTreeIter head, iter;
    guint n = MIN (removed, added);
    gboolean had_rows;

    self->is_filling = TRUE;
    find_head (self, section, &head);
    had_rows = gtk_tree_model_iter_has_child (GTK_TREE_MODEL (self->store), &head);
    for (guint i = 0; i < n; i++) {
        gtk_tree_model_iter_nth_child (GTK_TREE_MODEL (self->store), &iter, &head,
                                       (int) (position + i));
        fill_row (self, section, position + i, &iter);
    }
    gtk_tree_model_iter_nth_child (GTK_TREE_MODEL (self->store), &iter, &head,
                                   (int) (position + n));
    for (guint i = n; i < removed; i++) {
        gtk_tree_store_remove (self->store, &iter);
    }
    for (guint i = n; i < added; i++) {
        gtk_tree_store_insert (self->store, &iter, &head, (int) (position + i));
        fill_row (self, section, position + i, &iter);
    }
    if (added > 0 && !had_rows) {
        g_autoptr (GtkTreePath) path = gtk_tree_path_new_from_indices ((int) section, -1);

        gtk_tree_view_expand_row (GTK_TREE_VIEW (self->view), path, TRUE);
    }
    select_chosen (self);
    self->is_filling = FALSE;
}

static void update_buttons (GuiGroupList *self);

static void
on_items_changed (GListModel *list, guint position, guint removed, guint added,
                  GuiGroupList *self)
{
    guint section = 0;

    while (self->lists[section] != list) {
        section++;
    }
    if (section == SETS && self->is_editing) {
        self->is_late = TRUE;
        return;
    }
    change_rows (self, section, position, removed, added);
    if (section == SETS) {
        say_whether_empty (self);
    }
    update_buttons (self);
}

/* Fills all rows of the sets again. */
static void
fill_late (GuiGroupList *self)
{
    GtkTreeIter head;

    if (self->is_late) {
        self->is_late = FALSE;
        find_head (self, SETS, &head);
        change_rows (self, SETS, 0,
                     (guint) gtk_tree_model_iter_n_children (GTK_TREE_MODEL (self->store),
                                                             &head),
                     g_list_model_get_n_items (self->lists[SETS]));
        say_whether_empty (self);
        update_buttons (self);
    }
}

void
gui_group_list_update_live (GuiGroupList *self)
{
    GtkTreeIter head, iter;

    if (self->session == NULL || self->is_editing
        || !gtk_widget_get_mapped (GTK_WIDGET (self))) {
        return;
    }
    find_head (self, SETS, &head);
    for (guint i = 0; i < g_list_model_get_n_items (self->lists[SETS]); i++) {
        g_autoptr (SessionItem) item = g_list_model_get_item (self->lists[SETS], i);

        if (session_item_get_live_text (item) != NULL
            && gtk_tree_model_iter_nth_child (GTK_TREE_MODEL (self->store), &iter, &head,
                                              (int) i)) {
            fill_set (self, item, &iter);
        }
    }
}

static void
set_awake (GuiGroupList *self, gboolean is_awake)
{
    for (guint i = STATES; i < N_SECTIONS && self->session != NULL; i++) {
        session_group_list_set_awake ((SessionGroupList *) self->lists[i], is_awake);
    }
}

static void
on_map (GuiGroupList *self)
{
    set_awake (self, TRUE);
    gui_group_list_update_live (self);
}

static void
on_unmap (GuiGroupList *self)
{
    set_awake (self, FALSE);
}

static void
leave_session (gpointer user)
{
    GuiGroupList *self = user;
    GtkTreeIter head;

    set_awake (self, FALSE);
    for (guint i = 0; i < N_SECTIONS; i++) {
        find_head (self, i, &head);
        change_rows (self, i, 0,
                     (guint) gtk_tree_model_iter_n_children (GTK_TREE_MODEL (self->store),
                                                             &head),
                     0);
        g_signal_handlers_disconnect_by_data (self->lists[i], self);
        g_clear_object (&self->lists[i]);
    }
    update_buttons (self);
}

static void
enter_session (gpointer user)
{
    GuiGroupList *self = user;

    if (self->session == NULL) {
        return;
    }
    self->lists[SETS] = g_object_ref (session_get_set_list (self->session));
    self->lists[STATES] = G_LIST_MODEL (session_group_list_new (self->session, NULL,
                                                                SESSION_BY_STATE));
    self->lists[PLACES] = G_LIST_MODEL (session_group_list_new (self->session, NULL,
                                                                SESSION_BY_PLACE));
    for (guint i = 0; i < N_SECTIONS; i++) {
        g_signal_connect (self->lists[i], "items-changed", G_CALLBACK (on_items_changed), self);
    }
    self->is_late = TRUE;
    fill_late (self);
    set_awake (self, gtk_widget_get_mapped (GTK_WIDGET (self)));
}

void
gui_group_list_update_ages (GuiGroupList *self)
{
    if (gtk_widget_get_mapped (GTK_WIDGET (self))) {
        gtk_widget_queue_draw (self->view);
    }
}

/* ---- what the user does ---- */

/* The row's current ranks; NULL: nothing is selected, or the set is empty. */
static JobRankSet *
dup_selected_set (GuiGroupList *self, char **ret_name)
{
    g_autofree char *key = NULL, *live = NULL;
    g_autoptr (GObject) item = NULL;
    g_autoptr (JobRankSet) set = NULL;
    GtkTreeIter iter;
    guint section;

    if (!get_selected (self, &iter, &section, &key)) {
        return NULL;
    }
    gtk_tree_model_get (GTK_TREE_MODEL (self->store), &iter, ITEM, &item, LIVE, &live, -1);
    set = live != NULL
              ? command_parse_set (self->session, live, NULL)
              : job_rank_set_dup (section == SETS
                                      ? session_item_get_ranks (SESSION_ITEM (item))
                                      : session_group_get_event (SESSION_GROUP (item))->ranks);
    if (set == NULL || job_rank_set_is_empty (set)) {
        return NULL;
    }
    *ret_name = section == SETS ? g_strdup (key) : NULL;
    return g_steal_pointer (&set);
}

static void
emit_with_set (GuiGroupList *self, guint signal)
{
    g_autofree char *name = NULL;
    g_autoptr (JobRankSet) set = dup_selected_set (self, &name);

    if (set != NULL) {
        g_signal_emit (self, signals[signal], 0, set, name);
    }
}

static void
on_open (GuiGroupList *self)
{
    emit_with_set (self, OPEN);
}

static void
on_select (GuiGroupList *self)
{
    emit_with_set (self, SELECT);
}

static void
on_rename (GuiGroupList *self)
{
    g_autoptr (GtkTreePath) path = NULL;
    g_autofree char *key = NULL;
    GtkTreeIter iter;
    guint section;

    if (get_selected (self, &iter, &section, &key) && section == SETS) {
        path = gtk_tree_model_get_path (GTK_TREE_MODEL (self->store), &iter);
        gtk_tree_view_set_cursor_on_cell (GTK_TREE_VIEW (self->view), path, self->title_column,
                                          self->title_cell, TRUE);
    }
}

static void
on_forget (GuiGroupList *self)
{
    g_autofree char *key = NULL, *line = NULL;
    GtkTreeIter iter;
    guint section;

    if (get_selected (self, &iter, &section, &key) && section == SETS) {
        line = g_strconcat ("forget ", key, NULL);
        g_signal_emit (self, signals[RUN_LINE], 0, line);
    }
}

/* The new name first: when it is refused, the old one stays. */
static void
on_edited (GtkCellRendererText *cell, const char *path, const char *text, GuiGroupList *self)
{
    g_autofree char *key = NULL, *live = NULL, *line = NULL;
    g_autofree char *name = g_strstrip (g_strdup (text));
    const char *existing = NULL;
    GtkTreeIter iter;

    self->is_editing = FALSE;
    if (!gtk_tree_model_get_iter_from_string (GTK_TREE_MODEL (self->store), &iter, path)) {
        return;
    }
    gtk_tree_model_get (GTK_TREE_MODEL (self->store), &iter, KEY, &key, LIVE, &live, -1);
    fill_late (self);
    if (key == NULL || *name == '\0' || strcmp (name, key) == 0) {
        return;
    }
    g_free (self->chosen);
    self->chosen = g_strdup (name);
    self->chosen_section = SETS;
    line = live != NULL ? g_strdup_printf ("live set %s = %s", name, live)
                        : g_strdup_printf ("set %s = %s", name, key);
    g_signal_emit (self, signals[RUN_LINE], 0, line);
    if (session_find_named (self->session, name, &existing) != NULL) {
        g_free (line);
        line = g_strconcat ("forget ", key, NULL);
        g_signal_emit (self, signals[RUN_LINE], 0, line);
    } else {
        g_free (self->chosen);
        self->chosen = g_steal_pointer (&key);
    }
}

static void
on_editing_started (GuiGroupList *self)
{
    self->is_editing = TRUE;
}

static void
on_editing_canceled (GuiGroupList *self)
{
    self->is_editing = FALSE;
    fill_late (self);
}

static void
update_buttons (GuiGroupList *self)
{
    g_autofree char *key = NULL;
    GtkTreeIter iter;
    guint section = N_SECTIONS;
    gboolean is_row = get_selected (self, &iter, &section, &key);

    gtk_widget_set_sensitive (self->open, is_row);
    gtk_widget_set_sensitive (self->select, is_row);
    gtk_widget_set_sensitive (self->rename, is_row && section == SETS);
    gtk_widget_set_sensitive (self->forget, is_row && section == SETS);
}

static void
on_selection (GuiGroupList *self)
{
    GtkTreeIter iter;

    if (!self->is_filling) {
        g_clear_pointer (&self->chosen, g_free);
        get_selected (self, &iter, &self->chosen_section, &self->chosen);
    }
    update_buttons (self);
}

static gboolean
on_key (GuiGroupList *self, GdkEventKey *event)
{
    if (event->keyval == GDK_KEY_F2) {
        on_rename (self);
        return TRUE;
    }
    if (event->keyval == GDK_KEY_Delete) {
        on_forget (self);
        return TRUE;
    }
    return FALSE;
}

GUI_FINALIZE (gui_group_list, GuiGroupList, g_object_unref (self->store); g_free (self->chosen))

static void
gui_group_list_class_init (GuiGroupListClass *klass)
{
    G_OBJECT_CLASS (klass)->finalize = gui_group_list_finalize;
    G_OBJECT_CLASS (klass)->dispose = gui_properties_dispose;
    GUI_PROPERTIES (klass, GuiGroupList,
                    (session, SESSION_TYPE_SESSION, leave_session, enter_session));
    signals[OPEN] = GUI_SIGNAL (klass, "open", G_TYPE_POINTER, G_TYPE_STRING);
    signals[SELECT] = GUI_SIGNAL (klass, "select", G_TYPE_POINTER, G_TYPE_STRING);
    signals[RUN_LINE] = GUI_SIGNAL (klass, "run-line", G_TYPE_STRING);
    GUI_TEMPLATE (klass, "group-list.ui");
    GUI_CHILDREN (klass, GuiGroupList, view, title_column, title_cell, open, select, rename,
                  forget);
    GUI_CALLBACKS (klass, on_open, on_select, on_rename, on_forget, on_key, on_selection,
                   on_edited, on_editing_started, on_editing_canceled, on_map, on_unmap);
}

/* When a row is drawn, so that ages of rows that nobody sees cost nothing. */
static void
render_title (GtkTreeViewColumn *column, GtkCellRenderer *cell, GtkTreeModel *model,
              GtkTreeIter *iter, gpointer user)
{
    GuiGroupList *self = user;
    g_autofree char *title = NULL;
    g_autoptr (GObject) item = NULL;
    gint64 stale_us;

    gtk_tree_model_get (model, iter, TITLE, &title, ITEM, &item, -1);
    stale_us = item != NULL && SESSION_IS_GROUP (item)
                   ? session_group_get_stale_us (SESSION_GROUP (item), self->session)
                   : 0;
    gui_age_render (cell, self->view, title, stale_us);
}

static void
add_heads (GuiGroupList *self)
{
    static const char *const titles[N_SECTIONS] = { N_ ("Sets"), N_ ("States"), N_ ("Places") };

    for (guint i = 0; i < N_SECTIONS; i++) {
        gtk_tree_store_insert_with_values (self->store, NULL, NULL, -1, SECTION, i, TITLE,
                                           _ (titles[i]), WEIGHT, PANGO_WEIGHT_BOLD, COUNT, "",
                                           RANKS, "", -1);
    }
}

static void
gui_group_list_init (GuiGroupList *self)
{
    self->store = gtk_tree_store_new (N_COLUMNS, G_TYPE_UINT, G_TYPE_STRING, G_TYPE_STRING,
                                      G_TYPE_STRING, G_TYPE_STRING, G_TYPE_STRING,
                                      G_TYPE_BOOLEAN, G_TYPE_INT, G_TYPE_OBJECT);
    gtk_widget_init_template (GTK_WIDGET (self));
    gtk_tree_view_set_model (GTK_TREE_VIEW (self->view), GTK_TREE_MODEL (self->store));
    gtk_tree_view_column_set_cell_data_func (self->title_column, self->title_cell, render_title,
                                             self, NULL);
    gui_theme_name (self->view, "groups", _ ("Groups"));
    gui_theme_name (self->open, "group-open", NULL);
    gui_theme_name (self->select, "group-select", NULL);
    gui_theme_name (self->rename, "group-rename", NULL);
    gui_theme_name (self->forget, "group-forget", NULL);
    add_heads (self);
}
