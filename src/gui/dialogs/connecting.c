/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gui/dialogs/connecting.h"
#include <glib/gi18n.h>
#include <gtk/gtk.h>
#include "gui/kit/theme.h"

enum { SHOWN_MS = 1000, LONG_MS = 20000 };

static GtkWidget *dialog; /* NULL: none is shown */

static void
on_response (gboolean *is_cancelled)
{
    *is_cancelled = TRUE;
}

static void
show (const char *text, gboolean *is_cancelled)
{
    dialog = gtk_message_dialog_new (NULL, 0, GTK_MESSAGE_INFO, GTK_BUTTONS_CANCEL, "%s", text);
    gtk_window_set_title (GTK_WINDOW (dialog), "pddt");
    gtk_window_set_focus_on_map (GTK_WINDOW (dialog), FALSE); /* ssh may ask meanwhile */
    gui_theme_name (dialog, "connecting", NULL);
    g_signal_connect_swapped (dialog, "response", G_CALLBACK (on_response), is_cancelled);
    gtk_widget_show (dialog);
}

/* FALSE: cancelled. */
static gboolean
wait_for (const char *text, guint waited_ms)
{
    static gboolean is_cancelled;

    if (dialog == NULL && waited_ms > SHOWN_MS) {
        show (text, &is_cancelled);
    }
    while (gtk_events_pending ()) {
        gtk_main_iteration_do (FALSE);
    }
    return !is_cancelled;
}

gboolean
gui_connecting_wait (const char *host, guint waited_ms)
{
    /* Translators: a host. */
    g_autofree char *text = g_strdup_printf (_ ("Connecting to %s…"), host);

    if (dialog != NULL && waited_ms > LONG_MS) {
        gtk_message_dialog_format_secondary_text (
            GTK_MESSAGE_DIALOG (dialog),
            /* Translators: a host. */
            _ ("pddt there has not answered yet. In a terminal, ssh %s shows what a login needs."),
            host);
    }
    return wait_for (text, waited_ms);
}

gboolean
gui_connecting_wait_archive (const char *host, guint waited_ms)
{
    /* Translators: a host. */
    g_autofree char *text = g_strdup_printf (_ ("Bringing the archive from %s…"), host);

    return wait_for (text, waited_ms);
}

void
gui_connecting_end (void)
{
    g_clear_pointer (&dialog, gtk_widget_destroy);
}
