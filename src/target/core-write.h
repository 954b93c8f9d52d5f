/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A core file of a process that goes on. */
#pragma once
#include "base/memory-reader.h"
#include "target/process.h"
#include <sys/types.h>

typedef struct _TargetCoreWriter TargetCoreWriter;

/* Begins the file, which must not exist, with the state of these threads, all of which stand still until it is written;
 * tids[0]: the one that gdb and target_core_open show first, which has stopped for the signal (NULL: for none). Borrows memory.
 * NULL: FAULT, GONE; the sentence names the path. */
TargetCoreWriter *target_core_writer_new (pid_t pid, const pid_t *tids, guint n_tids,
                                          const siginfo_t *signal, BaseMemoryReader *memory,
                                          const char *path, GError **error);
/* Writes at most 256 KiB more. *ret_done: there is no more. */
gboolean target_core_writer_go_on (TargetCoreWriter *writer, gboolean *ret_done,
                                   GError **error);
guint64 target_core_writer_get_size (const TargetCoreWriter *writer); /* bytes, with holes */
/* Bytes that could not be read, and are zero in the file. */
guint64 target_core_writer_get_lost (const TargetCoreWriter *writer);
/* Removes a file that is not complete. NULL is fine. */
void target_core_writer_free (TargetCoreWriter *writer);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TargetCoreWriter, target_core_writer_free)
