/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A small list store; the session's breakpoints are the truth. */
#include "gui/breakpoint-list.h"
#include <glib/gi18n.h>
#include "gui/theme.h"

enum { NUMBER, ENABLED, WHERE, RANKS, CONDITION, HITS, N_COLUMNS };

struct _GuiBreakpointList {
    GtkBox parent;
    GtkListStore *store;
    GtkWidget *view;
};

G_DEFINE_TYPE (GuiBreakpointList, gui_breakpoint_list, GTK_TYPE_BOX)

static guint run_line_signal;

static char *
format_where (Session *session, const SessionBreakpoint *bp)
{
    g_autofree char *where = NULL;

    if (bp->places != NULL && bp->places->len > 0) {
        return session_format_place (session, bp->places->pdata[0]);
    }
    where = bp->where.kind != JOB_WHERE_NONE ? job_where_format (&bp->where) : g_strdup (bp->kind);
    return g_str_equal (bp->kind, "break") ? g_strdup_printf (_("%s (pending)"), where)
                                           : g_steal_pointer (&where);
}

void
gui_breakpoint_list_update (GuiBreakpointList *self, Session *session, const JobRankSet *ranks)
{
    GPtrArray *breakpoints = session_get_breakpoints (session);

    gtk_list_store_clear (self->store);
    for (guint i = 0; i < breakpoints->len; i++) {
        const SessionBreakpoint *bp = breakpoints->pdata[i];
        g_autofree char *where = format_where (session, bp);
        g_autofree char *set = job_rank_set_format (bp->ranks);

        if (ranks == NULL || job_rank_set_intersects (ranks, bp->ranks)) {
            gtk_list_store_insert_with_values (self->store, NULL, -1, NUMBER, bp->number, ENABLED,
                bp->enabled, WHERE, where, RANKS, set, CONDITION,
                bp->condition != NULL ? bp->condition : "", HITS, bp->hits, -1);
        }
    }
}

static void
emit_line (GuiBreakpointList *self, const char *verb, guint number)
{
    g_autofree char *line = g_strdup_printf ("%s %u", verb, number);

    g_signal_emit (self, run_line_signal, 0, line);
}

static void
on_toggled (GtkCellRendererToggle *cell, char *path, GuiBreakpointList *self)
{
    GtkTreeIter iter;
    gboolean enabled;
    guint number;

    if (gtk_tree_model_get_iter_from_string (GTK_TREE_MODEL (self->store), &iter, path)) {
        gtk_tree_model_get (GTK_TREE_MODEL (self->store), &iter, NUMBER, &number, ENABLED,
                            &enabled, -1);
        emit_line (self, enabled ? "disable" : "enable", number);
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
        emit_line (self, "delete", number);
    }
}

static gboolean
on_key (GuiBreakpointList *self, GdkEventKey *event)
{
    if (event->keyval == GDK_KEY_Delete) {
        delete_selected (self);
        return TRUE;
    }
    return FALSE;
}

static void
gui_breakpoint_list_finalize (GObject *object)
{
    g_object_unref (GUI_BREAKPOINT_LIST (object)->store);
    G_OBJECT_CLASS (gui_breakpoint_list_parent_class)->finalize (object);
}

static void
gui_breakpoint_list_class_init (GuiBreakpointListClass *klass)
{
    G_OBJECT_CLASS (klass)->finalize = gui_breakpoint_list_finalize;
    run_line_signal = g_signal_new ("run-line", GUI_TYPE_BREAKPOINT_LIST, G_SIGNAL_RUN_LAST, 0,
                                    NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
}

static void
add_column (GuiBreakpointList *self, const char *title, int column, gboolean expand)
{
    GtkCellRenderer *cell = gtk_cell_renderer_text_new ();
    GtkTreeViewColumn *view_column = gtk_tree_view_column_new_with_attributes (title, cell, "text",
                                                                              column, NULL);

    if (expand) {
        g_object_set (cell, "ellipsize", PANGO_ELLIPSIZE_END, NULL);
    }
    gtk_tree_view_column_set_expand (view_column, expand);
    gtk_tree_view_append_column (GTK_TREE_VIEW (self->view), view_column);
}

static void
gui_breakpoint_list_init (GuiBreakpointList *self)
{
    GtkWidget *scroller = gtk_scrolled_window_new (NULL, NULL), *row, *delete;
    GtkCellRenderer *toggle = gtk_cell_renderer_toggle_new ();

    gtk_orientable_set_orientation (GTK_ORIENTABLE (self), GTK_ORIENTATION_VERTICAL);
    self->store = gtk_list_store_new (N_COLUMNS, G_TYPE_UINT, G_TYPE_BOOLEAN, G_TYPE_STRING,
                                      G_TYPE_STRING, G_TYPE_STRING, G_TYPE_UINT64);
    self->view = gtk_tree_view_new_with_model (GTK_TREE_MODEL (self->store));
    gui_theme_name (self->view, "breakpoints", _("Breakpoints"));
    gtk_tree_view_append_column (GTK_TREE_VIEW (self->view),
        gtk_tree_view_column_new_with_attributes ("", toggle, "active", ENABLED, NULL));
    add_column (self, _("Number"), NUMBER, FALSE);
    add_column (self, _("Where"), WHERE, TRUE);
    add_column (self, _("Ranks"), RANKS, FALSE);
    add_column (self, _("Condition"), CONDITION, FALSE);
    add_column (self, _("Hits"), HITS, FALSE);
    gtk_container_add (GTK_CONTAINER (scroller), self->view);
    gtk_box_pack_start (GTK_BOX (self), scroller, TRUE, TRUE, 0);
    row = gtk_button_box_new (GTK_ORIENTATION_HORIZONTAL);
    gtk_button_box_set_layout (GTK_BUTTON_BOX (row), GTK_BUTTONBOX_START);
    gtk_container_set_border_width (GTK_CONTAINER (row), 4);
    delete = gtk_button_new_with_label (_("Delete"));
    gtk_widget_set_tooltip_text (delete, _("Delete the selected breakpoint"));
    gtk_container_add (GTK_CONTAINER (row), delete);
    gtk_box_pack_start (GTK_BOX (self), row, FALSE, FALSE, 0);
    g_signal_connect (toggle, "toggled", G_CALLBACK (on_toggled), self);
    g_signal_connect_swapped (delete, "clicked", G_CALLBACK (delete_selected), self);
    g_signal_connect_swapped (self->view, "key-press-event", G_CALLBACK (on_key), self);
    gtk_widget_show_all (GTK_WIDGET (self));
    gtk_widget_hide (GTK_WIDGET (self));
}

GtkWidget *
gui_breakpoint_list_new (void)
{
    return g_object_new (GUI_TYPE_BREAKPOINT_LIST, NULL);
}
