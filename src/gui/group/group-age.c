/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gui/group/group-age.h"
#include <glib/gi18n.h>
#include "gui/kit/age.h"
#include "base/array.h"

GuiGroupSampled
gui_group_age_classify (const JobStackTree *tree, const JobRankSet *sampled)
{
    return job_rank_set_is_empty (sampled)                       ? GUI_GROUP_SAMPLED_NONE
           : job_rank_set_is_subset (tree->root->ranks, sampled) ? GUI_GROUP_SAMPLED_ALL
                                                                 : GUI_GROUP_SAMPLED_SOME;
}

char *
gui_group_age_format (gint64 shown_us, gint64 values_us, gint64 silent_us,
                      GuiGroupSampled sampled)
{
    g_autofree char *sample = NULL, *values = NULL;

    if (sampled == GUI_GROUP_SAMPLED_NONE) {
        return gui_age_format (silent_us != 0 ? MIN (silent_us, shown_us) : shown_us);
    }
    sample = gui_age_format_sample (shown_us);
    if (sampled == GUI_GROUP_SAMPLED_SOME || values_us == 0) {
        return g_steal_pointer (&sample);
    }
    values = gui_age_format (silent_us != 0 ? MIN (silent_us, values_us) : values_us);
    /* Translators: "sampled 3 s ago", of stacks; then "as of 9 s ago", of values. */
    return g_strdup_printf (_ ("%s · values %s"), sample, values);
}

JobLocation *
gui_group_age_dup_own_place (const JobStackNode *node, guint32 rank)
{
    BASE_EACH (node->children, const JobStackNode, child) {
        if (job_rank_set_contains (child->ranks, rank)) {
            JobLocation *inner = gui_group_age_dup_own_place (child, rank);

            return inner != NULL || child->location.line == 0
                           || (child->flags & (JOB_FRAME_LIBRARY | JOB_FRAME_INTERPRETER))
                       ? inner
                       : job_location_dup (&child->location);
        }
    }
    return NULL;
}

char *
gui_group_age_format_place (guint32 rank, const char *place, gboolean is_old, const char *age)
{
    if (place == NULL) {
        return g_strdup_printf (_ ("viewing rank %u · %s"), rank, _ ("no place known"));
    }
    if (!is_old) {
        return g_strdup_printf (_ ("viewing rank %u · %s"), rank, place);
    }
    /* Translators: a place; then an age such as "sampled 3 s ago". */
    return age != NULL ? g_strdup_printf (_ ("viewing rank %u · %s, %s"), rank, place, age)
                       : g_strdup_printf (_ ("viewing rank %u · running, last seen in %s"),
                                          rank, place);
}
