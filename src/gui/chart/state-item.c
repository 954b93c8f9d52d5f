/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gui/chart/state-item.h"
#include <glib/gi18n.h>
#include "gui/kit/template.h"
#include "gui/kit/theme.h"

struct _GuiStateItem {
    GtkFlowBoxChild parent;
    guint state, count;
    GtkWidget *button, *label;
};

G_DEFINE_TYPE (GuiStateItem, gui_state_item, GTK_TYPE_FLOW_BOX_CHILD)

static guint clicked_signal;

static gboolean
draw_swatch (GtkWidget *widget, cairo_t *cr, GuiStateItem *self)
{
    GuiPaletteColours colours;
    int height = gtk_widget_get_allocated_height (widget), y = (height - 14) / 2;

    gui_theme_fill_colours (widget, &colours);
    guint32 colour = colours.colours[self->state], ink = colours.foreground;
    cairo_rectangle (cr, 0.5, y + 0.5, 13, 13);
    cairo_set_source_rgb (cr, (colour >> 16) / 255.0, (colour >> 8 & 255) / 255.0,
                          (colour & 255) / 255.0);
    cairo_fill_preserve (cr);
    cairo_set_source_rgba (cr, (ink >> 16) / 255.0, (ink >> 8 & 255) / 255.0,
                           (ink & 255) / 255.0, colours.outline_alpha);
    cairo_set_line_width (cr, 1);
    cairo_stroke (cr);
    return FALSE;
}

static void
on_clicked (GuiStateItem *self)
{
    g_signal_emit (self, clicked_signal, 0);
}

static void
show_count (gpointer user)
{
    GuiStateItem *self = user;
    const JobStateInfo *info = job_state_get_info (self->state);
    g_autofree char *text = g_strdup_printf ("%s %s %u", info->glyph, _ (info->title),
                                             self->count);
    g_autofree char *name = g_strdup_printf ("%s %u", _ (info->title), self->count);

    gtk_label_set_text (GTK_LABEL (self->label), text);
    gui_theme_name (self->button, NULL, name);
    gtk_widget_set_visible (GTK_WIDGET (self), self->count > 0);
}

static void
gui_state_item_constructed (GObject *object)
{
    GuiStateItem *self = GUI_STATE_ITEM (object);
    g_autofree char *id = g_strconcat ("legend-", job_state_get_info (self->state)->colour,
                                       NULL);

    gui_theme_name (self->button, id, NULL);
    show_count (self);
    G_OBJECT_CLASS (gui_state_item_parent_class)->constructed (object);
}

static void
gui_state_item_class_init (GuiStateItemClass *klass)
{
    G_OBJECT_CLASS (klass)->constructed = gui_state_item_constructed;
    GUI_PROPERTIES (klass, GuiStateItem, (state, G_TYPE_UINT, .flags = G_PARAM_CONSTRUCT_ONLY),
                    (count, G_TYPE_UINT, .enter = show_count));
    clicked_signal = GUI_SIGNAL (klass, "clicked");
    GUI_TEMPLATE (klass, "state-item.ui");
    GUI_CHILDREN (klass, GuiStateItem, button, label);
    GUI_CALLBACKS (klass, draw_swatch, on_clicked);
}

static void
gui_state_item_init (GuiStateItem *self)
{
    gtk_widget_init_template (GTK_WIDGET (self));
}

GtkWidget *
gui_state_item_new (JobState state)
{
    return g_object_new (GUI_TYPE_STATE_ITEM, "state", state, NULL);
}

JobState
gui_state_item_get_state (GuiStateItem *self)
{
    return self->state;
}
