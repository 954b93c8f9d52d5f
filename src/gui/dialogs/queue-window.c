/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gui/dialogs/queue-window.h"
#include <glib/gi18n.h>
#include "base/error.h"
#include "gui/dialogs/offer-bar.h"
#include "gui/kit/template.h"
#include "gui/kit/theme.h"
#include "session/remote.h"

enum {
    LOOK_S = 1, /* for its offer; elsewhere: */
    LOOK_THERE_S = 3,
    ASK_S = 5,        /* the batch system, at first */
    ASK_LATER_S = 30, /* after a while */
    LATER_S = 300,
    MAX_OVER
    = 3, /* so often it must say that the job is over: what was just submitted may not be there yet */
};
enum { RESPONSE_LEAVE = 1, RESPONSE_CANCEL = 2 };

struct _GuiQueueWindow {
    GtkApplicationWindow parent;
    Session *session;
    char *queue, *system, *job, *token; /* as SessionSubmitted has them */
    char *line;                         /* the job's */
    GtkWidget *state, *reason, *command, *problem, *leave, *cancel, *closing;
    GCancellable *asking; /* NULL: not now */
    gint64 begin_us, asked_us;
    guint source, n_over;
    gboolean asks_queue, is_cancelling;
};

G_DEFINE_TYPE (GuiQueueWindow, gui_queue_window, GTK_TYPE_APPLICATION_WINDOW)

static guint over_signal;

static SessionSubmitted
get_submitted (GuiQueueWindow *self)
{
    return (SessionSubmitted){ self->queue, self->system, self->job, self->token };
}

static void
say_over (GuiQueueWindow *self, const char *problem)
{
    g_autoptr (GuiQueueWindow) kept = g_object_ref (self);

    g_clear_handle_id (&self->source, g_source_remove);
    g_signal_emit (self, over_signal, 0, problem);
}

static void
show_text (GtkWidget *label, const char *text)
{
    gtk_label_set_text (GTK_LABEL (label), text != NULL ? text : "");
    gtk_widget_set_visible (label, text != NULL && *text != '\0');
}

static char *
describe_place (const SessionQueuedJob *job)
{
    /* Translators: the place of a job in a queue, and how many jobs wait there. */
    return job->place > 0
               ? g_strdup_printf (_ ("Place %u of %u that wait"), job->place, job->n_waiting)
               : NULL;
}

static void
show_state (GuiQueueWindow *self, const SessionQueuedJob *job)
{
    const char *format = job->state == SESSION_QUEUED_RUNS
                             /* Translators: a job's number, and a batch system. */
                             ? _ ("Job %s runs in %s; pddt takes it as soon as it asks for it")
                             /* Translators: a job's number, and a batch system. */
                             : _ ("Job %s waits in %s");
    g_autofree char *text = g_strdup_printf (format, self->job, self->system),
                    *place = describe_place (job);
    g_autofree char *why = place != NULL && job->reason != NULL
                               ? g_strdup_printf ("%s (%s)", place, job->reason)
                               : g_strdup (place != NULL ? place : job->reason);

    show_text (self->state, text);
    show_text (self->reason, why);
}

static void
on_looked (GObject *source, GAsyncResult *result, gpointer user)
{
    g_autoptr (GError) error = NULL;
    g_autoptr (SessionQueuedJob) job = session_look_queued_finish (result, &error);
    GuiQueueWindow *self = user;

    if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED)) {
        return; /* it is gone */
    }
    g_clear_object (&self->asking);
    if (job == NULL || self->asks_queue) {
        show_text (self->problem, job == NULL ? base_error_get_shown (error) : job->problem);
    }
    if (job == NULL || self->is_cancelling) {
        return;
    }
    if (job->offer != NULL) {
        gui_offer_bar_take (job->offer);
        say_over (self, NULL);
        return;
    }
    if (self->asks_queue) {
        self->n_over = job->state == SESSION_QUEUED_OVER ? self->n_over + 1 : 0;
    }
    if (self->n_over >= MAX_OVER) {
        /* Translators: a job's number. */
        g_autofree char *text = g_strdup_printf (
            _ ("Job %s is over, and has not waited for pddt: see what it has written."),
            self->job);

        say_over (self, text);
    } else if (job->state == SESSION_QUEUED_WAITS || job->state == SESSION_QUEUED_RUNS) {
        show_state (self, job);
    }
}

static gboolean
look (gpointer data)
{
    GuiQueueWindow *self = data;
    const SessionSubmitted submitted = get_submitted (self);
    gint64 now_us = g_get_monotonic_time ();
    gint64 pause_s = now_us - self->begin_us > LATER_S * G_USEC_PER_SEC ? ASK_LATER_S
                     : self->n_over > 0                                 ? 1
                                                                        : ASK_S;

    if (self->asking != NULL || self->is_cancelling) {
        return G_SOURCE_CONTINUE;
    }
    self->asks_queue = now_us - self->asked_us >= pause_s * G_USEC_PER_SEC;
    self->asked_us = self->asks_queue ? now_us : self->asked_us;
    self->asking = g_cancellable_new ();
    session_look_queued_async (self->session, &submitted, self->asks_queue, self->asking,
                               on_looked, self);
    return G_SOURCE_CONTINUE;
}

static void
on_leave (GuiQueueWindow *self)
{
    say_over (self, NULL);
}

static void
on_cancelled (GObject *source, GAsyncResult *result, gpointer user)
{
    g_autoptr (GuiQueueWindow) self = user;
    g_autoptr (GError) error = NULL;

    self->is_cancelling = FALSE;
    gtk_widget_set_sensitive (self->cancel, TRUE);
    if (session_cancel_queued_finish (result, &error)) {
        say_over (self, "");
    } else {
        show_text (self->problem, base_error_get_shown (error));
    }
}

static void
on_cancel (GuiQueueWindow *self)
{
    const SessionSubmitted submitted = get_submitted (self);

    if (!self->is_cancelling) {
        self->is_cancelling = TRUE;
        gtk_widget_set_sensitive (self->cancel, FALSE);
        session_cancel_queued_async (self->session, &submitted, NULL, on_cancelled,
                                     g_object_ref (self));
    }
}

static gboolean
on_delete (GuiQueueWindow *self)
{
    gtk_window_present (GTK_WINDOW (self->closing));
    return TRUE;
}

static void
on_closing (GuiQueueWindow *self, int response)
{
    gtk_widget_hide (self->closing);
    if (response == RESPONSE_LEAVE) {
        on_leave (self);
    } else if (response == RESPONSE_CANCEL) {
        on_cancel (self);
    }
}

static gboolean
on_key (GuiQueueWindow *self, GdkEventKey *event)
{
    if (event->keyval != GDK_KEY_Escape) {
        return FALSE;
    }
    gtk_window_close (GTK_WINDOW (self));
    return TRUE;
}

static void
gui_queue_window_destroy (GtkWidget *widget)
{
    GuiQueueWindow *self = GUI_QUEUE_WINDOW (widget);

    g_cancellable_cancel (self->asking);
    g_clear_object (&self->asking);
    g_clear_handle_id (&self->source, g_source_remove);
    g_clear_pointer (&self->closing, gtk_widget_destroy);
    GTK_WIDGET_CLASS (gui_queue_window_parent_class)->destroy (widget);
}

static void
gui_queue_window_constructed (GObject *object)
{
    GuiQueueWindow *self = GUI_QUEUE_WINDOW (object);
    const char *host = session_remote_get_host ();
    /* Translators: a job's number, and a batch system. */
    g_autofree char *text = g_strdup_printf (_ ("Job %s is submitted to %s"), self->job,
                                             self->system);

    G_OBJECT_CLASS (gui_queue_window_parent_class)->constructed (object);
    if (host != NULL) {
        gtk_header_bar_set_subtitle (
            GTK_HEADER_BAR (gtk_window_get_titlebar (GTK_WINDOW (self))), host);
    }
    show_text (self->state, text);
    gtk_label_set_text (GTK_LABEL (self->command), self->line);
    self->source = g_timeout_add_seconds (host != NULL ? LOOK_THERE_S : LOOK_S, look, self);
    look (self);
    gtk_widget_grab_focus (self->leave);
}

static void
gui_queue_window_class_init (GuiQueueWindowClass *klass)
{
    G_OBJECT_CLASS (klass)->constructed = gui_queue_window_constructed;
    G_OBJECT_CLASS (klass)->dispose = gui_properties_dispose;
    GUI_PROPERTIES (klass, GuiQueueWindow,
                    (session, SESSION_TYPE_SESSION, .flags = G_PARAM_CONSTRUCT_ONLY),
                    (queue, G_TYPE_STRING, .flags = G_PARAM_CONSTRUCT_ONLY),
                    (system, G_TYPE_STRING, .flags = G_PARAM_CONSTRUCT_ONLY),
                    (job, G_TYPE_STRING, .flags = G_PARAM_CONSTRUCT_ONLY),
                    (token, G_TYPE_STRING, .flags = G_PARAM_CONSTRUCT_ONLY),
                    (line, G_TYPE_STRING, .flags = G_PARAM_CONSTRUCT_ONLY));
    GTK_WIDGET_CLASS (klass)->destroy = gui_queue_window_destroy;
    GUI_TEMPLATE (klass, "queue-window.ui");
    GUI_CHILDREN (klass, GuiQueueWindow, state, reason, command, problem, leave, cancel,
                  closing);
    GUI_CALLBACKS (klass, on_leave, on_cancel, on_delete, on_key, on_closing,
                   gtk_widget_hide_on_delete);
    over_signal = GUI_SIGNAL (klass, "over", G_TYPE_STRING);
}

static void
gui_queue_window_init (GuiQueueWindow *self)
{
    gtk_widget_init_template (GTK_WIDGET (self));
    gui_theme_name (self->state, "queue-state", NULL);
    gui_theme_name (self->reason, "queue-reason", NULL);
    gui_theme_name (self->command, "queue-command", NULL);
    gui_theme_name (self->problem, "queue-window-problem", NULL);
    gui_theme_name (self->leave, "queue-leave", _ ("Leave in Queue"));
    gui_theme_name (self->cancel, "queue-cancel", _ ("Cancel Job"));
    gtk_window_set_transient_for (GTK_WINDOW (self->closing), GTK_WINDOW (self));
    self->begin_us = g_get_monotonic_time ();
    self->asked_us = G_MININT64 / 2;
}

GtkWidget *
gui_queue_window_new (GtkApplication *application, Session *session,
                      const SessionSubmitted *submitted, const char *command)
{
    return g_object_new (GUI_TYPE_QUEUE_WINDOW, "application", application, "session", session,
                         "queue", submitted->queue, "system", submitted->name, "job",
                         submitted->id, "token", submitted->token, "line", command, NULL);
}
