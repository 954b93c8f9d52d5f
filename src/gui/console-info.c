/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the console window tells: the log, and one bar above everything for what has gone wrong. */
#include "gui/console-window-private.h"
#include <glib/gi18n.h>
#include "gui/group-window.h"

enum { MAX_SEVERE = 64, MAX_SEVERE_LINES = 3 };

void
gui_console_info_add (GuiConsoleWindow *self, const char *text)
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
    gui_console_info_add (self, text);
    if (severity > 0) {
        show_info (self, severity, text, NULL);
    }
}

static void
on_message (Session *session, guint severity, const char *text, GuiConsoleWindow *self)
{
    gui_console_window_show_message (self, severity, text);
}

/* What has gone wrong since the bar was closed: equal things once, the newest few. */
void
gui_console_info_show_fresh (GuiConsoleWindow *self)
{
    g_autoptr (GString) text = g_string_new (NULL);
    g_autoptr (JobRankSet) ranks = job_rank_set_new ();
    g_autoptr (GPtrArray) fresh = NULL;

    if (session_last_states_is_empty (self->fresh)) {
        return;
    }
    fresh = session_last_states_take (self->fresh, self->session, TRUE);
    for (guint i = 0; i < fresh->len; i++) {
        g_autofree char *line = session_format_state_event (self->session, fresh->pdata[i]);

        gui_console_info_add (self, line);
        g_ptr_array_add (self->severe, job_event_dup (fresh->pdata[i]));
    }
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

static void
on_event (Session *session, const JobEvent *event, gpointer user)
{
    GuiConsoleWindow *self = user;

    if (event->kind == JOB_EVENT_STATE && job_state_get_info (event->state)->severe
        && (event->flags & JOB_EVENT_FRESH) == 0) {
        session_last_states_add (self->fresh, event);
        gui_console_window_queue_update (self);
    } else if (event->kind == JOB_EVENT_NOTICE && event->text != NULL) {
        gui_console_info_add (self, event->text);
    }
}

void
gui_console_info_connect (GuiConsoleWindow *self)
{
    self->fresh = session_last_states_new ();
    self->severe = g_ptr_array_new_with_free_func ((GDestroyNotify) job_event_free);
    g_signal_connect_swapped (self->info_bar, "response", G_CALLBACK (on_info_response), self);
    g_signal_connect_swapped (self->info_open, "clicked", G_CALLBACK (on_info_open), self);
    g_signal_connect (self->session, "message", G_CALLBACK (on_message), self);
    session_add_listener (self->session, on_event, self);
}

void
gui_console_info_clear (GuiConsoleWindow *self)
{
    g_clear_pointer (&self->bad, job_rank_set_free);
    g_clear_pointer (&self->severe, g_ptr_array_unref);
    g_clear_pointer (&self->fresh, session_last_states_free);
    if (self->session != NULL) {
        session_remove_listener (self->session, on_event, self);
    }
}
