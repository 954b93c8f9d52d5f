/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Panes keep their look while an answer is on its way, as after each step: they turn grey only when
 * nothing new has come for a moment. */
#pragma once
#include <gtk/gtk.h>

typedef struct _GuiGreyPanes GuiGreyPanes;

/* on_grey: the moment is over, and they turn grey now. */
GuiGreyPanes *gui_grey_panes_new (void (*on_grey) (gpointer user), gpointer user);
void gui_grey_panes_free (GuiGreyPanes *panes);                 /* NULL is nothing */
void gui_grey_panes_add (GuiGreyPanes *panes, gpointer widget); /* borrowed */
/* Whether what they show is old. */
void gui_grey_panes_follow (GuiGreyPanes *panes, gboolean is_stale);
/* What this one of them shows was learned in another way, and is not old with the others' (NULL: none). */
void gui_grey_panes_except (GuiGreyPanes *panes, gpointer widget);
/* Not while the moment lasts. */
gboolean gui_grey_panes_are_grey (const GuiGreyPanes *panes);
