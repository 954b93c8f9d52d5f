/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the schema relative to the program: an installation works wherever it is moved to. */
#include "gui/kit/settings.h"

void
gui_settings_init (void)
{
    g_autofree char *exe = g_file_read_link ("/proc/self/exe", NULL);
    g_autofree char *folder = exe != NULL ? g_path_get_dirname (exe) : NULL;
    static const char *const places[] = { "../../data", "../data",
                                          "../../share/glib-2.0/schemas" };

    for (guint i = 0; folder != NULL && i < G_N_ELEMENTS (places); i++) {
        g_autofree char *dir = g_build_filename (folder, places[i], NULL);
        g_autofree char *file = g_build_filename (dir, "gschemas.compiled", NULL);

        if (g_file_test (file, G_FILE_TEST_EXISTS)) {
            g_setenv ("GSETTINGS_SCHEMA_DIR", dir, FALSE);
            return;
        }
    }
}

GSettings *
gui_settings_get (void)
{
    static GSettings *settings;
    GSettingsSchemaSource *source = g_settings_schema_source_get_default ();
    g_autoptr (GSettingsSchema) schema = NULL;

    if (settings == NULL && source != NULL) {
        schema = g_settings_schema_source_lookup (source, "org.pddt.Pddt", TRUE);
        settings = schema != NULL ? g_settings_new ("org.pddt.Pddt") : NULL;
    }
    return settings;
}

static gboolean
on_configure (GtkWidget *widget, GdkEvent *event, gpointer name)
{
    int width, height;
    g_autofree char *key = g_strconcat (name, "-size", NULL);

    gtk_window_get_size (GTK_WINDOW (widget), &width, &height);
    if (!gtk_window_is_maximized (GTK_WINDOW (widget))) {
        g_settings_set (gui_settings_get (), key, "(ii)", width, height);
    }
    return FALSE;
}

void
gui_settings_restore_size (GtkWindow *window, const char *name, int width, int height)
{
    if (gui_settings_get () != NULL) {
        g_autofree char *key = g_strconcat (name, "-size", NULL);

        g_settings_get (gui_settings_get (), key, "(ii)", &width, &height);
        g_signal_connect (window, "configure-event", G_CALLBACK (on_configure),
                          (gpointer) name);
    }
    gtk_window_set_default_size (window, width, height);
}
