/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gui/dialogs/living-dialog.h"
#include <glib/gi18n.h>
#include "gui/kit/template.h"
#include "gui/kit/theme.h"
#include "base/array.h"

enum { RESPONSE_ANOTHER = 1, RESPONSE_TAKE = 2 };

struct _GuiLivingDialog {
    GtkDialog parent;
    GtkWidget *what, *which, *take, *another;
};

G_DEFINE_TYPE (GuiLivingDialog, gui_living_dialog, GTK_TYPE_DIALOG)

static guint
get_index (GuiLivingDialog *self)
{
    return (guint) MAX (gtk_combo_box_get_active (GTK_COMBO_BOX (self->which)), 0);
}

/* Each entry's id is what is said of it. */
static void
on_which (GuiLivingDialog *self)
{
    gtk_label_set_text (GTK_LABEL (self->what),
                        gtk_combo_box_get_active_id (GTK_COMBO_BOX (self->which)));
}

static char *
describe (const SessionLiving *one, const char *host)
{
    g_autoptr (GDateTime) since = g_date_time_new_from_unix_local (one->since_us
                                                                   / G_USEC_PER_SEC);
    g_autofree char *when = since != NULL ? g_date_time_format (since, "%H:%M")
                                          : g_strdup ("?");

    /* Translators: a host, who ("me on laptop"), and a command line. */
    return one->is_held
               ? g_strdup_printf (_ ("A session on %s is in the hands of %s:\n%s\nTaking it "
                                     "over takes it away from there."),
                                  host, one->who, one->command)
               /* Translators: a host, a time of day, who ("me on laptop") and a command line. */
               : g_strdup_printf (
                   _ ("A session of yours lives on %s, without a window since %s "
                      "(before: %s):\n%s"),
                   host, when, one->who, one->command);
}

static void
gui_living_dialog_class_init (GuiLivingDialogClass *klass)
{
    GUI_TEMPLATE (klass, "living-dialog.ui");
    GUI_CHILDREN (klass, GuiLivingDialog, what, which, take, another);
    GUI_CALLBACKS (klass, on_which);
}

static void
gui_living_dialog_init (GuiLivingDialog *self)
{
    gtk_widget_init_template (GTK_WIDGET (self));
    gui_theme_name (GTK_WIDGET (self), "living", _ ("A session lives there"));
    gui_theme_name (self->what, "living-session", NULL);
    gui_theme_name (self->which, "living-which", _ ("Which session"));
}

GtkWidget *
gui_living_dialog_new (const GPtrArray *living, const char *host)
{
    GuiLivingDialog *self = g_object_new (GUI_TYPE_LIVING_DIALOG, NULL);

    BASE_EACH (living, const SessionLiving, one) {
        g_autofree char *text = describe (one, host);

        gtk_combo_box_text_append (GTK_COMBO_BOX_TEXT (self->which), text, one->command);
        gtk_widget_set_visible (self->another, !one->is_named);
    }
    gtk_combo_box_set_active (GTK_COMBO_BOX (self->which), 0);
    gtk_widget_set_visible (self->which, living->len > 1);
    gtk_widget_grab_focus (self->take);
    return GTK_WIDGET (self);
}

SessionLivingChoice
gui_living_dialog_choose (const GPtrArray *living, const char *host, guint *ret_index,
                          gpointer unused)
{
    GtkWidget *dialog = gui_living_dialog_new (living, host);
    int response = gtk_dialog_run (GTK_DIALOG (dialog));

    *ret_index = get_index (GUI_LIVING_DIALOG (dialog));
    gtk_widget_destroy (dialog);
    return response == RESPONSE_TAKE      ? SESSION_LIVING_TAKE
           : response == RESPONSE_ANOTHER ? SESSION_LIVING_NEW
                                          : SESSION_LIVING_LEAVE;
}
