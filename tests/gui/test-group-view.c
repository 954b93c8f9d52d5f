/* SPDX-License-Identifier: GPL-3.0-or-later */
/* So many ranks that the view looks at them in parts, one in a turn of the loop. And whether it rests. */
#include <string.h>
#include "gui/group/group-panes.h"
#include "gui/group/group-view.h"
#include "gui/kit/command-panel.h"
#include "gui/values/value-pane.h"
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

static void
count_change (guint *n_changes)
{
    ++*n_changes;
}

/* The page of the current line is there where its tab has room, and stays or stays away. */
static void
test_rests (void)
{
    g_autoptr (Session) session = session_new ();
    g_autoptr (JobRankSet) all = job_rank_set_new_range (0, 4);
    GtkWidget *window = gtk_window_new (GTK_WINDOW_TOPLEVEL), *panel, *view, *page, *columns;
    GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
    guint n_changes = 0, n_visible = 0, n_hidden = 0;

    session_start_scripted (session, 4, ignore_request, NULL);
    panel = g_object_new (GUI_TYPE_COMMAND_PANEL, "visible", TRUE, "session", session, NULL);
    view = g_object_new (GUI_TYPE_GROUP_VIEW, "visible", TRUE, "panel", panel, "ranks", all,
                         NULL);
    gtk_container_add (GTK_CONTAINER (box), view);
    gtk_container_add (GTK_CONTAINER (box), panel);
    gtk_container_add (GTK_CONTAINER (window), box);
    gtk_window_set_default_size (GTK_WINDOW (window), 1200, 700);
    gtk_widget_show (box);
    gtk_widget_show (window);
    widgets_settle ();
    page = gtk_widget_get_ancestor (widgets_find (window, "current-line"), GUI_TYPE_VALUE_PANE);
    g_signal_connect_swapped (page, "notify::visible", G_CALLBACK (count_change), &n_changes);
    columns = gtk_widget_get_parent (gtk_widget_get_ancestor (page, GUI_TYPE_GROUP_PANES));
    for (int width = 200; width <= 560; width += 20) {
        gtk_paned_set_position (GTK_PANED (columns),
                                gtk_widget_get_allocated_width (columns) - width);
        widgets_settle ();
        widgets_settle ();
        n_changes = 0;
        widgets_settle ();
        g_assert_cmpuint (n_changes, ==, 0);
        n_visible += gtk_widget_get_visible (page);
        n_hidden += !gtk_widget_get_visible (page);
    }
    g_assert_cmpuint (n_visible, >, 0);
    g_assert_cmpuint (n_hidden, >, 0);
    gtk_widget_destroy (window);
}

typedef struct {
    Session *session;
    guint64 where; /* the last question for stacks */
} Asked;

static void
note_request (const JobRequest *request, gpointer user)
{
    Asked *asked = user;

    if (request->verb == JOB_VERB_WHERE) {
        asked->where = request->id;
    }
}

/* line: where it is known to be; 0: that is not told. */
static void
tell_state (Session *session, JobState state, guint32 line)
{
    g_autoptr (JobRankSet) all = job_rank_set_new_range (0, 4);
    g_autoptr (JobEvent) event = job_event_new (JOB_EVENT_STATE, 0, all);

    event->state = state;
    event->place = line != 0 ? job_location_new ("work", "/nowhere/app.c", line) : NULL;
    session_apply (session, event);
    widgets_settle ();
}

/* The stacks of ranks that went on while they were asked. */
static void
tell_sample (const Asked *asked, guint32 line)
{
    g_autoptr (JobRankSet) all = job_rank_set_new_range (0, 4);
    g_autoptr (JobEvent) event = job_event_new (JOB_EVENT_STACKS, asked->where, all);
    g_autoptr (GPtrArray) frames
        = g_ptr_array_new_with_free_func ((GDestroyNotify) job_frame_free);
    JobFrame *frame = job_frame_new ();

    frame->location.function = g_strdup ("work");
    frame->location.file = g_strdup ("/nowhere/app.c");
    frame->location.line = line;
    g_ptr_array_add (frames, frame);
    event->flags = JOB_EVENT_SAMPLED;
    event->final = TRUE;
    event->tree = job_stack_tree_new ();
    job_stack_tree_add (event->tree, frames, all);
    session_apply (asked->session, event);
    widgets_settle ();
}

static void
assert_place (GtkWidget *view, const char *wanted)
{
    gint64 limit_us = g_get_monotonic_time () + LIMIT_S * G_USEC_PER_SEC;

    while (TRUE) {
        g_autofree char *place = gui_group_view_format_place (GUI_GROUP_VIEW (view));

        if (strstr (place, wanted) != NULL) {
            break;
        }
        if (g_get_monotonic_time () > limit_us) {
            g_error ("wanted %s: %s", wanted, place);
        }
        g_main_context_iteration (NULL, FALSE);
    }
}

/* What is known of a rank that waits in vain is newer than the sample of before, and older than the one after it. */
static void
test_blocked_after_sample (void)
{
    g_autoptr (Session) session = session_new ();
    g_autoptr (JobRankSet) all = job_rank_set_new_range (0, 4);
    Asked asked = { .session = session };
    GtkWidget *window = gtk_window_new (GTK_WINDOW_TOPLEVEL), *panel, *view;
    GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);

    session_start_scripted (session, 4, note_request, &asked);
    panel = g_object_new (GUI_TYPE_COMMAND_PANEL, "visible", TRUE, "session", session, NULL);
    view = g_object_new (GUI_TYPE_GROUP_VIEW, "visible", TRUE, "panel", panel, "ranks", all,
                         NULL);
    gtk_container_add (GTK_CONTAINER (box), view);
    gtk_container_add (GTK_CONTAINER (box), panel);
    gtk_container_add (GTK_CONTAINER (window), box);
    gtk_widget_show_all (window);
    tell_state (session, JOB_STATE_STOPPED, 1);
    assert_place (view, "app.c:1");
    g_assert_cmpuint (asked.where, !=, 0);
    tell_state (session, JOB_STATE_RUNNING, 0);
    tell_sample (&asked, 3);
    assert_place (view, "app.c:3");
    tell_state (session, JOB_STATE_BLOCKED, 4);
    assert_place (view, "app.c:4");
    asked.where = 0;
    gui_group_view_refresh (GUI_GROUP_VIEW (view), GUI_GROUP_ASK_WAITING);
    g_assert_cmpuint (asked.where, !=, 0);
    tell_sample (&asked, 5);
    assert_place (view, "app.c:5");
    gtk_widget_destroy (window);
}

int
main (int argc, char **argv)
{
    g_autoptr (GtkApplication) application = widgets_start (&argc, &argv);

    g_test_add_func ("/group-view/changes-between-parts", test_changes_between);
    g_test_add_func ("/group-view/rests", test_rests);
    g_test_add_func ("/group-view/blocked-after-sample", test_blocked_after_sample);
    return g_test_run ();
}
