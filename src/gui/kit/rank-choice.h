/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A combo box of ranks; its ids are their numbers. */
#pragma once
#include <gtk/gtk.h>
#include "job/rank-set.h"

/* Appends the lowest 256 of the ranks: a longer list would be of no use. */
void gui_rank_choice_fill (GtkComboBoxText *combo, const JobRankSet *ranks);
/* Makes it the active one, and adds it if it is missing. */
void gui_rank_choice_select (GtkComboBoxText *combo, guint32 rank);
