/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gui/group/grey-panes.h"
#include "base/array.h"

enum { GREY_MS = 300 };

struct _GuiGreyPanes {
    GPtrArray *widgets; /* of GtkWidget, borrowed */
    gpointer except;    /* NULL: none */
    void (*on_grey) (gpointer user);
    gpointer user;
    guint source; /* they are stale, and turn grey soon */
    gboolean is_stale;
};

GuiGreyPanes *
gui_grey_panes_new (void (*on_grey) (gpointer user), gpointer user)
{
    GuiGreyPanes *self = g_new0 (GuiGreyPanes, 1);

    self->widgets = g_ptr_array_new ();
    self->on_grey = on_grey;
    self->user = user;
    return self;
}

BASE_FREE_PUBLIC (gui_grey_panes_free, GuiGreyPanes, self,
                  g_clear_handle_id (&self->source, g_source_remove);
                  g_ptr_array_unref (self->widgets))

void
gui_grey_panes_add (GuiGreyPanes *self, gpointer widget)
{
    g_ptr_array_add (self->widgets, widget);
}

gboolean
gui_grey_panes_are_grey (const GuiGreyPanes *self)
{
    return self->is_stale && self->source == 0;
}

static void
paint (GuiGreyPanes *self)
{
    gboolean are_grey = gui_grey_panes_are_grey (self);

    for (guint i = 0; i < self->widgets->len; i++) {
        gpointer widget = self->widgets->pdata[i];
        GtkStyleContext *style = gtk_widget_get_style_context (widget);

        (are_grey && widget != self->except
             ? gtk_style_context_add_class
             : gtk_style_context_remove_class) (style, "pddt-stale");
    }
}

static gboolean
on_moment (gpointer user)
{
    GuiGreyPanes *self = user;

    self->source = 0;
    paint (self);
    self->on_grey (self->user);
    return G_SOURCE_REMOVE;
}

void
gui_grey_panes_follow (GuiGreyPanes *self, gboolean is_stale)
{
    if (!is_stale) {
        g_clear_handle_id (&self->source, g_source_remove);
    } else if (!self->is_stale) {
        self->source = g_timeout_add (GREY_MS, on_moment, self);
    }
    self->is_stale = is_stale;
    paint (self);
}

void
gui_grey_panes_except (GuiGreyPanes *self, gpointer widget)
{
    self->except = widget;
    paint (self);
}
