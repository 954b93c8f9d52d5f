/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What memory.c and traps.c know of each other: a reader that hides planted bytes. */
#pragma once
#include "base/trap-table.h"
#include "target/process.h"

typedef struct {
    BaseMemoryReader reader; /* first: a reader is its own memory */
    pid_t pid;
    int fd;             /* /proc/PID/mem, or -1 until opened */
    TargetTraps *traps; /* NULL: nothing planted */
    guint looks;        /* target_memory_begin_look without its end */
} TargetMemory;

/* Bytes as they stand in the process, traps included; returns how many were read. */
gsize target_memory_read_raw (TargetMemory *memory, guint64 address, void *data, gsize size);
gboolean target_memory_write_raw (TargetMemory *memory, guint64 address, const void *data,
                                  gsize size, GError **error);
/* Puts the program's own bytes in the place of traps in data, read from address. */
void target_traps_hide (TargetTraps *traps, guint64 address, guint8 *data, gsize size);
/* The program's new bytes for [address, address + size): remembers those under traps and puts the
 * trap instruction into data instead. */
void target_traps_absorb (TargetTraps *traps, guint64 address, guint8 *data, gsize size);
/* One stands in [address, address + size). */
gboolean target_traps_has_any (const TargetTraps *traps, guint64 address, gsize size);

/* From here on the signal makes this process let the list's threads go and end with a status that is not 0.
 * It is for the tracer's thread. The list stays mapped. */
void target_rescue_install (BaseRescueList *list);
/* Tracees end with this process: it ends without letting anybody go. */
void target_rescue_note_deadly (void);
