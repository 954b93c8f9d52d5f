/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How the console shares its height: source, stack and values above the pages, or in a low window as the first of
 * them. It follows the window's size. */
#pragma once
#include "gui/group/group-view.h"

typedef struct {
    GtkWindow *window;
    GtkWidget *column, *toolbar, *moves, *chart, *rows, *pages;
    GuiGroupView *view;
    int least,
        height; /* of all but source and pages; of the window, when it was last looked at. 0: not yet */
    gboolean is_low, is_new; /* new: its parts have just been put elsewhere */
    guint source;
} GuiConsoleRoom;

/* The members up to the view are set, and the window has its default size. The room must live as long as the window. */
void gui_console_room_begin (GuiConsoleRoom *room);
void gui_console_room_clear (GuiConsoleRoom *room);
