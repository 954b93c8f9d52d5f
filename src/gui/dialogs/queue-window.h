/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A job that was submitted, until it has started and another process of pddt has taken it. Closing asks what becomes of it.
 * Signal "over": with a text: why it is not debugged ("": the user has cancelled it); with NULL: nothing is left to do. */
#pragma once
#include <gtk/gtk.h>
#include "session/queues.h"

#define GUI_TYPE_QUEUE_WINDOW (gui_queue_window_get_type ())
G_DECLARE_FINAL_TYPE (GuiQueueWindow, gui_queue_window, GUI, QUEUE_WINDOW, GtkApplicationWindow)

/* session: as it was submitted with; command: the job's line. */
GtkWidget *gui_queue_window_new (GtkApplication *application, Session *session,
                                 const SessionSubmitted *submitted, const char *command);
