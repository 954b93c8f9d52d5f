/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Generated from the table of keys, so that it always matches what the keys do. */
#include "gui/dialogs/keys-window.h"
#include <glib/gi18n.h>
#include "gui/kit/keys.h"
#include "gui/kit/settings.h"
#include "gui/kit/theme.h"

enum { MAX_GROUP = 10 };

/* A group for the next rows, so that they flow into columns; the first one has the title. */
static GtkContainer *
add_group (GtkContainer *section, const char *title)
{
    GtkWidget *group = g_object_new (GTK_TYPE_SHORTCUTS_GROUP, "title", title, "visible", TRUE,
                                     NULL);

    gtk_container_add (section, group);
    return GTK_CONTAINER (group);
}

static void
add_row (GtkContainer *group, const char *title, const char *keys)
{
    gtk_container_add (group, g_object_new (GTK_TYPE_SHORTCUTS_SHORTCUT, "title", title,
                                            "accelerator", keys, "visible", TRUE, NULL));
}

static void
add_rows (GtkContainer *section, const char *title, GtkApplication *application)
{
    guint n, n_added = 0;
    const GuiKeyRow *rows = gui_keys_get_table (&n);
    GtkContainer *group = NULL;

    for (guint i = 0; i < n; i++) {
        g_auto (GStrv) keys = gtk_application_get_accels_for_action (application,
                                                                     rows[i].action);
        g_autofree char *all = g_strjoinv (" ", keys);

        if (*all != '\0') {
            if (n_added++ % MAX_GROUP == 0) {
                group = add_group (section, group == NULL ? title : " ");
            }
            add_row (group, gui_keys_get_title (rows[i].action), all);
        }
    }
    add_row (group, _ ("The windows, in the order in which they were opened"), "<Alt>1...9");
}

/* It is hidden, not destroyed, when it is closed: GTK 3.24's accessible of its popover speaks of its
 * parent even when that is gone, and says so on stderr. */
static GtkWidget *
new_window (GtkWindow *parent, const char *title)
{
    GtkWidget *window = g_object_new (GTK_TYPE_SHORTCUTS_WINDOW, "transient-for", parent,
                                      "modal", FALSE, "destroy-with-parent", TRUE, NULL);
    GtkWidget *section = g_object_new (GTK_TYPE_SHORTCUTS_SECTION, "section-name", "keys",
                                       "visible", TRUE, "max-height", MAX_GROUP + 2u, NULL);

    add_rows (GTK_CONTAINER (section), title, gtk_window_get_application (parent));
    gtk_container_add (GTK_CONTAINER (window), section);
    gui_theme_name_buttons (gtk_window_get_titlebar (GTK_WINDOW (window)), _ ("Search"));
    gtk_window_set_title (GTK_WINDOW (window), title); /* for screen readers and window lists */
    g_signal_connect (window, "delete-event", G_CALLBACK (gtk_widget_hide_on_delete), NULL);
    return window;
}

void
gui_keys_window_show (GtkWindow *parent)
{
    GSettings *settings = gui_settings_get ();
    g_autofree char *set = settings != NULL ? g_settings_get_string (settings, "key-set")
                                            : NULL;
    g_autofree char *title = g_strdup_printf (_ ("Keyboard Shortcuts: %s"),
                                              gui_keys_get_set_title (gui_keys_find_set (set)));
    GtkWidget *window = g_object_get_data (G_OBJECT (parent), title);

    if (window == NULL) {
        window = new_window (parent, title);
        g_object_set_data (G_OBJECT (parent), title, window); /* both go with the parent */
    }
    gtk_window_present (GTK_WINDOW (window));
}
