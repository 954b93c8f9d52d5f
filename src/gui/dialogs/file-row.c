/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Puts the chosen file into the entry. */
#include "gui/dialogs/file-row.h"
#include <string.h>
#include "gui/kit/chooser.h"
#include "gui/kit/theme.h"

static void
on_chosen (GtkWidget *entry, const char *file, GtkFileChooserNative *chooser)
{
    gtk_entry_set_text (GTK_ENTRY (entry), file);
}

/* The folder that the entry has, or else where pddt was started. Caller owns. */
static char *
dup_folder (GtkWidget *entry, GuiFileRowKind kind)
{
    const char *text = gtk_entry_get_text (GTK_ENTRY (entry));

    return kind == GUI_FILE_ROW_FOLDER && *text != '\0' ? g_canonicalize_filename (text, NULL)
                                                        : g_get_current_dir ();
}

void
gui_file_row_choose (GtkWidget *entry, GuiFileRowKind kind, const char *title,
                     const char *folder)
{
    GtkFileChooserNative *chooser
        = gtk_file_chooser_native_new (title, GTK_WINDOW (gtk_widget_get_toplevel (entry)),
                                       kind == GUI_FILE_ROW_FOLDER
                                           ? GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER
                                           : GTK_FILE_CHOOSER_ACTION_OPEN,
                                       NULL, NULL);

    g_autofree char *there = folder != NULL && *folder != '\0' ? g_strdup (folder)
                                                               : dup_folder (entry, kind);

    gtk_file_chooser_set_current_folder (GTK_FILE_CHOOSER (chooser), there);
    gui_chooser_show (chooser, entry, on_chosen);
}

static void
on_choose (GtkWidget *button, GtkWidget *entry)
{
    GuiFileRowKind kind = GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (button), "kind"));

    gui_file_row_choose (entry, kind, g_object_get_data (G_OBJECT (button), "title"), NULL);
}

GtkWidget *
gui_file_row_add (GtkGrid *grid, int row, const char *label, const char *id,
                  GuiFileRowKind kind)
{
    GtkWidget *title = gtk_label_new_with_mnemonic (label), *entry = gtk_entry_new (), *button;
    g_autofree char *name = g_strdup (label);
    char *mark = strchr (name, '_');

    if (mark != NULL) {
        memmove (mark, mark + 1, strlen (mark));
    }
    gtk_label_set_xalign (GTK_LABEL (title), 1);
    gtk_label_set_mnemonic_widget (GTK_LABEL (title), entry);
    gtk_widget_set_hexpand (entry, TRUE);
    gui_theme_name (entry, id, name);
    gtk_grid_attach (grid, title, 0, row, 1, 1);
    gtk_grid_attach (grid, entry, 1, row, 1, 1);
    if (kind != GUI_FILE_ROW_TEXT) {
        button = gtk_button_new_from_icon_name (kind == GUI_FILE_ROW_FOLDER
                                                    ? "folder-open-symbolic"
                                                    : "document-open-symbolic",
                                                GTK_ICON_SIZE_BUTTON);
        gui_theme_name (button, NULL, name);
        g_object_set_data (G_OBJECT (button), "kind", GUINT_TO_POINTER (kind));
        g_object_set_data_full (G_OBJECT (button), "title", g_steal_pointer (&name), g_free);
        g_signal_connect_object (button, "clicked", G_CALLBACK (on_choose), entry, 0);
        gtk_grid_attach (grid, button, 2, row, 1, 1);
    }
    return entry;
}
