/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Appends an unlisted rank when it is selected, because the box must always show the window's
 * rank. */
#include "gui/kit/rank-choice.h"
#include <glib/gi18n.h>

enum { MAX_CHOICES = 256 };

static void
append (GtkComboBoxText *combo, guint32 rank)
{
    g_autofree char *id = g_strdup_printf ("%u", rank);
    g_autofree char *text = g_strdup_printf (_ ("rank %u"), rank);

    gtk_combo_box_text_append (combo, id, text);
}

/* As much room as the highest rank wants. Without it the box measures each of its rows whenever something beside
 * it changes its size, which takes milliseconds. */
static void
give_width (GtkComboBoxText *combo, const JobRankSet *ranks)
{
    const GArray *ranges = ranks->ranges;
    guint32 end = ranges->len > 0 ? g_array_index (ranges, JobRankRange, ranges->len - 1).end
                                  : 0;
    g_autoptr (GList) cells = gtk_cell_layout_get_cells (GTK_CELL_LAYOUT (combo));
    g_autofree char *text = g_strdup_printf (_ ("rank %u"), MAX (end, 1) - 1);

    gtk_cell_view_set_fit_model (GTK_CELL_VIEW (gtk_bin_get_child (GTK_BIN (combo))), FALSE);
    g_object_set (cells->data, "width-chars", (int) g_utf8_strlen (text, -1), NULL);
}

void
gui_rank_choice_fill (GtkComboBoxText *combo, const JobRankSet *ranks)
{
    JobRankIter iter = { 0 };
    guint32 rank;

    for (guint n = 0; n < MAX_CHOICES && job_rank_set_next (ranks, &iter, &rank); n++) {
        append (combo, rank);
    }
    give_width (combo, ranks);
}

void
gui_rank_choice_select (GtkComboBoxText *combo, guint32 rank)
{
    g_autofree char *id = g_strdup_printf ("%u", rank);

    if (!gtk_combo_box_set_active_id (GTK_COMBO_BOX (combo), id)) {
        append (combo, rank);
        gtk_combo_box_set_active_id (GTK_COMBO_BOX (combo), id);
    }
}
