/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The reason stands where the text would, not in it: nothing there has a line that could take a
 * breakpoint. */
#include "gui/source/source-page.h"
#include <glib/gi18n.h>
#include "gui/kit/theme.h"

struct _GuiSourcePage {
    GtkBox parent;
    GtkWidget *note, *stack, *text, *missing, *reason, *locate;
};

G_DEFINE_TYPE (GuiSourcePage, gui_source_page, GTK_TYPE_BOX)

static guint locate_signal;

static void
gui_source_page_class_init (GuiSourcePageClass *klass)
{
    locate_signal = g_signal_new ("locate", GUI_TYPE_SOURCE_PAGE, G_SIGNAL_RUN_LAST, 0, NULL,
                                  NULL, NULL, G_TYPE_NONE, 0);
}

static void
on_locate (GuiSourcePage *self)
{
    g_signal_emit (self, locate_signal, 0);
}

static GtkWidget *
new_label (const char *id)
{
    GtkWidget *label = gtk_label_new (NULL);

    gtk_label_set_line_wrap (GTK_LABEL (label), TRUE);
    gtk_label_set_line_wrap_mode (GTK_LABEL (label), PANGO_WRAP_WORD_CHAR);
    gtk_label_set_selectable (GTK_LABEL (label), TRUE);
    gui_theme_name (label, id, NULL);
    return label;
}

static void
build_missing (GuiSourcePage *self, gboolean can_locate)
{
    self->missing = gtk_box_new (GTK_ORIENTATION_VERTICAL, 12);
    self->reason = new_label ("source-missing");
    gtk_label_set_justify (GTK_LABEL (self->reason), GTK_JUSTIFY_CENTER);
    gtk_container_add (GTK_CONTAINER (self->missing), self->reason);
    if (can_locate) {
        self->locate = gtk_button_new_with_label (_ ("Locate Source…"));
        gtk_widget_set_halign (self->locate, GTK_ALIGN_CENTER);
        gtk_widget_set_tooltip_text (self->locate,
                                     _ ("Say where this file is; others that have moved with "
                                        "it are found, too"));
        gui_theme_name (self->locate, "locate-source", NULL);
        g_signal_connect_swapped (self->locate, "clicked", G_CALLBACK (on_locate), self);
        gtk_container_add (GTK_CONTAINER (self->missing), self->locate);
    }
    gtk_widget_set_valign (self->missing, GTK_ALIGN_CENTER);
    gtk_container_set_border_width (GTK_CONTAINER (self->missing), 24);
}

static void
gui_source_page_init (GuiSourcePage *self)
{
    gtk_orientable_set_orientation (GTK_ORIENTABLE (self), GTK_ORIENTATION_VERTICAL);
    self->note = new_label ("source-note");
    gtk_label_set_xalign (GTK_LABEL (self->note), 0);
    gtk_style_context_add_class (gtk_widget_get_style_context (self->note), "pddt-note");
    self->stack = gtk_stack_new ();
    self->text = gtk_scrolled_window_new (NULL, NULL);
    gtk_container_add (GTK_CONTAINER (self->stack), self->text);
    gtk_box_pack_start (GTK_BOX (self), self->note, FALSE, FALSE, 0);
    gtk_box_pack_start (GTK_BOX (self), self->stack, TRUE, TRUE, 0);
}

void
gui_source_page_show_text (GuiSourcePage *self, const char *note)
{
    gtk_label_set_text (GTK_LABEL (self->note), note != NULL ? note : "");
    gtk_widget_set_visible (self->note, note != NULL);
    gtk_stack_set_visible_child (GTK_STACK (self->stack), self->text);
}

void
gui_source_page_show_missing (GuiSourcePage *self, const char *file, const char *reason)
{
    g_autofree char *name = g_path_get_basename (file);
    g_autofree char *head = g_strdup_printf (_ ("Cannot show %s"), name);
    g_autofree char *text = g_strdup_printf ("%s\n%s", head, reason);

    gtk_widget_hide (self->note);
    gtk_label_set_text (GTK_LABEL (self->reason), text);
    gtk_stack_set_visible_child (GTK_STACK (self->stack), self->missing);
}

GtkWidget *
gui_source_page_new (GtkWidget *view, gboolean can_locate)
{
    GuiSourcePage *self = g_object_new (GUI_TYPE_SOURCE_PAGE, NULL);

    gtk_container_add (GTK_CONTAINER (self->text), view);
    build_missing (self, can_locate);
    gtk_container_add (GTK_CONTAINER (self->stack), self->missing);
    gtk_widget_show_all (GTK_WIDGET (self));
    gtk_widget_hide (self->note);
    gtk_widget_set_no_show_all (self->note, TRUE);
    return GTK_WIDGET (self);
}
