/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A view of the session's list of breakpoints: rows of a small list store, brought up to date at most
 * once in FILL_MS. */
#include "gui/lists/breakpoint-list.h"
#include <glib/gi18n.h>
#include <string.h>
#include "command/command.h"
#include "session/model.h"
#include "gui/kit/hint.h"
#include "gui/kit/properties.h"
#include "gui/kit/rank-set.h"
#include "gui/kit/template.h"
#include "gui/kit/theme.h"

enum { FILL_MS = 16 };
/* breakpoint-list.ui has numbers of these. */
enum { NUMBER, ENABLED, WHERE, RANKS, CONDITION, EVERY, LOG, HITS, IS_BREAK, MIXED };

struct _GuiBreakpointList {
    GtkBox parent;
    GtkListStore *store;
    GtkWidget *view, *entry, *delete;
    Session *session;
    GListModel *model; /* the session's list; NULL: there is no session */
    JobRankSet *ranks; /* only breakpoints of some of these; NULL: all */
    guint fill_source; /* the rows are to be filled; 0: they are */
};

G_DEFINE_TYPE (GuiBreakpointList, gui_breakpoint_list, GTK_TYPE_BOX)

static guint run_line_signal;

static char *
format_where (Session *session, const SessionBreakpoint *bp)
{
    g_autofree char *where = NULL;

    if (bp->places != NULL && bp->places->len > 0) {
        return session_format_place (BASE_TEXT_SHOWN, session, bp->places->pdata[0]);
    }
    where = bp->where.kind != JOB_WHERE_NONE ? job_where_format (&bp->where)
                                             : g_strdup (bp->kind);
    /* Translators: where a breakpoint was asked for; no loaded file has that place yet. */
    return g_str_equal (bp->kind, "break") ? g_strdup_printf (_ ("%s (pending)"), where)
                                           : g_steal_pointer (&where);
}

/* The row at `position` when it is this breakpoint's, else a new one there. */
static void
find_row (GuiBreakpointList *self, gint position, guint32 number, GtkTreeIter *ret_iter)
{
    guint there;

    if (gtk_tree_model_iter_nth_child (GTK_TREE_MODEL (self->store), ret_iter, NULL,
                                       position)) {
        gtk_tree_model_get (GTK_TREE_MODEL (self->store), ret_iter, NUMBER, &there, -1);
        if (there == number) {
            return;
        }
    }
    gtk_list_store_insert (self->store, ret_iter, position);
}

static void
fill_row (GuiBreakpointList *self, Session *session, const SessionBreakpoint *bp,
          GtkTreeIter *iter)
{
    g_autofree char *where = format_where (session, bp);
    g_autofree char *set = job_rank_set_format (bp->ranks);
    g_autofree char *every = bp->every > 1 ? g_strdup_printf ("%" G_GUINT64_FORMAT, bp->every)
                                           : g_strdup ("");
    g_autofree char *hits = session_breakpoint_format_hits (bp);
    gboolean is_enabled = session_breakpoint_is_enabled (bp, NULL);
    gboolean is_mixed = is_enabled && !job_rank_set_is_empty (bp->disabled);

    gtk_list_store_set (self->store, iter, NUMBER, bp->number, ENABLED, is_enabled, WHERE,
                        where, RANKS, set, CONDITION,
                        bp->condition != NULL ? bp->condition : "", EVERY, every, LOG,
                        bp->log != NULL ? bp->log : "", HITS, hits, IS_BREAK,
                        g_str_equal (bp->kind, "break") && bp->where.kind != JOB_WHERE_NONE,
                        MIXED, is_mixed, -1);
}

static gboolean
has_text (GuiBreakpointList *self, int column)
{
    GtkTreeModel *model = GTK_TREE_MODEL (self->store);
    GtkTreeIter iter;

    for (gboolean more = gtk_tree_model_get_iter_first (model, &iter); more;
         more = gtk_tree_model_iter_next (model, &iter)) {
        g_autofree char *text = NULL;

        gtk_tree_model_get (model, &iter, column, &text, -1);
        if (text != NULL && *text != '\0') {
            return TRUE;
        }
    }
    return FALSE;
}

/* A place must not be cut beside columns in which nothing stands. */
static void
share_width (GuiBreakpointList *self)
{
    static const int columns[] = { CONDITION, LOG };

    for (guint i = 0; i < G_N_ELEMENTS (columns); i++) {
        gtk_tree_view_column_set_expand (gtk_tree_view_get_column (GTK_TREE_VIEW (self->view),
                                                                   columns[i]),
                                         has_text (self, columns[i]));
    }
}

/* Rows stay in place as long as their breakpoint exists, because one may be being edited. */
static void
fill_rows (GuiBreakpointList *self)
{
    guint n_items = self->model != NULL ? g_list_model_get_n_items (self->model) : 0;
    GtkTreeIter iter;
    gint n = 0;

    for (guint i = 0; i < n_items; i++) {
        g_autoptr (SessionItem) item = g_list_model_get_item (self->model, i);
        const SessionBreakpoint *bp = session_item_get_breakpoint (item);

        if (self->ranks == NULL || job_rank_set_intersects (self->ranks, bp->ranks)) {
            find_row (self, n++, bp->number, &iter);
            fill_row (self, self->session, bp, &iter);
        }
    }
    while (gtk_tree_model_iter_nth_child (GTK_TREE_MODEL (self->store), &iter, NULL, n)) {
        gtk_list_store_remove (self->store, &iter);
    }
    share_width (self);
}

static gboolean
on_time (gpointer user)
{
    GuiBreakpointList *self = user;

    self->fill_source = 0;
    fill_rows (self);
    return G_SOURCE_REMOVE;
}

/* Hits may come by the thousand in a moment. */
static void
on_items_changed (GuiBreakpointList *self)
{
    if (self->fill_source == 0) {
        self->fill_source = g_timeout_add (FILL_MS, on_time, self);
    }
}

static void
leave_session (gpointer user)
{
    GuiBreakpointList *self = user;

    g_signal_handlers_disconnect_by_data (self->model, self);
    self->model = NULL;
    g_clear_handle_id (&self->fill_source, g_source_remove);
}

static void
enter_session (gpointer user)
{
    GuiBreakpointList *self = user;

    if (self->session != NULL) {
        self->model = session_get_breakpoint_list (self->session);
        g_signal_connect_swapped (self->model, "items-changed", G_CALLBACK (on_items_changed),
                                  self);
    }
    fill_rows (self);
}

static void
enter_ranks (gpointer self)
{
    fill_rows (self);
}

/* Takes the line. */
static void
emit_line (GuiBreakpointList *self, char *line)
{
    g_signal_emit (self, run_line_signal, 0, line);
    g_free (line);
}

static void
toggle_row (GuiBreakpointList *self, GtkTreeIter *iter)
{
    gboolean enabled;
    guint number;

    gtk_tree_model_get (GTK_TREE_MODEL (self->store), iter, NUMBER, &number, ENABLED, &enabled,
                        -1);
    emit_line (self, g_strdup_printf ("%s %u", enabled ? "disable" : "enable", number));
}

static void
on_toggled (GtkCellRendererToggle *cell, char *path, GuiBreakpointList *self)
{
    GtkTreeIter iter;

    if (gtk_tree_model_get_iter_from_string (GTK_TREE_MODEL (self->store), &iter, path)) {
        toggle_row (self, &iter);
    }
}

/* GTK's own Space key acts only on the focused column. */
static void
toggle_selected (GuiBreakpointList *self)
{
    GtkTreeSelection *selection = gtk_tree_view_get_selection (GTK_TREE_VIEW (self->view));
    GtkTreeIter iter;

    if (gtk_tree_selection_get_selected (selection, NULL, &iter)) {
        toggle_row (self, &iter);
    }
}

static void
delete_selected (GuiBreakpointList *self)
{
    GtkTreeSelection *selection = gtk_tree_view_get_selection (GTK_TREE_VIEW (self->view));
    GtkTreeIter iter;
    guint number;

    if (gtk_tree_selection_get_selected (selection, NULL, &iter)) {
        gtk_tree_model_get (GTK_TREE_MODEL (self->store), &iter, NUMBER, &number, -1);
        emit_line (self, g_strdup_printf ("delete %u", number));
    }
}

/* Set where it is new, deleted where it is no longer wanted: the other only when the one stands,
 * as a place that the new ranks do not have would leave no breakpoint at all. A disabled one stays
 * disabled: `enable` is what sets it in further ranks. */
static void
change_ranks (GuiBreakpointList *self, const SessionBreakpoint *bp, const char *text)
{
    g_autoptr (JobRankSet) wanted = command_parse_set (self->session, text, NULL);
    g_autoptr (JobRankSet) fresh = NULL, gone = NULL;
    g_autofree char *fresh_text = NULL, *gone_text = NULL;
    g_autoptr (GString) lines = NULL;

    if (wanted == NULL || job_rank_set_is_empty (wanted)) { /* the command reports the error */
        emit_line (self, g_strdup_printf ("on %s enable %u", text, bp->number));
        return;
    }
    fresh = job_rank_set_subtract (wanted, bp->ranks);
    gone = job_rank_set_subtract (bp->ranks, wanted);
    fresh_text = job_rank_set_format (fresh);
    gone_text = job_rank_set_format (gone);
    lines = g_string_new (NULL);
    if (*fresh_text != '\0') {
        g_string_append_printf (lines, "on %s enable %u", fresh_text, bp->number);
        if (!session_breakpoint_is_enabled (bp, NULL)) {
            g_string_append_printf (lines, "\non %s disable %u", fresh_text, bp->number);
        }
    }
    if (*gone_text != '\0') {
        g_string_append_printf (lines, "%son %s delete %u", lines->len > 0 ? "\n" : "",
                                gone_text, bp->number);
    }
    if (lines->len > 0) {
        g_signal_emit (self, run_line_signal, 0, lines->str);
    }
}

/* The breakpoint stays the same one, with its number, hits and what its ranks make of it. */
static void
change_modifier (GuiBreakpointList *self, const SessionBreakpoint *bp, int column,
                 const char *text)
{
    g_autofree char *ranks = job_rank_set_format (bp->ranks);
    char quote = strchr (text, '"') != NULL ? '\'' : '"';

    if (column == CONDITION) {
        emit_line (self, g_strdup_printf ("on %s condition %u %s", ranks, bp->number, text));
    } else if (column == EVERY) {
        emit_line (self, g_strdup_printf ("on %s condition %u every %s", ranks, bp->number,
                                          *text != '\0' ? text : "1"));
    } else {
        emit_line (self, g_strdup_printf ("on %s condition %u log %c%s%c", ranks, bp->number,
                                          quote, text, quote));
    }
}

static void
edit_cell (GuiBreakpointList *self, const char *path, const char *text, int column)
{
    g_autofree char *before = NULL, *wanted = g_strstrip (g_strdup (text));
    const SessionBreakpoint *bp;
    GtkTreeIter iter;
    guint number;

    if (!gtk_tree_model_get_iter_from_string (GTK_TREE_MODEL (self->store), &iter, path)) {
        return;
    }
    gtk_tree_model_get (GTK_TREE_MODEL (self->store), &iter, NUMBER, &number, column, &before,
                        -1);
    bp = session_find_breakpoint (self->session, number);
    if (bp == NULL || g_strcmp0 (before, wanted) == 0) {
        return;
    }
    if (column == RANKS) {
        change_ranks (self, bp, *wanted != '\0' ? wanted : "all");
    } else {
        change_modifier (self, bp, column, wanted);
    }
}

static void
on_ranks_edited (GtkCellRendererText *cell, char *path, char *text, GuiBreakpointList *self)
{
    edit_cell (self, path, text, RANKS);
}

static void
on_condition_edited (GtkCellRendererText *cell, char *path, char *text, GuiBreakpointList *self)
{
    edit_cell (self, path, text, CONDITION);
}

static void
on_every_edited (GtkCellRendererText *cell, char *path, char *text, GuiBreakpointList *self)
{
    edit_cell (self, path, text, EVERY);
}

static void
on_log_edited (GtkCellRendererText *cell, char *path, char *text, GuiBreakpointList *self)
{
    edit_cell (self, path, text, LOG);
}

static void
on_new (GtkEntry *entry, GuiBreakpointList *self)
{
    g_autofree char *where = g_strstrip (g_strdup (gtk_entry_get_text (entry)));
    g_autofree char *line = g_strdup_printf ("break %s", where);

    if (*where != '\0') {
        g_signal_emit (self, run_line_signal, 0, line);
        gtk_entry_set_text (entry, "");
    }
}

static void
edit_condition (GuiBreakpointList *self)
{
    g_autoptr (GtkTreePath) path = NULL;

    gtk_tree_view_get_cursor (GTK_TREE_VIEW (self->view), &path, NULL);
    if (path != NULL) {
        gtk_tree_view_set_cursor (GTK_TREE_VIEW (self->view), path,
                                  gtk_tree_view_get_column (GTK_TREE_VIEW (self->view),
                                                            CONDITION),
                                  TRUE);
    }
}

void
gui_breakpoint_list_edit (GuiBreakpointList *self, guint number)
{
    GtkTreeModel *model = GTK_TREE_MODEL (self->store);
    GtkTreeIter iter;

    fill_rows (self); /* it may be as new as this call */
    for (gboolean more = gtk_tree_model_get_iter_first (model, &iter); more;
         more = gtk_tree_model_iter_next (model, &iter)) {
        guint there;

        gtk_tree_model_get (model, &iter, NUMBER, &there, -1);
        if (there == number) {
            g_autoptr (GtkTreePath) path = gtk_tree_model_get_path (model, &iter);

            gtk_widget_grab_focus (self->view);
            gtk_tree_view_set_cursor (GTK_TREE_VIEW (self->view), path, NULL, FALSE);
            edit_condition (self);
            return;
        }
    }
}

void
gui_breakpoint_list_begin (GuiBreakpointList *self, const char *text)
{
    gtk_entry_set_text (GTK_ENTRY (self->entry), text);
    gtk_widget_grab_focus (self->entry);
    gtk_editable_set_position (GTK_EDITABLE (self->entry),
                               g_str_has_suffix (text, "\"")
                                   ? (int) g_utf8_strlen (text, -1) - 1
                                   : -1);
}

static gboolean
on_key (GuiBreakpointList *self, GdkEventKey *event)
{
    if (event->keyval == GDK_KEY_Delete) {
        delete_selected (self);
        return TRUE;
    }
    if (event->keyval == GDK_KEY_F2) {
        edit_condition (self);
        return TRUE;
    }
    if (event->keyval == GDK_KEY_space || event->keyval == GDK_KEY_KP_Space) {
        toggle_selected (self);
        return TRUE;
    }
    return FALSE;
}

static void
on_selection (GtkTreeSelection *selection, GuiBreakpointList *self)
{
    gtk_widget_set_sensitive (self->delete,
                              gtk_tree_selection_get_selected (selection, NULL, NULL));
}

static void
gui_breakpoint_list_class_init (GuiBreakpointListClass *klass)
{
    G_OBJECT_CLASS (klass)->dispose = gui_properties_dispose;
    GUI_PROPERTIES (klass, GuiBreakpointList,
                    (session, SESSION_TYPE_SESSION, leave_session, enter_session),
                    (ranks, GUI_TYPE_RANK_SET, .enter = enter_ranks));
    run_line_signal = GUI_SIGNAL (klass, "run-line", G_TYPE_STRING);
    GUI_TEMPLATE (klass, "breakpoint-list.ui");
    GUI_CHILDREN (klass, GuiBreakpointList, store, view, entry, delete);
    GUI_CALLBACKS (klass, on_new, on_key, on_selection, delete_selected, on_toggled,
                   on_ranks_edited, on_condition_edited, on_every_edited, on_log_edited);
}

static void
gui_breakpoint_list_init (GuiBreakpointList *self)
{
    gtk_widget_init_template (GTK_WIDGET (self));
    gui_theme_name (self->view, "breakpoints", _ ("Breakpoints"));
    gui_theme_name (self->entry, "new-breakpoint", _ ("New breakpoint"));
    gui_hint_set (self->view,
                  _ ("No breakpoints yet: click beside a line of the source, or type a "
                     "function or a line below"));
}

GtkWidget *
gui_breakpoint_list_new (void)
{
    return g_object_new (GUI_TYPE_BREAKPOINT_LIST, NULL);
}
