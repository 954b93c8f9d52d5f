/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The console window: counts, chart, legend; commands, output, places, breakpoints and messages
 * in pages below. What the job does is a line there and never a dialog. */
#include "gui/console-window.h"
#include <glib/gi18n.h>
#include <string.h>
#include "base/clock.h"
#include "gui/breakpoint-list.h"
#include "gui/command-panel.h"
#include "gui/debug-actions.h"
#include "gui/group-list.h"
#include "gui/group-window.h"
#include "gui/keys.h"
#include "gui/keys-window.h"
#include "gui/output-view.h"
#include "gui/placement.h"
#include "gui/rank-table.h"
#include "gui/session-keeper.h"
#include "gui/settings.h"
#include "gui/state-chart.h"
#include "gui/state-legend.h"
#include "gui/theme.h"
#include "gui/wait-view.h"

enum { MAX_SEVERE = 64, MAX_SEVERE_LINES = 3 };

struct _GuiConsoleWindow {
    GtkApplicationWindow parent;
    GtkWidget *header, *toolbar, *info_bar, *info_text, *info_open, *act_on, *act_on_entry,
        *summary, *age, *auto_update, *chart_box, *legend_box, *pages, *menu, *group;
    GuiSelectionBar *selection;
    GtkWidget *only_selected;
    GuiStateChart *chart;
    GuiStateLegend *legend;
    GuiCommandPanel *panel;
    GuiOutputView *output;
    GuiWaitView *waits;
    GtkWidget *groups, *ranks, *breakpoints, *messages;
    guint32 ranks_size; /* of the table of ranks */
    Session *session;
    GuiSessionKeeper *keeper;
    GtkApplication *application;
    JobRankSet *bad;       /* ranks of the info bar */
    GPtrArray *fresh;      /* of JobEvent: severe ones since the last frame */
    GPtrArray *severe;     /* of JobEvent: what it tells, until it is closed */
    guint tick, age_source, auto_source;
    gint64 started_us, changed_us; /* changed: the last state that came by itself */
    gboolean is_closing;
};

G_DEFINE_TYPE (GuiConsoleWindow, gui_console_window, GTK_TYPE_APPLICATION_WINDOW)

static JobRankSet *
dup_focus (gpointer window)
{
    const JobRankSet *focus = session_get_focus (GUI_CONSOLE_WINDOW (window)->session);

    return focus != NULL ? job_rank_set_dup (focus) : job_rank_set_new ();
}

static void
on_set_chosen (GuiConsoleWindow *self, const JobRankSet *set, guint how)
{
    gui_selection_bar_take (self->selection, set, how);
}

static void
on_rows_chosen (GuiConsoleWindow *self, const JobRankSet *set)
{
    gui_selection_bar_take (self->selection, set, GUI_SELECT_ONLY);
}

static void
open_selection (GuiConsoleWindow *self, const JobRankSet *set, const char *name)
{
    gui_group_window_open (self->application, self->session, set, name);
}

static void
on_chart_opened (GuiConsoleWindow *self)
{
    g_action_group_activate_action (G_ACTION_GROUP (self), "selection-open", NULL);
}

static void
on_chart_menu (GuiConsoleWindow *self, const GdkEvent *event)
{
    gui_selection_bar_popup (self->selection, GTK_WIDGET (self->chart), event);
}

static void
on_selection_changed (GuiConsoleWindow *self)
{
    const JobRankSet *set = gui_selection_bar_get (self->selection);
    gboolean only = gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (self->only_selected));

    gui_state_chart_set_selection (self->chart, set);
    if (only) {
        gui_rank_table_set_filter (GUI_RANK_TABLE (self->ranks),
                                   job_rank_set_is_empty (set) ? NULL : set);
    }
    gui_rank_table_set_selection (GUI_RANK_TABLE (self->ranks), set);
}

static void
on_only_selected (GuiConsoleWindow *self)
{
    gboolean only = gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (self->only_selected));
    const JobRankSet *set = gui_selection_bar_get (self->selection);

    gui_rank_table_set_filter (GUI_RANK_TABLE (self->ranks),
                               only && !job_rank_set_is_empty (set) ? set : NULL);
}

static void
on_rank_chosen (GuiConsoleWindow *self, guint rank)
{
    g_autoptr (JobRankSet) one = job_rank_set_new_range (rank, rank + 1);

    gui_group_window_open (self->application, self->session, one, NULL);
}

static void
add_message (GuiConsoleWindow *self, const char *text)
{
    GtkTextBuffer *buffer = gtk_text_view_get_buffer (GTK_TEXT_VIEW (self->messages));
    g_autoptr (GDateTime) now = g_date_time_new_now_local ();
    g_autofree char *time = g_date_time_format (now, "%H:%M:%S");
    g_autofree char *line = g_strdup_printf ("%s  %s\n", time, text);
    GtkTextIter end;

    gtk_text_buffer_get_end_iter (buffer, &end);
    gtk_text_buffer_insert (buffer, &end, line, -1);
}

static void
show_info (GuiConsoleWindow *self, guint severity, const char *text, const JobRankSet *ranks)
{
    static const GtkMessageType types[] = { GTK_MESSAGE_INFO, GTK_MESSAGE_WARNING,
                                            GTK_MESSAGE_ERROR };

    gtk_info_bar_set_message_type (GTK_INFO_BAR (self->info_bar),
                                   types[MIN (severity, G_N_ELEMENTS (types) - 1)]);
    gtk_label_set_text (GTK_LABEL (self->info_text), text);
    g_clear_pointer (&self->bad, job_rank_set_free);
    self->bad = ranks != NULL ? job_rank_set_dup (ranks) : NULL;
    gtk_widget_set_visible (self->info_open, ranks != NULL);
    gtk_info_bar_set_revealed (GTK_INFO_BAR (self->info_bar), TRUE);
}

void
gui_console_window_show_message (GuiConsoleWindow *self, guint severity, const char *text)
{
    add_message (self, text);
    if (severity > 0) {
        show_info (self, severity, text, NULL);
    }
}

static void
on_message (Session *session, guint severity, const char *text, GuiConsoleWindow *self)
{
    gui_console_window_show_message (self, severity, text);
}

static void
update_age (GuiConsoleWindow *self)
{
    gint64 updated = MAX (session_get_updated_us (self->session), self->changed_us);
    gint64 age = (base_clock_get_us () - updated) / G_USEC_PER_SEC;
    g_autofree char *text = NULL;

    if (session_is_ended (self->session)) {
        text = g_strdup (_("ended"));
    } else if (updated == 0) {
        text = g_strdup (_("waiting for ranks"));
    } else {
        text = age < 2 ? g_strdup (_("updated just now"))
             : age < 120 ? g_strdup_printf (_("updated %u s ago"), (guint) age)
             : g_strdup_printf (_("updated %u min ago"), (guint) (age / 60));
    }
    gtk_label_set_text (GTK_LABEL (self->age), text);
}

static void
update_title (GuiConsoleWindow *self)
{
    const char *const *argv = session_get_argv (self->session);
    g_autofree char *line = argv != NULL ? g_strjoinv (" ", (char **) argv) : g_strdup ("");
    gint64 seconds = (base_clock_get_us () - self->started_us) / G_USEC_PER_SEC;
    g_autofree char *subtitle = g_strdup_printf ("%s · %02u:%02u:%02u", line,
        (guint) (seconds / 3600), (guint) (seconds / 60 % 60), (guint) (seconds % 60));

    gtk_header_bar_set_subtitle (GTK_HEADER_BAR (self->header), *line != '\0' ? subtitle : NULL);
}

static gboolean
on_age (gpointer user)
{
    GuiConsoleWindow *self = user;

    update_age (self);
    if (!session_is_ended (self->session)) {
        update_title (self);
    }
    return G_SOURCE_CONTINUE;
}

/* The table is made for the ranks that it is first given: when all are known. */
static void
update_ranks (GuiConsoleWindow *self)
{
    g_autoptr (JobRankSet) all = session_dup_all (self->session);

    if (session_is_ready (self->session) || self->ranks_size > 0) {
        self->ranks_size = session_get_size (self->session);
        gui_rank_table_update (GUI_RANK_TABLE (self->ranks), self->session, all);
    }
}

static void
update_all (GuiConsoleWindow *self)
{
    guint32 size = session_get_size (self->session);
    g_autofree char *text = gui_state_chart_format_counts (session_get_counts (self->session),
                                                           size);
    g_autoptr (JobRankSet) focus = dup_focus (self);

    gtk_label_set_text (GTK_LABEL (self->summary), text);
    gtk_widget_set_tooltip_text (self->summary, text);
    gui_debug_actions_update (G_ACTION_MAP (self), self->session, focus);
    gui_command_panel_update_prompt (self->panel);
    gui_group_list_update (GUI_GROUP_LIST (self->groups), self->session);
    update_ranks (self);
    update_age (self);
}

/* What has gone wrong since the bar was closed: equal things once, the newest few. */
static void
show_severe (GuiConsoleWindow *self)
{
    g_autoptr (GString) text = g_string_new (NULL);
    g_autoptr (JobRankSet) ranks = job_rank_set_new ();

    job_event_list_merge (self->fresh);
    for (guint i = 0; i < self->fresh->len; i++) {
        g_autofree char *line = session_format_state_event (self->session, self->fresh->pdata[i]);

        add_message (self, line);
        g_ptr_array_add (self->severe, job_event_dup (self->fresh->pdata[i]));
    }
    g_ptr_array_set_size (self->fresh, 0);
    job_event_list_merge (self->severe);
    if (self->severe->len > MAX_SEVERE) {
        g_ptr_array_remove_range (self->severe, 0, self->severe->len - MAX_SEVERE);
    }
    for (guint i = 0; i < self->severe->len; i++) {
        const JobEvent *event = self->severe->pdata[i];
        g_autofree char *line = session_format_state_event (self->session, event);

        job_rank_set_merge (ranks, event->ranks);
        if (i + MAX_SEVERE_LINES >= self->severe->len) {
            g_string_append_printf (text, "%s%s", text->len > 0 ? "\n" : "", line);
        }
    }
    show_info (self, 2, text->str, ranks);
}

static gboolean
on_tick (GtkWidget *widget, GdkFrameClock *clock, gpointer user)
{
    GuiConsoleWindow *self = GUI_CONSOLE_WINDOW (widget);

    self->tick = 0;
    if (self->fresh->len > 0) {
        show_severe (self);
    }
    update_all (self);
    return G_SOURCE_REMOVE;
}

static void
on_states_changed (GuiConsoleWindow *self)
{
    self->changed_us = session_get_size (self->session) > 0 ? base_clock_get_us () : 0;
    if (self->tick == 0) {
        self->tick = gtk_widget_add_tick_callback (GTK_WIDGET (self), on_tick, NULL, NULL);
    }
}

static void
on_event (Session *session, const JobEvent *event, GuiConsoleWindow *self)
{
    if (event->kind == JOB_EVENT_STATE && job_state_get_info (event->state)->severe
        && (event->flags & JOB_EVENT_FRESH) == 0) {
        g_ptr_array_add (self->fresh, job_event_dup (event));
        on_states_changed (self);
    } else if (event->kind == JOB_EVENT_NOTICE && event->text != NULL) {
        add_message (self, event->text);
    }
}

static void
fill_sets (GuiConsoleWindow *self)
{
    g_auto (GStrv) names = session_dup_set_names (self->session);

    gtk_combo_box_text_remove_all (GTK_COMBO_BOX_TEXT (self->act_on));
    gtk_combo_box_text_append_text (GTK_COMBO_BOX_TEXT (self->act_on), "all");
    for (guint i = 0; names != NULL && names[i] != NULL; i++) {
        gtk_combo_box_text_append_text (GTK_COMBO_BOX_TEXT (self->act_on), names[i]);
    }
    gui_group_list_update (GUI_GROUP_LIST (self->groups), self->session);
}

/* The chooser is `pick`, so that typed lines and buttons act on the same ranks. */
static void
on_act_on (GuiConsoleWindow *self)
{
    const char *text = gtk_entry_get_text (GTK_ENTRY (self->act_on_entry));
    g_autoptr (GError) error = NULL;
    g_autoptr (JobRankSet) set = command_parse_set (self->session, text, &error);

    if (set == NULL) {
        gtk_entry_set_icon_from_icon_name (GTK_ENTRY (self->act_on_entry),
            GTK_ENTRY_ICON_SECONDARY, "dialog-error-symbolic");
        gtk_entry_set_icon_tooltip_text (GTK_ENTRY (self->act_on_entry),
            GTK_ENTRY_ICON_SECONDARY, error->message);
        return;
    }
    gtk_entry_set_icon_from_icon_name (GTK_ENTRY (self->act_on_entry), GTK_ENTRY_ICON_SECONDARY,
                                       NULL);
    gui_command_panel_runf (self->panel, "pick %s", text);
}

static void
on_act_on_changed (GuiConsoleWindow *self)
{
    if (gtk_combo_box_get_active (GTK_COMBO_BOX (self->act_on)) >= 0) {
        on_act_on (self);
    }
}

static void
on_done (GuiConsoleWindow *self, gboolean ok)
{
    update_all (self);
    gui_breakpoint_list_update (GUI_BREAKPOINT_LIST (self->breakpoints), self->session, NULL);
}

static void
on_input (GuiConsoleWindow *self, const char *text)
{
    gui_command_panel_runf (self->panel, "input %s", text);
}

static void
on_run_line (GuiConsoleWindow *self, const char *line)
{
    gui_command_panel_run (self->panel, line);
}

static void
on_ended (GuiConsoleWindow *self)
{
    gui_console_window_show_message (self, 0, _("The job has ended"));
    update_all (self);
}

static void
on_info_response (GuiConsoleWindow *self)
{
    g_ptr_array_set_size (self->severe, 0);
    gtk_info_bar_set_revealed (GTK_INFO_BAR (self->info_bar), FALSE);
}

static void
on_info_open (GuiConsoleWindow *self)
{
    if (self->bad != NULL) {
        gui_group_window_open (self->application, self->session, self->bad, NULL);
    }
    g_ptr_array_set_size (self->severe, 0);
    gtk_info_bar_set_revealed (GTK_INFO_BAR (self->info_bar), FALSE);
}

static gboolean
on_auto_update (gpointer user)
{
    GuiConsoleWindow *self = user;

    if (session_is_ended (self->session)) {
        self->auto_source = 0;
        return G_SOURCE_REMOVE;
    }
    session_submit (self->session, job_request_new (JOB_VERB_STATE,
                                                    session_get_focus (self->session)));
    return G_SOURCE_CONTINUE;
}

static void
on_auto_changed (GuiConsoleWindow *self)
{
    const char *id = gtk_combo_box_get_active_id (GTK_COMBO_BOX (self->auto_update));
    int seconds = id != NULL ? (int) g_ascii_strtoll (id, NULL, 10) : 0;
    GSettings *settings = gui_settings_get ();

    g_clear_handle_id (&self->auto_source, g_source_remove);
    if (seconds > 0) {
        self->auto_source = g_timeout_add_seconds ((guint) seconds, on_auto_update, self);
    }
    if (id != NULL && settings != NULL && seconds != g_settings_get_int (settings, "update-interval")) {
        g_settings_set_int (settings, "update-interval", seconds);
    }
}

static void
on_interval_setting (GuiConsoleWindow *self)
{
    int seconds = gui_settings_get () != NULL
                ? g_settings_get_int (gui_settings_get (), "update-interval") : 0;
    g_autofree char *id = g_strdup_printf ("%d", seconds);

    if (!gtk_combo_box_set_active_id (GTK_COMBO_BOX (self->auto_update), id)) {
        gtk_combo_box_set_active_id (GTK_COMBO_BOX (self->auto_update), "0");
    }
}

static void
on_code_setting (GuiConsoleWindow *self)
{
    gboolean only = g_settings_get_boolean (gui_settings_get (), "just-my-code");

    if (session_is_ready (self->session) && !session_is_ended (self->session)) {
        gui_command_panel_runf (self->panel, "set option just-my-code %s", only ? "on" : "off");
    }
}

static void
on_ready (GuiConsoleWindow *self)
{
    if (gui_settings_get () != NULL && !g_settings_get_boolean (gui_settings_get (), "just-my-code")) {
        on_code_setting (self);
    }
    on_states_changed (self);
}

static void
follow_settings (GuiConsoleWindow *self)
{
    GSettings *settings = gui_settings_get ();

    on_interval_setting (self);
    if (settings != NULL) {
        g_signal_connect_object (settings, "changed::update-interval",
                                 G_CALLBACK (on_interval_setting), self, G_CONNECT_SWAPPED);
        g_signal_connect_object (settings, "changed::just-my-code", G_CALLBACK (on_code_setting),
                                 self, G_CONNECT_SWAPPED);
    }
}

static void
activate_update (GSimpleAction *action, GVariant *parameter, gpointer user)
{
    gui_command_panel_run (GUI_CONSOLE_WINDOW (user)->panel, "on all show state");
}

static void
activate_queue (GSimpleAction *action, GVariant *parameter, gpointer user)
{
    GuiConsoleWindow *self = GUI_CONSOLE_WINDOW (user);

    gtk_notebook_set_current_page (GTK_NOTEBOOK (self->pages), gtk_notebook_page_num (
        GTK_NOTEBOOK (self->pages), GTK_WIDGET (self->waits)));
    gui_wait_view_ask (self->waits);
}

static void
activate_group (GSimpleAction *action, GVariant *parameter, gpointer user)
{
    GuiConsoleWindow *self = GUI_CONSOLE_WINDOW (user);
    const char *text = gtk_entry_get_text (GTK_ENTRY (self->act_on_entry));
    g_autoptr (JobRankSet) set = dup_focus (self);

    if (!job_rank_set_is_empty (gui_selection_bar_get (self->selection))) {
        on_chart_opened (self);
    } else if (!job_rank_set_is_empty (set)) {
        const char *live = NULL;
        gboolean is_named = session_find_named (self->session, text, &live) != NULL;

        gui_group_window_open (self->application, self->session, set, is_named ? text : NULL);
    }
}

static void
activate_focus (GSimpleAction *action, GVariant *parameter, gpointer user)
{
    GuiConsoleWindow *self = GUI_CONSOLE_WINDOW (user);

    gtk_notebook_set_current_page (GTK_NOTEBOOK (self->pages), 0);
    gui_command_panel_focus (self->panel);
}

static void
activate_end (GSimpleAction *action, GVariant *parameter, gpointer user)
{
    gtk_window_close (GTK_WINDOW (user));
}

static void
activate_keys (GSimpleAction *action, GVariant *parameter, gpointer user)
{
    gui_keys_window_show (GTK_WINDOW (user));
}

static void
on_save_response (GtkNativeDialog *chooser, int response, GuiConsoleWindow *self)
{
    g_autofree char *file = gtk_file_chooser_get_filename (GTK_FILE_CHOOSER (chooser));
    g_autoptr (GError) error = NULL;

    if (response == GTK_RESPONSE_ACCEPT && file != NULL) {
        g_autofree char *text = NULL;

        if (gui_session_keeper_save_as (self->keeper, file, &error)) {
            text = g_strdup_printf (_("Saved %s"), file);
        }
        gui_console_window_show_message (self, error != NULL ? 2 : 0,
                                         error != NULL ? error->message : text);
    }
    g_object_unref (chooser);
}

static void
activate_save_as (GSimpleAction *action, GVariant *parameter, gpointer user)
{
    GuiConsoleWindow *self = GUI_CONSOLE_WINDOW (user);
    const char *const *argv = session_get_argv (self->session);
    const char *program = argv != NULL && argv[0] != NULL ? session_saved_find_program (argv) : "job";
    g_autofree char *base = g_path_get_basename (program);
    g_autofree char *name = g_strconcat (base, ".pddt", NULL);
    GtkFileChooserNative *chooser = gtk_file_chooser_native_new (_("Save Session"),
        GTK_WINDOW (self), GTK_FILE_CHOOSER_ACTION_SAVE, NULL, NULL);

    gtk_file_chooser_set_current_name (GTK_FILE_CHOOSER (chooser), name);
    gtk_file_chooser_set_do_overwrite_confirmation (GTK_FILE_CHOOSER (chooser), TRUE);
    g_signal_connect (chooser, "response", G_CALLBACK (on_save_response), self);
    gtk_native_dialog_show (GTK_NATIVE_DIALOG (chooser));
}

static const GActionEntry entries[] = {
    { "save-as", activate_save_as, NULL, NULL, NULL, { 0 } },
    { "update", activate_update, NULL, NULL, NULL, { 0 } },
    { "queue", activate_queue, NULL, NULL, NULL, { 0 } },
    { "group-window", activate_group, NULL, NULL, NULL, { 0 } },
    { "focus-command", activate_focus, NULL, NULL, NULL, { 0 } },
    { "end-session", activate_end, NULL, NULL, NULL, { 0 } },
    { "keys", activate_keys, NULL, NULL, NULL, { 0 } },
};

/* The job ends with its window; group windows go with it. */
static gboolean
on_delete (GuiConsoleWindow *self)
{
    g_autoptr (GList) windows = g_list_copy (gtk_application_get_windows (self->application));

    if (self->is_closing) {
        return FALSE;
    }
    self->is_closing = TRUE;
    gui_session_keeper_save (self->keeper);
    for (GList *link = windows; link != NULL; link = link->next) {
        if (GUI_IS_GROUP_WINDOW (link->data)) {
            gtk_widget_destroy (link->data);
        }
    }
    session_end (self->session);
    return FALSE;
}

static void
on_quit (GuiConsoleWindow *self)
{
    gtk_window_close (GTK_WINDOW (self));
}

static gboolean
press_key (GtkWidget *widget, GdkEventKey *event)
{
    return gui_keys_prefer_text (GTK_WINDOW (widget), event)
        || GTK_WIDGET_CLASS (gui_console_window_parent_class)->key_press_event (widget, event);
}

static void
gui_console_window_dispose (GObject *object)
{
    GuiConsoleWindow *self = GUI_CONSOLE_WINDOW (object);

    g_clear_handle_id (&self->age_source, g_source_remove);
    g_clear_handle_id (&self->auto_source, g_source_remove);
    g_clear_pointer (&self->bad, job_rank_set_free);
    g_clear_pointer (&self->severe, g_ptr_array_unref);
    g_clear_pointer (&self->fresh, g_ptr_array_unref);
    g_clear_pointer (&self->keeper, gui_session_keeper_free);
    if (self->session != NULL) {
        g_signal_handlers_disconnect_by_data (self->session, self);
    }
    G_OBJECT_CLASS (gui_console_window_parent_class)->dispose (object);
    g_clear_object (&self->session);
}

static void
gui_console_window_class_init (GuiConsoleWindowClass *klass)
{
    GtkWidgetClass *widget = GTK_WIDGET_CLASS (klass);

    G_OBJECT_CLASS (klass)->dispose = gui_console_window_dispose;
    widget->key_press_event = press_key;
    gtk_widget_class_set_template_from_resource (widget, "/org/pddt/Pddt/console-window.ui");
#define BIND(field) gtk_widget_class_bind_template_child (widget, GuiConsoleWindow, field)
    BIND (header); BIND (toolbar); BIND (info_bar); BIND (info_text); BIND (info_open);
    BIND (act_on); BIND (act_on_entry); BIND (summary); BIND (age); BIND (auto_update);
    BIND (chart_box); BIND (legend_box); BIND (pages); BIND (menu); BIND (group);
#undef BIND
}

static void
add_page (GuiConsoleWindow *self, GtkWidget *page, const char *title)
{
    gtk_widget_show (page);
    gtk_notebook_append_page (GTK_NOTEBOOK (self->pages), page, gtk_label_new (title));
}

/* The table of ranks, and which of them it shows. */
static GtkWidget *
build_ranks (GuiConsoleWindow *self)
{
    GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);

    self->ranks = gui_rank_table_new ();
    self->only_selected = gtk_check_button_new_with_mnemonic (_("Only the _selected ranks"));
    gui_theme_name (self->only_selected, "only-selected", NULL);
    gtk_container_set_border_width (GTK_CONTAINER (self->only_selected), 4);
    gtk_widget_show (self->only_selected);
    gtk_widget_show (self->ranks);
    gtk_box_pack_start (GTK_BOX (box), self->ranks, TRUE, TRUE, 0);
    gtk_box_pack_start (GTK_BOX (box), self->only_selected, FALSE, FALSE, 0);
    return box;
}

static void
build_pages (GuiConsoleWindow *self)
{
    GtkWidget *scroller = gtk_scrolled_window_new (NULL, NULL), *ranks = build_ranks (self);
    GtkWidget *column = gtk_widget_get_parent (self->legend_box);

    self->panel = GUI_COMMAND_PANEL (gui_command_panel_new ());
    self->output = GUI_OUTPUT_VIEW (gui_output_view_new ());
    self->groups = gui_group_list_new ();
    self->breakpoints = gui_breakpoint_list_new ();
    self->waits = GUI_WAIT_VIEW (gui_wait_view_new ());
    self->messages = gtk_text_view_new ();
    gtk_text_view_set_editable (GTK_TEXT_VIEW (self->messages), FALSE);
    gtk_text_view_set_left_margin (GTK_TEXT_VIEW (self->messages), 8);
    gtk_style_context_add_class (gtk_widget_get_style_context (self->messages), "pddt-transcript");
    gui_theme_name (self->messages, "log", _("Log"));
    gtk_container_add (GTK_CONTAINER (scroller), self->messages);
    gtk_widget_show_all (scroller);
    add_page (self, GTK_WIDGET (self->panel), _("Commands"));
    add_page (self, GTK_WIDGET (self->output), _("Output"));
    add_page (self, self->groups, _("Groups"));
    add_page (self, ranks, _("Ranks"));
    add_page (self, self->breakpoints, _("Breakpoints"));
    add_page (self, GTK_WIDGET (self->waits), _("Messages"));
    add_page (self, scroller, _("Log"));
    gui_theme_guard_notebook (GTK_NOTEBOOK (self->pages));
    self->chart = GUI_STATE_CHART (gui_state_chart_new ());
    self->legend = GUI_STATE_LEGEND (gui_state_legend_new ());
    gtk_box_pack_start (GTK_BOX (self->chart_box), GTK_WIDGET (self->chart), TRUE, TRUE, 0);
    gtk_box_pack_start (GTK_BOX (self->legend_box), GTK_WIDGET (self->legend), TRUE, TRUE, 0);
    self->selection = GUI_SELECTION_BAR (gui_selection_bar_new ());
    gtk_box_pack_start (GTK_BOX (column), GTK_WIDGET (self->selection), FALSE, FALSE, 0);
    gtk_box_reorder_child (GTK_BOX (column), GTK_WIDGET (self->selection), 5);
    gtk_widget_show (GTK_WIDGET (self->chart));
    gtk_widget_show (GTK_WIDGET (self->legend));
    gtk_widget_show (GTK_WIDGET (self->selection));
}

static void
name_widgets (GuiConsoleWindow *self)
{
    gui_theme_name (self->summary, "state-summary", NULL);
    gui_theme_name (self->age, "age", NULL);
    gui_theme_name (self->act_on, "act-on", _("Act on"));
    gui_theme_name (self->act_on_entry, "act-on-entry", _("Act on"));
    gui_theme_name (self->auto_update, "auto-update", _("Update by itself"));
    gui_theme_name (self->info_text, "info", NULL);
    gui_theme_name (self->info_open, "info-open", NULL);
    gui_theme_name (self->menu, "menu", _("Main menu"));
    gui_theme_name (self->group, "group-window", NULL);
    gui_theme_name (GTK_WIDGET (self->chart), "chart", NULL);
}

static void
gui_console_window_init (GuiConsoleWindow *self)
{
    gtk_widget_init_template (GTK_WIDGET (self));
    build_pages (self);
    name_widgets (self);
    g_action_map_add_action_entries (G_ACTION_MAP (self), entries, G_N_ELEMENTS (entries), self);
    gui_debug_actions_add (G_ACTION_MAP (self), self->panel, dup_focus);
    gui_selection_bar_add_actions (self->selection, G_ACTION_MAP (self));
    gui_settings_restore_size (GTK_WINDOW (self), "console", 1000, 700);
    self->started_us = base_clock_get_us ();
    self->fresh = g_ptr_array_new_with_free_func ((GDestroyNotify) job_event_free);
    self->severe = g_ptr_array_new_with_free_func ((GDestroyNotify) job_event_free);
}

static void
connect_all (GuiConsoleWindow *self)
{
    g_signal_connect_swapped (self->chart, "set-chosen", G_CALLBACK (on_set_chosen), self);
    g_signal_connect_swapped (self->legend, "set-chosen", G_CALLBACK (on_set_chosen), self);
    g_signal_connect_swapped (self->chart, "opened", G_CALLBACK (on_chart_opened), self);
    g_signal_connect_swapped (self->chart, "menu", G_CALLBACK (on_chart_menu), self);
    g_signal_connect_swapped (self->selection, "changed", G_CALLBACK (on_selection_changed), self);
    g_signal_connect_swapped (self->selection, "open", G_CALLBACK (open_selection), self);
    g_signal_connect_swapped (self->selection, "run-line", G_CALLBACK (on_run_line), self);
    g_signal_connect_swapped (self->groups, "open", G_CALLBACK (open_selection), self);
    g_signal_connect_swapped (self->groups, "select", G_CALLBACK (on_rows_chosen), self);
    g_signal_connect_swapped (self->groups, "run-line", G_CALLBACK (on_run_line), self);
    g_signal_connect_swapped (self->only_selected, "toggled", G_CALLBACK (on_only_selected), self);
    g_signal_connect_swapped (self->ranks, "set-chosen", G_CALLBACK (on_rows_chosen), self);
    g_signal_connect_swapped (self->breakpoints, "run-line", G_CALLBACK (on_run_line), self);
    g_signal_connect_swapped (self->ranks, "rank-chosen", G_CALLBACK (on_rank_chosen), self);
    g_signal_connect_swapped (self->waits, "run-line", G_CALLBACK (on_run_line), self);
    g_signal_connect_swapped (self->panel, "done", G_CALLBACK (on_done), self);
    g_signal_connect_swapped (self->panel, "quit", G_CALLBACK (on_quit), self);
    g_signal_connect_swapped (self->output, "input", G_CALLBACK (on_input), self);
    g_signal_connect_swapped (self->act_on, "changed", G_CALLBACK (on_act_on_changed), self);
    g_signal_connect_swapped (self->act_on_entry, "activate", G_CALLBACK (on_act_on), self);
    g_signal_connect_swapped (self->auto_update, "changed", G_CALLBACK (on_auto_changed), self);
    g_signal_connect_swapped (self->info_bar, "response", G_CALLBACK (on_info_response), self);
    g_signal_connect_swapped (self->info_open, "clicked", G_CALLBACK (on_info_open), self);
    g_signal_connect (self, "delete-event", G_CALLBACK (on_delete), NULL);
    g_signal_connect (self->session, "message", G_CALLBACK (on_message), self);
    g_signal_connect (self->session, "event", G_CALLBACK (on_event), self);
    g_signal_connect_swapped (self->session, "states-changed", G_CALLBACK (on_states_changed), self);
    g_signal_connect_swapped (self->session, "sets-changed", G_CALLBACK (fill_sets), self);
    g_signal_connect_swapped (self->session, "breakpoints-changed", G_CALLBACK (on_done), self);
    g_signal_connect_swapped (self->session, "ready", G_CALLBACK (on_ready), self);
    g_signal_connect_swapped (self->session, "ended", G_CALLBACK (on_ended), self);
}

GtkWidget *
gui_console_window_new (GtkApplication *application, Session *session, const char *saved)
{
    GuiConsoleWindow *self = g_object_new (GUI_TYPE_CONSOLE_WINDOW, "application", application,
                                           NULL);

    self->application = application;
    self->session = g_object_ref (session);
    gui_state_chart_set_session (self->chart, session);
    gui_state_legend_set_session (self->legend, session);
    gui_command_panel_set_session (self->panel, session, NULL);
    gui_output_view_set_session (self->output, session);
    gui_wait_view_set_session (self->waits, session);
    gui_selection_bar_set_session (self->selection, session);
    fill_sets (self);
    gtk_entry_set_text (GTK_ENTRY (self->act_on_entry), "all");
    connect_all (self);
    self->age_source = g_timeout_add_seconds (1, on_age, self);
    gui_placement_keep_visible (GTK_WINDOW (self), self->legend_box);
    gui_placement_place (GTK_WINDOW (self), NULL, 0);
    update_title (self);
    update_all (self);
    follow_settings (self);
    self->keeper = gui_session_keeper_new (application, session, self->panel, saved);
    g_signal_connect_swapped (self, "map", G_CALLBACK (gui_command_panel_focus), self->panel);
    return GTK_WIDGET (self);
}
