/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --submit: a job through a batch system, taken when it starts. */
#pragma once
#include "programs/options.h"

/* Submits the job of the command line and waits for it: TRUE: it waits to be taken, which options then say (--take).
 * FALSE: *ret_status is pddt's; a measured job that is over has left *ret_archive (NULL: none; caller owns). argv: pddt's
 * own words. */
gboolean program_submit (ProgramOptions *options, char **argv, char **ret_archive,
                         int *ret_status);
