/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gui/source/source-search.h"
#include <glib/gi18n.h>
#include "gui/kit/theme.h"

struct _GuiSourceSearch {
    GtkBox parent;
    GtkWidget *entry, *problem;
    GtkSourceSearchContext *context; /* of the file that was searched last; NULL */
    GuiSourceSearchIn get_view;
    gpointer user;
};

G_DEFINE_TYPE (GuiSourceSearch, gui_source_search, GTK_TYPE_BOX)

/* All matches in the buffer are highlighted as long as it has this context. */
static void
take_buffer (GuiSourceSearch *self, GtkSourceBuffer *buffer)
{
    g_autoptr (GtkSourceSearchSettings) settings = NULL;

    if (self->context != NULL
        && gtk_source_search_context_get_buffer (self->context) == buffer) {
        return;
    }
    g_clear_object (&self->context);
    settings = gtk_source_search_settings_new ();
    gtk_source_search_settings_set_wrap_around (settings, TRUE);
    self->context = gtk_source_search_context_new (buffer, settings);
}

/* The text, case-insensitively, from the cursor on and then from the other end. step: 0 at the cursor or after it,
 * 1 after it, -1 before it. FALSE: it is nowhere. */
static gboolean
find (GuiSourceSearch *self, GtkTextBuffer *buffer, const char *text, int step,
      GtkTextIter *start, GtkTextIter *end)
{
    GtkTextIter from;

    take_buffer (self, GTK_SOURCE_BUFFER (buffer));
    gtk_source_search_settings_set_search_text (
        gtk_source_search_context_get_settings (self->context), text);
    gtk_text_buffer_get_iter_at_mark (buffer, &from, gtk_text_buffer_get_insert (buffer));
    if (step < 0) {
        return gtk_source_search_context_backward (self->context, &from, start, end, NULL);
    }
    if (step > 0) {
        gtk_text_iter_forward_char (&from);
    }
    return gtk_source_search_context_forward (self->context, &from, start, end, NULL);
}

/* step: 0 what is typed, 1 the next one, -1 the one before. */
static void
search (GuiSourceSearch *self, int step)
{
    GtkTextView *view = self->get_view (self->user);
    const char *text = gtk_entry_get_text (GTK_ENTRY (self->entry));
    GtkStyleContext *style = gtk_widget_get_style_context (self->entry);
    GtkTextIter start, end;

    gtk_style_context_remove_class (style, "error");
    gtk_label_set_text (GTK_LABEL (self->problem), "");
    if (view == NULL || *text == '\0') {
        g_clear_object (&self->context);
        return;
    }
    if (!find (self, gtk_text_view_get_buffer (view), text, step, &start, &end)) {
        gtk_style_context_add_class (style, "error");
        gtk_label_set_text (GTK_LABEL (self->problem), _ ("Not in this file"));
        return;
    }
    gtk_text_buffer_select_range (gtk_text_view_get_buffer (view), &start, &end);
    gtk_text_view_scroll_to_iter (view, &start, 0.1, FALSE, 0, 0);
}

static void
on_changed (GuiSourceSearch *self)
{
    search (self, 0);
}

static void
on_next (GuiSourceSearch *self)
{
    search (self, 1);
}

static void
on_previous (GuiSourceSearch *self)
{
    search (self, -1);
}

/* Escape: back to where the text was found. */
static void
on_stopped (GuiSourceSearch *self)
{
    GtkTextView *view = self->get_view (self->user);

    gtk_widget_hide (GTK_WIDGET (self));
    g_clear_object (&self->context);
    if (view != NULL) {
        gtk_widget_grab_focus (GTK_WIDGET (view));
    }
}

void
gui_source_search_open (GuiSourceSearch *self)
{
    gtk_widget_show (GTK_WIDGET (self));
    gtk_widget_grab_focus (self->entry);
}

static void
gui_source_search_dispose (GObject *object)
{
    g_clear_object (&GUI_SOURCE_SEARCH (object)->context);
    G_OBJECT_CLASS (gui_source_search_parent_class)->dispose (object);
}

static void
gui_source_search_class_init (GuiSourceSearchClass *klass)
{
    G_OBJECT_CLASS (klass)->dispose = gui_source_search_dispose;
}

static void
gui_source_search_init (GuiSourceSearch *self)
{
    static const struct {
        const char *signal;
        void (*handler) (GuiSourceSearch *self);
    } handlers[] = {
        { "stop-search", on_stopped },    { "next-match", on_next },
        { "activate", on_next },          { "previous-match", on_previous },
        { "search-changed", on_changed },
    };
    GtkWidget *label = gtk_label_new (_ ("Find"));

    gtk_box_set_spacing (GTK_BOX (self), 8);
    gtk_container_set_border_width (GTK_CONTAINER (self), 4);
    self->entry = gtk_search_entry_new ();
    gui_theme_name (self->entry, "find", _ ("Find in the source"));
    self->problem = gtk_label_new ("");
    gui_theme_name (self->problem, "find-problem", NULL);
    gtk_widget_set_margin_start (self->problem, 8);
    gtk_box_pack_start (GTK_BOX (self), label, FALSE, FALSE, 0);
    gtk_box_pack_start (GTK_BOX (self), self->entry, TRUE, TRUE, 0);
    gtk_box_pack_start (GTK_BOX (self), self->problem, FALSE, FALSE, 0);
    for (guint i = 0; i < G_N_ELEMENTS (handlers); i++) {
        g_signal_connect_swapped (self->entry, handlers[i].signal,
                                  G_CALLBACK (handlers[i].handler), self);
    }
    gtk_widget_show (label);
    gtk_widget_show (self->entry);
    gtk_widget_show (self->problem);
    gtk_widget_set_no_show_all (GTK_WIDGET (self), TRUE);
}

GtkWidget *
gui_source_search_new (GuiSourceSearchIn get_view, gpointer user)
{
    GuiSourceSearch *self = g_object_new (GUI_TYPE_SOURCE_SEARCH, NULL);

    self->get_view = get_view;
    self->user = user;
    return GTK_WIDGET (self);
}
