/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gui/console/closing-dialog.h"
#include <glib/gi18n.h>
#include "gui/kit/theme.h"

struct _GuiClosingDialog {
    GtkMessageDialog parent;
};

G_DEFINE_TYPE (GuiClosingDialog, gui_closing_dialog, GTK_TYPE_MESSAGE_DIALOG)

/* A message dialog names itself by its type while it is constructed. */
static void
gui_closing_dialog_constructed (GObject *object)
{
    G_OBJECT_CLASS (gui_closing_dialog_parent_class)->constructed (object);
    gtk_dialog_set_default_response (GTK_DIALOG (object), GUI_CLOSING_END);
    gui_theme_name (GTK_WIDGET (object), "closing", _ ("Close the session"));
}

static void
gui_closing_dialog_class_init (GuiClosingDialogClass *klass)
{
    G_OBJECT_CLASS (klass)->constructed = gui_closing_dialog_constructed;
    gtk_widget_class_set_template_from_resource (GTK_WIDGET_CLASS (klass),
                                                 "/org/pddt/Pddt/closing-dialog.ui");
}

static void
gui_closing_dialog_init (GuiClosingDialog *self)
{
    gtk_widget_init_template (GTK_WIDGET (self));
}

GtkWidget *
gui_closing_dialog_new (GtkWindow *parent)
{
    return g_object_new (GUI_TYPE_CLOSING_DIALOG, "transient-for", parent, "message-type",
                         GTK_MESSAGE_QUESTION, NULL);
}
