/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The Log page: what happened, with the time. A line that tells of ranks leads to where they were. */
#include "gui/console/console-window-private.h"
#include <gdk/gdkkeysyms.h>
#include <glib/gi18n.h>
#include "gui/kit/hint.h"
#include "gui/kit/theme.h"

#define PLACE_KEY "pddt-place"

/* Where a line leads. */
typedef struct {
    guint32 rank;
    char *file; /* NULL: where the rank is now */
    guint line;
} Place;

static void
free_place (gpointer data)
{
    g_free (((Place *) data)->file);
    g_free (data);
}

static Place *
new_place (const JobRankSet *ranks, const JobLocation *location)
{
    Place *place = g_new0 (Place, 1);

    place->rank = job_rank_set_get_lowest (ranks);
    if (location != NULL && location->file != NULL && location->line > 0) {
        place->file = g_strdup (location->file);
        place->line = location->line;
    }
    return place;
}

void
gui_console_log_add (GuiConsoleWindow *self, const char *text, const JobRankSet *ranks,
                     const JobLocation *location)
{
    GtkTextBuffer *buffer = gtk_text_view_get_buffer (GTK_TEXT_VIEW (self->messages));
    g_autoptr (GDateTime) now = g_date_time_new_now_local ();
    g_autofree char *time = g_date_time_format (now, "%H:%M:%S");
    g_autofree char *line = g_strdup_printf ("%s  %s\n", time, text);
    GtkTextTag *tag = NULL;
    GtkTextIter end;

    if (ranks != NULL && !job_rank_set_is_empty (ranks)) {
        tag = gtk_text_buffer_create_tag (buffer, NULL, NULL);
        g_object_set_data_full (G_OBJECT (tag), PLACE_KEY, new_place (ranks, location),
                                free_place);
    }
    gtk_text_buffer_get_end_iter (buffer, &end);
    gtk_text_buffer_insert_with_tags (buffer, &end, line, -1, tag, NULL);
}

void
gui_console_window_show_rank (GuiConsoleWindow *self, guint32 rank, const char *file,
                              guint line)
{
    g_autoptr (JobRankSet) focus = gui_console_window_dup_focus (self);
    const SessionRank *info = session_get_rank (self->session, rank);
    const JobLocation *known = info != NULL ? info->place : NULL;

    if (job_rank_set_contains (focus, rank)) {
        gui_group_view_set_shown_by (self->view, rank);
    }
    if (file == NULL && known != NULL) {
        file = known->file;
        line = known->line;
    }
    if (file != NULL && line > 0) {
        gui_group_view_show_source (self->view, file, line);
    }
    if (gtk_widget_get_parent (self->view_box) == self->pages) {
        gui_theme_show_page (self->view_box);
    }
}

static const Place *
find_place (const GtkTextIter *iter)
{
    g_autoptr (GSList) tags = gtk_text_iter_get_tags (iter);
    const Place *place = NULL;

    for (GSList *link = tags; link != NULL && place == NULL; link = link->next) {
        place = g_object_get_data (link->data, PLACE_KEY);
    }
    return place;
}

static gboolean
go_to (GuiConsoleWindow *self, const Place *place)
{
    if (place != NULL) {
        gui_console_window_show_rank (self, place->rank, place->file, place->line);
    }
    return place != NULL;
}

/* The place of the line at that height of the view; NULL: it has none. */
static const Place *
find_place_at (GtkWidget *view, GtkTextWindowType window, int y)
{
    GtkTextIter iter;
    int buffer_y;

    gtk_text_view_window_to_buffer_coords (GTK_TEXT_VIEW (view), window, 0, y, NULL, &buffer_y);
    gtk_text_view_get_line_at_y (GTK_TEXT_VIEW (view), &iter, buffer_y, NULL);
    return find_place (&iter);
}

static gboolean
on_query_tooltip (GtkWidget *view, int x, int y, gboolean keyboard, GtkTooltip *tooltip)
{
    if (keyboard || find_place_at (view, GTK_TEXT_WINDOW_WIDGET, y) == NULL) {
        return FALSE;
    }
    gtk_tooltip_set_text (tooltip, _ ("Double-click to see where the ranks were"));
    return TRUE;
}

static gboolean
on_button (GtkWidget *view, GdkEventButton *event, GuiConsoleWindow *self)
{
    return event->type == GDK_2BUTTON_PRESS && event->button == GDK_BUTTON_PRIMARY
           && go_to (self, find_place_at (view, GTK_TEXT_WINDOW_TEXT, (int) event->y));
}

/* Return is for those who have no pointer. */
static gboolean
on_key (GtkWidget *view, GdkEventKey *event, GuiConsoleWindow *self)
{
    GtkTextBuffer *buffer = gtk_text_view_get_buffer (GTK_TEXT_VIEW (view));
    GtkTextIter iter;

    if (event->keyval != GDK_KEY_Return && event->keyval != GDK_KEY_KP_Enter) {
        return FALSE;
    }
    gtk_text_buffer_get_iter_at_mark (buffer, &iter, gtk_text_buffer_get_insert (buffer));
    gtk_text_iter_set_line_offset (&iter, 0);
    return go_to (self, find_place (&iter));
}

GtkWidget *
gui_console_log_build (GuiConsoleWindow *self)
{
    GtkWidget *scroller = gtk_scrolled_window_new (NULL, NULL);

    self->messages = gtk_text_view_new ();
    gtk_text_view_set_editable (GTK_TEXT_VIEW (self->messages), FALSE);
    gtk_text_view_set_wrap_mode (GTK_TEXT_VIEW (self->messages), GTK_WRAP_WORD_CHAR);
    gtk_text_view_set_left_margin (GTK_TEXT_VIEW (self->messages), 8);
    gtk_style_context_add_class (gtk_widget_get_style_context (self->messages),
                                 "pddt-transcript");
    gui_theme_name (self->messages, "log", _ ("Log"));
    gtk_widget_set_has_tooltip (self->messages, TRUE);
    g_signal_connect (self->messages, "query-tooltip", G_CALLBACK (on_query_tooltip), NULL);
    gui_hint_set (self->messages, _ ("Errors and notes from pddt appear here"));
    g_signal_connect (self->messages, "button-press-event", G_CALLBACK (on_button), self);
    g_signal_connect (self->messages, "key-press-event", G_CALLBACK (on_key), self);
    gtk_container_add (GTK_CONTAINER (scroller), self->messages);
    gtk_widget_show_all (scroller);
    return scroller;
}
