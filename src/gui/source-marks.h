/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What stands beside the lines of one file: breakpoints, and where the ranks of a group are, with
 * the words of the tooltip. */
#pragma once
#include "gui/debug-gutter.h"
#include "session/session.h"

/* The breakpoint stands at that line of the file, or is pending for it. */
gboolean gui_source_marks_is_at (const SessionBreakpoint *breakpoint, const char *file, guint line);
/* groups: of the ranks, as session_dup_state_groups gives them. Adds to what is there. */
void gui_source_marks_add (GuiDebugGutter *gutter, const char *file, GPtrArray *breakpoints,
                           GPtrArray *groups, const JobRankSet *ranks, guint32 representative);
