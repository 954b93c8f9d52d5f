/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The info bar of the console window: problems among the session's messages. */
#include "gui/console/console-window-private.h"
#include <glib/gi18n.h>
#include "gui/group/group-window.h"
#include "gui/kit/suggestion.h"
#include "gui/kit/theme.h"
#include "session/messages.h"

enum { MAX_SEVERE = 64, MAX_SEVERE_LINES = 3 };

/* ranks: for a window of their own; verdict: its command gets a button; both may be NULL. */
static void
show_info (GuiConsoleWindow *self, guint severity, const char *text, const JobRankSet *ranks,
           const AnalysisVerdict *verdict)
{
    static const GtkMessageType types[] = { GTK_MESSAGE_INFO, GTK_MESSAGE_WARNING,
                                            GTK_MESSAGE_ERROR };
    static const char *const icons[] = { "dialog-information-symbolic",
                                         "dialog-warning-symbolic", "dialog-error-symbolic" };

    gtk_info_bar_set_message_type (GTK_INFO_BAR (self->info_bar),
                                   types[MIN (severity, G_N_ELEMENTS (types) - 1)]);
    gtk_image_set_from_icon_name (GTK_IMAGE (self->info_icon),
                                  icons[MIN (severity, G_N_ELEMENTS (icons) - 1)],
                                  GTK_ICON_SIZE_BUTTON);
    gtk_label_set_text (GTK_LABEL (self->info_text), text);
    g_clear_pointer (&self->bad, job_rank_set_free);
    self->bad = ranks != NULL ? job_rank_set_dup (ranks) : NULL;
    gtk_widget_set_visible (self->info_open, ranks != NULL);
    g_free (self->offer);
    self->offer = g_strdup (verdict != NULL ? verdict->command : NULL);
    gui_suggestion_show (self->info_do, verdict);
    gtk_info_bar_set_revealed (GTK_INFO_BAR (self->info_bar), TRUE);
}

/* Ranks that can still be inspected come first: signals and exceptions, then losses, then
 * ends. */
static int
compare_severe (gconstpointer a, gconstpointer b)
{
    static const guint8 grades[JOB_N_STATES] = {
        [JOB_STATE_FAILED] = 1,
        [JOB_STATE_LOST] = 2,
        [JOB_STATE_EXCEPTION] = 3,
        [JOB_STATE_SIGNAL] = 3,
    };
    const JobEvent *left = *(JobEvent *const *) a, *right = *(JobEvent *const *) b;

    if (grades[left->state] != grades[right->state]) {
        return grades[left->state] > grades[right->state] ? -1 : 1;
    }
    return job_rank_set_get_lowest (left->ranks) < job_rank_set_get_lowest (right->ranks) ? -1
                                                                                          : 1;
}

static char *
format_severe (GuiConsoleWindow *self, JobRankSet *ranks)
{
    g_autoptr (GPtrArray) sorted
        = g_ptr_array_new (); /* borrowed: the order of coming is kept */
    GString *text = g_string_new (NULL);

    for (guint i = 0; i < self->severe->len; i++) {
        g_ptr_array_add (sorted, self->severe->pdata[i]);
    }
    g_ptr_array_sort (sorted, compare_severe);
    for (guint i = 0; i < sorted->len; i++) {
        const JobEvent *event = sorted->pdata[i];
        g_autofree char *one = job_rank_set_format_brief (event->ranks);
        g_autofree char *state = session_format_event_state (BASE_TEXT_SHOWN, self->session,
                                                             event);

        job_rank_set_merge (ranks, event->ranks);
        if (i < MAX_SEVERE_LINES) {
            g_string_append_printf (text, "%s%s: %s%s%s", i > 0 ? "\n" : "", one, state,
                                    event->text2 != NULL ? ": " : "",
                                    event->text2 != NULL ? event->text2 : "");
        }
    }
    if (sorted->len > MAX_SEVERE_LINES) {
        g_string_append (text, " …");
    }
    return g_string_free (text, FALSE);
}

/* The gravest problems since the bar was closed, without duplicates. */
static void
show_severe (GuiConsoleWindow *self)
{
    g_autoptr (JobRankSet) ranks = job_rank_set_new ();
    g_autofree char *text = NULL;

    job_event_list_merge (self->severe);
    if (self->severe->len > MAX_SEVERE) {
        g_ptr_array_remove_range (self->severe, 0, self->severe->len - MAX_SEVERE);
    }
    text = format_severe (self, ranks);
    show_info (self, 2, text, ranks, NULL);
}

static void
on_messages (GListModel *list, guint position, guint removed, guint added,
             GuiConsoleWindow *self)
{
    gboolean is_severe = FALSE;

    for (guint i = position; i < position + added; i++) {
        g_autoptr (SessionMessage) message = g_list_model_get_item (list, i);
        const JobEvent *event = session_message_get_event (message);
        guint severity = session_message_get_severity (message);

        if (event != NULL) {
            g_ptr_array_add (self->severe, job_event_dup (event));
            is_severe = TRUE;
        } else if (severity > 0) {
            show_info (self, severity, session_message_get_shown (message), NULL, NULL);
        }
    }
    if (is_severe) {
        show_severe (self);
    }
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

/* Ranks cannot go on: a sentence for each independent fault, and what would free the gravest. */
static void
on_verdict (Session *session, const AnalysisVerdict *verdict, GuiConsoleWindow *self)
{
    g_autoptr (GString) text = g_string_new (verdict->text->shown);
    g_autoptr (JobRankSet) culprits = job_rank_set_dup (verdict->culprits);

    for (const AnalysisVerdict *one = verdict->next; one != NULL; one = one->next) {
        if (one->kind < ANALYSIS_VERDICT_COMPUTING) {
            g_string_append_printf (text, "\n%s", one->text->shown);
            job_rank_set_merge (culprits, one->culprits);
        }
    }
    show_info (self, 1, text->str, job_rank_set_is_empty (culprits) ? NULL : culprits, verdict);
}

static void
on_info_do (GuiConsoleWindow *self)
{
    if (self->offer != NULL) {
        gui_command_panel_suggest (self->panel, self->offer);
    }
    gtk_info_bar_set_revealed (GTK_INFO_BAR (self->info_bar), FALSE);
}

void
gui_console_info_connect (GuiConsoleWindow *self)
{
    self->severe = g_ptr_array_new_with_free_func ((GDestroyNotify) job_event_free);
    g_signal_connect_swapped (self->info_bar, "response", G_CALLBACK (on_info_response), self);
    g_signal_connect_swapped (self->info_open, "clicked", G_CALLBACK (on_info_open), self);
    g_signal_connect_swapped (self->info_do, "clicked", G_CALLBACK (on_info_do), self);
    g_signal_connect (self->session, "verdict", G_CALLBACK (on_verdict), self);
    g_signal_connect_object (session_get_message_list (self->session), "items-changed",
                             G_CALLBACK (on_messages), self, 0);
}

void
gui_console_info_clear (GuiConsoleWindow *self)
{
    g_clear_pointer (&self->bad, job_rank_set_free);
    g_clear_pointer (&self->offer, g_free);
    g_clear_pointer (&self->severe, g_ptr_array_unref);
    if (self->session != NULL) {
        g_signal_handlers_disconnect_by_data (session_get_message_list (self->session), self);
    }
}
