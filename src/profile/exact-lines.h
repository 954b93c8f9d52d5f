/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines that were counted exactly (--lines, @profile): beside an archive, in "lines.tsv", since OTF2 has no such
 * sums. */
#pragma once
#include "profile/trace-files.h"

#define PROFILE_LINES_NAME "lines.tsv"

typedef struct {
    guint32 rank, first, line; /* first: the function's first line */
    guint64 hits, ns;          /* ns: with what the line has called */
    const char *name, *file;   /* of the function */
} ProfileExactLine;

/* Writes FOLDER/lines.tsv if the run has counted any. DENIED. */
gboolean profile_exact_lines_write (const ProfileTrace *trace, const char *folder,
                                    GError **error);
/* GPtrArray of ProfileExactLine with free function, by rank, file, first line and line; empty where the folder has
 * none. Lines that are damaged are left out. */
GPtrArray *profile_exact_lines_load (const char *folder);
