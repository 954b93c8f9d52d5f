/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gui/profile/profile-window.h"
#include <glib/gi18n.h>
#include <string.h>
#include "base/array.h"
#include "base/error.h"
#include "gui/kit/chooser.h"
#include "gui/kit/keys.h"
#include "gui/kit/properties.h"
#include "gui/profile/activity-view.h"
#include "gui/profile/class-item.h"
#include "gui/profile/communication-view.h"
#include "gui/profile/comparison-view.h"
#include "gui/profile/measure-lines.h"
#include "gui/profile/moment-pane.h"
#include "gui/profile/profile-calls.h"
#include "profile/command.h"
#include "gui/profile/profile-functions.h"
#include "gui/profile/profile-live.h"
#include "gui/profile/profile-next.h"
#include "gui/profile/profile-other.h"
#include "gui/profile/profile-save.h"
#include "gui/profile/profile-source.h"
#include "gui/profile/ranks-view.h"
#include "gui/profile/report-view.h"
#include "gui/profile/timeline-finder.h"
#include "gui/profile/timeline-view.h"
#include "profile/archive.h"
#include "profile/export.h"
#include "profile/losses.h"
#include "profile/messages.h"
#include "gui/kit/settings.h"
#include "gui/kit/template.h"
#include "gui/kit/theme.h"

#define FORMAT_KEY "pddt-format"

enum { UPDATE_MS = 400, PICTURE_WIDTH = 1100, WIDTH = 1000, HEIGHT = 660, PANE = 230 };

struct _GuiProfileWindow {
    GtkApplicationWindow parent;
    GuiProfileSelection *selection;
    ProfileModel *model;  /* of an archive */
    GuiProfileLive *live; /* of a session */
    Session *session;
    GtkWidget *header, *menu, *print, *range, *own, *reset, *legend, *problem, *pages, *panes,
        *moment, *source;
    GtkWidget *comparison; /* not shown before something is compared */
    GtkWidget *functions, *timeline, *communication,
        *messages, /* whether Timeline shows them */
        *finder;
    GtkWidget *classes[JOB_N_CLASSES];
    char *archive, *archive_program;
    char *pddt; /* path of the program; NULL: not known */
    guint update_source;
    gboolean is_filling;
};

G_DEFINE_TYPE (GuiProfileWindow, gui_profile_window, GTK_TYPE_APPLICATION_WINDOW)

static guint go_to_source_signal, debug_here_signal;

/* ---- what is selected ---- */

GuiProfileSelection *
gui_profile_window_get_selection (GuiProfileWindow *self)
{
    return self->selection;
}

static void
show_legend (GuiProfileWindow *self)
{
    const ProfileModel *model = gui_profile_selection_get_model (self->selection);
    int chosen = gui_profile_selection_get_class (self->selection);

    self->is_filling = TRUE;
    for (guint class = 0; class < JOB_N_CLASSES; class ++) {
        double seconds = 0;

        for (guint i = 0; model != NULL && i < profile_model_get_n_ranks (model); i++) {
            seconds += profile_model_get_class (model, i, class);
        }
        gtk_widget_set_visible (self->classes[class], seconds > 0);
        g_object_set (self->classes[class], "active", chosen == (int) class, NULL);
    }
    self->is_filling = FALSE;
}

/* What only a trace has, or one of MPI. */
static void
show_messages (GuiProfileWindow *self)
{
    const ProfileModel *model = gui_profile_selection_get_model (self->selection);
    int page = gtk_notebook_get_current_page (GTK_NOTEBOOK (self->pages));
    gboolean is_timeline = gtk_notebook_get_nth_page (GTK_NOTEBOOK (self->pages), page)
                           == self->timeline;

    gtk_widget_set_visible (
        self->communication,
        gui_communication_view_has_any (GUI_COMMUNICATION_VIEW (self->communication)));
    gtk_widget_set_visible (self->messages,
                            model != NULL
                                && profile_model_get_n_messages (model)
                                           + profile_model_get_n_collectives (model)
                                       > 0
                                && is_timeline);
    gtk_widget_set_visible (self->finder,
                            model != NULL && profile_model_is_traced (model) && is_timeline);
}

static void
on_messages (GuiProfileWindow *self)
{
    gui_timeline_view_show_messages (
        GUI_TIMELINE_VIEW (self->timeline),
        gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (self->messages)));
}

/* What the archive lacks, in the sentences of Report. */
static void
show_problem (GuiProfileWindow *self, const ProfileModel *model)
{
    const char *problem = model != NULL ? profile_model_get_problem (model, BASE_TEXT_SHOWN)
                                        : NULL;
    g_autofree char *losses = model != NULL ? profile_format_losses (model, BASE_TEXT_SHOWN)
                                            : NULL;
    g_autoptr (GString) text = g_string_new (NULL);

    if (problem != NULL) {
        g_string_append_printf (text, _ ("The archive has a problem: %s."), problem);
    }
    if (losses != NULL) {
        g_string_append_printf (text, "%s%s.", text->len > 0 ? "\n" : "", losses);
    }
    gtk_style_context_add_class (gtk_widget_get_style_context (self->problem), "pddt-error");
    gtk_label_set_text (GTK_LABEL (self->problem), text->str);
    gtk_widget_set_visible (self->problem, text->len > 0);
}

static void
on_own (GuiProfileWindow *self)
{
    gui_profile_selection_set_own (
        self->selection, gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (self->own)));
}

static void
on_changed (GuiProfileSelection *selection, guint what, GuiProfileWindow *self)
{
    const ProfileModel *model = gui_profile_selection_get_model (selection);
    g_autofree char *text = NULL, *command = NULL;

    command = profile_command_tidy (model != NULL ? profile_model_get_info (model)->command
                                                  : NULL);
    gtk_header_bar_set_subtitle (GTK_HEADER_BAR (self->header), command);
    if ((what & (GUI_PROFILE_CHANGE_MODEL | GUI_PROFILE_CHANGE_SLICE)) == 0) {
        return;
    }
    text = gui_profile_selection_format (selection);
    gtk_label_set_text (GTK_LABEL (self->range), text);
    gtk_widget_set_tooltip_text (self->range, text);
    gtk_widget_set_sensitive (self->reset,
                              !gui_profile_selection_is_all_time (selection)
                                  || gui_profile_selection_get_ranks (selection) != NULL
                                  || gui_profile_selection_get_class (selection)
                                         != PROFILE_ALL_CLASSES);
    show_problem (self, model);
    show_legend (self);
    show_messages (self);
}

static void
on_class (GuiClassItem *item, GParamSpec *spec, GuiProfileWindow *self)
{
    if (!self->is_filling) {
        gui_profile_selection_set_class (self->selection,
                                         gui_class_item_is_active (item)
                                             ? (int) gui_class_item_get_class (item)
                                             : PROFILE_ALL_CLASSES);
    }
}

/* ---- the views ---- */

static GuiProfileView *
get_view (GuiProfileWindow *self)
{
    int page = gtk_notebook_get_current_page (GTK_NOTEBOOK (self->pages));

    return GUI_PROFILE_VIEW (gtk_notebook_get_nth_page (GTK_NOTEBOOK (self->pages), page));
}

gboolean
gui_profile_window_show_page (GuiProfileWindow *self, const char *id)
{
    for (int i = 0; i < gtk_notebook_get_n_pages (GTK_NOTEBOOK (self->pages)); i++) {
        GtkWidget *page = gtk_notebook_get_nth_page (GTK_NOTEBOOK (self->pages), i);

        if (g_str_equal (gui_profile_view_get_id (GUI_PROFILE_VIEW (page)), id)) {
            gtk_notebook_set_current_page (GTK_NOTEBOOK (self->pages), i);
            return TRUE;
        }
    }
    return FALSE;
}

static void
show_message (GuiProfileWindow *self, const char *text)
{
    gtk_style_context_add_class (gtk_widget_get_style_context (self->problem), "pddt-error");
    gtk_label_set_text (GTK_LABEL (self->problem), text);
    gtk_widget_show (self->problem);
}

static void
on_go_to_source (GtkWidget *view, const char *file, guint line, GuiProfileWindow *self)
{
    if (self->session != NULL) {
        g_signal_emit (self, go_to_source_signal, 0, file, line);
    } else {
        gui_profile_source_show (GUI_PROFILE_SOURCE (self->source), file, line);
        gui_profile_window_show_page (self, "source");
    }
}

/* The program gets the breakpoint when it is debugged again: with the Run dialog that opens. */
static void
on_debug_here (GtkWidget *view, const char *file, guint line, GuiProfileWindow *self)
{
    g_autoptr (GError) error = NULL;
    g_autofree char *saved = NULL;

    if (self->session != NULL) {
        g_signal_emit (self, debug_here_signal, 0, file, line);
        return;
    }
    saved = gui_profile_next_add (profile_model_get_info (self->model)->command, file, line,
                                  &error);
    if (saved == NULL) {
        show_message (self, base_error_get_shown (error));
        return;
    }
    g_action_group_activate_action (
        G_ACTION_GROUP (gtk_window_get_application (GTK_WINDOW (self))), "open-session",
        g_variant_new_string (saved));
}

static void
on_measure_lines (GtkWidget *view, const char *function, const char *command,
                  GuiProfileWindow *self)
{
    gui_measure_lines_open (GTK_WINDOW (self), self->pddt, function, command);
}

/* An action of the menu that needs a program. */
static void
enable_action (GuiProfileWindow *self, const char *name, gboolean is_enabled)
{
    g_simple_action_set_enabled (
        G_SIMPLE_ACTION (g_action_map_lookup_action (G_ACTION_MAP (self), name)), is_enabled);
}

static void
enter_archive_program (gpointer user)
{
    GuiProfileWindow *self = user;

    enable_action (self, "compare", self->archive_program != NULL);
}

/* Functions has a menu's item for it where it is listened to. */
static void
enter_pddt (gpointer user)
{
    GuiProfileWindow *self = user;

    enable_action (self, "open-archive", self->pddt != NULL);

    g_signal_handlers_disconnect_by_func (self->functions, on_measure_lines, self);
    if (self->pddt != NULL) {
        g_signal_connect (self->functions, "measure-lines", G_CALLBACK (on_measure_lines),
                          self);
    }
}

static void
on_show_page (GtkWidget *view, const char *id, GuiProfileWindow *self)
{
    gui_profile_window_show_page (self, id);
}

static void
connect_view (GuiProfileWindow *self, GtkWidget *view)
{
    g_signal_connect (view, "show-page", G_CALLBACK (on_show_page), self);
    g_signal_connect (view, "go-to-source", G_CALLBACK (on_go_to_source), self);
    g_signal_connect (view, "debug-here", G_CALLBACK (on_debug_here), self);
}

static void
on_moment (GtkWidget *view, double time_s, guint rank, guint thread, GuiProfileWindow *self)
{
    if (!gtk_widget_get_visible (self->moment)) {
        int height = gtk_widget_get_allocated_height (self->panes);

        gtk_paned_set_position (GTK_PANED (self->panes), height - MIN (PANE, height * 2 / 5));
        gtk_widget_show (self->moment);
    }
    gui_moment_pane_show (GUI_MOMENT_PANE (self->moment), time_s, rank, thread);
}

static void
add_view (GuiProfileWindow *self, GtkWidget *view)
{
    GuiProfileView *as_view = GUI_PROFILE_VIEW (view);

    gtk_widget_show (view);
    connect_view (self, view);
    if (GUI_IS_PROFILE_CANVAS (view)) {
        g_signal_connect (view, "moment", G_CALLBACK (on_moment), self);
    }
    gtk_notebook_append_page (GTK_NOTEBOOK (self->pages), view, NULL);
    gtk_notebook_set_tab_label_text (GTK_NOTEBOOK (self->pages), view,
                                     gui_profile_view_get_title (as_view));
}

/* ---- pictures and paper ---- */

static char *
dup_heading (GuiProfileWindow *self)
{
    const ProfileModel *model = gui_profile_selection_get_model (self->selection);
    g_autofree char *command
        = profile_command_tidy (model != NULL ? profile_model_get_info (model)->command : NULL);
    g_autofree char *range = gui_profile_selection_format (self->selection);

    return command != NULL ? g_strdup_printf ("%s · %s", command, range)
                           : g_steal_pointer (&range);
}

static void
on_chosen (GtkWidget *widget, const char *file, GtkFileChooserNative *chooser)
{
    GuiProfileWindow *self = GUI_PROFILE_WINDOW (widget);
    g_autofree char *heading = dup_heading (self);
    g_autoptr (GError) error = NULL;

    if (!gui_profile_save (get_view (self), heading, file,
                           MAX (PICTURE_WIDTH, gtk_widget_get_allocated_width (self->pages)),
                           &error)) {
        show_message (self, base_error_get_shown (error));
    }
}

static GtkFileChooserNative *
choose_file (GuiProfileWindow *self, const char *title, const char *name)
{
    GtkFileChooserNative *chooser = gtk_file_chooser_native_new (title, GTK_WINDOW (self),
                                                                 GTK_FILE_CHOOSER_ACTION_SAVE,
                                                                 NULL, NULL);

    gtk_file_chooser_set_current_name (GTK_FILE_CHOOSER (chooser), name);
    gtk_file_chooser_set_do_overwrite_confirmation (GTK_FILE_CHOOSER (chooser), TRUE);
    return chooser;
}

static void
activate_save (GSimpleAction *action, GVariant *parameter, gpointer user)
{
    GuiProfileWindow *self = GUI_PROFILE_WINDOW (user);
    const char *suffix = g_variant_get_string (parameter, NULL);
    g_autofree char *name = g_strdup_printf ("%s.%s", gui_profile_view_get_id (get_view (self)),
                                             suffix);

    gui_chooser_show (choose_file (self, _ ("Save Picture"), name), GTK_WIDGET (self),
                      on_chosen);
}

/* ---- reports, and files for other tools ---- */

static void
on_report_chosen (GtkWidget *widget, const char *file, GtkFileChooserNative *chooser)
{
    GuiProfileWindow *self = GUI_PROFILE_WINDOW (widget);
    g_autoptr (GError) error = NULL;

    if (!gui_report_view_write (gui_profile_selection_get_slice (self->selection), file,
                                &error)) {
        show_message (self, base_error_get_shown (error));
    }
}

static void
on_export_chosen (GtkWidget *widget, const char *file, GtkFileChooserNative *chooser)
{
    GuiProfileWindow *self = GUI_PROFILE_WINDOW (widget);
    const char *format = g_object_get_data (G_OBJECT (chooser), FORMAT_KEY);
    g_autoptr (GError) error = NULL;

    if (!profile_export (gui_profile_selection_get_model (self->selection), format, file,
                         &error)) {
        show_message (self, base_error_get_shown (error));
    }
}

static void
activate_report (GSimpleAction *action, GVariant *parameter, gpointer user)
{
    GuiProfileWindow *self = GUI_PROFILE_WINDOW (user);

    gui_chooser_show (choose_file (self, _ ("Save Report"), "report.html"), GTK_WIDGET (self),
                      on_report_chosen);
}

/* As --export calls the file of that format. */
static const char *
get_file_name (const char *format)
{
    static const char *const names[][2] = {
        { "perfetto", "profile.perfetto-trace" },
        { "chrome", "profile.chrome.json" },
        { "speedscope", "profile.speedscope.json" },
        { "collapsed", "profile.collapsed" },
        { "pstats", "cpu.prof" },
        { "cubex", "profile.cubex" },
        { "dot", "profile.dot" },
        { "csv", "profile.csv" },
    };

    return BASE_CHOOSE (i, G_N_ELEMENTS (names), strcmp (names[i][0], format) == 0, names[i][1],
                        format);
}

static void
activate_export (GSimpleAction *action, GVariant *parameter, gpointer user)
{
    GuiProfileWindow *self = GUI_PROFILE_WINDOW (user);
    const char *format = g_variant_get_string (parameter, NULL);
    GtkFileChooserNative *chooser = choose_file (self, _ ("Export"), get_file_name (format));

    g_object_set_data_full (G_OBJECT (chooser), FORMAT_KEY, g_strdup (format), g_free);
    gui_chooser_show (chooser, GTK_WIDGET (self), on_export_chosen);
}

/* ---- other archives ---- */

/* Archives are folders; the file in one of another program, whatever it is called, is found there. */
static GtkFileChooserNative *
choose_archive (GuiProfileWindow *self, const char *title)
{
    GtkFileChooserNative *chooser
        = gtk_file_chooser_native_new (title, GTK_WINDOW (self),
                                       GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER, NULL, NULL);

    if (self->archive != NULL) {
        g_autofree char *folder = g_path_get_dirname (self->archive);

        gtk_file_chooser_set_current_folder (GTK_FILE_CHOOSER (chooser), folder);
    }
    return chooser;
}

static void
on_not_opened (GtkWidget *widget, const char *text)
{
    show_message (GUI_PROFILE_WINDOW (widget), text);
}

void
gui_profile_window_open_other (GuiProfileWindow *self, const char *path)
{
    gui_profile_open_other (GTK_WIDGET (self), self->pddt, path, on_not_opened);
}

static void
on_open_chosen (GtkWidget *widget, const char *file, GtkFileChooserNative *chooser)
{
    GuiProfileWindow *self = GUI_PROFILE_WINDOW (widget);

    if (!profile_archive_is (file)) {
        g_autofree char *text = g_strdup_printf (_ ("%s is no archive of a profile or trace."),
                                                 file);

        show_message (self, text);
    } else {
        gui_profile_window_open_other (self, file);
    }
}

static void
activate_open (GSimpleAction *action, GVariant *parameter, gpointer user)
{
    GuiProfileWindow *self = GUI_PROFILE_WINDOW (user);

    gui_chooser_show (choose_archive (self, _ ("Open Archive")), GTK_WIDGET (self),
                      on_open_chosen);
}

static void
on_read (GtkWidget *widget, ProfileModel *model, const char *path, const GError *error)
{
    GuiProfileWindow *self = GUI_PROFILE_WINDOW (widget);
    g_autofree char *name = profile_archive_dup_name (path);
    g_autofree char *own_name = profile_archive_dup_name (self->archive);
    gboolean is_alike = strcmp (name, own_name) == 0; /* the folders tell them apart */

    if (model == NULL) {
        show_message (self, base_error_get_shown (error));
        return;
    }
    show_problem (self, gui_profile_selection_get_model (self->selection));
    gui_comparison_view_set_other (GUI_COMPARISON_VIEW (self->comparison), model,
                                   is_alike ? path : name, is_alike ? self->archive : own_name);
    gtk_widget_show (self->comparison);
    gui_profile_window_show_page (self, "comparison");
}

void
gui_profile_window_compare (GuiProfileWindow *self, const char *path)
{
    g_autofree char *name = profile_archive_dup_name (path);
    g_autofree char *text = g_strdup_printf (_ ("Reading %s…"), name);

    show_message (self, text);
    gtk_style_context_remove_class (gtk_widget_get_style_context (self->problem), "pddt-error");
    gui_profile_read_other (GTK_WIDGET (self), self->archive_program, path, on_read);
}

static void
on_compare_chosen (GtkWidget *widget, const char *file, GtkFileChooserNative *chooser)
{
    gui_profile_window_compare (GUI_PROFILE_WINDOW (widget), file);
}

static void
activate_compare (GSimpleAction *action, GVariant *parameter, gpointer user)
{
    GuiProfileWindow *self = GUI_PROFILE_WINDOW (user);

    gui_chooser_show (choose_archive (self, _ ("Compare With")), GTK_WIDGET (self),
                      on_compare_chosen);
}

static void
activate_print (GSimpleAction *action, GVariant *parameter, gpointer user)
{
    GuiProfileWindow *self = GUI_PROFILE_WINDOW (user);
    g_autofree char *heading = dup_heading (self);

    gui_profile_print (get_view (self), heading, GTK_WINDOW (self));
}

static void
activate_reset (GSimpleAction *action, GVariant *parameter, gpointer user)
{
    gui_profile_selection_reset (GUI_PROFILE_WINDOW (user)->selection);
}

static void
activate_close (GSimpleAction *action, GVariant *parameter, gpointer user)
{
    gtk_window_close (GTK_WINDOW (user));
}

static const GActionEntry entries[] = {
    { "open-archive", activate_open, NULL, NULL, NULL, { 0 } },
    { "compare", activate_compare, NULL, NULL, NULL, { 0 } },
    { "save-picture", activate_save, "s", NULL, NULL, { 0 } },
    { "save-report", activate_report, NULL, NULL, NULL, { 0 } },
    { "export", activate_export, "s", NULL, NULL, { 0 } },
    { "print", activate_print, NULL, NULL, NULL, { 0 } },
    { "reset-selection", activate_reset, NULL, NULL, NULL, { 0 } },
    { "close-window", activate_close, NULL, NULL, NULL, { 0 } },
};

/* ---- a profile that is being taken ---- */

static gboolean
on_update (gpointer user)
{
    GuiProfileWindow *self = user;

    self->update_source = 0;
    gui_profile_selection_update (self->selection);
    return G_SOURCE_REMOVE;
}

static void
on_live (const ProfileModel *model, gboolean has_begun, gpointer user)
{
    GuiProfileWindow *self = user;

    if (has_begun) {
        gtk_widget_hide (self->moment);
        gui_profile_selection_set_model (self->selection, model);
        return;
    }
    if (gui_profile_selection_get_duration (self->selection) <= 0) {
        on_update (self); /* the first samples are shown at once */
    } else if (self->update_source == 0) {
        self->update_source = g_timeout_add (UPDATE_MS, on_update, self);
    }
}

/* ---- the window ---- */

static gboolean
press_key (GtkWidget *widget, GdkEventKey *event)
{
    return gui_keys_prefer_text (GTK_WINDOW (widget), event)
           || GTK_WIDGET_CLASS (gui_profile_window_parent_class)
                  ->key_press_event (widget, event);
}

static void
gui_profile_window_dispose (GObject *object)
{
    GuiProfileWindow *self = GUI_PROFILE_WINDOW (object);

    g_clear_handle_id (&self->update_source, g_source_remove);
    G_OBJECT_CLASS (gui_profile_window_parent_class)->dispose (object);
    if (self->selection != NULL) { /* after the views, which still ask it */
        gui_profile_selection_set_model (self->selection, NULL);
    }
    g_clear_object (&self->selection);
    g_clear_pointer (&self->live, gui_profile_live_free);
    g_clear_pointer (&self->model, profile_model_free);
    gui_properties_clear (self, GUI_TYPE_PROFILE_WINDOW);
}

static void
gui_profile_window_class_init (GuiProfileWindowClass *klass)
{
    G_OBJECT_CLASS (klass)->dispose = gui_profile_window_dispose;
    GUI_PROPERTIES (klass, GuiProfileWindow,
                    (session, SESSION_TYPE_SESSION, .flags = G_PARAM_CONSTRUCT_ONLY),
                    (archive, G_TYPE_STRING),
                    (archive_program, G_TYPE_STRING, .enter = enter_archive_program),
                    (pddt, G_TYPE_STRING, .enter = enter_pddt));
    GTK_WIDGET_CLASS (klass)->key_press_event = press_key;
    go_to_source_signal = GUI_SIGNAL (klass, "go-to-source", G_TYPE_STRING, G_TYPE_UINT);
    debug_here_signal = GUI_SIGNAL (klass, "debug-here", G_TYPE_STRING, G_TYPE_UINT);
    GUI_ENSURE (GUI_TYPE_MOMENT_PANE, GUI_TYPE_TIMELINE_FINDER);
    GUI_TEMPLATE (klass, "profile-window.ui");
    GUI_CHILDREN (klass, GuiProfileWindow, header, menu, print, range, own, messages, reset,
                  legend, problem, panes, pages, moment, finder);
    GUI_CALLBACKS (klass, gtk_widget_hide, on_messages, on_own);
}

static void
fill_legend (GuiProfileWindow *self)
{
    const JobClass *order = gui_profile_colours_get_order ();

    gtk_flow_box_set_max_children_per_line (GTK_FLOW_BOX (self->legend), JOB_N_CLASSES);
    gui_theme_name (self->legend, "legend", _ ("Classes"));
    for (guint k = 0; k < JOB_N_CLASSES; k++) {
        GtkWidget *item = gui_class_item_new (order[k]);

        self->classes[order[k]] = item;
        g_signal_connect (item, "notify::active", G_CALLBACK (on_class), self);
        gtk_container_add (GTK_CONTAINER (self->legend), item);
    }
}

/* Each is made with the selection that all share. */
static void
build_views (GuiProfileWindow *self)
{
    gui_theme_guard_notebook (GTK_NOTEBOOK (self->pages));
    add_view (self, gui_activity_view_new (self->selection));
    self->timeline = gui_timeline_view_new (self->selection);
    gui_properties_share (self, "archive", self->timeline, NULL);
    gui_properties_share (self, "archive-program", self->timeline, NULL);
    add_view (self, self->timeline);
    g_object_set (self->finder, "view", self->timeline, NULL);
    self->communication = gui_communication_view_new (self->selection);
    add_view (self, self->communication);
    add_view (self, gui_profile_calls_new (self->selection));
    self->functions = gui_profile_functions_new (self->selection);
    add_view (self, self->functions);
    add_view (self, gui_ranks_view_new (self->selection));
    self->source = gui_profile_source_new (self->selection);
    add_view (self, self->source);
    add_view (self, gui_report_view_new (self->selection));
    self->comparison = gui_comparison_view_new (self->selection);
    add_view (self, self->comparison);
    gtk_widget_set_no_show_all (self->comparison, TRUE);
    gtk_widget_hide (self->comparison);
    g_object_set (self->moment, "selection", self->selection, NULL);
    connect_view (self, self->moment);
}

static void
gui_profile_window_init (GuiProfileWindow *self)
{
    self->selection = gui_profile_selection_new ();
    g_action_map_add_action_entries (G_ACTION_MAP (self), entries, G_N_ELEMENTS (entries),
                                     self);
    gtk_widget_init_template (GTK_WIDGET (self));
    gui_theme_name (self->menu, "menu", _ ("Main menu"));
    gui_theme_name (self->print, "print", _ ("Print"));
    gui_theme_name (self->range, "range", NULL);
    gui_theme_name (self->own, "own", NULL);
    gui_theme_name (self->messages, "messages", NULL);
    gui_theme_name (self->reset, "reset", NULL);
    gui_theme_name (self->problem, "problem", NULL);
    fill_legend (self);
    build_views (self);
    gtk_widget_show_all (self->panes);
    g_signal_connect_object (self->selection, "changed", G_CALLBACK (on_changed), self, 0);
    g_signal_connect_object (self->pages, "switch-page", G_CALLBACK (show_messages), self,
                             G_CONNECT_SWAPPED | G_CONNECT_AFTER);
    enter_archive_program (self); /* not known yet */
    enter_pddt (self);
    on_changed (self->selection, GUI_PROFILE_CHANGE_MODEL, self);
}

static GuiProfileWindow *
make_window (GtkApplication *application, Session *session, const char *name)
{
    GuiProfileWindow *self = g_object_new (GUI_TYPE_PROFILE_WINDOW, "application", application,
                                           "session", session, NULL);
    g_autofree char *title = g_strdup_printf (_ ("Performance — %s"), name);

    gtk_window_set_title (GTK_WINDOW (self), title);
    gui_settings_restore_size (GTK_WINDOW (self), "performance", WIDTH, HEIGHT);
    return self;
}

GtkWidget *
gui_profile_window_new (GtkApplication *application, ProfileModel *model, const char *name)
{
    GuiProfileWindow *self = make_window (application, NULL, name);

    self->model = model;
    gui_profile_selection_set_model (self->selection, model);
    return GTK_WIDGET (self);
}

GtkWidget *
gui_profile_window_open (GtkApplication *application, Session *session)
{
    const char *const *argv = session_get_argv (session);
    g_autofree char *name = argv != NULL && argv[0] != NULL ? session_dup_program_name (argv)
                                                            : g_strdup (_ ("job"));
    GuiProfileWindow *self;

    for (GList *link = gtk_application_get_windows (application); link != NULL;
         link = link->next) {
        if (GUI_IS_PROFILE_WINDOW (link->data)
            && GUI_PROFILE_WINDOW (link->data)->session == session) {
            return link->data;
        }
    }
    self = make_window (application, session, name);
    g_object_set (self->source, "session", session, NULL); /* else it has one of its own */
    self->live = gui_profile_live_new (session, on_live, self);
    return GTK_WIDGET (self);
}
