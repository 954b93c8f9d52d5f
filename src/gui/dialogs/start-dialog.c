/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gui/dialogs/start-dialog.h"
#include "gui/kit/template.h"

typedef struct {
    GCancellable *reading; /* NULL: not yet */
} GuiStartDialogPrivate;

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE (GuiStartDialog, gui_start_dialog, GTK_TYPE_WINDOW)

static guint start_signal;

void
gui_start_dialog_start (GuiStartDialog *self, const SessionOptions *options)
{
    g_signal_emit (self, start_signal, 0, options);
}

static void
stop_reading (GuiStartDialog *self)
{
    GuiStartDialogPrivate *own = gui_start_dialog_get_instance_private (self);

    g_cancellable_cancel (own->reading);
    g_clear_object (&own->reading);
}

GCancellable *
gui_start_dialog_begin_reading (GuiStartDialog *self)
{
    GuiStartDialogPrivate *own = gui_start_dialog_get_instance_private (self);

    stop_reading (self);
    own->reading = g_cancellable_new ();
    return own->reading;
}

/* Before the widget that has the focus uses the key. */
static gboolean
gui_start_dialog_key_press_event (GtkWidget *widget, GdkEventKey *event)
{
    if (event->keyval == GDK_KEY_Escape) {
        gtk_window_close (GTK_WINDOW (widget));
        return TRUE;
    }
    return GTK_WIDGET_CLASS (gui_start_dialog_parent_class)->key_press_event (widget, event);
}

GUI_FINALIZE (gui_start_dialog, GuiStartDialog, stop_reading (self))

static void
gui_start_dialog_class_init (GuiStartDialogClass *klass)
{
    G_OBJECT_CLASS (klass)->finalize = gui_start_dialog_finalize;
    GTK_WIDGET_CLASS (klass)->key_press_event = gui_start_dialog_key_press_event;
    start_signal = GUI_SIGNAL (klass, "start", G_TYPE_POINTER);
}

static void
gui_start_dialog_init (GuiStartDialog *self)
{
    GtkWindow *window = GTK_WINDOW (self);

    gtk_window_set_type_hint (window, GDK_WINDOW_TYPE_HINT_DIALOG);
    gtk_window_set_position (window, GTK_WIN_POS_CENTER_ON_PARENT);
    gtk_window_set_destroy_with_parent (window, TRUE);
}
