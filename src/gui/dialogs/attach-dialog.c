/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists processes when it is opened and on Update; the session reports those that have ended
 * meanwhile. */
#include "gui/dialogs/attach-dialog.h"
#include <glib/gi18n.h>
#include "base/array.h"
#include "base/error.h"
#include <string.h>
#include "gui/kit/hint.h"
#include "gui/kit/list-merge.h"
#include "gui/kit/template.h"
#include "gui/kit/theme.h"
#include "session/sources.h"

/* attach-dialog.ui has numbers of these. */
enum { PID, IS_LAUNCHER, USER, RANKS, SINCE, COMMAND, N_COLUMNS };
enum { JOBS, PROCESSES, N_PAGES };

struct _GuiAttachDialog {
    GuiStartDialog parent;
    GtkListStore *store;
    GtkTreeModel *shown[N_PAGES];
    Session *session;          /* NULL: this host's processes */
    GtkWidget *views[N_PAGES]; /* jobs, processes */
    GtkWidget *jobs, *processes, *stack, *filter, *update, *attach, *ranks, *ranks_row,
        *problem;
};

G_DEFINE_TYPE (GuiAttachDialog, gui_attach_dialog, GUI_TYPE_START_DIALOG)

static guint
get_page (GuiAttachDialog *self)
{
    const char *name = gtk_stack_get_visible_child_name (GTK_STACK (self->stack));

    return g_strcmp0 (name, "processes") == 0 ? PROCESSES : JOBS;
}

static GtkTreeSelection *
get_selection (GuiAttachDialog *self)
{
    return gtk_tree_view_get_selection (GTK_TREE_VIEW (self->views[get_page (self)]));
}

static char *
format_since (gint64 since_us)
{
    g_autoptr (GDateTime) then
        = since_us > 0 ? g_date_time_new_from_unix_local (since_us / G_USEC_PER_SEC) : NULL;
    gboolean is_today = g_get_real_time () - since_us < (gint64) 20 * 3600 * G_USEC_PER_SEC;

    return then != NULL ? g_date_time_format (then, is_today ? "%H:%M:%S" : "%x %H:%M")
                        : g_strdup ("");
}

static void
fill (GuiAttachDialog *self, GPtrArray *list)
{
    g_autoptr (GtkListStore) fresh = gui_list_new_alike (self->store);

    BASE_EACH (list, const SessionRunning, running) {
        g_autofree char *since = format_since (running->since_us);
        g_autofree char *ranks = !running->is_launcher ? g_strdup ("")
                                 : running->n_ranks == 0 && running->elsewhere == NULL
                                     ? g_strdup ("?")
                                 : running->elsewhere == NULL
                                     ? g_strdup_printf ("%u", running->n_ranks)
                                     : g_strdup_printf (_ ("%u here, %s"), running->n_ranks,
                                                        running->elsewhere);

        gtk_list_store_insert_with_values (fresh, NULL, -1, PID, running->pid, IS_LAUNCHER,
                                           running->is_launcher, USER, running->user, RANKS,
                                           ranks, SINCE, since, COMMAND, running->command, -1);
    }
    gui_list_merge (self->store, fresh, PID);
}

static void
on_running (GObject *source, GAsyncResult *result, gpointer user)
{
    g_autoptr (GError) error = NULL;
    g_autoptr (GPtrArray) list = session_list_running_finish (result, &error);

    if (list != NULL) { /* else the dialog is gone, or asks again */
        fill (user, list);
    }
}

static void
begin_reading (GuiAttachDialog *self)
{
    session_list_running_async (self->session,
                                gui_start_dialog_begin_reading (GUI_START_DIALOG (self)),
                                on_running, self);
}

/* Case-insensitively. */
static gboolean
has_text (const char *command, const char *wanted)
{
    g_autofree char *all = g_utf8_casefold (command, -1);
    g_autofree char *part = g_utf8_casefold (wanted, -1);

    return strstr (all, part) != NULL;
}

static gboolean
passes (GuiAttachDialog *self, GtkTreeModel *model, GtkTreeIter *iter, gboolean wants_launcher)
{
    const char *filter = gtk_entry_get_text (GTK_ENTRY (self->filter));
    g_autofree char *command = NULL, *user = NULL, *number = NULL;
    gboolean is_launcher;
    guint pid;

    gtk_tree_model_get (model, iter, COMMAND, &command, PID, &pid, IS_LAUNCHER, &is_launcher,
                        USER, &user, -1);
    number = g_strdup_printf ("%u", pid);
    return is_launcher == wants_launcher
           && (*filter == '\0' || (command != NULL && has_text (command, filter))
               || g_str_has_prefix (number, filter) || g_strcmp0 (user, filter) == 0);
}

static gboolean
is_shown_job (GtkTreeModel *model, GtkTreeIter *iter, gpointer user)
{
    return passes (user, model, iter, TRUE);
}

static gboolean
is_shown_process (GtkTreeModel *model, GtkTreeIter *iter, gpointer user)
{
    return passes (user, model, iter, FALSE);
}

static char *
dup_chosen (GuiAttachDialog *self)
{
    GList *rows = gtk_tree_selection_get_selected_rows (get_selection (self), NULL);
    GString *pids = g_string_new (NULL);

    for (GList *link = rows; link != NULL; link = link->next) {
        GtkTreeIter iter;
        guint pid;

        gtk_tree_model_get_iter (self->shown[get_page (self)], &iter, link->data);
        gtk_tree_model_get (self->shown[get_page (self)], &iter, PID, &pid, -1);
        g_string_append_printf (pids, "%s%u", pids->len > 0 ? "," : "", pid);
    }
    g_list_free_full (rows, (GDestroyNotify) gtk_tree_path_free);
    return g_string_free (pids, FALSE);
}

/* "" and "all": everybody. */
static gboolean
check_ranks (GuiAttachDialog *self, char **ret_ranks)
{
    g_autofree char *text
        = g_strstrip (g_strdup (gtk_entry_get_text (GTK_ENTRY (self->ranks))));
    g_autoptr (GError) error = NULL;
    g_autoptr (JobRankSet) set = NULL;

    *ret_ranks = NULL;
    if (*text != '\0' && strcmp (text, "all") != 0) {
        set = job_rank_set_parse (text, G_MAXUINT32, &error);
        *ret_ranks = set != NULL ? g_steal_pointer (&text) : NULL;
    }
    gtk_label_set_text (GTK_LABEL (self->problem),
                        error != NULL ? base_error_get_shown (error) : "");
    return error == NULL;
}

/* What was wrong was said of another text. */
static void
on_ranks (GuiAttachDialog *self)
{
    gtk_label_set_text (GTK_LABEL (self->problem), "");
}

static void
on_attach (GuiAttachDialog *self)
{
    g_autofree char *pids = dup_chosen (self), *ranks = NULL;
    const char *const nothing[] = { NULL };
    SessionOptions options = { .argv = nothing, .timeout_s = 60 };

    if (*pids == '\0' || (get_page (self) == JOBS && !check_ranks (self, &ranks))) {
        return;
    }
    if (get_page (self) == JOBS) {
        options.attach_job = pids;
        options.attach_ranks = ranks;
    } else {
        options.attach = pids;
    }
    gui_start_dialog_start (GUI_START_DIALOG (self), &options);
}

static void
on_selection (GuiAttachDialog *self)
{
    gtk_widget_set_sensitive (self->attach,
                              gtk_tree_selection_count_selected_rows (get_selection (self))
                                  > 0);
    gtk_widget_set_sensitive (self->ranks_row, get_page (self) == JOBS);
}

/* Why a list is empty. */
static void
show_hints (GuiAttachDialog *self)
{
    gboolean is_filtered = *gtk_entry_get_text (GTK_ENTRY (self->filter)) != '\0';

    gui_hint_set (
        self->jobs,
        is_filtered
            ? _ ("No match")
            : _ ("No launcher is running on this host: start one, or choose Processes"));
    gui_hint_set (self->processes,
                  is_filtered ? _ ("No match") : _ ("No process that you can attach to"));
}

static void
on_filter (GuiAttachDialog *self)
{
    show_hints (self);
    for (guint i = 0; i < N_PAGES; i++) {
        gtk_tree_model_filter_refilter (GTK_TREE_MODEL_FILTER (self->shown[i]));
    }
}

static void
gui_attach_dialog_constructed (GObject *object)
{
    G_OBJECT_CLASS (gui_attach_dialog_parent_class)->constructed (object);
    begin_reading (GUI_ATTACH_DIALOG (object));
}

static void
gui_attach_dialog_finalize (GObject *object)
{
    for (guint i = 0; i < N_PAGES; i++) {
        g_object_unref (GUI_ATTACH_DIALOG (object)->shown[i]);
    }
    g_object_unref (GUI_ATTACH_DIALOG (object)->store);
    G_OBJECT_CLASS (gui_attach_dialog_parent_class)->finalize (object);
}

static void
prepare_list (GuiAttachDialog *self, guint page, const char *id, const char *title)
{
    self->shown[page] = gtk_tree_model_filter_new (GTK_TREE_MODEL (self->store), NULL);
    gtk_tree_model_filter_set_visible_func (GTK_TREE_MODEL_FILTER (self->shown[page]),
                                            page == JOBS ? is_shown_job : is_shown_process,
                                            self, NULL);
    gtk_tree_view_set_model (GTK_TREE_VIEW (self->views[page]), self->shown[page]);
    gui_theme_name (self->views[page], id, title);
}

static void
gui_attach_dialog_class_init (GuiAttachDialogClass *klass)
{
    G_OBJECT_CLASS (klass)->constructed = gui_attach_dialog_constructed;
    G_OBJECT_CLASS (klass)->finalize = gui_attach_dialog_finalize;
    G_OBJECT_CLASS (klass)->dispose = gui_properties_dispose;
    GUI_PROPERTIES (klass, GuiAttachDialog,
                    (session, SESSION_TYPE_SESSION, .flags = G_PARAM_CONSTRUCT_ONLY));
    GUI_TEMPLATE (klass, "attach-dialog.ui");
    GUI_CHILDREN (klass, GuiAttachDialog, jobs, processes, stack, filter, update, attach, ranks,
                  ranks_row, problem);
    GUI_CALLBACKS (klass, begin_reading, on_attach, on_ranks, on_filter, on_selection);
}

static void
gui_attach_dialog_init (GuiAttachDialog *self)
{
    gtk_widget_init_template (GTK_WIDGET (self));
    self->views[JOBS] = self->jobs;
    self->views[PROCESSES] = self->processes;
    self->store = gtk_list_store_new (N_COLUMNS, G_TYPE_UINT, G_TYPE_BOOLEAN, G_TYPE_STRING,
                                      G_TYPE_STRING, G_TYPE_STRING, G_TYPE_STRING);
    gui_theme_name (self->filter, "process-filter", _ ("Command, process or user"));
    gui_theme_name (self->update, "attach-update", _ ("Update"));
    gui_theme_name (self->attach, "attach", NULL);
    gui_theme_name (self->ranks, "attach-ranks", _ ("Ranks"));
    gui_theme_name (self->problem, "attach-problem", NULL);
    prepare_list (self, JOBS, "jobs", _ ("Jobs"));
    prepare_list (self, PROCESSES, "processes", _ ("Processes"));
    show_hints (self);
    on_selection (self);
}

GtkWidget *
gui_attach_dialog_new (GtkWindow *parent, Session *session)
{
    return g_object_new (GUI_TYPE_ATTACH_DIALOG, "transient-for", parent, "session", session,
                         NULL);
}
