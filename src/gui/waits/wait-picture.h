/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws which rank waits for which: the ranks of each fault in a ring of their own, with an arrow from each
 * waiting rank to its peer. It is drawn smaller, to some degree, before it must be scrolled. */
#pragma once
#include <gtk/gtk.h>
#include "session/session.h"

#define GUI_TYPE_WAIT_PICTURE (gui_wait_picture_get_type ())
G_DECLARE_FINAL_TYPE (GuiWaitPicture, gui_wait_picture, GUI, WAIT_PICTURE, GtkDrawingArea)

/* Marks the culprits of all faults of the verdict (NULL: none), and says what those outside MPI
 * do. Copies what it needs. */
void gui_wait_picture_set (GuiWaitPicture *picture, const JobMessageTable *table,
                           const AnalysisVerdict *verdict);
