/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The Run dialog and those it opens, on a host of a script's: what is there is what the session's backend says, whatever
 * this host has. */
#include "gui/dialogs/attach-dialog.h"
#include "gui/dialogs/run-dialog.h"
#include "gui/kit/settings.h"
#include "gui/kit/theme.h"
#include "session/sources.h"
#include "widgets.h"
#include <string.h>

typedef struct {
    Session *session;
    GtkWidget *dialog, *program, *problem, *will_run, *debug;
    GString *started; /* the command lines that the dialog wants to start */
} Rig;

static void
on_start (GtkWidget *dialog, const SessionOptions *options, const char *saved, Rig *rig)
{
    g_autofree char *line = g_strjoinv (" ", (char **) options->argv);

    g_string_append_printf (rig->started, "%s\n", line);
}

static void
open_rig (Rig *rig)
{
    const SessionRunning running = { .pid = 77,
                                     .n_ranks = 4,
                                     .is_launcher = TRUE,
                                     .user = (char *) "eve",
                                     .command = (char *) "mpirun -np 4 far" };

    rig->session = session_new ();
    session_start_scripted (rig->session, 2, NULL, NULL);
    session_script_program (rig->session, "/far/bin/app");
    session_script_source (rig->session, "/far/data", "");
    session_script_source (rig->session, "/far/app.py", "");
    session_script_running (rig->session, &running);
    rig->started = g_string_new (NULL);
    rig->dialog = g_object_new (GUI_TYPE_RUN_DIALOG, "session", rig->session, NULL);
    g_signal_connect (rig->dialog, "start", G_CALLBACK (on_start), rig);
    rig->program = widgets_find (rig->dialog, "program");
    rig->problem = widgets_find (rig->dialog, "program-problem");
    rig->will_run = widgets_find (rig->dialog, "will-run");
    rig->debug = widgets_find (rig->dialog, "debug");
    gtk_entry_set_text (GTK_ENTRY (widgets_find (rig->dialog, "folder")), "/far");
    gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (widgets_find (rig->dialog, "use-mpi")),
                                  FALSE);
    gtk_widget_show (rig->dialog);
}

static void
close_rig (Rig *rig)
{
    gtk_widget_destroy (rig->dialog);
    g_object_unref (rig->session);
    g_string_free (rig->started, TRUE);
}

static void
await (const char *(*get) (const Rig *rig), const Rig *rig, const char *expected)
{
    gint64 limit_us = g_get_monotonic_time () + 120 * G_USEC_PER_SEC;

    while (strcmp (get (rig), expected) != 0 && g_get_monotonic_time () < limit_us) {
        g_main_context_iteration (NULL, FALSE);
    }
    g_assert_cmpstr (get (rig), ==, expected);
}

static const char *
get_problem (const Rig *rig)
{
    return gtk_label_get_text (GTK_LABEL (rig->problem));
}

static const char *
get_line (const Rig *rig)
{
    return gtk_label_get_text (GTK_LABEL (rig->will_run));
}

static const char *
get_started (const Rig *rig)
{
    return rig->started->str;
}

static void
test_programs (void)
{
    static const struct {
        const char *program, *line, *problem; /* one of the two */
    } cases[] = {
        { "bin/app", "bin/app", "" },
        { "/bin/sh", "…", "No such program: /bin/sh" },
        { "app", "app", "" }, /* in PATH there */
        { "sh", "…", "No program sh in PATH; write ./sh for one in this folder" },
        { "app.py", "python3 %python_debug% app.py", "" },
        { "./data", "…", "/far/data is not executable" },
    };
    Rig rig;

    open_rig (&rig);
    for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
        gtk_entry_set_text (GTK_ENTRY (rig.program), cases[i].program);
        await (get_line, &rig, cases[i].line);
        await (get_problem, &rig, cases[i].problem);
        g_assert_cmpint (gtk_widget_get_sensitive (rig.debug), ==, *cases[i].problem == '\0');
    }
    session_script_program (rig.session, "/far/data");
    gtk_entry_set_text (GTK_ENTRY (widgets_find (rig.dialog, "arguments")), "1");
    await (get_line, &rig, "./data 1"); /* it has been built meanwhile */
    gtk_entry_set_text (GTK_ENTRY (rig.program), "/bin/sh");
    gtk_entry_set_text (GTK_ENTRY (rig.program),
                        ""); /* an answer that comes late says nothing */
    while (g_main_context_iteration (NULL, FALSE)) {
    }
    g_assert_cmpstr (get_problem (&rig), ==, "");
    g_assert_false (gtk_widget_get_sensitive (rig.debug));
    close_rig (&rig);
}

/* Debug, pressed before the answer is there, waits for it. */
static void
test_pressed_early (void)
{
    Rig rig;

    open_rig (&rig);
    gtk_entry_set_text (GTK_ENTRY (rig.program), "bin/app");
    await (get_line, &rig, "bin/app");
    gtk_entry_set_text (GTK_ENTRY (rig.program), "/bin/sh");
    gtk_button_clicked (GTK_BUTTON (rig.debug));
    await (get_problem, &rig, "No such program: /bin/sh");
    gtk_entry_set_text (GTK_ENTRY (rig.program), "app");
    await (get_problem, &rig, "");
    gtk_entry_set_text (GTK_ENTRY (rig.program), "bin/app");
    gtk_button_clicked (GTK_BUTTON (rig.debug));
    await (get_started, &rig, "bin/app\n");
    close_rig (&rig);
}

static gboolean
is_listed (GtkWidget *dialog, const char *id, const char *command)
{
    GtkTreeModel *model = gtk_tree_view_get_model (GTK_TREE_VIEW (widgets_find (dialog, id)));
    GtkTreeIter iter;
    g_autofree char *text = NULL;

    if (gtk_tree_model_iter_n_children (model, NULL) != 1
        || !gtk_tree_model_get_iter_first (model, &iter)) {
        return FALSE;
    }
    gtk_tree_model_get (model, &iter, gtk_tree_model_get_n_columns (model) - 1, &text, -1);
    return g_strcmp0 (text, command) == 0;
}

static void
test_attach (void)
{
    Rig rig;
    GtkWidget *attach;
    gint64 limit_us = g_get_monotonic_time () + 120 * G_USEC_PER_SEC;

    open_rig (&rig);
    attach = gui_attach_dialog_new (GTK_WINDOW (rig.dialog), rig.session);
    gtk_widget_show (attach);
    while (!is_listed (attach, "jobs", "mpirun -np 4 far")
           && g_get_monotonic_time () < limit_us) {
        g_main_context_iteration (NULL, FALSE);
    }
    g_assert_true (is_listed (attach, "jobs", "mpirun -np 4 far"));
    gtk_widget_destroy (attach);
    close_rig (&rig);
}

int
main (int argc, char **argv)
{
    g_autoptr (GtkApplication) application = NULL;

    gtk_test_init (&argc, &argv, NULL);
    gui_settings_init_words ("pddt", "/nonexistent");
    gui_settings_init ();
    gui_theme_init ();
    application = gtk_application_new ("org.pddt.Test", G_APPLICATION_NON_UNIQUE);
    g_assert_true (g_application_register (G_APPLICATION (application), NULL, NULL));
    g_application_set_default (G_APPLICATION (application));
    g_test_add_func ("/run-dialog/programs", test_programs);
    g_test_add_func ("/run-dialog/pressed-early", test_pressed_early);
    g_test_add_func ("/run-dialog/attach", test_attach);
    return g_test_run ();
}
