/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text on its way to stdout and stderr: whoever reads it slowly, or not at all, holds up nothing
 * here. What waits is kept in order, first in memory, then on disk. */
#pragma once
#include <glib.h>

typedef struct _CommandOut CommandOut;
/* full: neither memory nor disk take more, so that nothing more should be fetched; and when there is
 * room again. problem is the disk's, NULL with room. */
typedef void (*CommandOutFull) (gboolean full, const char *problem, gpointer user);

/* memory_bytes 0: what the environment's PDDT_OUTPUT_MEMORY says, else 16 MB. */
CommandOut *command_out_new (gsize memory_bytes, CommandOutFull on_full, gpointer user);
/* The line and a '\n' to descriptor 1 or 2, now or as soon as it is taken. */
void command_out_write (CommandOut *out, int fd, const char *line);
gboolean command_out_is_empty (const CommandOut *out);
/* Runs the main loop until all is taken, or nobody is there to take it. */
void command_out_flush (CommandOut *out);
void command_out_drop (CommandOut *out); /* what waits is not written any more */
void command_out_free (CommandOut *out); /* drops it too */
