/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether the Run dialog's job starts now or is submitted to a batch system, which of those where the job is to be, and what
 * its template leaves open. Emits "changed". */
#pragma once
#include <gtk/gtk.h>

#define GUI_TYPE_QUEUE_CHOICE (gui_queue_choice_get_type ())
/* Property "session": whose host's batch systems; NULL: this host's, or that of --remote. */
G_DECLARE_FINAL_TYPE (GuiQueueChoice, gui_queue_choice, GUI, QUEUE_CHOICE, GtkBox)

const char *
gui_queue_choice_get_id (GuiQueueChoice *self); /* of the template; NULL: it starts now */
/* FALSE: something does not fit, which is shown. */
gboolean gui_queue_choice_check (GuiQueueChoice *self);
char **gui_queue_choice_dup_fields (GuiQueueChoice *self); /* NAME=value each */
/* In a group of the Run dialog's memory. */
void gui_queue_choice_remember (GuiQueueChoice *self, GKeyFile *memory, const char *group);
void gui_queue_choice_restore (GuiQueueChoice *self, GKeyFile *memory, const char *group);
