/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Works with groups of ranks that share a state line, so that the cost depends on places, not
 * on ranks. */
#include "gui/source/source-marks.h"
#include "base/array.h"
#include <glib/gi18n.h>

static gboolean
is_pending (const SessionBreakpoint *bp)
{
    return bp->places == NULL || bp->places->len == 0;
}

static gboolean
is_pending_at (const SessionBreakpoint *bp, const char *file)
{
    return is_pending (bp) && bp->where.kind == JOB_WHERE_LINE && bp->where.file != NULL
           && job_where_match_file (bp->where.file, file);
}

gboolean
gui_source_marks_is_at (const SessionBreakpoint *bp, const char *file, guint line)
{
    return BASE_HAS (bp->places, const JobLocation, place,
                     g_strcmp0 (place->file, file) == 0 && place->line == line)
           || (bp->where.line == line && is_pending_at (bp, file));
}

static void
add_line (GString *text, char *line)
{
    g_string_append_printf (text, "%s%s", text->len > 0 ? "\n" : "", line);
    g_free (line);
}

static char *
dup_text (const SessionBreakpoint *bp, guint marks)
{
    GString *text = g_string_new (NULL);

    add_line (text, bp->condition != NULL
                        ? g_strdup_printf (_ ("Breakpoint %u if %s"), bp->number, bp->condition)
                        : g_strdup_printf (_ ("Breakpoint %u"), bp->number));
    if (bp->every > 1) {
        add_line (text, g_strdup_printf (_ ("Stops every %u hits"), (guint) bp->every));
    }
    if (marks & GUI_MARK_LOG) {
        add_line (text, g_strdup_printf (_ ("Logs without stopping: %s"), bp->log));
    }
    if (marks & GUI_MARK_DISABLED) {
        add_line (text, g_strdup (_ ("Disabled")));
    } else if (!job_rank_set_is_empty (bp->disabled)) {
        g_autofree char *set = job_rank_set_format (bp->disabled);

        add_line (text, g_strdup_printf (_ ("Disabled on %s"), set));
    }
    if (marks & GUI_MARK_PENDING) {
        add_line (text, g_strdup (_ ("Pending: no rank has code for this line yet")));
    } else if (marks & GUI_MARK_PARTIAL) {
        g_autofree char *set = job_rank_set_format (bp->set_ranks);

        add_line (text, g_strdup_printf (_ ("Set on %s only"), set));
    }
    return g_string_free (text, FALSE);
}

static guint
get_marks (const SessionBreakpoint *bp, const JobRankSet *ranks)
{
    guint marks = GUI_MARK_BREAKPOINT;

    marks |= session_breakpoint_is_enabled (bp, ranks) ? 0 : GUI_MARK_DISABLED;
    marks |= bp->condition != NULL || bp->every > 1 ? GUI_MARK_CONDITION : 0;
    marks |= bp->log != NULL ? GUI_MARK_LOG : 0;
    marks |= is_pending (bp) ? GUI_MARK_PENDING : 0;
    marks |= !job_rank_set_is_empty (bp->set_ranks)
                     && !job_rank_set_is_subset (ranks, bp->set_ranks)
                 ? GUI_MARK_PARTIAL
                 : 0;
    return marks;
}

static void
mark_breakpoint (GuiDebugGutter *gutter, const char *file, const SessionBreakpoint *bp,
                 const JobRankSet *ranks)
{
    guint marks = get_marks (bp, ranks);
    g_autofree char *text = NULL;

    if (!job_rank_set_intersects (job_rank_set_is_empty (bp->set_ranks) ? bp->ranks
                                                                        : bp->set_ranks,
                                  ranks)) {
        return;
    }
    text = dup_text (bp, marks);
    if (is_pending_at (bp, file)) {
        gui_debug_gutter_add (gutter, bp->where.line, marks, 0, text);
    }
    BASE_EACH (bp->places, const JobLocation, place) {
        if (g_strcmp0 (place->file, file) == 0) {
            gui_debug_gutter_add (gutter, place->line, marks, 0, text);
        }
    }
}

static void
mark_group (GuiDebugGutter *gutter, const JobEvent *group, guint32 representative)
{
    g_autofree char *set = job_rank_set_format (group->ranks);
    guint32 n = (guint32) job_rank_set_get_count (group->ranks);
    g_autofree char *text
        = g_strdup_printf (ngettext ("Rank %s is here", "Ranks %s are here", n), set);
    gboolean is_shown = job_rank_set_contains (group->ranks, representative);
    guint marks = (is_shown ? GUI_MARK_HERE : 0)
                  | (n > (is_shown ? 1u : 0u) ? GUI_MARK_OTHERS : 0);

    gui_debug_gutter_add (gutter, group->place->line, marks, n, text);
}

void
gui_source_marks_add (GuiDebugGutter *gutter, const char *file, GPtrArray *breakpoints,
                      GPtrArray *groups, const JobRankSet *ranks, guint32 representative)
{
    for (guint i = 0; i < breakpoints->len; i++) {
        mark_breakpoint (gutter, file, breakpoints->pdata[i], ranks);
    }
    BASE_EACH (groups, const JobEvent, group) {
        if (group->place != NULL && g_strcmp0 (group->place->file, file) == 0
            && (job_state_get_info (group->state)->is_stopped
                || group->state == JOB_STATE_BLOCKED)) {
            mark_group (gutter, group, representative);
        }
    }
}
