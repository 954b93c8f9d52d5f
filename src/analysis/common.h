/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The last collective that ranks have in common, for those that have parted. */
#pragma once
#include "job/message-queue.h"

/* "last common collective: the second on MPI_COMM_WORLD, MPI_Barrier (a.c:7); 1,3 have begun more of them":
 * of the communicators that all these ranks share one in which some are ahead, else the largest.
 * NULL when they share none, when none of its collectives has been begun by all, or when nothing
 * is known of one of the ranks. */
char *analysis_common_format (const JobMessageTable *table, const JobRankSet *ranks);
