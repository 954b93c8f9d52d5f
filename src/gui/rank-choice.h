/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A combo box of ranks; its ids are their numbers. */
#pragma once
#include <gtk/gtk.h>
#include "job/rank-set.h"

/* Appends the lowest 256 of the ranks: nobody looks through more of them. */
void gui_rank_choice_fill (GtkComboBoxText *combo, const JobRankSet *ranks);
/* Makes it the active one, whether or not it was among those. */
void gui_rank_choice_select (GtkComboBoxText *combo, guint32 rank);
