/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The gutter of a source view: breakpoints left, arrows of ranks right. One renderer for both,
 * because two source marks on one line would be drawn over each other. */
#pragma once
#include <gtksourceview/gtksource.h>

typedef enum {
    GUI_MARK_BREAKPOINT = 1 << 0,
    GUI_MARK_DISABLED = 1 << 1,
    GUI_MARK_PARTIAL = 1 << 2,   /* set in only some ranks of the group */
    GUI_MARK_HERE = 1 << 3,      /* the viewed rank's line */
    GUI_MARK_OTHERS = 1 << 4,    /* other ranks of the group are here */
    GUI_MARK_PENDING = 1 << 5,   /* no rank has code for it yet */
    GUI_MARK_CONDITION = 1 << 6, /* it does not stop every rank each time */
    GUI_MARK_LOG = 1 << 7,       /* it logs and does not stop */
} GuiMark;

#define GUI_TYPE_DEBUG_GUTTER (gui_debug_gutter_get_type ())
G_DECLARE_FINAL_TYPE (GuiDebugGutter, gui_debug_gutter, GUI, DEBUG_GUTTER,
                      GtkSourceGutterRenderer)

/* Signals "toggled" (guint line): a click on the line; "menu" (guint line): a right click.
 * Lines are 1-based. */
GtkSourceGutterRenderer *gui_debug_gutter_new (void);
void gui_debug_gutter_clear (GuiDebugGutter *gutter);
/* Adds marks to a line; n_ranks > 0 sets the count beside the arrow; text adds to the tooltip. */
void gui_debug_gutter_add (GuiDebugGutter *gutter, guint line, guint marks, guint n_ranks,
                           const char *text);
