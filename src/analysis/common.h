/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The last common collective of ranks that have diverged. */
#pragma once
#include "base/text.h"
#include "job/message-queue.h"

/* "last common collective: the second on MPI_COMM_WORLD, MPI_Barrier (a.c:7); 1,3 have begun more of them":
 * on a communicator that all these ranks share, preferably one in which some are ahead, else
 * the largest. NULL when they share none, have begun no common collective, or nothing is known
 * of one of the ranks. Caller owns. */
BaseText *analysis_common_format (const JobMessageTable *table, const JobRankSet *ranks);
