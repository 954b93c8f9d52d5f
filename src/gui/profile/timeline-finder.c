/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gui/profile/timeline-finder.h"
#include <glib/gi18n.h>
#include "gui/kit/template.h"
#include "gui/kit/theme.h"
#include "gui/profile/timeline-view.h"

struct _GuiTimelineFinder {
    GtkBox parent;
    GtkWidget *entry, *found;
    GuiTimelineView *view;
};

G_DEFINE_TYPE (GuiTimelineFinder, gui_timeline_finder, GTK_TYPE_BOX)

/* Also after the selection has changed: other ranks have other calls. */
static void
show_found (GuiTimelineFinder *self)
{
    g_autofree char *line = gui_timeline_view_dup_found (self->view);

    gtk_label_set_text (GTK_LABEL (self->found), line);
    gtk_widget_set_tooltip_text (self->found, line);
}

static void
on_changed (GuiTimelineFinder *self)
{
    gui_timeline_view_search (self->view, gtk_entry_get_text (GTK_ENTRY (self->entry)));
    show_found (self);
}

/* What was typed just now may not be searched for yet. */
static void
step (GuiTimelineFinder *self, gboolean is_back)
{
    gui_timeline_view_search (self->view, gtk_entry_get_text (GTK_ENTRY (self->entry)));
    gui_timeline_view_step (self->view, is_back);
    show_found (self);
}

static void
on_next (GuiTimelineFinder *self)
{
    step (self, FALSE);
}

static void
on_previous (GuiTimelineFinder *self)
{
    step (self, TRUE);
}

static gboolean
on_key (GuiTimelineFinder *self, GdkEventKey *event)
{
    if ((event->keyval == GDK_KEY_Return || event->keyval == GDK_KEY_KP_Enter)
        && (event->state & gtk_accelerator_get_default_mod_mask ()) == GDK_SHIFT_MASK) {
        step (self, TRUE);
        return TRUE;
    }
    return FALSE;
}

static void
on_stopped (GuiTimelineFinder *self)
{
    gtk_entry_set_text (GTK_ENTRY (self->entry), "");
    on_changed (self);
}

static void
enter_view (gpointer user)
{
    GuiTimelineFinder *self = user;

    if (self->view != NULL) {
        g_signal_connect_object (
            gui_profile_canvas_get_selection (GUI_PROFILE_CANVAS (self->view)), "changed",
            G_CALLBACK (show_found), self, G_CONNECT_SWAPPED | G_CONNECT_AFTER);
    }
}

static void
gui_timeline_finder_class_init (GuiTimelineFinderClass *klass)
{
    G_OBJECT_CLASS (klass)->dispose = gui_properties_dispose;
    GUI_PROPERTIES (klass, GuiTimelineFinder,
                    (view, GUI_TYPE_TIMELINE_VIEW, .enter = enter_view));
    GUI_TEMPLATE (klass, "timeline-finder.ui");
    GUI_CHILDREN (klass, GuiTimelineFinder, entry, found);
    GUI_CALLBACKS (klass, on_changed, on_next, on_previous, on_key, on_stopped);
}

static void
gui_timeline_finder_init (GuiTimelineFinder *self)
{
    gtk_widget_init_template (GTK_WIDGET (self));
    gui_theme_name (self->entry, "timeline-search", _ ("Search functions"));
    gui_theme_name (self->found, "timeline-found", NULL);
}
