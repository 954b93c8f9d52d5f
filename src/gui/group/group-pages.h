/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What stands beside the source of a group view, in two notebooks. */
#pragma once
#include "gui/console/breakpoint-list.h"
#include "gui/console/rank-table.h"
#include "gui/group/place-list.h"
#include "gui/group/text-pane.h"
#include "gui/values/value-pane.h"

typedef struct {
    GuiValuePane *locals, *watches;
    GuiTextPane *threads, *registers, *code;
    GuiPlaceList *places; /* this and table: NULL where the window has such lists */
    GuiRankTable *table;
    GuiBreakpointList *breakpoints;
} GuiGroupPages;

/* Adds the pages to the notebooks; has_lists: with the lists of places, ranks and breakpoints. */
void gui_group_pages_build (GuiGroupPages *pages, GtkWidget *upper, GtkWidget *lower,
                            gboolean has_lists);
