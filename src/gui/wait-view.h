/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Why the job does not get on: the sentence of `why`, the button that does what it offers, the
 * picture of who waits for whom, and the unfinished operations as a table. Asks only when told to.
 * Signal "run-line" (const char *line). */
#pragma once
#include <gtk/gtk.h>
#include "session/session.h"

#define GUI_TYPE_WAIT_VIEW (gui_wait_view_get_type ())
G_DECLARE_FINAL_TYPE (GuiWaitView, gui_wait_view, GUI, WAIT_VIEW, GtkBox)

GtkWidget *gui_wait_view_new (void);
void gui_wait_view_set_session (GuiWaitView *view, Session *session);
/* Asks for the session's focus. */
void gui_wait_view_ask (GuiWaitView *view);
