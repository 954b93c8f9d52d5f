/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the manual relative to the program; the desktop chooses the viewer. */
#include "gui/kit/manual.h"
#include <glib/gi18n.h>
#include "gui/kit/manual-window.h"

static char *
find_page (void)
{
    static const char *const places[] = { "../../doc", "../share/doc/pddt/html",
                                          "../../share/doc/pddt/html" };
    g_autofree char *exe = g_file_read_link ("/proc/self/exe", NULL);
    g_autofree char *folder = exe != NULL ? g_path_get_dirname (exe) : g_strdup (".");

    for (guint i = 0; i < G_N_ELEMENTS (places); i++) {
        g_autofree char *page = g_build_filename (folder, places[i], "index.html", NULL);

        if (g_file_test (page, G_FILE_TEST_IS_REGULAR)) {
            return g_canonicalize_filename (page, NULL);
        }
    }
    return NULL;
}

static void
show_problem (GtkWindow *parent, const char *problem)
{
    GtkWidget *dialog = gtk_message_dialog_new (parent, GTK_DIALOG_DESTROY_WITH_PARENT,
                                                GTK_MESSAGE_WARNING, GTK_BUTTONS_CLOSE, "%s",
                                                _ ("Cannot open the manual"));

    gtk_message_dialog_format_secondary_text (GTK_MESSAGE_DIALOG (dialog), "%s", problem);
    g_signal_connect (dialog, "response", G_CALLBACK (gtk_widget_destroy), NULL);
    gtk_window_present (GTK_WINDOW (dialog));
}

/* Without one, opening an address may do nothing and say nothing. */
static gboolean
has_browser (void)
{
    g_autoptr (GAppInfo) viewer = g_app_info_get_default_for_type ("text/html", TRUE);

    return viewer != NULL;
}

void
gui_manual_show (GtkWindow *parent)
{
    g_autofree char *page = find_page (), *uri = NULL;
    g_autoptr (GError) error = NULL;

    if (page == NULL) {
        show_problem (parent, _ ("It is not part of this installation."));
        return;
    }
    uri = g_filename_to_uri (page, NULL, NULL);
    if (!has_browser ()) {
        gui_manual_window_open (parent, page);
    } else if (!gtk_show_uri_on_window (parent, uri, GDK_CURRENT_TIME, &error)) {
        g_autofree char *problem = g_strdup_printf ("%s\n%s", page, error->message);

        show_problem (parent, problem);
    }
}
