/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gui/console/closing-dialog.h"
#include <glib/gi18n.h>
#include "gui/kit/template.h"
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
    gtk_dialog_set_default_response (GTK_DIALOG (object), GTK_RESPONSE_CANCEL);
    gui_theme_name (GTK_WIDGET (object), "closing", _ ("Close the session"));
}

static void
gui_closing_dialog_class_init (GuiClosingDialogClass *klass)
{
    G_OBJECT_CLASS (klass)->constructed = gui_closing_dialog_constructed;
    GUI_TEMPLATE (klass, "closing-dialog.ui");
}

static void
gui_closing_dialog_init (GuiClosingDialog *self)
{
    gtk_widget_init_template (GTK_WIDGET (self));
}

/* What the ranks do, of which something would be lost. Caller owns. */
static char *
describe (Session *session)
{
    g_autoptr (JobRankSet) stopped = session_dup_ranks_in_state (session, JOB_STATE_STOPPED);
    g_autoptr (JobRankSet) running = session_dup_ranks_in_state (session, JOB_STATE_RUNNING);
    guint n_stopped = (guint) job_rank_set_get_count (stopped);
    guint n_running = (guint) job_rank_set_get_count (running);

    if (n_stopped > 0 && n_running > 0) {
        return g_strdup_printf (_ ("%u ranks are running, %u are stopped"), n_running,
                                n_stopped);
    }
    return n_stopped > 0 ? g_strdup_printf (ngettext ("%u rank is stopped",
                                                      "%u ranks are stopped", n_stopped),
                                            n_stopped)
                         : g_strdup_printf (ngettext ("%u rank is running",
                                                      "%u ranks are running", n_running),
                                            n_running);
}

GtkWidget *
gui_closing_dialog_new (GtkWindow *parent, Session *session)
{
    g_autofree char *text = describe (session);

    return g_object_new (GUI_TYPE_CLOSING_DIALOG, "transient-for", parent, "message-type",
                         GTK_MESSAGE_QUESTION, "text", text, NULL);
}
