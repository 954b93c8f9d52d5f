/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Asks once what becomes of a running job when its window is closed. */
#include "gui/console/console-window-private.h"
#include <glib/gi18n.h>
#include "gui/kit/theme.h"

enum { LET_RUN = 1, END = 2 };

static void
on_response (GtkDialog *dialog, int response, GuiConsoleWindow *self)
{
    self->closing = NULL;
    gtk_widget_destroy (GTK_WIDGET (dialog));
    if (response == LET_RUN || response == END) {
        session_set_keep (self->session, response == LET_RUN);
        self->may_close = TRUE;
        gtk_window_close (GTK_WINDOW (self));
    }
}

static GtkWidget *
new_question (GuiConsoleWindow *self)
{
    GtkWidget *dialog = gtk_message_dialog_new (GTK_WINDOW (self),
                                                GTK_DIALOG_MODAL
                                                    | GTK_DIALOG_DESTROY_WITH_PARENT,
                                                GTK_MESSAGE_QUESTION, GTK_BUTTONS_NONE, "%s",
                                                _ ("The job is still running"));
    GtkWidget *end;

    gtk_message_dialog_format_secondary_text (
        GTK_MESSAGE_DIALOG (dialog), "%s",
        _ ("End it with all its ranks, or let it run on without pddt?"));
    gtk_dialog_add_button (GTK_DIALOG (dialog), _ ("_Cancel"), GTK_RESPONSE_CANCEL);
    gtk_dialog_add_button (GTK_DIALOG (dialog), _ ("_Let It Run"), LET_RUN);
    end = gtk_dialog_add_button (GTK_DIALOG (dialog), _ ("_End It"), END);
    gtk_style_context_add_class (gtk_widget_get_style_context (end),
                                 GTK_STYLE_CLASS_DESTRUCTIVE_ACTION);
    gtk_dialog_set_default_response (GTK_DIALOG (dialog), END);
    gtk_window_set_title (GTK_WINDOW (dialog), _ ("Close the session"));
    gui_theme_name (dialog, "closing", _ ("Close the session"));
    g_signal_connect (dialog, "response", G_CALLBACK (on_response), self);
    return dialog;
}

gboolean
gui_console_closing_ask (GuiConsoleWindow *self)
{
    if (self->may_close || !session_would_kill (self->session)) {
        return FALSE;
    }
    if (self->closing == NULL) {
        self->closing = new_question (self);
    }
    gtk_window_present (GTK_WINDOW (self->closing));
    return TRUE;
}
