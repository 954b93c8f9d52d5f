/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The value under the pointer, over the stopped ranks of a group, in their selected frames; asks for each
 * expression once per moment, and shows the tooltip again when the answer has arrived. */
#pragma once
#include "session/selection.h"

typedef struct _GuiValueHover GuiValueHover;
GuiValueHover *gui_value_hover_new (Session *session, SessionSelection *selection);
void gui_value_hover_free (GuiValueHover *hover);
/* The text; NULL: not known (yet). stops: of their moment (session_dup_stopped). Caller owns. */
char *gui_value_hover_dup (GuiValueHover *hover, const char *expression,
                           const JobRankSet *stopped, guint64 stops);
