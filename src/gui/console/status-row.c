/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gui/console/status-row.h"
#include <glib/gi18n.h>
#include "base/clock.h"
#include "gui/chart/state-chart.h"
#include "gui/group/face-bar.h"
#include "gui/kit/properties.h"
#include "gui/kit/settings.h"
#include "gui/kit/template.h"
#include "gui/kit/theme.h"

struct _GuiStatusRow {
    GtkBox parent;
    GtkWidget *summary, *age, *auto_update;
    Session *session;
    gint64 changed_us; /* the last state event */
    guint auto_source;
    char *before; /* the period before it was switched off; NULL: none */
};

G_DEFINE_TYPE (GuiStatusRow, gui_status_row, GTK_TYPE_BOX)

static guint refresh_signal;

/* ---- what it says ---- */

static void
append_part (GString *full, const char *part)
{
    if (part != NULL) {
        g_string_append_printf (full, " · %s", part);
    }
}

static void
update_summary (GuiStatusRow *self)
{
    g_autofree char *counts = gui_state_chart_format_counts (self->session);
    g_autoptr (GString) full = g_string_new (counts);
    const JobRankSet *focus = session_get_focus (self->session);
    g_autofree char *progress = focus != NULL
                                    ? gui_face_bar_format_progress (self->session, focus)
                                    : NULL;
    const JobRankSet *silent = session_find_silent (self->session);
    g_autofree char *quiet = silent != NULL
                                 ? gui_face_bar_format_silence (self->session, silent)
                                 : NULL;

    append_part (full, progress);
    append_part (full, quiet);
    gtk_label_set_text (GTK_LABEL (self->summary), full->str);
    gtk_widget_set_tooltip_text (self->summary, full->str);
}

static void
update_age (GuiStatusRow *self)
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

void
gui_status_row_update (GuiStatusRow *self)
{
    if (self->session != NULL) {
        update_summary (self);
        update_age (self);
    }
}

void
gui_status_row_update_age (GuiStatusRow *self)
{
    if (self->session == NULL) {
        return;
    }
    update_age (self);
    if (session_find_silent (self->session) != NULL) {
        update_summary (self);
    }
}

/* ---- auto-refresh ---- */

void
gui_status_row_toggle_auto (GuiStatusRow *self)
{
    GtkComboBox *choice = GTK_COMBO_BOX (self->auto_update);
    const char *now = gtk_combo_box_get_active_id (choice);

    if (g_strcmp0 (now, "0") != 0) {
        g_free (self->before);
        self->before = g_strdup (now);
        gtk_combo_box_set_active_id (choice, "0");
    } else {
        gtk_combo_box_set_active_id (choice, self->before != NULL ? self->before : "1");
    }
}

static gboolean
on_auto_update (gpointer user)
{
    GuiStatusRow *self = user;

    if (self->session != NULL && !session_is_ended (self->session)) { /* it may start again */
        session_submit (self->session,
                        job_request_new (JOB_VERB_STATE, session_get_focus (self->session)));
        g_signal_emit (self, refresh_signal, 0);
    }
    return G_SOURCE_CONTINUE;
}

static void
on_auto_changed (GuiStatusRow *self)
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
on_interval_setting (GuiStatusRow *self)
{
    int seconds = gui_settings_get () != NULL
                      ? g_settings_get_int (gui_settings_get (), "update-interval")
                      : 0;
    g_autofree char *id = g_strdup_printf ("%d", seconds);

    if (!gtk_combo_box_set_active_id (GTK_COMBO_BOX (self->auto_update), id)) {
        gtk_combo_box_set_active_id (GTK_COMBO_BOX (self->auto_update), "0");
    }
}

/* ---- its life ---- */

static void
on_states_changed (GuiStatusRow *self)
{
    self->changed_us = session_get_size (self->session) > 0 ? base_clock_get_us () : 0;
}

static void
leave_session (gpointer user)
{
    g_signal_handlers_disconnect_by_data (GUI_STATUS_ROW (user)->session, user);
}

static void
enter_session (gpointer user)
{
    GuiStatusRow *self = user;

    self->changed_us = 0;
    if (self->session != NULL) {
        g_signal_connect_swapped (self->session, "states-changed",
                                  G_CALLBACK (on_states_changed), self);
        g_signal_connect_swapped (self->session, "progress", G_CALLBACK (on_states_changed),
                                  self);
        g_signal_connect_swapped (self->session, "ready", G_CALLBACK (on_states_changed), self);
    }
    gui_status_row_update (self);
}

GUI_DISPOSE (gui_status_row, GuiStatusRow,
             g_clear_handle_id (&self->auto_source, g_source_remove);
             gui_properties_clear (self, GUI_TYPE_STATUS_ROW))

GUI_FINALIZE (gui_status_row, GuiStatusRow, g_free (self->before))

static void
gui_status_row_class_init (GuiStatusRowClass *klass)
{
    G_OBJECT_CLASS (klass)->dispose = gui_status_row_dispose;
    G_OBJECT_CLASS (klass)->finalize = gui_status_row_finalize;
    GUI_PROPERTIES (klass, GuiStatusRow,
                    (session, SESSION_TYPE_SESSION, leave_session, enter_session));
    refresh_signal = GUI_SIGNAL (klass, "refresh");
    GUI_TEMPLATE (klass, "status-row.ui");
    GUI_CHILDREN (klass, GuiStatusRow, summary, age, auto_update);
    GUI_CALLBACKS (klass, on_auto_changed);
}

static void
gui_status_row_init (GuiStatusRow *self)
{
    gtk_widget_init_template (GTK_WIDGET (self));
    gui_theme_name (self->summary, "state-summary", NULL);
    gui_theme_name (self->age, "age", NULL);
    gui_theme_name (self->auto_update, "auto-update", _ ("Auto-refresh"));
    on_interval_setting (self);
    if (gui_settings_get () != NULL) {
        g_signal_connect_object (gui_settings_get (), "changed::update-interval",
                                 G_CALLBACK (on_interval_setting), self, G_CONNECT_SWAPPED);
    }
}
