/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is known of the files that a process has mapped. */
#pragma once
#include "engine/modules/modules.h"

/* loads.c: of a measured rank, in which no trap stands. */
typedef struct {
    gboolean is_sought; /* the list has been, in this program */
    guint64 list_at;    /* where the program has the address of its loader's list; 0: nowhere */
    guint64 count_at;   /* the address of how many libraries are in it; 0: not known */
    guint64 list, last, last_name; /* addresses: of the list, its last library, and its name */
    gint64 read_us;                /* when the map was last read, */
    guint64 hash;                  /* of what the list said then; 0: not known, */
    gint64 looked_us;              /* and when that was last compared */
    gint64 pause_us;               /* so long the map is not read again without a reason */
} EngineLoads;

struct _EngineMap {
    GHashTable *dynamics; /* Dynamic by the module's start */
    gboolean is_stale;
    gboolean is_untold; /* others do not know of the last change yet */
    gboolean
        is_runtime_refused; /* there is no Python that can be read: looked for again with other modules */
    gboolean is_runtime_unsupported; /* it is a CPython, of no version that is known */
    guint64 loader_trap,
        loader_state; /* address of the loader's breakpoint and of r_debug's state; 0 */
    EngineLoads loads;
};

/* The address of the variable that has that of the loader's list (DT_DEBUG); 0: the program has none. */
guint64 engine_modules_find_list (EngineProcess *process);
/* The map is about to be read, and has been. */
void engine_loads_note (EngineProcess *process);
void engine_loads_note_result (EngineProcess *process, gboolean is_changed);
/* The map is to be read again. FALSE also of a rank that is not measured, which has a trap in its loader. */
gboolean engine_loads_have_changed (EngineProcess *process);
