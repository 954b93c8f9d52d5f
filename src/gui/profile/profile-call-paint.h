/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Paints the Calls view: icicle or sunburst. */
#pragma once
#include "gui/profile/profile-call-layout.h"
#include "gui/profile/profile-colours.h"

typedef struct {
    const ProfileCosts *costs;
    const ProfileCallTree *tree;
    const GuiProfileCallLayout *layout;
    const GuiProfileColours *colours;
    double text;            /* size of the font, in px */
    const guint8 *is_found; /* for each call of the tree: the search matches; NULL: no search */
    int selected;           /* box with an outline; -1: none */
    int hovered;
} GuiProfileCallPicture;

void gui_profile_call_paint (cairo_t *cr, const GuiProfileCallFrame *frame,
                             const GuiProfileCallPicture *picture);
/* Outlines of what is selected and hovered alone, over a picture painted without them. */
void gui_profile_call_paint_marks (cairo_t *cr, const GuiProfileCallFrame *frame,
                                   const GuiProfileCallPicture *picture);
/* "solve", or "libm.so.6+0x1a40" for a function without a name; "All" for the root. Caller owns. */
char *gui_profile_call_dup_name (const ProfileCosts *costs, guint32 function);
/* "12.3 %", as the user's language writes it. Caller owns. */
char *gui_profile_call_format_share (double part, double whole);
