/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An archive may come from anybody: nothing runs before the user has seen the command and said so. */
#include "gui/profile/measure-lines.h"
#include <glib/gi18n.h>
#include <signal.h>
#include <sys/wait.h>
#include "gui/kit/theme.h"
#include "gui/profile/profile-command.h"
#include "profile/archive.h"

enum { COPY = 1, MEASURE, STOP, WIDTH = 680, MAX_FOLDERS = 100000 };

typedef struct {
    char *pddt, *function;
    GtkWidget *dialog, *command, *folder, *status, *spinner;
    char *archive; /* of the run that is under way, or was the last one */
    GPid pid;      /* 0: none */
    guint watch;
} Ask;

static void
free_ask (gpointer data)
{
    Ask *ask = data;

    if (ask->pid != 0) { /* it ends by itself, and is measured to its end */
        g_source_remove (ask->watch);
        g_spawn_close_pid (ask->pid);
    }
    g_free (ask->pddt);
    g_free (ask->function);
    g_free (ask->archive);
    g_free (ask);
}

static void
say (Ask *ask, const char *text)
{
    gtk_label_set_text (GTK_LABEL (ask->status), text);
    gtk_widget_set_visible (ask->status, *text != '\0');
}

static void
show_running (Ask *ask, gboolean is_running)
{
    GtkDialog *dialog = GTK_DIALOG (ask->dialog);

    gtk_dialog_set_response_sensitive (dialog, MEASURE, !is_running);
    gtk_widget_set_visible (gtk_dialog_get_widget_for_response (dialog, STOP), is_running);
    gtk_widget_set_sensitive (ask->command, !is_running);
    gtk_widget_set_sensitive (ask->folder, !is_running);
    gtk_widget_set_visible (ask->spinner, is_running);
    g_object_set (ask->spinner, "active", is_running, NULL);
}

/* The user's words; NULL: there are none, and the status says why. */
static char **
get_words (Ask *ask)
{
    g_autoptr (GError) error = NULL;
    char **words = NULL;

    if (!g_shell_parse_argv (gtk_entry_get_text (GTK_ENTRY (ask->command)), NULL, &words,
                             &error)) {
        say (ask, error->message);
    }
    return words;
}

/* "pddt-lines-solve-1", the first that is not there. */
static char *
choose_archive (const char *folder, const char *function)
{
    g_autofree char *name = g_strdup (function);

    g_strcanon (name, G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS "_", '-');
    for (guint i = 1; i < MAX_FOLDERS; i++) {
        g_autofree char *leaf = g_strdup_printf ("pddt-lines-%s-%u", name, i);
        char *path = g_build_filename (folder, leaf, NULL);

        if (!g_file_test (path, G_FILE_TEST_EXISTS)) {
            return path;
        }
        g_free (path);
    }
    return NULL;
}

/* In a window of its own. */
static gboolean
open_archive (Ask *ask, GError **error)
{
    char *argv[] = { ask->pddt, ask->archive, NULL };

    return g_spawn_async (NULL, argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, NULL, error);
}

static void
on_ended (GPid pid, int status, gpointer user)
{
    Ask *ask = user;
    g_autoptr (GError) error = NULL;

    g_spawn_close_pid (pid);
    ask->pid = 0;
    show_running (ask, FALSE);
    if (!profile_archive_is (ask->archive)) {
        g_autofree char *text
            = WIFEXITED (status)
                  ? g_strdup_printf (_ ("Nothing was measured: pddt ended with status %d. What "
                                        "it says is on its standard error."),
                                     WEXITSTATUS (status))
                  : g_strdup_printf (_ ("Nothing was measured: pddt was ended by signal %d."),
                                     WTERMSIG (status));

        say (ask, text);
    } else if (!open_archive (ask, &error)) {
        say (ask, error->message);
    } else {
        gtk_widget_destroy (ask->dialog);
    }
}

static void
measure (Ask *ask)
{
    g_auto (GStrv) words = get_words (ask);
    g_autofree char *folder = gtk_file_chooser_get_filename (GTK_FILE_CHOOSER (ask->folder));
    g_autoptr (GPtrArray) argv = g_ptr_array_new ();
    g_autoptr (GError) error = NULL;

    if (words == NULL) {
        return;
    }
    g_free (ask->archive);
    ask->archive = choose_archive (folder != NULL ? folder : ".", ask->function);
    g_ptr_array_add (argv, ask->pddt);
    g_ptr_array_add (argv, (char *) "--lines");
    g_ptr_array_add (argv, ask->function);
    g_ptr_array_add (argv, (char *) "--output");
    g_ptr_array_add (argv, ask->archive);
    g_ptr_array_add (argv, (char *) "--");
    for (guint i = 0; words[i] != NULL; i++) {
        g_ptr_array_add (argv, words[i]);
    }
    g_ptr_array_add (argv, NULL);
    if (!g_spawn_async (folder, (char **) argv->pdata, NULL, G_SPAWN_DO_NOT_REAP_CHILD, NULL,
                        NULL, &ask->pid, &error)) {
        ask->pid = 0;
        say (ask, error->message);
        return;
    }
    ask->watch = g_child_watch_add (ask->pid, on_ended, ask);
    say (ask, "");
    show_running (ask, TRUE);
}

static void
copy (Ask *ask)
{
    g_autofree char *quoted = g_shell_quote (ask->function);
    g_autofree char *line = g_strdup_printf ("pddt --lines %s %s", quoted,
                                             gtk_entry_get_text (GTK_ENTRY (ask->command)));

    gtk_clipboard_set_text (gtk_widget_get_clipboard (ask->dialog, GDK_SELECTION_CLIPBOARD),
                            line, -1);
}

static void
on_response (GtkDialog *dialog, int response, Ask *ask)
{
    switch (response) {
    case COPY: copy (ask); break;
    case MEASURE: measure (ask); break;
    case STOP:
        if (ask->pid != 0) { /* pddt lets the job end, and writes what there is */
            kill (ask->pid, SIGTERM);
        }
        break;
    default: gtk_widget_destroy (GTK_WIDGET (dialog)); break;
    }
}

static void
add_field (GtkGrid *grid, int row, const char *title, GtkWidget *field)
{
    GtkWidget *label = gtk_label_new_with_mnemonic (title);

    gtk_label_set_xalign (GTK_LABEL (label), 0);
    gtk_label_set_mnemonic_widget (GTK_LABEL (label), field);
    gtk_widget_set_hexpand (field, TRUE);
    gtk_grid_attach (grid, label, 0, row, 1, 1);
    gtk_grid_attach (grid, field, 1, row, 1, 1);
}

static void
build_fields (Ask *ask, const char *command)
{
    GtkWidget *grid = gtk_grid_new (), *about;
    GtkContainer *area = GTK_CONTAINER (gtk_dialog_get_content_area (GTK_DIALOG (ask->dialog)));
    g_autofree char *tidy = gui_profile_command_tidy (command);
    g_autofree char *here = g_get_current_dir ();
    g_autofree char *text = g_strdup_printf (
        _ ("pddt runs the program again, counts how often each line of %s runs and for how "
           "long, and opens the result in a new window."),
        ask->function);

    about = gtk_label_new (text);
    gtk_label_set_line_wrap (GTK_LABEL (about), TRUE);
    gtk_label_set_max_width_chars (GTK_LABEL (about), 60);
    gtk_label_set_xalign (GTK_LABEL (about), 0);
    ask->command = gtk_entry_new ();
    gtk_entry_set_text (GTK_ENTRY (ask->command), tidy != NULL ? tidy : "");
    gtk_entry_set_activates_default (GTK_ENTRY (ask->command), TRUE);
    gui_theme_name (ask->command, "measured-command", NULL);
    ask->folder = gtk_file_chooser_button_new (_ ("Folder"),
                                               GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER);
    gtk_file_chooser_set_filename (GTK_FILE_CHOOSER (ask->folder), here);
    gui_theme_name (ask->folder, "measured-folder", NULL);
    ask->status = gtk_label_new (NULL);
    gtk_label_set_line_wrap (GTK_LABEL (ask->status), TRUE);
    gtk_label_set_max_width_chars (GTK_LABEL (ask->status), 60);
    gtk_label_set_xalign (GTK_LABEL (ask->status), 0);
    gtk_style_context_add_class (gtk_widget_get_style_context (ask->status), "pddt-error");
    gui_theme_name (ask->status, "measured-status", NULL);
    ask->spinner = gtk_spinner_new ();
    gtk_grid_set_row_spacing (GTK_GRID (grid), 8);
    gtk_grid_set_column_spacing (GTK_GRID (grid), 12);
    g_object_set (grid, "margin", 12, NULL);
    gtk_grid_attach (GTK_GRID (grid), about, 0, 0, 2, 1);
    add_field (GTK_GRID (grid), 1, _ ("Co_mmand"), ask->command);
    add_field (GTK_GRID (grid), 2, _ ("_Folder"), ask->folder);
    gtk_grid_attach (GTK_GRID (grid), ask->spinner, 0, 3, 2, 1);
    gtk_grid_attach (GTK_GRID (grid), ask->status, 0, 4, 2, 1);
    gtk_widget_show_all (grid);
    gtk_container_add (area, grid);
}

GtkWidget *
gui_measure_lines_open (GtkWindow *parent, const char *pddt, const char *function,
                        const char *command)
{
    Ask *ask = g_new0 (Ask, 1);

    ask->pddt = g_strdup (pddt);
    ask->function = g_strdup (function);
    ask->dialog = gtk_dialog_new_with_buttons (_ ("Measure Lines"), parent,
                                               GTK_DIALOG_DESTROY_WITH_PARENT
                                                   | GTK_DIALOG_USE_HEADER_BAR,
                                               _ ("_Close"), GTK_RESPONSE_CANCEL,
                                               _ ("_Measure"), MEASURE, _ ("_Stop"), STOP,
                                               _ ("_Copy Command"), COPY, NULL);
    gtk_dialog_set_default_response (GTK_DIALOG (ask->dialog), MEASURE);
    gtk_window_set_default_size (GTK_WINDOW (ask->dialog), WIDTH, -1);
    g_object_set_data_full (G_OBJECT (ask->dialog), "ask", ask, free_ask);
    build_fields (ask, command);
    gui_theme_name (ask->dialog, "measure-lines", NULL);
    gui_theme_name (gtk_dialog_get_widget_for_response (GTK_DIALOG (ask->dialog), MEASURE),
                    "measure", NULL);
    g_signal_connect (ask->dialog, "response", G_CALLBACK (on_response), ask);
    show_running (ask, FALSE);
    say (ask, "");
    gtk_window_present (GTK_WINDOW (ask->dialog));
    return ask->dialog;
}
