/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The console window: counts, chart, legend; source, stack and values of the ranks acted on; and
 * commands, output, places, breakpoints and messages in pages below. Events of the job are shown as lines there, never as dialogs. */
#include "gui/console/console-window-private.h"
#include <glib/gi18n.h>
#include "base/error.h"
#include <string.h>
#include "base/clock.h"
#include "gui/console/breakpoint-list.h"
#include "gui/console/group-list.h"
#include "gui/console/rank-table.h"
#include "gui/group/face-bar.h"
#include "gui/group/group-window.h"
#include "gui/kit/debug-actions.h"
#include "gui/kit/keys.h"
#include "gui/kit/placement.h"
#include "gui/kit/settings.h"
#include "gui/kit/theme.h"
#include "session/messages.h"

enum { WORDS_US = 100 * 1000, N_SOON = 3 }; /* so many at once before the pace is slower */
enum { MAX_ENTRY = 200 };                   /* characters of ranks that one could edit */

G_DEFINE_TYPE (GuiConsoleWindow, gui_console_window, GTK_TYPE_APPLICATION_WINDOW)

JobRankSet *
gui_console_window_dup_focus (gpointer window)
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
    gui_group_window_open (self->application, self->session, set, name);
}

static void
on_view_chosen (GuiConsoleWindow *self, const JobRankSet *set)
{
    open_selection (self, set, NULL);
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

    g_object_set (self->chart, "selection", set, NULL);
    if (only) {
        gui_rank_table_set_filter (GUI_RANK_TABLE (self->ranks),
                                   job_rank_set_is_empty (set) ? NULL : set);
    }
    gui_rank_table_set_selection (GUI_RANK_TABLE (self->ranks), set);
    act_on_selection (self);
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

/* None before all are known. */
static void
update_ranks (GuiConsoleWindow *self)
{
    g_autoptr (JobRankSet) all = session_dup_all (self->session);

    if (session_is_ready (self->session) || self->ranks_size > 0) {
        self->ranks_size = session_get_size (self->session);
        gui_rank_table_set_ranks (GUI_RANK_TABLE (self->ranks), self->session, all);
    }
}

static void
update_summary (GuiConsoleWindow *self, const JobRankSet *focus)
{
    guint32 size = session_get_size (self->session);
    g_autofree char *text = gui_state_chart_format_counts (session_get_counts (self->session),
                                                           size);
    g_autofree char *progress = gui_face_bar_format_progress (self->session, focus);
    const JobRankSet *silent = session_find_silent (self->session);
    g_autofree char *quiet = silent != NULL
                                 ? gui_face_bar_format_silence (self->session, silent)
                                 : NULL;
    GString *full = g_string_new (text);

    g_string_append_printf (full, "%s%s", progress != NULL ? " · " : "",
                            progress != NULL ? progress : "");
    g_string_append_printf (full, "%s%s", quiet != NULL ? " · " : "",
                            quiet != NULL ? quiet : "");
    gtk_label_set_text (GTK_LABEL (self->summary), full->str);
    gtk_widget_set_tooltip_text (self->summary, full->str);
    g_string_free (full, TRUE);
}

void
gui_console_window_update_summary (GuiConsoleWindow *self)
{
    g_autoptr (JobRankSet) focus = gui_console_window_dup_focus (self);

    update_summary (self, focus);
}

static void
update_all (GuiConsoleWindow *self)
{
    g_autoptr (JobRankSet) focus = gui_console_window_dup_focus (self);

    update_summary (self, focus);
    gui_state_legend_update (self->legend);
    gui_debug_actions_update (G_ACTION_MAP (self), self->session, focus);
    gui_console_actions_update (self);
    gui_command_panel_update_prompt (self->panel);
    gui_console_profile_update (self);
    g_object_set (self->view, "ranks", focus, NULL);
    gui_group_list_update_live (GUI_GROUP_LIST (self->groups));
    update_ranks (self);
    gui_console_age_update (self);
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

void
gui_console_window_queue_update (GuiConsoleWindow *self)
{
    self->changed_us = session_get_size (self->session) > 0 ? base_clock_get_us () : 0;
    if (self->tick == 0) {
        self->tick = gtk_widget_add_tick_callback (GTK_WIDGET (self), on_tick, NULL, NULL);
    }
}

static void
on_progress (GuiConsoleWindow *self)
{
    gui_console_window_queue_update (self);
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
}

/* "all", the user's name for exactly these ranks, or the ranks. */
static char *
dup_focus_text (GuiConsoleWindow *self, gboolean is_all)
{
    const JobRankSet *focus = session_get_focus (self->session);
    g_autofree char *name = session_dup_set_name (self->session, focus);
    g_autofree char *text = NULL;

    if (is_all || name != NULL) {
        return is_all ? g_strdup ("all") : g_steal_pointer (&name);
    }
    text = job_rank_set_format (focus);
    return strlen (text) <= MAX_ENTRY ? g_steal_pointer (&text)
                                      : job_rank_set_format_brief (focus);
}

/* The focus was changed, here or by a typed `pick`: chart, tables, chooser and prompt follow. */
static void
show_focus (GuiConsoleWindow *self)
{
    const JobRankSet *focus = session_get_focus (self->session);
    g_autoptr (JobRankSet) all = session_dup_all (self->session);
    g_autoptr (JobRankSet) nobody = job_rank_set_new ();
    gboolean is_all = job_rank_set_equal (focus, all);
    g_autofree char *text = dup_focus_text (self, is_all);

    if (!job_rank_set_equal (gui_selection_bar_get (self->selection), focus)) {
        gui_selection_bar_take (self->selection, is_all ? nobody : focus, GUI_SELECT_ONLY);
    }
    if (g_strcmp0 (text, self->acts_on) != 0) { /* not what is just being typed */
        gtk_entry_set_text (GTK_ENTRY (self->act_on_entry), text);
        g_free (self->acts_on);
        self->acts_on = g_steal_pointer (&text);
    }
    gui_console_window_queue_update (self);
    gui_command_panel_update_prompt (self->panel);
}

static void
on_sets_changed (GuiConsoleWindow *self)
{
    fill_sets (self);
    show_focus (self);
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
                                         GTK_ENTRY_ICON_SECONDARY,
                                         base_error_get_shown (error));
        return;
    }
    gtk_entry_set_icon_from_icon_name (GTK_ENTRY (self->act_on_entry), GTK_ENTRY_ICON_SECONDARY,
                                       NULL);
    g_clear_pointer (&self->acts_on, g_free); /* a state's name becomes its ranks */
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
}

static void
on_input (GuiConsoleWindow *self, const char *text)
{
    gui_command_panel_runf (self->panel, "input %s", text);
}

static void
on_run_line (GuiConsoleWindow *self, const char *line)
{
    gui_command_panel_suggest (self->panel, line);
}

static void
on_ended (GuiConsoleWindow *self)
{
    g_autoptr (BaseText) text = base_text_new (N_ ("The job has ended"));

    session_add_message (self->session, 0, text);
    update_all (self);
}

static void
on_ready (GuiConsoleWindow *self)
{
    gui_console_age_apply_settings (self);
    gui_console_window_queue_update (self);
}

void
gui_console_window_keep_session (GuiConsoleWindow *self)
{
    gui_session_keeper_save (self->keeper);
}

/* The job ends with its window, unless the user lets it run; group windows go with it. */
static gboolean
on_delete (GuiConsoleWindow *self)
{
    g_autoptr (GList) windows = g_list_copy (gtk_application_get_windows (self->application));

    if (self->is_closing) {
        return FALSE;
    }
    if (gui_console_closing_ask (self)) {
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

static gboolean
press_key (GtkWidget *widget, GdkEventKey *event)
{
    return gui_keys_prefer_text (GTK_WINDOW (widget), event)
           || GTK_WIDGET_CLASS (gui_console_window_parent_class)
                  ->key_press_event (widget, event)
           || (event->keyval == GDK_KEY_Escape
               && gui_progress_line_cancel (GUI_CONSOLE_WINDOW (widget)->progress));
}

static void
gui_console_window_dispose (GObject *object)
{
    GuiConsoleWindow *self = GUI_CONSOLE_WINDOW (object);

    gui_console_age_clear (self);
    gui_console_info_clear (self);
    g_clear_pointer (&self->keeper, gui_session_keeper_free);
    g_clear_pointer (&self->acts_on, g_free);
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
    BIND (header);
    BIND (toolbar);
    BIND (info_bar);
    BIND (info_icon);
    BIND (info_text);
    BIND (info_open);
    BIND (info_do);
    BIND (act_on);
    BIND (act_on_entry);
    BIND (summary);
    BIND (age);
    BIND (auto_update);
    BIND (chart_box);
    BIND (legend_box);
    BIND (pages);
    BIND (menu);
    BIND (group);
    BIND (moves);
    BIND (restart);
    BIND (stop);
    BIND (help);
    BIND (rows);
    BIND (view_box);
    BIND (summary_row);
#undef BIND
}

static void
gui_console_window_init (GuiConsoleWindow *self)
{
    gtk_widget_init_template (GTK_WIDGET (self));
    gui_console_build (self);
    gui_console_actions_add (self);
    gui_settings_restore_size (GTK_WINDOW (self), "console", 1240, 880);
}

/* file NULL: the last known place of the rank. */
static void
show_rank (GuiConsoleWindow *self, guint rank, const char *file, guint line)
{
    g_autoptr (JobRankSet) focus = gui_console_window_dup_focus (self);
    const SessionRank *info = session_get_rank (self->session, rank);
    const JobLocation *known = info != NULL ? info->place : NULL;

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
    if (gtk_widget_get_parent (self->view_box) == self->pages) {
        gui_theme_show_page (self->view_box);
    }
}

static void
connect_all (GuiConsoleWindow *self)
{
    g_signal_connect_swapped (self->chart, "set-chosen", G_CALLBACK (on_set_chosen), self);
    g_signal_connect_swapped (self->legend, "set-chosen", G_CALLBACK (on_set_chosen), self);
    g_signal_connect_swapped (self->chart, "opened", G_CALLBACK (on_chart_opened), self);
    g_signal_connect_swapped (self->chart, "menu", G_CALLBACK (on_chart_menu), self);
    g_signal_connect_swapped (self->selection, "notify::set", G_CALLBACK (on_selection_changed),
                              self);
    g_signal_connect_swapped (self->selection, "open", G_CALLBACK (open_selection), self);
    g_signal_connect_swapped (self->selection, "run-line", G_CALLBACK (on_run_line), self);
    g_signal_connect_swapped (self->groups, "open", G_CALLBACK (open_selection), self);
    g_signal_connect_swapped (self->groups, "select", G_CALLBACK (on_rows_chosen), self);
    g_signal_connect_swapped (self->groups, "run-line", G_CALLBACK (on_run_line), self);
    g_signal_connect_swapped (self->only_selected, "toggled", G_CALLBACK (on_only_selected),
                              self);
    g_signal_connect_swapped (self->ranks, "set-chosen", G_CALLBACK (on_rows_chosen), self);
    g_signal_connect_swapped (self->breakpoints, "run-line", G_CALLBACK (on_run_line), self);
    g_signal_connect_swapped (self->ranks, "rank-chosen", G_CALLBACK (on_rank_chosen), self);
    g_signal_connect_swapped (self->view, "set-chosen", G_CALLBACK (on_view_chosen), self);
    g_signal_connect_swapped (self->waits, "run-line", G_CALLBACK (on_run_line), self);
    g_signal_connect_swapped (self->waits, "place-chosen", G_CALLBACK (show_rank), self);
    g_signal_connect_swapped (self->log, "place-chosen", G_CALLBACK (show_rank), self);
    g_signal_connect_swapped (self->panel, "done", G_CALLBACK (on_done), self);
    g_signal_connect_swapped (self->panel, "quit", G_CALLBACK (on_quit), self);
    g_signal_connect_swapped (self->output, "input", G_CALLBACK (on_input), self);
    g_signal_connect_swapped (self->act_on, "changed", G_CALLBACK (on_act_on_changed), self);
    g_signal_connect_swapped (self->act_on_entry, "activate", G_CALLBACK (on_act_on), self);
    g_signal_connect (self, "delete-event", G_CALLBACK (on_delete), NULL);
    g_signal_connect_swapped (self->session, "states-changed",
                              G_CALLBACK (gui_console_window_queue_update), self);
    g_signal_connect_swapped (self->session, "progress", G_CALLBACK (on_progress), self);
    g_signal_connect_swapped (self->session, "sets-changed", G_CALLBACK (on_sets_changed),
                              self);
    g_signal_connect_swapped (self->session, "ready", G_CALLBACK (on_ready), self);
    g_signal_connect_swapped (self->session, "ended", G_CALLBACK (on_ended), self);
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

GtkWidget *
gui_console_window_new (GtkApplication *application, Session *session, const char *saved)
{
    GuiConsoleWindow *self = g_object_new (GUI_TYPE_CONSOLE_WINDOW, "application", application,
                                           NULL);
    gpointer const parts[] = { self->chart,       self->legend,   self->panel,  self->output,
                               self->breakpoints, self->waits,    self->groups, self->log,
                               self->progress,    self->selection };

    self->application = application;
    self->session = g_object_ref (session);
    session_set_brief (session, TRUE);
    for (guint i = 0; i < G_N_ELEMENTS (parts); i++) {
        g_object_set (parts[i], "session", session, NULL);
    }
    g_object_set (self->progress, "panel", self->panel, NULL);
    on_sets_changed (self);
    g_object_set (self->view, "ranks", session_get_focus (session), "panel", self->panel, NULL);
    gui_group_view_add_actions (self->view, G_ACTION_MAP (self));
    connect_all (self);
    gui_console_info_connect (self);
    gui_placement_keep_visible (GTK_WINDOW (self), self->legend_box);
    gui_placement_place (GTK_WINDOW (self), NULL, 0);
    gui_console_build_share_room (self);
    gui_keys_explain (GTK_WINDOW (self));
    update_all (self);
    gui_console_age_connect (self);
    self->keeper = gui_session_keeper_new (application, session, self->panel, saved);
    g_signal_connect (self, "map", G_CALLBACK (on_map), NULL);
    return GTK_WIDGET (self);
}
