/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A thread's stack as it was when the thread stood. */
#pragma once
#include "engine/control/control.h"

#define ENGINE_SAMPLING_COPY (64u << 10) /* bytes */

/* The memory of a thread as it was when it stood: its stack is a copy. What is not in it is read
 * from the running process, as long as that has executed nothing else. */
typedef struct {
    BaseMemoryReader reader;
    EngineSpace *space; /* the process's then; a reference */
    guint64 start;
    gsize size;
    guint8 bytes[ENGINE_SAMPLING_COPY];
} EngineSamplingSnapshot;

/* The thread with these registers stands. */
void engine_sampling_snapshot_fill (EngineSamplingSnapshot *snapshot, EngineProcess *process,
                                    const MachineRegisters *registers);
void engine_sampling_snapshot_clear (EngineSamplingSnapshot *snapshot);
/* What the thread does in the kernel: that is in its registers too. */
EngineSystemCall engine_sampling_find_call (const MachineRegisters *registers);
