/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A trace whose every event is known: in each step a rank works longer the higher it is, sends to the next one, and meets all
 * in a barrier. */
#pragma once
#include "profile/model.h"

enum {
    TRACE_SAMPLE_RANKS = 4,
    TRACE_SAMPLE_STEPS = 10,
    TRACE_SAMPLE_BEGIN_US = 1000000,
    TRACE_SAMPLE_STEP_US = 100000
};

/* file: where its functions are. Caller owns. */
ProfileModel *trace_sample_new (const char *file);
gint64 trace_sample_get_work_us (guint rank);
guint32 trace_sample_add_context (const char *file, JobContextTree *tree, guint32 parent,
                                  const char *function, guint32 line);
/* To samples, from *time_us to end_us, which it is then. */
void trace_sample_add (GArray *samples, gint64 *time_us, gint64 end_us, guint32 context,
                       JobClass class);
