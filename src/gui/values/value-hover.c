/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gui/values/value-hover.h"
#include <gtk/gtk.h>
#include "gui/values/value-text.h"
#include "session/query.h"
#include "base/array.h"

struct _GuiValueHover {
    Session *session;
    SessionSelection *selection;
    SessionQuery *query;
    char *expression, *text;
    guint64 stops;
};

static void
forget (GuiValueHover *hover)
{
    g_clear_pointer (&hover->query, session_query_free);
    g_clear_pointer (&hover->text, g_free);
    g_clear_pointer (&hover->expression, g_free);
}

GuiValueHover *
gui_value_hover_new (Session *session, SessionSelection *selection)
{
    GuiValueHover *hover = g_new0 (GuiValueHover, 1);

    hover->session = g_object_ref (session);
    hover->selection = g_object_ref (selection);
    g_signal_connect_swapped (selection, "changed", G_CALLBACK (forget), hover);
    return hover;
}

BASE_FREE_PUBLIC (gui_value_hover_free, GuiValueHover, hover, forget (hover);
                  g_signal_handlers_disconnect_by_data (hover->selection, hover);
                  g_object_unref (hover->session); g_object_unref (hover->selection))

/* GTK assumes that the pointer is over a window of the program. */
static gboolean
is_pointer_here (void)
{
    GdkSeat *seat = gdk_display_get_default_seat (gdk_display_get_default ());

    return gdk_device_get_window_at_position (gdk_seat_get_pointer (seat), NULL, NULL) != NULL;
}

static void
on_answer (SessionQuery *query, SessionAnswer *answer, gpointer user)
{
    GuiValueHover *hover = user;

    g_clear_pointer (&hover->text, g_free);
    BASE_EACH (answer->groups, const JobEvent, event) {
        if (event->kind == JOB_EVENT_VALUES && event->table != NULL
            && event->table->rows->len > 0) {
            g_autofree char *groups
                = gui_value_text_format_groups (event->table->rows->pdata[0]);

            g_free (hover->text);
            hover->text = g_strdup_printf ("%s\n%s", hover->expression, groups);
        }
    }
    if (job_rank_set_is_empty (answer->old)) {
        g_clear_pointer (&hover->query, session_query_free);
    } else {
        forget (hover); /* it was so before they moved on, and is asked for again */
    }
    if (hover->text != NULL && is_pointer_here ()) {
        gtk_tooltip_trigger_tooltip_query (gdk_display_get_default ());
    }
}

char *
gui_value_hover_dup (GuiValueHover *hover, const char *expression, const JobRankSet *stopped,
                     guint64 stops)
{
    JobRequest *request;

    if (g_strcmp0 (expression, hover->expression) == 0 && stops == hover->stops) {
        return g_strdup (hover->text);
    }
    forget (hover);
    if (job_rank_set_is_empty (stopped) || session_is_ended (hover->session)) {
        return NULL;
    }
    hover->expression = g_strdup (expression);
    hover->stops = stops;
    request = job_request_new (JOB_VERB_PRINT, stopped);
    request->text = g_strdup (expression);
    session_selection_mark (hover->selection, request);
    hover->query = session_query_new (hover->session, request, on_answer, hover);
    return NULL;
}
