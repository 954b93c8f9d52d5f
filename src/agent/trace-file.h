/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of the file that trace-ring.c writes: their place on the disk and in memory, and what its header says of the
 * process. */
#pragma once
#include "agent/trace-ring.h"
#include <sys/types.h>

#pragma GCC visibility push(hidden)

/* 0, or an errno: then the file has no such bytes. Written zeros have their place on the disk, as reserved
 * blocks have, and are in the page cache already when they are mapped, which halves what a new
 * page costs. */
int trace_file_reserve (int fd, off_t offset, off_t size);
/* Shared, to be read and written; NULL with errno. */
void *trace_file_map (int fd, off_t offset, size_t size);
void trace_file_get_times (uint64_t *ret_monotonic, uint64_t *ret_real);
/* Who this process is, on which host, and that it begins now. */
void trace_file_describe (struct pddt_trace_header *header, const char *host);

#pragma GCC visibility pop
