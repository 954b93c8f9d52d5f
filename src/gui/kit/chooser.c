/* SPDX-License-Identifier: GPL-3.0-or-later */
/* GTK keeps a native chooser open when its parent window is destroyed; this closes it. */
#include "gui/kit/chooser.h"

#define CHOSEN_KEY "pddt-chosen"
/* Callbacks of GTK's own, which fill the list of a folder, may come after the widgets have been destroyed. */
#define SETTLED_S 2

typedef struct {
    GuiChosen chosen;
    GtkWidget *owner;
} Choice;

static gboolean
destroy (gpointer user)
{
    gtk_native_dialog_destroy (user);
    g_object_unref (user);
    return G_SOURCE_REMOVE;
}

static void
on_owner_gone (GtkWidget *owner, GtkFileChooserNative *chooser)
{
    g_signal_handlers_disconnect_by_func (owner, on_owner_gone, chooser);
    gtk_native_dialog_hide (GTK_NATIVE_DIALOG (chooser));
    g_timeout_add_seconds (SETTLED_S, destroy, chooser);
}

static void
on_response (GtkFileChooserNative *chooser, int response, gpointer user)
{
    Choice *choice = g_object_get_data (G_OBJECT (chooser), CHOSEN_KEY);
    g_autofree char *file = gtk_file_chooser_get_filename (GTK_FILE_CHOOSER (chooser));

    /* The callback may destroy the owner: from here on only this file owns the chooser. */
    g_signal_handlers_disconnect_by_func (choice->owner, on_owner_gone, chooser);
    if (response == GTK_RESPONSE_ACCEPT && file != NULL) {
        choice->chosen (choice->owner, file, chooser);
    }
    g_timeout_add_seconds (SETTLED_S, destroy, chooser);
}

void
gui_chooser_show (GtkFileChooserNative *chooser, GtkWidget *owner, GuiChosen chosen)
{
    Choice *choice = g_new (Choice, 1);

    *choice = (Choice){ chosen, owner };
    g_object_set_data_full (G_OBJECT (chooser), CHOSEN_KEY, choice, g_free);
    g_signal_connect (chooser, "response", G_CALLBACK (on_response), NULL);
    g_signal_connect (owner, "destroy", G_CALLBACK (on_owner_gone), chooser);
    gtk_native_dialog_show (GTK_NATIVE_DIALOG (chooser));
}
