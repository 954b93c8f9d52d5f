/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists core files recognised by content, whatever their names; the session opens them and
 * reports errors. */
#include "gui/dialogs/core-dialog.h"
#include <glib/gi18n.h>
#include <string.h>
#include "base/error.h"
#include "gui/dialogs/file-row.h"
#include "gui/kit/template.h"
#include "gui/kit/theme.h"
#include "session/sources.h"

enum { NAME, SIZE, WHEN, PATH, KEY }; /* the first ones as in core-dialog.ui */

struct _GuiCoreDialog {
    GuiStartDialog parent;
    char *start_folder;
    GtkListStore *store;
    Session *session;      /* NULL: on this host */
    GCancellable *looking; /* for the program; NULL: none yet */
    gboolean is_program_gone;
    GError *unread; /* why the folder cannot be listed; NULL */
    GtkWidget *folder, *pattern, *program, *problem, *view, *open;
};

G_DEFINE_TYPE (GuiCoreDialog, gui_core_dialog, GUI_TYPE_START_DIALOG)

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

    gtk_label_set_text (GTK_LABEL (self->problem), gone ? _ ("No such program")
                                                   : self->unread != NULL
                                                       ? base_error_get_shown (self->unread)
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
    g_clear_error (&self->unread);
    self->unread = g_steal_pointer (&error);
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
        session_list_folder_async (self->session, folder, G_MAXUINT, self->looking,
                                   on_program_folder, self);
    }
    check (self);
}

static void
begin_reading (GuiCoreDialog *self)
{
    g_autofree char *folder = g_canonicalize_filename (get_text (self->folder), NULL);

    session_list_cores_async (self->session, folder, get_text (self->pattern),
                              gui_start_dialog_begin_reading (GUI_START_DIALOG (self)),
                              on_cores, self);
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
    gui_start_dialog_start (GUI_START_DIALOG (self), &options);
}

/* What is in the folder is shown as soon as the dialog is there. */
static void
gui_core_dialog_constructed (GObject *object)
{
    GuiCoreDialog *self = GUI_CORE_DIALOG (object);

    G_OBJECT_CLASS (gui_core_dialog_parent_class)->constructed (object);
    gtk_entry_set_text (GTK_ENTRY (self->folder), self->start_folder);
    begin_reading (self);
    gtk_widget_grab_focus (self->view);
}

GUI_FINALIZE (gui_core_dialog, GuiCoreDialog, stop_looking (self);
              g_clear_error (&self->unread))

static void
gui_core_dialog_class_init (GuiCoreDialogClass *klass)
{
    G_OBJECT_CLASS (klass)->constructed = gui_core_dialog_constructed;
    G_OBJECT_CLASS (klass)->finalize = gui_core_dialog_finalize;
    G_OBJECT_CLASS (klass)->dispose = gui_properties_dispose;
    GUI_PROPERTIES (klass, GuiCoreDialog,
                    (session, SESSION_TYPE_SESSION, .flags = G_PARAM_CONSTRUCT_ONLY),
                    (start_folder, G_TYPE_STRING, .flags = G_PARAM_CONSTRUCT_ONLY));
    GUI_ENSURE (GUI_TYPE_FILE_ROW);
    GUI_TEMPLATE (klass, "core-dialog.ui");
    GUI_CHILDREN (klass, GuiCoreDialog, store, open, folder, pattern, program, view, problem);
    GUI_CALLBACKS (klass, on_open, check, begin_reading, on_program);
}

static void
gui_core_dialog_init (GuiCoreDialog *self)
{
    gtk_widget_init_template (GTK_WIDGET (self));
    gtk_tree_sortable_set_sort_column_id (GTK_TREE_SORTABLE (self->store), KEY,
                                          GTK_SORT_ASCENDING);
    gui_theme_name (self->open, "open-cores", NULL);
    gui_theme_name (self->problem, "core-problem", NULL);
    gui_theme_name (self->folder, "core-folder", NULL);
    gui_theme_name_by_label (self->pattern, self->pattern, "core-pattern");
    gui_theme_name (self->program, "core-program", NULL);
    gui_theme_name (self->view, "cores", _ ("Core Files"));
}

GtkWidget *
gui_core_dialog_new (GtkWindow *parent, Session *session, const char *folder)
{
    return g_object_new (GUI_TYPE_CORE_DIALOG, "transient-for", parent, "session", session,
                         "start-folder", folder, NULL);
}
