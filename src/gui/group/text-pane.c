/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A list of a rank's details; scrolls to the one where the rank is. Registers that changed since the
 * rank's previous stop are bold. */
#include "gui/group/text-pane.h"
#include <glib/gi18n.h>
#include <string.h>
#include "gui/kit/hint.h"
#include "gui/kit/list-merge.h"
#include "gui/kit/template.h"
#include "gui/kit/theme.h"
#include "session/query.h"
#include "base/array.h"

enum { TEXT, WEIGHT, IS_HERE, NUMBER }; /* the first ones as in text-pane.ui */

struct _GuiTextPane {
    GtkScrolledWindow parent;
    char *what;
    JobVerb verb;
    GtkListStore *store;
    GtkWidget *view;
    Session *session;
    SessionSelection *selection;
    guint rank;
    guint64 stop;
    SessionQuery *query;
    GHashTable *before, *now; /* key of a detail to its line */
    gboolean is_dirty;
};

G_DEFINE_TYPE (GuiTextPane, gui_text_pane, GTK_TYPE_SCROLLED_WINDOW)

static guint run_line_signal;

static gboolean
has_changed (GuiTextPane *self, const JobDetail *detail, const char *line)
{
    g_autofree char *key = job_detail_dup_key (detail);
    const char *before = g_hash_table_lookup (self->before, key);

    g_hash_table_replace (self->now, g_steal_pointer (&key), g_strdup (line));
    return detail->kind == JOB_DETAIL_REGISTER && before != NULL && strcmp (before, line) != 0;
}

static void
add_line (GtkListStore *fresh, const char *line, gboolean bold, gboolean is_here, guint number)
{
    g_autofree char *valid = g_utf8_make_valid (line, -1);

    gtk_list_store_insert_with_values (fresh, NULL, -1, TEXT, valid, WEIGHT,
                                       bold ? PANGO_WEIGHT_BOLD : PANGO_WEIGHT_NORMAL, IS_HERE,
                                       is_here, NUMBER, number, -1);
}

static void
add_details (GuiTextPane *self, const GPtrArray *details, GtkListStore *fresh)
{
    BASE_EACH (details, const JobDetail, detail) {
        g_autofree char *line = job_detail_format (BASE_TEXT_SHOWN, detail);
        gboolean is_here = (detail->flags & JOB_DETAIL_HERE) != 0;
        gboolean bold = has_changed (self, detail, line) || is_here;

        add_line (fresh, line, bold, is_here,
                  detail->kind == JOB_DETAIL_THREAD ? (guint) detail->number : 0);
    }
}

static gboolean
scroll_to_here (GtkTreeModel *model, GtkTreePath *path, GtkTreeIter *iter, gpointer user)
{
    gboolean is_here;

    gtk_tree_model_get (model, iter, IS_HERE, &is_here, -1);
    if (is_here) {
        gtk_tree_view_scroll_to_cell (user, path, NULL, TRUE, 0.4f, 0);
    }
    return is_here;
}

static void
on_answer (SessionQuery *query, SessionAnswer *answer, gpointer user)
{
    GuiTextPane *self = user;
    g_autoptr (GtkListStore) fresh = gui_list_new_alike (self->store);

    for (guint i = 0; i < answer->groups->len; i++) {
        add_details (self, job_event_get_details (answer->groups->pdata[i]), fresh);
    }
    for (guint i = 0; i < answer->failures->len; i++) {
        g_autofree char *why = job_event_dup_shown (answer->failures->pdata[i]);

        add_line (fresh, why, FALSE, FALSE, 0);
    }
    gui_list_merge (self->store, fresh, -1);
    gtk_tree_model_foreach (GTK_TREE_MODEL (self->store), scroll_to_here, self->view);
    g_clear_pointer (&self->query, session_query_free);
}

static void
ask (GuiTextPane *self)
{
    const SessionRank info = session_get_rank (self->session, self->rank);
    g_autoptr (JobRankSet) one = job_rank_set_new_range (self->rank, self->rank + 1);
    JobRequest *request;

    g_clear_pointer (&self->query, session_query_free);
    if (!info.is_there || !job_state_get_info (info.state)->is_stopped) {
        return;
    }
    self->is_dirty = FALSE;
    if (info.stop != self->stop) {
        g_hash_table_unref (self->before);
        self->before = self->now;
        self->now = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
        self->stop = info.stop;
    }
    request = job_request_new (self->verb, one);
    session_selection_mark (self->selection, request);
    self->query = session_query_new (self->session, request, on_answer, self);
}

void
gui_text_pane_refresh (GuiTextPane *self)
{
    self->is_dirty = TRUE;
    if (self->session != NULL && self->selection != NULL
        && gtk_widget_get_mapped (GTK_WIDGET (self))) {
        ask (self);
    }
}

static void
forget (GuiTextPane *self)
{
    g_clear_pointer (&self->query, session_query_free);
    g_hash_table_remove_all (self->now);
    g_hash_table_remove_all (self->before);
}

static void
leave_source (gpointer self)
{
    forget (self);
}

static void
leave_session (gpointer user)
{
    g_signal_handlers_disconnect_by_data (GUI_TEXT_PANE (user)->session, user);
    forget (user);
}

/* The registers of the job that begins are not compared with those of the job before. */
static void
enter_session (gpointer user)
{
    GuiTextPane *self = user;

    if (self->session != NULL) {
        g_signal_connect_swapped (self->session, "restarted", G_CALLBACK (forget), self);
    }
}

static void
enter_rank (gpointer self)
{
    forget (self);
    gui_text_pane_refresh (self);
}

static void
on_map (GuiTextPane *self)
{
    if (self->is_dirty) {
        gui_text_pane_refresh (self);
    }
}

static void
on_activated (GtkTreeView *view, GtkTreePath *path, GtkTreeViewColumn *column,
              GuiTextPane *self)
{
    g_autofree char *line = NULL;
    guint number = 0;
    GtkTreeIter iter;

    if (gtk_tree_model_get_iter (GTK_TREE_MODEL (self->store), &iter, path)) {
        gtk_tree_model_get (GTK_TREE_MODEL (self->store), &iter, NUMBER, &number, -1);
    }
    if (number > 0) {
        line = g_strdup_printf ("thread %u", number);
        g_signal_emit (self, run_line_signal, 0, line);
    }
}

GUI_FINALIZE (gui_text_pane, GuiTextPane, g_hash_table_unref (self->before);
              g_hash_table_unref (self->now))

static void
gui_text_pane_constructed (GObject *object)
{
    static const struct {
        const char *what;
        JobVerb verb;
        const char *title;
    } kinds[] = {
        { "threads", JOB_VERB_THREADS, N_ ("Threads") },
        { "registers", JOB_VERB_REGISTERS, N_ ("Registers") },
        { "code", JOB_VERB_DISASSEMBLE, N_ ("Instructions") },
    };
    GuiTextPane *self = GUI_TEXT_PANE (object);

    G_OBJECT_CLASS (gui_text_pane_parent_class)->constructed (object);
    for (guint i = 0; i < G_N_ELEMENTS (kinds); i++) {
        if (g_strcmp0 (kinds[i].what, self->what) == 0) {
            self->verb = kinds[i].verb;
            gui_theme_name (self->view, self->what, _ (kinds[i].title));
        }
    }
    gui_hint_set (self->view, _ ("Appears when the rank stops"));
}

static void
gui_text_pane_class_init (GuiTextPaneClass *klass)
{
    G_OBJECT_CLASS (klass)->constructed = gui_text_pane_constructed;
    G_OBJECT_CLASS (klass)->dispose = gui_properties_dispose;
    GUI_PROPERTIES (klass, GuiTextPane, (what, G_TYPE_STRING, .flags = G_PARAM_CONSTRUCT_ONLY),
                    (session, SESSION_TYPE_SESSION, leave_session, enter_session),
                    (selection, SESSION_TYPE_SELECTION, leave_source),
                    (rank, G_TYPE_UINT, .enter = enter_rank));
    G_OBJECT_CLASS (klass)->finalize = gui_text_pane_finalize;
    run_line_signal = GUI_SIGNAL (klass, "run-line", G_TYPE_STRING);
    GUI_TEMPLATE (klass, "text-pane.ui");
    GUI_CHILDREN (klass, GuiTextPane, store, view);
    GUI_CALLBACKS (klass, on_map, on_activated);
}

static void
gui_text_pane_init (GuiTextPane *self)
{
    self->before = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
    self->now = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
    gtk_widget_init_template (GTK_WIDGET (self));
}
