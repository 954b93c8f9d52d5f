/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gui/profile/profile-common.h"
#include <glib/gi18n.h>

double
gui_profile_get_text_size (GtkWidget *widget)
{
    PangoContext *context = gtk_widget_get_pango_context (widget);
    const PangoFontDescription *font = pango_context_get_font_description (context);
    double size = (double) pango_font_description_get_size (font) / PANGO_SCALE;
    double dpi = pango_cairo_context_get_resolution (context);

    if (size <= 0) {
        return 13;
    }
    return pango_font_description_get_size_is_absolute (font)
               ? size
               : size * (dpi > 0 ? dpi : 96) / 72;
}

char *
gui_profile_dup_name (const JobContext *context)
{
    const JobLocation *location = &context->location;
    g_autofree char *plain = profile_dup_name (location), *file = NULL, *marks = NULL;

    marks = job_frame_format_marks (BASE_TEXT_SHOWN, context->flags & JOB_FRAME_SAMPLED);
    if (location->language != JOB_LANGUAGE_PYTHON || *plain != '<' || location->file == NULL) {
        return g_strconcat (plain, marks, NULL);
    }
    file = g_path_get_basename (location->file);
    return g_strdup_printf ("%s (%s)%s", plain, file, marks);
}

char *
gui_profile_dup_place (const JobLocation *location)
{
    if (location->file != NULL && location->line > 0) {
        g_autofree char *name = g_path_get_basename (location->file);

        return g_strdup_printf ("%s:%u", name, location->line);
    }
    return g_strdup (location->module != NULL ? location->module : "");
}

guint32
gui_profile_find_function (const ProfileCosts *costs, GuiProfileSelection *selection)
{
    guint32 context = gui_profile_selection_get_context (selection);
    const JobLocation *location = gui_profile_selection_get_location (selection);

    if (context > 0 && context <= costs->n_contexts) {
        return costs->functions[context];
    }
    for (guint32 function = 1; location != NULL && function <= costs->n_functions; function++) {
        const JobLocation *other
            = &job_context_tree_get (profile_model_get_contexts (costs->model),
                                     costs->examples[function])
                   ->location;

        if (other->function == location->function && other->file == location->file
            && other->module == location->module && other->language == location->language
            && (other->function != NULL || other->offset == location->offset)) {
            return function;
        }
    }
    return 0;
}

char *
gui_profile_dup_label (const ProfileModel *model, guint index)
{
    const ProfileProcess *process = profile_model_get_process (model, index);

    return profile_model_is_child (model, index) && process->pid > 0
               ? g_strdup_printf ("pid %d", process->pid)
               : profile_model_format_rank (BASE_TEXT_SHOWN, model, index);
}

char *
gui_profile_format_set (const ProfileModel *model, const JobRankSet *set, gboolean has_word)
{
    g_autoptr (JobRankSet) ranks = job_rank_set_new ();
    g_autofree char *brief = NULL, *text = NULL, *children = NULL;
    guint index, n_children = 0;

    JOB_EACH_RANK (set, rank) {
        if (profile_model_find_index (model, rank, &index)
            && profile_model_is_child (model, index)) {
            n_children++;
        } else {
            job_rank_set_add (ranks, rank);
        }
    }
    brief = job_rank_set_format_brief (ranks);
    text = has_word ? g_strdup_printf (ngettext ("rank %s", "ranks %s",
                                                 job_rank_set_get_count (ranks)),
                                       brief)
                    : g_strdup (brief);
    if (n_children == 0) {
        return g_steal_pointer (&text);
    }
    children = g_strdup_printf (ngettext ("%u child process", "%u child processes", n_children),
                                n_children);
    return job_rank_set_is_empty (ranks) ? g_steal_pointer (&children)
                                         : g_strdup_printf ("%s, %s", text, children);
}

char *
gui_profile_format_ranks (const ProfileCosts *costs, const double *seconds)
{
    g_autoptr (JobRankSet) set = job_rank_set_new ();
    g_autofree char *ranks = NULL, *low = NULL, *high = NULL;
    double min = G_MAXDOUBLE, max = 0;
    guint32 count;

    for (guint i = 0; i < costs->ranks->len; i++) {
        if (seconds[i] > 0 && !g_array_index (costs->ranks, ProfileCostRank, i).is_child) {
            job_rank_set_add (set, g_array_index (costs->ranks, ProfileCostRank, i).rank);
            min = MIN (min, seconds[i]);
            max = MAX (max, seconds[i]);
        }
    }
    count = job_rank_set_get_count (set);
    ranks = job_rank_set_format_brief (set);
    low = gui_profile_format_time (count > 0 ? min : 0);
    high = gui_profile_format_time (max);
    if (count <= 1) {
        /* A rank, its time. */
        return count == 0 ? g_strdup ("") : g_strdup_printf (_ ("Rank %s: %s"), ranks, high);
    }
    /* Ranks, the shortest and the longest time of one of them. */
    return g_strdup_printf (_ ("Ranks %s: %s to %s each"), ranks, low, high);
}
