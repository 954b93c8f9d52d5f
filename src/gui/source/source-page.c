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
on_locate (GuiSourcePage *self)
{
    g_signal_emit (self, locate_signal, 0);
}

static void
gui_source_page_class_init (GuiSourcePageClass *klass)
{
    GtkWidgetClass *widget = GTK_WIDGET_CLASS (klass);

    locate_signal = g_signal_new ("locate", GUI_TYPE_SOURCE_PAGE, G_SIGNAL_RUN_LAST, 0, NULL,
                                  NULL, NULL, G_TYPE_NONE, 0);
    gtk_widget_class_set_template_from_resource (widget, "/org/pddt/Pddt/source-page.ui");
    gtk_widget_class_bind_template_child (widget, GuiSourcePage, note);
    gtk_widget_class_bind_template_child (widget, GuiSourcePage, stack);
    gtk_widget_class_bind_template_child (widget, GuiSourcePage, text);
    gtk_widget_class_bind_template_child (widget, GuiSourcePage, missing);
    gtk_widget_class_bind_template_child (widget, GuiSourcePage, reason);
    gtk_widget_class_bind_template_child (widget, GuiSourcePage, locate);
    gtk_widget_class_bind_template_callback (widget, on_locate);
}

static void
gui_source_page_init (GuiSourcePage *self)
{
    gtk_widget_init_template (GTK_WIDGET (self));
    gui_theme_name (self->note, "source-note", NULL);
    gui_theme_name (self->reason, "source-missing", NULL);
    gui_theme_name (self->locate, "locate-source", NULL);
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
    gboolean is_file = name[0] != '<' || !g_str_has_suffix (name, ">");
    g_autofree char *head = g_strdup_printf (_ ("Cannot show %s"), name);
    g_autofree char *text
        = g_strdup_printf ("%s\n%s", head,
                           is_file ? reason
                                   : _ ("It is not a file: Python was given this code by -c, "
                                        "exec or eval"));

    if (!is_file) {
        gtk_widget_hide (self->locate);
    }
    gtk_widget_hide (self->note);
    gtk_label_set_text (GTK_LABEL (self->reason), text);
    gtk_stack_set_visible_child (GTK_STACK (self->stack), self->missing);
}

GtkWidget *
gui_source_page_new (GtkWidget *view, gboolean can_locate)
{
    GuiSourcePage *self = g_object_new (GUI_TYPE_SOURCE_PAGE, NULL);

    gtk_container_add (GTK_CONTAINER (self->text), view);
    gtk_widget_show (view);
    gtk_widget_set_visible (self->locate, can_locate);
    return GTK_WIDGET (self);
}
