/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The console window: counts, chart, legend; source, stack and values of the ranks acted on; and
 * commands, output, places, breakpoints and messages in pages below. Events of the job are shown as lines
 * there, never as dialogs. Its parts follow the session by themselves; the window says which ranks are acted
 * on, and how often text is updated. */
#include "gui/console/console-window.h"
#include <glib/gi18n.h>
#include "base/error.h"
#include "gui/chart/selection-bar.h"
#include "gui/chart/state-chart.h"
#include "gui/chart/state-legend.h"
#include "gui/console/act-on.h"
#include "gui/lists/breakpoint-list.h"
#include "gui/console/closing-dialog.h"
#include "gui/console/console-header.h"
#include "gui/console/console-room.h"
#include "gui/console/group-list.h"
#include "gui/console/job-actions.h"
#include "gui/lists/log-view.h"
#include "gui/lists/logged-view.h"
#include "gui/console/output-view.h"
#include "gui/console/problem-bar.h"
#include "gui/console/profile-actions.h"
#include "gui/console/rank-page.h"
#include "gui/console/session-keeper.h"
#include "gui/console/status-row.h"
#include "gui/dialogs/keys-window.h"
#include "gui/group/group-view.h"
#include "gui/group/group-window.h"
#include "gui/group/viewed-rank.h"
#include "gui/kit/chooser.h"
#include "gui/kit/debug-actions.h"
#include "gui/kit/keys.h"
#include "gui/kit/placement.h"
#include "gui/kit/progress-line.h"
#include "gui/kit/properties.h"
#include "gui/kit/settings.h"
#include "gui/kit/template.h"
#include "gui/kit/theme.h"
#include "gui/waits/wait-view.h"
#include "session/messages.h"

enum { WORDS_US = 100 * 1000, N_SOON = 3 }; /* so many at once before the pace is slower */

struct _GuiConsoleWindow {
    GtkApplicationWindow parent;
    GuiConsoleHeader *header;
    GuiProblemBar *problems;
    GuiActOn *act_on;
    GuiStatusRow *status;
    GuiStateChart *chart;
    GuiStateLegend *legend;
    GuiSelectionBar *selection;
    GuiGroupView *view; /* of the ranks acted on */
    GuiCommandPanel *panel;
    GuiOutputView *output;
    GAction *find_source; /* the view's own "find" */
    GuiGroupList *groups;
    GuiRankPage *ranks;
    GuiBreakpointList *breakpoints;
    GuiWaitView *waits;
    GuiLogView *log;
    GuiLoggedView *logged;
    GuiProgressLine *progress;
    GtkWidget *column, *toolbar, *moves, *group, *restart, *stop, *rows, *pages;
    Session *session;
    char *saved; /* file of the saved session that was opened; NULL: none */
    GuiSessionKeeper *keeper;
    GuiProfileActions *profile;
    guint tick, age_source;
    GuiConsoleRoom room;
    gint64 shown_us;                /* when the text was last updated, by the frame clock */
    guint n_soon;                   /* updates in quick succession */
    gboolean is_closing, may_close; /* may: the user has said what becomes of the ranks */
    GtkWidget *closing;             /* that question, while it is asked; NULL */
};

G_DEFINE_TYPE (GuiConsoleWindow, gui_console_window, GTK_TYPE_APPLICATION_WINDOW)

static JobRankSet *
dup_focus (gpointer window)
{
    const JobRankSet *focus = session_get_focus (GUI_CONSOLE_WINDOW (window)->session);

    return focus != NULL ? job_rank_set_dup (focus) : job_rank_set_new ();
}

/* ---- which ranks are acted on ---- */

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

/* What the selection is for: buttons, keys and typed lines act on it; on all when there is none. */
static void
act_on_selection (GuiConsoleWindow *self)
{
    const JobRankSet *set = gui_selection_bar_get (self->selection);
    g_autoptr (JobRankSet) all = session_dup_all (self->session);

    if (job_rank_set_is_empty (set)) {
        set = all;
    }
    if (!job_rank_set_equal (session_get_focus (self->session), set)) {
        session_set_focus (self->session, set);
    }
}

static void
open_selection (GuiConsoleWindow *self, const JobRankSet *set, const char *name)
{
    gui_group_window_open (gtk_window_get_application (GTK_WINDOW (self)), self->session, set,
                           name);
}

static void
open_ranks (GuiConsoleWindow *self, const JobRankSet *set)
{
    open_selection (self, set, NULL);
}

static void
on_rank_chosen (GuiConsoleWindow *self, guint rank)
{
    g_autoptr (JobRankSet) one = job_rank_set_new_range (rank, rank + 1);

    open_ranks (self, one);
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

/* ---- what is shown, and when ---- */

static void
update_all (GuiConsoleWindow *self)
{
    g_autoptr (JobRankSet) focus = dup_focus (self);

    gui_status_row_update (self->status);
    gui_state_legend_update (self->legend);
    gui_debug_actions_update (G_ACTION_MAP (self), self->session, focus);
    gui_job_actions_update (G_ACTION_MAP (self), self->session);
    gui_command_panel_update_prompt (self->panel);
    gui_profile_actions_update (self->profile);
    g_object_set (self->view, "ranks", focus, NULL);
    gui_group_list_update_live (self->groups);
    gui_rank_page_update (self->ranks);
}

/* Changing text triggers a new layout of the window, and nobody can read sixty changes a
 * second: in a flood of events, the text is updated less often than the chart. */
static gboolean
may_wait (GuiConsoleWindow *self, gint64 now_us)
{
    gboolean is_soon = now_us - self->shown_us < WORDS_US;

    if (is_soon && self->n_soon >= N_SOON) {
        return TRUE;
    }
    self->n_soon = is_soon                                  ? self->n_soon + 1
                   : now_us - self->shown_us < 2 * WORDS_US ? N_SOON
                                                            : 0;
    self->shown_us = now_us;
    return FALSE;
}

static gboolean
on_tick (GtkWidget *widget, GdkFrameClock *clock, gpointer user)
{
    GuiConsoleWindow *self = GUI_CONSOLE_WINDOW (widget);

    if (may_wait (self, gdk_frame_clock_get_frame_time (clock))) {
        return G_SOURCE_CONTINUE;
    }
    self->tick = 0;
    update_all (self);
    return G_SOURCE_REMOVE;
}

static void
queue_update (GuiConsoleWindow *self)
{
    if (self->tick == 0) {
        self->tick = gtk_widget_add_tick_callback (GTK_WIDGET (self), on_tick, NULL, NULL);
    }
}

/* What changes by the second. */
static gboolean
on_age (gpointer user)
{
    GuiConsoleWindow *self = user;

    gui_console_header_update (self->header);
    gui_status_row_update_age (self->status);
    gui_rank_page_update_ages (self->ranks);
    gui_wait_view_update_ages (self->waits);
    gui_group_list_update_ages (self->groups);
    return G_SOURCE_CONTINUE;
}

/* The focus was changed, here or by a typed `pick`, or the sets: what is selected and the prompt follow. */
static void
on_sets_changed (GuiConsoleWindow *self)
{
    const JobRankSet *focus = session_get_focus (self->session);
    g_autoptr (JobRankSet) all = session_dup_all (self->session);
    g_autoptr (JobRankSet) nobody = job_rank_set_new ();

    if (!job_rank_set_equal (gui_selection_bar_get (self->selection), focus)) {
        gui_selection_bar_take (self->selection,
                                job_rank_set_equal (focus, all) ? nobody : focus,
                                GUI_SELECT_ONLY);
    }
    queue_update (self);
    gui_command_panel_update_prompt (self->panel);
}

/* file NULL: the last known place of the rank. */
static void
show_rank (GuiConsoleWindow *self, guint rank, const char *file, guint line)
{
    g_autoptr (JobRankSet) focus = dup_focus (self);
    const SessionRank info = session_get_rank (self->session, rank);
    const JobLocation *known = info.is_there ? info.place : NULL;

    if (job_rank_set_contains (focus, rank)) {
        gui_group_view_set_shown_by (self->view, rank);
    }
    if (file == NULL && known != NULL) {
        file = known->file;
        line = known->line;
    }
    if (file != NULL && line > 0) {
        gui_group_view_show_source (self->view, file, line);
    }
    gui_theme_show_page (GTK_WIDGET (self->view)); /* where it is one */
}

/* ---- lines ---- */

static void
on_pick (GuiConsoleWindow *self, const char *line)
{
    gui_command_panel_run (self->panel, line);
}

static void
on_run_line (GuiConsoleWindow *self, const char *line)
{
    gui_command_panel_suggest (self->panel, line);
}

static void
on_input (GuiConsoleWindow *self, const char *text)
{
    gui_command_panel_runf (self->panel, "input %s", text);
}

static void
on_done (GuiConsoleWindow *self, gboolean ok)
{
    update_all (self);
}

/* Where the user does not want only their own code; the session's own option is on. */
static void
apply_code_setting (GuiConsoleWindow *self)
{
    gboolean only = g_settings_get_boolean (gui_settings_get (), "just-my-code");

    if (session_is_ready (self->session) && !session_is_ended (self->session)) {
        gui_command_panel_runf (self->panel, "set option just-my-code %s", only ? "on" : "off");
    }
}

static void
on_ready (GuiConsoleWindow *self)
{
    GSettings *settings = gui_settings_get ();

    if (settings != NULL && !g_settings_get_boolean (settings, "just-my-code")) {
        apply_code_setting (self);
    }
    queue_update (self);
}

static void
on_ended (GuiConsoleWindow *self)
{
    g_autoptr (BaseText) text = base_text_new (N_ ("The job has ended"));

    session_add_message (self->session, 0, text);
    update_all (self);
}

/* ---- closing ---- */

void
gui_console_window_keep_session (GuiConsoleWindow *self)
{
    gui_session_keeper_save (self->keeper);
}

static void
on_closing_response (GtkDialog *dialog, int response, GuiConsoleWindow *self)
{
    self->closing = NULL;
    gtk_widget_destroy (GTK_WIDGET (dialog));
    if (response == GUI_CLOSING_LET_RUN || response == GUI_CLOSING_END) {
        session_set_keep (self->session, response == GUI_CLOSING_LET_RUN);
        self->may_close = TRUE;
        gtk_window_close (GTK_WINDOW (self));
    }
}

/* TRUE: ranks would be killed, and the user is asked; the answer closes the window. */
static gboolean
ask_before_closing (GuiConsoleWindow *self)
{
    if (self->may_close || !session_would_kill (self->session)) {
        return FALSE;
    }
    if (self->closing == NULL) {
        self->closing = gui_closing_dialog_new (GTK_WINDOW (self), self->session);
        g_signal_connect (self->closing, "response", G_CALLBACK (on_closing_response), self);
    }
    gtk_window_present (GTK_WINDOW (self->closing));
    return TRUE;
}

/* The job ends with its window, unless the user lets it run; group windows go with it. */
static gboolean
on_delete (GuiConsoleWindow *self)
{
    GtkApplication *application = gtk_window_get_application (GTK_WINDOW (self));
    g_autoptr (GList) windows = g_list_copy (gtk_application_get_windows (application));

    if (self->is_closing) {
        return FALSE;
    }
    if (ask_before_closing (self)) {
        return TRUE;
    }
    self->is_closing = TRUE;
    gui_session_keeper_save (self->keeper);
    for (GList *link = windows; link != NULL; link = link->next) {
        if (GUI_IS_GROUP_WINDOW (link->data)
            && gui_group_window_get_session (link->data) == self->session) {
            gtk_widget_destroy (link->data);
        }
    }
    session_end (self->session);
    return FALSE;
}

static void
on_quit (GuiConsoleWindow *self)
{
    self->may_close = TRUE; /* who types quit means it */
    gtk_window_close (GTK_WINDOW (self));
}

/* ---- actions that are about the window ---- */

static void
activate_update (GSimpleAction *action, GVariant *parameter, gpointer user)
{
    GuiConsoleWindow *self = user;

    gui_command_panel_run (self->panel, "on all show state");
    gui_group_view_refresh (self->view, GUI_GROUP_ASK_WAITING);
}

/* What running ranks can show without being stopped. */
static void
on_refresh (GuiConsoleWindow *self)
{
    g_autoptr (JobRankSet) running = session_dup_ranks_in_state (self->session,
                                                                 JOB_STATE_RUNNING);

    if (!job_rank_set_is_empty (running)) {
        gui_group_view_refresh (self->view, GUI_GROUP_ASK_WAITING);
    }
}

/* In the output, where that has the focus; else in the source. */
static void
activate_find (GSimpleAction *action, GVariant *parameter, gpointer user)
{
    GuiConsoleWindow *self = user;
    GtkWidget *focus = gtk_window_get_focus (GTK_WINDOW (self));

    if (focus != NULL && gtk_widget_is_ancestor (focus, GTK_WIDGET (self->output))) {
        gui_output_view_find (self->output);
    } else {
        g_action_activate (self->find_source, NULL);
    }
}

static void
activate_sample (GSimpleAction *action, GVariant *parameter, gpointer user)
{
    gui_group_view_refresh (GUI_CONSOLE_WINDOW (user)->view, GUI_GROUP_ASK_ALL);
}

static void
activate_auto (GSimpleAction *action, GVariant *parameter, gpointer user)
{
    gui_status_row_toggle_auto (GUI_CONSOLE_WINDOW (user)->status);
}

static void
activate_queue (GSimpleAction *action, GVariant *parameter, gpointer user)
{
    GuiConsoleWindow *self = user;

    gui_theme_show_page (GTK_WIDGET (self->waits));
    gui_wait_view_ask (self->waits);
}

static void
activate_group (GSimpleAction *action, GVariant *parameter, gpointer user)
{
    GuiConsoleWindow *self = user;
    const char *text = gui_act_on_get_text (self->act_on), *live = NULL;
    g_autoptr (JobRankSet) set = dup_focus (self);

    if (!job_rank_set_is_empty (gui_selection_bar_get (self->selection))) {
        g_action_group_activate_action (G_ACTION_GROUP (self), "selection-open", NULL);
    } else if (!job_rank_set_is_empty (set)) {
        gboolean is_named = session_find_named (self->session, text, &live) != NULL;

        open_selection (self, set, is_named ? text : NULL);
    }
}

static void
activate_focus (GSimpleAction *action, GVariant *parameter, gpointer user)
{
    GuiConsoleWindow *self = user;

    gui_theme_show_page (GTK_WIDGET (self->panel));
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
on_chosen (GtkWidget *widget, const char *file, GtkFileChooserNative *chooser)
{
    GuiConsoleWindow *self = GUI_CONSOLE_WINDOW (widget);
    g_autoptr (GError) error = NULL;
    g_autoptr (BaseText) text = NULL;

    text = gui_session_keeper_save_as (self->keeper, file, &error)
               ? base_text_new (N_ ("Saved %s"), file)
               : base_error_dup_text (error);
    session_add_message (self->session, error != NULL ? 2 : 0, text);
}

static void
activate_save_as (GSimpleAction *action, GVariant *parameter, gpointer user)
{
    GuiConsoleWindow *self = GUI_CONSOLE_WINDOW (user);
    const char *const *argv = session_get_argv (self->session);
    const char *program = argv != NULL && argv[0] != NULL ? session_saved_find_program (argv)
                                                          : "job";
    g_autofree char *base = g_path_get_basename (program);
    g_autofree char *name = g_strconcat (base, ".pddt", NULL);
    GtkFileChooserNative *chooser = gtk_file_chooser_native_new (_ ("Save Session"),
                                                                 GTK_WINDOW (self),
                                                                 GTK_FILE_CHOOSER_ACTION_SAVE,
                                                                 NULL, NULL);

    gtk_file_chooser_set_current_name (GTK_FILE_CHOOSER (chooser), name);
    gtk_file_chooser_set_do_overwrite_confirmation (GTK_FILE_CHOOSER (chooser), TRUE);
    gui_chooser_show (chooser, GTK_WIDGET (self), on_chosen);
}

static const GActionEntry find_entry[] = {
    { "find", activate_find, NULL, NULL, NULL, { 0 } },
};

static const GActionEntry entries[] = {
    { "save-as", activate_save_as, NULL, NULL, NULL, { 0 } },
    { "update", activate_update, NULL, NULL, NULL, { 0 } },
    { "sample-stacks", activate_sample, NULL, NULL, NULL, { 0 } },
    { "auto-update", activate_auto, NULL, NULL, NULL, { 0 } },
    { "queue", activate_queue, NULL, NULL, NULL, { 0 } },
    { "group-window", activate_group, NULL, NULL, NULL, { 0 } },
    { "focus-command", activate_focus, NULL, NULL, NULL, { 0 } },
    { "end-session", activate_end, NULL, NULL, NULL, { 0 } },
    { "keys", activate_keys, NULL, NULL, NULL, { 0 } },
};

static void
on_show_source (GuiConsoleWindow *self, const char *file, guint line)
{
    gui_group_view_show_source (self->view, file, line);
    gtk_window_present (GTK_WINDOW (self));
}

static void
add_actions (GuiConsoleWindow *self)
{
    GActionMap *map = G_ACTION_MAP (self);

    g_action_map_add_action_entries (map, entries, G_N_ELEMENTS (entries), self);
    gui_job_actions_add (map, self->panel);
    gui_debug_actions_add (map, self->panel, dup_focus);
    gui_selection_bar_add_actions (self->selection, map);
    gui_group_view_add_actions (self->view, map);
    self->find_source = g_object_ref (g_action_map_lookup_action (map, "find"));
    g_action_map_add_action_entries (map, find_entry, G_N_ELEMENTS (find_entry), self);
    self->profile = gui_profile_actions_new (GTK_APPLICATION_WINDOW (self));
    g_object_set (self->profile, "panel", self->panel, NULL);
    g_signal_connect_object (self->profile, "show-source", G_CALLBACK (on_show_source), self,
                             G_CONNECT_SWAPPED);
}

/* ---- its room ---- */

/* Where the command line is on a page behind, what is typed at the chart, or means nothing where it is typed, is for
 * it. */
static gboolean
type_command (GuiConsoleWindow *self, GdkEventKey *event)
{
    GtkWindow *window = GTK_WINDOW (self);

    if (!self->room.is_low || gtk_widget_get_mapped (GTK_WIDGET (self->panel))
        || (event->state & gtk_accelerator_get_default_mod_mask () & ~GDK_SHIFT_MASK) != 0
        || !g_unichar_isgraph (gdk_keyval_to_unicode (event->keyval))) {
        return FALSE;
    }
    if (!gtk_window_activate_key (window, event)) {
        g_action_group_activate_action (G_ACTION_GROUP (self), "focus-command", NULL);
        gtk_window_propagate_key_event (window, event);
    }
    return TRUE;
}

static gboolean
press_key (GtkWidget *widget, GdkEventKey *event)
{
    GuiConsoleWindow *self = GUI_CONSOLE_WINDOW (widget);

    return gui_keys_prefer_text (GTK_WINDOW (widget), event)
           || (gtk_widget_has_focus (GTK_WIDGET (self->chart)) && type_command (self, event))
           || GTK_WIDGET_CLASS (gui_console_window_parent_class)
                  ->key_press_event (widget, event)
           || (event->keyval == GDK_KEY_Escape && gui_progress_line_cancel (self->progress))
           || type_command (self, event);
}

static void
on_map (GuiConsoleWindow *self)
{
    if (gtk_widget_get_mapped (GTK_WIDGET (self->panel))) {
        gui_command_panel_focus (self->panel);
    } else { /* its page is not in front */
        gtk_widget_grab_focus (GTK_WIDGET (self->chart));
    }
}

/* ---- its life ---- */

/* When its parts have the session as well. */
static void
on_session (GuiConsoleWindow *self)
{
    Session *session = self->session;

    session_set_brief (session, TRUE);
    g_signal_connect_swapped (session, "states-changed", G_CALLBACK (queue_update), self);
    g_signal_connect_swapped (session, "progress", G_CALLBACK (queue_update), self);
    g_signal_connect_swapped (session, "sets-changed", G_CALLBACK (on_sets_changed), self);
    g_signal_connect_swapped (session, "ready", G_CALLBACK (on_ready), self);
    g_signal_connect_swapped (session, "ended", G_CALLBACK (on_ended), self);
    on_sets_changed (self);
    gui_placement_place (GTK_WINDOW (self), NULL, 0);
    self->room = (GuiConsoleRoom){ .window = GTK_WINDOW (self),
                                   .column = self->column,
                                   .toolbar = self->toolbar,
                                   .moves = self->moves,
                                   .chart = GTK_WIDGET (self->chart),
                                   .rows = self->rows,
                                   .pages = self->pages,
                                   .view = self->view };
    gui_console_room_begin (&self->room);
    gui_keys_explain (GTK_WINDOW (self));
    update_all (self);
    self->keeper = gui_session_keeper_new (gtk_window_get_application (GTK_WINDOW (self)),
                                           session, self->panel, self->saved);
}

static void
gui_console_window_dispose (GObject *object)
{
    GuiConsoleWindow *self = GUI_CONSOLE_WINDOW (object);

    g_clear_handle_id (&self->age_source, g_source_remove);
    gui_console_room_clear (&self->room);
    g_clear_pointer (&self->keeper, gui_session_keeper_free);
    g_clear_object (&self->profile);
    g_clear_object (&self->find_source);
    if (self->session != NULL) {
        g_signal_handlers_disconnect_by_data (self->session, self);
    }
    G_OBJECT_CLASS (gui_console_window_parent_class)->dispose (object);
}

GUI_FINALIZE (gui_console_window, GuiConsoleWindow,
              gui_properties_clear (self, GUI_TYPE_CONSOLE_WINDOW))

static void
gui_console_window_class_init (GuiConsoleWindowClass *klass)
{
    G_OBJECT_CLASS (klass)->dispose = gui_console_window_dispose;
    G_OBJECT_CLASS (klass)->finalize = gui_console_window_finalize;
    GTK_WIDGET_CLASS (klass)->key_press_event = press_key;
    GUI_PROPERTIES (klass, GuiConsoleWindow,
                    (session, SESSION_TYPE_SESSION, .flags = G_PARAM_CONSTRUCT_ONLY),
                    (saved, G_TYPE_STRING, .flags = G_PARAM_CONSTRUCT_ONLY));
    GUI_ENSURE (GUI_TYPE_CONSOLE_HEADER, GUI_TYPE_PROBLEM_BAR, GUI_TYPE_ACT_ON,
                GUI_TYPE_STATUS_ROW, GUI_TYPE_STATE_CHART, GUI_TYPE_STATE_LEGEND,
                GUI_TYPE_SELECTION_BAR, GUI_TYPE_GROUP_VIEW, GUI_TYPE_COMMAND_PANEL,
                GUI_TYPE_OUTPUT_VIEW, GUI_TYPE_GROUP_LIST, GUI_TYPE_RANK_PAGE,
                GUI_TYPE_BREAKPOINT_LIST, GUI_TYPE_WAIT_VIEW, GUI_TYPE_LOG_VIEW,
                GUI_TYPE_LOGGED_VIEW, GUI_TYPE_PROGRESS_LINE, GUI_TYPE_VIEWED_RANK);
    GUI_TEMPLATE (klass, "console-window.ui");
    GUI_CHILDREN (klass, GuiConsoleWindow, header, column, problems, toolbar, act_on, moves,
                  restart, stop, group, status, chart, legend, selection, rows, view, pages,
                  panel, output, groups, ranks, breakpoints, waits, log, logged, progress);
    GUI_CALLBACKS (klass, on_delete, on_map, on_pick, on_run_line, on_set_chosen,
                   on_rows_chosen, on_rank_chosen, on_chart_opened, on_chart_menu,
                   act_on_selection, open_selection, open_ranks, show_rank, on_done, on_quit,
                   on_input, on_refresh);
}

static void
gui_console_window_init (GuiConsoleWindow *self)
{
    gtk_widget_init_template (GTK_WIDGET (self));
    gui_theme_guard_notebook (GTK_NOTEBOOK (self->pages));
    gui_theme_name (self->group, "group-window", NULL);
    gui_theme_name (self->restart, "restart", _ ("Restart"));
    gui_theme_name (self->stop, "stop", _ ("Stop"));
    gui_theme_name (GTK_WIDGET (self->chart), "chart", NULL);
    add_actions (self);
    gui_settings_restore_size (GTK_WINDOW (self), "console", 1240, 880);
    gui_placement_keep_visible (GTK_WINDOW (self), GTK_WIDGET (self->legend));
    gui_properties_share (self, "session", self->header, self->problems, self->act_on,
                          self->status, self->chart, self->legend, self->panel, self->output,
                          self->breakpoints, self->waits, self->groups, self->log, self->logged,
                          self->ranks, self->progress, self->selection, self->profile, NULL);
    gui_properties_share (self->panel, "selection", self->logged, NULL);
    g_signal_connect (self, "notify::session", G_CALLBACK (on_session), NULL);
    self->age_source = g_timeout_add_seconds (1, on_age, self);
    if (gui_settings_get () != NULL) {
        g_signal_connect_object (gui_settings_get (), "changed::just-my-code",
                                 G_CALLBACK (apply_code_setting), self, G_CONNECT_SWAPPED);
    }
}

GtkWidget *
gui_console_window_new (GtkApplication *application, Session *session, const char *saved)
{
    return g_object_new (GUI_TYPE_CONSOLE_WINDOW, "application", application, "session",
                         session, "saved", saved, NULL);
}
