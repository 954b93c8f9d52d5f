/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The reason stands where the text would, not in it: nothing there has a line that could take a
 * breakpoint. */
#include "gui/source/source-page.h"
#include <glib/gi18n.h>
#include "gui/kit/template.h"
#include "gui/kit/theme.h"

struct _GuiSourcePage {
    GtkBox parent;
    GtkWidget *view; /* in text */
    gboolean can_locate;
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
enter_view (gpointer user)
{
    GuiSourcePage *self = user;

    gtk_container_add (GTK_CONTAINER (self->text), self->view);
    gtk_widget_show (self->view);
}

static void
gui_source_page_class_init (GuiSourcePageClass *klass)
{
    G_OBJECT_CLASS (klass)->dispose = gui_properties_dispose;
    GUI_PROPERTIES (klass, GuiSourcePage,
                    (view, GTK_TYPE_WIDGET, .enter = enter_view,
                     .flags = G_PARAM_CONSTRUCT_ONLY),
                    (can_locate, G_TYPE_BOOLEAN, .flags = G_PARAM_CONSTRUCT_ONLY));
    locate_signal = GUI_SIGNAL (klass, "locate");
    GUI_TEMPLATE (klass, "source-page.ui");
    GUI_CHILDREN (klass, GuiSourcePage, note, stack, text, missing, reason, locate);
    GUI_CALLBACKS (klass, on_locate);
}

static void
gui_source_page_init (GuiSourcePage *self)
{
    gtk_widget_init_template (GTK_WIDGET (self));
    gui_theme_name (self->note, "source-note", NULL);
    gui_theme_name (self->reason, "source-missing", NULL);
    gui_theme_name (self->locate, "locate-source", NULL);
}

static const char *
get_note (GuiSourceEncoding encoding)
{
    switch (encoding) {
    case GUI_SOURCE_LATIN_1:
        return _ ("This file is not UTF-8. It is shown as Latin-1 (ISO 8859-1).");
    case GUI_SOURCE_WINDOWS: return _ ("This file is not UTF-8. It is shown as Windows-1252.");
    case GUI_SOURCE_DAMAGED:
        return _ ("Some bytes of this file are not text. They are shown as �.");
    default: return NULL;
    }
}

void
gui_source_page_show_text (GuiSourcePage *self, const char *file, GuiSourceEncoding encoding,
                           gboolean is_newer)
{
    const char *note = get_note (encoding);
    g_autofree char *base = g_path_get_basename (file);
    g_autoptr (GString) text = g_string_new (NULL);

    if (is_newer) {
        g_string_printf (text,
                         _ ("%s has changed since the job was started: what runs may not be "
                            "these lines"),
                         base);
    }
    if (note != NULL) {
        g_string_append_printf (text, "%s%s", is_newer ? "\n" : "", note);
    }
    gtk_label_set_text (GTK_LABEL (self->note), text->str);
    gtk_widget_set_visible (self->note, text->len > 0);
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
    return g_object_new (GUI_TYPE_SOURCE_PAGE, "view", view, "can-locate", can_locate, NULL);
}
