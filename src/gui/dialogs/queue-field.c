/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gui/dialogs/queue-field.h"
#include <string.h>
#include "gui/kit/template.h"
#include "gui/kit/theme.h"

struct _GuiQueueField {
    GtkBox parent;
    char *field_name, *title, *value, *pattern; /* of the field */
    char *choices;                              /* one a line; NULL: others */
    gboolean has_lines;
    GtkWidget *label, *entry, *choice, *lines, *text;
};

G_DEFINE_TYPE (GuiQueueField, gui_queue_field, GTK_TYPE_BOX)

static guint changed_signal;

static char *
dup_value (GuiQueueField *self)
{
    GtkTextBuffer *buffer = gtk_text_view_get_buffer (GTK_TEXT_VIEW (self->text));
    GtkTextIter begin, end;

    if (self->choices != NULL) {
        const char *id = gtk_combo_box_get_active_id (GTK_COMBO_BOX (self->choice));

        return g_strdup (id != NULL ? id : "");
    }
    if (!self->has_lines) {
        return g_strdup (gtk_entry_get_text (GTK_ENTRY (self->entry)));
    }
    gtk_text_buffer_get_bounds (buffer, &begin, &end);
    return gtk_text_buffer_get_text (buffer, &begin, &end, FALSE);
}

static void
set_value (GuiQueueField *self, const char *value)
{
    if (self->choices != NULL) {
        gtk_combo_box_set_active_id (GTK_COMBO_BOX (self->choice), value);
    } else if (self->has_lines) {
        gtk_text_buffer_set_text (gtk_text_view_get_buffer (GTK_TEXT_VIEW (self->text)), value,
                                  -1);
    } else {
        gtk_entry_set_text (GTK_ENTRY (self->entry), value);
    }
}

static void
on_changed (GuiQueueField *self)
{
    g_signal_emit (self, changed_signal, 0);
}

gboolean
gui_queue_field_check (GuiQueueField *self, GError **error)
{
    g_autofree char *value = dup_value (self);
    const SessionQueueField field
        = { .label = self->title, .value = self->value, .pattern = self->pattern };

    return self->choices != NULL || session_queue_field_check (&field, value, error);
}

char *
gui_queue_field_dup (GuiQueueField *self)
{
    g_autofree char *value = dup_value (self);

    return g_strdup_printf ("%s=%s", self->field_name, value);
}

void
gui_queue_field_set (GuiQueueField *self, const char *const *assignments)
{
    gsize size = strlen (self->field_name);

    for (guint i = 0; assignments != NULL && assignments[i] != NULL; i++) {
        if (strncmp (assignments[i], self->field_name, size) == 0
            && assignments[i][size] == '=') {
            set_value (self, assignments[i] + size + 1);
        }
    }
}

static void
gui_queue_field_constructed (GObject *object)
{
    GuiQueueField *self = GUI_QUEUE_FIELD (object);
    g_autofree char *id = g_strdup_printf ("field-%s", self->field_name);
    g_auto (GStrv) choices = self->choices != NULL ? g_strsplit (self->choices, "\n", -1)
                                                   : NULL;
    GtkWidget *shown = choices != NULL   ? self->choice
                       : self->has_lines ? self->lines
                                         : self->entry;

    G_OBJECT_CLASS (gui_queue_field_parent_class)->constructed (object);
    for (guint i = 0; choices != NULL && choices[i] != NULL; i++) {
        gtk_combo_box_text_append (GTK_COMBO_BOX_TEXT (self->choice), choices[i], choices[i]);
    }
    gtk_widget_show (shown);
    gui_theme_name (shown == self->lines ? self->text : shown, id, self->title);
    gtk_label_set_text (GTK_LABEL (self->label), self->title);
    set_value (self, self->value);
}

static void
gui_queue_field_class_init (GuiQueueFieldClass *klass)
{
    G_OBJECT_CLASS (klass)->constructed = gui_queue_field_constructed;
    G_OBJECT_CLASS (klass)->dispose = gui_properties_dispose;
    GUI_PROPERTIES (klass, GuiQueueField,
                    (field_name, G_TYPE_STRING, .flags = G_PARAM_CONSTRUCT_ONLY),
                    (title, G_TYPE_STRING, .flags = G_PARAM_CONSTRUCT_ONLY),
                    (value, G_TYPE_STRING, .flags = G_PARAM_CONSTRUCT_ONLY),
                    (pattern, G_TYPE_STRING, .flags = G_PARAM_CONSTRUCT_ONLY),
                    (choices, G_TYPE_STRING, .flags = G_PARAM_CONSTRUCT_ONLY),
                    (has_lines, G_TYPE_BOOLEAN, .flags = G_PARAM_CONSTRUCT_ONLY));
    GUI_TEMPLATE (klass, "queue-field.ui");
    GUI_CHILDREN (klass, GuiQueueField, label, entry, choice, lines, text);
    GUI_CALLBACKS (klass, on_changed);
    changed_signal = GUI_SIGNAL (klass, "changed");
}

static void
gui_queue_field_init (GuiQueueField *self)
{
    gtk_widget_init_template (GTK_WIDGET (self));
}

GtkWidget *
gui_queue_field_new (const SessionQueueField *field, GtkSizeGroup *labels)
{
    g_autofree char *choices = field->choices != NULL && field->choices[0] != NULL
                                   ? g_strjoinv ("\n", field->choices)
                                   : NULL;
    GuiQueueField *self = g_object_new (GUI_TYPE_QUEUE_FIELD, "field-name", field->name,
                                        "title", field->label, "value", field->value, "pattern",
                                        field->pattern, "choices", choices, "has-lines",
                                        field->has_lines, NULL);

    gtk_size_group_add_widget (labels, self->label);
    return GTK_WIDGET (self);
}
