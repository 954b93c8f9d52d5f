/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gui/profile/profile-call-path.h"
#include <glib/gi18n.h>
#include "gui/profile/profile-call-paint.h"
#include "gui/kit/template.h"
#include "gui/kit/theme.h"

enum { MAX_SHOWN = 5, MAX_CHARS = 28 };

struct _GuiProfileCallPath {
    GtkBox parent;
};

G_DEFINE_TYPE (GuiProfileCallPath, gui_profile_call_path, GTK_TYPE_BOX)

static guint chosen_signal;

static void
on_clicked (GtkButton *button, GuiProfileCallPath *self)
{
    g_signal_emit (self, chosen_signal, 0,
                   GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (button), "pddt-context")));
}

static void
add_button (GuiProfileCallPath *self, const char *text, const char *about, guint32 context,
            gboolean is_last)
{
    GtkWidget *button = gtk_button_new_with_label (text);
    GtkWidget *label = gtk_bin_get_child (GTK_BIN (button));

    gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_MIDDLE);
    gtk_label_set_width_chars (GTK_LABEL (label), MIN (g_utf8_strlen (text, -1), MAX_CHARS));
    gtk_button_set_relief (GTK_BUTTON (button), GTK_RELIEF_NONE);
    gtk_widget_set_tooltip_text (button, about);
    gtk_widget_set_sensitive (button, !is_last);
    gui_theme_name (button, "call-path", about);
    g_object_set_data (G_OBJECT (button), "pddt-context", GUINT_TO_POINTER (context));
    g_signal_connect (button, "clicked", G_CALLBACK (on_clicked), self);
    gtk_container_add (GTK_CONTAINER (self), button);
    if (!is_last) {
        gtk_container_add (GTK_CONTAINER (self), gtk_label_new ("›"));
    }
}

static void
destroy_child (GtkWidget *child, gpointer user)
{
    gtk_widget_destroy (child);
}

void
gui_profile_call_path_show (GuiProfileCallPath *self, const ProfileCosts *costs,
                            const ProfileCallTree *tree, guint32 root)
{
    g_autoptr (GArray) path = g_array_new (FALSE, FALSE, sizeof (guint32));

    for (guint32 at = root; at != 0; at = profile_call_tree_get (tree, at)->parent) {
        g_array_prepend_val (path, at);
    }
    gtk_container_foreach (GTK_CONTAINER (self), destroy_child, NULL);
    add_button (self, _ ("All"), _ ("All calls"), 0, root == 0);
    for (guint i = 0; i < path->len; i++) {
        guint32 index = g_array_index (path, guint32, i);
        const ProfileCall *call = profile_call_tree_get (tree, index);
        g_autofree char *name = gui_profile_call_dup_name (costs, call->function);

        if (path->len > MAX_SHOWN && i + MAX_SHOWN == path->len) {
            add_button (self, "…", name, call->context, FALSE);
        } else if (path->len <= MAX_SHOWN || i + MAX_SHOWN > path->len) {
            add_button (self, name, name, call->context, index == root);
        }
    }
    gtk_widget_show_all (GTK_WIDGET (self));
}

static void
gui_profile_call_path_class_init (GuiProfileCallPathClass *klass)
{
    chosen_signal = GUI_SIGNAL (klass, "chosen", G_TYPE_UINT);
}

static void
gui_profile_call_path_init (GuiProfileCallPath *self)
{
}
