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

void
gui_rank_choice_fill (GtkComboBoxText *combo, const JobRankSet *ranks)
{
    JobRankIter iter = { 0 };
    guint32 rank;

    for (guint n = 0; n < MAX_CHOICES && job_rank_set_next (ranks, &iter, &rank); n++) {
        append (combo, rank);
    }
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
