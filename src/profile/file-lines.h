/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Source files and their lines, with the time that was spent at them. A line has the time of all
 * stacks that it is in, once each; its own time is what the user's code spent there itself, with what it
 * has called in code that is not the user's. */
#pragma once
#include "profile/costs.h"

typedef struct {
    const char *file;   /* the model's */
    guint32 context;    /* the most expensive in it */
    double self, total; /* of all ranks, in s */
    gboolean is_own;    /* the user's: a library's source is seldom there */
} ProfileFile;

/* GArray of ProfileFile: those with time, the user's before those of libraries, the most of their own first. */
GArray *profile_file_lines_dup_files (const ProfileCosts *costs);

typedef struct {
    guint32 line;
    guint32 context; /* the most expensive at it */
    double self, total;
    JobCounts counts, own_counts;  /* of total, of self; 0 where the costs have none */
    double classes[JOB_N_CLASSES]; /* of total */
    float *bins; /* n_bins times JOB_N_CLASSES: of total, over the time of the costs, in s */
} ProfileFileLine;

typedef struct {
    GArray *lines; /* of ProfileFileLine, ascending */
    guint n_bins;
    gboolean
        is_traced;   /* calls have the first line of their function, wherever in it they were */
    guint32 counted; /* set of JobCount that lines have */
    double most;     /* total of the most expensive line */
    double most_bin; /* the highest bin of all, classes together */
} ProfileFileLines;

/* file: as in the model, compared by its text. Lines with less than least of all time, 0 to 1, are
 * left out. */
ProfileFileLines *profile_file_lines_new (const ProfileCosts *costs, const char *file,
                                          double least, guint n_bins);
void profile_file_lines_free (ProfileFileLines *lines); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ProfileFileLines, profile_file_lines_free)
/* NULL: the line is not there. */
const ProfileFileLine *profile_file_lines_find (const ProfileFileLines *lines, guint32 line);
