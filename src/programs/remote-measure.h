/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --remote with --profile or --trace: the job is measured on its host, by pddt there, and its archive is brought here. */
#pragma once
#include "programs/options.h"

/* argv: pddt's own words. Returns the exit status, which is the launcher's, as that of a measured run here; 3: it could not
 * be, which is said. *ret_archive: what has been brought here; NULL: nothing. Caller owns. */
int program_measure_there (const ProgramOptions *options, char **argv, char **ret_archive);
