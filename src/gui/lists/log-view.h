/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The session's messages (session/messages.h) as text, with the time. A message about a rank leads to where
 * that was: signal "place-chosen" (rank, file or NULL, line), by a double click or Return. Property
 * "session". */
#pragma once
#include <gtk/gtk.h>
#include "session/session.h"

#define GUI_TYPE_LOG_VIEW (gui_log_view_get_type ())
G_DECLARE_FINAL_TYPE (GuiLogView, gui_log_view, GUI, LOG_VIEW, GtkTextView)
