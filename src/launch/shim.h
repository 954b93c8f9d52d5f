/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The shim before each rank's program: finds or starts the host's daemon, hands the process
 * over and execs the program unchanged, except that it is traced. */
#pragma once
#include <glib.h>

typedef struct {
    guint32 rank, size, local_rank;
} LaunchRankInfo;

/* From the launcher's variables (Open MPI, then PMI, Slurm last: inside an allocation mpirun's
 * ranks also have Slurm's, with wrong values). Rank 0 of 1 without any. `find` is g_getenv, or
 * a test's. */
LaunchRankInfo launch_rank_info_read (const char *(*find) (const char *name));

/* The same below prterun and prun, which may give a rank only its number (PMIX_RANK). size:
 * from their command line; 0: not given, -1: another launcher. FALSE: the size is not known. */
gboolean launch_rank_info_find (const char *(*find) (const char *name), gint64 size,
                                LaunchRankInfo *ret_info);

/* "[--session DIRECTORY] [--input SET] [--pmix SIZE] -- PROGRAM ARGS…". Returns only when the program did not
 * start: the exit status, 127 (cannot be executed), 126 (refused), 2 (words). */
int launch_shim_run (int argc, char **argv);
