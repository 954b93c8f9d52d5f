/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Native code as a place in a trace: its module and the address in it, with the module's build-id, by which whoever names
 * the place later knows that a file is still the same one. Nothing here allocates, and with glibc 2.35 or later nothing takes
 * a lock; before that, the one of the loader's list of modules is taken, which is held for moments only. */
#pragma once
#include "agent/trace-ring.h"

#pragma GCC visibility push(hidden)

struct trace_module {
    const char *path;
    uintptr_t base; /* an address minus this is what the file calls it, as addr2line takes it */
    uintptr_t begin; /* where it is mapped */
    size_t size;     /* 0: not known */
};

/* FALSE: none is known to have that code. */
int trace_place_find_module (const void *code, struct trace_module *module);
/* The same of any C library, for whoever may wait for a lock of the loader. */
int trace_place_ask_loader (const void *code, struct trace_module *module);
/* TRUE: that code is pddt's. */
int trace_place_is_own (const void *code);
/* The id of a new PLACE; 0: there was no room. */
uint32_t trace_place_define (const struct trace_module *module, const void *code);
/* The id of the PLACE of that code, the instruction after a call, which is defined once; 0: it is not known, or one of too
 * many. */
uint32_t trace_place_get (const void *code);

#pragma GCC visibility pop
