/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The button that carries out the suggestion of a verdict. */
#pragma once
#include <gtk/gtk.h>
#include "session/session.h"

/* The same, and behind the button one for each further fault of the verdict. The line of one that is pressed goes to
 * `run`; that of the first button is its owner's. */
typedef void (*GuiSuggestionRun) (gpointer user, const char *line);
void gui_suggestion_show_all (GtkWidget *first, const AnalysisVerdict *verdict,
                              GuiSuggestionRun run, gpointer user);
