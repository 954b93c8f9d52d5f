/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What of an array is shown, and of which: a row with the entry "Only where", and, for arrays of several ranks, how they
 * become one: stacked, with the rank as one more dimension, or joined along one of theirs in an order of ranks. Signals:
 * "filtered" (): another filter; "combined" (): the arrays become one in another way, and are to be asked for again.
 * Properties: "ranks" (GUI_TYPE_RANK_SET): those that may be joined; "is-many": there are arrays of several ranks. */
#pragma once
#include <gtk/gtk.h>
#include "gui/arrays/array-data.h"

#define GUI_TYPE_ARRAY_CHOICE (gui_array_choice_get_type ())
G_DECLARE_FINAL_TYPE (GuiArrayChoice, gui_array_choice, GUI, ARRAY_CHOICE, GtkBox)

/* The arrays of these ranks (of guint32, as many, ascending) as one. NULL: they cannot become one so. Caller owns. */
GuiArrayData *gui_array_choice_combine (GuiArrayChoice *choice, GPtrArray *arrays,
                                        const GArray *ranks, GError **error);
/* Hides what is not wanted of it; rank as in gui_array_filter_apply. FALSE: the filter cannot be understood, and all is
 * shown. INVALID. */
gboolean gui_array_choice_filter (GuiArrayChoice *choice, GuiArrayData *data, guint32 rank,
                                  GError **error);
/* The filter; "": none. Borrowed. */
const char *gui_array_choice_get_filter (GuiArrayChoice *choice);
