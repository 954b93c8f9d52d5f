/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gui/console/problem-bar.h"
#include <glib/gi18n.h>
#include "gui/kit/properties.h"
#include "gui/kit/suggestion.h"
#include "gui/kit/template.h"
#include "gui/kit/theme.h"
#include "session/messages.h"
#include "session/moment.h"

enum { MAX_SEVERE = 64, MAX_SEVERE_LINES = 3 };
enum { SETTLE_MS = 200 }; /* states may change every few milliseconds */

struct _GuiProblemBar {
    GtkInfoBar parent;
    GtkWidget *icon, *text, *open, *act;
    Session *session;
    JobRankSet *bad;   /* the ranks that it is about; NULL: none */
    char *offer;       /* command of the button; NULL: none */
    GPtrArray *severe; /* of JobEvent: what the bar reports, until it is closed */
    JobRankSet *about; /* whose moment it is about, or who waits; NULL: nobody's */
    guint64 moment;    /* of them */
    guint32 n_blocked; /* of them, when last looked at */
    guint source;
};

G_DEFINE_TYPE (GuiProblemBar, gui_problem_bar, GTK_TYPE_INFO_BAR)

enum { OPEN, RUN_LINE, N_SIGNALS };
static guint signals[N_SIGNALS];

static void
run_line (gpointer self, const char *line)
{
    g_signal_emit (self, signals[RUN_LINE], 0, line);
}

static guint32
count_blocked (const GuiProblemBar *self)
{
    g_autoptr (JobRankSet) blocked = session_dup_ranks_in_one_state (self->session,
                                                                     JOB_STATE_BLOCKED);
    g_autoptr (JobRankSet) here = job_rank_set_intersect (blocked, self->about);

    return (guint32) job_rank_set_get_count (here);
}

/* What is said is true until one of these has moved. */
static void
note_moment (GuiProblemBar *self, const JobRankSet *ranks, const AnalysisVerdict *verdict)
{
    g_clear_pointer (&self->about, job_rank_set_free);
    if (ranks == NULL && verdict == NULL) {
        return;
    }
    self->about = ranks != NULL ? job_rank_set_dup (ranks) : job_rank_set_new ();
    for (const AnalysisVerdict *one = verdict; one != NULL; one = one->next) {
        if (one->kind < ANALYSIS_VERDICT_COMPUTING) {
            job_rank_set_merge (self->about, one->waiting);
        }
    }
    self->moment = session_sign_moment (self->session, self->about);
    self->n_blocked = verdict != NULL ? count_blocked (self) : 0;
}

/* ranks: for a window of their own; verdict: its command gets a button; both may be NULL. */
static void
show_info (GuiProblemBar *self, guint severity, const char *text, const JobRankSet *ranks,
           const AnalysisVerdict *verdict)
{
    static const GtkMessageType types[] = { GTK_MESSAGE_INFO, GTK_MESSAGE_WARNING,
                                            GTK_MESSAGE_ERROR };
    static const char *const icons[] = { "dialog-information-symbolic",
                                         "dialog-warning-symbolic", "dialog-error-symbolic" };

    gtk_info_bar_set_message_type (GTK_INFO_BAR (self),
                                   types[MIN (severity, G_N_ELEMENTS (types) - 1)]);
    gtk_image_set_from_icon_name (GTK_IMAGE (self->icon),
                                  icons[MIN (severity, G_N_ELEMENTS (icons) - 1)],
                                  GTK_ICON_SIZE_BUTTON);
    gtk_label_set_text (GTK_LABEL (self->text), text);
    g_clear_pointer (&self->bad, job_rank_set_free);
    self->bad = ranks != NULL ? job_rank_set_dup (ranks) : NULL;
    note_moment (self, ranks, verdict);
    gtk_widget_set_visible (self->open, ranks != NULL);
    g_free (self->offer);
    self->offer = g_strdup (verdict != NULL ? verdict->command : NULL);
    gui_suggestion_show_all (self->act, verdict, run_line, self);
    gtk_info_bar_set_revealed (GTK_INFO_BAR (self), TRUE);
}

/* Ranks that can still be inspected come first: signals and exceptions, then losses, then
 * ends. */
static int
compare_severe (gconstpointer a, gconstpointer b)
{
    static const guint8 grades[JOB_N_STATES] = {
        [JOB_STATE_FAILED] = 1,
        [JOB_STATE_LOST] = 2,
        [JOB_STATE_EXCEPTION] = 3,
        [JOB_STATE_SIGNAL] = 3,
    };
    const JobEvent *left = *(JobEvent *const *) a, *right = *(JobEvent *const *) b;

    if (grades[left->state] != grades[right->state]) {
        return grades[left->state] > grades[right->state] ? -1 : 1;
    }
    return job_rank_set_get_lowest (left->ranks) < job_rank_set_get_lowest (right->ranks) ? -1
                                                                                          : 1;
}

static char *
format_severe (GuiProblemBar *self, JobRankSet *ranks)
{
    g_autoptr (GPtrArray) sorted
        = g_ptr_array_new (); /* borrowed: the order of coming is kept */
    GString *text = g_string_new (NULL);

    for (guint i = 0; i < self->severe->len; i++) {
        g_ptr_array_add (sorted, self->severe->pdata[i]);
    }
    g_ptr_array_sort (sorted, compare_severe);
    for (guint i = 0; i < sorted->len; i++) {
        const JobEvent *event = sorted->pdata[i];
        g_autofree char *one = job_rank_set_format_brief (event->ranks);
        g_autofree char *state = session_format_event_state (BASE_TEXT_SHOWN, self->session,
                                                             event);

        job_rank_set_merge (ranks, event->ranks);
        if (i < MAX_SEVERE_LINES) {
            g_autofree char *whole = session_format_state_and_reason (BASE_TEXT_SHOWN,
                                                                      self->session, state,
                                                                      event->text2);

            g_string_append_printf (text, "%s%s: %s", i > 0 ? "\n" : "", one, whole);
        }
    }
    if (sorted->len > MAX_SEVERE_LINES) {
        g_string_append (text, " …");
    }
    return g_string_free (text, FALSE);
}

/* The gravest problems since the bar was closed, without duplicates. */
static void
show_severe (GuiProblemBar *self)
{
    g_autoptr (JobRankSet) ranks = job_rank_set_new ();
    g_autofree char *text = NULL;

    job_event_list_merge (self->severe);
    if (self->severe->len > MAX_SEVERE) {
        g_ptr_array_remove_range (self->severe, 0, self->severe->len - MAX_SEVERE);
    }
    text = format_severe (self, ranks);
    show_info (self, 2, text, ranks, NULL);
}

static void
on_messages (GListModel *list, guint position, guint removed, guint added, GuiProblemBar *self)
{
    gboolean is_severe = FALSE;

    for (guint i = position; i < position + added; i++) {
        g_autoptr (SessionMessage) message = g_list_model_get_item (list, i);
        const JobEvent *event = session_message_get_event (message);
        guint severity = session_message_get_severity (message);

        if (event != NULL && session_were_killed (self->session, event->ranks)) {
            continue;
        }
        if (event != NULL) {
            g_ptr_array_add (self->severe, job_event_dup (event));
            is_severe = TRUE;
        } else if (severity > 0) {
            show_info (self, severity, session_message_get_shown (message), NULL, NULL);
        }
    }
    if (is_severe) {
        show_severe (self);
    }
}

static void
close_bar (GuiProblemBar *self)
{
    g_clear_handle_id (&self->source, g_source_remove);
    g_clear_pointer (&self->about, job_rank_set_free);
    g_ptr_array_set_size (self->severe, 0);
    gtk_info_bar_set_revealed (GTK_INFO_BAR (self), FALSE);
}

static gboolean
has_moved (GuiProblemBar *self, const JobEvent *event)
{
    const SessionRank info = session_get_rank (self->session,
                                               job_rank_set_get_lowest (event->ranks));

    return !info.is_there || info.state != event->state
           || (event->stop != 0 && info.stop != event->stop);
}

/* What has been said of a rank goes when the rank has gone on, and a sentence about waiting ranks when one of them
 * has. */
static gboolean
on_settled (gpointer user)
{
    GuiProblemBar *self = user;
    guint32 n_blocked = self->about != NULL ? count_blocked (self) : 0;
    gboolean is_same = self->about == NULL
                       || (session_sign_moment (self->session, self->about) == self->moment
                           && n_blocked >= self->n_blocked);

    self->source = 0;
    self->n_blocked = n_blocked;
    if (is_same) {
        return G_SOURCE_REMOVE;
    }
    for (guint i = self->severe->len; i > 0; i--) {
        if (has_moved (self, self->severe->pdata[i - 1])) {
            g_ptr_array_remove_index (self->severe, i - 1);
        }
    }
    if (self->severe->len > 0) {
        show_severe (self);
    } else {
        close_bar (self);
    }
    return G_SOURCE_REMOVE;
}

static void
on_states_changed (GuiProblemBar *self)
{
    if (self->about != NULL && self->source == 0) {
        self->source = g_timeout_add (SETTLE_MS, on_settled, self);
    }
}

static void
on_open (GuiProblemBar *self)
{
    if (self->bad != NULL) {
        g_signal_emit (self, signals[OPEN], 0, self->bad);
    }
    close_bar (self);
}

static void
on_act (GuiProblemBar *self)
{
    if (self->offer != NULL) {
        g_signal_emit (self, signals[RUN_LINE], 0, self->offer);
    }
    gtk_info_bar_set_revealed (GTK_INFO_BAR (self), FALSE);
}

/* Ranks cannot go on: a sentence for each independent fault, and what would free the gravest. */
static void
on_verdict (Session *session, const AnalysisVerdict *verdict, GuiProblemBar *self)
{
    g_autoptr (GString) text = g_string_new (verdict->text->shown);
    g_autoptr (JobRankSet) culprits = job_rank_set_dup (verdict->culprits);

    for (const AnalysisVerdict *one = verdict->next; one != NULL; one = one->next) {
        if (one->kind < ANALYSIS_VERDICT_COMPUTING) {
            g_string_append_printf (text, "\n%s", one->text->shown);
            job_rank_set_merge (culprits, one->culprits);
        }
    }
    show_info (self, 1, text->str, job_rank_set_is_empty (culprits) ? NULL : culprits, verdict);
}

static void
leave_session (gpointer user)
{
    GuiProblemBar *self = user;

    g_clear_handle_id (&self->source, g_source_remove);
    g_signal_handlers_disconnect_by_data (session_get_message_list (self->session), self);
    g_signal_handlers_disconnect_by_data (self->session, self);
}

/* What was said before is not said again. */
static void
enter_session (gpointer user)
{
    GuiProblemBar *self = user;

    close_bar (self);
    if (self->session != NULL) {
        g_signal_connect (self->session, "verdict", G_CALLBACK (on_verdict), self);
        g_signal_connect_swapped (self->session, "restarted", G_CALLBACK (close_bar), self);
        g_signal_connect_swapped (self->session, "states-changed",
                                  G_CALLBACK (on_states_changed), self);
        g_signal_connect (session_get_message_list (self->session), "items-changed",
                          G_CALLBACK (on_messages), self);
    }
}

static void
gui_problem_bar_constructed (GObject *object)
{
    G_OBJECT_CLASS (gui_problem_bar_parent_class)->constructed (object);
    gtk_info_bar_set_show_close_button (GTK_INFO_BAR (object), TRUE);
    gui_theme_name_buttons (GTK_WIDGET (object), _ ("Close"));
}

GUI_FINALIZE (gui_problem_bar, GuiProblemBar, job_rank_set_free (self->bad);
              job_rank_set_free (self->about); g_free (self->offer);
              g_ptr_array_unref (self->severe))

static void
gui_problem_bar_class_init (GuiProblemBarClass *klass)
{
    G_OBJECT_CLASS (klass)->constructed = gui_problem_bar_constructed;
    G_OBJECT_CLASS (klass)->finalize = gui_problem_bar_finalize;
    G_OBJECT_CLASS (klass)->dispose = gui_properties_dispose;
    GUI_PROPERTIES (klass, GuiProblemBar,
                    (session, SESSION_TYPE_SESSION, leave_session, enter_session));
    signals[OPEN] = GUI_SIGNAL (klass, "open", G_TYPE_POINTER);
    signals[RUN_LINE] = GUI_SIGNAL (klass, "run-line", G_TYPE_STRING);
    GUI_TEMPLATE (klass, "problem-bar.ui");
    GUI_CHILDREN (klass, GuiProblemBar, icon, text, open, act);
    GUI_CALLBACKS (klass, close_bar, on_open, on_act);
}

static void
gui_problem_bar_init (GuiProblemBar *self)
{
    self->severe = g_ptr_array_new_with_free_func ((GDestroyNotify) job_event_free);
    gtk_widget_init_template (GTK_WIDGET (self));
    gui_theme_name (self->text, "info", NULL);
    gui_theme_name (self->open, "info-open", NULL);
    gui_theme_name (self->act, "info-do", NULL);
}
