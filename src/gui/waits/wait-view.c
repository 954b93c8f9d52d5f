/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table follows the session's list of operations, whoever has asked for them; the picture and the sentence
 * are the answer to this view's own question. */
#include "gui/waits/wait-view.h"
#include <glib/gi18n.h>
#include "gui/kit/age.h"
#include "gui/kit/freshness.h"
#include "gui/kit/hint.h"
#include "gui/kit/list-follow.h"
#include "gui/kit/properties.h"
#include "gui/kit/suggestion.h"
#include "gui/kit/template.h"
#include "gui/kit/theme.h"
#include "gui/waits/wait-picture.h"
#include "session/operations.h"

/* What matters most comes first: where there is no room for all, the last ones are cut. */
enum { RANK, WHAT, PEER, PLACE, TAG, COMMUNICATOR, BYTES, ITEM }; /* as in wait-view.ui */

struct _GuiWaitView {
    GtkBox parent;
    Session *session;
    JobMessageTable *table;
    GListModel *list;    /* the session's operations; NULL: there is no session */
    GtkListStore *store; /* a row for each of them, in their order */
    GtkWidget *text, *command, *ask, *picture, *picture_scroll, *view, *age;
    GtkTreeViewColumn *what_column;
    GtkCellRenderer *what_cell;
    GuiFreshness *freshness; /* of the picture and the sentence; rows have their own */
    JobRankSet *asked;       /* by the question under way, or the last one; NULL */
    char *line;
    gboolean is_asking;
};

G_DEFINE_TYPE (GuiWaitView, gui_wait_view, GTK_TYPE_BOX)

enum { RUN_LINE, PLACE_CHOSEN, N_SIGNALS };
static guint signals[N_SIGNALS];

static void
fill_row (gpointer user, guint position, GtkTreeIter *iter)
{
    GuiWaitView *self = user;
    g_autoptr (SessionOperation) one = g_list_model_get_item (self->list, position);
    g_autofree char *peer = job_message_peer_format (session_operation_get_peer (one));
    g_autofree char *tag = job_message_tag_format (session_operation_get_tag (one));
    const JobLocation *where = session_operation_get_place (one);
    g_autofree char *place = where != NULL
                                 ? session_format_place (BASE_TEXT_SHOWN, self->session, where)
                                 : g_strdup ("");

    gtk_list_store_set (self->store, iter, RANK, session_operation_get_rank (one), WHAT,
                        session_operation_get_name (one), PEER, peer, TAG, tag, COMMUNICATOR,
                        session_operation_get_communicator (one), BYTES,
                        session_operation_get_bytes (one), PLACE, place, ITEM, one, -1);
}

static void
on_items_changed (GListModel *list, guint position, guint removed, guint added,
                  GuiWaitView *self)
{
    gui_list_follow (self->store, position, removed, added, fill_row, self);
}

/* When a row is drawn, so that ages of rows that nobody sees cost nothing. */
static void
render_what (GtkTreeViewColumn *column, GtkCellRenderer *cell, GtkTreeModel *model,
             GtkTreeIter *iter, gpointer user)
{
    GuiWaitView *self = user;
    g_autofree char *text = NULL;
    g_autoptr (SessionOperation) one = NULL;

    gtk_tree_model_get (model, iter, WHAT, &text, ITEM, &one, -1);
    gui_age_render (cell, self->view, text,
                    one != NULL ? session_operation_get_stale_us (one, self->session) : 0);
}

void
gui_wait_view_update_ages (GuiWaitView *self)
{
    if (gtk_widget_get_mapped (GTK_WIDGET (self))) {
        gtk_widget_queue_draw (self->view);
    }
}

static void
run_line (gpointer self, const char *line)
{
    g_signal_emit (self, signals[RUN_LINE], 0, line);
}

static void
on_verdict (Session *session, const AnalysisVerdict *verdict, const JobRankSet *missing,
            const JobMessageTable *table, gpointer user)
{
    GuiWaitView *self = user;
    g_autofree char *text = analysis_verdict_dup_text (verdict, BASE_TEXT_SHOWN, "\n");

    self->is_asking = FALSE;
    job_message_table_free (self->table);
    self->table = job_message_table_new ();
    job_message_table_merge (self->table, table);
    gtk_widget_set_sensitive (self->ask, TRUE);
    gtk_label_set_text (GTK_LABEL (self->text), text);
    g_free (self->line);
    self->line = g_strdup (verdict->command);
    gui_suggestion_show_all (self->command, verdict, run_line, self);
    gui_wait_picture_set (GUI_WAIT_PICTURE (self->picture), self->table, verdict);
    gui_freshness_note (self->freshness, self->session, self->asked, NULL);
    gtk_widget_set_visible (self->picture_scroll, g_list_model_get_n_items (self->list) > 0);
}

void
gui_wait_view_ask (GuiWaitView *self)
{
    const JobRankSet *focus = self->session != NULL ? session_get_focus (self->session) : NULL;

    if (self->is_asking || focus == NULL || job_rank_set_is_empty (focus)
        || session_is_ended (self->session)) {
        return;
    }
    self->is_asking = TRUE;
    job_rank_set_free (self->asked);
    self->asked = job_rank_set_dup (focus);
    gtk_widget_set_sensitive (self->ask, FALSE);
    gtk_label_set_text (GTK_LABEL (self->text), _ ("Asking the ranks…"));
    session_why (self->session, focus, SESSION_LOOK_OPEN, on_verdict, self);
}

static void
on_command (GuiWaitView *self)
{
    if (self->line != NULL) {
        g_signal_emit (self, signals[RUN_LINE], 0, self->line);
    }
}

static void
leave_session (gpointer user)
{
    GuiWaitView *self = user;

    session_why_cancel (self->session, self);
    g_signal_handlers_disconnect_by_data (self->list, self);
    g_clear_object (&self->list);
    gtk_list_store_clear (self->store);
}

static void
enter_session (gpointer user)
{
    GuiWaitView *self = user;

    if (self->is_asking) { /* nobody will answer */
        self->is_asking = FALSE;
        gtk_widget_set_sensitive (self->ask, TRUE);
    }
    if (self->session != NULL) {
        self->list = g_object_ref (session_get_operation_list (self->session));
        g_signal_connect (self->list, "items-changed", G_CALLBACK (on_items_changed), self);
        on_items_changed (self->list, 0, 0, g_list_model_get_n_items (self->list), self);
    }
}

GUI_DISPOSE (gui_wait_view, GuiWaitView, gui_properties_clear (self, GUI_TYPE_WAIT_VIEW);
             g_clear_pointer (&self->freshness, gui_freshness_free))

GUI_FINALIZE (gui_wait_view, GuiWaitView, job_message_table_free (self->table);
              job_rank_set_free (self->asked); g_free (self->line))

static void
on_activated (GtkTreeView *view, GtkTreePath *path, GtkTreeViewColumn *column,
              GuiWaitView *self)
{
    g_autoptr (SessionOperation) one = NULL;
    const JobLocation *place;
    GtkTreeIter iter;

    if (!gtk_tree_model_get_iter (GTK_TREE_MODEL (self->store), &iter, path)) {
        return;
    }
    gtk_tree_model_get (GTK_TREE_MODEL (self->store), &iter, ITEM, &one, -1);
    place = session_operation_get_place (one);
    g_signal_emit (self, signals[PLACE_CHOSEN], 0, session_operation_get_rank (one),
                   place != NULL ? place->file : NULL, place != NULL ? place->line : 0);
}

static void
gui_wait_view_class_init (GuiWaitViewClass *klass)
{
    G_OBJECT_CLASS (klass)->dispose = gui_wait_view_dispose;
    GUI_PROPERTIES (klass, GuiWaitView,
                    (session, SESSION_TYPE_SESSION, leave_session, enter_session));
    G_OBJECT_CLASS (klass)->finalize = gui_wait_view_finalize;
    signals[RUN_LINE] = GUI_SIGNAL (klass, "run-line", G_TYPE_STRING);
    signals[PLACE_CHOSEN] = GUI_SIGNAL (klass, "place-chosen", G_TYPE_UINT, G_TYPE_STRING,
                                        G_TYPE_UINT);
    GUI_ENSURE (SESSION_TYPE_OPERATION, GUI_TYPE_WAIT_PICTURE);
    GUI_TEMPLATE (klass, "wait-view.ui");
    GUI_CHILDREN (klass, GuiWaitView, store, text, age, command, ask, picture, picture_scroll,
                  view, what_column, what_cell);
    GUI_CALLBACKS (klass, on_command, gui_wait_view_ask, on_activated);
}

static void
gui_wait_view_init (GuiWaitView *self)
{
    gtk_widget_init_template (GTK_WIDGET (self));
    gui_theme_name (self->text, "why-text", NULL);
    gui_theme_name (self->command, "why-command", NULL);
    gui_theme_name (self->ask, "why", NULL);
    gui_theme_name (self->age, "why-age", NULL);
    self->table = job_message_table_new ();
    self->freshness = gui_freshness_new (self->age, self->picture_scroll, TRUE);
    gui_freshness_add (self->freshness, self->text);
    gtk_tree_view_column_set_cell_data_func (self->what_column, self->what_cell, render_what,
                                             self, NULL);
    gui_theme_name (self->view, "operations", _ ("Unfinished operations"));
    gui_hint_set (self->view,
                  _ ("Who waits for whom, and all unfinished operations: press Why? to "
                     "ask the ranks"));
}
