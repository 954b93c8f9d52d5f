/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The Run dialog and those it opens, on a host of a script's: what is there is what the session's backend says, whatever
 * this host has. */
#include "base/words.h"
#include "gui/dialogs/attach-dialog.h"
#include "gui/dialogs/run-dialog.h"
#include "gui/dialogs/run-memory.h"
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

/* The rows that are opened make the form higher, so that the line below them stays in sight. */
static void
test_more (void)
{
    Rig rig;
    GtkWidget *more, *scrolled;
    int closed, height;

    open_rig (&rig);
    widgets_settle ();
    scrolled = gtk_widget_get_ancestor (rig.program, GTK_TYPE_SCROLLED_WINDOW);
    more = gtk_widget_get_ancestor (widgets_find (rig.dialog, "input-file"), GTK_TYPE_EXPANDER);
    closed = gtk_scrolled_window_get_min_content_height (GTK_SCROLLED_WINDOW (scrolled));
    gtk_expander_set_expanded (GTK_EXPANDER (more), TRUE);
    widgets_settle ();
    height = gtk_scrolled_window_get_min_content_height (GTK_SCROLLED_WINDOW (scrolled));
    g_assert_cmpint (height, >, closed + 60);
    g_assert_cmpfloat (gtk_adjustment_get_upper (gtk_scrolled_window_get_vadjustment (
                           GTK_SCROLLED_WINDOW (scrolled))),
                       <=, height);
    close_rig (&rig);
}

/* The last one first, with its ranks if it had any. */
static void
test_recent (void)
{
    static const char *const titles[] = { "/a/late", "/b/middle — 4 ranks", "/c/old — 1 rank" };
    g_autoptr (GKeyFile) memory = g_key_file_new ();
    GtkWidget *recent = g_object_ref_sink (gtk_combo_box_text_new ());

    g_assert_true (
        g_key_file_load_from_data (memory,
                                   "[/b/middle]\nmpi=true\nranks=4\nwhen=1700000000000002\n"
                                   "[/c/old]\nmpi=true\nranks=1\nwhen=1700000000000001\n"
                                   "[/a/late]\nmpi=false\nranks=8\nwhen=1700000000000003\n",
                                   -1, G_KEY_FILE_NONE, NULL));
    gui_run_memory_fill (memory, GTK_COMBO_BOX_TEXT (recent));
    for (guint i = 0; i < G_N_ELEMENTS (titles); i++) {
        g_autofree char *title = NULL;

        gtk_combo_box_set_active (GTK_COMBO_BOX (recent), (int) i);
        title = gtk_combo_box_text_get_active_text (GTK_COMBO_BOX_TEXT (recent));
        g_assert_cmpstr (title, ==, titles[i]);
    }
    g_object_unref (recent);
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

static const char *
get_hint (GtkWidget *dialog, const char *id)
{
    return atk_object_get_description (gtk_widget_get_accessible (widgets_find (dialog, id)));
}

static void
filter_by (GtkWidget *dialog, const char *text)
{
    GtkWidget *filter = widgets_find (dialog, "process-filter");

    gtk_entry_set_text (GTK_ENTRY (filter), text);
    g_signal_emit_by_name (filter, "search-changed");
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
    filter_by (attach, "nothing like it"); /* there is a launcher: it is only not shown */
    g_assert_cmpstr (get_hint (attach, "jobs"), ==, "No match");
    filter_by (attach, "MPIrun");
    g_assert_true (is_listed (attach, "jobs", "mpirun -np 4 far"));
    gtk_widget_destroy (attach);
    close_rig (&rig);
}

int
main (int argc, char **argv)
{
    g_autoptr (GtkApplication) application = NULL;

    gtk_test_init (&argc, &argv, NULL);
    base_words_init ("pddt", "/nonexistent");
    gui_settings_init ();
    gui_theme_init ();
    application = gtk_application_new ("org.pddt.Test", G_APPLICATION_NON_UNIQUE);
    g_assert_true (g_application_register (G_APPLICATION (application), NULL, NULL));
    g_application_set_default (G_APPLICATION (application));
    g_test_add_func ("/run-dialog/programs", test_programs);
    g_test_add_func ("/run-dialog/pressed-early", test_pressed_early);
    g_test_add_func ("/run-dialog/more", test_more);
    g_test_add_func ("/run-dialog/recent", test_recent);
    g_test_add_func ("/run-dialog/attach", test_attach);
    return g_test_run ();
}
