/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once
#include "engine/sampling/sampling.h"
#include "job/sample.h"

/* What a thread does in the kernel, as proc(5), syscall, tells: it waits in a call, or runs. */
typedef struct {
    gboolean is_blocked;
    long number; /* of the call; -1: none, as in a page fault, which is part of computing */
    guint64 arguments[6];
    guint64 sp, pc; /* while it is blocked */
} EngineKernelState;

/* FALSE: the thread has ended. */
gboolean engine_kernel_state_read (EngineProcess *process, pid_t tid,
                                   EngineKernelState *ret_state);
/* By the call that it is in, and whose code called that. Stack may be NULL. */
JobClass engine_sampling_classify (EngineProcess *process, const EngineKernelState *state,
                                   const Stack *stack);
