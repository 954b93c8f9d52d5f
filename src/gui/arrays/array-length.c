/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rank is asked for the expression's type; a dialog asks the user for the length. */
#include "gui/arrays/array-length.h"
#include <glib/gi18n.h>
#include <string.h>
#include "gui/arrays/array-window.h"
#include "gui/kit/template.h"
#include "gui/kit/theme.h"
#include "session/query.h"
#include "base/array.h"

#define ASK_KEY "pddt-array-length"

struct _GuiArrayLength {
    GtkDialog parent;
    char *expression;
    GtkWidget *text, *entry;
};

G_DEFINE_TYPE (GuiArrayLength, gui_array_length, GTK_TYPE_DIALOG)

typedef struct {
    GtkWindow *parent; /* that has this as its data */
    Session *session;
    SessionSelection *selection; /* NULL: none */
    JobRankSet *ranks;
    guint32 rank;
    char *expression;
    SessionQuery *query;
    GuiArrayLength *dialog; /* NULL: not asked yet */
} Ask;

static void
free_ask (gpointer data)
{
    Ask *ask = data;

    session_query_free (ask->query);
    if (ask->dialog != NULL) {
        gtk_widget_destroy (GTK_WIDGET (ask->dialog));
    }
    g_clear_object (&ask->session);
    g_clear_object (&ask->selection);
    job_rank_set_free (ask->ranks);
    g_free (ask->expression);
    g_free (ask);
}

gboolean
gui_array_length_is_pointer (const char *type)
{
    static const char *const endings[] = { "const", "volatile", "restrict", "&", " " };
    g_autofree char *text = g_strdup (type);
    gboolean is_shorter = TRUE;

    while (is_shorter) {
        is_shorter = FALSE;
        for (guint i = 0; i < G_N_ELEMENTS (endings); i++) {
            if (g_str_has_suffix (text, endings[i])) {
                text[strlen (text) - strlen (endings[i])] = '\0';
                is_shorter = TRUE;
            }
        }
    }
    return g_str_has_suffix (text, "*") && !g_str_has_suffix (text, "void *");
}

char *
gui_array_length_format (const char *pointer, const char *length)
{
    g_autofree char *count = g_strstrip (g_strdup (length));
    gboolean is_plain = strspn (pointer, G_CSET_a_2_z G_CSET_A_2_Z "_" G_CSET_DIGITS)
                        == strlen (pointer);
    gboolean is_word = strspn (count, G_CSET_a_2_z G_CSET_A_2_Z "_" G_CSET_DIGITS)
                       == strlen (count);

    return *count == '\0' ? NULL
                          : g_strdup_printf ("%s%s%s@%s%s%s", is_plain ? "*" : "*(", pointer,
                                             is_plain ? "" : ")", is_word ? "" : "(", count,
                                             is_word ? "" : ")");
}

static void
open_window (Ask *ask, const char *expression)
{
    gui_array_window_open (ask->parent, ask->session, ask->selection, ask->ranks, ask->rank,
                           expression);
    g_object_set_data (G_OBJECT (ask->parent), ASK_KEY, NULL); /* frees it */
}

static void
on_response (GuiArrayLength *dialog, int response, Ask *ask)
{
    g_autofree char *array
        = response == GTK_RESPONSE_OK
              ? gui_array_length_format (ask->expression,
                                         gtk_entry_get_text (GTK_ENTRY (dialog->entry)))
              : NULL;

    if (response == GTK_RESPONSE_OK && array == NULL) {
        gtk_widget_grab_focus (dialog->entry);
        return;
    }
    g_signal_handlers_disconnect_by_data (dialog, ask);
    if (array != NULL) {
        open_window (ask, array);
    } else {
        g_object_set_data (G_OBJECT (ask->parent), ASK_KEY, NULL);
    }
}

static void
ask_length (Ask *ask)
{
    ask->dialog = g_object_new (GUI_TYPE_ARRAY_LENGTH, "use-header-bar", TRUE, "transient-for",
                                ask->parent, "expression", ask->expression, NULL);
    g_object_add_weak_pointer (G_OBJECT (ask->dialog), (gpointer *) &ask->dialog);
    g_signal_connect (ask->dialog, "response", G_CALLBACK (on_response), ask);
    gtk_widget_show (GTK_WIDGET (ask->dialog));
}

static void
on_type (SessionQuery *query, SessionAnswer *answer, gpointer user)
{
    Ask *ask = user;
    const char *type = NULL;

    BASE_EACH (answer->groups, const JobEvent, event) {
        if (event->kind == JOB_EVENT_TEXT && event->text2 != NULL) {
            type = event->text2;
        }
    }
    if (type != NULL && gui_array_length_is_pointer (type)) {
        g_clear_pointer (&ask->query, session_query_free);
        ask_length (ask);
    } else {
        open_window (ask, ask->expression); /* which says what is wrong with it */
    }
}

void
gui_array_length_open (GtkWindow *parent, Session *session, SessionSelection *selection,
                       const JobRankSet *ranks, guint32 rank, const char *expression)
{
    g_autoptr (JobRankSet) one = job_rank_set_new_range (rank, rank + 1);
    JobRequest *request = job_request_new (JOB_VERB_WHATIS, one);
    Ask *ask = g_new0 (Ask, 1);

    ask->parent = parent;
    ask->session = g_object_ref (session);
    g_set_object (&ask->selection, selection);
    ask->ranks = job_rank_set_dup (ranks);
    ask->rank = rank;
    ask->expression = g_strdup (expression);
    g_object_set_data_full (G_OBJECT (parent), ASK_KEY, ask, free_ask);
    request->text = g_strdup (expression);
    if (selection != NULL) {
        session_selection_mark (selection, request);
    }
    ask->query = session_query_new (session, request, on_type, ask);
}

/* ---- the dialog ---- */

/* The buttons are in the header bar from now on. */
static void
gui_array_length_constructed (GObject *object)
{
    GuiArrayLength *self = GUI_ARRAY_LENGTH (object);
    g_autofree char *text
        = g_strdup_printf (_ ("%s is a pointer. How many elements does it point to?"),
                           self->expression);

    G_OBJECT_CLASS (gui_array_length_parent_class)->constructed (object);
    gtk_dialog_set_default_response (GTK_DIALOG (self), GTK_RESPONSE_OK);
    gtk_label_set_text (GTK_LABEL (self->text), text);
    gtk_widget_grab_focus (self->entry);
}

static void
gui_array_length_class_init (GuiArrayLengthClass *klass)
{
    G_OBJECT_CLASS (klass)->constructed = gui_array_length_constructed;
    G_OBJECT_CLASS (klass)->dispose = gui_properties_dispose;
    GUI_PROPERTIES (klass, GuiArrayLength,
                    (expression, G_TYPE_STRING, .flags = G_PARAM_CONSTRUCT_ONLY));
    GUI_TEMPLATE (klass, "array-length.ui");
    GUI_CHILDREN (klass, GuiArrayLength, text, entry);
}

static void
gui_array_length_init (GuiArrayLength *self)
{
    gtk_widget_init_template (GTK_WIDGET (self));
    gui_theme_name (self->text, "array-length-text", NULL);
    gui_theme_name (self->entry, "array-length", _ ("Number of elements"));
}
