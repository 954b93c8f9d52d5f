/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Old values are asked for before the first change, so that undoing needs no memory of what panes
 * have shown. */
#include "gui/values/value-edit.h"
#include <glib/gi18n.h>
#include <string.h>
#include "gui/kit/template.h"
#include "gui/kit/theme.h"
#include "session/query.h"
#include "base/array.h"

typedef struct {
    JobRankSet *ranks;
    char *text;
} Old;

struct _GuiValueEdit {
    GtkRevealer parent;
    GtkWidget *text, *all, *undo, *close;
    Session *session;
    SessionSelection *selection;
    SessionQuery *query; /* for the old values; NULL: answered */
    JobRankSet *stopped, *changed;
    GPtrArray *old; /* of Old */
    char *expression, *value;
    guint32 rank, frame;
    guint64 stop;
};

G_DEFINE_TYPE (GuiValueEdit, gui_value_edit, GTK_TYPE_REVEALER)

static guint run_line_signal;

BASE_FREE (free_old, Old, old, job_rank_set_free (old->ranks); g_free (old->text))

static guint32
find_frame (GuiValueEdit *self)
{
    guint32 frame = 0;

    session_selection_find_frame (self->selection, self->rank, &frame);
    return frame;
}

static guint64
find_stop (GuiValueEdit *self)
{
    const SessionRank info = session_get_rank (self->session, self->rank);

    return info.is_there ? info.stop : 0;
}

/* As it can be assigned again: all digits of a floating-point number; of a character the number. */
static char *
dup_assignable (const JobValue *value)
{
    const char *text = value->text != NULL ? value->text : "";

    if (value->is_number && strpbrk (text, ".e") != NULL) {
        char digits[G_ASCII_DTOSTR_BUF_SIZE];

        return g_strdup (g_ascii_dtostr (digits, sizeof digits, value->number));
    }
    return g_strndup (text, value->is_number ? strcspn (text, " ") : strlen (text));
}

static void
run (GuiValueEdit *self, const JobRankSet *ranks, const char *text)
{
    g_autofree char *set = job_rank_set_format (ranks);
    g_autofree char *line = g_strdup_printf ("on %s set var %s = %s", set, self->expression,
                                             text);

    g_signal_emit (self, run_line_signal, 0, line);
}

static void
show (GuiValueEdit *self)
{
    guint n = (guint) job_rank_set_get_count (self->changed);
    guint n_all = (guint) job_rank_set_get_count (self->stopped);
    g_autofree char *where = n > 1 ? g_strdup_printf (ngettext ("on %u rank", "on %u ranks", n),
                                                      n)
                                   : g_strdup_printf (_ ("on rank %u only"), self->rank);
    g_autofree char *text = g_strdup_printf ("%s = %s · %s", self->expression, self->value,
                                             where);
    g_autofree char *all = g_strdup_printf (ngettext ("On %u Rank", "On All %u Ranks", n_all),
                                            n_all);

    gtk_label_set_text (GTK_LABEL (self->text), text);
    gtk_widget_set_tooltip_text (self->text, text);
    gtk_button_set_label (GTK_BUTTON (self->all), all);
    gtk_widget_set_visible (self->all, n < n_all);
    gtk_widget_set_sensitive (self->undo, self->old->len > 0);
    gtk_revealer_set_reveal_child (GTK_REVEALER (self), TRUE);
}

static void
hide (GuiValueEdit *self)
{
    g_clear_pointer (&self->query, session_query_free);
    gtk_revealer_set_reveal_child (GTK_REVEALER (self), FALSE);
}

static void
note_old (GuiValueEdit *self, const JobEvent *event)
{
    const JobValueRow *row = job_event_get_table (event) != NULL
                                     && job_event_get_table (event)->rows->len > 0
                                 ? job_event_get_table (event)->rows->pdata[0]
                                 : NULL;

    for (guint i = 0; row != NULL && i < row->groups->len; i++) {
        const JobValueGroup *group = row->groups->pdata[i];

        if (!group->value->is_problem && !group->value->expandable
            && group->value->rest == 0) { /* the text is the whole value */
            Old *old = g_new (Old, 1);

            *old = (Old){ job_rank_set_dup (group->ranks), dup_assignable (group->value) };
            g_ptr_array_add (self->old, old);
        }
    }
}

static void
on_old (SessionQuery *query, SessionAnswer *answer, gpointer user)
{
    GuiValueEdit *self = user;

    for (guint i = 0; i < answer->groups->len; i++) {
        note_old (self, g_ptr_array_index (answer->groups, i));
    }
    g_clear_pointer (&self->query, session_query_free);
    show (self);
    run (self, self->changed, self->value);
}

void
gui_value_edit_begin (GuiValueEdit *self, const JobRankSet *stopped, guint32 rank,
                      const char *expression, const char *text)
{
    JobRequest *request = job_request_new (JOB_VERB_PRINT, stopped);

    hide (self);
    job_rank_set_free (self->stopped);
    job_rank_set_free (self->changed);
    g_free (self->expression);
    g_free (self->value);
    self->stopped = job_rank_set_dup (stopped);
    self->changed = job_rank_set_new_range (rank, rank + 1);
    self->expression = g_strdup (expression);
    self->value = g_strdup (text);
    self->rank = rank;
    self->frame = find_frame (self);
    self->stop = find_stop (self);
    g_ptr_array_set_size (self->old, 0);
    request->text = g_strdup (expression);
    session_selection_mark (self->selection, request);
    self->query = session_query_new (self->session, request, on_old, self);
}

void
gui_value_edit_update (GuiValueEdit *self)
{
    if (self->session != NULL && self->selection != NULL
        && (find_stop (self) != self->stop || find_frame (self) != self->frame)) {
        hide (self);
    }
}

static void
on_all (GuiValueEdit *self)
{
    job_rank_set_merge (self->changed, self->stopped);
    show (self);
    run (self, self->changed, self->value);
}

static void
on_undo (GuiValueEdit *self)
{
    hide (self);
    for (guint i = 0; i < self->old->len; i++) {
        const Old *old = self->old->pdata[i];
        g_autoptr (JobRankSet) ranks = job_rank_set_intersect (old->ranks, self->changed);

        if (!job_rank_set_is_empty (ranks)) {
            run (self, ranks, old->text);
        }
    }
}

static void
leave_source (gpointer self)
{
    g_clear_pointer (&GUI_VALUE_EDIT (self)->query, session_query_free);
}

static void
enter_source (gpointer self)
{
    hide (self);
}

GUI_DISPOSE (gui_value_edit, GuiValueEdit, g_clear_pointer (&self->query, session_query_free);
             gui_properties_clear (self, GUI_TYPE_VALUE_EDIT))

GUI_FINALIZE (gui_value_edit, GuiValueEdit, job_rank_set_free (self->stopped);
              job_rank_set_free (self->changed); g_ptr_array_unref (self->old);
              g_free (self->expression); g_free (self->value))

static void
gui_value_edit_class_init (GuiValueEditClass *klass)
{
    G_OBJECT_CLASS (klass)->dispose = gui_value_edit_dispose;
    GUI_PROPERTIES (klass, GuiValueEdit,
                    (session, SESSION_TYPE_SESSION, leave_source, enter_source),
                    (selection, SESSION_TYPE_SELECTION, leave_source, enter_source));
    G_OBJECT_CLASS (klass)->finalize = gui_value_edit_finalize;
    run_line_signal = GUI_SIGNAL (klass, "run-line", G_TYPE_STRING);
    GUI_TEMPLATE (klass, "value-edit.ui");
    GUI_CHILDREN (klass, GuiValueEdit, text, all, undo, close);
    GUI_CALLBACKS (klass, on_all, on_undo, hide);
}

static void
gui_value_edit_init (GuiValueEdit *self)
{
    self->old = g_ptr_array_new_with_free_func (free_old);
    gtk_widget_init_template (GTK_WIDGET (self));
    gui_theme_name (self->text, "edit-text", NULL);
    gui_theme_name (self->all, "edit-all", NULL);
    gui_theme_name (self->undo, "edit-undo", NULL);
    gui_theme_name (self->close, "edit-close", _ ("Close"));
}
