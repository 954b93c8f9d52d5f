/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who waits for whom: ranks in a ring, an arrow from each that waits to the peer it waits for. */
#pragma once
#include <gtk/gtk.h>
#include "session/session.h"

#define GUI_TYPE_WAIT_PICTURE (gui_wait_picture_get_type ())
G_DECLARE_FINAL_TYPE (GuiWaitPicture, gui_wait_picture, GUI, WAIT_PICTURE, GtkDrawingArea)

GtkWidget *gui_wait_picture_new (void);
/* The culprits of all its faults are marked, with what they do where they are outside MPI; NULL: none. Takes
 * what it needs out of both. */
void gui_wait_picture_set (GuiWaitPicture *picture, const JobMessageTable *table,
                           const AnalysisVerdict *verdict);
