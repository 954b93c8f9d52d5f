/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gui/profile/class-item.h"
#include <glib/gi18n.h>
#include "gui/kit/template.h"
#include "gui/kit/theme.h"

struct _GuiClassItem {
    GtkFlowBoxChild parent;
    guint class;
    gboolean active;
    GtkWidget *button, *label;
};

G_DEFINE_TYPE (GuiClassItem, gui_class_item, GTK_TYPE_FLOW_BOX_CHILD)

static gboolean
draw_swatch (GtkWidget *swatch, cairo_t *cr, GuiClassItem *self)
{
    int width = gtk_widget_get_allocated_width (swatch);
    int height = gtk_widget_get_allocated_height (swatch);
    GuiProfileColours colours;

    gui_profile_colours_fill (swatch, &colours);
    gui_profile_fill_class (cr, &colours, self->class, 0, 0, width, height);
    gui_profile_set_colour (cr, colours.foreground, 0.5);
    cairo_set_line_width (cr, 1);
    cairo_rectangle (cr, 0.5, 0.5, width - 1, height - 1);
    cairo_stroke (cr);
    return FALSE;
}

static void
gui_class_item_constructed (GObject *object)
{
    GuiClassItem *self = GUI_CLASS_ITEM (object);
    const char *title = gui_profile_colours_get_title (self->class);
    g_autofree char *id = g_strdup_printf ("class-%s", job_class_get_name (self->class));
    g_autofree char *tip = g_strdup_printf (_ ("Show only this class: %s"), title);

    G_OBJECT_CLASS (gui_class_item_parent_class)->constructed (object);
    gtk_label_set_text (GTK_LABEL (self->label), title);
    gtk_widget_set_tooltip_text (self->button, tip);
    gui_theme_name (self->button, id, title);
}

static void
gui_class_item_class_init (GuiClassItemClass *klass)
{
    G_OBJECT_CLASS (klass)->constructed = gui_class_item_constructed;
    GUI_PROPERTIES (klass, GuiClassItem, (class, G_TYPE_UINT, .flags = G_PARAM_CONSTRUCT_ONLY),
                    (active, G_TYPE_BOOLEAN));
    GUI_TEMPLATE (klass, "class-item.ui");
    GUI_CHILDREN (klass, GuiClassItem, button, label);
    GUI_CALLBACKS (klass, draw_swatch);
}

static void
gui_class_item_init (GuiClassItem *self)
{
    gtk_widget_init_template (GTK_WIDGET (self));
}

GtkWidget *
gui_class_item_new (JobClass class)
{
    return g_object_new (GUI_TYPE_CLASS_ITEM, "class", class, NULL);
}

JobClass
gui_class_item_get_class (GuiClassItem *self)
{
    return self->class;
}

gboolean
gui_class_item_is_active (GuiClassItem *self)
{
    return self->active;
}
