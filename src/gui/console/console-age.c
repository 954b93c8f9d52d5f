/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The age of the console window's data, auto-refresh, and the settings that apply to a running
 * session. */
#include "base/escape.h"
#include "gui/console/console-window-private.h"
#include <glib/gi18n.h>
#include "base/clock.h"
#include "gui/console/group-list.h"
#include "gui/console/rank-table.h"
#include "gui/kit/settings.h"

void
gui_console_age_update (GuiConsoleWindow *self)
{
    gint64 updated = MAX (session_get_updated_us (self->session), self->changed_us);
    gint64 age = (base_clock_get_us () - updated) / G_USEC_PER_SEC;
    g_autofree char *text = NULL;

    if (session_is_ended (self->session)) {
        text = g_strdup (_ ("ended"));
    } else if (updated == 0) {
        text = g_strdup (_ ("waiting for ranks"));
    } else {
        text = age < 2     ? g_strdup (_ ("updated just now"))
               : age < 120 ? g_strdup_printf (_ ("updated %u s ago"), (guint) age)
                           : g_strdup_printf (_ ("updated %u min ago"), (guint) (age / 60));
    }
    gtk_label_set_text (GTK_LABEL (self->age), text);
}

static void
update_title (GuiConsoleWindow *self)
{
    const char *const *argv = session_get_argv (self->session);
    g_autofree char *line = base_escape_take (argv != NULL ? g_strjoinv (" ", (char **) argv)
                                                           : g_strdup (""),
                                              BASE_ESCAPE_NAME);
    gint64 seconds = (base_clock_get_us () - self->started_us) / G_USEC_PER_SEC;
    g_autofree char *subtitle = g_strdup_printf ("%s · %02u:%02u:%02u", line,
                                                 (guint) (seconds / 3600),
                                                 (guint) (seconds / 60 % 60),
                                                 (guint) (seconds % 60));

    gtk_header_bar_set_subtitle (GTK_HEADER_BAR (self->header),
                                 *line != '\0' ? subtitle : NULL);
}

static gboolean
on_age (gpointer user)
{
    GuiConsoleWindow *self = user;

    if (session_is_restarting (self->session)) {
        self->started_us = base_clock_get_us (); /* another job */
    }
    gui_console_age_update (self);
    gui_rank_table_update_ages (GUI_RANK_TABLE (self->ranks));
    gui_wait_view_update_ages (self->waits);
    gui_group_list_update_ages (GUI_GROUP_LIST (self->groups));
    if (session_find_silent (self->session) != NULL) {
        gui_console_window_update_summary (self);
    }
    if (!session_is_ended (self->session)) {
        update_title (self);
    }
    return G_SOURCE_CONTINUE;
}

static gboolean
on_auto_update (gpointer user)
{
    GuiConsoleWindow *self = user;

    if (!session_is_ended (self->session)) { /* it may be started again */
        session_submit (self->session,
                        job_request_new (JOB_VERB_STATE, session_get_focus (self->session)));
    }
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
    if (id != NULL && settings != NULL
        && seconds != g_settings_get_int (settings, "update-interval")) {
        g_settings_set_int (settings, "update-interval", seconds);
    }
}

static void
on_interval_setting (GuiConsoleWindow *self)
{
    int seconds = gui_settings_get () != NULL
                      ? g_settings_get_int (gui_settings_get (), "update-interval")
                      : 0;
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
follow_settings (GuiConsoleWindow *self)
{
    GSettings *settings = gui_settings_get ();

    on_interval_setting (self);
    if (settings != NULL) {
        g_signal_connect_object (settings, "changed::update-interval",
                                 G_CALLBACK (on_interval_setting), self, G_CONNECT_SWAPPED);
        g_signal_connect_object (settings, "changed::just-my-code",
                                 G_CALLBACK (on_code_setting), self, G_CONNECT_SWAPPED);
    }
}

void
gui_console_age_connect (GuiConsoleWindow *self)
{
    self->started_us = base_clock_get_us ();
    self->age_source = g_timeout_add_seconds (1, on_age, self);
    g_signal_connect_swapped (self->auto_update, "changed", G_CALLBACK (on_auto_changed), self);
    update_title (self);
    follow_settings (self);
}

void
gui_console_age_clear (GuiConsoleWindow *self)
{
    g_clear_handle_id (&self->age_source, g_source_remove);
    g_clear_handle_id (&self->auto_source, g_source_remove);
}

void
gui_console_age_apply_settings (GuiConsoleWindow *self)
{
    if (gui_settings_get () != NULL
        && !g_settings_get_boolean (gui_settings_get (), "just-my-code")) {
        on_code_setting (self);
    }
}
