/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The button that carries out the suggestion of a verdict. */
#pragma once
#include <gtk/gtk.h>
#include "session/session.h"

/* Labels the button with what the verdict's command does ("Show Rank 5"); the tooltip is the command
 * itself. Hides the button if the verdict has no command. verdict: NULL, none. */
void gui_suggestion_show (GtkWidget *button, const AnalysisVerdict *verdict);
