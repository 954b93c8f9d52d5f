/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "widgets.h"
#include "gui/kit/settings.h"
#include "gui/kit/theme.h"

enum { QUIET_MS = 30, N_QUIET = 2 };

typedef struct {
    const char *id;
    GtkWidget *found;
} Search;

static void
search (GtkWidget *widget, gpointer user)
{
    Search *wanted = user;
    AtkObject *accessible = gtk_widget_get_accessible (widget);

    if (g_strcmp0 (atk_object_get_accessible_id (accessible), wanted->id) == 0) {
        wanted->found = widget;
    }
    if (GTK_IS_CONTAINER (widget)) {
        gtk_container_forall (GTK_CONTAINER (widget), search, user);
    }
}

GtkWidget *
widgets_find (GtkWidget *root, const char *id)
{
    Search wanted = { id, NULL };

    search (root, &wanted);
    if (wanted.found == NULL) {
        g_error ("there is no \"%s\"", id);
    }
    return wanted.found;
}

static gboolean
count_quiet (gpointer quiet)
{
    ++*(guint *) quiet;
    return G_SOURCE_CONTINUE;
}

void
widgets_settle (void)
{
    guint quiet = 0, source = g_timeout_add_full (G_PRIORITY_LOW + 100, QUIET_MS, count_quiet,
                                                  &quiet, NULL);

    while (quiet < N_QUIET) {
        g_main_context_iteration (NULL, TRUE);
    }
    g_source_remove (source);
}

GtkApplication *
widgets_start (int *argc, char ***argv)
{
    GtkApplication *application;

    gui_settings_init ();
    gtk_test_init (argc, argv, NULL);
    gui_theme_init ();
    application = gtk_application_new ("org.pddt.Test", G_APPLICATION_NON_UNIQUE);
    g_assert_true (g_application_register (G_APPLICATION (application), NULL, NULL));
    return application;
}
