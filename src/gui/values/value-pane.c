/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Each watched expression is a question of its own, so that one that fails harms no other; the
 * table is shown when the last of them has been answered. */
#include "gui/values/value-pane.h"
#include <glib/gi18n.h>
#include "gui/kit/properties.h"
#include "gui/kit/rank-set.h"
#include "gui/kit/template.h"
#include "gui/values/value-edit.h"
#include "gui/values/value-text.h"
#include "gui/values/variable-view.h"
#include "session/query.h"
#include "base/array.h"

typedef struct {
    GuiValuePane *pane;
    SessionQuery *query; /* NULL: answered */
    char *expression, *path;
    JobValueTable *table;
} Ask;

struct _GuiValuePane {
    GtkBox parent;
    GuiVariableView *view;
    GuiValueEdit *edit;
    Session *session;
    SessionSelection *selection;
    JobRankSet *ranks;
    guint32 shown_by;
    GPtrArray *expressions; /* of char* */
    GPtrArray *asks;        /* of Ask, one a row; for locals one */
    GPtrArray *parts;       /* of Ask, one a row that was opened and waits for what is in it */
    JobValueTable *table;
    SessionQuery *whole; /* of a value that is copied; NULL: none */
    gboolean is_watch, is_line, is_needed, is_dirty;
    char *reason;      /* why there are no locals; NULL: there may be some */
    JobRankSet *asked; /* whose values the table has; NULL: none were asked */
    gboolean is_stale; /* the ranks have moved since it was read */
    gboolean is_late;  /* the same of what is being read */
};

G_DEFINE_TYPE (GuiValuePane, gui_value_pane, GTK_TYPE_BOX)

enum { RUN_LINE, WATCH, SHOW, WATCHES_CHANGED, READ, N_SIGNALS };
static guint signals[N_SIGNALS];

static void
free_ask (gpointer data)
{
    Ask *ask = data;

    if (ask != NULL) {
        session_query_free (ask->query);
        job_value_table_free (ask->table);
        g_free (ask->expression);
        g_free (ask->path);
        g_free (ask);
    }
}

static void
show_table (GuiValuePane *self)
{
    const SessionRank info = self->session != NULL
                                 ? session_get_rank (self->session, self->shown_by)
                                 : (SessionRank){ .is_there = FALSE };
    const JobLocation *place = self->selection != NULL
                                   ? session_selection_get_place (self->selection,
                                                                  self->shown_by)
                                   : NULL;

    g_object_set (self->view, "function", place != NULL ? place->function : NULL, "is-moving",
                  info.is_there && job_state_get_info (info.state)->is_moving, NULL);
    g_ptr_array_set_size (self->parts,
                          0); /* of the values before: the view asks for these ones */
    gui_variable_view_set_table (self->view, self->table, self->shown_by, info.stop);
    if (self->is_stale) {
        gui_variable_view_note_stale (self->view);
    } else if (self->reason != NULL) {
        gui_variable_view_set_reason (self->view, self->reason);
    }
    g_signal_emit (self, signals[READ], 0);
}

/* A rank that cannot say what the value is says why. */
static void
add_answers (JobValueTable *table, const char *expression, const SessionAnswer *answer,
             gboolean drops_failures)
{
    BASE_EACH (answer->groups, const JobEvent, event) {
        if (event->kind == JOB_EVENT_VALUES && event->table != NULL) {
            job_value_table_merge (table, event->table);
        }
    }
    for (guint i = 0; i < answer->failures->len && expression != NULL && !drops_failures; i++) {
        const JobEvent *event = g_ptr_array_index (answer->failures, i);
        g_autofree char *why = job_event_dup_shown (event);
        g_autofree char *text = g_strdup_printf ("<%s>", why);
        g_autoptr (JobValue) value = job_value_new (NULL, NULL, text);

        value->is_problem = TRUE;
        job_value_table_add (table, expression, event->ranks, value);
    }
}

static gboolean
are_all_answered (GuiValuePane *self)
{
    return !BASE_HAS (self->asks, const Ask, ask, ask->query != NULL);
}

/* Why the viewed rank cannot say what its variables are. */
static void
note_reason (GuiValuePane *self, const SessionAnswer *answer)
{
    g_clear_pointer (&self->reason, g_free);
    BASE_EACH (answer->failures, const JobEvent, event) {
        if (job_rank_set_contains (event->ranks, self->shown_by)) {
            g_free (self->reason);
            self->reason = job_event_dup_shown (event);
        }
    }
}

static void
on_answer (SessionQuery *query, SessionAnswer *answer, gpointer user)
{
    Ask *ask = user;
    GuiValuePane *self = ask->pane;

    add_answers (ask->table, ask->expression, answer, self->is_line);
    if (ask->expression == NULL) {
        note_reason (self, answer);
    }
    self->is_late = self->is_late || !job_rank_set_is_empty (answer->old);
    g_clear_pointer (&ask->query, session_query_free);
    if (!are_all_answered (self)) {
        return;
    }
    job_value_table_free (self->table);
    self->table = job_value_table_new ();
    for (guint i = 0; i < self->asks->len; i++) {
        job_value_table_merge (self->table, ((Ask *) self->asks->pdata[i])->table);
    }
    self->is_stale = self->is_late;
    show_table (self);
}

static Ask *
new_ask (GuiValuePane *self, const char *expression, const char *path)
{
    Ask *ask = g_new0 (Ask, 1);

    ask->pane = self;
    ask->expression = g_strdup (expression);
    ask->path = g_strdup (path);
    ask->table = job_value_table_new ();
    return ask;
}

static void
send (GuiValuePane *self, Ask *ask, const JobRankSet *ranks, SessionQueryDone done)
{
    JobRequest *request
        = job_request_new (ask->expression != NULL ? JOB_VERB_PRINT : JOB_VERB_LOCALS, ranks);

    request->text = g_strdup (ask->expression);
    session_selection_mark (self->selection, request);
    ask->query = session_query_new (self->session, request, done, ask);
}

/* Of so many that each would be a row of its own, the viewed rank alone. */
static void
take_readable (GuiValuePane *self, JobRankSet *stopped)
{
    guint32 n = (guint32) job_rank_set_get_count (stopped);
    gboolean is_here = job_rank_set_contains (stopped, self->shown_by);
    gboolean only_one = n > GUI_VALUE_PANE_MAX_READ && is_here;

    g_object_set (self->view, "n-ranks", (guint) job_rank_set_get_count (self->ranks),
                  "n-unread", only_one ? n - 1 : 0, NULL);
    if (only_one) {
        g_autoptr (JobRankSet) one = job_rank_set_new_range (self->shown_by,
                                                             self->shown_by + 1);

        job_rank_set_clear (stopped);
        job_rank_set_merge (stopped, one);
    } else if (!self->is_watch && is_here && n <= GUI_VALUE_PANE_MAX_READ) {
        g_autoptr (JobRankSet) same
            = session_selection_dup_same_function (self->selection, stopped, self->shown_by);

        job_rank_set_clear (stopped);
        job_rank_set_merge (stopped, same);
    }
    job_rank_set_free (self->asked);
    self->asked = job_rank_set_dup (stopped);
}

void
gui_value_pane_refresh (GuiValuePane *self)
{
    g_autoptr (JobRankSet) stopped = NULL;

    self->is_dirty = TRUE;
    gui_value_edit_update (self->edit);
    if (self->session == NULL || self->selection == NULL
        || (!self->is_needed && !gtk_widget_get_mapped (GTK_WIDGET (self)))) {
        return;
    }
    stopped = session_dup_stopped (self->session, self->ranks, NULL);
    if (job_rank_set_is_empty (stopped) || session_is_ended (self->session)) {
        return;
    }
    self->is_dirty = self->is_late = FALSE;
    take_readable (self, stopped);
    g_ptr_array_set_size (self->asks, 0);
    if (!self->is_watch && !self->is_line) {
        g_ptr_array_add (self->asks, new_ask (self, NULL, NULL));
    }
    for (guint i = 0; i < self->expressions->len; i++) {
        g_ptr_array_add (self->asks, new_ask (self, self->expressions->pdata[i], NULL));
    }
    for (guint i = 0; i < self->asks->len; i++) {
        send (self, self->asks->pdata[i], stopped, on_answer);
    }
    if (self->asks->len == 0) {
        g_clear_pointer (&self->table, job_value_table_free);
        show_table (self);
    }
}

void
gui_value_pane_note_stale (GuiValuePane *self)
{
    self->is_stale = TRUE;
    gui_variable_view_note_stale (self->view);
    g_signal_emit (self, signals[READ], 0);
}

/* A row of which nothing is known but its name. */
static void
add_name (JobValueTable *table, const char *name)
{
    g_autoptr (JobRankSet) nobody = job_rank_set_new ();
    g_autoptr (JobValue) unknown = job_value_new (NULL, NULL, "");
    JobValueRow *row;

    job_value_table_add (table, name, nobody, unknown);
    row = g_ptr_array_index (table->rows, table->rows->len - 1);
    g_ptr_array_set_size (row->groups, 0);
}

/* Nobody can be asked now: the rows are those of the watches all the same, with what was known of them. */
static void
show_unasked (GuiValuePane *self)
{
    JobValueTable *table = job_value_table_new ();

    for (guint i = 0; i < self->expressions->len; i++) {
        const char *expression = self->expressions->pdata[i];
        const JobValueRow *known = BASE_FIND (self->table != NULL ? self->table->rows : NULL,
                                              const JobValueRow, row,
                                              g_strcmp0 (row->name, expression) == 0);

        add_name (table, expression);
        BASE_EACH (known != NULL ? known->groups : NULL, const JobValueGroup, group) {
            job_value_table_add (table, expression, group->ranks, group->value);
        }
    }
    g_ptr_array_set_size (self->asks, 0); /* of the watches before */
    job_value_table_free (self->table);
    self->table = table;
    show_table (self);
}

static void
change_watches (GuiValuePane *self)
{
    gui_value_pane_refresh (self);
    if (self->is_dirty) {
        show_unasked (self);
    }
    g_signal_emit (self, signals[WATCHES_CHANGED], 0);
}

static void
on_map (GuiValuePane *self)
{
    if (self->is_dirty) {
        gui_value_pane_refresh (self);
    }
}

static void
on_parts (SessionQuery *query, SessionAnswer *answer, gpointer user)
{
    Ask *ask = user;
    GuiValuePane *self = ask->pane;

    add_answers (ask->table, ask->expression, answer, self->is_line);
    if (ask->table->rows->len > 0) {
        const JobValueRow *row = ask->table->rows->pdata[0];

        if (row->groups->len > 0) {
            const JobValueGroup *group = row->groups->pdata[0];

            gui_variable_view_add_parts (self->view, ask->path, group->value);
        }
    }
    g_ptr_array_remove (self->parts, ask);
}

/* What would stop it for that. */
static gboolean
is_shown_by_moving (GuiValuePane *self)
{
    const SessionRank info = session_get_rank (self->session, self->shown_by);

    return info.is_there && job_state_get_info (info.state)->is_moving;
}

static void
on_expand (GuiValuePane *self, const char *expression, const char *path)
{
    g_autoptr (JobRankSet) one = job_rank_set_new_range (self->shown_by, self->shown_by + 1);
    Ask *ask;

    if (is_shown_by_moving (self)) {
        g_autofree char *text = g_strdup_printf ("<%s>", _ ("not stopped"));
        g_autoptr (JobValue) value = job_value_new (NULL, NULL, text);

        value->is_problem = TRUE;
        gui_variable_view_add_parts (self->view, path, value);
        return;
    }
    ask = new_ask (self, expression, path);
    for (guint i = 0; i < self->parts->len; i++) {
        if (g_str_equal (((Ask *) self->parts->pdata[i])->path, path)) {
            g_ptr_array_remove_index (self->parts, i);
            break;
        }
    }
    g_ptr_array_add (self->parts, ask);
    send (self, ask, one, on_parts);
}

static void
on_edited (GuiValuePane *self, const char *expression, const char *text)
{
    g_autoptr (JobRankSet) stopped = session_dup_stopped (self->session, self->ranks, NULL);

    if (job_rank_set_contains (stopped, self->shown_by)) {
        gui_value_edit_begin (self->edit, stopped, self->shown_by, expression, text);
    }
}

static void
on_edit_line (GuiValuePane *self, const char *line)
{
    g_signal_emit (self, signals[RUN_LINE], 0, line);
}

static gboolean
find_expression (GuiValuePane *self, const char *expression, guint *ret_index)
{
    return g_ptr_array_find_with_equal_func (self->expressions, expression, g_str_equal,
                                             ret_index);
}

void
gui_value_pane_add (GuiValuePane *self, const char *expression)
{
    g_autofree char *stripped = g_strstrip (g_strdup (expression));

    if (*stripped != '\0' && !find_expression (self, stripped, NULL)) {
        g_ptr_array_add (self->expressions, g_steal_pointer (&stripped));
        change_watches (self);
    }
}

static void
remove_expression (GuiValuePane *self, const char *expression)
{
    guint index;

    if (find_expression (self, expression, &index)) {
        g_ptr_array_remove_index (self->expressions, index);
        change_watches (self);
    }
}

static void
on_renamed (GuiValuePane *self, const char *old, const char *expression)
{
    guint index;

    if (old == NULL) {
        gui_value_pane_add (self, expression);
    } else if (*expression == '\0') {
        remove_expression (self, old);
    } else if (find_expression (self, old, &index)) {
        g_free (self->expressions->pdata[index]);
        self->expressions->pdata[index] = g_strdup (expression);
        change_watches (self);
    }
}

static void
copy (GuiValuePane *self, const char *text)
{
    gtk_clipboard_set_text (gtk_widget_get_clipboard (GTK_WIDGET (self),
                                                      GDK_SELECTION_CLIPBOARD),
                            text != NULL ? text : "", -1);
}

/* The whole value is there; else what is shown stays on the clipboard. */
static void
on_whole (SessionQuery *query, SessionAnswer *answer, gpointer user)
{
    GuiValuePane *self = user;
    const JobEvent *event = answer->groups->len > 0 ? answer->groups->pdata[0] : NULL;
    const JobValueRow *row = event != NULL && job_event_get_table (event) != NULL
                                     && job_event_get_table (event)->rows->len > 0
                                 ? job_event_get_table (event)->rows->pdata[0]
                                 : NULL;

    if (row != NULL && row->groups->len > 0 && job_rank_set_is_empty (answer->old)) {
        const JobValueGroup *group = row->groups->pdata[0];
        g_autofree char *text = group->value->is_problem
                                    ? NULL
                                    : gui_value_text_dup_short (group->value);

        if (text != NULL) {
            copy (self, text);
        }
    }
    g_clear_pointer (&self->whole, session_query_free);
}

/* A cell shows the value abbreviated, so it is asked for again, of the viewed rank. */
static void
copy_whole (GuiValuePane *self, const char *expression)
{
    g_autoptr (JobRankSet) one = job_rank_set_new_range (self->shown_by, self->shown_by + 1);
    JobRequest *request;

    copy (self, gui_variable_view_get_shown (self->view, expression));
    g_clear_pointer (&self->whole, session_query_free);
    if (self->is_stale || self->session == NULL || session_is_ended (self->session)
        || is_shown_by_moving (self)) {
        return; /* what is shown is of an earlier moment */
    }
    request = job_request_new (JOB_VERB_PRINT, one);
    request->flags = JOB_REQUEST_WHOLE;
    request->text = g_strdup (expression);
    session_selection_mark (self->selection, request);
    self->whole = session_query_new (self->session, request, on_whole, self);
}

static void
on_chosen (GuiValuePane *self, const char *verb, const char *expression)
{
    if (g_str_equal (verb, "copy")) {
        copy_whole (self, expression);
        return;
    }
    if (g_str_equal (verb, "watch")) {
        g_signal_emit (self, signals[WATCH], 0, expression);
    } else if (g_str_equal (verb, "stop")) {
        g_autofree char *line = g_strdup_printf ("watch %s", expression);

        g_signal_emit (self, signals[RUN_LINE], 0, line);
    } else {
        g_signal_emit (self, signals[SHOW], 0, verb, expression);
    }
}

void
gui_value_pane_set_expressions (GuiValuePane *self, char **expressions)
{
    g_auto (GStrv) own = gui_value_pane_dup_expressions (self);

    if (g_strv_equal ((const char *const *) own, (const char *const *) expressions)) {
        return;
    }
    g_ptr_array_set_size (self->expressions, 0);
    for (guint i = 0; expressions[i] != NULL; i++) {
        g_ptr_array_add (self->expressions, g_strdup (expressions[i]));
    }
    gui_value_pane_refresh (self);
}

/* NULL: it has none. Borrowed. */
static const JobValue *
find_shown (const GuiValuePane *self, const JobValueRow *row)
{
    return BASE_PICK (row->groups, const JobValueGroup, group,
                      job_rank_set_contains (group->ranks, self->shown_by), group->value, NULL);
}

char *
gui_value_pane_format (GuiValuePane *self)
{
    GString *text = g_string_new (NULL);

    for (guint i = 0; !self->is_stale && self->table != NULL && i < self->table->rows->len;
         i++) {
        const JobValueRow *row = self->table->rows->pdata[i];
        const JobValue *value = find_shown (self, row);
        g_autofree char *shown = value != NULL && !value->is_problem
                                     ? gui_value_text_dup_line (value)
                                     : NULL;

        if (shown != NULL && !g_str_has_prefix (shown, "0x")) { /* no addresses */
            g_string_append_printf (text, "%s%s = %s", text->len > 0 ? "   " : "", row->name,
                                    shown);
        }
    }
    if (text->len == 0) {
        g_string_free (text, TRUE);
        return NULL;
    }
    return g_string_free (text, FALSE);
}

char **
gui_value_pane_dup_expressions (GuiValuePane *self)
{
    char **list = g_new0 (char *, self->expressions->len + 1);

    for (guint i = 0; i < self->expressions->len; i++) {
        list[i] = g_strdup (self->expressions->pdata[i]);
    }
    return list;
}

static void
enter_shown_by (gpointer user)
{
    GuiValuePane *self = user;

    if (self->asked != NULL && !job_rank_set_contains (self->asked, self->shown_by)) {
        gui_value_pane_refresh (self);
    } else {
        show_table (self);
    }
}

static void
enter_needed (gpointer user)
{
    GuiValuePane *self = user;

    if (self->is_needed && self->is_dirty) {
        gui_value_pane_refresh (self);
    }
}

static void
enter_ranks (gpointer user)
{
    GuiValuePane *self = user;

    if (self->ranks == NULL) {
        self->ranks = job_rank_set_new ();
    }
}

/* Nobody answers any more. */
static void
leave_source (gpointer user)
{
    GuiValuePane *self = user;

    g_ptr_array_set_size (self->asks, 0);
    g_ptr_array_set_size (self->parts, 0);
    g_clear_pointer (&self->whole, session_query_free);
}

/* What is shown is of the job before: the new one is not compared with it. */
static void
on_restarted (GuiValuePane *self)
{
    g_ptr_array_set_size (self->asks, 0);
    g_ptr_array_set_size (self->parts, 0);
    gui_variable_view_forget (self->view);
    gui_value_pane_note_stale (self);
}

static void
leave_session (gpointer user)
{
    GuiValuePane *self = user;

    g_signal_handlers_disconnect_by_data (self->session, self);
    leave_source (self);
}

static void
enter_session (gpointer user)
{
    GuiValuePane *self = user;

    if (self->session != NULL) {
        g_signal_connect_swapped (self->session, "restarted", G_CALLBACK (on_restarted), self);
    }
}

GUI_FINALIZE (gui_value_pane, GuiValuePane, g_clear_pointer (&self->whole, session_query_free);
              g_ptr_array_unref (self->asks); g_ptr_array_unref (self->parts);
              g_ptr_array_unref (self->expressions); job_value_table_free (self->table);
              job_rank_set_free (self->asked); g_free (self->reason))

static void
gui_value_pane_class_init (GuiValuePaneClass *klass)
{
    static const char *const names[] = { "run-line", "watch" };

    G_OBJECT_CLASS (klass)->dispose = gui_properties_dispose;
    GUI_PROPERTIES (klass, GuiValuePane,
                    (is_watch, G_TYPE_BOOLEAN, .flags = G_PARAM_CONSTRUCT_ONLY),
                    (is_line, G_TYPE_BOOLEAN, .flags = G_PARAM_CONSTRUCT_ONLY),
                    (is_needed, G_TYPE_BOOLEAN, .enter = enter_needed),
                    (session, SESSION_TYPE_SESSION, leave_session, enter_session),
                    (selection, SESSION_TYPE_SELECTION, leave_source),
                    (ranks, GUI_TYPE_RANK_SET, .enter = enter_ranks),
                    (shown_by, G_TYPE_UINT, .enter = enter_shown_by));
    G_OBJECT_CLASS (klass)->finalize = gui_value_pane_finalize;
    for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
        signals[i] = GUI_SIGNAL (klass, names[i], G_TYPE_STRING);
    }
    signals[SHOW] = GUI_SIGNAL (klass, "show-value", G_TYPE_STRING, G_TYPE_STRING);
    signals[WATCHES_CHANGED] = GUI_SIGNAL (klass, "watches-changed");
    signals[READ] = GUI_SIGNAL (klass, "read");
    GUI_ENSURE (GUI_TYPE_VARIABLE_VIEW, GUI_TYPE_VALUE_EDIT);
    GUI_TEMPLATE (klass, "value-pane.ui");
    GUI_CHILDREN (klass, GuiValuePane, view, edit);
    GUI_CALLBACKS (klass, on_map, on_edit_line, on_edited, on_expand, on_renamed, on_chosen);
}

static void
gui_value_pane_init (GuiValuePane *self)
{
    self->ranks = job_rank_set_new ();
    self->asks = g_ptr_array_new_with_free_func (free_ask);
    self->parts = g_ptr_array_new_with_free_func (free_ask);
    self->expressions = g_ptr_array_new_with_free_func (g_free);
    gtk_widget_init_template (GTK_WIDGET (self));
    gui_properties_share (self, "session", self->edit, NULL);
    gui_properties_share (self, "selection", self->edit, NULL);
}

GtkWidget *
gui_value_pane_new (gboolean is_watch)
{
    return g_object_new (GUI_TYPE_VALUE_PANE, "is-watch", is_watch, "visible", TRUE, NULL);
}
