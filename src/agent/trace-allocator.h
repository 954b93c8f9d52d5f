/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PDDT_AGENT_TRACE_ALLOCATOR_H
#define PDDT_AGENT_TRACE_ALLOCATOR_H

#include <stddef.h>

/* CPython's PyMemAllocatorEx and its first domain, which are not in the limited API. */
enum { TRACE_DOMAIN_RAW = 0 };

struct trace_allocator {
    void *context;
    void *(*malloc) (void *, size_t);
    void *(*calloc) (void *, size_t, size_t);
    void *(*realloc) (void *, void *, size_t);
    void (*free) (void *, void *);
};

#endif
