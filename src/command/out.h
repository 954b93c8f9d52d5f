/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Buffered writing to stdout and stderr that never blocks, however slowly they are read. Keeps
 * pending text in order, first in memory, then on disk. */
#pragma once
#include <glib.h>

typedef struct _CommandOut CommandOut;
/* Called when the buffer becomes full (neither memory nor disk accept more, so fetch no more
 * output) and when it has room again. problem: of the disk; NULL when it has room. */
typedef void (*CommandOutFull) (gboolean full, const char *problem, gpointer user);

/* memory_bytes 0: the value of PDDT_OUTPUT_MEMORY, else 16 MB. */
CommandOut *command_out_new (gsize memory_bytes, CommandOutFull on_full, gpointer user);
/* Writes the line and a '\n' to descriptor 1 or 2, now or as soon as possible. */
void command_out_write (CommandOut *out, int fd, const char *line);
gboolean command_out_is_empty (const CommandOut *out);
/* Runs the main loop until everything is written or the reader is gone. */
void command_out_flush (CommandOut *out);
void command_out_drop (CommandOut *out); /* discards pending text */
void command_out_free (CommandOut *out); /* discards it, too */
