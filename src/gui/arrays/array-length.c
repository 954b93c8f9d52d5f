/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rank is asked for the expression's type; a dialog asks the user for the length. */
#include "gui/arrays/array-length.h"
#include <glib/gi18n.h>
#include <string.h>
#include "gui/arrays/array-window.h"
#include "gui/kit/theme.h"
#include "session/query.h"

#define ASK_KEY "pddt-array-length"

typedef struct {
    GtkWindow *parent; /* that has this as its data */
    Session *session;
    SessionSelection *selection; /* NULL: none */
    JobRankSet *ranks;
    guint32 rank;
    char *expression;
    SessionQuery *query;
    GtkWidget *dialog; /* NULL: not asked yet */
} Ask;

static void
free_ask (gpointer data)
{
    Ask *ask = data;

    session_query_free (ask->query);
    if (ask->dialog != NULL) {
        gtk_widget_destroy (ask->dialog);
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
on_response (GtkDialog *dialog, int response, Ask *ask)
{
    GtkWidget *entry = g_object_get_data (G_OBJECT (dialog), "entry");
    g_autofree char *array
        = response == GTK_RESPONSE_OK
              ? gui_array_length_format (ask->expression,
                                         gtk_entry_get_text (GTK_ENTRY (entry)))
              : NULL;

    if (response == GTK_RESPONSE_OK && array == NULL) {
        gtk_widget_grab_focus (entry);
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
    GtkWidget *dialog = gtk_dialog_new_with_buttons (_ ("Show as Array"), ask->parent,
                                                     GTK_DIALOG_MODAL
                                                         | GTK_DIALOG_DESTROY_WITH_PARENT
                                                         | GTK_DIALOG_USE_HEADER_BAR,
                                                     _ ("_Cancel"), GTK_RESPONSE_CANCEL,
                                                     _ ("_Show"), GTK_RESPONSE_OK, NULL);
    GtkWidget *box = gtk_dialog_get_content_area (GTK_DIALOG (dialog));
    GtkWidget *entry = gtk_entry_new ();
    g_autofree char *text
        = g_strdup_printf (_ ("%s is a pointer. How many elements does it point to?"),
                           ask->expression);
    GtkWidget *label = gtk_label_new (text);

    gtk_container_set_border_width (GTK_CONTAINER (box), 12);
    gtk_box_set_spacing (GTK_BOX (box), 8);
    gtk_label_set_line_wrap (GTK_LABEL (label), TRUE);
    gtk_label_set_max_width_chars (GTK_LABEL (label), 50);
    gtk_label_set_xalign (GTK_LABEL (label), 0);
    gtk_entry_set_activates_default (GTK_ENTRY (entry), TRUE);
    gtk_entry_set_placeholder_text (GTK_ENTRY (entry), _ ("A number, or an expression"));
    gui_theme_name (label, "array-length-text", NULL);
    gui_theme_name (entry, "array-length", _ ("Number of elements"));
    gtk_box_pack_start (GTK_BOX (box), label, FALSE, FALSE, 0);
    gtk_box_pack_start (GTK_BOX (box), entry, FALSE, FALSE, 0);
    gtk_dialog_set_default_response (GTK_DIALOG (dialog), GTK_RESPONSE_OK);
    g_object_set_data (G_OBJECT (dialog), "entry", entry);
    g_signal_connect (dialog, "response", G_CALLBACK (on_response), ask);
    ask->dialog = dialog;
    g_object_add_weak_pointer (G_OBJECT (dialog), (gpointer *) &ask->dialog);
    gtk_widget_show_all (dialog);
    gtk_widget_grab_focus (entry);
}

static void
on_type (SessionQuery *query, SessionAnswer *answer, gpointer user)
{
    static const char prefix[] = "type = ";
    Ask *ask = user;
    const char *type = NULL;

    for (guint i = 0; i < answer->groups->len; i++) {
        const JobEvent *event = g_ptr_array_index (answer->groups, i);

        if (event->kind == JOB_EVENT_TEXT && event->text != NULL
            && g_str_has_prefix (event->text, prefix)) {
            type = event->text + strlen (prefix);
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
