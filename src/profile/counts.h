/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What processors and kernel have counted at each place (job/counts.h), and the figures that views and reports make of it. It
 * is an estimate: what a thread has executed between two samples counts for the place of the second one. */
#pragma once
#include "job/counts.h"
#include "profile/model.h"

/* The set of JobCount that are known of all ranks with samples; 0 of a part of the time, and of a trace. */
guint32 profile_counts_get_known (const ProfileModel *model);
/* The same of this rank alone, or of this group where sums have no other. */
guint32 profile_counts_get_known_of (const ProfileModel *model, guint index);
/* Adds the rank's to those of each context in the model's tree, 0 for stacks that could not be read. Of groups the first one
 * of the same sums has those of all: what is added of all indices is right, of one where get_known_of has it. */
void profile_counts_add (const ProfileModel *model, guint index, JobCounts *contexts);
/* The share of what the ranks have counted in all that is known of no place, 0 to 1: from before the first sample of a thread,
 * and after its last one. FALSE: it is not known. */
gboolean profile_counts_find_missing (const ProfileModel *model, JobCount count,
                                      double *ret_share);

typedef enum {
    PROFILE_FIGURE_IPC,    /* instructions per cycle */
    PROFILE_FIGURE_MEMORY, /* % of the cycles that waited for memory */
    PROFILE_FIGURE_MISSES, /* misses of the last cache per 1000 instructions */
    PROFILE_FIGURE_FAULTS, /* page faults */
    PROFILE_N_FIGURES
} ProfileFigure;

/* To be translated. */
typedef struct {
    const char *title, *unit; /* of a column; unit NULL: none */
    const char *about;
} ProfileFigureText;

const ProfileFigureText *profile_figure_get_text (ProfileFigure figure);
guint profile_figure_get_digits (ProfileFigure figure); /* behind the point */
/* FALSE: what it is made of is not among known, or there was nothing to count. */
gboolean profile_figure_find (ProfileFigure figure, guint32 known, const JobCounts *counts,
                              double *ret_value);
/* TRUE: it can be found, at some place. */
gboolean profile_figure_is_known (ProfileFigure figure, guint32 known);
