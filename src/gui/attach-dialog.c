/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads /proc when it is opened and on Update; what ends meanwhile is the session's to say. */
#include "gui/attach-dialog.h"
#include <glib/gi18n.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "gui/theme.h"

enum { PID, IS_LAUNCHER, COMMAND, N_COLUMNS };

struct _GuiAttachDialog {
    GtkWindow parent;
    GtkListStore *store;
    GtkTreeModel *shown;
    GtkWidget *view, *filter, *attach;
};

G_DEFINE_TYPE (GuiAttachDialog, gui_attach_dialog, GTK_TYPE_WINDOW)

static guint start_signal;

static gboolean
is_launcher (const char *command)
{
    static const char *const names[] = { "mpirun", "mpiexec", "mpiexec.hydra", "orterun", "prun",
                                         "prterun", "srun", NULL };
    g_autofree char *word = g_strndup (command, strcspn (command, " "));
    g_autofree char *name = g_path_get_basename (word);

    return g_strv_contains (names, name);
}

/* NULL: not the user's, a kernel thread, or gone. */
static char *
dup_command (guint pid)
{
    g_autofree char *file = g_strdup_printf ("/proc/%u/cmdline", pid);
    g_autofree char *folder = g_strdup_printf ("/proc/%u", pid);
    char *content = NULL;
    gsize size = 0;
    struct stat info;

    if (stat (folder, &info) != 0 || info.st_uid != getuid ()
        || !g_file_get_contents (file, &content, &size, NULL) || size == 0) {
        g_free (content);
        return NULL;
    }
    for (gsize i = 0; i + 1 < size; i++) {
        content[i] = content[i] == '\0' || content[i] == '\n' ? ' ' : content[i];
    }
    g_autofree char *raw = content;
    return g_utf8_make_valid (raw, -1);
}

static void
fill (GuiAttachDialog *self)
{
    g_autoptr (GDir) dir = g_dir_open ("/proc", 0, NULL);
    const char *name;

    gtk_list_store_clear (self->store);
    while (dir != NULL && (name = g_dir_read_name (dir)) != NULL) {
        guint64 pid = 0;
        g_autofree char *command = g_ascii_string_to_unsigned (name, 10, 1, G_MAXINT, &pid, NULL)
                                 ? dup_command ((guint) pid) : NULL;

        if (command != NULL && pid != (guint64) getpid ()) {
            gtk_list_store_insert_with_values (self->store, NULL,
                is_launcher (command) ? 0 : -1, PID, (guint) pid, IS_LAUNCHER,
                is_launcher (command), COMMAND, command, -1);
        }
    }
}

static gboolean
is_shown (GtkTreeModel *model, GtkTreeIter *iter, gpointer user)
{
    const char *filter = gtk_entry_get_text (GTK_ENTRY (GUI_ATTACH_DIALOG (user)->filter));
    g_autofree char *command = NULL, *number = NULL;
    guint pid;

    gtk_tree_model_get (model, iter, COMMAND, &command, PID, &pid, -1);
    number = g_strdup_printf ("%u", pid);
    return *filter == '\0' || (command != NULL && strstr (command, filter) != NULL)
        || g_str_has_prefix (number, filter);
}

static void
on_attach (GuiAttachDialog *self)
{
    GtkTreeSelection *selection = gtk_tree_view_get_selection (GTK_TREE_VIEW (self->view));
    GList *rows = gtk_tree_selection_get_selected_rows (selection, NULL);
    g_autoptr (GString) pids = g_string_new (NULL);
    const char *const nothing[] = { NULL };
    SessionOptions options = { .argv = nothing, .timeout_s = 60 };
    gboolean is_job = FALSE;

    for (GList *link = rows; link != NULL; link = link->next) {
        GtkTreeIter iter;
        guint pid;

        gtk_tree_model_get_iter (self->shown, &iter, link->data);
        gtk_tree_model_get (self->shown, &iter, PID, &pid, IS_LAUNCHER, &is_job, -1);
        g_string_append_printf (pids, "%s%u", pids->len > 0 ? "," : "", pid);
    }
    options.attach = rows != NULL && rows->next == NULL && is_job ? NULL : pids->str;
    options.attach_job = options.attach == NULL ? pids->str : NULL;
    g_list_free_full (rows, (GDestroyNotify) gtk_tree_path_free);
    if (pids->len > 0) {
        g_signal_emit (self, start_signal, 0, &options);
    }
}

static void
on_selection (GuiAttachDialog *self)
{
    gtk_widget_set_sensitive (self->attach, gtk_tree_selection_count_selected_rows (
        gtk_tree_view_get_selection (GTK_TREE_VIEW (self->view))) > 0);
}

static void
gui_attach_dialog_finalize (GObject *object)
{
    g_object_unref (GUI_ATTACH_DIALOG (object)->shown);
    g_object_unref (GUI_ATTACH_DIALOG (object)->store);
    G_OBJECT_CLASS (gui_attach_dialog_parent_class)->finalize (object);
}

static void
gui_attach_dialog_class_init (GuiAttachDialogClass *klass)
{
    G_OBJECT_CLASS (klass)->finalize = gui_attach_dialog_finalize;
    start_signal = g_signal_new ("start", GUI_TYPE_ATTACH_DIALOG, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                 NULL, G_TYPE_NONE, 1, G_TYPE_POINTER);
}

static void
build_header (GuiAttachDialog *self)
{
    GtkWidget *header = gtk_header_bar_new ();

    gtk_header_bar_set_show_close_button (GTK_HEADER_BAR (header), TRUE);
    gtk_header_bar_set_title (GTK_HEADER_BAR (header), _("Attach"));
    self->attach = gtk_button_new_with_label (_("Attach"));
    gui_theme_name (self->attach, "attach", NULL);
    gtk_style_context_add_class (gtk_widget_get_style_context (self->attach), "suggested-action");
    gtk_widget_set_sensitive (self->attach, FALSE);
    gtk_header_bar_pack_end (GTK_HEADER_BAR (header), self->attach);
    gtk_widget_show_all (header);
    gtk_window_set_titlebar (GTK_WINDOW (self), header);
    gtk_window_set_title (GTK_WINDOW (self), _("Attach"));
    g_signal_connect_swapped (self->attach, "clicked", G_CALLBACK (on_attach), self);
}

static void
build_list (GuiAttachDialog *self)
{
    static const char *const titles[] = { N_("Process"), N_("Command") };
    static const int columns[] = { PID, COMMAND };
    GtkTreeSelection *selection;

    self->store = gtk_list_store_new (N_COLUMNS, G_TYPE_UINT, G_TYPE_BOOLEAN, G_TYPE_STRING);
    self->shown = gtk_tree_model_filter_new (GTK_TREE_MODEL (self->store), NULL);
    gtk_tree_model_filter_set_visible_func (GTK_TREE_MODEL_FILTER (self->shown), is_shown, self,
                                            NULL);
    self->view = gtk_tree_view_new_with_model (self->shown);
    for (guint i = 0; i < G_N_ELEMENTS (columns); i++) {
        gtk_tree_view_insert_column_with_attributes (GTK_TREE_VIEW (self->view), -1, _(titles[i]),
            gtk_cell_renderer_text_new (), "text", columns[i], NULL);
    }
    gui_theme_name (self->view, "processes", _("Processes"));
    selection = gtk_tree_view_get_selection (GTK_TREE_VIEW (self->view));
    gtk_tree_selection_set_mode (selection, GTK_SELECTION_MULTIPLE);
    g_signal_connect_swapped (selection, "changed", G_CALLBACK (on_selection), self);
    g_signal_connect_swapped (self->view, "row-activated", G_CALLBACK (on_attach), self);
}

static void
gui_attach_dialog_init (GuiAttachDialog *self)
{
    GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);
    GtkWidget *scroller = gtk_scrolled_window_new (NULL, NULL);

    self->filter = gtk_search_entry_new ();
    gui_theme_name (self->filter, "process-filter", _("Command"));
    build_header (self);
    build_list (self);
    gtk_container_add (GTK_CONTAINER (scroller), self->view);
    gtk_container_set_border_width (GTK_CONTAINER (box), 8);
    gtk_box_pack_start (GTK_BOX (box), self->filter, FALSE, FALSE, 0);
    gtk_box_pack_start (GTK_BOX (box), scroller, TRUE, TRUE, 0);
    gtk_container_add (GTK_CONTAINER (self), box);
    gtk_widget_show_all (box);
    gtk_window_set_default_size (GTK_WINDOW (self), 720, 420);
    g_signal_connect_swapped (self->filter, "search-changed",
                              G_CALLBACK (gtk_tree_model_filter_refilter), self->shown);
    fill (self);
}

GtkWidget *
gui_attach_dialog_new (GtkWindow *parent)
{
    return g_object_new (GUI_TYPE_ATTACH_DIALOG, "transient-for", parent, "destroy-with-parent",
                         TRUE, NULL);
}
