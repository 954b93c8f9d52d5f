/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is known of the files that a process has mapped. */
#pragma once
#include "engine/modules/modules.h"

struct _EngineMap {
    GHashTable *dynamics; /* Dynamic by the module's start */
    gboolean is_stale;
    gboolean
        is_runtime_refused; /* there is no Python that can be read: looked for again with other modules */
    gboolean is_runtime_unsupported; /* it is a CPython, of no version that is known */
    guint64 loader_trap,
        loader_state; /* address of the loader's breakpoint and of r_debug's state; 0 */
};
