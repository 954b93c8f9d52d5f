/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gui/source/source-search.h"
#include <glib/gi18n.h>
#include "gui/kit/theme.h"

struct _GuiSourceSearch {
    GtkBox parent;
    GtkWidget *entry, *problem;
    GuiSourceSearchIn get_view;
    gpointer user;
};

G_DEFINE_TYPE (GuiSourceSearch, gui_source_search, GTK_TYPE_BOX)

/* The text in any case of its letters, from the cursor on and then around. step: 0 at the cursor or after it, 1
 * after it, -1 before it. FALSE: it is nowhere. */
static gboolean
find (GtkTextBuffer *buffer, const char *text, int step, GtkTextIter *start, GtkTextIter *end)
{
    gboolean (*look) (const GtkTextIter *, const char *, GtkTextSearchFlags, GtkTextIter *,
                      GtkTextIter *, const GtkTextIter *)
        = step < 0 ? gtk_text_iter_backward_search : gtk_text_iter_forward_search;
    GtkTextIter from;

    gtk_text_buffer_get_iter_at_mark (buffer, &from, gtk_text_buffer_get_insert (buffer));
    if (step > 0) {
        gtk_text_iter_forward_char (&from);
    }
    if (look (&from, text, GTK_TEXT_SEARCH_CASE_INSENSITIVE, start, end, NULL)) {
        return TRUE;
    }
    if (step < 0) {
        gtk_text_buffer_get_end_iter (buffer, &from);
    } else {
        gtk_text_buffer_get_start_iter (buffer, &from);
    }
    return look (&from, text, GTK_TEXT_SEARCH_CASE_INSENSITIVE, start, end, NULL);
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
        return;
    }
    if (!find (gtk_text_view_get_buffer (view), text, step, &start, &end)) {
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
gui_source_search_class_init (GuiSourceSearchClass *klass)
{
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
