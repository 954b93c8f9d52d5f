/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a trace says of ranks that send to each other and wait for each other: the communication matrix, and below it
 * the wait states, each with both places. */
#pragma once
#include "gui/profile/profile-view.h"

#define GUI_TYPE_COMMUNICATION_VIEW (gui_communication_view_get_type ())
G_DECLARE_FINAL_TYPE (GuiCommunicationView, gui_communication_view, GUI, COMMUNICATION_VIEW,
                      GtkBox)

GtkWidget *gui_communication_view_new (GuiProfileSelection *selection);
/* TRUE: the profile is a trace with messages or wait states. */
gboolean gui_communication_view_has_any (GuiCommunicationView *view);
