/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a core file keeps of a process, as a reader that outlives it: the private writable memory,
 * and the mapped files for what was never written. */
#pragma once
#include "base/memory-reader.h"
#include <sys/types.h>

/* The process must stand still. */
BaseMemoryReader *recorded_new (pid_t pid);
void recorded_free (BaseMemoryReader *reader);
