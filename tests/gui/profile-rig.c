/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile-rig.h"
#include <string.h>
#include "gui/profile/profile-calls.h"
#include "gui/profile/profile-functions.h"
#include "gui/profile/profile-source.h"
#include "profile-sample.h"
#include "widgets.h"

enum { LIMIT_MS = 120000 };

void
profile_rig_wait_for (ProfileRig *rig, ProfileRigFact fact, const char *what)
{
    gint64 end_us = g_get_monotonic_time () + LIMIT_MS * 1000;

    while (!fact (rig)) {
        if (g_get_monotonic_time () > end_us) {
            g_error ("waited in vain for %s", what);
        }
        if (!g_main_context_iteration (NULL, FALSE)) {
            g_usleep (1000);
        }
    }
}

static void
on_go_to_source (GtkWidget *view, const char *file, guint line, ProfileRig *rig)
{
    g_free (rig->file);
    rig->file = g_strdup (file);
    rig->line = line;
    rig->n_sources++;
}

static void
on_debug_here (GtkWidget *view, const char *file, guint line, ProfileRig *rig)
{
    rig->n_debugs++;
}

static void
add_view (ProfileRig *rig, GtkWidget *view)
{
    gtk_container_add (GTK_CONTAINER (rig->stack), view);
    g_signal_connect (view, "go-to-source", G_CALLBACK (on_go_to_source), rig);
    g_signal_connect (view, "debug-here", G_CALLBACK (on_debug_here), rig);
}

void
profile_rig_init (ProfileRig *rig, const char *folder, Session *session)
{
    *rig = (ProfileRig){ NULL };
    rig->model = profile_sample_new (8, 1000, 50, folder);
    rig->selection = gui_profile_selection_new ();
    gui_profile_selection_set_model (rig->selection, rig->model);
    rig->window = gtk_window_new (GTK_WINDOW_TOPLEVEL);
    rig->stack = gtk_stack_new ();
    rig->calls = gui_profile_calls_new (rig->selection);
    rig->functions = gui_profile_functions_new (rig->selection);
    rig->source = gui_profile_source_new (rig->selection);
    if (session != NULL) {
        g_object_set (rig->source, "session", session, NULL);
    }
    add_view (rig, rig->calls);
    add_view (rig, rig->functions);
    add_view (rig, rig->source);
    gtk_container_add (GTK_CONTAINER (rig->window), rig->stack);
    gtk_window_set_default_size (GTK_WINDOW (rig->window), 1000, 640);
    gtk_widget_show_all (rig->window);
    widgets_settle ();
}

void
profile_rig_clear (ProfileRig *rig)
{
    gtk_widget_destroy (rig->window);
    widgets_settle ();
    g_object_unref (rig->selection);
    profile_model_free (rig->model);
    g_free (rig->file);
}

void
profile_rig_show_view (ProfileRig *rig, GtkWidget *view)
{
    gtk_stack_set_visible_child (GTK_STACK (rig->stack), view);
    widgets_settle ();
}

GtkTreeModel *
profile_rig_get_rows (ProfileRig *rig)
{
    return gtk_tree_view_get_model (GTK_TREE_VIEW (widgets_find (rig->window,
                                                                 "function-list")));
}

static char *
dup_first (ProfileRig *rig, const char *list, guint *ret_n)
{
    GtkTreeModel *model
        = gtk_tree_view_get_model (GTK_TREE_VIEW (widgets_find (rig->window, list)));
    GtkTreeIter iter;
    char *name = NULL;

    *ret_n = (guint) gtk_tree_model_iter_n_children (model, NULL);
    if (gtk_tree_model_get_iter_first (model, &iter)) {
        gtk_tree_model_get (model, &iter, 0, &name, -1);
    }
    return name;
}

void
profile_rig_assert_list (ProfileRig *rig, const char *list, const char *first, guint n)
{
    guint its_n;
    g_autofree char *name = dup_first (rig, list, &its_n);

    g_assert_cmpstr (name, ==, first);
    g_assert_cmpuint (its_n, ==, n);
}

void
profile_rig_press_key (ProfileRig *rig, GtkWidget *widget, guint key)
{
    GdkEvent *event = gdk_event_new (GDK_KEY_PRESS);
    gboolean is_taken = FALSE;

    event->key.window = g_object_ref (gtk_widget_get_window (widget));
    event->key.keyval = key;
    g_signal_emit_by_name (widget, "key-press-event", event, &is_taken);
    gdk_event_free (event);
    g_assert_true (is_taken);
    widgets_settle ();
}

static GtkTextBuffer *
get_buffer (ProfileRig *rig)
{
    return gtk_text_view_get_buffer (GTK_TEXT_VIEW (widgets_find (rig->window, "source")));
}

gboolean
profile_rig_has_source (ProfileRig *rig)
{
    GtkTextIter start, end;
    g_autofree char *text = NULL;

    gtk_text_buffer_get_bounds (get_buffer (rig), &start, &end);
    text = gtk_text_buffer_get_text (get_buffer (rig), &start, &end, FALSE);
    return strstr (text, "def time_step") != NULL;
}

gboolean
profile_rig_is_missing (ProfileRig *rig)
{
    GtkWidget *bar = gtk_widget_get_ancestor (widgets_find (rig->window, "missing-source"),
                                              GTK_TYPE_INFO_BAR);

    return gtk_widget_get_visible (bar);
}
