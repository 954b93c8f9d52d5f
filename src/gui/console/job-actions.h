/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The actions "restart" and "stop-job" on a window's map: lines of its panel. */
#pragma once
#include "gui/kit/command-panel.h"

/* The panel lives as long as the window. */
void gui_job_actions_add (GActionMap *window, GuiCommandPanel *panel);
/* Enables Restart and Stop where they can work. */
void gui_job_actions_update (GActionMap *window, Session *session);
