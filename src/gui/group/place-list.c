/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The number of rows depends on places, not on ranks. */
#include "gui/group/place-list.h"
#include <glib/gi18n.h>
#include "gui/kit/age.h"
#include "gui/kit/list-follow.h"
#include "gui/kit/properties.h"
#include "gui/kit/rank-set.h"
#include "gui/kit/template.h"
#include "gui/kit/theme.h"
#include "session/group-list.h"

enum { GLYPH, RANKS, COUNT, TEXT, ITEM }; /* the first ones as in place-list.ui */

struct _GuiPlaceList {
    GtkScrolledWindow parent;
    GtkListStore *store; /* a row for each group of the list, in its order */
    GtkWidget *view;
    GtkTreeViewColumn *text_column;
    GtkCellRenderer *text_cell;
    Session *session;
    SessionGroupList *list; /* its groups of the ranks; NULL: there is no session */
    JobRankSet *ranks;
};

G_DEFINE_TYPE (GuiPlaceList, gui_place_list, GTK_TYPE_SCROLLED_WINDOW)

static guint set_chosen_signal;

static void
fill_row (gpointer user, guint position, GtkTreeIter *iter)
{
    GuiPlaceList *self = user;
    g_autoptr (SessionGroup) group = g_list_model_get_item (G_LIST_MODEL (self->list),
                                                            position);
    const JobEvent *event = session_group_get_event (group);
    g_autofree char *ranks = job_rank_set_format_brief (event->ranks);

    gtk_list_store_set (self->store, iter, GLYPH, job_state_get_info (event->state)->glyph,
                        RANKS, ranks, COUNT, job_rank_set_get_count (event->ranks), TEXT,
                        session_group_get_text (group), ITEM, group, -1);
}

static void
on_items_changed (GListModel *list, guint position, guint removed, guint added,
                  GuiPlaceList *self)
{
    gui_list_follow (self->store, position, removed, added, fill_row, self);
}

static void
set_awake (GuiPlaceList *self, gboolean is_awake)
{
    if (self->list != NULL) {
        session_group_list_set_awake (self->list, is_awake);
    }
}

static void
leave_session (gpointer user)
{
    GuiPlaceList *self = user;

    set_awake (self, FALSE);
    g_signal_handlers_disconnect_by_data (self->list, self);
    g_clear_object (&self->list);
    gtk_list_store_clear (self->store);
}

static void
enter_session (gpointer user)
{
    GuiPlaceList *self = user;

    if (self->session != NULL) {
        self->list = session_group_list_new (self->session, self->ranks, SESSION_BY_PLACE);
        g_signal_connect (self->list, "items-changed", G_CALLBACK (on_items_changed), self);
        on_items_changed (G_LIST_MODEL (self->list), 0, 0,
                          g_list_model_get_n_items (G_LIST_MODEL (self->list)), self);
        set_awake (self, gtk_widget_get_mapped (GTK_WIDGET (self)));
    }
}

static void
enter_ranks (gpointer user)
{
    GuiPlaceList *self = user;

    if (self->list != NULL) {
        session_group_list_set_ranks (self->list, self->ranks);
    }
}

void
gui_place_list_update_ages (GuiPlaceList *self)
{
    if (gtk_widget_get_mapped (GTK_WIDGET (self))) {
        gtk_widget_queue_draw (self->view);
    }
}

static void
on_map (GuiPlaceList *self)
{
    set_awake (self, TRUE);
}

static void
on_unmap (GuiPlaceList *self)
{
    set_awake (self, FALSE);
}

/* When a row is drawn, so that ages of rows that nobody sees cost nothing. */
static void
render_text (GtkTreeViewColumn *column, GtkCellRenderer *cell, GtkTreeModel *model,
             GtkTreeIter *iter, gpointer user)
{
    GuiPlaceList *self = user;
    g_autofree char *text = NULL;
    g_autoptr (SessionGroup) group = NULL;

    gtk_tree_model_get (model, iter, TEXT, &text, ITEM, &group, -1);
    gui_age_render (cell, self->view, text,
                    group != NULL ? session_group_get_stale_us (group, self->session) : 0);
}

static void
on_activated (GtkTreeView *view, GtkTreePath *path, GtkTreeViewColumn *column,
              GuiPlaceList *self)
{
    g_autoptr (SessionGroup) group = NULL;
    g_autoptr (JobRankSet) set = NULL;
    GtkTreeIter iter;

    if (gtk_tree_model_get_iter (GTK_TREE_MODEL (self->store), &iter, path)) {
        gtk_tree_model_get (GTK_TREE_MODEL (self->store), &iter, ITEM, &group, -1);
        set = job_rank_set_dup (session_group_get_event (group)->ranks);
        g_signal_emit (self, set_chosen_signal, 0, set);
    }
}

static void
gui_place_list_class_init (GuiPlaceListClass *klass)
{
    G_OBJECT_CLASS (klass)->dispose = gui_properties_dispose;
    GUI_PROPERTIES (klass, GuiPlaceList,
                    (session, SESSION_TYPE_SESSION, leave_session, enter_session),
                    (ranks, GUI_TYPE_RANK_SET, .enter = enter_ranks));
    set_chosen_signal = GUI_SIGNAL (klass, "set-chosen", G_TYPE_POINTER);
    GUI_ENSURE (SESSION_TYPE_GROUP);
    GUI_TEMPLATE (klass, "place-list.ui");
    GUI_CHILDREN (klass, GuiPlaceList, store, view, text_column, text_cell);
    GUI_CALLBACKS (klass, on_map, on_unmap, on_activated);
}

static void
gui_place_list_init (GuiPlaceList *self)
{
    gtk_widget_init_template (GTK_WIDGET (self));
    gtk_tree_view_column_set_cell_data_func (self->text_column, self->text_cell, render_text,
                                             self, NULL);
    gui_theme_name (self->view, "places", _ ("Places"));
}

GtkWidget *
gui_place_list_new (void)
{
    return g_object_new (GUI_TYPE_PLACE_LIST, NULL);
}
