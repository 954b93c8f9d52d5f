/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the views Calls, Functions and Source have in common. */
#pragma once
#include "gui/profile/profile-view.h"
#include "profile/costs.h"

/* Of the widget's font, in px. */
double gui_profile_get_text_size (GtkWidget *widget);
/* "work", "libm.so.6+0x1234", "<module> (app.py)", as many files have one; with marks. Caller owns. */
char *gui_profile_dup_name (const JobContext *context);
/* "app.c:12", "libm.so.6", "" for none; the file without its folder. Caller owns. */
char *gui_profile_dup_place (const JobLocation *location);
/* Of the function that is selected; 0: none, or it is not in the costs. */
guint32 gui_profile_find_function (const ProfileCosts *costs, GuiProfileSelection *selection);
/* Short, for the head of a row: "rank 3", "ranks 0-7" of a group, "pid 4711" of a child process. Caller owns. */
char *gui_profile_dup_label (const ProfileModel *model, guint index);
/* "ranks 0-3, 2 child processes", or without the word, for a column. Caller owns. */
char *gui_profile_format_set (const ProfileModel *model, const JobRankSet *set,
                              gboolean has_word);
/* A sentence for the times that the ranks of costs have: "All 64 ranks: 0.9 s to 1.4 s." Caller
 * owns. */
char *gui_profile_format_ranks (const ProfileCosts *costs, const double *seconds);
