/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which process makes the archive where pddt has not started the job. */
#pragma once

#pragma GCC visibility push(hidden)

/* This process takes part. spool: of the trace; program: pddt's path; rank, size: of the job, as text; NULL: none. */
void trace_last_begin (const char *spool, const char *program, const char *rank,
                       const char *size);
/* It ends, and has written all that it records. Runs pddt where it is the last. */
void trace_last_end (void);

#pragma GCC visibility pop
