/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The windows that show one expression of a group view's ranks. */
#pragma once
#include <gtk/gtk.h>
#include "session/selection.h"

/* as: "array" or "compare". view: has the signal "set-chosen", by which ranks that are chosen in the window are told
 * while both live. rank: the viewed one. */
void gui_value_window_open (GtkWidget *view, const char *as, Session *session,
                            SessionSelection *selection, const JobRankSet *ranks, guint32 rank,
                            const char *expression);
