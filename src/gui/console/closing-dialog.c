/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gui/console/closing-dialog.h"
#include <glib/gi18n.h>
#include "gui/kit/theme.h"

struct _GuiClosingDialog {
    GtkMessageDialog parent;
};

G_DEFINE_TYPE (GuiClosingDialog, gui_closing_dialog, GTK_TYPE_MESSAGE_DIALOG)

static void
gui_closing_dialog_class_init (GuiClosingDialogClass *klass)
{
    gtk_widget_class_set_template_from_resource (GTK_WIDGET_CLASS (klass),
                                                 "/org/pddt/Pddt/closing-dialog.ui");
}

static void
gui_closing_dialog_init (GuiClosingDialog *self)
{
    gtk_widget_init_template (GTK_WIDGET (self));
    gtk_dialog_set_default_response (GTK_DIALOG (self), GUI_CLOSING_END);
    gui_theme_name (GTK_WIDGET (self), "closing", _ ("Close the session"));
}

GtkWidget *
gui_closing_dialog_new (GtkWindow *parent)
{
    return g_object_new (GUI_TYPE_CLOSING_DIALOG, "transient-for", parent, "message-type",
                         GTK_MESSAGE_QUESTION, NULL);
}
