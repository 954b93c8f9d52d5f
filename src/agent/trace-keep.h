/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a process keeps of its events where the settings give it a buffer: "buffer first BYTES" or "buffer last BYTES".
 * The buffer is a number of chunks for all writers of the process together. Only trace-ring.c uses this, and but for
 * trace_keep_take with its lock. */
#pragma once
#include "agent/trace-ring.h"

#pragma GCC visibility push(hidden)

/* PDDT_TRACE_KEEP_ALL until trace_keep_load has found something else. */
extern uint32_t trace_keep;
/* settings: the text of the file FOLDER/settings; NULL: there is none. */
void trace_keep_load (const char *settings);
/* A chunk of the buffer; FALSE: it has no more. */
int trace_keep_take (void);
/* The thread with that number has filled the chunk. */
void trace_keep_add (uint32_t thread, uint64_t index);
/* It has ended, after its last chunk was added. */
void trace_keep_end (uint32_t thread);
/* The chunk that was filled first, whose events are lost now, to be begun anew: mapped, and
 * free. NULL: there is none
 * beside the one that was filled last. */
struct pddt_trace_chunk *trace_keep_recycle (uint64_t *ret_index);
/* In the child of a fork: its file has nothing of all that. */
void trace_keep_forget (void);

/* ---- trace-ring.c ---- */
/* A chunk of the file, mapped; NULL with errno. */
struct pddt_trace_chunk *trace_ring_map (uint64_t index);
/* A further one, of the kind 0. NULL with errno. */
struct pddt_trace_chunk *trace_ring_extend (uint64_t *ret_index);
/* One of these is of a kind now. */
void trace_ring_count (void);
/* With its head; the rest is zero. NULL: there is no room. */
struct pddt_trace_definition *trace_ring_begin_definition (uint32_t kind, size_t size);
/* It is written. Returns its id. */
uint32_t trace_ring_end_definition (const struct pddt_trace_definition *definition);
/* The thread has lost so many events. */
void trace_ring_lose (int32_t tid, uint64_t n);

#pragma GCC visibility pop
