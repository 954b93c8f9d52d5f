/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The fields, their check after each key, and the history of runs (a key file). */
#include "gui/dialogs/run-dialog.h"
#include <glib/gi18n.h>
#include "base/error.h"
#include <string.h>
#include "gui/dialogs/attach-dialog.h"
#include "gui/dialogs/core-dialog.h"
#include "gui/dialogs/file-row.h"
#include "gui/dialogs/offer-bar.h"
#include "gui/dialogs/queue-choice.h"
#include "gui/dialogs/queue-window.h"
#include "gui/dialogs/run-line.h"
#include "gui/dialogs/run-memory.h"
#include "gui/kit/chooser.h"
#include "gui/kit/keys.h"
#include "gui/kit/properties.h"
#include "session/launchers.h"
#include "session/remote.h"
#include "session/saved.h"
#include "session/queues.h"
#include "session/sources.h"
#include "gui/kit/template.h"
#include "gui/kit/theme.h"
#include "profile/command.h"

enum {
    MIN_WIDTH = 500,
    BORDERS = 48,
    MAX_SAVED = 300,
    BESIDE_FORM = 210, /* title, buttons, a line of a message */
    MIN_FORM = 200,
}; /* of the window, and of what a saved session says */

struct _GuiRunDialog {
    GtkApplicationWindow parent;
    GtkWidget *program, *choose_program, *program_problem, *arguments, *recent, *use_mpi,
        *mpi_box, *ranks, *launcher, *options, *folder, *choose_folder, *environment, *stop_at,
        *will_run, *cancel, *debug, *error_bar, *error_text, *saved_bar, *saved_text, *connect,
        *connect_popover, *host, *queue, *form, *form_scrolled, *more, *input_file,
        *output_folder, *source_folders;
    GKeyFile *memory;
    SessionSaved *saved; /* opened; the fields rest then. NULL: none */
    char *saved_file;
    gboolean is_filling;
    GCancellable *asking;      /* the launcher, before the start; NULL: not now */
    Session *session;          /* NULL: what is started stands on this host */
    GCancellable *looking;     /* for the program; NULL: not now */
    GError *lacks;             /* why the program cannot be started, as far as is known; NULL */
    gboolean is_debug_pressed; /* while that was not known */
};

G_DEFINE_TYPE (GuiRunDialog, gui_run_dialog, GTK_TYPE_APPLICATION_WINDOW)

static guint start_signal;

static const char *
get_text (GtkWidget *entry)
{
    return gtk_entry_get_text (GTK_ENTRY (entry));
}

static GuiRunLine
get_line (GuiRunDialog *self)
{
    return (GuiRunLine){
        .program = get_text (self->program),
        .arguments = get_text (self->arguments),
        .use_mpi = gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (self->use_mpi)),
        .n_ranks = (guint) gtk_spin_button_get_value_as_int (GTK_SPIN_BUTTON (self->ranks)),
        .launcher = gtk_combo_box_get_active_id (GTK_COMBO_BOX (self->launcher)),
        .launcher_options = get_text (self->options),
        .folder = get_text (self->folder),
        .environment = get_text (self->environment),
    };
}

static void
stop_looking (GuiRunDialog *self)
{
    g_cancellable_cancel (self->looking);
    g_clear_object (&self->looking);
    self->is_debug_pressed = FALSE;
}

/* As high as it is, where the screen has room; below that it scrolls. */
static void
fit_form (GuiRunDialog *self)
{
    GdkDisplay *display = gtk_widget_get_display (GTK_WIDGET (self));
    GdkRectangle area = { 0 };
    int height;

    gdk_monitor_get_workarea (gdk_display_get_monitor (display, 0), &area);
    gtk_widget_get_preferred_height (self->form, NULL, &height);
    gtk_scrolled_window_set_min_content_height (GTK_SCROLLED_WINDOW (self->form_scrolled),
                                                MIN (height, MAX (area.height - BESIDE_FORM,
                                                                  MIN_FORM)));
}

/* What the fields make, and what is wrong with them or with the program. */
static void
show_line (GuiRunDialog *self)
{
    GuiRunLine line = get_line (self);
    g_autoptr (GError) error = NULL;
    g_auto (GStrv) argv = gui_run_line_dup_argv (&line, &error);
    g_auto (GStrv) environment = argv != NULL ? gui_run_line_dup_environment (&line, &error)
                                              : NULL;
    gboolean fits = gui_queue_choice_check (GUI_QUEUE_CHOICE (self->queue));
    gboolean is_submitted = gui_queue_choice_get_id (GUI_QUEUE_CHOICE (self->queue)) != NULL;
    const GError *problem = self->lacks != NULL ? self->lacks : error;
    g_autofree char *text = argv != NULL && self->lacks == NULL
                                ? profile_command_format ((const char *const *) argv)
                                : g_strdup ("…");
    gboolean is_shown = problem != NULL && *line.program != '\0';

    gtk_widget_set_sensitive (self->mpi_box, line.use_mpi);
    gtk_widget_set_sensitive (self->debug, problem == NULL && fits);
    gtk_button_set_label (GTK_BUTTON (self->debug),
                          is_submitted ? _ ("_Submit") : _ ("_Debug"));
    gui_theme_name (self->debug, "debug", is_submitted ? _ ("Submit") : _ ("Debug"));
    gtk_widget_set_visible (self->more, !is_submitted); /* the queue's own business */
    fit_form (self);
    gtk_label_set_text (GTK_LABEL (self->program_problem),
                        is_shown ? base_error_get_shown (problem) : "");
    gtk_widget_set_visible (self->program_problem, is_shown);
    gtk_label_set_text (GTK_LABEL (self->will_run), text);
}

static void
on_program (GObject *source, GAsyncResult *result, gpointer user)
{
    g_autoptr (GError) error = NULL;
    g_autofree char *path = session_find_program_finish (result, &error);
    GuiRunDialog *self = user;
    gboolean is_debug_pressed;

    if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED)) {
        return; /* the dialog is gone, or looks for another program */
    }
    is_debug_pressed = self->is_debug_pressed;
    stop_looking (self);
    g_clear_error (&self->lacks);
    self->lacks = g_steal_pointer (&error);
    show_line (self);
    if (is_debug_pressed && gtk_widget_get_sensitive (self->debug)) {
        gtk_button_clicked (GTK_BUTTON (self->debug));
    }
}

/* Until there is an answer, what was known before is shown. */
static void
check (GuiRunDialog *self)
{
    GuiRunLine line = get_line (self);

    if (self->is_filling || self->saved != NULL) {
        return;
    }
    g_cancellable_cancel (self->asking); /* it may be another launcher now */
    stop_looking (self);
    if (*line.program == '\0') {
        g_clear_error (&self->lacks);
    } else {
        self->looking = g_cancellable_new ();
        session_find_program_async (self->session, line.folder, line.program,
                                    gui_run_line_is_script (&line), self->looking, on_program,
                                    self);
    }
    show_line (self);
}

static const char *const more_keys[] = { "input-file", "output-folder", "source-folders" };
enum { N_MORE = G_N_ELEMENTS (more_keys) };

static GtkWidget **
get_more (GuiRunDialog *self, guint index)
{
    GtkWidget **const entries[] = { &self->input_file, &self->output_folder,
                                    &self->source_folders };

    return entries[index];
}

static void
remember (GuiRunDialog *self, const GuiRunLine *line)
{
    g_autofree char *now = g_strdup_printf ("%" G_GINT64_FORMAT, g_get_real_time ());

    if (strpbrk (line->program, "[]\n") != NULL) {
        return; /* a key file's group cannot have that name */
    }
    g_key_file_set_string (self->memory, line->program, "arguments", line->arguments);
    g_key_file_set_boolean (self->memory, line->program, "mpi", line->use_mpi);
    g_key_file_set_integer (self->memory, line->program, "ranks", (int) line->n_ranks);
    g_key_file_set_string (self->memory, line->program, "launcher",
                           line->launcher != NULL ? line->launcher
                                                  : session_launchers_list ()[0]);
    g_key_file_set_string (self->memory, line->program, "options", line->launcher_options);
    g_key_file_set_string (self->memory, line->program, "folder", line->folder);
    g_key_file_set_string (self->memory, line->program, "environment", line->environment);
    for (guint i = 0; i < N_MORE; i++) {
        g_key_file_set_string (self->memory, line->program, more_keys[i],
                               get_text (*get_more (self, i)));
    }
    g_key_file_set_string (self->memory, line->program, "stop-at",
                           gtk_combo_box_get_active_id (GTK_COMBO_BOX (self->stop_at)));
    g_key_file_set_string (self->memory, line->program, "when", now);
    gui_queue_choice_remember (GUI_QUEUE_CHOICE (self->queue), self->memory, line->program);
    gui_run_memory_save (self->memory);
}

static void
set_from_memory (GuiRunDialog *self, GtkWidget *entry, const char *program, const char *key)
{
    g_autofree char *text = g_key_file_get_string (self->memory, program, key, NULL);

    gtk_entry_set_text (GTK_ENTRY (entry), text != NULL ? text : "");
}

/* Open where one of them says something. */
static void
restore_more (GuiRunDialog *self, const char *program)
{
    g_autofree char *stop_at = g_key_file_get_string (self->memory, program, "stop-at", NULL);
    gboolean has_any = FALSE;

    for (guint i = 0; i < N_MORE; i++) {
        set_from_memory (self, *get_more (self, i), program, more_keys[i]);
        has_any |= *get_text (*get_more (self, i)) != '\0';
    }
    gtk_expander_set_expanded (GTK_EXPANDER (self->more), has_any);
    gtk_combo_box_set_active_id (GTK_COMBO_BOX (self->stop_at),
                                 stop_at != NULL ? stop_at : "main");
}

static void
on_recent (GuiRunDialog *self)
{
    const char *program = gtk_combo_box_get_active_id (GTK_COMBO_BOX (self->recent));
    g_autofree char *launcher = NULL;

    if (program != NULL && g_str_has_suffix (program, ".pddt")) {
        gui_run_dialog_open (self, program);
        return;
    }
    if (program == NULL || !g_key_file_has_group (self->memory, program)) {
        return;
    }
    self->is_filling = TRUE;
    gtk_entry_set_text (GTK_ENTRY (self->program), program);
    set_from_memory (self, self->arguments, program, "arguments");
    set_from_memory (self, self->options, program, "options");
    set_from_memory (self, self->folder, program, "folder");
    set_from_memory (self, self->environment, program, "environment");
    gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (self->use_mpi),
                                  g_key_file_get_boolean (self->memory, program, "mpi", NULL));
    gtk_spin_button_set_value (GTK_SPIN_BUTTON (self->ranks),
                               g_key_file_get_integer (self->memory, program, "ranks", NULL));
    restore_more (self, program);
    gui_queue_choice_restore (GUI_QUEUE_CHOICE (self->queue), self->memory, program);
    launcher = g_key_file_get_string (self->memory, program, "launcher", NULL);
    gtk_combo_box_set_active_id (GTK_COMBO_BOX (self->launcher), launcher);
    self->is_filling = FALSE;
    check (self);
}

static void
start_saved (GuiRunDialog *self)
{
    SessionOptions options = session_saved_get_options (self->saved);

    session_saved_accept (self->saved); /* the dialog shows what it does */
    g_signal_emit (self, start_signal, 0, &options, self->saved_file);
}

/* Keeps the line: a saved session does not start with what the fields contain. */
static void
show_form (GuiRunDialog *self, gboolean is_shown)
{
    g_autoptr (GList) children = gtk_container_get_children (GTK_CONTAINER (self->form));
    int row, will_run;

    gtk_container_child_get (GTK_CONTAINER (self->form), self->will_run, "top-attach",
                             &will_run, NULL);
    for (GList *link = children; link != NULL; link = link->next) {
        gtk_container_child_get (GTK_CONTAINER (self->form), link->data, "top-attach", &row,
                                 NULL);
        gtk_widget_set_visible (link->data, is_shown || row == will_run);
    }
}

static void
close_saved (GuiRunDialog *self)
{
    g_clear_pointer (&self->saved, session_saved_free);
    g_clear_pointer (&self->saved_file, g_free);
    gtk_info_bar_set_revealed (GTK_INFO_BAR (self->saved_bar), FALSE);
    show_form (self, TRUE);
    gtk_widget_grab_default (self->debug);
    check (self); /* which shows what is wrong with the program, or hides that */
}

/* The file may be malicious: shows everything that Debug would start. */
static char *
describe_foreign (const SessionSaved *saved, const char *base, const char *contents)
{
    g_autofree char *facts = session_saved_describe (saved);

    return g_strdup_printf (
        _ ("Saved session %s: %s. pddt did not write this file for you. Debug would "
           "start:\n%s"),
        base, contents, facts);
}

/* Debug waits until the end of what the file would start has been seen. */
static void
on_scrolled (GtkAdjustment *range, GuiRunDialog *self)
{
    if (self->saved != NULL
        && gtk_adjustment_get_value (range) + gtk_adjustment_get_page_size (range)
               >= gtk_adjustment_get_upper (range) - 1) {
        gtk_widget_set_sensitive (self->debug, TRUE);
    }
}

/* As high as the text is, where the screen has room; below that it scrolls. */
static void
show_whole (GuiRunDialog *self, gboolean is_foreign)
{
    GtkWidget *scrolled = gtk_widget_get_ancestor (self->saved_text, GTK_TYPE_SCROLLED_WINDOW);
    GtkAdjustment *range = gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (scrolled));
    int width = MAX (gtk_widget_get_allocated_width (GTK_WIDGET (self)), MIN_WIDTH), height;

    gtk_widget_get_preferred_height_for_width (self->saved_text, width - BORDERS, NULL,
                                               &height);
    gtk_scrolled_window_set_min_content_height (GTK_SCROLLED_WINDOW (scrolled),
                                                MIN (height, MAX_SAVED));
    g_signal_handlers_disconnect_by_func (range, on_scrolled, self);
    gtk_adjustment_set_value (range, 0);
    if (is_foreign && height > MAX_SAVED) {
        gtk_widget_set_sensitive (self->debug, FALSE);
        g_signal_connect (range, "value-changed", G_CALLBACK (on_scrolled), self);
    }
}

void
gui_run_dialog_open (GuiRunDialog *self, const char *file)
{
    g_autoptr (GError) error = NULL;
    SessionSaved *saved = session_saved_load (file, &error);
    g_autofree char *contents = NULL, *text = NULL, *line = NULL, *base = NULL, *kept = NULL,
                    *here = NULL;

    if (saved == NULL) {
        gui_run_dialog_show_error (self, base_error_get_shown (error));
        return;
    }
    kept = g_canonicalize_filename (file, NULL);
    here = session_remote_dup_address ();
    if (saved->host != NULL && g_strcmp0 (saved->host, here) != 0) {
        session_saved_free (saved);
        gui_offer_bar_run (kept, NULL); /* which connects to that host */
        return;
    }
    close_saved (self);
    stop_looking (self);
    gtk_info_bar_set_revealed (GTK_INFO_BAR (self->error_bar), FALSE);
    self->saved = saved;
    self->saved_file = g_steal_pointer (&kept);
    contents = gui_run_memory_describe (saved);
    base = g_path_get_basename (file);
    text = saved->is_own ? g_strdup_printf (_ ("Saved session %s: %s"), base, contents)
                         : describe_foreign (saved, base, contents);
    gtk_info_bar_set_message_type (GTK_INFO_BAR (self->saved_bar),
                                   saved->is_own ? GTK_MESSAGE_INFO : GTK_MESSAGE_WARNING);
    gtk_label_set_text (GTK_LABEL (self->saved_text), text);
    gtk_info_bar_set_revealed (GTK_INFO_BAR (self->saved_bar), TRUE);
    show_form (self, FALSE);
    gtk_window_resize (GTK_WINDOW (self), gtk_widget_get_allocated_width (GTK_WIDGET (self)),
                       1); /* as high as what is left of it */
    line = profile_command_format ((const char *const *) saved->argv);
    gtk_label_set_text (GTK_LABEL (self->will_run), line);
    gtk_widget_set_sensitive (self->debug, TRUE);
    show_whole (self, !saved->is_own);
    gtk_widget_grab_default (saved->is_own ? self->debug : self->cancel);
    gtk_widget_grab_focus (saved->is_own ? self->debug : self->cancel);
}

static void
start (GuiRunDialog *self)
{
    if (self->saved != NULL) {
        start_saved (self);
        return;
    }
    GuiRunLine line = get_line (self);
    g_auto (GStrv) argv = gui_run_line_dup_argv (&line, NULL);
    g_auto (GStrv) environment = gui_run_line_dup_environment (&line, NULL);
    SessionOptions options = { .timeout_s = 60 };

    if (argv == NULL || environment == NULL) {
        return;
    }
    remember (self, &line);
    options.argv = (const char *const *) argv;
    options.environment = (const char *const *) environment;
    options.folder = *line.folder != '\0' ? line.folder : NULL;
    options.stop_at = gtk_combo_box_get_active_id (GTK_COMBO_BOX (self->stop_at));
    options.input_file = get_text (self->input_file);
    options.output_folder = get_text (self->output_folder);
    options.source_folders = get_text (self->source_folders);
    g_signal_emit (self, start_signal, 0, &options, NULL);
}

static void
on_prepared (GObject *source, GAsyncResult *result, gpointer data)
{
    g_autoptr (GuiRunDialog) self = data;
    g_autoptr (GError) error = NULL;
    gboolean is_ready = session_prepare_finish (result, &error);

    g_clear_object (&self->asking);
    g_application_release (g_application_get_default ());
    if (is_ready) {
        start (self);
    } else if (!g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED)) {
        gui_run_dialog_show_error (self, base_error_get_shown (error));
    }
}

/* The window of the job is over: with a problem, this dialog is there again. */
static void
on_queue_over (GuiRunDialog *self, const char *problem, GtkWidget *window)
{
    gtk_widget_destroy (window);
    if (problem == NULL) {
        gtk_widget_destroy (GTK_WIDGET (self));
        return;
    }
    if (*problem != '\0') {
        gui_run_dialog_show_error (self, problem);
    }
    gtk_window_present (GTK_WINDOW (self));
}

static void
on_submitted (GObject *source, GAsyncResult *result, gpointer data)
{
    g_autoptr (GuiRunDialog) self = data;
    g_autoptr (GError) error = NULL;
    g_autoptr (SessionSubmitted) submitted = session_submit_finish (result, &error);
    GtkWidget *window;

    g_clear_object (&self->asking);
    if (submitted == NULL) {
        gui_run_dialog_show_error (self, base_error_get_shown (error));
        return;
    }
    window = gui_queue_window_new (gtk_window_get_application (GTK_WINDOW (self)),
                                   self->session, submitted,
                                   gtk_label_get_text (GTK_LABEL (self->will_run)));
    g_signal_connect_object (window, "over", G_CALLBACK (on_queue_over), self,
                             G_CONNECT_SWAPPED);
    gtk_window_present (GTK_WINDOW (window));
    gtk_widget_hide (GTK_WIDGET (self));
}

static void
submit (GuiRunDialog *self)
{
    GuiRunLine line = get_line (self);
    g_auto (GStrv) argv = gui_run_line_dup_argv (&line, NULL);
    g_auto (GStrv) environment = gui_run_line_dup_environment (&line, NULL);
    g_auto (GStrv) fields = gui_queue_choice_dup_fields (GUI_QUEUE_CHOICE (self->queue));
    const char *options[] = { "--connect", "--stop-at",
                              gtk_combo_box_get_active_id (GTK_COMBO_BOX (self->stop_at)),
                              NULL };
    const SessionSubmission submission
        = { .queue = gui_queue_choice_get_id (GUI_QUEUE_CHOICE (self->queue)),
            .argv = (const char *const *) argv,
            .environment = (const char *const *) environment,
            .fields = (const char *const *) fields,
            .options = options,
            .folder = *line.folder != '\0' ? line.folder : NULL };

    remember (self, &line);
    self->asking = g_cancellable_new ();
    session_submit_async (self->session, &submission, NULL, on_submitted, g_object_ref (self));
}

/* A launcher that hangs, on its file system or in a wrapper, must not hold up the windows. */
static void
on_debug (GuiRunDialog *self)
{
    GuiRunLine line = get_line (self);
    g_auto (GStrv) argv = self->saved == NULL ? gui_run_line_dup_argv (&line, NULL)
                                              : g_strdupv (self->saved->argv);

    if (argv == NULL || self->asking != NULL) {
        return;
    }
    if (self->looking != NULL) {
        self->is_debug_pressed = TRUE;
        return;
    }
    gtk_info_bar_set_revealed (GTK_INFO_BAR (self->error_bar), FALSE);
    if (self->saved == NULL
        && gui_queue_choice_get_id (GUI_QUEUE_CHOICE (self->queue)) != NULL) {
        submit (self);
        return;
    }
    self->asking = g_cancellable_new ();
    g_application_hold (g_application_get_default ()); /* until what hangs has been ended */
    session_prepare_async ((const char *const *) argv, self->asking, on_prepared,
                           g_object_ref (self));
}

static void
on_attach_start (GuiRunDialog *self, const SessionOptions *options, GtkWidget *dialog)
{
    gtk_widget_hide (dialog);
    g_signal_emit (self, start_signal, 0, options, NULL);
}

static void
on_attach (GuiRunDialog *self)
{
    GtkWidget *dialog = gui_attach_dialog_new (GTK_WINDOW (self), self->session);

    g_signal_connect_swapped (dialog, "start", G_CALLBACK (on_attach_start), self);
    gtk_window_present (GTK_WINDOW (dialog));
}

/* Another process has that connection; this dialog stays for jobs here. */
static void
on_connect (GuiRunDialog *self)
{
    const char *host = get_text (self->host);

    if (*host != '\0' && *host != '-') {
        gui_offer_bar_run ("--remote", host);
        gtk_popover_popdown (GTK_POPOVER (self->connect_popover));
    }
}

static void
on_cores (GuiRunDialog *self)
{
    g_autofree char *current = session_remote_get_host () != NULL ? g_strdup (".")
                                                                  : g_get_current_dir ();
    const char *folder = *get_text (self->folder) != '\0' ? get_text (self->folder) : current;
    GtkWidget *dialog = gui_core_dialog_new (GTK_WINDOW (self), self->session, folder);

    g_signal_connect_swapped (dialog, "start", G_CALLBACK (on_attach_start), self);
    gtk_window_present (GTK_WINDOW (dialog));
}

void
gui_run_dialog_choose (GuiRunDialog *self, const char *what)
{
    if (strcmp (what, "attach") == 0) {
        on_attach (self);
    } else {
        on_cores (self);
    }
}

static void
on_file_chosen (GtkWidget *self, const char *file, GtkFileChooserNative *chooser)
{
    gui_run_dialog_open (GUI_RUN_DIALOG (self), file);
}

static void
on_open (GuiRunDialog *self)
{
    GtkFileChooserNative *chooser = gtk_file_chooser_native_new (_ ("Open Session"),
                                                                 GTK_WINDOW (self),
                                                                 GTK_FILE_CHOOSER_ACTION_OPEN,
                                                                 NULL, NULL);
    GtkFileFilter *filter = gtk_file_filter_new ();

    gtk_file_filter_add_pattern (filter, "*.pddt");
    gtk_file_filter_set_name (filter, _ ("Saved sessions (*.pddt)"));
    gtk_file_chooser_add_filter (GTK_FILE_CHOOSER (chooser), filter);
    gui_chooser_show (chooser, GTK_WIDGET (self), on_file_chosen);
}

static void
on_error_response (GtkInfoBar *bar)
{
    gtk_info_bar_set_revealed (bar, FALSE);
}

void
gui_run_dialog_show_error (GuiRunDialog *self, const char *text)
{
    gtk_label_set_text (GTK_LABEL (self->error_text), text);
    gtk_info_bar_set_revealed (GTK_INFO_BAR (self->error_bar), TRUE);
}

static gboolean
on_key (GuiRunDialog *self, GdkEventKey *event)
{
    if (event->keyval == GDK_KEY_Escape) {
        gtk_window_close (GTK_WINDOW (self));
        return TRUE;
    }
    return gui_keys_prefer_text (GTK_WINDOW (self), event);
}

/* The user may have built the program meanwhile. */
static void
on_active (GuiRunDialog *self)
{
    if (gtk_window_is_active (GTK_WINDOW (self)) && self->asking == NULL) {
        check (self);
    }
}

static void
on_drop (GuiRunDialog *self, GdkDragContext *context, int x, int y, GtkSelectionData *data)
{
    g_auto (GStrv) uris = gtk_selection_data_get_uris (data);
    g_autofree char *file = uris != NULL && uris[0] != NULL
                                ? g_filename_from_uri (uris[0], NULL, NULL)
                                : NULL;

    if (file != NULL && g_str_has_suffix (file, ".pddt")) {
        gui_run_dialog_open (self, file);
    } else if (file != NULL) {
        gtk_entry_set_text (GTK_ENTRY (self->program), file);
    }
}

static void
gui_run_dialog_destroy (GtkWidget *widget)
{
    g_cancellable_cancel (GUI_RUN_DIALOG (widget)->asking);
    stop_looking (GUI_RUN_DIALOG (widget));
    GTK_WIDGET_CLASS (gui_run_dialog_parent_class)->destroy (widget);
}

static void
gui_run_dialog_constructed (GObject *object)
{
    G_OBJECT_CLASS (gui_run_dialog_parent_class)->constructed (object);
    gui_properties_share (object, "session", GUI_RUN_DIALOG (object)->queue, NULL);
    check (GUI_RUN_DIALOG (object));
}

GUI_FINALIZE (gui_run_dialog, GuiRunDialog, g_clear_error (&self->lacks);
              g_key_file_unref (self->memory); session_saved_free (self->saved);
              g_free (self->saved_file))

static void
gui_run_dialog_class_init (GuiRunDialogClass *klass)
{
    G_OBJECT_CLASS (klass)->constructed = gui_run_dialog_constructed;
    G_OBJECT_CLASS (klass)->finalize = gui_run_dialog_finalize;
    G_OBJECT_CLASS (klass)->dispose = gui_properties_dispose;
    GUI_PROPERTIES (klass, GuiRunDialog,
                    (session, SESSION_TYPE_SESSION, .flags = G_PARAM_CONSTRUCT_ONLY));
    GTK_WIDGET_CLASS (klass)->destroy = gui_run_dialog_destroy;
    GUI_ENSURE (GUI_TYPE_FILE_ROW, GUI_TYPE_OFFER_BAR, GUI_TYPE_QUEUE_CHOICE);
    GUI_TEMPLATE (klass, "run-dialog.ui");
    GUI_CHILDREN (klass, GuiRunDialog, program, choose_program, program_problem, arguments,
                  recent, use_mpi, mpi_box, ranks, launcher, options, folder, choose_folder,
                  environment, stop_at, will_run, cancel, debug, error_bar, error_text, connect,
                  connect_popover, host, queue, saved_bar, saved_text, form, form_scrolled,
                  more, input_file, output_folder, source_folders);
    GUI_CALLBACKS (klass, check, on_recent, on_debug, gtk_window_close, on_error_response,
                   close_saved, on_attach, on_connect, on_cores, on_open, on_key, on_drop,
                   on_active);
    start_signal = GUI_SIGNAL (klass, "start", G_TYPE_POINTER, G_TYPE_STRING);
}

static void
name_widgets (GuiRunDialog *self)
{
    gui_theme_name (self->program, "program", NULL);
    gui_theme_name (self->choose_program, "choose-program", _ ("Choose the program"));
    gui_theme_name (self->program_problem, "program-problem", NULL);
    gui_theme_name (self->arguments, "arguments", _ ("Arguments"));
    gui_theme_name (self->recent, "recent", _ ("Recent"));
    gui_theme_name (self->use_mpi, "use-mpi", NULL);
    gui_theme_name (self->ranks, "ranks", _ ("Ranks"));
    gui_theme_name (self->launcher, "launcher", _ ("Launcher"));
    gui_theme_name (self->options, "options", _ ("Options"));
    gui_theme_name (self->folder, "folder", NULL);
    gui_theme_name (self->choose_folder, "choose-folder", _ ("Choose the folder"));
    gui_theme_name (self->environment, "environment", _ ("Environment"));
    gui_theme_name (self->input_file, "input-file", NULL);
    gui_theme_name (self->output_folder, "output-folder", NULL);
    gui_theme_name_by_label (self->source_folders, self->source_folders, "source-folders");
    gui_theme_name (self->stop_at, "stop-at", _ ("Stop at"));
    gui_theme_name (self->will_run, "will-run", NULL);
    gui_theme_name (self->debug, "debug", _ ("Debug"));
    gui_theme_name (self->error_text, "run-error", NULL);
    gui_theme_name_buttons (self->error_bar, _ ("Close"));
    gui_theme_name_buttons (self->saved_bar, _ ("Close"));
    gui_theme_name (self->saved_text, "saved-session", NULL);
    gui_theme_name (self->host, "host", _ ("Host"));
    gui_theme_name (self->connect, "connect", _ ("Connect To…"));
}

static void
gui_run_dialog_init (GuiRunDialog *self)
{
    const char *host = session_remote_get_host ();
    g_autofree char *folder = host != NULL ? g_strdup ("") : g_get_current_dir (),
                    *there = session_remote_dup_folder ();

    gtk_widget_init_template (GTK_WIDGET (self));
    self->is_filling = TRUE;
    gtk_entry_set_text (GTK_ENTRY (self->folder), folder);
    if (host != NULL) {
        gtk_entry_set_placeholder_text (GTK_ENTRY (self->folder),
                                        *there != '\0' ? there : _ ("Your home folder there"));
        gtk_header_bar_set_subtitle (
            GTK_HEADER_BAR (gtk_window_get_titlebar (GTK_WINDOW (self))), host);
    }
    for (const char *const *name = session_launchers_list (); *name != NULL; name++) {
        gtk_combo_box_text_append (GTK_COMBO_BOX_TEXT (self->launcher), *name, *name);
    }
    gtk_combo_box_set_active (GTK_COMBO_BOX (self->launcher), 0);
    gtk_combo_box_set_active_id (GTK_COMBO_BOX (self->stop_at), "main");
    name_widgets (self);
    self->memory = gui_run_memory_load ();
    gui_run_memory_fill (self->memory, GTK_COMBO_BOX_TEXT (self->recent));
    gtk_drag_dest_set (GTK_WIDGET (self), GTK_DEST_DEFAULT_ALL, NULL, 0, GDK_ACTION_COPY);
    gtk_drag_dest_add_uri_targets (GTK_WIDGET (self));
    gtk_window_set_default (GTK_WINDOW (self), self->debug);
    g_signal_connect_object (self->more, "notify::expanded", G_CALLBACK (fit_form), self,
                             G_CONNECT_SWAPPED | G_CONNECT_AFTER);
    self->is_filling = FALSE;
}

GtkWidget *
gui_run_dialog_new (GtkApplication *application)
{
    return g_object_new (GUI_TYPE_RUN_DIALOG, "application", application, NULL);
}
