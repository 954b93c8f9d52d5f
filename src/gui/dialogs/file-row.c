/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Puts the chosen file into the entry. */
#include "gui/dialogs/file-row.h"
#include <string.h>
#include "gui/kit/chooser.h"
#include "gui/kit/template.h"
#include "gui/kit/theme.h"

struct _GuiFileRow {
    GtkBox parent;
    char *title, *folder;
    gboolean is_folder;
    GtkWidget *entry, *button, *image;
};

G_DEFINE_TYPE (GuiFileRow, gui_file_row, GTK_TYPE_BOX)

/* The title without its mnemonic. Caller owns. */
static char *
dup_name (GuiFileRow *self)
{
    char *name = g_strdup (self->title), *mark = strchr (name, '_');

    if (mark != NULL) {
        memmove (mark, mark + 1, strlen (mark));
    }
    return name;
}

static void
on_chosen (GtkWidget *entry, const char *file, GtkFileChooserNative *chooser)
{
    gtk_entry_set_text (GTK_ENTRY (entry), file);
}

static void
on_choose (GuiFileRow *self)
{
    g_autofree char *name = dup_name (self);
    const char *folder = self->is_folder ? gtk_entry_get_text (GTK_ENTRY (self->entry))
                                         : self->folder;
    g_autofree char *start = g_canonicalize_filename (folder != NULL ? folder : "", NULL);
    GtkFileChooserNative *chooser
        = gtk_file_chooser_native_new (name,
                                       GTK_WINDOW (gtk_widget_get_toplevel (GTK_WIDGET (self))),
                                       self->is_folder ? GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER
                                                       : GTK_FILE_CHOOSER_ACTION_OPEN,
                                       NULL, NULL);

    gtk_file_chooser_set_current_folder (GTK_FILE_CHOOSER (chooser), start);
    gui_chooser_show (chooser, self->entry, on_chosen);
}

static void
gui_file_row_constructed (GObject *object)
{
    GuiFileRow *self = GUI_FILE_ROW (object);
    g_autofree char *name = dup_name (self);

    G_OBJECT_CLASS (gui_file_row_parent_class)->constructed (object);
    gui_theme_name (self->entry, NULL, name);
    gui_theme_name (self->button, NULL, name);
    gtk_image_set_from_icon_name (GTK_IMAGE (self->image),
                                  self->is_folder ? "folder-open-symbolic"
                                                  : "document-open-symbolic",
                                  GTK_ICON_SIZE_BUTTON);
}

static void
gui_file_row_class_init (GuiFileRowClass *klass)
{
    GtkWidgetClass *widget = GTK_WIDGET_CLASS (klass);

    G_OBJECT_CLASS (klass)->constructed = gui_file_row_constructed;
    G_OBJECT_CLASS (klass)->dispose = gui_properties_dispose;
    GUI_PROPERTIES (klass, GuiFileRow, (title, G_TYPE_STRING, .flags = G_PARAM_CONSTRUCT_ONLY),
                    (is_folder, G_TYPE_BOOLEAN, .flags = G_PARAM_CONSTRUCT_ONLY),
                    (folder, G_TYPE_STRING));
    GUI_TEMPLATE (klass, "file-row.ui");
    gtk_widget_class_bind_template_child_internal (widget, GuiFileRow, entry);
    gtk_widget_class_bind_template_child_internal (widget, GuiFileRow, button);
    GUI_CHILDREN (klass, GuiFileRow, image);
    GUI_CALLBACKS (klass, on_choose);
}

static void
gui_file_row_init (GuiFileRow *self)
{
    gtk_widget_init_template (GTK_WIDGET (self));
}
