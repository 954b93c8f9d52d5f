/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds all names of a file that contain a text, for completion: functions and source files in
 * debug information, functions and variables among symbols. */
#pragma once
#include "index/image.h"
#include "job/name.h"

/* Adds to names. kinds: of JobNameKind. is_library: rates matches below the program's own.
 * Fortran names match case-insensitively. */
void index_search_names (const IndexImage *image, const char *text, guint kinds,
                         gboolean is_library, JobNames *names);
/* Adds the functions with lines whose full name matches the pattern, each once; file: only
 * those of this file, named as in a place, or NULL. */
void index_search_functions (const IndexImage *image, const GRegex *pattern, const char *file,
                             JobNames *names);
/* Rates a match of the text at `hit` in name, whose last component begins at `last`:
 * JOB_NAME_EXACT … */
guint index_search_rate (const char *name, const char *last, const char *hit, gsize size);
