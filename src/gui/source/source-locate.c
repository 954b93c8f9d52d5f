/* SPDX-License-Identifier: GPL-3.0-or-later */
/* GTK's chooser browses the user's own disk. What is chosen there counts when the job's host has it, too, which the
 * session asks its backend. */
#include "gui/source/source-locate.h"
#include <glib/gi18n.h>
#include <string.h>
#include "base/array.h"
#include "base/error.h"
#include "gui/kit/chooser.h"
#include "session/sources.h"

typedef struct {
    GtkWidget *widget;
    Session *session;
    char *file;
    GuiSourceLocateFailed failed;
} Search;

static Search *
new_search (GtkWidget *widget, Session *session, const char *file, GuiSourceLocateFailed failed)
{
    Search *search = g_new (Search, 1);

    *search = (Search){ g_object_ref (widget), g_object_ref (session), g_strdup (file),
                        failed };
    return search;
}

BASE_FREE (free_search, Search, search, g_object_unref (search->widget);
           g_object_unref (search->session); g_free (search->file))

static void
on_located (GObject *session, GAsyncResult *result, gpointer user)
{
    Search *search = user;
    g_autoptr (GError) error = NULL;

    if (!session_locate_source_finish (result, &error)) {
        search->failed (search->widget, search->file, base_error_get_shown (error));
    }
    free_search (search);
}

void
gui_source_locate (GtkWidget *widget, Session *session, const char *file, const char *there,
                   GuiSourceLocateFailed failed)
{
    session_locate_source_async (session, file, there, NULL, on_located,
                                 new_search (widget, session, file, failed));
}

static void
on_chosen (GtkWidget *widget, const char *there, GtkFileChooserNative *chooser)
{
    const Search *search = g_object_get_data (G_OBJECT (chooser), "search");

    gui_source_locate (widget, search->session, search->file, there, search->failed);
}

/* Where the file would be, as far as there are such folders. Caller owns. */
static char *
dup_folder (const char *file)
{
    char *folder = g_path_get_dirname (file);

    while (strlen (folder) > 1 && !g_file_test (folder, G_FILE_TEST_IS_DIR)) {
        char *above = g_path_get_dirname (folder);

        g_free (folder);
        folder = above;
    }
    return folder;
}

void
gui_source_locate_choose (GtkWidget *widget, Session *session, const char *file,
                          GuiSourceLocateFailed failed)
{
    g_autofree char *name = g_path_get_basename (file), *folder = dup_folder (file);
    /* Translators: the title of a file chooser, with the name of a file. */
    g_autofree char *title = g_strdup_printf (_ ("Locate %s"), name);
    GtkFileChooserNative *chooser
        = gtk_file_chooser_native_new (title, GTK_WINDOW (gtk_widget_get_toplevel (widget)),
                                       GTK_FILE_CHOOSER_ACTION_OPEN, NULL, NULL);

    gtk_file_chooser_set_current_folder (GTK_FILE_CHOOSER (chooser), folder);
    g_object_set_data_full (G_OBJECT (chooser), "search",
                            new_search (widget, session, file, failed), free_search);
    gui_chooser_show (chooser, widget, on_chosen);
}
