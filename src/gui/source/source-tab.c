/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gui/source/source-tab.h"
#include <glib/gi18n.h>
#include "gui/kit/template.h"
#include "gui/kit/theme.h"

struct _GuiSourceTab {
    GtkBox parent;
    char *file;
    GtkWidget *label, *close;
};

G_DEFINE_TYPE (GuiSourceTab, gui_source_tab, GTK_TYPE_BOX)

static guint closed_signal;

static void
on_close (GuiSourceTab *self)
{
    g_signal_emit (self, closed_signal, 0);
}

static void
gui_source_tab_constructed (GObject *object)
{
    GuiSourceTab *self = GUI_SOURCE_TAB (object);
    g_autofree char *name = g_path_get_basename (self->file);

    gtk_label_set_text (GTK_LABEL (self->label), name);
    G_OBJECT_CLASS (gui_source_tab_parent_class)->constructed (object);
}

static void
gui_source_tab_class_init (GuiSourceTabClass *klass)
{
    G_OBJECT_CLASS (klass)->constructed = gui_source_tab_constructed;
    G_OBJECT_CLASS (klass)->dispose = gui_properties_dispose;
    GUI_PROPERTIES (klass, GuiSourceTab,
                    (file, G_TYPE_STRING, .flags = G_PARAM_CONSTRUCT_ONLY));
    closed_signal = GUI_SIGNAL (klass, "closed");
    GUI_TEMPLATE (klass, "source-tab.ui");
    GUI_CHILDREN (klass, GuiSourceTab, label, close);
    GUI_CALLBACKS (klass, on_close);
}

static void
gui_source_tab_init (GuiSourceTab *self)
{
    gtk_widget_init_template (GTK_WIDGET (self));
    gui_theme_name (self->close, "close-source", _ ("Close"));
}

GtkWidget *
gui_source_tab_new (const char *file)
{
    return g_object_new (GUI_TYPE_SOURCE_TAB, "file", file, NULL);
}
