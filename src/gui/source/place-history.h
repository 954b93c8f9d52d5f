/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The history of shown source places, with Back and Forward as in a browser. */
#pragma once
#include <glib.h>

typedef struct _GuiPlaceHistory GuiPlaceHistory;

GuiPlaceHistory *gui_place_history_new (void);
void gui_place_history_free (GuiPlaceHistory *history);
/* Adds a place and discards the ones after the current one. Ignores the place that is already
 * shown. */
void gui_place_history_visit (GuiPlaceHistory *history, const char *file, guint line);
/* by -1 or 1. Returns the file, borrowed until the next visit; NULL: no further place in this
 * direction. */
const char *gui_place_history_go (GuiPlaceHistory *history, int by, guint *ret_line);
