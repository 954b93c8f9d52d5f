/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-session-keeper SAMPLE: the windows that a file has kept open once its line has been answered, not another one. */
#include <glib/gstdio.h>
#include "gui/console/session-keeper.h"
#include "gui/group/group-window.h"
#include "gui/kit/command-panel.h"
#include "script.h"
#include "widgets.h"

static const char *sample;
static GtkApplication *application;

static guint
count_group_windows (void)
{
    guint n = 0;

    for (GList *link = gtk_application_get_windows (application); link != NULL;
         link = link->next) {
        n += GUI_IS_GROUP_WINDOW (link->data);
    }
    return n;
}

static void
on_done (GuiCommandPanel *panel, gboolean ok, const char *line, gpointer user)
{
    g_ptr_array_add (user, g_strdup (line));
}

static gboolean
fail_late (gpointer what)
{
    g_error ("%s does not come", (const char *) what);
    return G_SOURCE_REMOVE;
}

static void
wait_for (GPtrArray *done, const char *line)
{
    while (!g_ptr_array_find_with_equal_func (done, line, g_str_equal, NULL)) {
        g_main_context_iteration (NULL, TRUE);
    }
}

/* The file has a breakpoint and a window. Another line, which was there before, is done first. */
static void
test_load (void)
{
    guint limit = g_timeout_add_seconds (60, fail_late, (gpointer) "the answer");
    g_autofree char *file = g_strdup_printf ("%s/pddt-keeper-%d", g_get_tmp_dir (), getpid ());
    g_autofree char *load = g_strdup_printf ("load %s", file);
    Script *script = script_new (4, sample);
    GtkWidget *panel = g_object_ref_sink (gui_command_panel_new ());
    g_autoptr (GPtrArray) done = g_ptr_array_new_with_free_func (g_free);
    GuiSessionKeeper *keeper;

    g_assert_true (
        g_file_set_contents (file,
                             "[pddt session]\nversion=1\ncommand=./a\n"
                             "[breakpoint 1]\nkind=break\nwhere=sample.c:3\nranks=0\n"
                             "[window 1]\nname=left\nranks=0-1\n",
                             -1, NULL));
    g_object_set (panel, "session", script_get_session (script), NULL);
    g_signal_connect (panel, "done", G_CALLBACK (on_done), done);
    script_play (script, "keep");
    gui_command_panel_run (GUI_COMMAND_PANEL (panel), "print step");
    widgets_settle ();
    keeper = gui_session_keeper_new (application, script_get_session (script),
                                     GUI_COMMAND_PANEL (panel), file);
    g_assert_cmpuint (count_group_windows (), ==, 0);
    script_play (script, "deliver");
    wait_for (done, "print step");
    g_assert_cmpuint (count_group_windows (), ==, 0);
    wait_for (done, load);
    g_assert_cmpuint (count_group_windows (), ==, 1);
    gui_session_keeper_free (keeper);
    gtk_widget_destroy (panel);
    g_object_unref (panel);
    while (count_group_windows () > 0) {
        gtk_widget_destroy (gtk_application_get_windows (application)->data);
    }
    widgets_settle ();
    g_unlink (file);
    g_source_remove (limit);
}

int
main (int argc, char **argv)
{
    int status;

    application = widgets_start (&argc, &argv);
    g_assert_cmpint (argc, ==, 2);
    sample = argv[1];
    g_test_add_func ("/session-keeper/load", test_load);
    status = g_test_run ();
    g_object_unref (application);
    return status;
}
