/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gui/source/source-search.h"
#include <glib/gi18n.h>
#include "gui/kit/template.h"
#include "gui/kit/theme.h"

struct _GuiSourceSearch {
    GtkBox parent;
    GtkWidget *entry, *problem;
    GtkSourceSearchContext *context; /* of the file that was searched last; NULL */
};

G_DEFINE_TYPE (GuiSourceSearch, gui_source_search, GTK_TYPE_BOX)

static guint get_view_signal;

/* The view to search in; NULL: none. Caller owns. */
static GtkTextView *
dup_view (GuiSourceSearch *self)
{
    GtkTextView *view = NULL;

    g_signal_emit (self, get_view_signal, 0, &view);
    return view;
}

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
    g_autoptr (GtkTextView) view = dup_view (self);
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
    g_autoptr (GtkTextView) view = dup_view (self);

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

GUI_DISPOSE (gui_source_search, GuiSourceSearch, g_clear_object (&self->context))

static void
gui_source_search_class_init (GuiSourceSearchClass *klass)
{
    G_OBJECT_CLASS (klass)->dispose = gui_source_search_dispose;
    get_view_signal = g_signal_new ("get-view", GUI_TYPE_SOURCE_SEARCH, G_SIGNAL_RUN_LAST, 0,
                                    g_signal_accumulator_first_wins, NULL, NULL,
                                    GTK_TYPE_TEXT_VIEW, 0);
    GUI_TEMPLATE (klass, "source-search.ui");
    GUI_CHILDREN (klass, GuiSourceSearch, entry, problem);
    GUI_CALLBACKS (klass, on_stopped, on_next, on_previous, on_changed);
}

static void
gui_source_search_init (GuiSourceSearch *self)
{
    gtk_widget_init_template (GTK_WIDGET (self));
    gui_theme_name (self->entry, "find", _ ("Find in the source"));
    gui_theme_name (self->problem, "find-problem", NULL);
}
