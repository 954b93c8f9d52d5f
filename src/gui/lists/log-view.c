/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A message may have several lines: how many is kept, so that those of dropped messages are found. */
#include "gui/lists/log-view.h"
#include <gdk/gdkkeysyms.h>
#include <glib/gi18n.h>
#include "gui/kit/hint.h"
#include "gui/kit/template.h"
#include "gui/kit/theme.h"
#include "session/messages.h"

struct _GuiLogView {
    GtkTextView parent;
    Session *session;
    GListModel *list; /* the session's; borrowed */
    GArray *lines;    /* of guint: of each message */
};

G_DEFINE_TYPE (GuiLogView, gui_log_view, GTK_TYPE_TEXT_VIEW)

enum { SIGNAL_PLACE_CHOSEN, N_SIGNALS };
static guint signals[N_SIGNALS];

/* The lines of messages [first, end). */
static guint
count_lines (GuiLogView *self, guint first, guint end)
{
    guint n = 0;

    for (guint i = first; i < end; i++) {
        n += g_array_index (self->lines, guint, i);
    }
    return n;
}

static char *
format_line (SessionMessage *message, guint *ret_lines)
{
    g_autoptr (GDateTime) then
        = g_date_time_new_from_unix_local (session_message_get_real_us (message)
                                           / G_USEC_PER_SEC);
    g_autofree char *time = g_date_time_format (then, "%H:%M:%S");
    char *line = g_strdup_printf ("%s  %s\n", time, session_message_get_shown (message));

    *ret_lines = 0;
    for (const char *at = line; *at != '\0'; at++) {
        *ret_lines += *at == '\n';
    }
    return line;
}

static void
on_items_changed (GListModel *list, guint position, guint removed, guint added,
                  GuiLogView *self)
{
    GtkTextBuffer *buffer = gtk_text_view_get_buffer (GTK_TEXT_VIEW (self));
    guint at = count_lines (self, 0, position);
    guint gone = count_lines (self, position, position + removed);
    g_autoptr (GString) text = g_string_new (NULL);
    GtkTextIter begin, end;

    g_array_remove_range (self->lines, position, removed);
    gtk_text_buffer_get_iter_at_line (buffer, &begin, (int) at);
    if (gone > 0) {
        gtk_text_buffer_get_iter_at_line (buffer, &end, (int) (at + gone));
        gtk_text_buffer_delete (buffer, &begin, &end);
    }
    for (guint i = position; i < position + added; i++) {
        g_autoptr (SessionMessage) message = g_list_model_get_item (list, i);
        guint n;
        g_autofree char *line = format_line (message, &n);

        g_string_append (text, line);
        g_array_insert_val (self->lines, i, n);
    }
    if (added > 0) {
        gtk_text_buffer_insert (buffer, &begin, text->str, (int) text->len);
    }
}

/* ---- where a message leads ---- */

/* The message that has the line of iter; NULL: none. Caller owns. */
static SessionMessage *
dup_message_at (GuiLogView *self, const GtkTextIter *iter)
{
    guint line = (guint) gtk_text_iter_get_line (iter);

    for (guint i = 0; i < self->lines->len; i++) {
        guint n = g_array_index (self->lines, guint, i);

        if (line < n) {
            return g_list_model_get_item (self->list, i);
        }
        line -= n;
    }
    return NULL;
}

static gboolean
go_to (GuiLogView *self, const GtkTextIter *iter)
{
    g_autoptr (SessionMessage) message = dup_message_at (self, iter);
    const char *file;
    guint32 rank;
    guint line;

    if (message == NULL || !session_message_get_place (message, &rank, &file, &line)) {
        return FALSE;
    }
    g_signal_emit (self, signals[SIGNAL_PLACE_CHOSEN], 0, rank, file, line);
    return TRUE;
}

static void
get_iter_at (GtkWidget *view, GtkTextWindowType window, int y, GtkTextIter *iter)
{
    int buffer_y;

    gtk_text_view_window_to_buffer_coords (GTK_TEXT_VIEW (view), window, 0, y, NULL, &buffer_y);
    gtk_text_view_get_line_at_y (GTK_TEXT_VIEW (view), iter, buffer_y, NULL);
}

static gboolean
gui_log_view_query_tooltip (GtkWidget *view, int x, int y, gboolean keyboard,
                            GtkTooltip *tooltip)
{
    g_autoptr (SessionMessage) message = NULL;
    const char *file;
    GtkTextIter iter;
    guint32 rank;
    guint line;

    if (keyboard) {
        return FALSE;
    }
    get_iter_at (view, GTK_TEXT_WINDOW_WIDGET, y, &iter);
    message = dup_message_at (GUI_LOG_VIEW (view), &iter);
    if (message == NULL || !session_message_get_place (message, &rank, &file, &line)) {
        return FALSE;
    }
    gtk_tooltip_set_text (tooltip, _ ("Double-click to see where the ranks were"));
    return TRUE;
}

static gboolean
gui_log_view_button_press (GtkWidget *view, GdkEventButton *event)
{
    GtkTextIter iter;

    if (event->type == GDK_2BUTTON_PRESS && event->button == GDK_BUTTON_PRIMARY) {
        get_iter_at (view, GTK_TEXT_WINDOW_TEXT, (int) event->y, &iter);
        if (go_to (GUI_LOG_VIEW (view), &iter)) {
            return TRUE;
        }
    }
    return GTK_WIDGET_CLASS (gui_log_view_parent_class)->button_press_event (view, event);
}

/* Return is for those who have no pointer. */
static gboolean
gui_log_view_key_press (GtkWidget *view, GdkEventKey *event)
{
    GtkTextBuffer *buffer = gtk_text_view_get_buffer (GTK_TEXT_VIEW (view));
    GtkTextIter iter;

    if (event->keyval == GDK_KEY_Return || event->keyval == GDK_KEY_KP_Enter) {
        gtk_text_buffer_get_iter_at_mark (buffer, &iter, gtk_text_buffer_get_insert (buffer));
        if (go_to (GUI_LOG_VIEW (view), &iter)) {
            return TRUE;
        }
    }
    return GTK_WIDGET_CLASS (gui_log_view_parent_class)->key_press_event (view, event);
}

static void
leave_session (gpointer user)
{
    GuiLogView *self = user;

    g_signal_handlers_disconnect_by_data (self->list, self);
    on_items_changed (self->list, 0, self->lines->len, 0, self);
    self->list = NULL;
}

static void
enter_session (gpointer user)
{
    GuiLogView *self = user;

    if (self->session != NULL) {
        self->list = session_get_message_list (self->session);
        g_signal_connect (self->list, "items-changed", G_CALLBACK (on_items_changed), self);
        on_items_changed (self->list, 0, 0, g_list_model_get_n_items (self->list), self);
    }
}

GUI_FINALIZE (gui_log_view, GuiLogView, g_array_unref (self->lines))

static void
gui_log_view_class_init (GuiLogViewClass *klass)
{
    GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

    G_OBJECT_CLASS (klass)->finalize = gui_log_view_finalize;
    G_OBJECT_CLASS (klass)->dispose = gui_properties_dispose;
    GUI_PROPERTIES (klass, GuiLogView,
                    (session, SESSION_TYPE_SESSION, leave_session, enter_session));
    widget_class->query_tooltip = gui_log_view_query_tooltip;
    widget_class->button_press_event = gui_log_view_button_press;
    widget_class->key_press_event = gui_log_view_key_press;
    signals[SIGNAL_PLACE_CHOSEN] = GUI_SIGNAL (klass, "place-chosen", G_TYPE_UINT,
                                               G_TYPE_STRING, G_TYPE_UINT);
}

static void
gui_log_view_init (GuiLogView *self)
{
    GtkTextView *view = GTK_TEXT_VIEW (self);

    self->lines = g_array_new (FALSE, FALSE, sizeof (guint));
    gtk_text_view_set_editable (view, FALSE);
    gtk_text_view_set_wrap_mode (view, GTK_WRAP_WORD_CHAR);
    gtk_text_view_set_left_margin (view, 8);
    gtk_widget_set_has_tooltip (GTK_WIDGET (self), TRUE);
    gtk_style_context_add_class (gtk_widget_get_style_context (GTK_WIDGET (self)),
                                 "pddt-transcript");
    gui_theme_name (GTK_WIDGET (self), "log", _ ("Log"));
    gui_hint_set (GTK_WIDGET (self), _ ("Errors and notes from pddt appear here"));
}
