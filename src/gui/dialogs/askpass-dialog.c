/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gui/dialogs/askpass-dialog.h"
#include <glib/gi18n.h>
#include <stdio.h>
#include <string.h>
#include "base/escape.h"
#include "gui/kit/template.h"
#include "gui/kit/theme.h"

struct _GuiAskpassDialog {
    GtkDialog parent;
    GtkWidget *who, *question, *answering, *answer, *shown, *cancel, *no, *yes, *answer_it;
};

G_DEFINE_TYPE (GuiAskpassDialog, gui_askpass_dialog, GTK_TYPE_DIALOG)

static void
gui_askpass_dialog_class_init (GuiAskpassDialogClass *klass)
{
    GUI_TEMPLATE (klass, "askpass-dialog.ui");
    GUI_CHILDREN (klass, GuiAskpassDialog, who, question, answering, answer, shown, cancel, no,
                  yes, answer_it);
}

static void
gui_askpass_dialog_init (GuiAskpassDialog *self)
{
    gtk_widget_init_template (GTK_WIDGET (self));
    gui_theme_name (GTK_WIDGET (self), "askpass", _ ("ssh asks"));
    gui_theme_name (self->question, "question", NULL);
    gui_theme_name (self->answer, "answer", _ ("Answer"));
}

/* ssh's own question about a host's key ends so. */
static gboolean
wants_yes (const char *question)
{
    return strstr (question, "(yes/no") != NULL;
}

GtkWidget *
gui_askpass_dialog_new (const char *host, const char *question, const char *kind)
{
    GuiAskpassDialog *self = g_object_new (GUI_TYPE_ASKPASS_DIALOG, NULL);
    gboolean tells = g_strcmp0 (kind, "none") == 0;
    gboolean is_choice = g_strcmp0 (kind, "confirm") == 0 || (!tells && wants_yes (question));
    g_autofree char *valid = g_utf8_make_valid (question, -1);
    g_autofree char *clean = base_escape_dup (valid, BASE_ESCAPE_KEEP_LINES);
    g_autofree char *name = base_escape_dup (host, BASE_ESCAPE_NAME);
    /* Translators: a host. */
    g_autofree char *who = g_strdup_printf (_ ("To connect to %s, ssh asks:"), name);

    gtk_label_set_text (GTK_LABEL (self->who), who);
    gtk_label_set_text (GTK_LABEL (self->question), g_strstrip (clean));
    gtk_widget_set_visible (self->answering, !is_choice && !tells);
    gtk_widget_set_visible (self->answer_it, !is_choice && !tells);
    gtk_widget_set_visible (self->yes, is_choice);
    gtk_widget_set_visible (self->no, is_choice);
    gtk_widget_set_visible (self->cancel, !is_choice);
    gtk_widget_grab_focus (is_choice ? self->no : tells ? self->cancel : self->answer);
    return GTK_WIDGET (self);
}

int
gui_askpass_dialog_run (const char *host, const char *question, const char *kind)
{
    GtkWidget *dialog = gui_askpass_dialog_new (host, question, kind);
    int response;
    const char *answer;
    gboolean is_said;

    gtk_window_set_keep_above (GTK_WINDOW (dialog), TRUE); /* of the window that connects */
    response = gtk_dialog_run (GTK_DIALOG (dialog));
    answer = response == GTK_RESPONSE_YES  ? "yes"
             : response == GTK_RESPONSE_NO ? "no"
             : response == GTK_RESPONSE_OK
                 ? gtk_entry_get_text (GTK_ENTRY (GUI_ASKPASS_DIALOG (dialog)->answer))
                 : NULL;
    is_said = answer != NULL && printf ("%s\n", answer) > 0 && fflush (stdout) == 0;

    gtk_widget_destroy (dialog);
    return is_said && (response != GTK_RESPONSE_NO || wants_yes (question)) ? 0 : 1;
}
