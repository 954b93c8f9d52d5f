/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Problems among the session's messages, the gravest first, and verdicts on ranks that cannot go on, until
 * the user closes the bar. Signals: "open" (gpointer JobRankSet*, borrowed): wants a window of these ranks;
 * "run-line" (const char *line): as for gui_command_panel_suggest. Property "session". */
#pragma once
#include <gtk/gtk.h>

#define GUI_TYPE_PROBLEM_BAR (gui_problem_bar_get_type ())
G_DECLARE_FINAL_TYPE (GuiProblemBar, gui_problem_bar, GUI, PROBLEM_BAR, GtkInfoBar)
