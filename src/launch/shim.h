/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The shim before each rank's program: finds or starts the host's daemon, hands the process over
 * and becomes the program, changed by nothing but the tracer that holds it. */
#pragma once
#include <glib.h>

typedef struct {
    guint32 rank, size, local_rank;
} LaunchRankInfo;

/* From the launcher's variables (Open MPI, then PMI, Slurm last: inside an allocation mpirun's
 * ranks see Slurm's too, the wrong ones). Rank 0 of 1 without any. `find` is g_getenv, or a test's. */
LaunchRankInfo launch_rank_info_read (const char *(*find) (const char *name));

/* The same below prterun and prun, which may tell a rank its number alone (PMIX_RANK): of the size that
 * their line asks for. size 0: it does not say, -1: another launcher. FALSE: nobody knows the size. */
gboolean launch_rank_info_find (const char *(*find) (const char *name), gint64 size,
                                LaunchRankInfo *ret_info);

/* "[--session DIRECTORY] [--input SET] [--pmix SIZE] -- PROGRAM ARGS…". Returns only when the program did not
 * start: the exit status, 127 (cannot be executed), 126 (refused), 2 (words). */
int launch_shim_run (int argc, char **argv);
