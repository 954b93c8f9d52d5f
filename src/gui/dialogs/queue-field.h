/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a template of a batch system leaves open: a label, and an entry, a choice or a text of several lines. Emits "changed". */
#pragma once
#include <gtk/gtk.h>
#include "session/queues.h"

#define GUI_TYPE_QUEUE_FIELD (gui_queue_field_get_type ())
G_DECLARE_FINAL_TYPE (GuiQueueField, gui_queue_field, GUI, QUEUE_FIELD, GtkBox)

/* labels: makes the labels of several as wide as the widest. Copies what it needs of the field. */
GtkWidget *gui_queue_field_new (const SessionQueueField *field, GtkSizeGroup *labels);
/* INVALID where the value does not fit. */
gboolean gui_queue_field_check (GuiQueueField *self, GError **error);
/* NAME=value; caller owns. */
char *gui_queue_field_dup (GuiQueueField *self);
/* Of "NAME=value" those of that name. */
void gui_queue_field_set (GuiQueueField *self, const char *const *assignments);
