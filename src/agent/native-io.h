/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A call for a file, whether it names a descriptor (native-io.c) or a stream (native-streams.c). */
#pragma once
#include "agent/native.h"
#include <stdio.h>

#pragma GCC visibility push(hidden)

#define READS PDDT_TRACE_IO_READ
#define WRITES PDDT_TRACE_IO_WRITE

typedef struct {
    enum native_function function;
    uint32_t file; /* 0: none */
    int is_recorded, fd;
    int flags; /* of a file that is opened */
    const void *code;
} NativeCall;

/* Before the real call: its Enter. fd: -1: there is none, and nothing is recorded; code: the instruction after the call.
 * errno is as the program has it, before and after; so it is with the others. */
NativeCall native_io_begin (enum native_function function, int fd, const void *code);
/* The same for what opens a file; path NULL: nothing is recorded. */
NativeCall native_io_begin_path (enum native_function function, const char *path, int flags,
                                 const void *code);
/* After the real call, with its errno: what it has done, and its Leave. kind: PDDT_TRACE_IO_READ, …; wanted, done: bytes;
 * position: -1: where the file stands. */
void native_io_end (const NativeCall *call, uint8_t kind, size_t wanted, size_t done,
                    int has_failed, int64_t position);
/* fd: what has been opened; negative: nothing. */
void native_io_end_open (NativeCall *call, int fd);
/* native-streams.c. -1: the stream has none, or is NULL. */
int native_get_descriptor (FILE *stream);

/* ---- native-characters.c ---- */
/* Between begin and rest: what this thread has read and written by characters since its last event is recorded. */
void native_runs_put (void);
/* Of so many characters that have been read from the stream, those that this thread had read before, and given back by
 * ungetc: they have been recorded. */
int64_t native_runs_take_back (FILE *stream, int64_t n_read);

#pragma GCC visibility pop
