/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The places of the source that were shown, to go back to and forward again, as a browser does. */
#pragma once
#include <glib.h>

typedef struct _GuiPlaceHistory GuiPlaceHistory;

GuiPlaceHistory *gui_place_history_new (void);
void gui_place_history_free (GuiPlaceHistory *history);
/* What was gone back from is forgotten. The place that is shown already is no visit. */
void gui_place_history_visit (GuiPlaceHistory *history, const char *file, guint line);
/* by -1 or 1. The file, borrowed until the next visit; NULL: there is none that way. */
const char *gui_place_history_go (GuiPlaceHistory *history, int by, guint *ret_line);
