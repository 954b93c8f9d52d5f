/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Made from the table of keys, so that it cannot say anything else than what the keys do. */
#include "gui/keys-window.h"
#include <glib/gi18n.h>
#include "gui/keys.h"

static void
add_rows (GtkContainer *group, GtkApplication *application)
{
    guint n;
    const GuiKeyRow *rows = gui_keys_get_table (&n);

    for (guint i = 0; i < n; i++) {
        g_auto (GStrv) keys = gtk_application_get_accels_for_action (application, rows[i].action);
        const char *title = gui_keys_get_title (rows[i].action);
        g_autofree char *all = g_strjoinv (" ", keys);

        if (*all != '\0') {
            GtkWidget *shortcut = g_object_new (GTK_TYPE_SHORTCUTS_SHORTCUT, "title", title,
                                                "accelerator", all, "visible", TRUE, NULL);

            gtk_container_add (group, shortcut);
        }
    }
}

void
gui_keys_window_show (GtkWindow *parent)
{
    GtkWidget *window = g_object_new (GTK_TYPE_SHORTCUTS_WINDOW, "transient-for", parent, "modal",
                                      FALSE, "destroy-with-parent", TRUE, NULL);
    GtkWidget *section = g_object_new (GTK_TYPE_SHORTCUTS_SECTION, "section-name", "keys",
                                       "visible", TRUE, "max-height", 12u, NULL);
    GtkWidget *group = g_object_new (GTK_TYPE_SHORTCUTS_GROUP, "title", _("Keys"), "visible", TRUE,
                                     NULL);

    add_rows (GTK_CONTAINER (group), gtk_window_get_application (parent));
    gtk_container_add (GTK_CONTAINER (section), group);
    gtk_container_add (GTK_CONTAINER (window), section);
    gtk_window_present (GTK_WINDOW (window));
}
