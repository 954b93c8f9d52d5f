/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A profile of the example heat.py that was never measured: imports, then steps that exchange and
 * compute, at last a sum and a line of output. Later ranks compute longer. */
#pragma once
#include "profile/model.h"

/* folder: data/examples. n_samples: of each rank, 10 ms each; every one of n_more contexts is a
 * function in a library that a step has called, up to 30 deep. Caller owns. */
ProfileModel *profile_sample_new (guint n_ranks, guint n_samples, guint n_more,
                                  const char *folder);
/* Makes a trace of it: messages to the next rank, barriers of all, and two of the waits, at places of heat.py. */
void profile_sample_add_messages (ProfileModel *model, guint n_ranks, const char *folder);
