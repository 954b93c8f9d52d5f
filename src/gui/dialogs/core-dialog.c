/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists core files recognised by content, whatever their names; the session opens them and
 * reports errors. */
#include "gui/dialogs/core-dialog.h"
#include <glib/gi18n.h>
#include <string.h>
#include "gui/dialogs/file-row.h"
#include "gui/kit/theme.h"
#include "session/sources.h"

enum { NAME, SIZE, WHEN, PATH, KEY, N_COLUMNS };

struct _GuiCoreDialog {
    GtkWindow parent;
    GtkListStore *store;
    GCancellable *reading; /* of the folder; NULL: none yet */
    GCancellable *looking; /* for the program; NULL: none yet */
    gboolean is_program_gone;
    GtkWidget *folder, *pattern, *program, *problem, *view, *open;
};

G_DEFINE_TYPE (GuiCoreDialog, gui_core_dialog, GTK_TYPE_WINDOW)

static guint start_signal;

static const char *
get_text (GtkWidget *entry)
{
    return gtk_entry_get_text (GTK_ENTRY (entry));
}

static void
add_file (GuiCoreDialog *self, const SessionCoreFile *core)
{
    g_autofree char *key = g_utf8_collate_key_for_filename (core->name,
                                                            -1); /* core.2 before core.10 */
    g_autofree char *size = g_format_size (core->size);
    g_autoptr (GDateTime) time = g_date_time_new_from_unix_local (core->when_us
                                                                  / G_USEC_PER_SEC);
    g_autofree char *when = time != NULL ? g_date_time_format (time, "%x %H:%M")
                                         : g_strdup ("");

    gtk_list_store_insert_with_values (self->store, NULL, -1, NAME, core->name, SIZE, size,
                                       WHEN, when, PATH, core->path, KEY, key, -1);
}

static void
check (GuiCoreDialog *self)
{
    gboolean gone = self->is_program_gone;
    int n = gtk_tree_model_iter_n_children (GTK_TREE_MODEL (self->store), NULL);

    gtk_label_set_text (GTK_LABEL (self->problem), gone     ? _ ("No such program")
                                                   : n == 0 ? _ ("No matching core files")
                                                            : "");
    gtk_widget_set_sensitive (
        self->open, !gone
                        && gtk_tree_selection_count_selected_rows (
                               gtk_tree_view_get_selection (GTK_TREE_VIEW (self->view)))
                               > 0);
}

/* Initially selects all that were found. */
static void
on_cores (GObject *source, GAsyncResult *result, gpointer user)
{
    GuiCoreDialog *self = user;
    g_autoptr (GError) error = NULL;
    g_autoptr (GPtrArray) cores = session_list_cores_finish (result, &error);

    if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED)) {
        return; /* the dialog is gone, or asks for another folder */
    }
    gtk_list_store_clear (self->store);
    for (guint i = 0; cores != NULL && i < cores->len; i++) {
        add_file (self, cores->pdata[i]);
    }
    gtk_tree_selection_select_all (gtk_tree_view_get_selection (GTK_TREE_VIEW (self->view)));
    check (self);
}

static void
on_program_folder (GObject *source, GAsyncResult *result, gpointer user)
{
    g_autoptr (GError) error = NULL;
    g_autoptr (GPtrArray) names = session_list_folder_finish (result, &error);
    GuiCoreDialog *self = user;
    g_autofree char *name = NULL;

    if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED)) {
        return; /* the dialog is gone, or has another program */
    }
    name = g_path_get_basename (get_text (self->program));
    self->is_program_gone = TRUE;
    for (guint i = 0; names != NULL && i < names->len; i++) {
        self->is_program_gone &= strcmp (names->pdata[i], name) != 0;
    }
    check (self);
}

static void
stop_looking (GuiCoreDialog *self)
{
    g_cancellable_cancel (self->looking);
    g_clear_object (&self->looking);
}

static void
on_program (GuiCoreDialog *self)
{
    g_autofree char *program = g_canonicalize_filename (get_text (self->program), NULL);
    g_autofree char *folder = g_path_get_dirname (program);

    stop_looking (self);
    self->is_program_gone = FALSE; /* as far as is known */
    if (*get_text (self->program) != '\0') {
        self->looking = g_cancellable_new ();
        session_list_folder_async (NULL, folder, G_MAXUINT, self->looking, on_program_folder,
                                   self);
    }
    check (self);
}

static void
stop_reading (GuiCoreDialog *self)
{
    g_cancellable_cancel (self->reading);
    g_clear_object (&self->reading);
}

static void
begin_reading (GuiCoreDialog *self)
{
    g_autofree char *folder = g_canonicalize_filename (get_text (self->folder), NULL);

    stop_reading (self);
    self->reading = g_cancellable_new ();
    session_list_cores_async (NULL, folder, get_text (self->pattern), self->reading, on_cores,
                              self);
}

static void
on_open (GuiCoreDialog *self)
{
    GtkTreeModel *model;
    GList *rows = gtk_tree_selection_get_selected_rows (
        gtk_tree_view_get_selection (GTK_TREE_VIEW (self->view)), &model);
    g_autoptr (GPtrArray) files = g_ptr_array_new_with_free_func (g_free);
    const char *const nothing[] = { NULL };
    g_autofree char *program = NULL, *folder = NULL;
    SessionOptions options = { .argv = nothing, .timeout_s = 60 };

    for (GList *link = rows; link != NULL; link = link->next) {
        GtkTreeIter iter;
        char *path;

        gtk_tree_model_get_iter (model, &iter, link->data);
        gtk_tree_model_get (model, &iter, PATH, &path, -1);
        g_ptr_array_add (files, path);
    }
    g_list_free_full (rows, (GDestroyNotify) gtk_tree_path_free);
    if (files->len == 0) {
        return;
    }
    g_ptr_array_add (files, NULL);
    if (*get_text (self->program) != '\0') {
        program = g_canonicalize_filename (get_text (self->program), NULL);
        options.folder = folder = g_path_get_dirname (program); /* its build-id identifies it */
    }
    options.cores = (const char *const *) files->pdata;
    g_signal_emit (self, start_signal, 0, &options);
}

static gboolean
on_key (GuiCoreDialog *self, GdkEventKey *event)
{
    if (event->keyval == GDK_KEY_Escape) {
        gtk_window_close (GTK_WINDOW (self));
        return TRUE;
    }
    return FALSE;
}

static void
gui_core_dialog_finalize (GObject *object)
{
    stop_reading (GUI_CORE_DIALOG (object));
    stop_looking (GUI_CORE_DIALOG (object));
    g_object_unref (GUI_CORE_DIALOG (object)->store);
    G_OBJECT_CLASS (gui_core_dialog_parent_class)->finalize (object);
}

static void
gui_core_dialog_class_init (GuiCoreDialogClass *klass)
{
    G_OBJECT_CLASS (klass)->finalize = gui_core_dialog_finalize;
    start_signal = g_signal_new ("start", GUI_TYPE_CORE_DIALOG, G_SIGNAL_RUN_LAST, 0, NULL,
                                 NULL, NULL, G_TYPE_NONE, 1, G_TYPE_POINTER);
}

static GtkWidget *
build_list (GuiCoreDialog *self)
{
    static const char *const titles[] = { N_ ("File"), N_ ("Size"), N_ ("Since") };
    GtkWidget *scroller = gtk_scrolled_window_new (NULL, NULL);
    GtkTreeSelection *selection;

    self->store = gtk_list_store_new (N_COLUMNS, G_TYPE_STRING, G_TYPE_STRING, G_TYPE_STRING,
                                      G_TYPE_STRING, G_TYPE_STRING);
    gtk_tree_sortable_set_sort_column_id (GTK_TREE_SORTABLE (self->store), KEY,
                                          GTK_SORT_ASCENDING);
    self->view = gtk_tree_view_new_with_model (GTK_TREE_MODEL (self->store));
    for (guint i = 0; i < G_N_ELEMENTS (titles); i++) {
        gtk_tree_view_insert_column_with_attributes (GTK_TREE_VIEW (self->view), -1,
                                                     _ (titles[i]),
                                                     gtk_cell_renderer_text_new (), "text",
                                                     (int) i, NULL);
    }
    gui_theme_name (self->view, "cores", _ ("Core Files"));
    selection = gtk_tree_view_get_selection (GTK_TREE_VIEW (self->view));
    gtk_tree_selection_set_mode (selection, GTK_SELECTION_MULTIPLE);
    gtk_container_add (GTK_CONTAINER (scroller), self->view);
    g_signal_connect_swapped (selection, "changed", G_CALLBACK (check), self);
    g_signal_connect_swapped (self->view, "row-activated", G_CALLBACK (on_open), self);
    return scroller;
}

static void
build_header (GuiCoreDialog *self)
{
    GtkWidget *header = gtk_header_bar_new ();

    gtk_header_bar_set_show_close_button (GTK_HEADER_BAR (header), TRUE);
    self->open = gtk_button_new_with_mnemonic (_ ("_Open"));
    gui_theme_name (self->open, "open-cores", NULL);
    gtk_style_context_add_class (gtk_widget_get_style_context (self->open), "suggested-action");
    gtk_header_bar_pack_end (GTK_HEADER_BAR (header), self->open);
    gtk_widget_show_all (header);
    gtk_window_set_titlebar (GTK_WINDOW (self), header);
    gtk_window_set_title (GTK_WINDOW (self), _ ("Core Files"));
    g_signal_connect_swapped (self->open, "clicked", G_CALLBACK (on_open), self);
}

static void
gui_core_dialog_init (GuiCoreDialog *self)
{
    GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 8), *grid = gtk_grid_new ();
    GtkWidget *list = build_list (self);

    build_header (self);
    gtk_grid_set_row_spacing (GTK_GRID (grid), 6);
    gtk_grid_set_column_spacing (GTK_GRID (grid), 8);
    self->folder = gui_file_row_add (GTK_GRID (grid), 0, _ ("_Folder"), "core-folder",
                                     GUI_FILE_ROW_FOLDER);
    self->pattern = gui_file_row_add (GTK_GRID (grid), 1, _ ("_Named"), "core-pattern",
                                      GUI_FILE_ROW_TEXT);
    self->program = gui_file_row_add (GTK_GRID (grid), 2, _ ("_Program"), "core-program",
                                      GUI_FILE_ROW_FILE);
    gtk_entry_set_text (GTK_ENTRY (self->pattern), "*core*");
    gtk_entry_set_placeholder_text (GTK_ENTRY (self->program),
                                    _ ("Only if it has moved since it ended"));
    self->problem = gtk_label_new (NULL);
    gtk_style_context_add_class (gtk_widget_get_style_context (self->problem), "pddt-error");
    gui_theme_name (self->problem, "core-problem", NULL);
    gtk_container_set_border_width (GTK_CONTAINER (box), 12);
    gtk_box_pack_start (GTK_BOX (box), grid, FALSE, FALSE, 0);
    gtk_box_pack_start (GTK_BOX (box), list, TRUE, TRUE, 0);
    gtk_box_pack_start (GTK_BOX (box), self->problem, FALSE, FALSE, 0);
    gtk_container_add (GTK_CONTAINER (self), box);
    gtk_widget_show_all (box);
    gtk_window_set_default_size (GTK_WINDOW (self), 640, 440);
    g_signal_connect_swapped (self->folder, "changed", G_CALLBACK (begin_reading), self);
    g_signal_connect_swapped (self->pattern, "changed", G_CALLBACK (begin_reading), self);
    g_signal_connect_swapped (self->program, "changed", G_CALLBACK (on_program), self);
    g_signal_connect (self, "key-press-event", G_CALLBACK (on_key), NULL);
}

GtkWidget *
gui_core_dialog_new (GtkWindow *parent, const char *folder)
{
    GuiCoreDialog *self = g_object_new (GUI_TYPE_CORE_DIALOG, "transient-for", parent,
                                        "destroy-with-parent", TRUE, NULL);

    gtk_entry_set_text (GTK_ENTRY (self->folder), folder);
    begin_reading (self);
    gtk_widget_grab_focus (self->view);
    return GTK_WIDGET (self);
}
