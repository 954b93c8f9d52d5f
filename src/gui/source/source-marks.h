/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The marks beside the lines of a file: breakpoints and the places of a group's ranks, with
 * their tooltips. */
#pragma once
#include "gui/source/debug-gutter.h"
#include "session/session.h"

/* Whether the breakpoint is set at that line of the file or pending for it. */
gboolean gui_source_marks_is_at (const SessionBreakpoint *breakpoint, const char *file,
                                 guint line);
/* groups: of the ranks, from session_dup_state_groups. Adds to existing marks. */
void gui_source_marks_add (GuiDebugGutter *gutter, const char *file, GPtrArray *breakpoints,
                           GPtrArray *groups, const JobRankSet *ranks, guint32 representative);
