/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The dialog that runs a program again to count lines, with a stand-in for pddt. */
#include <glib/gstdio.h>
#include <string.h>
#include "gui/kit/settings.h"
#include "gui/kit/theme.h"
#include "gui/profile/measure-lines.h"
#include "support/folder.h"
#include "widgets.h"

enum { COPY = 1, MEASURE, STOP };

static char *folder, *program, *said; /* the stand-in, and what it was asked for */

/* It notes its arguments and its folder, and makes what looks like an archive. */
static void
write_program (void)
{
    g_autofree char *script
        = g_strdup_printf ("#!/bin/sh\n{ printf '%%s|' \"$@\"; echo \"in $PWD\"; } >>%s\n"
                           "[ \"$1\" = --lines ] || exit 0\n[ \"$6\" != wrong ] || exit 7\n"
                           "[ \"$6\" != long ] || exec sleep 100\n"
                           "while [ \"$6\" = late -a ! -e %s/go ]; do sleep 0.02; done\n"
                           "[ \"$7\" != wrong ] || exit 8\n"
                           "mkdir \"$4\" && : >\"$4/traces.otf2\"\n",
                           said, folder);

    g_assert_true (g_file_set_contents (program, script, -1, NULL));
    g_chmod (program, 0700);
}

static char *
read_line (guint number)
{
    g_autofree char *text = NULL;
    g_auto (GStrv) lines = NULL;

    for (guint i = 0; i < 1000; i++) { /* 10 s */
        g_clear_pointer (&text, g_free);
        g_clear_pointer (&lines, g_strfreev);
        if (g_file_get_contents (said, &text, NULL, NULL)) {
            lines = g_strsplit (text, "\n", -1);
            if (g_strv_length (lines) > number + 1) {
                return g_strdup (lines[number]);
            }
        }
        while (gtk_events_pending ()) {
            gtk_main_iteration ();
        }
        g_usleep (10000);
    }
    g_error ("nothing was run");
}

/* dialog: becomes NULL when it is gone. */
static void
wait_for_answer (GtkWidget **dialog)
{
    while (*dialog != NULL
           && !gtk_widget_get_visible (widgets_find (*dialog, "measured-status"))) {
        gtk_main_iteration ();
    }
}

static GtkWidget *
open_dialog (GtkWidget **dialog)
{
    *dialog = gui_measure_lines_open (NULL, program, "Grid.<locals>.solve",
                                      "'mpirun' '-np' '4' './app.py'");
    g_object_add_weak_pointer (G_OBJECT (*dialog), (gpointer *) dialog);
    gtk_file_chooser_set_filename (GTK_FILE_CHOOSER (widgets_find (*dialog, "measured-folder")),
                                   folder);
    while (gtk_events_pending ()) {
        gtk_main_iteration ();
    }
    return *dialog;
}

static void
give (GtkWidget *dialog, const char *command, int response)
{
    gtk_entry_set_text (GTK_ENTRY (widgets_find (dialog, "measured-command")), command);
    gtk_dialog_response (GTK_DIALOG (dialog), response);
}

static const char *
get_status (GtkWidget *dialog)
{
    return gtk_label_get_text (GTK_LABEL (widgets_find (dialog, "measured-status")));
}

/* Nothing runs before the user says so, and what is wrong is said. */
static void
test_asks (void)
{
    GtkWidget *dialog;
    g_autofree char *copied = NULL;

    g_unlink (said);
    open_dialog (&dialog);
    g_assert_cmpstr (gtk_entry_get_text (GTK_ENTRY (widgets_find (dialog, "measured-command"))),
                     ==, "mpirun -np 4 ./app.py");
    gtk_dialog_response (GTK_DIALOG (dialog), COPY);
    copied = gtk_clipboard_wait_for_text (gtk_widget_get_clipboard (dialog,
                                                                    GDK_SELECTION_CLIPBOARD));
    g_assert_cmpstr (copied, ==, "pddt --lines 'Grid.<locals>.solve' mpirun -np 4 ./app.py");
    give (dialog, "wrong 'quotes", MEASURE);
    g_assert_nonnull (strstr (get_status (dialog), "'"));
    g_assert_false (g_file_test (said, G_FILE_TEST_EXISTS));
    give (dialog, "wrong", MEASURE);
    wait_for_answer (&dialog);
    g_assert_cmpstr (get_status (dialog), ==,
                     "Nothing was measured: pddt ended with status 7. What it says is on its "
                     "standard error.");
    gtk_widget_destroy (dialog);
}

/* The run has the user's words and folder, and what comes of it is opened. */
static void
test_measures (void)
{
    GtkWidget *dialog;
    g_autofree char *asked = NULL, *opened = NULL, *wanted = NULL, *archive = NULL;

    g_unlink (said);
    open_dialog (&dialog);
    give (dialog, "python3 'a b.py'", MEASURE);
    g_assert_false (gtk_widget_get_sensitive (widgets_find (dialog, "measured-command")));
    wait_for_answer (&dialog);
    g_assert_null (dialog);
    asked = read_line (0);
    opened = read_line (1);
    archive = g_build_filename (folder, "pddt-lines-Grid--locals--solve-1", NULL);
    wanted = g_strdup_printf ("--lines|Grid.<locals>.solve|--output|%s|--|python3|a b.py|in %s",
                              archive, folder);
    g_assert_cmpstr (asked, ==, wanted);
    g_free (wanted);
    wanted = g_strconcat (archive, "|", NULL);
    g_assert_true (g_str_has_prefix (opened, wanted));
}

/* Stop ends the run. */
static void
test_stops (void)
{
    GtkWidget *dialog;
    g_autofree char *asked = NULL;

    g_unlink (said);
    open_dialog (&dialog);
    give (dialog, "long", MEASURE);
    asked = read_line (0);
    g_assert_true (gtk_widget_get_visible (
        gtk_dialog_get_widget_for_response (GTK_DIALOG (dialog), STOP)));
    gtk_dialog_response (GTK_DIALOG (dialog), STOP);
    wait_for_answer (&dialog);
    g_assert_nonnull (strstr (get_status (dialog), "by signal 15"));
    g_assert_true (gtk_widget_get_sensitive (widgets_find (dialog, "measured-command")));
    gtk_widget_destroy (dialog);
}

/* The run goes on behind a dialog that was closed, whose window may be closed, too. */
static void
close_during_run (GtkWidget **dialog, const char *command)
{
    g_autofree char *asked = NULL, *go = g_build_filename (folder, "go", NULL);
    GtkWidget *parent = gtk_window_new (GTK_WINDOW_TOPLEVEL);

    g_unlink (said);
    g_unlink (go);
    open_dialog (dialog);
    gtk_window_set_transient_for (GTK_WINDOW (*dialog), GTK_WINDOW (parent));
    give (*dialog, command, MEASURE);
    asked = read_line (0);
    gtk_window_close (GTK_WINDOW (*dialog));
    while (*dialog != NULL && gtk_widget_get_visible (*dialog)) {
        gtk_main_iteration ();
    }
    g_assert_nonnull (*dialog);
    g_assert_true (gui_measure_lines_open (NULL, program, "other", NULL) == *dialog);
    g_assert_true (gtk_widget_get_visible (*dialog));
    gtk_dialog_response (GTK_DIALOG (*dialog), GTK_RESPONSE_CANCEL);
    g_assert_false (gtk_widget_get_visible (*dialog));
    gtk_widget_destroy (parent);
    g_assert_nonnull (*dialog);
    g_assert_true (g_file_set_contents (go, "", 0, NULL));
}

static void
test_closes (void)
{
    GtkWidget *dialog;
    g_autofree char *opened = NULL;

    close_during_run (&dialog, "late");
    while (dialog != NULL) {
        gtk_main_iteration ();
    }
    opened = read_line (1);
    g_assert_nonnull (strstr (opened, "/pddt-lines-Grid--locals--solve-"));
}

/* What went wrong brings the dialog back. */
static void
test_closes_and_fails (void)
{
    GtkWidget *dialog;

    close_during_run (&dialog, "late wrong");
    wait_for_answer (&dialog);
    g_assert_nonnull (dialog);
    g_assert_nonnull (strstr (get_status (dialog), "status 8"));
    g_assert_true (gtk_widget_get_visible (dialog));
    gtk_dialog_response (GTK_DIALOG (dialog), GTK_RESPONSE_CANCEL);
    g_assert_null (dialog);
}

int
main (int argc, char **argv)
{
    int status;

    gui_settings_init ();
    gtk_test_init (&argc, &argv, NULL);
    folder = g_dir_make_tmp ("pddt-measure-lines-XXXXXX", NULL);
    g_assert_nonnull (folder);
    gui_theme_init ();
    program = g_build_filename (folder, "stand-in", NULL);
    said = g_build_filename (folder, "said", NULL);
    write_program ();
    g_test_add_func ("/measure-lines/asks", test_asks);
    g_test_add_func ("/measure-lines/measures", test_measures);
    g_test_add_func ("/measure-lines/stops", test_stops);
    g_test_add_func ("/measure-lines/closes", test_closes);
    g_test_add_func ("/measure-lines/closes-and-fails", test_closes_and_fails);
    status = g_test_run ();
    folder_remove (folder);
    return status;
}
