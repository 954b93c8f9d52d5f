/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once
#include "engine/control/control.h"
#include "engine/sampling/sampling.h"
#include "job/sample.h"

/* By the call that it is in, and whose code called that. is_blocked: it waits there; call->number -1: it is in none. stack may be NULL. */
JobClass engine_sampling_classify (EngineProcess *process, const EngineSystemCall *call,
                                   gboolean is_blocked, const Stack *stack);
