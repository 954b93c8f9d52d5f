/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A look for all names of a file that hold a text, for completion: functions and source files by
 * debug information, functions and variables by symbols. */
#pragma once
#include "index/image.h"
#include "job/name.h"

/* Adds to names. kinds: of JobNameKind. is_library: what is found counts less than the program's own.
 * Fortran's names are found in any case; all others as they are written. */
void index_search_names (const IndexImage *image, const char *text, guint kinds, gboolean is_library,
                         JobNames *names);
/* Adds the functions with lines whose whole name the pattern is found in, each once; file: only those of a file
 * that it names, as in a place, or NULL. */
void index_search_functions (const IndexImage *image, const GRegex *pattern, const char *file, JobNames *names);
/* How name, whose last component begins at `last`, holds text at `hit`: one of JOB_NAME_EXACT … */
guint index_search_rate (const char *name, const char *last, const char *hit, gsize size);
