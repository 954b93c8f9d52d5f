/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A profile whose every sample is known. */
#pragma once
#include "profile/model.h"

/* Of C, in that file. */
guint32 performance_sample_add_context (const char *file, JobContextTree *tree, guint32 parent,
                                        const char *function, guint32 line);
/* Each rank is in `work` for its part of 4 s (idle ranks: none of it), then in MPI_Recv; the first three have a
 * second thread that waits. Caller owns. */
ProfileModel *performance_sample_new (const char *file, guint n_ranks, guint n_idle);
