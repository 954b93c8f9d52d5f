/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Queries when it is opened, when the expression changes, and on Update. What the ranks cannot say is shown beside the
 * values; ranks that were not asked are counted. */
#include "gui/compare/compare-window.h"
#include <glib/gi18n.h>
#include <math.h>
#include <string.h>
#include "gui/compare/compare-plot.h"
#include "gui/kit/freshness.h"
#include "gui/kit/hint.h"
#include "gui/kit/properties.h"
#include "gui/kit/rank-set.h"
#include "gui/kit/template.h"
#include "gui/kit/theme.h"
#include "gui/values/value-text.h"
#include "session/query.h"
#include "base/array.h"

enum { MAX_ROWS = 1000 };

enum {
    VALUE,
    RANKS,
    COUNT,
    NUMBER,
    COLOUR_SET,
    GROUP,
    N_COLUMNS
}; /* as in compare-window.ui */

struct _GuiCompareWindow {
    GtkWindow parent;
    Session *session;
    SessionSelection *selection;
    JobRankSet *ranks;
    guint rank;
    SessionQuery *query;
    JobValueTable *table; /* at most one row: the answer */
    JobRankSet *asked, *chosen;
    GuiFreshness *freshness;
    GtkListStore *store;
    GtkWidget *header, *expression, *only_here, *age, *numbers, *problem, *content, *pages,
        *values, *plot, *histogram, *chosen_label, *open;
    char *key, *shown; /* expression that was asked for, and that of what is shown; NULL */
};

G_DEFINE_TYPE (GuiCompareWindow, gui_compare_window, GTK_TYPE_WINDOW)

static guint set_chosen_signal;

/* ---- which ranks were chosen ---- */

static void
choose (GuiCompareWindow *self, const JobRankSet *set)
{
    guint n = set != NULL ? job_rank_set_get_count (set) : 0;
    g_autofree char *ranks = set != NULL ? job_rank_set_format_brief (set) : NULL;
    g_autofree char *text = n > 0 ? g_strdup_printf (ngettext ("%u rank chosen: %s",
                                                               "%u ranks chosen: %s", n),
                                                     n, ranks)
                                  : g_strdup (_ ("Choose values, points or bars"));

    job_rank_set_free (self->chosen);
    self->chosen = n > 0 ? job_rank_set_dup (set) : NULL;
    gtk_label_set_text (GTK_LABEL (self->chosen_label), text);
    gtk_widget_set_sensitive (self->open, n > 0);
}

static void
add_row_ranks (GtkTreeModel *model, GtkTreePath *path, GtkTreeIter *iter, gpointer set)
{
    g_autoptr (JobRankSet) ranks = NULL;

    gtk_tree_model_get (model, iter, GROUP, &ranks, -1);
    job_rank_set_merge (set, ranks);
}

static void
on_rows_selected (GuiCompareWindow *self, GtkTreeSelection *selection)
{
    g_autoptr (JobRankSet) set = job_rank_set_new ();

    gtk_tree_selection_selected_foreach (selection, add_row_ranks, set);
    choose (self, set);
}

static void
on_bar_chosen (GuiCompareWindow *self, const JobRankSet *set)
{
    choose (self, set);
}

static void
open_chosen (GuiCompareWindow *self)
{
    g_autoptr (JobRankSet) set = self->chosen != NULL ? job_rank_set_dup (self->chosen) : NULL;

    if (set != NULL) {
        g_signal_emit (self, set_chosen_signal, 0, set);
    }
}

/* ---- the answer ---- */

static void
add_sentence (GString *text, char *sentence)
{
    if (sentence != NULL && *sentence != '\0') {
        g_string_append_printf (text, "%s%s", text->len > 0 ? " · " : "", sentence);
    }
    g_free (sentence);
}

static void
add_ranks (GString *text, const char *what, const JobRankSet *ranks)
{
    g_autofree char *brief = job_rank_set_format_brief (ranks);

    if (!job_rank_set_is_empty (ranks)) {
        add_sentence (text, g_strdup_printf ("%s: %s", what, brief));
    }
}

/* Of the population, in two passes; of the finite ones. */
static double
get_deviation (const JobValueRow *row, const JobValueSummary *summary)
{
    double sum = 0;

    BASE_EACH (row->groups, const JobValueGroup, group) {
        double away = group->value->number - summary->mean;

        if (isfinite (group->value->number)) {
            sum += away * away * job_rank_set_get_count (group->ranks);
        }
    }
    return sqrt (sum / summary->n_finite);
}

static void
show_numbers (GuiCompareWindow *self, const JobValueRow *row)
{
    g_autoptr (GString) text = g_string_new (NULL);
    g_autoptr (JobRankSet) ranks = gui_value_text_dup_ranks (row);
    guint n_ranks = job_rank_set_get_count (ranks), n = row->groups->len;
    JobValueSummary summary;

    add_sentence (text, g_strdup_printf (ngettext ("%u rank", "%u ranks", n_ranks), n_ranks));
    add_sentence (text, g_strdup_printf (ngettext ("%u value", "%u values", n), n));
    if (job_value_row_summarise (row, &summary)) {
        gboolean is_integer = job_value_row_is_integer (row);
        g_autofree char *min = job_value_format_number (summary.min, is_integer);
        g_autofree char *max = job_value_format_number (summary.max, is_integer);

        if (summary.n_finite > 0) {
            add_sentence (text, g_strdup_printf (_ ("from %s at %u to %s at %u, mean %.6g"),
                                                 min, summary.min_rank, max, summary.max_rank,
                                                 summary.mean));
            add_sentence (text, g_strdup_printf (_ ("deviation %.6g"),
                                                 get_deviation (row, &summary)));
        }
        add_ranks (text, _ ("not a number"), summary.nan_ranks);
        add_ranks (text, _ ("infinite"), summary.inf_ranks);
        job_value_summary_clear (&summary);
    }
    if (n > MAX_ROWS) {
        add_sentence (text, g_strdup_printf (_ ("the table has the first %u values"),
                                             (guint) MAX_ROWS));
    }
    gtk_label_set_text (GTK_LABEL (self->numbers), text->str);
}

static void
fill_table (GuiCompareWindow *self, const JobValueRow *row)
{
    gtk_list_store_clear (self->store);
    for (guint i = 0; row != NULL && i < row->groups->len && i < MAX_ROWS; i++) {
        const JobValueGroup *group = g_ptr_array_index (row->groups, i);
        g_autofree char *whole = gui_value_text_dup_short (group->value);
        g_autofree char *valid = g_utf8_make_valid (whole, MIN ((gssize) strlen (whole), 4000));
        g_autofree char *ranks = job_rank_set_format_brief (group->ranks);

        gtk_list_store_insert_with_values (self->store, NULL, -1, VALUE, valid, RANKS, ranks,
                                           COUNT, job_rank_set_get_count (group->ranks), NUMBER,
                                           group->value->is_number ? group->value->number : NAN,
                                           COLOUR_SET, group->value->is_problem, GROUP,
                                           group->ranks, -1);
    }
}

/* A picture needs numbers alone: what a rank could not say is no reason to have none. Empty: no number. Caller owns. */
static JobValueTable *
dup_numbers (const JobValueRow *row)
{
    JobValueTable *table = job_value_table_new ();

    BASE_EACH (row->groups, const JobValueGroup, group) {
        if (!group->value->is_problem) {
            job_value_table_add (table, row->name, group->ranks, group->value);
        }
    }
    return table;
}

static void
show_table (GuiCompareWindow *self)
{
    const JobValueRow *row = self->table->rows->len > 0 ? self->table->rows->pdata[0] : NULL;
    g_autoptr (JobValueTable) known = row != NULL ? dup_numbers (row) : job_value_table_new ();
    const JobValueRow *numbers = known->rows->len > 0 ? known->rows->pdata[0] : NULL;
    JobValueSummary summary;
    gboolean has_pictures = numbers != NULL && job_value_row_summarise (numbers, &summary);

    if (has_pictures) {
        has_pictures = summary.n_finite > 0;
        job_value_summary_clear (&summary);
    }
    fill_table (self, row);
    gui_compare_plot_set (GUI_COMPARE_PLOT (self->plot), has_pictures ? numbers : NULL);
    gui_compare_plot_set (GUI_COMPARE_PLOT (self->histogram), has_pictures ? numbers : NULL);
    gtk_widget_set_visible (self->plot, has_pictures);
    gtk_widget_set_visible (self->histogram, has_pictures);
    gtk_label_set_text (GTK_LABEL (self->numbers), "");
    if (numbers != NULL) {
        show_numbers (self, numbers);
    }
    gtk_widget_set_visible (self->content, row != NULL);
    gtk_widget_set_visible (self->age, row != NULL);
    choose (self, NULL);
}

static void
show_problem (GuiCompareWindow *self, const char *text)
{
    gtk_label_set_text (GTK_LABEL (self->problem), text != NULL ? text : "");
    gtk_widget_set_visible (self->problem, text != NULL && *text != '\0');
}

/* Of whom nothing is shown, and why. Caller owns. */
static char *
format_others (GuiCompareWindow *self, const SessionAnswer *answer)
{
    GString *text = g_string_new (NULL);
    g_autofree char *uncompared
        = gui_value_text_format_uncompared (job_rank_set_get_count (answer->asked),
                                            job_rank_set_get_count (self->ranks));

    BASE_EACH (answer->failures, const JobEvent, event) {
        g_autofree char *ranks = job_rank_set_format_brief (event->ranks);
        g_autofree char *why = job_event_dup_shown (event);

        g_string_append_printf (text, "%s%s: %s", text->len > 0 ? "\n" : "", ranks, why);
    }
    if (!job_rank_set_is_empty (answer->missing)) {
        g_autofree char *ranks = job_rank_set_format_brief (answer->missing);

        g_string_append_printf (text, "%s%s: %s", text->len > 0 ? "\n" : "", ranks,
                                _ ("no answer"));
    }
    if (uncompared != NULL) {
        g_string_append_printf (text, "%s%s", text->len > 0 ? "\n" : "", uncompared);
    }
    return g_string_free (text, FALSE);
}

static void
on_answer (SessionQuery *query, SessionAnswer *answer, gpointer user)
{
    GuiCompareWindow *self = user;
    g_autofree char *others = format_others (self, answer);
    JobValueTable *table = job_value_table_new ();

    BASE_EACH (answer->groups, const JobEvent, event) {
        if (event->kind == JOB_EVENT_VALUES && event->table != NULL) {
            job_value_table_merge (table, event->table);
        }
    }
    if (table->rows->len > 0 || g_strcmp0 (self->key, self->shown) != 0) {
        job_value_table_free (self->table);
        self->table = g_steal_pointer (&table);
        g_free (self->shown);
        self->shown = g_strdup (self->key);
        show_table (self);
        gui_freshness_note (self->freshness, self->session, self->asked, answer->old);
    }
    job_value_table_free (table);
    show_problem (self, others);
    g_clear_pointer (&self->query, session_query_free);
}

static void
set_titles (GuiCompareWindow *self, const char *expression, const JobRankSet *ranks)
{
    g_autofree char *brief = job_rank_set_format_brief (ranks);
    guint n = job_rank_set_get_count (ranks);
    g_autofree char *subtitle = g_strdup_printf (ngettext ("rank %s", "ranks %s", n), brief);

    gtk_header_bar_set_title (GTK_HEADER_BAR (self->header), expression);
    gtk_header_bar_set_subtitle (GTK_HEADER_BAR (self->header), subtitle);
    gtk_window_set_title (GTK_WINDOW (self), expression);
}

/* "Only ranks in FUNCTION"; where it is not known, or there is one rank, there is no choice. */
static void
offer_function (GuiCompareWindow *self)
{
    const JobLocation *place = session_selection_get_place (self->selection, self->rank);
    g_autofree char *label = place != NULL && place->function != NULL
                                 ? g_strdup_printf (_ ("Only ranks in %s"), place->function)
                                 : NULL;

    gtk_widget_set_visible (self->only_here,
                            label != NULL && job_rank_set_get_count (self->ranks) > 1);
    gtk_button_set_label (GTK_BUTTON (self->only_here), label != NULL ? label : "");
}

static void
ask (GuiCompareWindow *self)
{
    const char *text = gtk_entry_get_text (GTK_ENTRY (self->expression));
    gboolean only_here = gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (self->only_here));
    g_autoptr (JobRankSet) stopped = session_dup_stopped (self->session, self->ranks, NULL);
    JobRequest *request;

    g_clear_pointer (&self->query, session_query_free);
    if (*text == '\0') {
        return;
    }
    if (session_is_ended (self->session)) {
        show_problem (self, _ ("The job has ended"));
        return;
    }
    if (only_here && job_rank_set_contains (stopped, self->rank)) {
        JobRankSet *same = session_selection_dup_same_function (self->selection, stopped,
                                                                self->rank);

        job_rank_set_free (stopped);
        stopped = same;
    }
    if (job_rank_set_is_empty (stopped)) {
        show_problem (
            self, _ ("None of these ranks has stopped: pause them to compare their values"));
        return;
    }
    offer_function (self);
    set_titles (self, text, stopped);
    g_free (self->key);
    self->key = g_strdup (text);
    job_rank_set_free (self->asked);
    self->asked = job_rank_set_dup (stopped);
    request = job_request_new (JOB_VERB_PRINT, stopped);
    request->text = g_strdup (text);
    session_selection_mark (self->selection, request);
    gui_freshness_ask (self->freshness, stopped);
    self->query = session_query_new (self->session, request, on_answer, self);
}

/* ---- its life ---- */

static gboolean
press_key (GtkWidget *widget, GdkEventKey *event)
{
    if (event->keyval == GDK_KEY_Escape) {
        gtk_window_close (GTK_WINDOW (widget));
        return TRUE;
    }
    return GTK_WIDGET_CLASS (gui_compare_window_parent_class)->key_press_event (widget, event);
}

GUI_DISPOSE (gui_compare_window, GuiCompareWindow,
             g_clear_pointer (&self->query, session_query_free);
             g_clear_pointer (&self->freshness, gui_freshness_free);
             gui_properties_clear (self, GUI_TYPE_COMPARE_WINDOW))

GUI_FINALIZE (gui_compare_window, GuiCompareWindow, job_value_table_free (self->table);
              job_rank_set_free (self->asked); job_rank_set_free (self->chosen);
              g_object_unref (self->store); g_free (self->key); g_free (self->shown))

static void
gui_compare_window_class_init (GuiCompareWindowClass *klass)
{
    G_OBJECT_CLASS (klass)->dispose = gui_compare_window_dispose;
    G_OBJECT_CLASS (klass)->finalize = gui_compare_window_finalize;
    GUI_PROPERTIES (klass, GuiCompareWindow,
                    (session, SESSION_TYPE_SESSION, .flags = G_PARAM_CONSTRUCT_ONLY),
                    (selection, SESSION_TYPE_SELECTION, .flags = G_PARAM_CONSTRUCT_ONLY),
                    (ranks, GUI_TYPE_RANK_SET, .flags = G_PARAM_CONSTRUCT_ONLY),
                    (rank, G_TYPE_UINT, .flags = G_PARAM_CONSTRUCT_ONLY));
    GTK_WIDGET_CLASS (klass)->key_press_event = press_key;
    set_chosen_signal = GUI_SIGNAL (klass, "set-chosen", G_TYPE_POINTER);
    GUI_ENSURE (GUI_TYPE_COMPARE_PLOT);
    GUI_TEMPLATE (klass, "compare-window.ui");
    GUI_CHILDREN (klass, GuiCompareWindow, header, expression, only_here, age, numbers, problem,
                  content, pages, values, plot, histogram, chosen_label, open);
    GUI_CALLBACKS (klass, ask, open_chosen, on_rows_selected, on_bar_chosen);
}

static void
gui_compare_window_init (GuiCompareWindow *self)
{
    gtk_widget_init_template (GTK_WIDGET (self));
    gui_theme_guard_notebook (GTK_NOTEBOOK (self->pages));
    gui_theme_name (self->expression, "compare-expression", _ ("Expression"));
    gui_theme_name (self->only_here, "compare-only-here", NULL);
    gui_theme_name (self->age, "compare-age", NULL);
    gui_theme_name (self->numbers, "compare-numbers", NULL);
    gui_theme_name (self->problem, "compare-problem", NULL);
    gui_theme_name (self->values, "compare-values", _ ("Values"));
    gui_theme_name (self->chosen_label, "compare-chosen", NULL);
    gui_theme_name (self->open, "compare-open", NULL);
    self->table = job_value_table_new ();
    self->store = gtk_list_store_new (N_COLUMNS, G_TYPE_STRING, G_TYPE_STRING, G_TYPE_UINT,
                                      G_TYPE_DOUBLE, G_TYPE_BOOLEAN, GUI_TYPE_RANK_SET);
    gtk_tree_view_set_model (GTK_TREE_VIEW (self->values), GTK_TREE_MODEL (self->store));
    gui_hint_set (self->values,
                  _ ("Type an expression above to see which ranks have which value"));
    self->freshness = gui_freshness_new (self->age, self->content, FALSE);
    gui_freshness_add (self->freshness, self->only_here); /* it names the function of then */
    choose (self, NULL);
}

static GuiCompareWindow *
make (GtkWindow *parent, Session *session, SessionSelection *selection, const JobRankSet *ranks,
      guint32 rank, const char *expression)
{
    GuiCompareWindow *self = g_object_new (GUI_TYPE_COMPARE_WINDOW, "transient-for", parent,
                                           "destroy-with-parent", TRUE, "session", session,
                                           "selection", selection, "ranks", ranks, "rank", rank,
                                           NULL);

    gui_freshness_follow (self->freshness, selection);
    gtk_entry_set_text (GTK_ENTRY (self->expression), expression);
    show_problem (self, NULL);
    return self;
}

GtkWidget *
gui_compare_window_open (GtkWindow *parent, Session *session, SessionSelection *selection,
                         const JobRankSet *ranks, guint32 rank, const char *expression)
{
    GuiCompareWindow *self = make (parent, session, selection, ranks, rank, expression);

    offer_function (self);
    show_table (self);
    ask (self);
    gtk_window_present (GTK_WINDOW (self));
    return GTK_WIDGET (self);
}

/* What of the text between braces is the expression: Python's may end with a format. Caller owns. */
static char *
dup_expression (const char *field)
{
    const char *end = strrchr (field, ':');
    gboolean is_format = end != NULL && end > field && end[-1] != ':'
                         && strpbrk (end, "[](){}\"'?") == NULL;

    return is_format ? g_strndup (field, (gsize) (end - field)) : g_strdup (field);
}

GtkWidget *
gui_compare_window_open_logged (GtkWindow *parent, Session *session,
                                SessionSelection *selection, const SessionLogged *logged)
{
    const JobRankSet *ranks = session_logged_get_ranks (logged);
    g_autofree char *expression = dup_expression (session_logged_get_expression (logged));
    GuiCompareWindow *self = make (parent, session, selection, ranks,
                                   job_rank_set_get_lowest (ranks), expression);

    set_titles (self, expression, ranks);
    job_value_table_free (self->table);
    self->table = session_logged_dup_values (logged);
    self->key = g_strdup (expression);
    self->shown = g_strdup (expression);
    show_table (self);
    gui_freshness_note_past (self->freshness, session, ranks,
                             session_logged_get_last_us (logged));
    gtk_window_present (GTK_WINDOW (self));
    return GTK_WIDGET (self);
}
