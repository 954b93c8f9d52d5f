/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --remote with --profile or --trace: the job is measured on its host, by pddt there, and its archive is brought here. */
#pragma once
#include "programs/options.h"

/* Whether pddt's word is an option of this side, which is not for pddt there: 0: it is not; 1: it is, with its value; 2: the
 * next word is its value. */
guint program_measure_count_own (const char *word);
/* *ret_archive: where the archive is brought to: what --output says, or a name that is free; *ret_name: what it is called
 * there. Caller owns both. FALSE: there is one already, which is said. */
gboolean program_measure_find_names (const ProgramOptions *options, char **ret_archive,
                                     char **ret_name);
/* argv: pddt's own words. Returns the exit status, which is the launcher's, as that of a measured run here; 3: it could not
 * be, which is said. *ret_archive: what has been brought here; NULL: nothing. Caller owns. */
int program_measure_there (const ProgramOptions *options, char **argv, char **ret_archive);
