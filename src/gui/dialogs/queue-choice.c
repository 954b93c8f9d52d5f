/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gui/dialogs/queue-choice.h"
#include <glib/gi18n.h>
#include <string.h>
#include "base/array.h"
#include "base/error.h"
#include "gui/dialogs/queue-field.h"
#include "gui/kit/template.h"
#include "gui/kit/theme.h"
#include "session/queues.h"

#define NOW "" /* the id of starting it now */

struct _GuiQueueChoice {
    GtkBox parent;
    Session *session;
    GtkWidget *which, *problem, *fields;
    GtkSizeGroup *labels;
    GPtrArray *queues;          /* of SessionQueue; NULL: not known yet */
    char *wanted, **wanted_set; /* remembered, until the queues are known */
    GCancellable *reading;
};

G_DEFINE_TYPE (GuiQueueChoice, gui_queue_choice, GTK_TYPE_BOX)

static guint changed_signal;

static const SessionQueue *
find_queue (GuiQueueChoice *self)
{
    const char *id = gtk_combo_box_get_active_id (GTK_COMBO_BOX (self->which));

    return BASE_FIND (id != NULL ? self->queues : NULL, SessionQueue, queue,
                      strcmp (queue->id, id) == 0);
}

const char *
gui_queue_choice_get_id (GuiQueueChoice *self)
{
    const SessionQueue *queue = find_queue (self);

    return queue != NULL ? queue->id : NULL;
}

gboolean
gui_queue_choice_check (GuiQueueChoice *self)
{
    g_autoptr (GList) fields = gtk_container_get_children (GTK_CONTAINER (self->fields));
    const SessionQueue *queue = find_queue (self);
    g_autoptr (GError) error = NULL;
    gboolean ok = queue == NULL || queue->problem == NULL;
    const char *problem = ok ? NULL : queue->problem;

    for (GList *link = fields; ok && link != NULL; link = link->next) {
        ok = gui_queue_field_check (GUI_QUEUE_FIELD (link->data), &error);
        problem = ok ? NULL : base_error_get_shown (error);
    }
    gtk_label_set_text (GTK_LABEL (self->problem), problem != NULL ? problem : "");
    gtk_widget_set_visible (self->problem, problem != NULL);
    return ok;
}

char **
gui_queue_choice_dup_fields (GuiQueueChoice *self)
{
    g_autoptr (GList) fields = gtk_container_get_children (GTK_CONTAINER (self->fields));
    g_autoptr (GPtrArray) texts = g_ptr_array_new ();

    for (GList *link = fields; link != NULL; link = link->next) {
        g_ptr_array_add (texts, gui_queue_field_dup (GUI_QUEUE_FIELD (link->data)));
    }
    g_ptr_array_add (texts, NULL);
    return (char **) g_ptr_array_free (g_steal_pointer (&texts), FALSE);
}

void
gui_queue_choice_remember (GuiQueueChoice *self, GKeyFile *memory, const char *group)
{
    const char *id = gui_queue_choice_get_id (self);
    g_auto (GStrv) fields = gui_queue_choice_dup_fields (self);

    g_key_file_set_string (memory, group, "queue", id != NULL ? id : NOW);
    g_key_file_set_string_list (memory, group, "queue-fields", (const char *const *) fields,
                                g_strv_length (fields));
}

static void
set_fields (GuiQueueChoice *self, const char *const *assignments)
{
    g_autoptr (GList) fields = gtk_container_get_children (GTK_CONTAINER (self->fields));

    for (GList *link = fields; link != NULL; link = link->next) {
        gui_queue_field_set (GUI_QUEUE_FIELD (link->data), assignments);
    }
}

static void
set_wanted (GuiQueueChoice *self)
{
    if (self->wanted == NULL || self->queues == NULL) {
        return;
    }
    if (!gtk_combo_box_set_active_id (GTK_COMBO_BOX (self->which), self->wanted)) {
        gtk_combo_box_set_active_id (GTK_COMBO_BOX (self->which), NOW);
    }
    set_fields (self, (const char *const *) self->wanted_set);
    g_clear_pointer (&self->wanted, g_free);
    g_clear_pointer (&self->wanted_set, g_strfreev);
}

void
gui_queue_choice_restore (GuiQueueChoice *self, GKeyFile *memory, const char *group)
{
    char *id = g_key_file_get_string (memory, group, "queue", NULL);

    g_free (self->wanted);
    g_strfreev (self->wanted_set);
    self->wanted = id != NULL ? id : g_strdup (NOW);
    self->wanted_set = g_key_file_get_string_list (memory, group, "queue-fields", NULL, NULL);
    set_wanted (self);
}

static void
on_field_changed (GuiQueueChoice *self)
{
    g_signal_emit (self, changed_signal, 0);
}

static void
on_which (GuiQueueChoice *self)
{
    g_autoptr (GList) before = gtk_container_get_children (GTK_CONTAINER (self->fields));
    const SessionQueue *queue = find_queue (self);

    for (GList *link = before; link != NULL; link = link->next) {
        gtk_widget_destroy (link->data);
    }
    for (guint i = 0; queue != NULL && i < queue->fields->len; i++) {
        GtkWidget *field = gui_queue_field_new (queue->fields->pdata[i], self->labels);

        g_signal_connect_object (field, "changed", G_CALLBACK (on_field_changed), self,
                                 G_CONNECT_SWAPPED);
        gtk_container_add (GTK_CONTAINER (self->fields), field);
    }
    g_signal_emit (self, changed_signal, 0);
}

static void
on_queues (GObject *source, GAsyncResult *result, gpointer user)
{
    g_autoptr (GError) error = NULL;
    g_autoptr (GPtrArray) queues = session_list_queues_finish (result, &error);
    GuiQueueChoice *self = user;

    if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED)) {
        return; /* it is gone */
    }
    self->queues = queues != NULL ? g_steal_pointer (&queues) : g_ptr_array_new ();
    BASE_EACH (self->queues, const SessionQueue, queue) {
        /* Translators: a batch system, such as Slurm. */
        g_autofree char *text = g_strdup_printf (_ ("Submit to %s"), queue->name);

        gtk_combo_box_text_append (GTK_COMBO_BOX_TEXT (self->which), queue->id, text);
    }
    gtk_widget_set_sensitive (self->which, self->queues->len > 0);
    gtk_widget_set_tooltip_text (self->which,
                                 self->queues->len > 0
                                     ? NULL
                                     : _ ("There is no batch system here that pddt knows, and "
                                          "no template in ~/.config/pddt/queues"));
    set_wanted (self);
}

static void
gui_queue_choice_constructed (GObject *object)
{
    GuiQueueChoice *self = GUI_QUEUE_CHOICE (object);

    G_OBJECT_CLASS (gui_queue_choice_parent_class)->constructed (object);
    gtk_combo_box_set_active (GTK_COMBO_BOX (self->which), 0);
}

/* Only once it can be seen does it matter which there are. */
static void
gui_queue_choice_map (GtkWidget *widget)
{
    GuiQueueChoice *self = GUI_QUEUE_CHOICE (widget);

    GTK_WIDGET_CLASS (gui_queue_choice_parent_class)->map (widget);
    if (self->queues == NULL && self->reading == NULL) {
        self->reading = g_cancellable_new ();
        session_list_queues_async (self->session, self->reading, on_queues, self);
    }
}

static gboolean
gui_queue_choice_mnemonic_activate (GtkWidget *widget, gboolean cycles)
{
    gtk_widget_grab_focus (GUI_QUEUE_CHOICE (widget)->which);
    return TRUE;
}

GUI_DISPOSE (gui_queue_choice, GuiQueueChoice, g_cancellable_cancel (self->reading);
             g_clear_object (&self->reading);
             gui_properties_clear (self, GUI_TYPE_QUEUE_CHOICE))

GUI_FINALIZE (gui_queue_choice, GuiQueueChoice,
              g_clear_pointer (&self->queues, g_ptr_array_unref);
              g_free (self->wanted); g_strfreev (self->wanted_set))

static void
gui_queue_choice_class_init (GuiQueueChoiceClass *klass)
{
    GtkWidgetClass *widget = GTK_WIDGET_CLASS (klass);

    G_OBJECT_CLASS (klass)->constructed = gui_queue_choice_constructed;
    G_OBJECT_CLASS (klass)->dispose = gui_queue_choice_dispose;
    G_OBJECT_CLASS (klass)->finalize = gui_queue_choice_finalize;
    GUI_PROPERTIES (klass, GuiQueueChoice, (session, SESSION_TYPE_SESSION));
    widget->map = gui_queue_choice_map;
    widget->mnemonic_activate = gui_queue_choice_mnemonic_activate;
    GUI_TEMPLATE (klass, "queue-choice.ui");
    GUI_CHILDREN (klass, GuiQueueChoice, which, problem, fields, labels);
    GUI_CALLBACKS (klass, on_which);
    changed_signal = GUI_SIGNAL (klass, "changed");
}

static void
gui_queue_choice_init (GuiQueueChoice *self)
{
    gtk_widget_init_template (GTK_WIDGET (self));
    gui_theme_name (self->which, "queue", _ ("Queue"));
    gui_theme_name (self->problem, "queue-problem", NULL);
    gtk_combo_box_text_append (GTK_COMBO_BOX_TEXT (self->which), NOW,
                               _ ("Start now, without a queue"));
}
