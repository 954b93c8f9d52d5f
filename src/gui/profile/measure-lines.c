/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An archive may come from anybody: nothing runs before the user has seen the command and said so. */
#include "gui/profile/measure-lines.h"
#include "base/error.h"
#include <glib/gi18n.h>
#include <signal.h>
#include <sys/wait.h>
#include "gui/kit/template.h"
#include "gui/kit/theme.h"
#include "profile/command.h"
#include "profile/archive.h"

enum { COPY = 1, MEASURE, STOP, MAX_FOLDERS = 100000 }; /* responses as in measure-lines.ui */

struct _GuiMeasureLines {
    GtkDialog parent;
    char *pddt, *function, *command;
    GtkWidget *about, *words, *folder, *status, *progress, *measure, *stop;
    char *archive;             /* of the run that is under way, or was the last one */
    GPid pid;                  /* 0: none */
    GApplication *application; /* stays for the run; NULL: there was none */
    guint watch;
};

G_DEFINE_TYPE (GuiMeasureLines, gui_measure_lines, GTK_TYPE_DIALOG)

static void
say (GuiMeasureLines *self, const char *text)
{
    gtk_label_set_text (GTK_LABEL (self->status), text);
    gtk_widget_set_visible (self->status, *text != '\0');
}

static void
show_running (GuiMeasureLines *self, gboolean is_running)
{
    gtk_widget_set_sensitive (self->measure, !is_running);
    gtk_widget_set_visible (self->stop, is_running);
    gtk_widget_set_sensitive (self->words, !is_running);
    gtk_widget_set_sensitive (self->folder, !is_running);
    gtk_widget_set_visible (self->progress, is_running);
    gtk_window_set_destroy_with_parent (GTK_WINDOW (self), !is_running);
}

/* The window that the run comes from may be closed before it ends. */
static void
hold_application (GuiMeasureLines *self)
{
    if (self->application == NULL) {
        self->application = g_application_get_default ();
        if (self->application != NULL) {
            g_application_hold (self->application);
        }
    }
}

/* The user's words; NULL: there are none, and the status says why. */
static char **
get_words (GuiMeasureLines *self)
{
    g_autoptr (GError) error = NULL;
    char **words = NULL;

    if (!g_shell_parse_argv (gtk_entry_get_text (GTK_ENTRY (self->words)), NULL, &words,
                             &error)) {
        say (self, base_error_get_shown (error));
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

/* What went wrong is shown even if the dialog was closed meanwhile. */
static void
say_at_end (GuiMeasureLines *self, const char *text)
{
    say (self, text);
    gtk_window_present (GTK_WINDOW (self));
}

/* In a window of its own. */
static gboolean
open_archive (GuiMeasureLines *self, GError **error)
{
    char *argv[] = { self->pddt, self->archive, NULL };

    return g_spawn_async (NULL, argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, NULL, error);
}

static void
on_ended (GPid pid, int status, gpointer user)
{
    GuiMeasureLines *self = user;
    g_autoptr (GError) error = NULL;

    g_spawn_close_pid (pid);
    self->pid = 0;
    show_running (self, FALSE);
    if (!profile_archive_is (self->archive)) {
        g_autofree char *text
            = WIFEXITED (status)
                  ? g_strdup_printf (_ ("Nothing was measured: pddt ended with status %d. What "
                                        "it says is on its standard error."),
                                     WEXITSTATUS (status))
                  : g_strdup_printf (_ ("Nothing was measured: pddt was ended by signal %d."),
                                     WTERMSIG (status));

        say_at_end (self, text);
    } else if (!open_archive (self, &error)) {
        say_at_end (self, base_error_get_shown (error));
    } else {
        gtk_widget_destroy (GTK_WIDGET (self));
    }
}

static void
measure (GuiMeasureLines *self)
{
    g_auto (GStrv) words = get_words (self);
    g_autofree char *folder = gtk_file_chooser_get_filename (GTK_FILE_CHOOSER (self->folder));
    g_autoptr (GPtrArray) argv = g_ptr_array_new ();
    g_autoptr (GError) error = NULL;

    if (words == NULL) {
        return;
    }
    g_free (self->archive);
    self->archive = choose_archive (folder != NULL ? folder : ".", self->function);
    g_ptr_array_add (argv, self->pddt);
    g_ptr_array_add (argv, (char *) "--lines");
    g_ptr_array_add (argv, self->function);
    g_ptr_array_add (argv, (char *) "--output");
    g_ptr_array_add (argv, self->archive);
    g_ptr_array_add (argv, (char *) "--");
    for (guint i = 0; words[i] != NULL; i++) {
        g_ptr_array_add (argv, words[i]);
    }
    g_ptr_array_add (argv, NULL);
    if (!g_spawn_async (folder, (char **) argv->pdata, NULL, G_SPAWN_DO_NOT_REAP_CHILD, NULL,
                        NULL, &self->pid, &error)) {
        self->pid = 0;
        say (self, base_error_get_shown (error));
        return;
    }
    self->watch = g_child_watch_add (self->pid, on_ended, self);
    say (self, "");
    hold_application (self);
    show_running (self, TRUE);
}

/* Whoever closes the dialog during a run still wants the result; asking again for lines shows it again. */
static void
close_dialog (GuiMeasureLines *self)
{
    if (self->pid != 0) {
        gtk_widget_hide (GTK_WIDGET (self));
    } else {
        gtk_widget_destroy (GTK_WIDGET (self));
    }
}

static void
copy (GuiMeasureLines *self)
{
    g_autofree char *quoted = g_shell_quote (self->function);
    g_autofree char *line = g_strdup_printf ("pddt --lines %s %s", quoted,
                                             gtk_entry_get_text (GTK_ENTRY (self->words)));

    gtk_clipboard_set_text (gtk_widget_get_clipboard (GTK_WIDGET (self),
                                                      GDK_SELECTION_CLIPBOARD),
                            line, -1);
}

static void
on_response (GuiMeasureLines *self, int response)
{
    switch (response) {
    case COPY: copy (self); break;
    case MEASURE: measure (self); break;
    case STOP:
        if (self->pid != 0) { /* pddt lets the job end, and writes what there is */
            kill (self->pid, SIGTERM);
        }
        break;
    default: close_dialog (self); break;
    }
}

/* A run ends by itself, and is measured to its end. */
static void
gui_measure_lines_dispose (GObject *object)
{
    GuiMeasureLines *self = GUI_MEASURE_LINES (object);

    if (self->pid != 0) {
        g_source_remove (self->watch);
        g_spawn_close_pid (self->pid);
        self->pid = 0;
    }
    if (self->application != NULL) {
        g_application_release (self->application);
        self->application = NULL;
    }
    G_OBJECT_CLASS (gui_measure_lines_parent_class)->dispose (object);
}

GUI_FINALIZE (gui_measure_lines, GuiMeasureLines,
              gui_properties_clear (self, GUI_TYPE_MEASURE_LINES);
              g_free (self->archive))

/* The buttons are in the header bar from now on. */
static void
gui_measure_lines_constructed (GObject *object)
{
    GuiMeasureLines *self = GUI_MEASURE_LINES (object);
    g_autofree char *tidy = profile_command_tidy (self->command);
    g_autofree char *here = g_get_current_dir ();
    g_autofree char *text = g_strdup_printf (
        _ ("pddt runs the program again, counts how often each line of %s runs and for how "
           "long, and opens the result in a new window."),
        self->function);

    G_OBJECT_CLASS (gui_measure_lines_parent_class)->constructed (object);
    gtk_dialog_set_default_response (GTK_DIALOG (self), MEASURE);
    gtk_label_set_text (GTK_LABEL (self->about), text);
    gtk_entry_set_text (GTK_ENTRY (self->words), tidy != NULL ? tidy : "");
    gtk_file_chooser_set_filename (GTK_FILE_CHOOSER (self->folder), here);
    gui_theme_name (GTK_WIDGET (self), "measure-lines", NULL);
}

static void
gui_measure_lines_class_init (GuiMeasureLinesClass *klass)
{
    G_OBJECT_CLASS (klass)->constructed = gui_measure_lines_constructed;
    G_OBJECT_CLASS (klass)->dispose = gui_measure_lines_dispose;
    G_OBJECT_CLASS (klass)->finalize = gui_measure_lines_finalize;
    GUI_PROPERTIES (klass, GuiMeasureLines,
                    (pddt, G_TYPE_STRING, .flags = G_PARAM_CONSTRUCT_ONLY),
                    (function, G_TYPE_STRING, .flags = G_PARAM_CONSTRUCT_ONLY),
                    (command, G_TYPE_STRING, .flags = G_PARAM_CONSTRUCT_ONLY));
    GUI_TEMPLATE (klass, "measure-lines.ui");
    GUI_CHILDREN (klass, GuiMeasureLines, about, words, folder, status, progress, measure,
                  stop);
    GUI_CALLBACKS (klass, on_response, gtk_true);
}

static void
gui_measure_lines_init (GuiMeasureLines *self)
{
    gtk_widget_init_template (GTK_WIDGET (self));
    gui_theme_name (self->words, "measured-command", NULL);
    gui_theme_name (self->folder, "measured-folder", NULL);
    gui_theme_name (self->status, "measured-status", NULL);
    gui_theme_name (self->measure, "measure", NULL);
}

/* The dialog of a run that is under way, wherever it was asked for; NULL: there is none. */
static GtkWidget *
find_running (void)
{
    g_autoptr (GList) windows = gtk_window_list_toplevels ();

    for (GList *window = windows; window != NULL; window = window->next) {
        if (GUI_IS_MEASURE_LINES (window->data) && GUI_MEASURE_LINES (window->data)->pid != 0) {
            return window->data;
        }
    }
    return NULL;
}

GtkWidget *
gui_measure_lines_open (GtkWindow *parent, const char *pddt, const char *function,
                        const char *command)
{
    GtkWidget *self = find_running ();

    if (self == NULL) {
        self = g_object_new (GUI_TYPE_MEASURE_LINES, "use-header-bar", TRUE, "transient-for",
                             parent, "pddt", pddt, "function", function, "command", command,
                             NULL);
    }
    gtk_window_present (GTK_WINDOW (self));
    return self;
}
