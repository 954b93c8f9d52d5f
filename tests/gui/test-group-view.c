/* SPDX-License-Identifier: GPL-3.0-or-later */
/* So many ranks that the view looks at them in parts, one in a turn of the loop. */
#include <string.h>
#include "gui/group/group-view.h"
#include "gui/kit/command-panel.h"
#include "session/session.h"
#include "widgets.h"

enum { N_RANKS = 5000, LIMIT_S = 120 };

typedef struct {
    Session *session;
    GtkWidget *text;
    gboolean tells; /* of changes; the session would tell of them some time later */
    guint n_changes;
} Rig;

static void
ignore_request (const JobRequest *request, gpointer user)
{
}

static void
on_states_changed (Session *session, guint first, guint end, Rig *rig)
{
    if (!rig->tells) {
        g_signal_stop_emission_by_name (session, "states-changed");
    }
}

/* The view is told at once, and once. */
static void
be_in (Rig *rig, JobState state)
{
    g_autoptr (JobRankSet) all = job_rank_set_new_range (0, N_RANKS);
    g_autoptr (JobEvent) event = job_event_new (JOB_EVENT_STATE, 0, all);

    event->state = state;
    session_apply (rig->session, event);
    rig->tells = TRUE;
    g_signal_emit_by_name (rig->session, "states-changed", 0, N_RANKS);
    rig->tells = FALSE;
}

/* The face has just been looked at; the other parts have not. */
static void
on_text (Rig *rig)
{
    if (strstr (gtk_label_get_text (GTK_LABEL (rig->text)), "running") != NULL
        && rig->n_changes++ == 0) {
        be_in (rig, JOB_STATE_EXITED);
    }
}

static void
test_changes_between (void)
{
    Rig rig = { .session = session_new () };
    g_autoptr (JobRankSet) all = job_rank_set_new_range (0, N_RANKS);
    GtkWidget *window = gtk_window_new (GTK_WINDOW_TOPLEVEL), *view, *panel;
    GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
    gint64 limit_us = g_get_monotonic_time () + LIMIT_S * G_USEC_PER_SEC;

    g_signal_connect (rig.session, "states-changed", G_CALLBACK (on_states_changed), &rig);
    session_start_scripted (rig.session, N_RANKS, ignore_request, NULL);
    panel = g_object_new (GUI_TYPE_COMMAND_PANEL, "visible", TRUE, "session", rig.session,
                          NULL);
    view = g_object_new (GUI_TYPE_GROUP_VIEW, "visible", TRUE, "panel", panel, "ranks", all,
                         NULL);
    gtk_container_add (GTK_CONTAINER (box), view);
    gtk_container_add (GTK_CONTAINER (box), panel);
    gtk_container_add (GTK_CONTAINER (window), box);
    gtk_widget_show_all (window);
    rig.text = widgets_find (window, "face-text");
    g_signal_connect_swapped (rig.text, "notify::label", G_CALLBACK (on_text), &rig);
    be_in (&rig, JOB_STATE_RUNNING);
    while (strstr (gtk_label_get_text (GTK_LABEL (rig.text)), "ended") == NULL) {
        g_assert_cmpint (g_get_monotonic_time (), <, limit_us);
        g_main_context_iteration (NULL, FALSE);
    }
    g_assert_cmpuint (rig.n_changes, >=, 1);
    gtk_widget_destroy (window);
    g_object_unref (rig.session);
}

int
main (int argc, char **argv)
{
    g_autoptr (GtkApplication) application = widgets_start (&argc, &argv);

    g_test_add_func ("/group-view/changes-between-parts", test_changes_between);
    return g_test_run ();
}
