/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The number of rows depends on sets, states and places, not on ranks; shows at most 1,000
 * places. Rebuilds the rows only when something has changed, and keeps the selection. */
#include "gui/console/group-list.h"
#include <glib/gi18n.h>
#include <string.h>
#include "command/command.h"
#include "gui/group/stack-view.h"
#include "gui/kit/theme.h"

enum { SECTION, KEY, TITLE, RANKS, COUNT, LIVE, IS_NAMED, WEIGHT, SET, N_COLUMNS };
enum { SETS, STATES, PLACES, N_SECTIONS };
enum { MAX_PLACES = 1000 };

struct _GuiGroupList {
    GtkBox parent;
    GtkTreeStore *store;
    GtkWidget *view, *open, *select, *rename, *forget;
    GtkCellRenderer *title_cell;
    GtkTreeViewColumn *title_column;
    Session *session;
    char *shown;   /* the rows' content, to detect changes */
    char *renamed; /* the set whose row is to be selected when it comes; NULL none */
    gboolean is_dirty, is_editing;
};

G_DEFINE_TYPE (GuiGroupList, gui_group_list, GTK_TYPE_BOX)

enum { OPEN, SELECT, RUN_LINE, N_SIGNALS };
static guint signals[N_SIGNALS];

typedef struct {
    guint section;
    char *key, *title, *ranks, *live;
    JobRankSet *set; /* NULL: only the ranks know */
    guint count;
} Row;

static void
free_row (gpointer data)
{
    Row *row = data;

    g_free (row->key);
    g_free (row->title);
    g_free (row->ranks);
    g_free (row->live);
    job_rank_set_free (row->set);
    g_free (row);
}

static Row *
add_row (GPtrArray *rows, guint section, const char *key, const char *title,
         const JobRankSet *set)
{
    Row *row = g_new0 (Row, 1);

    row->section = section;
    row->key = g_strdup (key);
    row->title = g_strdup (title);
    row->ranks = set != NULL ? job_rank_set_format_brief (set) : g_strdup ("");
    row->set = set != NULL ? job_rank_set_dup (set) : NULL;
    row->count = set != NULL ? job_rank_set_get_count (set) : 0;
    g_ptr_array_add (rows, row);
    return row;
}

/* Shows a live set that only the ranks can evaluate by its text, without ranks. */
static void
list_sets (Session *session, GPtrArray *rows)
{
    g_auto (GStrv) names = session_dup_set_names (session);

    for (guint i = 0; names[i] != NULL; i++) {
        const char *live = NULL;
        const JobRankSet *fixed = session_find_named (session, names[i], &live);
        g_autoptr (JobRankSet) now = live != NULL ? command_parse_set (session, live, NULL)
                                                  : job_rank_set_dup (fixed);
        Row *row = add_row (rows, SETS, names[i], names[i], now);

        row->live = g_strdup (live);
        if (now == NULL) {
            g_free (row->ranks);
            row->ranks = g_strdup (live);
        }
    }
}

static void
list_states (Session *session, GPtrArray *rows)
{
    const guint32 *counts = session_get_counts (session);

    for (guint i = 0; i < JOB_N_STATES; i++) {
        const JobStateInfo *info = job_state_get_info (i);
        g_autofree char *title = g_strdup_printf ("%s %s", info->glyph, _ (info->title));

        if (counts[i] > 0) {
            g_autoptr (JobRankSet) set = session_dup_ranks_in_one_state (session, i);

            add_row (rows, STATES, info->word, title, set);
        }
    }
}

static void
list_places (Session *session, GPtrArray *rows)
{
    g_autoptr (JobRankSet) all = session_dup_all (session);
    g_autoptr (GPtrArray) groups = session_dup_state_groups (session, all);

    for (guint i = 0; i < groups->len && i < MAX_PLACES; i++) {
        const JobEvent *event = groups->pdata[i];
        g_autofree char *text = session_format_event_state (session, event);

        add_row (rows, PLACES, text, text, event->ranks);
    }
}

/* Of sets that are too long to be written out in full. */
static guint64
hash_set (const JobRankSet *set)
{
    guint64 hash = 14695981039346656037u; /* FNV-1a's beginning and prime */

    for (guint i = 0; set != NULL && i < set->ranges->len; i++) {
        const JobRankRange *range = &g_array_index (set->ranges, JobRankRange, i);

        hash = (hash ^ range->first) * 1099511628211u;
        hash = (hash ^ range->end) * 1099511628211u;
    }
    return hash;
}

static char *
describe (GPtrArray *rows)
{
    GString *text = g_string_new (NULL);

    for (guint i = 0; i < rows->len; i++) {
        const Row *row = rows->pdata[i];

        g_string_append_printf (text, "%u\t%s\t%" G_GINT64_MODIFIER "x\t%s\n", row->section,
                                row->title, hash_set (row->set),
                                row->live != NULL ? row->live : "");
    }
    return g_string_free (text, FALSE);
}

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

static void
make_rows (GuiGroupList *self, GPtrArray *rows)
{
    static const char *const titles[N_SECTIONS] = { N_ ("Sets"), N_ ("States"), N_ ("Places") };
    g_autofree char *key = NULL;
    GtkTreeIter heads[N_SECTIONS], iter, chosen;
    guint section = 0;
    gboolean had = get_selected (self, &iter, &section, &key), found = FALSE;

    gtk_tree_store_clear (self->store);
    for (guint i = 0; i < N_SECTIONS; i++) {
        gtk_tree_store_insert_with_values (
            self->store, &heads[i], NULL, -1, SECTION, i, TITLE, _ (titles[i]), WEIGHT,
            PANGO_WEIGHT_BOLD, COUNT, "", RANKS,
            i == SETS && (rows->len == 0 || ((Row *) rows->pdata[0])->section != SETS)
                ? _ ("none yet: select ranks and give them a name")
                : "",
            -1);
    }
    for (guint i = 0; i < rows->len; i++) {
        const Row *row = rows->pdata[i];
        g_autofree char *count = row->live != NULL && row->count == 0 && *row->ranks != '\0'
                                     ? g_strdup ("?")
                                     : g_strdup_printf ("%u", row->count);

        gtk_tree_store_insert_with_values (self->store, &iter, &heads[row->section], -1,
                                           SECTION, row->section, KEY, row->key, TITLE,
                                           row->title, RANKS, row->ranks, COUNT, count, LIVE,
                                           row->live, IS_NAMED, row->section == SETS, WEIGHT,
                                           PANGO_WEIGHT_NORMAL, SET, row->set, -1);
        gboolean is_renamed = row->section == SETS && g_strcmp0 (row->key, self->renamed) == 0;

        if (is_renamed
            || (!found && had && row->section == section && strcmp (row->key, key) == 0)) {
            chosen = iter;
            found = TRUE;
        }
    }
    gtk_tree_view_expand_all (GTK_TREE_VIEW (self->view));
    if (found) {
        gtk_tree_selection_select_iter (
            gtk_tree_view_get_selection (GTK_TREE_VIEW (self->view)), &chosen);
    }
}

void
gui_group_list_update (GuiGroupList *self, Session *session)
{
    g_autoptr (GPtrArray) rows = g_ptr_array_new_with_free_func (free_row);
    g_autofree char *text = NULL;

    g_set_object (&self->session, session);
    self->is_dirty = TRUE;
    if (!gtk_widget_get_mapped (GTK_WIDGET (self)) || self->is_editing) {
        return;
    }
    self->is_dirty = FALSE;
    list_sets (session, rows);
    list_states (session, rows);
    list_places (session, rows);
    text = describe (rows);
    if (g_strcmp0 (text, self->shown) != 0) {
        make_rows (self, rows);
        g_free (self->shown);
        self->shown = g_steal_pointer (&text);
    }
}

static void
on_map (GuiGroupList *self)
{
    if (self->is_dirty && self->session != NULL) {
        gui_group_list_update (self, self->session);
    }
}

/* The row's current ranks; NULL: nothing is selected, or the set is empty. */
static JobRankSet *
dup_selected_set (GuiGroupList *self, char **ret_name)
{
    g_autofree char *key = NULL, *live = NULL;
    g_autoptr (JobRankSet) kept = NULL;
    g_autoptr (JobRankSet) set = NULL;
    GtkTreeIter iter;
    guint section;

    if (!get_selected (self, &iter, &section, &key)) {
        return NULL;
    }
    gtk_tree_model_get (GTK_TREE_MODEL (self->store), &iter, SET, &kept, LIVE, &live, -1);
    set = live != NULL ? command_parse_set (self->session, live, NULL)
                       : g_steal_pointer (&kept);
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
    if (key == NULL || *name == '\0' || strcmp (name, key) == 0) {
        return;
    }
    g_free (self->renamed);
    self->renamed = g_strdup (name);
    line = live != NULL ? g_strdup_printf ("live set %s = %s", name, live)
                        : g_strdup_printf ("set %s = %s", name, key);
    g_signal_emit (self, signals[RUN_LINE], 0, line);
    if (session_find_named (self->session, name, &existing) != NULL) {
        g_free (line);
        line = g_strconcat ("forget ", key, NULL);
        g_signal_emit (self, signals[RUN_LINE], 0, line);
    }
    g_clear_pointer (&self->renamed, g_free);
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
    if (self->is_dirty) {
        gui_group_list_update (self, self->session);
    }
}

static void
on_selection (GuiGroupList *self)
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

static void
gui_group_list_finalize (GObject *object)
{
    GuiGroupList *self = GUI_GROUP_LIST (object);

    g_object_unref (self->store);
    g_clear_object (&self->session);
    g_free (self->shown);
    g_free (self->renamed);
    G_OBJECT_CLASS (gui_group_list_parent_class)->finalize (object);
}

static void
gui_group_list_class_init (GuiGroupListClass *klass)
{
    G_OBJECT_CLASS (klass)->finalize = gui_group_list_finalize;
    signals[OPEN] = g_signal_new ("open", GUI_TYPE_GROUP_LIST, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                  NULL, G_TYPE_NONE, 2, G_TYPE_POINTER, G_TYPE_STRING);
    signals[SELECT] = g_signal_new ("select", GUI_TYPE_GROUP_LIST, G_SIGNAL_RUN_LAST, 0, NULL,
                                    NULL, NULL, G_TYPE_NONE, 2, G_TYPE_POINTER, G_TYPE_STRING);
    signals[RUN_LINE] = g_signal_new ("run-line", GUI_TYPE_GROUP_LIST, G_SIGNAL_RUN_LAST, 0,
                                      NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
}

static void
build_columns (GuiGroupList *self)
{
    static const struct {
        const char *title;
        int column;
    } columns[] = {
        { N_ ("Group"), TITLE },
        { N_ ("Count"), COUNT },
        { N_ ("Ranks"), RANKS },
    };

    for (guint i = 0; i < G_N_ELEMENTS (columns); i++) {
        GtkCellRenderer *cell = gtk_cell_renderer_text_new ();
        GtkTreeViewColumn *column
            = gtk_tree_view_column_new_with_attributes (_ (columns[i].title), cell, "text",
                                                        columns[i].column, "weight", WEIGHT,
                                                        NULL);

        gtk_tree_view_column_set_resizable (column, TRUE);
        gtk_tree_view_column_set_expand (column, columns[i].column == RANKS);
        gtk_tree_view_append_column (GTK_TREE_VIEW (self->view), column);
        if (columns[i].column == RANKS) {
            g_object_set (cell, "ellipsize", PANGO_ELLIPSIZE_END, NULL);
        } else if (columns[i].column == TITLE) {
            gtk_tree_view_column_add_attribute (column, cell, "editable", IS_NAMED);
            g_signal_connect (cell, "edited", G_CALLBACK (on_edited), self);
            g_signal_connect_swapped (cell, "editing-started", G_CALLBACK (on_editing_started),
                                      self);
            g_signal_connect_swapped (cell, "editing-canceled",
                                      G_CALLBACK (on_editing_canceled), self);
            gtk_tree_view_column_set_min_width (column, 220);
            self->title_cell = cell;
            self->title_column = column;
        } else {
            g_object_set (cell, "xalign", 1.0, NULL);
        }
    }
}

static GtkWidget *
add_button (GuiGroupList *self, GtkWidget *row, const char *label, const char *tip,
            const char *id, GCallback callback)
{
    GtkWidget *button = gtk_button_new_with_mnemonic (label);

    gtk_widget_set_tooltip_text (button, tip);
    gtk_widget_set_sensitive (button, FALSE);
    gui_theme_name (button, id, NULL);
    gtk_box_pack_start (GTK_BOX (row), button, FALSE, FALSE, 0);
    g_signal_connect_swapped (button, "clicked", callback, self);
    return button;
}

static void
gui_group_list_init (GuiGroupList *self)
{
    GtkWidget *scroller = gtk_scrolled_window_new (NULL, NULL);
    GtkWidget *row = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);

    gtk_orientable_set_orientation (GTK_ORIENTABLE (self), GTK_ORIENTATION_VERTICAL);
    self->store = gtk_tree_store_new (N_COLUMNS, G_TYPE_UINT, G_TYPE_STRING, G_TYPE_STRING,
                                      G_TYPE_STRING, G_TYPE_STRING, G_TYPE_STRING,
                                      G_TYPE_BOOLEAN, G_TYPE_INT, gui_rank_set_get_type ());
    self->view = gtk_tree_view_new_with_model (GTK_TREE_MODEL (self->store));
    gui_theme_name (self->view, "groups", _ ("Groups"));
    gtk_tree_view_set_enable_search (GTK_TREE_VIEW (self->view), FALSE);
    build_columns (self);
    gtk_container_add (GTK_CONTAINER (scroller), self->view);
    gtk_box_pack_start (GTK_BOX (self), scroller, TRUE, TRUE, 0);
    gtk_container_set_border_width (GTK_CONTAINER (row), 4);
    self->open = add_button (self, row, _ ("Group _Window"),
                             _ ("Open a group window for these ranks"), "group-open",
                             G_CALLBACK (on_open));
    self->select = add_button (self, row, _ ("_Select"), _ ("Select these ranks in the chart"),
                               "group-select", G_CALLBACK (on_select));
    self->rename = add_button (self, row, _ ("_Rename"), _ ("Give the set another name (F2)"),
                               "group-rename", G_CALLBACK (on_rename));
    self->forget = add_button (self, row, _ ("_Forget"), _ ("Forget the name (Delete)"),
                               "group-forget", G_CALLBACK (on_forget));
    gtk_box_pack_start (GTK_BOX (self), row, FALSE, FALSE, 0);
    g_signal_connect_swapped (self->view, "row-activated", G_CALLBACK (on_open), self);
    g_signal_connect_swapped (self->view, "key-press-event", G_CALLBACK (on_key), self);
    g_signal_connect_swapped (gtk_tree_view_get_selection (GTK_TREE_VIEW (self->view)),
                              "changed", G_CALLBACK (on_selection), self);
    g_signal_connect (self, "map", G_CALLBACK (on_map), NULL);
    gtk_widget_show_all (scroller);
    gtk_widget_show_all (row);
}

GtkWidget *
gui_group_list_new (void)
{
    return g_object_new (GUI_TYPE_GROUP_LIST, NULL);
}
