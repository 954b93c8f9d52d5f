/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The actions that move ranks, the same in every window: each runs a line of the command language
 * in the window's panel. */
#pragma once
#include "gui/kit/command-panel.h"

/* Ranks that the window acts on. Caller owns; may be empty. */
typedef JobRankSet *(*GuiDebugSet) (gpointer window);

void gui_debug_actions_add (GActionMap *window, GuiCommandPanel *panel, GuiDebugSet get_set);
/* Enables the actions: continue and steps need a stopped rank, pause one that moves or may by itself; none works
 * after the end, and only the choice of a frame on core files. */
void gui_debug_actions_update (GActionMap *window, Session *session, const JobRankSet *set);
