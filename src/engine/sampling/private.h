/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once
#include "engine/control/control.h"
#include "engine/sampling/sampling.h"
#include "job/sample.h"

/* Fills in what the process has used until now, as far as the system tells; what one file tells comes together, wanted (a
 * set of metrics) or not. */
void engine_sampling_read_metrics (EngineProcess *process, guint32 wanted, JobMetrics *metrics);
/* By the call that it is in, and whose code called that. is_blocked: it waits there; call->number -1: it is in none. stack may be NULL. */
JobClass engine_sampling_classify (EngineProcess *process, const EngineSystemCall *call,
                                   gboolean is_blocked, const Stack *stack);
