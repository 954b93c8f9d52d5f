/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The number of rows depends on places, not on ranks; shows at most 1,000. */
#include "gui/group/place-list.h"
#include <glib/gi18n.h>
#include "gui/group/stack-view.h"
#include "gui/kit/list-merge.h"
#include "gui/kit/theme.h"

enum { GLYPH, RANKS, COUNT, TEXT, SET, N_COLUMNS };
enum { MAX_ROWS = 1000 };

struct _GuiPlaceList {
    GtkScrolledWindow parent;
    GtkListStore *store;
    GtkWidget *view;
    Session *session;
    JobRankSet *ranks; /* NULL: all */
    gboolean is_dirty;
};

G_DEFINE_TYPE (GuiPlaceList, gui_place_list, GTK_TYPE_SCROLLED_WINDOW)

static guint set_chosen_signal;

void
gui_place_list_update (GuiPlaceList *self, Session *session, const JobRankSet *ranks)
{
    g_autoptr (GPtrArray) groups = NULL;
    g_autoptr (JobRankSet) all = NULL;
    g_autoptr (GtkListStore) fresh = gui_list_new_alike (self->store);

    g_set_object (&self->session, session);
    if (ranks != self->ranks) {
        job_rank_set_free (self->ranks);
        self->ranks = ranks != NULL ? job_rank_set_dup (ranks) : NULL;
    }
    self->is_dirty = TRUE;
    if (!gtk_widget_get_mapped (GTK_WIDGET (self))) {
        return;
    }
    self->is_dirty = FALSE;
    all = self->ranks != NULL ? job_rank_set_dup (self->ranks) : session_dup_all (session);
    groups = session_dup_state_groups (session, all);
    for (guint i = 0; i < groups->len && i < MAX_ROWS; i++) {
        const JobEvent *event = groups->pdata[i];
        g_autofree char *text_ranks = job_rank_set_format_brief (event->ranks);
        g_autofree char *place = session_format_event_state (session, event);
        g_autofree char *text = event->text2 != NULL
                                    ? g_strdup_printf ("%s: %s", place, event->text2)
                                    : g_strdup (place);

        gtk_list_store_insert_with_values (fresh, NULL, -1, GLYPH,
                                           job_state_get_info (event->state)->glyph, RANKS,
                                           text_ranks, COUNT,
                                           job_rank_set_get_count (event->ranks), TEXT, text,
                                           SET, event->ranks, -1);
    }
    gui_list_merge (self->store, fresh, RANKS);
}

static void
on_map (GuiPlaceList *self)
{
    if (self->is_dirty) {
        gui_place_list_update (self, self->session, self->ranks);
    }
}

static void
on_activated (GtkTreeView *view, GtkTreePath *path, GtkTreeViewColumn *column,
              GuiPlaceList *self)
{
    g_autoptr (JobRankSet) set = NULL;
    GtkTreeIter iter;

    if (gtk_tree_model_get_iter (GTK_TREE_MODEL (self->store), &iter, path)) {
        gtk_tree_model_get (GTK_TREE_MODEL (self->store), &iter, SET, &set, -1);
        if (set != NULL) {
            g_signal_emit (self, set_chosen_signal, 0, set);
        }
    }
}

static void
gui_place_list_finalize (GObject *object)
{
    g_object_unref (GUI_PLACE_LIST (object)->store);
    g_clear_object (&GUI_PLACE_LIST (object)->session);
    job_rank_set_free (GUI_PLACE_LIST (object)->ranks);
    G_OBJECT_CLASS (gui_place_list_parent_class)->finalize (object);
}

static void
gui_place_list_class_init (GuiPlaceListClass *klass)
{
    G_OBJECT_CLASS (klass)->finalize = gui_place_list_finalize;
    set_chosen_signal = g_signal_new ("set-chosen", GUI_TYPE_PLACE_LIST, G_SIGNAL_RUN_LAST, 0,
                                      NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_POINTER);
}

static void
gui_place_list_init (GuiPlaceList *self)
{
    static const struct {
        const char *title;
        int column;
        gboolean expand;
    } columns[] = {
        { "", GLYPH, FALSE },
        { N_ ("Ranks"), RANKS, FALSE },
        { N_ ("Count"), COUNT, FALSE },
        { N_ ("State and place"), TEXT, TRUE },
    };

    self->store = gtk_list_store_new (N_COLUMNS, G_TYPE_STRING, G_TYPE_STRING, G_TYPE_UINT,
                                      G_TYPE_STRING, gui_rank_set_get_type ());
    self->view = gtk_tree_view_new_with_model (GTK_TREE_MODEL (self->store));
    for (guint i = 0; i < G_N_ELEMENTS (columns); i++) {
        GtkCellRenderer *cell = gtk_cell_renderer_text_new ();
        GtkTreeViewColumn *column
            = gtk_tree_view_column_new_with_attributes (*columns[i].title != '\0'
                                                            ? _ (columns[i].title)
                                                            : "",
                                                        cell, "text", columns[i].column, NULL);

        if (columns[i].column == RANKS) {
            g_object_set (cell, "ellipsize", PANGO_ELLIPSIZE_END, "width-chars", 20, NULL);
        }
        gtk_tree_view_column_set_expand (column, columns[i].expand);
        gtk_tree_view_column_set_resizable (column, TRUE);
        gtk_tree_view_append_column (GTK_TREE_VIEW (self->view), column);
    }
    gui_theme_name (self->view, "places", _ ("Places"));
    g_signal_connect (self->view, "row-activated", G_CALLBACK (on_activated), self);
    g_signal_connect (self, "map", G_CALLBACK (on_map), NULL);
    gtk_widget_show (self->view);
}

GtkWidget *
gui_place_list_new (void)
{
    GtkWidget *self = g_object_new (GUI_TYPE_PLACE_LIST, NULL);

    gtk_container_add (GTK_CONTAINER (self), GUI_PLACE_LIST (self)->view);
    return self;
}
