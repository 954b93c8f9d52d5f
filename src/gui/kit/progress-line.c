/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Polls running operations. Quick ones never appear. */
#include "gui/kit/progress-line.h"
#include <glib/gi18n.h>
#include "gui/kit/template.h"
#include "gui/kit/theme.h"

enum { POLL_MS = 100, PATIENCE = 2 }; /* polls before the line appears */

struct _GuiProgressLine {
    GtkBox parent;
    Session *session;
    GuiCommandPanel *panel;
    GtkWidget *spinner, *text, *bar, *cancel;
    GCancellable *own;
    char *own_text;
    const int *permille;
    guint source, n_polls;
    guint64 request; /* of the last poll; 0: something else */
};

G_DEFINE_TYPE (GuiProgressLine, gui_progress_line, GTK_TYPE_BOX)

typedef struct {
    char *text;
    double fraction; /* below 0: unknown */
    guint64 request;
} Operation;

/* A line of its own begins with a capital letter, where the script has them. Caller owns. */
static char *
capitalize (const char *text)
{
    char first[7] = "";

    g_unichar_to_utf8 (g_unichar_totitle (g_utf8_get_char (text)), first);
    return g_strconcat (first, g_utf8_next_char (text), NULL);
}

static gboolean
read_session (GuiProgressLine *self, Operation *operation)
{
    SessionBeginning b;
    SessionPending p;

    if (session_find_beginning (self->session, &b)) {
        g_autoptr (BaseText) text = session_dup_beginning_text (self->session);

        operation->text = capitalize (text->shown);
        operation->fraction = b.n_due > 0 ? (b.n_there + b.n_arrived) / (2.0 * b.n_due) : -1;
        return TRUE;
    }
    if (session_find_pending (self->session, &p)) {
        operation->request = p.id;
        if (p.verb == JOB_VERB_PROFILE) { /* which answers at its end alone */
            operation->text = g_strdup_printf (ngettext ("Sampling %u rank",
                                                         "Sampling %u ranks", p.n_asked),
                                               p.n_asked);
            return TRUE;
        }
        /* Translators: the name of a command, which stays English; then numbers of ranks. */
        operation->text = g_strdup_printf (_ ("%s: %u of %u ranks have answered"),
                                           job_verb_get_name (p.verb), p.n_answered, p.n_asked);
        operation->fraction = p.n_asked > 0 ? (double) p.n_answered / p.n_asked : -1;
        return TRUE;
    }
    return FALSE;
}

static gboolean
find_work (GuiProgressLine *self, Operation *operation)
{
    *operation = (Operation){ NULL, -1, 0 };
    if (self->own != NULL) {
        operation->text = g_strdup (self->own_text);
        operation->fraction = self->permille != NULL
                                  ? g_atomic_int_get (self->permille) / 1000.0
                                  : -1;
        return TRUE;
    }
    if (self->panel != NULL && gui_command_panel_is_waiting (self->panel)) {
        operation->text = g_strdup (_ ("Waiting for the ranks to stop"));
        return TRUE;
    }
    if (self->session != NULL && read_session (self, operation)) {
        return TRUE;
    }
    if (self->panel != NULL && gui_command_panel_is_busy (self->panel)) {
        operation->text = g_strdup (_ ("Command in progress"));
        return TRUE;
    }
    return FALSE;
}

static void
show (GuiProgressLine *self, const Operation *operation)
{
    gtk_label_set_text (GTK_LABEL (self->text), operation->text);
    gtk_widget_set_visible (self->bar, operation->fraction >= 0);
    gtk_progress_bar_set_fraction (GTK_PROGRESS_BAR (self->bar),
                                   CLAMP (operation->fraction, 0, 1));
    if (!gtk_widget_get_visible (GTK_WIDGET (self))) {
        gtk_spinner_start (GTK_SPINNER (self->spinner));
        gtk_widget_show (GTK_WIDGET (self));
    }
}

static void
hide (GuiProgressLine *self)
{
    gtk_spinner_stop (GTK_SPINNER (self->spinner));
    gtk_widget_hide (GTK_WIDGET (self));
    self->n_polls = 0;
    self->request = 0;
}

static gboolean
on_poll (gpointer user)
{
    GuiProgressLine *self = user;
    Operation operation;

    if (!find_work (self, &operation)) {
        self->source = 0;
        hide (self);
        return G_SOURCE_REMOVE;
    }
    if (operation.request != self->request && !gtk_widget_get_visible (GTK_WIDGET (self))) {
        self->n_polls = 0; /* a series of quick requests is no long operation */
    }
    self->request = operation.request;
    if (self->n_polls++ >= PATIENCE || gtk_widget_get_visible (GTK_WIDGET (self))) {
        show (self, &operation);
    }
    g_free (operation.text);
    return G_SOURCE_CONTINUE;
}

static void
begin_polling (GuiProgressLine *self)
{
    if (self->source == 0) {
        self->source = g_timeout_add (POLL_MS, on_poll, self);
    }
}

static void
on_busy (GuiProgressLine *self, gboolean busy)
{
    if (busy) {
        begin_polling (self);
    }
}

static void
leave_session (gpointer user)
{
    g_signal_handlers_disconnect_by_data (GUI_PROGRESS_LINE (user)->session, user);
}

static void
enter_session (gpointer user)
{
    GuiProgressLine *self = user;

    if (self->session != NULL) {
        g_signal_connect_swapped (self->session, "busy", G_CALLBACK (on_busy), self);
        begin_polling (self);
    }
}

static void
leave_panel (gpointer user)
{
    g_signal_handlers_disconnect_by_data (GUI_PROGRESS_LINE (user)->panel, user);
}

static void
enter_panel (gpointer user)
{
    GuiProgressLine *self = user;

    if (self->panel != NULL) {
        g_signal_connect_swapped (self->panel, "busy", G_CALLBACK (begin_polling), self);
    }
}

void
gui_progress_line_begin (GuiProgressLine *self, const char *text, GCancellable *cancellable,
                         const int *permille)
{
    gui_progress_line_end (self);
    self->own = g_object_ref (cancellable);
    self->own_text = g_strdup (text);
    self->permille = permille;
    begin_polling (self);
}

void
gui_progress_line_end (GuiProgressLine *self)
{
    g_clear_object (&self->own);
    g_clear_pointer (&self->own_text, g_free);
    self->permille = NULL;
}

gboolean
gui_progress_line_cancel (GuiProgressLine *self)
{
    SessionBeginning b;
    SessionPending p;

    if (self->own != NULL) {
        g_cancellable_cancel (self->own);
        return TRUE;
    }
    if (self->session != NULL && session_find_beginning (self->session, &b)) {
        session_give_up_beginning (self->session);
        return TRUE;
    }
    if (self->panel != NULL && gui_command_panel_cancel (self->panel)) {
        return TRUE;
    }
    if (self->session != NULL && session_find_pending (self->session, &p)) {
        session_cancel (self->session, 0);
        return TRUE;
    }
    return FALSE;
}

GUI_DISPOSE (gui_progress_line, GuiProgressLine,
             g_clear_handle_id (&self->source, g_source_remove);
             gui_progress_line_end (self); gui_properties_clear (self, GUI_TYPE_PROGRESS_LINE))

static void
gui_progress_line_class_init (GuiProgressLineClass *klass)
{
    G_OBJECT_CLASS (klass)->dispose = gui_progress_line_dispose;
    GUI_PROPERTIES (klass, GuiProgressLine,
                    (session, SESSION_TYPE_SESSION, leave_session, enter_session),
                    (panel, GUI_TYPE_COMMAND_PANEL, leave_panel, enter_panel));
    GUI_TEMPLATE (klass, "progress-line.ui");
    GUI_CHILDREN (klass, GuiProgressLine, spinner, text, bar, cancel);
    GUI_CALLBACKS (klass, gui_progress_line_cancel);
}

static void
gui_progress_line_init (GuiProgressLine *self)
{
    gtk_widget_init_template (GTK_WIDGET (self));
    gui_theme_name (self->spinner, "busy", _ ("Operation in progress"));
    gui_theme_name (self->text, "progress", NULL);
    gui_theme_name (self->bar, NULL, _ ("Progress"));
    gui_theme_name (self->cancel, "progress-cancel", NULL);
}
